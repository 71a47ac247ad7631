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

impl Stones {
    /// How many stones there are, of both players.
    #[inline]
    pub const fn count(self) -> u32 {
        self.mover.len() + self.opponent.len()
    }

    /// The mover's stones less the opponent's, -25 to 25.
    #[inline]
    pub const fn lead(self) -> i8 {
        // Neither has more than 25.
        self.mover.len() as i8 - self.opponent.len() as i8
    }

    /// The same stones as the other player sees them.
    #[inline]
    pub const fn swapped(self) -> Stones {
        Stones {
            mover: self.opponent,
            opponent: self.mover,
        }
    }
}

/// Every legal placement on one board, found in one go.
///
/// The rule is that of the networked referee's paper, section 1, schemas
/// *GothelloIllegalMoveNonblank*, *GothelloIllegalMoveBlocked* and
/// *GothelloMove*: the point is empty; the new stone's group has a liberty
/// before anything is captured; then every adjacent enemy group without a
/// liberty changes its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placements {
    stones: Stones,
    empty: PointSet,
    /// Of each player's stones, those whose group has two liberties or more.
    roomy: Stones,
}

impl Placements {
    /// The placements of the player to move, with `empty` as the free points.
    #[inline]
    pub fn new(stones: Stones, empty: PointSet) -> Placements {
        Placements {
            stones,
            empty,
            roomy: Stones {
                mover: stones.mover.with_two_liberties(empty),
                opponent: stones.opponent.with_two_liberties(empty),
            },
        }
    }

    /// The stones on the board.
    #[inline]
    pub fn stones(&self) -> Stones {
        self.stones
    }

    /// The free points.
    #[inline]
    pub fn empty(&self) -> PointSet {
        self.empty
    }

    /// The stones in atari: those whose group has one liberty only (or, on a
    /// board that no game leads to, none).
    #[inline]
    pub fn in_atari(&self) -> Stones {
        Stones {
            mover: self.stones.mover.without(self.roomy.mover),
            opponent: self.stones.opponent.without(self.roomy.opponent),
        }
    }

    /// The same board with the other player to move.
    #[inline]
    pub fn swapped(&self) -> Placements {
        Placements {
            stones: self.stones.swapped(),
            empty: self.empty,
            roomy: self.roomy.swapped(),
        }
    }

    /// The points where the player to move may place a stone.
    #[inline]
    pub fn legal(&self) -> PointSet {
        // A stone has a liberty of its own beside an empty point; elsewhere it
        // needs a group of its colour that keeps one, that is, has two now.
        let beside_empty = self.empty & self.empty.neighbours();
        if beside_empty == self.empty {
            beside_empty
        } else {
            beside_empty | self.empty & self.roomy.mover.neighbours()
        }
    }

    /// The opponent's stones that change colour when a stone is placed at
    /// `at`, which must be one of the legal points.
    ///
    /// The legal point is empty, so a group beside it has it as a liberty; a
    /// group that has fewer than two has no other.
    #[inline]
    fn captured(&self, at: PointSet) -> PointSet {
        let prey = self.in_atari().opponent;
        if prey.is_empty() {
            return PointSet::EMPTY;
        }
        let beside = at.neighbours() & prey;
        if beside.is_empty() {
            beside
        } else {
            beside.flood(prey)
        }
    }

    /// The opponent's stones that change colour when a stone is placed at
    /// `point`; `None` if it may not be placed.
    #[inline]
    pub fn captures(&self, point: Point) -> Option<PointSet> {
        self.legal()
            .contains(point)
            .then(|| self.captured(point.into()))
    }

    /// The stones after a placement at `point`, seen by the other player, who
    /// moves next; `None` if it may not be placed.
    #[inline]
    pub fn place(&self, point: Point) -> Option<Stones> {
        self.legal()
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
        self.legal()
            .iter()
            .map(move |point| (point, self.place_legal(point.into())))
    }

    /// What a placement at `point`, which must be one of the legal points,
    /// leads to.
    ///
    /// The other player's placements there are derived from these, which is
    /// faster than finding them anew.
    #[inline]
    pub fn after(&self, point: Point) -> Placed {
        let at = PointSet::from(point);
        let captured = self.captured(at);
        let mover = self.stones.mover | at | captured;
        let opponent = self.stones.opponent.without(captured);
        let empty = self.empty.without(at);
        // Of the mover's groups only the new stone's has changed: each group
        // that was captured was beside it.
        let group = at.flood(mover);
        let mut roomy = self.roomy.mover.without(group);
        if (group.neighbours() & empty).has_two() {
            roomy |= group;
        }
        // The opponent's groups beside the stone have lost a liberty. A group
        // that was captured had one only.
        let mut squeezed = self.roomy.opponent;
        let mut beside = at.neighbours() & squeezed;
        while !beside.is_empty() {
            let group = beside.lowest().flood(opponent);
            beside = beside.without(group);
            if !(group.neighbours() & empty).has_two() {
                squeezed = squeezed.without(group);
            }
        }
        Placed {
            group,
            captured,
            next: Placements {
                stones: Stones {
                    mover: opponent,
                    opponent: mover,
                },
                empty,
                roomy: Stones {
                    mover: squeezed,
                    opponent: roomy,
                },
            },
        }
    }
}

/// What a placement leads to.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The new stone's group, with what it captured.
    pub group: PointSet,
    /// The stones that it captured.
    pub captured: PointSet,
    /// The placements of the other player, who moves next.
    pub next: Placements,
}
