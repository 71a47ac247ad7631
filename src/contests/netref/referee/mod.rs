//! A referee: all its tables, the lobby, the adjourned matches, and the tournament of its teams.
//!
//! Pure: inputs and the time go in, [`Output`] comes out. The caller performs its effects in their
//! order; what stands behind a write waits until that is on the disk.
//!
//! A module imports only from those before it in this list: `command` (of the organizer, and why one
//! is refused), `effects`; then the parts of the referee, which call each other: `seating` (who gets a
//! seat), `organizer` (commands, carried out), `recovery` (from crashes and failures of the disk), and
//! `rounds` (of the tournament).

mod command;
mod effects;
mod organizer;
mod recovery;
mod rounds;
mod seating;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::time::{Duration, SystemTime};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::client::{ConnId, ConnIds, Name};
use super::entry::{Entry, MatchEntry};
use super::game::NetrefGame;
use super::lobby::Lobby;
use super::log::LogEvent;
use super::outages::Outages;
use super::summary::Summary;
use super::table::{
    Effect, Effects, LiveMatch, Loss, NO_MORE, Table, ToObservers, departure, with_address,
};
use super::tournament::{TableUse, event_of_match};
use super::wire::{Action, Malformed, Response};
use crate::base::color::{ByColor, Color};
use crate::contests::contest::{Deadlines, Timestamp, TournamentDesk, Write};
use crate::contests::exchange::Exchange;
use crate::tournament::{StopAfter, Tournament};

pub use command::{CommandError, ParseRefereeCommandError, RefereeCommand};
pub use effects::{Changes, Delivery, MatchToRecord, Matches, Output};
pub use organizer::check_house;
pub use recovery::interruption;
pub use seating::Entrance;

/// The settings of a referee.
#[derive(Debug)]
pub struct RefereeSettings {
    /// When it stops by itself; never if `None`.
    pub stop_after: Option<StopAfter>,
    /// The time that a client waits in the lobby; without limit if `None`.
    pub lobby_timeout: Option<Duration>,
    /// Whether matches are journaled and recorded.
    pub is_kept: bool,
    /// Whether clients in the lobby may meet the house, because it plays at every table.
    pub house_plays_lobby: bool,
    /// The names of the teams.
    pub teams: Vec<Name>,
    /// Numbers the connections of the house.
    pub conns: ConnIds,
    /// The seed of the coins that decide who plays which side.
    pub seed: u64,
}

/// A table, and what the referee notes of it.
#[derive(Debug)]
struct Place<G: NetrefGame> {
    table: Table<G>,
    /// How long the server was stalled during its match.
    stalled: Duration,
    /// The table as the tournament knows it.
    noted: TableUse,
    /// The last lines of each player in its match.
    exchanges: ByColor<Exchange>,
}

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whereabouts {
    /// A player at a table, or an observer of it, by the index of the table.
    Table(usize),
    Lobby,
}

/// A match that is over and not recorded yet.
#[derive(Debug)]
struct Unrecorded {
    /// Whether it has been counted, or does not count.
    is_counted: bool,
    summary: Summary,
}

/// A referee of a game.
#[derive(Debug)]
pub struct Referee<G: NetrefGame> {
    settings: RefereeSettings,
    rng: SmallRng,
    places: Vec<Place<G>>,
    clients: HashMap<ConnId, Whereabouts>,
    lobby: Lobby,
    /// In the order of their IDs.
    adjourned: Vec<Box<LiveMatch<G>>>,
    /// The IDs of those that were adjourned before the server was started.
    earlier: HashSet<String>,
    desk: Option<TournamentDesk>,
    /// The matches that are over and not recorded yet, by their IDs.
    unrecorded: BTreeMap<String, Unrecorded>,
    outages: Outages,
    /// The numbers of matches that have begun, and that are over.
    begun: u64,
    finished: u64,
    /// Whether matches may begin.
    is_open: bool,
    /// Why the referee stops by itself.
    stop: Option<String>,
    /// Whether the disk cannot be written.
    is_disk_failing: bool,
    /// The latest time of an input. Requests may have waited, and come with an earlier one.
    latest: Duration,
    /// When each table needs attention.
    deadlines: Deadlines<usize>,
    /// The tables that have changed since the last input; some may be listed twice.
    changed: Vec<usize>,
    /// Whether a client in the lobby may have found a seat.
    must_seat: bool,
    /// Whether the tournament may go on.
    must_step: bool,
    out: Output<G>,
}

