//! The stones on a board.

use std::fmt;

use thiserror::Error;

use super::point_set::PointSet;
use super::{ByColor, Color, IllegalSize, Point, Size};

/// The stones on a board, none of whose groups is without a liberty.
///
/// ```
/// use gothello::go::{Board, Color, Point};
/// let board: Board = "
///     . B .
///     W W B".parse().unwrap();
/// assert_eq!(board.size().to_string(), "2x3");
/// assert_eq!(board.get(Point { row: 1, column: 2 }), Some(Color::Black));
/// assert_eq!(board.to_string(), ". B .\nW W B");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: Size,
    stones: ByColor<PointSet>,
}

/// Why rows of points are no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalBoard {
    /// Too few or too many of them.
    #[error(transparent)]
    Size(#[from] IllegalSize),
    /// A row that is not as long as the first.
    #[error("row {row} has {found} points: {expected} are expected, as in row 0")]
    Row {
        /// The row, counted from 0 at the top.
        row: usize,
        /// How many points it has.
        found: usize,
        /// How many the first row has.
        expected: usize,
    },
    /// A group without a liberty, which should have been captured.
    #[error("the group of the stone at {0} has no liberty")]
    NoLiberty(Point),
}

impl Board {
    /// The board without stones.
    pub fn empty(size: Size) -> Board {
        Board {
            size,
            stones: ByColor::default(),
        }
    }

    /// The board with these rows from the top, each from the left.
    ///
    /// # Errors
    /// There are too few or too many rows or columns, the rows are not equally
    /// long, or a group has no liberty.
    pub fn from_rows<R: AsRef<[Option<Color>]>>(rows: &[R]) -> Result<Board, IllegalBoard> {
        let expected = rows.first().map_or(0, |row| row.as_ref().len());
        let size = Size::new(rows.len(), expected)?;
        let mut board = Board::empty(size);
        for (row, stones) in (0..).zip(rows.iter().map(AsRef::as_ref)) {
            if stones.len() != expected {
                return Err(IllegalBoard::Row {
                    row: row.into(),
                    found: stones.len(),
                    expected,
                });
            }
            for (column, stone) in (0..).zip(stones) {
                if let Some(color) = *stone {
                    board.place(Point { row, column }, color);
                }
            }
        }
        match board.without_liberty().first() {
            Some(point) => Err(IllegalBoard::NoLiberty(point)),
            None => Ok(board),
        }
    }

    /// How large it is.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The stone on a point; `None` if the point is empty or off the board.
    #[inline]
    pub fn get(&self, point: Point) -> Option<Color> {
        let stands = |color: &Color| self.stones.get(*color).contains(point);
        Color::ALL.into_iter().find(stands)
    }

    /// The stones, row by row from the top, each from the left.
    pub fn stones(&self) -> impl Iterator<Item = (Point, Color)> {
        let points = self.size.points();
        points.filter_map(|point| Some((point, self.get(point)?)))
    }

    /// What is on each point: the rows from the top, each from the left.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = Option<Color>>> {
        (0..self.size.rows()).map(move |row| {
            let columns = 0..self.size.columns();
            columns.map(move |column| self.get(Point { row, column }))
        })
    }

    /// Whether there is no stone.
    pub fn is_empty(&self) -> bool {
        self.stones == ByColor::default()
    }

    /// The points with a stone of each colour.
    #[inline]
    pub(super) fn stones_of(&self) -> &ByColor<PointSet> {
        &self.stones
    }

    /// The points without a stone.
    pub(super) fn vacant(&self) -> PointSet {
        PointSet::board(self.size) & !(self.stones.black | self.stones.white)
    }

    /// Puts a stone on an empty point of the board.
    #[inline]
    pub(super) fn place(&mut self, point: Point, color: Color) {
        self.stones.get_mut(color).insert(point);
    }

    /// Takes a stone off.
    #[inline]
    pub(super) fn take(&mut self, point: Point, color: Color) {
        self.stones.get_mut(color).remove(point);
    }

    /// The stones whose groups have no liberty.
    fn without_liberty(&self) -> PointSet {
        let liberties = self.vacant();
        let dead = |stones: PointSet| stones & !liberties.beside().flood(&stones);
        dead(self.stones.black) | dead(self.stones.white)
    }
}

/// Writes the rows, separated by line breaks, with a letter or `.` for each
/// point and spaces between them.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in self.size.points() {
            f.write_str(match (point.row, point.column) {
                (0, 0) => "",
                (_, 0) => "\n",
                _ => " ",
            })?;
            let letter = self.get(point).map_or('.', Color::letter);
            write!(f, "{letter}")?;
        }
        Ok(())
    }
}

/// Writes the picture, which says more than bits do.
impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}
