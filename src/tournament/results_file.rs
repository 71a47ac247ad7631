//! The results file: the events of a tournament, one line each.
//!
//! A line is a JSON object with the version of the format (`"v":1`), the time in UTC, and an
//! [`Event`]. The first line has the settings and the entrants. Lines are only appended: a
//! correction is another line. The standings and the next round follow from only this file.
//!
//! A line is on the disk before the tournament changes. So a crash can tear only the last
//! line, which was never acknowledged. It is cut off when the file is opened again, and saved
//! beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::event::Event;
use super::settings::{Name, Settings, SetupError};
use super::state::{Applied, EventError, PairingError, Tournament};
use crate::base::journal::{Checked, LineFile, LineFileError, Unchecked, read_all, whole_lines};

/// The version of the format.
pub const VERSION: u32 = 1;

/// The largest results file that is read, in bytes: 64 MiB. The largest round robin has
/// 39,800 games of some 250 bytes.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// A tournament and its results file, which only this process writes.
#[derive(Debug)]
pub struct ResultsFile {
    begun: Begun,
    lines: LineFile,
}

/// A tournament, and what the first line says of it.
#[derive(Debug)]
struct Begun {
    tournament: Tournament,
    /// What is played, such as `Go 9x9`; `None` if the file does not say it.
    game: Option<String>,
    /// When the tournament began; `None` if the time of the first line cannot be parsed.
    time: Option<SystemTime>,
}

/// A results file as it was found.
#[derive(Debug)]
pub struct OpenedResults {
    /// The file, to be continued.
    pub file: ResultsFile,
    /// The number of bytes of a torn line that were cut off. They are saved beside the file,
    /// with the extension `torn`.
    pub cut: u64,
    /// The numbers, from 1, of lines that repeat what was so already, such as a result. They do not
    /// count again.
    pub duplicates: Vec<usize>,
}

impl ResultsFile {
    /// Begins a tournament of a game, such as `Go 9x9`, in a new file. A file without a whole line
    /// counts as new.
    ///
    /// # Errors
    /// The tournament is impossible, the file has lines already, or it cannot be written.
    pub fn create(
        path: &Path,
        game: &str,
        settings: Settings,
        entrants: &[Name],
        now: SystemTime,
    ) -> Result<ResultsFile, ResultsFileError> {
        let begun = Begun {
            tournament: Tournament::new(settings, entrants)?,
            game: Some(game.to_owned()),
            time: Some(now),
        };
        let failed = |error| file_error(path, error);
        let mut file = LineFile::open_or_create(path, Duration::ZERO).map_err(failed)?;
        if whole_lines(&read(&mut file, path)?) > 0 {
            return Err(ResultsFileError::Begun(path.to_owned()));
        }
        let Checked { file: lines, .. } = file.keep(0).map_err(|error| failed(error.into()))?;
        let first = Beginning::Tournament {
            game: begun.game.clone(),
            settings: begun.tournament.settings().clone(),
            entrants: entrants.to_vec(),
        };
        let mut results = ResultsFile { begun, lines };
        results.append(to_line(&first, now))?;
        Ok(results)
    }

