//! How many stones each player has, and what that means at the end.

use std::fmt;
use std::num::NonZeroU8;

use super::{Color, PointSet};

/// Stones of each colour on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Count {
    /// Black's stones, 0 to 25.
    pub black: u8,
    /// White's stones, 0 to 25.
    pub white: u8,
}

impl Count {
    /// Counts two sets of stones.
    pub fn of(black: PointSet, white: PointSet) -> Count {
        // A set holds at most 25 points.
        Count {
            black: black.len() as u8,
            white: white.len() as u8,
        }
    }

    /// Who has more, as the outcome of a game that ended so (paper, section 1,
    /// *GothelloGameOver*): the most stones win, equal numbers are a draw.
    pub fn outcome(self) -> Outcome {
        // Both are at most 25.
        Outcome::by(self.black as i8 - self.white as i8)
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Both have the same number of stones.
    Drawn,
    /// One player has more stones.
    Won {
        /// The player with more stones.
        winner: Color,
        /// How many more, 1 to 24.
        margin: NonZeroU8,
    },
}

impl Outcome {
    /// Returns the outcome when `color` has so many more stones than the other.
    ///
    /// ```
    /// use gothello::gothello::{Color, Outcome};
    /// assert_eq!(Outcome::from_lead(Color::White, 24).to_string(), "W+24");
    /// assert_eq!(Outcome::from_lead(Color::White, -3).to_string(), "B+3");
    /// ```
    pub fn from_lead(color: Color, lead: i8) -> Outcome {
        match color {
            Color::Black => Outcome::by(lead),
            Color::White => Outcome::by(lead.saturating_neg()),
        }
    }

    /// Returns how many more stones `color` has than the other: a negative number
    /// if it has fewer.
    pub fn lead_of(self, color: Color) -> i8 {
        match self {
            Outcome::Drawn => 0,
            // No margin is larger than 25.
            Outcome::Won { winner, margin } if winner == color => margin.get() as i8,
            Outcome::Won { margin, .. } => -(margin.get() as i8),
        }
    }

    /// Returns the winner; `None` if the game is drawn.
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::Drawn => None,
            Outcome::Won { winner, .. } => Some(winner),
        }
    }

    /// The outcome when Black has so many more stones than White.
    pub(crate) fn by(difference: i8) -> Outcome {
        let winner = if difference > 0 {
            Color::Black
        } else {
            Color::White
        };
        match NonZeroU8::new(difference.unsigned_abs()) {
            None => Outcome::Drawn,
            Some(margin) => Outcome::Won { winner, margin },
        }
    }
}

/// Writes `0`, `B+3` or `W+3`, as scores are written in GTP and SGF.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Outcome::Drawn => f.write_str("0"),
            Outcome::Won { winner, margin } => {
                write!(f, "{}+{margin}", winner.capital())
            }
        }
    }
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game goes on: nothing is decided, not even a draw.
    Undecided,
    /// Both players have passed in succession.
    Over(Outcome),
}
