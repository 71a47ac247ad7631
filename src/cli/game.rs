//! Which game is meant, where there are several.

use anyhow::Result;
use clap::ValueEnum;

use super::wrong_usage;
use crate::netref::Game;

/// A game of the family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum GameName {
    /// The game on 5x5 points
    #[default]
    Gothello,
    /// The game on twelve pits
    Awari,
}

/// Checks that a game has a server of this number.
pub(super) fn check_server_number<G: Game>(number: u16) -> Result<()> {
    let (game, most) = (G::NAME, G::MAX_SERVER);
    match number <= most {
        true => Ok(()),
        false => Err(wrong_usage(format!(
            "{game} has no server number {number}: give 0 to {most}"
        ))),
    }
}