    /// Opens a file to continue its tournament. A torn line at its end is cut off.
    ///
    /// # Errors
    /// No tournament has begun in it, it cannot be read or written, another process has it
    /// open, or it has a line that is damaged or does not fit.
    pub fn open(path: &Path) -> Result<OpenedResults, ResultsFileError> {
        let failed = |error| match error {
            LineFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                ResultsFileError::NotBegun(path.to_owned())
            }
            error => file_error(path, error),
        };
        let mut file = LineFile::open(path).map_err(failed)?;
        let Replayed {
            begun,
            duplicates,
            length,
        } = replay(path, &read(&mut file, path)?)?;
        let Checked { file: lines, cut } =
            file.keep(length).map_err(|error| failed(error.into()))?;
        Ok(OpenedResults {
            file: ResultsFile { begun, lines },
            cut,
            duplicates,
        })
    }

    /// Reads the tournament in a file that another process may have open. A torn line at its
    /// end is ignored, because it may just be being written.
    ///
    /// # Errors
    /// It cannot be read, no tournament has begun in it, or it has a line that is
    /// damaged or does not fit.
    pub fn read(path: &Path) -> Result<Tournament, ResultsFileError> {
        let file = File::open(path).map_err(|error| file_error(path, error.into()))?;
        ResultsFile::read_from(path, file)
    }

    /// Reads the tournament in a file that is open, which errors call `path`; it may be a pipe. A
    /// torn line at its end is ignored.
    ///
    /// # Errors
    /// As [`ResultsFile::read`].
    pub fn read_from(path: &Path, file: impl Read) -> Result<Tournament, ResultsFileError> {
        let bytes = read_all(file, MAX_SIZE).map_err(|error| file_error(path, error))?;
        replay(path, &bytes).map(|replayed| replayed.begun.tournament)
    }

    /// Returns the tournament.
    pub fn tournament(&self) -> &Tournament {
        &self.begun.tournament
    }

    /// Returns what is played, such as `Go 9x9`; `None` if the file does not say it.
    pub fn game(&self) -> Option<&str> {
        self.begun.game.as_deref()
    }

    /// Returns when the tournament began; `None` if the time of the first line cannot be parsed.
    pub fn began(&self) -> Option<SystemTime> {
        self.begun.time
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Appends an event, waits until it is on the disk, and then applies it to the
    /// tournament. A [duplicate](Applied::Duplicate) is not written again.
    ///
    /// # Errors
    /// The event does not fit or cannot be written. Nothing has changed then.
    pub fn record(&mut self, event: &Event, now: SystemTime) -> Result<Applied, ResultsFileError> {
        let effect = self.begun.tournament.check(event)?;
        if effect == Applied::Done {
            self.append(to_line(event, now))?;
            self.begun.tournament.apply(event)?;
        }
        Ok(effect)
    }

    /// Pairs all rounds that can be paired now: every round of a round robin, or the next
    /// round of a Swiss tournament if the round before is over. Returns how many.
    ///
    /// # Errors
    /// A round cannot be paired or written. Nothing has changed then.
    pub fn pair(&mut self, now: SystemTime) -> Result<usize, ResultsFileError> {
        let mut next = self.begun.tournament.clone();
        let mut text = String::new();
        while let Some(event) = next.next_round()? {
            next.apply(&event)?;
            text += &to_line(&event, now).map_err(|error| self.failed(error))?;
        }
        let rounds = next.rounds_paired() - self.begun.tournament.rounds_paired();
        if rounds > 0 {
            self.append(Ok(text))?;
            self.begun.tournament = next;
        }
        Ok(rounds)
    }

    /// Appends lines and waits until they are on the disk.
    fn append(&mut self, text: io::Result<String>) -> Result<(), ResultsFileError> {
        let appended = text.and_then(|text| self.lines.append(&text));
        appended.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> ResultsFileError {
        file_error(self.path(), error.into())
    }
}

fn file_error(path: &Path, error: LineFileError) -> ResultsFileError {
    let path = path.to_owned();
    match error {
        LineFileError::Locked => ResultsFileError::Locked(path),
        other => ResultsFileError::Io {
            path,
            error: other.into(),
        },
    }
}

fn read(file: &mut Unchecked, path: &Path) -> Result<Vec<u8>, ResultsFileError> {
    file.read(MAX_SIZE).map_err(|error| file_error(path, error))
}

/// Why a results file cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResultsFileError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process writes this results file", .0.display())]
    Locked(PathBuf),
    /// The file in which a tournament would begin has lines already.
    #[error("{}: this file has lines already; continue its tournament, or name another file", .0.display())]
    Begun(PathBuf),
    /// No tournament has begun in this file, or it does not exist.
    #[error("{}: no tournament has begun in this file", .0.display())]
    NotBegun(PathBuf),
    /// Its tournament is not over, and is one of another game.
    #[error(
        "{}: its unfinished tournament is of {found}, and {wanted} is played here: start the referee \
         with the game and the boards of the tournament, or choose another folder",
        path.display()
    )]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// What is played in its tournament.
        found: String,
        /// What is played here.
        wanted: String,
    },
    /// It is another file, such as the list of finished games.
    #[error(
        "{}: this is no results file, because its first line does not begin a tournament; \
         results files are named tournament-0001.jsonl and so on",
        .0.display()
    )]
    NotResults(PathBuf),
    /// A line is damaged, or does not fit those before it.
    #[error("{}, line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error in the line.
        why: LineError,
    },
    /// The tournament is impossible.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An event does not fit what has happened before.
    #[error(transparent)]
    Refused(#[from] EventError),
    /// A round cannot be paired.
    #[error(transparent)]
    Pairing(#[from] PairingError),
}

/// An error in a line of a results file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is not a line of this format.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A later version of the program wrote it.
    #[error("it has version {0}, and this program knows version {VERSION}")]
    Version(u32),
    /// The tournament is impossible.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It does not fit the lines before it.
    #[error(transparent)]
    Refused(#[from] EventError),
}

/// A line of the file, as it is written.
#[derive(Serialize, Deserialize)]
struct Line<E> {
    v: u32,
    time: String,
    #[serde(flatten)]
    entry: E,
}

/// The part of a line that all versions have in common.
#[derive(Deserialize)]
struct AnyLine {
    v: u32,
}

/// The part of the first line that tells a tournament from other JSON.
#[derive(Deserialize)]
struct FirstLine {
    event: Option<serde_json::Value>,
}

/// The content of the first line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Beginning {
    Tournament {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<String>,
        #[serde(flatten)]
        settings: Settings,
        entrants: Vec<Name>,
    },
}

