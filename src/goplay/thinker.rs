//! An agent on a thread of its own, so that the server is heard meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as std_mpsc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::sync::mpsc;

use super::agent::{About, Agent, AgentError, Turn};
use crate::go::Move;

/// How many answers may wait; an agent with more of them waits.
const WAITING: usize = 4;

/// An agent that thinks while others do something else.
#[derive(Debug)]
pub(super) struct Thinker {
    questions: std_mpsc::Sender<Question>,
    answers: mpsc::Receiver<Answer>,
    thread: JoinHandle<()>,
    thought: Option<Thought>,
}

/// What the agent is asked.
#[derive(Debug)]
struct Question {
    turn: Turn,
    stop: Arc<AtomicBool>,
    asked: Instant,
}

/// What the agent has chosen.
#[derive(Debug)]
struct Answer {
    about: About,
    choice: Result<Move, AgentError>,
}

/// What the agent thinks about.
#[derive(Debug)]
struct Thought {
    about: About,
    stop: Arc<AtomicBool>,
}

impl Thinker {
    /// Gives an agent a thread.
    pub(super) fn start(agent: Box<dyn Agent>) -> Thinker {
        let (questions, receiver) = std_mpsc::channel();
        let (sender, answers) = mpsc::channel(WAITING);
        Thinker {
            questions,
            answers,
            thread: thread::spawn(move || think(agent, &receiver, &sender)),
            thought: None,
        }
    }

    /// Thinks about this turn, or about nothing; what it was thinking about
    /// otherwise is dropped.
    pub(super) fn think_about(&mut self, turn: Option<Turn>) {
        let about = turn.as_ref().map(Turn::about);
        if about == self.thought.as_ref().map(|thought| thought.about) {
            return;
        }
        self.stop();
        let Some(turn) = turn else { return };
        let stop = Arc::new(AtomicBool::new(false));
        self.thought = Some(Thought {
            about: turn.about(),
            stop: Arc::clone(&stop),
        });
        let asked = Instant::now();
        // The thread takes questions for as long as somebody hears its answers.
        let _ = self.questions.send(Question { turn, stop, asked });
    }

    /// Waits for what is chosen; answers to what is no longer asked are passed over.
    /// May be dropped and called again.
    pub(super) async fn next(&mut self) -> Result<Move, AgentError> {
        loop {
            match self.answers.recv().await {
                Some(Answer { about, choice }) if self.is_awaited(about) => return choice,
                Some(_) => {}
                // The agent has panicked, and everybody has been told.
                None => return Err(AgentError::Left),
            }
        }
    }

    fn is_awaited(&mut self, about: About) -> bool {
        self.thought
            .take_if(|thought| thought.about == about)
            .is_some()
    }

    fn stop(&mut self) {
        if let Some(thought) = self.thought.take() {
            thought.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Lets the agent finish.
    pub(super) fn finish(mut self) {
        self.stop();
        drop(self.questions);
        // Nobody reads its answers: it must not wait for a reader.
        drop(self.answers);
        let _ = self.thread.join();
    }
}

/// Answers questions until there are no more.
fn think(
    mut agent: Box<dyn Agent>,
    questions: &std_mpsc::Receiver<Question>,
    answers: &mpsc::Sender<Answer>,
) {
    for mut question in questions {
        let Question { turn, stop, asked } = &mut question;
        // It may have waited for the end of a thought that was dropped.
        turn.left = turn.left.saturating_sub(asked.elapsed());
        let answer = Answer {
            about: turn.about(),
            choice: agent.choose(turn, stop),
        };
        if answers.blocking_send(answer).is_err() {
            break;
        }
    }
    agent.finish();
}
