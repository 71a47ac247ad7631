//! Agents, which choose the moves of a client's side.
//!
//! An [`Agent`] receives a [`Turn`] and returns a [`Decision`]. There are three:
//! [`Engine`], a GTP engine in its own process; [`BuiltIn`], a player of this program; and
//! [`Human`], a person at a terminal. Engines and people can play every [`AgentGame`]; the
//! built-in players play Gothello and Awari. A [`Thinker`] runs an agent on its own thread,
//! so that its client can keep talking to the server.

mod built_in;
mod engine;
mod game;
mod human;
mod output;
mod thinker;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::base::color::Color;
use crate::base::counted::counted;
use crate::gtp::process::{EngineError, FailureResponse};

pub use built_in::BuiltIn;
pub use engine::Engine;
pub use game::{AgentGame, GtpSetup, NotAMove};
pub use human::Human;
pub(crate) use human::LineReader;
pub use output::{Display, Effect, Notes, View};
pub(crate) use output::{clock_text, note};
pub use thinker::{Answer, Question, Thinker};

/// Chooses moves for one side.
pub trait Agent<G: AgentGame>: Send {
    /// Decides for our side. Once `stop` is set, the decision no longer matters;
    /// the agent should then return within a tenth of a second.
    ///
    /// Every call passes the whole game. It may continue the game of the last call
    /// or be another one.
    ///
    /// # Errors
    /// The agent cannot decide, now or ever again.
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError>;

    /// Shuts the agent down. It is not called afterwards.
    fn finish(&mut self) {}
}

/// A position in which our side has to decide something.
#[derive(Clone, Debug)]
pub struct Turn<G: AgentGame> {
    /// How many times the server had started or resumed a game before this turn: a
    /// position that recurs after a lost connection is a new turn.
    pub start: u64,
    /// The kind of decision to make.
    pub task: Task,
    /// Our side.
    pub color: Color,
    /// The game so far.
    pub game: G,
    /// Our moves that the server has refused in this position, in order.
    pub refused: Vec<G::Move>,
    /// The time left on our clock; `None` without time control.
    pub left: Option<Duration>,
}

/// The shortest delay that is subtracted from a clock. Subtracting a shorter one would cost
/// a whole second if the server sends whole seconds.
const SMALL_DELAY: Duration = Duration::from_millis(250);

/// Returns the time left now on a clock that showed `left` at `then`.
fn left_now(left: Duration, then: Instant) -> Duration {
    let passed = then.elapsed();
    match passed < SMALL_DELAY {
        true => left,
        false => left.saturating_sub(passed),
    }
}

/// The kind of decision that a turn requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Our side is to move.
    Move,
    /// The opponent is to move and offers a draw.
    Answer,
}

/// The action that an agent chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<M> {
    /// Play this move.
    Move(M),
    /// Resign.
    Resign,
    /// Offer a draw, and decide about a move afterwards.
    OfferDraw,
    /// Accept the draw that is offered.
    AcceptDraw,
    /// Refuse the draw that is offered.
    RefuseDraw,
}

/// Why an agent does not decide.
#[derive(Debug, Error)]
pub enum AgentError {
    /// The question was withdrawn.
    #[error("choosing a move was stopped")]
    Stopped,
    /// The input of the person at the terminal ended.
    #[error("the input ended before the game was over")]
    InputEnded,
    /// The agent chose an illegal move.
    #[error("the move {mv} is illegal ({why})")]
    Illegal {
        /// The move.
        mv: String,
        /// Why it is illegal.
        why: String,
    },
    /// The engine found no legal move, and the game has no pass to fall back on.
    #[error("the engine found no legal move in {}", counted(*attempts, "attempt"))]
    NoLegalMove {
        /// The number of attempts.
        attempts: usize,
    },
    /// The engine does not support the size of the board.
    #[error(
        "this engine cannot play on a board of {size}: it answers {command:?} with {why:?}",
        why = .why.0
    )]
    Size {
        /// The size, such as `5x5`.
        size: String,
        /// The command that it refuses.
        command: String,
        /// The engine's error message.
        why: FailureResponse,
    },
    /// The engine failed.
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
