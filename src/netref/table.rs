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

/// The reason for which it is then dropped.
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
    pub(super) leaves_at: Option<Duration>,
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
    pub fn resume(settings: Settings<G>, playing: LiveMatch<G>, now: Duration) -> Table<G> {
        let mut table = Table::new(settings);
        // Nobody is there yet to be told.
        let _ = table.resume_match(playing, now);
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

    /// Lets no further match begin. A waiting player is told why.
    pub fn close(&mut self, why: &str) -> Effects<G::Move> {
        self.closed = true;
        match &self.phase {
            Phase::Empty => self.dismiss(&[], why),
            Phase::Waiting(seated) => self.dismiss(&[seated.client.conn], why),
            Phase::Playing(_) => self.no_effects(),
        }
    }

    /// Empties the table: closes these players and all observers, and tells them why.
    fn dismiss(&mut self, players: &[ConnId], why: &str) -> Effects<G::Move> {
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
    /// the table are told of it as if they came now.
    pub fn resume_match(&mut self, mut playing: LiveMatch<G>, now: Duration) -> Effects<G::Move> {
        let timeout = self.settings.seat_timeout;
        playing.strict = self.settings.strict;
        playing.leaves_at = timeout.map(|time| now.saturating_add(time));
        let mut effects = self.no_effects();
        if effects.is_watched() {
            effects.broadcast(playing.for_observers(&self.observers, now));
        }
        self.phase = Phase::Playing(Box::new(playing));
        effects
    }

    /// Lets new matches begin again.
    pub fn reopen(&mut self) {
        self.closed = false;
    }

    /// Stops at once, and tells everybody why. The match stays as its journal has it.
    pub fn stop(&mut self, why: &str) -> Effects<G::Move> {
        let Phase::Playing(playing) = &self.phase else {
            return self.close(why);
        };
        let players: Vec<ConnId> = playing.connections().collect();
        self.closed = true;
        self.dismiss(&players, why)
    }

    /// Returns the time at which [`Table::tick`] is to be called, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Empty => None,
            Phase::Waiting(seated) => seated.leaves_at,
            Phase::Playing(playing) => playing.deadline(),
        }
    }

    /// Starts the clock of the player to move, who has been told: see
    /// [`Effect::StartClock`].
    pub fn start_clock(&mut self, now: Duration) {
        if let Phase::Playing(playing) = &mut self.phase {
            playing.start_clock(now);
        }
    }

    /// Does what is due: a flag falls, or a player has waited long enough.
    pub fn tick(&mut self, now: Duration) -> Effects<G::Move> {
        let mut effects = self.no_effects();
        match &mut self.phase {
            Phase::Waiting(seated) if seated.leaves_at.is_some_and(|at| now >= at) => {
                let why = "Nobody came to play; ask again".to_owned();
                effects.refuse(seated.who::<G>(), &Response::<G>::Problem(why));
                effects.close(seated.client.conn);
                self.phase = Phase::Empty;
            }
            Phase::Playing(playing) => {
                playing.tick(now, &self.observers, &mut effects);
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
                self.misunderstood(conn, why, now, &mut effects);
            }
            understood => {
                if let Some(malformed) = self.malformed(conn) {
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
            Phase::Playing(playing) => match playing.side_of(conn) {
                Some(side) => playing.act(side, action, now, effects),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Handles a malformed request. After too many in a row the client is told so and
    /// dropped, and loses its match.
    fn misunderstood(
        &mut self,
        conn: ConnId,
        why: String,
        now: Duration,
        effects: &mut Effects<G::Move>,
    ) {
        let Some(malformed) = self.malformed(conn) else {
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
            Phase::Playing(playing) => {
                if let Some(side) = playing.side_of(conn) {
                    playing.expel(side, TOO_MANY_MALFORMED, now, effects);
                }
            }
            _ => {
                effects.dismiss::<G>(conn, TOO_MANY_MALFORMED);
                self.phase = Phase::Empty;
            }
        }
    }

    /// Names a client for the log.
    fn who(&self, conn: ConnId) -> Who {
        match &self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => seated.who::<G>(),
            Phase::Playing(playing) => match playing.side_of(conn) {
                Some(side) => playing.who(side),
                None => Who::stranger(conn),
            },
            _ => Who::stranger(conn),
        }
    }

    /// Returns the number of malformed requests of a player in a row.
    fn malformed(&mut self, conn: ConnId) -> Option<&mut u32> {
        match &mut self.phase {
            Phase::Waiting(seated) if seated.client.conn == conn => Some(&mut seated.malformed),
            Phase::Playing(playing) => {
                let side = playing.side_of(conn)?;
                Some(&mut playing.seats[side].malformed)
            }
            _ => None,
        }
    }

    /// Handles that a client has left.
    pub fn leave(&mut self, conn: ConnId, now: Duration) -> Effects<G::Move> {
        self.gone(conn, None, now)
    }

    /// Handles that a client was dropped, for example because it does not read.
    pub fn lose(&mut self, conn: ConnId, why: String, now: Duration) -> Effects<G::Move> {
        self.gone(conn, Some(why), now)
    }

    fn gone(&mut self, conn: ConnId, why: Option<String>, now: Duration) -> Effects<G::Move> {
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
            Phase::Playing(playing) => {
                if let Some(side) = playing.side_of(conn) {
                    effects.log(event);
                    playing.leave(side, now, &mut effects);
                    self.finish(&mut effects);
                }
            }
            _ => {}
        }
        effects
    }

    /// Describes for the operator what goes on.
    pub fn describe(&self) -> String {
        match &self.phase {
            Phase::Empty => "nobody".into(),
            Phase::Waiting(seated) => {
                let side = seated.side.map_or("either side", |side| G::SIDES[side]);
                format!("{} waits to play {side}", seated.who::<G>().without_side())
            }
            Phase::Playing(playing) => {
                let waits = if playing.begun {
                    ""
                } else {
                    ", waits for its players"
                };
                format!("match {}, {}{waits}", playing.id, playing.title())
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
            Phase::Playing(playing) if playing.can_resume() => Ok(()),
            Phase::Playing(_) => Err(CommandError::Unnamed),
            _ => Err(CommandError::NoMatch),
        }
    }

    /// Adjourns the match: empties the table, and tells everybody why. The match stays as its
    /// journal has it. Call [`Table::tick`] before.
    pub fn adjourn(&mut self, why: &str) -> Effects<G::Move> {
        let Phase::Playing(playing) = &self.phase else {
            return self.no_effects();
        };
        let players: Vec<ConnId> = playing.connections().collect();
        self.dismiss(&players, why)
    }

    /// Ends the match, if there is one, without a winner. It is recorded, and the table is
    /// empty. What is due is done first: see [`Table::tick`].
    pub fn void(&mut self, why: &str, now: Duration) -> Effects<G::Move> {
        let mut effects = self.tick(now);
        if let Phase::Playing(playing) = &mut self.phase {
            playing.void(why, now, &mut effects);
            self.finish(&mut effects);
        }
        effects
    }

    /// Empties the table if its match is over.
    fn finish(&mut self, effects: &mut Effects<G::Move>) {
        let Phase::Playing(playing) = &self.phase else {
            return;
        };
        let Some(summary) = playing.summary() else {
            return;
        };
        effects.log(LogEvent::ended::<G>(&summary));
        let moves: Vec<_> = playing.referee.moves().copied().collect();
        let record = playing.game().record(&summary, &moves);
        effects.push(Effect::Finish(Box::new(FinishedMatch {
            summary,
            moves,
            record,
            snapshot: playing.snapshot(),
            rules: playing.game().rules(),
        })));
        for conn in playing.connections() {
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
            Phase::Playing(playing) => match playing.free_seat(wanted, client, name.as_ref()) {
                Ok(side) => {
                    effects.send(conn, &granted::<G>(playing.left(now), Some(side)));
                    playing.sit_down(side, conn, name.is_some());
                    let who = playing.who(side);
                    effects.log(seated_event(who, client));
                    if playing.is_complete() {
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
                    leaves_at: self
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
                let is_told = is_told_at_once(times, other.side);
                let waited = other.client.conn;
                let mut seats = ByColor::new(
                    Seat::new::<G>(seated.client, seated.name),
                    Seat::new::<G>(other.client, other.name),
                );
                if side == Color::White {
                    seats = seats.swapped();
                }
                let playing = LiveMatch::new(&self.settings, seats, wall);
                effects.push(Effect::Begin);
                effects.journal(playing.start_entry());
                if !is_told {
                    let granted = granted::<G>(times, Some(side.opponent()));
                    effects.send(waited, &granted);
                }
                effects.send(conn, &granted::<G>(times, Some(side)));
                effects.log(event);
                self.phase = Phase::Playing(Box::new(playing));
                self.begin(effects, now);
            }
            _ => {
                let times = self.settings.times;
                if is_told_at_once(times, seated.side) {
                    effects.send(conn, &granted::<G>(times, seated.side));
                }
                effects.log(event);
                self.phase = Phase::Waiting(seated);
            }
        }
    }

    /// Tells everybody that the match begins or goes on.
    fn begin(&mut self, effects: &mut Effects<G::Move>, now: Duration) {
        let Phase::Playing(playing) = &mut self.phase else {
            return;
        };
        playing.begin(&self.observers, now, effects);
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
            Phase::Playing(playing) => playing.left(now),
            _ => self.settings.times,
        };
        let mut first = granted::<G>(times, None).to_string();
        if let Phase::Playing(playing) = &self.phase {
            first.push_str(&playing.for_observers(&self.observers, now));
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

/// Returns whether a player is told the times with its seat. Its own time comes first;
/// before its side is known, that is only known if both sides have the same.
fn is_told_at_once(times: Option<ByColor<Duration>>, side: Option<Color>) -> bool {
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
            Phase::Playing(playing) => return playing.snapshot(),
        }
        snapshot
    }

    /// Returns the match that is on or waits for its players.
    pub(super) fn playing(&self) -> Option<&LiveMatch<G>> {
        match &self.phase {
            Phase::Playing(playing) => Some(playing),
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
