//! The wire protocol of the networked referee: every request and response as a
//! typed value, with its printing and its parsing side by side. The server
//! ([`netref`](super)) and the client ([`netplay`](crate::netplay)) both use it.
//!
//! Source: Bart Massey, *A Networked Gothello Referee: Specification*, section 2
//! and tables 1 to 10, and *A Networked Awari Referee: Specification*, section 2
//! and tables 1 to 9, with what deployed servers and client libraries do otherwise.
//!
//! Bytes become lines in [`Lines`]. A client sends an [`Opening`] and then
//! [`Action`]s; the server answers with [`Response`]s. Parsing what was printed
//! gives the same value again.

mod line;
mod request;
mod response;

use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, digit1};
use nom::combinator::{all_consuming, value};
use nom::multi::{fold_many0, separated_list1};
use nom::sequence::delimited;
use nom::{IResult, Parser};
use serde::Serialize;

use crate::color::Color;

pub use line::{Line, Lines, MAX_LINE};
pub use request::{Action, Malformed, MoveNumber, Opening, OpeningError, Role};
pub use response::{Forfeit, Response, ResponseError, RoleRefusal, Status, Times, Verdict};

/// Returns the ellipsis between the number and the move of this side (table 6), with a
/// trailing space.
pub const fn ellipses(side: Color) -> &'static str {
    match side {
        Color::Black => "",
        Color::White => "... ",
    }
}

/// The maximum length of a name in characters (paper, section 2).
pub const MAX_NAME: usize = 31;

/// The name of a player or an observer: up to 31 printable ASCII characters.
///
/// It prints as it is sent: in double quotes, with `""` for each double quote in it
/// (paper, section 2). As JSON it has no such quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// Creates a name; `None` if the text is too long or not printable ASCII.
    pub fn new(text: &str) -> Option<Name> {
        let printable = |byte| matches!(byte, b' '..=b'~');
        (text.len() <= MAX_NAME && text.bytes().all(printable)).then(|| Name(text.to_owned()))
    }

    /// Returns the name without quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the name identifies a player; an empty one does not.
    pub fn identifies(&self) -> bool {
        !self.0.trim_ascii().is_empty()
    }
}

/// Writes the name in quotes, as it is sent.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_quoted(&self.0, f)
    }
}

fn fmt_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('"', "\"\""))
}

/// Parses a quoted string of any length, and returns it without its quotes.
fn quoted(input: &str) -> IResult<&str, String> {
    let part = alt((take_while1(|c| c != '"'), value("\"", tag("\"\""))));
    let parts = fold_many0(part, String::new, |mut text, part: &str| {
        text.push_str(part);
        text
    });
    delimited(char('"'), parts, char('"')).parse(input)
}

/// A version of the protocol: two or more numbers separated by periods, compared
/// from the left. Missing numbers are zero: 0.9 equals 0.9.0.
///
/// ```
/// use gothello::netref::Version;
/// let [old, new] = ["0.9", "0.9.1"].map(|text| Version::parse(text).unwrap());
/// assert!(old < new && new < Version::parse("0.10").unwrap());
/// assert_eq!(Version::parse("0.9.0"), Some(old));
/// assert_eq!(Version::parse("player"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// Parses a version; `None` if the word is not a version. A number that does not fit 64
    /// bits counts as the largest one that does.
    pub fn parse(word: &str) -> Option<Version> {
        let number = digit1::<&str, ()>.map(|digits: &str| digits.parse().unwrap_or(u64::MAX));
        let mut version = all_consuming(separated_list1(char('.'), number));
        let (_, mut numbers) = version.parse(word).ok()?;
        if numbers.len() < 2 {
            return None;
        }
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Some(Version(numbers))
    }

    /// Returns whether a client of this version is too new for a server of version
    /// `ours`. As many numbers are compared as `ours` has, at least two; further ones
    /// are revisions of the same protocol.
    ///
    /// ```
    /// use gothello::netref::Version;
    /// let [ours, revised, new] =
    ///     ["0.9.1", "0.9.1.3", "0.9.2"].map(|text| Version::parse(text).unwrap());
    /// assert!(!ours.is_too_new_for(&ours));
    /// assert!(!revised.is_too_new_for(&ours));
    /// assert!(new.is_too_new_for(&ours));
    /// ```
    pub fn is_too_new_for(&self, ours: &Version) -> bool {
        let known = ours.0.len().max(2);
        self.0.iter().take(known).gt(&ours.0)
    }

    /// Creates a version from its numbers; the last one must not be zero.
    pub(crate) fn new<const N: usize>(numbers: [u64; N]) -> Version {
        Version(numbers.to_vec())
    }
}

/// Writes the numbers, at least two.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor] = [0, 1].map(|i| self.0.get(i).copied().unwrap_or(0));
        write!(f, "{major}.{minor}")?;
        for number in self.0.iter().skip(2) {
            write!(f, ".{number}")?;
        }
        Ok(())
    }
}
