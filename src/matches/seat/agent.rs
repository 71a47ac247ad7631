//! A player of this program at a seat.

use super::{Choice, GameStart, Seat, SeatAction, SeatError, SeatTurn};
use crate::clients::agent::{Agent, AgentError, Decision, Task, Turn};
use crate::matches::game::MatchGame;
use crate::matches::record::Verdict;

/// Makes an agent for a game from the seed of its random choices.
pub type AgentMaker<G> = dyn Fn(u64) -> Box<dyn Agent<G>> + Send;

/// An [`Agent`] at a seat, a new one for each game. Its random choices do not depend on the games
/// before, nor on how many are played at the same time.
pub struct AgentSeat<G: MatchGame> {
    make: Box<AgentMaker<G>>,
    agent: Option<Box<dyn Agent<G>>>,
}

impl<G: MatchGame> AgentSeat<G> {
    /// Seats agents that are made in this way.
    pub fn new(make: Box<AgentMaker<G>>) -> AgentSeat<G> {
        AgentSeat { make, agent: None }
    }
}

impl<G: MatchGame> Seat<G> for AgentSeat<G> {
    fn begin(&mut self, start: &GameStart<'_, G>) -> Result<(), SeatError> {
        self.agent = Some((self.make)(start.seed));
        Ok(())
    }

    fn choose(&mut self, turn: &SeatTurn<'_, G>) -> Result<Choice<G::Move>, SeatError> {
        let Some(agent) = &mut self.agent else {
            return Err(SeatError::Stopped);
        };
        let question = Turn {
            start: 1,
            task: Task::Move,
            color: turn.game.to_move(),
            game: turn.game.clone(),
            refused: Vec::new(),
            left: turn.clock().map(|clock| clock.allowed()),
        };
        let watch = turn.time.stopwatch();
        let decision = agent.choose(&question, turn.stop);
        let used = watch.elapsed();
        let action = match decision {
            Ok(Decision::Move(mv)) => SeatAction::Move(mv),
            // No draw was offered.
            Ok(_) => SeatAction::Resign,
            Err(AgentError::Stopped) => return Err(SeatError::Stopped),
            Err(error) => return Err(SeatError::lost(Verdict::Crash, error.to_string())),
        };
        Ok(Choice { action, used })
    }
}
