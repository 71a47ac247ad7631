//! One controller's session: the game, the clocks and the player.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::time::Clocks;
use crate::gothello::Game;
use crate::player::Player;

/// The state between two commands.
pub struct Session {
    pub(super) game: Game,
    pub(super) clocks: Clocks,
    pub(super) player: Box<dyn Player>,
    /// The longest thought about a move, whatever the clock allows.
    pub(super) move_time: Option<Duration>,
    /// Set to interrupt the command that runs.
    pub(super) stop: Arc<AtomicBool>,
    /// Set by `quit`.
    pub(super) quit: bool,
}

impl Session {
    /// A session at the start of a game, with the player who is asked by
    /// `genmove` and the longest time that he may take for a move, if one is
    /// given.
    pub fn new(player: Box<dyn Player>, move_time: Option<Duration>) -> Session {
        Session {
            game: Game::new(),
            clocks: Clocks::default(),
            player,
            move_time,
            stop: Arc::default(),
            quit: false,
        }
    }

    /// What interrupts the command that runs when it is set.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Whether `quit` was answered: nothing is to be asked any more.
    pub fn is_over(&self) -> bool {
        self.quit
    }
}
