//! One table: who sits at it, who watches, and the match that is played. Pure:
//! requests and times go in, what is to be done comes out.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::effects::{ConnId, Effects};
use super::entry::Entry;
use super::game::Game;
use super::name::Name;
use super::news::News;
use super::playing::{Chair, Playing};
use super::record::Reason;
use super::referee::Refusal;
use super::request::{Action, Garbled, Opening, Want};
use super::response::Response;
use super::side::{Side, Sides};

/// So many garbled requests in a row, and the connection is closed.
pub const MAX_GARBLED: u32 = 10;

/// What is the same for all matches of a table.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server number.
    pub number: u16,
    /// What each side has on its clock; `None` without time controls.
    pub times: Option<Sides<Duration>>,
    /// Whether nobody may observe.
    pub private: bool,
    /// How long a player waits for his opponent; for ever if `None`.
    pub seat_timeout: Option<Duration>,
}

/// A table of the referee.
#[derive(Debug)]
pub struct Table<G: Game> {
    settings: Settings,
    phase: Phase<G>,
    pub(super) observers: BTreeMap<ConnId, Option<Name>>,
    /// Whether no new match may begin.
    closed: bool,
}

#[derive(Debug)]
enum Phase<G: Game> {
    /// Nobody sits here.
    Empty,
    /// One player waits for another.
    Waiting(Seated),
    /// A match is played, or was interrupted and waits for its players.
    Playing(Box<Playing<G>>),
}

/// A player who waits for another.
#[derive(Debug)]
struct Seated {
    conn: ConnId,
    /// The side that he wants; `None` for either.
    side: Option<Side>,
    name: Option<Name>,
    garbled: u32,
    leaves_at: Option<Duration>,
}

impl<G: Game> Table<G> {
    /// A table where nobody sits.
    pub fn new(settings: Settings) -> Table<G> {
        Table {
            settings,
            phase: Phase::Empty,
            observers: BTreeMap::new(),
            closed: false,
        }
    }

    /// A table with an interrupted match, which waits for its players.
    pub fn resume(settings: Settings, mut playing: Playing<G>, now: Duration) -> Table<G> {
        playing.leaves_at = settings.seat_timeout.map(|time| now.saturating_add(time));
        Table {
            phase: Phase::Playing(Box::new(playing)),
            ..Table::new(settings)
        }
    }

    /// Nothing to do so far.
    fn no_effects(&self) -> Effects {
        Effects {
            watched: !self.observers.is_empty(),
            ..Effects::default()
        }
    }

    /// Whether a match is being played or waits for its players.
    pub fn is_playing(&self) -> bool {
        matches!(self.phase, Phase::Playing(_))
    }

    /// Lets no new match begin. A waiting player is told so.
    pub fn close(&mut self, why: &str) -> Effects {
        self.closed = true;
        let mut effects = self.no_effects();
        if let Phase::Waiting(seated) = &self.phase {
            effects.send(seated.conn, &Response::<G>::Unknown(why.into()));
            effects.closes.push(seated.conn);
            self.phase = Phase::Empty;
        }
        if !self.is_playing() && effects.watched {
            effects.broadcast = Response::<G>::Unknown(why.into()).to_string();
            effects.closes_observers = true;
            self.observers.clear();
        }
        effects
    }

    /// Stops everything at once: all are told why. The match stays as its
    /// journal has it.
    pub fn stop(&mut self, why: &str) -> Effects {
        let mut effects = self.no_effects();
        if let Phase::Playing(playing) = &self.phase {
            for conn in playing.connections() {
                effects.send(conn, &Response::<G>::Unknown(why.into()));
                effects.closes.push(conn);
            }
            self.phase = Phase::Empty;
        }
        let Effects {
            sends,
            closes,
            broadcast,
            closes_observers,
            ..
        } = self.close(why);
        effects.sends.extend(sends);
        effects.closes.extend(closes);
        effects.broadcast = broadcast;
        effects.closes_observers = closes_observers;
        effects
    }

