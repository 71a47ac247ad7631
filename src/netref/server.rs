//! The server: its tables, their ports, and the state that all its parts share.

use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::net::TcpListener as StdListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, SystemTime};

use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::client::ConnId;
use super::connection::{Acceptor, MAX_REJECTIONS};
use super::game::NetrefGame;
use super::journal::Entry;
use super::live_match::LiveMatch;
use super::log::LogEvent;
use super::operator::{CommandHandler, OperatorCommands};
use super::page::PagePublisher;
use super::page::PageUpdates;
use super::recorder::{MatchToRecord, Recorder};
use super::records::{RESULTS, Records};
use super::table::{Settings, Table};
use super::table_task::TableTask;
use crate::journal::{FolderLock, Journal};
use crate::web::Feed;

/// How long to wait until all clients have been told that the server stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long to wait after that for the page, and for threads that wait for the disk.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// How long to wait for matches that are not recorded yet: somewhat longer than for the
/// lock of another process.
const LAST_RECORDS: Duration = Duration::from_secs(3);

/// Receives the log: the number of the server that an event is about, and the event. It
/// must not block.
pub type LogSink = Arc<dyn Fn(u16, LogEvent) + Send + Sync>;

/// A server with its tables.
pub struct Server<G: NetrefGame> {
    /// One table for each port.
    pub places: Vec<TableSetup<G>>,
    /// The time that a client has to ask for a role; without limit if `None`.
    pub handshake_timeout: Option<Duration>,
    /// The maximum number of connections.
    pub max_connections: u32,
    /// The number of matches after which the server stops.
    pub games: Option<u64>,
    /// The folder in which finished matches are recorded.
    pub records: Option<Records>,
    /// Matches of an earlier run that are over and not recorded yet.
    pub finished: Vec<MatchToRecord>,
    /// The folder of the journals, and its lock.
    pub journals: Option<(PathBuf, FolderLock)>,
    /// The log.
    pub sink: LogSink,
    /// The feed of the page for spectators.
    pub feed: Option<Feed>,
    /// The commands of the operator.
    pub commands: OperatorCommands,
}

/// A table to be served, and its port.
pub struct TableSetup<G: NetrefGame> {
    /// The port, which is already bound.
    pub listener: StdListener,
    /// The settings of all its matches.
    pub settings: Settings<G>,
    /// An interrupted match, which is resumed, and its journal.
    pub interrupted: Option<(LiveMatch<G>, Journal<Entry>)>,
}

/// The state that all parts of a server share.
#[derive(Clone)]
pub(super) struct Shared {
    inner: Arc<Inner>,
    /// The number of the server that this part belongs to.
    number: u16,
}

struct Inner {
    /// The server's clock counts from here.
    origin: Instant,
    sink: LogSink,
    handshake_timeout: Option<Duration>,
    games: Option<u64>,
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
}

impl Inner {
    fn new(
        sink: LogSink,
        handshake_timeout: Option<Duration>,
        games: Option<u64>,
        [is_recorded, is_journaled]: [bool; 2],
        observers: usize,
    ) -> Inner {
        Inner {
            origin: Instant::now(),
            sink,
            handshake_timeout,
            games,
            begun: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            connections: AtomicU64::new(ConnId::origin(SystemTime::now()).0),
            state: watch::Sender::new(State::Open),
            is_recorded,
            is_journaled,
            observers: Arc::new(Semaphore::new(observers)),
        }
    }
}

/// The state of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Matches may begin.
    Open,
    /// No new match may begin.
    Closed,
    /// The server stops, for this reason.
    Stopping(String),
}

/// Waits until the server stops, and returns the reason.
pub(super) async fn stopping(state: &mut watch::Receiver<State>) -> String {
    let is_stopping = |state: &State| matches!(state, State::Stopping(_));
    match state.wait_for(is_stopping).await.as_deref() {
        Ok(State::Stopping(why)) => why.clone(),
        _ => "the server is gone".into(),
    }
}

impl Shared {
    /// Whether matches are journaled.
    pub(super) fn is_journaled(&self) -> bool {
        self.inner.is_journaled
    }

    /// Returns the time by the server's clock.
    pub(super) fn now(&self) -> Duration {
        self.inner.origin.elapsed()
    }

