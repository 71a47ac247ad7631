//! The clock of a server or a runner of matches, which stands still while it is stalled.

use std::convert::Infallible;
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::time::{Interval, MissedTickBehavior, interval};

/// How often a running server reads its clock at least.
const TICK: Duration = Duration::from_millis(100);

/// The maximum time of all stalls during a game: its players think while no clock counts.
pub(crate) const MAX_STALLED: Duration = Duration::from_secs(60);

/// The shortest time without a reading that is a stall.
const STALL: Duration = Duration::from_millis(400);

/// The time since the start of a server, without its stalls.
///
/// A server reads its clock ten times a second. If it has not done so for a while, the process was
/// stopped, swapped out, or on a virtual machine that was paused. Nobody could play in this time, so
/// the clock leaves it out: everything that is measured by it, from flags to the limits of breaks,
/// is as if the stall had not been. After a stall the clock shows what it showed at the last reading,
/// so that what the sockets got during the stall is read before a flag is judged.
#[derive(Clone, Debug)]
pub struct ServerClock {
    origin: Instant,
    readings: Arc<Mutex<Readings>>,
    /// The time of all stalls and the latest reading, in nanoseconds, for those who do not wait
    /// for the lock.
    stalled: Arc<AtomicU64>,
    last: Arc<AtomicU64>,
}

impl ServerClock {
    /// Starts at zero.
    pub fn start() -> ServerClock {
        ServerClock {
            origin: Instant::now(),
            readings: Arc::default(),
            stalled: Arc::default(),
            last: Arc::default(),
        }
    }

    /// Reads the clock.
    pub fn now(&self) -> Duration {
        let mut readings = self.readings();
        let now = readings.read(self.origin.elapsed());
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.stalled.store(nanos(readings.stalled), Relaxed);
        self.last.store(nanos(readings.last), Relaxed);
        now
    }

    /// Starts to measure a time.
    pub fn stopwatch(&self) -> Stopwatch<'_> {
        // A stall that nobody has noticed yet is not one of the time that is measured.
        let last = Duration::from_nanos(self.last.load(Relaxed));
        if self.origin.elapsed().saturating_sub(last) >= STALL {
            self.now();
        }
        Stopwatch {
            clock: self,
            begin: Instant::now(),
            stalled_before: self.stalled(),
        }
    }

    /// Returns when the clock will show `time`, unless the server is stalled before; the start of
    /// the server if that is beyond the range of the system's clock.
    pub fn moment(&self, time: Duration) -> Instant {
        let stalled = self.readings().stalled;
        let passed = time.checked_add(stalled);
        let moment = passed.and_then(|passed| self.origin.checked_add(passed));
        moment.unwrap_or(self.origin)
    }

    /// Reads the clock on a thread of its own until the result is dropped.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn tick_on_thread(&self) -> io::Result<Ticker> {
        let (ticker, dropped) = channel();
        let clock = self.clone();
        let tick = move || {
            while dropped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                clock.now();
            }
        };
        thread::Builder::new().name("clock".into()).spawn(tick)?;
        Ok(Ticker { _ticker: ticker })
    }

    /// Returns how long the server has been stalled in all.
    pub fn stalled(&self) -> Duration {
        Duration::from_nanos(self.stalled.load(Relaxed))
    }

    /// Returns how long the server was stalled since the last call; `None` if it was not.
    pub fn take_stall(&self) -> Option<Duration> {
        let stall = std::mem::take(&mut self.readings().untold);
        (!stall.is_zero()).then_some(stall)
    }

    fn readings(&self) -> MutexGuard<'_, Readings> {
        // It is whole after each step.
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Measures a time without stalls. Many threads can do so at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch<'a> {
    clock: &'a ServerClock,
    begin: Instant,
    stalled_before: Duration,
}

impl Stopwatch<'_> {
    /// Returns the time since the start.
    pub fn elapsed(self) -> Duration {
        let elapsed = self.begin.elapsed();
        if elapsed < STALL {
            return elapsed;
        }
        // The first to read the clock after a stall notices it.
        self.clock.now();
        let stalled = self.clock.stalled().saturating_sub(self.stalled_before);
        elapsed.saturating_sub(stalled)
    }
}

/// Returns the beat in which a server must read its clock.
pub fn beat() -> Interval {
    let mut beat = interval(TICK);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

/// Keeps the thread that reads a clock.
#[derive(Debug)]
pub struct Ticker {
    _ticker: Sender<Infallible>,
}

/// What the readings of a clock say. Times count from the start of the server.
#[derive(Debug, Default)]
struct Readings {
    /// The latest one.
    last: Duration,
    /// The time of all stalls.
    stalled: Duration,
    /// The time of the stalls that nobody has asked for yet.
    untold: Duration,
}

impl Readings {
    /// Adds a reading of the system's clock. Returns what the server's clock shows.
    fn read(&mut self, passed: Duration) -> Duration {
        let silence = passed.saturating_sub(self.last);
        if silence >= STALL {
            self.stalled += silence;
            self.untold += silence;
        }
        // Another thread may have read a later time.
        self.last = self.last.max(passed);
        self.last.saturating_sub(self.stalled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns what a clock shows that is read at these milliseconds.
    fn shown(readings: &[u64]) -> Vec<u64> {
        let mut clock = Readings::default();
        let read = |&at: &u64| clock.read(Duration::from_millis(at)).as_millis() as u64;
        readings.iter().map(read).collect()
    }

    #[test]
    fn a_clock_that_is_read_often_shows_the_time() {
        assert_eq!(shown(&[0, 100, 250, 640, 1_000]), [0, 100, 250, 640, 1_000]);
    }

    #[test]
    fn a_clock_stands_still_while_nobody_reads_it() {
        //           stopped here  v
        assert_eq!(shown(&[100, 200, 6_200, 6_300]), [100, 200, 200, 300]);
        // Stalls add up.
        assert_eq!(shown(&[6_000, 6_100, 9_100, 9_150]), [0, 100, 100, 150]);
    }

    #[test]
    fn an_earlier_reading_of_another_thread_changes_nothing() {
        assert_eq!(shown(&[100, 200, 190, 300]), [100, 200, 200, 300]);
    }

    #[test]
    fn a_moment_to_wait_for_is_later_by_the_stalls() {
        let clock = ServerClock::start();
        let before = clock.moment(3 * SECOND);
        clock.readings().read(20 * SECOND);
        assert_eq!(clock.moment(3 * SECOND), before + 20 * SECOND);
        assert_eq!(clock.take_stall(), Some(20 * SECOND));
        assert_eq!(clock.take_stall(), None);
        assert_eq!(clock.moment(Duration::MAX), clock.origin);
    }

    proptest! {
        #[test]
        fn no_clock_goes_back_or_ahead_of_the_time(steps in prop::collection::vec(0..2_000_u64, 0..50)) {
            let (mut clock, mut passed) = (Readings::default(), Duration::ZERO);
            let mut before = Duration::ZERO;
            for step in steps {
                let step = Duration::from_millis(step);
                passed += step;
                let now = clock.read(passed);
                prop_assert!(now >= before && now - before <= step);
                prop_assert!(now - before < STALL);
                before = now;
            }
        }
    }
}
