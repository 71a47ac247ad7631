//! A child process that is not spoken to through its pipes, such as a client of a server.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::Came;
use super::child::Child;
use super::output::Output;
use super::process::{EngineError, Launch};
use super::tail::Tail;

/// The number of bytes of each stream that are kept.
const MAX_KEPT: usize = 64 * 1024;

/// How often the thread that reads the output looks whether the program is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A running program. It is killed with all processes that it has started when this is dropped,
/// and also when this program is killed.
#[derive(Debug)]
pub struct Program {
    child: Child,
    streams: Arc<Mutex<Streams>>,
}

/// The last output of a program.
#[derive(Debug)]
struct Streams {
    output: Tail,
    errors: Tail,
}

impl Program {
    /// Starts a program. A thread reads what it writes.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(launch: &Launch) -> Result<Program, EngineError> {
        let not_started = |why| EngineError::NotStarted {
            program: launch.program().to_owned(),
            why,
        };
        let mut child = launch.spawn().map_err(not_started)?;
        let pipes = child.process();
        drop(pipes.stdin.take());
        let Some(output) = pipes.stdout.take() else {
            return Err(not_started(io::Error::other("it has no output")));
        };
        let output = Output::new(output, pipes.stderr.take());
        let streams = Arc::new(Mutex::new(Streams {
            output: Tail::new(MAX_KEPT),
            errors: Tail::new(MAX_KEPT),
        }));
        let shared = Arc::clone(&streams);
        thread::spawn(move || read(output, &shared));
        Ok(Program { child, streams })
    }

    /// Returns how the program has ended, if it has. Processes that it has started are killed then.
    pub fn exit_status(&mut self) -> Option<String> {
        self.child.exit_status()
    }

    /// Waits at most this long for the program to end; returns its exit status if it has.
    pub fn wait(&mut self, limit: Duration) -> Option<String> {
        self.child.wait(limit)
    }

    /// Returns the end of what it has written on standard output.
    pub fn last_output(&self) -> String {
        let streams = self.streams.lock();
        streams
            .unwrap_or_else(PoisonError::into_inner)
            .output
            .text()
    }

    /// Returns the end of what it has written on standard error.
    pub fn last_errors(&self) -> String {
        let streams = self.streams.lock();
        streams
            .unwrap_or_else(PoisonError::into_inner)
            .errors
            .text()
    }
}

/// Reads the output until it ends, or nobody wants it any more.
fn read(mut output: Output, streams: &Arc<Mutex<Streams>>) {
    let mut output_ended = false;
    while Arc::strong_count(streams) > 1 {
        let came = output.wait(POLL_INTERVAL);
        let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
        match came {
            Came::Output(bytes) => streams.output.push(bytes),
            Came::Errors(bytes) => streams.errors.push(bytes),
            Came::Nothing => {}
            Came::End if output_ended => break,
            // Its standard error may still come.
            Came::End => output_ended = true,
        }
    }
}
