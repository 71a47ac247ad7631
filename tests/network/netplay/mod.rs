//! The client of the networked referee: what it reads, how it plays, and the
//! built program against the built referee.

mod awari;
mod client;
#[cfg(unix)]
pub mod engines;
mod matches;
mod observer;
mod player;
mod recording;
mod session;
