//! The sequential probability ratio test.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::counts::Sample;
use super::{ELO_PER_LOGIT, Pentanomial, WinDrawLoss};

/// The largest difference of strength that a test may ask about.
const MAX_ELO: f64 = 1000.0;

/// The scale of the strengths that a test asks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// Normalized Elo, by which a test takes about as long for all openings and time limits.
    #[default]
    Normalized,
    /// Elo, which follows from only the expected score.
    Logistic,
    /// Elo in the model of bayeselo, with the rate of draws that the results show. It knows
    /// no pairs of games.
    Bayesian,
}

impl Model {
    const ALL: [Model; 3] = [Model::Normalized, Model::Logistic, Model::Bayesian];
}

/// Writes `normalized`, `logistic` or `bayesian`.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
            Model::Bayesian => "bayesian",
        })
    }
}

/// The decision of a test between its two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Decision {
    /// The player is not stronger than `elo0`.
    H0,
    /// The player is at least `elo1` stronger.
    H1,
    /// There are not enough games.
    #[cfg_attr(feature = "serde", serde(rename = "continue"))]
    Continue,
}

/// Writes `H0`, `H1` or `continue`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Decision::H0 => "H0",
            Decision::H1 => "H1",
            Decision::Continue => "continue",
        })
    }
}

/// A sequential probability ratio test (Abraham Wald, *Sequential Tests of Statistical
/// Hypotheses*, 1945): whether a player is stronger than another by `elo0` (hypothesis H0) or by
/// `elo1` (H1).
///
/// After every game or pair of games the log-likelihood ratio of the two hypotheses (LLR) is
/// computed. The test is over when it reaches one of two bounds: ln(beta / (1 - alpha)) is for
/// H0, ln((1 - beta) / alpha) for H1. So H0 is rejected in a share of `alpha` of the tests in
/// which it is true, and H1 in a share of `beta`.
///
/// The ratio is the generalized one of Michel Van den Bergh: each hypothesis is represented by the
/// distribution of scores that it allows and that makes the results most likely
/// (*Comparing the approximations for the generalized log likelihood ratio of a multinomial
/// distribution*, Proposition 1.1, for [`Model::Logistic`]; *Comments on normalized Elo*,
/// section 4.1, for [`Model::Normalized`]; <https://www.cantate.be/Fishtest/>). As in fastchess a
/// score that did not occur counts as a thousandth of a game.
///
/// ```
/// use gothello::statistics::{Decision, Pentanomial, Sprt};
///
/// let sprt: Sprt = "elo0=0,elo1=10,alpha=0.05,beta=0.05".parse()?;
/// let pairs = Pentanomial::new([34, 54, 63, 64, 75]);
/// let llr = sprt.llr_of_pairs(&pairs).ok_or("bayesian knows no pairs")?;
/// assert_eq!(format!("{llr:.2}"), "2.48");
/// assert_eq!(sprt.decision(llr), Decision::Continue);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

