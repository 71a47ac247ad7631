//! The rules of Awari a second time, transcribed schema by schema from section 1 of "A Networked
//! Awari Referee: Specification" (Bart Massey, 2000).
//!
//! Sets are sets, sequences are sequences, closures are fixpoints. Where the printed text cannot
//! be meant literally, or is silent, the item concerned says what it does instead.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

/// `PLAYER ::= north | south`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Player {
    North,
    South,
}

/// `opponent`.
pub fn opponent(player: Player) -> Player {
    match player {
        Player::North => Player::South,
        Player::South => Player::North,
    }
}

/// `PIT ::= a | b | ... | F`.
pub type Pit = char;

/// `pit_order`.
pub const PIT_ORDER: [Pit; 12] = ['a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'];

/// `next p = pit_order(((pit_order~) p) mod 12 + 1)`.
fn next(pit: Pit) -> Pit {
    let place = PIT_ORDER.iter().position(|&other| other == pit).unwrap() + 1;
    PIT_ORDER[(place % 12 + 1) - 1]
}

/// `prev = next~`.
fn prev(pit: Pit) -> Pit {
    PIT_ORDER
        .into_iter()
        .find(|&other| next(other) == pit)
        .unwrap()
}

/// `next_skip p = next (+) { prev p |-> next p }`.
fn next_skip(p: Pit, pit: Pit) -> Pit {
    if pit == prev(p) { next(p) } else { next(pit) }
}

/// `trace p = (\ n : N1 . (iter n (next_skip p)) p)`.
fn trace(p: Pit) -> impl Iterator<Item = Pit> {
    iter::successors(Some(p), move |&pit| Some(next_skip(p, pit))).skip(1)
}

/// `side`.
pub fn side(player: Player) -> BTreeSet<Pit> {
    let north: BTreeSet<Pit> = PIT_ORDER.into_iter().take(6).collect();
    match player {
        Player::North => north,
        Player::South => PIT_ORDER
            .into_iter()
            .filter(|pit| !north.contains(pit))
            .collect(),
    }
}

/// `AwariBoard`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Board {
    pub board: BTreeMap<Pit, u32>,
    pub score: BTreeMap<Player, u32>,
    pub to_move: Player,
}

/// `RESULT`, without those of the moves that go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Win(Player),
    Draw,
}

/// The paper's list of ways to play the grand slam.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GrandSlam {
    A,
    B,
    C,
    D,
    E,
}

/// The result of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    Illegal,
    Continues(Board),
    /// The result, and `score'`.
    Over(Verdict, BTreeMap<Player, u32>),
}

impl Board {
    /// `InitAwariBoard`.
    pub fn init() -> Board {
        Board {
            board: PIT_ORDER.into_iter().map(|pit| (pit, 4)).collect(),
            score: [(Player::North, 0), (Player::South, 0)].into(),
            to_move: Player::South,
        }
    }

    /// The sum of a set of pits.
    fn sum(&self, pits: &BTreeSet<Pit>) -> u32 {
        pits.iter().map(|pit| self.board[pit]).sum()
    }

    /// `opp_stones`, with an explicit player.
    fn opp_stones(&self, mover: Player) -> u32 {
        self.sum(&side(opponent(mover)))
    }

    /// `Sow`: the board, and `to_capture`.
    pub fn sow(&self, mv: Pit) -> Option<(Board, Pit)> {
        let stones = self.board[&mv];
        if self.score.values().any(|&score| score >= 25)
            || !side(self.to_move).contains(&mv)
            || stones == 0
        {
            return None;
        }
        let mut emptied = self.board.clone();
        emptied.insert(mv, 0);
        let sown: Vec<Pit> = trace(mv).take(stones as usize).collect();
        let board = PIT_ORDER.into_iter().map(|pit| {
            let count = sown.iter().filter(|&&other| other == pit).count() as u32;
            (pit, emptied[&pit] + count)
        });
        let after = Board {
            board: board.collect(),
            ..self.clone()
        };
        Some((after, *sown.last().unwrap()))
    }

