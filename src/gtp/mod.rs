//! The Go Text Protocol: `server` answers commands, `process` sends them to a program.

#[cfg(feature = "engine")]
pub mod process;
#[cfg(feature = "gtp")]
pub mod server;
