//! How well a player plays.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::rng::Rng;

/// How well a player plays: 1, for beginners, to 9, or as well as he can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// A player who looks ahead a few plies only and makes mistakes; see
    /// [`Weakened`](super::Weakened).
    Weak(Weakness),
    /// As well as he can.
    #[default]
    Max,
}

/// A level from 1 to 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weakness(u8);

impl Level {
    /// Every level, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        let weak = (1..=9).map(|level| Level::Weak(Weakness(level)));
        weak.chain([Level::Max])
    }
}

impl Weakness {
    /// How many plies are looked ahead, a temptation by chance aside.
    pub(super) fn depth(self) -> u8 {
        self.0.div_ceil(2)
    }

    /// How large mistakes are, in stones: a move that seems to be worth so many
    /// stones less is made e times less often.
    pub(super) fn temperature(self) -> f64 {
        // From 4 stones down to a quarter of one, by the same factor each.
        4.0 * 0.5_f64.powf(f64::from(self.0 - 1) / 2.0)
    }
}

/// Writes `1` to `9` or `max`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Weak(Weakness(level)) => write!(f, "{level}"),
            Level::Max => f.write_str("max"),
        }
    }
}

/// A word that names no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no level: 1 to 9 or max is expected")]
pub struct ParseLevelError(pub String);

/// Reads `1` to `9` or `max`.
impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(word: &str) -> Result<Level, ParseLevelError> {
        Level::all()
            .find(|level| level.to_string() == word)
            .ok_or_else(|| ParseLevelError(word.to_owned()))
    }
}

/// A level, and the chance that the moves of weak players depend on.
#[derive(Clone, Debug)]
pub struct Skill {
    /// How well is played.
    pub level: Level,
    seed: u64,
    pub(super) chance: Rng,
}

impl Skill {
    /// A level, and the seed from which all that is left to chance follows.
    pub const fn new(level: Level, seed: u64) -> Skill {
        Skill {
            level,
            seed,
            chance: Rng::new(seed),
        }
    }

    /// The last seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Starts again with a seed: the same moves follow in the same games.
    pub fn sow(&mut self, seed: u64) {
        *self = Skill::new(self.level, seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_written() {
        for level in Level::all() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!(Level::all().count(), 10);
        for word in ["", "0", "10", "+1", "Max", "x"] {
            assert_eq!(word.parse::<Level>(), Err(ParseLevelError(word.into())));
        }
    }

    #[test]
    fn higher_levels_see_more_and_err_less() {
        let levels: Vec<_> = (1..=9).map(Weakness).collect();
        for pair in levels.windows(2) {
            assert!(pair[0].depth() <= pair[1].depth());
            assert!(pair[0].temperature() > pair[1].temperature());
        }
        assert_eq!(Weakness(1).temperature(), 4.0);
        assert_eq!(Weakness(9).temperature(), 0.25);
    }
}
