//! Breaks: a player whose connection ends while a game is on is waited for, and the
//! clocks stand.
//!
//! A player who is away can think while no clock runs, so breaks are limited. For each game
//! a player has a number of breaks and a time, [`BreakLimits`]:
//!
//! - Every loss of the connection while the game is on counts as one break, whoever's
//!   turn it is.
//! - The time that counts is that for which the opponent, who is there, waits for the
//!   player. If both are away it is nobody's. What is given back to a player whose
//!   connection was dead before that was noticed counts, too.
//! - When either is used up, the game is not broken off any more, or goes on without the
//!   player: its clock runs in its turn, and its flag can fall. It may return at any
//!   time.
//!
//! A pause of the organiser, an adjournment and a stop of the server are no breaks.

use std::time::Duration;

use super::effects::Effect;
use super::entry::Entry;
use super::hall::{Hall, Moment};
use super::news::News;
use super::table::{Phase, Session};
use super::wire::{Millis, Reason};
use crate::go::Color;

/// How often and how long a player may be away from a game without its clock running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakLimits {
    /// The most breaks.
    pub number: u32,
    /// The longest that all of them together may take.
    pub time: Duration,
}

/// Ten breaks, ten minutes.
impl Default for BreakLimits {
    fn default() -> BreakLimits {
        BreakLimits {
            number: 10,
            time: Duration::from_secs(600),
        }
    }
}

/// The breaks of a player in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Breaks {
    /// How many there were.
    pub(super) number: u32,
    /// How long the player was waited for.
    pub(super) used: Millis,
    /// Whether the player is away in one.
    away: bool,
}

impl BreakLimits {
    /// How much longer a player may be away; nothing after too many breaks.
    fn left(self, breaks: Breaks) -> Duration {
        if breaks.number > self.number {
            return Duration::ZERO;
        }
        self.time.saturating_sub(Duration::from_millis(breaks.used))
    }
}

impl Session {
    /// What is journaled of a player's breaks.
    pub(super) fn breaks_entry(&self, color: Color) -> Entry {
        let Breaks { number, used, .. } = self.breaks[color];
        Entry::Breaks {
            game: self.id,
            side: color.into(),
            number,
            used,
        }
    }

    /// Who is waited for, given which seats are taken.
    fn is_waiting_for(&self, is_taken: impl Fn(Color) -> bool) -> Option<Color> {
        if self.phase != Phase::Stopped(Reason::Error) {
            return None;
        }
        let waited = |color: &Color| {
            self.breaks.get(*color).away && !is_taken(*color) && is_taken(color.opponent())
        };
        Color::ALL.into_iter().find(waited)
    }
}

impl Hall {
    /// Limits how often and how long players may be away.
    pub fn limit_breaks(&mut self, limits: BreakLimits) {
        self.limits = limits;
    }

    /// A player has left its seat, and was last heard of at this time. The game is broken
    /// off, if it is not already, as long as the player has a break left.
    pub(super) fn begin_break(&mut self, index: usize, color: Color, heard: Duration, now: Moment) {
        let limits = self.limits;
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let number = table.number;
        let Some(session) = table.session.as_mut() else {
            return;
        };
        if !matches!(
            session.phase,
            Phase::Playing | Phase::Stopped(Reason::Error)
        ) {
            return;
        }
        let breaks = session.breaks.get_mut(color);
        breaks.number = breaks.number.saturating_add(1);
        let left = limits.left(*breaks);
        let is_played = session.phase == Phase::Playing;
        let stops = is_played && !left.is_zero();
        if stops && session.play.turn() == color {
            // What has passed since it was there is a part of the break.
            let used = session.play.idle(now.clock);
            session.play.stop(heard.max(now.clock.saturating_sub(left)));
            let given_back = used.saturating_sub(session.play.idle(now.clock));
            breaks.used = breaks.used.saturating_add(given_back);
        }
        breaks.away = true;
        let told = News::Break {
            table: number,
            game: session.id,
            side: color.into(),
            name: session.names.get(color).to_string(),
            number: breaks.number,
            most: limits.number,
            used_ms: breaks.used,
            most_ms: millis(limits.time),
        };
        let entry = session.breaks_entry(color);
        self.journal(entry);
        self.tell(told);
        if stops {
            self.stop(index, Reason::Error, &format!("{color} left"), now);
        } else if is_played {
            self.tell_alone(index, color);
        }
        self.count_wait(index, now);
    }

