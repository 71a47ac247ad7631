//! What a player may do, and why a game may refuse it.

use thiserror::Error;

use super::Point;

/// What a player does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on a point.
    Place(Point),
    /// No stone.
    Pass,
    /// The game is given up.
    Resign,
}

/// Why a move is refused, in the order in which a game looks: the first reason
/// that there is, is given. The words are those of the servers that speak the
/// protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Error)]
pub enum Illegal {
    /// The game has ended.
    #[error("The game is over")]
    Over,
    /// The point is off the board.
    #[error("Out of Bound")]
    OutOfBounds,
    /// A stone stands on the point.
    #[error("Nonempty point")]
    Nonempty,
    /// The stone's group would have no liberty.
    #[error("Suicide")]
    Suicide,
    /// The board with the same side to move was there before.
    #[error("SuperKo")]
    Superko,
    /// The board was there before the opponent's last move.
    #[error("Ko")]
    Ko,
}
