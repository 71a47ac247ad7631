//! A GTP engine: how it is started, its commands, its responses and its errors.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::child::Child;
use super::output::Output;
use super::responses::{
    EngineResponse, FailureResponse, InvalidResponse, NumberedResponse, Responses,
};
use super::{Exhausted, OutputEvent, Resource, Tail};

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// The time between two checks of the flag that stops a wait.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long an engine that has closed its output may take to end.
const END_LIMIT: Duration = Duration::from_millis(200);

/// The number of bytes of an engine's standard error that are kept.
pub const MAX_ERRORS: usize = 256 * 1024;

/// The number of bytes of an engine's standard output that are kept for people.
const MAX_LAST_OUTPUT: usize = 4 * 1024;

/// The reason why an engine fails.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The wait for the response was stopped.
    #[error("the engine was stopped")]
    Stopped,
    /// The engine cannot be started.
    #[error("cannot start {program:?}: {}", not_started(.program, .why))]
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
    /// The engine did not respond in time, or not with a whole response.
    #[error("{}", no_response(.command, *.limit, .unfinished))]
    Silent {
        /// The command without a response.
        command: String,
        /// The time limit.
        limit: Duration,
        /// The beginning of its response, if it has no end.
        unfinished: Option<String>,
    },
    /// The engine's output is not a valid response.
    #[error("the engine responded to {command:?} with {response:?}: {expected}")]
    InvalidResponse {
        /// The command.
        command: String,
        /// The beginning of the output.
        response: String,
        /// The expected form.
        expected: &'static str,
    },
    /// The engine's number differs from the command's.
    #[error("the engine responded to command {sent} with {}", wrong_number(.found))]
    WrongId {
        /// The number of the command.
        sent: u32,
        /// The number of the response.
        found: Option<u32>,
    },
    /// The engine fails at a command that every engine must know.
    #[error("the engine fails at {command:?}: {why}")]
    Failed {
        /// The command.
        command: String,
        /// The engine's error message.
        why: FailureResponse,
    },
}

impl EngineError {
    /// Returns the resource that this machine lacks to start the engine; `None` if the error is the
    /// engine's.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let EngineError::NotStarted { why, .. } = self else {
            return None;
        };
        let resource = Resource::exhausted(why)?;
        let detail = self.to_string();
        Some(Exhausted { resource, detail })
    }
}

/// Returns the error of output that is not a response to a command.
fn not_a_response(command: &str, InvalidResponse(response): InvalidResponse) -> EngineError {
    EngineError::InvalidResponse {
        command: command.to_owned(),
        response,
        expected: "a response begins with = or ? and ends with an empty line",
    }
}

/// Describes the lack of a response.
fn no_response(command: &str, limit: Duration, unfinished: &Option<String>) -> String {
    let seconds = limit.as_secs_f64();
    match unfinished {
        None => format!("the engine did not respond to {command:?} within {seconds} s"),
        Some(text) => format!(
            "the engine responded to {command:?} with {text:?}, and within {seconds} s not with the \
             empty line that ends a response"
        ),
    }
}

/// Describes the number of a response.
fn wrong_number(found: &Option<u32>) -> String {
    match found {
        None => "no number: GTP wants that of the command".into(),
        Some(found) => format!("number {found}: GTP wants that of the command"),
    }
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

/// How to start an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder where it runs; that of this program if `None`.
    pub folder: Option<PathBuf>,
    /// Variables that are added to its environment.
    pub environment: Vec<(String, String)>,
    /// Whether its standard error is kept, for [`GtpEngine::take_errors`]. Otherwise it is that of
    /// this program.
    pub captures_errors: bool,
    /// Whether commands are numbered, and the responses must have the same numbers.
    pub numbers_commands: bool,
    /// The core that it runs on: its number, from 0, among those that this program may use. Works
    /// only on Linux.
    pub core: Option<usize>,
    /// The limit of every wait for a response for which the caller gives none.
    pub response_limit: Option<Duration>,
}

impl Launch {
    /// Returns how a program is started, given its words: the program, and its arguments.
    pub fn of_words(words: impl IntoIterator<Item = String>) -> Launch {
        Launch::default().with_words(words)
    }

    /// Returns how another program is started in the same way.
    #[must_use]
    pub fn with_words(self, words: impl IntoIterator<Item = String>) -> Launch {
        let mut words = words.into_iter();
        Launch {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            ..self
        }
    }

