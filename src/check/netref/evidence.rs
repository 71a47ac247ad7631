//! What games show of a client that one move alone does not show.

use std::collections::{BTreeMap, BTreeSet};

use super::NetrefStep;
use crate::check::situation::{Slip, Topic};
use crate::check::{DOUBT, Failure, Report};
use crate::color::Color;

/// The number of games in which a client must have passed too early to fail: in all of them, and
/// never otherwise.
const MISSED_GAMES: usize = 3;

/// What games show of a client.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// How likely it is that a client of this color which does not know what a step is about has
    /// not shown it.
    doubts: BTreeMap<(NetrefStep, Color), f64>,
    /// By the slip that the client may have.
    misses: BTreeMap<Slip, Misses>,
    games: u32,
}

/// Signs of a client that takes legal moves for illegal.
#[derive(Debug, Default)]
struct Misses {
    /// The games in which it has passed too early.
    games: BTreeSet<u32>,
    /// Whether it has made a move that it would have taken for illegal, or passed for another
    /// reason.
    is_refuted: bool,
    /// The last time that it passed too early.
    last: Option<Failure>,
}

impl Evidence {
    /// Begins a game, and returns its number.
    pub fn begin_game(&mut self) -> u32 {
        self.games += 1;
        self.games
    }

    /// Notes that a client has had the chance to show what it does not know, and has not: a chance
    /// from 0 to 1.
    pub fn note_exposure(&mut self, step: NetrefStep, color: Color, exposure: f64) {
        *self.doubts.entry((step, color)).or_insert(1.0) *= 1.0 - exposure;
    }

    /// Returns whether a client has shown that it knows what a step is about.
    pub fn is_known(&self, step: NetrefStep, color: Color) -> bool {
        // There are several ways not to know what is captured, and each game looks for one.
        let topics = [Topic::OwnCaptures, Topic::OpponentCaptures];
        let has_ways = step.topic().is_some_and(|topic| topics.contains(&topic));
        let doubt = self.doubts.get(&(step, color));
        !has_ways && doubt.is_some_and(|&doubt| doubt < DOUBT)
    }

    /// Notes that a client has passed where one with this slip would know no legal move.
    pub fn note_miss(&mut self, slip: Slip, failure: Failure) {
        let misses = self.misses.entry(slip).or_default();
        misses.games.insert(self.games);
        misses.last = Some(failure);
    }

    /// Notes that a client has done what one with this slip would not.
    pub fn refute(&mut self, slip: Slip) {
        self.misses.entry(slip).or_default().is_refuted = true;
    }

    /// Notes the failures of a client that has passed too early in several games, as one that
    /// tracks captures wrongly would, and has done nothing that this one would not.
    pub fn conclude(&mut self, report: &mut Report<NetrefStep>) {
        for (slip, misses) in std::mem::take(&mut self.misses) {
            if let Some(failure) = misses.last
                && !misses.is_refuted
                && misses.games.len() >= MISSED_GAMES
            {
                report.fail(NetrefStep::about(Some(slip.topic())), failure);
            }
        }
    }
}
