//! What a player may do on his turn.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Point;

/// What a player does on his turn: he places a stone or passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A stone of the player's colour on a point.
    Place(Point),
    /// No stone.
    Pass,
}

impl Move {
    /// The point where a stone is placed; `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Place(point) => Some(point),
            Move::Pass => None,
        }
    }
}

impl From<Point> for Move {
    fn from(point: Point) -> Move {
        Move::Place(point)
    }
}

/// Writes the point, as in `c3`, or `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(point) => fmt::Display::fmt(point, f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

/// A word that names no move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no move: a letter a-e and a digit 1-5, or pass, is expected")]
pub struct ParseMoveError(pub String);

/// Reads a point or `pass` in any case.
impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(word: &str) -> Result<Move, ParseMoveError> {
        if word.eq_ignore_ascii_case("pass") {
            Ok(Move::Pass)
        } else {
            word.parse()
                .map(Move::Place)
                .map_err(|_| ParseMoveError(word.to_owned()))
        }
    }
}

/// Why a move is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// A stone is on the point already (*GothelloIllegalMoveNonblank*).
    #[error("{0} is occupied")]
    Occupied(Point),
    /// The new stone's group would have no liberty
    /// (*GothelloIllegalMoveBlocked*).
    #[error("a stone at {0} would have no liberty")]
    NoLiberty(Point),
    /// Both players have passed.
    #[error("the game is over")]
    GameOver,
}
