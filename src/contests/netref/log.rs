//! The log of the server's events, for its organizer.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use derive_more::Display;
use itertools::Itertools;
use serde::Serialize;

use super::client::{ConnId, Name};
use super::game::NetrefGame;
use super::summary::{MatchReason, Player, Summary};
use crate::base::color::Color;
use crate::base::counted::counted;
use crate::contests::contest::{DISK_RETRY, in_tournament};
use crate::tournament::GameNumber;

/// The side of a client that asked for either.
const EITHER: &str = "either side";

/// A client in a line of the log. Unknown fields are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Who {
    /// The connection; `None` while a player of an interrupted match is absent.
    #[serde(rename = "connection", skip_serializing_if = "Option::is_none")]
    pub conn: Option<ConnId>,
    /// The side that it plays, or "either side".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// The name of its team, or the name that it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Its address, only in the line where it appears first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<SocketAddr>,
    /// Whether lines about it are left out. No player of a match has this.
    #[serde(skip)]
    pub is_unlisted: bool,
}

impl Who {
    /// Names a client only by its connection.
    pub fn stranger(conn: ConnId) -> Who {
        Who {
            conn: Some(conn),
            ..Who::default()
        }
    }

    /// Returns the address after the client's name, if it is known.
    fn from(&self) -> String {
        let address = self.address;
        address.map_or_else(String::new, |address| format!(" from {address}"))
    }

    /// Names a client by its connection and, if known, its name.
    pub(super) fn of(player: &Player) -> Who {
        Who {
            conn: player.client.as_ref().map(|client| client.conn),
            name: player.called().cloned(),
            is_unlisted: player
                .client
                .as_ref()
                .is_some_and(|client| client.is_unlisted),
            ..Who::default()
        }
    }

    /// Names a player who waits for an opponent, with the side that it asked for.
    pub(super) fn seeking<G: NetrefGame>(player: &Player, side: Option<Color>) -> Who {
        Who {
            side: Some(side.map_or(EITHER, |side| G::SIDES[side])),
            ..Who::of(player)
        }
    }

    /// Says which side a waiting player wants: `#mwq2x8k1-4 "Ann" waits to play black`.
    pub(super) fn waits(&self) -> String {
        let side = self.side.unwrap_or(EITHER);
        format!("{} waits to play {side}", self.without_side())
    }

    /// Says which side a seated player has: `#mwq2x8k1-4 "Ann" will play black`. The opponent of one who
    /// asked for either side decides.
    fn will_play(&self) -> String {
        match self.side {
            Some(side) if side != EITHER => format!("{} will play {side}", self.without_side()),
            _ => self.waits(),
        }
    }

    /// Names a player of a match as it is recorded.
    pub(super) fn recorded<G: NetrefGame>(side: Color, player: &Player) -> Who {
        Who {
            side: Some(G::SIDES[side]),
            address: player.client.as_ref().and_then(|client| client.address),
            is_unlisted: false,
            ..Who::of(player)
        }
    }

