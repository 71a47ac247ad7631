//! The file that a game is opened from.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::awari;
use crate::cli::files::{FileError, is_stdin, read_file_or_stdin};
use crate::sgf;

/// The largest file in bytes: a collection of many games.
const MAX_SIZE: u64 = 64 << 20;

/// A file with a game, and its text.
pub(super) struct GameFile {
    pub path: PathBuf,
    /// The first game, if there are several.
    pub text: String,
    /// The number of games in the file.
    pub games: usize,
}

impl GameFile {
    /// Reads a file, or for the path `-` standard input, whose first game has at most `most` bytes.
    ///
    /// # Errors
    /// It cannot be read or is longer.
    pub fn read(path: &Path, most: usize) -> Result<GameFile> {
        let name = name(path);
        let text = match read_file_or_stdin(path, MAX_SIZE) {
            Ok(bytes) => sgf::decode(&bytes),
            Err(FileError::Io(error)) => {
                return Err(error).with_context(|| format!("{name} cannot be read"));
            }
            Err(FileError::TooLarge(most)) => bail!("{name} has more than {most} bytes"),
        };
        let all = sgf::games(&text);
        let games = all.len();
        let text = match all[..] {
            [first, _, ..] => first.to_owned(),
            _ => text,
        };
        if text.len() > most {
            bail!("{name} is longer than {most} bytes, the most of a game");
        }
        let path = path.to_owned();
        Ok(GameFile { path, text, games })
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
        read.with_context(|| format!("{} is no game", self.name()))
    }

    /// Returns what messages call it.
    pub fn name(&self) -> impl Display {
        name(&self.path)
    }
}

fn name(path: &Path) -> String {
    match is_stdin(path) {
        true => "standard input".into(),
        false => path.display().to_string(),
    }
}
