//! `gothello netref`.

use std::fmt::{self, Display};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use itertools::Itertools;
use serde::Serialize;

use super::game::{GameName, check_server_number};
use super::listen::{Reach, listen, reach, stop_signal};
use super::news_log::{LogFormat, NewsLog};
use super::page::{MOST, Page};
use super::values::{at_least, clock_seconds, number, seconds};
use super::variant::VariantArguments;
use super::wrong_usage;
use crate::color::ByColor;
use crate::journal::FolderLock;
use crate::netref::{
    Awari, Game, Gothello, Interrupted, News, Orders, Place, Records, Server, Settings, Sink,
    journals, operator,
};
use crate::web::Token;

/// The highest server number of any game.
const MAX_SERVER: u16 = 29;

/// Referee matches over TCP
///
/// Players and observers connect with the clients that exist in C, Java and
/// Python, with `gothello netplay`, or with telnet. What happens is printed, a
/// line each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello netref 0                     a table at port 29068, without clocks\n  \
    gothello netref 0 120 60              2 minutes for White, 1 for Black\n  \
    gothello netref 0 300 --host 0.0.0.0 --tables 4 --records matches --journal journal\n                                        \
    4 tables at ports 29068 to 29071, for the whole network\n  \
    gothello netref 0 300 --http 8080     with a page at http://127.0.0.1:8080/\n  \
    gothello netref --game awari 0 600    Awari at port 29046, 10 minutes each")]
pub(super) struct Arguments {
    /// 0 to 29: the port is 29068 plus this, if there is no --port; for Awari 0
    /// to 10, and 29046
    #[arg(default_value_t = 0, value_parser = number(0..=MAX_SERVER))]
    server_number: u16,
    /// Seconds on White's or North's clock; no time controls without
    #[arg(value_name = "WHITE/NORTH_SECS", value_parser = clock_seconds)]
    white_secs: Option<u64>,
    /// Seconds on Black's or South's clock; as many as the other's without
    #[arg(value_name = "BLACK/SOUTH_SECS", value_parser = clock_seconds)]
    black_secs: Option<u64>,
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
    /// Awari: show observers no board, which the paper does not have
    #[arg(long)]
    strict: bool,
    /// Listen at this address; 0.0.0.0 is every address of this machine
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Listen at this port instead; 0 picks a free one
    #[arg(long, value_parser = number(0..=u16::MAX))]
    port: Option<u16>,
    /// Serve so many tables, at as many ports in a row
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number(1..=1000u16))]
    tables: u16,
    /// Stop after so many matches
    #[arg(long, alias = "games", value_name = "N", value_parser = at_least(1))]
    stop_after: Option<u64>,
    /// Wait so long for a player's opponent, and for players to come back to an
    /// interrupted match; 0 for ever
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    seat_timeout: Duration,
    /// Wait so long for a connection's first request; 0 for ever
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    handshake_timeout: Duration,
    /// Serve so many connections at once
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = number(2..=100_000u32))]
    max_connections: u32,
    /// Show the tables on a page for spectators at this port of the same host; 0
    /// picks a free one
    #[arg(long, value_name = "PORT", value_parser = number(0..=u16::MAX))]
    http: Option<u16>,
    /// The operator's password on that page, instead of one that is drawn; 16 to 128
    /// letters, digits, - or _
    #[arg(long, requires = "http")]
    token: Option<Token>,
    /// Let nobody observe
    #[arg(long, conflicts_with = "http")]
    private: bool,
    /// Record finished matches in this folder: an SGF file each, for Awari one
    /// of text, and a line in results.tsv
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Write every action to a journal in this folder before it is
    /// acknowledged, so that no crash loses it
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
    /// Go on with the matches that the journals hold
    #[arg(long, requires = "journal")]
    resume: bool,
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

impl Arguments {
    /// The number of the last server.
    fn last_server(&self) -> u16 {
        self.server_number.saturating_add(self.tables - 1)
    }
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.game {
        GameName::Gothello => {
            let strict = arguments.strict.then_some("strict");
            if let Some(option) = arguments.variant.given().chain(strict).next() {
                return Err(wrong_usage(format!("--{option} is for --game awari")));
            }
            serve(arguments, Gothello::default())
        }
        GameName::Awari => {
            let start = Awari::from(arguments.variant.variant());
            serve(arguments, start)
        }
    }
}

/// Referees matches of a game that begins so.
fn serve<G: Game>(arguments: Arguments, start: G) -> Result<()> {
    check_server_number::<G>(arguments.server_number)?;
    let last = arguments.last_server();
    if arguments.port.is_none() && last > G::MAX_SERVER {
        let (game, most) = (G::NAME, G::MAX_SERVER);
        let what = format!(
            "--tables: {game} has no server number {last}, {most} is the last; with --port there may be more"
        );
        return Err(wrong_usage(what));
    }
    let log = NewsLog::start(arguments.log_format)?;
    let (tell, numbered) = (log.sink(), arguments.tables > 1);
    let sink: Sink = Arc::new(move |server, news| {
        tell(ServerNews {
            server,
            news,
            numbered,
        });
    });
    let (operator, orders) = operator();
    let first = arguments.server_number;
    let (mut server, door) =
        prepare(arguments, &start, &sink, orders).map_err(|why| anyhow!(why))?;
    let page = match door {
        Some((door, token)) => {
            let title = format!("{} referee", G::NAME);
            let news = (first, Arc::clone(&sink));
            Some(Page::start(door, title, operator.clone(), token, news)?)
        }
        None => None,
    };
    drop(sink);
    super::operator::listen(operator)?;
    server.feed = page.as_ref().map(Page::feed);
    let result = server.run(stop_signal);
    if let Some(page) = page {
        page.finish();
    }
    log.finish();
    Ok(result?)
}

