//! Programs as child processes: a GTP engine for any game, with commands and responses, time
//! limits, and errors; and a program that is not spoken to.

mod child;
#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
#[cfg_attr(not(unix), path = "output_threads.rs")]
mod output;
mod pipes;
mod process;
mod program;
mod responses;
mod tail;

pub use pipes::{Piece, Pipes};
pub use process::{EngineError, Launch, MAX_ERRORS, Process};
pub use program::Program;
pub use responses::EngineResponse;
pub use tail::Tail;

/// An event of a child process's output.
#[derive(Debug, PartialEq, Eq)]
enum OutputEvent<'a> {
    /// Bytes of its standard output.
    Output(&'a [u8]),
    /// Bytes of its standard error.
    Errors(&'a [u8]),
    /// Nothing before the timeout.
    Nothing,
    /// The end of its standard output; after that, the end of both.
    End,
}
