//! `gothello netplay`.

use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::awari_player::AwariPlayerArguments;
use super::game::{GameName, check_server_number};
use super::own_name::own_name;
use super::player::{OPTIONS, PlayerArguments};
use super::values::{CommandLine, number, seconds};
use super::variant::VariantArguments;
use super::wrong_usage;
use crate::color::{ByColor, Color};
use crate::net::HostPort;
use crate::netplay::{
    Agent, Display, Engine, Error, Game, Human, Link, Observer, Own, Session, View, observe, play,
};
use crate::netref::{Awari, Gothello, MAX_NAME, Name};
use crate::player::AwariPlayer;

/// Play a match at a network referee, or watch one
///
/// Without --engine and --human our own player plays. The moves are printed as
/// they are made, a line each, and the result at the end; a person and an
/// observer see the board instead.
///
/// The exit code is 0 also for a match that is lost; 1 if it does not come to a
/// regular end, as when our engine fails or makes an illegal move, and so has
/// resigned; 2 for wrong usage.
#[derive(Debug, Args)]
#[command(
    override_usage = "gothello netplay [OPTIONS] <SERVER> <ROLE>",
    after_help = "Examples:\n  \
    gothello netplay localhost black                   our own player\n  \
    gothello netplay localhost white --human           a person\n  \
    gothello netplay localhost white --engine \"gothello gtp --move-time 0.1\"\n  \
    gothello netplay 10.0.0.5:29069 observe            watch\n  \
    gothello netplay localhost south --game awari --human\n\n\
    A match between two GTP engines is two of these and a `gothello netref`.\n\
    The server's number may stand between SERVER and ROLE, as in `localhost 1 black`:\n\
    the port is 29068 plus this; for Awari 29046."
)]
pub(super) struct Arguments {
    /// The referee: HOST or HOST:PORT (29068 if there is none; for Awari 29046)
    #[arg(value_name = "SERVER")]
    server: HostPort,
    /// What to be in the match: black, white, either (as the referee decides) or
    /// observe; in Awari south, north, either or observe
    #[arg(value_name = "ROLE")]
    role: String,
    /// The role if there is a server number before it.
    #[arg(hide = true)]
    role_after_number: Option<String>,
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
    /// A name to tell the others, at most 31 printable ASCII characters; by default
    /// what plays and where, as in "GNU Go (ann@lab12)"
    #[arg(long, value_parser = parse_name)]
    name: Option<Name>,
    /// Tell no name: the referee then speaks as to the clients of 2001, and takes
    /// nobody back into an interrupted match by name
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// Let this GTP engine play: a command line with its arguments
    #[arg(long, value_name = "COMMAND", conflicts_with_all = OPTIONS.into_iter().chain(["human", "move_time", "endgames"]))]
    engine: Option<CommandLine>,
    /// Play yourself: type moves
    #[arg(long, conflicts_with_all = OPTIONS.into_iter().chain(["move_time", "endgames"]))]
    human: bool,
    /// Let our own player think at most so long about a move, whatever the
    /// clock allows; 1 second if there is neither this option nor a clock
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    move_time: Option<Duration>,
    /// Wait so long for the referee's greeting; 0 without limit
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    greeting_timeout: Duration,
    /// The port, before SERVER could have one.
    #[arg(long, hide = true, value_parser = number(1..=u16::MAX))]
    port: Option<u16>,
    #[command(flatten)]
    player: PlayerArguments,
    #[command(flatten)]
    awari: AwariPlayerArguments,
}

/// What to be in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A player of this side, or of either, as the referee decides.
    Player(Option<Color>),
    /// Neither: watch.
    Observer,
}

