//! Who gets which seat at a table.

use std::time::{Duration, SystemTime};

use super::chair::Chair;
use super::client::{Client, Who};
use super::effects::{Effect, Effects};
use super::game::NetrefGame;
use super::news::News;
use super::playing::Playing;
use super::table::{Phase, Seated, Table};
use super::wire::{Name, Opening, Response, Role, Times};
use crate::color::{ByColor, Color};

impl<G: NetrefGame> Table<G> {
    /// A client asks for a role. `coin` decides who has which side if both want
    /// either.
    pub fn open(
        &mut self,
        client: impl Into<Client>,
        opening: Opening,
        now: Duration,
        wall: SystemTime,
        coin: bool,
    ) -> Effects {
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
            Phase::Playing(playing) => match playing.chair_for(wanted, client, name.as_ref()) {
                Ok(side) => {
                    effects.send(conn, &granted::<G>(playing.left(now), Some(side)));
                    playing.sit_down(side, conn, name.is_some());
                    let who = playing.who(side);
                    effects.log(seated_news(who, client));
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
        effects.close(conn);
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
        let conn = seated.client.conn;
        let news = seated_news(seated.who::<G>(), seated.client);
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
                let mut chairs = ByColor::new(
                    Chair::new::<G>(seated.client, seated.name),
                    Chair::new::<G>(other.client, other.name),
                );
                if side == Color::White {
                    chairs = chairs.swapped();
                }
                let playing = Playing::new(&self.settings, chairs, wall);
                effects.push(Effect::Begin);
                effects.journal(playing.start_entry());
                if !is_told {
                    let granted = granted::<G>(times, Some(side.opponent()));
                    effects.send(waited, &granted);
                }
                effects.send(conn, &granted::<G>(times, Some(side)));
                effects.log(news);
                self.phase = Phase::Playing(Box::new(playing));
                self.begin(effects, now);
            }
            _ => {
                let times = self.settings.times;
                if is_told_at_once(times, seated.side) {
                    effects.send(conn, &granted::<G>(times, seated.side));
                }
                effects.log(news);
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
    fn observe(&mut self, client: Client, name: Option<Name>, now: Duration) -> Effects {
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
            effects.log(News::Refused { who, response });
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
        effects.log(News::Observing {
            who: Who {
                address: client.address,
                ..who
            },
        });
        effects
    }
}

/// Whether a player is told its times as soon as it has a seat: its own come first,
/// and before its side is known they are only known if both sides have the same.
fn is_told_at_once(times: Option<ByColor<Duration>>, side: Option<Color>) -> bool {
    side.is_some() || times.is_none_or(|times| times.black == times.white)
}

/// 100 or 101 for a connection of a side; for one without a side the times of
/// the second side come first, as the deployed referee has it.
fn granted<G: NetrefGame>(times: Option<ByColor<Duration>>, side: Option<Color>) -> Response<G> {
    Response::Granted(times.map(|times| {
        let one = side.unwrap_or(Color::White);
        Times {
            secs: [one, one.opponent()].map(|side| times[side].as_secs()),
            is_own_first: side.is_some(),
        }
    }))
}

/// That a player has a seat, with where it comes from.
fn seated_news(who: Who, client: Client) -> News {
    News::Seated {
        who: Who {
            address: client.address,
            ..who
        },
    }
}
