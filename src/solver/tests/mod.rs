//! Unit tests of the solver's private parts.

#[path = "../../../tests/common/cases.rs"]
mod cases;
mod splitmix;
mod table;
mod territory;

use crate::gothello::{Placements, PointSet, Stones};
use splitmix::Random;

impl Random {
    /// Returns a random point of a set that is not empty.
    fn point_of(&mut self, set: PointSet) -> PointSet {
        let nth = self.below(set.len()) as usize;
        let point = set.iter().nth(nth);
        point.map_or(PointSet::EMPTY, PointSet::from)
    }

    /// Returns random stones with this many empty points between them. Every group has a
    /// liberty, and stones of a color tend to be connected.
    fn stones(&mut self, empty: u32) -> Stones {
        loop {
            let mut rest = PointSet::BOARD;
            let mut sets = [PointSet::EMPTY; 2];
            while rest.len() > empty {
                let at = self.point_of(rest);
                rest = rest.without(at);
                let [one, other] = sets.map(|set| (at.neighbors() & set).len());
                let side = if one == other || self.below(4) == 0 {
                    self.below(2)
                } else {
                    u32::from(one < other)
                };
                sets[side as usize] |= at;
            }
            let alive = |set: PointSet| rest.neighbors().flood(set) == set;
            if sets.into_iter().all(alive) {
                let [mover, opponent] = sets;
                return Stones { mover, opponent };
            }
        }
    }
}

/// Computes the value for the player to move by plain minimax.
fn minimax(stones: Stones, empty: PointSet, after_pass: bool) -> i8 {
    let passed = if after_pass {
        stones.mover.len() as i8 - stones.opponent.len() as i8
    } else {
        -minimax(stones.swapped(), empty, true)
    };
    Placements::new(stones, empty)
        .children()
        .map(|(point, next)| -minimax(next, empty.without(point.into()), false))
        .fold(passed, i8::max)
}