impl<G: NetrefGame> Referee<G> {
    /// Creates a referee with these tables, in the order of their numbers, and the desk of its
    /// teams' tournaments, if it holds any.
    pub fn new(
        tables: Vec<Table<G>>,
        desk: Option<TournamentDesk>,
        settings: RefereeSettings,
    ) -> Referee<G> {
        let place = |table| Place {
            table,
            stalled: Duration::ZERO,
            noted: TableUse::default(),
            exchanges: ByColor::default(),
        };
        let changed = (0..tables.len()).collect();
        let first = tables.first().map_or(0, Table::number);
        Referee {
            rng: SmallRng::seed_from_u64(settings.seed),
            settings,
            places: tables.into_iter().map(place).collect(),
            clients: HashMap::new(),
            lobby: Lobby::default(),
            adjourned: Vec::new(),
            earlier: HashSet::new(),
            latest: Duration::ZERO,
            desk,
            unrecorded: BTreeMap::new(),
            outages: Outages::default(),
            begun: 0,
            finished: 0,
            is_open: true,
            stop: None,
            is_disk_failing: false,
            deadlines: Deadlines::default(),
            changed,
            must_seat: true,
            must_step: true,
            out: Output::new(first),
        }
    }

    /// Takes the output since the last call.
    pub fn take_output(&mut self) -> Output<G> {
        self.out.take()
    }

    /// Returns a table, given its index.
    pub fn table(&self, index: usize) -> Option<&Table<G>> {
        self.places.get(index).map(|place| &place.table)
    }

    /// Returns whether a player or an observer is connected, as far as the referee is concerned.
    pub fn knows(&self, conn: ConnId) -> bool {
        self.clients.contains_key(&conn)
    }

    /// Returns whether a client waits, at a table or in the lobby, and plays no match.
    pub fn waits(&self, conn: ConnId) -> bool {
        match self.clients.get(&conn) {
            Some(&Whereabouts::Table(index)) => {
                let table = self.table(index);
                table.is_some_and(|table| !table.has_match())
            }
            Some(Whereabouts::Lobby) => true,
            None => false,
        }
    }

    /// Returns whether the disk cannot be written.
    pub fn is_disk_failing(&self) -> bool {
        self.is_disk_failing
    }

    /// Returns the clients in the lobby.
    pub fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// Returns the adjourned matches, in the order of their IDs.
    pub fn adjourned(&self) -> impl Iterator<Item = &LiveMatch<G>> {
        self.adjourned.iter().map(|live| &**live)
    }

    /// Returns the desk of the teams' tournaments, if any are held.
    pub fn desk(&self) -> Option<&TournamentDesk> {
        self.desk.as_ref()
    }

    /// Returns whether a tournament is running or planned, so that free matches do not begin.
    fn is_tournament_held(&self) -> bool {
        self.desk().is_some_and(TournamentDesk::is_held)
    }

    /// Returns the tournament that is running.
    fn running(&self) -> Option<&Tournament> {
        self.desk()?.running()
    }

    /// Returns why the referee stops by itself: all its matches are over, or its tournament is.
    pub fn stop_reason(&self) -> Option<&str> {
        self.stop.as_deref()
    }

    /// Returns the index of the table with a server number.
    fn index(&self, number: u16) -> Option<usize> {
        let mut places = self.places.iter();
        places.position(|place| place.table.number() == number)
    }

