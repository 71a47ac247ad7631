//! What is proven of a value.

use std::cmp::Ordering;
use std::fmt;

use crate::gothello::{Color, Outcome};

/// The limits between which a value is proven to lie.
///
/// A value is one player's stones less the other's at the end of the game under
/// best play by both, -25 to 25. Whose stones are meant is said where the
/// bounds come from.
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

    /// The bounds of the other player's stones less this one's.
    #[inline]
    pub fn negated(self) -> Bounds {
        Bounds {
            low: -self.high,
            high: -self.low,
        }
    }

    /// The bounds of Black's stones less White's, if these are those of
    /// `color`'s stones less the other's; or the other way round.
    pub fn seen_by(self, color: Color) -> Bounds {
        match color {
            Color::Black => self,
            Color::White => self.negated(),
        }
    }
}

/// Writes `B+3` for a known value, else the limits: `W+1 to B+3`. The bounds
/// are to be those of Black's stones less White's.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { low, high } = *self;
        if low == high {
            write!(f, "{}", Outcome::by(low))
        } else {
            write!(f, "{} to {}", Outcome::by(low), Outcome::by(high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_written_as_black_sees_them() {
        let shown = |low, high| Bounds { low, high }.to_string();
        assert_eq!(shown(3, 3), "B+3");
        assert_eq!(shown(0, 0), "0");
        assert_eq!(shown(-1, 3), "W+1 to B+3");
        let white = Bounds { low: -1, high: 3 }.seen_by(Color::White);
        assert_eq!(white.to_string(), "W+3 to B+1");
        assert_eq!(white.seen_by(Color::White), Bounds { low: -1, high: 3 });
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
