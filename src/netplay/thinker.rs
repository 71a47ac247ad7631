//! An agent on a thread of its own, so that the referee is heard meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread::{self, JoinHandle};

use super::agent::{Agent, Turn};
use super::link::Event;

/// An agent that thinks while others do something else.
#[derive(Debug)]
pub struct Thinker {
    questions: Sender<Question>,
    thread: JoinHandle<()>,
    thought: Option<Thought>,
}

/// What the agent is asked.
#[derive(Debug)]
struct Question {
    turn: Turn,
    stop: Arc<AtomicBool>,
}

/// What the agent thinks about.
#[derive(Debug)]
struct Thought {
    /// The moves of the game so far: no two turns of a match have as many.
    moves: usize,
    stop: Arc<AtomicBool>,
}

impl Thinker {
    /// Gives an agent a thread, from which it reports what it has chosen.
    pub fn start(agent: Box<dyn Agent>, events: SyncSender<Event>) -> Thinker {
        let (questions, receiver) = channel();
        Thinker {
            questions,
            thread: thread::spawn(move || think(agent, &receiver, &events)),
            thought: None,
        }
    }

    /// Thinks about this turn, or about nothing; what it was thinking about
    /// otherwise is dropped.
    pub fn think_about(&mut self, turn: Option<Turn>) {
        let moves = turn.as_ref().map(|turn| turn.game.undoable());
        if moves == self.thought.as_ref().map(|thought| thought.moves) {
            return;
        }
        self.stop();
        let Some(turn) = turn else { return };
        let stop = Arc::new(AtomicBool::new(false));
        self.thought = Some(Thought {
            moves: turn.game.undoable(),
            stop: Arc::clone(&stop),
        });
        // The thread takes questions for as long as somebody hears its answers.
        let _ = self.questions.send(Question { turn, stop });
    }

    /// Whether a choice after so many moves is what is waited for; then it is
    /// no longer.
    pub fn is_awaited(&mut self, moves: usize) -> bool {
        self.thought
            .take_if(|thought| thought.moves == moves)
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
fn think(mut agent: Box<dyn Agent>, questions: &Receiver<Question>, events: &SyncSender<Event>) {
    for Question { turn, stop } in questions {
        let choice = agent.choose(&turn, &stop);
        if events
            .send(Event::Chosen(turn.game.undoable(), choice))
            .is_err()
        {
            break;
        }
    }
    agent.finish();
}
