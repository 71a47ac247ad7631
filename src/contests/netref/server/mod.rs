//! The server: its tables, their ports, and the state that all its parts share.

mod connection;
mod files;
mod guests;
mod house;
mod observers;
mod page;
mod recorded;
mod task;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::mem;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use self::connection::{Port, accept};
use self::guests::{Permit, Usages};
use self::observers::ObserverHub;
use self::page::{RefereePage, log_event};
use self::recorded::start_transcripts;
use self::task::RefereeShell;
use super::client::{Client, ConnId, ConnIds, Name};
use super::game::NetrefGame;
use super::log::LogEvent;
use super::referee::{Entrance, Matches, Referee, RefereeCommand, RefereeSettings};
use super::table::{Loss, Settings, Table};
use super::teams::{Team, Teams};
use super::wire::{Action, Lines, Malformed, Opening};
use crate::base::server_clock::ServerClock;
use crate::contests::contest::TournamentDesk;
use crate::contests::limits::Limits;
use crate::contests::shell::{
    Commands, MAX_QUEUED, Records, StateFolder, Task, TournamentSetup, Transcripts, WarningsPage,
    timestamp,
};
use crate::contests::warnings::Warnings;
use crate::pages::web::Feed;
use crate::tournament::StopAfter;

pub use files::{RefereeState, RefereeStateError};
pub use house::{House, HouseLink, HousePlayer};
pub use page::site;

/// How long to wait until all clients have been notified that the server stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long to wait after that for the transcripts, and for threads that wait for the disk.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// The maximum number of ranges of ports that an answer names.
const MAX_RANGES: usize = 5;

/// The maximum number of surplus connections that are being rejected at one port at the same time.
const MAX_REJECTIONS: usize = 64;

/// Receives the log: the server number of the table that an event is about, and the event. It
/// must not block.
pub type LogSink = Arc<dyn Fn(u16, LogEvent) + Send + Sync>;

/// A server with its tables.
pub struct Server<G: NetrefGame> {
    /// What the organizer commands.
    pub commands: Commands<RefereeCommand>,
    /// The tables, each with a port.
    pub tables: Vec<TableSetup<G>>,
    /// The time that a client has to ask for a role; without limit if `None`.
    pub handshake_timeout: Option<Duration>,
    /// The maximum number of connections.
    pub max_connections: u32,
    /// When the server stops by itself; never if `None`.
    pub stop_after: Option<StopAfter>,
    /// The state folder, with the matches of an earlier run; without one, nothing is kept.
    pub state: Option<RefereeState<G>>,
    /// Whether the page shows the ladder of the matches in the state folder.
    pub ladder: bool,
    /// The log.
    pub sink: LogSink,
    /// The feed of the page for spectators.
    pub feed: Option<Feed>,
    /// The teams.
    pub teams: Teams,
    /// The ports of the teams.
    pub team_ports: Vec<TeamPort>,
    /// The time that a client waits in the lobby; without limit if `None`.
    pub lobby_timeout: Option<Duration>,
    /// The limits of the clients of an address.
    pub address_limits: Limits,
    /// The limits of the clients of a team.
    pub team_limits: Limits,
    /// The folder of the teams' transcripts.
    pub transcripts: Option<PathBuf>,
    /// The tournaments of the teams, if the server holds them.
    pub tournament: Option<TournamentSetup>,
}

/// A port of a team.
pub struct TeamPort {
    /// The port, which is already bound.
    pub listener: StdListener,
    /// Its server number.
    pub number: u16,
    /// The team.
    pub team: Name,
}

/// A table to be served, and its port.
pub struct TableSetup<G: NetrefGame> {
    /// The port, which is already bound.
    pub listener: StdListener,
    /// The settings of all its matches.
    pub settings: Settings<G>,
    /// The house, if it plays there.
    pub house: Option<House<G>>,
}

/// The codes of errors that a client makes; others depend on what happens at the server.
const ERRORS: [&str; 4] = ["198 ", "199 ", "291 ", "299 "];

/// The reason for dropping a client that does not read.
const DOES_NOT_READ: &str = "it does not read";

/// An input of the referee's task. Times are those of the server's clock.
pub enum Input<M> {
    /// A client asks for a role.
    Open(Box<RoleRequest>),
    /// A player's request.
    Request {
        conn: ConnId,
        /// Its line without secrets; empty for the house.
        line: String,
        request: Result<Action<M>, Malformed>,
        at: Duration,
    },
    /// The connection of a client is lost.
    Left {
        conn: ConnId,
        at: Duration,
        loss: Loss,
    },
}

/// A client that asks for a role.
pub struct RoleRequest {
    client: Client,
    opening: Opening,
    entrance: Entrance,
    at: Duration,
    connection: Connection,
}

