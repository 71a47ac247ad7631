//! What is left of a match when it is over.

use std::time::{Duration, SystemTime};

use super::client::Client;
use super::wire::Name;
use crate::color::{ByColor, Color};

/// A finished match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What tells it from all other matches: the moment of its start and the
    /// number of its server.
    pub id: String,
    /// When it started.
    pub started: SystemTime,
    /// Who played.
    pub players: ByColor<Player>,
    /// What each had on his clock at the start; `None` without time controls.
    pub times: Option<ByColor<Duration>>,
    /// The moves in their order.
    pub moves: Vec<Played>,
    /// How it ended.
    pub ending: Ending,
}

/// A player of a match, as it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// What the player called itself.
    pub name: Option<Name>,
    /// Its connection; unknown in journals of earlier versions.
    pub client: Option<Client>,
}

/// A move of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who made it.
    pub side: Color,
    /// The move as it is written on the wire.
    pub mv: String,
    /// How long he thought, from the moment when he was told that it was his
    /// turn.
    pub spent: Duration,
    /// What his clock showed afterwards; `None` without time controls.
    pub left: Option<Duration>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won, if anyone did.
    pub winner: Option<Color>,
    /// By what.
    pub reason: Reason,
    /// The score of a match that was played to its end, as in `B+3`; that of
    /// the board as it stands in any other.
    pub score: Option<String>,
}

impl Ending {
    /// Whether it ended without a result. A draw is one.
    pub fn is_void(&self) -> bool {
        let is_draw = matches!(self.reason, Reason::Play | Reason::Agreement);
        self.winner.is_none() && !is_draw
    }
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the rules of the game.
    Play,
    /// Both players agreed on a draw.
    Agreement,
    /// One player resigned.
    Resignation,
    /// One player's flag fell.
    Time,
    /// One player left, or did not come back to an interrupted match.
    Disconnection,
    /// Neither player came back to an interrupted match.
    Abandonment,
    /// One player sent too much that was not understood.
    Protocol,
    /// The referee was interrupted, and a player cannot take up the match.
    Interruption,
    /// The operator ended it.
    Void,
}

impl Reason {
    /// The reason in a word, for tables.
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Play => "play",
            Reason::Agreement => "agreement",
            Reason::Resignation => "resignation",
            Reason::Time => "time",
            Reason::Disconnection => "disconnection",
            Reason::Abandonment => "abandonment",
            Reason::Protocol => "protocol",
            Reason::Interruption => "interruption",
            Reason::Void => "void",
        }
    }

    /// The reason in a sentence, after `by`.
    pub(super) const fn phrase(self) -> &'static str {
        match self {
            Reason::Protocol => "protocol errors",
            Reason::Void => "order of the operator",
            other => other.word(),
        }
    }
}

impl Summary {
    /// What else is known of a player and has no place of its own in a record:
    /// `127.0.0.1:40123, client mwq2x8k1-4`.
    pub(super) fn whereabouts(&self, side: Color) -> Option<String> {
        let Client { conn, address } = self.players[side].client?;
        Some(match address {
            Some(address) => format!("{address}, client {conn}"),
            None => format!("client {conn}"),
        })
    }

    /// How long a side thought in all.
    pub fn spent(&self, side: Color) -> Duration {
        let moves = self.moves.iter().filter(|played| played.side == side);
        moves.map(|played| played.spent).sum()
    }

    /// The day of its start in UTC, as in `2026-11-20`.
    pub fn date(&self) -> String {
        let mut date = humantime::format_rfc3339_seconds(self.started).to_string();
        date.truncate(10);
        date
    }
}
