//! Finished matches on the disk: a record each, and a table of results.
//!
//! The table has a row for each match, and a tab between two fields, as Python's
//! `csv` reads it with `delimiter="\t"`: a field with a double quote in it stands in
//! double quotes, and each one in it is doubled. Names are the clients' own; one that
//! begins with `=`, `+`, `-`, `@` or `'` is written with a `'` before it, so that no
//! spreadsheet takes it for a formula.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use itertools::Itertools;

use super::game::Game;
use super::record::{Reason, Summary};
use crate::color::Color;
use crate::journal::{make_writable, sync_folder, write_whole};

/// The file with a line for each match.
pub const RESULTS: &str = "results.tsv";

/// How often and how long another process's lock is waited for: 2 s in all.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

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
    pub fn new<G: Game>(folder: &Path) -> io::Result<Records> {
        make_writable(folder)?;
        let records = Records {
            folder: folder.to_owned(),
        };
        records.check_header::<G>()?;
        sync_folder(&folder.join(RESULTS))?;
        Ok(records)
    }

    /// Looks whether the table, if there is one, is of this game.
    fn check_header<G: Game>(&self) -> io::Result<()> {
        let mut first = String::new();
        let results = self.lock_results()?;
        BufReader::new(&results).take(1_024).read_line(&mut first)?;
        let header = header::<G>();
        if first.is_empty() || first == header {
            return Ok(());
        }
        let old = first.trim_end_matches('\n');
        if let Some(new) = header.strip_prefix(old)
            && new.starts_with('\t')
            && old.split('\t').count() == FIRST_COLUMNS
        {
            return self.add_columns(&results, new.trim_end_matches('\n'));
        }
        let game = G::NAME;
        Err(io::Error::other(format!(
            "{RESULTS} is no table of {game}: give each game a folder of its own"
        )))
    }

    /// Adds columns to the table of an earlier version, which are empty in its
    /// rows. That version wrote names as they are: now they are written as all others,
    /// or a single quote would swallow the rows after it. The table is locked.
    fn add_columns(&self, mut results: &File, columns: &str) -> io::Result<()> {
        let mut text = String::new();
        results.rewind()?;
        results.read_to_string(&mut text)?;
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
        write_whole(&self.folder.join(RESULTS), text.as_bytes())
    }

    /// The table of results, for this process alone until it is dropped, and
    /// without the beginning of a line that a crash or a full disk left.
    fn lock_results(&self) -> io::Result<File> {
        let path = self.folder.join(RESULTS);
        loop {
            let mut results = OpenOptions::new()
                .read(true)
                .append(true)
                .create(true)
                .open(&path)?;
            lock(&results)?;
            // Whoever had the lock may have put another file in its place.
            if is_still_at(&results, &path)? {
                cut_torn_line(&mut results)?;
                return Ok(results);
            }
        }
    }

    /// Records a match and waits until that is on the disk.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write<G: Game>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let named = |error| io::Error::other(format!("{}: {error}", self.folder.display()));
        self.write_files::<G>(summary, record).map_err(named)
    }

    fn write_files<G: Game>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let name = format!("{}.{}", summary.id, G::RECORD_EXTENSION);
        write_whole(&self.folder.join(name), record.as_bytes())?;

        let mut results = self.lock_results()?;
        let length = results.metadata()?.len();
        let mut text = String::new();
        if length == 0 {
            text.push_str(&header::<G>());
        }
        text.push_str(&row::<G>(summary));
        let written = results
            .write_all(text.as_bytes())
            .and_then(|()| results.sync_all());
        if written.is_err() {
            // No half of a line, if the system lets us.
            let _ = results.set_len(length);
        }
        written
    }

    /// Records a match unless it is recorded already.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write_once<G: Game>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        if self.has_line(&summary.id)? {
            return Ok(());
        }
        self.write::<G>(summary, record)
    }

    /// Whether a match has a line in the table already.
    fn has_line(&self, id: &str) -> io::Result<bool> {
        let lines = BufReader::new(self.lock_results()?).lines();
        for line in lines {
            if line?.split('\t').next() == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Waits for other processes, which hold the lock for milliseconds.
///
/// # Errors
/// It is held for much longer.
fn lock(results: &File) -> io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match results.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::other(format!(
        "another process keeps {RESULTS} locked"
    )))
}

/// Whether a file that is open has this name.
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        let file = file.metadata()?;
        match fs::metadata(path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (file.dev(), file.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    // Elsewhere a file that is open is not replaced.
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

/// Cuts off a line that has no end, and leaves the file at its start.
fn cut_torn_line(results: &mut File) -> io::Result<()> {
    let mut length = results.seek(SeekFrom::End(0))?;
    let whole = length;
    while length > 0 {
        results.seek(SeekFrom::Start(length - 1))?;
        let mut byte = [0];
        results.read_exact(&mut byte)?;
        if byte == *b"\n" {
            break;
        }
        length -= 1;
    }
    if length < whole {
        results.set_len(length)?;
    }
    results.rewind()
}

/// How many columns the table had at first.
const FIRST_COLUMNS: usize = 10;

/// Which columns hold the players' names.
const NAMES: [usize; 2] = [2, 3];

/// The first line of the table: what the columns are.
fn header<G: Game>() -> String {
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
pub(super) fn row<G: Game>(summary: &Summary) -> String {
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
