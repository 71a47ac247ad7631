//! The log of events for the organizer.

use std::fmt;

use serde::Serialize;

use super::clients::ClientId;
use super::game::GameId;
use super::time;
use super::wire::{Millis, WireReason, by_color_code, color_code, winner_code};
use crate::base::counted::counted;
use crate::base::names::isolated;
use crate::games::go::{ByColor, Color};

/// Something that happened. `Display` writes the sentence for people; the serde form is a
/// line of the JSON log.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "Display says what each field means")]
pub enum LogEvent {
    /// The server listens.
    Listening {
        page: String,
        clients: String,
    },
    /// The address that makes its visitor the organizer, from other machines or on this
    /// one.
    Token {
        page: String,
        elsewhere: bool,
    },
    /// The server was stalled: nobody could play.
    Stalled {
        stall_ms: Millis,
    },
    /// A request was rejected before it could be a client's.
    TurnedAway {
        address: String,
        why: String,
    },
    Connected {
        client: ClientId,
        address: String,
    },
    Named {
        client: ClientId,
        name: String,
        protocol: String,
    },
    /// A client has given a name that other clients have, which are still connected.
    SameName {
        client: ClientId,
        name: String,
        others: Vec<ClientId>,
    },
    /// A client has the seat of another one of its name.
    TakenOver {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
        client: ClientId,
        before: ClientId,
    },
    Left {
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    /// A message was ignored.
    Refused {
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    Seated {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
    },
    Unseated {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
    },
    Started {
        table: u16,
        game: GameId,
        black: String,
        white: String,
    },
    Resumed {
        table: u16,
        game: GameId,
        moves: usize,
    },
    Moved {
        table: u16,
        number: usize,
        #[serde(with = "color_code")]
        side: Color,
        played: String,
        delta_ms: Millis,
    },
    Invalid {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
        played: String,
        why: String,
    },
    Ended {
        table: u16,
        game: GameId,
        reason: WireReason,
        #[serde(with = "winner_code")]
        winner: Option<Color>,
        #[serde(with = "by_color_code")]
        scores: ByColor<String>,
    },
    #[serde(rename = "stopped")]
    Interrupted {
        table: u16,
        game: GameId,
        why: String,
    },
    /// A player's connection is lost during a game.
    Break {
        table: u16,
        game: GameId,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
        number: u32,
        most: u32,
        used_ms: Millis,
        most_ms: Millis,
    },
    /// A player has no break left: its clock runs while it is away.
    Alone {
        table: u16,
        game: GameId,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
    },
    /// A player is back in a game that went on without it.
    Rejoined {
        table: u16,
        game: GameId,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
    },
    /// A client has the name of an absent player, but the seat is kept for another address.
    Kept {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
        client: ClientId,
        address: String,
    },
    /// The seat of an absent player is free for any address.
    Freed {
        table: u16,
        #[serde(with = "color_code")]
        side: Color,
        name: String,
    },
    /// An interrupted game waits for its players.
    Waiting {
        table: u16,
        game: GameId,
        moves: usize,
        black: String,
        white: String,
    },
    Adjourned {
        game: GameId,
    },
    Recalled {
        game: GameId,
        table: u16,
    },
    #[serde(rename = "cleared")]
    Voided {
        table: u16,
        game: GameId,
    },
    Configured {
        table: u16,
        file: String,
    },
    Tournament {
        what: String,
    },
    /// The final standings of a tournament, a line each.
    Standings {
        lines: Vec<String>,
    },
    Failed {
        what: String,
    },
    Stopping {
        why: String,
    },
}

impl fmt::Display for LogEvent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            LogEvent::Listening { page, clients } => {
                write!(f, "open {page} in a browser; clients connect to {clients}")
            }
            LogEvent::Token {
                page,
                elsewhere: true,
            } => {
                write!(f, "the organizer opens, from another machine, {page}")
            }
            LogEvent::Token { page, .. } => {
                write!(f, "the organizer opens, on this machine, {page}")
            }
            LogEvent::Stalled { stall_ms } => write!(
                f,
                "the server was stalled for {}, which no clock counts",
                time::format(*stall_ms)
            ),
            LogEvent::TurnedAway { address, why } => {
                write!(f, "a request from {address} is rejected: {why}")
            }
            LogEvent::Connected { client, address } => {
                write!(f, "{client} connected from {address}")
            }
            LogEvent::Named {
                client,
                name,
                protocol,
            } => {
                write!(f, "{client} is {}, protocol {protocol}", isolated(name))
            }
            LogEvent::SameName {
                client,
                name,
                others,
            } => {
                let others: Vec<String> = others.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "{client} has the name {} too, with {} still connected: the older connection \
                     keeps its seat while it answers pings, and {client} gets no game of a \
                     tournament until it is gone",
                    isolated(name),
                    others.join(" and ")
                )
            }
            LogEvent::TakenOver {
                table,
                side,
                name,
                client,
                before,
            } => {
                write!(
                    f,
                    "table {table}: {client} takes over {side} from {before}; both are called {}",
                    isolated(name)
                )
            }
            LogEvent::Left { client, name, why } => {
                write!(f, "{} left: {why}", called(*client, name.as_deref()))
            }
            LogEvent::Refused { client, name, why } => {
                write!(f, "{} sent {why}", called(*client, name.as_deref()))
            }
            LogEvent::Seated { table, side, name } => {
                write!(f, "table {table}: {} plays {}", isolated(name), side)
            }
            LogEvent::Unseated { table, side } => {
                write!(f, "table {table}: nobody plays {}", side)
            }
            LogEvent::Started {
                table,
                game,
                black,
                white,
            } => {
                let [black, white] = [black, white].map(|name| isolated(name));
                write!(
                    f,
                    "table {table}: game {game} begins, {black} (Black) - {white} (White)"
                )
            }
            LogEvent::Resumed { table, game, moves } => {
                let moves = counted(*moves, "move");
                write!(f, "table {table}: game {game} goes on after {moves}")
            }
            LogEvent::Moved {
                table,
                number,
                side,
                played,
                delta_ms,
            } => {
                write!(f, "table {table}: {number}. {side} {played}, {delta_ms} ms")
            }
            LogEvent::Invalid {
                table,
                side,
                played,
                why,
            } => {
                write!(f, "table {table}: {} {played} is refused: {why}", side)
            }
            LogEvent::Ended {
                table,
                game,
                reason,
                winner,
                scores,
            } => {
                let ByColor { black, white } = scores;
                let winner = match winner {
                    Some(Color::Black) => "Black wins",
                    Some(Color::White) => "White wins",
                    None => "nobody wins",
                };
                write!(
                    f,
                    "table {table}: game {game} is over ({reason}): {winner}; \
                     Black {black}, White {white}"
                )
            }
            LogEvent::Interrupted { table, game, why } => {
                write!(f, "table {table}: game {game} is interrupted: {why}")
            }
            LogEvent::Break {
                table,
                side,
                name,
                number,
                most,
                used_ms,
                most_ms,
                ..
            } => write!(
                f,
                "table {table}: break {number} of {most} for {} ({}); {} of {} used",
                isolated(name),
                side,
                time::format(*used_ms),
                time::format(*most_ms),
            ),
            LogEvent::Alone {
                table,
                game,
                side,
                name,
            } => {
                write!(
                    f,
                    "table {table}: game {game} goes on without {} ({color}), whose breaks are used \
                     up: {color}'s clock runs in {color}'s turn",
                    isolated(name),
                    color = side
                )
            }
            LogEvent::Rejoined {
                table,
                game,
                side,
                name,
            } => {
                write!(
                    f,
                    "table {table}: {} ({}) is back in game {game}",
                    isolated(name),
                    side
                )
            }
            LogEvent::Kept {
                table,
                side,
                name,
                client,
                address,
            } => {
                write!(
                    f,
                    "table {table}: {client} does not get the seat of {name} ({side}), which is \
                     kept for {address}: {name} connects from there, or the organizer frees the \
                     seat, on the page or by typing free {table} {}",
                    side.capital(),
                    name = isolated(name)
                )
            }
            LogEvent::Freed { table, side, name } => {
                write!(
                    f,
                    "table {table}: the seat of {} ({side}) is free for any address",
                    isolated(name)
                )
            }
            LogEvent::Waiting {
                table,
                game,
                moves,
                black,
                white,
            } => {
                let [black, white] = [black, white].map(|name| isolated(name));
                let moves = counted(*moves, "move");
                write!(
                    f,
                    "table {table}: game {game} waits after {moves} for {black} (Black) and \
                     {white} (White), or until the organizer voids or adjourns it on the page"
                )
            }
            LogEvent::Adjourned { game } => write!(f, "game {game} is adjourned"),
            LogEvent::Recalled { game, table } => {
                write!(f, "table {table}: game {game} is back and paused")
            }
            // An adjourned game has no table.
            LogEvent::Voided { table: 0, game } => write!(f, "game {game} is void"),
            LogEvent::Voided { table, game } => write!(f, "table {table}: game {game} is void"),
            LogEvent::Configured { table, file } => {
                write!(f, "table {table}: the next game is as {file} says")
            }
            LogEvent::Tournament { what } | LogEvent::Failed { what } => f.write_str(what),
            LogEvent::Standings { lines } => write!(f, "final standings:\n{}", lines.join("\n")),
            LogEvent::Stopping { why } => write!(f, "stopping: {why}"),
        }
    }
}

fn called(client: ClientId, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{client} {}", isolated(name)),
        None => client.to_string(),
    }
}
