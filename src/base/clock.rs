//! A game clock, as a pure function of time.
//!
//! Each call gets the current time as a [`Duration`] since a fixed moment, which is the same
//! for all calls. Nothing here reads the system's clock. So a test plays a whole match
//! without waiting, and a resumed match continues with the time that was left.

use std::time::Duration;

/// The longest time that a clock holds, about 31 years, so that sums of times do not
/// overflow.
const MAX_TIME: Duration = Duration::from_secs(1_000_000_000);

/// A player's clock, which counts down while it runs.
///
/// ```
/// use std::time::Duration;
/// use gothello::clock::Clock;
///
/// let second = Duration::from_secs(1);
/// let mut clock = Clock::new(10 * second);
/// clock.start(100 * second);
/// assert_eq!(clock.remaining(104 * second), 6 * second);
/// assert_eq!(clock.flag_deadline(), Some(110 * second));
/// clock.stop(104 * second);
/// assert_eq!(clock.remaining(999 * second), 6 * second);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The remaining time when the clock was last started or stopped.
    left: Duration,
    /// When the clock was started; `None` if it is stopped.
    since: Option<Duration>,
}

impl Clock {
    /// Creates a stopped clock with this remaining time, about 31 years at most.
    pub fn new(time: Duration) -> Clock {
        Clock {
            left: time.min(MAX_TIME),
            since: None,
        }
    }

    /// Starts the clock. Has no effect if it runs.
    pub fn start(&mut self, now: Duration) {
        self.since.get_or_insert(now);
    }

    /// Stops the clock. Has no effect if it is stopped.
    pub fn stop(&mut self, now: Duration) {
        self.left = self.remaining(now);
        self.since = None;
    }

    /// Stops the clock as if it had not been started. Has no effect if it is stopped.
    pub fn cancel(&mut self) {
        self.since = None;
    }

    /// Returns the remaining time, zero when the flag has fallen. No time has passed if `now`
    /// is before the start.
    pub fn remaining(&self, now: Duration) -> Duration {
        let passed = match self.since {
            Some(since) => now.saturating_sub(since),
            None => Duration::ZERO,
        };
        self.left.saturating_sub(passed)
    }

    /// Returns the time at which the flag falls unless the clock is stopped before; `None` if
    /// it is stopped, or if that time is too large for a [`Duration`].
    pub fn flag_deadline(&self) -> Option<Duration> {
        self.since?.checked_add(self.left)
    }

    /// Returns whether the flag has fallen: no time is left.
    pub fn has_fallen(&self, now: Duration) -> bool {
        self.remaining(now).is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any instant, even at the end of time.
    fn any_instant() -> impl Strategy<Value = Duration> {
        prop_oneof![
            3 => (0..100_000_u64).prop_map(Duration::from_millis),
            1 => Just(Duration::MAX),
        ]
    }

    #[test]
    fn the_flag_falls_at_its_deadline_and_not_a_millisecond_before() {
        let millisecond = Duration::from_millis(1);
        let mut clock = Clock::new(60 * millisecond);
        clock.start(100 * millisecond);
        assert!(!clock.has_fallen(159 * millisecond));
        assert!(clock.has_fallen(160 * millisecond));
        assert_eq!(clock.flag_deadline(), Some(160 * millisecond));
    }

    #[test]
    fn a_second_that_has_begun_does_not_count() {
        let mut clock = Clock::new(Duration::from_secs(60));
        assert_eq!(clock.remaining(Duration::ZERO).as_secs(), 60);
        clock.start(Duration::ZERO);
        assert_eq!(clock.remaining(Duration::from_millis(1)).as_secs(), 59);
    }

    #[test]
    fn starting_a_running_clock_gives_no_time_back() {
        let mut clock = Clock::new(Duration::from_secs(60));
        clock.start(Duration::from_secs(1));
        clock.start(Duration::from_secs(31));
        assert_eq!(clock.remaining(Duration::from_secs(31)).as_secs(), 30);
    }

    proptest! {
        #[test]
        fn time_neither_grows_nor_overflows(
            time in any_instant(),
            mut instants in proptest::collection::vec(any_instant(), 0..20),
        ) {
            instants.sort();
            let mut clock = Clock::new(time);
            let mut before = clock.remaining(Duration::ZERO);
            for (i, &now) in instants.iter().enumerate() {
                prop_assert!(clock.remaining(now) <= before);
                before = clock.remaining(now);
                match i % 3 {
                    0 => clock.start(now),
                    1 => clock.stop(now),
                    _ => {}
                }
                prop_assert_eq!(clock.remaining(now), before);
                if let Some(fall) = clock.flag_deadline() {
                    prop_assert!(clock.has_fallen(fall));
                }
            }
        }

        #[test]
        fn a_stopped_clock_does_not_lose_time(
            time in 0..100_000_u64,
            pauses in proptest::collection::vec((0..1_000_u64, 0..1_000_u64), 0..10),
        ) {
            let mut clock = Clock::new(Duration::from_millis(time));
            let (mut now, mut thought) = (0, 0);
            for (thinking, waiting) in pauses {
                clock.start(Duration::from_millis(now));
                now += thinking;
                thought += thinking;
                clock.stop(Duration::from_millis(now));
                now += waiting;
            }
            let left = Duration::from_millis(time.saturating_sub(thought));
            prop_assert_eq!(clock.remaining(Duration::from_millis(now)), left);
        }
    }
}
