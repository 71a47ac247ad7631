//! Board sizes, points, and sets of points.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use thiserror::Error;

/// The maximum number of rows, and of columns, of a board.
pub const MAX_SIDE: u8 = 25;

/// The number of rows of a set of points.
const ROWS: usize = MAX_SIDE as usize;

/// The size of a board: 1 to 25 rows and 1 to 25 columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    rows: u8,
    columns: u8,
}

/// Numbers of rows and columns that no board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a board cannot have {rows} rows and {columns} columns: use 1 to 25 of each")]
pub struct IllegalSize {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Size {
    /// The standard board, 19 rows and 19 columns.
    pub const STANDARD: Size = Size {
        rows: 19,
        columns: 19,
    };

    /// Returns a size.
    ///
    /// # Errors
    /// A number is not in the range 1 to 25.
    pub const fn new(rows: usize, columns: usize) -> Result<Size, IllegalSize> {
        const MAX: usize = MAX_SIDE as usize;
        match (rows, columns) {
            (1..=MAX, 1..=MAX) => Ok(Size {
                rows: rows as u8,
                columns: columns as u8,
            }),
            _ => Err(IllegalSize { rows, columns }),
        }
    }

    /// Returns the size of a square board.
    ///
    /// # Errors
    /// The number is not in the range 1 to 25.
    pub const fn square(side: usize) -> Result<Size, IllegalSize> {
        Size::new(side, side)
    }

    /// Returns the number of rows, 1 to 25.
    #[inline]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Returns the number of columns, 1 to 25.
    #[inline]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Returns whether a point is on the board.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        point.row < self.rows && point.column < self.columns
    }

    /// Returns all points, row by row from the top, each row from the left.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.rows)
            .flat_map(move |row| (0..self.columns).map(move |column| Point { row, column }))
    }
}

/// Writes rows and columns, as in `19x19`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The letters of the columns from the left. `I` is left out, as usual in Go.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// A row and a column, which may be off a given board: a client of the protocol may name
/// any point, and the rules reject those off the board
/// ([`Illegal::OutOfBounds`](super::Illegal::OutOfBounds)).
///
/// ```
/// use gothello::go::{Point, Size};
/// let corner = Point::from_vertex("a19", Size::STANDARD).unwrap();
/// assert_eq!(corner, Point { row: 0, column: 0 });
/// assert_eq!(corner.vertex(Size::STANDARD).unwrap(), "A19");
/// assert_eq!(Point { row: 19, column: 0 }.vertex(Size::STANDARD), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The row, counted from 0 at the top.
    pub row: u8,
    /// The column, counted from 0 at the left.
    pub column: u8,
}

/// A word that is not a vertex of a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{word:?} is not a point of a {size} board: use A1 to {last}{}", self.about_letter_i())]
pub struct ParseVertexError {
    /// The word.
    pub word: String,
    /// The size of the board.
    pub size: Size,
    /// The point in the upper right corner.
    pub last: String,
}

impl ParseVertexError {
    /// Explains the letter that is left out, where it matters.
    fn about_letter_i(&self) -> &'static str {
        let is_i = self.word.starts_with(['i', 'I']);
        // The ninth column is J.
        match is_i && self.size.columns > 8 {
            true => "; no column has the letter I: after H comes J",
            false => "",
        }
    }
}

impl Point {
    /// Returns the vertex as the Go Text Protocol writes it on a board of this size: the
    /// letter of the column, without `I`, and the number of the row from the bottom.
    /// Returns `None` off the board.
    pub fn vertex(self, size: Size) -> Option<String> {
        let letter = LETTERS.chars().nth(self.column.into())?;
        let on_board = size.contains(self);
        on_board.then(|| format!("{letter}{}", size.rows() - self.row))
    }

    /// Parses a vertex like `D4`; the letter may be of either case.
    ///
    /// # Errors
    /// The word is not a vertex of a board of this size.
    pub fn from_vertex(word: &str, size: Size) -> Result<Point, ParseVertexError> {
        let point = Point::parse(word, size).filter(|&point| size.contains(point));
        point.ok_or_else(|| ParseVertexError {
            word: word.to_owned(),
            size,
            last: Point {
                row: 0,
                column: size.columns() - 1,
            }
            .vertex(size)
            .unwrap_or_default(),
        })
    }

    fn parse(word: &str, size: Size) -> Option<Point> {
        let letter = word.chars().next()?.to_ascii_uppercase();
        let column = LETTERS.find(letter)?;
        let digits = word.get(1..)?;
        // `parse` alone would also read +4 and 04.
        if !digits.starts_with(|first| matches!(first, '1'..='9')) {
            return None;
        }
        let row = size.rows().checked_sub(digits.parse().ok()?)?;
        let column = column.try_into().ok()?;
        Some(Point { row, column })
    }
}

