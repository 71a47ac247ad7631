//! The decisions of the referee of matches, without a socket or a clock.

mod awari;
mod losses;
mod pictures;
mod referee;
mod refusals;
mod rounds;
mod spoken;
mod table;
mod waits;
mod wire;
