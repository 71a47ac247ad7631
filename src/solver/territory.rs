//! What one player has for certain, in the manner of Benson: stones that can
//! never be captured, and the points that go with them.
//!
//! In Go a group lives unconditionally with two eyes. In Gothello one is
//! enough, because a stone must have a liberty *before* it captures (Massey's
//! rules page: "one eye lives").

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
/// 4. *Of a reserved eye with k empty points the owner can have half of k - 1,
///    rounded down*, if he answers each stone there with one of his, as long as
///    one point stays empty.
///
/// So let him answer within the eye, else pass while he has what he wants, and
/// while he has not, fill what 3 and 4 give him. The game ends only when he
/// passes, too. Then he has the stones of X and the points of 3 and 4, and by 2
/// one point is empty in each other region; the enemy has at most the rest of
/// the board. The difference is [`Territory::floor`]. It holds whoever is to
/// move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Territory {
    /// The stones of X, the largest such set.
    safe: PointSet,
    /// The empty points of its eyes.
    eyes: PointSet,
    /// The owner's stones less the enemy's at the end are at least so many.
    floor: i8,
}

/// A region that has only liberties of X.
#[derive(Clone, Copy, Default)]
struct Enclosed {
    region: PointSet,
    empty: PointSet,
}

/// A group of X, and which of the enclosed regions are its eyes, one bit each.
#[derive(Clone, Copy, Default)]
struct Walls {
    group: PointSet,
    eyes: u16,
}

impl Territory {
    /// Nothing is certain.
    const NONE: Territory = Territory {
        safe: PointSet::EMPTY,
        eyes: PointSet::EMPTY,
        floor: -AREA,
    };