/// Writes row and column as the contest protocol counts them: `(18,0)`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.row, self.column)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of points, as one word for each row with one bit for each column; the lowest
/// bit is the left column.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct PointSet([u32; ROWS]);

impl PointSet {
    /// Returns all points of a board.
    pub(super) fn board(size: Size) -> PointSet {
        let mut set = PointSet::default();
        for row in set.0.iter_mut().take(size.rows().into()) {
            *row = (1 << size.columns()) - 1;
        }
        set
    }

    /// Returns whether a point is in the set. Points outside of 25 rows and columns are in
    /// no set.
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

    /// Removes a point of a board.
    #[inline]
    pub(super) fn remove(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.row)) {
            *row &= !(1 << (point.column & 31));
        }
    }

    /// Returns how many points are in the set, 0 to 625.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        let mut count = 0;
        for row in self.0 {
            count += row.count_ones();
        }
        count
    }

    /// Returns the first point, row by row from the top, each row from the left.
    pub(super) fn first(&self) -> Option<Point> {
        self.points().next()
    }

    /// Returns the points, row by row from the top, each row from the left.
    pub(super) fn points(self) -> impl Iterator<Item = Point> {
        (0..).zip(self.0).flat_map(|(row, mut columns)| {
            std::iter::from_fn(move || {
                let column = columns.trailing_zeros() as u8;
                columns &= columns.checked_sub(1)?;
                Some(Point { row, column })
            })
        })
    }

    /// Returns the points above, below, left, and right of those in the set. The result may
    /// hold points off the board, which the caller masks out.
    #[inline]
    pub(super) fn neighbors(&self) -> PointSet {
        let mut neighbors = self.0;
        for row in &mut neighbors {
            *row = *row << 1 | *row >> 1;
        }
        for row in 1..ROWS {
            neighbors[row] |= self.0[row - 1];
            neighbors[row - 1] |= self.0[row];
        }
        PointSet(neighbors)
    }

    /// Flood-fills `area` from this set: returns the points of `area` that are connected
    /// within `area` to a point of the set in `area`.
    pub(super) fn flood(&self, area: &PointSet) -> PointSet {
        // Fill whole rows at once, in sweeps down and up. Few regions wind so much that
        // they need a second pair of sweeps, and most rows of a later sweep do not change.
        let rows = area.0.iter().rposition(|&row| row != 0);
        let rows = rows.map_or(0, |last| last + 1);
        let mut reached = *self & *area;
        let mut beyond = 0;
        for row in 0..rows {
            reached.0[row] = runs(reached.0[row] | beyond & area.0[row], area.0[row]);
            beyond = reached.0[row];
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
            for row in (0..rows).rev() {
                grows |= grow(&mut reached.0[row], beyond, area.0[row]);
                beyond = reached.0[row];
            }
            if !grows {
                return reached;
            }
            (grows, beyond) = (false, 0);
            for row in 0..rows {
                grows |= grow(&mut reached.0[row], beyond, area.0[row]);
                beyond = reached.0[row];
            }
            if !grows {
                return reached;
            }
        }
    }
}

/// Returns the runs of adjacent bits of `area` that hold a bit of `seeds`, a subset of
/// `area`.
#[inline]
fn runs(seeds: u32, area: u32) -> u32 {
    // The carry of the sum runs through the ones above a seed. It cannot overflow: rows
    // use 25 of the 32 bits.
    let mut runs = seeds | area & !area.wrapping_add(seeds);
    if runs == area {
        return runs;
    }
    // Downward by 1, 2, 4, 8, and 16 bits, as far as all bits between are of the area.
    let mut open = area;
    for shift in [1, 2, 4, 8, 16] {
        runs |= open & runs >> shift;
        open &= open >> shift;
    }
    runs
}

impl BitAnd for PointSet {
    type Output = PointSet;

    #[inline]
    fn bitand(mut self, other: PointSet) -> PointSet {
        for row in 0..ROWS {
            self.0[row] &= other.0[row];
        }
        self
    }
}

impl BitOr for PointSet {
    type Output = PointSet;

    #[inline]
    fn bitor(mut self, other: PointSet) -> PointSet {
        for row in 0..ROWS {
            self.0[row] |= other.0[row];
        }
        self
    }
}

impl Not for PointSet {
    type Output = PointSet;

    #[inline]
    fn not(mut self) -> PointSet {
        for row in &mut self.0 {
            *row = !*row;
        }
        self
    }
}
