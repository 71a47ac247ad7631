//! `gothello netref`.

mod house;
mod teams_file;
mod tournament;

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::{ArgGroup, Args};
use serde::Serialize;

use self::house::{BuiltInHouse, HouseOption, Referee};
use self::teams_file::ServerNumbers;
use self::tournament::wanted_tournament;
use super::event_log::LogArguments;
use super::game_options::{AWARI, ChosenGame, GameArguments};
use super::limit_options::LimitArguments;
use super::listen::{
    ListenAddress, ReachableAddresses, allow_connections, listen, reachable_addresses, stop_signal,
};
use super::page::Page;
use super::page_options::{OrganizerToken, PageArguments};
use super::tournament_options::{PairingArguments, System, stop_after};
use super::typed_commands::read_commands;
use super::values::{duration, number};
use super::{Run, bail_usage, wrong_usage};
use crate::base::color::ByColor;
use crate::base::duration::MAX_SECONDS;
use crate::clients::netplay::ClientGame;
use crate::contests::StateFolder;
use crate::contests::netref::{
    Awari, Commands, Gothello, House, LiveMatch, LogEvent, LogSink, LossWaits, MAX_TEAMS, Name,
    NetrefGame, RefereeCommand, RefereeState, Server, Settings, TableNumbers, TableSetup,
    TeamAddress, TeamPort, Teams, check_house, site,
};
use crate::pages::web::{AccessPolicy, ServerInfo, Token};
use crate::player::Level;
use crate::tournament::StopAfter;

/// The shortest wait for the opponent of a client that does not answer any more: in this time it turns
/// out whether the opponent does not answer either. Both are asked every 20 s at least, and are given up
/// 30 to 50 s after the last answer.
const SILENT_WAIT: Duration = Duration::from_secs(30);

/// The wait for a sign of the players after a flag has fallen. Both are sent that it has, and a client
/// that does not acknowledge it is given up within 20 s; within 25 if data waited for an acknowledgement
/// before.
const FLAG_WAIT: Duration = Duration::from_secs(30);

/// Referee matches of Gothello or Awari over TCP
///
/// Players and observers connect with the clients that exist in C, Java and Python,
/// with `gothello netplay`, or with telnet. Each event is printed as a line.
///
/// While the referee runs, type commands into its terminal: `list`, `void TABLE`,
/// `adjourn TABLE`, `resume MATCH`, `help`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("page-options")
    .args(["token", "ladder", "allowed_hosts", "trusted_proxies"])
    .multiple(true)
    .requires("http"))]
#[command(after_help = "Examples:\n  \
    gothello netref 0                     a table at port 29068, without clocks\n  \
    gothello netref 0 120 60              2 minutes for White, 1 for Black\n  \
    gothello netref 0 300 --http 8080     with a page at http://127.0.0.1:8080/\n  \
    gothello netref 0 --tables 8 --house 3\n                                        \
    8 tables to practice against level 3\n  \
    gothello netref --game awari 0 600    Awari at port 29046, 10 minutes each\n  \
    gothello netref 0 300 --host 0.0.0.0 --tables 4 --state course\n                                        \
    4 tables at ports 29068 to 29071, for the whole network\n  \
    gothello netref 0 300 --tables 6 --teams teams.toml --state course --http 8080 --ladder\n                                        \
    teams with ports of their own, and their ratings on the page\n  \
    gothello netref 0 300 --tables 6 --teams teams.toml --state course --tournament round-robin\n                                        \
    a tournament of all teams, which a crash does not stop")]
