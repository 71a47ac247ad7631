//! The results file of an event: JSON lines, a header and then a line for each game.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::differences::{Difference, joined};
use super::game::MatchGame;
use super::record::{GameRecord, UtcTime};
use super::referee::PlayedGame;
use super::schedule::Schedule;
use super::settings::{EventSettings, GameSettings};
use super::setup::Setup;
use crate::base::journal::{Checked, LineFile, LineFileError};
use crate::games::awari;
use crate::games::go;
use crate::games::gothello;
use crate::gtp::process::retry;

/// The version of the file format.
pub const VERSION: u32 = 1;

/// The maximum size of a line. That of an event with many openings is long.
const MAX_LINE: u64 = 256 << 20;

/// The first line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version.
    #[serde(rename = "gothello_match")]
    version: u32,
    /// When the event began.
    pub began: UtcTime,
    /// The settings.
    pub event: EventSettings,
}

impl Header {
    /// Returns the header of an event that begins now.
    pub fn new(event: EventSettings, now: SystemTime) -> Header {
        Header {
            version: VERSION,
            began: now.into(),
            event,
        }
    }

    /// Reads the header of the results file of an event, without its games. Returns `None` if
    /// there is no such file, or it has no whole line yet.
    ///
    /// # Errors
    /// It cannot be read, or is no results file.
    pub fn read(path: &Path) -> Result<Option<Header>, ResultsError> {
        match open_regular(path)? {
            Some(file) => Lines::new(path, file).header(),
            None => Ok(None),
        }
    }
}

/// Returns a checksum of the settings: the ids of games begin with it. It stays when the event gets
/// longer.
pub fn event_id(event: &EventSettings) -> String {
    let event = EventSettings {
        games: 0,
        rounds: 0,
        openings: Vec::new(),
        ..event.clone()
    };
    let text = serde_json::to_string(&event).unwrap_or_default();
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
pub struct EventResultsFile {
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
    /// It is not a regular file, but a folder or a device.
    #[error("{}: this is a folder or a device: give a file", .0.display())]
    NotRegularFile(PathBuf),
    /// A line is invalid.
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
    #[error("{}: the event in this file has other settings:\n  {}\ngive the settings in the file, or another file; only --games, --rounds and the list of openings may get longer", .path.display(), joined(.differences, "\n  "))]
    OtherEvent {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// Extending it in this way would change games in it.
    #[error("{}: with these settings, games that are in this file would have other players or another opening:\n  {}\ngive more --rounds, and leave --games and --openings as they are", .path.display(), joined(.differences, "\n  "))]
    OtherGames {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: Vec<Difference>,
    },
}

/// Returns what the first line must be, as errors say it.
fn required_header() -> String {
    format!("a results file of `gothello match` begins with {{\"gothello_match\":{VERSION}}}")
}

/// A results file that has been opened to continue its event.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: EventResultsFile,
    /// The games that have been recorded in it.
    pub games: Vec<GameRecord>,
    /// The number of bytes of a torn line at its end, which were cut off and saved beside it.
    pub cut: u64,
    /// The settings in which the event has just been extended, each with both values.
    pub grown: Vec<Difference>,
}

impl EventResultsFile {
    /// Opens the results file of an event to continue it, or creates it. The event may be extended:
    /// then the header is replaced. A file without games becomes that of the event, whatever its
    /// header says: nothing is lost, and a mistake in the settings may just have been corrected.
    ///
    /// # Errors
    /// It cannot be read or written, it is no results file, or it is one of an event with other
    /// settings or other games.
    pub fn open(
        path: &Path,
        event: &EventSettings,
        now: SystemTime,
    ) -> Result<Opened, ResultsError> {
        check_regular(path)?;
        let io_failed = |error: io::Error| failed(path, error);
        let file = LineFile::open_or_create(path, Duration::ZERO);
        let mut file = file.map_err(|error| failed(path, error))?;
        let mut lines = Lines::new(path, file.reader().map_err(io_failed)?);
        let header = lines.header()?;
        let games = lines.games(header.as_ref())?;
        let new_header = || Some(Header::new(event.clone(), now));
        let (header, grown) = match header {
            None => (new_header(), Vec::new()),
            Some(header) => match header.event.grows_to(event) {
                Ok(false) => (None, Vec::new()),
                Ok(true) => {
                    let differences = header.event.differences(event);
                    if !Schedule::has_all(event, &games).unwrap_or(false) {
                        let path = path.to_owned();
                        return Err(ResultsError::OtherGames { path, differences });
                    }
                    let event = event.clone();
                    (Some(Header { event, ..header }), differences)
                }
                Err(_) if games.is_empty() => (new_header(), Vec::new()),
                Err(differences) => {
                    let path = path.to_owned();
                    return Err(ResultsError::OtherEvent { path, differences });
                }
            },
        };
        let whole = lines.whole;
        let Checked { file, cut } = file.keep(whole).map_err(io_failed)?;
        let mut file = EventResultsFile { file };
        if let Some(header) = header {
            let written = match whole {
                0 => file.append([&header]),
                _ => line(&header).and_then(|text| file.file.replace_first(&text)),
            };
            written.map_err(io_failed)?;
        }
        Ok(Opened {
            file,
            games,
            cut,
            grown,
        })
    }

    /// Records games, and returns when they are on the disk.
    ///
    /// # Errors
    /// They cannot be written. Nothing has changed then.
    pub fn record<'a>(
        &mut self,
        games: impl IntoIterator<Item = &'a GameRecord>,
    ) -> Result<(), ResultsError> {
        self.append(games)
            .map_err(|error| failed(self.file.path(), error))
    }

    fn append<'a, T: Serialize + 'a>(
        &mut self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let mut text = String::new();
        for value in values {
            text += &line(value)?;
        }
        // Nothing has changed if it fails.
        retry(|| self.file.append(&text))
    }
}

