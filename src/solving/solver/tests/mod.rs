//! Unit tests of the solver's private parts.

#[path = "../../../../tests/common/cases.rs"]
mod cases;
mod table;
mod territory;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use crate::games::gothello::{Placements, PointSet, Stones};

/// Returns a random point of a set that is not empty.
fn point_of(rng: &mut StdRng, set: PointSet) -> PointSet {
    let point = set.iter().choose(rng);
    point.map_or(PointSet::EMPTY, PointSet::from)
}

/// Returns random stones with this many empty points between them. Every group has a
/// liberty, and stones of a color tend to be connected.
fn random_stones(rng: &mut StdRng, empty: u32) -> Stones {
    loop {
        let mut rest = PointSet::BOARD;
        let mut sets = [PointSet::EMPTY; 2];
        while rest.len() > empty {
            let at = point_of(rng, rest);
            rest = rest.without(at);
            let [one, other] = sets.map(|set| (at.neighbors() & set).len());
            let side = if one == other || rng.random_ratio(1, 4) {
                rng.random_range(0..2)
            } else {
                usize::from(one < other)
            };
            sets[side] |= at;
        }
        let alive = |set: PointSet| rest.neighbors().flood(set) == set;
        if sets.into_iter().all(alive) {
            let [mover, opponent] = sets;
            return Stones { mover, opponent };
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
