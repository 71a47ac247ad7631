//! The progress of a search as GoGui shows it (its manual, chapter "Live graphics").

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The minimum time between two pictures, and before the first one, so that a quick command
/// shows nothing.
const INTERVAL: Duration = Duration::from_millis(250);

/// Shows the progress of a search in GoGui, which reads it from standard error.
pub struct LiveGraphics(Mutex<State>);

struct State {
    sink: Box<dyn Write + Send>,
    is_on: bool,
    /// The earliest time of the next picture.
    next: Instant,
    /// The time of the command's first report, and the positions searched until then.
    since: Option<(Instant, u64)>,
    /// The last picture of the command.
    shown: String,
}

impl LiveGraphics {
    /// Creates live graphics that are written to `sink`.
    pub fn new(sink: Box<dyn Write + Send>) -> LiveGraphics {
        LiveGraphics(Mutex::new(State {
            sink,
            is_on: true,
            next: Instant::now(),
            since: None,
            shown: String::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether anything is shown.
    pub fn is_on(&self) -> bool {
        self.lock().is_on
    }

    /// Switches live graphics on or off.
    pub fn set_on(&self, is_on: bool) {
        self.lock().is_on = is_on;
    }

    /// Begins a new command.
    pub fn begin(&self) {
        let mut state = self.lock();
        state.next = Instant::now() + INTERVAL;
        state.since = None;
        state.shown.clear();
    }

    /// Shows lines of GoGui's graphics, the last of which is a `TEXT`, if they are new
    /// and the last picture is old enough. The number of positions searched, of which
    /// `positions` is the total so far, is appended. Sets `stop` if they cannot be
    /// written, because then the controller is gone.
    pub fn show(
        &self,
        stop: &AtomicBool,
        positions: impl FnOnce() -> u64,
        gfx: impl FnOnce() -> String,
    ) {
        let mut state = self.lock();
        if !state.is_on {
            return;
        }
        let now = Instant::now();
        let Some((start, before)) = state.since else {
            state.since = Some((now, positions()));
            return;
        };
        if now < state.next {
            return;
        }
        state.next = now + INTERVAL;
        let work = Work {
            positions: positions().saturating_sub(before),
            time: now - start,
        };
        let shown = format!("gogui-gfx:\n{}; {work}\n\n", gfx());
        if shown == state.shown {
            return;
        }
        // All at once, so that no log comes between its lines.
        if state.sink.write_all(shown.as_bytes()).is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        state.shown = shown;
    }
}

/// The number of positions searched in a time.
struct Work {
    positions: u64,
    time: Duration,
}

/// Writes the total and the positions per second.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let positions = self.positions as f64;
        let speed = positions / self.time.as_secs_f64().max(1e-3);
        let (positions, speed) = (Millions(positions / 1e6), Millions(speed / 1e6));
        write!(f, "{positions} million positions, {speed} million/s")
    }
}

/// A number of millions, written with two digits, so that it changes from time to
/// time only while it grows.
struct Millions(f64);

impl fmt::Display for Millions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            few @ ..1.0 => write!(f, "{few:.2}"),
            some @ ..10.0 => write!(f, "{some:.1}"),
            many => {
                let unit = 10_f64.powf(many.log10().floor() - 1.0);
                write!(f, "{:.0}", (many / unit).round() * unit)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A pipe whose other end is closed.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_command_is_stopped_when_nobody_is_left_to_see_it() {
        let stop = AtomicBool::new(false);
        let live = LiveGraphics::new(Box::new(Closed));
        live.begin();
        live.show(&stop, || 0, || "TEXT too soon".into());
        assert!(!stop.load(Ordering::Relaxed));
        std::thread::sleep(INTERVAL);
        live.show(&stop, || 0, || "TEXT now".into());
        assert!(stop.load(Ordering::Relaxed));
    }

    /// A sink that keeps what is written.
    #[derive(Clone, Default)]
    struct Shown(Arc<Mutex<Vec<u8>>>);

    impl Write for Shown {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Shown {
        /// Returns what was written since the last call.
        fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    /// Shows a text of a command that reports for the second time, one second
    /// after the first, when it has searched three million positions.
    fn show(live: &LiveGraphics, text: &str) {
        {
            let mut state = live.lock();
            let now = Instant::now();
            state.since = Some((now.checked_sub(Duration::from_secs(1)).unwrap(), 7));
            state.next = now;
        }
        live.show(&AtomicBool::new(false), || 3_000_007, || text.into());
    }

    #[test]
    fn only_what_is_new_is_shown() {
        let shown = Shown::default();
        let live = LiveGraphics::new(Box::new(shown.clone()));
        live.begin();
        show(&live, "TEXT one");
        let one = "gogui-gfx:\nTEXT one; 3.0 million positions, 3.0 million/s\n\n";
        assert_eq!(shown.take(), one);
        show(&live, "TEXT one");
        assert_eq!(shown.take(), "");
        show(&live, "TEXT two");
        assert_eq!(shown.take(), one.replace("one", "two"));
        // Of a new command everything is new.
        live.begin();
        show(&live, "TEXT two");
        assert_eq!(shown.take(), one.replace("one", "two"));
    }

    #[test]
    fn nothing_is_shown_when_it_is_off() {
        let shown = Shown::default();
        let live = LiveGraphics::new(Box::new(shown.clone()));
        live.set_on(false);
        live.begin();
        show(&live, "TEXT one");
        assert_eq!(shown.take(), "");
        live.set_on(true);
        show(&live, "TEXT one");
        assert!(shown.take().contains("TEXT one"));
    }

    #[test]
    fn numbers_have_two_digits() {
        let written = [0.004, 0.5, 1.25, 9.94, 12.4, 99.4, 126.0, 12_345.0];
        let written = written.map(|number| Millions(number).to_string());
        let expected = ["0.00", "0.50", "1.2", "9.9", "12", "99", "130", "12000"];
        assert_eq!(written, expected);
    }
}