impl Sprt {
    /// Creates a test.
    ///
    /// # Errors
    /// If `elo0` and `elo1` are not in -1000..=1000 and in this order, or `alpha` or `beta`, the
    /// rates of wrong decisions, are not between 0 and 0.5.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Sprt, SprtError> {
        for (key, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&elo) {
                return Err(SprtError(format!(
                    "{key} is out of range: give a difference from -{MAX_ELO} to {MAX_ELO}"
                )));
            }
        }
        if elo0 >= elo1 {
            let why = format!("elo0={elo0} is not less than elo1={elo1}");
            return Err(SprtError(why));
        }
        for (key, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(f64::MIN_POSITIVE..0.5).contains(&rate) {
                return Err(SprtError(format!(
                    "{key} is a rate of wrong decisions: give a number between 0 and 0.5, such as 0.05"
                )));
            }
        }
        Ok(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// Returns the difference in strength of H0.
    pub const fn elo0(&self) -> f64 {
        self.elo0
    }

    /// Returns the difference in strength of H1.
    pub const fn elo1(&self) -> f64 {
        self.elo1
    }

    /// Returns the model.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// Returns the bound at which the test ends with H0, a negative number.
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Returns the bound at which the test ends with H1, a positive number.
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Returns the decision for a log-likelihood ratio.
    pub fn decision(&self, llr: f64) -> Decision {
        if llr >= self.upper_bound() {
            Decision::H1
        } else if llr <= self.lower_bound() {
            Decision::H0
        } else {
            Decision::Continue
        }
    }

    /// Returns the log-likelihood ratio of games that are independent of each other; 0 without
    /// games. [`Model::Bayesian`] has 0, too, until both players have won.
    pub fn llr_of_games(&self, results: &WinDrawLoss) -> f64 {
        self.weighted_llr_of_games(results, 1.0)
    }

    /// Returns the same if each game counts as `weight` independent ones, from 0 to 1.
    pub fn weighted_llr_of_games(&self, results: &WinDrawLoss, weight: f64) -> f64 {
        let sample = results.sample(weight);
        match self.model {
            Model::Bayesian => {
                if results.wins == 0 || results.losses == 0 {
                    return 0.0;
                }
                let draw_elo = draw_elo(sample.counts());
                let score = |elo| bayesian_score(elo, draw_elo);
                llr(&sample, score(self.elo0), score(self.elo1), with_score)
            }
            Model::Logistic => self.logistic_llr(&sample),
            Model::Normalized => self.normalized_llr(&sample, 1.0),
        }
    }

    /// Returns the log-likelihood ratio of pairs of games; 0 without pairs, and `None` for
    /// [`Model::Bayesian`].
    pub fn llr_of_pairs(&self, results: &Pentanomial) -> Option<f64> {
        self.weighted_llr_of_pairs(results, 1.0)
    }

    /// Returns the same if each pair counts as `weight` independent ones, from 0 to 1.
    pub fn weighted_llr_of_pairs(&self, results: &Pentanomial, weight: f64) -> Option<f64> {
        let sample = results.sample(weight);
        match self.model {
            Model::Bayesian => None,
            Model::Logistic => Some(self.logistic_llr(&sample)),
            Model::Normalized => Some(self.normalized_llr(&sample, 2.0)),
        }
    }

    fn logistic_llr<const N: usize>(&self, sample: &Sample<N>) -> f64 {
        let score = |elo: f64| 1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp());
        llr(sample, score(self.elo0), score(self.elo1), with_score)
    }

    /// Returns the ratio for normalized Elo if each score is that of so many games.
    fn normalized_llr<const N: usize>(&self, sample: &Sample<N>, games: f64) -> f64 {
        let ratio = |nelo: f64| games.sqrt() * nelo / (2.0 * ELO_PER_LOGIT);
        llr(sample, ratio(self.elo0), ratio(self.elo1), with_ratio)
    }
}

/// Writes the settings as they are parsed.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self;
        write!(
            f,
            "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta},model={model}"
        )
    }
}

/// Parses settings such as `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic`, in any order.
/// Without `model` it is the normalized one.
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        const KEYS: [&str; 5] = ["elo0", "elo1", "alpha", "beta", "model"];
        let mut given = BTreeMap::new();
        for setting in text.split(',') {
            let pair = setting.split_once('=');
            let pair = pair.map(|(key, value)| (key.trim(), value.trim()));
            let Some((key, value)) = pair.filter(|(key, _)| KEYS.contains(key)) else {
                return Err(SprtError(format!(
                    "{setting:?} is no setting: give elo0, elo1, alpha, beta, and perhaps model, as in \
                     {EXAMPLE},model=normalized"
                )));
            };
            if given.insert(key, value).is_some() {
                return Err(SprtError(format!("{key} is given twice")));
            }
        }
        let number = |key: &str| {
            let value = given.get(key);
            let value = value.ok_or_else(|| format!("{key} is missing: give all of {EXAMPLE}"));
            let number = value.and_then(|value| {
                let parsed = value.parse::<f64>();
                parsed.map_err(|_| format!("{key}={value} is not a number"))
            });
            number.map_err(SprtError)
        };
        let model = given.get("model").map(|value| {
            let mut models = Model::ALL.into_iter();
            let named = models.find(|model| model.to_string().eq_ignore_ascii_case(value));
            named.ok_or_else(|| {
                SprtError(format!(
                    "{value:?} is no model: give model=normalized, model=logistic or model=bayesian"
                ))
            })
        });
        Sprt::new(
            number("elo0")?,
            number("elo1")?,
            number("alpha")?,
            number("beta")?,
            model.transpose()?.unwrap_or_default(),
        )
    }
}

/// The settings that must be given, as errors show them.
const EXAMPLE: &str = "elo0=0,elo1=10,alpha=0.05,beta=0.05";

/// Why a text is not the settings of a test.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SprtError(String);

/// Returns the parameter of draws in the model of bayeselo with which two players of equal
/// strength would have these results.
fn draw_elo([losses, draws, wins]: [f64; 3]) -> f64 {
    let odds = (draws + wins) / losses * (draws + losses) / wins;
    ELO_PER_LOGIT / 2.0 * odds.ln()
}

