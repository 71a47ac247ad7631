//! A table: its seats, its observers, and the match that is played there.
//!
//! Pure: requests and times go in, and [`Effects`] come out.

mod effects;
mod house;
mod live_match;
mod referee;
mod refusals;
mod seeker;
mod snapshot;

use std::collections::BTreeMap;
use std::mem;
use std::time::{Duration, SystemTime};

use super::client::{Client, ConnId, Name};
use super::entry::Entry;
use super::game::NetrefGame;
use super::log::{LogEvent, Who};
use super::summary::Player;
use super::wire::{Action, Malformed, Opening, Response, Role, RoleRefusal, Times};
use crate::base::clock::Clock;
use crate::base::color::{ByColor, Color};
use crate::games::game::Game;
use crate::tournament::NumberedGame;

pub(super) use effects::USUAL_EFFECTS;
pub use effects::{Effect, Effects, FinishedMatch, ToObservers};
pub use house::HouseTurn;
pub use live_match::{Dialect, LiveMatch, RestoreError};
pub use referee::{Match, Refusal};
pub use refusals::{MAX_ILLEGAL, MAX_MALFORMED, RefusedRow, TOO_MANY_MALFORMED};
pub use seeker::Seeker;
pub use snapshot::{MatchLabel, SeatedClient, SnapshotStage, TableSnapshot};

/// The text for clients that come when no more matches begin.
pub const NO_MORE: &str = "No more matches are played here";

/// The settings of all matches of a table.
#[derive(Clone, Debug)]
pub struct Settings<G: NetrefGame> {
    /// The server number.
    pub number: u16,
    /// The game at its start.
    pub start: G,
    /// The time on each clock; `None` without time controls.
    pub times: Option<ByColor<Duration>>,
    /// Whether observers are refused.
    pub private: bool,
    /// Whether observers get no state displays.
    pub strict: bool,
    /// The time that a player waits for an opponent; without limit if `None`.
    pub seat_timeout: Option<Duration>,
    /// The maximum time of a move, with or without time controls; without limit if `None`.
    pub move_timeout: Option<Duration>,
    /// The time in which only the clients that played, known by their names, get the seats of an
    /// interrupted match. After it, other clients of their teams do, too. At most half of the time
    /// that the match waits for its players.
    pub reclaim_time: Duration,
    /// How long a lost connection is waited for in a match.
    pub waits: LossWaits,
}

impl<G: NetrefGame> Settings<G> {
    /// Creates the settings of a table with this server number and game, without clocks, limits of time,
    /// and waits for lost connections.
    pub fn new(number: u16, start: G) -> Settings<G> {
        Settings {
            number,
            start,
            times: None,
            private: false,
            strict: false,
            seat_timeout: None,
            move_timeout: None,
            reclaim_time: Duration::ZERO,
            waits: LossWaits::default(),
        }
    }
}

/// How long a match goes on after the connection of a player is lost, before the player loses.
///
/// One cause may break the connections of both players, and the first break must not decide who
/// wins. If the opponent's connection is lost, too, within the wait, the match is interrupted; if the
/// opponent makes a request, the player loses at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossWaits {
    /// The wait if the connection was closed or reset; decided at once if it is zero.
    pub closed: Duration,
    /// The wait if the client does not answer any more, longer than the time in which it turns out
    /// that the opponent does not answer either.
    pub silent: Duration,
    /// The wait if a flag has fallen, unless a player makes a request or closes its connection: longer
    /// than the time in which it turns out that a client does not answer any more. If neither does, the
    /// flag does not count. It counts at once if this is zero.
    pub flag: Duration,
    /// The time in which a player that resumes matches may come back. The match goes on meanwhile,
    /// and the opponent may move. Nobody may if it is zero. If the opponent's connection is lost, too,
    /// a player whose time is over loses as soon as the opponent comes back in time; if neither does,
    /// the match is interrupted.
    pub comeback: Duration,
}

