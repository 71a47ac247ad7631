//! Scores.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

use thiserror::Error;

/// The number of digits after the decimal point.
const FRACTION_DIGITS: usize = 18;

/// One point.
const ONE: i128 = 10_i128.pow(FRACTION_DIGITS as u32);

/// A number that is parsed must be below this many points.
const BOUND: i128 = 1_000_000_000_000_000_000;

/// A number of points, exact to 18 digits after the decimal point.
///
/// Komi may be any decimal, and draws must be exact, but in binary floating point 0.1 + 0.2
/// is more than 0.3. So a score is a whole number of 10<sup>-18</sup> points. 128 bits hold
/// the sum of a number that was parsed (below 10<sup>18</sup> points), all points of a
/// board, and 2<sup>32</sup> prisoners of 2<sup>32</sup> points each.
///
/// ```
/// use gothello::go::Score;
/// let score = |text: &str| text.parse::<Score>().unwrap();
/// assert_eq!(score("0.1") + score("0.2"), score("0.3"));
/// assert_eq!((Score::from(7) + score("0.50")).to_string(), "7.5");
/// assert_eq!(Score::try_from(6.5), Ok(score("6.5")));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score(i128);

/// White's compensation for moving second; Black's if negative.
pub type Komi = Score;

/// A text or number that is not a score.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0} is not a score: use a decimal like 6.5, below 10^18 and with at most 18 digits after \
     the point"
)]
pub struct ParseScoreError(pub String);

impl Score {
    /// Zero points.
    pub const ZERO: Score = Score(0);

    /// Creates a score from a number of half points.
    pub const fn from_halves(halves: i32) -> Score {
        Score(halves as i128 * (ONE / 2))
    }

    /// Returns the absolute value.
    #[must_use]
    pub const fn abs(self) -> Score {
        Score(self.0.saturating_abs())
    }

    /// Returns the number of points; `None` if it is not whole or does not fit in an `i64`.
    pub fn whole(self) -> Option<i64> {
        let whole = self.0 % ONE == 0;
        whole.then(|| i64::try_from(self.0 / ONE).ok()).flatten()
    }

    /// Returns the nearest floating-point number. A score of at most 15 digits is printed the
    /// same as its floating-point number.
    pub fn to_f64(self) -> f64 {
        // A division would round twice.
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Parses a decimal.
    fn parse(text: &str) -> Option<Score> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        let all_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let fraction = fraction.trim_end_matches('0');
        if whole.is_empty()
            || !all_digits(whole)
            || !all_digits(fraction)
            || fraction.len() > FRACTION_DIGITS
        {
            return None;
        }
        let whole: i128 = whole.parse().ok().filter(|&whole| whole < BOUND)?;
        let fraction: i128 = format!("{fraction:0<FRACTION_DIGITS$}").parse().ok()?;
        let magnitude = Score(whole * ONE + fraction);
        Some(if negative { -magnitude } else { magnitude })
    }
}

/// Parses a decimal like `6.5`, `-7`, or `0.25` exactly.
impl FromStr for Score {
    type Err = ParseScoreError;

    fn from_str(text: &str) -> Result<Score, ParseScoreError> {
        Score::parse(text).ok_or_else(|| ParseScoreError(format!("{text:?}")))
    }
}

/// Converts the shortest decimal that parses as this floating-point number. A number that was
/// written with at most 15 digits keeps exactly these digits.
impl TryFrom<f64> for Score {
    type Error = ParseScoreError;

    fn try_from(number: f64) -> Result<Score, ParseScoreError> {
        let text = number.to_string();
        Score::parse(&text).ok_or(ParseScoreError(text))
    }
}

impl From<i32> for Score {
    fn from(points: i32) -> Score {
        Score(i128::from(points) * ONE)
    }
}

impl From<u64> for Score {
    fn from(points: u64) -> Score {
        Score(i128::from(points) * ONE)
    }
}

impl Add for Score {
    type Output = Score;

    fn add(self, other: Score) -> Score {
        Score(self.0.saturating_add(other.0))
    }
}

impl Sub for Score {
    type Output = Score;

    fn sub(self, other: Score) -> Score {
        Score(self.0.saturating_sub(other.0))
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(self.0.saturating_neg())
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Score>>(scores: I) -> Score {
        scores.fold(Score::ZERO, Add::add)
    }
}

/// Writes the shortest decimal: `2`, `7.5`, `-0.25`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let (whole, fraction) = (magnitude / ONE as u128, magnitude % ONE as u128);
        let fraction = format!("{fraction:0>FRACTION_DIGITS$}");
        let text = match fraction.trim_end_matches('0') {
            "" => whole.to_string(),
            digits => format!("{whole}.{digits}"),
        };
        f.pad_integral(self.0 >= 0, "", &text)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
