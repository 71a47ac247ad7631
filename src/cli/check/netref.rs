//! `gothello check netref`.

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::{CheckArguments, list, show};
use crate::check::netref::{NetrefSettings, NetrefStep, check};
use crate::cli::values::number;
use crate::cli::wrong_usage;
use crate::color::Color;
use crate::gothello::Game;
use crate::netref::NetrefGame;

/// Check a client of the network referee: a program that plays Gothello
///
/// The command is run for each game, with {side}, {host}, {server} and {port} replaced, as in
/// `gothello match`. The client connects, plays its game, and ends with exit code 0. A client that
/// gives a name is sent all messages of the protocol; one without a name those alone that the
/// public client libraries understand.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check netref -- java MyClient {side} {host} {server} 3\n  \
    gothello check netref --server 0 --side black -- ./client\n  \
    gothello check netref --only draw-by-own-pass --games 20 -- ./client {side} {port}")]
pub(super) struct Arguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Side to play [default: both]
    #[arg(long, value_name = "SIDE", value_enum)]
    side: Option<Side>,
    /// Server number, for a command without {server} and {port} [default: one that is free]
    #[arg(long, value_name = "N", value_parser = number(0..=Game::MAX_SERVER))]
    server: Option<u16>,
    /// Games in which each situation is looked for, for each side
    #[arg(long, value_name = "N", default_value = "3", value_parser = number(1..=1_000_u32))]
    games: u32,
    /// Accept every exit code of the client
    #[arg(long)]
    any_exit_code: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Black,
    White,
}

impl Arguments {
    pub(super) fn run(self) -> Result<()> {
        if self.check.list {
            return list::<NetrefStep>();
        }
        let has = |placeholder: &str| {
            let mut words = self.check.command.iter();
            words.any(|word| word.contains(placeholder))
        };
        if self.server.is_none() && !has("{server}") && !has("{port}") {
            return Err(wrong_usage(
                "the command needs {server} or {port}, which tell the client where to connect, or \
                 there must be --server",
            ));
        }
        if self.side.is_none() && !has("{side}") {
            return Err(wrong_usage(
                "the command needs {side}, which tells the client what to play, or there must be \
                 --side",
            ));
        }
        let seed = self.check.seed();
        let settings = NetrefSettings {
            command: self.check.command.clone(),
            sides: match self.side {
                None => Color::ALL.to_vec(),
                Some(Side::Black) => vec![Color::Black],
                Some(Side::White) => vec![Color::White],
            },
            server: self.server,
            only: self.check.only()?,
            seed,
            games: self.games,
            limits: self.check.limits(),
            ignores_exit_status: self.any_exit_code,
        };
        let report = check(&settings, &mut |what| self.check.tell(&what))?;
        show("netref", &self.check, seed, &report)
    }
}
