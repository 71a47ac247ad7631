//! The output of a client: results on standard output, and the rest on standard error.

use std::fmt::Display;
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

/// Standard output, or its replacement.
///
/// A match goes on if its output cannot be written: the first error is kept until
/// [`Output::finish`], and nothing is written after it.
#[derive(Debug)]
pub(crate) struct Output<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> Output<W> {
    /// Writes to `out`.
    pub(crate) fn new(out: W) -> Output<W> {
        Output { out, error: None }
    }

    /// Writes a text as it is, at once.
    pub(crate) fn write(&mut self, text: impl Display) {
        if self.error.is_none() {
            let written = write!(self.out, "{text}").and_then(|()| self.out.flush());
            self.error = written.err();
        }
    }

    /// Checks that everything could be written so far.
    ///
    /// # Errors
    /// The first error in writing.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
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
