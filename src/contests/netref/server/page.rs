//! The page for spectators of the tables.
//!
//! The referee's task notes the state of its tables in [`PageUpdates`]. The
//! [`PagePublisher`], on the observers' thread, takes the changes when it has time, and hands
//! them to the page's feed. Nothing is queued: intermediate states of a table are dropped,
//! but no moves are. So there is no limit that a fast match could reach. Both sides hold
//! the lock for a moment only.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::Shared;
use crate::base::color::{ByColor, Color};
use crate::base::names::isolated;
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::game::NetrefGame;
use crate::contests::netref::lobby::Lobby;
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::records::listed;
use crate::contests::netref::summary::Played;
use crate::contests::netref::table::{FinishedMatch, SnapshotStage, Table, TableSnapshot};
use crate::pages::web::{self, Feed, Ply, SeatView};

/// The maximum number of log lines that wait; the page keeps no more.
const LINES: usize = 300;

/// The maximum number of finished matches that wait; the page keeps no more.
const FINISHED: usize = 100;

/// The changes that the page does not show yet.
#[derive(Debug)]
pub(super) struct PageUpdates<M> {
    pending: Mutex<PendingUpdates<M>>,
    changed: Notify,
}

#[derive(Debug)]
struct PendingUpdates<M> {
    /// The tables by server number.
    tables: BTreeMap<u16, PendingTable<M>>,
    changed: BTreeSet<u16>,
    /// The clients in the lobby, if that has changed.
    lobby: Option<Vec<LobbyClient>>,
    log: VecDeque<(u16, LogEvent)>,
    finished: VecDeque<web::Finished>,
}

/// A client in the lobby.
#[derive(Debug)]
struct LobbyClient {
    conn: ConnId,
    name: Option<Name>,
    side: Option<Color>,
}

#[derive(Debug)]
struct PendingTable<M> {
    snapshot: Option<TableSnapshot>,
    game: Option<GameLabel>,
    /// Whether the page shows another game.
    is_new: bool,
    /// The number of the game's moves that have been noted.
    count: usize,
    /// The noted moves that the page does not show yet.
    moves: Vec<Played<M>>,
}

/// The name of a match, and its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GameLabel {
    id: String,
    /// The rules, as returned by [`NetrefGame::rules`].
    rules: Option<String>,
    /// The round of the tournament, if it is a match of one.
    round: Option<u32>,
}

/// A table and its changes.
#[derive(Debug)]
struct Change<M> {
    number: u16,
    snapshot: TableSnapshot,
    /// The game that is shown; `None` at an empty table.
    game: Option<GameLabel>,
    /// Whether it is another game than before, and `moves` are all its moves.
    is_new: bool,
    /// The new moves.
    moves: Vec<Played<M>>,
}

impl<M> Default for PageUpdates<M> {
    fn default() -> PageUpdates<M> {
        PageUpdates {
            pending: Mutex::new(PendingUpdates {
                tables: BTreeMap::new(),
                changed: BTreeSet::new(),
                lobby: None,
                log: VecDeque::new(),
                finished: VecDeque::new(),
            }),
            changed: Notify::new(),
        }
    }
}

impl<M> PendingTable<M> {
    fn new(game: Option<GameLabel>) -> PendingTable<M> {
        PendingTable {
            snapshot: None,
            game,
            is_new: true,
            count: 0,
            moves: Vec::new(),
        }
    }
}

impl<M: Copy> PageUpdates<M> {
    /// Notes the state of a table. The page goes on showing the last match of an empty
    /// table.
    pub fn table<G: NetrefGame<Move = M>>(&self, table: &Table<G>) {
        let (number, snapshot) = (table.number(), table.snapshot());
        let Some(live) = table.live_match() else {
            return self.note(number, snapshot, None, |_| Vec::new());
        };
        let label = GameLabel {
            id: live.id().to_owned(),
            rules: live.game().rules(),
            round: live.scheduled().map(|game| game.scheduled.number.round),
        };
        self.note(number, snapshot, Some(label), |count| {
            live.moves().skip(count).copied().collect()
        });
    }

