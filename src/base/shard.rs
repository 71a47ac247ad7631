//! One of several parts into which work is divided, for example among machines.

use std::str::FromStr;

use derive_more::Display;
use thiserror::Error;

/// A part of something that is divided into equal parts. Its text form is its number and the number
/// of parts, such as `3/8`.
///
/// The parts take items in turns: of 8 parts the third one has the items 2, 10, 18, and so on,
/// counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[display("{number}/{of}")]
pub struct Shard {
    /// From 1 to `of`.
    number: u32,
    /// At least 1.
    of: u32,
}

impl Shard {
    /// Everything, as one part.
    pub const ALL: Shard = Shard { number: 1, of: 1 };

    /// Creates the part with a number from 1 to `of`; `None` if there is no such part.
    pub fn new(number: u32, of: u32) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// Returns whether an item is in this part. Items are counted from 0.
    pub fn contains(self, item: u64) -> bool {
        item.checked_rem(self.of.into()) == u64::from(self.number).checked_sub(1)
    }
}

/// A text that is not a [`Shard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("give the number of the part and the number of parts, such as 3/8")]
pub struct ParseShardError;

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Shard, ParseShardError> {
        let (number, of) = text.split_once('/').ok_or(ParseShardError)?;
        let number = number.parse().map_err(|_| ParseShardError)?;
        let of = of.parse().map_err(|_| ParseShardError)?;
        Shard::new(number, of).ok_or(ParseShardError)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_item_is_in_one_part(item in any::<u64>(), of in 1u32..100) {
            let parts = (1..=of).filter_map(|number| Shard::new(number, of));
            prop_assert_eq!(parts.filter(|part| part.contains(item)).count(), 1);
        }

        #[test]
        fn a_printed_shard_is_parsed_back(number in 1u32..100, more in 0u32..100) {
            let shard = Shard::new(number, number + more).unwrap();
            prop_assert_eq!(shard.to_string().parse(), Ok(shard));
        }
    }

    #[test]
    fn numbers_count_from_one() {
        assert_eq!(Shard::new(0, 3), None);
        assert_eq!(Shard::new(4, 3), None);
        assert_eq!(Shard::new(0, 0), None);
        assert!(Shard::ALL.contains(7));
        assert_eq!("0/0".parse::<Shard>(), Err(ParseShardError));
    }
}