/// A match that is adjourned, and the effects of that.
type Adjourned<G> = (Box<LiveMatch<G>>, Effects<<G as Game>::Move>);

/// How a connection was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The client closed or reset it.
    Closed,
    /// The client does not answer any more.
    Silent,
    /// The server dropped the client, which does not read, for this reason.
    Dropped(String),
}

/// A table of the server.
#[derive(Debug)]
pub struct Table<G: NetrefGame> {
    settings: Settings<G>,
    phase: TablePhase<G>,
    observers: BTreeMap<ConnId, Option<Name>>,
    /// Whether no new match may begin.
    closed: bool,
    /// The name of the house, if it plays here.
    house: Option<Name>,
    /// The place in the tournament of the match that begins next.
    scheduled: Option<NumberedGame>,
    /// How long the matches that begin wait for absent players when they are interrupted.
    wait_limit: Option<Duration>,
}

#[derive(Debug)]
enum TablePhase<G: NetrefGame> {
    /// No player is seated.
    Empty,
    /// One player waits for another, at most until this time.
    Waiting(Seeker, Option<Duration>),
    /// A match is on, or was interrupted and waits for its players.
    Playing(Box<LiveMatch<G>>),
}

impl<G: NetrefGame> Table<G> {
    /// Creates an empty table.
    pub fn new(settings: Settings<G>) -> Table<G> {
        Table {
            settings,
            phase: TablePhase::Empty,
            observers: BTreeMap::new(),
            closed: false,
            house: None,
            scheduled: None,
            wait_limit: None,
        }
    }

    /// Returns an empty list of effects.
    fn no_effects(&self) -> Effects<G::Move> {
        Effects::new(!self.observers.is_empty())
    }

    /// Returns whether the table has a match: one that is being played, or that was interrupted and
    /// waits for its players to come back.
    pub fn has_match(&self) -> bool {
        matches!(self.phase, TablePhase::Playing(_))
    }

    /// Lets no further match begin. Tells a waiting player why, and disconnects them.
    pub fn close(&mut self, why: &str) -> Effects<G::Move> {
        self.closed = true;
        match self.has_match() {
            true => self.no_effects(),
            false => self.interrupt(why),
        }
    }

