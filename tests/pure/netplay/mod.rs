//! The client of the referee of matches as a state machine: what it reads, and how it plays.

mod awari;
mod observer;
mod recording;
mod session;
