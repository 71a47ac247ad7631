//! How a program is started, and why an engine fails.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::time::Duration;

use thiserror::Error;

use super::child::Child;
use super::output::Output;
use super::responses::FailureResponse;
use super::{Exhausted, Resource};

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
    /// Whether its standard error is kept. Otherwise it is that of this program.
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

    /// Returns the same with a pipe for the standard error.
    #[must_use]
    pub fn with_errors(self) -> Launch {
        Launch {
            captures_errors: true,
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
