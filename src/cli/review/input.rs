//! The files with games: where they are, and what is in them.

use std::collections::HashSet;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use thiserror::Error;

use crate::awari;
use crate::cli::files::{FileError, is_stdin, read_file, read_file_or_stdin};
use crate::color::ByColor;
use crate::gothello::Game;
use crate::names::breaks_line;
use crate::netref::{Gothello, records_of_table};
use crate::sgf::{self, MainLine, ReadError, games};

/// The largest file in bytes, with thousands of games; a row of a table of results has some 200.
const MAX_SIZE: u64 = 64 << 20;

/// The largest game in bytes; most have a few thousand.
const MAX_GAME: usize = 4 << 20;

/// Why a file or folder has no game to review.
#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error("cannot be read: {0}")]
    File(#[from] FileError),
    #[error("has no file whose name ends with .sgf")]
    NoFiles,
    #[error("is not a table of matches of Gothello, as gothello netref writes it")]
    Table,
    #[error("has no matches")]
    NoMatches,
    #[error("does not begin with the name of a match, as in 20261120-093000-123456-0")]
    Row,
    #[error("the record {name} cannot be read: {why}")]
    MatchRecord { name: String, why: io::Error },
    #[error("is a game of Awari, which has no exact values to review; gothello play shows it")]
    Awari,
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
    /// The identities of the files found so far.
    known: HashSet<Identity>,
}

impl Files {
    /// Adds the files at a path: the path itself; if it is a folder, all SGF files in it and
    /// the folders below, in the order of their names; if it is a table of netref's results,
    /// the records of its matches; for `-`, standard input. `tell` is called with each place that has no such files or
    /// cannot be read.
    pub fn add(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, InputError)) {
        if is_stdin(path) {
            return self.add_file(path.to_owned());
        }
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.add_folder(path, tell),
            Ok(_) if has_extension(path, "tsv") => {
                if let Err(why) = self.add_table(path, &mut tell) {
                    tell(&path.display(), why);
                }
            }
            Ok(_) => self.add_file(path.to_owned()),
            Err(why) => tell(&path.display(), FileError::from(why).into()),
        }
    }

    fn add_folder(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, InputError)) {
        let mut files = Vec::new();
        let mut folders = vec![path.to_owned()];
        let mut is_whole = true;
        while let Some(folder) = folders.pop() {
            if let Err(why) = list(&folder, &mut files, &mut folders) {
                is_whole = false;
                tell(&folder.display(), FileError::from(why).into());
            }
        }
        if files.is_empty() && is_whole {
            tell(&path.display(), InputError::NoFiles);
        }
        files.sort();
        files.into_iter().for_each(|file| self.add_file(file));
    }

    fn add_table(
        &mut self,
        path: &Path,
        mut tell: impl FnMut(&dyn fmt::Display, InputError),
    ) -> Result<(), InputError> {
        let bytes = read_file(path, MAX_SIZE)?;
        // Names of matches and columns are ASCII.
        let table = String::from_utf8_lossy(&bytes);
        let rows = records_of_table::<Gothello>(&table).ok_or(InputError::Table)?;
        if rows.is_empty() {
            return Err(InputError::NoMatches);
        }
        for (line, name) in rows {
            let added = match name {
                Some(name) => self.add_match(path.with_file_name(&name), name),
                None => Err(InputError::Row),
            };
            if let Err(why) = added {
                tell(&format_args!("{}, line {line}", path.display()), why);
            }
        }
        Ok(())
    }

    fn add_match(&mut self, record: PathBuf, name: String) -> Result<(), InputError> {
        fs::metadata(&record).map_err(|why| InputError::MatchRecord { name, why })?;
        self.add_file(record);
        Ok(())
    }

    fn add_file(&mut self, path: PathBuf) {
        let is_new = match is_stdin(&path) {
            true => !self.found.contains(&path),
            // A link that leads nowhere is reported when it is read.
            false => identity(&path).is_none_or(|identity| self.known.insert(identity)),
        };
        if is_new {
            self.found.push(path);
        }
    }
}

/// What tells files apart, whatever paths and links lead to them: the file system and the number
/// there.
#[cfg(unix)]
type Identity = (u64, u64);

/// What tells files apart: the path without links and dots.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
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

/// Returns the places of the games in a file.
///
/// # Errors
/// It cannot be read.
pub(super) fn sources(path: PathBuf) -> Result<Vec<Source>, InputError> {
    let text = read_text(&path)?;
    let several = match games(&text)[..] {
        [_] => Vec::new(),
        ref several => several.to_vec(),
    };
    if several.is_empty() {
        let text = (!path.is_file()).then_some(text);
        return Ok(vec![Source {
            path,
            number: None,
            text,
        }]);
    }
    let source = |(number, text): (usize, &str)| Source {
        path: path.clone(),
        number: Some(number),
        text: Some(text.to_owned()),
    };
    Ok((1..).zip(several).map(source).collect())
}

fn read_text(path: &Path) -> Result<String, InputError> {
    Ok(sgf::decode(&read_file_or_stdin(path, MAX_SIZE)?))
}

/// Reads a game.
pub(super) fn read(source: &Source) -> Result<Record, InputError> {
    let text = match &source.text {
        Some(text) => text.clone(),
        None => read_text(&source.path)?,
    };
    if text.len() > MAX_GAME {
        return Err(FileError::TooLarge(MAX_GAME as u64).into());
    }
    if awari::is_record(&text) {
        return Err(InputError::Awari);
    }
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
