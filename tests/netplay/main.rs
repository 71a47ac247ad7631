//! The client of the networked referee: what it reads, how it plays, and the
//! built program against the built referee.

mod awari;
#[cfg(unix)]
mod engines;
mod matches;
mod netplay;
mod observer;
mod player;
#[cfg(target_os = "linux")]
#[path = "../processes/mod.rs"]
mod processes;
mod recording;
#[allow(dead_code, reason = "the tests of the referee use all of it")]
#[path = "../netref/referee.rs"]
mod referee;
mod session;
mod wire;
