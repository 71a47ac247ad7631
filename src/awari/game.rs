//! A whole game: the position, how it came about, and the way back.

use super::pit::PITS;
use super::{IllegalMove, Next, Pit, Player, Position, Scores, Status, Variant};
use crate::color::{ByColor, Color};
use crate::game;

/// A game from its first position to the present, or to its end.
///
/// ```
/// use gothello::awari::{Game, Player};
/// let mut game = Game::default();
/// game.play(Player::South, "A".parse().unwrap()).unwrap();
/// assert!(game.play(Player::South, "B".parse().unwrap()).is_err()); // it is North's turn
/// assert!(game.undo());
/// assert_eq!(game.to_move(), Player::South);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    variant: Variant,
    now: Moment,
    past: Vec<Moment>,
}

/// All that can be asked of one moment of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    /// The move that led to it; `None` at the start.
    played: Option<Pit>,
    /// The position; of a game that is over, the last one.
    position: Position,
    status: Status,
}

/// Why a game refuses a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The other player is to move.
    #[error("it is {0}'s turn")]
    OutOfTurn(Player),
    /// The move is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Game {
    /// A game from a position on.
    pub fn new(position: Position, variant: Variant) -> Game {
        Game {
            variant,
            now: Moment {
                played: None,
                position,
                status: Status::Undecided,
            },
            past: Vec::new(),
        }
    }

    /// How it is played.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The position; of a game that is over, the one before the last move.
    pub fn position(&self) -> &Position {
        &self.now.position
    }

    /// Whether the game is over, and how it ended.
    pub fn status(&self) -> Status {
        self.now.status
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.now.status != Status::Undecided
    }

    /// The player to move; of a game that is over, the one who would be.
    pub fn to_move(&self) -> Player {
        let mover = self.now.position.to_move();
        if self.is_over() {
            mover.opponent()
        } else {
            mover
        }
    }

    /// How many stones each player has: those captured, and at the end also
    /// those that he has by the rules.
    pub fn scores(&self) -> Scores {
        match self.now.status {
            Status::Undecided => self.now.position.scores(),
            Status::Over(outcome) => outcome.scores,
        }
    }

    /// The stones in each pit, in the order of [`Pit::ALL`]; at the end of a
    /// game those that nobody has claimed.
    pub fn pits(&self) -> &[u8; PITS] {
        match &self.now.status {
            Status::Undecided => self.now.position.pits(),
            Status::Over(outcome) => &outcome.pits,
        }
    }

    /// Every legal move, in the order of [`Pit::ALL`]; none when the game is
    /// over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Pit> {
        let position = (!self.is_over()).then_some(&self.now.position);
        position
            .into_iter()
            .flat_map(|position| position.legal_moves(self.variant))
    }

    /// How many stones the last move captured; those that the players have at the
    /// end by the rules are not among them.
    pub fn captured(&self) -> u8 {
        let (Some(before), Some(pit)) = (self.past.last(), self.now.played) else {
            return 0;
        };
        let left = before.position.pits_after(pit, self.variant);
        let stones = |pits: &[u8; PITS]| pits.iter().sum::<u8>();
        // The move was legal.
        left.map_or(0, |left| stones(before.position.pits()) - stones(&left))
    }

    /// The pits from which the last move captured, in the order of [`Pit::ALL`].
    pub fn captured_from(&self) -> impl Iterator<Item = Pit> {
        let last = self.past.last().zip(self.now.played);
        let pits = last.and_then(|(before, pit)| {
            // The move was legal.
            before.position.captured_from(pit, self.variant).ok()
        });
        pits.into_iter().flatten()
    }

    /// The last move; `None` at the start.
    pub fn last_move(&self) -> Option<Pit> {
        self.now.played
    }

    /// The moves so far.
    pub fn moves(&self) -> impl Iterator<Item = Pit> {
        let moments = self.past.iter().chain([&self.now]);
        moments.filter_map(|moment| moment.played)
    }

    /// Plays a move of `player`.
    ///
    /// # Errors
    /// Out of turn, or against the rules; the game is then unchanged.
    pub fn play(&mut self, player: Player, pit: Pit) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(IllegalMove::GameOver.into());
        }
        let before = self.now.position;
        if player != before.to_move() {
            return Err(PlayError::OutOfTurn(before.to_move()));
        }
        let (position, status) = match before.sow(pit, self.variant)? {
            Next::Ends(outcome) => (before, Status::Over(outcome)),
            Next::Continues(position) if self.has_been(&position) => {
                let outcome = position.repeated(self.variant.repetition);
                (before, Status::Over(outcome))
            }
            Next::Continues(position) => (position, Status::Undecided),
        };
        let next = Moment {
            played: Some(pit),
            position,
            status,
        };
        self.past.push(std::mem::replace(&mut self.now, next));
        Ok(())
    }

    /// Takes back the last move; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some(moment) => {
                self.now = moment;
                true
            }
            None => false,
        }
    }

    /// Whether a position has come up at the start of a turn before.
    fn has_been(&self, position: &Position) -> bool {
        // A capture changes the scores for ever: nothing before it is the same.
        let scores = position.scores();
        let moments = self.past.iter().chain([&self.now]).rev();
        let mut same = moments.take_while(|moment| moment.position.scores() == scores);
        same.any(|moment| moment.position == *position)
    }
}

/// The usual game from the start.
impl Default for Game {
    fn default() -> Game {
        Game::new(Position::START, Variant::default())
    }
}

impl game::Game for Game {
    type Move = Pit;
    type PlayError = PlayError;

    const NAME: &'static str = "Awari";
    const PLAYERS: ByColor<&'static str> = ByColor::new("South", "North");

    fn to_move(&self) -> Color {
        self.to_move().into()
    }

    fn outcome(&self) -> Option<game::Outcome> {
        match self.status() {
            Status::Undecided => None,
            Status::Over(_) => Some(game::Outcome::from_scores(game::Game::scores(self))),
        }
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn scores(&self) -> ByColor<u8> {
        let Scores { south, north } = self.scores();
        ByColor::new(south, north)
    }

    fn legal_moves(&self) -> impl Iterator<Item = Pit> {
        self.legal_moves()
    }

    fn play(&mut self, color: Color, pit: Pit) -> Result<(), PlayError> {
        self.play(color.into(), pit)
    }

    fn undo(&mut self) -> bool {
        self.undo()
    }

    fn undoable(&self) -> usize {
        self.past.len()
    }

    fn restart(&mut self) {
        *self = Game::new(Position::START, self.variant);
    }

    fn moves(&self) -> impl Iterator<Item = (Color, Pit)> {
        self.moves().map(|pit| (pit.owner().into(), pit))
    }
}
