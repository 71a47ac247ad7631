//! An agent that plays for the house of a referee in the same process.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::games::ClientGame;
use crate::clients::agent::{Agent, AgentError, Answer, Decision, Task, Thinker, Turn};
use crate::contests::netref::{Action, ConnId, HouseLink, HousePlayer, HouseTurn};

/// The pause before the house resigns because its agent has failed. A client that comes back at
/// once, over and over, must not start a failing program without end.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// Starts an agent, unless the flag is set, which ends the wait for it.
pub type StartAgent<G> =
    Box<dyn FnMut(&AtomicBool) -> Result<Box<dyn Agent<G>>, AgentError> + Send>;

/// An agent that plays for the house at one table, one match after the other.
pub struct AgentHouse<G: ClientGame>(Arc<Mutex<Desk<G>>>);

/// The agent and its current question.
struct Desk<G: ClientGame> {
    /// `None` before the start, and when it has ended.
    thinker: Option<Thinker<G>>,
    /// The house's connection in the match of the question, and the question.
    asked: Option<(ConnId, Task)>,
}

/// An agent that is started for its first decision.
struct LazyAgent<G> {
    start: StartAgent<G>,
    agent: Option<Box<dyn Agent<G>>>,
}

impl<G: ClientGame> AgentHouse<G> {
    /// Lets an agent play, which is started for its first move. If it fails, the house resigns,
    /// and the agent is asked again in the next match.
    pub fn start(start: StartAgent<G>, link: HouseLink<G::Move>) -> AgentHouse<G> {
        let desk = Arc::new(Mutex::new(Desk {
            thinker: None,
            asked: None,
        }));
        let agent = LazyAgent { start, agent: None };
        let asked = Arc::clone(&desk);
        let thinker = Thinker::start(Box::new(agent), move |answer| {
            let accepted = lock(&asked).accept(answer);
            accepted.is_none_or(|(asked, decision)| act::<G>(&link, asked, decision))
        });
        lock(&desk).thinker = Some(thinker);
        AgentHouse(desk)
    }
}

impl<G: ClientGame> HousePlayer<G> for AgentHouse<G> {
    fn think_about(&mut self, turn: Option<HouseTurn<G>>) {
        let turn = turn.map(|turn| Turn {
            // Each match has its own.
            start: turn.conn.0,
            task: match turn.is_draw_offered {
                true => Task::Answer,
                false => Task::Move,
            },
            color: turn.color,
            game: turn.game,
            refused: Vec::new(),
            left: turn.left,
        });
        let mut desk = lock(&self.0);
        desk.asked = turn.as_ref().map(|turn| (ConnId(turn.start), turn.task));
        if let Some(thinker) = &mut desk.thinker {
            thinker.think_about(turn);
        }
    }

    fn finish(self: Box<Self>) {
        let thinker = lock(&self.0).thinker.take();
        if let Some(thinker) = thinker {
            thinker.finish();
        }
    }
}

impl<G: ClientGame> Desk<G> {
    /// Returns the decision of an answer and its question, unless the question was withdrawn.
    fn accept(&mut self, answer: Answer<G::Move>) -> Option<((ConnId, Task), Decided<G>)> {
        let decision = self.thinker.as_mut()?.accept(answer)?;
        Some((self.asked?, decision))
    }
}

/// A decision of an agent.
type Decided<G> = Result<Decision<<G as crate::games::game::Game>::Move>, AgentError>;

/// Locks the desk. It is valid even if a thread has panicked.
fn lock<G: ClientGame>(desk: &Mutex<Desk<G>>) -> MutexGuard<'_, Desk<G>> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Carries out the agent's decision; if the agent has failed, resigns or refuses the draw. Returns
/// whether the referee still runs.
fn act<G: ClientGame>(
    link: &HouseLink<G::Move>,
    (conn, task): (ConnId, Task),
    decision: Decided<G>,
) -> bool {
    let action = match decision {
        Ok(Decision::Move(mv)) => Action::Move { number: None, mv },
        Ok(Decision::Resign) => Action::Resign,
        Ok(Decision::OfferDraw) => Action::OfferDraw,
        Ok(Decision::AcceptDraw) => Action::AcceptDraw,
        Ok(Decision::RefuseDraw) => Action::RefuseDraw,
        Err(error) if task == Task::Answer => {
            link.note(&format!("{error}; it refuses the draw"));
            Action::RefuseDraw
        }
        Err(error) => {
            link.note(&format!("{error}; it resigns the match"));
            thread::sleep(FAILURE_PAUSE);
            Action::Resign
        }
    };
    link.act(conn, action)
}

impl<G: ClientGame> Agent<G> for LazyAgent<G> {
    fn choose(
        &mut self,
        turn: &Turn<G>,
        stop: &AtomicBool,
    ) -> Result<Decision<G::Move>, AgentError> {
        let agent = match &mut self.agent {
            Some(agent) => agent,
            None => self.agent.insert((self.start)(stop)?),
        };
        agent.choose(turn, stop)
    }

    fn finish(&mut self) {
        if let Some(agent) = &mut self.agent {
            agent.finish();
        }
    }
}