    /// Empties the table: sends these players and all observers the reason, and disconnects them.
    fn disconnect_all(&mut self, players: &[ConnId], why: &str) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        let response = Response::<G>::Problem(why.into());
        for &conn in players {
            effects.send(conn, &response);
        }
        effects.broadcast(response.to_string());
        for &conn in players {
            effects.push(Effect::Close(conn));
        }
        effects.close_observers();
        self.clear();
        effects
    }

    /// Empties the table without notifying anyone.
    fn clear(&mut self) {
        self.phase = TablePhase::Empty;
        self.observers.clear();
    }

    /// Empties the table: sends all clients the reason, and disconnects them. A match goes back to what
    /// is in the journal.
    pub fn interrupt(&mut self, why: &str) -> Effects<G::Move> {
        let players: Vec<ConnId> = match &self.phase {
            TablePhase::Empty => Vec::new(),
            TablePhase::Waiting(seeker, _) => vec![seeker.conn],
            TablePhase::Playing(live) => live.connections().collect(),
        };
        self.disconnect_all(&players, why)
    }

    /// Lets an interrupted match wait for its players anew: they could not come for a while.
    pub fn wait_anew(&mut self, now: Duration) {
        if let TablePhase::Playing(live) = &mut self.phase {
            live.wait_anew(&self.settings, now);
        }
    }

    /// Resumes an interrupted or adjourned match, which waits for its players. Observers of
    /// the table get the messages of observers who join now.
    pub fn resume_match(&mut self, mut live: Box<LiveMatch<G>>, now: Duration) -> Effects<G::Move> {
        live.wait_for_players(&self.settings, now);
        let mut effects = self.no_effects();
        if effects.has_observers() {
            effects.broadcast(live.for_observers(&self.observers, now));
        }
        self.phase = TablePhase::Playing(live);
        effects
    }

    /// Lets new matches begin again.
    pub fn reopen(&mut self) {
        self.closed = false;
    }

    /// Ends the match if a flag has fallen, and it is not certain yet whether that counts: it does.
    pub fn count_flag(&mut self) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        if let TablePhase::Playing(live) = &mut self.phase {
            live.count_flag(&mut effects);
            self.finish(&mut effects);
        }
        effects
    }

    /// Keeps the last lines of the player whose flag has fallen, until it is certain whether that counts.
    pub fn keep_exchange(&mut self, exchange: &[String]) {
        if let TablePhase::Playing(live) = &mut self.phase {
            live.keep_exchange(exchange);
        }
    }

    /// Stops at once, and sends all clients the reason. The match stays in its journal.
    pub fn stop(&mut self, why: &str) -> Effects<G::Move> {
        self.closed = true;
        self.interrupt(why)
    }

    /// Returns the time at which [`Table::tick`] is to be called, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.phase {
            TablePhase::Empty => None,
            TablePhase::Waiting(_, deadline) => *deadline,
            TablePhase::Playing(live) => live.deadline(),
        }
    }

    /// Starts the clock of the player to move. Must be called for each
    /// [`Effect::StartClock`].
    pub fn start_clock(&mut self, now: Duration) {
        if let TablePhase::Playing(live) = &mut self.phase {
            live.begin_turn(now);
        }
    }

    /// Handles an expired deadline: a flag that has fallen, or a wait that is over.
    pub fn tick(&mut self, now: Duration) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        match &mut self.phase {
            TablePhase::Waiting(_, deadline) if deadline.is_some_and(|at| now >= at) => {
                return self.dismiss("Nobody came to play; ask again");
            }
            TablePhase::Playing(live) => {
                live.check_deadlines(&self.settings, now, &self.observers, &mut effects);
                self.finish(&mut effects);
            }
            _ => {}
        }
        effects
    }

    /// Tells a player who waits for an opponent why that is in vain, and disconnects them.
    pub fn dismiss(&mut self, why: &str) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        if let TablePhase::Waiting(seeker, _) = &self.phase {
            let refusal = Response::<G>::Problem(why.to_owned());
            effects.turn_away(seeker.conn, seeker.who::<G>(), &refusal);
            self.phase = TablePhase::Empty;
        }
        effects
    }

    /// Handles a request of a player.
    pub fn request(
        &mut self,
        conn: ConnId,
        request: Result<Action<G::Move>, Malformed>,
        now: Duration,
    ) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        match &mut self.phase {
            TablePhase::Waiting(seeker, _) if seeker.conn == conn => {
                let is_dropped = seeker.refuse::<G>(request, &mut effects);
                if is_dropped {
                    self.phase = TablePhase::Empty;
                }
            }
            TablePhase::Playing(live) => {
                live.request(conn, request, now, &mut effects);
                self.finish(&mut effects);
            }
            _ => {}
        }
        effects
    }

    /// Handles a client that has closed its connection.
    pub fn leave(&mut self, conn: ConnId, now: Duration) -> Effects<G::Move> {
        self.lose(conn, Loss::Closed, now)
    }

    /// Handles the loss of a connection.
    pub fn lose(&mut self, conn: ConnId, loss: Loss, now: Duration) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        self.observers.remove(&conn);
        match &mut self.phase {
            TablePhase::Waiting(seeker, _) if seeker.conn == conn => {
                effects.push(departure(seeker.who::<G>(), &loss));
                self.phase = TablePhase::Empty;
            }
            TablePhase::Playing(live) => {
                live.lose(conn, &loss, &self.settings, now, &mut effects);
                self.finish(&mut effects);
            }
            _ => {}
        }
        effects
    }

    /// Describes the state of the table for the organizer.
    pub fn describe(&self) -> String {
        match &self.phase {
            TablePhase::Empty => "nobody".into(),
            TablePhase::Waiting(seeker, _) => seeker.who::<G>().waits(),
            TablePhase::Playing(live) => live.describe(),
        }
    }

    /// Returns whether a player who waits elsewhere has a seat here: that of an interrupted match
    /// that is its own, or opposite a player who waits, and whom it may meet.
    pub fn has_seat_for(&self, seeker: &Seeker, now: Duration) -> bool {
        match &self.phase {
            TablePhase::Empty => false,
            TablePhase::Waiting(waiting, _) => !self.closed && waiting.may_meet(seeker),
            TablePhase::Playing(live) => live.has_seat_for(seeker, now),
        }
    }

    /// Returns the teams of the connected players, without the house.
    pub fn teams(&self) -> [Option<&Name>; 2] {
        match &self.phase {
            TablePhase::Empty => [None, None],
            TablePhase::Waiting(seeker, _) => [seeker.player.team(), None],
            TablePhase::Playing(live) => live.teams(),
        }
    }

    /// Returns whether a new match may begin here now.
    pub fn is_free(&self) -> bool {
        self.is_empty() && !self.closed
    }

    /// Sets the place in the tournament of the match that begins next, and how long it waits for
    /// absent players when it is interrupted.
    pub fn set_scheduled(&mut self, scheduled: Option<NumberedGame>, wait_limit: Option<Duration>) {
        self.scheduled = scheduled;
        self.wait_limit = wait_limit;
    }

    /// Returns whether observers are refused.
    pub fn is_private(&self) -> bool {
        self.settings.private
    }

    /// Returns the game at the start of its matches.
    pub fn start_of_game(&self) -> &G {
        &self.settings.start
    }

    /// Returns the server number.
    pub fn number(&self) -> u16 {
        self.settings.number
    }

    /// Returns whether the table is empty, so that a match can be resumed here.
    pub fn is_empty(&self) -> bool {
        matches!(self.phase, TablePhase::Empty)
    }

    /// Adjourns the match: empties the table, and sends all clients the reason. Returns the match,
    /// which stays in the journal; `None` without one. Call [`Table::tick`] before.
    pub fn adjourn(&mut self, why: &str, now: Duration) -> Option<Adjourned<G>> {
        let phase = mem::replace(&mut self.phase, TablePhase::Empty);
        let TablePhase::Playing(mut live) = phase else {
            self.phase = phase;
            return None;
        };
        let players: Vec<ConnId> = live.connections().collect();
        let mut entries = self.no_effects();
        entries.push(live.interruption_entry(now));
        entries.push(Entry::Adjourned);
        live.put_aside(now);
        entries.extend(self.disconnect_all(&players, why));
        Some((live, entries))
    }

    /// Ends the match, if there is one, without a winner. Everybody there is sent this text; the
    /// record says `why`. The match is recorded, and the table is empty. Handles expired deadlines
    /// first: see [`Table::tick`].
    pub fn void(&mut self, told: &str, why: Option<String>, now: Duration) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        if let TablePhase::Playing(live) = &mut self.phase {
            live.void(told, why, now, &mut effects);
            self.finish(&mut effects);
        }
        effects
    }

    /// If the match is over, records it and empties the table.
    fn finish(&mut self, effects: &mut Effects<G::Move>) {
        let TablePhase::Playing(live) = &self.phase else {
            return;
        };
        let Some(finished) = live.finished() else {
            return;
        };
        effects.push(LogEvent::ended::<G>(&finished.summary));
        effects.push(Effect::Finish(Box::new(finished)));
        for conn in live.connections() {
            effects.push(Effect::Close(conn));
        }
        effects.close_observers();
        self.clear();
    }
}

