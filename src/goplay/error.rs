//! What can go wrong.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::agent::AgentError;

/// Why the client ends before it is done.
#[derive(Debug, Error)]
pub enum Error {
    /// There never was a server.
    #[error("cannot reach a server at {address}, tried for {} s: {why}", .tried.as_secs_f64())]
    Unreachable {
        /// Where.
        address: String,
        /// For how long it was tried.
        tried: Duration,
        /// What went wrong last.
        why: io::Error,
    },
    /// The connection was lost in the middle of a game.
    #[error(
        "the connection was lost before the game was over, and {address} \
         could not be reached again within {} s: {why}", .tried.as_secs_f64()
    )]
    Lost {
        /// Where the server was.
        address: String,
        /// For how long it was tried.
        tried: Duration,
        /// What went wrong last.
        why: io::Error,
    },
    /// Somebody interrupted the program in the middle of a game.
    #[error("it was interrupted before the game was over")]
    Interrupted,
    /// Whoever chooses our moves failed.
    #[error("{0}; the game has not been given up: start again to go on with it")]
    Agent(AgentError),
    /// What was to be shown could not be written.
    #[error(transparent)]
    Output(io::Error),
    /// The system lets nobody wait for anything.
    #[error("cannot begin: {0}")]
    System(io::Error),
}

/// Not as its source: it is told already.
impl From<AgentError> for Error {
    fn from(error: AgentError) -> Error {
        Error::Agent(error)
    }
}
