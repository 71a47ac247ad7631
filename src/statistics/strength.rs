//! How much stronger one of two players is.

use std::cmp::Ordering;
use std::fmt;

use super::{ELO_PER_LOGIT, NORMAL_95};

/// How often each of N scores at equal distances from 0 to 1 occurred.
pub(super) struct Sample<const N: usize>([u64; N]);

impl<const N: usize> Sample<N> {
    pub(super) const fn new(counts: [u64; N]) -> Sample<N> {
        Sample(counts)
    }

    /// Returns the scores.
    pub(super) fn scores() -> [f64; N] {
        std::array::from_fn(|index| index as f64 / Self::LAST as f64)
    }

    /// Returns how often each score occurred.
    pub(super) fn counts(&self) -> [f64; N] {
        self.0.map(|count| count as f64)
    }

    /// The number of distances between the scores.
    const LAST: usize = N - 1;

    /// Returns the sum of all counts; `None` if it is 0.
    pub(super) fn size(&self) -> Option<f64> {
        let size: u128 = self.0.iter().map(|&count| u128::from(count)).sum();
        (size > 0).then_some(size as f64)
    }

    /// Returns the mean score, if there is one. It is exact where it is a whole number of halves.
    fn mean(&self) -> Option<f64> {
        let steps = self.0.iter().zip(0_u128..);
        let steps: u128 = steps.map(|(&count, step)| u128::from(count) * step).sum();
        Some(steps as f64 / Self::LAST as f64 / self.size()?)
    }

    /// Returns whether all scores are the same.
    fn is_constant(&self) -> bool {
        self.0.iter().filter(|&&count| count > 0).count() == 1
    }
}

/// An estimate of a number, and how far it is from the true one.
///
/// It is written as `40.7 ± 30.4`, with as many decimals as asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Half the width of the 95 % confidence interval. `None` if the results do not tell it,
    /// because there are too few or all are the same.
    pub error: Option<f64>,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        let text = match self.error {
            Some(error) => format!("{:.decimals$} ± {error:.decimals$}", self.value),
            None => format!("{:.decimals$}", self.value),
        };
        // The precision of `pad` would cut the text.
        let padding = f.width().unwrap_or(0).saturating_sub(text.chars().count());
        write!(f, "{:padding$}{text}", "")
    }
}

/// How much stronger a player is than the opponent, by the results of their games or pairs of
/// games. The formulas are in the documentation of [the module](super).
///
/// Every number in it is finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// The mean score of a game, in 0..=1: 1 for a win and 1/2 for a draw.
    pub score: f64,
    /// The difference in Elo. `None` if all games were won, or all were lost. There is no error if
    /// all scores are the same, or if the confidence interval of the score reaches 0 or 1.
    pub elo: Option<Estimate>,
    /// The difference in normalized Elo; `None` if all scores are the same.
    pub nelo: Option<Estimate>,
    /// The likelihood of superiority, the probability in 0..=1 that the player is the stronger
    /// one. If all scores are the same it is 1 for more than 1/2, 0 for less, and `None` for 1/2.
    pub los: Option<f64>,
}

impl Strength {
    /// Returns the strength that a sample of scores shows, each that of so many games; `None` if
    /// it is empty.
    pub(super) fn of<const N: usize>(sample: &Sample<N>, games: f64) -> Option<Strength> {
        let (size, score) = (sample.size()?, sample.mean()?);
        if sample.is_constant() {
            return Some(Strength {
                score,
                elo: elo(score).map(|value| Estimate { value, error: None }),
                nelo: None,
                los: match score.total_cmp(&0.5) {
                    Ordering::Less => Some(0.0),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(1.0),
                },
            });
        }
        let squares = sample.counts().into_iter().zip(Sample::<N>::scores());
        let squares = squares.map(|(count, each)| count / size * (each - score).powi(2));
        let variance: f64 = squares.sum();
        let deviation = (variance / size).sqrt();
        let margin = NORMAL_95 * deviation;
        let interval = elo(score - margin).zip(elo(score + margin));
        // A game's own standard deviation, if the games were independent.
        let per_game = (games * variance).sqrt();
        let nelo = |difference: f64| difference / per_game * 2.0 * ELO_PER_LOGIT;
        Some(Strength {
            score,
            elo: elo(score).map(|value| Estimate {
                value,
                error: interval.map(|(low, high)| (high - low) / 2.0),
            }),
            nelo: Some(Estimate {
                value: nelo(score - 0.5),
                error: Some(nelo(margin)),
            }),
            los: Some(normal_distribution((score - 0.5) / deviation)),
        })
    }
}

/// Returns the difference in Elo with this expected score; `None` outside of 0..1.
fn elo(score: f64) -> Option<f64> {
    let is_inside = score > 0.0 && score < 1.0;
    is_inside.then(|| ELO_PER_LOGIT * (score / (1.0 - score)).ln())
}

/// Returns Φ(x), the probability that a standard normal variable is less than x.
pub(super) fn normal_distribution(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1, with more digits.
        for (x, probability) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (3.0, 0.998_650_101_968_37),
            (NORMAL_95, 0.975),
            (-1.0, 0.158_655_253_931_457),
            (-6.0, 9.865_876_450_377e-10),
        ] {
            let found = normal_distribution(x);
            assert!((found / probability - 1.0).abs() < 1e-12, "{x}: {found}");
        }
    }
}
