//! Unconditional life and the proven lower bound on the final score that follows from
//! it, in the manner of Benson (*Life in the game of Go*, 1976).
//!
//! In Go, a group is unconditionally alive with two eyes. In Gothello one eye is
//! enough, because a stone must have a liberty *before* it captures ("one eye lives",
//! Massey's page of the rules).
//!
//! # Definitions
//!
//! Fix a player, the *owner*; the other player is the *enemy*. Let X be a set of groups
//! of the owner's stones. The points outside X fall into connected *regions*. A region
//! is an *eye* of a group in X if it contains an empty point and all its empty points
//! are liberties of that group. X is *alive* if each of its groups has an eye; then
//! choose one eye of each group (groups may share one) and call these eyes *reserved*.
//!
//! # Lemma
//!
//! Let X be alive, and let the owner leave an empty point in each reserved eye.
//! Whatever the enemy plays:
//!
//! 1. No group of X is ever captured.
//! 2. The enemy never occupies the last empty point of a region.
//! 3. If a region is not reserved and all its empty points are liberties of X, the
//!    owner can come to occupy all of it.
//!
//! *Proof.* Captured stones change color, so no point becomes empty again.
//!
//! 1. Consider the first capture of a group G of X, with the reserved eye E. Until then
//!    X stands, so E is still a region, and its empty points are still liberties of G.
//!    G has no liberty when it is captured, so the capturing stone was placed on the
//!    last empty point of E, and by the enemy. The group of that stone lies within E,
//!    where no liberty is left: the placement was illegal.
//! 2. Likewise, the group of a stone on the last empty point of a region lies within
//!    the region and has no liberty.
//! 3. A stone of the owner on such a point is adjacent to X. So it is legal, as its
//!    group has a liberty in a reserved eye, and it stands as X does. By 2, the enemy
//!    cannot occupy the last empty point of the region; when the owner does, that takes
//!    the last liberty of each enemy group in the region. ∎
//!
//! # Lower bound
//!
//! Let the owner fill the regions of 3 and otherwise pass; the game does not end before
//! the owner passes. In the end, the owner has the stones of X and the points of these
//! regions. By 2, each other region still has an empty point, and the enemy has at most
//! the rest of the board. So the owner's stones minus the enemy's are at least
//!
//! ```text
//! 2 * (stones of X + points of the regions of 3) + number of other regions - 25.
//! ```
//!
//! This is [`Territory::lower_bound`]. It holds for either player to move, and neither a stone
//! of the enemy nor a pass of the owner lowers it. If X is empty, the
//! board is one region, and the bound is -24: the last empty point of the board is never
//! occupied.
//!
//! # Lower bound with replies
//!
//! The owner gains more by replying to the enemy's stones in the other regions.
//!
//! 4. Let l > 0 of the empty points of a region be liberties of X, and at least one not.
//!    To each enemy stone in the region, the owner replies on a liberty of X in it, as
//!    long as there is one and another point of the region stays empty. As in 3, that
//!    stone is legal and stands. Let the enemy's k-th stone be the first without a
//!    reply. Either no liberty is left, so that the 2k - 1 stones include all of
//!    them and l <= 2k - 1; or one empty point is left, so that 2k points were empty
//!    at first and l + 1 <= 2k. In both cases there were k - 1 >= floor(l / 2) replies.
//!    If the enemy stops earlier, the owner fills the liberties alone. If the owner
//!    must place a stone because a pass is not possible yet, the owner has one more.
//! 5. If the owner is to move and l is odd in some region, the first stone is placed
//!    there. That makes l even, and the owner has one stone more in all.
//!
//! This is [`Territory::lower_bound_with_replies`].

use arrayvec::ArrayVec;

use crate::games::gothello::PointSet;

/// The largest number of regions: 13 points of the 25 have no neighbors among each
/// other.
const MAX_REGIONS: usize = 13;

/// The number of points on the board.
const AREA: i8 = 25;

/// The unconditionally alive stones of one player and the proven lower bound on the
/// final score that follows; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territory {
    /// The stones of X, the largest set of groups that is alive.
    alive: PointSet,
    /// A superset of the empty points in the eyes of X and in the regions that the
    /// lower bound counts as the owner's. Each other point in it is, or was earlier in the
    /// game, in a region that the owner's stones enclose and of which all empty points are
    /// liberties of these stones.
    enclosed: PointSet,
    /// The owner's stones minus the enemy's at the end are at least this.
    lower_bound: i8,
}

impl Territory {
    /// Returns the territory of a player without any alive group: the board is one region.
    fn none(enclosed: PointSet) -> Territory {
        Territory {
            alive: PointSet::EMPTY,
            enclosed,
            lower_bound: 1 - AREA,
        }
    }

    /// Returns the territory of the owner of `stones`.
    ///
    /// X is found by Benson's iteration: groups without an eye are dropped until each
    /// remaining group has one.
    pub fn new(stones: PointSet, empty: PointSet) -> Territory {
        let enclosed = empty.without(open_regions(stones, empty));
        Territory::from_enclosed(stones, empty, enclosed)
    }

