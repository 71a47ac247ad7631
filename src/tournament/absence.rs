//! Absent players: how long each game has waited for a player, and which games are forfeited.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use super::event::{Event, GameNumber, GameResult, ScheduledGame};
use super::settings::Name;
use super::state::Tournament;
use crate::base::clock::Clock;
use crate::base::color::{ByColor, Color};
use crate::base::names::isolated;

/// The place of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Not connected.
    Absent,
    /// Connected, and in no game.
    Free,
    /// In a game at a table. While it is interrupted, the player may be disconnected.
    Busy,
}

/// The requirement of a game without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A table, and two players who are in no game.
    Start,
    /// Its players: it has begun and is interrupted.
    Players,
    /// Nothing from a player: it is being played, or waits for the organizer.
    Nothing,
}

/// The attendance of the players, and the running games: everything that [`ForfeitClocks`] depend
/// on besides the tournament.
pub trait Attendance {
    /// Returns the place of a player. A player who can only play the other color is absent.
    fn presence(&self, player: &Name, color: Color) -> Presence;
    /// Returns whether a player is connected, or in a game at a table, whatever the color.
    fn is_present(&self, player: &Name) -> bool;
    /// Returns the requirement of a game without a result.
    fn need(&self, game: GameNumber) -> Need;
    /// Returns whether a game could start at a table.
    fn has_free_table(&self) -> bool;
    /// Returns whether a game of the tournament is being played.
    fn has_game_in_play(&self) -> bool;
}

/// How long the games of a tournament have waited for each of their players.
///
/// Each player has the same time for each game. It runs while the player is absent and the game
/// could be played otherwise:
///
/// - The opponent is connected and in no other game, and a table is free.
/// - If both are absent it runs for both, but only while no game of the tournament is being played
///   and another player who has not been withdrawn is connected: until then nobody waits for this game.
///
/// A player whose time is over forfeits the game. If the time of both is over at once, both do,
/// and neither gets a point. A game that begins has used none of the time that it waits for when
/// it is to be played again.
///
/// The time goes in with each call, as for [`Clock`]: `now` is the time since a fixed moment,
/// the same for all calls.
#[derive(Clone, Debug)]
pub struct ForfeitClocks {
    limit: Duration,
    clocks: BTreeMap<GameNumber, ByColor<Clock>>,
}

/// A game that is forfeited because one or both players did not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// The game.
    pub scheduled: ScheduledGame,
    /// The player who gets the point; `None` if both were absent.
    pub winner: Option<Color>,
    /// The time that each player had.
    pub limit: Duration,
}

impl Forfeit {
    /// Returns the event of the tournament.
    pub fn event(&self) -> Event {
        Event::Game {
            scheduled: self.scheduled.clone(),
            result: GameResult::forfeit(self.winner, "absence"),
        }
    }
}

/// Writes `Bob did not come within 5m and forfeits round 1, pairing 2, game 1 to Ann`.
impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScheduledGame {
            number,
            black,
            white,
        } = &self.scheduled;
        let (black, white) = (isolated(black.as_str()), isolated(white.as_str()));
        let limit = humantime::format_duration(self.limit);
        let (absent, present) = match self.winner {
            Some(Color::Black) => (white, black),
            Some(Color::White) => (black, white),
            None => {
                return write!(
                    f,
                    "neither {black} nor {white} came within {limit}: both forfeit {number}"
                );
            }
        };
        write!(
            f,
            "{absent} did not come within {limit} and forfeits {number} to {present}"
        )
    }
}

impl ForfeitClocks {
    /// Creates clocks that give each player this time for each game.
    pub fn new(limit: Duration) -> ForfeitClocks {
        ForfeitClocks {
            limit,
            clocks: BTreeMap::new(),
        }
    }

    /// Returns the time that each player has for each game.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.clocks.clear();
    }

    /// Starts and stops the clocks by the attendance at the time `now`, and returns the games that
    /// are forfeited, in order. Must be called after every change of the tournament or the
    /// attendance, and when [`ForfeitClocks::next_deadline`] has come.
    pub fn update(
        &mut self,
        tournament: &Tournament,
        attendance: &impl Attendance,
        now: Duration,
    ) -> Vec<Forfeit> {
        let due = tournament.pending_games();
        let numbers: BTreeSet<GameNumber> = due.iter().map(|scheduled| scheduled.number).collect();
        self.clocks.retain(|number, _| numbers.contains(number));
        let waits = |name: &Name| attendance.is_present(name) && !tournament.has_left(name);
        let is_awaited = !attendance.has_game_in_play() && tournament.players().any(waits);
        let has_free_table = attendance.has_free_table();
        let mut forfeits = Vec::new();
        for scheduled in &due {
            let places = ByColor::new(
                attendance.presence(&scheduled.black, Color::Black),
                attendance.presence(&scheduled.white, Color::White),
            );
            let need = attendance.need(scheduled.number);
            let is_absent = places.map(|place| place == Presence::Absent);
            let runs = match (need, is_absent.black, is_absent.white) {
                (Need::Nothing, ..) => {
                    self.clocks.remove(&scheduled.number);
                    continue;
                }
                (_, false, false) => false,
                (_, true, true) => is_awaited,
                (Need::Players, ..) => true,
                (Need::Start, ..) => {
                    has_free_table && places.iter().any(|&place| place == Presence::Free)
                }
            };
            if let Some(forfeit) = self.set(scheduled, is_absent.map(|absent| absent && runs), now)
            {
                forfeits.push(forfeit);
            }
        }
        forfeits
    }

    /// Sets which clocks of a game run. Returns the forfeit if one of them has run out.
    fn set(
        &mut self,
        scheduled: &ScheduledGame,
        runs: ByColor<bool>,
        now: Duration,
    ) -> Option<Forfeit> {
        if !runs.black && !runs.white && !self.clocks.contains_key(&scheduled.number) {
            return None;
        }
        let new = || ByColor::from_fn(|_| Clock::new(self.limit));
        let clocks = self.clocks.entry(scheduled.number).or_insert_with(new);
        let mut is_over = ByColor::new(false, false);
        for color in Color::ALL {
            let clock = clocks.get_mut(color);
            if runs[color] {
                clock.start(now);
            } else {
                clock.stop(now);
            }
            // A player who is back for the last second is no longer absent.
            is_over[color] = runs[color] && clock.has_fallen(now);
        }
        let winner = match (is_over.black, is_over.white) {
            (false, false) => return None,
            (true, true) => None,
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
        };
        Some(Forfeit {
            scheduled: scheduled.clone(),
            winner,
            limit: self.limit,
        })
    }

    /// Returns when the next game is forfeited if nothing changes, on the same time scale as `now`
    /// in [`ForfeitClocks::update`]; `None` if no clock is running.
    pub fn next_deadline(&self) -> Option<Duration> {
        let clocks = self.clocks.values().flat_map(ByColor::iter);
        clocks.filter_map(Clock::flag_deadline).min()
    }

    /// Returns the games that are forfeited if nothing changes, each with the time at which each of
    /// its absent players forfeits it.
    pub fn deadlines(&self) -> impl Iterator<Item = (GameNumber, ByColor<Option<Duration>>)> {
        let clocks = self.clocks.iter();
        let deadlines = clocks.map(|(&number, clocks)| {
            let deadline = |color| Clock::flag_deadline(clocks.get(color));
            (number, ByColor::from_fn(deadline))
        });
        deadlines.filter(|(_, deadlines)| deadlines.iter().any(Option::is_some))
    }
}
