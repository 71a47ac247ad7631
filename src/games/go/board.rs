//! The stones on a board, who owns its points, and positions.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::str::FromStr;

use thiserror::Error;

use super::{ByColor, Color, IllegalSize, MAX_SIDE, Point, Rules, Score, Scoring, Size};

/// The number of rows of a set of points.
const ROWS: usize = MAX_SIDE as usize;

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
#[non_exhaustive]
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

    /// Returns the board without the groups of some stones, and the points of these groups, row by
    /// row from the top, each row from the left.
    ///
    /// # Errors
    /// The first of the points that has no stone.
    ///
    /// ```
    /// use gothello::go::{Board, Point};
    /// let board: Board = "
    ///     . B B
    ///     W W .".parse().unwrap();
    /// let (dead, rest) = board.without_groups(&[Point { row: 1, column: 0 }]).unwrap();
    /// assert_eq!(dead.len(), 2);
    /// assert_eq!(rest.to_string(), ". B B\n. . .");
    /// ```
    pub fn without_groups(&self, stones: &[Point]) -> Result<(Vec<Point>, Board), Point> {
        let mut named = PointSet::default();
        for &point in stones {
            match self.get(point) {
                Some(_) => named.insert(point),
                None => return Err(point),
            }
        }
        let dead = self.stones.map(|stones| named.flood(&stones));
        let board = Board {
            size: self.size,
            stones: ByColor::from_fn(|color| self.stones[color] & !dead[color]),
        };
        Ok(((dead.black | dead.white).points().collect(), board))
    }

    /// Returns whether the board has no stone.
    pub fn is_empty(&self) -> bool {
        self.stones == ByColor::default()
    }

    /// Returns the empty points, row by row from the top, each row from the left.
    pub(super) fn empty_points(&self) -> impl Iterator<Item = Point> + use<> {
        self.empty_set().points()
    }

    #[inline]
    fn empty_set(&self) -> PointSet {
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
        let liberties = self.empty_set();
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
#[non_exhaustive]
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

/// The owner of each point of a board, occupied or empty, for area and for territory scoring.
///
/// A player owns the points of their stones, and their territory: the empty regions that border
/// only on their stones. A region that borders on both players' stones is neutral, and so is the
/// empty board. No stone counts as dead.
///
/// ```
/// use gothello::go::{Board, Color, ByColor, Ownership, Point};
/// let board: Board = "
///     . B .
///     B . W".parse().unwrap();
/// let ownership = Ownership::of(&board);
/// assert_eq!(ownership.owner(Point { row: 0, column: 0 }), Some(Color::Black));
/// assert_eq!(ownership.owner(Point { row: 1, column: 1 }), None);
/// assert_eq!(ownership.territory(), ByColor::new(1, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    stones: ByColor<PointSet>,
    territory: ByColor<PointSet>,
}

impl Ownership {
    /// Returns the owners of the points of a board.
    pub fn of(board: &Board) -> Ownership {
        let empty = board.empty_set();
        let stones = board.stones;
        let bordering = stones.map(|stones| stones.neighbors().flood(&empty));
        Ownership {
            stones,
            territory: ByColor::new(
                bordering.black & !bordering.white,
                bordering.white & !bordering.black,
            ),
        }
    }

    /// Returns the owner of a point, occupied or empty; `None` if it is neutral or off the
    /// board.
    pub fn owner(&self, point: Point) -> Option<Color> {
        let owns = |color: &Color| {
            self.stones.get(*color).contains(point) || self.territory.get(*color).contains(point)
        };
        Color::ALL.into_iter().find(owns)
    }

    /// Returns a letter for each point of the board, row by row from the top: `B` and `W` for stones,
    /// `b` and `w` for empty points that have an owner, and `.` for the others.
    pub fn letters(&self, size: Size) -> String {
        let letter = |point| {
            let mut colors = Color::ALL.into_iter();
            let stone = colors.find(|&color| self.stones[color].contains(point));
            let letter = stone.map(Color::capital);
            letter
                .or_else(|| self.owner(point).map(Color::letter))
                .unwrap_or('.')
        };
        size.points().map(letter).collect()
    }

    /// Returns the number of stones that each player has on the board.
    pub fn stones(&self) -> ByColor<u32> {
        self.stones.map(|stones| stones.len())
    }

    /// Returns the number of empty points that each player owns.
    pub fn territory(&self) -> ByColor<u32> {
        self.territory.map(|points| points.len())
    }

    /// Returns the scores by these rules, with these numbers of prisoners. White's includes komi.
    pub fn score(&self, prisoners: ByColor<u32>, rules: &Rules) -> ByColor<Score> {
        let (stones, territory) = (self.stones(), self.territory());
        ByColor::from_fn(|color| {
            let stones = match rules.scoring {
                Scoring::Area => stones[color],
                Scoring::Territory => 0,
            };
            let prisoners = u64::from(prisoners[color]) * u64::from(rules.prisoner_score);
            let komi = match color {
                Color::Black => Score::ZERO,
                Color::White => rules.komi,
            };
            let board = u64::from(stones + territory[color]);
            [Score::from(board), Score::from(prisoners), komi]
                .into_iter()
                .sum()
        })
    }
}

/// A set of points, as one word for each row with one bit for each column; the lowest
/// bit is the left column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct PointSet([u32; ROWS]);

impl PointSet {
    /// Returns all points of a board.
    fn board(size: Size) -> PointSet {
        let mut set = PointSet::default();
        for row in set.0.iter_mut().take(size.rows().into()) {
            *row = (1 << size.columns()) - 1;
        }
        set
    }

    /// Returns whether a point is in the set. Points outside of 25 rows and columns are in
    /// no set.
    #[inline]
    fn contains(&self, point: Point) -> bool {
        let row = self.0.get(usize::from(point.row));
        row.is_some_and(|row| u64::from(*row) >> (point.column & 63) & 1 != 0) && point.column < 64
    }

    /// Adds a point of a board.
    #[inline]
    fn insert(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.row)) {
            *row |= 1 << (point.column & 31);
        }
    }

    /// Removes a point of a board.
    #[inline]
    fn remove(&mut self, point: Point) {
        if let Some(row) = self.0.get_mut(usize::from(point.row)) {
            *row &= !(1 << (point.column & 31));
        }
    }

    /// Returns how many points are in the set, 0 to 625.
    #[inline]
    fn len(&self) -> u32 {
        let mut count = 0;
        for row in self.0 {
            count += row.count_ones();
        }
        count
    }

    /// Returns the first point, row by row from the top, each row from the left.
    fn first(&self) -> Option<Point> {
        self.points().next()
    }

    /// Returns the points, row by row from the top, each row from the left.
    fn points(self) -> impl Iterator<Item = Point> {
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
    fn neighbors(&self) -> PointSet {
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
    fn flood(&self, area: &PointSet) -> PointSet {
        // Fill whole rows at once, in sweeps down and up. Few regions are so winding that they need
        // a second pair of sweeps, and most rows of a later sweep do not change.
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
