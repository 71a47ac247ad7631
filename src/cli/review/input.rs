//! The files with games: where they are, and what is in them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

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

/// The files with games, each once, whatever paths lead to it.
#[derive(Debug, Default)]
pub(super) struct Files {
    found: Vec<PathBuf>,
    /// The same files, without links and dots.
    known: HashSet<PathBuf>,
}

impl Files {
    /// Adds the files at a path: the path itself, or if it is a folder, all SGF files in it
    /// and the folders below, in the order of their names. `tell` is called with what has no
    /// such files or cannot be read.
    pub fn add(&mut self, path: &Path, mut tell: impl FnMut(&Path, InputError)) {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return self.add_file(path.to_owned()),
            Err(why) => return tell(path, FileError::from(why).into()),
        }
        let mut files = Vec::new();
        let mut folders = vec![path.to_owned()];
        let mut is_whole = true;
        while let Some(folder) = folders.pop() {
            if let Err(why) = list(&folder, &mut files, &mut folders) {
                is_whole = false;
                tell(&folder, FileError::from(why).into());
            }
        }
        if files.is_empty() && is_whole {
            tell(path, InputError::NoFiles);
        }
        files.sort();
        files.into_iter().for_each(|file| self.add_file(file));
    }

    fn add_file(&mut self, path: PathBuf) {
        // A pipe has no other path. A broken link is told when it is read.
        let canonical = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.known.insert(canonical) {
            self.found.push(path);
        }
    }
}

impl IntoIterator for Files {
    type Item = PathBuf;
    type IntoIter = std::vec::IntoIter<PathBuf>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

/// Adds the SGF files and the folders in a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a folder may lead back here, and is not followed.
        if entry.file_type()?.is_dir() {
            folders.push(path);
        } else if has_extension(&path, "sgf") {
            files.push(path);
        }
    }
    Ok(())
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
