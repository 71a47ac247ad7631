//! What one player has for certain, in the manner of Benson: stones that can
//! never be captured, and the points that go with them.
//!
//! In Go a group lives unconditionally with two eyes. In Gothello one is
//! enough, because a stone must have a liberty *before* it captures (Massey's
//! rules page: "one eye lives").

use arrayvec::ArrayVec;

use crate::gothello::PointSet;

/// No set of points falls into more parts than these: no two of them have
/// neighbouring points, and the board has 25.
const MOST_PARTS: usize = 13;

/// The points of a board.
const AREA: i8 = 25;

/// What one player has for certain.
///
/// Let X be a set of his groups. The points that are not in X fall into
/// connected regions, which X encloses. An **eye** of a group is a region with
/// at least one empty point whose empty points are all liberties of that group.
/// Let each group of X have an eye, and call one eye of each **reserved**. (Two
/// groups may share one.) Then, whatever the other player does:
///
/// 1. *As long as the owner leaves an empty point in each reserved eye, no group
///    of X is ever captured.* Take the first that is. Before that, all of X
///    stands, and the group's eye is enclosed as it was. Its last empty point
///    must have been filled, and by the enemy. But that stone's group lies
///    within the eye, where no liberty is left: it could not be placed.
/// 2. *No region is ever filled up by the enemy*, for the same reason.
/// 3. *The owner can have all of a region that is not reserved and whose empty
///    points are all liberties of X*: a stone beside X is legal, for its group
///    has the liberty in its reserved eye, and stands like X; by 2 the enemy
///    cannot take the last point; and the owner's last stone takes the last
///    liberty of every enemy group within.
///
/// So let him pass while he has what he wants, and while he has not, fill what 3
/// gives him. The game ends only when he passes, too. Then he has the stones of X
/// and the points of 3, and by 2 one point is empty in each other region; the
/// enemy has at most the rest of the board. The difference is
/// [`Territory::floor`]. It holds whoever is to move, and none of it is lost by
/// a stone of the enemy or a pass of the owner.
///
/// He gets more if he does not only pass while the enemy fills the other regions:
///
/// 4. *Where the enemy places a stone, the owner places one, too.* Let l empty
///    points of a region that 3 does not give him be liberties of X; there are
///    others. To each stone in the region he answers at a liberty of X in it, as
///    long as there is one and another point stays empty: that stone is legal and
///    stands, as in 3. Let the enemy's k-th stone be the first without an answer.
///    Either there was no liberty: then l <= 2k - 1; or there were not two empty
///    points: then l + 1 <= 2k, too. So the k - 1 answers are at least l / 2,
///    rounded down. Where the enemy stops before that, the owner fills liberties
///    alone, and where he must place a stone because he may not pass yet, it is one
///    more.
/// 5. *If he is to move and l is odd in a region*, he places the first stone
///    there: l becomes even, so that he has one stone more in all.
///
/// This is [`Territory::floor_with_answers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Territory {
    /// The stones of X, the largest such set.
    safe: PointSet,
    /// At least the empty points of its eyes and of all that the floor counts as
    /// the owner's. Else those of regions that all of his stones enclose and in
    /// which there are only liberties of theirs, or were.
    enclosed: PointSet,
    /// The owner's stones less the enemy's at the end are at least so many.
    floor: i8,
}

/// A region of the points that are not in X whose empty points are liberties of
/// X, at least one.
#[derive(Clone, Copy)]
struct Enclosed {
    region: PointSet,
    empty: PointSet,
    /// The stones of the groups whose eye it is.
    owners: PointSet,
}

impl Territory {
    /// Nothing is certain.
    fn none(enclosed: PointSet) -> Territory {
        Territory {
            safe: PointSet::EMPTY,
            enclosed,
            floor: -AREA,
        }
    }

    /// What the owner of `stones` has.
    ///
    /// X is the largest set of groups that have eyes: those without one are
    /// dropped from all groups until each has one.
    pub fn of(stones: PointSet, empty: PointSet) -> Territory {
        let enclosed = empty.without(open_points(stones, empty));
        Territory::among(stones, empty, enclosed)
    }

