//! Records of games: SGF files, and what engines write on standard error.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::color::{ByColor, Color};
use crate::base::journal::write_whole;
use crate::cli::{bail_usage, wrong_usage};
use crate::gtp::process::retry;
use crate::matches::{GameRecord, MatchGame, PlayedGame, replayed_text};

/// The destination of records.
#[derive(Debug, Args)]
pub struct RecordsArguments {
    /// Records of the games: a folder with a file for each, or a file that ends in .sgf for all of
    /// them (Awari: .txt)
    #[arg(long, value_name = "PATH")]
    sgf: Option<PathBuf>,
    /// Folder for what each engine writes on standard error in each game
    #[arg(long, value_name = "FOLDER")]
    logs: Option<PathBuf>,
    /// Put what an engine writes on standard error while it chooses a move into the comment on the
    /// move, in the results file and in --sgf
    #[arg(long)]
    pub comments: bool,
}

impl RecordsArguments {
    /// Checks that the files of records, if they exist, are the beginnings of what they are to be,
    /// and not somebody else's. `is_ours` tells which games, by their numbers, are played here.
    ///
    /// # Errors
    /// They cannot be read. Wrong usage if there is something else in them.
    fn check<G: MatchGame>(
        &self,
        start: &G,
        played: &[GameRecord],
        is_ours: &dyn Fn(u32) -> bool,
    ) -> Result<()> {
        match &self.sgf {
            None => Ok(()),
            Some(path) if is_collection::<G>(path) => check_collection(path, start, played),
            Some(folder) => check_folder(folder, start, played, is_ours),
        }
    }

    /// Checks that a new event overwrites neither records nor logs. `is_ours` is as for
    /// [`Records::open`].
    ///
    /// # Errors
    /// They cannot be read. Wrong usage if there are some.
    pub fn check_new<G: MatchGame>(&self, start: &G, is_ours: &dyn Fn(u32) -> bool) -> Result<()> {
        self.check(start, &[], is_ours)?;
        self.check_logs::<G>(is_ours)
    }

    /// Checks that a new event overwrites no log. An event that goes on may: a game that was not
    /// recorded before the program was killed has a log, too.
    ///
    /// # Errors
    /// The folder cannot be read. Wrong usage if it has the log of a game that is played here.
    fn check_logs<G: MatchGame>(&self, is_ours: &dyn Fn(u32) -> bool) -> Result<()> {
        let Some(folder) = &self.logs else {
            return Ok(());
        };
        for path in files(folder).with_context(|| format!("--logs {}", folder.display()))? {
            if log_number::<G>(&path).is_some_and(is_ours) {
                return Err(not_of_this_event("--logs", folder, &path));
            }
        }
        Ok(())
    }
}

/// Returns whether a path is that of one file for all records, and not of a folder with a file for each.
fn is_collection<G: MatchGame>(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|found| found == G::RECORD_EXTENSION)
}

/// Checks the file of all records.
fn check_collection<G: MatchGame>(path: &Path, start: &G, played: &[GameRecord]) -> Result<()> {
    let found = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found.with_context(|| format!("--sgf {}", path.display()))?,
    };
    let mut rest = found.as_slice();
    for record in played {
        let text = replayed_text(start, record);
        let common = rest.len().min(text.len());
        match rest.strip_prefix(text.as_bytes().get(..common).unwrap_or_default()) {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    if rest.is_empty() {
        return Ok(());
    }
    bail_usage!(
        "--sgf {}: there is something in this file that is not of this event: give another name, \
         or delete the file",
        path.display()
    )
}

/// Checks a folder with a file for each record.
fn check_folder<G: MatchGame>(
    folder: &Path,
    start: &G,
    played: &[GameRecord],
    is_ours: &dyn Fn(u32) -> bool,
) -> Result<()> {
    let files = files(folder).with_context(|| format!("--sgf {}", folder.display()))?;
    let records = played.iter().map(|record| (record.planned.number, record));
    let records: BTreeMap<u32, &GameRecord> = records.collect();
    for path in files {
        let number = game_number(&path, G::RECORD_EXTENSION);
        let Some(number) = number.filter(|&number| is_ours(number)) else {
            continue;
        };
        let text = records.get(&number);
        let text = text.map(|record| replayed_text(start, record));
        let found = fs::read(&path).with_context(|| format!("--sgf {}", path.display()))?;
        // It may be torn.
        if !text.is_some_and(|text| text.as_bytes().starts_with(&found)) {
            return Err(not_of_this_event("--sgf", folder, &path));
        }
    }
    Ok(())
}

/// Returns the paths of the files in a folder; none if there is no such folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        files => files?.map(|file| Ok(file?.path())).collect(),
    }
}