    /// Does the work of [`Territory::new`], given the empty points of the enclosed
    /// regions.
    fn from_enclosed(stones: PointSet, empty: PointSet, all_enclosed: PointSet) -> Territory {
        let mut walls = stones;
        let mut enclosed = all_enclosed;
        loop {
            let regions = Regions::new(walls, empty, enclosed);
            if regions.alive.is_empty() {
                return Territory::none(all_enclosed);
            }
            if regions.is_stable(walls) {
                return Territory {
                    alive: regions.alive,
                    enclosed: all_enclosed,
                    lower_bound: regions.lower_bound(walls, empty, enclosed),
                };
            }
            // Stones that are not alive may be captured and join an enemy group, so
            // they neither enclose a region nor have liberties that count.
            walls = regions.alive;
            enclosed = empty.without(open_regions(walls, empty));
        }
    }

    /// Returns the unconditionally alive stones: they stand as long as their owner
    /// leaves an empty point in an eye of each group, so forever if the owner only
    /// passes.
    pub fn alive(&self) -> PointSet {
        self.alive
    }

    /// Returns a lower bound on the owner's stones minus the enemy's at the end, -24
    /// to 24.
    pub fn lower_bound(&self) -> i8 {
        self.lower_bound
    }

    /// Returns the lower bound with replies, given the empty points of the board and
    /// whether the owner is to move. Where the replies cannot decide whether the bound
    /// reaches `beta`, this is the plain lower bound.
    #[inline]
    pub fn lower_bound_with_replies(&self, empty: PointSet, is_to_move: bool, beta: i8) -> i8 {
        let liberties = (empty & self.alive.neighbors()).without(self.enclosed);
        let max_replies = (liberties.len() as i8 + i8::from(is_to_move)) / 2;
        if self.lower_bound >= beta || self.lower_bound + 2 * max_replies < beta {
            return self.lower_bound;
        }
        let (mut replies, mut is_odd) = (0, false);
        let mut rest = liberties;
        while !rest.is_empty() {
            let region = rest.lowest().flood(!self.alive);
            // If the enemy's last stone left only liberties in the region, it is all
            // the owner's by claim 3, which is more.
            let count = (region & liberties).len() as i8;
            replies += count / 2;
            is_odd |= count % 2 == 1;
            rest = rest.without(region);
        }
        self.lower_bound + 2 * (replies + i8::from(is_odd && is_to_move))
    }

    /// Returns the territory of the owner of `stones` after the owner's stone at `at`,
    /// whose group now is `group`.
    ///
    /// This is quick and correct, but in rare cases weaker than [`Territory::new`]. It
    /// preserves two invariants: that `enclosed` is a superset as documented, and that
    /// each region in which the lower bound counts a point as staying empty has one.
    #[inline]
    pub fn after_own_stone(
        &self,
        at: PointSet,
        group: PointSet,
        stones: PointSet,
        empty: PointSet,
    ) -> Territory {
        let beside = at.neighbors();
        let around = beside | beside.neighbors();
        if !around.meets(stones.without(at)) {
            // A lone stone divides no region.
            return *self;
        }
        let open = open_regions(stones, empty);
        let enclosed = empty.without(open);
        let is_new = !enclosed.without(self.enclosed).is_empty();
        if !is_new && !self.enclosed.meets(at) {
            if !group.neighbors().meets(self.enclosed) {
                // Every group of X is adjacent to its eye, so this is none of them.
                return *self;
            }
            if group.meets(self.alive) && beside.meets(empty) {
                // The group grows, its eyes stay as they were, and the region of the
                // stone keeps an empty point.
                let gained = group.without(self.alive);
                return Territory {
                    alive: self.alive | gained,
                    lower_bound: self.lower_bound + 2 * gained.len() as i8,
                    ..*self
                };
            }
        }
        Territory::from_enclosed(stones, empty, enclosed)
    }

    /// Returns the territory of the owner of `stones` after an enemy stone at `at`.
    /// The owner keeps everything.
    #[inline]
    pub fn after_enemy_stone(&self, at: PointSet, stones: PointSet, empty: PointSet) -> Territory {
        // The territory can grow only if the stone was placed on the only point of its
        // region that is no liberty of the owner. (Or on the only one that is no liberty
        // of some group, which is rare and ignored.)
        if at.neighbors().meets(stones) {
            return *self;
        }
        let region = at.flood(!stones) & empty;
        if !region.without(stones.neighbors()).is_empty() {
            return *self;
        }
        Territory::new(stones, empty)
    }
}

/// Returns the points of all regions in which an empty point is not a liberty of
/// `walls`.
#[inline]
fn open_regions(walls: PointSet, empty: PointSet) -> PointSet {
    empty.without(walls.neighbors()).flood(!walls)
}