    /// The same, with the empty points that are known to be enclosed.
    fn among(stones: PointSet, empty: PointSet, all_enclosed: PointSet) -> Territory {
        let mut walls = stones;
        let mut enclosed = all_enclosed;
        loop {
            let survey = Survey::of(walls, empty, enclosed);
            if survey.safe.is_empty() {
                return Territory::none(all_enclosed);
            }
            if survey.stands(walls) {
                return Territory {
                    safe: survey.safe,
                    enclosed: all_enclosed,
                    floor: survey.floor(walls, empty, enclosed),
                };
            }
            // Stones of the colour that are not safe may be captured and then
            // be part of the enemy's group: they are no walls, and no liberties.
            walls = survey.safe;
            enclosed = empty.without(open_points(walls, empty));
        }
    }

    /// The stones that stand as long as their owner leaves an empty point in an
    /// eye of each of their groups: for ever if he only passes.
    pub fn safe(&self) -> PointSet {
        self.safe
    }

    /// The owner's stones less the enemy's at the end are at least so many,
    /// -25 to 25.
    pub fn floor(&self) -> i8 {
        self.floor
    }

    /// The same, and what he gets of the regions that are open, with these
    /// `empty` points on the board and him to move or not. That is left out if
    /// even with it there would be less than `wanted`.
    #[inline]
    pub fn floor_with_answers(&self, empty: PointSet, is_to_move: bool, wanted: i8) -> i8 {
        let liberties = (empty & self.safe.neighbours()).without(self.enclosed);
        let most = (liberties.len() as i8 + i8::from(is_to_move)) / 2;
        if self.floor >= wanted || self.floor + 2 * most < wanted {
            return self.floor;
        }
        let (mut answers, mut is_odd) = (0, false);
        let mut rest = liberties;
        while !rest.is_empty() {
            let region = rest.lowest().flood(!self.safe);
            // If these are all, by the enemy's last stone, the region is wholly
            // his by 3, which is more.
            let count = (region & liberties).len() as i8;
            answers += count / 2;
            is_odd |= count % 2 == 1;
            rest = rest.without(region);
        }
        self.floor + 2 * (answers + i8::from(is_odd && is_to_move))
    }

    /// What the owner of `stones` has after his stone at `at`, whose group now
    /// is `group`; `self` is what he had before.
    ///
    /// This is meant to be quick. What it gives is certain, but now and then less
    /// than what [`Territory::of`] finds. Two things are always kept: what
    /// `enclosed` has at least, and that a region of which the floor counts a point
    /// that stays empty has one.
    #[inline]
    pub fn after(
        &self,
        at: PointSet,
        group: PointSet,
        stones: PointSet,
        empty: PointSet,
    ) -> Territory {
        let beside = at.neighbours();
        let around = beside | beside.neighbours();
        if !around.meets(stones.without(at)) {
            // A stone by itself separates no regions.
            return *self;
        }
        let open = open_points(stones, empty);
        let enclosed = empty.without(open);
        let is_new = !enclosed.without(self.enclosed).is_empty();
        if !is_new && !self.enclosed.meets(at) {
            if !group.neighbours().meets(self.enclosed) {
                // Every group of X is beside its eye.
                return *self;
            }
            if group.meets(self.safe) && beside.meets(empty) {
                // The group grows, and its eyes stay what they were. The region
                // of the stone keeps an empty point.
                let won = group.without(self.safe);
                return Territory {
                    safe: self.safe | won,
                    floor: self.floor + 2 * won.len() as i8,
                    ..*self
                };
            }
        }
        Territory::among(stones, empty, enclosed)
    }

    /// What the owner of `stones` has after the enemy's stone at `at`; `self`
    /// is what he had before, which he still has.
    #[inline]
    pub fn after_enemy(&self, at: PointSet, stones: PointSet, empty: PointSet) -> Territory {
        // It can become more only if the point was all that was open in its
        // region. (Or if it was open for one group that has all the others as
        // liberties, which is rare.)
        if at.neighbours().meets(stones) {
            return *self;
        }
        let region = at.flood(!stones) & empty;
        if !region.without(stones.neighbours()).is_empty() {
            return *self;
        }
        Territory::of(stones, empty)
    }
}

/// The points of the regions in which an empty point is no liberty of `walls`.
#[inline]
fn open_points(walls: PointSet, empty: PointSet) -> PointSet {
    empty.without(walls.neighbours()).flood(!walls)
}

