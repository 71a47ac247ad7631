//! The referee of matches: everything that is decided, without a socket or a clock.

mod awari;
mod pictures;
mod spoken;
mod table;
mod waits;
mod wire;
