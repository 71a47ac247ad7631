//! A whole game: the position, how it came about, and the way back.

use super::{Board, Color, Count, IllegalMove, Move, Next, Point, PointSet, Position, Status};

/// A game from its first position to the present, or to its end.
///
/// Every change is a step that [`Game::undo`] takes back: a move, a set-up of
/// stones, a change of the side to move.
///
/// ```
/// use gothello::gothello::{Color, Game, Move};
/// let mut game = Game::new();
/// game.play(Color::Black, "c3".parse().unwrap()).unwrap();
/// game.play(Color::White, Move::Pass).unwrap();
/// assert!(game.play(Color::White, Move::Pass).is_err()); // it is Black's turn
/// assert!(game.undo());
/// assert_eq!(game.to_move(), Color::White);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    now: Moment,
    past: Vec<Moment>,
}

/// All that can be asked of one moment of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    step: Step,
    position: Position,
    status: Status,
    captured: Captured,
    /// The stones that the last move turned over.
    turned: PointSet,
}

/// What brought a moment about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The stones or the side to move were set.
    SetUp(Position),
    /// A player moved.
    Played {
        /// The player.
        color: Color,
        /// His move.
        mv: Move,
    },
}

/// How many stones each player has turned over so far in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// White stones that Black has turned over.
    pub by_black: u32,
    /// Black stones that White has turned over.
    pub by_white: u32,
}

impl Captured {
    fn plus(self, color: Color, stones: u32) -> Captured {
        let Captured { by_black, by_white } = self;
        match color {
            Color::Black => Captured {
                by_black: by_black.saturating_add(stones),
                by_white,
            },
            Color::White => Captured {
                by_black,
                by_white: by_white.saturating_add(stones),
            },
        }
    }
}

/// Why a game refuses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The other player is to move.
    #[error("it is {0}'s turn")]
    OutOfTurn(Color),
    /// The move is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Game {
    /// A game from the empty board.
    pub fn new() -> Game {
        Game::from(Position::START)
    }

    /// Returns the position; `None` if the game is over.
    ///
    /// ```
    /// use gothello::gothello::{Color, Game, Move};
    /// let mut game = Game::new();
    /// game.play(Color::Black, Move::Pass)?;
    /// assert!(game.position().is_some_and(|position| position.after_pass()));
    /// game.play(Color::White, Move::Pass)?;
    /// assert_eq!(game.position(), None);
    /// assert_eq!(game.board().empty().len(), 25);
    /// # Ok::<(), gothello::gothello::PlayError>(())
    /// ```
    pub fn position(&self) -> Option<&Position> {
        (!self.is_over()).then_some(&self.now.position)
    }

    /// Returns the stones on the board, also when the game is over.
    pub fn board(&self) -> Board {
        self.now.position.board()
    }

    /// Whether the game is over, and how it ended.
    pub fn status(&self) -> Status {
        self.now.status
    }

    /// Whether both players have passed in succession.
    pub fn is_over(&self) -> bool {
        self.now.status != Status::Undecided
    }

    /// The player to move; of a game that is over, the one who would be.
    pub fn to_move(&self) -> Color {
        self.now.position.to_move()
    }

    /// How many stones each player has on the board.
    pub fn count(&self) -> Count {
        self.now.position.count()
    }

    /// How many stones each player has turned over so far.
    pub fn captured(&self) -> Captured {
        self.now.captured
    }

    /// The stones that the last move turned over.
    pub fn turned(&self) -> PointSet {
        self.now.turned
    }

    /// What led to the present: `None` at the start of the game.
    pub fn last_step(&self) -> Option<Step> {
        (!self.past.is_empty()).then_some(self.now.step)
    }

    /// Every step with the stones after it; the first is the set-up of the
    /// position at the start.
    pub fn steps(&self) -> impl Iterator<Item = (Step, Board)> {
        self.past
            .iter()
            .chain([&self.now])
            .map(|moment| (moment.step, moment.position.board()))
    }

    /// Where the player to move may place a stone: nowhere when the game is
    /// over.
    pub fn legal_points(&self) -> PointSet {
        if self.is_over() {
            PointSet::EMPTY
        } else {
            self.now.position.placements().legal()
        }
    }

    /// Plays a move of `color`. A pass in a game that is over is accepted and
    /// changes nothing.
    ///
    /// # Errors
    /// Out of turn, against the rules, or a placement in a game that is over;
    /// the game is then unchanged.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), PlayError> {
        if self.is_over() {
            return match mv {
                Move::Pass => Ok(()),
                Move::Place(_) => Err(IllegalMove::GameOver.into()),
            };
        }
        let before = self.now.position;
        if color != before.to_move() {
            return Err(PlayError::OutOfTurn(before.to_move()));
        }
        let (position, status) = match before.play(mv)? {
            Next::Continues(position) => (position, Status::Undecided),
            Next::Ends(outcome) => (before.with_to_move(color.opponent()), Status::Over(outcome)),
        };
        let turned = before.stones_of(color.opponent()) & position.stones_of(color);
        self.advance(Moment {
            step: Step::Played { color, mv },
            position,
            status,
            captured: self.now.captured.plus(color, turned.len()),
            turned,
        });
        Ok(())
    }

    /// Replaces the position. The game goes on from there, also if it was over.
    pub fn set_up(&mut self, position: Position) {
        self.advance(Moment {
            captured: self.now.captured,
            ..Moment::start(position)
        });
    }

    /// Starts anew from the empty board; nothing can be taken back.
    pub fn clear(&mut self) {
        self.past.clear();
        self.now = Moment::start(Position::START);
    }

    /// Takes back the last step; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some(moment) => {
                self.now = moment;
                true
            }
            None => false,
        }
    }

    /// How many steps can be taken back.
    pub fn undoable(&self) -> usize {
        self.past.len()
    }

    /// The colour of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        self.now.position.stone_at(point)
    }

    fn advance(&mut self, next: Moment) {
        self.past.push(std::mem::replace(&mut self.now, next));
    }
}

impl Moment {
    fn start(position: Position) -> Moment {
        Moment {
            step: Step::SetUp(position),
            position,
            status: Status::Undecided,
            captured: Captured::default(),
            turned: PointSet::EMPTY,
        }
    }
}

/// A game that starts from a position.
impl From<Position> for Game {
    fn from(position: Position) -> Game {
        Game {
            now: Moment::start(position),
            past: Vec::new(),
        }
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new()
    }
}
