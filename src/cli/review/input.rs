//! The files with games: where they are, and what is in them.

use std::path::{Path, PathBuf};
use std::{fmt, fs};

use thiserror::Error;

use crate::cli::files::{FileError, read_file};
use crate::color::ByColor;
use crate::gothello::Game;
use crate::names::breaks_line;
use crate::sgf::{self, MainLine, ReadError, games};

/// The largest file in bytes; a game has a few thousand, and a collection a few hundred games.
const MAX_SIZE: u64 = 4 << 20;

/// Why a file or folder has no game to review.
#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error("cannot be read: {0}")]
    File(#[from] FileError),
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
    if !fs::metadata(path).map_err(FileError::from)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).map_err(FileError::from)? {
            let entry = entry.map_err(FileError::from)?;
            let path = entry.path();
            // A link to a folder may lead back here, and is not followed.
            if entry.file_type().map_err(FileError::from)?.is_dir() {
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

/// Where a game is.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    /// Its number, if the file has several games.
    number: Option<usize>,
    /// Its text, if the file has several games, or is a pipe, which can be read only once.
    text: Option<String>,
}

/// The file, and the number of the game if the file has several: `games.sgf:2`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)?;
        match self.number {
            Some(number) => write!(f, ":{number}"),
            None => Ok(()),
        }
    }
}

/// Returns the places of the games in a file. What is wrong with the file is told when the
/// game is read.
pub(super) fn sources(path: PathBuf) -> Vec<Source> {
    let text = read_text(&path).unwrap_or_default();
    let several = match games(&text)[..] {
        [_] => Vec::new(),
        ref several => several.to_vec(),
    };
    if several.is_empty() {
        let text = (!path.is_file() && !text.is_empty()).then_some(text);
        return vec![Source {
            path,
            number: None,
            text,
        }];
    }
    let source = |(number, text): (usize, &str)| Source {
        path: path.clone(),
        number: Some(number),
        text: Some(text.to_owned()),
    };
    (1..).zip(several).map(source).collect()
}

fn read_text(path: &Path) -> Result<String, InputError> {
    if has_extension(path, "tsv") {
        return Err(InputError::Table);
    }
    let bytes = read_file(path, MAX_SIZE)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a game.
pub(super) fn read(source: &Source) -> Result<Record, InputError> {
    let text = match &source.text {
        Some(text) => text.clone(),
        None => read_text(&source.path)?,
    };
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
