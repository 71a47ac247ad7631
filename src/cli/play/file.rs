//! The file that a game is opened from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::awari;
use crate::cli::files::{FileError, read_file};
use crate::sgf;

/// A file with a game, and its text.
pub(super) struct GameFile {
    pub path: PathBuf,
    pub text: String,
}

impl GameFile {
    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// It cannot be read or is longer.
    pub fn read(path: &Path, most: u64) -> Result<GameFile> {
        let name = path.display();
        match read_file(path, most) {
            Ok(bytes) => Ok(GameFile {
                path: path.to_owned(),
                text: sgf::decode(&bytes),
            }),
            Err(FileError::Io(error)) => {
                Err(error).with_context(|| format!("{name} cannot be read"))
            }
            Err(FileError::TooLarge(most)) => {
                bail!("{name} is longer than {most} bytes, the most of a game")
            }
        }
    }

    /// Returns whether it has a game of Awari.
    pub fn is_awari(&self) -> bool {
        awari::is_record(&self.text)
    }

    /// Says that what was read is no game.
    pub fn explained<T, E>(&self, read: Result<T, E>) -> Result<T>
    where
        Result<T, E>: Context<T, E>,
    {
        read.with_context(|| format!("{} is no game", self.path.display()))
    }
}
