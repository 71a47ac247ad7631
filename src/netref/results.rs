//! Finished matches on the disk: a record each, and a table of results.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use itertools::Itertools;

use super::game::Game;
use super::record::{Reason, Summary};
use super::side::Side;
use crate::journal::sync_folder;

/// The file with a line for each match.
pub const RESULTS: &str = "results.tsv";

/// A folder in which matches are recorded.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

impl Records {
    /// The folder, which is made if need be.
    ///
    /// # Errors
    /// It cannot be made or written to.
    pub fn new(folder: &Path) -> io::Result<Records> {
        fs::create_dir_all(folder)?;
        let records = Records {
            folder: folder.to_owned(),
        };
        let mut results = records.open_results()?;
        cut_torn_line(&mut results)?;
        Ok(records)
    }

    fn open_results(&self) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(self.folder.join(RESULTS))
    }

    /// Records a match and waits until that is on the disk.
    ///
    /// # Errors
    /// It could not be written.
    pub fn write<G: Game>(&self, summary: &Summary, record: &str) -> io::Result<()> {
        let name = format!("{}.{}", summary.id, G::RECORD_EXTENSION);
        // A crash leaves the whole file or none.
        let temporary = self.folder.join(format!(".{name}.new"));
        let mut file = File::create(&temporary)?;
        file.write_all(record.as_bytes())?;
        file.sync_all()?;
        let path = self.folder.join(name);
        fs::rename(&temporary, &path)?;
        sync_folder(&path)?;

        let mut results = self.open_results()?;
        // Two servers may share a folder.
        results.lock()?;
        let mut text = String::new();
        if results.metadata()?.len() == 0 {
            text.push_str(&header::<G>());
        }
        text.push_str(&line::<G>(summary));
        results.write_all(text.as_bytes())?;
        results.sync_all()
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
        let lines = BufReader::new(File::open(self.folder.join(RESULTS))?).lines();
        for line in lines {
            if line?.split('\t').next() == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Cuts off the beginning of a line that a crash left at the end.
fn cut_torn_line(results: &mut File) -> io::Result<()> {
    // Another server may be writing to it.
    results.lock()?;
    let mut bytes = Vec::new();
    results.read_to_end(&mut bytes)?;
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if whole < bytes.len() {
        results.set_len(whole as u64)?;
    }
    results.unlock()
}

/// The first line of the table: what the columns are.
fn header<G: Game>() -> String {
    let [first, second] = Side::ALL.map(|side| G::SIDES[side]);
    let columns = [
        "match", "date", first, second, "winner", "reason", "score", "plies",
    ];
    let times = [first, second].map(|side| format!("{side}_seconds"));
    let mut columns = columns.map(str::to_owned).into_iter().chain(times);
    columns.join("\t") + "\n"
}

/// A match in the table. Names are printable ASCII: no tab is among them.
fn line<G: Game>(summary: &Summary) -> String {
    let name = |side| {
        let name = summary.names[side].as_ref();
        name.map_or("", |name| name.as_str())
    };
    let ending = &summary.ending;
    let winner = match (ending.winner, ending.reason) {
        (Some(winner), _) => G::SIDES[winner],
        (None, Reason::Play) => "draw",
        (None, _) => "none",
    };
    let seconds = |side| format!("{:.3}", summary.spent(side).as_secs_f64());
    let columns = [
        summary.id.clone(),
        summary.date(),
        name(Side::First).to_owned(),
        name(Side::Second).to_owned(),
        winner.to_owned(),
        ending.reason.word().to_owned(),
        ending.score.clone().unwrap_or_default(),
        summary.moves.len().to_string(),
        seconds(Side::First),
        seconds(Side::Second),
    ];
    columns.join("\t") + "\n"
}
