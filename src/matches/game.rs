//! The games of matches: what the runner needs of each besides its rules.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Sub;

use super::record::GameRecord;
use super::setup::Setup;
use crate::base::color::{ByColor, Color};
use crate::clients::agent::AgentGame;
use crate::contests::netref::NetrefGame;
use crate::games::awari;
use crate::games::game::{Game, Outcome};
use crate::games::go::{self, Point};
use crate::games::gothello;
use crate::games::sgf::{self, Headers, MoveNotes, Writer};
use crate::pages::web::{DrawnGame, Ply};
use crate::solving::solver::Solver;

/// A score that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The winner; `None` if the game is drawn.
    pub winner: Option<Color>,
    /// The result as SGF has it, such as `B+3` or `0`.
    pub result: String,
}

impl Counted {
    /// Returns the result of these scores.
    pub fn of<S: Copy + Display + Ord + Sub<Output = S>>(scores: ByColor<S>) -> Counted {
        let ByColor { black, white } = scores;
        let (winner, margin) = match black.cmp(&white) {
            Ordering::Greater => (Color::Black, black - white),
            Ordering::Less => (Color::White, white - black),
            Ordering::Equal => {
                return Counted {
                    winner: None,
                    result: "0".into(),
                };
            }
        };
        Counted {
            winner: Some(winner),
            result: format!("{}+{margin}", winner.capital()),
        }
    }
}

impl From<Outcome> for Counted {
    fn from(outcome: Outcome) -> Counted {
        Counted {
            winner: outcome.winner(),
            result: outcome.to_string(),
        }
    }
}

/// A game for counting: without dead stones.
#[derive(Clone, Debug)]
pub struct Cleared<G> {
    /// The names of the dead stones, sorted by rows from the top.
    pub dead: Vec<String>,
    /// A game that begins with the remaining stones.
    pub game: G,
}

/// Names a point of SGF, by its column from the left and its row from the top, as the records of a
/// game do; `None` is a pass.
pub type PointNamer<G> = fn(&G, Option<(u8, u8)>) -> String;

/// A game that matches are played in.
pub trait MatchGame: AgentGame + DrawnGame {
    /// The extension of the files in which games are recorded.
    const RECORD_EXTENSION: &'static str;

    /// Whether dead stones are removed before the score is counted.
    const REMOVES_DEAD_STONES: bool = false;

    /// Returns the current board for the page, with the owners of its empty points.
    fn counted_ply(&self) -> Ply {
        self.ply()
    }

    /// Plays a move of the player to move.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    fn advance(&mut self, mv: Self::Move) -> Result<(), Self::PlayError> {
        self.play(self.to_move(), mv)
    }

    /// Returns how the rules have ended the game; `None` while it goes on.
    fn counted(&self) -> Option<Counted> {
        self.is_over().then(|| self.standing())
    }

    /// Returns the result as the board stands.
    fn standing(&self) -> Counted {
        Counted::of(self.scores())
    }

    /// Removes dead stones from a board: the named ones, with all stones of their groups.
    ///
    /// # Errors
    /// The first of the words that names no stone of the board.
    fn without_dead(&self, named: &BTreeSet<String>) -> Result<Cleared<Self>, String> {
        match named.first() {
            Some(word) => Err(word.clone()),
            None => Ok(Cleared {
                dead: Vec::new(),
                game: self.clone(),
            }),
        }
    }

    /// Returns the proven result of best play, if it is known at once: at most `max_empty` points
    /// are empty, and the game has a solver.
    fn proven(&self, solver: &Solver, max_empty: u32) -> Option<Counted> {
        let _ = (solver, max_empty);
        None
    }

    /// Plays a move of a record, and returns it; returns `None`, and leaves the game unchanged, if
    /// the word is no legal move.
    fn play_word(&mut self, word: &str) -> Option<Self::Move> {
        let mv = self.parse_notation(word)?;
        self.advance(mv).is_ok().then_some(mv)
    }

    /// Returns the function that names a point of SGF; `None` if the game has no SGF form.
    fn from_coordinates() -> Option<PointNamer<Self>> {
        None
    }

    /// Returns a game by the same rules that begins with another position.
    ///
    /// # Errors
    /// The position is impossible: the reason as a clause.
    fn set_up(&self, setup: &Setup) -> Result<Self, String> {
        let _ = setup;
        Err("stones can be set up (AB, AW, PL) only in openings of Go".to_owned())
    }

    /// Returns the record of a game that is this one at its end, as a file.
    fn record_text(&self, record: &GameRecord) -> String;
}

/// Returns the first position of a game, with the setup if there is one. It was checked when the
/// opening or the results file was read.
pub(super) fn first_position<G: MatchGame>(start: &G, setup: Option<&Setup>) -> G {
    let begun = setup.and_then(|setup| start.set_up(setup).ok());
    begun.unwrap_or_else(|| start.clone())
}

