//! Board sizes and points.

use std::fmt;

use thiserror::Error;

/// The maximum number of rows, and of columns, of a board.
pub const MAX_SIDE: u8 = 25;

/// The size of a board: 1 to 25 rows and 1 to 25 columns.
///
/// ```
/// use gothello::go::{Point, Size};
///
/// let size = Size::new(2, 3)?;
/// assert_eq!(size.to_string(), "2x3");
/// assert_eq!(size.points().last(), Some(Point { row: 1, column: 2 }));
/// assert!(Size::square(26).is_err());
/// # Ok::<(), gothello::go::IllegalSize>(())
/// ```
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
        // `parse` would also read +4 and 04.
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
