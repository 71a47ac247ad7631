//! The feed of the page: the current state, and a stream of updates to all spectators.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use thiserror::Error;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::json::json_text;
use super::server::Rights;
use crate::base::counted::counted;
use crate::pages::view::{
    Adjourned, Client, Finished, Ladder, Ply, ServerInfo, TableView, Tournament,
};
use crate::tournament::Settings;

/// The version of the messages.
const VERSION: u8 = 2;

/// The number of updates that are queued for a spectator. One that falls further behind gets a new
/// snapshot.
const QUEUE: usize = 256;

/// The number of lines of the log that are kept.
const MAX_LOG: usize = 300;

/// The number of finished games that are kept.
const MAX_FINISHED: usize = 100;

/// The number of pages of the organizer for which there is room besides the spectators.
const MAX_ORGANIZERS: usize = 16;

/// There are as many spectators as the page has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the page has no room for more than {} at once", counted(*.0, "spectator"))]
pub(super) struct TooManySpectators(u16);

/// Publishes the content of the page to all spectators.
///
/// It keeps the current state, sends it to each new spectator as a snapshot, and sends each
/// change as an update. Clones are handles to the same feed. It can be used from any
/// thread, and no method waits for the spectators.
#[derive(Clone, Debug)]
pub struct Feed(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    /// Updates are sent while `state` is locked, so that all spectators get them in order.
    updates: broadcast::Sender<Update>,
    /// A permit for each spectator.
    spectators: Arc<Semaphore>,
    max_spectators: u16,
    /// Further permits for pages of the organizer, whom spectators cannot keep out.
    organizers: Arc<Semaphore>,
    /// Held while a snapshot is serialized, so that only one is at a time.
    serializing: AsyncMutex<()>,
    /// The zero point of the feed's clock.
    epoch: Instant,
}

/// An update, and the rights that are needed to see it.
type Update = (Rights, Utf8Bytes);

/// A spectator's end of the feed. Its first call must be
/// [`snapshot`](Spectator::snapshot).
pub(super) struct Spectator {
    feed: Feed,
    rights: Rights,
    updates: broadcast::Receiver<Update>,
    _permit: OwnedSemaphorePermit,
}

impl Feed {
    /// Creates an empty feed for at most this many spectators at once, besides the organizer.
    pub fn new(server: ServerInfo, max_spectators: u16) -> Feed {
        Feed(Arc::new(Inner {
            state: Mutex::new(State {
                server: Arc::new(server),
                ..State::default()
            }),
            updates: broadcast::Sender::new(QUEUE),
            spectators: Arc::new(Semaphore::new(max_spectators.into())),
            max_spectators,
            organizers: Arc::new(Semaphore::new(MAX_ORGANIZERS)),
            serializing: AsyncMutex::new(()),
            epoch: Instant::now(),
        }))
    }

    /// Publishes a table. The history of its game stays as it is.
    pub fn set_table(&self, table: TableView) {
        self.set_plies(table, usize::MAX, Vec::new());
    }

    /// Publishes a table and replaces the plies of its game from number `from` on by these.
    /// Ply 0 is the start of the game. To append plies, pass the number of plies so far.
    pub fn set_plies(&self, table: TableView, from: usize, plies: Vec<Ply>) {
        let mut state = self.lock();
        let now = self.now();
        let held = state.set_table(table, now);
        let from = held.history.replace(from, plies);
        if self.is_watched() {
            let update = Content::Table(TableUpdate::new(held, from));
            self.send(update, now);
        }
    }

    /// Removes a table.
    pub fn remove_table(&self, table: u32) {
        let mut state = self.lock();
        if state.tables.remove(&table).is_some() {
            self.send(Content::TableGone { table }, self.now());
        }
    }

    /// Publishes a client, which is new or has changed.
    pub fn set_client(&self, client: Client) {
        let client = Arc::new(client);
        let mut state = self.lock();
        state.clients.insert(client.id, Arc::clone(&client));
        self.send(Content::Client { client: &client }, self.now());
    }

