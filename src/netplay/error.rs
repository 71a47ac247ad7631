//! What can go wrong with a match.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::agent::AgentError;

/// Why a match was not played to a regular end.
#[derive(Debug, Error)]
pub enum Error {
    /// Nobody listens there.
    #[error("cannot reach a referee at {host} port {port}: {why}")]
    Unreachable {
        /// The host as it was named.
        host: String,
        /// The TCP port.
        port: u16,
        /// What the system says.
        why: io::Error,
    },
    /// Whoever listens there says nothing.
    #[error("no greeting came from {host} port {port} within {} s: is it a referee?", .limit.as_secs_f64())]
    NoGreeting {
        /// The host as it was named.
        host: String,
        /// The TCP port.
        port: u16,
        /// How long was waited.
        limit: Duration,
    },
    /// 19x: the role is not granted.
    #[error("the referee refuses: {code} {text}")]
    Refused {
        /// The code.
        code: u16,
        /// The text after it.
        text: String,
    },
    /// 399: the referee has a problem of its own.
    #[error("the referee says: {0}")]
    Trouble(String),
    /// The connection is closed before the match is over.
    #[error("the referee closed the connection before the match was over")]
    Closed,
    /// The connection breaks before the match is over.
    #[error("the connection to the referee broke before the match was over: {0}")]
    Broken(io::Error),
    /// A line that cannot be, or cannot be at this point of a match.
    #[error("the referee's line {line:?} makes no sense: {why}")]
    Line {
        /// The line.
        line: String,
        /// Why.
        why: String,
    },
    /// A line that is too long or not printable.
    #[error("a line of the referee cannot be read: {0}")]
    Unreadable(String),
    /// 291 or 299 for something else than a move.
    #[error("the referee did not take {request:?}: {text}")]
    NotTaken {
        /// What was sent.
        request: String,
        /// What it says.
        text: String,
    },
    /// Whoever chooses our moves failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// What was to be shown could not be written.
    #[error(transparent)]
    Output(io::Error),
}
