//! Why a tablebase cannot be built or used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::counted::counted;

/// Why a tablebase cannot be built or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TablebaseError {
    /// A file or folder cannot be read.
    #[error("{path} cannot be read: {error}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file or folder cannot be written or deleted.
    #[error("{path} cannot be written: {error}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// A file is damaged.
    #[error("{path} is damaged: {what}; delete it and run gothello tablebase build again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        what: String,
    },
    /// A file of a complete layer is not there.
    #[error("{0} is missing; run gothello tablebase build again")]
    Lost(PathBuf),
    /// The blocks of a layer are not there.
    #[error("the positions with {} are not there: build them, and keep them", counted(*.0, "stone"))]
    Missing(u8),
    /// No layer is there whose positions could be looked up.
    #[error("{} has no positions of a tablebase: build them with gothello tablebase build", .0.display())]
    NothingKept(PathBuf),
    /// No position of the board has so many stones.
    #[error("no position of this board has {}", counted(*.0, "stone"))]
    NoLayer(u8),
    /// A layer has no block with this number.
    #[error("the positions with {} have no block {number}", counted(*stones, "stone"))]
    NoBlock {
        /// The number of stones.
        stones: u8,
        /// The number of the block.
        number: usize,
    },
    /// The tablebase is of a smaller board than a position.
    #[error("the tablebase is of another board")]
    OtherBoard,
    /// No layer is there together with the next one.
    #[error(
        "a survey needs the positions with n stones and those with n + 1, and no two such \
             layers are there: build them, and keep them"
    )]
    NoNeighbors,
    /// A compressed tablebase would have positions with too many stones.
    #[error("positions with up to {most} stones can be packed, not {stones}")]
    TooManyStones {
        /// The number of stones.
        stones: u8,
        /// The largest number of stones.
        most: u8,
    },
}

impl TablebaseError {
    pub(super) fn read(path: &Path, error: io::Error) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Read { path, error }
    }

    pub(super) fn write(path: &Path, error: io::Error) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Write { path, error }
    }

    pub(super) fn damaged(path: &Path, what: String) -> TablebaseError {
        let path = path.to_owned();
        TablebaseError::Damaged { path, what }
    }
}
