//! Whoever chooses the moves of our side.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::color::Color;
use crate::gtp_engine::EngineError;
use crate::netref::NetrefGame;
use crate::typed::NoLine;

/// Chooses moves.
pub trait Agent<G: NetrefGame>: Send {
    /// Decides for our side. Once `stop` is set the answer does not
    /// matter, and should come within a tenth of a second.
    ///
    /// Every call has the whole game: it can go on from where it was at the
    /// last call, or be another one.
    ///
    /// # Errors
    /// It cannot go on.
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError>;

    /// Nothing more will be asked.
    fn finish(&mut self) {}
}

/// A position in which something is to be decided.
#[derive(Clone, Debug)]
pub struct Turn<G> {
    /// What is to be decided.
    pub task: Task,
    /// Whether the referee has not taken a move of our side in this turn: who
    /// chooses without regard to that would choose it again.
    pub refused: bool,
    /// Our side.
    pub side: Color,
    /// The game so far.
    pub game: G,
    /// What is left on our clock, by the referee's last word; `None` without
    /// time controls.
    pub left: Option<Duration>,
}

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Our side is to move.
    Move,
    /// The other side is to move, and offers a draw.
    Answer,
}

/// What an agent wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<M> {
    /// A move; one that is illegal is [`AgentError::Illegal`] in the end.
    Move(M),
    /// Give the match up.
    Resign,
    /// Offer a draw, and decide about a move afterwards.
    OfferDraw,
    /// Accept the draw.
    AcceptDraw,
    /// Do not accept the draw.
    RefuseDraw,
}

/// Why an agent cannot choose.
#[derive(Debug, Error)]
pub enum AgentError {
    /// Choosing was stopped.
    #[error("choosing a move was stopped")]
    Stopped,
    /// The person has gone.
    #[error("the input ended, and so the match was left")]
    Left,
    /// What was chosen is no legal move.
    #[error("the move {mv} is illegal ({why}), and so the match was resigned")]
    Illegal {
        /// The move.
        mv: String,
        /// Why.
        why: String,
    },
    /// The referee did not take the engine's move, and another one is not to be had.
    #[error("the referee did not take the engine's move, and so the match was resigned")]
    NotTaken,
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