/// Returns the day on which a game began.
fn day(record: &GameRecord) -> String {
    record.began.to_string().chars().take(10).collect()
}

/// Returns the comment on the whole game.
fn comment(record: &GameRecord) -> String {
    let mut comment = record.verdict.to_string();
    if let Some(detail) = &record.detail {
        comment = format!("{comment}: {detail}");
    }
    if let Some(scoring) = record
        .scoring
        .as_ref()
        .filter(|scoring| !scoring.dead.is_empty())
    {
        let dead = scoring.dead.join(" ");
        comment = format!("{comment}\nDead stones, as {} says: {dead}", scoring.by);
    }
    comment
}

/// Returns the comment on the whole game, and which programs the players were.
fn comment_with_programs(record: &GameRecord, titles: ByColor<&str>) -> String {
    let mut comment = comment(record);
    for color in Color::ALL {
        if let Some(program) = &record.programs[color] {
            let program = program.to_string();
            if !program.is_empty() {
                comment = format!("{comment}\n{}: {program}", titles[color]);
            }
        }
    }
    comment
}

/// Returns the comments on the moves: the time of each, and then the player's comment.
fn move_comments(record: &GameRecord) -> impl Iterator<Item = Option<String>> + '_ {
    let opening = std::iter::repeat_n(None, record.opening_moves);
    let seconds = |&micros: &u64| std::time::Duration::from_micros(micros).as_secs_f64();
    let times = record.times.iter().map(seconds);
    let written = record.comments.iter().map(String::as_str);
    let written = written.chain(std::iter::repeat(""));
    opening.chain(times.zip(written).map(|(seconds, written)| {
        Some(match written {
            "" => format!("{seconds:.3} s"),
            written => format!("{seconds:.3} s\n{written}"),
        })
    }))
}

impl MatchGame for gothello::Game {
    const RECORD_EXTENSION: &'static str = <Self as NetrefGame>::RECORD_EXTENSION;

    fn proven(&self, solver: &Solver, max_empty: u32) -> Option<Counted> {
        let position = self.position()?;
        let is_soon = position.empty().len() <= max_empty;
        is_soon.then(|| solver.solve(position).into())
    }

    fn from_coordinates() -> Option<PointNamer<Self>> {
        Some(|_, point| gothello_word(point))
    }

    fn record_text(&self, record: &GameRecord) -> String {
        let headers = Headers {
            players: record
                .planned
                .players
                .as_ref()
                .map(|name| Some(name.to_string())),
            date: Some(day(record)),
            seconds: None,
            event: Some(record.id.clone()),
            result: Some(record.result.clone()),
            comment: Some(comment_with_programs(record, Self::PLAYERS)),
        };
        let notes = move_comments(record).map(|comment| MoveNotes {
            left: None,
            comment,
        });
        sgf::write_with(self, &headers, notes)
    }
}

impl MatchGame for awari::Game {
    const RECORD_EXTENSION: &'static str = <Self as NetrefGame>::RECORD_EXTENSION;

