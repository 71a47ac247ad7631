//! The 25 points of the board and their names.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of columns, and of rows, of the board.
pub const SIZE: u8 = 5;

/// The distance between two rows in a [`PointSet`](super::PointSet): one more
/// than the board is wide, so that every row ends in a column that is never
/// set and a step off the left or right edge lands on no point.
pub(super) const STRIDE: u8 = SIZE + 1;

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
    pub(super) const fn from_bit(bit: u8) -> Point {
        Point { bit }
    }

    /// Returns the index of the point's bit in a set, below 30.
    #[inline]
    pub(super) const fn bit(self) -> u8 {
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
}