/// Returns the expected score in the model of bayeselo.
fn bayesian_score(elo: f64, draw_elo: f64) -> f64 {
    let probability = |elo: f64| 1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp());
    let win = probability(elo - draw_elo);
    let loss = probability(-elo - draw_elo);
    0.5 + (win - loss) / 2.0
}

/// Returns the log-likelihood ratio of two hypotheses about a parameter of the distribution of
/// scores, given the function that returns the likeliest distribution with that parameter; 0 for
/// an empty sample.
fn llr<const N: usize>(
    sample: &Sample<N>,
    h0: f64,
    h1: f64,
    likeliest: fn(&[f64; N], f64) -> [f64; N],
) -> f64 {
    if sample.size().is_none() {
        return 0.0;
    }
    let counts = sample.counts().map(|count| count.max(1e-3));
    let size: f64 = counts.iter().sum();
    let shares = counts.map(|count| count / size);
    let [p0, p1] = [h0, h1].map(|parameter| likeliest(&shares, parameter));
    let each = counts.iter().zip(p0.iter().zip(&p1));
    each.map(|(count, (p0, p1))| count * (p1 / p0).ln()).sum()
}

/// Returns the distribution with this mean that makes a sample with these shares of scores
/// most likely.
fn with_score<const N: usize>(shares: &[f64; N], score: f64) -> [f64; N] {
    reweighted(shares, &Sample::<N>::scores().map(|each| each - score))
}

/// Returns the distribution that makes a sample with these shares of scores most likely, among
/// those whose mean is above 1/2 by `ratio` standard deviations.
fn with_ratio<const N: usize>(shares: &[f64; N], ratio: f64) -> [f64; N] {
    let scores = Sample::<N>::scores();
    let mut distribution = tilted(&scores, ratio);
    let mut last_change = f64::INFINITY;
    // Some ten steps, but for samples of almost nothing but draws.
    for _ in 0..200 {
        let (mean, deviation) = moments(&scores, &distribution);
        // The derivative of the condition that mean - ratio * deviation is 1/2.
        let gradient = scores.map(|score| {
            let distance = (score - mean) / deviation;
            score - 0.5 - 0.5 * ratio * deviation * (1.0 + distance * distance)
        });
        let next = reweighted(shares, &gradient);
        let changes = next.iter().zip(&distribution).map(|(p, q)| (p - q).abs());
        let change = changes.fold(0.0, f64::max);
        distribution = next;
        let is_noise = change < 1e-9 && change >= last_change;
        if change == 0.0 || is_noise {
            break;
        }
        last_change = change;
    }
    distribution
}

/// Returns the distribution that is uniform but for an exponential factor, and whose mean is
/// above 1/2 by `ratio` standard deviations.
fn tilted<const N: usize>(scores: &[f64; N], ratio: f64) -> [f64; N] {
    let with_tilt = |tilt: f64| {
        let weights = scores.map(|score| (tilt * (score - 0.5)).exp());
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    };
    let tilt = bisect(-100.0, 100.0, |tilt| {
        let (mean, deviation) = moments(scores, &with_tilt(tilt));
        mean - 0.5 < ratio * deviation
    });
    with_tilt(tilt)
}

/// Returns the mean and the standard deviation of a distribution.
fn moments<const N: usize>(scores: &[f64; N], distribution: &[f64; N]) -> (f64, f64) {
    let expected = |f: &dyn Fn(f64) -> f64| -> f64 {
        let terms = scores
            .iter()
            .zip(distribution)
            .map(|(&score, p)| p * f(score));
        terms.sum()
    };
    let mean = expected(&|score| score);
    let variance = expected(&|score| (score - mean) * (score - mean));
    (mean, variance.sqrt())
}

/// Returns the distribution that makes a sample with these shares most likely, among those by
/// which `values`, of which some are positive and some negative, have the mean 0.
fn reweighted<const N: usize>(shares: &[f64; N], values: &[f64; N]) -> [f64; N] {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let multiplier = bisect(-1.0 / largest, -1.0 / least, |multiplier| {
        let terms = shares.iter().zip(values);
        let mean: f64 = terms
            .map(|(share, value)| share * value / (1.0 + multiplier * value))
            .sum();
        mean > 0.0
    });
    std::array::from_fn(|index| shares[index] / (1.0 + multiplier * values[index]))
}

/// Returns the number between two at which a condition that holds below it ends.
fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    // As often as two numbers of the size of these can differ in a bit.
    for _ in 0..100 {
        let middle = low + (high - low) / 2.0;
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}
