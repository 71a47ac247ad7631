//! Commands that read and write game records.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Gothello;
use crate::gothello::Game;
use crate::gtp::failure::Failure;
use crate::gtp::response::Response;
use crate::gtp::session::Session;
use crate::sgf;

/// The largest file that is read, in bytes: room for 50 moves and many comments,
/// and too little for a file made to keep the reader busy.
const MAX_FILE: u64 = 64 * 1024;

/// Why a file could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a folder, a pipe or a device.
    #[error("it is no file")]
    NoFile,
    /// It is too large to be a game record.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// Its content is wrong.
    #[error(transparent)]
    Sgf(#[from] sgf::ReadError),
}

/// Loads the main line of a file, up to before the move of the number that is
/// given, counted from 1.
pub(super) fn loadsgf(
    session: &mut Session<Gothello>,
    path: PathBuf,
    before: Option<u32>,
) -> Result<(), Failure> {
    let moves = before.map_or(usize::MAX, |number| number.saturating_sub(1) as usize);
    match load(&path, moves) {
        Ok(game) => {
            session.played.game = game;
            session.clocks.fill();
            Ok(())
        }
        Err(reason) => Err(Failure::CannotLoad { path, reason }),
    }
}

fn load(path: &Path, moves: usize) -> Result<Game, LoadError> {
    // Anything else than a file, a pipe for instance, could keep us waiting.
    if !fs::metadata(path)?.is_file() {
        return Err(LoadError::NoFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(LoadError::TooLarge(MAX_FILE));
    }
    // Old records are not UTF-8; their moves are all the same ASCII.
    Ok(sgf::read(&String::from_utf8_lossy(&bytes), moves)?)
}

/// Writes the game to a file, or as the response.
pub(super) fn printsgf(
    game: &Game,
    path: Option<PathBuf>,
    out: &mut Response<'_>,
) -> Result<(), Failure> {
    let text = sgf::write(game);
    match path {
        None => out.words(&text),
        Some(path) => {
            save(&path, &text).map_err(|reason| Failure::CannotSave { path, reason })?;
        }
    }
    Ok(())
}

/// Writes a file. Nothing else is written to, such as a pipe that nobody reads
/// or our own standard output.
fn save(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::other("it is there and is no file"));
    }
    fs::write(path, format!("{text}\n"))
}
