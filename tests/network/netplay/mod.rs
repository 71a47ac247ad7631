//! The client of the networked referee: the built program against scripted servers and the built
//! referee.

mod awari;
mod client;
#[cfg(unix)]
pub mod engines;
mod matches;
mod player;
