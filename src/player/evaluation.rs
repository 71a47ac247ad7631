//! What a position looks like to the player to move when the search ends.

use crate::gothello::{PointSet, Position, Stones};
use crate::solver::unconditionally_alive;

/// What one stone at the end of the game is worth.
pub(super) const STONE: i16 = 64;

/// More than any value that is searched for.
pub(super) const INFINITY: i16 = MOST + 1;

/// All stones on the board are one player's.
const MOST: i16 = 25 * STONE;

/// The value of the end of the game for the player to move: his stones less
/// the opponent's.
pub(super) fn final_value(position: &Position) -> i16 {
    i16::from(position.stones().lead()) * STONE
}

/// An estimate of the value at the end: the stones that there are, what can be
/// said of their safety, and their room to live.
pub(super) fn evaluate(position: &Position) -> i16 {
    let Stones { mover, opponent } = position.stones();
    let empty = position.empty();
    // The player to move can save one group or capture one.
    let threatened = opponent.without(opponent.with_two_liberties(empty));
    let value = side(mover, empty) - side(opponent, empty) + threatened.len() as i16 * STONE / 2;
    value.clamp(-MOST, MOST)
}

/// How good one side's stones are, in units of [`STONE`].
fn side(stones: PointSet, empty: PointSet) -> i16 {
    let safe = unconditionally_alive(stones, empty);
    let weak = stones.without(stones.with_two_liberties(empty));
    let liberties = stones.neighbours() & empty;
    stones.len() as i16 * STONE / 2
        + safe.len() as i16 * STONE * 2
        + liberties.len() as i16 * STONE / 2
        - weak.len() as i16 * STONE
}