pub(super) struct Arguments {
    /// Server number, 0 to 29 (Awari: 0 to 10); the port is 29068 (Awari: 29046) plus
    /// this number
    #[arg(default_value_t = 0, value_parser = server_number)]
    server_number: u16,
    /// Seconds on White's (Awari: North's) clock [default: no clocks]
    #[arg(value_name = "WHITE_SECS", value_parser = clock_seconds)]
    white_secs: Option<u64>,
    /// Seconds on Black's (Awari: South's) clock [default: WHITE_SECS]
    #[arg(value_name = "BLACK_SECS", value_parser = clock_seconds)]
    black_secs: Option<u64>,
    #[command(flatten)]
    game: GameArguments,
    /// Number of tables, at consecutive ports
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number(1..=1000u16))]
    tables: u16,
    /// Stop when this many matches are over, or with the word tournament when the tournament is;
    /// matches that are still on are resumed at the next start, with --state [default: never]
    #[arg(long, alias = "games", value_name = "N|tournament", value_parser = stop_after)]
    stop_after: Option<StopAfter>,
    /// Opponent that plays every client that comes, on either side, match after match: a level
    /// from 1 to 9, perfect (Awari: builtin), or the command line of a GTP engine. It plays at all
    /// tables, or at those whose numbers are given first, as in 4-7:perfect; repeat it for several
    #[arg(long, value_name = "PLAYER")]
    house: Vec<HouseOption>,
    /// Refuse observers
    #[arg(long, conflicts_with = "http")]
    private: bool,
    #[command(flatten)]
    log: LogArguments,
    /// Address to listen at; 0.0.0.0 is every address of this machine
    #[arg(long, default_value = "127.0.0.1", help_heading = "Network")]
    host: String,
    /// Port to listen at instead of that of the server number; 0 picks a free one
    #[arg(long, value_parser = number(0..=u16::MAX), help_heading = "Network")]
    port: Option<u16>,
    /// Time in seconds to wait for a player's opponent, and for the players of an
    /// interrupted match; 0 is without limit
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = duration, help_heading = "Network")]
    seat_timeout: Duration,
    /// Time in seconds for each move, also without clocks, after which a player loses on
    /// time; 0 is without limit
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = duration, help_heading = "Network")]
    move_timeout: Duration,
    /// Time in seconds for which a lost connection does not decide a match yet, unless the opponent
    /// makes a request: if the opponent's connection is lost, too, the match is interrupted. At least
    /// 30 if the client does not answer any more; 0 decides at once
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = duration, help_heading = "Network")]
    loss_wait: Duration,
    /// Time in seconds in which a player whose connection was lost may come back, while the match
    /// goes on: for clients that can resume a match
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = duration, help_heading = "Network")]
    return_time: Duration,
    /// Time in seconds to wait for a connection's first request; 0 is without limit
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = duration, help_heading = "Network")]
    handshake_timeout: Duration,
    /// Maximum number of connections at the same time
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = number(2..=100_000u32), help_heading = "Network")]
    max_connections: u32,
    #[command(flatten)]
    limits: LimitArguments,
    /// Show the tables on a web page at this port of the same host, or of another one, as in
    /// 127.0.0.1:8080; port 0 picks a free one
    #[arg(long, value_name = "[HOST:]PORT", help_heading = "Web page")]
    http: Option<ListenAddress>,
    /// The organizer's token on that page: 16 to 128 letters, digits, - or _
    /// [default: that of the folder --state, or random]
    #[arg(long, help_heading = "Web page")]
    token: Option<Token>,
    /// Show there the ratings of all players, from the matches in the folder --state, as
    /// `gothello standings results.jsonl` prints them
    #[arg(long, requires = "state", help_heading = "Web page")]
    ladder: bool,
    #[command(flatten, next_help_heading = "Web page")]
    page: PageArguments,
    /// Know these teams by the ports where they connect, or by their names: a TOML file with
    /// [[team]], name, server, and if wanted secret for each
    // The brackets are TOML's.
    #[allow(rustdoc::broken_intra_doc_links)]
    #[arg(long, value_name = "FILE", help_heading = "Teams")]
    teams: Option<PathBuf>,
    /// Write everything that the clients of each team send and are sent to a file in the folder
    /// transcripts of --state
    #[arg(long, requires = "teams", requires = "state", help_heading = "Teams")]
    transcripts: bool,
    /// Time in seconds in which only the clients that played get their seats in an interrupted match
    /// back, by their names; after it, others of their teams that give a name do, too. At most half
    /// of the time that the match waits
    #[arg(long, value_name = "SECONDS", default_value = "10", requires = "teams", value_parser = duration, help_heading = "Teams")]
    reclaim_time: Duration,
    /// Hold a tournament of all teams at once, or of the first --players that come. An unfinished
    /// one in the folder --state continues instead, with these options or without: it must have
    /// begun with the same ones
    #[arg(
        long,
        value_name = "KIND",
        value_enum,
        requires = "teams",
        requires = "state",
        help_heading = "Tournament"
    )]
    tournament: Option<System>,
    /// Number of teams with which the tournament begins [default: all, whoever is there]
    #[arg(long, value_name = "N", requires = "tournament", value_parser = number(2..=MAX_TEAMS), help_heading = "Tournament")]
    players: Option<usize>,
    #[command(flatten)]
    pairing: PairingArguments,
    /// Folder for the matches: those being played, so that no crash loses them, and those that are
    /// over, as SGF files (Awari: as text) and as lines of results.jsonl
    // Both names have meant a part of it.
    #[arg(long, aliases = ["records", "journal"], value_name = "DIR", help_heading = "Files")]
    state: Option<PathBuf>,
    /// Continue the matches in the folder --state, as the referee does in any case
    #[arg(long, hide = true)]
    resume: bool,
    /// Show observers no board, as the specification of the Awari referee says
    #[arg(long, help_heading = AWARI)]
    strict: bool,
}

