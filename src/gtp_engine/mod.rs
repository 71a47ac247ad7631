//! A GTP engine as a child process, for any game: commands and responses, time limits, and
//! errors.

#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
#[cfg_attr(not(unix), path = "output_threads.rs")]
mod output;
mod process;
mod responses;

pub use process::{EngineError, Launch, Process};
pub use responses::EngineResponse;
