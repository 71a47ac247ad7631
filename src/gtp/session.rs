//! One controller's session: the game, the clocks, the player and the analyst.

use std::io::{Write, sink};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::live::Live;
use super::time::Clocks;
use crate::gothello::{Color, Game};
use crate::player::{Analyst, Choice, Player};

/// The state between two commands.
pub struct Session {
    pub(super) game: Game,
    pub(super) clocks: Clocks,
    pub(super) player: Box<dyn Player>,
    pub(super) analyst: Arc<dyn Analyst>,
    /// The last move that the player was asked for, and who was to make it.
    pub(super) last_choice: Option<(Color, Choice)>,
    /// Where is shown how a command goes.
    pub(super) live: Live,
    /// The longest thought about a move, whatever the clock allows.
    pub(super) move_time: Option<Duration>,
    /// Set to interrupt the command that runs.
    pub(super) stop: Arc<AtomicBool>,
    /// Set by `quit`.
    pub(super) quit: bool,
}

impl Session {
    /// A session at the start of a game, with the player who is asked by
    /// `genmove`, the analyst who is asked by analyze commands, and the longest
    /// time that the player may take for a move, if one is given.
    pub fn new(
        player: Box<dyn Player>,
        analyst: Arc<dyn Analyst>,
        move_time: Option<Duration>,
    ) -> Session {
        Session {
            game: Game::new(),
            clocks: Clocks::default(),
            player,
            analyst,
            last_choice: None,
            live: Live::new(Box::new(sink())),
            move_time,
            stop: Arc::default(),
            quit: false,
        }
    }

    /// The same session that shows how a long command goes: as lines for GoGui
    /// on `sink`, which is to be standard error. A command that cannot be shown
    /// is stopped, for nobody is there any more.
    pub fn with_live(self, sink: Box<dyn Write + Send>) -> Session {
        Session {
            live: Live::new(sink),
            ..self
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