    /// Starts the program, and returns its pipes.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(&self) -> Result<(Child, ChildStdin, Output), EngineError> {
        let not_started = |why| self.not_started(why);
        let mut child = Child::spawn(&mut self.command(), self.core).map_err(not_started)?;
        let pipes = child.process();
        let (Some(input), Some(output)) = (pipes.stdin.take(), pipes.stdout.take()) else {
            let why = io::Error::other("it has no input or output");
            return Err(not_started(why));
        };
        let output = Output::new(output, pipes.stderr.take()).map_err(not_started)?;
        Ok((child, input, output))
    }

    /// Returns the error of a program that is not started.
    pub(super) fn not_started(&self, why: io::Error) -> EngineError {
        EngineError::NotStarted {
            program: self.program.clone(),
            why,
        }
    }

    /// Returns the command that starts it.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        if self.captures_errors {
            command.stderr(Stdio::piped());
        }
        command
    }
}

/// How long a response may take, and what ends the wait for it.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// Ends the wait when it is set.
    pub stop: &'a AtomicBool,
    /// The limit; that of the [`Launch`] if `None`.
    pub limit: Option<Duration>,
}

impl Wait<'_> {
    /// Returns the wait with this limit.
    #[must_use]
    pub fn at_most(self, limit: Duration) -> Self {
        let limit = Some(limit);
        Wait { limit, ..self }
    }
}

/// Returns a wait without a limit of its own.
impl<'a> From<&'a AtomicBool> for Wait<'a> {
    fn from(stop: &'a AtomicBool) -> Wait<'a> {
        Wait { stop, limit: None }
    }
}

/// A running GTP engine, a child process. It is killed with all processes that it has started when
/// this is dropped, and even when this program is killed.
///
/// Every wait for a response ends with [`EngineError::Stopped`] when its flag is set. The
/// response that is then still due is skipped when it comes.
#[derive(Debug)]
pub struct GtpEngine {
    child: Child,
    input: ChildStdin,
    output: Output,
    responses: Responses,
    /// The end of its standard output.
    last_output: Tail,
    /// Its standard error, if it is captured.
    errors: Tail,
    /// The number of responses that are due; more than one if a wait was stopped.
    due: usize,
    /// The number of the last command, if commands are numbered.
    last_id: Option<u32>,
    /// The limit of waits for which the caller gives none.
    response_limit: Option<Duration>,
    /// The names of the refused commands that have been reported.
    refused: Vec<String>,
}

impl GtpEngine {
    /// How long an engine may take for its first responses: some start a virtual machine
    /// or load a neural network.
    pub const START_LIMIT: Duration = Duration::from_secs(60);

    /// Starts an engine.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(launch: &Launch) -> Result<GtpEngine, EngineError> {
        let (child, input, output) = launch.start()?;
        Ok(GtpEngine {
            child,
            input,
            output,
            responses: Responses::default(),
            last_output: Tail::new(MAX_LAST_OUTPUT),
            errors: Tail::new(MAX_ERRORS),
            due: 0,
            last_id: launch.numbers_commands.then_some(0),
            response_limit: launch.response_limit,
            refused: Vec::new(),
        })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the end of the engine's standard output.
    pub fn last_output(&self) -> String {
        self.last_output.text()
    }

    /// Returns the engine's standard error since the last call, as far as it has been read: at most
    /// the last 256 KiB, and nothing if it is not captured.
    pub fn take_errors(&mut self) -> String {
        self.read_rest();
        self.errors.take()
    }

    /// Sends a command that every engine must know, and waits for the response.
    ///
    /// # Errors
    /// If the engine refuses the command or does not respond.
    pub fn command(&mut self, command: &str, wait: Wait<'_>) -> Result<String, EngineError> {
        accepted(command, self.ask(command, wait)?)
    }

    /// Waits for the answer to the last command, which every engine must know, after an earlier
    /// wait has ended without it.
    ///
    /// # Errors
    /// If the engine refuses the command or does not respond.
    pub fn await_answer(&mut self, command: &str, wait: Wait<'_>) -> Result<String, EngineError> {
        accepted(command, self.await_response(command, wait)?)
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
        let Err(why) = self.ask(command, stop.into())? else {
            return Ok(None);
        };
        let name = command.split(' ').next().unwrap_or_default();
        if self.refused.iter().any(|refused| refused == name) {
            return Ok(None);
        }
        self.refused.push(name.to_owned());
        Ok(Some(format!("the engine refuses {command:?}: {why}")))
    }

