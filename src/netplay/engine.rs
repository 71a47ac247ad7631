//! A GTP engine as a child process that chooses our side's moves.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::agent::{Agent, AgentError, Decision, Turn};
use super::answers::{self, Answer, Garbage};
use super::display::note;
use crate::gothello::{Color, Game, Move, Step};

/// How long an engine may take for its first answers: some start a virtual
/// machine or load a network.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// How often is looked whether the answer still matters.
const PATIENCE: Duration = Duration::from_millis(20);

/// What an engine is not told of its time: the lines of the referee take time,
/// too, and tell whole seconds only.
const RESERVE: Duration = Duration::from_secs(1);

/// A running engine; it is ended when it is dropped.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Result<Answer, Garbage>>,
    /// The answers that have not come yet: more than one if a choice was
    /// stopped.
    due: usize,
    /// The moves that the engine has been told or has made.
    told: Vec<(Color, Move)>,
    /// Whether a choice was stopped, and so the engine's game is not known.
    astray: bool,
    timed: bool,
    /// The commands of which it has been said that the engine refuses them.
    refused: Vec<String>,
}

impl Engine {
    /// Starts a program, and tells it to play on a board of size 5.
    ///
    /// # Errors
    /// It cannot be started, or is no engine.
    pub fn start(program: &str, arguments: &[String]) -> Result<Engine, AgentError> {
        let not_started = |why| AgentError::NotStarted {
            program: program.to_owned(),
            why,
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            let why = std::io::Error::other("it has no input or output");
            return Err(not_started(why));
        };
        let mut engine = Engine {
            child,
            input,
            answers: answers::read(output),
            due: 0,
            told: Vec::new(),
            astray: false,
            timed: false,
            refused: Vec::new(),
        };
        let go_on = AtomicBool::new(false);
        let limit = Some(START_LIMIT);
        engine.command("boardsize 5", &go_on, limit)?;
        engine.command("clear_board", &go_on, limit)?;
        Ok(engine)
    }

    /// Tells the engine what it does not know of the game.
    fn tell_game(&mut self, game: &Game, stop: &AtomicBool) -> Result<(), AgentError> {
        let played = |(step, _)| match step {
            Step::Played { color, mv } => Some((color, mv)),
            Step::SetUp => None,
        };
        let moves: Vec<(Color, Move)> = game.steps().filter_map(played).collect();
        if self.astray || !moves.starts_with(&self.told) {
            self.astray = false;
            self.told.clear();
            self.command("clear_board", stop, None)?;
        }
        for &(color, mv) in moves.iter().skip(self.told.len()) {
            self.command(&format!("play {} {mv}", color.letter()), stop, None)?;
            self.told.push((color, mv));
        }
        Ok(())
    }

    /// Tells the engine how much time it has.
    fn tell_time(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<(), AgentError> {
        let Some(left) = turn.left else { return Ok(()) };
        // To many engines, 0 seconds is no clock at all.
        let left = left.saturating_sub(RESERVE).as_secs().max(1);
        if !self.timed {
            self.timed = true;
            self.suggest(&format!("time_settings {left} 0 0"), stop)?;
        }
        let color = turn.side.color().letter();
        self.suggest(&format!("time_left {color} {left} 0"), stop)
    }

    /// Lets it choose a move.
    fn genmove(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Decision, AgentError> {
        self.tell_game(&turn.game, stop)?;
        self.tell_time(turn, stop)?;
        let color = turn.side.color();
        let command = format!("genmove {}", color.letter());
        let word = self.command(&command, stop, None)?;
        if word.eq_ignore_ascii_case("resign") {
            return Ok(Decision::Resign);
        }
        let Ok(mv) = word.parse() else {
            return Err(AgentError::Garbled {
                command,
                answer: word,
                expected: "a letter a-e and a digit 1-5, pass or resign is expected",
            });
        };
        self.told.push((color, mv));
        Ok(Decision::Move(mv))
    }

    /// Sends a command that an engine need not know.
    fn suggest(&mut self, command: &str, stop: &AtomicBool) -> Result<(), AgentError> {
        if let Err(why) = self.ask(command, stop, None)? {
            let name = command.split(' ').next().unwrap_or_default();
            if !self.refused.iter().any(|refused| refused == name) {
                note(&format!("the engine refuses {command:?}: {why}"));
                self.refused.push(name.to_owned());
            }
        }
        Ok(())
    }

    /// Sends a command that every engine must obey; what it says.
    fn command(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<String, AgentError> {
        let answer = self.ask(command, stop, limit)?;
        answer.map_err(|why| AgentError::Failed {
            command: command.to_owned(),
            why,
        })
    }

    /// Sends a command and waits for its answer.
    fn ask(
        &mut self,
        command: &str,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<Answer, AgentError> {
        let sent = self.input.write_all(format!("{command}\n").as_bytes());
        sent.map_err(|_| self.died(command))?;
        self.due = self.due.saturating_add(1);
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
                    return Err(AgentError::Garbled {
                        command: command.to_owned(),
                        answer: garbage.0,
                        expected: "= or ? and an empty line at the end are expected",
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died(command)),
                Err(RecvTimeoutError::Timeout) => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(AgentError::Stopped);
                    }
                    if let Some(limit) = limit.filter(|&limit| start.elapsed() > limit) {
                        let command = command.to_owned();
                        return Err(AgentError::Silent { command, limit });
                    }
                }
            }
        }
    }

    /// That the engine has ended without an answer.
    fn died(&mut self, command: &str) -> AgentError {
        let status = match self.wait(Duration::from_millis(200)) {
            Some(status) => status,
            None => "it closed its input or output".into(),
        };
        AgentError::Died {
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

impl Agent for Engine {
    fn choose(&mut self, turn: &Turn, stop: &AtomicBool) -> Result<Decision, AgentError> {
        let decision = self.genmove(turn, stop);
        self.astray = matches!(decision, Err(AgentError::Stopped));
        decision
    }

    /// Lets it quit, unless it thinks.
    fn finish(&mut self) {
        if self.due == 0 && self.input.write_all(b"quit\n").is_ok() {
            self.wait(QUIT_LIMIT);
        }
    }
}

/// Kills it, if it still runs.
impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
