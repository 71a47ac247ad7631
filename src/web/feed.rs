//! The feed: what the page shows, and who watches it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::message::{Change, TableTold};
use super::state::State;
use super::view::{Adjourned, Client, Finished, Hall, Ply, Table, Tournament};

/// How many changes wait for a watcher. One that falls further behind is sent
/// everything anew.
const WAITING: usize = 256;

/// What the page shows. Copies are the same feed; it can be used from any thread.
///
/// No method waits for those who watch.
#[derive(Clone, Debug)]
pub struct Feed(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    /// Changes are sent while `state` is locked, so that everybody is sent them
    /// in their order.
    changes: broadcast::Sender<Utf8Bytes>,
    places: Arc<Semaphore>,
    /// Who puts everything into words, one after the other.
    turn: AsyncMutex<()>,
    /// The feed's clock counts from here.
    origin: Instant,
}

/// A watcher's end of the feed: he knows nothing until he has asked for
/// everything.
pub(super) struct Watcher {
    feed: Feed,
    changes: broadcast::Receiver<Utf8Bytes>,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    /// A feed with nothing to show yet, which at most so many may watch at once.
    pub fn new(hall: Hall, watchers: u16) -> Feed {
        Feed(Arc::new(Inner {
            state: Mutex::new(State::new(hall)),
            changes: broadcast::Sender::new(WAITING),
            places: Arc::new(Semaphore::new(watchers.into())),
            turn: AsyncMutex::new(()),
            origin: Instant::now(),
        }))
    }

    /// Shows a table, and leaves the history of its game as it is.
    pub fn table(&self, table: Table) {
        self.play(table, usize::MAX, Vec::new());
    }

    /// Shows a table, and replaces all plies of its game from number `from` on
    /// by these. The first of all, number 0, is the start of the game; to append
    /// one is to replace all from the one after the last on.
    pub fn play(&self, table: Table, from: usize, plies: Vec<Ply>) {
        let mut state = self.lock();
        let now = self.now();
        let held = state.place(table, now);
        let from = held.history.replace(from, plies);
        if self.is_watched() {
            let change = Change::Table(TableTold::new(held, from));
            self.send(change, now);
        }
    }

    /// Shows a table no longer.
    pub fn table_gone(&self, table: u32) {
        let mut state = self.lock();
        if state.tables.remove(&table).is_some() {
            self.send(Change::TableGone { table }, self.now());
        }
    }

    /// Shows somebody who is connected, or what has become of him.
    pub fn client(&self, client: Client) {
        let client = Arc::new(client);
        let mut state = self.lock();
        state.clients.insert(client.id, Arc::clone(&client));
        self.send(Change::Client { client: &client }, self.now());
    }

    /// Somebody is no longer connected.
    pub fn client_gone(&self, client: u64) {
        let mut state = self.lock();
        if state.clients.remove(&client).is_some() {
            self.send(Change::ClientGone { client }, self.now());
        }
    }

    /// Adds a line to the log, with the time: about whom, which may be empty,
    /// and what. Some hundred lines are kept.
    pub fn log(&self, client: impl Into<String>, text: impl Into<String>) {
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mut state = self.lock();
        let line = state.write(millis(time), client.into(), text.into());
        self.send(Change::Log { line: &line }, self.now());
    }

    /// Shows the games that are put away.
    pub fn adjourned(&self, games: Vec<Adjourned>) {
        let mut state = self.lock();
        state.adjourned = games.into();
        let games = &state.adjourned;
        self.send(Change::Adjourned { games }, self.now());
    }

    /// Adds a game to those that are over. A hundred are kept.
    pub fn finished(&self, game: Finished) {
        let mut state = self.lock();
        let game = state.list(game);
        self.send(Change::Finished { game: &game }, self.now());
    }

    /// Shows a tournament, or that there is none.
    pub fn tournament(&self, tournament: Option<Tournament>) {
        let mut state = self.lock();
        state.tournament = tournament.map(Arc::new);
        let tournament = state.tournament.as_deref();
        self.send(Change::Tournament { tournament }, self.now());
    }

    /// How many watch.
    pub fn watchers(&self) -> usize {
        self.0.changes.receiver_count()
    }

    /// One more who watches; `None` if there are too many.
    pub(super) fn watch(&self) -> Option<Watcher> {
        let place = Arc::clone(&self.0.places).try_acquire_owned().ok()?;
        Some(Watcher {
            feed: self.clone(),
            changes: self.0.changes.subscribe(),
            _place: place,
        })
    }

    fn is_watched(&self) -> bool {
        self.0.changes.receiver_count() > 0
    }

    /// Sends a change to all who watch. The state is locked meanwhile.
    fn send(&self, change: Change<'_>, now: u64) {
        if self.is_watched() {
            // It fails if the last one has just left.
            let _ = self.0.changes.send(change.text(now));
        }
    }

    /// The feed's clock, in milliseconds.
    fn now(&self) -> u64 {
        millis(self.0.origin.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked here has left a state that can be shown.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher {
    /// Everything as it is now. The changes from here on come next.
    ///
    /// However many ask for it, and however often, a tenth of the time at most goes
    /// to that: whoever comes next waits.
    pub(super) async fn everything(&mut self) -> Utf8Bytes {
        let feed = self.feed.clone();
        let turn = feed.0.turn.lock().await;
        let start = Instant::now();
        let text = self.put_into_words();
        sleep(start.elapsed().saturating_mul(9)).await;
        drop(turn);
        text
    }

    fn put_into_words(&mut self) -> Utf8Bytes {
        let state = self.feed.lock();
        self.changes = self.changes.resubscribe();
        let copy = state.clone();
        drop(state);
        copy.text(self.feed.now())
    }

    /// That the server is still there.
    pub(super) fn alive(&self) -> Utf8Bytes {
        Change::Alive {}.text(self.feed.now())
    }

    /// The next change; `None` if some were missed, so that everything must be
    /// asked for.
    pub(super) async fn change(&mut self) -> Option<Utf8Bytes> {
        self.changes.recv().await.ok()
    }
}

/// A time in whole milliseconds.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