    /// Performs what follows from an input.
    fn settle(&mut self, now: Timestamp) {
        self.latest = self.latest.max(now.clock);
        let now = Timestamp {
            clock: self.latest,
            ..now
        };
        loop {
            if mem::take(&mut self.must_step) {
                self.step_tournament(now);
            }
            self.note_changed();
            if !mem::take(&mut self.must_seat) && !self.must_step {
                break;
            }
            self.seat_waiting(now);
            self.note_changed();
        }
    }

    /// Notes the tables that have changed, for deadlines, page, and tournament.
    fn note_changed(&mut self) {
        let mut changed = mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        for &index in &changed {
            let Some(place) = self.places.get_mut(index) else {
                continue;
            };
            self.deadlines.set(index, place.table.deadline());
            self.out.show(index);
            if self.desk.is_none() {
                continue;
            }
            let table = &place.table;
            let is_of_house = table.house().is_some();
            let used = TableUse {
                is_free: !is_of_house && self.is_open && table.is_free(),
                match_began: table.live_match().map(LiveMatch::started),
                is_of_house,
                teams: table.teams().map(|team| team.cloned()),
            };
            if used != place.noted {
                place.noted = used;
                self.must_seat = true;
                self.must_step = true;
            }
        }
        changed.clear();
        self.changed = changed;
    }

    /// Changes a table, and takes over the effects.
    fn change(&mut self, index: usize, change: impl FnOnce(&mut Table<G>) -> Effects<G::Move>) {
        self.change_match(index, None, change);
    }

    /// Changes a table, and takes over the effects. `id` is the ID of the match if it leaves the table
    /// before it is over, as when it is adjourned.
    fn change_match(
        &mut self,
        index: usize,
        id: Option<String>,
        change: impl FnOnce(&mut Table<G>) -> Effects<G::Move>,
    ) {
        let Some(place) = self.places.get_mut(index) else {
            return;
        };
        let (was_on, before, mut conns) = (place.is_on(), place.started(), place.conns());
        let effects = change(&mut place.table);
        let after = place.started();
        if after != before {
            place.stalled = Duration::ZERO;
        }
        if after.is_some() {
            conns = place.conns();
            if after != before {
                place.exchanges = ByColor::default();
            }
        }
        // While a match is on, its table has no seat for anybody.
        self.must_seat |= !(was_on && place.is_on());
        let number = place.table.number();
        let live = place.table.live_match();
        let moves = live.map_or(0, LiveMatch::move_count);
        let ended = effects.finished().map(|finished| &*finished.summary.id);
        let known = || Some(live.map(LiveMatch::id).or(ended)?.to_owned());
        let id = self.settings.is_kept.then(|| id.or_else(known)).flatten();
        self.changed.push(index);
        let (mut begins, mut last_lines) = (false, Vec::new());
        for effect in effects {
            match effect {
                Effect::Begin => begins = true,
                Effect::Journal(mut entry) => {
                    if let Entry::End {
                        winner: Some(winner),
                        reason,
                        exchange,
                        ..
                    } = &mut entry
                        && reason.is_fault()
                        && let Some(place) = self.places.get_mut(index)
                    {
                        last_lines = place.exchanges[winner.opponent()]
                            .entries()
                            .cloned()
                            .collect();
                        exchange.clone_from(&last_lines);
                        place.table.keep_exchange(&last_lines);
                    }
                    self.journal(id.as_deref().unwrap_or_default(), entry);
                }
                Effect::Send(conn, text) => {
                    self.note_line(index, conns, conn, ('<', &text));
                    self.out.deliver(Delivery::Send(conn, text));
                }
                Effect::StartClock => {
                    if let Some(started) = after {
                        let table = index;
                        self.out.deliver(Delivery::StartClock {
                            table,
                            started,
                            moves,
                        });
                    }
                }
                Effect::Observers(what) => {
                    if let ToObservers::Admit(conn, _) = what {
                        self.clients.insert(conn, Whereabouts::Table(index));
                    }
                    self.out.deliver(Delivery::Observers(index, what));
                }
                Effect::Log(event) => self.out.log(number, event),
                Effect::EndOutput(conn) => self.out.deliver(Delivery::EndOutput(conn)),
                Effect::Finish(mut finished) => {
                    finished.summary.ending.exchange.append(&mut last_lines);
                    self.record(Some(index), MatchToRecord::new::<G>(&finished), true);
                    self.out.ended.push((index, finished));
                }
                Effect::Close(conn) => {
                    self.clients.remove(&conn);
                    self.out.deliver(Delivery::Close(conn));
                }
            }
        }
        if begins {
            self.count_start();
        }
    }

