//! Whoever is asked for a move.

use std::fmt;

use crate::awari::{Game, Pit};
use crate::player::Limits;

/// Whoever is asked for a move of Awari.
pub trait Mover: Send {
    /// A legal move for the player to move in a game that is not over, within
    /// the limits.
    fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> Chosen;
}

/// A move, and what is thought of it by whoever chose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// The pit to sow.
    pub pit: Pit,
    /// The player's stones less the opponent's at the end of the game: exact if
    /// [`Chosen::proven`], else an estimate.
    pub margin: f32,
    /// Whether the margin is that of best play by both sides.
    pub proven: bool,
    /// Plies to the horizon of the deepest search that was finished; 0 if the
    /// margin is no estimate of such a search.
    pub depth: u8,
    /// Positions searched.
    pub positions: u64,
}

/// Writes the choice for a log.
impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.proven { "proven" } else { "estimated" };
        write!(f, "{} {:+.2} {kind}", self.pit, self.margin)?;
        if self.depth > 0 {
            write!(f, ", depth {}", self.depth)?;
        }
        write!(f, ", {} positions", self.positions)
    }
}
