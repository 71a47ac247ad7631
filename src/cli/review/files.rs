//! The files with games: finding them, and reading a game.

use std::collections::HashSet;
use std::fmt::{self, Display};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Result, anyhow, bail};

use crate::base::color::ByColor;
use crate::base::names::breaks_line;
use crate::cli::files::{FileError, is_stdin, read_file, read_file_or_stdin};
use crate::contests::results::{BadLine, RECORDS, RESULTS, latest, read_lines};
use crate::games::awari;
use crate::games::game::Game as _;
use crate::games::gothello::Game;
use crate::games::sgf::{self, GameText, GameTree, LeftOut, Place, games};

/// The largest file in bytes; a line of results has some 500.
const MAX_SIZE: u64 = sgf::MAX_FILE_BYTES as u64;

/// A game from a file.
#[derive(Debug)]
pub struct LoadedGame {
    pub tree: GameTree,
    pub game: Game,
    /// What is left out of the file.
    pub left_out: Vec<LeftOut>,
    pub players: ByColor<Option<String>>,
    /// The result that the file names.
    pub result: Option<String>,
}

/// The files with games. A file to which several paths lead is in it once.
#[derive(Debug, Default)]
pub struct Files {
    pub found: Vec<PathBuf>,
    /// The identities of the files found so far.
    known: HashSet<Identity>,
    /// The number of the tournament whose matches count, which results tell; all games
    /// count if `None`.
    tournament: Option<u32>,
}

impl Files {
    /// Returns no files; of the results of a referee, the matches of this tournament will count, or all.
    pub fn of_tournament(tournament: Option<u32>) -> Files {
        Files {
            tournament,
            ..Files::default()
        }
    }

    /// Adds the files at a path: the path itself; if it is a folder, all SGF files in it and
    /// the folders below, in the order of their names; if it is the results of a referee, the
    /// records of its matches; for `-`, standard input. `tell` is called with each place that has no such files or
    /// cannot be read.
    pub fn add(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error)) {
        let no_results =
            || anyhow!("has no {RESULTS} of a referee, which --tournament needs: name its folder");
        match self.tournament {
            Some(_) if is_stdin(path) => return tell(&path.display(), no_results()),
            None if is_stdin(path) => return self.add_file(path.to_owned()),
            _ => {}
        }
        let results = match path.is_dir() && self.tournament.is_some() {
            true => path.join(RESULTS),
            false => path.to_owned(),
        };
        match fs::metadata(path) {
            Err(why) => tell(&path.display(), unreadable(why)),
            Ok(_) if has_extension(&results, "jsonl") && results.exists() => {
                if let Err(why) = self.add_results(&results, &mut tell) {
                    tell(&results.display(), why);
                }
            }
            Ok(_) if self.tournament.is_some() => tell(&path.display(), no_results()),
            Ok(found) if found.is_dir() => self.add_folder(path, tell),
            Ok(_) => self.add_file(path.to_owned()),
        }
    }

    fn add_folder(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error)) {
        let mut files = Vec::new();
        let mut folders = vec![path.to_owned()];
        let mut is_whole = true;
        while let Some(folder) = folders.pop() {
            if let Err(why) = list(&folder, &mut files, &mut folders) {
                is_whole = false;
                tell(&folder.display(), unreadable(why));
            }
        }
        if files.is_empty() && is_whole {
            tell(
                &path.display(),
                anyhow!("has no file whose name ends with .sgf"),
            );
        }
        files.sort();
        files.into_iter().for_each(|file| self.add_file(file));
    }

    fn add_results(
        &mut self,
        path: &Path,
        mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error),
    ) -> Result<()> {
        let bytes = read_file(path, MAX_SIZE).map_err(unreadable)?;
        let mut lines = Vec::new();
        let mut is_empty = true;
        for read in read_lines(bytes.as_slice()) {
            match read? {
                Ok(line) => lines.push(line),
                Err(BadLine { line, why }) => {
                    is_empty = false;
                    tell(&format_args!("{}, line {line}", path.display()), why.into());
                }
            }
        }
        for result in latest(lines) {
            let is_wanted = |wanted| result.counts_in(wanted);
            let record = path.with_file_name(RECORDS).join(&result.record);
            let why = if result.game != Game::NAME {
                anyhow!("is a game of {}, not of {}", result.game, Game::NAME)
            } else if !self.tournament.is_none_or(is_wanted) {
                // A match without a result was played again.
                continue;
            } else {
                match fs::metadata(&record) {
                    Ok(_) => {
                        is_empty = false;
                        self.add_file(record);
                        continue;
                    }
                    Err(why) => anyhow!("the record {} cannot be read: {why}", result.record),
                }
            };
            is_empty = false;
            tell(
                &format_args!("{}, line {}", path.display(), result.number),
                why,
            );
        }
        match self.tournament {
            Some(tournament) if is_empty => bail!("has no match of tournament {tournament}"),
            None if is_empty => bail!("has no matches"),
            _ => Ok(()),
        }
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

/// Identifies a file, whatever paths and links lead to it: the file system and the number there.
#[cfg(unix)]
type Identity = (u64, u64);

/// Identifies a file: the path without links and dots.
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
pub struct Source {
    pub path: PathBuf,
    /// Its number, if the file has several games.
    number: Option<usize>,
    /// Its text, if the file has several games, or is a pipe, which can be read only once.
    text: Option<String>,
    /// Where it begins in the file.
    begins: Place,
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
pub fn sources(path: PathBuf) -> Result<Vec<Source>> {
    let text = read_text(&path)?;
    if games(&text).nth(1).is_none() {
        let text = (!path.is_file()).then_some(text);
        return Ok(vec![Source {
            path,
            number: None,
            text,
            begins: Place::START,
        }]);
    }
    let source = |(number, game): (usize, GameText<'_>)| Source {
        path: path.clone(),
        number: Some(number),
        text: Some(game.text.to_owned()),
        begins: game.begins,
    };
    Ok((1..).zip(games(&text)).map(source).collect())
}

fn read_text(path: &Path) -> Result<String> {
    let bytes = read_file_or_stdin(path, MAX_SIZE).map_err(unreadable)?;
    Ok(sgf::decode(&bytes))
}

/// Returns the error about a file or folder that cannot be read.
fn unreadable(why: impl Display) -> anyhow::Error {
    anyhow!("cannot be read: {why}")
}

/// Reads a game.
pub fn read(source: &Source) -> Result<LoadedGame> {
    let text = match &source.text {
        Some(text) => text.clone(),
        None => read_text(&source.path)?,
    };
    if text.len() > sgf::MAX_BYTES {
        return Err(unreadable(FileError::TooLarge(sgf::MAX_BYTES as u64)));
    }
    if awari::is_record(&text) {
        bail!("is a game of Awari, which has no exact values to review; gothello play shows it");
    }
    let (tree, left_out) =
        GameTree::read_main_line(&text).map_err(|why| why.in_file(source.begins))?;
    let left_out = left_out
        .into_iter()
        .map(|left_out| left_out.in_file(source.begins));
    let header = |name| tree.record().header(name).map(|value| printable(&value));
    let (players, result) = (ByColor::new(header("PB"), header("PW")), header("RE"));
    Ok(LoadedGame {
        game: tree.game(usize::MAX),
        left_out: left_out.collect(),
        players,
        result,
        tree,
    })
}

/// Returns a text without characters that would break its line.
fn printable(text: &str) -> String {
    let shown = |letter| if breaks_line(letter) { ' ' } else { letter };
    text.chars().map(shown).collect()
}
