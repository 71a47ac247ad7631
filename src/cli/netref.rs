//! `gothello netref`.

use std::fmt::Display;
use std::fs;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use itertools::Itertools;
use tokio::signal;

use super::news_log::{LogFormat, NewsLog};
use super::{Unusable, parse_seconds};
use crate::netref::{
    Game, Gothello, Interrupted, Place, Records, Server, Settings, Sides, journals,
};

/// The greatest server number, which is the deployed referee's.
pub(super) const MAX_SERVER: u16 = 29;

/// More seconds than this, some 31 years, no clock holds.
const MAX_SECONDS: u64 = 1_000_000_000;

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
    4 tables at ports 29068 to 29071, for the whole network")]
pub(super) struct Arguments {
    /// 0 to 29: the port is 29068 plus this
    #[arg(default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_SERVER)))]
    server_number: u16,
    /// Seconds on White's clock; no time controls without
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    white_secs: Option<u64>,
    /// Seconds on Black's clock; as many as White's without
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    black_secs: Option<u64>,
    /// Listen at this address; 0.0.0.0 is every address of this machine
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Listen at this port instead; 0 picks a free one
    #[arg(long)]
    port: Option<u16>,
    /// Serve so many tables, at as many ports in a row
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    tables: u16,
    /// Stop after so many matches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Wait so long for a player's opponent, and for players to come back to an
    /// interrupted match; 0 for ever
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = parse_seconds)]
    seat_timeout: Duration,
    /// Wait so long for a connection's first request; 0 for ever
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    handshake_timeout: Duration,
    /// Serve so many connections at once
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    max_connections: u32,
    /// Let nobody observe
    #[arg(long)]
    private: bool,
    /// Record finished matches in this folder: an SGF file each, and a line in
    /// results.tsv
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
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    log: LogFormat,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    serve::<Gothello>(arguments)
}

fn serve<G: Game>(arguments: Arguments) -> Result<()> {
    let log = NewsLog::start(arguments.log, arguments.tables > 1)?;
    let server = prepare::<G>(arguments, &log).map_err(Unusable)?;
    let result = server.run(stop_signal);
    log.finish();
    Ok(result?)
}

/// Everything that can be wrong about the arguments is found here.
fn prepare<G: Game>(arguments: Arguments, log: &NewsLog) -> Result<Server<G>, String> {
    let wrong = |what: &Path, why: &dyn Display| format!("{}: {why}", what.display());
    let records = match &arguments.records {
        None => None,
        Some(folder) => Some(Records::new(folder).map_err(|error| wrong(folder, &error))?),
    };
    let mut interrupted = match &arguments.journal {
        None => None,
        Some(folder) => {
            writable(folder).map_err(|error| wrong(folder, &error))?;
            interrupted::<G>(folder, arguments.resume, records.as_ref())?
        }
    };
    for (server, news) in interrupted
        .iter_mut()
        .flat_map(|found| found.news.drain(..))
    {
        log.sink()(server, news);
    }
    let last = arguments.server_number.saturating_add(arguments.tables - 1);
    let places = (arguments.server_number..=last)
        .map(|number| {
            let first = arguments.port.unwrap_or(G::PORT + arguments.server_number);
            let port = match first {
                0 => Some(0),
                first => first.checked_add(number - arguments.server_number),
            };
            let port = port.ok_or("there are not so many ports: lower --port or --tables")?;
            Ok(Place {
                listener: listen(&arguments.host, port)?,
                settings: Settings {
                    number,
                    times: times(arguments.white_secs, arguments.black_secs),
                    private: arguments.private,
                    seat_timeout: unless_zero(arguments.seat_timeout),
                },
                interrupted: interrupted.as_mut().and_then(|found| found.take(number)),
            })
        })
        .collect::<Result<Vec<_>, String>>()?;
    if let Some((playing, _)) = interrupted.iter().flat_map(|found| &found.matches).next() {
        return Err(format!(
            "a match of server number {} is to be resumed, and numbers {} to {last} are served",
            playing.server(),
            arguments.server_number,
        ));
    }
    // A socket each, and some more for the files. Where the system does not
    // grant them, it refuses connections later.
    let _ = rlimit::increase_nofile_limit(u64::from(arguments.max_connections) + 100);
    Ok(Server {
        places,
        handshake_timeout: unless_zero(arguments.handshake_timeout),
        max_connections: arguments.max_connections,
        games: arguments.games,
        records,
        journals: arguments.journal,
        sink: log.sink(),
    })
}

/// The matches that a folder of journals holds, if they are to go on.
fn interrupted<G: Game>(
    folder: &Path,
    resume: bool,
    records: Option<&Records>,
) -> Result<Option<Interrupted<G>>, String> {
    if resume {
        let found = Interrupted::read(folder, records);
        return found.map(Some).map_err(|error| error.to_string());
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

/// Makes a folder if need be, and tries to write to it.
fn writable(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let probe = folder.join(".probe");
    fs::write(&probe, "")?;
    fs::remove_file(probe)
}

/// What each side has on its clock. The second side, White, comes first.
fn times(second: Option<u64>, first: Option<u64>) -> Option<Sides<Duration>> {
    let second = Duration::from_secs(second?);
    Some(Sides {
        first: first.map_or(second, Duration::from_secs),
        second,
    })
}

fn unless_zero(time: Duration) -> Option<Duration> {
    (!time.is_zero()).then_some(time)
}

/// A bound port. Of a host with several addresses, those of IPv4 come first:
/// the clients that exist know no other.
fn listen(host: &str, port: u16) -> Result<TcpListener, String> {
    let wrong = |why: &dyn Display| format!("cannot listen at {host} port {port}: {why}");
    let addresses = (host, port)
        .to_socket_addrs()
        .map_err(|error| wrong(&error))?;
    let addresses = addresses.sorted_by_key(SocketAddr::is_ipv6).collect_vec();
    TcpListener::bind(addresses.as_slice()).map_err(|error| wrong(&error))
}

/// Waits until the program is asked to stop, and says how.
async fn stop_signal() -> String {
    let interrupt = async {
        match signal::ctrl_c().await {
            Ok(()) => "it was interrupted".to_owned(),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(unix)]
    {
        use signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => signal.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            why = interrupt => why,
            _ = terminate => "it was asked to terminate".to_owned(),
        }
    }
    #[cfg(not(unix))]
    interrupt.await
}
