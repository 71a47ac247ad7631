//! Programs as child processes: a GTP engine for any game, with commands and responses, time
//! limits, and errors; and a program that is not spoken to.

#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
#[cfg_attr(not(unix), path = "output_threads.rs")]
mod output;
mod process;
mod program;
mod responses;
mod tail;

pub use process::{EngineError, Launch, Process};
pub use program::Program;
pub use responses::EngineResponse;