    /// Counts for how long a player is waited for: to be called when the seats or the
    /// phase of a game have changed, and when [`Hall::wait_ends_at`] has come.
    pub(super) fn count_wait(&mut self, index: usize, now: Moment) {
        let limits = self.limits;
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let seats = table.seats;
        let Some(session) = table.session.as_mut() else {
            return;
        };
        for color in Color::ALL {
            if seats.get(color).is_some() || session.phase == Phase::Stopped(Reason::Pause) {
                session.breaks.get_mut(color).away = false;
            }
        }
        let waiting_for = session.is_waiting_for(|color| seats.get(color).is_some());
        let is_over = session.awaited.is_some_and(|(color, since)| {
            let left = limits.left(session.breaks[color]);
            now.clock >= since.saturating_add(left)
        });
        let mut ended = None;
        if let Some((color, since)) = session.awaited
            && (is_over || waiting_for != Some(color))
        {
            let breaks = session.breaks.get_mut(color);
            let waited = millis(now.clock.saturating_sub(since));
            breaks.used = breaks.used.saturating_add(waited);
            session.awaited = None;
            ended = (waited > 0).then(|| session.breaks_entry(color));
        }
        let goes_on_without =
            waiting_for.filter(|&color| limits.left(session.breaks[color]).is_zero());
        if session.awaited.is_none() && goes_on_without.is_none() {
            session.awaited = waiting_for.map(|color| (color, now.clock));
        }
        if let Some(entry) = ended {
            self.journal(entry);
        }
        if let Some(color) = goes_on_without {
            self.go_on_without(index, color, now);
        }
    }

    /// When a player has been waited for long enough, if nothing changes.
    pub(super) fn wait_ends_at(&self, session: &Session) -> Option<Duration> {
        let (color, since) = session.awaited?;
        since.checked_add(self.limits.left(session.breaks[color]))
    }

    /// Goes on with a game for the player who is there.
    fn go_on_without(&mut self, index: usize, absent: Color, now: Moment) {
        let Some(table) = self.tables.get_mut(index) else {
            return;
        };
        let number = table.number;
        let Some(session) = table.session.as_mut() else {
            return;
        };
        session.phase = Phase::Playing;
        let resumed = Entry::Resumed {
            game: session.id,
            table: number,
            names: session.names.clone().into(),
        };
        self.journal(resumed);
        self.tell_alone(index, absent);
        self.announce_start(index, now);
    }

    /// Tells that the clock of an absent player runs.
    fn tell_alone(&mut self, index: usize, absent: Color) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let Some(session) = table.session.as_ref() else {
            return;
        };
        let told = News::Alone {
            table: table.number,
            game: session.id,
            side: absent.into(),
            name: session.names.get(absent).to_string(),
        };
        self.tell(told);
    }

    /// Lets a player who is back take part again in a game that went on meanwhile.
    pub(super) fn rejoin(&mut self, index: usize, color: Color, now: Moment) {
        let Some(table) = self.tables.get(index) else {
            return;
        };
        let Some((session, client)) = table.session.as_ref().zip(table.seats[color]) else {
            return;
        };
        let protocol = self.clients.get(&client).map(|client| client.protocol);
        let start = session
            .play
            .start_message(color, protocol.unwrap_or_default(), now.clock);
        let told = News::Rejoined {
            table: table.number,
            game: session.id,
            side: color.into(),
            name: session.names.get(color).to_string(),
        };
        self.resting.remove(&client);
        self.tell(told);
        self.effects.push(Effect::Send(client, start));
    }
}

/// A time in whole milliseconds.
fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}
