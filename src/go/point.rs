//! The points of a board and their names.

use std::fmt;

use thiserror::Error;

use super::Size;

/// The letters of the columns, from the left: without `I`, which is easily
/// taken for a `J` or a `1`.
const LETTERS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// A row and a column, which may be off a given board: the protocol lets a
/// client name any point, and the rules refuse those that are none
/// ([`Illegal::OutOfBounds`](super::Illegal::OutOfBounds)).
///
/// ```
/// use gothello::go::{Point, Size};
/// let corner = Point::from_vertex("a19", Size::USUAL).unwrap();
/// assert_eq!(corner, Point { row: 0, column: 0 });
/// assert_eq!(corner.vertex(Size::USUAL).unwrap(), "A19");
/// assert_eq!(Point { row: 19, column: 0 }.vertex(Size::USUAL), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The row, counted from 0 at the top.
    pub row: u8,
    /// The column, counted from 0 at the left.
    pub column: u8,
}

/// A word that names no point of a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{word:?} is no point of a {size} board: {last} or another of its points is expected")]
pub struct ParseVertexError {
    /// The word.
    pub word: String,
    /// The size of the board.
    pub size: Size,
    /// The point in the upper right corner.
    pub last: String,
}

impl Point {
    /// The name on a board of some size as in the Go Text Protocol: the
    /// column's letter, without `I`, and the row's number from the bottom;
    /// `None` off the board.
    pub fn vertex(self, size: Size) -> Option<String> {
        let letter = LETTERS.chars().nth(self.column.into())?;
        let on_board = size.contains(self);
        on_board.then(|| format!("{letter}{}", size.rows() - self.row))
    }

    /// The point of a name like `D4`, with a letter of either case.
    ///
    /// # Errors
    /// The word names no point of a board of this size.
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

/// Writes the row and the column as the protocol counts them: `(18,0)`.
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
