//! A whole game: its position, its moves, and undo.

use super::{Board, ByColor, Color, IllegalMove, Move, Next, Outcome, Point, PointSet, Position};
use crate::games::game;

/// A game from its first position to the present, or to its end.
///
/// Every change is a step that [`Game::undo`] takes back: a move, a set-up of
/// stones, a change of the player to move.
///
/// ```
/// use gothello::{Color, Game, Move};
/// let mut game = Game::new();
/// game.play(Color::Black, "c3".parse().unwrap()).unwrap();
/// game.play(Color::White, Move::Pass).unwrap();
/// assert!(game.play(Color::White, Move::Pass).is_err()); // it is Black's turn
/// assert!(game.undo());
/// assert_eq!(game.to_move(), Color::White);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    now: Snapshot,
    past: Vec<Snapshot>,
}

/// The state of a game after one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Snapshot {
    step: Step,
    position: Position,
    status: Status,
    /// The stones that each player has captured so far in the game.
    captured: ByColor<u32>,
    /// The stones that the step captured.
    last_captured: PointSet,
}

/// A change of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The stones or the player to move were set up.
    SetUp(Position),
    /// A player moved.
    Played {
        /// The player.
        color: Color,
        /// The move.
        mv: Move,
    },
}

/// Whether a game is over, and how it ended.
///
/// ```
/// use gothello::{Color, Game, Move, Outcome, Status};
/// let mut game = Game::new();
/// game.play(Color::Black, Move::Pass)?;
/// assert_eq!(game.status(), Status::Undecided);
/// game.play(Color::White, Move::Pass)?;
/// assert_eq!(game.status(), Status::Over(Outcome::Drawn));
/// # Ok::<(), gothello::PlayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game goes on: nothing is decided, not even a draw.
    Undecided,
    /// Both players have passed in succession.
    Over(Outcome),
}

/// The reason why a game refuses a move.
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
    /// Creates a game that starts from the empty board.
    pub fn new() -> Game {
        Game::from(Position::START)
    }

    /// Returns the position; `None` if the game is over.
    ///
    /// ```
    /// use gothello::{Color, Game, Move};
    /// let mut game = Game::new();
    /// game.play(Color::Black, Move::Pass)?;
    /// assert!(game.position().is_some_and(|position| position.after_pass()));
    /// game.play(Color::White, Move::Pass)?;
    /// assert_eq!(game.position(), None);
    /// assert_eq!(game.board().empty().len(), 25);
    /// # Ok::<(), gothello::PlayError>(())
    /// ```
    pub fn position(&self) -> Option<&Position> {
        (!self.is_over()).then_some(&self.now.position)
    }

    /// Returns the stones on the board, even when the game is over.
    pub fn board(&self) -> Board {
        self.now.position.board()
    }

    /// Returns whether the game is over, and how it ended.
    pub fn status(&self) -> Status {
        self.now.status
    }

    /// Returns how the game ended; `None` if it is not over.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.now.status {
            Status::Undecided => None,
            Status::Over(outcome) => Some(outcome),
        }
    }

    /// Returns whether both players have passed in succession.
    pub fn is_over(&self) -> bool {
        self.now.status != Status::Undecided
    }

    /// Returns the player to move; in a game that is over, the player who would be.
    pub fn to_move(&self) -> Color {
        self.now.position.to_move()
    }

    /// Returns the number of stones of each color on the board, 0 to 25.
    pub fn count(&self) -> ByColor<u8> {
        self.now.position.count()
    }

    /// Returns how many stones each player has captured so far. A captured stone stays
    /// on the board and changes its color.
    pub fn captured(&self) -> ByColor<u32> {
        self.now.captured
    }

    /// Returns the stones that the last move captured; empty after a set-up.
    pub fn last_captured(&self) -> PointSet {
        self.now.last_captured
    }

    /// Returns the last step; `None` at the start of the game.
    pub fn last_step(&self) -> Option<Step> {
        (!self.past.is_empty()).then_some(self.now.step)
    }

    /// Returns every step with the stones after it; the first one is the set-up of the
    /// position from which the game started.
    pub fn steps(&self) -> impl Iterator<Item = (Step, Board)> {
        self.past
            .iter()
            .chain([&self.now])
            .map(|snapshot| (snapshot.step, snapshot.position.board()))
    }

    /// Returns the points where the player to move may place a stone; none when the
    /// game is over.
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
    /// If it is not this player's turn, the move is illegal, or it is a placement in a
    /// game that is over. The game is then unchanged.
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
        let last_captured = before.stones_of(color.opponent()) & position.stones_of(color);
        let mut captured = self.now.captured;
        captured[color] = captured[color].saturating_add(last_captured.len());
        self.advance(Snapshot {
            step: Step::Played { color, mv },
            position,
            status,
            captured,
            last_captured,
        });
        Ok(())
    }

    /// Replaces the position. The game goes on from it, even if it was over.
    pub fn set_up(&mut self, position: Position) {
        self.advance(Snapshot {
            captured: self.now.captured,
            ..Snapshot::start(position)
        });
    }

    /// Starts a new game from the empty board; nothing can be taken back.
    pub fn clear(&mut self) {
        self.past.clear();
        self.now = Snapshot::start(Position::START);
    }

    /// Takes back the last step; returns `false` if there is none.
    pub fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some(snapshot) => {
                self.now = snapshot;
                true
            }
            None => false,
        }
    }

    /// Returns how many steps can be taken back.
    pub fn undoable(&self) -> usize {
        self.past.len()
    }

    /// Returns the color of the stone at `point`; `None` if it is empty.
    pub fn stone_at(&self, point: Point) -> Option<Color> {
        self.now.position.stone_at(point)
    }

    fn advance(&mut self, next: Snapshot) {
        self.past.push(std::mem::replace(&mut self.now, next));
    }
}

impl Snapshot {
    fn start(position: Position) -> Snapshot {
        Snapshot {
            step: Step::SetUp(position),
            position,
            status: Status::Undecided,
            captured: ByColor::default(),
            last_captured: PointSet::EMPTY,
        }
    }
}

/// Creates a game that starts from a position.
impl From<Position> for Game {
    fn from(position: Position) -> Game {
        Game {
            now: Snapshot::start(position),
            past: Vec::new(),
        }
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new()
    }
}

impl game::Game for Game {
    type Move = Move;
    type PlayError = PlayError;
    type Score = u8;

    const NAME: &'static str = "Gothello";
    const PLAYERS: ByColor<&'static str> = ByColor::new("Black", "White");
    const PASS: Option<Move> = Some(Move::Pass);

    fn to_move(&self) -> Color {
        self.to_move()
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn scores(&self) -> ByColor<u8> {
        self.count()
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.position().into_iter().flat_map(Position::legal_moves)
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), PlayError> {
        self.play(color, mv)
    }

    fn moves(&self) -> impl Iterator<Item = (Color, Move)> {
        self.steps().filter_map(|(step, _)| match step {
            Step::Played { color, mv } => Some((color, mv)),
            Step::SetUp(_) => None,
        })
    }

    fn notation(&self, mv: Move) -> String {
        mv.to_string()
    }

    fn parse_notation(&self, text: &str) -> Option<Move> {
        text.parse().ok()
    }
}

impl game::Undo for Game {
    fn undo(&mut self) -> bool {
        self.undo()
    }

    fn undoable(&self) -> usize {
        self.undoable()
    }

    fn restart(&mut self) {
        self.clear();
    }
}
