//! Whoever is asked for a move of Awari.

use super::{Limits, Sower, Sowing};
use crate::awari::Game;

/// Chooses moves of Awari.
pub trait Mover: Send {
    /// A legal move for the player to move in a game that is not over, within the
    /// limits.
    fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> Sowing;
}

impl Mover for Sower {
    fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> Sowing {
        Sower::choose(self, game, limits)
    }
}

/// Among how many moves a player of Awari divides the time that he has for all of
/// them, in this position of a game.
///
/// Few stones go round the board for long.
pub fn turns_to_come(game: &Game) -> u32 {
    let stones: u8 = game.pits().iter().sum();
    8 + u32::from(stones) / 2
}
