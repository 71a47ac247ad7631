//! A second, literal and slow implementation of the rules: no hash codes, no stored groups, no
//! bits.

use std::collections::BTreeSet;

/// A row and a column.
pub type At = (i32, i32);

/// `B`, `W` or `.` for each point.
pub type Rows = Vec<Vec<char>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Place(At),
    Pass,
    Resign,
}

#[derive(Clone, Debug)]
pub struct Rules {
    pub ko: bool,
    pub superko: bool,
    /// In hundredths of a point, as all scores here.
    pub komi: i64,
    /// 0 is none.
    pub mercy: i64,
    pub mercy_start: usize,
    pub area: bool,
    pub prisoner_score: i64,
    pub pass_adds_to_prisoners: bool,
}

#[derive(Clone, Debug)]
pub struct Game {
    pub rules: Rules,
    /// The boards and the players to move, from the start to now.
    pub history: Vec<(Rows, char)>,
    pub turns: Vec<Turn>,
    pub black_prisoners: i64,
    pub white_prisoners: i64,
    /// The reason and the winner, `.` for none.
    pub end: Option<(&'static str, char)>,
}

pub fn other(player: char) -> char {
    if player == 'B' { 'W' } else { 'B' }
}

fn on(rows: &Rows, (row, column): At) -> Option<char> {
    let row = rows.get(usize::try_from(row).ok()?)?;
    row.get(usize::try_from(column).ok()?).copied()
}

fn neighbors(rows: &Rows, (row, column): At) -> Vec<At> {
    let all = [
        (row - 1, column),
        (row + 1, column),
        (row, column - 1),
        (row, column + 1),
    ];
    let on_board = all.into_iter().filter(|&at| on(rows, at).is_some());
    on_board.collect()
}

fn all_points(rows: &Rows) -> Vec<At> {
    let (height, width) = (rows.len() as i32, rows[0].len() as i32);
    let row = |row| (0..width).map(move |column| (row, column));
    (0..height).flat_map(row).collect()
}

/// The points of the same content that are connected with one.
pub fn region(rows: &Rows, at: At) -> BTreeSet<At> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![at];
    while let Some(at) = waiting.pop() {
        if found.insert(at) {
            let same = |&next: &At| on(rows, next) == on(rows, at);
            waiting.extend(neighbors(rows, at).into_iter().filter(same));
        }
    }
    found
}

/// The points next to a region.
pub fn border(rows: &Rows, region: &BTreeSet<At>) -> BTreeSet<char> {
    let beside = region.iter().flat_map(|&at| neighbors(rows, at));
    let outside = beside.filter(|at| !region.contains(at));
    outside.filter_map(|at| on(rows, at)).collect()
}

/// The owner of each point, `.` for none.
pub fn owners(rows: &Rows) -> Rows {
    let mut owners = rows.clone();
    let mut left: BTreeSet<At> = all_points(rows).into_iter().collect();
    left.retain(|&at| on(rows, at) == Some('.'));
    while let Some(&at) = left.first() {
        let region = region(rows, at);
        let border = border(rows, &region);
        for at in region {
            owners[at.0 as usize][at.1 as usize] =
                match (border.contains(&'B'), border.contains(&'W')) {
                    (true, false) => 'B',
                    (false, true) => 'W',
                    _ => '.',
                };
            left.remove(&at);
        }
    }
    owners
}

impl Game {
    pub fn rows(&self) -> &Rows {
        &self.history.last().unwrap().0
    }

    pub fn turn(&self) -> char {
        self.history.last().unwrap().1
    }

    /// Returns the board after a stone and the number of captured stones, or the word that
    /// refuses it.
    pub fn place(&self, at: At) -> Result<(Rows, i64), &'static str> {
        let (mut rows, mover) = self.history.last().unwrap().clone();
        match on(&rows, at) {
            None => return Err("Out of Bound"),
            Some('.') => {}
            Some(_) => return Err("Nonempty point"),
        }
        rows[at.0 as usize][at.1 as usize] = mover;
        let mut captured = 0;
        for next in neighbors(&rows, at) {
            let group = region(&rows, next);
            if on(&rows, next) == Some(other(mover)) && !border(&rows, &group).contains(&'.') {
                captured += group.len() as i64;
                for (row, column) in group {
                    rows[row as usize][column as usize] = '.';
                }
            }
        }
        if !border(&rows, &region(&rows, at)).contains(&'.') {
            return Err("Suicide");
        }
        let next = (rows, other(mover));
        if self.rules.superko && self.history.contains(&next) {
            return Err("SuperKo");
        }
        let before_last = self.history.len().checked_sub(2);
        if self.rules.ko && before_last.is_some_and(|before| self.history[before].0 == next.0) {
            return Err("Ko");
        }
        Ok((next.0, captured))
    }

    /// Takes a turn. Returns the word that refuses it if it is illegal.
    pub fn take(&mut self, turn: Turn) -> Result<(), &'static str> {
        assert!(self.end.is_none());
        let mover = self.turn();
        let mut rows = self.rows().clone();
        let mut prisoners = (mover, 0);
        match turn {
            Turn::Resign => {
                self.turns.push(turn);
                self.end = Some(("resign", other(mover)));
                return Ok(());
            }
            Turn::Pass if self.rules.pass_adds_to_prisoners => prisoners = (other(mover), 1),
            Turn::Pass => {}
            Turn::Place(at) => {
                let captured;
                (rows, captured) = self.place(at)?;
                prisoners = (mover, captured);
            }
        }
        match prisoners {
            ('B', more) => self.black_prisoners += more,
            (_, more) => self.white_prisoners += more,
        }
        self.history.push((rows, other(mover)));
        self.turns.push(turn);
        let (black, white) = self.score();
        let winner = match black - white {
            0 => '.',
            1.. => 'B',
            _ => 'W',
        };
        let apart = (black - white).abs() >= self.rules.mercy;
        if self.turns.ends_with(&[Turn::Pass, Turn::Pass]) {
            self.end = Some(("pass", winner));
        } else if self.rules.mercy != 0 && self.turns.len() >= self.rules.mercy_start && apart {
            self.end = Some(("mercy", winner));
        }
        Ok(())
    }

    /// Black's and White's scores, in hundredths of points.
    pub fn score(&self) -> (i64, i64) {
        let rows = self.rows();
        let owners = owners(rows);
        let of = |player: char| {
            let counts = |&at: &At| {
                on(&owners, at) == Some(player) && (self.rules.area || on(rows, at) == Some('.'))
            };
            all_points(rows).into_iter().filter(counts).count() as i64
        };
        let black = of('B') + self.black_prisoners * self.rules.prisoner_score;
        let white = of('W') + self.white_prisoners * self.rules.prisoner_score;
        (100 * black, 100 * white + self.rules.komi)
    }
}