/// A region that contains an empty point and whose empty points are all liberties of
/// the walls.
#[derive(Clone, Copy)]
struct EnclosedRegion {
    points: PointSet,
    empty: PointSet,
    /// The stones of the groups of which the region is an eye.
    owners: PointSet,
}

/// The regions that some walls enclose, and the groups that have an eye.
struct Regions {
    enclosed: ArrayVec<EnclosedRegion, MAX_REGIONS>,
    /// The stones of the groups that have an eye.
    alive: PointSet,
}

impl Regions {
    /// Finds the regions of the empty points `enclosed`.
    #[inline]
    fn new(walls: PointSet, empty: PointSet, enclosed: PointSet) -> Regions {
        let mut regions = Regions {
            enclosed: ArrayVec::new(),
            alive: PointSet::EMPTY,
        };
        let mut rest = enclosed;
        while !rest.is_empty() {
            let first = rest.lowest();
            let points = first.flood(!walls);
            let empty = points & empty;
            rest = rest.without(empty);
            let owners = eye_owners(first, empty, walls);
            regions.alive |= owners;
            regions.enclosed.push(EnclosedRegion {
                points,
                empty,
                owners,
            });
        }
        regions
    }

    /// Returns whether groups with eyes alone enclose every eye, so that the eyes
    /// remain when the other walls are gone.
    #[inline]
    fn is_stable(&self, walls: PointSet) -> bool {
        let weak = walls.without(self.alive);
        weak.is_empty() || self.eyes().all(|eye| !eye.points.neighbors().meets(weak))
    }

    fn eyes(&self) -> impl Iterator<Item = &EnclosedRegion> {
        let regions = self.enclosed.iter();
        regions.filter(|region| !region.owners.is_empty())
    }

    /// Computes [`Territory::lower_bound`] for stable regions.
    #[inline]
    fn lower_bound(&self, walls: PointSet, empty: PointSet, mut enclosed: PointSet) -> i8 {
        if self.alive != walls {
            enclosed = empty.without(open_regions(self.alive, empty));
        }
        let mut open = empty.without(enclosed);
        let mut owned = self.alive.len() as i8;
        let mut left_empty = 0;
        let reserved = self.reserved();
        for eye in self.eyes() {
            enclosed = enclosed.without(eye.empty);
            if eye.empty.meets(reserved) {
                left_empty += 1;
            } else {
                owned += eye.points.len() as i8;
            }
        }
        // The enclosed regions that are nobody's eye.
        owned += enclosed.flood(!self.alive).len() as i8;
        while !open.is_empty() {
            open = open.without(open.lowest().flood(!self.alive));
            left_empty += 1;
        }
        2 * owned + left_empty - AREA
    }

    /// Returns the empty points of one eye of each group: of its only eye, else of one
    /// that is reserved already, else of the smallest.
    #[inline]
    fn reserved(&self) -> PointSet {
        let (mut once, mut twice) = (PointSet::EMPTY, PointSet::EMPTY);
        for eye in self.eyes() {
            twice |= once & eye.owners;
            once |= eye.owners;
        }
        let single = once.without(twice);
        let (mut reserved, mut without) = (PointSet::EMPTY, self.alive);
        for eye in self.eyes().filter(|eye| eye.owners.meets(single)) {
            reserved |= eye.empty;
            without = without.without(eye.owners);
        }
        while !without.is_empty() {
            let group = without.lowest();
            let eyes = self.eyes().filter(|eye| eye.owners.meets(group));
            let Some(eye) = eyes.min_by_key(|eye| eye.points.len()) else {
                break;
            };
            reserved |= eye.empty;
            without = without.without(eye.owners);
        }
        reserved
    }
}

/// Returns the stones of the groups of `walls` that have all of `empty` as liberties,
/// given one of these points.
#[inline]
fn eye_owners(first: PointSet, empty: PointSet, walls: PointSet) -> PointSet {
    let mut owners = PointSet::EMPTY;
    let mut beside = first.neighbors() & walls;
    while !beside.is_empty() {
        let group = beside.lowest().flood(walls);
        beside = beside.without(group);
        if empty.without(group.neighbors()).is_empty() {
            owners |= group;
        }
    }
    owners
}

/// Returns the unconditionally alive stones among a player's `stones`: those that are
/// never captured if that player only passes from now on, whatever the opponent plays.
/// `empty` are the empty points of the board.
///
/// ```
/// use gothello::{Color, Position};
/// use gothello::solver::unconditionally_alive;
///
/// // White cannot play a1: the stone would have no liberty before it captures.
/// let position: Position = "...../...../..b../bb.../.b... w".parse()?;
/// let alive = unconditionally_alive(position.stones_of(Color::Black), position.empty());
/// assert_eq!(alive.to_string(), "b1 a2 b2");
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
pub fn unconditionally_alive(stones: PointSet, empty: PointSet) -> PointSet {
    Territory::new(stones, empty).alive()
}
