//! Where a stone may be placed, and what it captures.

use super::{Point, PointSet};

/// The two players' stones as the player to move sees them.
///
/// This is the raw tier of the rules: any two sets of points, with any third
/// set as the empty points that are left. Where the three do not cover the
/// board, the rest is outside it, so that smaller boards can be played too. A
/// [`Position`](super::Position) is the checked tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stones {
    /// The stones of the player to move.
    pub mover: PointSet,
    /// The stones of the other player.
    pub opponent: PointSet,
}

/// Every legal placement on one board, found in one go.
///
/// The rule is that of the networked referee's paper, section 1, schemas
/// *GothelloIllegalMoveNonblank*, *GothelloIllegalMoveBlocked* and
/// *GothelloMove*: the point is empty; the new stone's group has a liberty
/// before anything is captured; then every adjacent enemy group without a
/// liberty changes its colour.
#[derive(Clone, Copy, Debug)]
pub struct Placements {
    stones: Stones,
    legal: PointSet,
    /// The opponent's stones whose group has fewer than two liberties.
    prey: PointSet,
}

impl Placements {
    /// The placements of the player to move, with `empty` as the free points.
    #[inline]
    pub fn new(stones: Stones, empty: PointSet) -> Placements {
        let Stones { mover, opponent } = stones;
        // A stone has a liberty of its own beside an empty point; elsewhere it
        // needs a group of its colour that keeps one, that is, has two now.
        let mut legal = empty & empty.neighbours();
        if legal != empty {
            legal |= empty & mover.with_two_liberties(empty).neighbours();
        }
        Placements {
            stones,
            legal,
            prey: opponent.without(opponent.with_two_liberties(empty)),
        }
    }

    /// The points where the player to move may place a stone.
    #[inline]
    pub fn legal(&self) -> PointSet {
        self.legal
    }

    /// The opponent's stones that change colour when a stone is placed at
    /// `at`, which must be one of the legal points.
    ///
    /// The legal point is empty, so a group beside it has it as a liberty; a
    /// group that has fewer than two has no other.
    #[inline]
    fn captured(&self, at: PointSet) -> PointSet {
        if self.prey.is_empty() {
            return PointSet::EMPTY;
        }
        let beside = at.neighbours() & self.prey;
        if beside.is_empty() {
            beside
        } else {
            beside.flood(self.prey)
        }
    }

    /// The opponent's stones that change colour when a stone is placed at
    /// `point`; `None` if it may not be placed.
    #[inline]
    pub fn captures(&self, point: Point) -> Option<PointSet> {
        self.legal
            .contains(point)
            .then(|| self.captured(point.into()))
    }

    /// The stones after a placement at `point`, seen by the other player, who
    /// moves next; `None` if it may not be placed.
    #[inline]
    pub fn place(&self, point: Point) -> Option<Stones> {
        self.legal
            .contains(point)
            .then(|| self.place_legal(point.into()))
    }

    #[inline]
    fn place_legal(&self, at: PointSet) -> Stones {
        let captured = self.captured(at);
        Stones {
            mover: self.stones.opponent.without(captured),
            opponent: self.stones.mover | at | captured,
        }
    }

    /// Every legal point with the stones after a placement there, seen by the
    /// other player, who moves next.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = (Point, Stones)> {
        self.legal
            .iter()
            .map(move |point| (point, self.place_legal(point.into())))
    }
}
