//! The entries of the journal.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::client::Client;
use super::summary::MatchReason;
use crate::base::color::{ByColor, Color};
use crate::tournament::NumberedGame;

/// A line of the journal: an entry of a match. All matches of a referee share one journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchEntry {
    /// The unique ID of the match.
    #[serde(rename = "match")]
    pub id: String,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}

/// An accepted action of a match, as it is journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// The start, which is the first entry of each match.
    Start(Box<StartEntry>),
    /// A move.
    Move {
        /// The move as it is written on the wire.
        mv: String,
        /// How long the player thought, in milliseconds.
        spent_ms: u64,
        /// The time left afterwards in milliseconds, with time controls.
        left_ms: Option<u64>,
    },
    /// The side to move offers a draw.
    DrawOffer,
    /// The opponent refuses the draw.
    DrawRefusal,
    /// The match stops in the middle of a move.
    Interrupted {
        /// How long the side to move has thought about it, in milliseconds.
        spent_ms: u64,
        /// The time that it has left in milliseconds, with time controls.
        left_ms: Option<u64>,
    },
    /// The interrupted match leaves its table, to be resumed by the organizer.
    Adjourned,
    /// The adjourned match is back at its table, and waits for its players.
    Resumed,
    /// The match ends without a move. If a fallen flag ended it, it may be interrupted, or end in another
    /// way, after that: the flag does not count then.
    End {
        /// The winner, if there is one.
        #[serde(default, serialize_with = "write_side", deserialize_with = "read_side")]
        winner: Option<Color>,
        /// The reason.
        reason: MatchReason,
        /// See [`MatchEnding::exchange`](super::summary::MatchEnding::exchange).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchange: Vec<String>,
        /// See [`MatchEnding::why`](super::summary::MatchEnding::why).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The match is over and recorded.
    Recorded,
}

/// What the journal has of a match that begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartEntry {
    /// The game's name.
    pub game: String,
    /// The unique ID of the match.
    pub id: String,
    /// The server number of the match's table.
    pub server: u16,
    /// The time of the start, in milliseconds since 1970.
    pub started_ms: u64,
    /// The players' names.
    #[serde(with = "BySide")]
    pub names: ByColor<Option<String>>,
    /// The players' connections.
    #[serde(with = "BySide")]
    pub clients: ByColor<Option<Box<Client>>>,
    /// The time on each clock in milliseconds, with time controls.
    #[serde(
        default,
        serialize_with = "write_times",
        deserialize_with = "read_times"
    )]
    pub times_ms: Option<ByColor<u64>>,
    /// The rules, if the game has variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The place in the tournament, if it is a match of one.
    #[serde(
        rename = "paired_game",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub scheduled: Option<NumberedGame>,
}

/// A color as journals write it: Black, who moves first, is `first`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalSide {
    First,
    Second,
}

fn write_side<S: Serializer>(color: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    let side = color.map(|color| match color {
        Color::Black => JournalSide::First,
        Color::White => JournalSide::Second,
    });
    side.serialize(serializer)
}

fn read_side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Color>, D::Error> {
    let side = Option::deserialize(deserializer)?;
    Ok(side.map(|side| match side {
        JournalSide::First => Color::Black,
        JournalSide::Second => Color::White,
    }))
}

/// The values of both colors as journals write them: Black's is `first`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ByColor")]
struct BySide<T> {
    #[serde(rename = "first")]
    black: T,
    #[serde(rename = "second")]
    white: T,
}

/// The times of both colors.
#[derive(Serialize, Deserialize)]
struct Times(#[serde(with = "BySide")] ByColor<u64>);

fn write_times<S: Serializer>(
    times: &Option<ByColor<u64>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    times.map(Times).serialize(serializer)
}

fn read_times<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ByColor<u64>>, D::Error> {
    let times = Option::deserialize(deserializer)?;
    Ok(times.map(|Times(times)| times))
}

/// Returns whole milliseconds, at most 2⁶⁴-1.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contests::netref::ConnId;
    use crate::tournament::{GameNumber, ScheduledGame};

    #[test]
    fn journals_call_the_players_first_and_second() {
        let start = Entry::Start(Box::new(StartEntry {
            game: "Gothello".into(),
            id: "20261120-120000-000000-0".into(),
            server: 0,
            started_ms: 5,
            names: ByColor::new(Some("Ann".into()), None),
            clients: ByColor::new(None, Some(Box::new(ConnId(1).into()))),
            times_ms: Some(ByColor::new(1, 2)),
            rules: None,
            scheduled: Some(NumberedGame {
                tournament: 2,
                scheduled: ScheduledGame {
                    number: GameNumber {
                        round: 1,
                        pairing: 3,
                        game: 2,
                    },
                    black: "Ann".parse().unwrap(),
                    white: "Bob".parse().unwrap(),
                },
            }),
        }));
        let end = Entry::End {
            winner: Some(Color::White),
            reason: MatchReason::Time,
            exchange: Vec::new(),
            why: None,
        };
        for (entry, json) in [
            (
                start,
                r#"{"entry":"start","game":"Gothello","id":"20261120-120000-000000-0","server":0,"started_ms":5,"names":{"first":"Ann","second":null},"clients":{"first":null,"second":{"connection":"0-1"}},"times_ms":{"first":1,"second":2},"paired_game":{"tournament":2,"round":1,"pairing":3,"game":2,"black":"Ann","white":"Bob"}}"#,
            ),
            (end, r#"{"entry":"end","winner":"second","reason":"time"}"#),
            (Entry::Adjourned, r#"{"entry":"adjourned"}"#),
        ] {
            assert_eq!(serde_json::to_string(&entry).unwrap(), json);
            assert_eq!(serde_json::from_str::<Entry>(json).unwrap(), entry);
            let entry = MatchEntry {
                id: "a".into(),
                entry,
            };
            let json = json.replacen('{', r#"{"match":"a","#, 1);
            assert_eq!(serde_json::to_string(&entry).unwrap(), json);
            assert_eq!(serde_json::from_str::<MatchEntry>(&json).unwrap(), entry);
        }
    }
}