impl<G: NetrefGame> Table<G> {
    /// Handles the first request of a client. `coin` decides who plays which side if both
    /// players asked for either.
    pub fn open(
        &mut self,
        client: impl Into<Client>,
        opening: Opening,
        now: Duration,
        wall: SystemTime,
        coin: bool,
    ) -> Effects<G::Move> {
        let is_observer = opening.role == Role::Observer;
        let seeker = Seeker::new(client.into(), opening);
        match is_observer {
            true => self.observe(seeker.conn, seeker.player, now),
            false => self.take(seeker, now, wall, coin),
        }
    }

    /// Gives a player a seat, or refuses it. `coin` is as in [`Table::open`].
    pub fn take(
        &mut self,
        seeker: Seeker,
        now: Duration,
        wall: SystemTime,
        coin: bool,
    ) -> Effects<G::Move> {
        if let Some(refusal) = self.refusal_of_house_name(&seeker.player) {
            return self.turn_away(&seeker, &refusal);
        }
        let mut effects = self.no_effects();
        let refusal = match &mut self.phase {
            TablePhase::Playing(live) => {
                match live.come_back(&seeker, &self.observers, now, &mut effects) {
                    Ok(()) => return effects,
                    Err(refusal) => refusal,
                }
            }
            _ if self.closed => Response::Problem(NO_MORE.to_owned()),
            TablePhase::Waiting(first, _) if seeker.side.is_some() && first.side == seeker.side => {
                let why = "Other player holds requested side";
                Response::Refused(RoleRefusal::SideTaken, why.into())
            }
            _ => {
                self.seat(seeker, wall, coin, now, &mut effects);
                return effects;
            }
        };
        self.turn_away(&seeker, &refusal)
    }

