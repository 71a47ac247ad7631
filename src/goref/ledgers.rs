//! The results files of tournaments in a folder. The last one is the one that is
//! held.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use itertools::Itertools;

use crate::tournament::{Event, Name, ResultsFile, ResultsFileError, Settings, Tournament};

/// The results files.
#[derive(Debug)]
pub(super) struct Ledgers {
    folder: PathBuf,
    /// The number of the last one.
    last: u32,
    held: Option<ResultsFile>,
}

impl Ledgers {
    /// Opens the last one in a folder in which a tournament has begun, if there is
    /// one. A crash may have come before the first line of a later one.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub(super) fn open(folder: &Path) -> Result<Ledgers, ResultsFileError> {
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        let numbers = names.filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?.strip_prefix("tournament-")?;
            name.strip_suffix(".jsonl")?.parse().ok()
        });
        let mut ledgers = Ledgers {
            folder: folder.to_owned(),
            last: 0,
            held: None,
        };
        for last in numbers.sorted_unstable().rev() {
            match ResultsFile::open(&file(folder, last)) {
                Err(ResultsFileError::NotBegun(_)) => {}
                opened => {
                    ledgers.last = last;
                    ledgers.held = Some(opened?.file);
                    break;
                }
            }
        }
        Ok(ledgers)
    }

    /// The tournament that is held, or was held last.
    pub(super) fn tournament(&self) -> Option<&Tournament> {
        self.held.as_ref().map(ResultsFile::tournament)
    }

    /// Begins another one.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn begin(&mut self, settings: &Settings, entrants: &[Name]) -> io::Result<()> {
        // What happens now must not be taken to the tournament before it.
        self.held = None;
        self.last += 1;
        let path = file(&self.folder, self.last);
        let begun = ResultsFile::create(&path, settings.clone(), entrants, SystemTime::now());
        self.held = Some(begun.map_err(io::Error::other)?);
        Ok(())
    }

    /// Writes down what happened, if anything did.
    ///
    /// # Errors
    /// It cannot be written, or there is no tournament that it fits.
    pub(super) fn add(&mut self, event: Option<&Event>) -> io::Result<()> {
        let Some(event) = event else { return Ok(()) };
        let held = self
            .held
            .as_mut()
            .ok_or_else(|| io::Error::other("there is no results file"))?;
        held.record(event, SystemTime::now())
            .map_err(io::Error::other)?;
        Ok(())
    }

    /// Writes down the result of a game, if it has one; why it does not count, if it
    /// does not. That will never be otherwise: the game is on record all the same.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn take(&mut self, result: Option<&Event>) -> io::Result<Option<String>> {
        let Some(result) = result else {
            return Ok(None);
        };
        let Some(held) = &mut self.held else {
            return Ok(Some("there is no results file".into()));
        };
        match held.record(result, SystemTime::now()) {
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
    use crate::tournament::{Games, Kind};

    #[test]
    fn a_tournament_that_a_crash_kept_from_beginning_stops_nobody() {
        let settings = Settings {
            kind: Kind::RoundRobin,
            games: Games::Single,
            seed: 7,
            apart: Vec::new(),
        };
        let names = ["a", "b"].map(|name| name.parse().unwrap());
        for torn in ["", "{\"v\":1,\"ti"] {
            let folder = tempfile::tempdir().unwrap();
            let mut ledgers = Ledgers::open(folder.path()).unwrap();
            ledgers.begin(&settings, &names).unwrap();
            drop(ledgers);
            fs::write(file(folder.path(), 2), torn).unwrap();
            let mut ledgers = Ledgers::open(folder.path()).unwrap();
            assert!(ledgers.tournament().is_some());
            ledgers.begin(&settings, &names).unwrap();
            assert_eq!(ledgers.last, 2);
            drop(ledgers);
            assert_eq!(Ledgers::open(folder.path()).unwrap().last, 2);
        }
    }
}
