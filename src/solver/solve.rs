//! Questions about positions, and who works on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use itertools::Itertools;

use super::bounds::Bounds;
use super::crew::{Control, Crew};
use super::node::Node;
use super::search::Search;
use super::symmetry::Key;
use super::table::Table;
use crate::gothello::{Move, Position, Stones};

/// With fewer empty points than this one thread is enough: it is done before
/// another has begun.
const ALONE: u32 = 13;

/// Bounds that are further apart than this are halved; nearer ones are closed
/// from the side of the last answer, which is often the value.
const FAR: i8 = 3;

/// How far from the first question the second one is; each further one is twice
/// as far from the one before, until the answer changes.
const STEP: i8 = 4;

/// Which question leads to the value soonest.
struct Ladder {
    first: i8,
    step: i8,
    /// The last answer.
    last: Option<bool>,
    /// Whether there was another answer before.
    turned: bool,
}

impl Ladder {
    fn new(first: i8) -> Ladder {
        Ladder {
            first,
            step: STEP,
            last: None,
            turned: false,
        }
    }

    /// What is to be asked next.
    fn next(&mut self, bounds: Bounds) -> i8 {
        let Bounds { low, high } = bounds;
        let Some(last) = self.last else {
            return self.first;
        };
        let step = self.step;
        if !self.turned {
            // Further than any value is from another is far enough.
            self.step = (2 * step).min(50);
        }
        match (last, self.turned) {
            (true, false) => low + step,
            (false, false) => high - step,
            (_, true) if high - low > FAR => low + (high - low + 1) / 2,
            (true, true) => low + 1,
            (false, true) => high,
        }
    }

    fn answered(&mut self, is_yes: bool) {
        self.turned |= self.last == Some(!is_yes);
        self.last = Some(is_yes);
    }
}

/// Finds out exact values. What it has found out once it remembers, as far as
/// its table reaches.
#[derive(Debug)]
pub struct Solver {
    table: Arc<Table>,
    threads: usize,
    positions: AtomicU64,
}

/// What is asked about a value for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The value itself.
    Value,
    /// Who has more stones at the end, or that both have the same number.
    Winner,
    /// Whether the value is at least this.
    AtLeast(i8),
}

impl Question {
    /// Whether these bounds of the value answer the question.
    pub fn is_answered(self, bounds: Bounds) -> bool {
        let Bounds { low, high } = bounds;
        match self {
            Question::Value => low >= high,
            Question::Winner => bounds.sign().is_some(),
            Question::AtLeast(wanted) => low >= wanted || high < wanted,
        }
    }
}

impl Solver {
    /// A solver that shares this one's table and works with so many threads, at
    /// least one. It counts its own positions.
    pub fn sharing(&self, threads: usize) -> Solver {
        Solver::with(Arc::clone(&self.table), threads)
    }

    pub(super) fn with(table: Arc<Table>, threads: usize) -> Solver {
        Solver {
            table,
            threads: threads.max(1),
            positions: AtomicU64::new(0),
        }
    }

    /// Positions searched so far.
    pub fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    /// What is found out of the value of a position for the player to move
    /// until the question is answered, or the search stopped. Unless it was
    /// stopped, the answer to [`Question::Value`] is exact.
    pub fn search(&self, position: &Position, question: Question, control: &Control<'_>) -> Bounds {
        // The first thing to know is who wins.
        self.search_from(position, question, 1, control)
    }

    /// [`Solver::search`] for the value, which is expected to be `guess`: that
    /// saves work if it is right or nearly so.
    pub fn value_near(&self, position: &Position, guess: i8, control: &Control<'_>) -> Bounds {
        self.search_from(position, Question::Value, guess.saturating_add(1), control)
    }

    fn search_from(
        &self,
        position: &Position,
        question: Question,
        first: i8,
        control: &Control<'_>,
    ) -> Bounds {
        let floor = if position.after_pass() {
            // He may also end the game.
            position.stones().lead()
        } else {
            Bounds::UNKNOWN.low
        };
        self.close(position.stones(), question, floor, first, control)
    }

    /// Asks until the question is answered or the search is stopped. The value
    /// is that without a pass before, or `floor` if that is more. Of the value it
    /// is asked first whether it is at least `first`.
    fn close(
        &self,
        stones: Stones,
        question: Question,
        floor: i8,
        first: i8,
        control: &Control<'_>,
    ) -> Bounds {
        let node = Node::new(stones);
        let Bounds { low, high } = node.bounds();
        let mut bounds = Bounds {
            low: low.max(floor),
            high: high.max(floor),
        };
        let mut ladder = Ladder::new(first);
        while !question.is_answered(bounds) {
            let wanted = match question {
                Question::AtLeast(wanted) => wanted,
                // The first thing to know is who wins.
                Question::Winner if bounds.high > 0 => 1,
                Question::Winner => 0,
                Question::Value => ladder.next(bounds),
            };
            let wanted = wanted.clamp(bounds.low + 1, bounds.high);
            let Some(answer) = self.ask(&node, wanted, bounds, control) else {
                return bounds;
            };
            if answer >= wanted {
                bounds.low = answer.min(bounds.high);
            } else {
                bounds.high = answer.max(bounds.low);
            }
            ladder.answered(answer >= wanted);
        }
        bounds
    }

    /// Whether the value is at least `wanted`, of a position of whose value
    /// `bounds` is known; `None` if the search is stopped.
    fn ask(&self, node: &Node, wanted: i8, bounds: Bounds, control: &Control<'_>) -> Option<i8> {
        let threads = if node.placements.empty().len() < ALONE {
            1
        } else {
            self.threads
        };
        let crew = Crew::new(control, threads, &self.positions, bounds, wanted);
        let search = |leads| {
            let answer = Search::new(&self.table, &crew, leads).ask(node, wanted);
            if answer.is_ok() {
                crew.finish();
            }
            answer.ok()
        };
        thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, || search(false));
            // If the system has no more threads, fewer do it.
            let others = (1..threads).map_while(|number| start(number).ok());
            let others = others.collect_vec();
            let own = search(true);
            let answers = others
                .into_iter()
                .filter_map(|other| other.join().ok().flatten());
            // More than one may have finished; either answer is right.
            answers.chain(own).reduce(|one, other| {
                if wanted <= one {
                    one.max(other)
                } else {
                    one.min(other)
                }
            })
        })
    }

    /// Whether the value of a position for the player to move is at least
    /// `wanted`; `None` if the search is stopped.
    pub fn is_at_least(
        &self,
        position: &Position,
        wanted: i8,
        control: &Control<'_>,
    ) -> Option<bool> {
        let bounds = self.search(position, Question::AtLeast(wanted), control);
        Some(bounds.answer(wanted)? >= wanted)
    }

    /// The move that last showed how much a position is worth at least, if the
    /// table has it; legal, but not proven to be good.
    pub(super) fn remembered(&self, position: &Position) -> Option<Move> {
        let (key, symmetry) = Key::of(position.stones());
        let best = self.table.get(key)?.best?;
        Some(symmetry.undo_from(best))
    }
}