    /// Notes the end of a table's match.
    pub fn ended<G: NetrefGame<Move = M>>(
        &self,
        number: u16,
        finished: &FinishedMatch<M>,
        is_recorded: bool,
    ) {
        let FinishedMatch {
            summary,
            moves,
            snapshot,
            rules,
            ..
        } = finished;
        let label = GameLabel {
            id: summary.id.clone(),
            rules: rules.clone(),
            round: summary
                .scheduled
                .as_ref()
                .map(|game| game.scheduled.number.round),
        };
        let entry = listed::<G>(number, summary, is_recorded);
        keep(&mut self.lock().finished, FINISHED, entry);
        self.note(number, snapshot.clone(), Some(label), |count| {
            moves.get(count..).unwrap_or_default().to_vec()
        });
    }

    /// Notes the clients that wait in the lobby.
    pub fn lobby(&self, lobby: &Lobby) {
        let clients = lobby.iter().map(|entrant| LobbyClient {
            conn: entrant.conn,
            name: entrant.player.called().cloned(),
            side: entrant.side,
        });
        self.lock().lobby = Some(clients.collect());
        self.changed.notify_one();
    }

    /// Notes a snapshot, and the moves of its game from an index on.
    fn note(
        &self,
        number: u16,
        snapshot: TableSnapshot,
        game: Option<GameLabel>,
        moves: impl FnOnce(usize) -> Vec<Played<M>>,
    ) {
        let mut pending = self.lock();
        let fresh = || PendingTable::new(None);
        let note = pending.tables.entry(number).or_insert_with(fresh);
        let was_over = note.snapshot.as_ref().is_some_and(TableSnapshot::is_over);
        if was_over && snapshot.is_empty() {
            return;
        }
        if note.snapshot.is_none() || note.game != game {
            *note = PendingTable::new(game);
        }
        let moves = moves(note.count);
        if moves.is_empty() && note.snapshot.as_ref() == Some(&snapshot) {
            return;
        }
        note.count += moves.len();
        note.moves.extend(moves);
        note.snapshot = Some(snapshot);
        pending.changed.insert(number);
        drop(pending);
        self.changed.notify_one();
    }

    /// Notes a log event, if spectators may read it.
    pub fn log_event(&self, number: u16, event: &LogEvent) {
        match event {
            LogEvent::Seated { .. }
            | LogEvent::Started { .. }
            | LogEvent::Restored { .. }
            | LogEvent::Resumed { .. }
            | LogEvent::Adjourned { .. }
            | LogEvent::DrawOffered { .. }
            | LogEvent::DrawRefused { .. }
            | LogEvent::Ended { .. }
            | LogEvent::Tournament { .. }
            | LogEvent::Stopping { .. } => {}
            _ => return,
        }
        let mut pending = self.lock();
        keep(&mut pending.log, LINES, (number, event.clone()));
        drop(pending);
        self.changed.notify_one();
    }

    /// Removes and returns a table that has changed.
    fn take_change(&self) -> Option<Change<M>> {
        let mut pending = self.lock();
        let number = pending.changed.pop_first()?;
        let note = pending.tables.get_mut(&number)?;
        Some(Change {
            number,
            snapshot: note.snapshot.clone()?,
            game: note.game.clone(),
            is_new: std::mem::take(&mut note.is_new),
            moves: std::mem::take(&mut note.moves),
        })
    }

    /// Removes and returns the clients in the lobby, if they have changed.
    fn take_lobby(&self) -> Option<Vec<LobbyClient>> {
        self.lock().lobby.take()
    }

    /// Removes and returns the queued log lines.
    fn take_log(&self) -> VecDeque<(u16, LogEvent)> {
        std::mem::take(&mut self.lock().log)
    }

