//! What the client must know of a game, besides what the referee knows.

use super::ending::Margin;
use crate::color::Color;
use crate::netref::NetrefGame;

/// A game that the client can play and follow.
///
/// A value is a game from its start, or from where it was met, to the present or
/// to its end.
pub trait Game: NetrefGame + Default {
    /// How many lines of a state display are one board.
    const ROWS: usize;
    /// What a person may type, in a few examples.
    const PROMPT: &str;
    /// What a move looks like, for messages.
    const MOVES: &str;
    /// What a move is and means, in lines of help.
    const MOVE_HELP: &str;
    /// What an engine may answer, for messages.
    const VERTICES: &'static str;
    /// The size of the board in GTP.
    const GTP_SIZE: u8;

    /// The move that a person of the side to move means by a word.
    fn read_typed(&self, word: &str) -> Option<Self::Move> {
        word.parse().ok()
    }

    /// A move as GTP has it.
    fn vertex(mv: Self::Move) -> String;

    /// The move that GTP has so.
    fn of_vertex(word: &str) -> Option<Self::Move>;

    /// The game under the same rules as this one from this board on.
    ///
    /// # Errors
    /// Says why no game leads to the board.
    fn met(&self, rows: &[Self::Row], to_move: Color) -> Result<Self, String>;

    /// Whether the board looks so.
    fn looks(&self, rows: &[Self::Row]) -> bool;

    /// Plays the last move of a match; `None` if the game does not end with it.
    /// If it was `met` in the middle, what was before is not known.
    ///
    /// # Errors
    /// Says why the move is illegal.
    fn finish(&mut self, mv: Self::Move, met: bool) -> Result<Option<Margin>, String>;

    /// Whether a move of the side to move may stand in a status line for an end
    /// without a move, where nothing says so.
    fn may_stand_in(mv: Self::Move) -> bool;

    /// A side as people see it on the board.
    fn mark(side: Color) -> String;

    /// The board for people, with the last move marked, in whole lines.
    fn diagram(&self) -> String;
}
