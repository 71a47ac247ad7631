//! Legal placements and captures on raw sets of stones.

use super::{Point, PointSet};

/// The stones of both players as the player to move sees them.
///
/// This is the raw tier of the rules: any two sets of points, with a third set as the
/// empty points. Points in none of the three are off the board, so that smaller boards
/// can be played on, too. A [`Position`](super::Position) is the checked tier.
///
/// ```
/// use gothello::{Point, PointSet, Stones};
///
/// let [a1, b1]: [Point; 2] = ["a1".parse()?, "b1".parse()?];
/// let stones = Stones { mover: a1.into(), opponent: PointSet::EMPTY };
/// let after = stones.place(b1, !stones.mover).unwrap();
/// // The opponent moves next.
/// assert_eq!(after.opponent, [a1, b1].into_iter().collect());
/// assert_eq!(after.lead(), -2);
/// # Ok::<(), gothello::ParsePointError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stones {
    /// The stones of the player to move.
    pub mover: PointSet,
    /// The stones of the other player.
    pub opponent: PointSet,
}

impl Stones {
    /// Returns the number of stones of both players.
    #[inline]
    pub const fn count(self) -> u32 {
        self.mover.len() + self.opponent.len()
    }

    /// Returns the mover's stones minus the opponent's, -25 to 25.
    #[inline]
    pub const fn lead(self) -> i8 {
        // Neither has more than 25.
        self.mover.len() as i8 - self.opponent.len() as i8
    }

    /// Returns the stones as the opponent sees them.
    #[inline]
    pub const fn swapped(self) -> Stones {
        Stones {
            mover: self.opponent,
            opponent: self.mover,
        }
    }

    /// Returns the points where the player to move may place a stone on a board with these empty points,
    /// as [`Placements::legal`] does. Without the captures, they are found faster.
    #[inline]
    pub fn legal(self, empty: PointSet) -> PointSet {
        legal(empty, || self.mover.with_two_liberties(empty))
    }

    /// Returns the stones after a placement at `point` on a board with these empty points, as the
    /// opponent sees them, who moves next; `None` if it is illegal. The rule is that of
    /// [`Placements`]; for a single point, this is faster.
    #[inline]
    pub fn place(self, point: Point, empty: PointSet) -> Option<Stones> {
        let at = PointSet::from(point) & empty;
        if at.is_empty() {
            return None;
        }
        let liberties = empty.without(at).neighbors();
        let mover = self.mover | at;
        // Most stones have a liberty of their own, and so have most of those beside them.
        if (at & liberties).is_empty() && (at.flood(mover) & liberties).is_empty() {
            return None;
        }
        let beside = at.neighbors() & self.opponent;
        let captured = match beside.without(liberties).is_empty() {
            true => PointSet::EMPTY,
            false => beside.flood(self.opponent.without(liberties.flood(self.opponent))),
        };
        Some(Stones {
            mover: self.opponent.without(captured),
            opponent: mover | captured,
        })
    }
}

/// The legal placements on a board, all found at once.
///
/// The rule is in the paper, section 1, schemas *GothelloIllegalMoveNonblank*,
/// *GothelloIllegalMoveBlocked* and *GothelloMove*: the point is empty; the new stone's
/// group has a liberty before captures; then every adjacent group of the opponent without
/// a liberty changes its color.
///
/// ```
/// use gothello::{PointSet, Position};
///
/// let position: Position = "...../b..../w..../wb.../b.... b".parse()?;
/// let placements = position.placements();
/// assert_eq!(placements.legal(), position.empty());
/// let captured = placements.captures("b3".parse()?);
/// assert_eq!(captured, Some(placements.in_atari().opponent));
/// assert_eq!(captured.map(PointSet::len), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placements {
    stones: Stones,
    empty: PointSet,
    /// The stones whose group has at least two liberties.
    not_in_atari: Stones,
}

impl Placements {
    /// Finds the placements of the player to move on a board with these empty points.
    #[inline]
    pub fn new(stones: Stones, empty: PointSet) -> Placements {
        Placements {
            stones,
            empty,
            not_in_atari: Stones {
                mover: stones.mover.with_two_liberties(empty),
                opponent: stones.opponent.with_two_liberties(empty),
            },
        }
    }

    /// Returns the stones on the board.
    #[inline]
    pub fn stones(&self) -> Stones {
        self.stones
    }

