//! The 25 points of the board, and sets of points with one bit for each, with the
//! operations that the rules need.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};
use std::str::FromStr;

use thiserror::Error;

/// The number of columns, and of rows, of the board.
pub const SIZE: u8 = 5;

/// The distance between two rows in a [`PointSet`]: one more
/// than the board is wide, so that every row ends in a column that is never
/// set and a step off the left or right edge lands on no point.
const STRIDE: u8 = SIZE + 1;

/// A point of the board, where a stone may be placed. (The paper, section 1, calls it a
/// square.)
///
/// Columns are lettered `a` to `e` from the left, rows numbered `1` to `5` from
/// the bottom. A `Point` is always on the board.
///
/// ```
/// use gothello::Point;
/// let center: Point = "C3".parse().unwrap();
/// assert_eq!(center.to_string(), "c3");
/// assert_eq!((center.column(), center.row()), (2, 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// `STRIDE * row + column`, the number of the point's bit in a set.
    bit: u8,
}

impl Point {
    /// All points, row by row from the bottom, each row from the left: a1 to e5.
    pub const ALL: [Point; 25] = {
        let mut all = [Point { bit: 0 }; 25];
        let mut i = 0;
        while i < 25 {
            let (column, row) = ((i % 5) as u8, (i / 5) as u8);
            all[i] = Point {
                bit: STRIDE * row + column,
            };
            i += 1;
        }
        all
    };

    /// Returns the point in `column` and `row`, both counted from 0; `None` off the board.
    pub const fn new(column: u8, row: u8) -> Option<Point> {
        if column < SIZE && row < SIZE {
            Some(Point {
                bit: STRIDE * row + column,
            })
        } else {
            None
        }
    }

    /// Returns the point of a bit, which must be set in a set of points.
    #[inline]
    const fn from_bit(bit: u8) -> Point {
        Point { bit }
    }

    /// Returns the index of the point's bit in a set, below 30.
    #[inline]
    const fn bit(self) -> u8 {
        self.bit
    }

    /// Returns the column, 0 for `a` to 4 for `e`.
    #[inline]
    pub const fn column(self) -> u8 {
        self.bit % STRIDE
    }

    /// Returns the row, 0 for `1` (the bottom) to 4 for `5`.
    #[inline]
    pub const fn row(self) -> u8 {
        self.bit / STRIDE
    }

    /// Returns the index of the point in [`Point::ALL`], below 25.
    #[inline]
    pub const fn index(self) -> usize {
        (SIZE * self.row() + self.column()) as usize
    }

    /// Returns the column's letter, `a` to `e`.
    #[inline]
    pub const fn letter(self) -> char {
        (b'a' + self.column()) as char
    }

    /// Returns the row's digit, `1` to `5`.
    #[inline]
    pub const fn digit(self) -> char {
        (b'1' + self.row()) as char
    }
}

/// Writes the letter and the digit, as in `c3`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter(), self.digit())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A word that is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid point {0:?}: use a letter a-e and a digit 1-5")]
pub struct ParsePointError(pub String);

/// Parses a letter a-e in upper or lower case and a digit 1-5.
impl FromStr for Point {
    type Err = ParsePointError;

    fn from_str(word: &str) -> Result<Point, ParsePointError> {
        let point = match *word.as_bytes() {
            [letter, digit] => Point::new(
                letter.to_ascii_lowercase().wrapping_sub(b'a'),
                digit.wrapping_sub(b'1'),
            ),
            _ => None,
        };
        point.ok_or_else(|| ParsePointError(word.to_owned()))
    }
}

