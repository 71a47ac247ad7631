//! `gothello netref`.

mod operator;
mod page;

use std::fmt::{self, Display};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use itertools::Itertools;
use serde::Serialize;

use self::page::{MAX_CONNECTIONS, Page};
use super::event_log::{EventLog, LogArguments};
use super::game_options::{AWARI, GameArguments, GameName, VariantArguments, check_server_number};
use super::listen::{Reach, listen, raise_open_file_limit, reach, stop_signal};
use super::values::{at_least, clock_seconds, number, seconds, server_number};
use super::wrong_usage;
use crate::color::ByColor;
use crate::journal::FolderLock;
use crate::netref::{
    Awari, Gothello, Interrupted, LogEvent, LogSink, NetrefGame, OperatorCommands, Records, Server,
    Settings, TableSetup, journals, operator,
};
use crate::web::Token;

/// Referee matches of Gothello or Awari over TCP
///
/// Players and observers connect with the clients that exist in C, Java and Python,
/// with `gothello netplay`, or with telnet. Each event is printed as a line.
///
/// While the referee runs, type orders into its terminal: `list`, `void TABLE`,
/// `adjourn TABLE`, `resume MATCH`, `help`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello netref 0                     a table at port 29068, without clocks\n  \
    gothello netref 0 120 60              2 minutes for White, 1 for Black\n  \
    gothello netref 0 300 --http 8080     with a page at http://127.0.0.1:8080/\n  \
    gothello netref --game awari 0 600    Awari at port 29046, 10 minutes each\n  \
    gothello netref 0 300 --host 0.0.0.0 --tables 4 --records matches --journal journal\n                                        \
    4 tables at ports 29068 to 29071, for the whole network")]
pub(super) struct Arguments {
    /// Server number, 0 to 29 (Awari: 0 to 10); the port is 29068 (Awari: 29046) plus
    /// this number
    #[arg(default_value_t = 0, value_parser = server_number)]
    server_number: u16,
    /// Seconds on White's (Awari: North's) clock [default: no clocks]
    #[arg(value_name = "WHITE_SECS", value_parser = clock_seconds)]
    white_secs: Option<u64>,
    /// Seconds on Black's (Awari: South's) clock [default: the same as the other's]
    #[arg(value_name = "BLACK_SECS", value_parser = clock_seconds)]
    black_secs: Option<u64>,
    #[command(flatten)]
    game: GameArguments,
    /// Number of tables, at consecutive ports
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number(1..=1000u16))]
    tables: u16,
    /// Stop after this many matches [default: never]
    #[arg(long, alias = "games", value_name = "N", value_parser = at_least(1))]
    stop_after: Option<u64>,
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
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds, help_heading = "Network")]
    seat_timeout: Duration,
    /// Time in seconds to wait for a connection's first request; 0 is without limit
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, help_heading = "Network")]
    handshake_timeout: Duration,
    /// Most connections at the same time
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = number(2..=100_000u32), help_heading = "Network")]
    max_connections: u32,
    /// Show the tables on a web page at this port of the same host; 0 picks a free one
    #[arg(long, value_name = "PORT", value_parser = number(0..=u16::MAX), help_heading = "Web page")]
    http: Option<u16>,
    /// The operator's password on that page: 16 to 128 letters, digits, - or _
    /// [default: random]
    #[arg(long, requires = "http", help_heading = "Web page")]
    token: Option<Token>,
    /// Record finished matches in this folder: each as an SGF file (Awari: as text)
    /// and as a row of results.tsv
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    records: Option<PathBuf>,
    /// Write every action to a journal in this folder before it is acknowledged, so
    /// that no crash loses it
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    journal: Option<PathBuf>,
    /// Continue the matches that the journals hold
    #[arg(long, requires = "journal", help_heading = "Files")]
    resume: bool,
    #[command(flatten, next_help_heading = AWARI)]
    variant: VariantArguments,
    /// Show observers no board, as the paper has it
    #[arg(long, help_heading = AWARI)]
    strict: bool,
}

