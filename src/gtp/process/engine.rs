//! A running GTP engine: its commands and its responses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Tail;
use super::launch::{EngineError, Launch};
use super::pipes::{Piece, Pipes};
use super::responses::{EngineResponse, InvalidResponse, NumberedResponse, Responses};

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// The time between two checks of the flag that stops a wait.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long an engine that has closed its output may take to end.
const END_LIMIT: Duration = Duration::from_millis(200);

/// The number of bytes of an engine's standard output that are kept for people.
const MAX_LAST_OUTPUT: usize = 4 * 1024;

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
    pipes: Pipes,
    responses: Responses,
    /// The end of its standard output.
    last_output: Tail,
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
        Ok(GtpEngine {
            pipes: Pipes::start(launch)?,
            responses: Responses::default(),
            last_output: Tail::new(MAX_LAST_OUTPUT),
            due: 0,
            last_id: launch.numbers_commands.then_some(0),
            response_limit: launch.response_limit,
            refused: Vec::new(),
        })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.pipes.id()
    }

    /// Returns the end of the engine's standard output.
    pub fn last_output(&self) -> String {
        self.last_output.text()
    }

    /// Returns the engine's standard error since the last call, as far as it has been read: at most
    /// the last 256 KiB, and nothing if it is not captured.
    pub fn take_errors(&mut self) -> String {
        self.read_rest();
        self.pipes.take_errors()
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
        let sent = self.pipes.write(line.as_bytes());
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
            match self.pipes.read(pause) {
                Piece::Bytes(bytes) => self.receive(&bytes),
                Piece::End => return Err(self.died(command)),
                Piece::Nothing => {}
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
        if self.due == 0 && self.pipes.write(b"quit\n").is_ok() {
            self.pipes.wait_unread(QUIT_LIMIT);
        }
    }

    /// Returns the error of an engine that has ended without a response.
    fn died(&mut self, command: &str) -> EngineError {
        let status = self.pipes.wait_unread(END_LIMIT);
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

    /// Reads the output since the last response.
    fn read_rest(&mut self) {
        let rest = self.pipes.read_rest();
        self.receive(&rest);
    }

    fn receive(&mut self, output: &[u8]) {
        self.last_output.push(output);
        self.responses.push(output);
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

/// Returns the answer to a command that every engine must know.
fn accepted(command: &str, response: EngineResponse) -> Result<String, EngineError> {
    response.map_err(|why| EngineError::Failed {
        command: command.to_owned(),
        why,
    })
}
