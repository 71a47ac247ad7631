//! The players: their proofs are exact, and they keep their time.

mod alphabeta;
mod analyzer;
mod awari_search;
mod leveled;
mod perfect;

use std::time::Duration;

use gothello::Position;
use gothello::player::{Choice, Limits, Player};

/// A choice with this much time.
fn choose(player: &mut dyn Player, position: &Position, time: Duration) -> Choice {
    let limits = Limits::within(time);
    player.choose(position, &limits)
}
