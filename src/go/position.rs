//! A moment of a game.

use super::{Board, ByColor, Color, Size};

/// What a game may start from, and what it is between two moves: the stones, whose
/// turn it is, and the prisoners. Any values make a position, because a
/// [`Board`] never holds a group without a liberty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The stones.
    pub board: Board,
    /// The player to move.
    pub turn: Color,
    /// How many prisoners each player has made: stones captured, and with
    /// [`Rules::pass_adds_to_prisoners`](super::Rules::pass_adds_to_prisoners)
    /// the opponent's passes.
    pub prisoners: ByColor<u32>,
}

impl Position {
    /// The empty board with Black to move.
    pub fn start(size: Size) -> Position {
        Position {
            board: Board::empty(size),
            turn: Color::Black,
            prisoners: ByColor::new(0, 0),
        }
    }
}
