//! The client of Go contests: its state machine, the built program with scripted servers, and two
//! clients at the built referee.

#[cfg(unix)]
mod engines;
#[cfg(unix)]
mod gnugo;
mod human;
mod messages;
mod program;
mod recordings;
mod server;
mod session;
