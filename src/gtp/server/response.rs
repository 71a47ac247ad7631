//! Responses, which are written directly into the output buffer, and failures.

use std::fmt::{self, Write};
use std::io;

use thiserror::Error;

use super::input::MAX_LINE;
use super::request::Id;

/// The maximum length of an error message, in characters.
const MAX_ERROR_MESSAGE: usize = 500;

/// The text of one response while it is written.
///
/// It begins as a success (`=` and the id, if the request had one); [`Response::fail`]
/// turns it into a failure. The text must not contain an empty line, which would end the
/// response.
pub struct Response<'a> {
    output: &'a mut Vec<u8>,
    /// The offset of the response in `output`.
    start: usize,
    id: Option<Id>,
}

impl<'a> Response<'a> {
    /// Begins a successful response at the end of `output`.
    #[inline]
    pub fn begin(output: &'a mut Vec<u8>, id: Option<Id>) -> Response<'a> {
        let start = output.len();
        let mut response = Response { output, start, id };
        response.head(b'=');
        response
    }

    /// Writes the sign, the id and a space. The space is always there, because
    /// GoGui takes the text after the first one.
    #[inline]
    fn head(&mut self, sign: u8) {
        self.output.push(sign);
        if let Some(id) = self.id {
            self.text(format_args!("{id}"));
        }
        self.output.push(b' ');
    }

    /// Replaces everything written so far by a failure with an error message. The message
    /// may quote user input or a file, so it is reduced to one line of bounded length.
    pub fn fail(&mut self, message: impl fmt::Display) {
        self.output.truncate(self.start);
        self.head(b'?');
        let message = message.to_string();
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let line: String = message
            .chars()
            .take(MAX_ERROR_MESSAGE)
            .map(printable)
            .collect();
        self.push_str(line.trim_end());
        if message.chars().nth(MAX_ERROR_MESSAGE).is_some() {
            self.push_str("...");
        }
    }

    /// Ends the response with an empty line.
    #[inline]
    pub fn end(self) {
        self.output.extend_from_slice(b"\n\n");
    }

    /// Writes formatted text.
    pub fn text(&mut self, text: fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.write_fmt(text);
    }

    /// Writes ASCII characters: the fast path for points.
    #[inline]
    pub fn ascii<const N: usize>(&mut self, chars: [char; N]) {
        let mut bytes = [0; N];
        let mut place = 0;
        // `array::map` is not inlined across codegen units.
        while place < N {
            bytes[place] = chars[place] as u8;
            place += 1;
        }
        self.output.extend_from_slice(&bytes);
    }

    /// Writes text as it is.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }
}

impl Write for Response<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// The reason why a request fails. Displays the error message, in the words of the GTP version
/// 2 draft where it has any.
#[derive(Debug, Error)]
pub enum Failure {
    /// There is no such command.
    #[error("unknown command")]
    UnknownCommand,
    /// Wrong arguments.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The line is longer than [`MAX_LINE`].
    #[error("line too long: the limit is {MAX_LINE} bytes")]
    LineTooLong,
    /// A board size that the game does not have.
    #[error("unacceptable size")]
    UnacceptableSize,
    /// A move out of turn or against the rules, or a point off the board.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// A set-up of stones that is not a legal position.
    #[error("illegal position: {0}")]
    IllegalPosition(String),
    /// A position was requested after the game ended.
    #[error("the game is over and has no position")]
    NoPosition,
    /// More moves would be taken back than were made.
    #[error("cannot undo")]
    CannotUndo,
    /// The player has no strength levels.
    #[error("this player has no levels")]
    NoLevels,
    /// The processor time is not available.
    #[error("cannot measure the processor time: {0}")]
    CpuTime(io::Error),
    /// A game record that cannot be read or written, or is invalid.
    #[error("{0}")]
    File(String),
}