    /// Removes a client.
    pub fn remove_client(&self, client: u64) {
        let mut state = self.lock();
        if state.clients.remove(&client).is_some() {
            self.send(Content::ClientGone { client }, self.now());
        }
    }

    /// Appends a line to the log, with the current time. `client` names the client that it is
    /// about and may be empty. The last 300 lines are kept.
    pub fn log(&self, client: impl Into<String>, text: impl Into<String>) {
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let mut state = self.lock();
        let line = LogLine {
            time: millis(time),
            client: client.into(),
            text: text.into(),
        };
        let line = push(&mut state.log, MAX_LOG, line);
        self.send(Content::Log { line: &line }, self.now());
    }

    /// Publishes the adjourned games.
    pub fn set_adjourned(&self, games: Vec<Adjourned>) {
        let mut state = self.lock();
        state.adjourned = games.into();
        let games = &state.adjourned;
        self.send(Content::Adjourned { games }, self.now());
    }

    /// Adds a finished game, or replaces the one with the same record. The last 100 to begin are kept.
    pub fn add_finished(&self, game: Finished) {
        let mut state = self.lock();
        let game = push_finished(&mut state.finished, game);
        self.send(Content::Finished { game: &game }, self.now());
    }

    /// Publishes the tournament; `None` if there is none.
    pub fn set_tournament(&self, tournament: Option<Tournament>) {
        let mut state = self.lock();
        state.tournament = tournament.map(Arc::new);
        let tournament = state.tournament.as_deref();
        self.send(Content::Tournament { tournament }, self.now());
    }

    /// Sets what an organizer who comes from now on is suggested for a tournament.
    pub fn set_plan(&self, plan: Settings) {
        self.lock().plan = Some(Arc::new(plan));
    }

    /// Publishes who would take part in a tournament that began now.
    pub fn set_entrants(&self, names: Vec<String>) {
        let mut state = self.lock();
        state.entrants = Some(names.into());
        let names = state.entrants.as_deref();
        self.send(Content::Entrants { names }, self.now());
    }

    /// Publishes the ladder.
    pub fn set_ladder(&self, ladder: Ladder) {
        let ladder = Arc::new(ladder);
        let mut state = self.lock();
        state.ladder = Some(Arc::clone(&ladder));
        self.send(Content::Ladder { ladder: &ladder }, self.now());
    }

    /// Publishes the warnings, a sentence each, which only the organizer sees.
    pub fn set_warnings(&self, warnings: Vec<String>) {
        let mut state = self.lock();
        if *state.warnings != *warnings {
            state.warnings = warnings.into();
            let warnings = &state.warnings;
            self.send_to(
                Rights::Organizer,
                Content::Warnings { warnings },
                self.now(),
            );
        }
    }

    /// Returns what the feed's clock shows at a moment, in milliseconds. The page counts down to such
    /// times, whatever the clock of its machine shows.
    pub fn clock_at(&self, moment: Instant) -> u64 {
        millis(moment.saturating_duration_since(self.0.epoch))
    }

    /// Returns the number of spectators.
    pub fn spectator_count(&self) -> usize {
        self.0.updates.receiver_count()
    }

