//! `gothello netplay`.

use std::io::{IsTerminal, stdin, stdout};
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::game::{GameName, check_server_number};
use super::player::{OPTIONS, PlayerArguments};
use super::sower::SowerArguments;
use super::variant::VariantArguments;
use super::{Unusable, parse_seconds, wrong_usage};
use crate::gtp_engine::EngineError;
use crate::netplay::{
    Agent, AgentError, Display, Engine, Error, Game, Human, Link, Observer, Own, Session, View,
    observe, play,
};
use crate::netref::{Awari, Gothello, MAX_NAME, Name, Side, Sides};
use crate::player::Mover;

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
    gothello netplay 127.0.0.1 0 observe               watch\n  \
    gothello netplay 127.0.0.1 0 south --game awari --human\n\n\
    A match between two GTP engines is two of these and a `gothello netref 0`.")]
pub(super) struct Arguments {
    /// The host of the referee
    host: String,
    /// The port is 29068 plus this; for Awari 29046
    server_number: u16,
    /// What to be in the match
    #[arg(value_enum)]
    role: Role,
    /// The game: gothello or awari
    #[arg(
        long,
        default_value = "gothello",
        hide_possible_values = true,
        hide_default_value = true,
        value_name = "GAME"
    )]
    game: GameName,
    #[command(flatten)]
    variant: VariantArguments,
    /// A name to tell the others: at most 31 printable ASCII characters
    #[arg(long, value_parser = parse_name)]
    name: Option<Name>,
    /// Let this GTP engine play: a command line with its arguments
    #[arg(long, value_name = "COMMAND", conflicts_with_all = OPTIONS.into_iter().chain(["human", "move_time", "endgames"]))]
    engine: Option<String>,
    /// Play yourself: type moves
    #[arg(long, conflicts_with_all = OPTIONS.into_iter().chain(["move_time", "endgames"]))]
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
    #[command(flatten)]
    sower: SowerArguments,
}

/// What to be in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Role {
    Black,
    White,
    /// Who moves first in Awari
    South,
    /// Who moves second in Awari
    North,
    /// Either side, as the referee decides
    #[value(alias = "?")]
    Either,
    /// Neither: watch
    #[value(alias = "observer")]
    Observe,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.game {
        GameName::Gothello => {
            let mut of_awari = arguments.variant.given().chain(arguments.sower.given());
            if let Some(option) = of_awari.next() {
                wrong_usage("netplay", format!("--{option} is for --game awari"));
            }
            enter(&arguments, Gothello::default(), || {
                let player = arguments.player.player(&arguments.player.prover()?);
                Ok(Box::new(Own::new(player, arguments.move_time)))
            })
        }
        GameName::Awari => {
            if let Some(option) = arguments.player.given().next() {
                wrong_usage("netplay", format!("--{option} is for --game gothello"));
            }
            let variant = arguments.variant.variant();
            let start = Awari::from(variant);
            enter(&arguments, start, || {
                let player: Box<dyn Mover> = Box::new(arguments.sower.sower(variant)?);
                Ok(Box::new(Own::new(player, arguments.move_time)))
            })
            .map_err(|error| match error.downcast_ref() {
                // The protocol does not tell them.
                Some(Error::Line { .. }) => error.context(
                    "perhaps the referee plays by other rules (see --grand-slam and --repetition)",
                ),
                _ => error,
            })
        }
    }
}

/// Plays or watches a match of a game that begins so; our own player is made
/// when it is asked for.
fn enter<G: Game>(
    arguments: &Arguments,
    start: G,
    own: impl FnOnce() -> Result<Box<dyn Agent<G>>>,
) -> Result<()> {
    if arguments.port.is_none() {
        check_server_number::<G>("netplay", arguments.server_number);
    }
    let wanted = match arguments.role {
        Role::Observe => return watch(arguments, start),
        Role::Either => None,
        Role::Black | Role::White | Role::South | Role::North => Some(arguments.role.side::<G>()),
    };
    let view = match arguments.human {
        true => View::Boards,
        false => View::Moves,
    };
    // An engine that cannot be started is no reason to take a seat.
    let agent = agent(arguments, own)?;
    let link = connect::<G>(arguments)?;
    let session = Session::new(start, wanted, arguments.name.clone());
    let mut display = Display::new(view, stdout().lock());
    finish(play(link, session, agent, &mut display))
}

impl Role {
    /// The side of a player who wants one; ends the program if the game has no
    /// such side.
    fn side<G: Game>(self) -> Side {
        let name = match self.to_possible_value() {
            Some(value) => value.get_name().to_owned(),
            None => String::new(),
        };
        let side = Side::ALL.into_iter().find(|&side| G::SIDES[side] == name);
        side.unwrap_or_else(|| {
            let Sides { first, second } = G::SIDES;
            let what = format!(
                "nobody plays {name} in {}: {first} or {second} is expected",
                G::NAME
            );
            wrong_usage("netplay", what)
        })
    }
}

fn watch<G: Game>(arguments: &Arguments, start: G) -> Result<()> {
    let players = [
        ("engine", arguments.engine.is_some()),
        ("human", arguments.human),
        ("move-time", arguments.move_time.is_some()),
    ];
    let given = players.into_iter().filter(|&(_, is_given)| is_given);
    let mut given = given
        .map(|(option, _)| option)
        .chain(arguments.player.given())
        .chain(arguments.sower.given());
    if let Some(option) = given.next() {
        wrong_usage(
            "netplay",
            format!("--{option} is for players, not for observe"),
        );
    }
    let link = connect::<G>(arguments)?;
    let mut display = Display::new(View::Boards, stdout().lock());
    let observer = Observer::new(start, arguments.name.clone());
    finish(observe(link, observer, &mut display))
}

fn connect<G: Game>(arguments: &Arguments) -> Result<Link<G::Move>, Error> {
    let port = G::PORT.saturating_add(arguments.server_number);
    Link::connect(&arguments.host, arguments.port.unwrap_or(port))
}

/// Whoever chooses the moves.
fn agent<G: Game>(
    arguments: &Arguments,
    own: impl FnOnce() -> Result<Box<dyn Agent<G>>>,
) -> Result<Box<dyn Agent<G>>> {
    if arguments.human {
        return Ok(Box::new(Human::new(stdin(), stdin().is_terminal())));
    }
    let Some(command) = &arguments.engine else {
        return own();
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
        Err(error @ AgentError::Engine(EngineError::NotStarted { .. })) => {
            Err(Unusable(error.to_string()).into())
        }
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