    /// When [`Table::tick`] is to be called, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        match &self.phase {
            Phase::Empty => None,
            Phase::Waiting(seated) => seated.leaves_at,
            Phase::Playing(playing) => playing.deadline(),
        }
    }

    /// What was to be sent has been: the player to move knows that it is his
    /// turn.
    pub fn told(&mut self, now: Duration) {
        if let Phase::Playing(playing) = &mut self.phase {
            playing.told(now);
        }
    }

    /// Does what is due: a flag falls, a player has waited long enough.
    pub fn tick(&mut self, now: Duration) -> Effects {
        let mut effects = self.no_effects();
        match &mut self.phase {
            Phase::Waiting(seated) if seated.leaves_at.is_some_and(|at| now >= at) => {
                let why = "Nobody came to play; ask again".to_owned();
                effects.refuse(seated.conn, &Response::<G>::Unknown(why));
                effects.closes.push(seated.conn);
                self.phase = Phase::Empty;
            }
            Phase::Playing(playing) => {
                playing.tick(now, &mut effects);
                self.finish(&mut effects);
            }
            _ => {}
        }
        effects
    }

    /// A connection asks for a role. `coin` decides who has which side if both
    /// want either.
    pub fn open(
        &mut self,
        conn: ConnId,
        opening: Opening,
        now: Duration,
        wall: SystemTime,
        coin: bool,
    ) -> Effects {
        let Opening { want, name } = opening;
        let wanted = match want {
            Want::Observe => return self.observe(conn, name, now),
            Want::Side(side) => Some(side),
            Want::Either => None,
        };
        let mut effects = self.no_effects();
        match &mut self.phase {
            Phase::Playing(playing) => match playing.chair_for(wanted, name.as_ref()) {
                Ok(side) => {
                    effects.send(conn, &granted::<G>(playing.left(now), Some(side)));
                    let seated = seated_news::<G>(conn, Some(side), name.as_ref());
                    effects.news.push(seated);
                    playing.sit_down(side, conn, name.is_some());
                    if playing.is_complete() {
                        self.begin(&mut effects, now);
                    }
                    return effects;
                }
                Err(refusal) => effects.refuse(conn, &refusal),
            },
            _ if self.closed => {
                let why = "No more matches are played here".to_owned();
                effects.refuse(conn, &Response::<G>::Unknown(why));
            }
            Phase::Waiting(first) if wanted.is_some() && first.side == wanted => {
                effects.refuse(conn, &Response::<G>::SeatTaken);
            }
            _ => {
                let seated = Seated {
                    conn,
                    side: wanted,
                    name,
                    garbled: 0,
                    leaves_at: self
                        .settings
                        .seat_timeout
                        .map(|time| now.saturating_add(time)),
                };
                self.seat(seated, wall, coin, now, &mut effects);
                return effects;
            }
        }
        effects.closes.push(conn);
        effects
    }

    /// Gives a player a seat, and begins if he is the second one.
    fn seat(
        &mut self,
        seated: Seated,
        wall: SystemTime,
        coin: bool,
        now: Duration,
        effects: &mut Effects,
    ) {
        let Seated { conn, ref name, .. } = seated;
        let news = seated_news::<G>(conn, seated.side, name.as_ref());
        effects.news.push(news);
        match std::mem::replace(&mut self.phase, Phase::Empty) {
            Phase::Waiting(other) => {
                let side = match (seated.side, other.side) {
                    (Some(side), _) => side,
                    (None, Some(side)) => side.opponent(),
                    (None, None) if coin => Side::First,
                    (None, None) => Side::Second,
                };
                effects.send(
                    conn,
                    &granted::<G>(self.settings.times, seated.side.map(|_| side)),
                );
                let mut chairs = Sides {
                    first: Chair::new(seated.conn, seated.name),
                    second: Chair::new(other.conn, other.name),
                };
                if side == Side::Second {
                    std::mem::swap(&mut chairs.first, &mut chairs.second);
                }
                let playing = Playing::new(self.settings.number, self.settings.times, chairs, wall);
                effects.journal.push(playing.start_entry());
                self.phase = Phase::Playing(Box::new(playing));
                effects.began = true;
                self.begin(effects, now);
            }
            _ => {
                effects.send(conn, &granted::<G>(self.settings.times, seated.side));
                self.phase = Phase::Waiting(seated);
            }
        }
    }

    /// Tells everybody that the match begins or goes on.
    fn begin(&mut self, effects: &mut Effects, now: Duration) {
        let Phase::Playing(playing) = &mut self.phase else {
            return;
        };
        playing.begin(&self.observers, now, effects);
    }

    /// Lets a connection observe.
    fn observe(&mut self, conn: ConnId, name: Option<Name>, now: Duration) -> Effects {
        let mut effects = self.no_effects();
        if self.settings.private {
            effects.refuse(conn, &Response::<G>::SeatPrivate);
            effects.closes.push(conn);
            return effects;
        }
        if self.closed && !self.is_playing() {
            let why = "No more matches are played here".to_owned();
            effects.refuse(conn, &Response::<G>::Unknown(why));
            effects.closes.push(conn);
            return effects;
        }
        effects.news.push(News::Observing {
            conn,
            name: name.as_ref().map(Name::to_string),
        });
        self.observers.insert(conn, name);
        let times = match &self.phase {
            Phase::Playing(playing) => playing.left(now),
            _ => self.settings.times,
        };
        let mut first = granted::<G>(times, None).to_string();
        if let Phase::Playing(playing) = &self.phase {
            first.push_str(&playing.configuration(&self.observers));
            first.push_str(&Response::<G>::RoleObserver.to_string());
            first.push_str(&playing.display(now));
        }
        effects.observers.push((conn, first));
        effects
    }

    /// A player's request.
    pub fn request(
        &mut self,
        conn: ConnId,
        request: Result<Action<G::Move>, Garbled>,
        now: Duration,
    ) -> Effects {
        let mut effects = self.tick(now);
        let action = match request {
            Ok(action) => action,
            Err(Garbled(why)) => {
                self.misunderstood(conn, why, &mut effects);
                return effects;
            }
        };
        match &mut self.phase {
            Phase::Waiting(seated) if seated.conn == conn => {
                seated.garbled = 0;
                let why = "the match has not begun".to_owned();
                effects.refuse(conn, &Response::<G>::Illegal(why));
            }
            Phase::Playing(playing) => {
                if let Some(side) = playing.side_of(conn) {
                    match playing.act(side, action, now, &mut effects) {
                        Ok(()) => playing.chairs[side].garbled = 0,
                        Err(Refusal::Illegal(why)) => {
                            playing.chairs[side].garbled = 0;
                            effects.refuse(conn, &Response::<G>::Illegal(why));
                        }
                        Err(Refusal::Misnumbered(why)) => {
                            self.misunderstood(conn, why, &mut effects);
                        }
                    }
                    self.finish(&mut effects);
                }
            }
            _ => {}
        }
        effects
    }

    /// A request was not understood. Too many in a row, and the connection is
    /// closed; that it has left is heard of later.
    fn misunderstood(&mut self, conn: ConnId, why: String, effects: &mut Effects) {
        let garbled = match &mut self.phase {
            Phase::Waiting(seated) if seated.conn == conn => &mut seated.garbled,
            Phase::Playing(playing) => match playing.side_of(conn) {
                Some(side) => &mut playing.chairs[side].garbled,
                None => return,
            },
            _ => return,
        };
        *garbled = garbled.saturating_add(1);
        if *garbled > MAX_GARBLED {
            return;
        }
        let close = *garbled == MAX_GARBLED;
        effects.refuse(conn, &Response::<G>::NotUnderstood(why));
        if close {
            effects.closes.push(conn);
        }
    }

    /// A connection is gone.
    pub fn leave(&mut self, conn: ConnId, now: Duration) -> Effects {
        let mut effects = self.tick(now);
        self.observers.remove(&conn);
        match &mut self.phase {
            Phase::Waiting(seated) if seated.conn == conn => self.phase = Phase::Empty,
            Phase::Playing(playing) => {
                if let Some(side) = playing.side_of(conn) {
                    playing.leave(side, now, &mut effects);
                    self.finish(&mut effects);
                }
            }
            _ => {}
        }
        effects
    }

    /// Frees the table if its match is over.
    fn finish(&mut self, effects: &mut Effects) {
        let Phase::Playing(playing) = &self.phase else {
            return;
        };
        let Some(summary) = playing.summary() else {
            return;
        };
        effects.closes.extend(playing.connections());
        effects.closes_observers = effects.watched;
        self.observers.clear();
        let ending = &summary.ending;
        effects.news.push(News::Ended {
            id: summary.id.clone(),
            winner: ending.winner.map(|side| G::SIDES[side]),
            reason: ending.reason,
            score: ending.score.clone(),
        });
        if ending.reason != Reason::Play {
            effects.journal.push(Entry::End {
                winner: ending.winner,
                reason: ending.reason,
            });
        }
        let record = playing.game().record(&summary);
        effects.finished = Some((summary, record));
        self.phase = Phase::Empty;
    }
}

/// 100 or 101 for a connection of a side; for one without a side the times of
/// the second side come first, as the deployed referee has it.
fn granted<G: Game>(times: Option<Sides<Duration>>, side: Option<Side>) -> Response<G> {
    let secs = times.map(|times| {
        let one = side.unwrap_or(Side::Second);
        (times[one].as_secs(), times[one.opponent()].as_secs())
    });
    Response::Granted {
        secs,
        own: side.is_some(),
    }
}

fn seated_news<G: Game>(conn: ConnId, side: Option<Side>, name: Option<&Name>) -> News {
    News::Seated {
        conn,
        side: side.map_or("either side", |side| G::SIDES[side]),
        name: name.map(Name::to_string),
    }
}