/// How a client that asks for a role is reached.
pub enum Connection {
    /// The queue to a player.
    Player(Outbox),
    /// The socket of an observer, with the bytes that were read from it.
    Observer((StdStream, Permit), Lines),
}

/// The queue to a player. When this is dropped, the connection is closed after everything has been
/// sent.
type Outbox = mpsc::Sender<ToPlayer>;

/// Something for a player's connection.
pub enum ToPlayer {
    /// Write this text, in one piece.
    Text(String),
    /// Write nothing more, and tell the client so. It is still read.
    EndOutput,
}

/// The state that all parts of a server share.
#[derive(Clone)]
pub struct Shared {
    inner: Arc<Inner>,
    /// The server number of the port that this part belongs to.
    number: u16,
}

/// The state itself.
pub struct Inner {
    clock: ServerClock,
    sink: LogSink,
    handshake_timeout: Option<Duration>,
    conns: ConnIds,
    /// Why the server stops; `None` while it runs.
    stop: watch::Sender<Option<String>>,
    /// The permits of further observers.
    observers: Arc<Semaphore>,
    teams: Teams,
    usages: Usages,
    transcripts: Option<Transcripts>,
    warnings: WarningsPage,
}

impl Deref for Shared {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    fn new(sink: LogSink, handshake_timeout: Option<Duration>, observers: usize) -> Inner {
        Inner {
            clock: ServerClock::start(),
            sink,
            handshake_timeout,
            conns: ConnIds::new(SystemTime::now()),
            stop: watch::Sender::new(None),
            observers: Arc::new(Semaphore::new(observers)),
            teams: Teams::default(),
            usages: Usages::new(Limits::default(), Limits::default()),
            transcripts: None,
            warnings: WarningsPage::default(),
        }
    }
}

/// Waits until the server stops, and returns the reason.
async fn stopping(stop: &mut watch::Receiver<Option<String>>) -> String {
    match stop.wait_for(Option::is_some).await.as_deref() {
        Ok(Some(why)) => why.clone(),
        _ => "the server is gone".into(),
    }
}

impl Shared {
    /// Returns the same for another port.
    fn at(&self, number: u16) -> Shared {
        Shared {
            inner: Arc::clone(&self.inner),
            number,
        }
    }

    /// Returns the time by the server's clock.
    fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Returns when the server's clock will show this time, unless the server is stalled before.
    fn instant(&self, at: Duration) -> Instant {
        self.clock.moment(at).into()
    }

    /// Waits for the time that a client has to ask for a role.
    async fn handshake_over(&self) {
        let Some(time) = self.handshake_timeout else {
            return std::future::pending().await;
        };
        let until = self.now().saturating_add(time);
        while self.now() < until {
            sleep_until(self.instant(until)).await;
        }
    }

    /// Tells all parts that the server stops.
    fn stop(&self, why: &str) {
        self.stop.send_replace(Some(why.to_owned()));
    }

    /// Returns whether the server stops.
    fn is_stopping(&self) -> bool {
        self.stop.borrow().is_some()
    }

    /// Returns a receiver of why the server stops.
    fn stops(&self) -> watch::Receiver<Option<String>> {
        self.stop.subscribe()
    }

    fn log(&self, event: LogEvent) {
        let is_listed = !event.is_unlisted();
        let sink = |event| {
            if is_listed {
                (self.sink)(self.number, event);
            }
        };
        let LogEvent::Refused { who, response } = event else {
            return sink(event);
        };
        // It may repeat what the client sent.
        let response = self.teams.without_secrets(&response).into_owned();
        let (refused, told) = (who.clone(), response.clone());
        sink(LogEvent::Refused { who, response });
        if ERRORS.iter().any(|code| told.starts_with(code))
            && let Some(name) = refused.name.as_ref().or(self.team().map(Team::name))
        {
            self.warn(|warnings| warnings.note_error(name.as_str(), &told));
        }
    }

    /// Returns the team of the port.
    fn team(&self) -> Option<&Team> {
        self.teams.at_server(self.number)
    }

    /// Changes the warnings, and logs the new ones.
    fn warn(&self, change: impl FnOnce(&mut Warnings) -> Vec<String>) {
        for what in self.warnings.change(change) {
            (self.sink)(self.number, LogEvent::Warning { what });
        }
    }
}

