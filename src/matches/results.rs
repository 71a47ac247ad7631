//! The results file of an event: JSON lines, a header and then a line for each game.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::record::GameRecord;
use super::settings::EventSettings;
use crate::journal::{Checked, LineFile, LineFileError, read_shared, whole_lines};

/// The version of the form of results files.
pub const VERSION: u32 = 1;

/// The maximum size of a results file.
const MAX_SIZE: u64 = 4 << 30;

/// The first line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version.
    #[serde(rename = "gothello_match")]
    version: u32,
    /// When the event began, in UTC.
    pub began: String,
    /// The settings.
    pub event: EventSettings,
}

impl Header {
    /// Returns the header of an event that begins now.
    pub fn new(event: EventSettings, now: SystemTime) -> Header {
        Header {
            version: VERSION,
            began: timestamp(now),
            event,
        }
    }
}

/// Formats a moment as `2026-11-23T04:05:06Z`.
pub fn timestamp(now: SystemTime) -> String {
    humantime::format_rfc3339_seconds(now).to_string()
}

/// Returns a checksum of the settings: the ids of games begin with it.
pub fn event_id(event: &EventSettings) -> String {
    let text = serde_json::to_string(event).unwrap_or_default();
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

/// The games of an event that have been recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The header.
    pub header: Header,
    /// The games in the order in which they were recorded, each once.
    pub games: Vec<GameRecord>,
}

/// A results file that is open, so that games can be recorded.
#[derive(Debug)]
pub struct ResultsFile {
    file: LineFile,
}

/// Why a results file cannot be used.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// It cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: LineFileError,
    },
    /// A line is not what it should be.
    #[error("{}, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
    /// It belongs to another event.
    #[error("{}: the event in this file has other settings:\n  {}\ngive the settings in the file, or another file", .path.display(), .differences.join("\n  "))]
    OtherEvent {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: Vec<String>,
    },
}

/// A results file that has been opened to go on.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: ResultsFile,
    /// What has been recorded in it.
    pub results: Results,
    /// The number of bytes of a torn line at its end, which were cut off and saved beside it.
    pub cut: u64,
}

impl ResultsFile {
    /// Opens the results file of an event to go on with it, or creates it.
    ///
    /// # Errors
    /// It cannot be read or written, it is no results file, or it is one of an event with other
    /// settings.
    pub fn open(
        path: &Path,
        event: &EventSettings,
        now: SystemTime,
    ) -> Result<Opened, ResultsError> {
        let failed = |error: LineFileError| ResultsError::File {
            path: path.to_owned(),
            error,
        };
        let io_failed = |error: io::Error| failed(error.into());
        let mut file = LineFile::open_or_create(path, Duration::ZERO).map_err(failed)?;
        let bytes = file.read(MAX_SIZE).map_err(failed)?;
        let whole = whole_lines(&bytes);
        if whole == 0 {
            let header = Header::new(event.clone(), now);
            let Checked { file, cut } = file.keep(0).map_err(io_failed)?;
            let mut file = ResultsFile { file };
            file.append([&header]).map_err(io_failed)?;
            let games = Vec::new();
            let results = Results { header, games };
            return Ok(Opened { file, results, cut });
        }
        let results = parse(path, bytes.get(..whole).unwrap_or_default())?;
        let differences = results.header.event.differences(event);
        if !differences.is_empty() {
            return Err(ResultsError::OtherEvent {
                path: path.to_owned(),
                differences,
            });
        }
        let Checked { file, cut } = file.keep(whole as u64).map_err(io_failed)?;
        let file = ResultsFile { file };
        Ok(Opened { file, results, cut })
    }

    /// Records games, and returns when they are on the disk.
    ///
    /// # Errors
    /// They cannot be written. Nothing has changed then.
    pub fn record<'a>(
        &mut self,
        games: impl IntoIterator<Item = &'a GameRecord>,
    ) -> Result<(), ResultsError> {
        self.append(games).map_err(|error| ResultsError::File {
            path: self.file.path().to_owned(),
            error: error.into(),
        })
    }

    fn append<'a, T: Serialize + 'a>(
        &mut self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let mut text = String::new();
        for value in values {
            text.push_str(&serde_json::to_string(value)?);
            text.push('\n');
        }
        self.file.append(&text)
    }
}

impl Results {
    /// Reads a results file that another process may have open. A torn line at its end is
    /// ignored, because it may just be being written.
    ///
    /// # Errors
    /// It cannot be read, or is no results file.
    pub fn read(path: &Path) -> Result<Results, ResultsError> {
        let bytes = read_shared(path, MAX_SIZE).map_err(|error| ResultsError::File {
            path: path.to_owned(),
            error,
        })?;
        parse(path, bytes.get(..whole_lines(&bytes)).unwrap_or_default())
    }

    /// Adds the games of other files of the same event, such as those of other machines. Games
    /// with an id that is there already are left out; returns how many.
    ///
    /// # Errors
    /// The settings of the other event: what differs.
    pub fn merge(&mut self, other: Results) -> Result<usize, Vec<String>> {
        let differences = self.header.event.differences(&other.header.event);
        if !differences.is_empty() {
            return Err(differences);
        }
        let known: BTreeSet<String> = self.games.iter().map(|game| game.id.clone()).collect();
        let found = other.games.len();
        let new = other
            .games
            .into_iter()
            .filter(|game| !known.contains(&game.id));
        let before = self.games.len();
        self.games.extend(new);
        Ok(found.saturating_sub(self.games.len().saturating_sub(before)))
    }
}

/// Parses whole lines. A game that is recorded twice counts once.
fn parse(path: &Path, bytes: &[u8]) -> Result<Results, ResultsError> {
    let wrong = |line: usize, why: String| ResultsError::Line {
        path: path.to_owned(),
        line,
        why,
    };
    let mut lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    let first = lines.next().map(|(_, line)| line).unwrap_or_default();
    let header = header(first).map_err(|why| wrong(1, why))?;
    let mut games = Vec::new();
    let mut ids = BTreeSet::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let game: GameRecord = serde_json::from_slice(line)
            .map_err(|error| wrong(number, format!("this is no record of a game: {error}")))?;
        if ids.insert(game.id.clone()) {
            games.push(game);
        }
    }
    Ok(Results { header, games })
}

/// Parses the first line.
fn header(line: &[u8]) -> Result<Header, String> {
    /// The version alone, which tells whether the rest can be read.
    #[derive(Deserialize)]
    struct Version {
        gothello_match: u32,
    }
    let no_header = |error| {
        format!(
            "a results file of `gothello match` begins with {{\"gothello_match\":{VERSION}}}: {error}"
        )
    };
    let Version { gothello_match } = serde_json::from_slice(line).map_err(no_header)?;
    match gothello_match {
        VERSION => serde_json::from_slice(line).map_err(no_header),
        other => Err(format!(
            "version {other} of the form, and this program reads version {VERSION}"
        )),
    }
}
