//! The client of Go contests as a state machine.

mod recordings;
mod session;
