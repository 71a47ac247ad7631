//! Splitting the bytes of a socket into lines.

use std::collections::VecDeque;

/// The maximum length of a line in bytes, without its end.
pub const MAX_LINE: usize = 1_024;

/// A line received from a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line of printable ASCII and tabs.
    Text(String),
    /// A line with some other byte in it.
    NotPrintable,
    /// A line of more than [`MAX_LINE`] bytes.
    TooLong,
}

/// Splits a stream of bytes into lines, however it arrives in pieces.
///
/// A line ends with CR, LF or CR LF. Empty lines are skipped, and with them the
/// LF of CR LF. A line without an end is not returned: it may be the first half of
/// a move. At most [`MAX_LINE`] bytes of a line are kept.
///
/// ```
/// use gothello::contests::netref::{Line, Lines};
/// let mut lines = Lines::default();
/// lines.push(b"1 c3\r\n2 d");
/// assert_eq!(lines.next(), Some(Line::Text("1 c3".into())));
/// assert_eq!(lines.next(), None);
/// lines.push(b"4\r");
/// assert_eq!(lines.next(), Some(Line::Text("2 d4".into())));
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    /// Received bytes.
    unread: VecDeque<u8>,
    /// The line that has begun, cut off at [`MAX_LINE`].
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    /// Appends received bytes. Call [`Lines::next`] until it returns `None` before
    /// the next call; the memory is then bounded by the size of one piece.
    pub fn push(&mut self, bytes: &[u8]) {
        self.unread.extend(bytes);
    }

    /// Returns what has come of a line whose end has not. Call [`Lines::next`] until it returns `None`
    /// before.
    pub fn begun(&self) -> &[u8] {
        &self.line
    }

    /// Ends the line that has begun, and returns it unless it is empty.
    fn end_line(&mut self) -> Option<Line> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            return Some(Line::TooLong);
        }
        if line.is_empty() {
            return None;
        }
        let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t');
        Some(match String::from_utf8(line) {
            Ok(text) if text.as_bytes().iter().all(printable) => Line::Text(text),
            _ => Line::NotPrintable,
        })
    }
}

impl Iterator for Lines {
    type Item = Line;

    /// Returns the next whole line, if there is one.
    fn next(&mut self) -> Option<Line> {
        while let Some(byte) = self.unread.pop_front() {
            match byte {
                b'\r' | b'\n' => {
                    if let Some(line) = self.end_line() {
                        return Some(line);
                    }
                }
                _ if self.line.len() == MAX_LINE => self.too_long = true,
                _ => self.line.push(byte),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lines of a stream that comes in these pieces.
    fn lines<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece);
            found.extend(&mut lines);
        }
        found
    }

    fn text(text: &str) -> Line {
        Line::Text(text.into())
    }

    #[test]
    fn every_end_of_line_ends_a_line_and_empty_lines_are_skipped() {
        let stream: &[u8] = b"\r\r\na\rb\nc\r\nd\r\re\n\nf\n\r";
        assert_eq!(lines([stream]), ["a", "b", "c", "d", "e", "f"].map(text));
    }

    #[test]
    fn an_unterminated_line_is_not_returned() {
        assert!(lines([&b"1 c"[..]]).is_empty());
    }

    #[test]
    fn a_line_has_1024_bytes_at_most_and_the_next_one_is_read() {
        let most = "x".repeat(MAX_LINE);
        let stream = format!("{most}\r{most}y\r{}\r1 c3\r", "z".repeat(100_000));
        let found = lines([stream.as_bytes()]);
        assert_eq!(
            found,
            [text(&most), Line::TooLong, Line::TooLong, text("1 c3")]
        );
    }

    #[test]
    fn only_printable_ascii_and_tabs_are_text() {
        let found = lines([&b"1\tc3\r1 \xc3\xa4\r1 \x00\r\xff\r\x7f\rok\r"[..]]);
        let bad = Line::NotPrintable;
        assert_eq!(
            found,
            [
                text("1\tc3"),
                bad.clone(),
                bad.clone(),
                bad.clone(),
                bad,
                text("ok")
            ]
        );
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_stream_is_cut(
            stream in proptest::collection::vec(
                prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'a'), any::<u8>()], 0..200),
            size in 1_usize..20,
        ) {
            let naive: Vec<Vec<u8>> = stream
                .split_inclusive(|byte| b"\r\n".contains(byte))
                .filter(|line| line.ends_with(b"\r") || line.ends_with(b"\n"))
                .map(|line| line[..line.len() - 1].to_vec())
                .filter(|line| !line.is_empty())
                .collect();
            let whole = lines([stream.as_slice()]);
            prop_assert_eq!(&lines(stream.chunks(size)), &whole);
            prop_assert_eq!(whole.len(), naive.len());
            for (found, expected) in whole.into_iter().zip(naive) {
                if let Line::Text(text) = found {
                    prop_assert_eq!(text.into_bytes(), expected);
                }
            }
        }
    }
}
