//! `gothello netplay`.

use std::ffi::OsStr;
use std::io::{IsTerminal, stdin, stdout};
use std::iter;
use std::time::Duration;

use anyhow::Result;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};

use super::game_options::{BuiltInArguments, ChosenGame, GameArguments, MoveLimitArguments};
use super::output::{Output, unless_closed};
use super::values::{CommandLine, duration, given, number};
use super::{Run, bail_usage};
use crate::base::color::{ByColor, Color};
use crate::base::net::HostPort;
use crate::clients::agent::{Agent, BuiltIn, Display, Human, View};
use crate::clients::netplay::{
    ClientGame, Connection, Error, Observer, ReceiveError, Session, observe, play,
};
use crate::contests::netref::{Awari, Gothello, MAX_NAME, Name};
use crate::gtp::process::adopt_orphans;
use crate::player::AwariPlayer;

/// Play a match at a network referee, or observe one
///
/// Without --engine and --human the built-in player plays. Moves are printed as they are
/// made, and the result at the end; a person and an observer see the board instead.
///
/// The exit code is 0 even for a match that is lost; 1 if it does not come to a regular
/// end, for example because the engine fails again after a restart, or finds no legal
/// move, and so resigns; 2 for wrong usage.
#[derive(Debug, Args)]
#[command(
    override_usage = "gothello netplay [OPTIONS] <SERVER> <ROLE>",
    after_help = "Examples:\n  \
    gothello netplay localhost black                   the built-in player\n  \
    gothello netplay localhost white --human           a person\n  \
    gothello netplay localhost white --engine \"gothello gtp --move-time 0.1\"\n  \
    gothello netplay 10.0.0.5:29069 observe            an observer\n  \
    gothello netplay localhost south --game awari --human\n\n\
    A match between two GTP engines is two of these and a `gothello netref`.\n\
    A server number may stand between SERVER and ROLE, as in `localhost 1 black`:\n\
    the port is 29068 (Awari: 29046) plus this number."
)]
pub struct Arguments {
    /// Referee: HOST or HOST:PORT [default port: 29068; Awari: 29046]
    #[arg(value_name = "SERVER")]
    server: HostPort,
    /// Role in the match: black, white (Awari: south, north), either, as the referee
    /// decides, or observe
    #[arg(value_name = "ROLE", value_parser = RoleOrNumber, hide_possible_values = true)]
    role: String,
    /// The role if there is a server number before it.
    #[arg(hide = true, value_parser = RoleOrNumber)]
    role_after_number: Option<String>,
    #[command(flatten)]
    built_in: BuiltInArguments,
    #[command(flatten)]
    game: GameArguments,
    /// The name to tell the others.
    #[arg(
        long,
        value_parser = parse_name,
        help = "Name to tell the others, 1 to 31 printable ASCII characters [default: what plays \
                and where, as in \"GNU Go (ann@lab12)\"]"
    )]
    name: Option<Name>,
    /// Tell no name: the referee then speaks as to the clients of 2001, and gives nobody
    /// a seat back by name
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// GTP engine that plays: a command line with its arguments, in quotes
    #[arg(long, value_name = "COMMAND", conflicts_with_all = BuiltInArguments::OPTIONS.into_iter().chain(MoveLimitArguments::OPTIONS).chain(["human"]))]
    engine: Option<CommandLine>,
    /// Play yourself: you see the board and type moves
    #[arg(long, conflicts_with_all = BuiltInArguments::OPTIONS.into_iter().chain(MoveLimitArguments::OPTIONS))]
    human: bool,
    #[command(flatten)]
    limits: MoveLimitArguments,
    /// Time in seconds to wait for the referee's greeting; 0 is without limit
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = duration)]
    greeting_timeout: Duration,
    /// The port, before SERVER could have one.
    #[arg(long, hide = true, value_parser = number(1..=u16::MAX))]
    port: Option<u16>,
}

/// Accepts any text, which is read when the game is known, and offers the roles of all games
/// to the completions.
#[derive(Clone, Copy, Debug)]
struct RoleOrNumber;

impl TypedValueParser for RoleOrNumber {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        fn sides<G: ClientGame>() -> [&'static str; 2] {
            [G::SIDES.black, G::SIDES.white]
        }
        let sides = [sides::<Gothello>(), sides::<Awari>()];
        let roles = sides.into_iter().flatten().chain(["either", "observe"]);
        Some(Box::new(roles.map(PossibleValue::new)))
    }
}

/// The role of a client in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A player of this color, or of either, as the referee decides.
    Player(Option<Color>),
    /// An observer.
    Observer,
}

