//! The time that a search may take: only this module reads the clock for the solver and the
//! players.
//!
//! Nothing is read without a limit, and where there is no clock (`wasm32-unknown-unknown`), limits
//! of time have no effect.

use std::time::{Duration, Instant};

/// Returns the current time; `None` where the clock of the standard library would panic.
fn now() -> Option<Instant> {
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    has_clock.then(Instant::now)
}

/// Returns the time at which `time` from now has passed; `None` if it is beyond the range of the
/// clock.
pub(crate) fn deadline_in(time: Duration) -> Option<Instant> {
    now()?.checked_add(time)
}

/// Returns whether it is this late.
pub(crate) fn has_passed(deadline: Instant) -> bool {
    now().is_some_and(|now| now >= deadline)
}

/// The time that a search may take, if there is a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer(Option<(Instant, Duration)>);

impl Timer {
    /// Starts a timer.
    pub fn start(limit: Option<Duration>) -> Timer {
        Timer(limit.and_then(|limit| Some((now()?, limit))))
    }

    /// Returns a timer that was started this long ago.
    #[cfg(test)]
    pub fn started_ago(elapsed: Duration, limit: Duration) -> Timer {
        Timer(Some((Instant::now() - elapsed, limit)))
    }

    /// Returns the time since the start; `None` without a limit.
    pub fn passed(&self) -> Option<Duration> {
        self.0.map(|(started, _)| started.elapsed())
    }

    /// Returns the time that is left; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.0
            .map(|(started, limit)| limit.saturating_sub(started.elapsed()))
    }

    /// Returns whether no time is left.
    pub fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// Returns when `time` has passed since the start; `None` without a limit, or beyond the range
    /// of the clock.
    pub fn deadline(&self, time: Duration) -> Option<Instant> {
        self.0?.0.checked_add(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_without_a_limit_has_no_start() {
        let timer = Timer::start(None);
        assert!(timer.0.is_none() && !timer.is_over());
        assert_eq!((timer.passed(), timer.left()), (None, None));
        assert_eq!(timer.deadline(Duration::ZERO), None);
    }

    #[test]
    fn a_timer_is_over_when_its_time_has_passed() {
        assert!(Timer::start(Some(Duration::ZERO)).is_over());
        let timer = Timer::start(Some(Duration::MAX));
        assert!(!timer.is_over());
        assert!(has_passed(timer.deadline(Duration::ZERO).unwrap()));
        assert_eq!(timer.deadline(Duration::MAX), None);
        assert!(!has_passed(deadline_in(Duration::from_secs(3600)).unwrap()));
    }
}
