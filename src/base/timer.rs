//! The time that a search may take: only this module reads the clock for the solver and the
//! players.
//!
//! Nothing is read without a limit. The standard library has no clock on
//! `wasm32-unknown-unknown`: there, limits of time have no effect before [`set_clock`].

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A moment, by a clock that only goes forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

/// The clock where the standard library has none.
static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Sets the clock: the time since any fixed moment. Has an effect only once, and only where the standard
/// library has no clock (`wasm32-unknown-unknown`).
pub fn set_clock(clock: fn() -> Duration) {
    let _ = CLOCK.set(clock);
}

/// The moments that there are before the first one that is read.
const BEFORE: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the current time; `None` where there is no clock.
pub(crate) fn now() -> Option<Moment> {
    /// The fixed moment.
    static START: OnceLock<Instant> = OnceLock::new();
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    match has_clock {
        true => Some(Moment(BEFORE + START.get_or_init(Instant::now).elapsed())),
        false => CLOCK.get().map(|clock| Moment(clock())),
    }
}

impl Moment {
    /// Returns the time since another moment, zero if that is later.
    pub(crate) fn since(self, other: Moment) -> Duration {
        self.0.saturating_sub(other.0)
    }

    /// Returns the time since this moment.
    pub(crate) fn elapsed(self) -> Duration {
        now().map_or(Duration::ZERO, |now| now.since(self))
    }
}

/// Returns the time at which `time` from now has passed; `None` if it is beyond the range of the
/// clock.
pub(crate) fn deadline_in(time: Duration) -> Option<Moment> {
    now()?.0.checked_add(time).map(Moment)
}

/// Returns whether it is this late.
pub(crate) fn has_passed(deadline: Moment) -> bool {
    now().is_some_and(|now| now >= deadline)
}

/// The time that a search may take, if there is a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer(Option<(Moment, Duration)>);

impl Timer {
    /// Starts a timer.
    pub fn start(limit: Option<Duration>) -> Timer {
        Timer(limit.and_then(|limit| Some((now()?, limit))))
    }

    /// Returns a timer that was started this long ago.
    #[cfg(test)]
    pub fn started_ago(elapsed: Duration, limit: Duration) -> Timer {
        Timer(now().map(|Moment(now)| (Moment(now - elapsed), limit)))
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
    pub fn deadline(&self, time: Duration) -> Option<Moment> {
        let (Moment(started), _) = self.0?;
        started.checked_add(time).map(Moment)
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
