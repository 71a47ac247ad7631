//! A GTP engine as a child process: its commands and its answers, whatever the
//! game.
//!
//! Whoever plays with it says what it is to do; here are only the pipes, their
//! bounds, and what can go wrong.

mod answers;
mod error;
#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
mod process;

pub use answers::Answer;
pub use error::EngineError;
pub use process::Process;
