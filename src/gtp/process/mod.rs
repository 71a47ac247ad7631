//! Programs as child processes: a GTP engine for any game, with commands and responses, time
//! limits, and errors; and a program without a protocol.

mod child;
mod engine;
mod group;
#[cfg_attr(not(unix), path = "no_guard.rs")]
mod guard;
mod launch;
#[cfg_attr(not(target_os = "linux"), path = "no_orphans.rs")]
mod orphans;
#[cfg_attr(not(unix), path = "output_threads.rs")]
mod output;
/// The one for systems whose pipes cannot be polled is tested here, too.
#[cfg(all(test, unix))]
mod output_threads;
mod pipes;
mod program;
mod resources;
mod responses;

pub use engine::{GtpEngine, Wait};
pub use launch::{EngineError, Launch};
pub use orphans::{adopt_orphans, end_orphans, reap_orphans};
pub use pipes::{MAX_ERRORS, Piece, Pipes};
pub use program::Program;
pub use resources::{Exhausted, Resource, pauses, retry};
pub use responses::{EngineResponse, FailureResponse, split_response};

/// The number of moves that an engine must make in a second when less than a second is left.
///
/// `time_left` has whole seconds. Many engines take 0 seconds for no clock at all. If 1 second were sent
/// before every move, they would spend a large part of it each time. Therefore they get Canadian
/// overtime: 1 second for this many moves.
pub const HURRY_MOVES: u32 = 100;

/// Returns the arguments of `time_left` after the color, with whole seconds: those that are left, and for
/// how many moves.
pub fn time_left_arguments(seconds: u64, moves: u32) -> String {
    match seconds {
        0 => format!("1 {HURRY_MOVES}"),
        seconds => format!("{seconds} {moves}"),
    }
}

/// An event of a child process's output.
#[derive(Debug, PartialEq, Eq)]
enum OutputEvent<'a> {
    /// Bytes of its standard output.
    Output(&'a [u8]),
    /// Bytes of its standard error.
    Errors(&'a [u8]),
    /// A timeout.
    Nothing,
    /// The end of its standard output; after that, the end of both.
    End,
}

/// The last bytes of a stream.
#[derive(Debug)]
pub struct Tail {
    bytes: Vec<u8>,
    max: usize,
}

impl Tail {
    /// Returns a tail that keeps this many bytes.
    pub fn new(max: usize) -> Tail {
        let bytes = Vec::new();
        Tail { bytes, max }
    }

    /// Adds bytes, and drops the first ones if there are more than twice as many as are kept.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > self.max.saturating_mul(2) {
            let surplus = self.bytes.len().saturating_sub(self.max);
            self.bytes.drain(..surplus);
        }
    }

    /// Returns the last bytes as text.
    pub fn text(&self) -> String {
        let first = self.bytes.len().saturating_sub(self.max);
        String::from_utf8_lossy(self.bytes.get(first..).unwrap_or_default()).into_owned()
    }

    /// Returns the last bytes as text, and forgets them.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.bytes.clear();
        text
    }
}
