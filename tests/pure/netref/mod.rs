//! The decisions of the referee of matches, without a socket or a clock.

mod awari;
mod clocks;
mod endings;
mod losses;
mod openings;
mod pictures;
mod referee;
mod refusals;
mod restored;
mod rounds;
mod spoken;
mod table;
mod tables;
mod test_table;
mod waits;
mod wire;
