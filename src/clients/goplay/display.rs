//! The output of the client: results on standard output, everything else on standard error.

use std::io::{self, Write};

use super::session::Effect;
use crate::clients::agent::{Output, View, note};

/// Shows games as they are played, and their results.
#[derive(Debug)]
pub struct Display<W> {
    view: View,
    out: Output<W>,
}

impl<W: Write> Display<W> {
    /// Writes results to `out`, and moves or boards to standard error.
    pub fn new(view: View, out: W) -> Display<W> {
        Display {
            view,
            out: Output::new(out),
        }
    }

    /// Shows an effect. If a result cannot be written, it is lost and the games go on:
    /// see [`Display::finish`].
    pub fn show(&mut self, effect: &Effect) {
        match (effect, self.view) {
            (Effect::Moved(line), View::Moves) => note(line),
            (Effect::Board(drawing), View::Boards) => note(drawing),
            (Effect::Over(finished), _) => self.out.write(format_args!("{finished}\n")),
            (Effect::Note(text), _) => note(text),
            (Effect::Moved(_) | Effect::Board(_) | Effect::Send(_), _) => {}
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
