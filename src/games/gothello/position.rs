//! Positions: a board, the player to move, and whether the last move was a pass.

use super::{
    ByColor, Color, IllegalMove, Move, Outcome, Placements, Point, PointSet, Stones, Symmetry,
    to_least_image,
};

/// A position of a game that goes on: the stones, the player to move, and whether the
/// last move was a pass.
///
/// A position is legal by construction: no point has two stones, and every
/// group has a liberty. Both hold in every position of a game (see the proof in
/// the [specification](super::specification)), and [`Position::new`] refuses anything
/// else. A game that is over has no position: [`Position::pass`] returns its
/// outcome instead.
///
/// ```
/// use gothello::{Move, Position};
/// let position: Position = "...../.w.../wb.../.b.../..... w".parse().unwrap();
/// let moves: Vec<_> = position.legal_moves().collect();
/// assert_eq!(moves.len(), 22); // 21 empty points, and the pass
/// ```
///
/// The order of positions has no meaning in the game: it serves sorting and ordered maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    mover: PointSet,
    opponent: PointSet,
    to_move: Color,
    after_pass: bool,
}

/// The result of a legal move.
///
/// ```
/// use gothello::{Next, Outcome, Position};
///
/// let Next::Continues(position) = Position::START.pass() else { unreachable!() };
/// assert_eq!(position.pass(), Next::Ends(Outcome::Drawn));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The game goes on.
    Continues(Position),
    /// The second pass in a row ended the game.
    Ends(Outcome),
}

/// The reason why two sets of stones are not a legal position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPosition {
    /// A point has a stone of each player.
    #[error("{0} has a black and a white stone")]
    TwoStones(Point),
    /// A group has no liberty, which cannot happen in a game.
    #[error("the group at {0} has no liberty")]
    NoLiberty(Point),
}

impl Position {
    /// The empty board with Black to move.
    pub const START: Position = Position {
        mover: PointSet::EMPTY,
        opponent: PointSet::EMPTY,
        to_move: Color::Black,
        after_pass: false,
    };

    /// Creates a position. `after_pass` says whether the last move was a pass.
    ///
    /// # Errors
    /// If a point has two stones or a group has no liberty.
    pub fn new(
        black: PointSet,
        white: PointSet,
        to_move: Color,
        after_pass: bool,
    ) -> Result<Position, IllegalPosition> {
        if let Some(point) = (black & white).first() {
            return Err(IllegalPosition::TwoStones(point));
        }
        let empty = !(black | white);
        for stones in [black, white] {
            let alive = empty.neighbors().flood(stones);
            if let Some(point) = stones.without(alive).first() {
                return Err(IllegalPosition::NoLiberty(point));
            }
        }
        let (mover, opponent) = match to_move {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        Ok(Position {
            mover,
            opponent,
            to_move,
            after_pass,
        })
    }

    /// Returns the player to move.
    #[inline]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns whether the last move was a pass, so that another pass ends the game.
    #[inline]
    pub const fn after_pass(&self) -> bool {
        self.after_pass
    }

    /// Turns a value for the player to move that ignores the last move into the value of this
    /// position: after a pass, that player may also end the game.
    #[inline]
    pub(crate) fn with_game_end(&self, value: i8) -> i8 {
        match self.after_pass {
            true => value.max(self.stones().lead()),
            false => value,
        }
    }

    /// Returns the stones as the player to move sees them.
    #[inline]
    pub const fn stones(&self) -> Stones {
        Stones {
            mover: self.mover,
            opponent: self.opponent,
        }
    }

    /// Returns the stones of a color.
    #[inline]
    pub fn stones_of(&self, color: Color) -> PointSet {
        if color == self.to_move {
            self.mover
        } else {
            self.opponent
        }
    }

    /// Returns the color of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&color| self.stones_of(color).contains(point))
    }