    /// Removes and returns the queued finished matches.
    fn take_finished(&self) -> VecDeque<web::Finished> {
        std::mem::take(&mut self.lock().finished)
    }

    fn lock(&self) -> MutexGuard<'_, PendingUpdates<M>> {
        // After a panic the noted changes can still be shown.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends to a list of limited length, and drops the oldest item if it is full.
fn keep<T>(list: &mut VecDeque<T>, most: usize, item: T) {
    if list.len() >= most {
        list.pop_front();
    }
    list.push_back(item);
}

/// The pause of the publisher after each look. A move in the meantime does not wake this thread,
/// and the delay is invisible.
const REST: Duration = Duration::from_millis(20);

/// Publishes the tables on the page until `end`, and once more then. `start` is shown at empty
/// tables. `ports` are the ports by server number.
pub(super) async fn publish<G: NetrefGame>(
    feed: Feed,
    updates: Arc<PageUpdates<G::Move>>,
    start: G,
    ports: BTreeMap<u16, u16>,
    (shared, is_journaled): (Shared, bool),
    end: impl Future<Output = ()>,
) {
    let publisher = PagePublisher {
        feed,
        updates,
        start,
        ports,
        tables: BTreeMap::new(),
        lobby: ShownClients::new(),
        is_journaled,
        shared,
    };
    publisher.run(end).await;
}

/// Publishes the tables on the page.
struct PagePublisher<G: NetrefGame> {
    feed: Feed,
    updates: Arc<PageUpdates<G::Move>>,
    /// The game at its start, shown at empty tables.
    start: G,
    /// The ports by server number.
    ports: BTreeMap<u16, u16>,
    tables: BTreeMap<u16, PublishedTable<G>>,
    /// The clients in the lobby.
    lobby: ShownClients,
    /// Whether matches are journaled.
    is_journaled: bool,
    shared: Shared,
}

/// A table as the page shows it.
struct PublishedTable<G: NetrefGame> {
    game: G,
    /// The number of boards that are shown.
    plies: usize,
    clients: ShownClients,
}

/// The players that the page shows.
type ShownClients = BTreeMap<ConnId, web::Client>;

impl<G: NetrefGame> PagePublisher<G> {
    /// Publishes changes until `end`, and once more then.
    async fn run(mut self, end: impl Future<Output = ()>) {
        let updates = Arc::clone(&self.updates);
        let mut end = pin!(end);
        loop {
            self.refresh();
            let change = async {
                sleep(REST).await;
                updates.changed.notified().await;
            };
            tokio::select! {
                () = &mut end => break,
                () = change => {}
            }
        }
        self.refresh();
    }

    /// Publishes everything that has changed.
    fn refresh(&mut self) {
        // Before the tables: a client that is seated has left the lobby before.
        if let Some(clients) = self.updates.take_lobby() {
            let clients = clients.into_iter().map(|LobbyClient { conn, name, side }| {
                let name = called(name.as_ref(), Some(conn));
                (conn, client_view::<G>(conn, name, "Waiting", side))
            });
            publish_clients(&self.feed, clients.collect(), &mut self.lobby);
        }
        while let Some(change) = self.updates.take_change() {
            self.publish(change);
        }
        for past in self.updates.take_finished() {
            self.feed.add_finished(past);
        }
        for (number, event) in self.updates.take_log() {
            let is_of_server = matches!(
                event,
                LogEvent::Tournament { .. } | LogEvent::Stopping { .. }
            );
            let is_told_apart = self.ports.len() > 1 && self.ports.contains_key(&number);
            let whom = match is_told_apart && !is_of_server {
                true => format!("Table {number}"),
                false => String::new(),
            };
            self.feed.log(whom, event.to_string());
        }
    }