/// Removes the line number from an error: JSON has only one line here, and the number in the
/// file is reported by the caller.
fn damaged(error: serde_json::Error) -> LineError {
    let text = error.to_string();
    LineError::Damaged(text.replace(" at line 1 column ", " at column "))
}

/// Formats an entry as a line.
fn to_line<E: Serialize>(entry: &E, now: SystemTime) -> io::Result<String> {
    let line = Line {
        v: VERSION,
        time: humantime::format_rfc3339_millis(now).to_string(),
        entry,
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

/// A tournament as replayed from its file.
struct Replayed {
    begun: Begun,
    /// The numbers, from 1, of lines that repeat what was so already.
    duplicates: Vec<usize>,
    /// The length of the whole lines, in bytes.
    length: u64,
}

/// Replays a tournament from the lines of its file. A torn line at the end is ignored.
fn replay(path: &Path, bytes: &[u8]) -> Result<Replayed, ResultsFileError> {
    let length = whole_lines(bytes);
    let whole = bytes.get(..length).unwrap_or_default();
    let mut lines = (1..).zip(whole.split_inclusive(|&byte| byte == b'\n'));
    let located = |line| {
        move |why| ResultsFileError::Line {
            path: path.to_owned(),
            line,
            why,
        }
    };
    let Some((first, beginning)) = lines.next() else {
        return Err(ResultsFileError::NotBegun(path.to_owned()));
    };
    let is_beginning = match serde_json::from_slice(beginning) {
        Ok(FirstLine { event }) => event.is_some_and(|event| event == "tournament"),
        // It may be damaged.
        Err(_) => beginning.starts_with(b"{\"v\":"),
    };
    if !is_beginning {
        return Err(ResultsFileError::NotResults(path.to_owned()));
    }
    let mut begun = parse_beginning(beginning).map_err(located(first))?;
    let mut duplicates = Vec::new();
    for (number, line) in lines {
        match apply_line(&mut begun.tournament, line).map_err(located(number))? {
            Applied::Done => {}
            Applied::Duplicate => duplicates.push(number),
        }
    }
    Ok(Replayed {
        begun,
        duplicates,
        length: length as u64,
    })
}

fn parse_beginning(line: &[u8]) -> Result<Begun, LineError> {
    let Line { time, entry, .. } = parse_line(line)?;
    let Beginning::Tournament {
        game,
        settings,
        entrants,
    } = entry;
    Ok(Begun {
        tournament: Tournament::new(settings, &entrants)?,
        game,
        time: humantime::parse_rfc3339(&time).ok(),
    })
}

fn apply_line(tournament: &mut Tournament, line: &[u8]) -> Result<Applied, LineError> {
    let event: Line<Event> = parse_line(line)?;
    Ok(tournament.apply(&event.entry)?)
}

/// Parses a line. The version is checked first, because the meaning of another
/// version is unknown.
fn parse_line<E: for<'a> Deserialize<'a>>(line: &[u8]) -> Result<Line<E>, LineError> {
    let AnyLine { v } = serde_json::from_slice(line).map_err(damaged)?;
    if v != VERSION {
        return Err(LineError::Version(v));
    }
    serde_json::from_slice(line).map_err(damaged)
}
