//! Conformance checks of programs: whether a client of the network referee keeps to its protocol.
//!
//! A check is a table of [`Step`]s. A scenario plays the other end of the protocol for the
//! program, leads it into the situations that the steps are about, and writes what it finds to a
//! [`Report`]. The program chooses its own moves, so a situation may never come up: then its step
//! is not reached, which is no failure.
//!
//! Nothing is sent that the protocol does not allow, and nothing is demanded that it does not
//! demand: a program that conforms passes.

pub mod netref;
mod report;
mod step;

pub use report::{Exchange, Failure, Outcome, Report};
pub use step::{Spec, Step};