    fn publish(&mut self, change: Change<G::Move>) {
        let Change {
            number,
            snapshot,
            game,
            is_new,
            moves,
        } = change;
        let table = self.tables.entry(number).or_insert_with(|| PublishedTable {
            game: self.start.clone(),
            plies: 0,
            clients: ShownClients::new(),
        });
        let clients = snapshot.clients().map(|(conn, client, side)| {
            let name = called(client.name.as_ref(), client.conn);
            let place = format!("Table {number}");
            (conn, client_view::<G>(conn, name, &place, side))
        });
        publish_clients(&self.feed, clients.collect(), &mut table.clients);
        let mut plies = Vec::new();
        if is_new {
            let game = game.as_ref();
            let start = game.and_then(|game| G::with_rules(game.rules.as_deref()));
            table.game = start.unwrap_or_else(|| self.start.clone());
            table.plies = 0;
            plies.push(table.game.ply());
        }
        // Each move has been played once by the same rules.
        plies.extend(
            moves
                .iter()
                .map_while(|played| ply(&mut table.game, played)),
        );
        let from = table.plies;
        table.plies += plies.len();
        let rules = match game {
            Some(_) => table.game.rules_description(),
            None => self.start.rules_description(),
        };
        let round = game.and_then(|game| game.round);
        let view = self.table_view(number, &snapshot, rules, round);
        self.feed.set_plies(view, from, plies);
    }

    fn table_view(
        &self,
        number: u16,
        snapshot: &TableSnapshot,
        rules: Option<String>,
        round: Option<u32>,
    ) -> web::TableView {
        let [rows, columns] = G::default().size();
        let now = self.shared.now();
        let clocks = snapshot.clocks;
        let running =
            |&side: &Color| clocks.is_some_and(|clocks| clocks[side].flag_deadline().is_some());
        web::TableView {
            id: number.into(),
            kind: G::KIND,
            title: format!("Table {number}"),
            port: self.ports.get(&number).copied(),
            rules: match rules {
                Some(rules) => format!("{}: {rules}", G::NAME),
                None => G::NAME.into(),
            },
            rows,
            columns,
            numbered: false,
            seats: ByColor::from_fn(|side| {
                let player = snapshot.players[side].as_ref();
                let client = player.and_then(|client| Some(page_id(client.conn?)));
                SeatView {
                    code: G::LETTERS[side].to_ascii_uppercase().to_string(),
                    title: G::PLAYERS[side].into(),
                    name: player.map(|client| called(client.name.as_ref(), client.conn)),
                    client,
                    connected: client.is_some(),
                    left: clocks.map(|clocks| clocks[side].remaining(now)),
                }
            }),
            phase: match snapshot.stage {
                SnapshotStage::Open => web::TableStatus::Waiting,
                SnapshotStage::Interrupted => web::TableStatus::Paused,
                SnapshotStage::Playing => web::TableStatus::Playing,
                SnapshotStage::Over(_) => web::TableStatus::Over,
            },
            result: status_text::<G>(snapshot),
            turn: snapshot.turn,
            running_clock: Color::ALL.into_iter().find(running),
            round,
            commands: self.commands(snapshot),
        }
    }

    /// Returns the organizer's commands for a table, each with the reason why it would be
    /// refused now.
    fn commands(&self, snapshot: &TableSnapshot) -> BTreeMap<&'static str, Option<String>> {
        let is_on = matches!(
            snapshot.stage,
            SnapshotStage::Playing | SnapshotStage::Interrupted
        );
        let adjourn = match is_on {
            true => may_adjourn(snapshot, self.is_journaled),
            false => Err(Unavailable::NoMatch),
        };
        let void = if is_on {
            Ok(())
        } else {
            Err(Unavailable::NoMatch)
        };
        let is_free = !is_on && snapshot.clients().next().is_none();
        let resume = if is_free {
            Ok(())
        } else {
            Err(Unavailable::TableTaken)
        };
        let commands = [("adjourn", adjourn), ("clear", void), ("recall", resume)];
        let why = |may: Result<(), Unavailable>| may.err().map(|why| why.to_string());
        commands.map(|(command, may)| (command, why(may))).into()
    }
}

