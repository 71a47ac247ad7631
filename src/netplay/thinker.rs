//! An agent on a thread of its own, so that the referee is heard meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::{self, JoinHandle};

use super::agent::{Agent, Task, Turn};
use super::game::Game;
use super::link::Event;

/// An agent that thinks while others do something else.
#[derive(Debug)]
pub struct Thinker<G> {
    questions: Sender<Question<G>>,
    thread: JoinHandle<()>,
    thought: Option<Thought>,
}

/// What the agent is asked.
#[derive(Debug)]
struct Question<G> {
    turn: Turn<G>,
    stop: Arc<AtomicBool>,
}

/// What is decided: the moves of the game so far, and what is to follow. No two
/// questions of a match have the same, but for one that is asked again after its
/// answer.
pub type About = (usize, Task);

impl<G: Game> Turn<G> {
    /// What is decided.
    fn about(&self) -> About {
        (self.game.moves().count(), self.task)
    }
}

/// What the agent thinks about.
#[derive(Debug)]
struct Thought {
    about: About,
    stop: Arc<AtomicBool>,
}

impl<G: Game> Thinker<G> {
    /// Gives an agent a thread, from which it reports what it has chosen.
    pub fn start(agent: Box<dyn Agent<G>>, events: SyncSender<Event<G::Move>>) -> Thinker<G> {
        let (questions, receiver) = channel();
        Thinker {
            questions,
            thread: thread::spawn(move || think(agent, &receiver, &events)),
            thought: None,
        }
    }

    /// Thinks about this turn, or about nothing; what it was thinking about
    /// otherwise is dropped.
    pub fn think_about(&mut self, turn: Option<Turn<G>>) {
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
        // The thread takes questions for as long as somebody hears its answers.
        let _ = self.questions.send(Question { turn, stop });
    }

    /// Whether a decision about this is what is waited for; then it is no longer.
    pub fn is_awaited(&mut self, about: About) -> bool {
        self.thought
            .take_if(|thought| thought.about == about)
            .is_some()
    }

    fn stop(&mut self) {
        if let Some(thought) = self.thought.take() {
            thought.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Lets the agent finish. Nobody may be left who reads its events: it must
    /// not wait for a reader.
    pub fn finish(mut self) {
        self.stop();
        drop(self.questions);
        let _ = self.thread.join();
    }
}

/// Answers questions until there are no more.
fn think<G: Game>(
    mut agent: Box<dyn Agent<G>>,
    questions: &Receiver<Question<G>>,
    events: &SyncSender<Event<G::Move>>,
) {
    for Question { turn, stop } in questions {
        let choice = agent.choose(&turn, &stop);
        if events.send(Event::Chosen(turn.about(), choice)).is_err() {
            break;
        }
    }
    agent.finish();
}
