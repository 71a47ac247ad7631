//! A player of this program at a seat.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{Choice, GameStart, Seat, SeatError, SeatTurn};
use crate::agent::{Agent, AgentError, Decision, Task, Turn};
use crate::matches::game::MatchGame;
use crate::matches::record::Verdict;

/// An [`Agent`] at a seat.
pub struct AgentSeat<G: MatchGame> {
    agent: Box<dyn Agent<G>>,
    /// The number of games so far.
    games: u64,
}

impl<G: MatchGame> AgentSeat<G> {
    /// Seats an agent.
    pub fn new(agent: Box<dyn Agent<G>>) -> AgentSeat<G> {
        AgentSeat { agent, games: 0 }
    }
}

impl<G: MatchGame> Seat<G> for AgentSeat<G> {
    fn begin(&mut self, _: &GameStart<'_, G>) -> Result<(), SeatError> {
        self.games = self.games.saturating_add(1);
        Ok(())
    }

    fn choose(&mut self, turn: &SeatTurn<'_, G>) -> Result<Choice<G::Play>, SeatError> {
        let question = Turn {
            start: self.games,
            task: Task::Move,
            color: turn.game.to_move(),
            game: turn.game.clone(),
            refused: Vec::new(),
            left: turn.clock().map(|clock| clock.allowed()),
        };
        let begin = Instant::now();
        let decision = self.agent.choose(&question, turn.stop);
        let used = begin.elapsed();
        match decision {
            Ok(Decision::Move(mv)) => Ok(Choice { mv: Some(mv), used }),
            // No draw was offered.
            Ok(_) => Ok(Choice { mv: None, used }),
            Err(AgentError::Stopped) => Err(SeatError::Stopped),
            Err(error) => Err(SeatError::lost(Verdict::Crash, error.to_string())),
        }
    }

    fn see(&mut self, _: &G, _: G::Play, _: &AtomicBool) -> Result<(), SeatError> {
        Ok(())
    }
}
