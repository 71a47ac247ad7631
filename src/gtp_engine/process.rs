//! The child process.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::answers::{self, Answer, Garbage};
use super::error::EngineError;
use super::guard::{self, Guard};

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// How often is looked whether the answer still matters.
const PATIENCE: Duration = Duration::from_millis(20);

/// A running engine. It is ended when this is dropped, and also when this program
/// is killed, with all processes that it has started.
///
/// Every wait for an answer has a flag that ends it, with
/// [`EngineError::Stopped`]; the answer that is then still due is passed over when
/// it comes.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Result<Answer, Garbage>>,
    /// The answers that have not come yet: more than one if a wait was stopped.
    due: usize,
    /// The commands of which it has been said that the engine refuses them.
    refused: Vec<String>,
    /// What ends it when this program is killed.
    _guard: Option<Guard>,
}

impl Process {
    /// How long an engine may take for its first answers: some start a virtual
    /// machine or load a network.
    pub const START_LIMIT: Duration = Duration::from_secs(60);

    /// Starts a program.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &str, arguments: &[String]) -> Result<Process, EngineError> {
        let not_started = |why| EngineError::NotStarted {
            program: program.to_owned(),
            why,
        };
        // The guard comes first: there is no moment in which the engine has none.
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
            let why = std::io::Error::other("it has no input or output");
            return Err(not_started(why));
        };
        Ok(Process {
            child,
            input,
            answers: answers::read(output),
            due: 0,
            refused: Vec::new(),
            _guard: guard,
        })
    }

    /// Sends a command that every engine must obey, and waits for what it says, for
    /// `limit` at most if there is one.
    ///
    /// # Errors
    /// It does not obey, or gives no answer.
    pub fn command(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<String, EngineError> {
        let answer = self.ask(command, stop, limit)?;
        answer.map_err(|why| EngineError::Failed {
            command: command.to_owned(),
            why,
        })
    }

    /// Sends a command that an engine need not know. What is to be told about that:
    /// something when it refuses the command for the first time.
    ///
    /// # Errors
    /// It gives no answer.
    pub fn suggest(
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

    /// Sends a command and waits for its answer, for `limit` at most if there is
    /// one.
    ///
    /// # Errors
    /// It gives no answer.
    pub fn ask(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<Answer, EngineError> {
        let sent = self.input.write_all(format!("{command}\n").as_bytes());
        sent.map_err(|_| self.died(command))?;
        self.due = self.due.saturating_add(1);
        self.last_answer(command, stop, limit)
    }

    /// Whether an answer is still to come, since the wait for it was stopped.
    pub fn is_busy(&self) -> bool {
        self.due > 0
    }

    /// Waits for the answer to the last command, which is named here, when the wait
    /// for it was stopped before.
    ///
    /// # Errors
    /// There is none.
    pub fn last_answer(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<Answer, EngineError> {
        let start = Instant::now();
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(Ok(answer)) => {
                    self.due = self.due.saturating_sub(1);
                    if self.due == 0 {
                        return Ok(answer);
                    }
                }
                Ok(Err(garbage)) => {
                    return Err(EngineError::Garbled {
                        command: command.to_owned(),
                        answer: garbage.0,
                        expected: "= or ? and an empty line at the end are expected",
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

    /// Lets it quit, unless it thinks.
    pub fn quit(&mut self) {
        if self.due == 0 && self.input.write_all(b"quit\n").is_ok() {
            self.wait(QUIT_LIMIT);
        }
    }

    /// That the engine has ended without an answer.
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

    /// Waits until the engine has ended; says how, if it has.
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

/// Kills it with all that it has started, if it still runs.
impl Drop for Process {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        guard::kill(&mut self.child);
        let _ = self.child.wait();
    }
}
