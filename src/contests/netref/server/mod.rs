//! The server: its tables, their ports, and the state that all its parts share.

mod answer;
mod connection;
mod guests;
mod house;
mod journals;
mod ladder;
mod lobby;
mod observers;
mod organizer;
mod page;
mod recorder;
mod table_task;
mod tournament;
mod transcripts;

use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::mem;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use itertools::Itertools;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use self::connection::{Entrance, accept};
use self::guests::{Permit, Usages};
use self::ladder::LadderThread;
use self::lobby::LobbyHub;
use self::organizer::{TableCommand, run_commands};
use self::page::{PageUpdates, publish};
use self::recorder::Recorder;
use self::table_task::{TableParts, TableTask};
use self::tournament::{TournamentHub, spawn_tournament};
use self::transcripts::Transcripts;
use super::client::{Client, ConnId, Name};
use super::entry::Entry;
use super::game::NetrefGame;
use super::log::LogEvent;
use super::outages::Outages;
use super::records::{RESULTS, Records};
use super::table::{LiveMatch, Loss, Settings, Table};
use super::teams::Teams;
use super::tournament::{GamePlace, TeamTournament};
use super::wire::{Action, Lines, Malformed, Opening};
use crate::base::counted::counted;
use crate::base::journal::{FolderLock, Journal};
use crate::base::server_clock::ServerClock;
use crate::contests::limits::Limits;
use crate::games::game::Game;
use crate::pages::web::Feed;
use crate::tournament::{Plan, ResultsFiles, StopAfter};

use self::journals::list_adjourned;

pub use answer::{Answer, CommandError};
pub use house::{House, HouseLink, HousePlayer};
pub use journals::{Interrupted, InterruptedError, MatchToRecord, check_house, journals};
pub use organizer::{
    HELP, ParseRefereeCommandError, RefereeCommand, RefereeCommands, RefereeHandle, command_queue,
    site,
};
pub use tournament::{TournamentCommand, TournamentError};

/// How long to wait until all clients have been notified that the server stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long to wait after that for the page, and for threads that wait for the disk.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// How long to wait for matches that are not recorded yet: somewhat longer than for the
/// lock of another process.
const LAST_RECORDS: Duration = Duration::from_secs(3);

/// The maximum number of ranges of ports that an answer names.
const MAX_RANGES: usize = 5;

/// The maximum number of surplus connections that are being rejected at the same time.
const MAX_REJECTIONS: usize = 64;

/// Receives the log: the server number of the table that an event is about, and the event. It
/// must not block.
pub type LogSink = Arc<dyn Fn(u16, LogEvent) + Send + Sync>;

