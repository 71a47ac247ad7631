//! A table: its seats, its observers, and the match that is played there.
//!
//! Pure: requests and times go in, and [`Effects`] come out.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::client::{Client, ConnId, Who};
use super::effects::{Effect, Effects, FinishedMatch};
use super::game::NetrefGame;
use super::live_match::{LiveMatch, Seat};
use super::log::LogEvent;
use super::operator::CommandError;
use super::records::Ending;
use super::referee::Refusal;
use super::wire::{Action, Malformed, Name, Opening, Response, Role, Times};
use crate::clock::Clock;
use crate::color::{ByColor, Color};

/// The number of malformed requests in a row after which a client is dropped.
pub const MAX_MALFORMED: u32 = 10;

/// The reason given to such a client.
pub(super) const TOO_MANY_MALFORMED: &str = "Ten requests in a row were not understood";

/// The settings of all matches of a table.
#[derive(Clone, Debug)]
pub struct Settings<G: NetrefGame> {
    /// The server number.
    pub number: u16,
    /// The game at its start.
    pub start: G,
    /// The time on each clock; `None` without time controls.
    pub times: Option<ByColor<Duration>>,
    /// Whether nobody may observe.
    pub private: bool,
    /// Whether observers get no state displays.
    pub strict: bool,
    /// The time that a player waits for an opponent; without limit if `None`.
    pub seat_timeout: Option<Duration>,
}

/// A table of the server.
#[derive(Debug)]
pub struct Table<G: NetrefGame> {
    pub(super) settings: Settings<G>,
    phase: Phase<G>,
    observers: BTreeMap<ConnId, Option<Name>>,
    /// Whether no new match may begin.
    closed: bool,
}

#[derive(Debug)]
enum Phase<G: NetrefGame> {
    /// Nobody is seated.
    Empty,
    /// One player waits for another.
    Waiting(Seated),
    /// A match is on, or was interrupted and waits for its players.
    Playing(Box<LiveMatch<G>>),
}

/// A player who waits for an opponent.
#[derive(Debug)]
struct Seated {
    client: Client,
    /// The side that the player asked for; `None` for either.
    side: Option<Color>,
    pub(super) name: Option<Name>,
    pub(super) malformed: u32,
    pub(super) wait_deadline: Option<Duration>,
}

impl Seated {
    /// Names the player for the log.
    fn who<G: NetrefGame>(&self) -> Who {
        Who {
            side: Some(self.side.map_or("either side", |side| G::SIDES[side])),
            ..Who::named(self.client.conn, self.name.as_ref())
        }
    }
}

impl<G: NetrefGame> Table<G> {
    /// Creates an empty table.
    pub fn new(settings: Settings<G>) -> Table<G> {
        Table {
            settings,
            phase: Phase::Empty,
            observers: BTreeMap::new(),
            closed: false,
        }
    }

    /// Creates a table with an interrupted match, which waits for its players.
    pub fn resume(settings: Settings<G>, live: LiveMatch<G>, now: Duration) -> Table<G> {
        let mut table = Table::new(settings);
        // There are no observers yet.
        let _ = table.resume_match(live, now);
        table
    }

    /// Returns an empty list of effects.
    fn no_effects(&self) -> Effects<G::Move> {
        Effects::new(!self.observers.is_empty())
    }

    /// Returns whether a match is on or waits for its players.
    pub fn is_playing(&self) -> bool {
        matches!(self.phase, Phase::Playing(_))
    }

    /// Lets no further match begin. Tells a waiting player why, and disconnects them.
    pub fn close(&mut self, why: &str) -> Effects<G::Move> {
        self.closed = true;
        match &self.phase {
            Phase::Empty => self.disconnect_all(&[], why),
            Phase::Waiting(seated) => self.disconnect_all(&[seated.client.conn], why),
            Phase::Playing(_) => self.no_effects(),
        }
    }

