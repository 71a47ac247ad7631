//! A child process that is not spoken to through its pipes, such as a client of a server.

use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::guard::{self, Guard};
use super::output::{Came, Output};
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
    /// Whether it has been waited for.
    has_ended: bool,
    streams: Arc<Mutex<Streams>>,
    /// Ends the program when this one is killed.
    _guard: Option<Guard>,
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
        let (mut child, guard) = launch.spawn().map_err(not_started)?;
        drop(child.stdin.take());
        let Some(output) = child.stdout.take() else {
            return Err(not_started(io::Error::other("it has no output")));
        };
        let output = Output::new(output, child.stderr.take());
        let streams = Arc::new(Mutex::new(Streams {
            output: Tail::new(MAX_KEPT),
            errors: Tail::new(MAX_KEPT),
        }));
        let shared = Arc::clone(&streams);
        thread::spawn(move || read(output, &shared));
        Ok(Program {
            child,
            has_ended: false,
            streams,
            _guard: guard,
        })
    }

    /// Returns how the program has ended, if it has. Processes that it has started are killed then.
    pub fn exit_status(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        if !self.has_ended {
            self.has_ended = true;
            // Processes that it has started may be left.
            guard::kill(&mut self.child);
        }
        Some(status.to_string())
    }

    /// Waits at most this long for the program to end; returns whether it has.
    pub fn wait(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        loop {
            if self.exit_status().is_some() {
                return true;
            }
            if start.elapsed() > limit {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
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

/// Kills the program with all processes that it has started.
impl Drop for Program {
    fn drop(&mut self) {
        if self.exit_status().is_none() {
            guard::kill(&mut self.child);
            let _ = self.child.wait();
        }
    }
}
