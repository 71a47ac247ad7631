//! Which game is meant, where there are several.

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

/// Ends the program if a game has no server of this number.
pub(super) fn check_server_number<G: Game>(subcommand: &str, number: u16) {
    if number > G::MAX_SERVER {
        let (game, most) = (G::NAME, G::MAX_SERVER);
        let what = format!("server number {number}: 0 to {most} is expected for {game}");
        wrong_usage(subcommand, what);
    }
}