    /// Refuses a client that asks for a seat, and closes its connection.
    fn turn_away(&self, seeker: &Seeker, refusal: &Response<G>) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        let who = with_address(Who::of(&seeker.player), &seeker.player);
        effects.turn_away(seeker.conn, who, refusal);
        effects
    }

    /// Seats a player, and begins the match with the second one.
    fn seat(
        &mut self,
        seeker: Seeker,
        wall: SystemTime,
        coin: bool,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let (conn, times) = (seeker.conn, self.settings.times);
        // The house's arrival is not logged.
        let is_news = !seeker.player.is_house();
        let event = |seeker: &Seeker, side| {
            let who = Who::seeking::<G>(&seeker.player, side);
            is_news.then(|| seated_event(who, &seeker.player))
        };
        match mem::replace(&mut self.phase, TablePhase::Empty) {
            TablePhase::Waiting(other, _) => {
                let side = match (seeker.side, other.side) {
                    (Some(side), _) => side,
                    (None, Some(side)) => side.opponent(),
                    (None, None) if coin => Color::Black,
                    (None, None) => Color::White,
                };
                let event = event(&seeker, Some(side));
                let are_times_sent = has_known_times(times, other.side);
                let mut players = ByColor::new(seeker.player, other.player);
                if side == Color::White {
                    players = players.swapped();
                }
                let scheduled = (self.scheduled.take(), self.wait_limit);
                let mut live = LiveMatch::new(&self.settings, players, wall, scheduled);
                effects.push(Effect::Begin);
                effects.push(live.start_entry());
                if !are_times_sent {
                    let granted = granted::<G>(times, Some(side.opponent()));
                    effects.send(other.conn, &granted);
                }
                effects.send(conn, &granted::<G>(times, Some(side)));
                event.into_iter().for_each(|event| effects.push(event));
                live.begin(&self.observers, now, effects);
                self.phase = TablePhase::Playing(Box::new(live));
            }
            _ => {
                if has_known_times(times, seeker.side) {
                    effects.send(conn, &granted::<G>(times, seeker.side));
                }
                event(&seeker, seeker.side)
                    .into_iter()
                    .for_each(|event| effects.push(event));
                let timeout = self.settings.seat_timeout;
                let deadline = timeout.map(|time| now.saturating_add(time));
                self.phase = TablePhase::Waiting(seeker, deadline);
            }
        }
    }

    /// Admits or rejects an observer.
    fn observe(&mut self, conn: ConnId, player: Player, now: Duration) -> Effects<G::Move> {
        let who = with_address(Who::of(&player), &player);
        let mut effects = self.no_effects();
        let refusal = if self.settings.private {
            let why = "Cannot observe: the match is private".to_owned();
            Some(Response::<G>::Refused(RoleRefusal::Private, why))
        } else if self.closed && !self.has_match() {
            Some(Response::Problem(NO_MORE.to_owned()))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            let text = refusal.to_string();
            let refused = LogEvent::refused(who, &text);
            effects.push(ToObservers::Reject(conn, text));
            effects.push(refused);
            return effects;
        }
        self.observers.insert(conn, player.called().cloned());
        let times = match &self.phase {
            TablePhase::Playing(live) => live.remaining(now),
            _ => self.settings.times,
        };
        let mut first = granted::<G>(times, None).to_string();
        if let TablePhase::Playing(live) = &self.phase {
            first.push_str(&live.for_observers(&self.observers, now));
        }
        effects.push(ToObservers::Admit(conn, first));
        effects.push(LogEvent::Observing { who });
        effects
    }
}

