//! Moves, and why they can be illegal.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Point;

/// The index of the pass.
const PASS: usize = 25;

/// A move: a player places a stone or passes.
///
/// ```
/// use gothello::{Move, Point};
/// let mv: Move = "c3".parse()?;
/// assert_eq!(mv, Move::Place(Point::new(2, 2).unwrap()));
/// assert_eq!("PASS".parse(), Ok(Move::Pass));
/// assert_eq!(mv.to_string(), "c3");
/// # Ok::<(), gothello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Places a stone on a point.
    Place(Point),
    /// Passes.
    Pass,
}

impl Move {
    /// The number of moves on the board: a placement on each point, and the pass.
    pub const COUNT: usize = PASS + 1;

    /// Returns the move with an index: that of the point for a placement, and 25 for the pass;
    /// `None` for other numbers.
    ///
    /// ```
    /// use gothello::Move;
    ///
    /// assert_eq!(Move::with_index(12), Some("c3".parse()?));
    /// assert_eq!(Move::with_index(25), Some(Move::Pass));
    /// assert_eq!(Move::with_index(26), None);
    /// # Ok::<(), gothello::ParseMoveError>(())
    /// ```
    pub fn with_index(index: usize) -> Option<Move> {
        match index {
            PASS => Some(Move::Pass),
            _ => Point::ALL.get(index).copied().map(Move::Place),
        }
    }

    /// Returns the index of the move, as [`with_index`](Move::with_index) reads it.
    pub fn index(self) -> usize {
        self.point().map_or(PASS, Point::index)
    }

    /// Returns the point where a stone is placed; `None` for a pass.
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

/// A word that is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid move {0:?}: use a letter a-e and a digit 1-5, or pass")]
pub struct ParseMoveError(pub String);

/// Parses a point or `pass` in upper or lower case.
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

/// The reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// There is a stone on the point (*GothelloIllegalMoveNonblank*).
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