    fn record_text(&self, record: &GameRecord) -> String {
        let players = &record.planned.players;
        let mut lines = vec![
            format!("Game: {}", record.id),
            format!("Date: {}", day(record)),
            format!("South: {}", players.black),
            format!("North: {}", players.white),
            format!("Rules: {}", self.variant()),
            format!(
                "Result: {} ({})",
                record.result_of_sides(Self::PLAYERS),
                comment(record)
            ),
            String::new(),
        ];
        let moves = record.moves.iter().zip(move_comments(record));
        for ((mv, comment), ply) in moves.zip(0_u32..) {
            let ellipses = if ply % 2 == 0 { "" } else { "... " };
            let comment = comment.unwrap_or_default();
            let mut comment = comment.lines();
            let time = comment.next().map(|time| format!(" {time}"));
            let time = time.unwrap_or_default();
            lines.push(format!("{} {ellipses}{mv}{time}", ply / 2 + 1));
            lines.extend(comment.map(|line| format!("  # {line}")));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl MatchGame for go::Game {
    const RECORD_EXTENSION: &'static str = "sgf";

    const REMOVES_DEAD_STONES: bool = true;

    fn counted_ply(&self) -> Ply {
        Ply {
            board: self.ownership().letters(self.board().size()),
            ..self.ply()
        }
    }

    fn without_dead(&self, named: &BTreeSet<String>) -> Result<Cleared<go::Game>, String> {
        let (board, size) = (self.board(), self.board().size());
        let stone = |word: &String| {
            let point = Point::from_vertex(word, size).ok();
            let point = point.filter(|&point| board.get(point).is_some());
            point.ok_or_else(|| word.clone())
        };
        let stones: Vec<Point> = named.iter().map(stone).collect::<Result<_, _>>()?;
        let named = |point: Point| point.vertex(size).unwrap_or_else(|| point.to_string());
        let (dead, board) = board.without_groups(&stones).map_err(named)?;
        let position = go::Position {
            board,
            ..self.position().clone()
        };
        Ok(Cleared {
            dead: dead.into_iter().map(named).collect(),
            game: go::Game::new(self.rules().clone(), position),
        })
    }

    fn set_up(&self, setup: &Setup) -> Result<go::Game, String> {
        let size = self.board().size();
        let mut rows = vec![vec![None; size.columns().into()]; size.rows().into()];
        for (color, words) in [(Color::Black, &setup.black), (Color::White, &setup.white)] {
            for word in words {
                let point = Point::from_vertex(word, size).map_err(|why| why.to_string())?;
                let row = rows.get_mut(usize::from(point.row));
                let cell = row.and_then(|row| row.get_mut(usize::from(point.column)));
                if cell.is_some_and(|cell| cell.replace(color).is_some()) {
                    return Err(format!("{word} is set up twice"));
                }
            }
        }
        let board = go::Board::from_rows(&rows).map_err(|why| match why {
            go::IllegalBoard::NoLiberty(point) => {
                let name = self.to_gtp(go::Move::Place(point));
                format!("the group of the stone at {name} has no liberty")
            }
            why => why.to_string(),
        })?;
        let position = go::Position {
            board,
            turn: setup.to_move,
            ..go::Position::start(size)
        };
        Ok(go::Game::new(self.rules().clone(), position))
    }

    fn from_coordinates() -> Option<PointNamer<Self>> {
        Some(|game, point| {
            let mv = point.map(|(column, row)| go::Move::Place(Point { row, column }));
            game.to_gtp(mv.unwrap_or(go::Move::Pass))
        })
    }

    fn record_text(&self, record: &GameRecord) -> String {
        let size = self.board().size();
        let players = &record.planned.players;
        let mut writer = Writer::new();
        match (size.rows(), size.columns()) {
            (rows, columns) if rows == columns => writer.property("SZ", rows),
            (rows, columns) => writer.property("SZ", format!("{columns}:{rows}")),
        }
        writer.property("RU", "Chinese");
        writer.property("KM", self.rules().komi);
        writer.property("PB", &players.black);
        writer.property("PW", &players.white);
        writer.property("DT", day(record));
        writer.property("EV", &record.id);
        writer.property("RE", &record.result);
        writer.property("C", comment_with_programs(record, Self::PLAYERS));
        if let (Some(setup), Some(first)) = (&record.setup, self.positions().first()) {
            if setup.handicap {
                writer.property("HA", setup.black.len());
            }
            for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
                let stones = first.board.stones().filter(|&(_, stone)| stone == color);
                let points = stones.map(|(Point { row, column }, _)| (column, row));
                writer.points(name, points);
            }
            writer.property("PL", setup.to_move.capital());
        }
        let cleared = record.scoring.as_ref().and_then(|scoring| {
            let dead = scoring.dead.iter().cloned().collect();
            self.without_dead(&dead).ok()
        });
        let turns = self.positions().iter().map(|position| position.turn);
        let moves = turns.zip(self.moves()).zip(move_comments(record));
        for ((color, mv), comment) in moves {
            let point = match mv {
                go::Move::Place(Point { row, column }) => Some((*column, *row)),
                go::Move::Pass | go::Move::Resign => None,
            };
            writer.play(color, point);
            if let Some(comment) = comment {
                writer.property("C", comment);
            }
        }
        // Dead stones are in the territory of the opponent.
        for (name, color) in [("TB", Color::Black), ("TW", Color::White)] {
            let game = cleared.iter().map(|cleared| &cleared.game);
            let territory = game.flat_map(|game| {
                let ownership = game.ownership();
                let points = size.points().filter(move |&point| {
                    game.board().get(point).is_none() && ownership.owner(point) == Some(color)
                });
                points.map(|Point { row, column }| (column, row))
            });
            writer.points(name, territory);
        }
        let mut text = writer.finish();
        text.push('\n');
        text
    }
}

/// Returns the name of a point of Gothello by its column from the left and its row from the top;
/// `pass` for no point.
fn gothello_word(point: Option<(u8, u8)>) -> String {
    match point {
        None => "pass".into(),
        Some((column, row)) => {
            let letter = char::from(b'a'.saturating_add(column));
            let number = i16::from(gothello::SIZE).saturating_sub(row.into());
            format!("{letter}{number}")
        }
    }
}