    /// Adds a visitor.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn watch(&self, rights: Rights) -> Result<Spectator, TooManySpectators> {
        let acquire = |permits: &Arc<Semaphore>| Arc::clone(permits).try_acquire_owned().ok();
        let permit = acquire(&self.0.spectators).or_else(|| match rights {
            Rights::Organizer => acquire(&self.0.organizers),
            Rights::Spectator => None,
        });
        let permit = permit.ok_or(TooManySpectators(self.0.max_spectators))?;
        Ok(Spectator {
            feed: self.clone(),
            rights,
            updates: self.0.updates.subscribe(),
            _permit: permit,
        })
    }

    fn is_watched(&self) -> bool {
        self.0.updates.receiver_count() > 0
    }

    /// Sends an update to all spectators. The caller has locked the state.
    fn send(&self, update: Content<'_>, now: u64) {
        self.send_to(Rights::Spectator, update, now);
    }

    /// Sends an update to all spectators with these rights. The caller has locked the state.
    fn send_to(&self, rights: Rights, update: Content<'_>, now: u64) {
        if self.is_watched() {
            // It fails if the last spectator has just left.
            let _ = self.0.updates.send((rights, update.into_json(now)));
        }
    }

    /// Reads the feed's clock, in milliseconds.
    fn now(&self) -> u64 {
        millis(self.0.epoch.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while it was locked has left a state that can be shown.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spectator {
    /// Returns the current state. The following updates start from it.
    ///
    /// To limit the load, snapshots are serialized one at a time, and each is held back for
    /// nine times as long as it took to serialize. It is out of date by that delay; the
    /// updates since then are queued.
    pub(super) async fn snapshot(&mut self) -> Utf8Bytes {
        let feed = self.feed.clone();
        let serializing = feed.0.serializing.lock().await;
        let start = Instant::now();
        let text = self.serialize_state();
        sleep(start.elapsed().saturating_mul(9)).await;
        drop(serializing);
        text
    }

    fn serialize_state(&mut self) -> Utf8Bytes {
        let state = self.feed.lock();
        self.updates = self.updates.resubscribe();
        let copy = state.clone();
        drop(state);
        copy.to_json(self.rights, self.feed.now())
    }

    /// Returns a message that only says that the server is alive.
    pub(super) fn heartbeat(&self) -> Utf8Bytes {
        Content::Alive {}.into_json(self.feed.now())
    }

    /// Waits for the next update; `None` if some were missed, so that the spectator needs a new
    /// snapshot.
    pub(super) async fn update(&mut self) -> Option<Utf8Bytes> {
        loop {
            let (rights, update) = self.updates.recv().await.ok()?;
            if rights == Rights::Spectator || self.rights == Rights::Organizer {
                return Some(update);
            }
        }
    }
}

/// Converts a time to whole milliseconds.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// An entry of a list that only grows, with its number, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Numbered<T> {
    number: u64,
    #[serde(flatten)]
    entry: T,
}

/// The last entries of a list, up to some number.
type Last<T> = VecDeque<Arc<Numbered<T>>>;

/// Adds an entry to a list, of which the last `most` are kept.
fn push<T>(list: &mut Last<T>, most: usize, entry: T) -> Arc<Numbered<T>> {
    let number = list.back().map_or(0, |last| last.number + 1);
    let numbered = Arc::new(Numbered { number, entry });
    if list.len() >= most {
        list.pop_front();
    }
    list.push_back(Arc::clone(&numbered));
    numbered
}

/// Adds a finished game to a list in the order in which they began, or replaces the one with the same
/// record. The page does the same.
fn push_finished(list: &mut Last<Finished>, game: Finished) -> Arc<Numbered<Finished>> {
    let is_same = |known: &Arc<Numbered<Finished>>| {
        game.record.is_some() && known.entry.record == game.record
    };
    let known = list.iter().rposition(is_same);
    let number = match known.and_then(|at| list.remove(at)) {
        Some(known) => known.number,
        None => {
            let last = list.iter().map(|known| known.number).max();
            last.map_or(0, |last| last + 1)
        }
    };
    // The page knows only milliseconds.
    let place = |game: &Numbered<Finished>| {
        let began = game.entry.began.duration_since(SystemTime::UNIX_EPOCH);
        (millis(began.unwrap_or_default()), game.number)
    };
    let game = Arc::new(Numbered {
        number,
        entry: game,
    });
    let at = list.partition_point(|known| place(known) < place(&game));
    list.insert(at, Arc::clone(&game));
    if list.len() > MAX_FINISHED {
        list.pop_front();
    }
    game
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct LogLine {
    /// When it was logged, in milliseconds since the Unix epoch.
    time: u64,
    /// Whom it is about; empty for the server.
    client: String,
    text: String,
}

/// A table with the history of its game.
#[derive(Clone, Debug)]
struct TableState {
    table: TableView,
    /// The time of the feed's clock to which the game clocks of the table refer, in
    /// milliseconds.
    at: u64,
    history: History,
}

/// The current content of the page. A clone shares everything that is large.
#[derive(Clone, Debug, Default)]
struct State {
    server: Arc<ServerInfo>,
    tables: BTreeMap<u32, Arc<TableState>>,
    clients: BTreeMap<u64, Arc<Client>>,
    log: Last<LogLine>,
    adjourned: Arc<[Adjourned]>,
    /// The finished games, the last one to begin last.
    finished: Last<Finished>,
    tournament: Option<Arc<Tournament>>,
    /// What is planned for a tournament, which only the organizer sees.
    plan: Option<Arc<Settings>>,
    /// The players who would take part in a tournament that began now, if known.
    entrants: Option<Arc<[String]>>,
    ladder: Option<Arc<Ladder>>,
    /// What the organizer is warned of.
    warnings: Arc<[String]>,
}

impl State {
    /// Inserts or replaces a table and keeps its history.
    fn set_table(&mut self, table: TableView, at: u64) -> &mut TableState {
        let id = table.id;
        let held = self.tables.entry(id).or_insert_with(|| {
            Arc::new(TableState {
                table: table.clone(),
                at,
                history: History::default(),
            })
        });
        let held = Arc::make_mut(held);
        held.table = table;
        held.at = at;
        held
    }
}

/// A message to the spectators: a snapshot, or what has changed.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Content<'a> {
    /// A snapshot of everything.
    #[serde(rename = "all")]
    Snapshot {
        server: &'a ServerInfo,
        tables: Vec<TableUpdate<'a>>,
        clients: Vec<&'a Client>,
        log: Vec<&'a Numbered<LogLine>>,
        adjourned: &'a [Adjourned],
        finished: Vec<&'a Numbered<Finished>>,
        tournament: Option<&'a Tournament>,
        #[serde(skip_serializing_if = "Option::is_none")]
        plan: Option<&'a Settings>,
        #[serde(skip_serializing_if = "Option::is_none")]
        entrants: Option<&'a [String]>,
        ladder: Option<&'a Ladder>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        warnings: &'a [String],
    },
    /// Nothing has changed, but the server is alive.
    Alive {},
    /// A table that is new or has changed.
    Table(TableUpdate<'a>),
    /// A table was removed.
    TableGone { table: u32 },
    /// A client that is new or has changed.
    Client { client: &'a Client },
    /// A client is no longer connected.
    ClientGone { client: u64 },
    /// A new line of the log.
    Log { line: &'a Numbered<LogLine> },
    /// The adjourned games.
    Adjourned { games: &'a [Adjourned] },
    /// A new finished game.
    Finished { game: &'a Numbered<Finished> },
    /// The ladder.
    Ladder { ladder: &'a Ladder },
    /// The tournament; `None` if there is none.
    Tournament { tournament: Option<&'a Tournament> },
    /// The players who would take part in a tournament that began now.
    Entrants { names: Option<&'a [String]> },
    /// What the organizer is warned of.
    Warnings { warnings: &'a [String] },
}

/// A table and its new plies.
#[derive(Debug, Serialize)]
struct TableUpdate<'a> {
    table: &'a TableView,
    /// The time of the feed's clock to which the game clocks of the table refer, in
    /// milliseconds.
    at: u64,
    /// The number of the first new ply. Earlier plies stay as they were sent before.
    from: usize,
    plies: &'a [PlyDelta],
}

impl<'a> TableUpdate<'a> {
    /// Creates an update with the plies from number `from` on.
    fn new(state: &'a TableState, from: usize) -> TableUpdate<'a> {
        TableUpdate {
            table: &state.table,
            at: state.at,
            from,
            plies: state.history.plies().get(from..).unwrap_or_default(),
        }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    v: u8,
    /// The feed's clock, in milliseconds.
    now: u64,
    #[serde(flatten)]
    update: Content<'a>,
}

impl Content<'_> {
    /// Serializes the message. `now` is the time of the feed's clock, in milliseconds.
    fn into_json(self, now: u64) -> Utf8Bytes {
        let message = Message {
            v: VERSION,
            now,
            update: self,
        };
        json_text(&message)
    }
}

impl State {
    /// Serializes a snapshot for a visitor with these rights. `now` is the time of the feed's clock, in milliseconds.
    fn to_json(&self, rights: Rights, now: u64) -> Utf8Bytes {
        let (plan, warnings) = match rights {
            Rights::Organizer => (self.plan.as_deref(), &*self.warnings),
            Rights::Spectator => (None, &[][..]),
        };
        let snapshot = Content::Snapshot {
            server: &self.server,
            tables: self
                .tables
                .values()
                .map(|table| TableUpdate::new(table, 0))
                .collect(),
            clients: self.clients.values().map(|client| &**client).collect(),
            log: self.log.iter().map(|line| &**line).collect(),
            adjourned: &self.adjourned,
            finished: self.finished.iter().map(|game| &**game).collect(),
            tournament: self.tournament.as_deref(),
            plan,
            entrants: self.entrants.as_deref(),
            ladder: self.ladder.as_deref(),
            warnings,
        };
        snapshot.into_json(now)
    }
}

/// The size of a changed cell such as `[360,"B"],` in characters. A whole board is sent if it
/// is shorter than its changed cells.
const CELL_SIZE: usize = 9;

/// A board as the difference to the one before. A move changes only a few of the 361
/// characters of a 19x19 board, so that a whole game takes a tenth of the size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum BoardDelta {
    /// The whole board.
    Board(String),
    /// The characters that differ from the board before, each with its index.
    Set(Vec<(usize, char)>),
}

impl BoardDelta {
    /// Computes the difference to the board before, which is empty if there is none.
    fn new(before: &str, board: &str) -> BoardDelta {
        let whole = || BoardDelta::Board(board.to_owned());
        if before.is_empty()
            || before.len() != board.len()
            || !before.is_ascii()
            || !board.is_ascii()
        {
            return whole();
        }
        let mut set = Vec::new();
        for (index, (old, new)) in before.bytes().zip(board.bytes()).enumerate() {
            if old != new {
                set.push((index, char::from(new)));
            }
        }
        if set.len() * CELL_SIZE > board.len() {
            return whole();
        }
        BoardDelta::Set(set)
    }

    /// Applies the difference to the board before.
    fn apply(&self, before: &str) -> String {
        match self {
            BoardDelta::Board(board) => board.clone(),
            BoardDelta::Set(set) => {
                let mut board: Vec<char> = before.chars().collect();
                for &(index, new) in set {
                    if let Some(cell) = board.get_mut(index) {
                        *cell = new;
                    }
                }
                board.into_iter().collect()
            }
        }
    }
}

/// A ply as it is sent, with the difference to the board before.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct PlyDelta {
    #[serde(flatten)]
    board: BoardDelta,
    #[serde(flatten)]
    ply: Ply,
}

/// All plies of a game. The first one is the start.
#[derive(Clone, Debug, Default)]
struct History {
    plies: Vec<PlyDelta>,
    /// The board after all of them.
    last: String,
}

impl History {
    fn plies(&self) -> &[PlyDelta] {
        &self.plies
    }

    /// Replaces all plies from number `from` on by these. Returns how many were kept, which is
    /// less than `from` if there were fewer.
    fn replace(&mut self, from: usize, plies: Vec<Ply>) -> usize {
        if from < self.plies.len() {
            self.plies.truncate(from);
            let board = |before: String, ply: &PlyDelta| ply.board.apply(&before);
            self.last = self.plies.iter().fold(String::new(), board);
        }
        let kept = self.plies.len();
        for mut ply in plies {
            let board = std::mem::take(&mut ply.board);
            let delta = BoardDelta::new(&self.last, &board);
            self.last = board;
            self.plies.push(PlyDelta { board: delta, ply });
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::base::color::ByColor;
    use crate::tournament::{Games, PairingSystem};

    /// A game that began so many seconds after the first one.
    fn finished(began: u64, record: Option<&str>, result: &str) -> Finished {
        Finished {
            began: SystemTime::UNIX_EPOCH + Duration::from_secs(began),
            table: String::new(),
            sides: ByColor::default(),
            players: ByColor::default(),
            result: result.to_owned(),
            decided: false,
            free: None,
            exchange: Vec::new(),
            record: record.map(str::to_owned),
        }
    }

    #[test]
    fn games_are_listed_in_the_order_in_which_they_began() {
        let mut list = Last::new();
        for began in [5, 9, 7] {
            let record = began.to_string();
            push_finished(&mut list, finished(began, Some(&record), "Drawn"));
        }
        // A decision about an old game changes its place as little as one about a game that is no
        // longer listed.
        push_finished(&mut list, finished(5, Some("5"), "White wins"));
        push_finished(&mut list, finished(1, Some("1"), "White wins"));
        let listed = |list: &Last<Finished>| -> Vec<String> {
            let records = list.iter().map(|game| game.entry.record.clone());
            records.map(Option::unwrap).collect()
        };
        assert_eq!(listed(&list), ["1", "5", "7", "9"]);
        for began in 10..110 {
            push_finished(&mut list, finished(began, Some("x"), "Drawn"));
            push_finished(&mut list, finished(began, None, "Drawn"));
        }
        push_finished(&mut list, finished(1, Some("1"), "White wins"));
        assert_eq!(list.len(), MAX_FINISHED);
        assert!(
            list.iter()
                .all(|game| game.entry.began > SystemTime::UNIX_EPOCH + Duration::from_secs(9))
        );
    }

    #[test]
    fn a_game_that_is_decided_is_listed_once() {
        let game = |record: Option<&str>, result: &str| finished(0, record, result);
        let mut list = Last::new();
        for (record, result) in [
            (Some("1.sgf"), "Black wins"),
            (Some("2.sgf"), "Drawn"),
            (Some("1.sgf"), "White wins by decision of the organizer"),
            (None, "Drawn"),
            (None, "Drawn"),
        ] {
            push_finished(&mut list, game(record, result));
        }
        let listed = list.iter();
        let listed: Vec<_> = listed
            .map(|entry| (entry.number, &*entry.entry.result))
            .collect();
        let decided = "White wins by decision of the organizer";
        assert_eq!(
            listed,
            [(0, decided), (1, "Drawn"), (2, "Drawn"), (3, "Drawn")]
        );
    }

    /// A spectator is not told who is kept apart.
    #[test]
    fn only_the_organizer_sees_what_is_planned() {
        let feed = Feed::new(ServerInfo::default(), 1);
        let apart = ["Ann", "Bob"].map(|name| name.parse().unwrap());
        feed.set_plan(Settings {
            system: PairingSystem::Swiss { rounds: 3 },
            games: Games::Single,
            seed: 7,
            forbidden: vec![apart],
        });
        let sent = |rights| -> Value {
            let json = feed.lock().to_json(rights, 0);
            serde_json::from_str(&json).unwrap()
        };
        assert_eq!(sent(Rights::Spectator)["plan"], Value::Null);
        let plan = &sent(Rights::Organizer)["plan"];
        assert_eq!(plan["system"], json!({"swiss": {"rounds": 3}}));
        assert_eq!(plan["games"], 1);
        assert_eq!(plan["avoid"], json!([["Ann", "Bob"]]));
    }
}
