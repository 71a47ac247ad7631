//! A position of a game that goes on.

use super::{
    Board, ByColor, Color, IllegalMove, Move, Outcome, Placements, Point, PointSet, Stones,
};

/// A position in which a player is to move: the stones, whose turn it is, and
/// whether the move before was a pass.
///
/// A position is legal by construction: no point has two stones, and every
/// group has a liberty. Both hold in every position of a game (see the proof in
/// the [room's documentation](super)), and [`Position::new`] refuses anything
/// else. A game that is over has no position: [`Position::pass`] gives its
/// outcome instead.
///
/// ```
/// use gothello::gothello::{Move, Position};
/// let position: Position = "...../.w.../wb.../.b.../..... w".parse().unwrap();
/// let moves: Vec<_> = position.legal_moves().collect();
/// assert_eq!(moves.len(), 22); // 21 empty points, and the pass
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    mover: PointSet,
    opponent: PointSet,
    to_move: Color,
    after_pass: bool,
}

/// What a legal move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The game goes on.
    Continues(Position),
    /// The second pass in a row ended the game.
    Ends(Outcome),
}

/// Why two sets of stones are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPosition {
    /// Both colours claim a point.
    #[error("{0} has a black and a white stone")]
    TwoStones(Point),
    /// A group has no liberty, which no sequence of moves can bring about.
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

    /// The position with these stones, `to_move` on turn, and the move before
    /// a pass or not.
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
            let alive = empty.neighbours().flood(stones);
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

    /// The player to move.
    #[inline]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Whether the move before was a pass, so that a pass ends the game.
    #[inline]
    pub const fn after_pass(&self) -> bool {
        self.after_pass
    }

    /// The stones as the player to move sees them.
    #[inline]
    pub const fn stones(&self) -> Stones {
        Stones {
            mover: self.mover,
            opponent: self.opponent,
        }
    }

    /// The stones of a colour.
    #[inline]
    pub fn stones_of(&self, color: Color) -> PointSet {
        if color == self.to_move {
            self.mover
        } else {
            self.opponent
        }
    }

    /// The colour of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        Color::ALL
            .into_iter()
            .find(|&color| self.stones_of(color).contains(point))
    }

    /// A number below 2^61 that no other position has, but for the one that
    /// differs from this one in the colours alone: the stones of the player to
    /// move, those of the other, and whether the move before was a pass.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.mover.bits() as u64
            | (self.opponent.bits() as u64) << 30
            | (self.after_pass as u64) << 60
    }

    /// The points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        !(self.mover | self.opponent)
    }

    /// The stones, without whose turn it is.
    pub fn board(&self) -> Board {
        Board::from(self)
    }

    /// The groups of both colours, Black's first.
    pub fn groups(&self) -> impl Iterator<Item = PointSet> + use<> {
        self.board().groups()
    }

    /// How many stones each colour has.
    pub fn count(&self) -> ByColor<u8> {
        self.board().count()
    }

    /// Every legal placement, and what it captures.
    #[inline]
    pub fn placements(&self) -> Placements {
        Placements::new(self.stones(), self.empty())
    }

    /// Every legal move: the placements in the order of [`Point::ALL`], then
    /// the pass, which is always legal.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.placements()
            .legal()
            .iter()
            .map(Move::Place)
            .chain([Move::Pass])
    }

    /// The same position with `color` to move; as if the other had not just
    /// passed.
    pub fn with_to_move(self, color: Color) -> Position {
        Position::of(self.board(), color)
    }

    /// The position with the stones of another one, or of a game that is over.
    pub(super) fn of(board: Board, to_move: Color) -> Position {
        Position {
            mover: board.stones_of(to_move),
            opponent: board.stones_of(to_move.opponent()),
            to_move,
            after_pass: false,
        }
    }

    /// The position after a stone is placed at `point`.
    ///
    /// # Errors
    /// If the point is occupied, or the stone would have no liberty before
    /// captures.
    #[inline]
    pub fn place(&self, point: Point) -> Result<Position, IllegalMove> {
        match self.placements().place(point) {
            Some(stones) => Ok(self.after(stones)),
            None if self.empty().contains(point) => Err(IllegalMove::NoLiberty(point)),
            None => Err(IllegalMove::Occupied(point)),
        }
    }

    /// The position after each legal placement, in the order of
    /// [`Point::ALL`].
    #[inline]
    pub fn children(&self) -> impl Iterator<Item = (Point, Position)> {
        let parent = *self;
        self.placements()
            .children()
            .map(move |(point, stones)| (point, parent.after(stones)))
    }

    /// The position after a placement that led to these stones, which every
    /// placement by [`Placements`] keeps legal.
    #[inline]
    fn after(&self, stones: Stones) -> Position {
        Position {
            mover: stones.mover,
            opponent: stones.opponent,
            to_move: self.to_move.opponent(),
            after_pass: false,
        }
    }

    /// What a pass leads to: the end if the move before was one too.
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

    /// What a move leads to.
    ///
    /// # Errors
    /// As [`Position::place`]; a pass is always legal.
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
