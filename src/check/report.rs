//! The report of a check.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Step;
use crate::contests::exchange;

/// The number of lines of an exchange that are kept.
const MAX_LINES: usize = 12;

/// The number of lines of a program's standard error that are kept.
const MAX_ERRORS: usize = 5;

/// The maximum number of characters of a line that are kept.
const MAX_WIDTH: usize = 240;

/// The number of characters at the end of a longer line that are kept: START ends with the color.
const END_WIDTH: usize = 60;

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program has passed every time.
    Passed,
    /// The program has failed at least once: this is the first failure.
    Failed(Failure),
    /// The situation has not come up.
    NotReached(NotReached),
}

/// Why a step was not reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotReached {
    /// The reason, as a sentence without a period.
    pub why: String,
    /// Whether the check is incomplete without the step. It is not if the step does not apply to
    /// the program, or depends on moves that it has not made.
    pub required: bool,
}

impl NotReached {
    /// Returns why a step was not reached without which the check is complete.
    pub(super) fn skipped(why: impl Into<String>) -> NotReached {
        let why = why.into();
        let required = false;
        NotReached { why, required }
    }

    /// Returns why a step was not reached without which the check is incomplete.
    pub(super) fn missed(why: impl Into<String>) -> NotReached {
        let required = true;
        NotReached {
            required,
            ..NotReached::skipped(why)
        }
    }
}

/// A failure of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What happened, as a sentence without a period.
    pub found: String,
    /// The board before a wrong move, line by line; empty for other failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub board: Vec<String>,
    /// The last lines that were sent and received, `> ` before those sent to the program and
    /// `< ` before its own.
    pub exchange: Vec<String>,
    /// The last lines that the program has written on standard error.
    pub errors: Vec<String>,
}

/// The outcomes of the steps of a check.
#[derive(Clone, Debug)]
pub struct Report<S> {
    outcomes: BTreeMap<S, Outcome>,
    notices: Vec<String>,
}

impl<S: Step> Report<S> {
    /// Notes that the program has passed a step. An earlier failure stays.
    pub fn pass(&mut self, step: S) {
        if !self.has_failed(step) {
            self.outcomes.insert(step, Outcome::Passed);
        }
    }

    /// Notes a failure. The first one at each step is kept.
    pub fn fail(&mut self, step: S, failure: Failure) {
        if !self.has_failed(step) {
            self.outcomes.insert(step, Outcome::Failed(failure));
        }
    }

    /// Notes why a step was not reached, unless it was.
    pub fn not_reached(&mut self, step: S, reason: NotReached) {
        let outcome = || Outcome::NotReached(reason);
        self.outcomes.entry(step).or_insert_with(outcome);
    }

    /// Notes what the program may do, but is rarely meant to, as a sentence without a period.
    pub fn notice(&mut self, notice: String) {
        self.notices.push(notice);
    }

    /// Returns what the program may do, but is rarely meant to.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Forgets that the program has passed a step. A failure stays.
    pub fn withdraw(&mut self, step: S) {
        if self.has_passed(step) {
            self.outcomes.remove(&step);
        }
    }

    /// Returns whether the program has passed a step, and never failed at it.
    pub fn has_passed(&self, step: S) -> bool {
        matches!(self.outcomes.get(&step), Some(Outcome::Passed))
    }

    /// Returns whether the program has failed at a step.
    pub fn has_failed(&self, step: S) -> bool {
        matches!(self.outcomes.get(&step), Some(Outcome::Failed(_)))
    }

    /// Keeps the outcomes of these steps, and the failures at others.
    pub fn retain(&mut self, steps: &BTreeSet<S>) {
        self.outcomes
            .retain(|step, outcome| matches!(outcome, Outcome::Failed(_)) || steps.contains(step));
    }

    /// Returns the number of steps at which the program has failed.
    pub fn failures(&self) -> usize {
        let steps = self.outcomes.keys();
        steps.filter(|&&step| self.has_failed(step)).count()
    }

    /// Returns the steps that have an outcome, in their order.
    pub fn outcomes(&self) -> impl Iterator<Item = (S, &Outcome)> {
        self.outcomes.iter().map(|(&step, outcome)| (step, outcome))
    }
}

/// Returns a report without outcomes.
impl<S> Default for Report<S> {
    fn default() -> Report<S> {
        Report {
            outcomes: BTreeMap::new(),
            notices: Vec::new(),
        }
    }
}

/// Returns the last lines of a program's standard error, with spaces in place of tabs, as in Java's
/// stack traces.
pub fn last_errors(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(MAX_ERRORS);
    let lines = lines.iter().skip(first);
    lines
        .map(|line| printable(&line.replace('\t', "    ")))
        .collect()
}

/// Returns a line without control characters. In the middle of a long one, characters are left out.
fn printable(line: &str) -> String {
    let length = line.chars().count();
    let line = match length > MAX_WIDTH {
        true => {
            let start = line.chars().take(MAX_WIDTH - END_WIDTH);
            let end = line.chars().skip(length - END_WIDTH);
            start.chain(" ... ".chars()).chain(end).collect()
        }
        false => line.to_owned(),
    };
    line.replace(char::is_control, "\u{fffd}")
}

/// The last lines that were sent to a program and received from it.
pub type Exchange = exchange::Exchange<String, MAX_LINES>;

impl Exchange {
    /// Notes a line that was sent to the program.
    pub fn sent(&mut self, line: &str) {
        self.push(format!("> {}", printable(line)));
    }

    /// Notes a line of the program.
    pub fn received(&mut self, line: &str) {
        self.push(format!("< {}", printable(line)));
    }

    /// Notes a line of the program that may come very often, unless it equals the last one.
    pub fn received_again(&mut self, line: &str) {
        let last = self.entries().next_back();
        if last.and_then(|last| last.strip_prefix("< ")) != Some(&*printable(line)) {
            self.received(line);
        }
    }

    /// Returns the lines.
    pub fn lines(&self) -> Vec<String> {
        self.entries().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_trace_of_java_is_shown_with_spaces() {
        let text = "Exception in thread \"main\"\n\tat Bot.play(Bot.java:24)\n\u{7}\n";
        let shown = [
            "Exception in thread \"main\"",
            "    at Bot.play(Bot.java:24)",
            "\u{fffd}",
        ];
        assert_eq!(last_errors(text), shown);
    }

    #[test]
    fn a_long_line_keeps_its_end() {
        let mut exchange = Exchange::default();
        let board = "empty,".repeat(361);
        exchange.sent(&format!("START {board} \"color\":\"B\""));
        let lines = exchange.lines();
        let line = lines.first().unwrap();
        assert!(line.starts_with("> START empty,"), "{line}");
        assert!(line.ends_with("empty, \"color\":\"B\""), "{line}");
        assert_eq!(line.chars().count(), MAX_WIDTH + "> ".len() + " ... ".len());
    }

    #[test]
    fn frequent_messages_do_not_displace_the_rest_of_an_exchange() {
        let mut exchange = Exchange::default();
        exchange.sent("(ping)");
        for _ in 0..2 * MAX_LINES {
            exchange.received_again("(pong)");
        }
        exchange.received("a move");
        exchange.received_again("(pong)");
        assert_eq!(
            exchange.lines(),
            ["> (ping)", "< (pong)", "< a move", "< (pong)"]
        );
    }
}