    /// Returns a time of the server's clock as an instant for a timer.
    pub(super) fn instant(&self, at: Duration) -> Instant {
        // A clock holds at most some decades. A timer that fires too early does
        // no harm.
        let origin = self.inner.origin;
        origin
            .checked_add(at)
            .unwrap_or_else(|| Instant::now() + FAREWELL)
    }

    /// Returns whether the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        matches!(*self.inner.state.borrow(), State::Stopping(_))
    }

    pub(super) fn log(&self, event: LogEvent) {
        (self.inner.sink)(self.number, event);
    }

    /// Waits for the time that a client has to ask for a role.
    pub(super) async fn handshake_over(&self) {
        match self.inner.handshake_timeout {
            Some(time) => sleep(time).await,
            None => pending().await,
        }
    }

    pub(super) fn state(&self) -> watch::Receiver<State> {
        self.inner.state.subscribe()
    }

    /// Whether finished matches are recorded.
    pub(super) fn is_recorded(&self) -> bool {
        self.inner.is_recorded
    }

    /// Returns whether matches may begin.
    pub(super) fn is_open(&self) -> bool {
        *self.inner.state.borrow() == State::Open
    }

    /// Counts a match that begins. After the last one no other may begin.
    pub(super) fn count_start(&self) {
        let begun = self.inner.begun.fetch_add(1, Relaxed) + 1;
        if self.inner.games.is_some_and(|games| begun >= games) {
            self.turn(State::Open, State::Closed);
        }
    }

    /// Undoes [`Shared::count_start`], so that another match may begin instead.
    pub(super) fn uncount_start(&self) {
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
    pub(super) fn count_end(&self) {
        let finished = self.inner.finished.fetch_add(1, Relaxed) + 1;
        if self.inner.games.is_some_and(|games| finished >= games) {
            let why = format!("The referee stops: match {finished} of {finished} is over");
            self.inner.state.send_replace(State::Stopping(why));
        }
    }

    pub(super) fn next_connection(&self) -> ConnId {
        ConnId(self.inner.connections.fetch_add(1, Relaxed) + 1)
    }
}