    /// Journals an entry of a match.
    fn journal(&mut self, id: &str, entry: Entry) {
        if self.settings.is_kept {
            let id = id.to_owned();
            self.out.write(Write::Journal(MatchEntry { id, entry }));
        }
    }

    /// Records a match that is over, at a table or before. It counts if it began since the start.
    fn record(&mut self, table: Option<usize>, finished: MatchToRecord, counts: bool) {
        let id = finished.summary.id.clone();
        let known = self.unrecorded.get(&id);
        let counts = counts && !known.is_some_and(|known| known.is_counted);
        if self.settings.is_kept {
            let unrecorded = Unrecorded {
                is_counted: !counts,
                summary: finished.summary.clone(),
            };
            self.unrecorded.insert(id.clone(), unrecorded);
        }
        let result = finished
            .summary
            .scheduled
            .clone()
            .map(|game| (game, event_of_match(&finished.summary)));
        self.out.write(Write::Record(Box::new(finished)));
        if let Some((game, event)) = result {
            self.take_result(&game, event);
        }
        self.out.deliver(Delivery::Over { table, id, counts });
    }

    /// Counts a match that begins. After the last one no other may begin.
    fn count_start(&mut self) {
        self.begun = self.begun.saturating_add(1);
        if self.is_open && self.are_all(self.begun) {
            self.is_open = false;
            for index in 0..self.places.len() {
                self.change(index, |table| table.close(NO_MORE));
            }
        }
    }

    /// Undoes [`Referee::count_start`], so that another match may begin instead.
    fn uncount_start(&mut self) {
        self.begun = self.begun.saturating_sub(1);
        if self.stop.is_none() && !self.is_open {
            self.is_open = true;
            for place in &mut self.places {
                place.table.reopen();
            }
            self.changed.extend(0..self.places.len());
            self.must_seat = true;
        }
    }

    /// Returns whether these are all the matches to be played.
    fn are_all(&self, matches: u64) -> bool {
        matches!(self.settings.stop_after, Some(StopAfter::Games(all)) if matches >= all)
    }

    /// Counts a match that is over. The last one stops the referee. Must be called for each
    /// [`Delivery::Over`] that counts.
    pub fn count_end(&mut self, id: &str) {
        if let Some(unrecorded) = self.unrecorded.get_mut(id) {
            unrecorded.is_counted = true;
        }
        self.finished = self.finished.saturating_add(1);
        if self.are_all(self.finished) && self.stop.is_none() {
            let finished = self.finished;
            let why = format!("The referee stops: match {finished} of {finished} is over");
            self.stop = Some(why);
        }
    }

    /// Starts the clock of the player to move, if the match still has this number of moves. Must be
    /// called for each [`Delivery::StartClock`].
    pub fn start_clock(&mut self, index: usize, started: SystemTime, moves: usize, now: Duration) {
        let Some(place) = self.places.get_mut(index) else {
            return;
        };
        let live = place.table.live_match();
        if live.is_some_and(|live| live.started() == started && live.move_count() == moves) {
            place.table.start_clock(now);
            self.deadlines.set(index, place.table.deadline());
            self.out.show(index);
        }
    }

