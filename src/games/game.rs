//! The common interface of the games.
//!
//! [`Game`] is the trait of a game between two players who move in turn. The rules of Gothello
//! ([`gothello::Game`](crate::games::gothello::Game)), of Awari
//! ([`awari::Game`](crate::games::awari::Game)) and of Go ([`go::Game`](crate::games::go::Game))
//! implement it. [`Undo`] is for the games that can take moves back. Protocols add what else they
//! need in traits that extend [`Game`].

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::num::NonZeroU8;
use std::ops::Sub;
use std::str::FromStr;

use thiserror::Error;

use crate::base::color::{ByColor, Color};

/// A game from its start to the present, or to its end.
///
/// ```
/// use gothello::game::Game;
///
/// /// Plays the first legal move until the game is over.
/// fn play_out<G: Game>(game: &mut G) -> Result<(), G::PlayError> {
///     loop {
///         let Some(mv) = game.legal_moves().next() else {
///             return Ok(());
///         };
///         game.play(game.to_move(), mv)?;
///     }
/// }
///
/// let mut game = gothello::awari::Game::default();
/// play_out(&mut game)?;
/// assert!(game.outcome().is_some());
/// # Ok::<(), gothello::awari::PlayError>(())
/// ```
pub trait Game: Clone + Debug + Send + 'static {
    /// A move.
    type Move: Copy + Debug + PartialEq + Send + 'static;

    /// The reason why a move is refused.
    type PlayError: std::error::Error + Send + Sync + 'static;

    /// The unit of the players' scores.
    type Score: Copy + Debug + Display + Ord + Sub<Output = Self::Score>;

    /// The game's name.
    const NAME: &'static str;
    /// The players' names in sentences; Black is the player who moves first.
    const PLAYERS: ByColor<&'static str>;
    /// The move that changes only the turn; `None` if the game has no pass.
    const PASS: Option<Self::Move>;

    /// Returns the player to move; in a game that is over, the player who would be.
    fn to_move(&self) -> Color;

    /// Returns whether the game is over.
    fn is_over(&self) -> bool;

    /// Returns the current score of each player; at the end, the final scores.
    fn scores(&self) -> ByColor<Self::Score>;

    /// Returns every legal move in a fixed order; none when the game is over. A
    /// resignation is not among them.
    fn legal_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Checks whether the player to move may make a move.
    ///
    /// # Errors
    /// If the move is illegal.
    fn check(&self, mv: Self::Move) -> Result<(), Self::PlayError> {
        self.clone().play(self.to_move(), mv)
    }

    /// Plays a move of `color`.
    ///
    /// # Errors
    /// If it is not this player's turn or the move is illegal; the game is then
    /// unchanged.
    fn play(&mut self, color: Color, mv: Self::Move) -> Result<(), Self::PlayError>;

    /// Returns the moves so far and who made them.
    fn moves(&self) -> impl Iterator<Item = (Color, Self::Move)>;

    /// Returns a move in the game's own notation.
    fn notation(&self, mv: Self::Move) -> String;

    /// Parses a move in the game's own notation; returns `None` if the text is not a move.
    /// The move need not be legal.
    fn parse_notation(&self, text: &str) -> Option<Self::Move>;

    /// Returns how the game ended, if the scores are small whole numbers; `None` while it
    /// goes on.
    fn outcome(&self) -> Option<Outcome>
    where
        Self: Game<Score = u8>,
    {
        self.is_over().then(|| Outcome::from_scores(self.scores()))
    }
}

/// A game whose moves can be taken back.
pub trait Undo: Game {
    /// Takes back the last change; returns `false` if there is none.
    fn undo(&mut self) -> bool;

    /// Returns how many changes can be taken back.
    fn undoable(&self) -> usize;

    /// Starts a new game under the same rules; nothing can be taken back.
    fn restart(&mut self);
}