    /// Empties the table: tells these players and all observers why, and disconnects them.
    fn disconnect_all(&mut self, players: &[ConnId], why: &str) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        let response = Response::<G>::Problem(why.into());
        for &conn in players {
            effects.send(conn, &response);
        }
        effects.broadcast(response.to_string());
        for &conn in players {
            effects.close(conn);
        }
        if effects.is_watched() {
            effects.push(Effect::CloseObservers);
        }
        self.phase = Phase::Empty;
        self.observers.clear();
        effects
    }

    /// Empties the table without telling anybody.
    pub fn abort(&mut self) {
        self.phase = Phase::Empty;
        self.observers.clear();
    }

    /// Resumes an interrupted or adjourned match, which waits for its players. Observers of
    /// the table get the messages of observers who join now.
    pub fn resume_match(&mut self, mut live: LiveMatch<G>, now: Duration) -> Effects<G::Move> {
        let timeout = self.settings.seat_timeout;
        live.strict = self.settings.strict;
        live.wait_deadline = timeout.map(|time| now.saturating_add(time));
        let mut effects = self.no_effects();
        if effects.is_watched() {
            effects.broadcast(live.for_observers(&self.observers, now));
        }
        self.phase = Phase::Playing(Box::new(live));
        effects
    }

    /// Lets new matches begin again.
    pub fn reopen(&mut self) {
        self.closed = false;
    }

    /// Stops at once, and tells all clients why. The match stays in its journal.
    pub fn stop(&mut self, why: &str) -> Effects<G::Move> {
        let Phase::Playing(live) = &self.phase else {
            return self.close(why);
        };
        let players: Vec<ConnId> = live.connections().collect();
        self.closed = true;
        self.disconnect_all(&players, why)
    }

    /// Returns the time at which [`Table::tick`] is to be called, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Empty => None,
            Phase::Waiting(seated) => seated.wait_deadline,
            Phase::Playing(live) => live.deadline(),
        }
    }

    /// Starts the clock of the player to move. Must be called for each
    /// [`Effect::StartClock`].
    pub fn start_clock(&mut self, now: Duration) {
        if let Phase::Playing(live) = &mut self.phase {
            live.start_clock(now);
        }
    }

    /// Handles an expired deadline: a flag that has fallen, or a wait that is over.
    pub fn tick(&mut self, now: Duration) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        match &mut self.phase {
            Phase::Waiting(seated) if seated.wait_deadline.is_some_and(|at| now >= at) => {
                let why = "Nobody came to play; ask again".to_owned();
                effects.refuse(seated.who::<G>(), &Response::<G>::Problem(why));
                effects.close(seated.client.conn);
                self.phase = Phase::Empty;
            }
            Phase::Playing(live) => {
                live.tick(now, &self.observers, &mut effects);
                self.finish(&mut effects);
            }
            _ => {}
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
        let result = match request {
            Ok(action) => self.act(conn, action, now, &mut effects),
            Err(Malformed(why)) => Err(Refusal::Misunderstood(why)),
        };
        match result {
            Err(Refusal::Misunderstood(why)) => {
                self.handle_malformed(conn, why, now, &mut effects);
            }
            understood => {
                if let Some(malformed) = self.malformed_count(conn) {
                    *malformed = 0;
                }
                if let Err(Refusal::Illegal(why)) = understood {
                    effects.refuse(self.who(conn), &Response::<G>::illegal(&why));
                }
            }
        }
        self.finish(&mut effects);
        effects
    }

    fn act(
        &mut self,
        conn: ConnId,
        action: Action<G::Move>,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) -> Result<(), Refusal> {
        match &mut self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => {
                Err(Refusal::Illegal("the match has not begun".into()))
            }
            Phase::Playing(live) => match live.side_of(conn) {
                Some(side) => live.act(side, action, now, effects),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Handles a malformed request. After too many in a row the client is dropped, and loses
    /// its match.
    fn handle_malformed(
        &mut self,
        conn: ConnId,
        why: String,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(malformed) = self.malformed_count(conn) else {
            return;
        };
        *malformed += 1;
        let is_enough = *malformed >= MAX_MALFORMED;
        let who = self.who(conn);
        effects.refuse(who.clone(), &Response::<G>::not_understood(&why));
        if !is_enough {
            return;
        }
        effects.log(LogEvent::Dropped {
            who,
            why: TOO_MANY_MALFORMED.into(),
        });
        match &mut self.phase {
            Phase::Playing(live) => {
                if let Some(side) = live.side_of(conn) {
                    live.drop_player(side, TOO_MANY_MALFORMED, now, effects);
                }
            }
            _ => {
                effects.drop_client::<G>(conn, TOO_MANY_MALFORMED);
                self.phase = Phase::Empty;
            }
        }
    }

    /// Names a client for the log.
    fn who(&self, conn: ConnId) -> Who {
        match &self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => seated.who::<G>(),
            Phase::Playing(live) => match live.side_of(conn) {
                Some(side) => live.who(side),
                None => Who::stranger(conn),
            },
            _ => Who::stranger(conn),
        }
    }

    /// Returns the counter of a player's malformed requests in a row.
    fn malformed_count(&mut self, conn: ConnId) -> Option<&mut u32> {
        match &mut self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => Some(&mut seated.malformed),
            Phase::Playing(live) => {
                let side = live.side_of(conn)?;
                Some(&mut live.seats[side].malformed)
            }
            _ => None,
        }
    }

    /// Handles the disconnection of a client.
    pub fn leave(&mut self, conn: ConnId, now: Duration) -> Effects<G::Move> {
        self.remove_client(conn, None, now)
    }

    /// Handles that the server dropped a client, for example because it does not read.
    pub fn drop_client(&mut self, conn: ConnId, why: String, now: Duration) -> Effects<G::Move> {
        self.remove_client(conn, Some(why), now)
    }

    fn remove_client(
        &mut self,
        conn: ConnId,
        why: Option<String>,
        now: Duration,
    ) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        self.observers.remove(&conn);
        let who = self.who(conn);
        let event = match why {
            None => LogEvent::Left { who },
            Some(why) => LogEvent::Dropped { who, why },
        };
        match &mut self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => {
                effects.log(event);
                self.phase = Phase::Empty;
            }
            Phase::Playing(live) => {
                if let Some(side) = live.side_of(conn) {
                    effects.log(event);
                    live.leave(side, now, &mut effects);
                    self.finish(&mut effects);
                }
            }
            _ => {}
        }
        effects
    }

    /// Describes the state of the table for the operator.
    pub fn describe(&self) -> String {
        match &self.phase {
            Phase::Empty => "nobody".into(),
            Phase::Waiting(seated) => {
                let side = seated.side.map_or("either side", |side| G::SIDES[side]);
                format!("{} waits to play {side}", seated.who::<G>().without_side())
            }
            Phase::Playing(live) => {
                let waits = if live.begun {
                    ""
                } else {
                    ", waits for its players"
                };
                format!("match {}, {}{waits}", live.id, live.title())
            }
        }
    }

    /// Returns whether nobody is seated, so that a match can be resumed here.
    pub fn is_empty(&self) -> bool {
        matches!(self.phase, Phase::Empty)
    }

    /// Checks whether the match can be adjourned.
    ///
    /// # Errors
    /// If nothing is played here, or a player could not resume the match.
    pub fn check_adjourn(&self) -> Result<(), CommandError> {
        match &self.phase {
            Phase::Playing(live) if live.can_resume() => Ok(()),
            Phase::Playing(_) => Err(CommandError::Unnamed),
            _ => Err(CommandError::NoMatch),
        }
    }

    /// Adjourns the match: empties the table, and tells all clients why. The match stays in its
    /// journal. Call [`Table::tick`] before.
    pub fn adjourn(&mut self, why: &str) -> Effects<G::Move> {
        let Phase::Playing(live) = &self.phase else {
            return self.no_effects();
        };
        let players: Vec<ConnId> = live.connections().collect();
        self.disconnect_all(&players, why)
    }

    /// Ends the match, if there is one, without a winner. It is recorded, and the table is
    /// empty. What is due is done first: see [`Table::tick`].
    pub fn void(&mut self, why: &str, now: Duration) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        if let Phase::Playing(live) = &mut self.phase {
            live.void(why, now, &mut effects);
            self.finish(&mut effects);
        }
        effects
    }

    /// If the match is over, records it and empties the table.
    fn finish(&mut self, effects: &mut Effects<G::Move>) {
        let Phase::Playing(live) = &self.phase else {
            return;
        };
        let Some(summary) = live.summary() else {
            return;
        };
        effects.log(LogEvent::ended::<G>(&summary));
        let moves: Vec<_> = live.referee.moves().copied().collect();
        let record = live.game().record(&summary, &moves);
        effects.push(Effect::Finish(Box::new(FinishedMatch {
            summary,
            moves,
            record,
            snapshot: live.snapshot(),
            rules: live.game().rules(),
        })));
        for conn in live.connections() {
            effects.close(conn);
        }
        if effects.is_watched() {
            effects.push(Effect::CloseObservers);
        }
        self.observers.clear();
        self.phase = Phase::Empty;
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
        let client = client.into();
        let conn = client.conn;
        let Opening { role, name, .. } = opening;
        let stranger = Who::named(conn, name.as_ref());
        let wanted = match role {
            Role::Observer => return self.observe(client, name, now),
            Role::Player(side) => Some(side),
            Role::EitherPlayer => None,
        };
        let mut effects = self.no_effects();
        match &mut self.phase {
            Phase::Playing(live) => match live.reclaimable_seat(wanted, client, name.as_ref()) {
                Ok(side) => {
                    effects.send(conn, &granted::<G>(live.remaining(now), Some(side)));
                    live.sit_down(side, conn, name.is_some());
                    let who = live.who(side);
                    effects.log(seated_event(who, client));
                    if live.is_complete() {
                        self.begin(&mut effects, now);
                    }
                    return effects;
                }
                Err(refusal) => effects.refuse(stranger, &refusal),
            },
            _ if self.closed => {
                let why = "No more matches are played here".to_owned();
                effects.refuse(stranger, &Response::<G>::Problem(why));
            }
            Phase::Waiting(first) if wanted.is_some() && first.side == wanted => {
                effects.refuse(stranger, &Response::<G>::side_taken());
            }
            _ => {
                let seated = Seated {
                    client,
                    side: wanted,
                    name,
                    malformed: 0,
                    wait_deadline: self
                        .settings
                        .seat_timeout
                        .map(|time| now.saturating_add(time)),
                };
                self.seat(seated, wall, coin, now, &mut effects);
                return effects;
            }
        }
        effects.close(conn);
        effects
    }

    /// Seats a player, and begins the match with the second one.
    fn seat(
        &mut self,
        seated: Seated,
        wall: SystemTime,
        coin: bool,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let conn = seated.client.conn;
        let event = seated_event(seated.who::<G>(), seated.client);
        match std::mem::replace(&mut self.phase, Phase::Empty) {
            Phase::Waiting(other) => {
                let side = match (seated.side, other.side) {
                    (Some(side), _) => side,
                    (None, Some(side)) => side.opponent(),
                    (None, None) if coin => Color::Black,
                    (None, None) => Color::White,
                };
                let times = self.settings.times;
                let are_times_sent = has_known_times(times, other.side);
                let waited = other.client.conn;
                let mut seats = ByColor::new(
                    Seat::new::<G>(seated.client, seated.name),
                    Seat::new::<G>(other.client, other.name),
                );
                if side == Color::White {
                    seats = seats.swapped();
                }
                let live = LiveMatch::new(&self.settings, seats, wall);
                effects.push(Effect::Begin);
                effects.journal(live.start_entry());
                if !are_times_sent {
                    let granted = granted::<G>(times, Some(side.opponent()));
                    effects.send(waited, &granted);
                }
                effects.send(conn, &granted::<G>(times, Some(side)));
                effects.log(event);
                self.phase = Phase::Playing(Box::new(live));
                self.begin(effects, now);
            }
            _ => {
                let times = self.settings.times;
                if has_known_times(times, seated.side) {
                    effects.send(conn, &granted::<G>(times, seated.side));
                }
                effects.log(event);
                self.phase = Phase::Waiting(seated);
            }
        }
    }

    /// Tells all clients at the table that the match begins or goes on.
    fn begin(&mut self, effects: &mut Effects<G::Move>, now: Duration) {
        let Phase::Playing(live) = &mut self.phase else {
            return;
        };
        live.begin(&self.observers, now, effects);
    }

    /// Admits or rejects an observer.
    fn observe(&mut self, client: Client, name: Option<Name>, now: Duration) -> Effects<G::Move> {
        let conn = client.conn;
        let who = Who::named(conn, name.as_ref());
        let refusal = if self.settings.private {
            Some(Response::<G>::private())
        } else if self.closed && !self.is_playing() {
            let why = "No more matches are played here".to_owned();
            Some(Response::Problem(why))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            let mut effects = self.no_effects();
            let text = refusal.to_string();
            let response = text.trim_end().to_owned();
            effects.push(Effect::RejectObserver(conn, text));
            effects.log(LogEvent::Refused { who, response });
            return effects;
        }
        let mut effects = self.no_effects();
        self.observers.insert(conn, name);
        let times = match &self.phase {
            Phase::Playing(live) => live.remaining(now),
            _ => self.settings.times,
        };
        let mut first = granted::<G>(times, None).to_string();
        if let Phase::Playing(live) = &self.phase {
            first.push_str(&live.for_observers(&self.observers, now));
        }
        effects.push(Effect::AdmitObserver(conn, first));
        effects.log(LogEvent::Observing {
            who: Who {
                address: client.address,
                ..who
            },
        });
        effects
    }
}

