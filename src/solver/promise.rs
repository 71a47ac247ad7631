//! Which moves to try first.

use super::node::Node;
use crate::gothello::{Placed, Point, PointSet, Stones};

/// How promising a placement in `before` is that leads to `after`; more is
/// better. The unit is arbitrary.
///
/// The weights are those with which the fewest positions were searched on
/// random positions with 11 to 14 stones, found by changing one at a time.
#[inline]
pub(super) fn promise(before: &Node, point: Point, placed: &Placed, after: &Node) -> i32 {
    let at = PointSet::from(point);
    let count = |set: PointSet| set.len() as i32;
    let next = &placed.next;
    let empty = next.empty();
    let Stones {
        mover: theirs,
        opponent: mine,
    } = next.stones();
    let liberties = |stones: PointSet| count(stones.neighbours() & empty);
    let in_atari = next.in_atari();
    let beside = at.neighbours();
    let stones = before.placements.stones();
    29 * count(placed.captured) + 3 * liberties(mine)
        - 2 * liberties(theirs)
        - 19 * count(in_atari.opponent)
        + 7 * count(in_atari.mover)
        + 23 * count(after.opponent_safe())
        - 12 * distance(point)
        - 7 * count(next.swapped().legal())
        - 53 * count(next.legal())
        - 8 * count(beside & stones.mover)
        + 20 * count(beside & stones.opponent)
        + 20 * count(beside & before.placements.empty())
}

/// The square of the distance from the centre.
#[inline]
fn distance(point: Point) -> i32 {
    let column = i32::from(point.column()) - 2;
    let row = i32::from(point.row()) - 2;
    column * column + row * row
}

/// How often a placement at each point has settled a position, for each side
/// of the search; searches with more legal moves count more.
#[derive(Clone, Debug, Default)]
pub(super) struct History([[u32; 25]; 2]);

/// The most that history adds to a promise.
const MOST: u32 = 400;

impl History {
    /// What it adds to the promise of a placement.
    #[inline]
    pub fn promise(&self, ply: usize, point: Point) -> i32 {
        let counts = &self.0[ply & 1];
        let count = counts.get(point.index()).copied().unwrap_or_default();
        (count >> 6).min(MOST) as i32
    }

    /// A placement has settled a position with so many legal moves.
    #[inline]
    pub fn remember(&mut self, ply: usize, point: Point, moves: usize) {
        let counts = &mut self.0[ply & 1];
        if let Some(count) = counts.get_mut(point.index()) {
            *count += 1 << (moves / 4).min(6);
            if *count > 1 << 20 {
                for count in counts {
                    *count /= 2;
                }
            }
        }
    }
}
