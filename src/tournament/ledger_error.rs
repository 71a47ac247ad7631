//! Why a results file cannot be read or written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::line::VERSION;
use super::refusal::{NoPairing, Refusal};
use super::settings::SetupError;

/// Why a results file cannot be read or written.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process writes this results file", .0.display())]
    Locked(PathBuf),
    /// A tournament has begun in this file.
    #[error("{}: a tournament has begun in this file; go on with it, or name another file", .0.display())]
    Begun(PathBuf),
    /// No tournament has begun in this file, or there is no such file.
    #[error("{}: no tournament has begun in this file", .0.display())]
    NotBegun(PathBuf),
    /// A line is damaged, or does not fit those before it.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        why: LineError,
    },
    /// There can be no such tournament.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An event does not fit what has happened before.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A round cannot be paired.
    #[error(transparent)]
    NoPairing(#[from] NoPairing),
}

/// What is wrong with a line of a results file.
#[derive(Debug, Error)]
pub enum LineError {
    /// It is not what is written there.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A later program wrote it.
    #[error("it has version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// There can be no such tournament.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It does not fit the lines before it.
    #[error(transparent)]
    Refused(#[from] Refusal),
}