impl<G: NetrefGame> Server<G> {
    /// Serves until `stop` returns a reason, or the last match or the tournament is over. Then writes
    /// what is left, for a few seconds, and closes all connections, for at most ten.
    ///
    /// Players and the referee run on the calling thread, where a move passes from task to task
    /// at no cost. Observers have a thread of their own, and so has the disk.
    ///
    /// # Errors
    /// If the system refuses a thread or a socket.
    pub fn run<F>(self, stop: impl FnOnce() -> F) -> io::Result<()>
    where
        F: Future<Output = String>,
    {
        let players = Builder::new_current_thread().enable_all().build()?;
        let observers = Builder::new_current_thread().enable_all().build()?;
        let hub = observers.handle().clone();
        let (done, is_done) = oneshot::channel::<()>();
        let thread = thread::Builder::new()
            .name("observers".into())
            .spawn(move || observers.block_on(is_done))?;
        let result = players.block_on(async { self.serve(stop(), hub).await });
        // An unresponsive disk must not keep the program alive.
        players.shutdown_timeout(LAST_CHANCE);
        drop(done);
        let _ = thread.join();
        result
    }

    async fn serve(mut self, stop: impl Future<Output = String>, hub: Handle) -> io::Result<()> {
        let number = self.tables.first().map(|setup| setup.settings.number);
        let number = number.unwrap_or_default();
        let inner = self.shared_state(number)?;
        let server = Shared {
            inner: Arc::clone(&inner),
            number,
        };
        let state = self.state.take();
        let records = state.as_ref().map(|state| state.folder.records());
        let last = state.as_ref().map(|state| state.folder.tournaments.last());
        let tournament = self.tournament.take();
        let desk = tournament.map(|setup| setup.desk(last.unwrap_or_default(), self.feed.as_ref()));
        let (sender, inputs) = mpsc::channel(MAX_QUEUED);
        let (shell, listeners) = self.shell(desk, records.clone(), (sender, hub), &server);
        let mut task = Task::new(shell, inner.clock.clone());
        task.shell.referee.tell_tournament();
        if let Some(state) = state {
            let length = state.length;
            let mut folder = restore(state, &mut task.shell.referee, &server);
            if let Some(feed) = &self.feed {
                let sink = Arc::clone(&inner.sink);
                let log = move |what| sink(number, LogEvent::Failed { what });
                folder.show(feed, self.ladder.then_some(log))?;
            }
            task.keep(folder, length)?;
        }
        task.begin().await;
        let connections = Arc::new(Semaphore::new(self.max_connections as usize));
        self.open_ports(listeners, &mut task.shell, &connections, &server)?;
        let shell = &mut task.shell;
        if let (Some(feed), Some(table)) = (self.feed.take(), shell.referee.table(0)) {
            let start = table.start_of_game().clone();
            let page = RefereePage::new(feed, start, shell.ports.clone(), server.clone());
            shell.page = Some(page);
        }
        let stop = async { format!("The referee stops: {}", stop.await) };
        let shell = task.run(inputs, self.commands, stop).await?;
        shell.finish().await;
        // Each connection is closed when it has been sent everything; then all permits are back.
        let _ = timeout(FAREWELL, connections.acquire_many(self.max_connections)).await;
        if let Some(transcripts) = inner.transcripts.clone() {
            transcripts.finish(LAST_CHANCE);
        }
        Ok(())
    }

    /// Creates the state that all parts share. The log is also shown on the page.
    fn shared_state(&mut self, number: u16) -> io::Result<Arc<Inner>> {
        let sink = Arc::clone(&self.sink);
        let numbers = self.tables.iter().map(|setup| setup.settings.number);
        let numbers: Vec<u16> = numbers.collect();
        let sink: LogSink = match self.feed.clone() {
            None => sink,
            Some(feed) => Arc::new(move |number, event| {
                log_event(&feed, (number, &numbers), &event);
                sink(number, event);
            }),
        };
        let transcripts = match self.transcripts.take() {
            None => None,
            Some(folder) => {
                let sink = Arc::clone(&sink);
                let log = move |what| sink(number, LogEvent::Failed { what });
                Some(start_transcripts(&folder, &self.teams, log)?)
            }
        };
        let max_connections = self.max_connections as usize;
        let reserved = (2 * (self.tables.len() + self.team_ports.len()) + MAX_REJECTIONS)
            .min(max_connections / 2);
        // Some connections are reserved for players, and for what a port rejects.
        let observers = max_connections.saturating_sub(reserved);
        let teams = mem::take(&mut self.teams);
        let kept = teams.iter().filter(|_| transcripts.is_some());
        let kept = kept.map(|team| team.name().as_str().to_owned());
        Ok(Arc::new(Inner {
            warnings: WarningsPage::new(kept, self.feed.clone()),
            usages: Usages::new(self.address_limits, self.team_limits),
            transcripts,
            teams,
            ..Inner::new(sink, self.handshake_timeout, observers)
        }))
    }

