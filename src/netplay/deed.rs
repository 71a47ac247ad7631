//! What is to be done about a message or a decision.

use super::ending::Ending;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Send this request to the referee.
    Send(String),
    /// Tell people this on standard error.
    Note(String),
    /// A move was made: it is written so.
    Moved(String),
    /// The board has changed: it looks so.
    Board(String),
    /// The match is over.
    Over(Ending),
}
