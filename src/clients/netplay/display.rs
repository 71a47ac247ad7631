//! The output for people and programs.

use std::io::{self, Write};

use super::session::Effect;
use crate::clients::agent::{Output, View, note};

/// Writes a match as it is played, and its result.
#[derive(Debug)]
pub struct Display<W> {
    view: View,
    out: Output<W>,
}

impl<W: Write> Display<W> {
    /// Writes moves or boards, and the result, to `out`.
    pub fn new(view: View, out: W) -> Display<W> {
        Display {
            view,
            out: Output::new(out),
        }
    }

    /// Shows an effect. If it cannot be written, it is lost and the match goes on: see
    /// [`Display::finish`].
    pub fn show(&mut self, effect: &Effect) {
        match (effect, self.view) {
            (Effect::Moved(line), View::Moves) => self.out.write(format_args!("{line}\n")),
            (Effect::Board(drawing), View::Boards) => self.out.write(drawing),
            (Effect::Over(ending), _) => self.out.write(format_args!("{ending}\n")),
            (Effect::Note(text), _) => note(text),
            _ => {}
        }
    }

    /// Checks that everything could be written so far.
    ///
    /// # Errors
    /// The first error in writing.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }
}
