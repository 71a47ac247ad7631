//! What a client calls itself.

use std::fmt;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::char;
use nom::combinator::value;
use nom::multi::fold_many0;
use nom::sequence::delimited;
use nom::{IResult, Parser};
use serde::Serialize;

/// The longest name in characters (paper, section 2).
pub const MAX_NAME: usize = 31;

/// The name of a player or an observer: up to 31 printable ASCII characters.
///
/// On the wire it stands in double quotes, and `""` is one double quote of the
/// name (paper, section 2). So it is printed, too. As JSON it has no such quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// A name with these characters; `None` if it is too long or not printable
    /// ASCII.
    pub fn new(text: &str) -> Option<Name> {
        let printable = |byte| matches!(byte, b' '..=b'~');
        (text.len() <= MAX_NAME && text.bytes().all(printable)).then(|| Name(text.to_owned()))
    }

    /// The name without quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it tells its bearer from others: an empty name does not.
    pub(super) fn identifies(&self) -> bool {
        !self.0.trim_ascii().is_empty()
    }
}

/// Writes the name in quotes, as it is sent.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// The characters of a quoted string; any number of them.
pub fn quoted(input: &str) -> IResult<&str, String> {
    let part = alt((take_while1(|c| c != '"'), value("\"", tag("\"\""))));
    let parts = fold_many0(part, String::new, |mut text, part: &str| {
        text.push_str(part);
        text
    });
    delimited(char('"'), parts, char('"')).parse(input)
}