    /// Creates the referee with what surrounds it, and returns the listeners of its tables.
    fn shell(
        &mut self,
        desk: Option<TournamentDesk>,
        records: Option<Records>,
        (inputs, observer_runtime): (mpsc::Sender<Input<G::Move>>, Handle),
        server: &Shared,
    ) -> (RefereeShell<G>, Vec<StdListener>) {
        let (mut tables, mut listeners) = (Vec::new(), Vec::new());
        let (mut houses, mut hubs) = (BTreeMap::new(), Vec::new());
        for (index, setup) in mem::take(&mut self.tables).into_iter().enumerate() {
            let shared = server.at(setup.settings.number);
            let mut table = Table::new(setup.settings);
            if let Some(house) = setup.house {
                let link = HouseLink::new(inputs.clone(), shared.clone());
                table.set_house(house.name);
                houses.insert(index, (house.start)(link));
            }
            let hub = ObserverHub::open::<G>(&observer_runtime, inputs.clone(), shared);
            hubs.push(hub);
            tables.push(table);
            listeners.push(setup.listener);
        }
        let settings = RefereeSettings {
            stop_after: self.stop_after,
            lobby_timeout: self.lobby_timeout,
            is_kept: records.is_some(),
            house_plays_lobby: houses.len() == tables.len(),
            teams: server.teams.iter().map(Team::name).cloned().collect(),
            conns: server.conns.clone(),
            seed: rand::random(),
        };
        let shell = RefereeShell {
            referee: Referee::new(tables, desk, settings),
            inputs,
            outboxes: HashMap::new(),
            newcomers: HashMap::new(),
            hubs,
            observer_runtime,
            houses,
            ports: Vec::new(),
            records,
            feed: self.feed.clone(),
            page: None,
            later: Vec::new(),
            events: Vec::new(),
            look_at: Duration::ZERO,
            has_waits: false,
            leaving: Vec::new(),
            shared: server.clone(),
        };
        (shell, listeners)
    }

    /// Accepts connections at the ports of the tables and the teams.
    fn open_ports(
        &mut self,
        listeners: Vec<StdListener>,
        shell: &mut RefereeShell<G>,
        connections: &Arc<Semaphore>,
        server: &Shared,
    ) -> io::Result<()> {
        let mut is_private = true;
        for (index, listener) in listeners.into_iter().enumerate() {
            let Some(table) = shell.referee.table(index) else {
                continue;
            };
            is_private &= table.is_private();
            let shared = server.at(table.number());
            let (listener, address) = listen(listener, &shared)?;
            if let Some(house) = table.house().cloned() {
                shared.log(LogEvent::HousePlays { house });
            }
            shell.ports.push(address.port());
            let port = Port {
                entrance: Entrance::Table(index),
                team: None,
                inputs: shell.inputs.clone(),
            };
            let connections = Arc::clone(connections);
            tokio::spawn(accept::<G>(listener, port, connections, shared));
        }
        let why_not_observed: Arc<str> = why_not_observed(is_private, &shell.ports).into();
        for port in mem::take(&mut self.team_ports) {
            let shared = server.at(port.number);
            let (listener, _) = listen(port.listener, &shared)?;
            let port = Port {
                entrance: Entrance::Team(port.number),
                team: Some((port.team, Arc::clone(&why_not_observed))),
                inputs: shell.inputs.clone(),
            };
            let connections = Arc::clone(connections);
            tokio::spawn(accept::<G>(listener, port, connections, shared));
        }
        Ok(())
    }
}

/// Puts the matches of a journal back. Returns the state folder.
fn restore<G: NetrefGame>(
    state: RefereeState<G>,
    referee: &mut Referee<G>,
    server: &Shared,
) -> StateFolder<Matches> {
    let folder = state.folder;
    if folder.cut > 0 {
        let journal = folder.journal_path().display().to_string();
        let bytes = folder.cut;
        server.log(LogEvent::Cut { journal, bytes });
    }
    let now = timestamp(server.now());
    referee.restore(state.matches, true, now);
    folder
}

/// Returns why clients cannot observe at the port of a team. Unless the matches are private, they
/// can at the ports of the tables.
fn why_not_observed(is_private: bool, ports: &[u16]) -> String {
    if is_private {
        return "Cannot observe: the matches are private".into();
    }
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for &port in ports.iter().sorted() {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(port) => *last = port,
            _ => ranges.push((port, port)),
        }
    }
    let mut named = ranges
        .iter()
        .take(MAX_RANGES)
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        });
    let more = if ranges.len() > MAX_RANGES {
        " ..."
    } else {
        ""
    };
    format!(
        "Cannot observe: this port is for the players of a team; observe a table, at port {}{more}",
        named.join(", ")
    )
}

/// Accepts connections at a port, and logs its address.
fn listen(listener: StdListener, shared: &Shared) -> io::Result<(TcpListener, SocketAddr)> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    shared.log(LogEvent::Listening { address });
    Ok((listener, address))
}

#[cfg(test)]
impl Shared {
    fn for_tests(sink: LogSink) -> Shared {
        Shared {
            inner: Arc::new(Inner::new(sink, None, 1)),
            number: 0,
        }
    }
}
