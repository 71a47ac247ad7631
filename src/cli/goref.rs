//! `gothello goref`.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use itertools::Itertools;

use super::event_log::{LogArguments, Sink};
use super::limit_options::LimitArguments;
use super::listen::{
    ReachableAddresses, allow_connections, listen, reachable_addresses, stop_signal,
};
use super::page_options::{OrganizerToken, PageArguments};
use super::teams_file::read_teams;
use super::toml_file::{as_text, parsed};
use super::tournament_options::{PairingArguments, System, Upcoming, stop_after};
use super::typed_commands::read_commands;
use super::values::{duration, number};
use super::{Run, bail_usage, wrong_usage};
use crate::base::counted::counted;
use crate::contests::goref::{
    BreakLimits, Commands, GameSetup, LogEvent, Server, ServerConfig, StateFolder, TeamError,
    Teams, TournamentSetup, read_setup,
};
use crate::games::game::Game as _;
use crate::games::go::Game;
use crate::pages::web::Token;
use crate::tournament::{MAX_ENTRANTS, Plan, StopAfter};

/// The time between two pings: clients that think in the thread of their socket need
/// some time to answer.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The maximum number of open pages: each is sent every move, by the referee's thread.
const MAX_SPECTATORS: u16 = 400;

/// The number of files that may be open besides the connections.
const OTHER_FILES: u64 = 100;

/// The default port, that of the course's own server.
const PORT: u16 = 8080;

/// Referee Go contests over WebSocket, with a page for organizer and spectators
///
/// Teams connect with their own clients, or with `gothello goplay`. The organizer
/// opens the page whose address is printed, gives two clients the colors, and starts
/// the game. Each event is printed as a line. Some commands can also be typed into the
/// terminal: `help` lists them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello goref                                   19x19, page at http://127.0.0.1:8080/\n  \
    gothello goref --setup game.config.json          play as this file says\n  \
    gothello goref --config server.config.json       listen as this file says\n  \
    gothello goref --host 0.0.0.0 --tables 4 --auto  4 games at once, paired on arrival\n  \
    gothello goref --tournament swiss --rounds 5 --players 16 --tables 8")]