impl Arguments {
    /// Returns the number of the last server.
    fn last_server(&self) -> u16 {
        self.server_number.saturating_add(self.tables - 1)
    }
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.game.name {
        GameName::Gothello => {
            let strict = arguments.strict.then_some("strict");
            let of_awari = arguments.variant.given().chain(strict);
            arguments.game.name.refuse(of_awari)?;
            serve(arguments, Gothello::default())
        }
        GameName::Awari => {
            let start = Awari::from(arguments.variant.variant());
            serve(arguments, start)
        }
    }
}

/// Referees matches of a game, which begin like this one.
fn serve<G: NetrefGame>(arguments: Arguments, start: G) -> Result<()> {
    check_server_number::<G>(arguments.server_number)?;
    let last = arguments.last_server();
    if arguments.port.is_none() && last > G::MAX_SERVER {
        let (game, most) = (G::NAME, G::MAX_SERVER);
        let what = format!(
            "--tables: {game} has no server number {last}, {most} is the last; with --port there may be more"
        );
        return Err(wrong_usage(what));
    }
    let log = EventLog::start(arguments.log)?;
    let (tell, numbered) = (log.sink(), arguments.tables > 1);
    let sink: LogSink = Arc::new(move |server, event| {
        tell(ServerEvent {
            server,
            event,
            numbered,
        });
    });
    let (operator, commands) = operator();
    let first = arguments.server_number;
    let (mut server, page_port) = prepare(arguments, &start, &sink, commands)?;
    let page = match page_port {
        Some(PagePort { listener, token }) => {
            let title = format!("{} referee", G::NAME);
            let log = (first, Arc::clone(&sink));
            Some(Page::start(listener, title, operator.clone(), token, log)?)
        }
        None => None,
    };
    drop(sink);
    operator::listen(operator)?;
    server.feed = page.as_ref().map(Page::feed);
    let result = server.run(stop_signal);
    if let Some(page) = page {
        page.finish();
    }
    log.finish();
    Ok(result?)
}

/// Prepares the server, and the port of its page if it has one.
///
/// # Errors
/// Everything that can be wrong about files and ports is found here.
fn prepare<G: NetrefGame>(
    arguments: Arguments,
    start: &G,
    sink: &LogSink,
    commands: OperatorCommands,
) -> Result<(Server<G>, Option<PagePort>)> {
    let wrong = |what: &Path, why: &dyn Display| anyhow!("{}: {why}", what.display());
    let max_connections = allowed_connections(&arguments, sink);
    let last = arguments.last_server();
    let numbers = arguments.server_number..=last;
    // Before any file is touched: another referee may be running here.
    let listeners = numbers
        .clone()
        .map(|number| Ok(listen(&arguments.host, port::<G>(&arguments, number)?)?))
        .collect::<Result<Vec<_>>>()?;
    let page_port = match arguments.http {
        Some(port) => Some(PagePort {
            listener: listen(&arguments.host, port)?,
            token: token(arguments.token.as_ref())?,
        }),
        None => None,
    };
    let records = match &arguments.records {
        None => None,
        Some(folder) => Some(Records::new::<G>(folder).map_err(|error| wrong(folder, &error))?),
    };
    let (journals, mut interrupted) = match &arguments.journal {
        None => (None, None),
        Some(folder) => {
            let lock = FolderLock::take(folder).map_err(|error| wrong(folder, &error))?;
            let found = interrupted::<G>(folder, arguments.resume)?;
            (Some((folder.clone(), lock)), found)
        }
    };
    if let (Some((folder, _)), Some(found)) = (&journals, &interrupted)
        && found.matches.is_empty()
        && found.finished.is_empty()
    {
        let folder = folder.display().to_string();
        sink(
            arguments.server_number,
            LogEvent::NothingToResume { folder },
        );
    }
    for (server, event) in interrupted
        .iter_mut()
        .flat_map(|found| found.events.drain(..))
    {
        sink(server, event);
    }
    let mut places = Vec::new();
    for (number, listener) in numbers.zip(listeners) {
        places.push(TableSetup {
            listener,
            settings: Settings {
                number,
                start: start.clone(),
                times: times(arguments.white_secs, arguments.black_secs),
                private: arguments.private,
                strict: arguments.strict,
                seat_timeout: unless_zero(arguments.seat_timeout),
            },
            interrupted: interrupted.as_mut().and_then(|found| found.take(number)),
        });
    }
    if let Some((playing, _)) = interrupted.iter().flat_map(|found| &found.matches).next() {
        bail!(
            "a match of server number {} is to be resumed, and numbers {} to {last} are served",
            playing.server(),
            arguments.server_number,
        );
    }
    if let Some(PagePort { listener, token }) = &page_port {
        let reach = reach(listener)?;
        sink(arguments.server_number, page_event(&reach));
        let address = reach.elsewhere.first().unwrap_or(&reach.here);
        let url = format!("http://{address}/#token={token}");
        sink(arguments.server_number, LogEvent::OperatorPage { url });
    }
    let server = Server {
        places,
        handshake_timeout: unless_zero(arguments.handshake_timeout),
        max_connections,
        games: arguments.stop_after,
        records,
        finished: interrupted.map(|found| found.finished).unwrap_or_default(),
        journals,
        sink: Arc::clone(sink),
        feed: None,
        commands,
    };
    Ok((server, page_port))
}

