//! The output of a client: results on standard output, and the rest on standard error.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use derive_more::Debug;

/// The part of a game to show as it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The moves, one on each line.
    Moves,
    /// The board after each move.
    Boards,
}

/// An effect of a client's session, to be performed in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect<Request, Ending> {
    /// Send this to the server.
    Send(Request),
    /// Write this to standard error.
    Note(String),
    /// A move was made: its text.
    Moved(String),
    /// The board has changed: its drawing.
    Board(String),
    /// A game is over.
    Over(Ending),
}

/// Shows games as they are played, and their results.
///
/// A game goes on if its output cannot be written: the first error is kept until
/// [`Display::finish`], and nothing is written after it.
#[derive(Debug)]
pub struct Display<W> {
    view: View,
    out: W,
    error: Option<io::Error>,
    /// Whether moves and boards go to standard error.
    only_results: bool,
}

impl<W: Write> Display<W> {
    /// Writes moves or boards, and results, to `out`, which is standard output or its replacement.
    pub fn new(view: View, out: W) -> Display<W> {
        Display {
            view,
            out,
            error: None,
            only_results: false,
        }
    }

    /// Writes results to `out`, and moves or boards to standard error.
    pub fn of_results(view: View, out: W) -> Display<W> {
        Display {
            only_results: true,
            ..Display::new(view, out)
        }
    }

    /// Shows an effect.
    pub fn show<R, E: fmt::Display>(&mut self, effect: &Effect<R, E>) {
        match (effect, self.view) {
            (Effect::Note(text), _) => note(text),
            (Effect::Moved(text), View::Moves) | (Effect::Board(text), View::Boards)
                if self.only_results =>
            {
                note(text);
            }
            (Effect::Moved(line), View::Moves) => self.write(format_args!("{line}\n")),
            (Effect::Board(drawing), View::Boards) => self.write(drawing),
            (Effect::Over(ending), _) => self.write(format_args!("{ending}\n")),
            (Effect::Send(_) | Effect::Moved(_) | Effect::Board(_), _) => {}
        }
    }

    /// Writes a text as it is, at once.
    fn write(&mut self, text: impl fmt::Display) {
        if self.error.is_none() {
            let written = write!(self.out, "{text}").and_then(|()| self.out.flush());
            self.error = written.err();
        }
    }

    /// Checks that everything could be written so far.
    ///
    /// # Errors
    /// The first error in writing.
    pub fn finish(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Writes a line to standard error.
pub(crate) fn note(text: &str) {
    // The game goes on even if standard error is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The destination of an agent's messages: standard error by default.
#[derive(Clone, Debug)]
#[debug("Notes")]
pub struct Notes(Arc<dyn Fn(&str) + Send + Sync>);

impl Notes {
    /// Passes each message to this function.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Notes {
        Notes(Arc::new(write))
    }

    /// Writes a message.
    pub(super) fn note(&self, text: &str) {
        (self.0)(text);
    }
}

impl Default for Notes {
    fn default() -> Notes {
        Notes::new(note)
    }
}

/// Formats a time in minutes and seconds, such as `1:05`, rounded up as on the page of the
/// servers: a clock shows 0:00 only when the flag has fallen.
pub(crate) fn clock_text(left: Duration) -> String {
    let part = u64::from(left.subsec_nanos() > 0);
    let seconds = left.as_secs().saturating_add(part);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Draws a row of a board: the mark of each point after a blank, and the last stone in
/// parentheses.
pub(crate) fn marked_row(points: impl IntoIterator<Item = (char, bool)>) -> String {
    let mut text = String::new();
    let mut after = ' ';
    for (mark, is_last) in points {
        text.push(if is_last { '(' } else { after });
        text.push(mark);
        after = if is_last { ')' } else { ' ' };
    }
    text.push(after);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_rounded_up() {
        let text = |ms| clock_text(Duration::from_millis(ms));
        assert_eq!(
            [0, 1, 1_000, 64_001].map(text),
            ["0:00", "0:01", "0:01", "1:05"]
        );
    }
}