impl Role {
    /// Parses a role, in upper or lower case.
    fn parse<G: ClientGame>(text: &str) -> Result<Role> {
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
                bail_usage!(
                    "{text:?} is not a role in {}: give {first}, {second}, either or observe last, as \
                     in localhost 1 {first}",
                    G::NAME
                )
            }
        }
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        adopt_orphans();
        match self.game.choose()? {
            ChosenGame::Gothello => enter(&self, Gothello::default(), || {
                let (player, _) = self.built_in.gothello()?;
                Ok(Box::new(BuiltIn::new(player, self.limits.limits())))
            }),
            ChosenGame::Awari(variant) => {
                let start = Awari::from(variant);
                enter(&self, start, || {
                    let player: Box<dyn AwariPlayer> = Box::new(self.built_in.awari(variant)?);
                    Ok(Box::new(BuiltIn::new(player, self.limits.limits())))
                })
                .map_err(|error| match error.downcast_ref() {
                    // The protocol does not tell the rules.
                    Some(Error::Receive(ReceiveError::Line { .. })) => error.context(
                        "perhaps the referee plays by other rules (see --grand-slam and --repetition)",
                    ),
                    _ => error,
                })
            }
        }
    }
}

/// Plays or observes a match. `start` is the game at its start, with its rules. `built_in` makes
/// the built-in player if it is to play.
fn enter<G: ClientGame>(
    arguments: &Arguments,
    start: G,
    built_in: impl FnOnce() -> Result<Box<dyn Agent<G>>>,
) -> Result<()> {
    let (port, role) = arguments.port_and_role::<G>()?;
    let wanted = match role {
        Role::Observer => return run_observer(arguments, port, start),
        Role::Player(side) => side,
    };
    let view = match arguments.human {
        true => View::Boards,
        false => View::Moves,
    };
    // Do not take a seat if the engine cannot be started.
    let (agent, program) = agent(arguments, built_in)?;
    let connection = arguments.connect(port)?;
    let session = Session::new(start, wanted, arguments.name(program.as_deref()));
    let mut display = Display::new(view, Output::lock());
    play(connection, session, agent, &mut display)?;
    Ok(())
}