impl Arguments {
    /// Returns the server number of the last table.
    fn last_server(&self) -> u16 {
        self.server_number.saturating_add(self.tables - 1)
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        match self.game.choose()? {
            ChosenGame::Gothello if self.strict => bail_usage!("--strict is for --game awari"),
            ChosenGame::Gothello => serve(self, Gothello::default(), house::gothello),
            ChosenGame::Awari(variant) => serve(self, Awari::from(variant), house::awari),
        }
    }
}

/// Makes the built-in player of a game the house: at a level, with at most this time for a move.
type MakeHouse<G> = fn(Option<Level>, Duration) -> Result<BuiltInHouse<G>>;

/// Referees matches of a game. `start` is the game at its start, with its rules.
fn serve<G: ClientGame>(arguments: Arguments, start: G, built_in: MakeHouse<G>) -> Result<()> {
    check_server_number::<G>(&arguments)?;
    let last = arguments.last_server();
    if arguments.port.is_none() && last > G::MAX_SERVER {
        let (game, most) = (G::NAME, G::MAX_SERVER);
        let what = format!(
            "--tables: {game} has no server number {last}, the last is {most}; with --port there can be more tables"
        );
        return Err(wrong_usage(what));
    }
    let teams = match &arguments.teams {
        None => Teams::default(),
        Some(file) => teams_file::read(file, server_numbers::<G>(&arguments))?,
    };
    check_page_port::<G>(&arguments, &teams)?;
    tournament::check_options(&arguments)?;
    arguments.log.log_during(|log| {
        let numbered = arguments.tables > 1 || arguments.teams.is_some();
        let named = teams.clone();
        let sink: LogSink = Arc::new(move |server, event| {
            let team = named.at_server(server).map(|team| team.name().clone());
            log(ServerEvent {
                server,
                event,
                numbered,
                team,
            });
        });
        run_server(arguments, teams, &start, built_in, sink)
    })
}

