//! Sets of points, one bit a point, and what the rules ask of them.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::Point;
use super::point::STRIDE;

/// A set of points of the board.
///
/// The bits are those of the points only: a set never holds anything off the
/// board.
///
/// ```
/// use gothello::gothello::{Point, PointSet};
/// let corner: Point = "a1".parse().unwrap();
/// let beside: Vec<String> = PointSet::from(corner).neighbours().iter()
///     .map(|point| point.to_string()).collect();
/// assert_eq!(beside, ["b1", "a2"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet(u32);

impl PointSet {
    /// No point.
    pub const EMPTY: PointSet = PointSet(0);

    /// The whole board.
    pub const BOARD: PointSet = {
        let row = 0b11111_u32;
        let s = STRIDE;
        PointSet(row | row << s | row << (2 * s) | row << (3 * s) | row << (4 * s))
    };

    /// The set as a number, below 2^30.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// Whether no point is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many points are in the set, 0 to 25.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether at least two points are in the set.
    #[inline]
    pub const fn has_two(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether `point` is in the set.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.bit() & 1 != 0
    }

    /// Whether the two sets share a point.
    #[inline]
    pub const fn meets(self, other: PointSet) -> bool {
        self.0 & other.0 != 0
    }

    /// The points of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: PointSet) -> PointSet {
        PointSet(self.0 & !other.0)
    }

    /// The first point in the order of [`Point::ALL`], if there is one.
    #[inline]
    pub const fn first(self) -> Option<Point> {
        if self.0 == 0 {
            None
        } else {
            Some(Point::from_bit(self.0.trailing_zeros() as u8))
        }
    }

    /// The set of the first point alone; empty if the set is.
    #[inline]
    pub const fn lowest(self) -> PointSet {
        PointSet(self.0 & self.0.wrapping_neg())
    }

    /// The points above, below, left and right of those in the set, which may
    /// hold some of the set's own points.
    #[inline]
    pub const fn neighbours(self) -> PointSet {
        PointSet(self.spread() & PointSet::BOARD.0)
    }

    /// The neighbours, and perhaps bits off the board: for callers that cut
    /// the result down to a set of points at once.
    #[inline]
    const fn spread(self) -> u32 {
        self.0 << 1 | self.0 >> 1 | self.0 << STRIDE | self.0 >> STRIDE
    }

    /// The points of `area` that can be reached from this set in steps to
    /// neighbours without leaving `area`; the set's own points count only
    /// where they are in `area`.
    ///
    /// With a colour's stones as the area this is the group of a stone, or
    /// the union of the groups of several.
    #[inline]
    pub const fn flood(self, area: PointSet) -> PointSet {
        let mut reached = self.0 & area.0;
        loop {
            let next = (reached | PointSet(reached).spread()) & area.0;
            if next == reached {
                return PointSet(reached);
            }
            reached = next;
        }
    }

    /// The points of the board with at least two neighbours in this set.
    #[inline]
    const fn neighbours_twice(self) -> PointSet {
        let (east, west) = (self.0 >> 1, self.0 << 1);
        let (north, south) = (self.0 >> STRIDE, self.0 << STRIDE);
        PointSet(
            (east & west | north & south | (east | west) & (north | south)) & PointSet::BOARD.0,
        )
    }

    /// The connected parts of the set: with a colour's stones, its groups.
    pub fn groups(self) -> impl Iterator<Item = PointSet> + Clone {
        let mut rest = self;
        std::iter::from_fn(move || {
            let group = rest.lowest().flood(rest);
            rest = rest.without(group);
            (!group.is_empty()).then_some(group)
        })
    }

    /// Of these stones of one colour, those whose group has at least two
    /// liberties among the points of `empty`.
    #[inline]
    pub fn with_two_liberties(self, empty: PointSet) -> PointSet {
        // Most groups have a stone that touches two empty points by itself,
        // and all of those are found by one flood together.
        let seeds = empty.neighbours_twice() & self;
        if seeds == self {
            return self;
        }
        let mut found = seeds.flood(self);
        let rest = self.without(found);
        for group in rest.groups() {
            if (group.neighbours() & empty).has_two() {
                found |= group;
            }
        }
        found
    }

    /// The points one by one in the order of [`Point::ALL`].
    #[inline]
    pub const fn iter(self) -> Points {
        Points(self)
    }
}

impl From<Point> for PointSet {
    #[inline]
    fn from(point: Point) -> PointSet {
        PointSet(1 << point.bit())
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        points
            .into_iter()
            .fold(PointSet::EMPTY, |set, point| set | point.into())
    }
}

impl BitOr for PointSet {
    type Output = PointSet;
    #[inline]
    fn bitor(self, other: PointSet) -> PointSet {
        PointSet(self.0 | other.0)
    }
}

impl BitOrAssign for PointSet {
    #[inline]
    fn bitor_assign(&mut self, other: PointSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for PointSet {
    type Output = PointSet;
    #[inline]
    fn bitand(self, other: PointSet) -> PointSet {
        PointSet(self.0 & other.0)
    }
}

impl BitAndAssign for PointSet {
    #[inline]
    fn bitand_assign(&mut self, other: PointSet) {
        self.0 &= other.0;
    }
}

/// The rest of the board.
impl Not for PointSet {
    type Output = PointSet;
    #[inline]
    fn not(self) -> PointSet {
        PointSet::BOARD.without(self)
    }
}

/// Writes the points' names with spaces between them.
impl fmt::Display for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, point) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{point}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// The points of a set one by one; made by [`PointSet::iter`].
#[derive(Clone, Debug)]
pub struct Points(PointSet);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        let point = self.0.first()?;
        self.0 = self.0.without(self.0.lowest());
        Some(point)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Points {}
impl FusedIterator for Points {}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = Points;

    #[inline]
    fn into_iter(self) -> Points {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The neighbours by the definition: one step in one direction.
    fn beside(point: Point) -> PointSet {
        Point::ALL
            .into_iter()
            .filter(|other| {
                point.column().abs_diff(other.column()) + point.row().abs_diff(other.row()) == 1
            })
            .collect()
    }

    #[test]
    fn neighbours_do_not_wrap_around_an_edge() {
        for point in Point::ALL {
            assert_eq!(PointSet::from(point).neighbours(), beside(point), "{point}");
        }
    }

    #[test]
    fn twice_neighbours_are_counted() {
        for a in Point::ALL {
            for b in Point::ALL {
                let pair = PointSet::from(a) | b.into();
                let expected: PointSet = Point::ALL
                    .into_iter()
                    .filter(|&point| (beside(point) & pair).has_two())
                    .collect();
                assert_eq!(pair.neighbours_twice(), expected, "{pair:?}");
            }
        }
    }

    #[test]
    fn the_complement_stays_on_the_board() {
        assert_eq!(!PointSet::EMPTY, PointSet::BOARD);
        assert_eq!(!PointSet::BOARD, PointSet::EMPTY);
        assert_eq!(PointSet::BOARD.len(), 25);
        assert_eq!(PointSet::BOARD.iter().collect::<Vec<_>>(), Point::ALL);
    }

    #[test]
    fn groups_part_the_set() {
        let set: PointSet = ["a1", "b1", "e5", "d4", "c4"]
            .into_iter()
            .map(|name| name.parse::<Point>().unwrap())
            .collect();
        let groups: Vec<String> = set.groups().map(|group| group.to_string()).collect();
        assert_eq!(groups, ["a1 b1", "c4 d4", "e5"]);
    }
}
