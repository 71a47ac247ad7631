//! What can go wrong with an engine.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// Why an engine does not answer as it should.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The answer is waited for no longer.
    #[error("the engine was stopped")]
    Stopped,
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
    /// The engine takes too long.
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
