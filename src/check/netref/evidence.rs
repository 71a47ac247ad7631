//! What games show of a client that one move alone does not show.

use std::collections::{BTreeMap, BTreeSet};

use super::ClientStep;
use super::checked::{CheckedGame as _, ClientTopic, Sign};
use crate::check::{DOUBT, Failure, Report};
use crate::color::Color;

/// The number of games in which a client must have passed too early to fail: in all of them, and
/// never otherwise.
const MISSED_GAMES: usize = 3;

/// What games show of a client.
#[derive(Debug)]
pub(super) struct Evidence<T> {
    /// How likely it is that a client of this color which does not know what a step is about has
    /// not shown it.
    doubts: BTreeMap<(ClientStep<T>, Color), f64>,
    /// By the way in which the client's board may be wrong.
    misses: BTreeMap<usize, Misses<T>>,
    games: u32,
}

/// Signs of a client that takes legal moves for illegal.
#[derive(Debug)]
struct Misses<T> {
    /// What such a client does not know.
    topic: T,
    /// The games in which it has passed too early.
    games: BTreeSet<u32>,
    /// Whether it has made a move that it would have taken for illegal, or passed for another
    /// reason.
    is_refuted: bool,
    /// The last time that it passed too early.
    last: Option<Failure>,
}

impl<T: ClientTopic> Evidence<T> {
    /// Returns no evidence.
    pub fn new() -> Evidence<T> {
        Evidence {
            doubts: BTreeMap::new(),
            misses: BTreeMap::new(),
            games: 0,
        }
    }

    /// Begins a game, and returns its number.
    pub fn begin_game(&mut self) -> u32 {
        self.games += 1;
        self.games
    }

    /// Notes that a client has had the chance to show what it does not know, and has not: a chance
    /// from 0 to 1.
    pub fn note_exposure(&mut self, step: ClientStep<T>, color: Color, exposure: f64) {
        *self.doubts.entry((step, color)).or_insert(1.0) *= 1.0 - exposure;
    }

    /// Returns whether a client has shown that it knows what a step is about.
    pub fn is_known(&self, step: ClientStep<T>, color: Color) -> bool {
        // Each game looks for one of the ways.
        let has_ways = step.topic().is_some_and(T::Checked::has_ways);
        let doubt = self.doubts.get(&(step, color));
        !has_ways && doubt.is_some_and(|&doubt| doubt < DOUBT)
    }

    /// Notes what a turn shows of a client that may have a wrong board: `failure` tells of it if
    /// the client has done what one with this board would do.
    pub fn note_sign(&mut self, sign: &Sign<T>, failure: Option<Failure>) {
        let misses = self.misses.entry(sign.way);
        let misses = misses.or_insert_with(|| Misses {
            topic: sign.topic,
            games: BTreeSet::new(),
            is_refuted: false,
            last: None,
        });
        match failure {
            Some(_) => {
                misses.games.insert(self.games);
                misses.last = failure;
            }
            None => misses.is_refuted = true,
        }
    }

    /// Notes the failures of a client that has passed too early in several games, as one that
    /// tracks captures wrongly would, and has done nothing that this one would not.
    pub fn conclude(&mut self, report: &mut Report<ClientStep<T>>) {
        for (_, misses) in std::mem::take(&mut self.misses) {
            if let Some(failure) = misses.last
                && !misses.is_refuted
                && misses.games.len() >= MISSED_GAMES
            {
                report.fail(ClientStep::Game(misses.topic), failure);
            }
        }
    }
}
