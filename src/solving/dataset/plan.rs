//! Which positions a dataset has.

use std::fmt;

use thiserror::Error;

use super::stones::StoneCounts;
use crate::base::counted::counted;

/// What a dataset consists of: its positions follow from this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Where the positions come from.
    pub source: Source,
    /// The number of positions, at most [`MAX_POSITIONS`](Plan::MAX_POSITIONS).
    pub positions: usize,
    /// The numbers of stones that they may have.
    pub stones: StoneCounts,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl Plan {
    /// The largest number of positions.
    pub const MAX_POSITIONS: usize = 10_000_000;
}

/// Where positions come from; the [module](super) says how they are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// All legal positions.
    Uniform,
    /// Games of random moves.
    RandomGames,
    /// Games of best play with a mistake now and then.
    GamesWithErrors {
        /// The probability that a move is a mistake, 0 to 1.
        errors: f64,
    },
}

impl Source {
    /// The probability of a mistake if none is given.
    pub const DEFAULT_ERRORS: f64 = 0.1;
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Uniform => "uniform",
            Source::RandomGames => "random-games",
            Source::GamesWithErrors { .. } => "games-with-errors",
        })
    }
}

/// Why positions are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// More positions are wanted than a dataset may have.
    #[error("a dataset has at most {} positions, not {_0}", Plan::MAX_POSITIONS)]
    TooMany(usize),
    /// There are fewer positions than wanted, or games do not seem to have more.
    #[error(
        "there {} with {} up to symmetry: ask for at most {found}, not {wanted}, or for \
         other numbers of stones",
        are_only(*found),
        stones.with_noun()
    )]
    TooFew {
        /// The numbers of stones.
        stones: StoneCounts,
        /// The number of positions that were wanted.
        wanted: usize,
        /// The number of positions that there are.
        found: usize,
    },
    /// The games do not seem to have more positions.
    #[error(
        "such games seem to have only {} with {} up to symmetry, not {wanted}: ask for \
         fewer, or for other numbers of stones",
        counted(*found, "position"),
        stones.with_noun()
    )]
    TooFewInGames {
        /// The numbers of stones.
        stones: StoneCounts,
        /// The number of positions that were wanted.
        wanted: usize,
        /// The number of positions that were found.
        found: usize,
    },
    /// The control has stopped it.
    #[error("interrupted")]
    Stopped,
}

fn are_only(found: usize) -> String {
    let is = if found == 1 { "is" } else { "are" };
    format!("{is} only {}", counted(found, "position"))
}
