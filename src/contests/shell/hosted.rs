//! What a server needs of a protocol besides what the contest needs.

use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::base::color::Color;
use crate::contests::contest::{Outcome, Protocol, ReasonOf, SetupOf, TimedGame};
use crate::pages::web::{BoardKind, Ply};

/// A protocol whose contests a server holds.
pub trait Hosted: Protocol {
    /// Returns the message that asks a client for its name.
    fn ask_name() -> Self::Message;

    /// Returns a message as it is sent.
    fn encode(message: &Self::Message) -> Utf8Bytes;

    /// Returns what the page shows around the board of a game with these settings.
    fn board(setup: &SetupOf<Self>) -> BoardView;

    /// Returns the position before the first move, as the page shows it.
    fn start(setup: &SetupOf<Self>) -> Ply;

    /// Returns the position after a number of moves, as the page shows it; `None` if the game has
    /// fewer.
    fn ply(game: &TimedGame<Self::Game>, moves: usize) -> Option<Ply>;

    /// Returns a sentence that says how a game ended.
    fn ending(outcome: Outcome<ReasonOf<Self>>, game: &TimedGame<Self::Game>) -> String;
}

/// What the page shows around a board.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// How the board is drawn.
    pub kind: BoardKind,
    /// The rules in a few words.
    pub rules: String,
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
    /// The player who moves first.
    pub first: Color,
}
