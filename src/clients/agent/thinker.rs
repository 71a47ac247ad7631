//! An agent on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::{Agent, AgentError, AgentGame, Decision, Task, Turn, left_now};

/// An agent that thinks on a thread of its own, about one turn at a time.
///
/// The thread reports each [`Answer`] to the function given to [`Thinker::start`]. The
/// receiver passes it to [`Thinker::accept`], which drops answers that come too late.
#[derive(Debug)]
pub struct Thinker<G: AgentGame> {
    requests: Sender<Request<G>>,
    thread: JoinHandle<()>,
    current: Option<Current>,
}

/// Identifies a question to the agent: no two questions of a run are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    start: u64,
    moves: usize,
    refused: usize,
    task: Task,
}

/// The decision of the agent on a question.
#[derive(Debug)]
pub struct Answer<M> {
    question: Question,
    decision: Result<Decision<M>, AgentError>,
}

/// A message to the agent's thread.
#[derive(Debug)]
struct Request<G: AgentGame> {
    turn: Turn<G>,
    stop: Arc<AtomicBool>,
    asked: Instant,
}

/// The question that the agent is thinking about.
#[derive(Debug)]
struct Current {
    question: Question,
    stop: Arc<AtomicBool>,
}

impl<G: AgentGame> Turn<G> {
    fn question(&self) -> Question {
        Question {
            start: self.start,
            moves: self.game.moves().count(),
            refused: self.refused.len(),
            task: self.task,
        }
    }
}

impl<G: AgentGame> Thinker<G> {
    /// Starts a thread for an agent. It calls `report` with each answer, until `report`
    /// returns false because the receiver is gone.
    pub fn start(
        agent: Box<dyn Agent<G>>,
        report: impl FnMut(Answer<G::Move>) -> bool + Send + 'static,
    ) -> Thinker<G> {
        let (requests, receiver) = channel();
        Thinker {
            requests,
            thread: thread::spawn(move || think(agent, &receiver, report)),
            current: None,
        }
    }

    /// Makes the agent think about a turn; `None` stops it. Withdraws the current question,
    /// unless it is about the same turn.
    pub fn think_about(&mut self, turn: Option<Turn<G>>) {
        let question = turn.as_ref().map(Turn::question);
        if question == self.current.as_ref().map(|current| current.question) {
            return;
        }
        self.stop();
        let (Some(turn), Some(question)) = (turn, question) else {
            return;
        };
        let stop = Arc::new(AtomicBool::new(false));
        self.current = Some(Current {
            question,
            stop: Arc::clone(&stop),
        });
        let asked = Instant::now();
        // The thread receives until the receiver of its answers is gone.
        let _ = self.requests.send(Request { turn, stop, asked });
    }

    /// Returns the decision of an answer, or `None` if its question was withdrawn.
    pub fn accept(
        &mut self,
        answer: Answer<G::Move>,
    ) -> Option<Result<Decision<G::Move>, AgentError>> {
        self.current
            .take_if(|current| current.question == answer.question)
            .map(|_| answer.decision)
    }

    fn stop(&mut self) {
        if let Some(current) = self.current.take() {
            current.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Shuts the agent down and waits for its thread. The receiver of its answers
    /// must be gone, or the thread may wait for it forever.
    pub fn finish(mut self) {
        self.stop();
        drop(self.requests);
        let _ = self.thread.join();
    }
}

/// Answers requests until there are no more.
fn think<G: AgentGame>(
    mut agent: Box<dyn Agent<G>>,
    requests: &Receiver<Request<G>>,
    mut report: impl FnMut(Answer<G::Move>) -> bool,
) {
    for Request {
        mut turn,
        stop,
        asked,
    } in requests
    {
        // The thread may have been busy with a withdrawn request.
        turn.left = turn.left.map(|left| left_now(left, asked));
        let answer = Answer {
            question: turn.question(),
            decision: agent.choose(&turn, &stop),
        };
        if !report(answer) {
            break;
        }
    }
    agent.finish();
}