/// Runs the server until it stops.
fn run_server<G: ClientGame>(
    arguments: Arguments,
    teams: Teams,
    start: &G,
    built_in: MakeHouse<G>,
    sink: LogSink,
) -> Result<()> {
    let commands = Commands::default();
    let referee = commands.organizer();
    let first = arguments.server_number;
    let tournaments = arguments.teams.is_some() && arguments.state.is_some();
    let (mut server, page_port) = prepare(arguments, teams, start, built_in, &sink, commands)?;
    let page = match page_port {
        Some(PagePort {
            listener, access, ..
        }) => {
            let feed = Page::feed_of(ServerInfo {
                title: format!("{} referee", G::NAME),
                organizer: true,
                tournaments,
                clients: true,
            });
            let log = (first, Arc::clone(&sink));
            let records = server.state.as_ref().map(|state| state.folder.records());
            let app = site(feed.clone(), referee.clone(), access, records, log);
            let sink = Arc::clone(&sink);
            let failed = move |what| sink(first, LogEvent::Failed { what });
            Some(Page::start(listener, feed, app, failed)?)
        }
        None => None,
    };
    drop(sink);
    read_commands(move |command| referee.run(command))?;
    server.feed = page.as_ref().map(Page::feed);
    let result = server.run(stop_signal);
    if let Some(page) = page {
        page.finish();
    }
    Ok(result?)
}

impl Arguments {
    /// Opens the state folder.
    ///
    /// # Errors
    /// It cannot be used.
    fn open_state<G: NetrefGame>(&self) -> Result<Option<RefereeState<G>>> {
        let opened = self.state.as_ref().map(|folder| RefereeState::open(folder));
        opened
            .transpose()
            .map_err(|error| anyhow!("--state: {error}"))
    }
}

/// Opens all ports and files. Returns the server, ready to run, and the port of its page if it has
/// one.
///
/// # Errors
/// A port or a file cannot be opened, or the journal does not fit the options.
fn prepare<G: ClientGame>(
    arguments: Arguments,
    teams: Teams,
    start: &G,
    built_in: MakeHouse<G>,
    sink: &LogSink,
    commands: Commands<RefereeCommand>,
) -> Result<(Server<G>, Option<PagePort>)> {
    let wanted = wanted_tournament(&arguments, &teams)?;
    let max_connections = allowed_connections(&arguments, &teams, sink);
    let numbers = arguments.server_number..=arguments.last_server();
    // Before any file is touched: another referee may be running here.
    let listeners = numbers.clone().map(|number| arguments.listen::<G>(number));
    let listeners = listeners.collect::<Result<Vec<_>>>()?;
    let team_ports = arguments.team_ports::<G>(&teams)?;
    let mut state = arguments.open_state::<G>()?;
    let page_port = match &arguments.http {
        Some(address) => {
            let folder = state.as_ref().map(|state| &state.folder);
            let token = OrganizerToken::new(arguments.token.clone(), folder)?;
            Some(PagePort::open(&arguments, address, token)?)
        }
        None => None,
    };
    let mut houses = Referee {
        numbers: numbers.clone(),
        move_timeout: unless_zero(arguments.move_timeout),
        sink,
    }
    .houses(&arguments.house, built_in)?;
    if arguments.tournament.is_some() && numbers.clone().all(|table| houses.contains_key(&table)) {
        bail_usage!(
            "--tournament needs a table where no house plays: name the tables of the house, as in \
             --house 4-7:3"
        );
    }
    // Everything is checked before anything is written, or said of interrupted matches.
    let folder = state.as_ref().map(|state| &state.folder);
    let checked = match folder.filter(|_| !teams.is_empty()) {
        Some(folder) => Some(tournament::check(&arguments, folder, wanted)?),
        None => None,
    };
    if let Some(state) = &state {
        tournament::check_teams(&state.folder, &teams)?;
        tournament::check_begun(checked.as_ref().and_then(Option::as_ref), state)?;
    }
    for (live, path) in state.iter().flat_map(|state| {
        let path = state.folder.journal_path();
        state.interrupted().map(move |live| (live, path))
    }) {
        check_table(live, path, &arguments, &houses)?;
    }
    let transcripts = folder.filter(|_| arguments.transcripts);
    let transcripts = transcripts.map(StateFolder::transcripts).transpose();
    let transcripts = transcripts.map_err(|error| anyhow!("--transcripts: {error}"))?;
    let log = |event| sink(arguments.server_number, event);
    let tournament = match (checked, &mut state) {
        (Some(checked), Some(state)) => {
            let say = |what| log(LogEvent::Tournament { what });
            Some(tournament::begin(
                checked,
                &arguments,
                &mut state.folder,
                say,
            )?)
        }
        _ => None,
    };
    let reachable = match listeners.first() {
        Some(listener) => reachable_event(&arguments, listener, &team_ports)?,
        None => None,
    };
    let setup = |(number, listener)| TableSetup {
        listener,
        settings: arguments.table_settings(number, start),
        house: houses.remove(&number),
    };
    let tables = numbers.zip(listeners).map(setup).collect();
    reachable.into_iter().for_each(log);
    if let Some(page_port) = &page_port {
        page_port.announce(log);
    }
    let server = Server {
        commands,
        tables,
        handshake_timeout: unless_zero(arguments.handshake_timeout),
        max_connections,
        stop_after: arguments.stop_after,
        ladder: arguments.ladder,
        state,
        sink: Arc::clone(sink),
        feed: None,
        teams,
        team_ports,
        lobby_timeout: unless_zero(arguments.seat_timeout),
        address_limits: arguments
            .limits
            .of_addresses(arguments.teams.is_some(), max_connections),
        team_limits: arguments.limits.of_teams(),
        transcripts,
        tournament,
    };
    Ok((server, page_port))
}

