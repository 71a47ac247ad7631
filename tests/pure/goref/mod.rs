//! The Go contest's hall: everything that is decided, without a socket or a clock.

mod breaks;
mod clocks;
mod contest;
mod faults;
mod journal;
mod organiser;
mod recordings;
mod scene;
mod scenes;
