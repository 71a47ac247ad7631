//! Numbers of stones.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::solving::tablebase::MAX_STONES;

/// Numbers of stones on the board: one or more, each from 0 to 24.
///
/// Their text form is numbers and ranges, which include their ends; either end may be the first.
///
/// ```
/// use gothello::dataset::StoneCounts;
///
/// let stones: StoneCounts = "8..10,12".parse()?;
/// assert_eq!(stones.iter().collect::<Vec<_>>(), [8, 9, 10, 12]);
/// assert_eq!(stones.to_string(), "8..10,12");
/// # Ok::<(), gothello::dataset::ParseStoneCountsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoneCounts {
    /// A bit for each number.
    bits: u32,
}

impl StoneCounts {
    /// Creates a set of numbers; `None` if there is none, or one is above 24.
    pub fn new(numbers: impl IntoIterator<Item = u8>) -> Option<StoneCounts> {
        let mut bits = 0;
        for number in numbers {
            bits |= (number <= MAX_STONES).then_some(1 << number)?;
        }
        (bits != 0).then_some(StoneCounts { bits })
    }

    /// Returns whether a number is in the set.
    pub fn contains(self, stones: u32) -> bool {
        self.bits
            .checked_shr(stones)
            .is_some_and(|bits| bits & 1 == 1)
    }

    /// Returns the numbers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=MAX_STONES).filter(move |&stones| self.contains(stones.into()))
    }

    /// Returns the numbers with the noun, as in `14..20 stones`.
    pub(super) fn with_noun(self) -> String {
        let noun = if self.bits == 1 << 1 {
            "stone"
        } else {
            "stones"
        };
        format!("{self} {noun}")
    }

    /// Returns the largest number.
    pub fn most(self) -> u32 {
        self.bits.ilog2()
    }
}

/// A text that is not a set of numbers of stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("give numbers of stones from 0 to 24, such as 14..20 or 8")]
pub struct ParseStoneCountsError;

impl FromStr for StoneCounts {
    type Err = ParseStoneCountsError;

    fn from_str(text: &str) -> Result<StoneCounts, ParseStoneCountsError> {
        let mut numbers = Vec::new();
        for range in text.split(',') {
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            let number = |text: &str| text.trim().parse::<u8>().map_err(|_| ParseStoneCountsError);
            let (first, last) = (number(first)?, number(last)?);
            numbers.extend(first.min(last)..=first.max(last));
        }
        StoneCounts::new(numbers).ok_or(ParseStoneCountsError)
    }
}

impl fmt::Display for StoneCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for first in self.iter() {
            if first > 0 && self.contains(u32::from(first) - 1) {
                continue;
            }
            let outside = (first..).find(|&next| !self.contains(next.into()));
            match outside.map_or(first, |next| next - 1) {
                last if last == first => write!(f, "{comma}{first}")?,
                last => write!(f, "{comma}{first}..{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn printed_numbers_are_parsed_back(bits in 1u32..1 << 25) {
            let stones = StoneCounts { bits };
            prop_assert_eq!(stones.to_string().parse(), Ok(stones));
            prop_assert_eq!(StoneCounts::new(stones.iter()), Some(stones));
            prop_assert_eq!(stones.iter().map(u32::from).max(), Some(stones.most()));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "25", "-1", "3..25", "a", "3,", "3...5", "0..300"] {
            assert_eq!(
                text.parse::<StoneCounts>(),
                Err(ParseStoneCountsError),
                "{text}"
            );
        }
        assert_eq!("5..3".parse::<StoneCounts>(), "3..5".parse());
        assert_eq!(
            "0..24".parse::<StoneCounts>(),
            Ok(StoneCounts {
                bits: (1 << 25) - 1
            })
        );
        assert_eq!(StoneCounts::new([]), None);
        assert!(!StoneCounts { bits: 1 }.contains(40));
    }
}