impl Role {
    /// Parses a role, in either case.
    fn parse<G: Game>(text: &str) -> Result<Role> {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        let mut sides = Color::ALL.into_iter();
        match sides.find(|&side| is(G::SIDES[side])) {
            Some(side) => Ok(Role::Player(Some(side))),
            None if is("either") || is("?") => Ok(Role::Player(None)),
            None if is("observe") || is("observer") => Ok(Role::Observer),
            None => {
                let ByColor {
                    black: first,
                    white: second,
                } = G::SIDES;
                Err(wrong_usage(format!(
                    "{text:?} is no role in {}: give {first}, {second}, either or observe",
                    G::NAME
                )))
            }
        }
    }
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.game {
        GameName::Gothello => {
            let mut of_awari = arguments.variant.given().chain(arguments.awari.given());
            if let Some(option) = of_awari.next() {
                return Err(wrong_usage(format!("--{option} is for --game awari")));
            }
            enter(&arguments, Gothello::default(), || {
                let player = arguments.player.player(&arguments.player.prover()?);
                Ok(Box::new(Own::new(player, arguments.move_time)))
            })
        }
        GameName::Awari => {
            if let Some(option) = arguments.player.given().next() {
                return Err(wrong_usage(format!("--{option} is for --game gothello")));
            }
            let variant = arguments.variant.variant();
            let start = Awari::from(variant);
            enter(&arguments, start, || {
                let player: Box<dyn AwariPlayer> = Box::new(arguments.awari.player(variant)?);
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
    let (port, role) = arguments.port_and_role::<G>()?;
    let wanted = match Role::parse::<G>(role)? {
        Role::Observer => return watch(arguments, port, start),
        Role::Player(side) => side,
    };
    let view = match arguments.human {
        true => View::Boards,
        false => View::Moves,
    };
    // An engine that cannot be started is no reason to take a seat.
    let (agent, what) = agent(arguments, own)?;
    let link = arguments.connect(port)?;
    let session = Session::new(start, wanted, arguments.name(what.as_deref()));
    let mut display = Display::new(view, stdout().lock());
    finish(play(link, session, agent, &mut display))
}

impl Arguments {
    /// Connects, and waits for the greeting.
    fn connect<M: Send + 'static>(&self, port: u16) -> Result<Link<M>, Error> {
        let limit = self.greeting_timeout;
        Link::connect(&self.server.host, port, (!limit.is_zero()).then_some(limit))
    }

    /// The name to tell the others, if any; that of a program that plays is `what`.
    fn name(&self, what: Option<&str>) -> Option<Name> {
        match &self.name {
            Some(name) => Some(name.clone()),
            None if self.no_name => None,
            None => own_name(what),
        }
    }

    /// The port to connect to, and what to be there.
    fn port_and_role<G: Game>(&self) -> Result<(u16, &str)> {
        let named = self.server.port.or(self.port);
        let Some(role) = &self.role_after_number else {
            return Ok((named.unwrap_or(G::PORT), &self.role));
        };
        let number: u16 = self.role.parse().map_err(|_| {
            wrong_usage(format!(
                "there is {role:?} after the role {:?}: give a name with --name, in quotes if it has spaces",
                self.role
            ))
        })?;
        if self.server.port.is_some() {
            return Err(wrong_usage(format!(
                "the port of {} is known: leave out the server number {number}",
                self.server
            )));
        }
        if self.port.is_none() {
            check_server_number::<G>(number)?;
        }
        Ok((named.unwrap_or(G::PORT.saturating_add(number)), role))
    }
}

fn watch<G: Game>(arguments: &Arguments, port: u16, start: G) -> Result<()> {
    let players = [
        ("engine", arguments.engine.is_some()),
        ("human", arguments.human),
        ("move-time", arguments.move_time.is_some()),
    ];
    let given = players.into_iter().filter(|&(_, is_given)| is_given);
    let mut given = given
        .map(|(option, _)| option)
        .chain(arguments.player.given())
        .chain(arguments.awari.given());
    if let Some(option) = given.next() {
        return Err(wrong_usage(format!(
            "--{option} is for players, not for observe"
        )));
    }
    let link = arguments.connect(port)?;
    let mut display = Display::new(View::Boards, stdout().lock());
    let observer = Observer::new(start, arguments.name(None));
    finish(observe(link, observer, &mut display))
}

/// Whoever chooses the moves, and what it is called if it is a program.
fn agent<G: Game>(
    arguments: &Arguments,
    own: impl FnOnce() -> Result<Box<dyn Agent<G>>>,
) -> Result<(Box<dyn Agent<G>>, Option<String>)> {
    if arguments.human {
        let human = Human::new(stdin(), stdin().is_terminal());
        return Ok((Box::new(human), None));
    }
    let Some(command) = &arguments.engine else {
        return Ok((own()?, Some(env!("CARGO_PKG_NAME").into())));
    };
    let mut engine = Engine::start(&command.program, &command.arguments)?;
    let name = engine.name()?.unwrap_or_else(|| {
        let path = Path::new(&command.program);
        let name = path.file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    });
    Ok((Box::new(engine), Some(name)))
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
    Name::new(text).ok_or_else(|| format!("give at most {MAX_NAME} printable ASCII characters"))
}
