//! The server: listens, and puts everybody at the right table.

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
use super::host::Host;
use super::journal::Entry;
use super::live_match::LiveMatch;
use super::log::LogEvent;
use super::operator::{CommandHandler, OperatorCommands};
use super::page::PagePublisher;
use super::page::PageUpdates;
use super::recorder::{Finished, Recorder};
use super::records::{RESULTS, Records};
use super::table::{Settings, Table};
use crate::journal::{FolderLock, Journal};
use crate::web::Feed;

/// How long everybody is given to hear that the server stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long the page, and threads that wait for the disk, are waited for after that.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// How long matches that are not recorded yet may take: somewhat longer than another
/// process's lock is waited for.
const LAST_RECORDS: Duration = Duration::from_secs(3);

/// Where a server tells what happens: the server number, if it is about one
/// table, and the news. It must not block.
pub type LogSink = Arc<dyn Fn(u16, LogEvent) + Send + Sync>;

/// A referee with its tables.
pub struct Server<G: NetrefGame> {
    /// One table for each port.
    pub places: Vec<TableSetup<G>>,
    /// How long a connection may take to ask for a role; for ever if `None`.
    pub handshake_timeout: Option<Duration>,
    /// The most connections at once.
    pub max_connections: u32,
    /// Stop after so many matches.
    pub games: Option<u64>,
    /// Where finished matches are recorded.
    pub records: Option<Records>,
    /// Matches that were over before it starts, and are to be recorded.
    pub finished: Vec<Finished>,
    /// Where matches are journaled, and the lock of that folder.
    pub journals: Option<(PathBuf, FolderLock)>,
    /// The log.
    pub sink: LogSink,
    /// What the page for spectators shows.
    pub feed: Option<Feed>,
    /// What the operator orders.
    pub commands: OperatorCommands,
}

/// A table and its port.
pub struct TableSetup<G: NetrefGame> {
    /// The port, which is already bound.
    pub listener: StdListener,
    /// What is the same for all matches.
    pub settings: Settings<G>,
    /// An interrupted match and its journal.
    pub interrupted: Option<(LiveMatch<G>, Journal<Entry>)>,
}

/// What all parts of a server share.
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
    /// Matches that have begun, and that are over.
    begun: AtomicU64,
    finished: AtomicU64,
    connections: AtomicU64,
    state: watch::Sender<State>,
    /// Whether finished matches are recorded.
    is_recorded: bool,
    /// Whether matches are journaled.
    is_journaled: bool,
    /// How many more may observe.
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

/// Whether the server goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on.
    Open,
    /// No new match may begin.
    Closed,
    /// Everything stops, for this reason.
    Stopping(String),
}

/// Waits until everything stops, and says why.
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

    /// The time by the server's clock.
    pub(super) fn now(&self) -> Duration {
        self.inner.origin.elapsed()
    }

    /// A time of the server's clock for a timer.
    pub(super) fn instant(&self, at: Duration) -> Instant {
        // A clock holds at most some decades. A timer that rings too early does
        // no harm.
        let origin = self.inner.origin;
        origin
            .checked_add(at)
            .unwrap_or_else(|| Instant::now() + FAREWELL)
    }

    /// Whether everything stops.
    pub(super) fn is_stopping(&self) -> bool {
        matches!(*self.inner.state.borrow(), State::Stopping(_))
    }

    pub(super) fn say(&self, news: LogEvent) {
        (self.inner.sink)(self.number, news);
    }

    /// Waits as long as a connection may take to ask for a role.
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

    /// Whether matches may begin.
    pub(super) fn is_open(&self) -> bool {
        *self.inner.state.borrow() == State::Open
    }

    /// A match has begun. The last one lets no other begin.
    pub(super) fn began(&self) {
        let begun = self.inner.begun.fetch_add(1, Relaxed) + 1;
        if self.inner.games.is_some_and(|games| begun >= games) {
            self.turn(State::Open, State::Closed);
        }
    }

    /// A match that had begun has not been: another one may begin instead.
    pub(super) fn uncount_start(&self) {
        self.inner.begun.fetch_sub(1, Relaxed);
        self.turn(State::Closed, State::Open);
    }

    /// Changes the state, if it is the one expected.
    fn turn(&self, from: State, to: State) {
        self.inner.state.send_if_modified(|state| {
            let turns = *state == from;
            if turns {
                *state = to;
            }
            turns
        });
    }

    /// A match is over and recorded. The last one stops the server.
    pub(super) fn finished(&self) {
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
    /// Serves until `stop` says why not to go on, or all matches are played.
    /// Then all are told, for ten seconds at most.
    ///
    /// Players and tables have the calling thread, where a move passes from
    /// task to task at no cost; observers have another.
    ///
    /// # Errors
    /// The system gives no thread, or no more of a socket; or matches could not be
    /// recorded.
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
        // A disk that does not answer must not keep the program.
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
            // Players find room, however many watch.
            max_connections.saturating_sub(reserved),
        ));
        let records = self.records.clone();
        let (recorder, recorded) = Recorder::start::<G>(self.records)?;
        // Before anybody plays: so the rows of a table stay in order.
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
                    .for_each(|past| feed.finished(past.view::<G>())),
                Err(error) => {
                    let what = format!("the page lists no earlier matches: {RESULTS}: {error}");
                    let number = self.places.first().map(|place| place.settings.number);
                    (inner.sink)(number.unwrap_or_default(), LogEvent::Failed { what });
                }
            }
        }
        let mut state = inner.state.subscribe();
        let mut hosts = JoinSet::new();
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
                Some((playing, journal)) => {
                    shared.say(playing.restored_event());
                    shared.began();
                    let now = shared.now();
                    (Table::resume(place.settings, playing, now), Some(journal))
                }
            };
            place.listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(place.listener)?;
            let address = listener.local_addr()?;
            shared.say(LogEvent::Listening { address });
            ports.insert(shared.number, address.port());
            let journals = self.journals.as_ref().map(|(folder, _)| folder.clone());
            let hub = hub.clone();
            let recorder = recorder.clone();
            let (host, table) = Host::new(
                table,
                journal,
                journals,
                hub,
                recorder,
                page.clone(),
                shared.clone(),
            );
            hosts.spawn(host.run());
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
        server.say(LogEvent::Stopping { why });
        // Each table closes its connections; when the last is closed, all
        // permits are back.
        let all = async {
            hosts.join_all().await;
            let _ = connections.acquire_many(self.max_connections).await;
        };
        let _ = timeout(FAREWELL, all).await;
        if let Some((end, published)) = publishing {
            drop(end);
            let _ = timeout(LAST_CHANCE, published).await;
        }
        let unrecorded = recorder.unrecorded();
        drop(recorder);
        // A disk that does not answer must not keep the program, nor the results.
        let _ = timeout(LAST_RECORDS, recorded).await;
        match unrecorded.give_up_all() {
            0 => Ok(()),
            count => Err(io::Error::other(format!(
                "{count} matches could not be recorded: their results are in the log"
            ))),
        }
    }
}

/// One of the connections that there may be; it counts until this is dropped.
pub(super) struct Permit(
    #[expect(dead_code, reason = "it is there to be dropped")] OwnedSemaphorePermit,
    Option<OwnedSemaphorePermit>,
);

impl Permit {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Permit {
        Permit(permit, None)
    }

    /// Makes it an observer's; `false` if there are too many of them.
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
