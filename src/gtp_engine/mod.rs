//! A GTP engine as a child process, for any game: commands and responses, time limits, and
//! errors.

#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
mod process;
mod responses;

pub use process::{EngineError, Process};
pub use responses::EngineResponse;
