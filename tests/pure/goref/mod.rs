//! The Go contest's contest: everything that is decided, without a socket or a clock.

mod breaks;
mod clocks;
mod configuration;
mod contest;
mod faults;
mod forfeits;
mod games;
mod journal;
mod organizer;
mod recordings;
mod seats;
mod test_contest;
