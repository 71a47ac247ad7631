//! Finished matches: who played, which moves, and how it ended.

use std::time::{Duration, SystemTime};

use derive_more::Display;
use serde::{Deserialize, Serialize};

use super::client::{Client, Name};
use crate::base::color::{ByColor, Color};
use crate::tournament::NumberedGame;

/// A finished match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The unique ID of the match: the time of its start and the server number of its table.
    pub id: String,
    /// The server number of its table.
    pub server: u16,
    /// The time of the start.
    pub started: SystemTime,
    /// The players.
    pub players: ByColor<Player>,
    /// The time on each clock at the start; `None` without time controls.
    pub times: Option<ByColor<Duration>>,
    /// The number of moves of both players.
    pub plies: usize,
    /// The time that each player thought in all.
    pub spent: ByColor<Duration>,
    /// How the match ended.
    pub ending: MatchEnding,
    /// Its place in the tournament, if it is one of a tournament.
    pub scheduled: Option<NumberedGame>,
}

/// The identity of a client: its name, its connection, and its team. In a match, as it was when the
/// match began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name that the client gave.
    pub name: Option<Name>,
    /// The connection; `None` where there is none, as in tests.
    pub client: Option<Client>,
}

/// A move of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played<M> {
    /// The side that made it.
    pub side: Color,
    /// The move.
    pub mv: M,
    /// How long the player thought, from the time when they were notified of their turn.
    pub spent: Duration,
    /// The time left afterwards; `None` without time controls.
    pub left: Option<Duration>,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEnding {
    /// The winner, if there is one.
    pub winner: Option<Color>,
    /// The reason.
    pub reason: MatchReason,
    /// The score of a game that was played to its end, as in `B+3`.
    pub score: Option<String>,
    /// The last lines that the loser has sent (`>`) and was sent (`<`), if it lost by a
    /// [fault](MatchReason::is_fault).
    pub exchange: Vec<String>,
    /// Why the organizer has ended it, if they said so.
    pub why: Option<String>,
}

impl Player {
    /// Returns what the player is called in records, on the page, and by the protocol: the team,
    /// or the name that the client gave.
    pub fn called(&self) -> Option<&Name> {
        self.team().or(self.name.as_ref())
    }

    /// Returns the team.
    pub fn team(&self) -> Option<&Name> {
        self.client.as_ref()?.team.as_ref()
    }

    /// Returns whether it is the house.
    pub fn is_house(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_house)
    }

    /// Returns whether the player can resume an interrupted match: it or the file of its team has said
    /// so before the match, and what it is called identifies it when it comes back.
    pub fn can_resume(&self) -> bool {
        let resumes = self.client.as_ref().is_some_and(|client| client.resumes);
        resumes && self.called().is_some_and(Name::identifies)
    }

    /// Returns whether this is the same player coming back. (The house does not come back through a
    /// connection.)
    pub fn is_again(&self, other: &Player) -> bool {
        let are_clients = !self.is_house() && !other.is_house();
        are_clients && self.can_resume() && other.can_resume() && self.called() == other.called()
    }
}

impl MatchEnding {
    /// Returns whether the match ended without a result. A draw is a result.
    pub fn is_void(&self) -> bool {
        let is_draw = matches!(self.reason, MatchReason::Play | MatchReason::Agreement);
        self.winner.is_none() && !is_draw
    }

    /// Describes the ending for people: `Black wins: White resigned`. `players` are the names
    /// of the sides.
    pub fn describe(&self, players: ByColor<&str>) -> String {
        let score = self.score.as_deref().unwrap_or_default();
        let Some(winner) = self.winner else {
            return match self.reason {
                // Gothello's score adds nothing.
                MatchReason::Play if score == "0" => "Drawn".into(),
                MatchReason::Play => format!("Drawn ({score})"),
                MatchReason::Agreement => "Drawn by agreement".into(),
                MatchReason::Interruption => {
                    "No result: the match was interrupted, and a player cannot resume it".into()
                }
                MatchReason::Void => {
                    let why = self.why.as_deref();
                    let why = why.unwrap_or("the organizer ended the match");
                    format!("No result: {why}")
                }
                _ => "No result: neither player came back".into(),
            };
        };
        let loser = players[winner.opponent()];
        let winner = players[winner];
        let did = match self.reason {
            MatchReason::Play => return format!("{winner} wins ({score})"),
            MatchReason::Agreement => return format!("{winner} wins by agreement"),
            MatchReason::Resignation => "resigned",
            MatchReason::Time => "ran out of time",
            MatchReason::Disconnection => "disconnected",
            MatchReason::Abandonment => "did not come back",
            MatchReason::Protocol => "sent too many malformed requests",
            MatchReason::IllegalRequests => "sent too many illegal requests",
            MatchReason::Interruption | MatchReason::Void => return format!("{winner} wins"),
        };
        format!("{winner} wins: {loser} {did}")
    }
}

/// Why a match is over. Tables and journals have the same word.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, Serialize, Deserialize)]
#[display(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MatchReason {
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
    /// One player sent too many malformed requests.
    Protocol,
    /// One player sent too many illegal requests.
    IllegalRequests,
    /// The match was interrupted, and a player cannot resume it.
    Interruption,
    /// The organizer ended it.
    Void,
}

impl MatchReason {
    /// Returns whether a player has lost without a move on the board: by a fault of its program or its
    /// connection, or on time.
    pub const fn is_fault(self) -> bool {
        matches!(
            self,
            MatchReason::Time
                | MatchReason::Disconnection
                | MatchReason::Protocol
                | MatchReason::IllegalRequests
        )
    }
}

impl Summary {
    /// Returns the address and the connection of a player for a record:
    /// `127.0.0.1:40123, client mwq2x8k1-4`.
    pub fn whereabouts(&self, side: Color) -> Option<String> {
        let Client { conn, address, .. } = self.players[side].client.as_ref()?;
        Some(match address {
            Some(address) => format!("{address}, client {conn}"),
            None => format!("client {conn}"),
        })
    }

    /// Returns the day of the start in UTC, as in `2026-11-20`.
    pub fn date(&self) -> String {
        let mut date = humantime::format_rfc3339_seconds(self.started).to_string();
        date.truncate(10);
        date
    }
}