/// The port of the page, and the operator's token there.
struct PagePort {
    listener: TcpListener,
    token: Token,
}

/// Returns the operator's token: the one that was chosen, or a random one.
fn token(chosen: Option<&Token>) -> Result<Token> {
    match chosen {
        Some(token) => Ok(token.clone()),
        None => Token::random().map_err(|error| anyhow!("no token can be drawn: {error}")),
    }
}

/// Returns the event that tells where the page is: at an address that other machines
/// can open, too, if there is one.
fn page_event(reach: &Reach) -> LogEvent {
    let url = |address: &SocketAddr| format!("http://{address}/");
    let mut urls = reach.elsewhere.iter().map(url);
    LogEvent::Page {
        url: urls.next().unwrap_or_else(|| url(&reach.here)),
        others: urls.collect(),
    }
}

/// An event of one of several servers.
#[derive(Serialize)]
struct ServerEvent {
    server: u16,
    #[serde(flatten)]
    event: LogEvent,
    /// Whether the text says which server it is.
    #[serde(skip)]
    numbered: bool,
}

impl Display for ServerEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.numbered {
            write!(f, "server {}: ", self.server)?;
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
    .ok_or_else(|| anyhow!("the last port would be above 65535: lower --port or --tables"))
}

/// Returns the number of connections that the system's limit of open files allows, which
/// is raised if it can be.
fn allowed_connections(arguments: &Arguments, sink: &LogSink) -> u32 {
    // Each table has a port, and files that it writes to.
    let page = arguments.http.map_or(0, |_| u64::from(MAX_CONNECTIONS));
    let others = 100 + 4 * u64::from(arguments.tables) + page;
    match raise_open_file_limit(arguments.max_connections, others) {
        Ok(()) => arguments.max_connections,
        Err((limit, allowed)) => {
            let allowed = allowed.max(2);
            let what =
                format!("the system allows {limit} open files: at most {allowed} can connect");
            sink(arguments.server_number, LogEvent::Failed { what });
            allowed
        }
    }
}

/// Returns the matches that a folder of journals holds, if they are to be resumed.
///
/// # Errors
/// A journal cannot be read, or there are journals and they are not to be resumed.
fn interrupted<G: NetrefGame>(folder: &Path, resume: bool) -> Result<Option<Interrupted<G>>> {
    if resume {
        let found = Interrupted::read(folder);
        return found
            .map(Some)
            .map_err(|error| anyhow!("{error}; to start without that match, move the file away"));
    }
    let found = journals(folder).map_err(|error| anyhow!("{}: {error}", folder.display()))?;
    if found.is_empty() {
        return Ok(None);
    }
    let found = found.iter().map(|path| path.display()).join(", ");
    bail!(
        "there are interrupted matches ({found}): add --resume to continue them, or move these \
         files away"
    )
}

/// Returns the time on each clock.
fn times(second: Option<u64>, first: Option<u64>) -> Option<ByColor<Duration>> {
    let second = Duration::from_secs(second?);
    Some(ByColor {
        black: first.map_or(second, Duration::from_secs),
        white: second,
    })
}

fn unless_zero(time: Duration) -> Option<Duration> {
    (!time.is_zero()).then_some(time)
}
