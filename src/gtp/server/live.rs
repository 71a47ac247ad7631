//! GoGui's graphics: the progress of a search (its manual, chapter "Live graphics"), and the label of
//! the last move.

use std::fmt::Display;
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
            shown: String::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether live graphics are on.
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
        state.shown.clear();
    }

    /// Shows lines of GoGui's graphics if they are new and the last picture is old enough.
    /// GoGui clears its board for each picture.
    ///
    /// On systems other than Unix, where nothing else shows that the controller is gone, `stop` is
    /// set if they cannot be written.
    pub fn show(&self, stop: &AtomicBool, gfx: impl FnOnce() -> String) {
        let mut state = self.lock();
        let now = Instant::now();
        if !state.is_on || now < state.next {
            return;
        }
        state.next = now + INTERVAL;
        let shown = format!("gogui-gfx:\n{}\n\n", gfx());
        if shown == state.shown {
            return;
        }
        // All at once, so that no log comes between its lines.
        if state.sink.write_all(shown.as_bytes()).is_err() && cfg!(not(unix)) {
            stop.store(true, Ordering::Relaxed);
        }
        state.shown = shown;
    }
}

/// Returns a short label for the point of the last move, in GoGui's graphics. GoGui marks this point
/// with a dot in its center, where labels are written, too: the spaces move the text to the left of
/// the dot.
pub fn last_move_label(label: impl Display) -> String {
    format!("\"{label}        \"")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

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

    /// Shows a text when the last picture is old enough.
    fn show(live: &LiveGraphics, text: &str) {
        live.lock().next = Instant::now();
        live.show(&AtomicBool::new(false), || text.into());
    }

    #[test]
    fn only_what_is_new_is_shown() {
        let shown = Shown::default();
        let live = LiveGraphics::new(Box::new(shown.clone()));
        live.begin();
        show(&live, "TEXT one");
        let one = "gogui-gfx:\nTEXT one\n\n";
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
    fn a_command_that_is_quick_shows_nothing() {
        let shown = Shown::default();
        let live = LiveGraphics::new(Box::new(shown.clone()));
        live.begin();
        live.show(&AtomicBool::new(false), || "TEXT too soon".into());
        assert_eq!(shown.take(), "");
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
}
