//! The results file: the events of a tournament, a line each.
//!
//! A line is a JSON object with the version of the format (`"v":1`), the time in
//! UTC, and an [`Event`]; the first line has the settings and the entrants. Lines
//! are only ever appended: whoever corrects a result adds a line that says so.
//! Standings, and the next round, follow from this file alone.
//!
//! A line is on the disk before the tournament changes. So a crash can tear the
//! last line only, which told nobody anything yet: it is cut off when the file is
//! opened again, and kept beside it.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::change::Change;
use super::event::Event;
use super::ledger_error::LedgerError;
use super::line::{Beginning, Replayed, replay, written};
use super::name::Name;
use super::settings::Settings;
use super::state::{Applied, Tournament};
use crate::journal::{Checked, LineFile, LineFileError, Unchecked, read_shared, whole_lines};

/// The largest results file that is read, in bytes. The largest round robin has
/// 39,800 games of some 250 bytes.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// A tournament and the file that it is kept in, which this process alone writes.
#[derive(Debug)]
pub struct Ledger {
    tournament: Tournament,
    lines: LineFile,
}

/// A results file as it was found.
#[derive(Debug)]
pub struct Opened {
    /// The tournament, to be gone on with.
    pub ledger: Ledger,
    /// How many bytes of a torn line were cut off. They are kept beside the file,
    /// with the extension `torn`.
    pub cut: u64,
    /// The lines, from 1, with results that stood there before. They were not
    /// counted again.
    pub duplicates: Vec<usize>,
}

impl Ledger {
    /// Begins a tournament in a new file. One whose first line a crash has torn
    /// counts as new.
    ///
    /// # Errors
    /// There can be no such tournament, one has begun in this file, or the file
    /// cannot be written.
    pub fn create(
        path: &Path,
        settings: Settings,
        entrants: &[Name],
        now: SystemTime,
    ) -> Result<Ledger, LedgerError> {
        let tournament = Tournament::new(settings, entrants)?;
        let failed = |error| file_error(path, error);
        let mut file = LineFile::open_or_create(path, Duration::ZERO).map_err(failed)?;
        if whole_lines(&read(&mut file, path)?) > 0 {
            return Err(LedgerError::Begun(path.to_owned()));
        }
        let Checked { file: lines, .. } = file.keep(0).map_err(|error| failed(error.into()))?;
        let mut ledger = Ledger { tournament, lines };
        let first = Beginning::new(ledger.tournament.settings().clone(), entrants);
        ledger.append(written(&first, now))?;
        Ok(ledger)
    }

    /// Goes on with the tournament in a file. A torn line at its end is cut off.
    ///
    /// # Errors
    /// No tournament has begun in it, it cannot be read or written, is another
    /// process's, or has a line that is damaged or does not fit.
    pub fn open(path: &Path) -> Result<Opened, LedgerError> {
        let failed = |error| match error {
            LineFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                LedgerError::NotBegun(path.to_owned())
            }
            error => file_error(path, error),
        };
        let mut file = LineFile::open(path).map_err(failed)?;
        let Replayed {
            tournament,
            duplicates,
            length,
        } = replay(path, &read(&mut file, path)?)?;
        let Checked { file: lines, cut } =
            file.keep(length).map_err(|error| failed(error.into()))?;
        Ok(Opened {
            ledger: Ledger { tournament, lines },
            cut,
            duplicates,
        })
    }

    /// The tournament in a file, which may be another process's. A torn line at its
    /// end is left out, for it may just be being written.
    ///
    /// # Errors
    /// It cannot be read, no tournament has begun in it, or it has a line that is
    /// damaged or does not fit.
    pub fn read(path: &Path) -> Result<Tournament, LedgerError> {
        let bytes = read_shared(path, MAX_SIZE).map_err(|error| file_error(path, error))?;
        replay(path, &bytes).map(|replayed| replayed.tournament)
    }

    /// The tournament as it stands.
    pub fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Writes down what happened, waits until it is on the disk, and only then
    /// changes the tournament. A result that the game has already is not written
    /// again.
    ///
    /// # Errors
    /// The event does not fit, or cannot be written; then nothing has changed.
    pub fn record(&mut self, event: &Event, now: SystemTime) -> Result<Applied, LedgerError> {
        let change = self.tournament.check(event)?;
        if !matches!(change, Change::Duplicate) {
            self.append(written(event, now))?;
        }
        Ok(self.tournament.make(change))
    }

    /// Pairs what can be paired now: all rounds of a round robin, the next round of
    /// a Swiss tournament if the one before it is over. Says how many rounds.
    ///
    /// # Errors
    /// A round cannot be paired or written; then nothing has changed.
    pub fn pair(&mut self, now: SystemTime) -> Result<usize, LedgerError> {
        let mut next = self.tournament.clone();
        let mut text = String::new();
        while let Some(event) = next.next_round()? {
            next.apply(&event)?;
            text += &written(&event, now).map_err(|error| self.failed(error))?;
        }
        let rounds = next.rounds_paired() - self.tournament.rounds_paired();
        if rounds > 0 {
            self.append(Ok(text))?;
            self.tournament = next;
        }
        Ok(rounds)
    }

    /// Appends lines and waits until they are on the disk.
    fn append(&mut self, text: io::Result<String>) -> Result<(), LedgerError> {
        let appended = text.and_then(|text| self.lines.append(&text));
        appended.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> LedgerError {
        file_error(self.path(), error.into())
    }
}

fn file_error(path: &Path, error: LineFileError) -> LedgerError {
    let path = path.to_owned();
    match error {
        LineFileError::Locked => LedgerError::Locked(path),
        other => LedgerError::Io {
            path,
            error: other.into(),
        },
    }
}

fn read(file: &mut Unchecked, path: &Path) -> Result<Vec<u8>, LedgerError> {
    file.read(MAX_SIZE).map_err(|error| file_error(path, error))
}
