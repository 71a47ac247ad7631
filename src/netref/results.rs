//! Finished matches on the disk: a record each, and a table of results.
//!
//! The table has a row for each match, and a tab between two fields, as Python's
//! `csv` reads it with `delimiter="\t"`: a field with a double quote in it stands in
//! double quotes, and each one in it is doubled. Names are the clients' own; one that
//! begins with `=`, `+`, `-`, `@` or `'` is written with a `'` before it, so that no
//! spreadsheet takes it for a formula.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use itertools::Itertools;

use super::game::NetrefGame;
use super::record::{Reason, Summary};
use crate::color::Color;
use crate::journal::{LineFile, LineFileError, make_writable, write_whole};

/// The file with a line for each match.
pub const RESULTS: &str = "results.tsv";

/// How long to wait for another process that writes the table. It needs milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A folder in which matches are recorded.
#[derive(Clone, Debug)]
pub struct Records {
    pub(super) folder: PathBuf,
}

impl Records {
    /// The folder, which is made if need be.
    ///
    /// # Errors
    /// It cannot be made or written to, or holds the results of another game.
    pub fn new<G: NetrefGame>(folder: &Path) -> io::Result<Records> {
        make_writable(folder)?;
        let records = Records {
            folder: folder.to_owned(),
        };
        records.check_header::<G>()?;
        Ok(records)
    }

    /// Looks whether the table, if there is one, is of this game.
    fn check_header<G: NetrefGame>(&self) -> io::Result<()> {
        let mut first = String::new();
        let mut results = self.open_results()?;
        results.reader()?.take(1_024).read_line(&mut first)?;
        let header = header::<G>();
        if first.is_empty() || first == header {
            return Ok(());
        }
        let old = first.trim_end_matches('\n');
        if let Some(new) = header.strip_prefix(old)
            && new.starts_with('\t')
            && old.split('\t').count() == FIRST_COLUMNS
        {
            return add_columns(&mut results, new.trim_end_matches('\n'));
        }
        let game = G::NAME;
        Err(io::Error::other(format!(
            "{RESULTS} is no table of {game}: give each game a folder of its own"
        )))
    }

    /// Opens the table of results, for this process alone until it is dropped.
    fn open_results(&self) -> io::Result<LineFile> {
        let opened = LineFile::open_or_create(&self.folder.join(RESULTS), LOCK_WAIT);
        let unchecked = opened.map_err(|error| match error {
            LineFileError::Locked => {
                io::Error::other(format!("another process keeps {RESULTS} locked"))
            }
            other => other.into(),
        })?;
        Ok(unchecked.keep_whole_lines()?.file)
    }

    /// Records a match and waits until that is on the disk.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let named = |error| io::Error::other(format!("{}: {error}", self.folder.display()));
        self.write_files::<G>(summary, record).map_err(named)
    }

    fn write_files<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let name = format!("{}.{}", summary.id, G::RECORD_EXTENSION);
        write_whole(&self.folder.join(name), record.as_bytes())?;

        let mut results = self.open_results()?;
        let mut text = String::new();
        if results.is_empty() {
            text.push_str(&header::<G>());
        }
        text.push_str(&row::<G>(summary));
        results.append(&text)
    }

    /// Records a match unless it is recorded already.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write_once<G: NetrefGame>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        if self.has_line(&summary.id)? {
            return Ok(());
        }
        self.write::<G>(summary, record)
    }

    /// Whether a match has a line in the table already.
    fn has_line(&self, id: &str) -> io::Result<bool> {
        for line in self.open_results()?.reader()?.lines() {
            if line?.split('\t').next() == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Adds columns to the table of an earlier version, which are empty in its rows. That
/// version wrote names as they are. Now they are quoted as in all other rows, or a single
/// quote would swallow the rows after it.
fn add_columns(results: &mut LineFile, columns: &str) -> io::Result<()> {
    let mut text = String::new();
    results.reader()?.read_to_string(&mut text)?;
    let empty: String = columns.chars().filter(|&c| c == '\t').collect();
    let mut lines = text.lines();
    let header = lines.next().map(|header| format!("{header}{columns}\n"));
    let rows = lines.map(|row| {
        let fields = row.split('\t').enumerate();
        let mut fields = fields.map(|(at, text)| match at {
            _ if NAMES.contains(&at) => field(text),
            _ => text.to_owned(),
        });
        let row = fields.join("\t");
        format!("{row}{empty}\n")
    });
    let text: String = header.into_iter().chain(rows).collect();
    results.replace(&text)
}

/// How many columns the table had at first.
const FIRST_COLUMNS: usize = 10;

/// Which columns hold the players' names.
const NAMES: [usize; 2] = [2, 3];

/// The first line of the table: what the columns are.
fn header<G: NetrefGame>() -> String {
    let [first, second] = Color::ALL.map(|side| G::SIDES[side]);
    let columns = [
        "match", "date", first, second, "winner", "reason", "score", "plies",
    ];
    let more = ["seconds", "client", "address"]
        .into_iter()
        .flat_map(|what| [first, second].map(|side| format!("{side}_{what}")));
    let mut columns = columns.map(str::to_owned).into_iter().chain(more);
    columns.join("\t") + "\n"
}

/// A match in the table.
pub(super) fn row<G: NetrefGame>(summary: &Summary) -> String {
    let player = |side: Color| &summary.players[side];
    let name = |side| {
        let name = player(side).name.as_ref();
        name.map_or_else(String::new, |name| field(name.as_str()))
    };
    let ending = &summary.ending;
    let winner = match (ending.winner, ending.reason) {
        (Some(winner), _) => G::SIDES[winner],
        (None, Reason::Play | Reason::Agreement) => "draw",
        (None, _) => "none",
    };
    let seconds = |side| format!("{:.3}", summary.spent(side).as_secs_f64());
    let client = |side| player(side).client.map(|client| client.conn.to_string());
    let address = |side| Some(player(side).client?.address?.to_string());
    let columns = [
        summary.id.clone(),
        summary.date(),
        name(Color::Black),
        name(Color::White),
        winner.to_owned(),
        ending.reason.word().to_owned(),
        ending.score.clone().unwrap_or_default(),
        summary.moves.len().to_string(),
        seconds(Color::Black),
        seconds(Color::White),
        client(Color::Black).unwrap_or_default(),
        client(Color::White).unwrap_or_default(),
        address(Color::Black).unwrap_or_default(),
        address(Color::White).unwrap_or_default(),
    ];
    columns.join("\t") + "\n"
}

/// A name as a field of the table. It is printable ASCII: neither a tab nor the end
/// of a line is in it.
fn field(name: &str) -> String {
    let is_formula = name.starts_with(['=', '+', '-', '@', '\'']);
    let text = format!("{}{name}", if is_formula { "'" } else { "" });
    if text.contains('"') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
