//! The results files of a folder: one for each tournament.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use itertools::Itertools;
use serde::{Deserialize, Serialize};

use super::event::{Event, ScheduledGame};
use super::results_file::{ResultsFile, ResultsFileError};
use super::settings::{Name, Settings};
use super::state::Tournament;

/// A game of one of the tournaments of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedGame {
    /// The [number](ResultsFiles::number) of the tournament.
    pub tournament: u32,
    /// The game.
    #[serde(flatten)]
    pub scheduled: ScheduledGame,
}

/// The last tournament of a folder, as it is on the disk.
#[derive(Clone, Debug, Default)]
pub struct LastTournament {
    /// The number of its file; 0 if there is none.
    pub number: u32,
    /// When it began, if known.
    pub began: Option<SystemTime>,
    /// The tournament; `None` if there is none.
    pub tournament: Option<Tournament>,
}

/// The results files of tournaments. The last one is that of the current tournament.
#[derive(Debug)]
pub struct ResultsFiles {
    folder: PathBuf,
    /// What is played here.
    game: String,
    /// The number of the last file.
    last: u32,
    current: Option<ResultsFile>,
}

impl ResultsFiles {
    /// Opens the last file of a folder in which a tournament has begun, if there is one. A
    /// crash may have come before the first line of a later file. `game` is what is played here, such
    /// as `Go 9x9`.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or has an unfinished tournament of another game.
    pub fn open(folder: &Path, game: &str) -> Result<ResultsFiles, ResultsFileError> {
        let mut files = ResultsFiles {
            folder: folder.to_owned(),
            game: game.to_owned(),
            last: 0,
            current: None,
        };
        for last in numbers(folder).sorted_unstable().rev() {
            match ResultsFile::open(&ResultsFiles::path(folder, last)) {
                Err(ResultsFileError::NotBegun(_)) => {}
                opened => {
                    let opened = opened?.file;
                    if let Some(found) = opened.game().filter(|&found| found != game)
                        && !opened.tournament().is_over()
                    {
                        return Err(ResultsFileError::OtherGame {
                            path: opened.path().to_owned(),
                            found: found.to_owned(),
                            wanted: game.to_owned(),
                        });
                    }
                    files.last = last;
                    files.current = Some(opened);
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

    /// Returns the last tournament.
    pub fn last(&self) -> LastTournament {
        LastTournament {
            number: self.last,
            began: self.current.as_ref().and_then(ResultsFile::began),
            tournament: self.tournament().cloned(),
        }
    }

    /// Returns the number of this tournament, which is that of its file; 0 if there is none.
    pub fn number(&self) -> u32 {
        self.last
    }

    /// Begins another tournament.
    ///
    /// # Errors
    /// It is impossible, and nothing has changed, or it cannot be written.
    pub fn begin(&mut self, settings: &Settings, entrants: &[Name]) -> io::Result<()> {
        Tournament::new(settings.clone(), entrants).map_err(io::Error::other)?;
        // From here on nothing belongs to the previous tournament.
        self.current = None;
        let number = self.last + 1;
        let path = ResultsFiles::path(&self.folder, number);
        let (game, now) = (&self.game, SystemTime::now());
        let begun = ResultsFile::create(&path, game, settings.clone(), entrants, now);
        if let Ok(_) | Err(ResultsFileError::Begun(_)) = begun {
            // Otherwise the same file is tried again.
            self.last = number;
        }
        self.current = Some(begun.map_err(io::Error::other)?);
        Ok(())
    }

    /// Writes an event. Returns why it does not count, if it does not. That will not change: it is
    /// not to be tried again.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, event: &Event) -> io::Result<Option<String>> {
        let Some(current) = &mut self.current else {
            return Ok(Some("there is no results file".into()));
        };
        match current.record(event, SystemTime::now()) {
            Ok(_) => Ok(None),
            Err(ResultsFileError::Refused(why)) => Ok(Some(why.to_string())),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Returns the number of the last tournament of a folder.
    pub fn last_number(folder: &Path) -> Option<u32> {
        let mut latest = numbers(folder).sorted_unstable().rev();
        latest.find(|&number| {
            let read = ResultsFile::read(&ResultsFiles::path(folder, number));
            !matches!(read, Err(ResultsFileError::NotBegun(_)))
        })
    }

    /// Returns the path of the tournament with this number in a folder.
    pub fn path(folder: &Path, number: u32) -> PathBuf {
        folder.join(format!("tournament-{number:04}.jsonl"))
    }
}

/// Returns the numbers of the results files of a folder, in any order.
fn numbers(folder: &Path) -> impl Iterator<Item = u32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_str()?.strip_prefix("tournament-")?;
        name.strip_suffix(".jsonl")?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{Games, PairingSystem};

    fn two_players() -> (Settings, [Name; 2]) {
        let settings = Settings {
            system: PairingSystem::RoundRobin,
            games: Games::Single,
            seed: 7,
            forbidden: Vec::new(),
        };
        (settings, ["a", "b"].map(|name| name.parse().unwrap()))
    }

    #[test]
    fn an_unfinished_tournament_of_another_game_is_refused_and_one_that_is_over_is_not() {
        let (settings, names) = two_players();
        let folder = tempfile::tempdir().unwrap();
        let open = |game| ResultsFiles::open(folder.path(), game);
        open("Go 9x9").unwrap().begin(&settings, &names).unwrap();
        let refused = open("Awari").unwrap_err().to_string();
        let why = "tournament-0001.jsonl: its unfinished tournament is of Go 9x9, and Awari is \
                   played here";
        assert!(refused.contains(why), "{refused}");
        let mut files = open("Go 9x9").unwrap();
        let reason = "the organizer ended it".into();
        assert_eq!(files.add(&Event::Ended { reason }).unwrap(), None);
        drop(files);
        // A crash has left the next one without its first line.
        let next = ResultsFiles::path(folder.path(), 2);
        for left in ["", "{\"ev"] {
            fs::write(&next, left).unwrap();
            assert_eq!(ResultsFiles::last_number(folder.path()), Some(1));
        }
        fs::remove_file(&next).unwrap();
        // A file of an earlier version does not say its game.
        let path = ResultsFiles::path(folder.path(), 1);
        let text = fs::read_to_string(&path).unwrap();
        let mut files = open("Awari").unwrap();
        files.begin(&settings, &names).unwrap();
        drop(files);
        let (first, _) = text.split_once('\n').unwrap();
        let first = first.replace("\"game\":\"Go 9x9\",", "");
        fs::write(ResultsFiles::path(folder.path(), 2), first + "\n").unwrap();
        assert_eq!(open("Gothello").unwrap().last, 2);
    }

    #[test]
    fn a_tournament_that_a_crash_kept_from_beginning_stops_nobody() {
        let (settings, names) = two_players();
        for torn in ["", "{\"v\":1,\"ti"] {
            let folder = tempfile::tempdir().unwrap();
            let mut files = ResultsFiles::open(folder.path(), "Go 9x9").unwrap();
            files.begin(&settings, &names).unwrap();
            let millis = |files: &ResultsFiles| {
                let began = files.last().began.unwrap();
                let since = began.duration_since(SystemTime::UNIX_EPOCH);
                since.unwrap().as_millis()
            };
            let began = millis(&files);
            drop(files);
            fs::write(ResultsFiles::path(folder.path(), 2), torn).unwrap();
            let mut files = ResultsFiles::open(folder.path(), "Go 9x9").unwrap();
            assert!(files.tournament().is_some(), "{torn:?}");
            assert_eq!(millis(&files), began, "{torn:?}");
            files.begin(&settings, &names).unwrap();
            assert_eq!(files.last, 2, "{torn:?}");
            drop(files);
            assert_eq!(
                ResultsFiles::open(folder.path(), "Go 9x9").unwrap().last,
                2,
                "{torn:?}"
            );
        }
    }
}
