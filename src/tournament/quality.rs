//! How good a pairing is: several numbers, of which the first that differs
//! decides.

use std::ops::{Add, AddAssign, Sub, SubAssign};

use integer_blossom::Weight;

/// How many numbers there are.
pub(super) const NUMBERS: usize = 9;

/// Numbers of which the first that differs decides.
///
/// Added number by number they are an ordered group, which is all that the
/// matching asks of its weights: no criterion has to be multiplied by more than
/// all that come after it. Its labels are sums along paths through the players,
/// so that a number stays right if it is less than 2^62 divided by four times the
/// number of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quality(pub(super) [i64; NUMBERS]);

impl Quality {
    fn each(self, change: impl Fn(i64) -> i64) -> Quality {
        Quality(self.0.map(change))
    }
}

impl Add for Quality {
    type Output = Quality;

    #[inline]
    fn add(mut self, other: Quality) -> Quality {
        self += other;
        self
    }
}

impl Sub for Quality {
    type Output = Quality;

    #[inline]
    fn sub(mut self, other: Quality) -> Quality {
        self -= other;
        self
    }
}

impl AddAssign for Quality {
    #[inline]
    fn add_assign(&mut self, other: Quality) {
        for (one, other) in self.0.iter_mut().zip(other.0) {
            *one += other;
        }
    }
}

impl SubAssign for Quality {
    #[inline]
    fn sub_assign(&mut self, other: Quality) {
        for (one, other) in self.0.iter_mut().zip(other.0) {
            *one -= other;
        }
    }
}

impl Weight for Quality {
    const ZERO: Quality = Quality([0; NUMBERS]);
    const ONE: Quality = {
        let mut one = [0; NUMBERS];
        one[NUMBERS - 1] = 1;
        Quality(one)
    };

    fn inf() -> Quality {
        let mut most = [0; NUMBERS];
        most[0] = i64::MAX / 4;
        Quality(most)
    }

    #[inline]
    fn double(self) -> Quality {
        self.each(|number| number * 2)
    }

    /// What is halved is even, number by number: all labels begin equal and
    /// change together.
    #[inline]
    fn half(self) -> Quality {
        self.each(|number| number / 2)
    }
}
