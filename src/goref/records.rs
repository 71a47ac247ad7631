//! Finished games on the disk: two files each, and a table of all.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::effects::Finished;
use super::entry::GameId;
use crate::journal::{LineFile, make_writable, write_whole};

/// The table: a line of JSON for each game.
const TABLE: &str = "games.jsonl";

/// A folder with finished games.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    table: LineFile,
    /// The games that are in the table.
    known: HashSet<u64>,
}

/// What is read again of a line.
#[derive(Deserialize)]
struct Known {
    game: u64,
}

impl Records {
    /// Opens the records in a folder, and makes them if need be. The beginning of
    /// a line that a crash left is cut off.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub(super) fn open(folder: &Path) -> io::Result<Records> {
        let games = folder.join("games");
        make_writable(&games)?;
        let path = folder.join(TABLE);
        let table = LineFile::open_or_create(&path, Duration::ZERO)?
            .keep_whole_lines()?
            .file;
        let mut known = HashSet::new();
        for (number, line) in (1..).zip(table.reader()?.split(b'\n')) {
            let row: Known = serde_json::from_slice(&line?).map_err(|error| {
                io::Error::other(format!("{}, line {number}: {error}", path.display()))
            })?;
            known.insert(row.game);
        }
        Ok(Records {
            folder: games,
            table,
            known,
        })
    }

    /// A number above those of all games here.
    pub(super) fn next(&self) -> GameId {
        GameId(
            self.known
                .iter()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
        )
    }

    /// Records a game, and waits until that is on the disk. One that is there
    /// already is not recorded twice.
    ///
    /// # Errors
    /// It could not be written.
    pub(super) fn add(&mut self, finished: &Finished) -> io::Result<()> {
        let name = finished.file_name();
        let record = format!("{name}.sgf");
        write_whole(&self.folder.join(&record), finished.sgf().as_bytes())?;
        let archive = finished.archive()?;
        write_whole(
            &self.folder.join(format!("{name}.json")),
            archive.as_bytes(),
        )?;
        if self.known.contains(&finished.game.0) {
            return Ok(());
        }
        let mut line = serde_json::to_string(&finished.row(&record))?;
        line.push('\n');
        self.table.append(&line)?;
        self.known.insert(finished.game.0);
        Ok(())
    }
}
