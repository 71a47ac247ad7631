//! One controller's session: the game, the clocks, and what is going on.

use std::io::{Write, sink};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::game::Played;
use super::live::Live;
use super::time::Clocks;

/// The state between two commands.
pub struct Session<G> {
    pub(super) played: G,
    pub(super) clocks: Clocks,
    /// Where is shown how a command goes.
    pub(super) live: Live,
    /// The longest thought about a move, whatever the clock allows.
    pub(super) move_time: Option<Duration>,
    /// Set to interrupt the command that runs.
    pub(super) stop: Arc<AtomicBool>,
    /// Set by `quit`.
    pub(super) quit: bool,
}

impl<G: Played> Session<G> {
    /// A session with a game, and the longest time that may be taken for a
    /// move, if one is given.
    pub fn of(played: G, move_time: Option<Duration>) -> Session<G> {
        Session {
            played,
            clocks: Clocks::default(),
            live: Live::new(Box::new(sink())),
            move_time,
            stop: Arc::default(),
            quit: false,
        }
    }

    /// The same session that shows how a long command goes: as lines for GoGui
    /// on `sink`, which is to be standard error. A command that cannot be shown
    /// is stopped, for nobody is there any more.
    pub fn with_live(self, sink: Box<dyn Write + Send>) -> Session<G> {
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
