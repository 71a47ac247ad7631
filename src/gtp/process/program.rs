//! A child process whose output is only kept, such as a client of a server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::child::Child;
use super::launch::{EngineError, Launch};
use super::output::Output;
use super::{OutputEvent, Tail};

/// The number of bytes of each stream that are kept.
const MAX_KEPT: usize = 64 * 1024;

/// How often the thread that reads the output checks whether the [`Program`] has been dropped.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A running program, whose standard input is closed. It is killed with all processes that it has
/// started when this is dropped, and even when this program is killed.
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
    /// Starts a program. A thread reads its output.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(launch: &Launch) -> Result<Program, EngineError> {
        let (child, _, output) = launch.start()?;
        let streams = Arc::new(Mutex::new(Streams {
            output: Tail::new(MAX_KEPT),
            errors: Tail::new(MAX_KEPT),
        }));
        let shared = Arc::clone(&streams);
        let reading = thread::Builder::new().spawn(move || read(output, &shared));
        reading.map_err(|why| launch.not_started(why))?;
        Ok(Program { child, streams })
    }

    /// Returns a description of how the program has ended, such as `exit status: 1`, if it has.
    /// Processes that it has started are killed then.
    pub fn try_wait(&mut self) -> Option<String> {
        self.child.try_wait()
    }

    /// Waits at most this long for the program to end, then acts as
    /// [`try_wait`](Program::try_wait).
    pub fn wait_timeout(&mut self, limit: Duration) -> Option<String> {
        self.child.wait_timeout(limit)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the end of its standard output.
    pub fn last_output(&self) -> String {
        self.streams().output.text()
    }

    /// Returns the end of its standard error.
    pub fn last_errors(&self) -> String {
        self.streams().errors.text()
    }
}

/// Reads the output until it ends, or until the [`Program`] is dropped.
fn read(mut output: Output, streams: &Arc<Mutex<Streams>>) {
    let mut output_ended = false;
    while Arc::strong_count(streams) > 1 {
        let event = output.wait(POLL_INTERVAL);
        let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            OutputEvent::Output(bytes) => streams.output.push(bytes),
            OutputEvent::Errors(bytes) => streams.errors.push(bytes),
            OutputEvent::Nothing => {}
            OutputEvent::End if output_ended => break,
            // Standard error may continue.
            OutputEvent::End => output_ended = true,
        }
    }
}
