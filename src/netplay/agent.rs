//! Whoever chooses the moves of our side.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::netref::{Game, Side};

/// Chooses moves.
pub trait Agent<G: Game>: Send {
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
    pub side: Side,
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
    /// A move. Whether it is legal is looked at later.
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
    /// The engine cannot be started.
    #[error("cannot start the engine {program:?}: {why}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system says.
        why: io::Error,
    },
    /// The engine ended, or closed its input or output.
    #[error("the engine ended ({status}) without an answer to {command:?}")]
    Died {
        /// The command that it did not answer.
        command: String,
        /// How it ended.
        status: String,
    },
    /// The engine takes too long to begin.
    #[error("the engine did not answer {command:?} within {} s", .limit.as_secs())]
    Silent {
        /// The command that it did not answer.
        command: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The engine says something that is no answer in GTP.
    #[error("the engine answered {command:?} with {answer:?}: {expected}")]
    Garbled {
        /// The command.
        command: String,
        /// The beginning of the answer.
        answer: String,
        /// What would have been right.
        expected: &'static str,
    },
    /// The engine fails at what it must be able to do.
    #[error("the engine fails at {command:?}: {why}")]
    Failed {
        /// The command.
        command: String,
        /// Its error message.
        why: String,
    },
}
