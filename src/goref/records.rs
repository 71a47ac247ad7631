//! What is kept of games that are over and of tournaments.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use serde::Deserialize;

use super::game::{FinishedGame, GameId};
use crate::journal::{LineFile, make_writable, write_whole};
use crate::tournament::{Event, Name, ResultsFile, ResultsFileError, Settings, Tournament};

/// The table of games: a line of JSON for each.
const TABLE: &str = "games.jsonl";

/// The records of games: two files each, and a table of all.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    table: LineFile,
    /// The games in the table.
    known: HashSet<u64>,
}

/// The parts of a line of the table that are read.
#[derive(Deserialize)]
struct Known {
    game: u64,
}

impl Records {
    /// Opens the records in a folder, and makes them if need be. The beginning of
    /// a line that a crash left is cut off.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub fn open(folder: &Path) -> io::Result<Records> {
        let games = folder.join("games");
        make_writable(&games)?;
        let path = folder.join(TABLE);
        let table = LineFile::open_or_create(&path, Duration::ZERO)?
            .keep_whole_lines()?
            .file;
        let mut known = HashSet::new();
        for (number, line) in (1..).zip(table.reader()?.split(b'\n')) {
            let row: Known = serde_json::from_slice(&line?).map_err(|error| {
                io::Error::other(format!("{}, line {number}: {error}", path.display()))
            })?;
            known.insert(row.game);
        }
        Ok(Records {
            folder: games,
            table,
            known,
        })
    }

    /// Returns a number above those of all recorded games.
    pub fn next(&self) -> GameId {
        GameId(
            self.known
                .iter()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
        )
    }

    /// Records a game, and waits until the record is on the disk. A game is recorded only
    /// once.
    ///
    /// # Errors
    /// It could not be written.
    pub fn add(&mut self, finished: &FinishedGame) -> io::Result<()> {
        let name = finished.file_name();
        let record = format!("{name}.sgf");
        write_whole(&self.folder.join(&record), finished.sgf().as_bytes())?;
        let archive = finished.archive()?;
        write_whole(
            &self.folder.join(format!("{name}.json")),
            archive.as_bytes(),
        )?;
        if self.known.contains(&finished.game.0) {
            return Ok(());
        }
        let mut line = serde_json::to_string(&finished.row(&record))?;
        line.push('\n');
        self.table.append(&line)?;
        self.known.insert(finished.game.0);
        Ok(())
    }
}

/// The results files of tournaments. The last one is that of the current tournament.
#[derive(Debug)]
pub struct ResultsFiles {
    folder: PathBuf,
    /// The number of the last file.
    last: u32,
    current: Option<ResultsFile>,
}

impl ResultsFiles {
    /// Opens the last file of a folder in which a tournament has begun, if there is one. A
    /// crash may have come before the first line of a later file.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn open(folder: &Path) -> Result<ResultsFiles, ResultsFileError> {
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        let numbers = names.filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?.strip_prefix("tournament-")?;
            name.strip_suffix(".jsonl")?.parse().ok()
        });
        let mut files = ResultsFiles {
            folder: folder.to_owned(),
            last: 0,
            current: None,
        };
        for last in numbers.sorted_unstable().rev() {
            match ResultsFile::open(&file(folder, last)) {
                Err(ResultsFileError::NotBegun(_)) => {}
                opened => {
                    files.last = last;
                    files.current = Some(opened?.file);
                    break;
                }
            }
        }
        Ok(files)
    }

    /// Returns the tournament that is running or was the last.
    pub fn tournament(&self) -> Option<&Tournament> {
        self.current.as_ref().map(ResultsFile::tournament)
    }

    /// Begins another tournament.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(&mut self, settings: &Settings, entrants: &[Name]) -> io::Result<()> {
        // From now on nothing belongs to the tournament before.
        self.current = None;
        self.last += 1;
        let path = file(&self.folder, self.last);
        let begun = ResultsFile::create(&path, settings.clone(), entrants, SystemTime::now());
        self.current = Some(begun.map_err(io::Error::other)?);
        Ok(())
    }

    /// Writes an event.
    ///
    /// # Errors
    /// It cannot be written, or does not fit the tournament.
    pub fn add(&mut self, event: &Event) -> io::Result<()> {
        let current = self
            .current
            .as_mut()
            .ok_or_else(|| io::Error::other("there is no results file"))?;
        current
            .record(event, SystemTime::now())
            .map_err(io::Error::other)?;
        Ok(())
    }

    /// Writes the result of a game, if it has one. Returns why it does not count, if it does
    /// not. That will not change: the game is recorded all the same.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add_result(&mut self, result: Option<&Event>) -> io::Result<Option<String>> {
        let Some(result) = result else {
            return Ok(None);
        };
        let Some(current) = &mut self.current else {
            return Ok(Some("there is no results file".into()));
        };
        match current.record(result, SystemTime::now()) {
            Ok(_) => Ok(None),
            Err(ResultsFileError::Refused(why)) => Ok(Some(why.to_string())),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

fn file(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("tournament-{number:04}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Games, PairingSystem};

    #[test]
    fn a_tournament_that_a_crash_kept_from_beginning_stops_nobody() {
        let settings = Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        };
        let names = ["a", "b"].map(|name| name.parse().unwrap());
        for torn in ["", "{\"v\":1,\"ti"] {
            let folder = tempfile::tempdir().unwrap();
            let mut files = ResultsFiles::open(folder.path()).unwrap();
            files.begin(&settings, &names).unwrap();
            drop(files);
            fs::write(file(folder.path(), 2), torn).unwrap();
            let mut files = ResultsFiles::open(folder.path()).unwrap();
            assert!(files.tournament().is_some());
            files.begin(&settings, &names).unwrap();
            assert_eq!(files.last, 2);
            drop(files);
            assert_eq!(ResultsFiles::open(folder.path()).unwrap().last, 2);
        }
    }
}
