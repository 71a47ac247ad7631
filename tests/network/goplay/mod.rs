//! The client of Go contests: the built program with scripted servers, and two clients at the built
//! referee.

#[cfg(unix)]
mod engines;
#[cfg(unix)]
mod gnugo;
mod human;
mod program;
mod server;