/// Returns whether a player gets the times as soon as it is seated. Its own time comes first,
/// so its side must be known, unless both sides have the same time.
fn has_known_times(times: Option<ByColor<Duration>>, side: Option<Color>) -> bool {
    side.is_some() || times.is_none_or(|times| times.black == times.white)
}

/// Returns 100, or 101 with the times. A client without a side is told the second side's
/// time first, as by the deployed server.
fn granted<G: NetrefGame>(times: Option<ByColor<Duration>>, side: Option<Color>) -> Response<G> {
    Response::Granted(times.map(|times| {
        let one = side.unwrap_or(Color::White);
        Times {
            secs: [one, one.opponent()].map(|side| times[side].as_secs()),
            is_own_first: side.is_some(),
        }
    }))
}

/// Returns the log event of a player who has a seat.
fn seated_event(who: Who, client: Client) -> LogEvent {
    LogEvent::Seated {
        who: Who {
            address: client.address,
            ..who
        },
    }
}

/// What spectators see of a table at one moment, except for the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableSnapshot {
    pub(super) stage: SnapshotStage,
    /// The player of each side.
    pub(super) players: ByColor<Option<SeatedClient>>,
    /// A player who waits for an opponent and asked for either side.
    pub(super) either: Option<SeatedClient>,
    /// The clocks, with time controls.
    pub(super) clocks: Option<ByColor<Clock>>,
    /// The side to move, if a match is on.
    pub(super) turn: Option<Color>,
}