impl Arguments {
    /// Connects, and waits for the greeting.
    fn connect<M: Send + 'static>(&self, port: u16) -> Result<Connection<M>, Error> {
        let limit = self.greeting_timeout;
        Connection::open(&self.server.host, port, (!limit.is_zero()).then_some(limit))
    }

    /// Returns the name to tell the others, if any; `program` is the name of a program
    /// that plays.
    fn name(&self, program: Option<&str>) -> Option<Name> {
        match &self.name {
            Some(name) => Some(name.clone()),
            None if self.no_name => None,
            None => default_name(program),
        }
    }

    /// Returns the port to connect to, and the role.
    fn port_and_role<G: ClientGame>(&self) -> Result<(u16, Role)> {
        let (number, role) = match &self.role_after_number {
            None => (None, &self.role),
            Some(role) => (Some(&self.role), role),
        };
        let role = Role::parse::<G>(role)?;
        let (server, last, first) = (&self.server, G::MAX_SERVER, G::SIDES.black);
        if is_number(&server.host) {
            bail_usage!("{server} is not a server: give its name first, as in localhost 1 {first}");
        }
        let named = server.port.or(self.port);
        let Some(number) = number else {
            return Ok((named.unwrap_or(G::PORT), role));
        };
        if server.port.is_some() {
            bail_usage!("the port of {server} is known: leave out {number:?}");
        }
        let known = number.parse::<u16>().ok();
        match known.filter(|&number| self.port.is_some() || number <= last) {
            Some(number) => Ok((named.unwrap_or(G::PORT.saturating_add(number)), role)),
            None => bail_usage!(
                "{} has no server number {number:?}: give 0 to {last}, or a port, as in {server}:{}",
                G::NAME,
                G::PORT
            ),
        }
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Observes matches, and prints them.
fn run_observer<G: ClientGame>(arguments: &Arguments, port: u16, start: G) -> Result<()> {
    let players = given([
        ("engine", arguments.engine.is_some()),
        ("human", arguments.human),
    ]);
    let mut given = players
        .chain(arguments.limits.given())
        .chain(arguments.built_in.given());
    if let Some(option) = given.next() {
        bail_usage!("--{option} is for players, not for observe");
    }
    let connection = arguments.connect(port)?;
    let mut display = Display::new(View::Boards, stdout().lock());
    let observer = Observer::new(start, arguments.name(None));
    match observe(connection, observer, &mut display) {
        Err(Error::Output(error)) => Ok(unless_closed(Err(error))?),
        observed => Ok(observed.map(drop)?),
    }
}

/// Returns the agent that chooses the moves, and its name if it is a program.
fn agent<G: ClientGame>(
    arguments: &Arguments,
    built_in: impl FnOnce() -> Result<Box<dyn Agent<G>>>,
) -> Result<(Box<dyn Agent<G>>, Option<String>)> {
    if arguments.human {
        let human = Human::new(stdin(), stdin().is_terminal());
        return Ok((Box::new(human), None));
    }
    let Some(command) = &arguments.engine else {
        return Ok((built_in()?, Some(env!("CARGO_PKG_NAME").into())));
    };
    let mut engine = command.start()?;
    let name = engine.name()?.unwrap_or_else(|| command.program_name());
    Ok((Box::new(engine), Some(name)))
}

fn parse_name(text: &str) -> Result<Name, String> {
    let name = Name::new(text).filter(|_| !text.trim().is_empty());
    name.ok_or_else(|| {
        format!(
            "give 1 to {MAX_NAME} printable ASCII characters, or --no-name to tell the others no \
             name"
        )
    })
}

/// Returns a name such as `GNU Go (ann@lab12)`, or `ann@lab12` for a person. It is the
/// same whenever the same user lets the same program play on the same machine, so that an
/// interrupted match finds its players; `None` if nothing is known.
fn default_name(program: Option<&str>) -> Option<Name> {
    let host = whoami::hostname().unwrap_or_default();
    longest_name(
        program.unwrap_or_default(),
        &whoami::username().unwrap_or_default(),
        // A host may be named with its domain.
        host.split('.').next().unwrap_or_default(),
    )
}

/// Returns the longest name that the protocol allows.
fn longest_name(program: &str, user: &str, host: &str) -> Option<Name> {
    let [program, user, host] = [program, user, host].map(printable);
    let place = [format!("{user}@{host}"), user.clone(), host.clone()];
    let place = match (user.is_empty(), host.is_empty()) {
        (false, false) => &place[..],
        _ => &place[1..],
    };
    let place = place.iter().filter(|place| !place.is_empty());
    let names: Vec<String> = match program.is_empty() {
        true => place.cloned().collect(),
        false => place
            .map(|place| format!("{program} ({place})"))
            .chain(iter::once(program.clone()))
            .collect(),
    };
    let cut = |name: &String| name.chars().take(MAX_NAME).collect::<String>();
    let fitting = names.iter().find(|name| name.len() <= MAX_NAME);
    let name = fitting.cloned().or_else(|| names.last().map(cut))?;
    Name::new(name.trim_ascii_end())
}

/// Keeps what a name may contain: printable ASCII.
fn printable(text: &str) -> String {
    let chars = text.chars().filter(|c| matches!(c, ' '..='~'));
    chars.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(program: &str, user: &str, host: &str) -> Option<String> {
        longest_name(program, user, host).map(|name| name.as_str().to_owned())
    }

    #[test]
    fn the_default_name_has_program_and_place_as_far_as_they_fit() {
        let name = |program, user, host| named(program, user, host).unwrap();
        assert_eq!(name("GNU Go", "ann", "lab12"), "GNU Go (ann@lab12)");
        assert_eq!(name("", "ann", "lab12"), "ann@lab12");
        assert_eq!(
            name("gothello", "ann", "a-machine-with-a-long-name"),
            "gothello (ann)"
        );
        assert_eq!(name("", "ann", "a-machine-with-a-very-long-name"), "ann");
        assert_eq!(
            name("An engine with a longer name, 2", "ann", "lab12"),
            "An engine with a longer name, 2"
        );
        assert_eq!(
            name("An engine with a much longer name", "ann", "lab12"),
            "An engine with a much longer na"
        );
    }

    #[test]
    fn unknown_and_unprintable_parts_are_left_out() {
        assert_eq!(named("gothello", "", "").as_deref(), Some("gothello"));
        assert_eq!(
            named("gothello", "", "lab").as_deref(),
            Some("gothello (lab)")
        );
        assert_eq!(named("", "ann", "").as_deref(), Some("ann"));
        assert_eq!(named("", "J\u{f6}rg\n", "lab").as_deref(), Some("Jrg@lab"));
        assert_eq!(named("", "\u{30c6}", ""), None);
        assert_eq!(named("", "", ""), None);
    }
}
