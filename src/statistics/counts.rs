//! Counts of the results of two players, and the strength that they show.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{ELO_PER_LOGIT, NORMAL_95};
use crate::base::color::Color;

/// The result of a game from the point of view of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameScore {
    /// The player lost.
    Loss,
    /// The game was drawn.
    Draw,
    /// The player won.
    Win,
}

impl GameScore {
    /// Returns the result for the player with this color of a game that `winner` won; `None` is a
    /// draw.
    pub fn of(color: Color, winner: Option<Color>) -> GameScore {
        match winner {
            None => GameScore::Draw,
            Some(winner) if winner == color => GameScore::Win,
            Some(_) => GameScore::Loss,
        }
    }

    /// Returns twice the points: 0, 1 or 2.
    pub const fn half_points(self) -> u64 {
        match self {
            GameScore::Loss => 0,
            GameScore::Draw => 1,
            GameScore::Win => 2,
        }
    }
}

/// How many games a player won, drew and lost.
///
/// ```
/// use gothello::statistics::{GameScore, WinDrawLoss};
/// let mut results: WinDrawLoss = "34,20,16".parse()?;
/// results.add(GameScore::Win);
/// assert_eq!(results, WinDrawLoss { wins: 35, draws: 20, losses: 16 });
/// assert_eq!(results.games(), 71);
/// assert_eq!(results.points(), 45.0);
/// # Ok::<(), gothello::statistics::CountsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Counts one more game.
    pub fn add(&mut self, score: GameScore) {
        let count = match score {
            GameScore::Win => &mut self.wins,
            GameScore::Draw => &mut self.draws,
            GameScore::Loss => &mut self.losses,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        let decided = self.wins.saturating_add(self.losses);
        decided.saturating_add(self.draws)
    }

    /// Returns the points: 1 for each win, and 1/2 for each draw.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Returns the same games from the point of view of the opponent.
    #[must_use]
    pub fn reversed(self) -> WinDrawLoss {
        WinDrawLoss {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// Returns how much stronger the player is than the opponent; `None` without games.
    pub fn strength(&self) -> Option<Strength> {
        self.weighted_strength(1.0)
    }

    /// Returns the same if each game counts as `weight` independent ones, from 0 to 1.
    pub fn weighted_strength(&self, weight: f64) -> Option<Strength> {
        Strength::of(&self.sample(weight), 1.0)
    }

    /// Returns the sample of scores, each with this weight.
    pub(super) fn sample(&self, weight: f64) -> Sample<3> {
        Sample::new([self.losses, self.draws, self.wins], weight)
    }
}

/// Counts games.
impl FromIterator<GameScore> for WinDrawLoss {
    fn from_iter<I: IntoIterator<Item = GameScore>>(scores: I) -> WinDrawLoss {
        let mut counts = WinDrawLoss::default();
        for score in scores {
            counts.add(score);
        }
        counts
    }
}

/// Parses wins, draws and losses, such as `34,20,16`.
impl FromStr for WinDrawLoss {
    type Err = CountsError;

    fn from_str(text: &str) -> Result<WinDrawLoss, CountsError> {
        match *counts(text)? {
            [wins, draws, losses] => Ok(WinDrawLoss {
                wins,
                draws,
                losses,
            }),
            ref others => Err(CountsError(format!(
                "give three counts, wins, draws and losses, such as 34,20,16, not {}",
                others.len()
            ))),
        }
    }
}

/// How many pairs of games gave a player 0, ½, 1, 1½ and 2 points.
///
/// The two games of a pair have the same opening and the colors exchanged.
///
/// ```
/// use gothello::statistics::{GameScore, Pentanomial};
/// let mut pairs = Pentanomial::default();
/// pairs.add(GameScore::Win, GameScore::Draw);
/// pairs.add(GameScore::Loss, GameScore::Win);
/// assert_eq!(pairs, Pentanomial::new([0, 0, 1, 1, 0]));
/// // fastchess tells a win and a loss from two draws.
/// assert_eq!("1,2,3,4,5,6".parse(), Ok(Pentanomial::new([1, 2, 7, 5, 6])));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pentanomial([u64; 5]);

impl Pentanomial {
    /// Creates the counts of pairs: both lost; one lost and one drawn; both drawn, or one won and
    /// one lost; one won and one drawn; both won.
    pub const fn new(pairs: [u64; 5]) -> Pentanomial {
        Pentanomial(pairs)
    }

    /// Returns the counts in the order of [`Pentanomial::new`].
    pub const fn counts(&self) -> [u64; 5] {
        self.0
    }

    /// Counts one more pair.
    pub fn add(&mut self, first: GameScore, second: GameScore) {
        let [zero, half, one, more, two] = &mut self.0;
        let count = match first.half_points() + second.half_points() {
            0 => zero,
            1 => half,
            2 => one,
            3 => more,
            _ => two,
        };
        *count = count.saturating_add(1);
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Returns the same pairs from the point of view of the opponent.
    #[must_use]
    pub fn reversed(mut self) -> Pentanomial {
        self.0.reverse();
        self
    }

    /// Returns how much stronger the player is than the opponent; `None` without pairs.
    pub fn strength(&self) -> Option<Strength> {
        self.weighted_strength(1.0)
    }

    /// Returns the same if each pair counts as `weight` independent ones, from 0 to 1.
    pub fn weighted_strength(&self, weight: f64) -> Option<Strength> {
        Strength::of(&self.sample(weight), 2.0)
    }

    /// Returns the sample of scores, each with this weight.
    pub(super) fn sample(&self, weight: f64) -> Sample<5> {
        Sample::new(self.0, weight)
    }
}

/// Parses the counts of pairs by points, such as `34,54,63,64,75`: LL, LD, DD or WL, WD, WW. Six
/// counts are those of fastchess, which counts WL and DD apart: LL, LD, WL, DD, WD, WW.
impl FromStr for Pentanomial {
    type Err = CountsError;

    fn from_str(text: &str) -> Result<Pentanomial, CountsError> {
        match *counts(text)? {
            [ll, ld, even, wd, ww] => Ok(Pentanomial([ll, ld, even, wd, ww])),
            [ll, ld, wl, dd, wd, ww] => {
                let even = wl.checked_add(dd).ok_or_else(|| {
                    CountsError(format!("WL and DD together are more than {}", u64::MAX))
                })?;
                Ok(Pentanomial([ll, ld, even, wd, ww]))
            }
            ref others => Err(CountsError(format!(
                "give the counts of pairs LL,LD,DD_or_WL,WD,WW, such as 34,54,63,64,75, or six, \
                 LL,LD,WL,DD,WD,WW, not {}",
                others.len()
            ))),
        }
    }
}

/// Why a text is not counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CountsError(String);

/// Parses counts with commas between them.
fn counts(text: &str) -> Result<Vec<u64>, CountsError> {
    let words = text.split(',').map(str::trim);
    let parse = |word: &str| {
        // A sign is no part of a count.
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let count = word.parse().ok().filter(|_| is_number);
        count.ok_or_else(|| {
            let last = u64::MAX;
            CountsError(format!(
                "{word:?} is not a count: give whole numbers from 0 to {last}, with commas between them"
            ))
        })
    };
    words.map(parse).collect()
}

/// How often each of N scores at equal distances from 0 to 1 occurred.
pub struct Sample<const N: usize> {
    counts: [u64; N],
    /// The number of independent scores that each score counts as.
    weight: f64,
}

impl<const N: usize> Sample<N> {
    pub const fn new(counts: [u64; N], weight: f64) -> Sample<N> {
        Sample { counts, weight }
    }

    /// Returns the scores.
    pub fn scores() -> [f64; N] {
        std::array::from_fn(|index| index as f64 / Self::LAST as f64)
    }

    /// Returns how often each score counts.
    pub fn counts(&self) -> [f64; N] {
        self.counts.map(|count| count as f64 * self.weight)
    }

    /// The number of distances between the scores.
    const LAST: usize = N - 1;

    /// Returns how many independent scores all are; `None` if there are none.
    pub fn size(&self) -> Option<f64> {
        Some(self.number()? * self.weight)
    }

    /// Returns the number of scores; `None` if there are none.
    fn number(&self) -> Option<f64> {
        let number: u128 = self.counts.iter().map(|&count| u128::from(count)).sum();
        (number > 0).then_some(number as f64)
    }

    /// Returns the mean score, if there is one. It is exact where it is a whole number of halves.
    fn mean(&self) -> Option<f64> {
        let steps = self.counts.iter().zip(0_u128..);
        let steps: u128 = steps.map(|(&count, step)| u128::from(count) * step).sum();
        Some(steps as f64 / Self::LAST as f64 / self.number()?)
    }

    /// Returns whether all scores are the same.
    fn is_constant(&self) -> bool {
        self.counts.iter().filter(|&&count| count > 0).count() == 1
    }
}

/// An estimate of a number, and how far it is from the true one.
///
/// It is written as `40.7 ± 30.4`, with as many decimals as asked for, and as `40.7 ± -` without an
/// error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The best estimate of the quantity.
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
            None => format!("{:.decimals$} ± -", self.value),
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
#[non_exhaustive]
pub struct Strength {
    /// The mean score of a game, in 0..=1: 1 for a win and 1/2 for a draw.
    pub score: f64,
    /// The difference in Elo; `None` if all scores are the same, so that their spread is not known.
    /// There is no error if the confidence interval of the score reaches 0 or 1.
    pub elo: Option<Estimate>,
    /// The difference in normalized Elo; `None` if all scores are the same.
    pub nelo: Option<Estimate>,
    /// The likelihood of superiority, the probability in 0..=1 that the player is the stronger
    /// one; `None` if all scores are the same.
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
                elo: None,
                nelo: None,
                los: None,
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

/// Returns the square of the ratio of the 97.5 % quantiles of Student's t distribution with so many
/// degrees of freedom, at least 3, and of the normal distribution (Abramowitz and Stegun, *Handbook
/// of Mathematical Functions*, 26.7.5). A sample with an estimated spread counts less by this
/// factor.
pub fn squared_t_ratio(degrees: f64) -> f64 {
    let square = NORMAL_95 * NORMAL_95;
    let terms = [
        1.0,
        (square + 1.0) / 4.0,
        ((5.0 * square + 16.0) * square + 3.0) / 96.0,
        (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0,
    ];
    let ratio = terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum / degrees + term);
    ratio * ratio
}

/// Returns Φ(x), the probability that a standard normal variable is less than x.
pub fn normal_distribution(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_those_of_tables() {
        for (degrees, quantile) in [(10.0, 2.228), (19.0, 2.093), (30.0, 2.042), (120.0, 1.980)] {
            let found = NORMAL_95 * squared_t_ratio(degrees).sqrt();
            assert!((found - quantile).abs() < 1e-3, "{degrees}: {found}");
        }
    }

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
