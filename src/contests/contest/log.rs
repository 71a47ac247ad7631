//! The log of events for the organizer.

use derive_more::Display;
use itertools::Itertools;
use serde::Serialize;

use super::names::{ClientId, GameId, in_tournament};
use super::rules::Millis;
use super::time;
use crate::base::color::{ByColor, Color};
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::contests::color_codes::{ByColorCode, ColorCode, winner_code};
use crate::tournament::GameNumber;

/// Something that happened. `Display` writes the sentence for people; the serde form is a
/// line of the JSON log.
#[derive(Clone, Debug, Display, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "the sentences say what each field means")]
pub enum LogEvent {
    /// The server listens.
    #[display("open {page} in a browser; clients connect to {clients}")]
    Listening { page: String, clients: String },
    /// The address that makes its visitor the organizer, from other machines or on this
    /// one.
    #[display("the organizer opens, {}, {page}", if *elsewhere { "from another machine" } else { "on this machine" })]
    Token { page: String, elsewhere: bool },
    /// The server was stalled: nobody could play.
    #[display("the server was stalled for {}, which no clock counts", time::format(*stall_ms))]
    Stalled { stall_ms: Millis },
    /// After a failure the disk can be written again.
    #[display("after {}, the disk can be written again: all games go on", time::format(*time_ms))]
    Healed { time_ms: Millis },
    /// A request was rejected before it could be a client's.
    #[display("a request from {address} is rejected: {why}")]
    Rejected { address: String, why: String },
    #[display("{client} connected from {address}")]
    Connected {
        #[serde(rename = "connection")]
        client: ClientId,
        address: String,
    },
    #[display("{client} is {}, protocol {protocol}", isolated(name))]
    Named {
        #[serde(rename = "connection")]
        client: ClientId,
        name: String,
        protocol: String,
    },
    /// A client has given a name that other clients have, which are still connected.
    #[display(
        "{client} has the name {} too, with {} still connected: the older connection keeps its seat \
         while it answers pings, and {client} gets no game of a tournament until it is gone",
        isolated(name),
        others.iter().join(" and ")
    )]
    SameName {
        #[serde(rename = "connection")]
        client: ClientId,
        name: String,
        others: Vec<ClientId>,
    },
    /// A client has the seat of another one of its name.
    #[display(
        "table {table}: {client} takes over {side} from {before}; both are called {}",
        isolated(name)
    )]
    TakenOver {
        table: u16,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
        #[serde(rename = "connection")]
        client: ClientId,
        before: ClientId,
    },
    #[display("{} left: {why}", called(*client, name.as_deref()))]
    Left {
        #[serde(rename = "connection")]
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    /// A message was ignored.
    #[display("{} sent {why}", called(*client, name.as_deref()))]
    Refused {
        #[serde(rename = "connection")]
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    #[display("table {table}: {} plays {side}", isolated(name))]
    Seated {
        table: u16,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
    },
    #[display("table {table}: nobody plays {side}")]
    Unseated {
        table: u16,
        #[serde(with = "ColorCode")]
        side: Color,
    },
    #[display(
        "table {table}: game {game}{} begins, {} (Black) - {} (White)",
        in_tournament(*place),
        isolated(black),
        isolated(white)
    )]
    Started {
        table: u16,
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        black: String,
        white: String,
    },
    #[display("table {table}: game {game} goes on after {}", counted(*moves, "move"))]
    Resumed {
        table: u16,
        game: GameId,
        moves: usize,
    },
    #[display("table {table}, game {game}: {number}. {side} {played}, {delta_ms} ms")]
    Moved {
        table: u16,
        game: GameId,
        number: usize,
        #[serde(with = "ColorCode")]
        side: Color,
        played: String,
        delta_ms: Millis,
    },
    #[display("table {table}, game {game}: {side} {played} is refused: {why}")]
    Invalid {
        table: u16,
        game: GameId,
        #[serde(with = "ColorCode")]
        side: Color,
        played: String,
        why: String,
    },
    #[display(
        "table {table}: game {game}{} is over ({reason}): {} wins; Black {}, White {}",
        in_tournament(*place),
        winner.map_or_else(|| "nobody".to_owned(), |winner| winner.to_string()),
        scores.black,
        scores.white
    )]
    Ended {
        table: u16,
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        reason: String,
        #[serde(with = "winner_code")]
        winner: Option<Color>,
        #[serde(with = "ByColorCode")]
        scores: ByColor<String>,
    },
    #[display("table {table}: game {game}{} is interrupted: {why}", in_tournament(*place))]
    Interrupted {
        table: u16,
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        why: String,
    },
    /// A player's connection is lost during a game.
    #[display(
        "table {table}, game {game}: break {number} of {most} for {} ({side}); {} of {} used",
        isolated(name),
        time::format(*used_ms),
        time::format(*most_ms)
    )]
    Break {
        table: u16,
        game: GameId,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
        number: u32,
        most: u32,
        used_ms: Millis,
        most_ms: Millis,
    },
    /// A player has no break left: its clock runs while it is away.
    #[display(
        "table {table}: game {game} goes on without {} ({side}), whose breaks are used up: {side}'s \
         clock runs in {side}'s turn",
        isolated(name)
    )]
    Alone {
        table: u16,
        game: GameId,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
    },
    /// A player is back in a game that went on without it.
    #[display("table {table}: {} ({side}) is back in game {game}", isolated(name))]
    Rejoined {
        table: u16,
        game: GameId,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
    },
    /// A client has the name of an absent player, but the seat is kept for another address.
    #[display(
        "table {table}: {client} does not get the seat of {name} ({side}), which is kept for \
         {address}: {name} connects from there, or the organizer frees the seat, on the page or by \
         typing free {table} {}",
        side.capital(),
        name = isolated(name)
    )]
    Kept {
        table: u16,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
        #[serde(rename = "connection")]
        client: ClientId,
        address: String,
    },
    /// The seat of an absent player is free for any address.
    #[display(
        "table {table}: the seat of {} ({side}) is free for any address",
        isolated(name)
    )]
    Freed {
        table: u16,
        #[serde(with = "ColorCode")]
        side: Color,
        name: String,
    },
    /// An interrupted game waits for its players.
    #[display(
        "table {table}: game {game}{} waits after {} for {} (Black) and {} (White), or until the \
         organizer voids or adjourns it on the page",
        in_tournament(*place),
        counted(*moves, "move"),
        isolated(black),
        isolated(white)
    )]
    Waiting {
        table: u16,
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        moves: usize,
        black: String,
        white: String,
    },
    #[display("game {game}{} is adjourned", in_tournament(*place))]
    Adjourned {
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
    },
    #[display("table {table}: game {game}{} is back and paused", in_tournament(*place))]
    Recalled {
        game: GameId,
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<GameNumber>,
        table: u16,
    },
    #[display("{}game {game} is void: {why}", at_table(*table))]
    Voided {
        table: u16,
        game: GameId,
        why: String,
    },
    #[display("table {table}: the next game is as {file} says")]
    Configured { table: u16, file: String },
    #[display("{what}")]
    Tournament { what: String },
    /// The final standings of a tournament, a line each.
    #[display("final standings:\n{}", lines.join("\n"))]
    Standings { lines: Vec<String> },
    #[display("{what}")]
    Failed { what: String },
    /// A player's program fails again and again.
    #[display("{what}")]
    Warning { what: String },
    #[display("stopping: {why}")]
    Stopping { why: String },
}

fn called(client: ClientId, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{client} {}", isolated(name)),
        None => client.to_string(),
    }
}

/// Returns where something is, before a sentence; an adjourned game has no table.
fn at_table(table: u16) -> String {
    match table {
        0 => String::new(),
        table => format!("table {table}: "),
    }
}
