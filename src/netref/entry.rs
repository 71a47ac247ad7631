//! What the journal of a match holds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::client::Client;
use super::record::Reason;
use crate::color::{ByColor, Color};

/// One accepted action of a match, as it is journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// The start: the first entry of each journal.
    Start {
        /// The game's name.
        game: String,
        /// What tells the match from all others.
        id: String,
        /// The number of its server.
        server: u16,
        /// When it started, in milliseconds since 1970.
        started_ms: u64,
        /// The players' names.
        #[serde(with = "by_side")]
        names: ByColor<Option<String>>,
        /// The players' connections; earlier versions did not write them.
        #[serde(default, with = "by_side")]
        clients: ByColor<Option<Client>>,
        /// What each had on his clock in milliseconds, with time controls.
        #[serde(default, with = "by_side::option")]
        times_ms: Option<ByColor<u64>>,
        /// The rules, of a game that has several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rules: Option<String>,
    },
    /// A move.
    Move {
        /// The move as it is written on the wire.
        mv: String,
        /// How long the player thought, in milliseconds.
        spent_ms: u64,
        /// What his clock showed afterwards in milliseconds, with time
        /// controls.
        left_ms: Option<u64>,
    },
    /// The side to move offers a draw.
    DrawOffer,
    /// Its opponent does not accept the draw.
    DrawRefusal,
    /// The match is adjourned in the middle of a move.
    Adjourned {
        /// How long the side to move has thought about it, in milliseconds.
        spent_ms: u64,
        /// What its clock shows in milliseconds, with time controls.
        left_ms: Option<u64>,
    },
    /// An end that no move brought about.
    End {
        /// Who won.
        #[serde(default, with = "side")]
        winner: Option<Color>,
        /// By what.
        reason: Reason,
    },
}

/// Spells the players as journals do: `first` and `second`.
mod side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::color::Color;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Side {
        First,
        Second,
    }

    pub(super) fn serialize<S: Serializer>(
        color: &Option<Color>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let side = color.map(|color| match color {
            Color::Black => Side::First,
            Color::White => Side::Second,
        });
        side.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Color>, D::Error> {
        let side = Option::deserialize(deserializer)?;
        Ok(side.map(|side| match side {
            Side::First => Color::Black,
            Side::Second => Color::White,
        }))
    }
}

/// Spells what each player has as journals do: under `first` and `second`.
mod by_side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::color::ByColor;

    #[derive(Serialize, Deserialize)]
    struct BySide<T> {
        first: T,
        second: T,
    }

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        values: &ByColor<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let ByColor { black, white } = values.as_ref();
        let (first, second) = (black, white);
        BySide { first, second }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ByColor<T>, D::Error> {
        let BySide { first, second } = BySide::deserialize(deserializer)?;
        Ok(ByColor::new(first, second))
    }

    /// The same for what may be missing.
    pub(super) mod option {
        use super::{ByColor, BySide, Deserialize, Deserializer, Serialize, Serializer};

        pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
            values: &Option<ByColor<T>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            let values = values.as_ref().map(|values| {
                let ByColor { black, white } = values.as_ref();
                let (first, second) = (black, white);
                BySide { first, second }
            });
            values.serialize(serializer)
        }

        pub(in super::super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<ByColor<T>>, D::Error> {
            let values: Option<BySide<T>> = Option::deserialize(deserializer)?;
            Ok(values.map(|BySide { first, second }| ByColor::new(first, second)))
        }
    }
}

/// Whole milliseconds, at most 2⁶⁴-1.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970; those of a time before that are 0.
pub(super) fn unix_millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// The time of milliseconds since 1970; 1970 itself if there is no such time.
pub(super) fn from_unix_millis(ms: u64) -> SystemTime {
    UNIX_EPOCH
        .checked_add(Duration::from_millis(ms))
        .unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netref::ConnId;

    #[test]
    fn journals_call_the_players_first_and_second() {
        let start = Entry::Start {
            game: "Gothello".into(),
            id: "20261120-120000-000000-0".into(),
            server: 0,
            started_ms: 5,
            names: ByColor::new(Some("Ann".into()), None),
            clients: ByColor::new(None, Some(ConnId(1).into())),
            times_ms: Some(ByColor::new(1, 2)),
            rules: None,
        };
        let end = Entry::End {
            winner: Some(Color::White),
            reason: Reason::Time,
        };
        for (entry, json) in [
            (
                start,
                r#"{"entry":"start","game":"Gothello","id":"20261120-120000-000000-0","server":0,"started_ms":5,"names":{"first":"Ann","second":null},"clients":{"first":null,"second":{"conn":"0-1"}},"times_ms":{"first":1,"second":2}}"#,
            ),
            (end, r#"{"entry":"end","winner":"second","reason":"time"}"#),
        ] {
            assert_eq!(serde_json::to_string(&entry).unwrap(), json);
            assert_eq!(serde_json::from_str::<Entry>(json).unwrap(), entry);
        }
    }
}
