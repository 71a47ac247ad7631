//! The control of searches: limits, a stop flag, and progress reports.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::bounds::Bounds;
use crate::base::timer::{self, Moment};

/// Limits and observes a search. The default does neither.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::Position;
/// use gothello::solver::{Control, Solver};
///
/// let control = Control::default().within(Duration::from_millis(50));
/// let solver = Solver::builder().tablebase(None).build();
/// let proven = solver.solve_within(&Position::START, &control);
/// assert_eq!(proven.outcome(), None); // Without a tablebase, that takes longer.
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Control<'a> {
    /// Stops the search soon after it is set.
    pub stop: &'a AtomicBool,
    /// Stops the search soon after this time, if there is one. Only then is the clock read.
    pub deadline: Option<Moment>,
    /// Stops the search soon after these positions are searched, if there is a budget.
    pub budget: Option<&'a PositionBudget<'a>>,
    /// Called with the progress every few hundred microseconds, by one thread of each
    /// search.
    pub on_progress: &'a (dyn Fn(&Progress) + Sync),
}

/// A stop flag that is never set.
pub(crate) static NEVER_SET: AtomicBool = AtomicBool::new(false);

impl Control<'_> {
    /// Neither limits nor observes the search.
    pub const UNLIMITED: Control<'static> = Control::until(&NEVER_SET);
}

impl<'a> Control<'a> {
    /// Limits the search by a stop flag only.
    pub const fn until(stop: &'a AtomicBool) -> Control<'a> {
        Control {
            stop,
            deadline: None,
            budget: None,
            on_progress: &|_| (),
        }
    }

    /// Stops the search after `time` from now, unless it has an earlier deadline. Has no effect where
    /// there is no clock (`wasm32-unknown-unknown` before [`set_clock`](timer::set_clock)).
    #[must_use]
    pub fn within(self, time: Duration) -> Control<'a> {
        // A time beyond the range of the clock does not limit the search.
        let end = timer::deadline_in(time);
        Control {
            deadline: self.deadline.into_iter().chain(end).min(),
            ..self
        }
    }

    /// Stops the search when the budget is spent, in place of an earlier budget.
    #[must_use]
    pub fn spending(self, budget: &'a PositionBudget<'a>) -> Control<'a> {
        Control {
            budget: Some(budget),
            ..self
        }
    }

    /// Replaces the stop flag.
    #[must_use]
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Control<'a> {
        Control { stop, ..self }
    }

    /// Replaces the function that is called with the progress.
    #[must_use]
    pub fn reporting_to(self, on_progress: &'a (dyn Fn(&Progress) + Sync)) -> Control<'a> {
        Control {
            on_progress,
            ..self
        }
    }

    /// Returns whether a search has to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.budget.is_some_and(PositionBudget::is_spent)
            || self.deadline.is_some_and(timer::has_passed)
    }

    /// Records that positions have been searched.
    pub(crate) fn spend(&self, positions: u64) {
        if let Some(budget) = self.budget {
            budget.spend(positions);
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("stop", &self.stop)
            .field("deadline", &self.deadline)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

impl Default for Control<'_> {
    fn default() -> Self {
        Control::UNLIMITED
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The bounds proven so far, for the player to move.
    pub bounds: Bounds,
    /// The null window of the running search: it decides whether the value is at least
    /// this.
    pub beta: i8,
    /// The number of positions searched.
    pub positions: u64,
}

/// A limit on the number of positions that one or several searches search together.
///
/// Unlike a time it does not depend on the machine or its load: with one thread, the same
/// searches with the same budget give the same results. It is checked every 1024 positions,
/// and each search may go that much beyond it.
///
/// ```
/// use gothello::Position;
/// use gothello::solver::{Control, PositionBudget, Solver};
///
/// let budget = PositionBudget::new(100_000);
/// let solver = Solver::builder().memory_mib(1).threads(1).tablebase(None).build();
/// let control = Control::default().spending(&budget);
/// assert_eq!(solver.solve_within(&Position::START, &control).outcome(), None);
/// assert_eq!(budget.left(), 0);
/// assert!(solver.positions() < 102_000);
/// ```
#[derive(Debug)]
pub struct PositionBudget<'a> {
    positions: u64,
    spent: AtomicU64,
    /// The budget of which this one is a part.
    whole: Option<&'a PositionBudget<'a>>,
}

impl<'a> PositionBudget<'a> {
    /// Returns a budget of this many positions.
    pub const fn new(positions: u64) -> PositionBudget<'a> {
        PositionBudget {
            positions,
            spent: AtomicU64::new(0),
            whole: None,
        }
    }

    /// Returns a part of this budget. Spending it also spends this budget, and it is spent
    /// as soon as either is.
    pub const fn part(&'a self, positions: u64) -> PositionBudget<'a> {
        PositionBudget {
            whole: Some(self),
            ..PositionBudget::new(positions)
        }
    }

    /// Returns the number of positions with which the budget was created.
    pub const fn size(&self) -> u64 {
        self.positions
    }

    /// Returns the number of positions that may still be searched.
    pub fn left(&self) -> u64 {
        let spent = self.spent.load(Ordering::Relaxed);
        let left = self.positions.saturating_sub(spent);
        self.whole.map_or(left, |whole| whole.left().min(left))
    }

    /// Returns whether no position is left.
    pub fn is_spent(&self) -> bool {
        self.left() == 0
    }

    /// Returns the number of positions searched so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Records that positions have been searched.
    pub(crate) fn spend(&self, positions: u64) {
        self.spent.fetch_add(positions, Ordering::Relaxed);
        if let Some(whole) = self.whole {
            whole.spend(positions);
        }
    }
}
