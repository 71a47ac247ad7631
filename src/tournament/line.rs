//! The lines of a results file.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::ledger_error::{LedgerError, LineError};
use super::name::Name;
use super::settings::Settings;
use super::state::{Applied, Tournament};
use crate::journal::whole_lines;

/// The version of the format.
pub const VERSION: u32 = 1;

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line<E> {
    v: u32,
    time: String,
    #[serde(flatten)]
    entry: E,
}

/// Any line, as far as all versions have it.
#[derive(Deserialize)]
struct AnyLine {
    v: u32,
}

/// The entry of the first line.
#[derive(Serialize, Deserialize)]
pub(super) struct Beginning {
    event: BeginningWord,
    #[serde(flatten)]
    settings: Settings,
    entrants: Vec<Name>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BeginningWord {
    Tournament,
}

impl Beginning {
    pub(super) fn new(settings: Settings, entrants: &[Name]) -> Beginning {
        Beginning {
            event: BeginningWord::Tournament,
            settings,
            entrants: entrants.to_vec(),
        }
    }
}

/// What is wrong with a line; the file's own numbers of lines are said elsewhere.
fn damaged(error: serde_json::Error) -> LineError {
    let text = error.to_string();
    LineError::Damaged(text.replace(" at line 1 column ", " at column "))
}

/// An entry as a line.
pub(super) fn written<E: Serialize>(entry: &E, now: SystemTime) -> io::Result<String> {
    let line = Line {
        v: VERSION,
        time: humantime::format_rfc3339_millis(now).to_string(),
        entry,
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

/// A tournament as a file tells it.
pub(super) struct Replayed {
    pub(super) tournament: Tournament,
    /// The lines, from 1, with results that stood there before.
    pub(super) duplicates: Vec<usize>,
    /// How much of the file is whole.
    pub(super) length: u64,
}

/// Tells a tournament from the lines of its file. What comes after the last end of
/// a line is left out.
pub(super) fn replay(path: &Path, bytes: &[u8]) -> Result<Replayed, LedgerError> {
    let length = whole_lines(bytes);
    let whole = bytes.get(..length).unwrap_or_default();
    let mut lines = (1..).zip(whole.split_inclusive(|&byte| byte == b'\n'));
    let located = |line| {
        move |why| LedgerError::Line {
            path: path.to_owned(),
            line,
            why,
        }
    };
    let Some((first, beginning)) = lines.next() else {
        return Err(LedgerError::NotBegun(path.to_owned()));
    };
    let mut tournament = begun(beginning).map_err(located(first))?;
    let mut duplicates = Vec::new();
    for (number, line) in lines {
        match applied(&mut tournament, line).map_err(located(number))? {
            Applied::Done => {}
            Applied::Duplicate => duplicates.push(number),
        }
    }
    Ok(Replayed {
        tournament,
        duplicates,
        length: length as u64,
    })
}

fn begun(line: &[u8]) -> Result<Tournament, LineError> {
    let Beginning {
        settings, entrants, ..
    } = parsed(line)?;
    Ok(Tournament::new(settings, &entrants)?)
}

fn applied(tournament: &mut Tournament, line: &[u8]) -> Result<Applied, LineError> {
    let event: Event = parsed(line)?;
    Ok(tournament.apply(&event)?)
}

/// The entry of a line. Its version is looked at first: what another version
/// means, nobody knows.
fn parsed<E: for<'a> Deserialize<'a>>(line: &[u8]) -> Result<E, LineError> {
    let AnyLine { v } = serde_json::from_slice(line).map_err(damaged)?;
    if v != VERSION {
        return Err(LineError::Version(v));
    }
    let line: Line<E> = serde_json::from_slice(line).map_err(damaged)?;
    Ok(line.entry)
}
