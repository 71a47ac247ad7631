//! The log of the server's events, for its organizer.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use itertools::Itertools;
use serde::Serialize;

use super::client::{ConnId, Name};
use super::game::NetrefGame;
use super::summary::{MatchReason, Player, Summary};
use crate::base::color::Color;
use crate::base::counted::counted;

/// A client in a line of the log. Unknown fields are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Who {
    /// The connection; `None` while a player of an interrupted match is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conn: Option<ConnId>,
    /// The side that it plays, or `either side`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The name of its team, or the name that it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Its address, only in the line where it appears first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
}

impl Who {
    /// Names a client only by its connection.
    pub fn stranger(conn: ConnId) -> Who {
        Who {
            conn: Some(conn),
            ..Who::default()
        }
    }

    /// Names a client by its connection and, if known, its name.
    pub(super) fn of(player: &Player) -> Who {
        Who {
            conn: player.client.as_ref().map(|client| client.conn),
            name: player.called().cloned(),
            ..Who::default()
        }
    }

    /// Names a player who waits for an opponent, with the side that it asked for.
    pub(super) fn seeking<G: NetrefGame>(player: &Player, side: Option<Color>) -> Who {
        Who {
            side: Some(side.map_or("either side", |side| G::SIDES[side])),
            ..Who::of(player)
        }
    }

    /// Says which side a waiting player wants: `#mwq2x8k1-4 "Ann" waits to play black`.
    pub(super) fn waits(&self) -> String {
        let side = self.side.unwrap_or("either side");
        format!("{} waits to play {side}", self.without_side())
    }

    /// Names a player of a match as it is recorded.
    pub(super) fn recorded<G: NetrefGame>(side: Color, player: &Player) -> Who {
        Who {
            side: Some(G::SIDES[side]),
            address: player.client.as_ref().and_then(|client| client.address),
            ..Who::of(player)
        }
    }

    /// Returns the client as a player: `black ("Ann")`, or without a name `black
    /// (#mwq2x8k1-4)`.
    pub(super) fn as_player(&self) -> impl fmt::Display + '_ {
        AsPlayer(self)
    }

    /// Returns the same without the side.
    fn without_side(&self) -> Who {
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
struct AsPlayer<'a>(&'a Who);

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

/// How connecting clients tell the tables apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TableNumbers {
    /// The first and the last server number.
    Servers(u16, u16),
    /// The first port.
    Port(u16),
}

/// Writes `server number 0 to 3`.
impl fmt::Display for TableNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableNumbers::Servers(first, last) if first == last => {
                write!(f, "server number {first}")
            }
            TableNumbers::Servers(first, last) => write!(f, "server number {first} to {last}"),
            TableNumbers::Port(port) => write!(f, "the port of a table, such as {port}"),
        }
    }
}

/// A port at which the clients of a team connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TeamAddress {
    /// The team.
    pub team: Name,
    /// The server number.
    pub server: u16,
    /// The port.
    pub port: u16,
}

/// Writes `"Red" at port 29078 (server number 10)`.
impl fmt::Display for TeamAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TeamAddress { team, server, port } = self;
        write!(f, "{team} at port {port} (server number {server})")
    }
}

/// The maximum number of team ports in a line. Each port also has a line of its own.
const MAX_TEAM_PORTS: usize = 12;