/// A set of points of the board.
///
/// Only bits of points are ever set.
///
/// ```
/// use gothello::{Point, PointSet};
/// let corner: Point = "a1".parse().unwrap();
/// let beside: Vec<String> = PointSet::from(corner).neighbors().iter()
///     .map(|point| point.to_string()).collect();
/// assert_eq!(beside, ["b1", "a2"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

    /// Returns the set as a number below 2^30: the point in `column` and `row`, both counted from
    /// 0, is bit 6 * `row` + `column`. Every sixth bit is never set.
    ///
    /// ```
    /// use gothello::{Point, PointSet};
    ///
    /// let set: PointSet = ["a1".parse::<Point>()?, "b2".parse()?].into_iter().collect();
    /// assert_eq!(set.bits(), 0b10_000001);
    /// assert_eq!(PointSet::from_bits(0b10_000001), Some(set));
    /// assert_eq!(PointSet::from_bits(0b1_00000), None); // right of e1
    /// # Ok::<(), gothello::ParsePointError>(())
    /// ```
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the set of this number; `None` if a bit is set that is not a point's.
    #[inline]
    pub const fn from_bits(bits: u32) -> Option<PointSet> {
        if bits & !PointSet::BOARD.0 == 0 {
            Some(PointSet(bits))
        } else {
            None
        }
    }

    /// Returns whether no point is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of points in the set, 0 to 25.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether at least two points are in the set.
    #[inline]
    pub const fn has_two(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns whether `point` is in the set.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.bit() & 1 != 0
    }

    /// Returns whether the sets have a point in common.
    #[inline]
    pub const fn meets(self, other: PointSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the points of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: PointSet) -> PointSet {
        PointSet(self.0 & !other.0)
    }

    /// Returns the first point in the order of [`Point::ALL`]; `None` if the set is empty.
    #[inline]
    pub const fn first(self) -> Option<Point> {
        if self.0 == 0 {
            None
        } else {
            Some(Point::from_bit(self.0.trailing_zeros() as u8))
        }
    }

    /// Returns the set of only the first point; empty if the set is empty.
    #[inline]
    pub const fn lowest(self) -> PointSet {
        PointSet(self.0 & self.0.wrapping_neg())
    }

    /// Returns the points above, below, left and right of those in the set; they may
    /// include points of the set itself.
    #[inline]
    pub const fn neighbors(self) -> PointSet {
        PointSet(self.spread() & PointSet::BOARD.0)
    }

    /// Returns the neighbors, and perhaps bits off the board: for callers that intersect
    /// the result with a set of points.
    #[inline]
    const fn spread(self) -> u32 {
        self.0 << 1 | self.0 >> 1 | self.0 << STRIDE | self.0 >> STRIDE
    }

    /// Returns for each block of 2x2 points, row by row from the bottom, which of its points are
    /// in the set: bits 0 and 1 are its lower points, bits 2 and 3 those above.
    #[inline]
    pub(crate) fn blocks(self) -> impl Iterator<Item = u8> {
        let steps = SIZE - 1;
        let corners = (0..steps).flat_map(move |row| (0..steps).map(move |column| (column, row)));
        corners.map(move |(column, row)| {
            let bits = self.0 >> (STRIDE * row + column);
            (bits & 0b11 | bits >> STRIDE << 2 & 0b1100) as u8
        })
    }

    /// Returns the points of `area` that can be reached from this set in steps to
    /// neighbors without leaving `area`; points of the set that are not in `area` are
    /// ignored.
    ///
    /// With the stones of a color as the area, this is the group of a stone, or the union
    /// of the groups of several stones.
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

    /// Returns the points of the board with at least two neighbors in this set.
    #[inline]
    const fn neighbors_twice(self) -> PointSet {
        let (east, west) = (self.0 >> 1, self.0 << 1);
        let (north, south) = (self.0 >> STRIDE, self.0 << STRIDE);
        PointSet(
            (east & west | north & south | (east | west) & (north | south)) & PointSet::BOARD.0,
        )
    }

    /// Returns the connected parts of the set: for the stones of a color, its groups.
    pub fn groups(self) -> impl Iterator<Item = PointSet> + Clone {
        let mut rest = self;
        std::iter::from_fn(move || {
            let group = rest.lowest().flood(rest);
            rest = rest.without(group);
            (!group.is_empty()).then_some(group)
        })
    }

    /// Returns those of these stones of one color whose group has at least two liberties
    /// among the points of `empty`.
    #[inline]
    pub fn with_two_liberties(self, empty: PointSet) -> PointSet {
        // Most groups have a stone that touches two empty points by itself. One flood
        // finds all of these.
        let seeds = empty.neighbors_twice() & self;
        if seeds == self {
            return self;
        }
        let mut found = seeds.flood(self);
        let rest = self.without(found);
        for group in rest.groups() {
            if (group.neighbors() & empty).has_two() {
                found |= group;
            }
        }
        found
    }

    /// Returns an iterator over the points in the order of [`Point::ALL`].
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

/// Returns the points that are not in the set.
impl Not for PointSet {
    type Output = PointSet;
    #[inline]
    fn not(self) -> PointSet {
        PointSet::BOARD.without(self)
    }
}

/// Writes the names of the points with spaces between them.
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

/// An iterator over the points of a set; created by [`PointSet::iter`].
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

    #[test]
    fn names_and_points_are_the_same_thing() {
        for (i, point) in Point::ALL.into_iter().enumerate() {
            assert_eq!(point.to_string().parse(), Ok(point));
            assert_eq!(point.to_string().to_uppercase().parse(), Ok(point));
            assert_eq!(Point::new(point.column(), point.row()), Some(point));
            assert_eq!(point.index(), i);
        }
    }

    #[test]
    fn other_words_are_refused_and_named() {
        for word in [
            "", "c", "3c", "f1", "a6", "a0", "c33", " c3", "é", "a\u{301}",
        ] {
            assert_eq!(word.parse::<Point>(), Err(ParsePointError(word.to_owned())));
        }
        assert_eq!(
            "f6".parse::<Point>().unwrap_err().to_string(),
            r#"invalid point "f6": use a letter a-e and a digit 1-5"#
        );
    }

    /// Returns the neighbors by definition: one step in one direction.
    fn beside(point: Point) -> PointSet {
        Point::ALL
            .into_iter()
            .filter(|other| {
                point.column().abs_diff(other.column()) + point.row().abs_diff(other.row()) == 1
            })
            .collect()
    }

    #[test]
    fn neighbors_do_not_wrap_around_an_edge() {
        for point in Point::ALL {
            assert_eq!(PointSet::from(point).neighbors(), beside(point), "{point}");
        }
    }

    #[test]
    fn twice_neighbors_are_counted() {
        for a in Point::ALL {
            for b in Point::ALL {
                let pair = PointSet::from(a) | b.into();
                let expected: PointSet = Point::ALL
                    .into_iter()
                    .filter(|&point| (beside(point) & pair).has_two())
                    .collect();
                assert_eq!(pair.neighbors_twice(), expected, "{pair:?}");
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
