//! Whoever chooses the moves of our side.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::go::{Color, Game, Move, Size};
use crate::gtp_engine::EngineError;
use crate::typed::NoLine;

/// Chooses moves.
pub trait Agent: Send {
    /// Chooses a move for the player to move. Once `stop` is set the answer does
    /// not matter, and should come within a tenth of a second.
    ///
    /// Every call has the whole game: it can go on from where it was at the
    /// last call, or be another one.
    ///
    /// # Errors
    /// It cannot go on.
    fn choose(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Move, AgentError>;

    /// Nothing more will be asked.
    fn finish(&mut self) {}
}

/// A position in which our side is to move.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The number of the START that the game came with: after a break the same
    /// position comes again, with another number.
    pub start: u64,
    /// The game so far; our side is to move.
    pub game: Game,
    /// The moves that the server has refused in this position, in that order.
    pub refused: Vec<Move>,
    /// What is left on our clock.
    pub left: Duration,
}

impl Turn {
    /// Our side.
    pub fn color(&self) -> Color {
        self.game.turn()
    }

    /// What is asked; no two questions of a run have the same.
    pub(super) fn about(&self) -> About {
        About {
            start: self.start,
            moves: self.game.moves().len(),
            refused: self.refused.len(),
        }
    }
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct About {
    start: u64,
    moves: usize,
    refused: usize,
}

/// Why an agent cannot choose.
#[derive(Debug, Error)]
pub enum AgentError {
    /// Choosing was stopped.
    #[error("choosing a move was stopped")]
    Stopped,
    /// The person has gone.
    #[error("the input ended, and so the game was left")]
    Left,
    /// The engine does not know boards of this size.
    #[error("this engine cannot play on a board of {size}: it answers {command:?} with {why:?}")]
    Size {
        /// The size.
        size: Size,
        /// The command that it refuses.
        command: String,
        /// What it says.
        why: String,
    },
    /// The engine does not play.
    #[error(transparent)]
    Engine(EngineError),
}

impl From<EngineError> for AgentError {
    fn from(error: EngineError) -> AgentError {
        match error {
            EngineError::Stopped => AgentError::Stopped,
            error => AgentError::Engine(error),
        }
    }
}

impl From<NoLine> for AgentError {
    fn from(why: NoLine) -> AgentError {
        match why {
            NoLine::Stopped => AgentError::Stopped,
            NoLine::Ended => AgentError::Left,
        }
    }
}
