//! What interrupted games wait for, and how long players may be away from them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::rules::Millis;
use crate::base::color::Color;

/// What an interrupted game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitsFor {
    /// The organizer, who resumes it.
    #[serde(rename = "pause")]
    Organizer,
    /// Its players: it goes on when both are there.
    #[serde(rename = "error")]
    Players,
}

/// How often and how long a player may be away from a game without its clock running.
///
/// A player who is away can think while no clock runs, so breaks are limited. For each game a
/// player has a number of breaks and a total time:
///
/// - Every loss of the connection during the game begins a break, in either player's turn, as
///   long as one is left.
/// - The time that counts is the time for which the opponent, who is connected, waits for
///   the player. If both are away it counts for neither. Time that is given back counts, too:
///   to a player whose connection was dead before that was noticed, or to the opponent whose
///   turn is interrupted, and who has to think from the beginning when it goes on.
/// - A break in the opponent's turn that would give back more time than is left uses it up, and
///   the opponent goes on thinking.
/// - When either is used up, the game is not interrupted any more, or goes on without the
///   player: its clock runs in its turn, and its flag can fall. The player may return at
///   any time.
///
/// A pause by the organizer, an adjournment, and a stop of the server are not breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakLimits {
    /// The maximum number of breaks.
    pub number: u32,
    /// The maximum total time of all breaks.
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

impl BreakLimits {
    /// Returns how much longer a player may be away in all.
    pub(super) fn time_left(self, breaks: Breaks) -> Duration {
        self.time.saturating_sub(Duration::from_millis(breaks.used))
    }

    /// Returns whether a player may have another break.
    pub(super) fn allows_another(self, breaks: Breaks) -> bool {
        breaks.number < self.number && !self.time_left(breaks).is_zero()
    }
}

/// The breaks of a player in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaks {
    /// The number of breaks so far.
    pub number: u32,
    /// The time for which the player was awaited.
    pub used: Millis,
}

/// How a player who has left during the game is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    /// In a break.
    Break,
    /// Without a break, because none was left.
    NoBreakLeft,
}

/// The effect of a lost connection.
#[derive(Clone, Copy, Debug)]
pub struct BreakStart {
    /// Whether it counts as a break: one was left.
    pub counts: bool,
    /// Whether the game must be interrupted.
    pub interrupts: bool,
}

/// The effect of the end of a break.
#[derive(Debug, Default)]
pub struct WaitChange {
    /// The player whose breaks became longer.
    pub counted: Option<Color>,
    /// The player without whom the game goes on.
    pub goes_on_without: Option<Color>,
}
