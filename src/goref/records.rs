//! Finished games on the disk: two files each, and a table of all.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::effects::Finished;
use super::entry::GameId;
use crate::journal::{make_writable, sync_folder, write_whole};

/// The table: a line of JSON for each game.
const TABLE: &str = "games.jsonl";

/// A folder with finished games.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    table: File,
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
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes?,
        };
        // It may be torn in the middle of a character.
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let lines = lines.filter(|line| line.ends_with(b"\n"));
        let whole: usize = lines.clone().map(<[u8]>::len).sum();
        let mut known = HashSet::new();
        for (number, line) in (1..).zip(lines) {
            let row: Known = serde_json::from_slice(line).map_err(|error| {
                io::Error::other(format!("{}, line {number}: {error}", path.display()))
            })?;
            known.insert(row.game);
        }
        let table = OpenOptions::new().append(true).create(true).open(&path)?;
        if whole < bytes.len() {
            table.set_len(whole as u64)?;
        }
        table.sync_all()?;
        sync_folder(&path)?;
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
        let length = self.table.metadata()?.len();
        let written = self
            .table
            .write_all(line.as_bytes())
            .and_then(|()| self.table.sync_data());
        if written.is_err() {
            // What was written in part must not stand before what follows.
            let _ = self.table.set_len(length);
        }
        written?;
        self.known.insert(finished.game.0);
        Ok(())
    }
}