    /// Returns the client as a player: `black ("Ann")`, or without a name `black
    /// (#mwq2x8k1-4)`.
    fn as_player(&self) -> String {
        let side = self.side.unwrap_or("a player");
        match (&self.name, self.conn) {
            (Some(name), _) => format!("{side} ({name})"),
            (None, Some(conn)) => format!("{side} (#{conn})"),
            (None, None) => side.to_owned(),
        }
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
        write!(f, "{}", [conn, name, side].iter().flatten().format(" "))
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

/// A match that has begun.
#[derive(Clone, Debug, Display, PartialEq, Eq, Serialize)]
#[display("match {id}{}, {}", in_tournament(*place), against(players))]
pub struct MatchSoFar {
    /// The unique ID of the match.
    pub id: String,
    /// Its number in the tournament, if it is a match of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<GameNumber>,
    /// Its players.
    pub players: Box<[Who; 2]>,
    /// The number of its moves.
    pub moves: usize,
}

impl MatchSoFar {
    /// Returns the number of its moves in words.
    pub(super) fn moves(&self) -> String {
        counted(self.moves, "move")
    }
}

/// Something that happened on the server.
#[derive(Clone, Debug, Display, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "the sentences say it")]
pub enum LogEvent {
    /// A table accepts connections.
    #[display("listening on {address}")]
    Listening { address: SocketAddr },
    /// Other machines reach the tables at any of these addresses of this machine.
    #[display("{}", reachable(addresses, at, teams))]
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
    #[display("the page for spectators is {}", std::iter::once(url).chain(others).join(" or "))]
    Page {
        url: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
    },
    /// The page for the organizer is ready.
    #[display("the page for the organizer is {url}")]
    OrganizerPage { url: String },
    /// A request to the page was rejected, for example one from another site.
    #[display("a request from {address} is rejected: {why}")]
    Rejected { address: String, why: String },
    /// The server was stalled: nobody could play.
    #[display("the referee was stalled for {}, which no clock counts", seconds(*stall_ms))]
    Stalled { stall_ms: u64 },
    /// Connections of players were lost in several matches at about the same time.
    #[display(
        "connections were lost at the same time in matches {}: one cause may have broken them",
        matches.join(", ")
    )]
    LostTogether { matches: Vec<String> },
    /// A client connected.
    #[display("#{connection} connected from {address}")]
    Connected {
        connection: ConnId,
        address: SocketAddr,
    },
    /// Connections from an address came so fast that they were not listed.
    #[display("{} from {address} came too fast to be listed", counted(*unlisted, "connection"))]
    Unlisted { address: IpAddr, unlisted: u32 },
    /// A player got a seat.
    #[display("{}", who.will_play())]
    Seated {
        #[serde(flatten)]
        who: Who,
    },
    /// A player came through the port of a team, and waits for an opponent and a table.
    #[display("{}", who.waits())]
    Waiting {
        #[serde(flatten)]
        who: Who,
    },
    /// An observer connected.
    #[display("{who} will observe")]
    Observing {
        #[serde(flatten)]
        who: Who,
    },
    /// A request was refused.
    #[display("{who}{} was told {response}", who.from())]
    Refused {
        #[serde(flatten)]
        who: Who,
        response: String,
    },
    /// A match began.
    #[display("match {id}{} begins: {}", in_tournament(*place), against(players))]
    Started {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        players: Box<[Who; 2]>,
    },
    /// An interrupted match was restored, and waits for its players.
    #[display("{_0}, waits for its players after {}", _0.moves())]
    Restored(MatchSoFar),
    /// An interrupted match goes on.
    #[display("{_0}, goes on after {}", _0.moves())]
    Resumed(MatchSoFar),
    /// A match was adjourned.
    #[display("{_0}, {}, is adjourned; to resume it, type: resume {}", _0.moves(), _0.id)]
    Adjourned(MatchSoFar),
    /// A move was accepted.
    #[display("{} plays {number} {ellipses}{mv}{}", who.as_player(), left(*left_ms))]
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
    #[display("{} offers a draw", who.as_player())]
    DrawOffered {
        #[serde(flatten)]
        who: Who,
    },
    /// A player refused the draw.
    #[display("{} refuses the draw", who.as_player())]
    DrawRefused {
        #[serde(flatten)]
        who: Who,
    },
    /// A match ended.
    #[display(
        "match {id}{}, {}, is over: {}",
        in_tournament(*place),
        against(players),
        result
    )]
    Ended {
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        players: Box<[Who; 2]>,
        winner: Option<&'static str>,
        reason: MatchReason,
        score: Option<String>,
        /// The same as a sentence.
        result: String,
    },
    /// A client left.
    #[display("{who} left")]
    Left {
        #[serde(flatten)]
        who: Who,
    },
    /// A client was dropped.
    #[display("{who} is dropped: {why}")]
    Dropped {
        #[serde(flatten)]
        who: Who,
        why: String,
    },
    /// A match cannot be recorded now. The server retries.
    #[display(
        "match {id} cannot be recorded now: {why}; this is tried again every {} seconds for {}",
        DISK_RETRY.as_secs(),
        counted(*waiting, "match")
    )]
    Unrecorded {
        id: String,
        why: String,
        /// The number of matches that wait to be recorded.
        waiting: usize,
    },
    /// The matches that waited have been recorded.
    #[display("matches that waited for the disk are recorded: {count}")]
    Recorded { count: usize },
    /// A torn line at the end of a journal was cut off.
    #[display("{journal}: a torn line of {} at the end is cut off", counted(*bytes, "byte"))]
    Cut { journal: String, bytes: u64 },
    /// A match of the house is recorded in this file.
    #[display("match {id} is recorded; to see what its moves cost: gothello review {record}")]
    Reviewable { id: String, record: String },
    /// The house plays at a table.
    #[display("{house} plays whoever comes")]
    HousePlays { house: Name },
    /// The house's player has a problem.
    #[display("the house: {what}")]
    House { what: String },
    /// A match is lost, because the server stops and keeps no state.
    #[display("{_0}, is lost after {}: without --state it cannot be resumed", _0.moves())]
    Discarded(MatchSoFar),
    /// Something failed on the server.
    #[display("{what}")]
    Failed { what: String },
    /// A player's program fails again and again, or waits in vain.
    #[display("{what}")]
    Warning { what: String },
    /// Something happened in the tournament.
    #[display("{what}")]
    Tournament { what: String },
    /// The server stops.
    #[display("{why}")]
    Stopping { why: String },
}