/// The regions that some walls enclose, and the groups with eyes.
struct Survey {
    enclosed: ArrayVec<Enclosed, MOST_PARTS>,
    /// The stones of the groups that have an eye.
    safe: PointSet,
}

impl Survey {
    /// Looks at the regions of the points `enclosed`, which are empty and whose
    /// regions have liberties of `walls` only.
    #[inline]
    fn of(walls: PointSet, empty: PointSet, enclosed: PointSet) -> Survey {
        let mut survey = Survey {
            enclosed: ArrayVec::new(),
            safe: PointSet::EMPTY,
        };
        let mut rest = enclosed;
        while !rest.is_empty() {
            let first = rest.lowest();
            let region = first.flood(!walls);
            let points = region & empty;
            rest = rest.without(points);
            let owners = owners(first, points, walls);
            survey.safe |= owners;
            survey.enclosed.push(Enclosed {
                region,
                empty: points,
                owners,
            });
        }
        survey
    }

    /// Whether every eye is enclosed by groups with eyes, so that the eyes
    /// remain when the other walls are gone.
    #[inline]
    fn stands(&self, walls: PointSet) -> bool {
        let weak = walls.without(self.safe);
        weak.is_empty() || self.eyes().all(|eye| !eye.region.neighbours().meets(weak))
    }

    fn eyes(&self) -> impl Iterator<Item = &Enclosed> {
        let regions = self.enclosed.iter();
        regions.filter(|region| !region.owners.is_empty())
    }

    /// [`Territory::floor`] for the groups with eyes, of which every eye is
    /// enclosed.
    #[inline]
    fn floor(&self, walls: PointSet, empty: PointSet, mut enclosed: PointSet) -> i8 {
        if self.safe != walls {
            enclosed = empty.without(open_points(self.safe, empty));
        }
        let mut open = empty.without(enclosed);
        let mut mine = self.safe.len() as i8;
        let mut left_empty = 0;
        let reserved = self.reserved();
        for eye in self.eyes() {
            enclosed = enclosed.without(eye.empty);
            if eye.empty.meets(reserved) {
                left_empty += 1;
            } else {
                mine += eye.region.len() as i8;
            }
        }
        // The regions that have liberties of X only, and are nobody's eye.
        mine += enclosed.flood(!self.safe).len() as i8;
        while !open.is_empty() {
            open = open.without(open.lowest().flood(!self.safe));
            left_empty += 1;
        }
        2 * mine + left_empty - AREA
    }

    /// The empty points of one eye of each group: the only one if there is but
    /// one, else one that is reserved already, else the smallest.
    #[inline]
    fn reserved(&self) -> PointSet {
        let (mut once, mut twice) = (PointSet::EMPTY, PointSet::EMPTY);
        for eye in self.eyes() {
            twice |= once & eye.owners;
            once |= eye.owners;
        }
        let single = once.without(twice);
        let (mut reserved, mut without) = (PointSet::EMPTY, self.safe);
        for eye in self.eyes().filter(|eye| eye.owners.meets(single)) {
            reserved |= eye.empty;
            without = without.without(eye.owners);
        }
        while !without.is_empty() {
            let group = without.lowest();
            let eyes = self.eyes().filter(|eye| eye.owners.meets(group));
            let Some(eye) = eyes.min_by_key(|eye| eye.region.len()) else {
                break;
            };
            reserved |= eye.empty;
            without = without.without(eye.owners);
        }
        reserved
    }
}

/// The stones of the groups of `walls` that have all of `points` as liberties;
/// `first` is one of the points.
#[inline]
fn owners(first: PointSet, points: PointSet, walls: PointSet) -> PointSet {
    let mut owners = PointSet::EMPTY;
    let mut beside = first.neighbours() & walls;
    while !beside.is_empty() {
        let group = beside.lowest().flood(walls);
        beside = beside.without(group);
        if points.without(group.neighbours()).is_empty() {
            owners |= group;
        }
    }
    owners
}

/// Of the stones of one colour, those that stay that colour for ever if its
/// player only passes from now on, whatever the other player does; `empty` is
/// the empty points.
pub fn unconditionally_alive(stones: PointSet, empty: PointSet) -> PointSet {
    Territory::of(stones, empty).safe()
}
