//! What the journal of a match holds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::client::Client;
use super::record::Reason;
use super::side::{Side, Sides};

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
        names: Sides<Option<String>>,
        /// The players' connections; earlier versions did not write them.
        #[serde(default)]
        clients: Sides<Option<Client>>,
        /// What each had on his clock in milliseconds, with time controls.
        times_ms: Option<Sides<u64>>,
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
    /// An end that no move brought about.
    End {
        /// Who won.
        winner: Option<Side>,
        /// By what.
        reason: Reason,
    },
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
