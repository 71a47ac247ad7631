//! Statistics of results: how much stronger one player is than another, and whether the games
//! so far are enough to tell.
//!
//! # Two players
//! [`WinDrawLoss`] counts games, and [`Pentanomial`] pairs of games: the same opening with both
//! colors. The two games of a pair are not independent, because an opening may favor a color;
//! their joint score is independent from pair to pair, and so gives the right error.
//!
//! Both have a [`Strength`]. With the mean score s of a game or of a pair, in 0..1, its sample
//! variance v, and n games or pairs:
//!
//! - The difference in Elo is -400 log₁₀(1/s - 1): the logistic model of Elo.
//! - The difference in normalized Elo is (s - 1/2) / √v for games, (s - 1/2) / √(2v) for pairs,
//!   each times 800 / ln 10. It says how many games it takes to tell the two players apart: a
//!   match with more draws has the same normalized Elo, but a smaller difference in Elo
//!   (Michel Van den Bergh, *Normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo.pdf>).
//! - The errors are those of 95 % confidence intervals: half the distance of the values at
//!   s ± 1.96 √(v/n).
//! - The likelihood of superiority is Φ((s - 1/2) / √(v/n)), the probability that the player is
//!   the stronger one (Chess Programming Wiki, *Match Statistics*,
//!   <https://www.chessprogramming.org/Match_Statistics>).
//!
//! ```
//! use gothello::statistics::WinDrawLoss;
//!
//! let results = WinDrawLoss { wins: 136, draws: 111, losses: 96 };
//! let strength = results.strength().ok_or("there are no games")?;
//! let elo = strength.elo.ok_or("all games were won")?;
//! assert_eq!(format!("{elo:.1}"), "40.7 ± 30.4");
//! # Ok::<(), &str>(())
//! ```
//!
//! # When to stop
//! [`Sprt`] is the sequential probability ratio test: it stops a match as soon as the results
//! decide between two hypotheses about the strength.
//!
//! # More players
//! [`Ratings`] are those of all players of an event at once, from all its games.
//!
//! The definitions of the strength of two players and of the test are those of
//! [fastchess](https://github.com/Disservin/fastchess), and the tests carry its figures.

mod counts;
mod ratings;
mod sprt;

#[cfg(feature = "match")]
pub(crate) use counts::squared_t_ratio;
pub use counts::{CountsError, Estimate, GameScore, Pentanomial, Strength, WinDrawLoss};
pub use ratings::{PlayedGame, Rating, Ratings, RatingsError};
pub use sprt::{Decision, Model, Sprt, SprtError};

#[cfg(feature = "serde")]
crate::base::text_serde::as_text! {
    Sprt: "a sequential probability ratio test",
}

/// Half the width of a 95 % confidence interval, in standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The Elo points of a factor e in the odds: 400 / ln 10.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;