impl Arguments {
    /// Opens the port of a server number.
    fn listen<G: ClientGame>(&self, number: u16) -> Result<TcpListener> {
        let remedy = "choose another server number, or a port with --port";
        listen(&self.host, port::<G>(self, number)?, remedy)
    }

    /// Opens the ports of the teams.
    fn team_ports<G: ClientGame>(&self, teams: &Teams) -> Result<Vec<TeamPort>> {
        let open = |(number, team): (u16, &Name)| {
            Ok(TeamPort {
                listener: self.listen::<G>(number)?,
                number,
                team: team.clone(),
            })
        };
        teams.servers().map(open).collect()
    }

    /// Returns the settings of a table.
    fn table_settings<G: ClientGame>(&self, number: u16, start: &G) -> Settings<G> {
        // Without a wait for closed connections, everything is decided at once.
        let if_waits = |time| match self.loss_wait.is_zero() {
            true => Duration::ZERO,
            false => time,
        };
        Settings {
            number,
            start: start.clone(),
            times: times(self.white_secs, self.black_secs),
            private: self.private,
            strict: self.strict,
            seat_timeout: unless_zero(self.seat_timeout),
            move_timeout: unless_zero(self.move_timeout),
            reclaim_time: self.reclaim_time,
            waits: LossWaits {
                closed: self.loss_wait,
                silent: if_waits(self.loss_wait.max(SILENT_WAIT)),
                flag: if_waits(FLAG_WAIT),
                comeback: self.return_time,
            },
        }
    }
}

/// The port of the page, the organizer's token there, and for whom it answers.
struct PagePort {
    listener: TcpListener,
    addresses: ReachableAddresses,
    token: OrganizerToken,
    access: AccessPolicy,
}

impl PagePort {
    /// Opens the port of the page.
    fn open(
        arguments: &Arguments,
        ListenAddress { host, port }: &ListenAddress,
        token: OrganizerToken,
    ) -> Result<PagePort> {
        let host = host.as_ref().unwrap_or(&arguments.host);
        let listener = listen(host, *port, "choose another port with --http")?;
        let addresses = reachable_addresses(&listener)?;
        Ok(PagePort {
            access: (arguments.page).access(host, &addresses, Some(token.token.clone())),
            listener,
            addresses,
            token,
        })
    }

