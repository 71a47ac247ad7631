//! Responses, written straight into the output buffer.

use std::fmt::{self, Write};

use super::request::Id;

/// The longest reason of a failure, in characters.
const MAX_REASON: usize = 500;

/// The text of one response while it is written.
///
/// It begins as a success (`=` and the number, if the request had one) and
/// becomes a failure by [`Response::fail`]. Whoever writes to it leaves no
/// empty line, which would end it.
pub struct Response<'a> {
    output: &'a mut Vec<u8>,
    /// Where the response starts.
    start: usize,
    id: Option<Id>,
}

impl<'a> Response<'a> {
    /// Begins a response at the end of `output`.
    pub fn begin(output: &'a mut Vec<u8>, id: Option<Id>) -> Response<'a> {
        let start = output.len();
        let mut response = Response { output, start, id };
        response.head(b'=');
        response
    }

    /// Writes the sign, the number and the space: always the space, because
    /// GoGui's text starts after the first one.
    fn head(&mut self, sign: u8) {
        self.output.push(sign);
        if let Some(id) = self.id {
            self.text(format_args!("{id}"));
        }
        self.output.push(b' ');
    }

    /// Replaces all that was written by a failure. The reason may quote what a
    /// person or a file said: it becomes one line of bounded length.
    pub fn fail(&mut self, reason: impl fmt::Display) {
        self.output.truncate(self.start);
        self.head(b'?');
        let reason = reason.to_string();
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let line: String = reason.chars().take(MAX_REASON).map(printable).collect();
        self.words(line.trim_end());
        if reason.chars().nth(MAX_REASON).is_some() {
            self.words("...");
        }
    }

    /// Ends the response.
    pub fn end(self) {
        self.output.extend_from_slice(b"\n\n");
    }

    /// Writes text.
    pub fn text(&mut self, text: fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.write_fmt(text);
    }

    /// Writes characters of ASCII, as fast as it goes.
    #[inline]
    pub(super) fn ascii<const N: usize>(&mut self, chars: [char; N]) {
        self.output.extend(chars.map(|c| c as u8));
    }

    /// Writes words as they are.
    pub fn words(&mut self, words: &str) {
        self.output.extend_from_slice(words.as_bytes());
    }
}

impl Write for Response<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.words(text);
        Ok(())
    }
}