/// Something that happened on the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "the printed sentences say it")]
pub enum LogEvent {
    /// A table accepts connections.
    Listening { address: SocketAddr },
    /// Other machines reach the tables at any of these addresses of this machine.
    Reachable {
        addresses: Vec<IpAddr>,
        #[serde(flatten)]
        at: TableNumbers,
        /// The ports of the teams, if there are teams.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        teams: Vec<TeamAddress>,
    },
    /// The page for spectators is ready. It has several addresses if the machine is in
    /// several networks.
    Page {
        url: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
    },
    /// The page for the organizer is ready.
    #[serde(rename = "operator_page")]
    OrganizerPage { url: String },
    /// A request to the page was rejected, for example one from another site.
    #[serde(rename = "turned_away")]
    Rejected { address: String, why: String },
    /// A client connected.
    Connected { conn: ConnId, peer: SocketAddr },
    /// A player got a seat.
    Seated {
        #[serde(flatten)]
        who: Who,
    },
    /// A player came through the port of a team, and waits for an opponent and a table.
    Waiting {
        #[serde(flatten)]
        who: Who,
    },
    /// An observer connected.
    Observing {
        #[serde(flatten)]
        who: Who,
    },
    /// A request was refused.
    Refused {
        #[serde(flatten)]
        who: Who,
        response: String,
    },
    /// A match began.
    Started { id: String, players: [Who; 2] },
    /// An interrupted match was restored, and waits for its players.
    Restored {
        id: String,
        players: [Who; 2],
        moves: usize,
    },
    /// An interrupted match goes on.
    Resumed {
        id: String,
        players: [Who; 2],
        moves: usize,
    },
    /// A match was adjourned.
    Adjourned { id: String, title: String },
    /// A move was accepted.
    Moved {
        #[serde(flatten)]
        who: Who,
        number: u64,
        #[serde(skip)]
        ellipses: &'static str,
        mv: String,
        left_ms: Option<u64>,
    },
    /// A player offered a draw.
    DrawOffered {
        #[serde(flatten)]
        who: Who,
    },
    /// A player refused the draw.
    DrawRefused {
        #[serde(flatten)]
        who: Who,
    },
    /// A match ended.
    Ended {
        id: String,
        players: [Who; 2],
        winner: Option<&'static str>,
        reason: MatchReason,
        score: Option<String>,
    },
    /// A client left.
    Left {
        #[serde(flatten)]
        who: Who,
    },
    /// A client was dropped.
    Dropped {
        #[serde(flatten)]
        who: Who,
        why: String,
    },
    /// A match cannot be recorded now. The server retries.
    Unrecorded {
        id: String,
        why: String,
        /// The number of matches that wait to be recorded.
        waiting: usize,
    },
    /// The matches that waited have been recorded.
    Recorded { count: usize },
    /// A match could not be recorded before the end: this is its row.
    Lost {
        id: String,
        #[serde(rename = "line")]
        row: String,
    },
    /// A match ended without a result, and no records are kept: its journal stays.
    Kept { id: String, journal: String },
    /// A torn line at the end of a journal was cut off.
    Cut { journal: String, bytes: u64 },
    /// A match of the house is recorded in this file.
    Reviewable { id: String, record: String },
    /// The house plays at a table.
    HousePlays { house: Name },
    /// The house's player has a problem.
    House { what: String },
    /// A match is lost, because the server stops and keeps no journal.
    Discarded {
        id: String,
        players: [Who; 2],
        moves: usize,
    },
    /// There is no interrupted match to resume.
    NothingToResume { folder: String },
    /// Something failed on the server.
    Failed { what: String },
    /// Something happened in the tournament.
    Tournament { what: String },
    /// The server stops.
    Stopping { why: String },
}

impl LogEvent {
    /// Creates the event of a match that is over.
    pub(super) fn ended<G: NetrefGame>(summary: &Summary) -> LogEvent {
        let ending = &summary.ending;
        LogEvent::Ended {
            id: summary.id.clone(),
            players: Color::ALL.map(|side| Who::recorded::<G>(side, &summary.players[side])),
            winner: ending.winner.map(|side| G::SIDES[side]),
            reason: ending.reason,
            score: ending.score.clone(),
        }
    }
}

