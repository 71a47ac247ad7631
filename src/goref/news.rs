//! What happens, for whoever runs the contest.

use std::fmt;

use serde::Serialize;

use super::client::ClientId;
use super::entry::GameId;
use super::time;
use super::wire::{Both, Millis, Reason, Side};
use crate::names::isolated;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs, reason = "the printed sentences say it")]
pub enum News {
    /// The server listens.
    Listening {
        page: String,
        clients: String,
    },
    /// How to be the organiser, from other machines or on this one.
    Token {
        page: String,
        elsewhere: bool,
    },
    /// A request was refused before it could be a client's.
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
    Left {
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    /// A frame was passed over.
    Refused {
        client: ClientId,
        name: Option<String>,
        why: String,
    },
    Seated {
        table: u16,
        side: Side,
        name: String,
    },
    Unseated {
        table: u16,
        side: Side,
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
        side: Side,
        played: String,
        delta_ms: Millis,
    },
    Invalid {
        table: u16,
        side: Side,
        played: String,
        why: String,
    },
    Ended {
        table: u16,
        game: GameId,
        reason: Reason,
        winner: Side,
        scores: Both<String>,
    },
    Stopped {
        table: u16,
        game: GameId,
        why: String,
    },
    /// A player's connection is gone while a game is on.
    Break {
        table: u16,
        game: GameId,
        side: Side,
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
        side: Side,
        name: String,
    },
    /// A player is back in a game that went on without it.
    Rejoined {
        table: u16,
        game: GameId,
        side: Side,
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
    Cleared {
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

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            News::Listening { page, clients } => {
                write!(f, "open {page} in a browser; clients connect to {clients}")
            }
            News::Token {
                page,
                elsewhere: true,
            } => {
                write!(f, "the organiser opens, from another machine, {page}")
            }
            News::Token { page, .. } => {
                write!(f, "the organiser opens, on this machine, {page}")
            }
            News::TurnedAway { address, why } => {
                write!(f, "a request from {address} is turned away: {why}")
            }
            News::Connected { client, address } => write!(f, "{client} connected from {address}"),
            News::Named {
                client,
                name,
                protocol,
            } => {
                write!(f, "{client} is {}, protocol {protocol}", isolated(name))
            }
            News::Left { client, name, why } => {
                write!(f, "{} left: {why}", called(*client, name.as_deref()))
            }
            News::Refused { client, name, why } => {
                write!(f, "{} sent {why}", called(*client, name.as_deref()))
            }
            News::Seated { table, side, name } => {
                write!(
                    f,
                    "table {table}: {} plays {}",
                    isolated(name),
                    color(*side)
                )
            }
            News::Unseated { table, side } => {
                write!(f, "table {table}: nobody plays {}", color(*side))
            }
            News::Started {
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
            News::Resumed { table, game, moves } => {
                write!(f, "table {table}: game {game} goes on after {moves} moves")
            }
            News::Moved {
                table,
                number,
                side,
                played,
                delta_ms,
            } => {
                let side = color(*side);
                write!(f, "table {table}: {number}. {side} {played}, {delta_ms} ms")
            }
            News::Invalid {
                table,
                side,
                played,
                why,
            } => {
                write!(
                    f,
                    "table {table}: {} {played} is refused: {why}",
                    color(*side)
                )
            }
            News::Ended {
                table,
                game,
                reason,
                winner,
                scores,
            } => {
                let Both { black, white } = scores;
                let winner = match winner {
                    Side::Nobody => "nobody wins",
                    Side::B => "Black wins",
                    Side::W => "White wins",
                };
                write!(
                    f,
                    "table {table}: game {game} is over ({reason}): {winner}; \
                     Black {black}, White {white}"
                )
            }
            News::Stopped { table, game, why } => {
                write!(f, "table {table}: game {game} is broken off: {why}")
            }
            News::Break {
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
                color(*side),
                time::written(*used_ms),
                time::written(*most_ms),
            ),
            News::Alone {
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
                    color = color(*side)
                )
            }
            News::Rejoined {
                table,
                game,
                side,
                name,
            } => {
                write!(
                    f,
                    "table {table}: {} ({}) is back in game {game}",
                    isolated(name),
                    color(*side)
                )
            }
            News::Waiting {
                table,
                game,
                moves,
                black,
                white,
            } => {
                let [black, white] = [black, white].map(|name| isolated(name));
                write!(
                    f,
                    "table {table}: game {game} waits after {moves} moves for \
                     {black} (Black) and {white} (White)"
                )
            }
            News::Adjourned { game } => write!(f, "game {game} is adjourned"),
            News::Recalled { game, table } => write!(f, "table {table}: game {game} is back"),
            // It was adjourned.
            News::Cleared { table: 0, game } => write!(f, "game {game} is given up"),
            News::Cleared { table, game } => {
                write!(f, "table {table}: game {game} is given up")
            }
            News::Configured { table, file } => {
                write!(f, "table {table}: the next game is as {file} says")
            }
            News::Tournament { what } | News::Failed { what } => f.write_str(what),
            // A block, in reading order.
            News::Standings { lines } => write!(f, "final standings:\n{}", lines.join("\n")),
            News::Stopping { why } => write!(f, "stopping: {why}"),
        }
    }
}

fn called(client: ClientId, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{client} {}", isolated(name)),
        None => client.to_string(),
    }
}

fn color(side: Side) -> &'static str {
    match side {
        Side::B => "Black",
        Side::W => "White",
        Side::Nobody => "nobody",
    }
}
