//! A GTP engine as a child process: commands and responses, time limits, and what can go
//! wrong, whatever the game.

mod answers;
#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
mod process;

pub use answers::Answer;
pub use process::{EngineError, Process};