/// Everything that can be wrong about files and ports is found here. The server
/// comes with the port of the page and the operator's token, if there is to be one.
fn prepare<G: Game>(
    arguments: Arguments,
    start: &G,
    sink: &Sink,
    orders: Orders,
) -> Result<(Server<G>, Option<Door>), String> {
    let wrong = |what: &Path, why: &dyn Display| format!("{}: {why}", what.display());
    let max_connections = allow_files(&arguments, sink);
    let last = arguments.last_server();
    let numbers = arguments.server_number..=last;
    // Before any file is touched: another referee may be running here.
    let listeners = numbers
        .clone()
        .map(|number| listen(&arguments.host, port::<G>(&arguments, number)?))
        .collect::<Result<Vec<_>, String>>()?;
    let door = match arguments.http {
        Some(port) => Some((
            listen(&arguments.host, port)?,
            token(arguments.token.as_ref())?,
        )),
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
        sink(arguments.server_number, News::NothingToResume { folder });
    }
    for (server, news) in interrupted
        .iter_mut()
        .flat_map(|found| found.news.drain(..))
    {
        sink(server, news);
    }
    let mut places = Vec::new();
    for (number, listener) in numbers.zip(listeners) {
        places.push(Place {
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
        return Err(format!(
            "a match of server number {} is to be resumed, and numbers {} to {last} are served",
            playing.server(),
            arguments.server_number,
        ));
    }
    if let Some((door, token)) = &door {
        let reach = reach(door)?;
        sink(arguments.server_number, page_news(&reach));
        let address = reach.elsewhere.first().unwrap_or(&reach.here);
        let url = format!("http://{address}/#token={token}");
        sink(arguments.server_number, News::OperatorPage { url });
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
        orders,
    };
    Ok((server, door))
}

/// The port of the page, and the operator's token there.
type Door = (TcpListener, Token);

/// The operator's token: the one that was chosen, or a new one.
fn token(chosen: Option<&Token>) -> Result<Token, String> {
    match chosen {
        Some(token) => Ok(token.clone()),
        None => Token::random().map_err(|error| format!("no token can be drawn: {error}")),
    }
}

/// Tells where the page is: at an address that other machines can open, too, if
/// there is one.
fn page_news(reach: &Reach) -> News {
    let url = |address: &SocketAddr| format!("http://{address}/");
    let mut urls = reach.elsewhere.iter().map(url);
    News::Page {
        url: urls.next().unwrap_or_else(|| url(&reach.here)),
        others: urls.collect(),
    }
}

/// News of one of several servers.
#[derive(Serialize)]
struct ServerNews {
    server: u16,
    #[serde(flatten)]
    news: News,
    /// Whether people are told which server it is.
    #[serde(skip)]
    numbered: bool,
}

impl Display for ServerNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.numbered {
            write!(f, "server {}: ", self.server)?;
        }
        self.news.fmt(f)
    }
}

/// The port of a server number.
fn port<G: Game>(arguments: &Arguments, number: u16) -> Result<u16, String> {
    let offset = number.saturating_sub(arguments.server_number);
    match arguments.port {
        Some(0) => Some(0),
        Some(first) => first.checked_add(offset),
        None => G::PORT.checked_add(number),
    }
    .ok_or_else(|| "there are not so many ports: lower --port or --tables".into())
}

/// Lets the system allow so many open files as there may be connections; how
/// many connections there can be.
fn allow_files(arguments: &Arguments, sink: &Sink) -> u32 {
    // Each table has a port, and files that it writes to.
    let page = arguments.http.map_or(0, |_| u64::from(MOST));
    let others = 100 + 4 * u64::from(arguments.tables) + page;
    let wanted = u64::from(arguments.max_connections) + others;
    let granted = rlimit::increase_nofile_limit(wanted).unwrap_or(wanted);
    let room = u32::try_from(granted.saturating_sub(others)).unwrap_or(u32::MAX);
    if room >= arguments.max_connections {
        return arguments.max_connections;
    }
    let room = room.max(2);
    let what = format!("the system allows {granted} open files: at most {room} can connect");
    sink(arguments.server_number, News::Failed { what });
    room
}

/// The matches that a folder of journals holds, if they are to go on.
fn interrupted<G: Game>(folder: &Path, resume: bool) -> Result<Option<Interrupted<G>>, String> {
    if resume {
        let found = Interrupted::read(folder);
        return found
            .map(Some)
            .map_err(|error| format!("{error}; to start without that match, move the file away"));
    }
    let found = journals(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if found.is_empty() {
        return Ok(None);
    }
    let found = found.iter().map(|path| path.display()).join(", ");
    Err(format!(
        "there are interrupted matches ({found}): go on with them with --resume, \
         or move them away"
    ))
}

/// What each side has on its clock. The second side, White, comes first.
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
