//! The stones on a board, and positions.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::point::PointSet;
use super::{ByColor, Color, IllegalSize, Point, Size};

/// The stones on a board. Every group has a liberty: the functions that create a board check it,
/// and [`Game`](super::Game) removes captured stones.
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

/// Why rows of points are not a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalBoard {
    /// Too few or too many rows or columns.
    #[error(transparent)]
    Size(#[from] IllegalSize),
    /// A row that is not as long as the first one.
    #[error("row {row} has {found} points, but row 0 has {expected}")]
    Row {
        /// The row, counted from 0 at the top.
        row: usize,
        /// Its number of points.
        found: usize,
        /// The number of points of the first row.
        expected: usize,
    },
    /// A group without a liberty, which should have been captured.
    #[error("the group of the stone at {0} has no liberty")]
    NoLiberty(Point),
}

impl Board {
    /// Returns an empty board.
    pub fn empty(size: Size) -> Board {
        Board {
            size,
            stones: ByColor::default(),
        }
    }

    /// Returns the board with these rows, from the top, each row from the left.
    ///
    /// # Errors
    /// There are too few or too many rows or columns, the rows differ in length, or a group
    /// has no liberty.
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
        match board.stones_without_liberty().first() {
            Some(point) => Err(IllegalBoard::NoLiberty(point)),
            None => Ok(board),
        }
    }

    /// Returns the size of the board.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the stone on a point; `None` if the point is empty or off the board.
    #[inline]
    pub fn get(&self, point: Point) -> Option<Color> {
        let stands = |color: &Color| self.stones.get(*color).contains(point);
        Color::ALL.into_iter().find(stands)
    }

    /// Returns the stones, row by row from the top, each row from the left.
    pub fn stones(&self) -> impl Iterator<Item = (Point, Color)> {
        let points = self.size.points();
        points.filter_map(|point| Some((point, self.get(point)?)))
    }

    /// Returns what is on each point: the rows from the top, each row from the left.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = Option<Color>>> {
        (0..self.size.rows()).map(move |row| {
            let columns = 0..self.size.columns();
            columns.map(move |column| self.get(Point { row, column }))
        })
    }

    /// Returns whether the board has no stone.
    pub fn is_empty(&self) -> bool {
        self.stones == ByColor::default()
    }

    /// Returns the points of the black stones and of the white stones.
    #[inline]
    pub(super) fn stone_sets(&self) -> &ByColor<PointSet> {
        &self.stones
    }

    /// Returns the empty points.
    #[inline]
    pub(super) fn empty_points(&self) -> PointSet {
        PointSet::board(self.size) & !(self.stones.black | self.stones.white)
    }

    /// Places a stone on an empty point of the board.
    #[inline]
    pub(super) fn place(&mut self, point: Point, color: Color) {
        self.stones.get_mut(color).insert(point);
    }

    /// Removes a stone.
    #[inline]
    pub(super) fn remove(&mut self, point: Point, color: Color) {
        self.stones.get_mut(color).remove(point);
    }

    /// Returns the stones whose groups have no liberty.
    fn stones_without_liberty(&self) -> PointSet {
        let liberties = self.empty_points();
        let captured = |stones: PointSet| stones & !liberties.neighbors().flood(&stones);
        captured(self.stones.black) | captured(self.stones.white)
    }
}

/// Writes the rows, separated by line breaks, with a letter or `.` for each point,
/// separated by spaces.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in self.size.points() {
            f.write_str(match (point.row, point.column) {
                (0, 0) => "",
                (_, 0) => "\n",
                _ => " ",
            })?;
            let letter = self.get(point).map_or('.', Color::capital);
            write!(f, "{letter}")?;
        }
        Ok(())
    }
}

/// Writes the board as `Display` does, between line breaks.
impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}

/// Why a text is not a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseBoardError {
    /// A character that is neither a stone nor an empty point.
    #[error("{found:?} in row {row} is not a point: use B, W, or . for each")]
    Letter {
        /// The row, counted from 0 at the top.
        row: usize,
        /// The character.
        found: char,
    },
    /// The rows are not a board.
    #[error(transparent)]
    Illegal(#[from] IllegalBoard),
}

/// Parses a line for each row from the top, with `B`, `W`, or `.` for each point. Spaces
/// and empty lines are ignored.
impl FromStr for Board {
    type Err = ParseBoardError;

    fn from_str(text: &str) -> Result<Board, ParseBoardError> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let rows: Vec<Vec<Option<Color>>> = lines
            .enumerate()
            .map(|(row, line)| {
                let letters = line.chars().filter(|letter| !letter.is_whitespace());
                letters.map(|letter| parse_letter(row, letter)).collect()
            })
            .collect::<Result<_, _>>()?;
        Ok(Board::from_rows(&rows)?)
    }
}

/// Parses the letter of a point. `row` is for the error.
fn parse_letter(row: usize, found: char) -> Result<Option<Color>, ParseBoardError> {
    match found {
        'B' => Ok(Some(Color::Black)),
        'W' => Ok(Some(Color::White)),
        '.' => Ok(None),
        _ => Err(ParseBoardError::Letter { row, found }),
    }
}

/// The start of a game, or its state between two moves: the stones, the player to move,
/// and the prisoners. Any values are a legal position, because every group on a
/// [`Board`] has a liberty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The stones.
    pub board: Board,
    /// The player to move.
    pub turn: Color,
    /// The number of prisoners that each player has taken: captured stones, and with
    /// [`Rules::pass_adds_to_prisoners`](super::Rules::pass_adds_to_prisoners) the
    /// opponent's passes.
    pub prisoners: ByColor<u32>,
}

impl Position {
    /// Returns the empty board with Black to move.
    pub fn start(size: Size) -> Position {
        Position {
            board: Board::empty(size),
            turn: Color::Black,
            prisoners: ByColor::new(0, 0),
        }
    }
}