    /// `captures` of `Capture`, in the order in which they are made. As printed, `reachable` would
    /// always have `to_capture` in it; it is meant to be captured only if it is vulnerable.
    fn captures(&self, to_capture: Pit) -> Vec<Pit> {
        let theirs = side(opponent(self.to_move));
        let vul: BTreeSet<Pit> = theirs
            .into_iter()
            .filter(|pit| [2, 3].contains(&self.board[pit]))
            .collect();
        let chain = iter::successors(Some(to_capture), |&pit| Some(prev(pit)));
        chain.take_while(|pit| vul.contains(pit)).collect()
    }

    /// The rest of `Capture`.
    fn capture(&self, captures: &[Pit]) -> Board {
        let mut after = self.clone();
        for pit in captures {
            let stones = after.board.insert(*pit, 0).unwrap();
            *after.score.get_mut(&self.to_move).unwrap() += stones;
        }
        after
    }

    /// Whether a move that can be sown captures all of the opponent's stones, of which there were
    /// some (the first two lines of `GrandSlam`).
    fn is_grand_slam(&self, mv: Pit) -> bool {
        let Some((sown, to_capture)) = self.sow(mv) else {
            return false;
        };
        let captured = sown.capture(&sown.captures(to_capture));
        self.opp_stones(self.to_move) > 0 && captured.opp_stones(self.to_move) == 0
    }

    /// `Sow ; Capture`, as the grand slam is played.
    pub fn sow_and_capture(&self, mv: Pit, grand_slam: GrandSlam) -> Option<Board> {
        let (sown, to_capture) = self.sow(mv)?;
        let mut captures = sown.captures(to_capture);
        if self.is_grand_slam(mv) {
            match grand_slam {
                GrandSlam::A | GrandSlam::E => {}
                GrandSlam::B => captures.clear(),
                GrandSlam::C => drop(captures.pop()),
                GrandSlam::D => captures.truncate(1),
            }
        }
        Some(sown.capture(&captures))
    }

    /// `IllegalMove`, and the moves that variant (a) forbids.
    fn is_illegal(&self, mv: Pit, grand_slam: GrandSlam) -> bool {
        let mover = self.to_move;
        let Some(after) = self.sow_and_capture(mv, grand_slam) else {
            return true;
        };
        let others = || {
            side(mover)
                .into_iter()
                .filter(|&other| other != mv && self.board[&other] > 0)
        };
        let feeds = |mv| {
            let after = self.sow_and_capture(mv, grand_slam);
            after.is_some_and(|after| after.opp_stones(mover) > 0)
        };
        let starves =
            self.opp_stones(mover) == 0 && after.opp_stones(mover) == 0 && others().any(feeds);
        let forbidden = grand_slam == GrandSlam::A
            && self.is_grand_slam(mv)
            && others().any(|other| !self.is_grand_slam(other));
        starves || forbidden
    }

    /// `AwariRef`: a move, and the checks at the start of the next turn. `positions` are those at
    /// the start of each turn so far, including this one.
    pub fn turn(
        &self,
        mv: Pit,
        grand_slam: GrandSlam,
        claims: bool,
        positions: &BTreeSet<Board>,
    ) -> Turn {
        if self.is_illegal(mv, grand_slam) {
            return Turn::Illegal;
        }
        let mover = self.to_move;
        let mut after = self.sow_and_capture(mv, grand_slam).unwrap();
        if grand_slam == GrandSlam::E && self.is_grand_slam(mv) {
            // `ForfeitStones`.
            for player in [Player::North, Player::South] {
                let stones = after.sum(&side(opponent(player)));
                *after.score.get_mut(&player).unwrap() += stones;
            }
            return after.over();
        }
        after.to_move = opponent(mover);
        // `WinMargin`.
        if after.score.values().any(|&score| score >= 25) {
            return after.over();
        }
        // `NoMove`.
        let repeats = positions.contains(&after);
        if repeats || after.sum(&side(after.to_move)) == 0 {
            if claims || !repeats {
                // `ClaimStones`.
                for player in [Player::North, Player::South] {
                    let stones = after.sum(&side(player));
                    *after.score.get_mut(&player).unwrap() += stones;
                }
            }
            return after.over();
        }
        Turn::Continues(after)
    }

    /// `winner`.
    fn over(&self) -> Turn {
        let (north, south) = (self.score[&Player::North], self.score[&Player::South]);
        let verdict = if north > south {
            Verdict::Win(Player::North)
        } else if south > north {
            Verdict::Win(Player::South)
        } else {
            Verdict::Draw
        };
        Turn::Over(verdict, self.score.clone())
    }
}
