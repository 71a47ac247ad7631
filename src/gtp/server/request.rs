//! The syntax of a line: preprocessing, and the parts of a request.
//!
//! Source: Specification of the Go Text Protocol, version 2, draft 2, sections
//! 2.5 (commands and their identity numbers) and 3.1 (preprocessing).

use std::borrow::Cow;

use nom::bytes::complete::take_till1;
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{eof, map_res, opt, peek, rest};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

/// The optional number of a request, which its response repeats: 0 to 2³¹-1
/// in the draft, any 32-bit number here.
pub type Id = u32;

/// The byte order mark in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The parts of a request, whatever its command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The identity number, if there is one.
    pub id: Option<Id>,
    /// The name of the command; empty if there is only a number.
    pub name: &'a str,
    /// Everything after the name, without white space around it.
    pub arguments: &'a str,
}

impl<'a> Request<'a> {
    /// Splits a preprocessed line into its parts; returns `None` if it is blank.
    ///
    /// ```
    /// use gothello::gtp::server::Request;
    /// let request = Request::parse("12 play b c3").unwrap();
    /// assert_eq!((request.id, request.name, request.arguments), (Some(12), "play", "b c3"));
    /// assert_eq!(Request::parse("  "), None);
    /// ```
    pub fn parse(line: &'a str) -> Option<Request<'a>> {
        // The parser accepts any text, so it cannot fail.
        let (_, request) = request(line).ok()?;
        (request.id.is_some() || !request.name.is_empty()).then_some(request)
    }
}

fn request(line: &str) -> IResult<&str, Request<'_>> {
    let mut parts = (
        preceded(space0, opt(id)),
        opt(word),
        preceded(space0, rest).map(str::trim_end),
    )
        .map(|(id, name, arguments)| Request {
            id,
            name: name.unwrap_or_default(),
            arguments,
        });
    parts.parse(line)
}

/// Parses a number that is a word of its own and fits into 32 bits.
fn id(input: &str) -> IResult<&str, Id> {
    let number = terminated(digit1, peek(space1.or(eof)));
    terminated(map_res(number, str::parse), space0).parse(input)
}

/// Parses the next word and the white space around it.
pub fn word(input: &str) -> IResult<&str, &str> {
    delimited(space0, take_till1(|c| c == ' '), space0).parse(input)
}

/// Preprocesses a line as the draft demands (section 3.1): removes control
/// characters and comments (from `#` on), and replaces tabs by spaces. Bytes that
/// are not UTF-8 are replaced by U+FFFD. A byte order mark, with which some programs and
/// editors begin a text, is not part of the line.
pub fn preprocess(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let line = match line.iter().position(|&byte| byte == b'#') {
        Some(comment) => &line[..comment],
        None => line,
    };
    // A carriage return at the end is common enough to avoid the copy.
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        let clean = text.chars().filter_map(|c| match c {
            '\t' => Some(' '),
            _ => (!c.is_ascii_control()).then_some(c),
        });
        Cow::Owned(clean.collect())
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &[u8]) -> Option<(Option<Id>, String, String)> {
        let text = preprocess(line);
        let Request {
            id,
            name,
            arguments,
        } = Request::parse(&text)?;
        Some((id, name.into(), arguments.into()))
    }

    fn request(
        id: Option<Id>,
        name: &str,
        arguments: &str,
    ) -> Option<(Option<Id>, String, String)> {
        Some((id, name.into(), arguments.into()))
    }

    #[test]
    fn a_number_is_optional() {
        assert_eq!(parts(b"name"), request(None, "name", ""));
        assert_eq!(parts(b"1 name"), request(Some(1), "name", ""));
        assert_eq!(parts(b"007 name"), request(Some(7), "name", ""));
        assert_eq!(parts(b"7"), request(Some(7), "", ""));
        assert_eq!(
            parts(b"2147483647 name"),
            request(Some(2_147_483_647), "name", "")
        );
    }

    #[test]
    fn a_word_that_is_not_a_number_is_a_name() {
        assert_eq!(parts(b"1name"), request(None, "1name", ""));
        assert_eq!(parts(b"-1 name"), request(None, "-1", "name"));
        assert_eq!(
            parts(b"99999999999 name"),
            request(None, "99999999999", "name")
        );
    }

    #[test]
    fn white_space_and_control_characters_do_not_count() {
        assert_eq!(
            parts(b"\t 1\t play  b\tc3 \r"),
            request(Some(1), "play", "b c3")
        );
        assert_eq!(
            parts(b"pl\x01ay\0 b\x7f c3\x1b"),
            request(None, "play", "b c3")
        );
        assert_eq!(parts(b"na\rme\r"), request(None, "name", ""));
    }

    #[test]
    fn a_comment_ends_the_line() {
        assert_eq!(parts(b"name # 1"), request(None, "name", ""));
        assert_eq!(parts(b"play b c3#d4"), request(None, "play", "b c3"));
        for nothing in [&b"# name"[..], b"", b" \t\r", b"\x01", b"  # 7 name"] {
            assert_eq!(parts(nothing), None);
        }
    }

    #[test]
    fn a_byte_order_mark_does_not_count() {
        assert_eq!(parts(b"\xef\xbb\xbfname\r"), request(None, "name", ""));
        assert_eq!(parts(b"\xef\xbb\xbf7 name"), request(Some(7), "name", ""));
        for nothing in [&b"\xef\xbb\xbf"[..], b"\xef\xbb\xbf# name"] {
            assert_eq!(parts(nothing), None);
        }
        // Elsewhere it is a character.
        assert_eq!(
            parts(b"na\xef\xbb\xbfme"),
            request(None, "na\u{feff}me", "")
        );
    }

    #[test]
    fn other_bytes_are_replaced() {
        assert_eq!(
            parts(b"na\xffme \xc3\xa9"),
            request(None, "na\u{fffd}me", "\u{e9}")
        );
    }
}
