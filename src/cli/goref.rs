//! `gothello goref`.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use itertools::Itertools;

use super::listen::{Reach, listen, reach, stop_signal};
use super::news_log::{LogFormat, NewsLog};
use super::values::{at_least, number};
use super::wrong_usage;
use crate::goref::{
    BreakLimits, Kept, News, Plan, Server, ServerConfig, StopAfter, Terms, read_terms, time,
};
use crate::tournament::{Games, Kind, MAX_ENTRANTS, MAX_ROUNDS, Settings};
use crate::web::{Access, Token};

/// How often clients are asked whether they are there: those that think in the
/// thread of their socket need some time.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The most pages that may be open: each is sent every move, by the thread that
/// referees.
const MOST_WATCHERS: u16 = 400;

/// The port of the server that exists.
const PORT: u16 = 8080;

/// Referee Go contests over WebSocket, with a page for organiser and spectators
///
/// Teams connect with the clients that they have, or with `gothello goplay`. The
/// organiser opens the page whose address is printed, gives two clients the colors
/// and starts the game. What happens is printed, a line each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello goref                                   19x19, page at http://127.0.0.1:8080/\n  \
    gothello goref --setup game.config.json          play as this file says\n  \
    gothello goref --config server.config.json       listen as this file says\n  \
    gothello goref --host 0.0.0.0 --tables 4 --auto  4 games at once, paired in order of arrival\n  \
    gothello goref --tournament swiss --rounds 5 --players 16 --tables 8")]
pub(super) struct Arguments {
    /// Listen as this file says: host, port and pingInterval, as JSON or .toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Play as this file says: a game.config.json, a checkpoint.json or the same
    /// in .toml; given several times, one for each table, and the last one for the
    /// rest
    #[arg(long, alias = "game", value_name = "FILE")]
    setup: Vec<PathBuf>,
    /// Serve so many tables: that many games are played at once
    #[arg(long, alias = "games", value_name = "N", default_value_t = 1, value_parser = number(1..=1000u16))]
    tables: u16,
    /// Pair clients as they arrive, one game for each connection
    #[arg(long)]
    auto: bool,
    /// Listen at this address; 0.0.0.0 is every address of this machine [default:
    /// 127.0.0.1]
    #[arg(long)]
    host: Option<String>,
    /// Listen at this port; 0 picks a free one [default: 8080]
    #[arg(long, value_parser = number(0..=u16::MAX))]
    port: Option<u16>,
    /// Keep games in this folder: what is played, so that no crash loses it, and
    /// what is over, as SGF and JSON
    #[arg(long, value_name = "DIR", default_value = "contest")]
    state: PathBuf,
    /// Keep nothing
    #[arg(long, conflicts_with = "state")]
    no_state: bool,
    /// Hold a tournament as soon as --players are there; one that was interrupted
    /// goes on
    #[arg(long, value_name = "KIND", value_enum, requires = "players")]
    tournament: Option<System>,
    /// Begin the tournament when so many have connected
    #[arg(long, value_name = "N", requires = "tournament", value_parser = number(2..=MAX_ENTRANTS))]
    players: Option<usize>,
    /// So many rounds of a Swiss tournament
    #[arg(long, value_name = "N", required_if_eq("tournament", "swiss"), requires = "tournament", value_parser = number(1..=MAX_ROUNDS))]
    rounds: Option<u32>,
    /// Play one game in each pairing, not two with both colors
    #[arg(long, requires = "tournament")]
    single: bool,
    /// Let these two not meet in the tournament; can be given several times
    #[arg(long, num_args = 2, value_names = ["NAME", "NAME"], action = clap::ArgAction::Append, requires = "tournament")]
    apart: Vec<String>,
    /// Draw the tournament with this seed, which gives the same schedule again
    #[arg(long, value_name = "N", requires = "tournament", value_parser = at_least(0))]
    seed: Option<u64>,
    /// Stop after so many games, or when the tournament is over
    #[arg(long, value_name = "N|tournament", value_parser = stop_after)]
    stop_after: Option<StopAfter>,
    /// Stop the clocks at most N times in a game when the connection of the same player
    /// ends; after that the player's clock runs on
    #[arg(long, value_name = "N", default_value_t = BreakLimits::default().number, value_parser = number(0..=u32::MAX))]
    max_breaks: u32,
    /// Stop them for at most this long in all while the opponent waits, as SS or MM:SS
    /// [default: 10:00]
    #[arg(long, value_name = "TIME", value_parser = break_time)]
    max_break_time: Option<Duration>,
    /// The organiser's password, instead of one that is drawn; 16 to 128 letters,
    /// digits, - or _
    #[arg(long)]
    token: Option<Token>,
    /// Let nobody be the organiser without the token, not even on this machine: for
    /// servers behind a proxy
    #[arg(long)]
    always_token: bool,
    /// Serve so many connections at once
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = number(4..=100_000u32))]
    max_connections: u32,
    /// How to print what happens
    #[arg(
        long,
        alias = "log",
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    log_format: LogFormat,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let (files, tables) = (arguments.setup.len(), usize::from(arguments.tables));
    if files > tables {
        let plural = if tables == 1 { "" } else { "s" };
        return Err(wrong_usage(format!(
            "--setup: there are {files} files for {tables} table{plural}: add --tables {files}"
        )));
    }
    let plan = plan(&arguments).map_err(wrong_usage)?;
    let log = NewsLog::start(arguments.log_format)?;
    let server = prepare(arguments, plan, &log).map_err(|why| anyhow!(why))?;
    let result = server.run(stop_signal);
    log.finish();
    Ok(result?)
}

