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
    /// What went wrong; nothing more is written then.
    error: Option<io::Error>,
}

impl<W: Write> Display<W> {
    /// Writes to `out`.
    pub fn new(view: View, out: W) -> Display<W> {
        Display {
            view,
            out,
            error: None,
        }
    }

    /// Shows what is to be shown of a deed. What cannot be written is missing,
    /// and the match goes on: see [`Display::finish`].
    pub fn show(&mut self, deed: &Deed) {
        match (deed, self.view) {
            (Deed::Moved(line), View::Moves) => self.write(line, "\n"),
            (Deed::Board(drawing), View::Boards) => self.write(drawing, ""),
            (Deed::Over(ending), _) => self.write(ending, "\n"),
            (Deed::Note(text), _) => note(text),
            _ => {}
        }
    }

    /// Whether everything could be written so far.
    ///
    /// # Errors
    /// What went wrong first.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.error
            .take()
            .map_or(Ok(()), |error| Err(Error::Output(error)))
    }

    fn write(&mut self, what: &dyn std::fmt::Display, end: &str) {
        if self.error.is_none() {
            let written = write!(self.out, "{what}{end}").and_then(|()| self.out.flush());
            self.error = written.err();
        }
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
