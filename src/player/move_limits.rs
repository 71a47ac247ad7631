//! The limits of the search for a move besides the clock.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{DEFAULT_MOVE_TIME, Limits};
use crate::solving::solver::PositionBudget;

/// The limits of the search for each move, whatever the clock allows. Without any, and without a
/// clock, a search takes [`DEFAULT_MOVE_TIME`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// The longest time.
    pub time: Option<Duration>,
    /// The maximum number of positions. With only this limit, the moves do not depend on the machine or its load.
    pub positions: Option<u64>,
}

impl MoveLimits {
    /// Returns limits that allow this much time.
    pub const fn within(time: Duration) -> MoveLimits {
        MoveLimits {
            time: Some(time),
            positions: None,
        }
    }

    /// Runs the search for a move, for which a clock allows `share` if there is one.
    pub fn search<T>(
        self,
        share: Option<Duration>,
        stop: &AtomicBool,
        search: impl FnOnce(&Limits<'_>) -> T,
    ) -> T {
        let budget = self.positions.map(PositionBudget::new);
        search(&Limits {
            time: self.time(share),
            budget: budget.as_ref(),
            stop,
            ..Limits::default()
        })
    }

    /// Returns the time for a move, for which a clock allows `share` if there is one.
    fn time(self, share: Option<Duration>) -> Option<Duration> {
        let default = self.positions.is_none().then_some(DEFAULT_MOVE_TIME);
        share.into_iter().chain(self.time).min().or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_counts_and_positions_take_the_place_of_the_default() {
        const SHORT: Option<Duration> = Some(Duration::from_secs(2));
        const LONG: Option<Duration> = Some(Duration::from_secs(3));
        for (time, share, positions, given) in [
            (None, None, None, Some(DEFAULT_MOVE_TIME)),
            (LONG, None, None, LONG),
            (None, LONG, None, LONG),
            (SHORT, LONG, None, SHORT),
            (LONG, SHORT, None, SHORT),
            (None, None, Some(7), None),
            (LONG, None, Some(7), LONG),
            (None, LONG, Some(7), LONG),
            (LONG, SHORT, Some(7), SHORT),
        ] {
            let limits = MoveLimits { time, positions };
            limits.search(share, &AtomicBool::new(false), |limits| {
                assert_eq!(limits.time, given, "{time:?}, {share:?}, {positions:?}");
                assert_eq!(limits.budget.map(PositionBudget::left), positions);
            });
        }
    }
}
