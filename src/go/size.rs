//! How large a board is.

use std::fmt;

use thiserror::Error;

use super::Point;

/// The most rows, and the most columns, that a board may have.
pub const MAX_SIDE: u8 = 25;

/// The size of a board: 1 to 25 rows and 1 to 25 columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    rows: u8,
    columns: u8,
}

/// Numbers of rows and columns of which there is no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{rows} rows and {columns} columns: 1 to 25 of each are expected")]
pub struct IllegalSize {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Size {
    /// The size of the usual board, 19 rows and 19 columns.
    pub const USUAL: Size = Size {
        rows: 19,
        columns: 19,
    };

    /// The size with so many rows and columns.
    ///
    /// # Errors
    /// A number is not in 1 to 25.
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

    /// The size with as many rows as columns.
    ///
    /// # Errors
    /// The number is not in 1 to 25.
    pub const fn square(side: usize) -> Result<Size, IllegalSize> {
        Size::new(side, side)
    }

    /// The number of rows, 1 to 25.
    #[inline]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// The number of columns, 1 to 25.
    #[inline]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Whether a point is on the board.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        point.row < self.rows && point.column < self.columns
    }

    /// All points, row by row from the top, each from the left.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.rows)
            .flat_map(move |row| (0..self.columns).map(move |column| Point { row, column }))
    }
}

/// Writes the rows and the columns, as in `19x19`.
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
