//! `--house`: what plays at the tables of a referee against all clients.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use super::super::bail_usage;
use super::super::game_options::{RandomArguments, prover};
use super::super::tablebase_options::TablebaseArguments;
use super::super::values::{CommandLine, OPEN_QUOTE};
use crate::clients::agent::{Agent, AgentError, BuiltIn, Engine, Notes};
use crate::clients::netplay::{AgentHouse, ClientGame, StartAgent};
use crate::contests::netref::{
    Awari, Gothello, HOUSE, House, HouseLink, HousePlayer, LogEvent, LogSink, MAX_NAME, Name,
};
use crate::gtp::process::Launch;
use crate::player::{
    AwariPlayer, AwariSearch, DEFAULT_MOVE_TIME, Level, MoveLimits, PerfectPlayer, Player,
};

/// The longest time for a response of a GTP engine.
const ENGINE_LIMIT: Duration = Duration::from_secs(60);

/// A house and its tables, as in `3`, `4-7:perfect` or `4:./engine`.
#[derive(Clone, Debug)]
pub(super) struct HouseOption {
    /// The server numbers of its tables; `None` for all that have no other house.
    tables: Option<RangeInclusive<u16>>,
    player: HouseChoice,
}

/// The kind of player.
#[derive(Clone, Debug)]
enum HouseChoice {
    /// The built-in player, at this level if one is given.
    BuiltIn(Option<Level>),
    /// A GTP engine.
    Engine(CommandLine),
}

impl FromStr for HouseOption {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<HouseOption, &'static str> {
        let is_numbers = |text: &str| {
            let is_number = |c: char| c.is_ascii_digit() || c == '-';
            text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_number)
        };
        match text.split_once(':') {
            Some((tables, player)) if is_numbers(tables) => Ok(HouseOption {
                tables: Some(table_numbers(tables).ok_or(
                    "give the tables as one server number or two, as in 4:perfect or 4-7:perfect",
                )?),
                player: player.parse()?,
            }),
            _ => Ok(HouseOption {
                tables: None,
                player: text.parse()?,
            }),
        }
    }
}

/// Parses `4` or `4-7`.
fn table_numbers(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let tables = first.parse().ok()?..=last.parse().ok()?;
    (!tables.is_empty()).then_some(tables)
}

impl FromStr for HouseChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<HouseChoice, &'static str> {
        if text == "builtin" {
            return Ok(HouseChoice::BuiltIn(None));
        }
        if let Ok(level) = text.parse() {
            return Ok(HouseChoice::BuiltIn(Some(level)));
        }
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(command) if !is_number(text) => Ok(HouseChoice::Engine(command)),
            Err(OPEN_QUOTE) => Err(OPEN_QUOTE),
            _ => Err(
                "give a level from 1 to 9, perfect, builtin, or the command line of a GTP engine, \
                 such as \"./engine --gtp\"",
            ),
        }
    }
}

/// A built-in player as the house.
pub(super) struct BuiltInHouse<G> {
    name: String,
    /// Makes one for each table.
    make: Arc<dyn Fn() -> Box<dyn Agent<G>> + Send + Sync>,
}

/// Returns the built-in player of Gothello, which takes at most `move_time` for a move.
///
/// # Errors
/// The tablebase cannot be used.
pub(super) fn gothello(
    level: Option<Level>,
    move_time: Duration,
) -> Result<BuiltInHouse<Gothello>> {
    let level = level.unwrap_or_default();
    let prover = Arc::new(prover(None, None, &TablebaseArguments::default())?);
    let limits = MoveLimits::within(move_time);
    let make = move || {
        // Tables share their proven results.
        let prover = match level {
            Level::Perfect => Arc::new(prover.sharing_table(1)),
            Level::Weak(_) => Arc::clone(&prover),
        };
        let strong = Box::new(PerfectPlayer::new(prover));
        let player = RandomArguments::default().player(strong, level);
        let player: Box<dyn Player> = Box::new(player);
        let agent: Box<dyn Agent<Gothello>> = Box::new(BuiltIn::new(player, limits));
        agent
    };
    Ok(BuiltInHouse {
        name: format!("{HOUSE}-{level}"),
        make: Arc::new(make),
    })
}

/// Returns the built-in player of Awari, which takes at most `move_time` for a move.
///
/// # Errors
/// Wrong usage if a level is given.
pub(super) fn awari(level: Option<Level>, move_time: Duration) -> Result<BuiltInHouse<Awari>> {
    if level.is_some() {
        bail_usage!("--house: the player of Awari has no levels; give builtin, or a GTP engine");
    }
    let limits = MoveLimits::within(move_time);
    let make = move || {
        let player: Box<dyn AwariPlayer> = Box::new(AwariSearch::new(None));
        let agent: Box<dyn Agent<Awari>> = Box::new(BuiltIn::new(player, limits));
        agent
    };
    Ok(BuiltInHouse {
        name: HOUSE.into(),
        make: Arc::new(make),
    })
}