/// Returns a line of the file.
fn line(value: &impl Serialize) -> io::Result<String> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    Ok(text)
}

impl Results {
    /// Reads a results file that another process may have open. A torn line at its end is
    /// ignored, because it may just be being written.
    ///
    /// # Errors
    /// It cannot be read, or is no results file.
    pub fn read(path: &Path) -> Result<Results, ResultsError> {
        let file = open_regular(path)?;
        let file = file.ok_or_else(|| failed(path, io::Error::other("there is no such file")))?;
        let mut lines = Lines::new(path, file);
        let header = lines.header()?;
        let header = header.ok_or_else(|| {
            let required = required_header();
            lines.line_error(format!("{required}: it has no whole line"))
        })?;
        let games = lines.games(Some(&header))?;
        Ok(Results { header, games })
    }

    /// Adds the games of another file of the same event, such as that of another machine. Games
    /// whose id is already there are left out; returns their number. If the event is longer in one
    /// of the files, the result has the longer one.
    ///
    /// # Errors
    /// The other file's event has other settings: those that differ.
    pub fn merge(&mut self, other: Results) -> Result<usize, Vec<Difference>> {
        let [one, two] = [&self.header.event, &other.header.event];
        let differences = || one.differences(two);
        let (shorter, longer) = match (one.grows_to(two), two.grows_to(one)) {
            (Ok(_), _) => (&self.games, two),
            (Err(_), Ok(_)) => (&other.games, one),
            (Err(differences), Err(_)) => return Err(differences),
        };
        if one != two && !Schedule::has_all(longer, shorter).unwrap_or(false) {
            return Err(differences());
        }
        self.header.event = longer.clone();
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

/// The storage of an event's games.
#[derive(Debug)]
pub enum GameStore {
    /// In a file.
    File(EventResultsFile),
    /// In memory, for the report at the end.
    Memory(Box<Results>),
}

impl GameStore {
    /// Records games.
    ///
    /// # Errors
    /// They cannot be written. Nothing has changed then.
    pub fn record(&mut self, ended: &[PlayedGame]) -> Result<(), ResultsError> {
        let records = ended.iter().map(|game| &game.record);
        match self {
            GameStore::File(file) => file.record(records)?,
            GameStore::Memory(results) => results.games.extend(records.cloned()),
        }
        Ok(())
    }

    /// Returns all games of the event.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn into_results(self) -> Result<Results, ResultsError> {
        match self {
            GameStore::File(file) => Results::read(file.file.path()),
            GameStore::Memory(results) => Ok(*results),
        }
    }
}

/// Returns the error of a file that cannot be read or written.
fn failed(path: &Path, error: impl Into<LineFileError>) -> ResultsError {
    ResultsError::File {
        path: path.to_owned(),
        error: error.into(),
    }
}

/// Checks that a file, if it exists, is neither a folder nor a device, which may be endless.
fn check_regular(path: &Path) -> Result<(), ResultsError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(ResultsError::NotRegularFile(path.to_owned())),
        _ => Ok(()),
    }
}