/// Everything that can be wrong about files and ports is found here.
fn prepare(
    arguments: Arguments,
    plan: Option<Plan>,
    log: &NewsLog<News>,
) -> Result<Server, String> {
    let config = match &arguments.config {
        Some(file) => ServerConfig::read(file).map_err(|error| error.to_string())?,
        None => ServerConfig::default(),
    };
    let tables = tables(&arguments)?;
    let host = arguments.host.or(config.host);
    let host = host.unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
    let port = arguments.port.or(config.port).unwrap_or(PORT);
    let listener = listen(&host, port)?;
    let state = match arguments.no_state {
        true => None,
        false => Some(Kept::open(&arguments.state)?),
    };
    let token = match arguments.token {
        Some(token) => token,
        None => Token::random().map_err(|error| format!("no token can be drawn: {error}"))?,
    };
    // The folder is ours and the port is open: nothing can go wrong any more.
    announce(&listener, &token, arguments.always_token, log)?;
    let access = Access::organiser(token);
    let most = arguments.max_connections;
    Ok(Server {
        listener,
        tables,
        auto: arguments.auto,
        ping_interval: config
            .ping_interval
            .map_or(PING_INTERVAL, Duration::from_millis),
        connections: allow_files(most, log),
        watchers: u16::try_from(most / 2)
            .unwrap_or(u16::MAX)
            .min(MOST_WATCHERS),
        access: match arguments.always_token {
            true => access,
            false => access.or_here([host]),
        },
        state,
        plan,
        breaks: BreakLimits {
            number: arguments.max_breaks,
            time: arguments
                .max_break_time
                .unwrap_or(BreakLimits::default().time),
        },
        stop_after: arguments.stop_after,
        sink: log.sink(),
    })
}

/// Whether pairs are made by points or by a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum System {
    /// Everybody meets everybody
    RoundRobin,
    /// Those meet who have about the same points
    Swiss,
}

fn stop_after(text: &str) -> Result<StopAfter, String> {
    match text.parse() {
        _ if text == "tournament" => Ok(StopAfter::Tournament),
        Ok(games @ 1..) => Ok(StopAfter::Games(games)),
        _ => Err("give a number of games, 1 or more, or the word tournament".into()),
    }
}

fn break_time(text: &str) -> Result<Duration, String> {
    let time = time::read(text).map(Duration::from_millis);
    time.ok_or_else(|| "use minutes and seconds like 10:00, or seconds, up to ten days".into())
}

/// The tournament that is to be held.
fn plan(arguments: &Arguments) -> Result<Option<Plan>, String> {
    let (Some(system), Some(players)) = (arguments.tournament, arguments.players) else {
        return Ok(None);
    };
    let name = |name: &String| {
        name.parse()
            .map_err(|why| format!("--apart {name:?}: {why}"))
    };
    let pairs = arguments.apart.iter().tuples();
    let pair = |(one, other)| Ok([name(one)?, name(other)?]);
    let settings = Settings {
        kind: match system {
            System::RoundRobin => Kind::RoundRobin,
            System::Swiss => Kind::Swiss {
                rounds: arguments.rounds.unwrap_or(1),
            },
        },
        games: match arguments.single {
            true => Games::Single,
            false => Games::Both,
        },
        seed: arguments.seed.unwrap_or_else(rand::random),
        apart: pairs.map(pair).collect::<Result<_, String>>()?,
    };
    if system == System::RoundRobin && arguments.rounds.is_some() {
        return Err("--rounds is for a Swiss tournament".into());
    }
    let checked = settings.check_number(players);
    checked.map_err(|why| format!("--players: {why}"))?;
    Ok(Some(Plan { players, settings }))
}

/// What each table plays.
fn tables(arguments: &Arguments) -> Result<Vec<(Terms, Option<PathBuf>)>, String> {
    let mut files = arguments.setup.iter();
    let mut file = None;
    let mut tables = Vec::new();
    for _ in 0..arguments.tables {
        file = files.next().or(file);
        let terms = match file {
            None => Terms::default(),
            Some(file) => read_terms(file).map_err(|error| error.to_string())?,
        };
        tables.push((terms, file.cloned()));
    }
    Ok(tables)
}

/// Tells where the page is.
fn announce(
    listener: &TcpListener,
    token: &Token,
    always: bool,
    log: &NewsLog<News>,
) -> Result<(), String> {
    let Reach { here, elsewhere } = reach(listener)?;
    let elsewhere = elsewhere.first().copied();
    let tell = log.sink();
    tell(News::Listening {
        page: format!("http://{here}/"),
        clients: format!("ws://{}", elsewhere.unwrap_or(here)),
    });
    let token = |page, elsewhere| News::Token {
        page: format!("http://{page}/#token={token}"),
        elsewhere,
    };
    if let Some(page) = elsewhere {
        tell(token(page, true));
    }
    if always {
        tell(token(here, false));
    }
    Ok(())
}

/// Lets the system allow so many open files as there may be connections; how
/// many connections there can be.
fn allow_files(most: u32, log: &NewsLog<News>) -> u32 {
    const OTHERS: u64 = 100;
    let wanted = u64::from(most) + OTHERS;
    let granted = rlimit::increase_nofile_limit(wanted).unwrap_or(wanted);
    let room = u32::try_from(granted.saturating_sub(OTHERS)).unwrap_or(u32::MAX);
    if room < most {
        let what = format!("the system allows {granted} open files: at most {room} can connect");
        log.sink()(News::Failed { what });
    }
    most.min(room)
}
