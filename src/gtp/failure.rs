//! Why a request is refused, in the words of the draft where it has any.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::input::MAX_LINE;
use crate::gothello::{IllegalPosition, PlayError};
use crate::sgf;

/// The text of a failure response.
#[derive(Debug, Error)]
pub enum Failure {
    /// There is no such command.
    #[error("unknown command")]
    UnknownCommand,
    /// The arguments are not what the command takes.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The line is longer than any command is read.
    #[error("line too long: at most {MAX_LINE} bytes are read")]
    LineTooLong,
    /// A board of another size than 5.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// A move out of turn or against the rules, or a point off the board.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// A set-up of stones that is no position.
    #[error("illegal position: {0}")]
    IllegalPosition(#[from] IllegalPosition),
    /// Fewer moves were made than are to be taken back.
    #[error("cannot undo")]
    CannotUndo,
    /// A file that cannot be read, or holds no game of Gothello.
    #[error("cannot load file: {}: {reason}", .path.display())]
    CannotLoad {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: LoadError,
    },
    /// A file that cannot be written.
    #[error("cannot save file: {}: {reason}", .path.display())]
    CannotSave {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: io::Error,
    },
    /// The player plays only as he does.
    #[error("this player has no levels")]
    NoSkill,
    /// The processor time cannot be had.
    #[error("cannot measure the processor time: {0}")]
    CpuTime(io::Error),
}

/// Why a file could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a folder, a pipe or a device.
    #[error("it is no file")]
    NoFile,
    /// It is too large to be a game record.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// Its content is wrong.
    #[error(transparent)]
    Sgf(#[from] sgf::ReadError),
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Failure {
        Failure::IllegalMove(error.to_string())
    }
}