/// Writes a sentence.
impl fmt::Display for LogEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogEvent::Listening { address } => write!(f, "listening on {address}"),
            LogEvent::Reachable {
                addresses,
                at,
                teams,
            } => {
                let players = if teams.is_empty() { "players" } else { "teams" };
                write!(f, "{players} connect to ")?;
                for (number, address) in addresses.iter().enumerate() {
                    let or = if number == 0 { "" } else { " or " };
                    write!(f, "{or}{address}")?;
                }
                if teams.is_empty() {
                    return write!(f, " with {at}");
                }
                let named = teams.iter().take(MAX_TEAM_PORTS).join(", ");
                write!(f, ": {named}")?;
                match teams.len().checked_sub(MAX_TEAM_PORTS) {
                    None | Some(0) => {}
                    Some(more) => write!(f, ", and {more} more, as below")?,
                }
                write!(f, "; observers with {at}")
            }
            LogEvent::Page { url, others } => {
                write!(f, "the page for spectators is {url}")?;
                others.iter().try_for_each(|url| write!(f, " or {url}"))
            }
            LogEvent::OrganizerPage { url } => write!(f, "the page for the organizer is {url}"),
            LogEvent::Rejected { address, why } => {
                write!(f, "a request from {address} is rejected: {why}")
            }
            LogEvent::Adjourned { id, title } => {
                write!(
                    f,
                    "match {id}, {title}, is adjourned; to resume it, type: resume {id}"
                )
            }
            LogEvent::Connected { conn, peer } => write!(f, "#{conn} connected from {peer}"),
            LogEvent::Seated { who } => {
                let side = who.side.unwrap_or("either side");
                write!(f, "{} will play {side}", who.without_side())
            }
            LogEvent::Waiting { who } => f.write_str(&who.waits()),
            LogEvent::Observing { who } => write!(f, "{who} will observe"),
            LogEvent::Refused { who, response } => write!(f, "{who} was told {response}"),
            LogEvent::Started { id, players } => {
                write!(f, "match {id} begins: {}", Against(players))
            }
            LogEvent::Restored { id, players, moves } => {
                let (players, moves) = (Against(players), counted(*moves, "move"));
                write!(
                    f,
                    "match {id}, {players}, waits for its players after {moves}"
                )
            }
            LogEvent::Discarded { id, players, moves } => {
                let (players, moves) = (Against(players), counted(*moves, "move"));
                write!(
                    f,
                    "match {id}, {players}, is lost after {moves}: without --journal it cannot be \
                     resumed"
                )
            }
            LogEvent::Resumed { id, players, moves } => {
                let (players, moves) = (Against(players), counted(*moves, "move"));
                write!(f, "match {id}, {players}, goes on after {moves}")
            }
            LogEvent::Moved {
                who,
                number,
                ellipses,
                mv,
                left_ms,
            } => {
                let player = who.as_player();
                write!(f, "{player} plays {number} {ellipses}{mv}")?;
                match left_ms {
                    Some(ms) => write!(f, ", {}.{:03} s left", ms / 1_000, ms % 1_000),
                    None => Ok(()),
                }
            }
            LogEvent::DrawOffered { who } => write!(f, "{} offers a draw", who.as_player()),
            LogEvent::DrawRefused { who } => write!(f, "{} refuses the draw", who.as_player()),
            LogEvent::Ended {
                id,
                players,
                winner,
                reason,
                score,
            } => {
                write!(f, "match {id}, {}, is over: ", Against(players))?;
                match (winner, reason, score) {
                    (Some(winner), MatchReason::Play, Some(score)) => {
                        write!(f, "{winner} wins ({score})")
                    }
                    (Some(winner), ..) => write!(f, "{winner} wins by {}", phrase(*reason)),
                    (None, MatchReason::Play, Some(score)) => write!(f, "drawn ({score})"),
                    (None, MatchReason::Play | MatchReason::Agreement, _) => {
                        write!(f, "drawn by {}", reason.word())
                    }
                    (None, MatchReason::Interruption, _) => f.write_str(
                        "no result, because the referee was interrupted and a player without a \
                         name cannot resume the match",
                    ),
                    (None, MatchReason::Void, _) => {
                        f.write_str("no result, because the organizer ended it")
                    }
                    (None, ..) => f.write_str("no result, because neither player came back"),
                }
            }
            LogEvent::Left { who } => write!(f, "{who} left"),
            LogEvent::Dropped { who, why } => write!(f, "{who} is dropped: {why}"),
            LogEvent::Unrecorded { id, why, waiting } => write!(
                f,
                "match {id} cannot be recorded now: {why}; this is tried again every second for {}",
                counted(*waiting, "match")
            ),
            LogEvent::Recorded { count } => {
                write!(f, "matches that waited for the disk are recorded: {count}")
            }
            LogEvent::Lost { id, row } => write!(
                f,
                "match {id} could not be recorded; this is its row of results: {row}"
            ),
            LogEvent::Kept { id, journal } => write!(
                f,
                "match {id} is not recorded without --records: its moves are kept in {journal}"
            ),
            LogEvent::Cut { journal, bytes } => {
                let bytes = counted(*bytes, "byte");
                write!(f, "{journal}: a torn line of {bytes} at the end is cut off")
            }
            LogEvent::NothingToResume { folder } => {
                write!(
                    f,
                    "there is nothing to resume: {folder} has no interrupted match"
                )
            }
            LogEvent::Reviewable { id, record } => {
                write!(
                    f,
                    "match {id} is recorded; to see what its moves cost: gothello review {record}"
                )
            }
            LogEvent::HousePlays { house } => write!(f, "{house} plays whoever comes"),
            LogEvent::House { what } => write!(f, "the house: {what}"),
            LogEvent::Failed { what } | LogEvent::Tournament { what } => f.write_str(what),
            LogEvent::Stopping { why } => f.write_str(why),
        }
    }
}

