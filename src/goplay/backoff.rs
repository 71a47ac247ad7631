//! When a lost connection is tried again.

use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_millis(500);

/// The longest one.
const LONGEST: Duration = Duration::from_secs(10);

/// The pauses between attempts to connect: each is twice as long as the one
/// before, up to ten seconds, until the patience is over.
///
/// ```
/// use std::time::Duration;
/// use gothello::goplay::Backoff;
/// let second = Duration::from_secs(1);
/// let mut backoff = Backoff::new(2 * second);
/// assert_eq!(backoff.failed(100 * second), Some(second / 2));
/// assert_eq!(backoff.failed(101 * second), Some(second));
/// // One attempt is left, at the end of the two seconds.
/// assert_eq!(backoff.failed(101 * second + second / 2), Some(second / 2));
/// assert_eq!(backoff.failed(102 * second), None);
/// ```
#[derive(Clone, Debug)]
pub struct Backoff {
    patience: Duration,
    pause: Duration,
    /// Since when there is no connection.
    since: Option<Duration>,
}

impl Backoff {
    /// Tries for so long; with zero not at all.
    pub fn new(patience: Duration) -> Backoff {
        Backoff {
            patience,
            pause: FIRST,
            since: None,
        }
    }

    /// The connection is lost, or an attempt has failed, at an instant since any
    /// fixed moment: the pause before the next attempt; `None` when it is time to
    /// give up.
    pub fn failed(&mut self, now: Duration) -> Option<Duration> {
        let since = *self.since.get_or_insert(now);
        let left = self.patience.saturating_sub(now.saturating_sub(since));
        if left.is_zero() {
            return None;
        }
        let pause = self.pause.min(left);
        self.pause = self.pause.saturating_mul(2).min(LONGEST);
        Some(pause)
    }

    /// The server has said something sensible: the next loss is a new one.
    pub fn connected(&mut self) {
        self.pause = FIRST;
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_ten_seconds_and_end_with_the_patience() {
        let mut backoff = Backoff::new(Duration::from_secs(60));
        let mut now = Duration::from_secs(7);
        let mut pauses = Vec::new();
        while let Some(pause) = backoff.failed(now) {
            pauses.push(pause.as_secs_f64());
            now += pause;
        }
        assert_eq!(
            pauses,
            [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0, 10.0, 4.5]
        );
        backoff.connected();
        assert_eq!(backoff.failed(now), Some(FIRST));
    }

    #[test]
    fn without_patience_there_is_no_second_attempt() {
        assert_eq!(Backoff::new(Duration::ZERO).failed(Duration::ZERO), None);
    }
}