/// The referee whose tables get houses.
pub(super) struct Referee<'a> {
    /// The server numbers of the tables.
    pub numbers: RangeInclusive<u16>,
    /// The maximum time of a move.
    pub move_timeout: Option<Duration>,
    pub sink: &'a LogSink,
}

impl Referee<'_> {
    /// Returns the houses by the server numbers of their tables. GTP engines are started, for a
    /// start.
    ///
    /// # Errors
    /// There is no such table, or a table would have two houses; an engine cannot be started.
    pub(super) fn houses<G: ClientGame>(
        &self,
        options: &[HouseOption],
        built_in: impl Fn(Option<Level>, Duration) -> Result<BuiltInHouse<G>>,
    ) -> Result<BTreeMap<u16, House<G>>> {
        let mut houses = BTreeMap::new();
        for (option, tables) in self.tables(options)? {
            match &option.player {
                HouseChoice::BuiltIn(level) => {
                    let half = self.move_timeout.map(|timeout| timeout / 2);
                    let move_time =
                        half.map_or(DEFAULT_MOVE_TIME, |half| half.min(DEFAULT_MOVE_TIME));
                    let BuiltInHouse { name, make } = built_in(*level, move_time)?;
                    for table in tables {
                        let make = Arc::clone(&make);
                        houses.insert(table, house(&name, Box::new(move |_| Ok(make())))?);
                    }
                }
                HouseChoice::Engine(command) => {
                    houses.extend(self.engines(command, &tables)?);
                }
            }
        }
        Ok(houses)
    }

    /// Returns the tables of each house.
    fn tables<'o>(&self, options: &'o [HouseOption]) -> Result<Vec<(&'o HouseOption, Vec<u16>)>> {
        let mut free: Vec<u16> = self.numbers.clone().collect();
        let (first, last) = (self.numbers.start(), self.numbers.end());
        let mut houses = Vec::new();
        let (named, rest): (Vec<_>, Vec<_>) =
            options.iter().partition(|option| option.tables.is_some());
        for option in named {
            let tables: Vec<u16> = option.tables.iter().cloned().flatten().collect();
            for &table in &tables {
                if !self.numbers.contains(&table) {
                    bail_usage!(
                        "--house: there is no table {table}: the tables are {first} to {last}"
                    );
                }
                let Some(at) = free.iter().position(|&number| number == table) else {
                    bail_usage!("--house: table {table} has two houses; give it one");
                };
                free.remove(at);
            }
            houses.push((option, tables));
        }
        match rest[..] {
            [] => {}
            [option] => houses.push((option, free)),
            _ => {
                bail_usage!(
                    "--house: all tables have two houses; name the tables of each, as in 0-3:1 and \
                     4-7:perfect"
                );
            }
        }
        Ok(houses)
    }

    /// Returns the houses of tables at which a GTP engine plays. It is started for the first one,
    /// so that one that cannot be started is known at once, and later for the others.
    fn engines<G: ClientGame>(
        &self,
        command: &CommandLine,
        tables: &[u16],
    ) -> Result<Vec<(u16, House<G>)>> {
        let third = self.move_timeout.map(|timeout| timeout / 3);
        let limit = third.map_or(ENGINE_LIMIT, |third| third.min(ENGINE_LIMIT));
        let launch = Launch {
            response_limit: Some(limit),
            ..command.launch()
        };
        let mut name = None;
        let mut houses = Vec::new();
        for &table in tables {
            let sink = Arc::clone(self.sink);
            let notes = Notes::new(move |text| {
                let what = text.to_owned();
                sink(table, LogEvent::House { what });
            });
            let launch = launch.clone();
            let mut engine = None;
            let name = match &name {
                Some(name) => name,
                None => {
                    let started: Result<(Engine<G>, String), AgentError> = (|| {
                        let never_stop = AtomicBool::new(false);
                        let mut engine =
                            Engine::launch(launch.clone(), notes.clone(), &never_stop)?;
                        let name = engine.name()?.unwrap_or_else(|| command.program_name());
                        Ok((engine, name))
                    })();
                    let (started, called) = started.context("--house")?;
                    engine = Some(started);
                    name.insert(format!("{HOUSE}-{called}"))
                }
            };
            let start: StartAgent<G> = Box::new(move |stop| {
                let engine = match engine.take() {
                    Some(engine) => engine,
                    None => Engine::launch(launch.clone(), notes.clone(), stop)?,
                };
                Ok(Box::new(engine))
            });
            houses.push((table, house(name, start)?));
        }
        Ok(houses)
    }
}

/// Returns the house of a table, whose agent is started so. Of its name, the protocol has the
/// first characters.
fn house<G: ClientGame>(name: &str, start: StartAgent<G>) -> Result<House<G>> {
    let printable = name.chars().filter(|c| matches!(c, ' '..='~'));
    let short: String = printable.take(MAX_NAME).collect();
    Ok(House {
        name: Name::new(short.trim_end()).ok_or_else(|| anyhow!("--house: no name"))?,
        start: Box::new(|link: HouseLink<G::Move>| {
            let player: Box<dyn HousePlayer<G>> = Box::new(AgentHouse::start(start, link));
            player
        }),
    })
}