    /// Returns the empty points.
    #[inline]
    pub fn empty(&self) -> PointSet {
        self.empty
    }

    /// Returns the stones in atari: those whose group has only one liberty (or none, on a
    /// board that is no legal position).
    #[inline]
    pub fn in_atari(&self) -> Stones {
        Stones {
            mover: self.stones.mover.without(self.not_in_atari.mover),
            opponent: self.stones.opponent.without(self.not_in_atari.opponent),
        }
    }

    /// Returns the placements of the opponent on the same board.
    #[inline]
    pub fn swapped(&self) -> Placements {
        Placements {
            stones: self.stones.swapped(),
            empty: self.empty,
            not_in_atari: self.not_in_atari.swapped(),
        }
    }

    /// Returns the points where the player to move may place a stone.
    #[inline]
    pub fn legal(&self) -> PointSet {
        legal(self.empty, || self.not_in_atari.mover)
    }

    /// Returns the stones that are captured when a stone is placed at `at`, which must be a
    /// legal point.
    ///
    /// The point is empty, so it is a liberty of each adjacent group; a group with fewer
    /// than two liberties has no other.
    #[inline]
    fn captured(&self, at: PointSet) -> PointSet {
        let in_atari = self.in_atari().opponent;
        if in_atari.is_empty() {
            return PointSet::EMPTY;
        }
        let beside = at.neighbors() & in_atari;
        if beside.is_empty() {
            beside
        } else {
            beside.flood(in_atari)
        }
    }

    /// Returns the stones that are captured when a stone is placed at `point`; `None` if
    /// that is illegal.
    #[inline]
    pub fn captures(&self, point: Point) -> Option<PointSet> {
        self.legal()
            .contains(point)
            .then(|| self.captured(point.into()))
    }

    /// Returns the stones after a placement at `at`, which must be one legal point, as the
    /// opponent sees them, who moves next.
    #[inline]
    pub(super) fn place_legal(&self, at: PointSet) -> Stones {
        let captured = self.captured(at);
        Stones {
            mover: self.stones.opponent.without(captured),
            opponent: self.stones.mover | at | captured,
        }
    }

    /// Returns every legal point with the stones after a placement there, as the opponent
    /// sees them, who moves next.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = (Point, Stones)> {
        self.legal()
            .iter()
            .map(move |point| (point, self.place_legal(point.into())))
    }

    /// Returns the result of a placement at `point`, which must be a legal point.
    ///
    /// The opponent's placements are derived from these, which is faster than finding them
    /// from scratch.
    #[inline]
    pub fn after(&self, point: Point) -> Placed {
        let at = PointSet::from(point);
        let captured = self.captured(at);
        let mover = self.stones.mover | at | captured;
        let opponent = self.stones.opponent.without(captured);
        let empty = self.empty.without(at);
        // Of the mover's groups only the new stone's has changed: every captured group
        // was adjacent to it.
        let group = at.flood(mover);
        let mut mover_safe = self.not_in_atari.mover.without(group);
        if (group.neighbors() & empty).has_two() {
            mover_safe |= group;
        }
        // The opponent's groups adjacent to the stone have lost a liberty. A captured
        // group had only one.
        let mut opponent_safe = self.not_in_atari.opponent;
        let mut beside = at.neighbors() & opponent_safe;
        while !beside.is_empty() {
            let group = beside.lowest().flood(opponent);
            beside = beside.without(group);
            if !(group.neighbors() & empty).has_two() {
                opponent_safe = opponent_safe.without(group);
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
                not_in_atari: Stones {
                    mover: opponent_safe,
                    opponent: mover_safe,
                },
            },
        }
    }
}

/// Returns the legal points among these empty ones. The mover's stones whose group has at least two
/// liberties are found only if they matter.
#[inline]
fn legal(empty: PointSet, not_in_atari: impl FnOnce() -> PointSet) -> PointSet {
    // A stone beside an empty point has a liberty of its own; elsewhere it needs an
    // adjacent group of its color that keeps a liberty, that is, one with two now.
    let beside_empty = empty & empty.neighbors();
    if beside_empty == empty {
        beside_empty
    } else {
        beside_empty | empty & not_in_atari().neighbors()
    }
}

/// The result of a placement.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Placed {
    /// The new stone's group, including the captured stones.
    pub group: PointSet,
    /// The captured stones.
    pub captured: PointSet,
    /// The placements of the opponent, who moves next.
    pub next: Placements,
}
