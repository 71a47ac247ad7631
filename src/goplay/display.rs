//! The output of the client: results on standard output, everything else on standard error.

use std::io::{self, Write};

use super::session::Effect;
use crate::agent::{Output, note};

/// Shows games as they are played, and their results.
#[derive(Debug)]
pub struct Display<W> {
    /// Whether boards are shown instead of moves.
    boards: bool,
    out: Output<W>,
}

impl<W: Write> Display<W> {
    /// Writes results to `out`, and moves, or instead of them `boards`, to standard
    /// error.
    pub fn new(boards: bool, out: W) -> Display<W> {
        Display {
            boards,
            out: Output::new(out),
        }
    }

    /// Shows an effect. If a result cannot be written, it is lost and the games go on:
    /// see [`Display::finish`].
    pub fn show(&mut self, effect: &Effect) {
        match effect {
            Effect::Moved(line) if !self.boards => note(line),
            Effect::Board(drawing) if self.boards => note(drawing),
            Effect::Over(finished) => self.out.write(format_args!("{finished}\n")),
            Effect::Note(text) => note(text),
            Effect::Moved(_) | Effect::Board(_) | Effect::Send(_) => {}
        }
    }

    /// Ends the display.
    ///
    /// # Errors
    /// The first error in writing a result.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }
}
