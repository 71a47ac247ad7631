//! What is to be done about a message or a choice.

use super::finished::Finished;
use crate::goref::wire::ClientMessage;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Send this to the server.
    Send(ClientMessage),
    /// Tell people this on standard error.
    Note(String),
    /// A move was made: it is written so.
    Moved(String),
    /// The board has changed: it looks so.
    Board(String),
    /// A game is over.
    Over(Finished),
}
