//! What a person types, line by line.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// The longest line that is read as one.
const MAX_LINE: u64 = 1_024;

/// How many lines may wait that were typed before they were asked for.
const WAITING: usize = 16;

/// How often is looked whether a line is still asked for.
const PATIENCE: Duration = Duration::from_millis(20);

/// Lines that are typed, read on a thread of its own.
#[derive(Debug)]
pub(crate) struct Typed {
    /// Closed at the end of the input.
    lines: Receiver<String>,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// It is no longer asked for.
    Stopped,
    /// The input has ended.
    Ended,
}

impl Typed {
    /// Reads from `input`.
    pub(crate) fn new(input: impl Read + Send + 'static) -> Typed {
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || read(input, &sender));
        Typed { lines }
    }

    /// The next line with its end, unless `stop` is set.
    pub(crate) fn line(&self, stop: &AtomicBool) -> Result<String, NoLine> {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Ended),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(NoLine::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A line that was typed already.
    pub(crate) fn waiting(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }
}

/// Waits until nothing is asked for any longer.
pub(crate) fn wait(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(PATIENCE);
    }
}

/// Reads lines until the input ends or nobody wants them.
fn read(input: impl Read, lines: &SyncSender<String>) {
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
