//! Conformance checks of programs: whether a GTP engine, a client of the network referee, or one of
//! Go contests keeps to its protocol.
//!
//! A check is a table of [`Step`]s. A scenario plays the other end of the protocol, leads the
//! program into the situations of the steps, and writes its findings to a [`Report`]. The program
//! chooses its own moves, so a situation may never come up: then its step is not reached, which is
//! not a failure.
//!
//! Scenarios send and demand only what the protocol allows and demands: a conforming program
//! passes.

mod checked;
pub mod goref;
mod gothello;
pub mod gtp;
pub mod netref;
mod report;
mod step;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub(crate) use gothello::Topic;
use report::Exchange;
pub use report::{Failure, NotReached, Outcome, Report};
pub use step::{Rule, Spec, Step};

/// A program counts as knowing a rule if random moves would have avoided all forbidden points with
/// less than this probability.
const DOUBT: f64 = 0.05;

/// Why a step is not reached for which there was no time.
const TIME_OVER: &str = "the time for the check was over";

/// The number of times that a program may be silent before the check ends.
const MAX_SILENCES: u32 = 3;

/// Called before each game or step, with its description and the findings so far.
pub type Progress<'a, S> = dyn FnMut(String, Report<S>) + 'a;

/// The time limits of a program.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To start, connect, and send its first request; and for a move.
    pub answer: Duration,
    /// To end.
    pub end: Duration,
    /// For the whole check; without limit if `None`.
    pub all: Option<Duration>,
}

/// The settings of every check.
#[derive(Clone, Debug)]
pub struct CheckSettings<S> {
    /// The command of the program, which may have placeholders.
    pub command: Vec<String>,
    /// The steps; all if it is empty.
    pub only: Vec<S>,
    /// The seed of the random choices of the check.
    pub seed: u64,
    /// The time limits.
    pub limits: Limits,
    /// Whether the check ends at the first failure.
    pub fail_fast: bool,
}

/// A running check.
#[derive(Debug)]
struct Run<S> {
    /// The findings.
    report: Report<S>,
    selected: BTreeSet<S>,
    /// When the time for the check is over.
    end: Option<Instant>,
    fail_fast: bool,
    silences: u32,
}

impl<S: Step> Run<S> {
    /// Starts a check of the selected steps that satisfy `is_possible`.
    fn new(settings: &CheckSettings<S>, is_possible: impl Fn(S) -> bool) -> Run<S> {
        let steps = if settings.only.is_empty() {
            S::all()
        } else {
            settings.only.clone()
        };
        let selected = steps.into_iter().filter(|&step| is_possible(step));
        let limit = settings.limits.all;
        Run {
            report: Report::default(),
            selected: selected.collect(),
            end: limit.and_then(|limit| Instant::now().checked_add(limit)),
            fail_fast: settings.fail_fast,
            silences: 0,
        }
    }

    /// Returns whether the program is checked for a step.
    fn is_selected(&self, step: S) -> bool {
        self.selected.contains(&step)
    }

    /// Notes that the program has not answered in time.
    fn note_silence(&mut self) {
        self.silences += 1;
    }

    /// Returns why the check ends although steps are left, for a report; `None` if it does not.
    fn early_end(&self) -> Option<&'static str> {
        if self.fail_fast && self.report.failures() > 0 {
            Some("the check ended at the first failure")
        } else if self.silences >= MAX_SILENCES {
            Some("the program was silent too often")
        } else if has_passed(self.end) {
            Some(TIME_OVER)
        } else {
            None
        }
    }

    /// Returns the findings so far, for a check that is stopped here.
    fn known(&self) -> Report<S> {
        self.findings("the check was stopped before")
    }

    /// Returns the findings for the selected steps, and the failures at others. This is why a
    /// selected step without an outcome was not reached.
    fn findings(&self, why: &str) -> Report<S> {
        let mut report = self.report.clone();
        for &step in &self.selected {
            report.not_reached(step, NotReached::missed(why));
        }
        report.retain(&self.selected);
        report
    }
}

/// Returns how much time is left for a check that ends then, if it ends.
fn time_left(end: Option<Instant>) -> Duration {
    end.map_or(Duration::MAX, |end| {
        end.saturating_duration_since(Instant::now())
    })
}

/// Returns whether a check that ends then, if it ends, has no time left.
fn has_passed(end: Option<Instant>) -> bool {
    time_left(end).is_zero()
}

/// Why a step has not been passed.
#[derive(Debug)]
enum Trouble<S> {
    /// The program has done something wrong.
    Failed(Fault<S>),
    /// The situation has not come up.
    NotReached(NotReached),
}

/// A failure of a program.
#[derive(Debug)]
struct Fault<S> {
    /// The steps that it fails; the current step if there are none.
    steps: Vec<S>,
    /// What happened, as a sentence without a period.
    found: String,
    /// The board before a wrong move, line by line; empty for other failures.
    board: Vec<String>,
    /// Whether a time limit has passed.
    was_silent: bool,
}

impl<S: Step> Trouble<S> {
    /// Returns why a step that depends on the program's choices, or does not apply to it, has not
    /// been reached.
    fn skipped(why: impl Into<String>) -> Trouble<S> {
        Trouble::NotReached(NotReached::skipped(why))
    }

    /// Returns why a step without which the check is incomplete has not been reached.
    fn missed(why: impl Into<String>) -> Trouble<S> {
        Trouble::NotReached(NotReached::missed(why))
    }

    /// Returns the failure of the current step.
    fn failed(found: impl Into<String>) -> Trouble<S> {
        Trouble::at(&[], found)
    }

    /// Returns the failure of these steps.
    fn at(steps: &[S], found: impl Into<String>) -> Trouble<S> {
        Trouble::on_board(steps, found.into(), Vec::new())
    }

    /// Returns the failure of these steps by a wrong move on this board.
    fn on_board(steps: &[S], found: String, board: Vec<String>) -> Trouble<S> {
        Trouble::Failed(Fault {
            steps: steps.to_vec(),
            found,
            board,
            was_silent: false,
        })
    }

    /// Returns the failure of a program that has not answered in time.
    fn silent(steps: &[S], found: String) -> Trouble<S> {
        Trouble::Failed(Fault {
            steps: steps.to_vec(),
            found,
            board: Vec::new(),
            was_silent: true,
        })
    }
}

impl<S: Step> Fault<S> {
    /// Notes the fault, which was found during a step.
    fn note(self, run: &mut Run<S>, step: S, exchange: &Exchange, errors: Vec<String>) {
        if self.was_silent {
            run.note_silence();
        }
        let report = &mut run.report;
        let failure = Failure {
            found: self.found,
            board: self.board,
            errors,
            exchange: exchange.lines(),
        };
        let failed = match self.steps.is_empty() {
            true => vec![step],
            false => self.steps,
        };
        for &step in &failed {
            report.fail(step, failure.clone());
        }
        if let Some(first) = failed.first()
            && !failed.contains(&step)
        {
            let why = format!("the program failed at {} before", first.spec().name);
            report.not_reached(step, NotReached::skipped(why));
        }
    }
}
