//! What is proven of a value.

use std::cmp::Ordering;
use std::fmt;

use crate::gothello::{Color, Outcome, Position};

/// The limits between which a value is proven to lie, for the player to move.
///
/// A value is that player's stones less the other's at the end of the game under
/// best play by both, -25 to 25. Bounds are not printed, as nobody could tell whose
/// stones are meant: [`Bounds::seen_by`] makes an [`OutcomeRange`] of them, which is
/// the same for both players.
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
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { low: -25, high: 25 };

    /// The value is known.
    pub const fn exactly(value: i8) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    /// The value, if it is known.
    pub fn value(self) -> Option<i8> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether the value is more than 0, 0 or less, if that is known: who wins.
    pub fn sign(self) -> Option<Ordering> {
        match self {
            Bounds { low: 1.., .. } => Some(Ordering::Greater),
            Bounds { high: ..=-1, .. } => Some(Ordering::Less),
            Bounds { low: 0, high: 0 } => Some(Ordering::Equal),
            Bounds { .. } => None,
        }
    }

    /// Whether the value is at least `wanted`, if that is known: yes if the
    /// answer is at least `wanted`, and then the value is at least the answer;
    /// else no, and the value is at most the answer.
    #[inline]
    pub(super) fn answer(self, wanted: i8) -> Option<i8> {
        if self.low >= wanted {
            Some(self.low)
        } else if self.high < wanted {
            Some(self.high)
        } else {
            None
        }
    }

    /// What follows from both.
    #[inline]
    pub fn and(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// The same bounds, if these are those of a position as if the move before had been
    /// no pass: after one the player to move may also end the game.
    pub(super) fn or_end(self, position: &Position) -> Bounds {
        if !position.after_pass() {
            return self;
        }
        let lead = position.stones().lead();
        Bounds {
            low: self.low.max(lead),
            high: self.high.max(lead),
        }
    }

    /// The bounds of the other player's stones less this one's.
    #[inline]
    pub fn negated(self) -> Bounds {
        Bounds {
            low: -self.high,
            high: -self.low,
        }
    }

    /// Returns which outcomes are possible, if these are the bounds for `color`.
    pub fn seen_by(self, color: Color) -> OutcomeRange {
        let Bounds { low, high } = match color {
            Color::Black => self,
            Color::White => self.negated(),
        };
        OutcomeRange { low, high }
    }
}

/// Which outcomes of a game are possible under best play by both, as far as that is
/// proven.
///
/// ```
/// use gothello::gothello::{Color, Outcome};
/// use gothello::solver::Bounds;
///
/// let range = Bounds { low: -3, high: 1 }.seen_by(Color::White);
/// assert_eq!(range.to_string(), "W+1 to B+3");
/// assert_eq!(range.low(), Outcome::from_lead(Color::White, 1));
/// assert_eq!(range.outcome(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutcomeRange {
    /// Black's stones less White's, at least.
    low: i8,
    /// At most.
    high: i8,
}

impl OutcomeRange {
    /// Returns the range of a proven outcome.
    pub fn exactly(outcome: Outcome) -> OutcomeRange {
        Bounds::exactly(outcome.lead_of(Color::Black)).seen_by(Color::Black)
    }

    /// Returns the outcome, if it is proven.
    pub fn outcome(self) -> Option<Outcome> {
        (self.low == self.high).then(|| self.low())
    }

    /// Returns the best outcome for White that is possible.
    pub fn low(self) -> Outcome {
        Outcome::from_lead(Color::Black, self.low)
    }

    /// Returns the best outcome for Black that is possible.
    pub fn high(self) -> Outcome {
        Outcome::from_lead(Color::Black, self.high)
    }

    /// Returns who wins, if that is proven: `Greater` if Black does, `Less` if White
    /// does, `Equal` if the game is drawn.
    pub fn sign(self) -> Option<Ordering> {
        self.bounds_for(Color::Black).sign()
    }

    /// Returns the bounds for `color`.
    pub fn bounds_for(self, color: Color) -> Bounds {
        let OutcomeRange { low, high } = self;
        match color {
            Color::Black => Bounds { low, high },
            Color::White => Bounds { low, high }.negated(),
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
    fn outcomes_are_the_same_for_both_players() {
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
    fn they_answer_what_they_can() {
        let bounds = Bounds { low: -2, high: 4 };
        assert_eq!(bounds.value(), None);
        assert_eq!(Bounds::exactly(4).value(), Some(4));
        for wanted in -30..=30 {
            // Exactly the values that are possible are asked.
            let possible = bounds.low..=bounds.high;
            let expected = if possible.clone().all(|value| value >= wanted) {
                Some(-2)
            } else if possible.clone().all(|value| value < wanted) {
                Some(4)
            } else {
                None
            };
            assert_eq!(bounds.answer(wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn both_together_hold_what_either_does() {
        let one = Bounds { low: -2, high: 4 };
        let other = Bounds { low: 1, high: 9 };
        assert_eq!(one.and(other), Bounds { low: 1, high: 4 });
        assert_eq!(one.and(Bounds::UNKNOWN), one);
        assert_eq!(one.negated(), Bounds { low: -4, high: 2 });
    }
}
