//! Proven bounds on values and outcomes.

use std::cmp::Ordering;
use std::fmt;

use crate::games::gothello::{Color, Move, Outcome, Position};

/// Proven bounds on the value of a position, for the player to move.
///
/// The value is that player's stones minus the opponent's at the end of the game under
/// best play, -25 to 25. Bounds cannot be printed, since a bare number would not say
/// whose stones it counts: [`Bounds::seen_by`] turns them into an [`OutcomeRange`],
/// which reads the same for both players.
///
/// ```compile_fail,E0277
/// println!("{}", gothello::solver::Bounds::exactly(24));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The value is at least this.
    pub low: i8,
    /// The value is at most this.
    pub high: i8,
}

impl Bounds {
    /// The bounds of an unknown value.
    pub const UNKNOWN: Bounds = Bounds { low: -25, high: 25 };

    /// Returns the bounds of a known value.
    pub const fn exactly(value: i8) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    /// Returns the value, if it is known.
    pub fn value(self) -> Option<i8> {
        (self.low == self.high).then_some(self.low)
    }

    /// Returns the sign of the value, if it is known: `Greater` if the player to move
    /// wins, `Less` if the opponent does, `Equal` for a draw.
    pub fn sign(self) -> Option<Ordering> {
        match self {
            Bounds { low: 1.., .. } => Some(Ordering::Greater),
            Bounds { high: ..=-1, .. } => Some(Ordering::Less),
            Bounds { low: 0, high: 0 } => Some(Ordering::Equal),
            Bounds { .. } => None,
        }
    }

    /// Returns the fail-soft result of the null-window search at `beta` if the bounds
    /// decide it: a lower bound on the value that is at least `beta`, or an upper bound
    /// that is less.
    #[inline]
    pub(super) fn cutoff(self, beta: i8) -> Option<i8> {
        if self.low >= beta {
            Some(self.low)
        } else if self.high < beta {
            Some(self.high)
        } else {
            None
        }
    }

    /// Returns the bounds that follow from both.
    #[inline]
    #[must_use]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// Returns the bounds for the other player.
    #[inline]
    #[must_use]
    pub fn negated(self) -> Bounds {
        Bounds {
            low: -self.high,
            high: -self.low,
        }
    }

    /// Turns bounds on the value without regard to a preceding pass into bounds on the
    /// value of `position`.
    #[must_use]
    pub(super) fn with_game_end(self, position: &Position) -> Bounds {
        Bounds {
            low: position.with_game_end(self.low),
            high: position.with_game_end(self.high),
        }
    }

    /// Returns the range of outcomes, given that these are the bounds for `color`.
    pub fn seen_by(self, color: Color) -> OutcomeRange {
        OutcomeRange(match color {
            Color::Black => self,
            Color::White => self.negated(),
        })
    }
}

/// A legal move with the proven bounds on its value for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveBounds {
    /// The move.
    pub mv: Move,
    /// The bounds on its value.
    pub bounds: Bounds,
}

/// The outcomes of a game that are possible under best play, as far as that is proven.
///
/// ```
/// use gothello::{Color, Outcome};
/// use gothello::solver::Bounds;
///
/// let range = Bounds { low: -3, high: 1 }.seen_by(Color::White);
/// assert_eq!(range.to_string(), "W+1 to B+3");
/// assert_eq!(range.low(), Outcome::from_lead(Color::White, 1));
/// assert_eq!(range.outcome(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutcomeRange(
    /// The bounds on Black's lead.
    Bounds,
);

impl OutcomeRange {
    /// Returns the range that contains a proven outcome only.
    pub fn exactly(outcome: Outcome) -> OutcomeRange {
        Bounds::exactly(outcome.lead_of(Color::Black)).seen_by(Color::Black)
    }

    /// Returns the outcome, if it is proven.
    pub fn outcome(self) -> Option<Outcome> {
        self.0
            .value()
            .map(|lead| Outcome::from_lead(Color::Black, lead))
    }

    /// Returns the possible outcome that is best for White.
    pub fn low(self) -> Outcome {
        Outcome::from_lead(Color::Black, self.0.low)
    }

    /// Returns the possible outcome that is best for Black.
    pub fn high(self) -> Outcome {
        Outcome::from_lead(Color::Black, self.0.high)
    }

    /// Returns who wins, if that is proven: `Greater` for Black, `Less` for White,
    /// `Equal` for a draw.
    pub fn sign(self) -> Option<Ordering> {
        self.0.sign()
    }

    /// Returns the bounds for `color`.
    pub fn bounds_for(self, color: Color) -> Bounds {
        match color {
            Color::Black => self.0,
            Color::White => self.0.negated(),
        }
    }
}

/// Writes `B+3` for a proven outcome, else the limits: `W+1 to B+3`.
impl fmt::Display for OutcomeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome() {
            Some(outcome) => write!(f, "{outcome}"),
            None => write!(f, "{} to {}", self.low(), self.high()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_range_reads_the_same_for_both_players() {
        let shown = |low, high, color| Bounds { low, high }.seen_by(color).to_string();
        assert_eq!(shown(3, 3, Color::Black), "B+3");
        assert_eq!(shown(3, 3, Color::White), "W+3");
        assert_eq!(shown(0, 0, Color::White), "0");
        assert_eq!(shown(-1, 3, Color::Black), "W+1 to B+3");
        assert_eq!(shown(-1, 3, Color::White), "W+3 to B+1");
        let bounds = Bounds { low: -1, high: 3 };
        for color in Color::ALL {
            assert_eq!(bounds.seen_by(color).bounds_for(color), bounds);
        }
    }

    #[test]
    fn a_cutoff_follows_exactly_when_the_bounds_decide() {
        let bounds = Bounds { low: -2, high: 4 };
        assert_eq!(bounds.value(), None);
        assert_eq!(Bounds::exactly(4).value(), Some(4));
        for beta in -30..=30 {
            let possible = bounds.low..=bounds.high;
            let expected = if possible.clone().all(|value| value >= beta) {
                Some(-2)
            } else if possible.clone().all(|value| value < beta) {
                Some(4)
            } else {
                None
            };
            assert_eq!(bounds.cutoff(beta), expected, "{beta}");
        }
    }

    #[test]
    fn the_intersection_implies_both() {
        let one = Bounds { low: -2, high: 4 };
        let other = Bounds { low: 1, high: 9 };
        assert_eq!(one.intersect(other), Bounds { low: 1, high: 4 });
        assert_eq!(one.intersect(Bounds::UNKNOWN), one);
        assert_eq!(one.negated(), Bounds { low: -4, high: 2 });
    }
}
