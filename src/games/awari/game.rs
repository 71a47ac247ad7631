//! A game: the position, the moves that led to it, and perft.

use super::outcome::{Scores, Status};
use super::pit::{PITS, Pit, Player};
use super::position::{IllegalMove, Next, Position};
use super::variant::Variant;
use crate::base::color::{ByColor, Color};
use crate::games::game;

/// A game from its first position to the current one, or to its end.
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
    now: Turn,
    past: Vec<Turn>,
}

/// The state of a game after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    /// The move; `None` at the start.
    played: Option<Pit>,
    /// The position; if the game is over, the one before the move.
    position: Position,
    status: Status,
}

/// Why a move was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The other player is to move.
    #[error("it is {0}'s turn")]
    OutOfTurn(Player),
    /// The move is illegal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Game {
    /// Creates a game that starts from a position.
    pub fn new(position: Position, variant: Variant) -> Game {
        Game {
            variant,
            now: Turn {
                played: None,
                position,
                status: Status::Undecided,
            },
            past: Vec::new(),
        }
    }

    /// Returns the variant that is played.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the position; if the game is over, the one before the last move.
    pub fn position(&self) -> &Position {
        &self.now.position
    }

    /// Returns whether the game is over, and how it ended.
    pub fn status(&self) -> Status {
        self.now.status
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        self.now.status != Status::Undecided
    }

    /// Returns the player to move; if the game is over, the one who would be.
    pub fn to_move(&self) -> Player {
        let mover = self.now.position.to_move();
        if self.is_over() {
            mover.opponent()
        } else {
            mover
        }
    }

    /// Returns the stones of each player: those captured, and at the end also those that
    /// the rules award.
    pub fn scores(&self) -> Scores {
        match self.now.status {
            Status::Undecided => self.now.position.scores(),
            Status::Over(outcome) => outcome.scores,
        }
    }

    /// Returns the stones in each pit, in the order of [`Pit::ALL`]; at the end of the
    /// game, those that no player has claimed.
    pub fn pits(&self) -> &[u8; PITS] {
        match &self.now.status {
            Status::Undecided => self.now.position.pits(),
            Status::Over(outcome) => &outcome.pits,
        }
    }

    /// Returns every legal move, in the order of [`Pit::ALL`]; none if the game is over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Pit> {
        let position = (!self.is_over()).then_some(&self.now.position);
        position
            .into_iter()
            .flat_map(|position| position.legal_moves(self.variant))
    }

    /// Returns the number of stones that the last move captured, without those that the
    /// rules award at the end.
    pub fn captured(&self) -> u8 {
        let (Some(before), Some(pit)) = (self.past.last(), self.now.played) else {
            return 0;
        };
        let left = before.position.pits_after(pit, self.variant);
        let stones = |pits: &[u8; PITS]| pits.iter().sum::<u8>();
        // The move was legal.
        left.map_or(0, |left| stones(before.position.pits()) - stones(&left))
    }

    /// Returns the pits from which the last move captured, in the order of [`Pit::ALL`].
    pub fn captured_from(&self) -> impl Iterator<Item = Pit> {
        let last = self.past.last().zip(self.now.played);
        let pits = last.and_then(|(before, pit)| {
            // The move was legal.
            before.position.captured_from(pit, self.variant).ok()
        });
        pits.into_iter().flatten()
    }

    /// Returns the pits into which the last move sowed, one for each stone, in order.
    pub fn sown(&self) -> impl Iterator<Item = Pit> {
        let last = self.past.last().zip(self.now.played);
        last.into_iter()
            .flat_map(|(before, pit)| before.position.sown_from(pit))
    }

    /// Returns the last move; `None` at the start.
    pub fn last_move(&self) -> Option<Pit> {
        self.now.played
    }

    /// Returns the moves so far.
    pub fn moves(&self) -> impl Iterator<Item = Pit> {
        let turns = self.past.iter().chain([&self.now]);
        turns.filter_map(|turn| turn.played)
    }

    /// Plays a move of `player`.
    ///
    /// # Errors
    ///
    /// If it is not this player's turn or the move is illegal; the game is then
    /// unchanged.
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
            Next::Continues(position) if self.has_occurred(&position) => {
                let outcome = position.repeated(self.variant.repetition);
                (before, Status::Over(outcome))
            }
            Next::Continues(position) => (position, Status::Undecided),
        };
        let next = Turn {
            played: Some(pit),
            position,
            status,
        };
        self.past.push(std::mem::replace(&mut self.now, next));
        Ok(())
    }

    /// Takes back the last move; returns `false` if there is none.
    pub fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some(turn) => {
                self.now = turn;
                true
            }
            None => false,
        }
    }

    /// Returns whether a position occurred before.
    fn has_occurred(&self, position: &Position) -> bool {
        // No position before a capture equals one after it, as the scores differ.
        let scores = position.scores();
        let mut turn = &self.now;
        let mut past = self.past.iter().rev();
        while turn.position.scores() == scores {
            if turn.position == *position {
                return true;
            }
            match past.next() {
                Some(before) => turn = before,
                None => return false,
            }
        }
        false
    }
}