    /// Logs where the page is, for spectators and for the organizer: at an address that other machines
    /// can open, too, if there is one.
    fn announce(&self, log: impl Fn(LogEvent)) {
        let ReachableAddresses { elsewhere, here } = &self.addresses;
        let url = |address: &SocketAddr| format!("http://{address}/");
        let mut urls = elsewhere.iter().map(url);
        log(LogEvent::Page {
            url: urls.next().unwrap_or_else(|| url(here)),
            others: urls.collect(),
        });
        let address = elsewhere.first().unwrap_or(here);
        self.token
            .announce(*address, |url| log(LogEvent::OrganizerPage { url }));
    }
}

/// Returns the event that says where other machines reach the tables, if the first one listens at
/// every address of this machine: else the address where it listens says that.
fn reachable_event(
    arguments: &Arguments,
    listener: &TcpListener,
    teams: &[TeamPort],
) -> io::Result<Option<LogEvent>> {
    let bound = listener.local_addr()?;
    let ReachableAddresses { elsewhere, .. } = reachable_addresses(listener)?;
    let is_known = !bound.ip().is_unspecified() || elsewhere.is_empty();
    let team = |port: &TeamPort| {
        io::Result::Ok(TeamAddress {
            team: port.team.clone(),
            server: port.number,
            port: port.listener.local_addr()?.port(),
        })
    };
    let teams = teams.iter().map(team).collect::<Result<_, _>>()?;
    Ok((!is_known).then(|| LogEvent::Reachable {
        addresses: elsewhere.iter().map(SocketAddr::ip).collect(),
        at: match arguments.port {
            None => TableNumbers::Servers(arguments.server_number, arguments.last_server()),
            Some(_) => TableNumbers::Port(bound.port()),
        },
        teams,
    }))
}

/// An event of one of several tables. The log for machines has the table's server number.
#[derive(Serialize)]
struct ServerEvent {
    server: u16,
    #[serde(flatten)]
    event: LogEvent,
    /// Whether the text names the table.
    #[serde(skip)]
    numbered: bool,
    /// The team, if the server number is that of one.
    #[serde(rename = "port_of", skip_serializing_if = "Option::is_none")]
    team: Option<Name>,
}

impl Display for ServerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_of_all = matches!(
            self.event,
            LogEvent::Reachable { .. }
                | LogEvent::Page { .. }
                | LogEvent::OrganizerPage { .. }
                | LogEvent::Rejected { .. }
                | LogEvent::Tournament { .. }
                | LogEvent::Stopping { .. }
        );
        match &self.team {
            Some(team) => write!(f, "port of {team}: ")?,
            None if self.numbered && !is_of_all => write!(f, "table {}: ", self.server)?,
            None => {}
        }
        self.event.fmt(f)
    }
}

/// Returns the port of a server number.
fn port<G: NetrefGame>(arguments: &Arguments, number: u16) -> Result<u16> {
    let offset = number.saturating_sub(arguments.server_number);
    match arguments.port {
        Some(0) => Some(0),
        Some(first) => first.checked_add(offset),
        None => G::PORT.checked_add(number),
    }
    .ok_or_else(|| match arguments.teams {
        None => anyhow!("the last port would be above 65535: lower --port or --tables"),
        Some(_) => anyhow!(
            "the port of server number {number} would be above 65535: lower --port, or the numbers"
        ),
    })
}

/// Returns the server numbers that teams can have.
fn server_numbers<G: NetrefGame>(arguments: &Arguments) -> ServerNumbers {
    let first = arguments.server_number;
    ServerNumbers {
        // With --port, ports are counted from that of the first table.
        first: arguments.port.map_or(0, |_| first),
        tables: [first, arguments.last_server()],
        last: arguments.port.map_or(G::MAX_SERVER, |_| u16::MAX),
    }
}