pub(super) struct Arguments {
    /// Play as this file says: a game.config.json, a checkpoint.json, or the same as
    /// .toml. Give it several times for one file for each table; the last one is for
    /// the remaining tables
    #[arg(long, alias = "game", value_name = "FILE")]
    setup: Vec<PathBuf>,
    /// Number of tables, which is the number of games at the same time
    #[arg(long, alias = "games", value_name = "N", default_value_t = 1, value_parser = number(1..=1000u16))]
    tables: u16,
    /// Pair clients as they arrive, one game for each connection. While a tournament runs,
    /// only the tournament pairs them
    #[arg(long)]
    auto: bool,
    /// Stop when this many games are over, or with the word tournament when the tournament is
    /// [default: never]
    #[arg(long, value_name = "N|tournament", value_parser = stop_after)]
    stop_after: Option<StopAfter>,
    #[command(flatten)]
    log: LogArguments,
    /// Folder for the games: those being played, so that no crash loses them, and those that are
    /// over, as SGF and JSON files and as lines of results.jsonl
    #[arg(long, value_name = "DIR", default_value = "contest")]
    state: PathBuf,
    /// Write no files
    #[arg(long, conflicts_with = "state")]
    no_state: bool,
    /// Show on the page the ratings of all players, from the games in the folder --state, as
    /// `gothello standings results.jsonl` prints them
    #[arg(long, conflicts_with = "no_state")]
    ladder: bool,
    /// File of the teams that have secrets: the name and the secret of each, in TOML. Nobody else
    /// can have their names, and they get their seats back from every address
    #[arg(long, value_name = "FILE")]
    teams: Option<PathBuf>,
    /// Write everything that the clients of each of these teams send and are sent to a file in the
    /// folder transcripts of --state
    #[arg(long, requires = "teams", conflicts_with = "no_state")]
    transcripts: bool,
    /// Hold a tournament as soon as --players clients are there. An unfinished one in the
    /// folder --state continues instead, with these options or without: it must have begun
    /// with the same ones. One that is over is not held again with the same options
    #[arg(
        long,
        value_name = "KIND",
        value_enum,
        requires = "players",
        help_heading = "Tournament"
    )]
    tournament: Option<System>,
    /// Number of clients with which the tournament begins
    #[arg(long, value_name = "N", requires = "tournament", value_parser = number(2..=MAX_ENTRANTS), help_heading = "Tournament")]
    players: Option<usize>,
    #[command(flatten)]
    pairing: PairingArguments,
    /// Number of lost connections of a player in a game for which the clocks stop;
    /// after that the player's clock runs on
    #[arg(long, value_name = "N", default_value_t = BreakLimits::default().number, value_parser = number(0..=u32::MAX), help_heading = "Lost connections")]
    max_breaks: u32,
    /// Total time in seconds for which they stop while the opponent waits [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = duration, help_heading = "Lost connections")]
    max_break_time: Option<Duration>,
    /// Listen as this file says: host, port, and pingInterval, as JSON or .toml
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    config: Option<PathBuf>,
    /// Address to listen at; 0.0.0.0 is every address of this machine [default:
    /// 127.0.0.1]
    #[arg(long, help_heading = "Network")]
    host: Option<String>,
    /// Port to listen at; 0 picks a free one [default: 8080]
    #[arg(long, value_parser = number(0..=u16::MAX), help_heading = "Network")]
    port: Option<u16>,
    /// Maximum number of connections at the same time
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = number(4..=100_000u32), help_heading = "Network")]
    max_connections: u32,
    #[command(flatten)]
    limits: LimitArguments,
    /// The organizer's token: 16 to 128 letters, digits, - or _ [default: that of the folder
    /// --state, or random]
    #[arg(long, help_heading = "Network")]
    token: Option<Token>,
    /// Require the token from the organizer even on this machine, for servers behind a
    /// proxy; --trusted-proxy implies it
    #[arg(long, help_heading = "Network")]
    always_token: bool,
    #[command(flatten, next_help_heading = "Network")]
    page: PageArguments,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let (files, tables) = (self.setup.len(), usize::from(self.tables));
        if files > tables {
            let tables = counted(tables, "table");
            bail_usage!("--setup: there are {files} files for {tables}: add --tables {files}");
        }
        let plan = plan(&self)?;
        let log = self.log;
        log.log_during(|sink| {
            let server = prepare(self, plan, sink)?;
            let organizer = server.commands.organizer();
            read_commands(move |command| organizer.run(command))?;
            Ok(server.run(stop_signal)?)
        })
    }
}

/// Prepares the server.
///
/// # Errors
/// Everything that can be wrong about files and ports is found here.
fn prepare(arguments: Arguments, mut plan: Option<Plan>, sink: Sink<LogEvent>) -> Result<Server> {
    let config = match &arguments.config {
        Some(file) => ServerConfig::read(file).map_err(|error| anyhow!("--config: {error}"))?,
        None => ServerConfig::default(),
    };
    let tables = tables(&arguments)?;
    let limits = &arguments.limits;
    let has_teams = arguments.teams.is_some();
    let address_limits = limits.of_addresses(has_teams, arguments.max_connections);
    let team_limits = limits.of_teams();
    let teams = match &arguments.teams {
        Some(file) => secret_teams(file)?,
        None => Teams::default(),
    };
    let host = arguments.host.or(config.host);
    let host = host.unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
    let port = arguments.port.or(config.port).unwrap_or(PORT);
    let listener = listen(&host, port, "choose another one with --port")?;
    let state = match arguments.no_state {
        true => None,
        false => Some(
            StateFolder::open(&arguments.state, Game::NAME, &played_at(&tables))
                .map_err(|error| anyhow!("--state: {error}"))?,
        ),
    };
    let last = state.as_ref().and_then(StateFolder::last_tournament);
    let upcoming = match &plan {
        None => None,
        Some(plan) => {
            let pairing = &arguments.pairing;
            let page = "the organizer's page";
            Some(pairing.upcoming(plan, None, &arguments.state, page, last)?)
        }
    };
    let what = upcoming.and_then(|upcoming| upcoming.sentence(last));
    if upcoming != Some(Upcoming::Begins) {
        plan = None;
    }
    let transcripts = state.as_ref().filter(|_| arguments.transcripts);
    let transcripts = transcripts.map(StateFolder::transcripts).transpose();
    let transcripts = transcripts.map_err(|error| anyhow!("--transcripts: {error}"))?;
    let token = OrganizerToken::new(arguments.token, state.as_ref())?;
    // The folder is locked and the port is open: nothing can fail from here on.
    let always_token = arguments.always_token || arguments.page.trusts_proxy();
    let addresses = reachable_addresses(&listener)?;
    announce(&addresses, &token, always_token, &sink);
    if let Some(what) = what {
        sink(LogEvent::Tournament { what });
    }
    let access = arguments.page.access(&host, &addresses, Some(token.token));
    let wanted = arguments.max_connections;
    let connections =
        allow_connections(wanted, OTHER_FILES, |what| sink(LogEvent::Failed { what }));
    Ok(Server {
        commands: Commands::default(),
        listener,
        tables,
        auto: arguments.auto,
        ping_interval: config
            .ping_interval
            .map_or(PING_INTERVAL, Duration::from_millis),
        connections,
        // The other half is for players and the organizer's requests.
        spectators: u16::try_from(connections / 2)
            .unwrap_or(u16::MAX)
            .min(MAX_SPECTATORS),
        access: match always_token {
            true => access,
            false => access.or_localhost(),
        },
        state,
        ladder: arguments.ladder,
        tournament: TournamentSetup {
            plan,
            is_over: upcoming == Some(Upcoming::IsOver),
            forfeit_after: arguments.pairing.forfeit_after,
        },
        breaks: BreakLimits {
            number: arguments.max_breaks,
            time: arguments
                .max_break_time
                .unwrap_or(BreakLimits::default().time),
        },
        teams,
        transcripts,
        address_limits,
        team_limits,
        stop_after: arguments.stop_after,
        sink,
    })
}