    /// Adds a line of a player in a match to the player's exchange.
    fn note_line(
        &mut self,
        index: usize,
        conns: ByColor<Option<ConnId>>,
        conn: ConnId,
        (mark, text): (char, &str),
    ) {
        let mut colors = Color::ALL.into_iter();
        if let Some(place) = self.places.get_mut(index)
            && let Some(color) = colors.find(|&color| conns[color] == Some(conn))
        {
            place.exchanges[color].add(mark, text);
        }
    }

    /// Notes the line of a player's request, which has no secrets. Must be called before
    /// [`Referee::request`].
    pub fn hear(&mut self, conn: ConnId, line: &str) {
        if let Some(&Whereabouts::Table(index)) = self.clients.get(&conn)
            && let Some(conns) = self.places.get(index).map(Place::conns)
        {
            self.note_line(index, conns, conn, ('>', line));
        }
    }

    /// Handles a request of a player.
    pub fn request(
        &mut self,
        conn: ConnId,
        request: Result<Action<G::Move>, Malformed>,
        now: Timestamp,
    ) {
        match self.clients.get(&conn) {
            Some(&Whereabouts::Table(index)) => {
                self.change(index, |table| table.request(conn, request, now.clock));
            }
            Some(Whereabouts::Lobby) => self.refuse_waiting(conn, request),
            None => {}
        }
        self.settle(now);
    }

    /// Refuses a request of a client in the lobby.
    fn refuse_waiting(&mut self, conn: ConnId, request: Result<Action<G::Move>, Malformed>) {
        let Some(waiting) = self.lobby.get_mut(conn) else {
            return;
        };
        let number = waiting.number;
        let mut effects = Effects::default();
        waiting.seeker.refuse::<G>(request, &mut effects);
        self.perform_at_once(number, effects);
    }

    /// Performs the effects of the refusal of a client in the lobby, who came through the port with this
    /// number.
    fn perform_at_once(&mut self, number: u16, effects: Effects<G::Move>) {
        for effect in effects {
            match effect {
                Effect::Send(conn, text) => self.out.at_once(Delivery::Send(conn, text)),
                Effect::Log(event) => self.out.at_once(Delivery::Log(number, event)),
                Effect::Close(conn) => {
                    self.remove_from_lobby(conn);
                    self.clients.remove(&conn);
                    self.out.at_once(Delivery::Close(conn));
                }
                _ => {}
            }
        }
    }

    /// Handles the loss of the connection of a player or an observer.
    pub fn lose(&mut self, conn: ConnId, loss: Loss, now: Timestamp) {
        match self.clients.remove(&conn) {
            Some(Whereabouts::Table(index)) => {
                self.note_loss(index, conn, &loss, now.clock);
                self.change(index, |table| table.lose(conn, loss, now.clock));
            }
            Some(Whereabouts::Lobby) => {
                if let Some(left) = self.remove_from_lobby(conn) {
                    let event = departure(left.seeker.who::<G>(), &loss);
                    self.out.at_once(Delivery::Log(left.number, event));
                }
            }
            None => {}
        }
        self.settle(now);
    }

    /// Notes the loss of a player's connection in a match, and logs it if it is not the only one.
    fn note_loss(&mut self, index: usize, conn: ConnId, loss: &Loss, now: Duration) {
        let Some(place) = self.places.get(index) else {
            return;
        };
        // Matches against the house have one client.
        let live = place.table.live_match();
        let live = live.filter(|live| live.house().is_none() && live.is_played_by(conn));
        // A client that has been told of the end closes its connection.
        let live = live.filter(|live| !live.is_flag_fallen() || *loss != Loss::Closed);
        let Some(live) = live else { return };
        if let Some(matches) = self.outages.note(live.server(), live.id(), now) {
            let number = place.table.number();
            self.out.log(number, LogEvent::LostTogether { matches });
        }
    }

