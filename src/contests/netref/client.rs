//! Clients: the numbers by which records and logs tell them apart, and the names that they give.

use std::fmt::{self, Write as _};
use std::net::SocketAddr;
use std::ops::Not;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use arrayvec::ArrayVec;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::char;
use nom::combinator::value;
use nom::multi::fold_many0;
use nom::sequence::delimited;
use nom::{IResult, Parser};
use serde::{Deserialize, Serialize};

use crate::base::text_serde::as_text;

/// The number of low bits of a connection's number that count the connections of one server.
const COUNTER_BITS: u32 = 20;

/// The maximum number of digits of the other bits, in base 36.
const MAX_DIGITS: usize = 9;

/// A connection. Its number never repeats, not even after a restart: the high bits are
/// the time when the server started, in milliseconds since 1970, and the low bits count.
/// (The millionth connection makes the time a millisecond later, which has long passed
/// by then.)
///
/// It prints as `mwq2x8k1-4`: the time in base 36, and the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnId(pub u64);

impl ConnId {
    /// Returns the number before that of the first connection of a server that starts at
    /// this time.
    pub fn origin(start: SystemTime) -> ConnId {
        let since = start.duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        ConnId(millis << COUNTER_BITS)
    }
}

/// Numbers the connections of a server.
#[derive(Clone, Debug)]
pub struct ConnIds(Arc<AtomicU64>);

impl ConnIds {
    /// Creates the numbers of a server that starts at this time.
    pub fn new(start: SystemTime) -> ConnIds {
        ConnIds(Arc::new(AtomicU64::new(ConnId::origin(start).0)))
    }

    /// Returns the next number.
    pub fn next(&self) -> ConnId {
        ConnId(self.0.fetch_add(1, Relaxed) + 1)
    }
}

/// Writes `mwq2x8k1-4`.
impl fmt::Display for ConnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut run, count) = (self.0 >> COUNTER_BITS, self.0 & ((1 << COUNTER_BITS) - 1));
        let mut digits = ArrayVec::<_, MAX_DIGITS>::new();
        while run > 0 || digits.is_empty() {
            let digit = u32::try_from(run % 36).unwrap_or_default();
            digits.extend(char::from_digit(digit, 36));
            run /= 36;
        }
        for digit in digits.into_iter().rev() {
            f.write_char(digit)?;
        }
        write!(f, "-{count}")
    }
}

/// A text that is not the number of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a connection's number is written as in mwq2x8k1-4")]
pub struct BadConnId;

impl FromStr for ConnId {
    type Err = BadConnId;

    fn from_str(text: &str) -> Result<ConnId, BadConnId> {
        let (run, count) = text.split_once('-').ok_or(BadConnId)?;
        let run = u64::from_str_radix(run, 36).map_err(|_| BadConnId)?;
        let count: u64 = count.parse().map_err(|_| BadConnId)?;
        if run.leading_zeros() < COUNTER_BITS || count >> COUNTER_BITS > 0 {
            return Err(BadConnId);
        }
        Ok(ConnId(run << COUNTER_BITS | count))
    }
}

as_text! {
    ConnId: "a string",
}

/// A client: its connection, its address, and the team that it plays for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The connection.
    #[serde(rename = "connection")]
    pub conn: ConnId,
    /// The client's address; `None` if there is no socket, as in tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
    /// The team, if the client is known to belong to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Name>,
    /// Whether it can go on in a match that was interrupted: it has said so (see
    /// [`Opening::resumes`](super::Opening::resumes)), or the file of its team does.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub resumes: bool,
    /// Whether it is the house, the opponent that the server itself seats.
    #[serde(default, rename = "house", skip_serializing_if = "Not::not")]
    pub is_house: bool,
    /// Whether it is left out of the log until a match of its begins, because connections from its
    /// address came too fast.
    #[serde(skip)]
    pub is_unlisted: bool,
}

/// A client without a socket.
impl From<ConnId> for Client {
    fn from(conn: ConnId) -> Client {
        Client {
            conn,
            address: None,
            team: None,
            resumes: false,
            is_house: false,
            is_unlisted: false,
        }
    }
}

/// The name of the house, the referee's own player. A hyphen and a suffix may name the engine, as
/// in `house-3`.
pub const HOUSE: &str = "house";

/// The maximum length of a name in characters (paper, section 2).
pub const MAX_NAME: usize = 31;

/// The name of a player or an observer: up to 31 printable ASCII characters.
///
/// It prints as it is sent: in double quotes, with `""` for each double quote in it
/// (paper, section 2). As JSON it has no such quotes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(String);

/// A text that is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name has at most {MAX_NAME} printable ASCII characters")]
pub struct BadName;

impl TryFrom<String> for Name {
    type Error = BadName;

    fn try_from(text: String) -> Result<Name, BadName> {
        Name::new(&text).ok_or(BadName)
    }
}

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

/// Writes a text in double quotes, with `""` for each double quote in it.
pub fn fmt_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('"', "\"\""))
}

/// Parses a quoted string of any length, and returns it without its quotes.
pub fn quoted(input: &str) -> IResult<&str, String> {
    let part = alt((take_while1(|c| c != '"'), value("\"", tag("\"\""))));
    let parts = fold_many0(part, String::new, |mut text, part: &str| {
        text.push_str(part);
        text
    });
    delimited(char('"'), parts, char('"')).parse(input)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_later_start_has_numbers_that_were_never_used() {
        let start = UNIX_EPOCH + Duration::from_millis(1_795_317_733_505);
        let first = ConnId(ConnId::origin(start).0 + 1);
        assert_eq!(first.to_string(), "mwr9toxt-1");
        let next_start = ConnId::origin(start + Duration::from_millis(1));
        assert!(ConnId(first.0 + 1_000_000) < next_start);
    }

    proptest! {
        #[test]
        fn parsing_returns_what_was_printed(number in any::<u64>()) {
            let conn = ConnId(number);
            prop_assert_eq!(conn.to_string().parse(), Ok(conn));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*|[0-9a-z]{0,20}-[0-9]{0,30}") {
            let _ = text.parse::<ConnId>();
        }
    }
}