/// Why a command of the organizer would be refused now.
#[derive(Clone, Copy, Debug, Error)]
enum Unavailable {
    #[error("no match is played here")]
    NoMatch,
    #[error("the table is not free")]
    TableTaken,
    #[error("only matches with a journal (--journal) can be adjourned")]
    NoJournal,
    #[error("a player cannot resume a match: its client has not said so")]
    NotResumable,
}

/// Checks whether a match can be adjourned.
fn may_adjourn(snapshot: &TableSnapshot, is_journaled: bool) -> Result<(), Unavailable> {
    let can_resume = |side: Color| Some(snapshot.players[side].as_ref()?.can_resume);
    if !is_journaled {
        Err(Unavailable::NoJournal)
    } else if Color::ALL.map(can_resume) != [Some(true); 2] {
        Err(Unavailable::NotResumable)
    } else {
        Ok(())
    }
}

/// Returns a player as the page shows it. `place` is where it is.
fn client_view<G: NetrefGame>(
    conn: ConnId,
    name: String,
    place: &str,
    side: Option<Color>,
) -> web::Client {
    let side = side.map_or("either side", |side| G::PLAYERS[side]);
    web::Client {
        id: page_id(conn),
        log_label: Some(format!("#{conn}")),
        name: Some(name),
        // Spectators must not see addresses.
        address: String::new(),
        protocol: String::new(),
        seat: Some(format!("{place}, {side}")),
    }
}

/// Publishes the players of a table or the lobby, and removes those who have left.
fn publish_clients(feed: &Feed, clients: ShownClients, shown: &mut ShownClients) {
    for gone in shown.keys().filter(|conn| !clients.contains_key(conn)) {
        feed.remove_client(page_id(*gone));
    }
    for (conn, view) in &clients {
        if shown.get(conn) != Some(view) {
            feed.set_client(view.clone());
        }
    }
    *shown = clients;
}

/// Returns the number of a connection on the page, where numbers have 53 bits. Numbers
/// that differ within a hundred days differ there, too.
fn page_id(conn: ConnId) -> u64 {
    conn.0 & ((1 << 53) - 1)
}

/// Returns a player's name, or the number that the log has.
fn called(name: Option<&Name>, conn: Option<ConnId>) -> String {
    match (name, conn) {
        (Some(name), _) => name.as_str().to_owned(),
        (None, Some(conn)) => format!("#{conn}"),
        (None, None) => "no name".into(),
    }
}

/// Describes how a match ended, or what a table waits for.
fn status_text<G: NetrefGame>(snapshot: &TableSnapshot) -> Option<String> {
    match (&snapshot.stage, &snapshot.either) {
        (SnapshotStage::Over(ending), _) => Some(ending.describe(G::PLAYERS)),
        (SnapshotStage::Interrupted, _) => {
            Some("interrupted: waits for its players to come back".into())
        }
        (_, Some(client)) => Some(format!(
            "{} will play either side",
            isolated(&called(client.name.as_ref(), client.conn))
        )),
        _ => None,
    }
}

