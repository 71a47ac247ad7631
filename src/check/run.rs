//! The course of a check: what it has found so far, and whether it goes on.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{Report, Step};

/// The number of times that a program may be silent before the check ends.
const MAX_SILENCES: u32 = 3;

/// A check that is being made.
#[derive(Debug)]
pub(super) struct Run<S> {
    /// What was found.
    pub report: Report<S>,
    selected: BTreeSet<S>,
    begin: Instant,
    limit: Option<Duration>,
    silences: u32,
}

impl<S: Step> Run<S> {
    /// Starts a check of the steps for which `is_possible` is true: of those in `only`, or of all
    /// if it is empty. Without a limit, it may take any time.
    pub fn new(only: &[S], is_possible: impl Fn(S) -> bool, limit: Option<Duration>) -> Run<S> {
        let steps = if only.is_empty() {
            S::all()
        } else {
            only.to_vec()
        };
        let selected = steps.into_iter().filter(|&step| is_possible(step));
        Run {
            report: Report::new(),
            selected: selected.collect(),
            begin: Instant::now(),
            limit,
            silences: 0,
        }
    }

    /// Returns whether the program is checked for a step.
    pub fn is_selected(&self, step: S) -> bool {
        self.selected.contains(&step)
    }

    /// Notes that the program has not answered in time.
    pub fn note_silence(&mut self) {
        self.silences += 1;
    }

    /// Returns whether the check ends because the program was silent too often.
    pub fn is_too_silent(&self) -> bool {
        self.silences >= MAX_SILENCES
    }

    /// Returns whether the check ends although steps are left.
    pub fn ends_early(&self) -> bool {
        let is_late = |limit| self.begin.elapsed() > limit;
        self.is_too_silent() || self.limit.is_some_and(is_late)
    }

    /// Returns what was found of the selected steps, and the failures at others.
    pub fn finish(mut self) -> Report<S> {
        let selected = self.selected;
        let keep = |step, has_failed| has_failed || selected.contains(&step);
        self.report.retain(keep);
        self.report
    }
}
