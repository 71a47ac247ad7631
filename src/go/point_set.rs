//! Sets of points, one bit a point.

use std::ops::{BitAnd, BitOr, Not};

use super::{MAX_SIDE, Point, Size};

/// A set of points of a board of any size: a number for each row, and in it a
/// bit for each column, the lowest for the left one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct PointSet([u32; MAX_SIDE as usize]);

impl PointSet {
    /// All points of a board.
    pub(super) fn board(size: Size) -> PointSet {
        let mut set = PointSet::default();
        for row in set.0.iter_mut().take(size.rows().into()) {
            *row = (1 << size.columns()) - 1;
        }
        set
    }

    /// Whether a point is in the set; points outside of 25 rows and columns
    /// are in none.
    #[inline]
    pub(super) fn contains(&self, point: Point) -> bool {
        let row = self.0.get(usize::from(point.row));
        row.is_some_and(|row| u64::from(*row) >> (point.column & 63) & 1 != 0) && point.column < 64
    }

    /// Adds a point of a board.
    #[inline]
    pub(super) fn insert(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.row)) {
            *row |= 1 << (point.column & 31);
        }
    }

    /// Takes a point of a board out.
    #[inline]
    pub(super) fn remove(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.row)) {
            *row &= !(1 << (point.column & 31));
        }
    }

    /// How many points are in the set, 0 to 625.
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// The first point, row by row from the top and each from the left.
    pub(super) fn first(&self) -> Option<Point> {
        let (row, columns) = (0..).zip(self.0).find(|&(_, columns)| columns != 0)?;
        let column = columns.trailing_zeros() as u8;
        Some(Point { row, column })
    }

    /// The points above, below, left and right of those in the set, and
    /// perhaps some off the board: for callers that cut the result down.
    pub(super) fn beside(&self) -> PointSet {
        let mut beside = self.0.map(|row| row << 1 | row >> 1);
        for (beside, above) in beside.iter_mut().skip(1).zip(self.0) {
            *beside |= above;
        }
        for (beside, below) in beside.iter_mut().zip(self.0.into_iter().skip(1)) {
            *beside |= below;
        }
        PointSet(beside)
    }

    /// The points of `area` that can be reached from this set in steps to
    /// neighbours without leaving `area`; the set's own points count only where
    /// they are in `area`.
    pub(super) fn flood(&self, area: &PointSet) -> PointSet {
        // Whole rows at once, in sweeps down and up: few ways wind so much that
        // they need a second of each. Most rows of a sweep have nothing new.
        let mut reached = *self & *area;
        for (row, &area) in reached.0.iter_mut().zip(&area.0) {
            *row = runs(*row, area);
        }
        let grow = |row: &mut u32, beyond: u32, area: u32| {
            let seeds = *row | beyond & area;
            let grows = seeds != *row;
            if grows {
                *row = runs(seeds, area);
            }
            grows
        };
        loop {
            let (mut grows, mut beyond) = (false, 0);
            for (row, &area) in reached.0.iter_mut().zip(&area.0) {
                grows |= grow(row, beyond, area);
                beyond = *row;
            }
            beyond = 0;
            for (row, &area) in reached.0.iter_mut().zip(&area.0).rev() {
                grows |= grow(row, beyond, area);
                beyond = *row;
            }
            if !grows {
                return reached;
            }
        }
    }
}

/// The runs of neighbouring bits of `area` with a bit of `seeds`, which has
/// none elsewhere.
#[inline]
fn runs(seeds: u32, area: u32) -> u32 {
    // The carry of a sum runs through the ones above a seed. It cannot get
    // out of the number: of its 32 bits rows use 25.
    let above = |seeds: u32, area: u32| seeds | area & !area.wrapping_add(seeds);
    let upper = above(seeds, area);
    let lower = above(seeds.reverse_bits() >> 7, area.reverse_bits() >> 7);
    upper | (lower << 7).reverse_bits()
}

impl BitAnd for PointSet {
    type Output = PointSet;

    fn bitand(mut self, other: PointSet) -> PointSet {
        for (row, other) in self.0.iter_mut().zip(other.0) {
            *row &= other;
        }
        self
    }
}

impl BitOr for PointSet {
    type Output = PointSet;

    fn bitor(mut self, other: PointSet) -> PointSet {
        for (row, other) in self.0.iter_mut().zip(other.0) {
            *row |= other;
        }
        self
    }
}

impl Not for PointSet {
    type Output = PointSet;

    fn not(self) -> PointSet {
        PointSet(self.0.map(|row| !row))
    }
}