/// Returns whether a player gets the times as soon as it is seated. Its own time comes first,
/// so its side must be known, unless both sides have the same time.
fn has_known_times(times: Option<ByColor<Duration>>, side: Option<Color>) -> bool {
    side.is_some() || times.is_none_or(|times| times.black == times.white)
}

/// Returns the response that grants a role: 100, or 101 with the times. A client without a side
/// gets the second side's time first, as from the deployed server.
fn granted<G: NetrefGame>(times: Option<ByColor<Duration>>, side: Option<Color>) -> Response<G> {
    Response::Granted(times.map(|times| {
        let one = side.unwrap_or(Color::White);
        Times {
            secs: [one, one.opponent()].map(|side| times[side].as_secs()),
            is_own_first: side.is_some(),
        }
    }))
}

/// Returns the log event of a lost connection.
pub fn departure(who: Who, loss: &Loss) -> LogEvent {
    match loss {
        Loss::Closed => LogEvent::Left { who },
        Loss::Silent => LogEvent::Dropped {
            who,
            why: "it does not answer".into(),
        },
        Loss::Dropped(why) => LogEvent::Dropped {
            who,
            why: why.clone(),
        },
    }
}

/// Returns the log event of a player who has a seat.
fn seated_event(who: Who, player: &Player) -> LogEvent {
    LogEvent::Seated {
        who: with_address(who, player),
    }
}

/// Adds the address of a client to its name in the log.
pub fn with_address(who: Who, player: &Player) -> Who {
    Who {
        address: player.client.as_ref().and_then(|client| client.address),
        ..who
    }
}

impl<G: NetrefGame> Table<G> {
    /// Returns the current state for spectators.
    pub fn snapshot(&self) -> TableSnapshot {
        let times = self.settings.times;
        let clocks = times.map(|times| times.map(Clock::new));
        let mut snapshot = TableSnapshot {
            label: None,
            stage: SnapshotStage::Open,
            players: ByColor::default(),
            either: None,
            clocks,
            turn: None,
        };
        match &self.phase {
            TablePhase::Empty => {}
            TablePhase::Waiting(seeker, _) => {
                let client = Some(SeatedClient::new(Some(seeker.conn), &seeker.player));
                match seeker.side {
                    Some(side) => snapshot.players[side] = client,
                    None => snapshot.either = client,
                }
            }
            TablePhase::Playing(live) => return live.snapshot(),
        }
        snapshot
    }

    /// Returns the match that is on or waits for its players.
    pub fn live_match(&self) -> Option<&LiveMatch<G>> {
        match &self.phase {
            TablePhase::Playing(live) => Some(live),
            _ => None,
        }
    }
}