/// Returns the error that an option names a folder with a file of another event.
fn not_of_this_event(option: &str, folder: &Path, path: &Path) -> anyhow::Error {
    wrong_usage(format!(
        "{option} {}: {} in this folder is not of this event: give another folder, or delete the \
         file",
        folder.display(),
        path.file_name().unwrap_or_default().display()
    ))
}

/// Returns the file of a game in a folder.
fn game_file(folder: &Path, extension: &str, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.{extension}"))
}

/// Returns the number of the game whose record is in a file; `None` if it is another file.
fn game_number(path: &Path, extension: &str) -> Option<u32> {
    let number = path.file_stem()?.to_str()?.parse().ok()?;
    let expected = game_file(path.parent()?, extension, number);
    (path == expected).then_some(number)
}

/// Returns the file of what the player of a side writes in a game.
fn log_file(folder: &Path, number: u32, side: &str) -> PathBuf {
    folder.join(format!("{number:06}-{}.log", side.to_lowercase()))
}

/// Returns the number of the game whose log is in a file; `None` if it is another file.
fn log_number<G: MatchGame>(path: &Path) -> Option<u32> {
    let number = path
        .file_stem()?
        .to_str()?
        .split('-')
        .next()?
        .parse()
        .ok()?;
    let folder = path.parent()?;
    let sides = G::PLAYERS;
    let mut expected = sides.iter().map(|side| log_file(folder, number, side));
    expected.any(|expected| path == expected).then_some(number)
}

/// The files of records.
pub struct Records {
    /// The file of all games, or the folder with a file for each.
    sgf: Option<PathBuf>,
    is_collection: bool,
    extension: &'static str,
    /// Turns a game into the text of its record.
    to_text: Box<dyn Fn(&GameRecord) -> String>,
    /// The names of the sides.
    sides: ByColor<&'static str>,
    logs: Option<PathBuf>,
}

impl Records {
    /// Opens the files, and writes the records of games that were played before: the program may
    /// have been killed before it wrote all of them.
    ///
    /// # Errors
    /// They cannot be written. Wrong usage, as [`RecordsArguments::check`] has it.
    pub fn open<G: MatchGame>(
        arguments: &RecordsArguments,
        start: &G,
        played: &[GameRecord],
        is_ours: &dyn Fn(u32) -> bool,
    ) -> Result<Records> {
        arguments.check(start, played, is_ours)?;
        if let Some(folder) = &arguments.logs
            && !folder.exists()
        {
            // Only the first log creates it for good.
            let created = fs::create_dir_all(folder).and_then(|()| fs::remove_dir(folder));
            created.with_context(|| format!("--logs {}", folder.display()))?;
        }
        let (sgf, logs) = (arguments.sgf.clone(), arguments.logs.clone());
        if let Some(path) = &sgf {
            let context = || format!("--sgf {}", path.display());
            restore(path, start, played).with_context(context)?;
        }
        let start = start.clone();
        let to_text = Box::new(move |game: &GameRecord| replayed_text(&start, game));
        Ok(Records {
            is_collection: sgf.as_deref().is_some_and(is_collection::<G>),
            sgf,
            extension: G::RECORD_EXTENSION,
            to_text,
            sides: G::PLAYERS,
            logs,
        })
    }

    /// Writes what the players of a game wrote on standard error.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn log(&self, game: &PlayedGame) -> Result<()> {
        let Some(folder) = &self.logs else {
            return Ok(());
        };
        for color in Color::ALL {
            let text = &game.errors[color];
            if text.is_empty() {
                continue;
            }
            let path = log_file(folder, game.record.planned.number, self.sides[color]);
            let write = || fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
            retry(write).with_context(|| format!("--logs: {}", path.display()))?;
        }
        Ok(())
    }

    /// Writes the record of a game.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, game: &GameRecord) -> Result<()> {
        let Some(path) = &self.sgf else {
            return Ok(());
        };
        let text = (self.to_text)(game);
        let written = match self.is_collection {
            true => {
                let open = || OpenOptions::new().append(true).create(true).open(path);
                // A part of a record is not written again: the event that goes on mends it.
                retry(open).and_then(|mut file| file.write_all(text.as_bytes()))
            }
            false => {
                let path = game_file(path, self.extension, game.planned.number);
                retry(|| fs::write(&path, &text))
            }
        };
        written.with_context(|| format!("--sgf {}", path.display()))
    }
}

/// Writes the records of games that were played before.
fn restore<G: MatchGame>(path: &Path, start: &G, played: &[GameRecord]) -> io::Result<()> {
    if is_collection::<G>(path) {
        let texts = played.iter().map(|record| replayed_text(start, record));
        return write_whole(path, texts.collect::<String>().as_bytes());
    }
    fs::create_dir_all(path)?;
    for record in played {
        let path = game_file(path, G::RECORD_EXTENSION, record.planned.number);
        let text = replayed_text(start, record);
        if !fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            write_whole(&path, text.as_bytes())?;
        }
    }
    Ok(())
}
