//! What people and programs get to see.

use std::io::{self, Write};

use super::deed::Deed;
use super::error::Error;

/// What is written of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The moves, a line each.
    Moves,
    /// The board after each move.
    Boards,
}

/// Writes a match as it is played, and its result.
#[derive(Debug)]
pub struct Display<W> {
    view: View,
    out: W,
}

impl<W: Write> Display<W> {
    /// Writes to `out`.
    pub fn new(view: View, out: W) -> Display<W> {
        Display { view, out }
    }

    /// Shows what is to be shown of a deed.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn show(&mut self, deed: &Deed) -> Result<(), Error> {
        match (deed, self.view) {
            (Deed::Moved(line), View::Moves) => self.write(line, "\n"),
            (Deed::Board(drawing), View::Boards) => self.write(drawing, ""),
            (Deed::Over(ending), _) => self.write(ending, "\n"),
            (Deed::Note(text), _) => {
                note(text);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn write(&mut self, what: &dyn std::fmt::Display, end: &str) -> Result<(), Error> {
        write!(self.out, "{what}{end}")
            .and_then(|()| self.out.flush())
            .map_err(Error::Output)
    }
}

/// Tells people something on standard error.
pub(super) fn note(text: &str) {
    // Where nobody can be told, the match goes on all the same.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Asks a person something on standard error, and stays on the line.
pub(super) fn prompt(text: &str) {
    let mut error = io::stderr();
    let _ = write!(error, "{text}").and_then(|()| error.flush());
}
