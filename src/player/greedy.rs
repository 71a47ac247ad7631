//! A player of Awari who looks one move ahead.

use super::Limits;
use crate::awari::{Game, Pit, Player};

/// Captures as many stones as he can with his next move. He takes no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Greedy;

impl Greedy {
    /// The move after which he leads by most, and by how much; of several the
    /// first in the order of sowing.
    pub fn choose(self, game: &Game, _: &Limits<'_>) -> (Pit, i8) {
        let player = game.to_move();
        let mut best = None;
        for pit in game.legal_moves() {
            let lead = lead_after(game, player, pit);
            if best.is_none_or(|(_, most)| lead > most) {
                best = Some((pit, lead));
            }
        }
        // Only a game that is over has no move, and in that any pit will do.
        best.unwrap_or((Pit::of(player)[0], 0))
    }
}

/// By how many stones he leads after a move.
fn lead_after(game: &Game, player: Player, pit: Pit) -> i8 {
    let mut after = game.clone();
    // The move is a legal one.
    let _ = after.play(player, pit);
    let scores = after.scores();
    // Nobody has more than 48.
    scores.of(player) as i8 - scores.of(player.opponent()) as i8
}
