//! A GTP engine as a child process: its commands and its answers, whatever the
//! game.
//!
//! Whoever plays with it says what it is to do; here are only the pipes, their
//! bounds, and what can go wrong.

mod answers;
mod error;
mod process;

pub use answers::Answer;
pub use error::EngineError;
pub use process::Process;
