//! A position in the search, with everything that is derived from it move by
//! move.

use super::bounds::Bounds;
use super::territory::Territory;
use crate::gothello::{Placed, Placements, Point, PointSet, Stones};

/// A position as the player to move sees it. Whether the move before was a
/// pass is not part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub placements: Placements,
    /// What the player to move has for certain.
    mover: Territory,
    /// What the other player has.
    opponent: Territory,
}

impl Node {
    pub fn new(stones: Stones) -> Node {
        let empty = !(stones.mover | stones.opponent);
        Node {
            placements: Placements::new(stones, empty),
            mover: Territory::of(stones.mover, empty),
            opponent: Territory::of(stones.opponent, empty),
        }
    }

    /// The mover's stones less the opponent's, as they stand.
    #[inline]
    pub fn lead(&self) -> i8 {
        self.placements.stones().lead()
    }

    /// What the territories say of the value.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        Bounds {
            low: self.mover.floor(),
            high: -self.opponent.floor(),
        }
    }

    /// The same, and what else they say if that decides whether the value is at
    /// least `wanted`.
    #[inline]
    pub fn bounds_near(&self, wanted: i8) -> Bounds {
        let empty = self.placements.empty();
        let low = self.mover.floor_with_answers(empty, true, wanted);
        let high = -(self.opponent).floor_with_answers(empty, false, 1 - wanted);
        Bounds { low, high }
    }

    /// The stones of the player who has just moved that are safe.
    #[inline]
    pub fn opponent_safe(&self) -> PointSet {
        self.opponent.safe()
    }

    /// The same stones with the other player to move.
    #[inline]
    pub fn passed(&self) -> Node {
        Node {
            placements: self.placements.swapped(),
            mover: self.opponent,
            opponent: self.mover,
        }
    }

    /// What a legal placement leads to.
    #[inline]
    pub fn after(&self, point: Point) -> (Placed, Node) {
        let at = PointSet::from(point);
        let placed = self.placements.after(point);
        let Stones { mover, opponent } = placed.next.stones();
        let empty = placed.next.empty();
        let node = Node {
            placements: placed.next,
            mover: self.opponent.after_enemy(at, mover, empty),
            opponent: self.mover.after(at, placed.group, opponent, empty),
        };
        (placed, node)
    }
}