/// Reads the teams that have secrets.
///
/// # Errors
/// The file cannot be read. Wrong usage if something in it is wrong.
fn secret_teams(path: &Path) -> Result<Teams> {
    let mut teams = Teams::default();
    let keys = ["name", "secret"];
    read_teams(path, &keys, "secret = \"tulip\"", |team| {
        let name = team.name()?;
        let why = "this team has no secret: give one, or leave the team out, whose name anybody \
                   can use then";
        let secret = team.require("secret", why)?;
        let added = teams.add(as_text("name", name)?, as_text("secret", secret)?);
        match added {
            Err(TeamError::NoSecret) => parsed("secret", secret, added),
            _ => parsed("name", name, added),
        }
    })?;
    Ok(teams)
}

/// Returns the tournament that is to be held.
///
/// # Errors
/// Wrong usage if the options do not fit together.
fn plan(arguments: &Arguments) -> Result<Option<Plan>> {
    let (Some(system), Some(players)) = (arguments.tournament, arguments.players) else {
        return Ok(None);
    };
    let settings = arguments.pairing.settings(system)?;
    let checked = settings.check_number(players);
    checked.map_err(|why| wrong_usage(format!("--players: {why}")))?;
    Ok(Some(Plan { players, settings }))
}

/// Returns what the tables play, such as `Go 9x9`.
fn played_at(tables: &[(GameSetup, Option<PathBuf>)]) -> String {
    let sizes = tables
        .iter()
        .map(|(setup, _)| setup.position().board.size());
    let sizes = sizes.map(|size| size.to_string()).sorted().dedup();
    format!("{} {}", Game::NAME, sizes.format(", "))
}

/// Returns what each table plays, and the file that says so.
fn tables(arguments: &Arguments) -> Result<Vec<(GameSetup, Option<PathBuf>)>> {
    let mut files = arguments.setup.iter();
    let mut file = None;
    let mut tables = Vec::new();
    for _ in 0..arguments.tables {
        file = files.next().or(file);
        let setup = match file {
            None => GameSetup::default(),
            Some(file) => read_setup(file).map_err(|error| anyhow!("--setup: {error}"))?,
        };
        tables.push((setup, file.cloned()));
    }
    Ok(tables)
}

/// Logs where the page is.
fn announce(
    addresses: &ReachableAddresses,
    token: &OrganizerToken,
    always: bool,
    sink: &Sink<LogEvent>,
) {
    let ReachableAddresses { here, elsewhere } = addresses;
    let elsewhere = elsewhere.first().copied();
    sink(LogEvent::Listening {
        page: format!("http://{here}/"),
        clients: format!("ws://{}", elsewhere.unwrap_or(*here)),
    });
    let is_elsewhere = elsewhere.map(|page| (page, true));
    for (page, elsewhere) in is_elsewhere
        .into_iter()
        .chain(always.then_some((*here, false)))
    {
        token.announce(page, |page| sink(LogEvent::Token { page, elsewhere }));
    }
}
