//! Why a request is refused, in the words of the draft where it has any.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::gothello::LoadError;
use super::input::MAX_LINE;

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
    /// A board of another size than the game's.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// A move out of turn or against the rules, or a point off the board.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// A set-up of stones that is no position.
    #[error("illegal position: {0}")]
    IllegalPosition(String),
    /// A game that is over has no position.
    #[error("the game is over and has no position")]
    NoPosition,
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

impl Failure {
    /// The same failure of a move in a sequence: says which one it was.
    pub(super) fn in_sequence(self, number: usize, mv: impl fmt::Display) -> Failure {
        match self {
            Failure::IllegalMove(why) => {
                Failure::IllegalMove(format!("move {number} ({mv}): {why}"))
            }
            other => other,
        }
    }
}