impl LogEvent {
    /// Creates the event of a client that is refused with this line.
    pub(super) fn refused(who: Who, line: &str) -> LogEvent {
        let response = line.trim_end().to_owned();
        LogEvent::Refused { who, response }
    }

    /// Returns whether this is left out of the log, because it is about a client that is not listed
    /// there.
    pub fn is_unlisted(&self) -> bool {
        match self {
            LogEvent::Seated { who }
            | LogEvent::Waiting { who }
            | LogEvent::Observing { who }
            | LogEvent::Refused { who, .. }
            | LogEvent::Left { who }
            | LogEvent::Dropped { who, .. } => who.is_unlisted,
            _ => false,
        }
    }

    /// Creates the event of a match that is over.
    pub(super) fn ended<G: NetrefGame>(summary: &Summary) -> LogEvent {
        let ending = &summary.ending;
        LogEvent::Ended {
            id: summary.id.clone(),
            place: (summary.scheduled.as_ref()).map(|game| game.scheduled.number),
            players: Box::new(
                Color::ALL.map(|side| Who::recorded::<G>(side, &summary.players[side])),
            ),
            winner: ending.winner.map(|side| G::SIDES[side]),
            reason: ending.reason,
            score: ending.score.clone(),
            result: ending.describe(G::PLAYERS),
        }
    }
}

/// Returns where players and observers connect.
fn reachable(addresses: &[IpAddr], at: &TableNumbers, teams: &[TeamAddress]) -> String {
    let addresses = addresses.iter().join(" or ");
    if teams.is_empty() {
        return format!("players connect to {addresses} with {at}");
    }
    let named = teams.iter().take(MAX_TEAM_PORTS).join(", ");
    let more = match teams.len().saturating_sub(MAX_TEAM_PORTS) {
        0 => String::new(),
        more => format!(", and {more} more, as below"),
    };
    format!("teams connect to {addresses}: {named}{more}; observers with {at}")
}

/// Returns the time that a player has left, after a move.
fn left(time: Option<u64>) -> String {
    time.map_or_else(String::new, |ms| format!(", {} left", seconds(ms)))
}

/// Writes `1.500 s`.
fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1_000, ms % 1_000)
}

/// Writes `black ("Ann") against white ("Bob")`.
fn against([first, second]: &[Who; 2]) -> String {
    format!("{} against {}", first.as_player(), second.as_player())
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