    /// Sends a command and waits for the response.
    ///
    /// # Errors
    /// If the engine does not respond.
    pub fn ask(&mut self, command: &str, wait: Wait<'_>) -> Result<EngineResponse, EngineError> {
        let line = match &mut self.last_id {
            None => format!("{command}\n"),
            Some(id) => {
                *id = id.checked_add(1).unwrap_or(1);
                format!("{id} {command}\n")
            }
        };
        let sent = self.input.write_all(line.as_bytes());
        sent.map_err(|_| self.died(command))?;
        self.due = self.due.saturating_add(1);
        self.await_response(command, wait)
    }

    /// Sends a command like [`GtpEngine::ask`], and calls `on_silence` if no response comes within
    /// `patience`, after which it waits for the rest of the limit.
    ///
    /// # Errors
    /// As in [`GtpEngine::ask`]. The limit in the error is all of it.
    pub fn ask_patiently(
        &mut self,
        command: &str,
        wait: Wait<'_>,
        patience: Duration,
        on_silence: impl FnOnce(),
    ) -> Result<EngineResponse, EngineError> {
        let response = self.ask(command, wait.at_most(patience));
        let Err(EngineError::Silent { .. }) = response else {
            return response;
        };
        on_silence();
        let limit = wait.limit.map(|limit| limit.saturating_sub(patience));
        let mut response = self.await_response(command, Wait { limit, ..wait });
        if let (Err(EngineError::Silent { limit, .. }), Some(whole)) = (&mut response, wait.limit) {
            *limit = whole;
        }
        response
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
        wait: Wait<'_>,
    ) -> Result<EngineResponse, EngineError> {
        let limit = wait.limit.or(self.response_limit);
        let start = Instant::now();
        let mut looked = start;
        loop {
            while let Some(response) = self.responses.next() {
                let NumberedResponse { id, response } = match response {
                    Ok(response) => response,
                    Err(invalid) => return Err(not_a_response(command, invalid)),
                };
                self.due = self.due.saturating_sub(1);
                if self.due > 0 {
                    continue;
                }
                return match self.last_id {
                    Some(sent) if id != Some(sent) => Err(EngineError::WrongId { sent, found: id }),
                    _ => Ok(response),
                };
            }
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            let pause = left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL));
            match self.output.wait(pause) {
                OutputEvent::Output(bytes) => {
                    self.last_output.push(bytes);
                    self.responses.push(bytes);
                }
                OutputEvent::Errors(bytes) => self.errors.push(bytes),
                OutputEvent::End => return Err(self.died(command)),
                OutputEvent::Nothing => {}
            }
            // When it ends, a process that it has started may hold its output open, and write
            // forever.
            if looked.elapsed() >= POLL_INTERVAL {
                self.child.try_wait();
                looked = Instant::now();
            }
            if wait.stop.load(Ordering::Relaxed) {
                return Err(EngineError::Stopped);
            }
            if let Some(limit) = limit.filter(|_| left == Some(Duration::ZERO)) {
                let command = command.to_owned();
                let unfinished = self.responses.unfinished();
                return Err(EngineError::Silent {
                    command,
                    limit,
                    unfinished,
                });
            }
        }
    }

    /// Sends `quit` and waits a moment for the engine to end, unless a response is due.
    pub fn quit(&mut self) {
        if self.due == 0 && self.input.write_all(b"quit\n").is_ok() {
            self.child.wait_timeout(QUIT_LIMIT);
        }
    }

    /// Returns the error of an engine that has ended without a response.
    fn died(&mut self, command: &str) -> EngineError {
        let status = self.child.wait_timeout(END_LIMIT);
        // Its last output. An invalid response explains more than its end does.
        self.read_rest();
        while let Some(response) = self.responses.next() {
            if let Err(invalid) = response {
                return not_a_response(command, invalid);
            }
        }
        let status = match status {
            Some(status) => status,
            None => "it closed its input or output".into(),
        };
        EngineError::Died {
            command: command.to_owned(),
            status,
        }
    }

    /// Reads the output since the last response, but no more than is kept: an engine may write
    /// faster than this reads.
    fn read_rest(&mut self) {
        let mut read = 0_usize;
        while read < MAX_ERRORS {
            match self.output.wait(Duration::ZERO) {
                OutputEvent::Output(bytes) => {
                    read = read.saturating_add(bytes.len());
                    self.last_output.push(bytes);
                    self.responses.push(bytes);
                }
                OutputEvent::Errors(bytes) => {
                    read = read.saturating_add(bytes.len());
                    self.errors.push(bytes);
                }
                OutputEvent::Nothing | OutputEvent::End => break,
            }
        }
    }
}

/// Returns the answer to a command that every engine must know.
fn accepted(command: &str, response: EngineResponse) -> Result<String, EngineError> {
    response.map_err(|why| EngineError::Failed {
        command: command.to_owned(),
        why,
    })
}