impl<G: NetrefGame> Server<G> {
    /// Serves until `stop` returns a reason, or all matches have been played. Then
    /// tells all clients, for at most ten seconds.
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
        // A disk that does not answer must not keep the program alive.
        players.shutdown_timeout(LAST_CHANCE);
        drop(done);
        let _ = thread.join();
        result
    }

    async fn serve(self, stop: impl Future<Output = String>, hub: Handle) -> io::Result<()> {
        let max_connections = self.max_connections as usize;
        let reserved = (2 * self.places.len() + MAX_REJECTIONS).min(max_connections / 2);
        let connections = Arc::new(Semaphore::new(max_connections));
        let page: Option<Arc<PageUpdates<G::Move>>> = self.feed.as_ref().map(|_| Arc::default());
        let sink: LogSink = match page.clone() {
            None => self.sink,
            Some(page) => Arc::new(move |number, event| {
                page.log_event(number, &event);
                (self.sink)(number, event);
            }),
        };
        let inner = Arc::new(Inner::new(
            sink,
            self.handshake_timeout,
            self.games,
            [self.records.is_some(), self.journals.is_some()],
            // Some connections are kept for players, however many observe.
            max_connections.saturating_sub(reserved),
        ));
        let records = self.records.clone();
        let (recorder, recorded) = Recorder::start::<G>(self.records)?;
        // This comes before anybody plays, so that the rows stay in order.
        for finished in self.finished {
            let shared = Shared {
                inner: Arc::clone(&inner),
                number: finished.server,
            };
            recorder.record::<G>(finished, shared).await;
        }
        if let (Some(feed), Some(records)) = (&self.feed, &records) {
            match records.past::<G>() {
                Ok(past) => past
                    .into_iter()
                    .for_each(|past| feed.add_finished(past.view::<G>())),
                Err(error) => {
                    let what = format!("the page lists no earlier matches: {RESULTS}: {error}");
                    let number = self.places.first().map(|place| place.settings.number);
                    (inner.sink)(number.unwrap_or_default(), LogEvent::Failed { what });
                }
            }
        }
        let mut state = inner.state.subscribe();
        let mut tasks = JoinSet::new();
        let first = self.places.first().map(|place| &place.settings);
        let (first, start) = first
            .map(|first| (first.number, first.start.clone()))
            .unzip();
        let mut ports = BTreeMap::new();
        let mut tables = BTreeMap::new();
        for place in self.places {
            let shared = Shared {
                inner: Arc::clone(&inner),
                number: place.settings.number,
            };
            let (table, journal) = match place.interrupted {
                None => (Table::new(place.settings), None),
                Some((live, journal)) => {
                    shared.log(live.restored_event());
                    shared.count_start();
                    let now = shared.now();
                    (Table::resume(place.settings, live, now), Some(journal))
                }
            };
            place.listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(place.listener)?;
            let address = listener.local_addr()?;
            shared.log(LogEvent::Listening { address });
            ports.insert(shared.number, address.port());
            let journals = self.journals.as_ref().map(|(folder, _)| folder.clone());
            let hub = hub.clone();
            let recorder = recorder.clone();
            let (task, table) = TableTask::new(
                table,
                journal,
                journals,
                hub,
                recorder,
                page.clone(),
                shared.clone(),
            );
            tasks.spawn(task.run());
            tables.insert(shared.number, table.clone());
            let acceptor = Acceptor { listener, shared };
            let connections = Arc::clone(&connections);
            tokio::spawn(acceptor.run::<G>(table, connections));
        }
        let server = Shared {
            inner: Arc::clone(&inner),
            number: first.unwrap_or_default(),
        };
        let commands = CommandHandler::<G> {
            tables,
            ports: ports.clone(),
            journals: self.journals.as_ref().map(|(folder, _)| folder.clone()),
            feed: self.feed.clone(),
            shared: server.clone(),
        };
        let handler = tokio::spawn(commands.run(self.commands));
        let publishing = self.feed.zip(page).zip(start);
        let publishing = publishing.map(|((feed, page), start)| {
            let publisher = PagePublisher::new(feed, page, start, ports, server.clone());
            let (end, is_end) = oneshot::channel::<()>();
            let end_of_all = async {
                let _ = is_end.await;
            };
            (end, hub.spawn(publisher.run(end_of_all)))
        });
        let why = tokio::select! {
            why = stop => format!("The referee stops: {why}"),
            why = stopping(&mut state) => why,
        };
        handler.abort();
        inner.state.send_replace(State::Stopping(why.clone()));
        server.log(LogEvent::Stopping { why });
        // Each table closes its connections; when the last is closed, all
        // permits are back.
        let all = async {
            tasks.join_all().await;
            let _ = connections.acquire_many(self.max_connections).await;
        };
        let _ = timeout(FAREWELL, all).await;
        if let Some((end, published)) = publishing {
            drop(end);
            let _ = timeout(LAST_CHANCE, published).await;
        }
        let unrecorded = recorder.unrecorded();
        drop(recorder);
        // A disk that does not answer must keep neither the program alive nor the results
        // hidden.
        let _ = timeout(LAST_RECORDS, recorded).await;
        match unrecorded.abandon_all() {
            0 => Ok(()),
            count => Err(io::Error::other(format!(
                "{count} matches could not be recorded: their results are in the log"
            ))),
        }
    }
}

/// The permit of a connection, which counts until this is dropped.
pub(super) struct Permit(
    #[expect(dead_code, reason = "it is there to be dropped")] OwnedSemaphorePermit,
    Option<OwnedSemaphorePermit>,
);

impl Permit {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Permit {
        Permit(permit, None)
    }

    /// Makes this the permit of an observer; returns `false` if there are too many.
    pub(super) fn observe(&mut self, shared: &Shared) -> bool {
        let observers = Arc::clone(&shared.inner.observers);
        self.1 = observers.try_acquire_owned().ok();
        self.1.is_some()
    }
}

#[cfg(test)]
impl Permit {
    pub(super) fn for_tests() -> Permit {
        Permit::new(Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap())
    }
}

#[cfg(test)]
impl Shared {
    pub(super) fn for_tests(sink: LogSink) -> Shared {
        Shared {
            inner: Arc::new(Inner::new(sink, None, None, [false; 2], 1)),
            number: 0,
        }
    }
}
