//! `gothello check netref`.

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::{CheckArguments, list, show};
use crate::check::Topic;
use crate::check::netref::{AwariTopic, ClientStep, ClientTopic, NetrefSettings, check};
use crate::cli::game_options::GameName;
use crate::cli::values::number;
use crate::cli::wrong_usage;
use crate::color::Color;
use crate::netref::{Gothello, NetrefGame};

/// Check a client of the network referee: a program that plays Gothello, or Awari
///
/// The command is run for each game, with {side}, {host}, {server} and {port} replaced, as in
/// `gothello match`. The client connects, plays its game, and ends with exit code 0. A client that
/// gives a name is sent all messages of the protocol; one without a name those alone that the
/// public client libraries understand.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check netref -- java MyClient {side} {host} {server} 3\n  \
    gothello check netref --server 0 --side black -- ./client\n  \
    gothello check netref --only draw-by-own-pass --games 20 -- ./client {side} {port}\n  \
    gothello check netref --game awari -- ./awari-client {side} {host} {port}")]
pub(super) struct Arguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Game: gothello or awari
    #[arg(
        long,
        value_name = "GAME",
        default_value = "gothello",
        hide_possible_values = true
    )]
    game: GameName,
    /// Side to play: black or white, in Awari south or north [default: both]
    #[arg(long, value_name = "SIDE", value_enum, hide_possible_values = true)]
    side: Option<Side>,
    /// Server number, for a command without {server} and {port} [default: one that is free]
    #[arg(long, value_name = "N", value_parser = number(0..=Gothello::MAX_SERVER))]
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
    South,
    North,
}

impl Arguments {
    pub(super) fn run(self) -> Result<()> {
        match self.game {
            GameName::Gothello => self.run_for::<Topic>([Side::Black, Side::White]),
            GameName::Awari => self.run_for::<AwariTopic>([Side::South, Side::North]),
        }
    }

    /// Checks a client that plays the game with these topics, whose sides are `sides`.
    fn run_for<T: ClientTopic>(self, sides: [Side; 2]) -> Result<()> {
        if self.check.list {
            return list::<ClientStep<T>>();
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
        let all = Color::ALL.into_iter().zip(sides);
        let is_wanted = |side| self.side.is_none_or(|wanted| wanted == side);
        let wanted = all.filter(|&(_, side)| is_wanted(side));
        let sides: Vec<Color> = wanted.map(|(color, _)| color).collect();
        if sides.is_empty() {
            let names = T::Game::SIDES;
            let (first, second) = (names.black, names.white);
            return Err(wrong_usage(format!("--side is {first} or {second} here")));
        }
        if self
            .server
            .is_some_and(|server| server > T::Game::MAX_SERVER)
        {
            let most = T::Game::MAX_SERVER;
            return Err(wrong_usage(format!("--server is 0 to {most} here")));
        }
        let seed = self.check.seed();
        let settings = NetrefSettings {
            command: self.check.command.clone(),
            sides,
            server: self.server,
            only: self.check.only()?,
            seed,
            games: self.games,
            limits: self.check.limits(),
            ignores_exit_status: self.any_exit_code,
        };
        let report = check::<T>(&settings, &mut |what| self.check.tell(&what))?;
        show("netref", &self.check, seed, &report)
    }
}