/// Checks that the page does not have the port of a table or a team.
///
/// # Errors
/// Wrong usage if it has.
fn check_page_port<G: NetrefGame>(arguments: &Arguments, teams: &Teams) -> Result<()> {
    let page = arguments.http.as_ref().map(|address| address.port);
    let Some(page) = page.filter(|&port| port != 0) else {
        return Ok(());
    };
    let tables = arguments.server_number..=arguments.last_server();
    let tables = tables.map(|number| (number, format!("table {number}")));
    let of_teams = teams.servers();
    let of_teams = of_teams.map(|(number, team)| (number, format!("team {team}")));
    for (number, whose) in tables.chain(of_teams) {
        if port::<G>(arguments, number)? == page {
            bail_usage!("--http: port {page} is that of {whose}; choose another port for the page");
        }
    }
    Ok(())
}

/// Returns the maximum number of connections: as many as wanted, or as the system's limit of open
/// files allows. Raises that limit if possible.
fn allowed_connections(arguments: &Arguments, teams: &Teams, sink: &LogSink) -> u32 {
    // The page has its own connections, and each table a port and the files that it writes.
    let page = arguments
        .http
        .as_ref()
        .map_or(0, |_| u64::from(Page::MAX_CONNECTIONS));
    let team_ports = teams.servers().count() as u64;
    let others = 100 + 4 * u64::from(arguments.tables) + team_ports + page;
    allow_connections(arguments.max_connections, others, |what| {
        sink(arguments.server_number, LogEvent::Failed { what });
    })
}

/// Checks that an interrupted match can be resumed at its table.
///
/// # Errors
/// There is no such table, or it does not have the house of the match.
fn check_table<G: NetrefGame>(
    live: &LiveMatch<G>,
    journal: &Path,
    arguments: &Arguments,
    houses: &BTreeMap<u16, House<G>>,
) -> Result<()> {
    let table = live.server();
    let (first, last) = (arguments.server_number, arguments.last_server());
    if !(first..=last).contains(&table) {
        bail!(
            "an interrupted match of table {table} cannot be resumed: the tables are {first} to \
             {last}; choose --tables or the server number so that it is one of them"
        );
    }
    let at_table = houses.get(&table).map(|house| &house.name);
    check_house(live, at_table).map_err(|why| anyhow!("--state: {}: {why}", journal.display()))
}

/// Checks that a game has this server number.
///
/// # Errors
/// Wrong usage if it has none.
fn check_server_number<G: NetrefGame>(arguments: &Arguments) -> Result<()> {
    let (game, last) = (G::NAME, G::MAX_SERVER);
    let number = arguments.server_number;
    let port = match arguments.port {
        None => ", or a port with --port",
        Some(_) => "",
    };
    match number <= last {
        true => Ok(()),
        false => bail_usage!("{game} has no server number {number}: give 0 to {last}{port}"),
    }
}

/// Parses a server number of any game.
fn server_number(text: &str) -> Result<u16, &'static str> {
    text.parse()
        .map_err(|_| "give a server number: 0 to 29, or with --game awari 0 to 10")
}

/// Parses the time on a clock, which has whole seconds.
fn clock_seconds(text: &str) -> Result<u64, String> {
    let time = duration(text).ok();
    let time = time.filter(|time| time.subsec_nanos() == 0 && !time.is_zero());
    time.map(|time| time.as_secs()).ok_or_else(|| {
        format!(
            "give a whole number of seconds from 1 to {MAX_SECONDS}, such as 300, or the same time \
             as 5:00 or 5m"
        )
    })
}

/// Returns the time on each clock, from the seconds on the command line; `None` without clocks.
fn times(white: Option<u64>, black: Option<u64>) -> Option<ByColor<Duration>> {
    let white = Duration::from_secs(white?);
    Some(ByColor {
        black: black.map_or(white, Duration::from_secs),
        white,
    })
}

/// Returns the time; `None`, which is without limit, if it is zero.
fn unless_zero(time: Duration) -> Option<Duration> {
    (!time.is_zero()).then_some(time)
}
