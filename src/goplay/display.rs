//! What people and programs get to see: results on standard output, everything
//! else on standard error.

use std::io::{self, Write};

use super::deed::Deed;
use super::error::Error;

/// Shows games as they are played, and their results.
#[derive(Debug)]
pub struct Display<W> {
    /// Whether boards are shown, or else moves.
    boards: bool,
    out: W,
    /// What went wrong; nothing more is written then.
    error: Option<io::Error>,
}

impl<W: Write> Display<W> {
    /// Writes results to `out`, and to standard error moves, or `boards` instead.
    pub fn new(boards: bool, out: W) -> Display<W> {
        Display {
            boards,
            out,
            error: None,
        }
    }

    /// Shows what is to be shown of a deed. A result that cannot be written is
    /// missing, and the games go on: see [`Display::finish`].
    pub(super) fn show(&mut self, deed: &Deed) {
        match deed {
            Deed::Moved(line) if !self.boards => note(line),
            Deed::Board(drawing) if self.boards => note(drawing),
            Deed::Over(finished) => self.write(finished),
            Deed::Note(text) => note(text),
            Deed::Moved(_) | Deed::Board(_) | Deed::Send(_) => {}
        }
    }

    /// Whether everything could be written so far.
    ///
    /// # Errors
    /// What went wrong first.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.error
            .take()
            .map_or(Ok(()), |error| Err(Error::Output(error)))
    }

    fn write(&mut self, what: &dyn std::fmt::Display) {
        if self.error.is_none() {
            let written = writeln!(self.out, "{what}").and_then(|()| self.out.flush());
            self.error = written.err();
        }
    }
}

/// Tells people something on standard error.
pub(super) fn note(text: &str) {
    // Where nobody can be told, the game goes on all the same.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Asks a person something on standard error, and stays on the line.
pub(super) fn prompt(text: &str) {
    let mut error = io::stderr();
    let _ = write!(error, "{text}").and_then(|()| error.flush());
}