/// A server with its tables.
pub struct Server<G: NetrefGame> {
    /// The tables, each with a port.
    pub tables: Vec<TableSetup<G>>,
    /// The time that a client has to ask for a role; without limit if `None`.
    pub handshake_timeout: Option<Duration>,
    /// The maximum number of connections.
    pub max_connections: u32,
    /// When the server stops by itself; never if `None`.
    pub stop_after: Option<StopAfter>,
    /// The folder in which finished matches are recorded.
    pub records: Option<Records>,
    /// Whether the page shows the ladder of the recorded matches.
    pub ladder: bool,
    /// Matches of an earlier run that are over and not recorded yet.
    pub finished: Vec<MatchToRecord>,
    /// The folder of the journals, and its lock.
    pub journals: Option<(PathBuf, FolderLock)>,
    /// The log.
    pub sink: LogSink,
    /// The feed of the page for spectators.
    pub feed: Option<Feed>,
    /// The commands of the organizer.
    pub commands: RefereeCommands,
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

/// The tournaments of a server.
pub struct TournamentSetup {
    /// The results files. An unfinished tournament in them goes on.
    pub files: ResultsFiles,
    /// The tournament that begins when enough teams are there.
    pub plan: Option<Plan>,
    /// Whether the last tournament in the files is over and is the one that this run was started
    /// for: a server that stops after the tournament has nothing to do.
    pub is_over: bool,
    /// The time after which an absent team forfeits a game; without limit if `None`.
    pub forfeit_after: Option<Duration>,
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
    /// An interrupted match, which is resumed, and its journal.
    pub interrupted: Option<(LiveMatch<G>, Journal<Entry>)>,
    /// The house, if it plays there.
    pub house: Option<House<G>>,
}

/// The reason for dropping a client that does not read.
const DOES_NOT_READ: &str = "it does not read";

/// A message to a table, with the time of its arrival by the server's clock.
enum Message<M> {
    /// A client asks for a player's seat.
    Open {
        client: Client,
        opening: Opening,
        at: Duration,
        outbox: Outbox,
        /// Whether other tables have seats for the client, too.
        offer: Option<Offer>,
    },
    /// A client asks to observe. Its socket comes with the bytes that were read from it.
    Observe {
        client: Client,
        name: Option<Name>,
        at: Duration,
        stream: StdStream,
        permit: Permit,
        lines: Lines,
    },
    /// A player's request.
    Request {
        conn: ConnId,
        request: Result<Action<M>, Malformed>,
        at: Duration,
    },
    /// A command of the organizer.
    Command {
        command: TableCommand,
        /// Receives the result.
        reply: oneshot::Sender<Answer>,
        at: Duration,
    },
    /// The connection of a client is lost.
    Left {
        conn: ConnId,
        at: Duration,
        loss: Loss,
    },
}

/// A client's request for a seat at one of several tables.
struct Offer {
    /// Whether the client may get a seat in a new match, and not only the one that it had in an
    /// interrupted one.
    may_be_new: bool,
    /// Gets the client's queue back if the table has no seat for it. The client is then told
    /// nothing.
    declined: oneshot::Sender<Outbox>,
}

/// The queue of texts for a player, each of which is written in one piece. When this is
/// dropped, the connection is closed after everything has been sent.
type Outbox = mpsc::Sender<String>;

/// The state that all parts of a server share.
#[derive(Clone)]
struct Shared {
    inner: Arc<Inner>,
    /// The server number of the port that this part belongs to.
    number: u16,
}

struct Inner {
    clock: ServerClock,
    /// Notified of each stall.
    stalls: Notify,
    /// The connections that were lost a short while ago.
    outages: Mutex<Outages>,
    sink: LogSink,
    handshake_timeout: Option<Duration>,
    stop_after: Option<StopAfter>,
    /// The numbers of matches that have begun, and that are over.
    begun: AtomicU64,
    finished: AtomicU64,
    connections: AtomicU64,
    state: watch::Sender<State>,
    /// Whether finished matches are recorded.
    is_recorded: bool,
    /// Whether matches are journaled.
    is_journaled: bool,
    /// The permits of further observers.
    observers: Arc<Semaphore>,
    teams: Teams,
    lobby_timeout: Option<Duration>,
    usages: Usages,
    transcripts: Option<Transcripts>,
    tournament: Option<Arc<TournamentHub>>,
}

impl Inner {
    fn new(
        sink: LogSink,
        handshake_timeout: Option<Duration>,
        stop_after: Option<StopAfter>,
        [is_recorded, is_journaled]: [bool; 2],
        observers: usize,
    ) -> Inner {
        Inner {
            clock: ServerClock::start(),
            stalls: Notify::new(),
            outages: Mutex::default(),
            sink,
            handshake_timeout,
            stop_after,
            begun: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            connections: AtomicU64::new(ConnId::origin(SystemTime::now()).0),
            state: watch::Sender::new(State::Open),
            is_recorded,
            is_journaled,
            observers: Arc::new(Semaphore::new(observers)),
            teams: Teams::default(),
            lobby_timeout: None,
            usages: Usages::new(Limits::default(), Limits::default()),
            transcripts: None,
            tournament: None,
        }
    }
}

/// The state of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Matches may begin.
    Open,
    /// No new match may begin.
    Closed,
    /// The server stops, for this reason.
    Stopping(String),
}