    /// Returns a key below 2^61: the stones of the player to move, those of the opponent,
    /// and whether the last move was a pass. Only the position with all colors exchanged
    /// has the same key.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.mover.bits() as u64
            | (self.opponent.bits() as u64) << 30
            | (self.after_pass as u64) << 60
    }

    /// Returns the points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        !(self.mover | self.opponent)
    }

    /// Returns the stones without the player to move.
    pub fn board(&self) -> Board {
        Board::from(self)
    }

    /// Returns the groups of both players, Black's first.
    pub fn groups(&self) -> impl Iterator<Item = PointSet> + use<> {
        self.board().groups()
    }

    /// Returns the number of stones of each color, 0 to 25.
    pub fn count(&self) -> ByColor<u8> {
        self.board().count()
    }

    /// Returns the legal placements and their captures.
    #[inline]
    pub fn placements(&self) -> Placements {
        Placements::new(self.stones(), self.empty())
    }

    /// Returns every legal move: the placements in the order of [`Point::ALL`], then
    /// the pass, which is always legal.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let placements = self.stones().legal(self.empty());
        placements.iter().map(Move::Place).chain([Move::Pass])
    }

    /// Returns the image of the position under a symmetry of the board, with the same player to
    /// move.
    pub fn image(&self, symmetry: Symmetry) -> Position {
        Position {
            mover: symmetry.apply_to_set(self.mover),
            opponent: symmetry.apply_to_set(self.opponent),
            ..*self
        }
    }

    /// Returns the image with the smallest [key](Position::key): the same one for all eight images.
    ///
    /// ```
    /// use gothello::{Position, Symmetry};
    ///
    /// let position: Position = "...../...../...../.b.../..w.. b".parse()?;
    /// let canonical = position.canonical();
    /// for symmetry in Symmetry::ALL {
    ///     assert_eq!(position.image(symmetry).canonical(), canonical);
    ///     assert!(position.image(symmetry).key() >= canonical.key());
    /// }
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn canonical(&self) -> Position {
        // The opponent's stones are the higher bits of the key.
        self.image(to_least_image(self.opponent, self.mover))
    }

    /// Returns the position with `color` to move and no pass before.
    pub fn with_to_move(self, color: Color) -> Position {
        Position::of(self.board(), color)
    }

    /// Returns the position with these stones and no pass before.
    fn of(board: Board, to_move: Color) -> Position {
        Position {
            mover: board.stones_of(to_move),
            opponent: board.stones_of(to_move.opponent()),
            to_move,
            after_pass: false,
        }
    }

    /// Returns the position after a stone is placed at `point`.
    ///
    /// # Errors
    /// If the point is occupied, or the stone's group would have no liberty before
    /// captures.
    #[inline]
    pub fn place(&self, point: Point) -> Result<Position, IllegalMove> {
        match self.stones().place(point, self.empty()) {
            Some(stones) => Ok(self.after(stones)),
            None if self.empty().contains(point) => Err(IllegalMove::NoLiberty(point)),
            None => Err(IllegalMove::Occupied(point)),
        }
    }

    /// Returns the position after each legal placement, in the order of
    /// [`Point::ALL`].
    #[inline]
    pub fn children(&self) -> impl Iterator<Item = (Point, Position)> {
        let parent = *self;
        self.placements()
            .children()
            .map(move |(point, stones)| (point, parent.after(stones)))
    }

    /// Returns the position after a placement that led to these stones. Placements by
    /// [`Placements`] keep positions legal.
    #[inline]
    pub(super) fn after(&self, stones: Stones) -> Position {
        Position {
            mover: stones.mover,
            opponent: stones.opponent,
            to_move: self.to_move.opponent(),
            after_pass: false,
        }
    }

    /// Returns the result of a pass: the end of the game if the last move was a pass, too.
    #[inline]
    pub fn pass(&self) -> Next {
        if self.after_pass {
            Next::Ends(Outcome::from_scores(self.count()))
        } else {
            Next::Continues(Position {
                mover: self.opponent,
                opponent: self.mover,
                to_move: self.to_move.opponent(),
                after_pass: true,
            })
        }
    }

    /// Returns the result of a move.
    ///
    /// # Errors
    /// As for [`Position::place`]; a pass is always legal.
    #[inline]
    pub fn play(&self, mv: Move) -> Result<Next, IllegalMove> {
        match mv {
            Move::Place(point) => self.place(point).map(Next::Continues),
            Move::Pass => Ok(self.pass()),
        }
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::START
    }
}

/// The stones on the board, of a game that goes on or of one that is over.
///
/// The player to move, and whether a pass ends the game, are part of a [`Position`]. As
/// in a position, every group has a liberty.
///
/// ```
/// use gothello::{ByColor, Color, Position};
///
/// let position: Position = "...../b..../w..../wb.../b.... b".parse()?;
/// let board = position.board();
/// assert_eq!(board.count(), ByColor::new(3, 2));
/// assert_eq!(board.groups().count(), 4);
/// assert_eq!(board.stone_at("a3".parse()?), Some(Color::White));
/// assert_eq!(board.to_string(), "...../b..../w..../wb.../b....");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    black: PointSet,
    white: PointSet,
}

impl Board {
    /// Returns the stones of a color.
    #[inline]
    pub fn stones_of(&self, color: Color) -> PointSet {
        match color {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }

    /// Returns the color of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        let mut colors = Color::ALL.into_iter();
        colors.find(|&color| self.stones_of(color).contains(point))
    }

    /// Returns the points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        !(self.black | self.white)
    }

    /// Returns the groups of both players, Black's first.
    pub fn groups(&self) -> impl Iterator<Item = PointSet> + use<> {
        self.black.groups().chain(self.white.groups())
    }

    /// Returns the number of stones of each color, 0 to 25.
    pub fn count(&self) -> ByColor<u8> {
        // A set holds at most 25 points.
        ByColor::from_fn(|color| self.stones_of(color).len() as u8)
    }

    /// Returns the position of a game that goes on from here, with `color` to move
    /// and no pass before.
    pub fn with_to_move(&self, color: Color) -> Position {
        Position::of(*self, color)
    }
}

impl From<&Position> for Board {
    fn from(position: &Position) -> Board {
        Board {
            black: position.stones_of(Color::Black),
            white: position.stones_of(Color::White),
        }
    }
}
