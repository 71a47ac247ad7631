//! Which game is meant, where there are several.

use clap::ValueEnum;

/// A game of the family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum GameName {
    /// The game on 5x5 points
    #[default]
    Gothello,
    /// The game on twelve pits
    Awari,
}
