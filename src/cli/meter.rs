//! One line on standard error that shows how a long search goes.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a line stands, and the command goes on before there is one.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line that is written again and again in the same place, if standard error
/// is a terminal; else it is never written.
pub(super) struct Meter(Option<Mutex<Shown>>);

/// What stands on the line.
struct Shown {
    since: Instant,
    /// Its length in characters.
    length: usize,
}

impl Meter {
    /// Nothing is shown yet.
    pub fn new() -> Meter {
        let shown = Shown {
            since: Instant::now(),
            length: 0,
        };
        Meter(io::stderr().is_terminal().then(|| Mutex::new(shown)))
    }

    /// Never shows anything.
    pub fn silent() -> Meter {
        Meter(None)
    }

    /// Shows a text of one line, unless the last one is still new.
    pub fn show(&self, text: impl FnOnce() -> String) {
        let Some(mut shown) = self.0.as_ref().and_then(|shown| shown.try_lock().ok()) else {
            return;
        };
        if shown.since.elapsed() >= INTERVAL {
            let text = text();
            shown.write(&text);
        }
    }

    /// Leaves the line empty.
    pub fn clear(&self) {
        if let Some(Ok(mut shown)) = self.0.as_ref().map(Mutex::lock)
            && shown.length > 0
        {
            shown.write("");
        }
    }
}

impl Shown {
    /// Writes over what stands there, with spaces where it was longer, which
    /// every terminal understands.
    fn write(&mut self, text: &str) {
        let mut error = io::stderr();
        // Not being able to show it is no reason to stop.
        let _ = write!(error, "\r{text:length$}\r{text}", length = self.length);
        let _ = error.flush();
        self.length = text.chars().count();
        self.since = Instant::now();
    }
}