/// What goes on at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SnapshotStage {
    /// A player or both are missing.
    Open,
    /// An interrupted match waits for its players.
    Interrupted,
    /// A match is on.
    Playing,
    /// A match is over, and nobody has come since.
    Over(Ending),
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeatedClient {
    /// The connection; `None` while the player of an interrupted match is absent.
    pub(super) conn: Option<ConnId>,
    pub(super) name: Option<Name>,
}

impl TableSnapshot {
    /// Creates the snapshot of an empty table.
    fn empty(clocks: Option<ByColor<Clock>>) -> TableSnapshot {
        TableSnapshot {
            stage: SnapshotStage::Open,
            players: ByColor::default(),
            either: None,
            clocks,
            turn: None,
        }
    }

    /// Returns whether there is neither a player nor a match.
    pub(super) fn is_empty(&self) -> bool {
        self.stage == SnapshotStage::Open && self.clients().next().is_none()
    }

    /// Returns whether it shows the end of a match.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, SnapshotStage::Over(_))
    }

    /// Returns all connected players, with their sides.
    pub(super) fn clients(&self) -> impl Iterator<Item = (ConnId, &SeatedClient, Option<Color>)> {
        let seated = Color::ALL
            .into_iter()
            .filter_map(|side| Some((self.players[side].as_ref()?, Some(side))));
        let either = self.either.iter().map(|client| (client, None));
        seated
            .chain(either)
            .filter(|_| !self.is_over())
            .filter_map(|(client, side)| Some((client.conn?, client, side)))
    }
}