    /// Returns when [`Referee::tick`] is due.
    pub fn next_deadline(&self) -> Option<Duration> {
        let lobby = self.settings.lobby_timeout.and_then(|limit| {
            let first = self.lobby.iter().next()?;
            first.since.checked_add(limit)
        });
        let desk = self.desk.as_ref().and_then(TournamentDesk::next_deadline);
        // While the disk cannot be written, nobody can come back in time.
        let tables = self.deadlines.next().filter(|_| !self.is_disk_failing);
        let deadlines = [tables, lobby, desk];
        deadlines.into_iter().flatten().min()
    }

    /// Handles the deadlines that have come.
    pub fn tick(&mut self, now: Timestamp) {
        let passed = match self.is_disk_failing {
            true => Vec::new(),
            false => self.deadlines.passed(now.clock),
        };
        for index in passed {
            self.change(index, |table| table.tick(now.clock));
            // The seats of an interrupted match may be free for others.
            self.must_seat = true;
        }
        if let Some(limit) = self.settings.lobby_timeout {
            let is_late = |since: Duration| now.clock.saturating_sub(since) >= limit;
            let late = self.lobby.iter();
            let late = late.take_while(|waiting| is_late(waiting.since));
            for conn in late.map(|late| late.seeker.conn).collect::<Vec<_>>() {
                let why = "Nobody came to play; ask again".to_owned();
                self.refuse(conn, Response::Problem(why));
            }
        }
        self.must_step |= self.desk.as_ref().is_some_and(|desk| {
            let deadline = desk.next_deadline();
            deadline.is_some_and(|at| at <= now.clock)
        });
        self.settle(now);
    }

    /// Refuses a client in the lobby, which is logged, and closes its connection.
    fn refuse(&mut self, conn: ConnId, why: Response<G>) {
        let Some(waiting) = self.lobby.get_mut(conn) else {
            return;
        };
        let (number, seeker) = (waiting.number, &waiting.seeker);
        let mut effects = Effects::default();
        effects.turn_away(conn, with_address(seeker.who::<G>(), &seeker.player), &why);
        self.perform_at_once(number, effects);
    }

    /// Stops the referee: tells all clients why, and closes their connections. Matches stay in the
    /// journal.
    pub fn stop(&mut self, why: &str, now: Timestamp) {
        self.stop.get_or_insert_with(|| why.to_owned());
        self.is_open = false;
        for index in 0..self.places.len() {
            self.change(index, Table::count_flag);
            if let Some(live) = self.table(index).and_then(Table::live_match)
                && !self.settings.is_kept
            {
                let (number, lost) = (live.server(), live.so_far());
                self.out.log(number, LogEvent::Discarded(lost));
            }
            self.change(index, |table| table.stop(why));
        }
        let waiting = self.lobby.iter().map(|waiting| waiting.seeker.conn);
        let waiting: Vec<ConnId> = waiting.collect();
        for conn in waiting {
            self.refuse(conn, Response::Problem(why.to_owned()));
        }
        self.desk = None;
        self.settle(now);
    }

    /// Returns a coin, which decides who plays which side.
    fn coin(&mut self) -> bool {
        self.rng.random()
    }
}

impl<G: NetrefGame> Place<G> {
    /// Returns when its match began, which tells it apart from others at this table.
    fn started(&self) -> Option<SystemTime> {
        self.table.live_match().map(LiveMatch::started)
    }

    /// Returns the connections of the players of its match.
    fn conns(&self) -> ByColor<Option<ConnId>> {
        let live = self.table.live_match();
        live.map_or_else(ByColor::default, LiveMatch::conns)
    }

    /// Returns whether a match is on, and both players are connected.
    fn is_on(&self) -> bool {
        self.table.live_match().is_some_and(LiveMatch::is_on)
    }
}
