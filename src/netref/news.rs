//! What happens, for the log of whoever runs the referee.

use std::fmt;
use std::net::SocketAddr;

use serde::Serialize;

use super::effects::ConnId;
use super::game::Game;
use super::record::{Reason, Summary};

/// Something that happened at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "the printed sentences say it")]
pub enum News {
    /// A table waits for connections.
    Listening { address: SocketAddr },
    /// Spectators can look at the tables. The page has other addresses, too, if
    /// the machine is in several networks.
    Page {
        url: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
    },
    /// Somebody connected.
    Connected { conn: ConnId, peer: SocketAddr },
    /// A player has a seat.
    Seated {
        conn: ConnId,
        side: &'static str,
        name: Option<String>,
    },
    /// An observer has come.
    Observing { conn: ConnId, name: Option<String> },
    /// A request was refused.
    Refused { conn: ConnId, response: String },
    /// A match begins.
    Started {
        id: String,
        first: String,
        second: String,
    },
    /// An interrupted match goes on when its players are back.
    Restored { id: String, moves: usize },
    /// An interrupted match goes on.
    Resumed { id: String, moves: usize },
    /// A move was accepted.
    Moved {
        side: &'static str,
        number: u32,
        #[serde(skip)]
        ellipses: &'static str,
        mv: String,
        left_ms: Option<u64>,
    },
    /// A player offers a draw.
    DrawOffered { side: &'static str },
    /// A player does not accept the draw.
    DrawRefused { side: &'static str },
    /// A match is over.
    Ended {
        id: String,
        winner: Option<&'static str>,
        reason: Reason,
        score: Option<String>,
    },
    /// Somebody left.
    Left { conn: ConnId },
    /// Somebody was dropped.
    Dropped { conn: ConnId, why: String },
    /// A torn line at the end of a journal was cut off.
    Cut { journal: String, bytes: u64 },
    /// There is no interrupted match to go on with.
    NothingToResume { folder: String },
    /// Something went wrong on the referee's side.
    Failed { what: String },
    /// Everything stops.
    Stopping { why: String },
}

impl News {
    /// That a match is over.
    pub(super) fn ended<G: Game>(summary: &Summary) -> News {
        let ending = &summary.ending;
        News::Ended {
            id: summary.id.clone(),
            winner: ending.winner.map(|side| G::SIDES[side]),
            reason: ending.reason,
            score: ending.score.clone(),
        }
    }
}

/// Writes a sentence.
impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            News::Listening { address } => write!(f, "listening on {address}"),
            News::Page { url, others } => {
                write!(f, "the page for spectators is {url}")?;
                others.iter().try_for_each(|url| write!(f, " or {url}"))
            }
            News::Connected { conn, peer } => write!(f, "{conn} connected from {peer}"),
            News::Seated { conn, side, name } => {
                write!(f, "{conn}{} will play {side}", Named(name.as_deref()))
            }
            News::Observing { conn, name } => {
                write!(f, "{conn}{} will observe", Named(name.as_deref()))
            }
            News::Refused { conn, response } => write!(f, "{conn} was told {response}"),
            News::Started { id, first, second } => {
                write!(f, "match {id} begins: {first} against {second}")
            }
            News::Restored { id, moves } => {
                write!(f, "match {id} waits for its players after {moves} moves")
            }
            News::Resumed { id, moves } => write!(f, "match {id} goes on after {moves} moves"),
            News::Moved {
                side,
                number,
                ellipses,
                mv,
                left_ms,
            } => {
                write!(f, "{side} plays {number} {ellipses}{mv}")?;
                match left_ms {
                    Some(ms) => write!(f, ", {}.{:03} s left", ms / 1_000, ms % 1_000),
                    None => Ok(()),
                }
            }
            News::DrawOffered { side } => write!(f, "{side} offers a draw"),
            News::DrawRefused { side } => write!(f, "{side} refuses the draw"),
            News::Ended {
                id,
                winner,
                reason,
                score,
            } => {
                write!(f, "match {id} is over: ")?;
                match winner {
                    Some(winner) => write!(f, "{winner} wins")?,
                    None if matches!(reason, Reason::Play | Reason::Agreement) => {
                        f.write_str("drawn")?
                    }
                    None => f.write_str("no result")?,
                }
                match (score, reason) {
                    (Some(score), Reason::Play) => write!(f, " ({score})"),
                    _ => write!(f, " by {}", reason.word()),
                }
            }
            News::Left { conn } => write!(f, "{conn} left"),
            News::Dropped { conn, why } => write!(f, "{conn} is dropped: {why}"),
            News::Cut { journal, bytes } => {
                write!(
                    f,
                    "{journal}: a torn line of {bytes} bytes at the end is cut off"
                )
            }
            News::NothingToResume { folder } => {
                write!(f, "no match was interrupted: {folder} holds no journal")
            }
            News::Failed { what } => f.write_str(what),
            News::Stopping { why } => f.write_str(why),
        }
    }
}

/// A name after a blank, or nothing.
struct Named<'a>(Option<&'a str>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " {name}"))
    }
}