/// Creates a game of the default variant from the start.
impl Default for Game {
    fn default() -> Game {
        Game::from(Variant::default())
    }
}

/// Creates a game of this variant from the start.
impl From<Variant> for Game {
    fn from(variant: Variant) -> Game {
        Game::new(Position::START, variant)
    }
}

impl game::Game for Game {
    type Move = Pit;
    type PlayError = PlayError;
    type Score = u8;

    const NAME: &'static str = "Awari";
    const PLAYERS: ByColor<&'static str> = ByColor::new("South", "North");
    const PASS: Option<Pit> = None;

    fn to_move(&self) -> Color {
        self.to_move().into()
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

    fn moves(&self) -> impl Iterator<Item = (Color, Pit)> {
        self.moves().map(|pit| (pit.owner().into(), pit))
    }

    fn notation(&self, pit: Pit) -> String {
        pit.to_string()
    }

    fn parse_notation(&self, text: &str) -> Option<Pit> {
        text.parse().ok()
    }
}

impl game::Undo for Game {
    fn undo(&mut self) -> bool {
        self.undo()
    }

    fn undoable(&self) -> usize {
        self.past.len()
    }

    fn restart(&mut self) {
        *self = Game::new(Position::START, self.variant);
    }
}

/// Returns the number of leaves of the game tree at `depth` plies below a game.
///
/// A game that ends counts as a leaf at the depth where it ends, and not deeper.
///
/// ```
/// use gothello::awari::{Game, perft};
/// assert_eq!(perft(&mut Game::default(), 3), 190);
/// ```
pub fn perft(game: &mut Game, depth: u32) -> u64 {
    let Some(rest) = depth.checked_sub(1) else {
        return 1;
    };
    if rest == 0 {
        // Each move is a leaf, even if it ends the game.
        return game.legal_moves().count() as u64;
    }
    let player = game.to_move();
    let mut sum = 0;
    for &pit in Pit::of(player) {
        sum += below(game, player, pit, rest).unwrap_or(0);
    }
    sum
}

/// Returns the leaves at `depth` plies below each legal move, for comparing two programs
/// move by move; their sum is [`perft`] of the same depth. For depth 0, there is no move
/// to divide by, and the list is empty.
pub fn divide(game: &mut Game, depth: u32) -> Vec<(Pit, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let player = game.to_move();
    let pits = Pit::of(player).iter();
    pits.filter_map(|&pit| Some((pit, below(game, player, pit, rest)?)))
        .collect()
}

/// Returns the leaves at `depth` plies below a move; `None` if it is not legal.
fn below(game: &mut Game, player: Player, pit: Pit, depth: u32) -> Option<u64> {
    game.play(player, pit).ok()?;
    let leaves = perft(game, depth);
    game.undo();
    Some(leaves)
}