impl<G: NetrefGame> Table<G> {
    /// Returns what spectators see now.
    pub(super) fn snapshot(&self) -> TableSnapshot {
        let times = self.settings.times;
        let clocks = times.map(|times| ByColor::from_fn(|side| Clock::new(times[side])));
        let mut snapshot = TableSnapshot::empty(clocks);
        match &self.phase {
            Phase::Empty => {}
            Phase::Waiting(seated) => {
                let client = Some(SeatedClient {
                    conn: Some(seated.client.conn),
                    name: seated.name.clone(),
                });
                match seated.side {
                    Some(side) => snapshot.players[side] = client,
                    None => snapshot.either = client,
                }
            }
            Phase::Playing(live) => return live.snapshot(),
        }
        snapshot
    }

    /// Returns the match that is on or waits for its players.
    pub(super) fn live_match(&self) -> Option<&LiveMatch<G>> {
        match &self.phase {
            Phase::Playing(live) => Some(live),
            _ => None,
        }
    }
}

impl<G: NetrefGame> LiveMatch<G> {
    /// Returns what spectators see now.
    pub(super) fn snapshot(&self) -> TableSnapshot {
        TableSnapshot {
            stage: match self.referee.ending() {
                Some(ending) => SnapshotStage::Over(ending.clone()),
                None if self.begun => SnapshotStage::Playing,
                None => SnapshotStage::Interrupted,
            },
            players: ByColor::from_fn(|side| {
                let seat = &self.seats[side];
                Some(SeatedClient {
                    conn: seat.conn,
                    name: seat.name().cloned(),
                })
            }),
            either: None,
            clocks: self.referee.clocks(),
            turn: self.referee.to_move(),
        }
    }
}
