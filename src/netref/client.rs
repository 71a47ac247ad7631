//! Who is connected: the numbers by which records and logs tell clients apart.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::game::NetrefGame;
use super::records::Player;
use super::wire::Name;
use crate::color::Color;

/// The number of low bits of a connection's number that count the connections of one server.
const COUNTER_BITS: u32 = 20;

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

/// Writes `mwq2x8k1-4`.
impl fmt::Display for ConnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut run, count) = (self.0 >> COUNTER_BITS, self.0 & ((1 << COUNTER_BITS) - 1));
        let mut digits = Vec::new();
        while run > 0 || digits.is_empty() {
            let digit = u32::try_from(run % 36).unwrap_or_default();
            digits.extend(char::from_digit(digit, 36));
            run /= 36;
        }
        let run: String = digits.into_iter().rev().collect();
        write!(f, "{run}-{count}")
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

impl Serialize for ConnId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ConnId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ConnId, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A client: its connection and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The connection.
    pub conn: ConnId,
    /// The client's address; `None` if there is no socket, as in tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
}

/// A client without a socket.
impl From<ConnId> for Client {
    fn from(conn: ConnId) -> Client {
        Client {
            conn,
            address: None,
        }
    }
}

/// A client in a line of the log. Unknown fields are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Who {
    /// The connection; `None` while a player of an interrupted match is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conn: Option<ConnId>,
    /// The side that it plays, or `either side`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The name that it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Its address, only in the line where it appears first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
}

impl Who {
    /// Names a client by its connection alone.
    pub fn stranger(conn: ConnId) -> Who {
        Who {
            conn: Some(conn),
            ..Who::default()
        }
    }

    /// Names a client by its connection and its name, if it gave one.
    pub(super) fn named(conn: ConnId, name: Option<&Name>) -> Who {
        Who {
            name: name.cloned(),
            ..Who::stranger(conn)
        }
    }

    /// Names a player of a match as it is recorded.
    pub(super) fn recorded<G: NetrefGame>(side: Color, player: &Player) -> Who {
        Who {
            conn: player.client.map(|client| client.conn),
            side: Some(G::SIDES[side]),
            name: player.name.clone(),
            address: player.client.and_then(|client| client.address),
        }
    }

    /// Returns the client as a player: `black ("Ann")`, or without a name `black
    /// (#mwq2x8k1-4)`.
    pub(super) fn as_player(&self) -> AsPlayer<'_> {
        AsPlayer(self)
    }

    /// Returns the same without the side.
    pub(super) fn without_side(&self) -> Who {
        Who {
            side: None,
            ..self.clone()
        }
    }
}

/// Writes `#mwq2x8k1-4 "Ann" (black)`.
impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conn = self.conn.map(|conn| format!("#{conn}"));
        let name = self.name.as_ref().map(Name::to_string);
        let side = self.side.map(|side| format!("({side})"));
        let parts: Vec<String> = [conn, name, side].into_iter().flatten().collect();
        f.write_str(&parts.join(" "))
    }
}

/// See [`Who::as_player`].
pub(super) struct AsPlayer<'a>(&'a Who);

impl fmt::Display for AsPlayer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Who {
            side, name, conn, ..
        } = self.0;
        f.write_str(side.unwrap_or("a player"))?;
        match (name, conn) {
            (Some(name), _) => write!(f, " ({name})"),
            (None, Some(conn)) => write!(f, " (#{conn})"),
            (None, None) => Ok(()),
        }
    }
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
        fn what_is_printed_is_read(number in any::<u64>()) {
            let conn = ConnId(number);
            prop_assert_eq!(conn.to_string().parse(), Ok(conn));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC*|[0-9a-z]{0,20}-[0-9]{0,30}") {
            let _ = text.parse::<ConnId>();
        }
    }
}
