//! `gothello netplay`.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::player::{OPTIONS, PlayerArguments};
use super::{Unusable, parse_seconds, wrong_usage};
use crate::netplay::{
    Agent, AgentError, Display, Engine, Error, Human, Link, Observer, Own, Session, View, observe,
    play,
};
use crate::netref::{Game, Gothello, MAX_NAME, Name, Side};

/// Play a match at a network referee, or watch one
///
/// Without --engine and --human our own player plays. The moves are printed as
/// they are made, a line each, and the result at the end; a person and an
/// observer see the board instead. The exit code is 0 also for a match that is
/// lost, and 1 for one that does not come to a regular end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello netplay 127.0.0.1 0 black                 our own player\n  \
    gothello netplay 127.0.0.1 0 white --human         a person\n  \
    gothello netplay 127.0.0.1 0 white --engine \"gothello gtp --move-time 0.1\"\n  \
    gothello netplay 127.0.0.1 0 observe               watch\n\n\
    A match between two GTP engines is two of these and a `gothello netref 0`.")]
pub(super) struct Arguments {
    /// The host of the referee
    host: String,
    /// The port is 29068 plus this
    #[arg(value_parser = clap::value_parser!(u16).range(0..=i64::from(u16::MAX - Gothello::PORT)))]
    server_number: u16,
    /// What to be in the match
    #[arg(value_enum)]
    role: Role,
    /// A name to tell the others: at most 31 printable ASCII characters
    #[arg(long, value_parser = parse_name)]
    name: Option<Name>,
    /// Let this GTP engine play: a command line with its arguments
    #[arg(long, value_name = "COMMAND", conflicts_with_all = OPTIONS.into_iter().chain(["human", "move_time"]))]
    engine: Option<String>,
    /// Play yourself: type moves
    #[arg(long, conflicts_with_all = OPTIONS.into_iter().chain(["move_time"]))]
    human: bool,
    /// Let our own player think at most so long about a move, whatever the
    /// clock allows; 1 second if there is neither this option nor a clock
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    move_time: Option<Duration>,
    /// Connect to this port instead
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    #[command(flatten)]
    player: PlayerArguments,
}

/// What to be in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Role {
    Black,
    White,
    /// Black or White, as the referee decides
    #[value(alias = "?")]
    Either,
    /// Neither: watch
    #[value(alias = "observer")]
    Observe,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let wanted = match arguments.role {
        Role::Black => Some(Side::First),
        Role::White => Some(Side::Second),
        Role::Either => None,
        Role::Observe => return watch(arguments),
    };
    let view = match arguments.human {
        true => View::Boards,
        false => View::Moves,
    };
    // An engine that cannot be started is no reason to take a seat.
    let agent = agent(&arguments)?;
    let link = connect(&arguments)?;
    let session = Session::new(wanted, arguments.name);
    let mut display = Display::new(view, stdout().lock());
    finish(play(link, session, agent, &mut display))
}

fn watch(arguments: Arguments) -> Result<()> {
    let players = [
        ("engine", arguments.engine.is_some()),
        ("human", arguments.human),
        ("move-time", arguments.move_time.is_some()),
    ];
    let given = players.into_iter().filter(|&(_, is_given)| is_given);
    let mut given = given
        .map(|(option, _)| option)
        .chain(arguments.player.given());
    if let Some(option) = given.next() {
        wrong_usage(
            "netplay",
            format!("--{option} is for players, not for observe"),
        );
    }
    let link = connect(&arguments)?;
    let mut display = Display::new(View::Boards, stdout().lock());
    finish(observe(link, Observer::new(arguments.name), &mut display))
}

fn connect(arguments: &Arguments) -> Result<Link, Error> {
    let port = Gothello::PORT.saturating_add(arguments.server_number);
    Link::connect(&arguments.host, arguments.port.unwrap_or(port))
}

/// Whoever chooses the moves.
fn agent(arguments: &Arguments) -> Result<Box<dyn Agent>> {
    if arguments.human {
        return Ok(Box::new(Human::new(stdin(), stdin().is_terminal())));
    }
    let Some(command) = &arguments.engine else {
        let player = arguments.player.player(&arguments.player.prover()?);
        return Ok(Box::new(Own::new(player, arguments.move_time)));
    };
    let Some(words) = shlex::split(command) else {
        wrong_usage(
            "netplay",
            format!("--engine {command:?}: a quote is not closed"),
        );
    };
    let [program, arguments @ ..] = words.as_slice() else {
        wrong_usage(
            "netplay",
            "--engine: the command line of a GTP engine is expected",
        );
    };
    match Engine::start(program, arguments) {
        Ok(engine) => Ok(Box::new(engine)),
        Err(error @ AgentError::NotStarted { .. }) => Err(Unusable(error.to_string()).into()),
        Err(error) => Err(error.into()),
    }
}

/// Has everything been shown, the result is no news.
fn finish<T>(result: Result<T, Error>) -> Result<()> {
    match result {
        Ok(_) => Ok(()),
        Err(Error::Output(error)) => Err(error.into()),
        Err(error) => Err(error.into()),
    }
}

fn parse_name(text: &str) -> Result<Name, String> {
    Name::new(text)
        .ok_or_else(|| format!("at most {MAX_NAME} printable ASCII characters are expected"))
}