/// Waits until the server stops, and returns the reason.
async fn stopping(state: &mut watch::Receiver<State>) -> String {
    let is_stopping = |state: &State| matches!(state, State::Stopping(_));
    match state.wait_for(is_stopping).await.as_deref() {
        Ok(State::Stopping(why)) => why.clone(),
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

    /// Whether matches are journaled.
    fn is_journaled(&self) -> bool {
        self.inner.is_journaled
    }

    /// Returns the time by the server's clock.
    fn now(&self) -> Duration {
        self.inner.clock.now()
    }

    /// Returns how long the server has been stalled in all.
    fn stalled(&self) -> Duration {
        self.inner.clock.stalled()
    }

    /// Returns when the server's clock will show this time, unless the server is stalled before.
    fn instant(&self, at: Duration) -> Instant {
        self.inner.clock.moment(at).into()
    }

    /// Waits for a time by the server's clock; without limit if there is none.
    async fn wait(&self, time: Option<Duration>) {
        let Some(time) = time else {
            return pending().await;
        };
        let until = self.now().saturating_add(time);
        while self.now() < until {
            sleep_until(self.instant(until)).await;
        }
    }

    /// Returns whether the server stops.
    fn is_stopping(&self) -> bool {
        matches!(*self.inner.state.borrow(), State::Stopping(_))
    }

    fn log(&self, mut event: LogEvent) {
        if let LogEvent::Refused { response, .. } = &mut event {
            // It may repeat what the client sent.
            *response = self.teams().without_secrets(response).into_owned();
        }
        (self.inner.sink)(self.number, event);
    }

    /// Notes the loss of a player's connection in a match, and logs it if it is not the only one.
    fn note_loss(&self, (table, id): (u16, &str), now: Duration) {
        let outages = &self.inner.outages;
        let mut outages = outages.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = outages.note(table, id, now);
        drop(outages);
        if let Some(matches) = matches {
            self.log(LogEvent::LostTogether { matches });
        }
    }

    /// Returns the usage of the clients of each address and team.
    fn usages(&self) -> &Usages {
        &self.inner.usages
    }

    /// Returns the transcripts, if they are kept.
    fn transcripts(&self) -> Option<&Transcripts> {
        self.inner.transcripts.as_ref()
    }

    /// Returns the teams.
    fn teams(&self) -> &Teams {
        &self.inner.teams
    }

    /// Waits for the time that a client has to ask for a role.
    async fn handshake_over(&self) {
        self.wait(self.inner.handshake_timeout).await;
    }

    /// Returns the tournament of the teams, if the server holds some.
    fn tournament(&self) -> Option<&Arc<TournamentHub>> {
        self.inner.tournament.as_ref()
    }

    /// Returns whether a tournament is held or planned.
    fn is_tournament_held(&self) -> bool {
        let tournament = self.tournament();
        tournament.is_some_and(|tournament| tournament.state().is_held())
    }

    /// Waits for the time that a client waits in the lobby.
    async fn lobby_over(&self) {
        self.wait(self.inner.lobby_timeout).await;
    }

    fn state(&self) -> watch::Receiver<State> {
        self.inner.state.subscribe()
    }

    /// Whether finished matches are recorded.
    fn is_recorded(&self) -> bool {
        self.inner.is_recorded
    }

    /// Returns whether matches may begin.
    fn is_open(&self) -> bool {
        *self.inner.state.borrow() == State::Open
    }

    /// Counts a match that begins. After the last one no other may begin.
    fn count_start(&self) {
        let begun = self.inner.begun.fetch_add(1, Relaxed) + 1;
        if self.are_all(begun) {
            self.turn(State::Open, State::Closed);
        }
    }

    /// Returns whether these are all the matches to be played.
    fn are_all(&self, matches: u64) -> bool {
        matches!(self.inner.stop_after, Some(StopAfter::Games(all)) if matches >= all)
    }

    /// Stops the server after its tournament, if it is to stop then.
    fn end_tournament(&self) {
        if self.inner.stop_after == Some(StopAfter::Tournament) && !self.is_stopping() {
            let why = "The referee stops: the tournament is over".to_owned();
            self.inner.state.send_replace(State::Stopping(why));
        }
    }

    /// Undoes [`Shared::count_start`], so that another match may begin instead.
    fn uncount_start(&self) {
        self.inner.begun.fetch_sub(1, Relaxed);
        self.turn(State::Closed, State::Open);
    }

    /// Changes the state from one to another, if it is the first.
    fn turn(&self, from: State, to: State) {
        self.inner.state.send_if_modified(|state| {
            let turns = *state == from;
            if turns {
                *state = to;
            }
            turns
        });
    }

    /// Counts a match that is over and recorded. The last one stops the server.
    fn count_end(&self) {
        let finished = self.inner.finished.fetch_add(1, Relaxed) + 1;
        if self.are_all(finished) {
            let why = format!("The referee stops: match {finished} of {finished} is over");
            self.inner.state.send_replace(State::Stopping(why));
        }
    }

    fn next_connection(&self) -> ConnId {
        ConnId(self.inner.connections.fetch_add(1, Relaxed) + 1)
    }
}

impl<G: NetrefGame> Server<G> {
    /// Serves until `stop` returns a reason, or all matches have been played. Then
    /// notifies all clients, for at most ten seconds.
    ///
    /// Players and tables run on the calling thread, where a move passes from task to task
    /// at no cost. Observers have a thread of their own.
    ///
    /// # Errors
    /// If the system refuses a thread or a socket, or matches could not be recorded.
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
        let page: Option<Arc<PageUpdates<G::Move>>> = self.feed.as_ref().map(|_| Arc::default());
        let inner = self.shared_state(number, page.clone())?;
        let server = Shared {
            inner: Arc::clone(&inner),
            number,
        };
        let ladder = self.start_ladder(&server)?;
        let (recorder, recorded) =
            Recorder::start::<G>(self.records.clone(), inner.tournament.clone(), ladder)?;
        // This comes before any play, so that the rows stay in order.
        for finished in mem::take(&mut self.finished) {
            let shared = server.at(finished.server);
            recorder.record::<G>(finished, shared).await;
        }
        self.show_past(&server);
        self.place_adjourned(&server);
        let start = self.tables.first();
        let start = start.map(|setup| setup.settings.start.clone());
        let journals = self.journals.as_ref().map(|(folder, _)| folder.clone());
        let parts = TableParts {
            journals: journals.clone(),
            observer_runtime: hub.clone(),
            recorder: recorder.clone(),
            page: page.clone(),
            lobby: Arc::new(LobbyHub::new(page.clone())),
            records: self.records.clone(),
        };
        let connections = Arc::new(Semaphore::new(self.max_connections as usize));
        let mut tasks = JoinSet::new();
        let (tables, ports) = self.open_tables(&parts, &connections, &server, &mut tasks)?;
        let lobby = Arc::clone(&parts.lobby);
        // The recorder ends when no table has it any more.
        drop(parts);
        let holding = inner.tournament.clone().map(|tournament| {
            spawn_tournament(
                tournament,
                Arc::clone(&lobby),
                self.feed.clone(),
                G::PLAYERS,
                server.clone(),
            )
        });
        let handler = tokio::spawn(run_commands::<G>(
            self.commands,
            tables,
            lobby,
            ports.clone(),
            journals,
            self.feed.clone(),
            server.clone(),
        ));
        let publishing = self.feed.zip(page).zip(start);
        let publishing = publishing.map(|((feed, page), start)| {
            let (end, is_end) = oneshot::channel::<()>();
            let end_of_all = async {
                let _ = is_end.await;
            };
            let publishing = publish(feed, page, start, ports, server.clone(), end_of_all);
            (end, hub.spawn(publishing))
        });
        let ticking = tokio::spawn(tick(server.clone()));
        let mut state = inner.state.subscribe();
        let why = tokio::select! {
            why = stop => format!("The referee stops: {why}"),
            why = stopping(&mut state) => why,
        };
        ticking.abort();
        if let Some(holding) = holding {
            holding.abort();
        }
        inner.state.send_replace(State::Stopping(why.clone()));
        server.log(LogEvent::Stopping { why });
        // Each table closes its connections; when the last is closed, all
        // permits are back.
        let all = async {
            tasks.join_all().await;
            let _ = connections.acquire_many(self.max_connections).await;
        };
        let _ = timeout(FAREWELL, all).await;
        handler.abort();
        if let Some((end, published)) = publishing {
            drop(end);
            let _ = timeout(LAST_CHANCE, published).await;
        }
        if let Some(transcripts) = inner.transcripts.clone() {
            transcripts.finish(LAST_CHANCE);
        }
        match recorder.finish(recorded, LAST_RECORDS).await {
            0 => Ok(()),
            count => Err(io::Error::other(format!(
                "{} could not be recorded: the results are in the log",
                counted(count, "match")
            ))),
        }
    }

    /// Creates the state that all parts share. The log is also shown on the page.
    fn shared_state(
        &mut self,
        number: u16,
        page: Option<Arc<PageUpdates<G::Move>>>,
    ) -> io::Result<Arc<Inner>> {
        let sink = Arc::clone(&self.sink);
        let sink: LogSink = match page {
            None => sink,
            Some(page) => Arc::new(move |number, event| {
                page.log_event(number, &event);
                sink(number, event);
            }),
        };
        let transcripts = match self.transcripts.take() {
            None => None,
            Some(folder) => {
                let log = (number, Arc::clone(&sink));
                Some(Transcripts::start(folder, &self.teams, log)?)
            }
        };
        let max_connections = self.max_connections as usize;
        let reserved = (2 * (self.tables.len() + self.team_ports.len()) + MAX_REJECTIONS)
            .min(max_connections / 2);
        Ok(Arc::new(Inner {
            usages: Usages::new(self.address_limits, self.team_limits),
            transcripts,
            teams: mem::take(&mut self.teams),
            lobby_timeout: self.lobby_timeout,
            tournament: self.tournament.take().map(TournamentSetup::open),
            ..Inner::new(
                sink,
                self.handshake_timeout,
                self.stop_after,
                [self.records.is_some(), self.journals.is_some()],
                // Some connections are reserved for players.
                max_connections.saturating_sub(reserved),
            )
        }))
    }

    /// Starts the thread that rates the players for the page, if there is a ladder.
    fn start_ladder(&self, server: &Shared) -> io::Result<Option<LadderThread>> {
        let (Some(feed), Some(records), true) = (&self.feed, &self.records, self.ladder) else {
            return Ok(None);
        };
        let log = (server.number, Arc::clone(&server.inner.sink));
        LadderThread::start(records.table(), feed.clone(), log).map(Some)
    }

    /// Shows the matches of earlier runs on the page.
    fn show_past(&self, server: &Shared) {
        let (Some(feed), Some(records)) = (&self.feed, &self.records) else {
            return;
        };
        match records.past::<G>() {
            Ok(past) => past.into_iter().for_each(|past| feed.add_finished(past)),
            Err(error) => {
                let what = format!("the page lists no earlier matches: {RESULTS}: {error}");
                server.log(LogEvent::Failed { what });
            }
        }
    }

    /// Tells the tournament which of its games are adjourned.
    fn place_adjourned(&self, server: &Shared) {
        if let (Some(hub), Some((folder, _))) = (server.tournament(), &self.journals) {
            // Unreadable files are logged with the other adjourned matches.
            let (adjourned, _) = list_adjourned::<G>(folder).unwrap_or_default();
            for scheduled in adjourned.into_iter().filter_map(|found| found.scheduled) {
                hub.place(scheduled, GamePlace::Adjourned);
            }
        }
    }

    /// Starts the tables, and accepts connections at their ports and those of the teams. Returns
    /// the sender to each table, and its port, by server number.
    fn open_tables(
        &mut self,
        parts: &TableParts<G>,
        connections: &Arc<Semaphore>,
        server: &Shared,
        tasks: &mut JoinSet<()>,
    ) -> io::Result<(Senders<G>, BTreeMap<u16, u16>)> {
        let mut ports = BTreeMap::new();
        let mut tables = BTreeMap::new();
        let mut listeners = Vec::new();
        let is_private = self.tables.iter().all(|setup| setup.settings.private);
        let are_all_houses = self.tables.iter().all(|setup| setup.house.is_some());
        for setup in mem::take(&mut self.tables) {
            let shared = server.at(setup.settings.number);
            let (table, journal) = match setup.interrupted {
                None => (Table::new(setup.settings), None),
                Some((live, journal)) => {
                    let table = resume_interrupted(setup.settings, live, &shared);
                    (table, Some(journal))
                }
            };
            let (listener, address) = listen(setup.listener, &shared)?;
            ports.insert(shared.number, address.port());
            let house = setup.house.as_ref().map(|house| house.name.clone());
            let (mut task, table) = TableTask::new((table, journal), parts, shared.clone());
            if let Some(house) = setup.house {
                let name = house.name.clone();
                shared.log(LogEvent::HousePlays { house: name });
                task.let_house_play(house, parts.records.clone(), are_all_houses);
            }
            tasks.spawn(task.run());
            tables.insert(shared.number, table.clone());
            listeners.push((listener, house, table, shared));
        }
        let houses: Vec<(Option<Name>, mpsc::Sender<_>)> = listeners
            .iter()
            .map(|(_, house, table, _)| (house.clone(), table.clone()))
            .collect();
        for (listener, house, table, shared) in listeners {
            let others = houses.iter().filter(|(name, other)| {
                house.is_some() && *name == house && !other.same_channel(&table)
            });
            let entrance = Entrance::Table {
                others: others.map(|(_, other)| other.clone()).collect(),
                table,
                // Clients may play the house during a tournament, too.
                lobby: house.is_none().then(|| Arc::clone(&parts.lobby)),
            };
            let connections = Arc::clone(connections);
            tokio::spawn(accept::<G>(listener, entrance, connections, shared));
        }
        let why_not_observed: Arc<str> = why_not_observed(is_private, &ports).into();
        for port in mem::take(&mut self.team_ports) {
            let shared = server.at(port.number);
            let (listener, _) = listen(port.listener, &shared)?;
            let entrance = Entrance::Team {
                lobby: Arc::clone(&parts.lobby),
                team: port.team,
                why_not_observed: Arc::clone(&why_not_observed),
            };
            let connections = Arc::clone(connections);
            tokio::spawn(accept::<G>(listener, entrance, connections, shared));
        }
        Ok((tables, ports))
    }
}

