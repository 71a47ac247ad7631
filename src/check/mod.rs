//! Conformance checks of programs: whether a GTP engine, a client of the network referee, or one of
//! Go contests keeps to its protocol.
//!
//! A check is a table of [`Step`]s. A scenario plays the other end of the protocol for the
//! program, leads it into the situations that the steps are about, and writes what it finds to a
//! [`Report`]. The program chooses its own moves, so a situation may never come up: then its step
//! is not reached, which is no failure.
//!
//! Nothing is sent that the protocol does not allow, and nothing is demanded that it does not
//! demand: a program that conforms passes.

pub mod goref;
pub mod gtp;
pub mod netref;
mod report;
mod rules;
mod run;
mod situation;
mod step;
mod trouble;

use std::time::Duration;

pub use report::{Exchange, Failure, Outcome, Report};
pub(crate) use situation::Topic;
pub use step::{Spec, Step};

/// The probability below which a program is taken to know a rule: that random moves would have
/// avoided all points where it must not play.
const DOUBT: f64 = 0.05;

/// How long a program may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To start, connect, and send its first request.
    pub start: Duration,
    /// For a move.
    pub answer: Duration,
    /// To end.
    pub end: Duration,
    /// For the whole check; without limit if `None`.
    pub all: Option<Duration>,
}
