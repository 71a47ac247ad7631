//! The files with games: where they are, and what is in them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::color::ByColor;
use crate::gothello::Game;
use crate::names::breaks_line;
use crate::sgf::{self, MainLine, ReadError};

/// The largest file in bytes; a game has a few thousand.
const MAX_SIZE: u64 = 4 << 20;

/// Why a file or folder has no game to review.
#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("has more than {MAX_SIZE} bytes: one game has a few thousand")]
    TooLarge,
    #[error("has no file whose name ends with .sgf")]
    NoFiles,
    #[error("is a table; give the SGF files beside it, or their folder")]
    Table,
    #[error(transparent)]
    Record(#[from] ReadError),
}

/// A game from a file.
#[derive(Debug)]
pub(super) struct Record {
    pub text: String,
    pub game: Game,
    pub players: ByColor<Option<String>>,
    /// The result that the file names.
    pub result: Option<String>,
}

/// Returns the files at a path: the path itself, or if it is a folder, all SGF files in it
/// and the folders below, in the order of their names.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, InputError> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link to a folder may lead back here, and is not followed.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if has_extension(&path, "sgf") {
                found.push(path);
            }
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(InputError::NoFiles),
        false => Ok(found),
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Reads the first game of a file.
pub(super) fn read(path: &Path) -> Result<Record, InputError> {
    if has_extension(path, "tsv") {
        return Err(InputError::Table);
    }
    let mut bytes = Vec::new();
    let read = File::open(path)?
        .take(MAX_SIZE + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > MAX_SIZE {
        return Err(InputError::TooLarge);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let game = sgf::read(&text, usize::MAX)?;
    let line = MainLine::of(&text);
    let header = |name| line.header(name).map(|value| printable(&value));
    let (players, result) = (ByColor::new(header("PB"), header("PW")), header("RE"));
    Ok(Record {
        text,
        game,
        players,
        result,
    })
}

/// Returns a text without characters that would break its line.
fn printable(text: &str) -> String {
    let shown = |letter| if breaks_line(letter) { ' ' } else { letter };
    text.chars().map(shown).collect()
}