/// How a finished game ended: who won, and by how much.
///
/// ```
/// use gothello::{ByColor, Color, game::Outcome};
/// let outcome = Outcome::from_scores(ByColor::new(14, 11));
/// assert_eq!(outcome.winner(), Some(Color::Black));
/// assert_eq!(outcome.lead_of(Color::White), -3);
/// assert_eq!(outcome.to_string(), "B+3");
/// assert_eq!("B+3".parse(), Ok(outcome));
/// assert_eq!(Outcome::from_scores(ByColor::new(12, 12)), Outcome::Drawn);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The players have equal scores.
    Drawn,
    /// One player has the higher score.
    Won {
        /// The player with the higher score.
        winner: Color,
        /// The difference of the scores: 1 to 25 in Gothello, 1 to 48 in Awari.
        margin: NonZeroU8,
    },
}

impl Outcome {
    /// Returns the outcome of a game that ends with these scores: the higher score
    /// wins, equal scores are a draw.
    pub fn from_scores(scores: ByColor<u8>) -> Outcome {
        let ByColor { black, white } = scores;
        let winner = match black.cmp(&white) {
            Ordering::Less => Color::White,
            Ordering::Equal | Ordering::Greater => Color::Black,
        };
        match NonZeroU8::new(black.abs_diff(white)) {
            None => Outcome::Drawn,
            Some(margin) => Outcome::Won { winner, margin },
        }
    }

    /// Returns the outcome when the score of `color` is `lead` higher than the
    /// opponent's; lower if `lead` is negative.
    ///
    /// ```
    /// use gothello::{Color, game::Outcome};
    /// assert_eq!(Outcome::from_lead(Color::White, 24).to_string(), "W+24");
    /// assert_eq!(Outcome::from_lead(Color::White, -3).to_string(), "B+3");
    /// ```
    pub fn from_lead(color: Color, lead: i8) -> Outcome {
        let winner = if lead > 0 { color } else { color.opponent() };
        match NonZeroU8::new(lead.unsigned_abs()) {
            None => Outcome::Drawn,
            Some(margin) => Outcome::Won { winner, margin },
        }
    }

    /// Returns how much higher the score of `color` is than the opponent's; negative
    /// if it is lower.
    pub fn lead_of(self, color: Color) -> i8 {
        match self {
            Outcome::Drawn => 0,
            Outcome::Won { winner, margin } => {
                let lead = i8::try_from(margin.get()).unwrap_or(i8::MAX);
                if winner == color { lead } else { -lead }
            }
        }
    }

    /// Returns the winner; `None` if the game is drawn.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::Drawn => None,
            Outcome::Won { winner, .. } => Some(winner),
        }
    }
}

/// A text that is not an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid outcome {0:?}: use B+ or W+ and a number from 1 to 127, or 0 for a draw")]
pub struct ParseOutcomeError(pub String);

/// Parses an outcome as it is written.
impl FromStr for Outcome {
    type Err = ParseOutcomeError;

    fn from_str(text: &str) -> Result<Outcome, ParseOutcomeError> {
        let lead = |letter| text.strip_prefix(letter)?.strip_prefix('+')?.parse().ok();
        let outcome = match text {
            "0" => Some(Outcome::Drawn),
            _ => Color::ALL
                .into_iter()
                .find_map(|color| Some(Outcome::from_lead(color, lead(color.capital())?))),
        };
        // A sign or a zero before the number, and a lead of none, are written otherwise.
        let outcome = outcome.filter(|outcome| outcome.to_string() == text);
        outcome.ok_or_else(|| ParseOutcomeError(text.to_owned()))
    }
}

/// Writes `0`, `B+3` or `W+3`, as scores are written in GTP and SGF.
impl Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Outcome::Drawn => f.write_str("0"),
            Outcome::Won { winner, margin } => {
                write!(f, "{}+{margin}", winner.capital())
            }
        }
    }
}

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    Outcome: "an outcome such as `B+3`, or `0`",
}
