//! How many positions there are, and how they are distributed over the values.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::{BIAS, MAX_VALUE};

/// The number of values.
pub(super) const VALUES: usize = 2 * MAX_VALUE as usize + 1;

/// The number of colorings of the points of a 5x5 board, legal or not, with black, white, and
/// empty. No board has more positions, so the sums of several layers or files do not overflow.
const MAX_POSITIONS: u64 = 3u64.pow(25);

/// The numbers of positions by their value for the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Vec<u64>")]
pub struct Distribution([u64; VALUES]);

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution([0; VALUES])
    }
}

/// Numbers that are not those of positions with each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("these are not {VALUES} numbers of positions with a sum of at most {MAX_POSITIONS}")]
pub(super) struct DistributionError;

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Distribution, D::Error> {
        let numbers = Vec::deserialize(deserializer)?;
        Distribution::from_numbers(numbers).map_err(D::Error::custom)
    }
}

impl From<Distribution> for Vec<u64> {
    fn from(distribution: Distribution) -> Vec<u64> {
        distribution.0.to_vec()
    }
}

impl Distribution {
    fn from_numbers(numbers: Vec<u64>) -> Result<Distribution, DistributionError> {
        let sum = numbers.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
        match (numbers.try_into(), sum) {
            (Ok(numbers), Some(..=MAX_POSITIONS)) => Ok(Distribution(numbers)),
            _ => Err(DistributionError),
        }
    }

    /// Returns the values, from -25 to 25, each with the number of positions. It is 0 for the first
    /// and the last: the largest value is 24.
    pub fn iter(&self) -> impl Iterator<Item = (i8, u64)> {
        (-MAX_VALUE..=MAX_VALUE).zip(self.0.iter().copied())
    }

    /// Returns the number of positions.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of positions that the player to move wins.
    pub fn wins(&self) -> u64 {
        self.sum_of(|value| value > 0)
    }

    /// Returns the number of drawn positions.
    pub fn draws(&self) -> u64 {
        self.sum_of(|value| value == 0)
    }

    /// Returns the number of positions that the player to move loses.
    pub fn losses(&self) -> u64 {
        self.sum_of(|value| value < 0)
    }

    fn sum_of(&self, is_counted: impl Fn(i8) -> bool) -> u64 {
        let counted = self.iter().filter(|&(value, _)| is_counted(value));
        counted.map(|(_, count)| count).sum()
    }

    fn add(&mut self, other: &Distribution) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }
}

/// The numbers of legal positions without regard to a preceding pass and to which color
/// is to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Positions on the board.
    pub all: Distribution,
    /// Positions up to the symmetries of the board.
    pub distinct: Distribution,
}

impl Counts {
    /// Adds positions, given by their number for each entry of a block; each counts as so
    /// many positions on the board and up to symmetry.
    pub(super) fn add(&mut self, numbers: &[u64; 256], all: u64, distinct: u64) {
        let first = usize::from(BIAS) - MAX_VALUE as usize;
        let numbers = numbers[first..].iter();
        let counts = self.all.0.iter_mut().zip(&mut self.distinct.0);
        for (number, (in_all, in_distinct)) in numbers.zip(counts) {
            *in_all += number * all;
            *in_distinct += number * distinct;
        }
    }

    /// Returns all numbers: those of all positions from -25 on, then those up to symmetry.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        let Counts { all, distinct } = self;
        all.0.iter().chain(&distinct.0).copied()
    }

    /// Creates counts from their numbers, in the order of [`Counts::numbers`].
    ///
    /// # Errors
    /// If these are not the numbers of positions with each value.
    pub(super) fn from_numbers(
        numbers: impl Iterator<Item = u64>,
    ) -> Result<Counts, DistributionError> {
        let mut all: Vec<u64> = numbers.collect();
        let distinct = all.split_off(VALUES.min(all.len()));
        Ok(Counts {
            all: Distribution::from_numbers(all)?,
            distinct: Distribution::from_numbers(distinct)?,
        })
    }

    /// Adds the positions of other counts.
    pub fn merge(&mut self, other: &Counts) {
        self.all.add(&other.all);
        self.distinct.add(&other.distinct);
    }
}
