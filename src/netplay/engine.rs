//! A GTP engine as a child process that chooses our side's moves.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::agent::{Agent, AgentError, Decision, Task, Turn};
use super::answers::{self, Answer, Garbage};
use super::display::note;
use super::game::Game;
use crate::netref::Side;

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
pub struct Engine<G: Game> {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Result<Answer, Garbage>>,
    /// The answers that have not come yet: more than one if a choice was
    /// stopped.
    due: usize,
    /// The moves that the engine has been told or has made.
    told: Vec<(Side, G::Move)>,
    /// Whether a choice was stopped, and so the engine's game is not known.
    astray: bool,
    timed: bool,
    /// The commands of which it has been said that the engine refuses them.
    refused: Vec<String>,
}

impl<G: Game> Engine<G> {
    /// Starts a program, and tells it the size of the board.
    ///
    /// # Errors
    /// It cannot be started, or is no engine.
    pub fn start(program: &str, arguments: &[String]) -> Result<Engine<G>, AgentError> {
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
        engine.command(&format!("boardsize {}", G::GTP_SIZE), &go_on, limit)?;
        engine.command("clear_board", &go_on, limit)?;
        Ok(engine)
    }

    /// Tells the engine what it does not know of the game.
    fn tell_game(&mut self, game: &G, stop: &AtomicBool) -> Result<(), AgentError> {
        let moves = game.moves();
        if self.astray || !moves.starts_with(&self.told) {
            self.astray = false;
            self.told.clear();
            self.command("clear_board", stop, None)?;
        }
        for &(side, mv) in moves.iter().skip(self.told.len()) {
            let command = format!("play {} {}", letter(side), G::vertex(mv));
            self.command(&command, stop, None)?;
            self.told.push((side, mv));
        }
        Ok(())
    }

    /// Tells the engine how much time it has.
    fn tell_time(&mut self, turn: &Turn<G>, stop: &AtomicBool) -> Result<(), AgentError> {
        let Some(left) = turn.left else { return Ok(()) };
        // To many engines, 0 seconds is no clock at all.
        let left = left.saturating_sub(RESERVE).as_secs().max(1);
        if !self.timed {
            self.timed = true;
            self.suggest(&format!("time_settings {left} 0 0"), stop)?;
        }
        let letter = letter(turn.side);
        self.suggest(&format!("time_left {letter} {left} 0"), stop)
    }

    /// Lets it choose a move.
    fn genmove(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        self.tell_game(&turn.game, stop)?;
        self.tell_time(turn, stop)?;
        let command = format!("genmove {}", letter(turn.side));
        let word = self.command(&command, stop, None)?;
        if word.eq_ignore_ascii_case("resign") {
            return Ok(Decision::Resign);
        }
        let Some(mv) = G::of_vertex(&word) else {
            return Err(AgentError::Garbled {
                command,
                answer: word,
                expected: G::VERTICES,
            });
        };
        self.told.push((turn.side, mv));
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

impl<G: Game> Agent<G> for Engine<G> {
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        // GTP knows no offers.
        if turn.task == Task::Answer {
            return Ok(Decision::RefuseDraw);
        }
        if turn.refused {
            return Ok(Decision::Resign);
        }
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

/// A side in GTP: who moves first is Black.
const fn letter(side: Side) -> char {
    match side {
        Side::First => 'b',
        Side::Second => 'w',
    }
}

/// Kills it, if it still runs.
impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