    /// What the owner of `stones` has.
    ///
    /// X is the largest set of groups that have eyes: those without one are
    /// dropped from all groups until each has one.
    pub fn of(stones: PointSet, empty: PointSet) -> Territory {
        let mut walls = stones;
        loop {
            // Stones of the colour that are not safe may be captured and then
            // be part of the enemy's group: they are no walls, and no liberties.
            let open = open_points(walls, empty);
            let survey = Survey::of(walls, empty, empty.without(open));
            if survey.safe.is_empty() {
                return Territory::NONE;
            }
            if survey.safe == walls {
                return survey.territory(open & empty);
            }
            walls = survey.safe;
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

    /// What the owner of `stones` has after his stone at `at`, whose group now
    /// is `group`; `self` is what he had before.
    ///
    /// This is meant to be quick. What it gives is certain, but may be less
    /// than [`Territory::of`] finds: if that is rare, or if its floor could
    /// hardly be as high as `wanted`.
    #[inline]
    pub fn after(
        &self,
        at: PointSet,
        group: PointSet,
        stones: PointSet,
        empty: PointSet,
        wanted: i8,
    ) -> Territory {
        let beside = at.neighbours();
        let around = beside | beside.neighbours();
        if !around.meets(stones.without(at)) {
            // A stone by itself separates no regions.
            return *self;
        }
        if !self.eyes.meets(at) {
            let open = open_points(stones, empty);
            let has_new_eye = !empty.without(open | self.eyes).is_empty();
            if !has_new_eye && !group.meets(self.safe) && !group.neighbours().meets(self.eyes) {
                return *self;
            }
            if !has_new_eye && group.meets(self.safe) && beside.meets(empty) {
                // The group grows, and its eyes stay what they were. The region
                // of the stone keeps an empty point.
                let won = group.without(self.safe);
                return Territory {
                    safe: self.safe | won,
                    eyes: self.eyes,
                    floor: self.floor + 2 * won.len() as i8,
                };
            }
            // The open points are not his, and hardly more than one of them
            // stays empty.
            if 2 * (AREA - open.len() as i8) - AREA + 1 < wanted {
                return *self;
            }
        }
        Territory::of(stones, empty)
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
        let now = Territory::of(stones, empty);
        if now.floor > self.floor { now } else { *self }
    }
}

/// The points of the regions in which an empty point is no liberty of `walls`.
#[inline]
fn open_points(walls: PointSet, empty: PointSet) -> PointSet {
    empty.without(walls.neighbours()).flood(!walls)
}

/// The regions that some walls enclose, and the groups with eyes.
struct Survey {
    enclosed: [Enclosed; MOST_PARTS],
    walls: [Walls; MOST_PARTS],
    /// The walls that have an eye.
    safe: PointSet,
}

impl Survey {
    /// Looks at the regions of the points `enclosed`, which are empty and whose
    /// regions have liberties of `walls` only.
    #[inline]
    fn of(walls: PointSet, empty: PointSet, enclosed: PointSet) -> Survey {
        let mut survey = Survey {
            enclosed: [Enclosed::default(); MOST_PARTS],
            walls: [Walls::default(); MOST_PARTS],
            safe: PointSet::EMPTY,
        };
        let (mut rest, mut bit) = (enclosed, 1);
        for slot in &mut survey.enclosed {
            let first = rest.lowest();
            if first.is_empty() {
                break;
            }
            let region = first.flood(!walls);
            let points = region & empty;
            *slot = Enclosed {
                region,
                empty: points,
            };
            rest = rest.without(points);
            // Every group that has all of the points as liberties has this one.
            let mut beside = first.neighbours() & walls;
            for wall in &mut survey.walls {
                if beside.is_empty() {
                    break;
                }
                if wall.group.is_empty() {
                    wall.group = beside.lowest().flood(walls);
                }
                if wall.group.meets(beside) {
                    beside = beside.without(wall.group);
                    if points.without(wall.group.neighbours()).is_empty() {
                        wall.eyes |= bit;
                        survey.safe |= wall.group;
                    }
                }
            }
            bit <<= 1;
        }
        survey
    }

    /// What the owner has if all of the walls have eyes; `open` is the empty
    /// points that are not enclosed.
    fn territory(&self, open: PointSet) -> Territory {
        let reserved = self.reserved();
        let all_eyes = self.walls.iter().fold(0, |eyes, wall| eyes | wall.eyes);
        let mut mine = self.safe.len() as i8;
        let mut left_empty = 0;
        let mut eyes = PointSet::EMPTY;
        let mut bit = 1;
        for enclosed in &self.enclosed {
            if enclosed.region.is_empty() {
                break;
            }
            if all_eyes & bit != 0 {
                eyes |= enclosed.empty;
            }
            if reserved & bit != 0 {
                left_empty += 1;
                mine += (enclosed.empty.len() as i8 - 1) / 2;
            } else {
                mine += enclosed.region.len() as i8;
            }
            bit <<= 1;
        }
        let mut rest = open;
        while !rest.is_empty() {
            rest = rest.without(rest.lowest().flood(!self.safe));
            left_empty += 1;
        }
        Territory {
            safe: self.safe,
            eyes,
            floor: 2 * mine + left_empty - AREA,
        }
    }

    /// One eye of each of the walls: the only one if there is but one, else one
    /// that is reserved already, else the smallest.
    fn reserved(&self) -> u16 {
        let mut reserved = 0;
        for wall in &self.walls {
            if wall.eyes.is_power_of_two() {
                reserved |= wall.eyes;
            }
        }
        for wall in &self.walls {
            if wall.eyes & reserved == 0 {
                let sized = (self.enclosed.iter().enumerate())
                    .filter(|(i, _)| wall.eyes >> i & 1 != 0)
                    .min_by_key(|(_, enclosed)| enclosed.region.len());
                reserved |= sized.map_or(0, |(i, _)| 1 << i);
            }
        }
        reserved
    }
}

/// Of the stones of one colour, those that stay that colour for ever if its
/// player only passes from now on, whatever the other player does; `empty` is
/// the empty points.
pub fn safe_stones(stones: PointSet, empty: PointSet) -> PointSet {
    Territory::of(stones, empty).safe()
}
