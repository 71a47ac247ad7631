//! What GoGui shows of a command that still runs (its manual, chapter "Live
//! graphics").

use std::fmt::Write as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is shown stays for so long at least; a command that takes less time
/// shows nothing.
const INTERVAL: Duration = Duration::from_millis(250);

/// Where it is shown: standard error, for GoGui.
pub(super) struct Live(Mutex<State>);

struct State {
    sink: Box<dyn Write + Send>,
    /// Not before this time something is shown.
    next: Instant,
}

impl Live {
    pub(super) fn new(sink: Box<dyn Write + Send>) -> Live {
        Live(Mutex::new(State {
            sink,
            next: Instant::now(),
        }))
    }

    /// A command begins.
    pub(super) fn begin(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.next = Instant::now() + INTERVAL;
    }

    /// Shows lines of gfx, if it is time for it. Where they cannot be written
    /// nobody is left who waits for the command: then it is stopped.
    pub(super) fn show(&self, stop: &AtomicBool, gfx: impl FnOnce() -> String) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if now < state.next {
            return;
        }
        state.next = now + INTERVAL;
        let mut text = String::new();
        // Writing to memory cannot fail.
        let _ = writeln!(text, "gogui-gfx:\n{}\n", gfx());
        // All at once, so that no log comes between its lines.
        if state.sink.write_all(text.as_bytes()).is_err() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
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
        let live = Live::new(Box::new(Closed));
        live.begin();
        live.show(&stop, || "TEXT too soon".into());
        assert!(!stop.load(Ordering::Relaxed));
        std::thread::sleep(INTERVAL);
        live.show(&stop, || "TEXT now".into());
        assert!(stop.load(Ordering::Relaxed));
    }
}