/// The senders to the tables, by server number.
type Senders<G> = BTreeMap<u16, mpsc::Sender<Message<<G as Game>::Move>>>;

impl TournamentSetup {
    /// Opens the tournaments.
    fn open(self) -> Arc<TournamentHub> {
        let state = TeamTournament::new(self.plan, self.forfeit_after);
        let hub = TournamentHub::new(self.files, state);
        if self.is_over {
            hub.state().count_last();
        }
        Arc::new(hub)
    }
}

/// Puts an interrupted match on its table.
fn resume_interrupted<G: NetrefGame>(
    settings: Settings<G>,
    mut live: LiveMatch<G>,
    shared: &Shared,
) -> Table<G> {
    if let (Some(hub), Some(scheduled)) = (shared.tournament(), live.scheduled().cloned()) {
        live.limit_wait(hub.state().forfeit_after());
        hub.place(scheduled, GamePlace::Table(shared.number));
    }
    shared.log(live.restored_event());
    shared.count_start();
    Table::resume(settings, live, shared.now())
}

/// Reads the server's clock all the time, and tells of stalls.
async fn tick(shared: Shared) {
    let clock = &shared.inner.clock;
    let log_stall = || {
        if let Some(stall) = clock.take_stall() {
            let stall_ms = u64::try_from(stall.as_millis()).unwrap_or(u64::MAX);
            shared.log(LogEvent::Stalled { stall_ms });
            shared.inner.stalls.notify_waiters();
        }
    };
    clock.tick(log_stall).await;
}

/// Returns why clients cannot observe at the port of a team. Unless the matches are private, they
/// can at the ports of the tables.
fn why_not_observed(is_private: bool, ports: &BTreeMap<u16, u16>) -> String {
    if is_private {
        return "Cannot observe: the matches are private".into();
    }
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for &port in ports.values().sorted() {
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
            inner: Arc::new(Inner::new(sink, None, None, [false; 2], 1)),
            number: 0,
        }
    }
}
