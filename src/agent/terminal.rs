//! Talking with a person at a terminal: lines that are typed, and text on standard
//! error.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// The longest line in bytes; the rest of a longer one is read as another line.
const MAX_LINE: u64 = 1_024;

/// How many lines are read ahead.
const MAX_WAITING: usize = 16;

/// The interval at which the stop flag is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Reads lines on a thread of its own.
#[derive(Debug)]
pub(super) struct LineReader {
    /// Closed at the end of the input.
    lines: Receiver<String>,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// The stop flag was set.
    Stopped,
    /// The input has ended.
    Ended,
}

impl LineReader {
    /// Starts to read from `input`.
    pub(super) fn new(input: impl Read + Send + 'static) -> LineReader {
        let (sender, lines) = sync_channel(MAX_WAITING);
        thread::spawn(move || read_lines(input, &sender));
        LineReader { lines }
    }

    /// Waits for the next line, which includes its line end, until `stop` is set.
    pub(super) fn next_line(&self, stop: &AtomicBool) -> Result<String, NoLine> {
        loop {
            match self.lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Ended),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(NoLine::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns a line that has been read already, if there is one.
    pub(super) fn waiting_line(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }
}

/// Waits until `stop` is set.
pub(super) fn wait_for(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(POLL_INTERVAL);
    }
}

/// Sends lines until the input ends or the receiver is gone.
fn read_lines(input: impl Read, lines: &SyncSender<String>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        // An input that cannot be read has ended.
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.unwrap_or(0) == 0 {
            return;
        }
        if lines.send(String::from_utf8_lossy(&line).into()).is_err() {
            return;
        }
    }
}

/// Writes a line to standard error.
pub(crate) fn note(text: &str) {
    // The game goes on where nobody can be told.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to standard error and stays on the line.
pub(super) fn prompt(text: &str) {
    let mut error = io::stderr();
    let _ = write!(error, "{text}").and_then(|()| error.flush());
}

/// Writes a time as clocks show it, in minutes and seconds: `1:05`.
pub(crate) fn clock_text(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
