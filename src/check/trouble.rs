//! Why a step is not passed.

use super::run::Run;
use super::{Exchange, Failure, Step};

/// Why a step has not been passed.
#[derive(Debug)]
pub(super) enum Trouble<S> {
    /// The program has done something wrong.
    Failed(Fault<S>),
    /// The situation has not come up, for this reason.
    NotReached(String),
}

/// What a program has done wrong.
#[derive(Debug)]
pub(super) struct Fault<S> {
    /// The steps that it fails; that which is checked if there are none.
    pub steps: Vec<S>,
    /// What happened, as a sentence without a period.
    pub found: String,
    /// Whether a time limit has passed.
    pub was_silent: bool,
}

impl<S: Step> Trouble<S> {
    /// Returns the failure of the step that is checked.
    pub fn failed(found: impl Into<String>) -> Trouble<S> {
        Trouble::at(&[], found)
    }

    /// Returns the failure of these steps.
    pub fn at(steps: &[S], found: impl Into<String>) -> Trouble<S> {
        Trouble::Failed(Fault {
            steps: steps.to_vec(),
            found: found.into(),
            was_silent: false,
        })
    }

    /// Returns the failure of a program that has not answered in time.
    pub fn silent(steps: &[S], found: String) -> Trouble<S> {
        Trouble::Failed(Fault {
            steps: steps.to_vec(),
            found,
            was_silent: true,
        })
    }
}

impl<S: Step> Fault<S> {
    /// Notes the fault, which was found when the program was checked for a step.
    pub fn note(self, run: &mut Run<S>, step: S, exchange: &Exchange, errors: Vec<String>) {
        if self.was_silent {
            run.note_silence();
        }
        let report = &mut run.report;
        let failure = Failure {
            found: self.found,
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
            report.not_reached(step, &why);
        }
    }
}
