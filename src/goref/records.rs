//! What is kept of games that are over.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::game::{FinishedGame, GameId};
use crate::journal::{LineFile, make_writable, write_whole};

/// The table of games: a line of JSON for each.
const TABLE: &str = "games.jsonl";

/// The records of games: two files each, and a table of all.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    table: LineFile,
    /// The games in the table.
    known: HashSet<u64>,
}

/// The parts of a line of the table that are read.
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
    pub fn open(folder: &Path) -> io::Result<Records> {
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

    /// Returns a number above those of all recorded games.
    pub fn next(&self) -> GameId {
        GameId(
            self.known
                .iter()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
        )
    }

    /// Records a game, and waits until the record is on the disk. A game is recorded only
    /// once.
    ///
    /// # Errors
    /// It could not be written.
    pub fn add(&mut self, finished: &FinishedGame) -> io::Result<()> {
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
