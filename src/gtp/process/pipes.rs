//! A child process whose standard input and output are read and written as bytes.

use std::io::{self, Write};
use std::process::ChildStdin;
use std::time::{Duration, Instant};

use super::child::Child;
use super::launch::{EngineError, Launch};
use super::output::Output;
use super::{OutputEvent, Tail};

/// The number of bytes of a program's standard error that are kept.
pub const MAX_ERRORS: usize = 256 * 1024;

/// The time between two checks whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A running program and its pipes. It is killed with all processes that it has started when this
/// is dropped, and even when this program is killed.
#[derive(Debug)]
pub struct Pipes {
    child: Child,
    input: Option<ChildStdin>,
    output: Output,
    errors: Tail,
    /// When it was last looked whether the process has ended.
    looked: Instant,
}

/// The result of reading the standard output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// A timeout.
    Nothing,
    /// Its end.
    End,
}

impl Pipes {
    /// Starts a program.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(launch: &Launch) -> Result<Pipes, EngineError> {
        let (child, input, output) = launch.start()?;
        Ok(Pipes {
            child,
            input: Some(input),
            output,
            errors: Tail::new(MAX_ERRORS),
            looked: Instant::now(),
        })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes to its standard input. Blocks if the pipe is full until the program reads.
    ///
    /// # Errors
    /// It has ended, or closed its input.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.input {
            Some(input) => input.write_all(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Ends its standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits at most this long for something on its standard output. The output also ends when the
    /// process has ended and all is read: processes that it has started are killed then.
    pub fn read(&mut self, limit: Duration) -> Piece {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // When it ends, a process that it has started may hold its output open, and write
            // forever.
            if self.looked.elapsed() >= POLL_INTERVAL {
                self.child.try_wait();
                self.looked = Instant::now();
            }
            match self.output.wait(left.min(POLL_INTERVAL)) {
                OutputEvent::Output(bytes) => return Piece::Bytes(bytes.to_vec()),
                OutputEvent::Errors(bytes) => self.errors.push(bytes),
                OutputEvent::End => return Piece::End,
                OutputEvent::Nothing => {}
            }
            if left.is_zero() {
                return Piece::Nothing;
            }
        }
    }

    /// Waits at most this long for the process to end, and returns a description of how it has, if
    /// it has. Its output meanwhile is passed to `keep`.
    pub fn wait(&mut self, limit: Duration, keep: &mut dyn FnMut(&[u8])) -> Option<String> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.read(left.min(POLL_INTERVAL)) {
                Piece::Bytes(bytes) => keep(&bytes),
                Piece::Nothing => {}
                Piece::End => return self.child.wait_timeout(left),
            }
            if left.is_zero() {
                return self.child.try_wait();
            }
        }
    }

    /// Waits at most this long for the process to end, without reading its output.
    pub fn wait_unread(&mut self, limit: Duration) -> Option<String> {
        self.child.wait_timeout(limit)
    }

    /// Reads the available output, and returns that of standard output: no more than is kept of its
    /// standard error, because the program may write faster than this reads.
    pub fn read_rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let mut errors = 0_usize;
        let mut ends = 0;
        while ends < 2 && rest.len().saturating_add(errors) < MAX_ERRORS {
            match self.output.wait(Duration::ZERO) {
                OutputEvent::Output(bytes) => rest.extend_from_slice(bytes),
                OutputEvent::Errors(bytes) => {
                    errors = errors.saturating_add(bytes.len());
                    self.errors.push(bytes);
                }
                OutputEvent::End => ends += 1,
                OutputEvent::Nothing => break,
            }
        }
        rest
    }

    /// Returns the end of its standard error, as far as it has been read.
    pub fn last_errors(&self) -> String {
        self.errors.text()
    }

    /// Returns its standard error since the last call, as far as it has been read.
    pub fn take_errors(&mut self) -> String {
        self.errors.take()
    }
}
