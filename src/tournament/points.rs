//! Points, of which a tie gives half of one.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Serialize, Serializer};

/// A number of points, exact to a quarter: a tie against somebody with half a
/// point more adds a quarter to a Sonneborn-Berger score.
///
/// ```
/// use gothello::tournament::Points;
///
/// let points = Points::ONE + Points::HALF;
/// assert_eq!(points.to_string(), "1.5");
/// assert_eq!(points.times(Points::HALF).to_string(), "0.75");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points {
    quarters: u32,
}

impl Points {
    /// What a loss gives.
    pub const ZERO: Points = Points { quarters: 0 };
    /// What a tie gives.
    pub const HALF: Points = Points { quarters: 2 };
    /// What a win gives.
    pub const ONE: Points = Points { quarters: 4 };

    /// As a number.
    pub fn as_f64(self) -> f64 {
        f64::from(self.quarters) / 4.0
    }

    /// How many half points this is more than another, negative if it is less.
    pub(super) fn halves_above(self, other: Points) -> i64 {
        (i64::from(self.quarters) - i64::from(other.quarters)) / 2
    }

    /// So many times as much; what is less than a quarter is left out. It is
    /// nothing if both are whole or half numbers.
    #[must_use]
    pub const fn times(self, factor: Points) -> Points {
        let quarters = self.quarters.saturating_mul(factor.quarters) / 4;
        Points { quarters }
    }
}

/// Far from any tournament's points, the sum stays at the largest number.
impl Add for Points {
    type Output = Points;

    fn add(self, other: Points) -> Points {
        let quarters = self.quarters.saturating_add(other.quarters);
        Points { quarters }
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        points.fold(Points::ZERO, Add::add)
    }
}

/// Writes `3`, `3.5` or `3.25`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = match self.quarters % 4 {
            0 => "",
            1 => ".25",
            2 => ".5",
            _ => ".75",
        };
        f.pad(&format!("{}{fraction}", self.quarters / 4))
    }
}

/// Writes a number, as `3.5`.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}
