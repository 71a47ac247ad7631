//! The child process, its commands and its errors.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::guard::{self, Guard};
use super::responses::{self, EngineResponse, InvalidResponse};

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// The time between two checks of the flag that stops a wait.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The reason why an engine fails.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The wait for the response was stopped.
    #[error("the engine was stopped")]
    Stopped,
    /// The engine cannot be started.
    #[error("cannot start the engine {program:?}: {}", not_started(.program, .why))]
    NotStarted {
        /// The program.
        program: String,
        /// The reason.
        why: io::Error,
    },
    /// The engine ended, or closed its input or output.
    #[error("the engine ended ({status}) without a response to {command:?}")]
    Died {
        /// The command without a response.
        command: String,
        /// The exit status.
        status: String,
    },
    /// The engine did not respond in time.
    #[error("the engine did not respond to {command:?} within {} s", .limit.as_secs())]
    Silent {
        /// The command without a response.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// The engine's output is not a valid response.
    #[error("the engine responded to {command:?} with {response:?}: {expected}")]
    InvalidResponse {
        /// The command.
        command: String,
        /// The beginning of the output.
        response: String,
        /// What would be valid.
        expected: &'static str,
    },
    /// The engine fails at a command that every engine must know.
    #[error("the engine fails at {command:?}: {why}")]
    Failed {
        /// The command.
        command: String,
        /// The engine's error message.
        why: String,
    },
}

/// Describes why a program is not started.
fn not_started(program: &str, why: &io::Error) -> String {
    match (why.kind(), Path::new(program).components().count()) {
        (io::ErrorKind::NotFound, 0 | 1) => {
            "no directory of PATH has such a program; give its path, such as ./engine".into()
        }
        (io::ErrorKind::NotFound, _) => {
            "there is no such file, or not the interpreter that it names".into()
        }
        _ => why.to_string(),
    }
}

/// A running engine. It is killed with all processes that it has started when this is
/// dropped, and also when this program is killed.
///
/// Every wait for a response ends with [`EngineError::Stopped`] when its flag is set. The
/// response that is then still due is skipped when it comes.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    responses: Receiver<Result<EngineResponse, InvalidResponse>>,
    /// The number of responses that are due; more than one if a wait was stopped.
    due: usize,
    /// The names of the refused commands that have been reported.
    refused: Vec<String>,
    /// Ends the engine when this program is killed.
    _guard: Option<Guard>,
}

impl Process {
    /// How long an engine may take for its first responses: some start a virtual machine
    /// or load a neural network.
    pub const START_LIMIT: Duration = Duration::from_secs(60);

    /// Starts a program.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(program: &str, arguments: &[String]) -> Result<Process, EngineError> {
        let not_started = |why| EngineError::NotStarted {
            program: program.to_owned(),
            why,
        };
        // The guard comes first, so that the engine is never without one.
        let mut guard = Guard::start();
        let mut command = Command::new(program);
        command.args(arguments);
        let mut child = guard::in_own_group(&mut command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        if let Some(guard) = &mut guard {
            guard.watch(&child);
        }
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            let why = io::Error::other("it has no input or output");
            return Err(not_started(why));
        };
        Ok(Process {
            child,
            input,
            responses: responses::spawn_reader(output),
            due: 0,
            refused: Vec::new(),
            _guard: guard,
        })
    }

    /// Sends a command that every engine must know, and waits for the response, for
    /// `limit` at most if there is one.
    ///
    /// # Errors
    /// If the engine refuses the command or does not respond.
    pub fn command(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<String, EngineError> {
        let response = self.ask(command, stop, limit)?;
        response.map_err(|why| EngineError::Failed {
            command: command.to_owned(),
            why,
        })
    }

    /// Sends a command that an engine may not know. Returns a message for people when the
    /// engine refuses the command for the first time.
    ///
    /// # Errors
    /// If the engine does not respond.
    pub fn send_optional(
        &mut self,
        command: &str,
        stop: &AtomicBool,
    ) -> Result<Option<String>, EngineError> {
        let Err(why) = self.ask(command, stop, None)? else {
            return Ok(None);
        };
        let name = command.split(' ').next().unwrap_or_default();
        if self.refused.iter().any(|refused| refused == name) {
            return Ok(None);
        }
        self.refused.push(name.to_owned());
        Ok(Some(format!("the engine refuses {command:?}: {why}")))
    }

    /// Sends a command and waits for the response, for `limit` at most if there is one.
    ///
    /// # Errors
    /// If the engine does not respond.
    pub fn ask(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<EngineResponse, EngineError> {
        let sent = self.input.write_all(format!("{command}\n").as_bytes());
        sent.map_err(|_| self.died(command))?;
        self.due = self.due.saturating_add(1);
        self.await_response(command, stop, limit)
    }

    /// Returns whether a response is due because the wait for it was stopped.
    pub fn is_busy(&self) -> bool {
        self.due > 0
    }

    /// Waits for the response to the last command, which is `command`, after an earlier wait
    /// was stopped.
    ///
    /// # Errors
    /// If the engine does not respond.
    pub fn await_response(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<EngineResponse, EngineError> {
        let start = Instant::now();
        loop {
            match self.responses.recv_timeout(POLL_INTERVAL) {
                Ok(Ok(response)) => {
                    self.due = self.due.saturating_sub(1);
                    if self.due == 0 {
                        return Ok(response);
                    }
                }
                Ok(Err(InvalidResponse(response))) => {
                    return Err(EngineError::InvalidResponse {
                        command: command.to_owned(),
                        response,
                        expected: "a response begins with = or ? and ends with an empty line",
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died(command)),
                Err(RecvTimeoutError::Timeout) => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(EngineError::Stopped);
                    }
                    if let Some(limit) = limit.filter(|&limit| start.elapsed() > limit) {
                        let command = command.to_owned();
                        return Err(EngineError::Silent { command, limit });
                    }
                }
            }
        }
    }

    /// Sends `quit` and waits a moment for the engine to end, unless a response is due.
    pub fn quit(&mut self) {
        if self.due == 0 && self.input.write_all(b"quit\n").is_ok() {
            self.wait(QUIT_LIMIT);
        }
    }

    /// Returns the error of an engine that has ended without a response.
    fn died(&mut self, command: &str) -> EngineError {
        let status = match self.wait(Duration::from_millis(200)) {
            Some(status) => status,
            None => "it closed its input or output".into(),
        };
        EngineError::Died {
            command: command.to_owned(),
            status,
        }
    }

    /// Waits until the engine has ended; returns its exit status if it has.
    fn wait(&mut self, limit: Duration) -> Option<String> {
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status.to_string());
            }
            if start.elapsed() > limit {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Kills the engine with all processes that it has started, if it is still running.
impl Drop for Process {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        guard::kill(&mut self.child);
        let _ = self.child.wait();
    }
}