/// Returns a reason in a sentence, after `by`.
const fn phrase(reason: MatchReason) -> &'static str {
    match reason {
        MatchReason::Protocol => "protocol errors",
        MatchReason::Disconnection => "disconnection of the opponent",
        other => other.word(),
    }
}

/// Writes `black ("Ann") against white ("Bob")`.
struct Against<'a>(&'a [Who; 2]);

impl fmt::Display for Against<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.0;
        write!(f, "{} against {}", first.as_player(), second.as_player())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_told_where_they_connect() {
        let with_teams = |addresses: &[[u8; 4]], at, teams| LogEvent::Reachable {
            addresses: addresses.iter().copied().map(IpAddr::from).collect(),
            at,
            teams,
        };
        let reachable = |addresses: &[[u8; 4]], at| with_teams(addresses, at, Vec::new());
        let tables = reachable(&[[192, 0, 2, 2]], TableNumbers::Servers(0, 3));
        assert_eq!(
            tables.to_string(),
            "players connect to 192.0.2.2 with server number 0 to 3"
        );
        assert_eq!(
            serde_json::to_string(&tables).unwrap(),
            r#"{"event":"reachable","addresses":["192.0.2.2"],"servers":[0,3]}"#
        );
        let two = [[192, 0, 2, 2], [198, 51, 100, 7]];
        assert_eq!(
            reachable(&two, TableNumbers::Servers(2, 2)).to_string(),
            "players connect to 192.0.2.2 or 198.51.100.7 with server number 2"
        );
        let port = reachable(&two[..1], TableNumbers::Port(5_000));
        assert_eq!(
            port.to_string(),
            "players connect to 192.0.2.2 with the port of a table, such as 5000"
        );
        assert_eq!(
            serde_json::to_string(&port).unwrap(),
            r#"{"event":"reachable","addresses":["192.0.2.2"],"port":5000}"#
        );
        let team = |server| TeamAddress {
            team: Name::new(&format!("T{server}")).unwrap(),
            server,
            port: 29_068 + server,
        };
        let of_teams = |teams| with_teams(&two[..1], TableNumbers::Servers(0, 5), teams);
        let teams = of_teams(vec![team(10), team(11)]);
        assert_eq!(
            teams.to_string(),
            "teams connect to 192.0.2.2: \"T10\" at port 29078 (server number 10), \"T11\" at port \
             29079 (server number 11); observers with server number 0 to 5"
        );
        let json = serde_json::to_string(&teams).unwrap();
        let first = r#""teams":[{"team":"T10","server":10,"port":29078},"#;
        assert!(json.contains(first), "{json}");
        let many = of_teams((10..25).map(team).collect()).to_string();
        assert!(many.contains("\"T21\" at port 29089 (server number 21), and 3 more, as below;"));
        assert!(!many.contains("T22"), "{many}");
    }
}
