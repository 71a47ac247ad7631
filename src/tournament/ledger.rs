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

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::change::Change;
use super::event::Event;
use super::ledger_error::LedgerError;
use super::line::{Beginning, Replayed, replay, whole, written};
use super::name::Name;
use super::settings::Settings;
use super::state::{Applied, Tournament};
use crate::journal::sync_folder;

/// The largest results file that is read, in bytes. The largest round robin has
/// 39,800 games of some 250 bytes.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// A tournament and the file that it is kept in, which this process alone writes.
#[derive(Debug)]
pub struct Ledger {
    tournament: Tournament,
    file: File,
    path: PathBuf,
    /// How much of the file is whole.
    length: u64,
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
        let (file, bytes) = open(path, true)?;
        if whole(&bytes) > 0 {
            return Err(LedgerError::Begun(path.to_owned()));
        }
        let mut ledger = Ledger {
            tournament,
            file,
            path: path.to_owned(),
            length: 0,
        };
        ledger.cut(&bytes)?;
        let first = Beginning::new(ledger.tournament.settings().clone(), entrants);
        let text = written(&first, now).map_err(|error| ledger.io_error(error))?;
        ledger.append(&text)?;
        sync_folder(path).map_err(|error| ledger.io_error(error))?;
        Ok(ledger)
    }

    /// Goes on with the tournament in a file. A torn line at its end is cut off.
    ///
    /// # Errors
    /// No tournament has begun in it, it cannot be read or written, is another
    /// process's, or has a line that is damaged or does not fit.
    pub fn open(path: &Path) -> Result<Opened, LedgerError> {
        let (file, bytes) = open(path, false)?;
        let Replayed {
            tournament,
            duplicates,
            length,
        } = replay(path, &bytes)?;
        let mut ledger = Ledger {
            tournament,
            file,
            path: path.to_owned(),
            length,
        };
        let cut = ledger.cut(&bytes)?;
        Ok(Opened {
            ledger,
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
        let failed = |error| LedgerError::Io {
            path: path.to_owned(),
            error,
        };
        let mut file = File::open(path).map_err(failed)?;
        let bytes = read_all(&mut file).map_err(failed)?;
        replay(path, &bytes).map(|replayed| replayed.tournament)
    }

    /// The tournament as it stands.
    pub fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
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
            let text = written(event, now).map_err(|error| self.io_error(error))?;
            self.append(&text)?;
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
            text += &written(&event, now).map_err(|error| self.io_error(error))?;
        }
        let rounds = next.rounds_paired() - self.tournament.rounds_paired();
        if rounds > 0 {
            self.append(&text)?;
            self.tournament = next;
        }
        Ok(rounds)
    }

    fn io_error(&self, error: io::Error) -> LedgerError {
        io_error(&self.path, error)
    }

    /// Writes lines and waits until they are on the disk.
    fn append(&mut self, text: &str) -> Result<(), LedgerError> {
        let written = self
            .file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += text.len() as u64,
            Err(_) => {
                // What was written in part must not stand before what follows.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
            }
        }
        written.map_err(|error| self.io_error(error))
    }

    /// Cuts off what comes after the last whole line, and says how much it was.
    fn cut(&mut self, bytes: &[u8]) -> Result<u64, LedgerError> {
        let whole = usize::try_from(self.length).unwrap_or(usize::MAX);
        let torn = bytes.get(whole..).unwrap_or_default();
        let mut cut = || -> io::Result<()> {
            if !torn.is_empty() {
                fs::write(self.path.with_extension("torn"), torn)?;
                self.file.set_len(self.length)?;
                self.file.sync_all()?;
            }
            self.file.seek(SeekFrom::Start(self.length))?;
            Ok(())
        };
        cut().map_err(|error| io_error(&self.path, error))?;
        Ok(torn.len() as u64)
    }
}

fn io_error(path: &Path, error: io::Error) -> LedgerError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::NotFound => LedgerError::NotBegun(path),
        _ => LedgerError::Io { path, error },
    }
}

/// A file for this process alone, and what is in it.
fn open(path: &Path, create: bool) -> Result<(File, Vec<u8>), LedgerError> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(create);
    let mut file = match options.truncate(false).open(path) {
        // Not even its folder is there.
        Err(error) if create => {
            let path = path.to_owned();
            return Err(LedgerError::Io { path, error });
        }
        opened => opened.map_err(|error| io_error(path, error))?,
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LedgerError::Locked(path.to_owned())),
        Err(TryLockError::Error(error)) => return Err(io_error(path, error)),
    }
    let bytes = read_all(&mut file).map_err(|error| io_error(path, error))?;
    Ok((file, bytes))
}

fn read_all(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(io::Error::other("it is too large for a results file"));
    }
    Ok(bytes)
}
