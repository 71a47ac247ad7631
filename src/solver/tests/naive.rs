//! Plain minimax.

use crate::gothello::{Placements, PointSet, Stones};

/// The value for the player to move.
pub fn value(stones: Stones, empty: PointSet, after_pass: bool) -> i8 {
    let passed = if after_pass {
        stones.mover.len() as i8 - stones.opponent.len() as i8
    } else {
        -value(stones.swapped(), empty, true)
    };
    Placements::new(stones, empty)
        .children()
        .map(|(point, next)| -value(next, empty.without(point.into()), false))
        .fold(passed, i8::max)
}