/// Plays a move, and returns the board after it.
fn ply<G: NetrefGame>(game: &mut G, played: &Played<G::Move>) -> Option<Ply> {
    game.play(played.side, played.mv).ok()?;
    Some(Ply {
        text: played.mv.to_string(),
        at: G::place(played.mv),
        by: Some(played.side),
        used: Some(played.spent),
        ..game.ply()
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::*;
    use crate::base::color::Color;
    use crate::contests::netref::{
        Action, ConnId, Effect, Effects, Gothello, LossWaits, Opening, Role, Settings,
    };
    use crate::games::gothello::Move;

    /// A table and its noted changes.
    struct TestTable {
        table: Table<Gothello>,
        updates: PageUpdates<Move>,
        now: Duration,
        conns: u64,
    }

    impl TestTable {
        fn new() -> TestTable {
            TestTable {
                table: Table::new(Settings {
                    number: 7,
                    start: Gothello::default(),
                    times: None,
                    private: false,
                    strict: false,
                    seat_timeout: None,
                    move_timeout: None,
                    reclaim_time: Duration::ZERO,
                    waits: LossWaits::default(),
                }),
                updates: PageUpdates::default(),
                now: Duration::ZERO,
                conns: 0,
            }
        }

        fn note(&mut self, effects: Effects<Move>) {
            self.table.start_clock(self.now);
            let finished = effects.into_iter().find_map(|effect| match effect {
                Effect::Finish(finished) => Some(*finished),
                _ => None,
            });
            match finished {
                Some(finished) => self.updates.ended::<Gothello>(7, &finished, false),
                None => self.updates.table(&self.table),
            }
            self.now += Duration::from_secs(1);
        }

        fn sit_down(&mut self, side: Color) -> ConnId {
            self.conns += 1;
            let (conn, role) = (ConnId(self.conns), Role::Player(side));
            let opening = Opening::new::<Gothello>(role, None);
            let wall = SystemTime::UNIX_EPOCH + self.now;
            let effects = self.table.open(conn, opening, self.now, wall, false);
            self.note(effects);
            conn
        }

        fn play(&mut self, conn: ConnId, mv: &str) {
            let mv: Move = mv.parse().unwrap();
            let action = Action::Move { number: None, mv };
            let effects = self.table.request(conn, Ok(action), self.now);
            self.note(effects);
        }
    }

    proptest! {
        /// A reader that looks now and then sees the whole match in the end, and nothing of an
        /// earlier one.
        #[test]
        fn no_move_is_missed_between_looks(
            mut looks in prop::collection::vec(any::<bool>(), 12),
        ) {
            let mut test = TestTable::new();
            let mut seen: Vec<String> = Vec::new();
            let mut look = |test: &TestTable| {
                while let Some(change) = test.updates.take_change() {
                    if change.is_new {
                        seen.clear();
                    }
                    seen.extend(change.moves.into_iter().map(|played| played.mv.to_string()));
                }
                seen.clone()
            };
            for moves in [["a1", "b2", "pass", "pass"], ["c3", "d3", "pass", "pass"]] {
                let mut players = Color::ALL.map(|side| test.sit_down(side));
                for (count, mv) in (1..).zip(moves) {
                    test.play(players[0], mv);
                    players.reverse();
                    if looks.pop() == Some(true) {
                        prop_assert_eq!(look(&test), &moves[..count]);
                    }
                }
            }
            prop_assert_eq!(look(&test), ["c3", "d3", "pass", "pass"]);
        }
    }

    #[test]
    fn a_match_that_is_over_is_shown_until_somebody_comes() {
        let mut test = TestTable::new();
        let [black, white] = Color::ALL.map(|side| test.sit_down(side));
        test.play(black, "pass");
        test.play(white, "a1");
        let effects = test.table.leave(black, test.now);
        test.note(effects);
        let end = test.updates.take_change().unwrap();
        assert!(end.snapshot.is_over() && end.game.is_some());
        let effects = test.table.leave(white, test.now);
        test.note(effects);
        assert!(test.updates.take_change().is_none());
        test.sit_down(Color::White);
        let next = test.updates.take_change().unwrap();
        assert!(next.is_new && next.game.is_none());
        assert_eq!(next.snapshot.clients().count(), 1);
    }

    #[test]
    fn a_refused_move_is_not_published() {
        let mut test = TestTable::new();
        let [black, _] = Color::ALL.map(|side| test.sit_down(side));
        test.play(black, "c3");
        assert_eq!(test.updates.take_change().unwrap().moves.len(), 1);
        test.play(black, "c4");
        assert!(test.updates.take_change().is_none());
    }
}
