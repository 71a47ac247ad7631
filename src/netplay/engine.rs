//! A GTP engine that chooses our side's moves.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::agent::{Agent, AgentError, Decision, Task, Turn};
use super::display::note;
use super::game::Game;
use crate::color::Color;
use crate::gtp_engine::{EngineError, Process};

/// What an engine is not told of its time: the lines of the referee take time,
/// too, and tell whole seconds only.
const RESERVE: Duration = Duration::from_secs(1);

/// A running engine; it is ended when it is dropped.
#[derive(Debug)]
pub struct Engine<G: Game> {
    process: Process,
    /// The moves that the engine has been told or has made.
    told: Vec<(Color, G::Move)>,
    /// Whether a choice was stopped, and so the engine's game is not known.
    astray: bool,
    timed: bool,
}

impl<G: Game> Engine<G> {
    /// Starts a program, and tells it the size of the board.
    ///
    /// # Errors
    /// It cannot be started, or is no engine.
    pub fn start(program: &str, arguments: &[String]) -> Result<Engine<G>, AgentError> {
        let mut process = Process::start(program, arguments)?;
        let go_on = AtomicBool::new(false);
        let limit = Some(Process::START_LIMIT);
        process.command(&format!("boardsize {}", G::GTP_SIZE), &go_on, limit)?;
        process.command("clear_board", &go_on, limit)?;
        Ok(Engine {
            process,
            told: Vec::new(),
            astray: false,
            timed: false,
        })
    }

    /// What it calls itself, if it does.
    ///
    /// # Errors
    /// It gives no answer.
    pub fn name(&mut self) -> Result<Option<String>, AgentError> {
        let go_on = AtomicBool::new(false);
        let limit = Some(Process::START_LIMIT);
        let name = self.process.ask("name", &go_on, limit)?;
        Ok(name.ok().filter(|name| !name.is_empty()))
    }

    /// Tells the engine what it does not know of the game.
    fn tell_game(&mut self, game: &G, stop: &AtomicBool) -> Result<(), AgentError> {
        let moves: Vec<_> = game.moves().collect();
        if self.astray || !moves.starts_with(&self.told) {
            self.astray = false;
            self.told.clear();
            self.process.command("clear_board", stop, None)?;
        }
        for &(side, mv) in moves.iter().skip(self.told.len()) {
            let command = format!("play {} {}", side.letter(), G::vertex(mv));
            self.process.command(&command, stop, None)?;
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
        let letter = turn.side.letter();
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
        let command = format!("genmove {}", turn.side.letter());
        let word = self.process.command(&command, stop, None)?;
        if word.eq_ignore_ascii_case("resign") {
            return Ok(Decision::Resign);
        }
        let Some(mv) = G::of_vertex(&word) else {
            let garbled = EngineError::Garbled {
                command,
                answer: word,
                expected: G::VERTICES,
            };
            return Err(garbled.into());
        };
        self.told.push((turn.side, mv));
        Ok(Decision::Move(mv))
    }

    /// Sends a command that an engine need not know.
    fn suggest(&mut self, command: &str, stop: &AtomicBool) -> Result<(), AgentError> {
        if let Some(text) = self.process.suggest(command, stop)? {
            note(&text);
        }
        Ok(())
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
            return Err(AgentError::NotTaken);
        }
        let decision = self.genmove(turn, stop);
        self.astray = matches!(decision, Err(AgentError::Stopped));
        decision
    }

    fn finish(&mut self) {
        self.process.quit();
    }
}
