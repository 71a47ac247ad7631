//! `gothello goplay`.

use std::io::{IsTerminal, stdin};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};

use super::output::Output;
use super::values::{CommandLine, at_least, duration};
use super::{Run, bail_usage};
use crate::clients::agent::{Agent, Display, Human, View};
use crate::clients::goplay::{Address, Settings, Tls, play};
use crate::contests::goref::wire::Protocol;
use crate::games::go::Game;
use crate::gtp::process::adopt_orphans;

/// Play in a Go contest: a GTP engine, or a person at a terminal
///
/// The server decides who plays whom and when. The result of each finished game is
/// printed as a line; everything else goes to standard error. If the connection is
/// lost, it is tried again, and the game continues where it was.
///
/// The exit code is 0 after --games, and if between two games Ctrl-C is pressed or the
/// server is gone for as long as --reconnect says, whoever won; 1 if a game was left
/// unfinished, no server answered, or the engine failed; 2 for wrong usage.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("player").required(true),
    after_help = "Examples:\n  \
    gothello goplay localhost --name GNU --engine \"gnugo --mode gtp --level 1\"\n  \
    gothello goplay 10.0.0.5:8080 --name Ann --human\n  \
    gothello goplay ws://127.0.0.1:8080 --name X --engine ./x --games 1 --reconnect 600"
)]
pub struct Arguments {
    /// Server: HOST, HOST:PORT, or a URL, ws://HOST:PORT or wss://HOST/PATH [default port: 8080;
    /// of URLs 80 and 443]
    #[arg(value_name = "SERVER")]
    address: Address,
    /// Name to play under
    #[arg(long, value_parser = parse_name)]
    name: String,
    /// Secret of the team, if the organizer has given it one
    #[arg(long)]
    secret: Option<String>,
    /// GTP engine that plays: a command line with its arguments, in quotes
    #[arg(long, value_name = "COMMAND", group = "player")]
    engine: Option<CommandLine>,
    /// Play yourself: you see the board and type moves
    #[arg(long, group = "player")]
    human: bool,
    /// Leave after this many finished games [default: never]
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    games: Option<u64>,
    /// Time in seconds to try to connect, and to reconnect after a loss; 0 is a single try
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = duration)]
    reconnect: Duration,
    /// With wss://, trust the certificates in this file in PEM form instead of those of the
    /// system. wss:// needs a program that was built with `--features tls`
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Version of the protocol; with v2 the server also sends the board, which is
    /// compared with the moves
    #[arg(long, value_name = "VERSION", default_value = "v2",
        value_parser = PossibleValuesParser::new(["v1", "v2"]).map(|name| match &*name {
            "v1" => Protocol::V1,
            _ => Protocol::V2,
        }))]
    protocol: Protocol,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        adopt_orphans();
        let tls = match self.address.is_encrypted() {
            true => Some(Tls::new(self.ca.as_deref())?),
            false if self.ca.is_some() => bail_usage!("--ca is for wss:// URLs"),
            false => None,
        };
        // Do not connect if the engine cannot be started.
        let agent = agent(&self)?;
        let view = match self.human {
            true => View::Boards,
            false => View::Moves,
        };
        let mut display = Display::of_results(view, Output::lock());
        let settings = Settings {
            address: self.address,
            tls,
            name: self.name,
            secret: self.secret,
            protocol: self.protocol,
            reconnect: self.reconnect,
            games: self.games,
        };
        Ok(play(settings, agent, &mut display)?)
    }
}

/// Returns the agent that chooses the moves.
fn agent(arguments: &Arguments) -> Result<Box<dyn Agent<Game>>> {
    let Some(command) = &arguments.engine else {
        return Ok(Box::new(Human::new(stdin(), stdin().is_terminal())));
    };
    Ok(Box::new(command.start()?))
}

fn parse_name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    match name.is_empty() {
        true => Err("give a name that is not empty"),
        false => Ok(name.to_owned()),
    }
}