/// Opens a file for reading, even while another process writes it. Returns `None` if it does not
/// exist.
fn open_regular(path: &Path) -> Result<Option<File>, ResultsError> {
    check_regular(path)?;
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, error)),
    }
}

/// The lines of a results file.
struct Lines<'a, R> {
    path: &'a Path,
    reader: R,
    line: Vec<u8>,
    /// The number of the last line, from 1.
    number: usize,
    /// The number of bytes of the whole lines so far.
    whole: u64,
}

impl<'a, R: Read> Lines<'a, BufReader<R>> {
    fn new(path: &'a Path, file: R) -> Lines<'a, BufReader<R>> {
        Lines {
            path,
            reader: BufReader::new(file),
            line: Vec::new(),
            number: 0,
            whole: 0,
        }
    }
}

impl<R: BufRead> Lines<'_, R> {
    /// Returns the next line; `None` at the end. A torn line at the end is ignored.
    fn next(&mut self) -> Result<Option<&[u8]>, ResultsError> {
        self.line.clear();
        let mut bounded = (&mut self.reader).take(MAX_LINE);
        let read = bounded.read_until(b'\n', &mut self.line);
        let length = read.map_err(|error| failed(self.path, error))? as u64;
        self.number = self.number.saturating_add(1);
        if length == MAX_LINE {
            return Err(self.line_error(format!("it has more than {MAX_LINE} bytes")));
        }
        Ok(self.line.strip_suffix(b"\n").inspect(|_| {
            self.whole = self.whole.saturating_add(length);
        }))
    }

    /// Returns an error about the last line that was read.
    fn line_error(&self, why: String) -> ResultsError {
        ResultsError::Line {
            path: self.path.to_owned(),
            line: self.number,
            why,
        }
    }

    /// Parses the first line, if there is a whole one.
    fn header(&mut self) -> Result<Option<Header>, ResultsError> {
        let Some(line) = self.next()? else {
            return Ok(None);
        };
        let header = header(line);
        header.map(Some).map_err(|why| self.line_error(why))
    }

    /// Parses the other lines of a file with this header. A game that is recorded twice counts once.
    fn games(&mut self, header: Option<&Header>) -> Result<Vec<GameRecord>, ResultsError> {
        let mut games: Vec<GameRecord> = Vec::new();
        let mut ids = BTreeSet::new();
        while let Some(line) = self.next()? {
            if line.is_empty() {
                continue;
            }
            let game: Result<GameRecord, serde_json::Error> = serde_json::from_slice(line);
            let game = game.map_err(|error| {
                self.line_error(format!("this is no record of a game: {error}"))
            })?;
            if let (Some(header), Some(setup)) = (header, &game.setup) {
                let checked = check_setup(&header.event.game, setup);
                checked.map_err(|why| {
                    self.line_error(format!(
                        "the position before the first move (setup) is impossible: {why}"
                    ))
                })?;
            }
            if ids.insert(game.id.clone()) {
                games.push(game);
            }
        }
        Ok(games)
    }
}

/// Checks that a game can begin with a position.
fn check_setup(game: &GameSettings, setup: &Setup) -> Result<(), String> {
    match game {
        GameSettings::Gothello => gothello::Game::new().set_up(setup).map(drop),
        GameSettings::Awari { variant } => {
            let start = awari::Game::new(awari::Position::START, *variant);
            start.set_up(setup).map(drop)
        }
        GameSettings::Go { size, komi, .. } => {
            let size = go::Size::square((*size).into()).map_err(|why| why.to_string())?;
            let start = go::Game::new(go::Rules::area(*komi), go::Position::start(size));
            start.set_up(setup).map(drop)
        }
    }
}

/// Parses the first line.
fn header(line: &[u8]) -> Result<Header, String> {
    /// Only the version, which tells whether the rest can be read.
    #[derive(Deserialize)]
    struct Version {
        gothello_match: u32,
    }
    let wrong = |error| format!("{}: {error}", required_header());
    let Version { gothello_match } = serde_json::from_slice(line).map_err(wrong)?;
    match gothello_match {
        VERSION => serde_json::from_slice(line).map_err(wrong),
        other => Err(format!(
            "file format version {other}; this program reads version {VERSION}"
        )),
    }
}
