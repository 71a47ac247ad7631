//! Questions about positions, and who works on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::book::Oracle;
use super::bounds::Bounds;
use super::crew::{Control, Crew};
use super::node::Node;
use super::search::Search;
use super::symmetry::Key;
use super::table::{Entry, Table};
use crate::gothello::{Move, Position};

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
    book: Option<Arc<dyn Oracle>>,
    /// Whether something was found there.
    has_used_book: AtomicBool,
}

/// What is asked about a value for the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The value itself.
    Value,
    /// Who has more stones at the end, or that both have the same number.
    Winner,
    /// Whether the value is at least this.
    AtLeast(i8),
}

impl Objective {
    /// Whether these bounds of the value answer the objective.
    pub fn is_decided_by(self, bounds: Bounds) -> bool {
        let Bounds { low, high } = bounds;
        match self {
            Objective::Value => low >= high,
            Objective::Winner => bounds.sign().is_some(),
            Objective::AtLeast(wanted) => low >= wanted || high < wanted,
        }
    }
}

impl Solver {
    /// The same solver with a book, in which it looks up every position that it is
    /// asked about, and the positions after each move.
    ///
    /// So it answers without a search where these say enough. What it proves is then
    /// as true as the book.
    pub fn with_book(self, book: Arc<dyn Oracle>) -> Solver {
        Solver {
            book: Some(book),
            ..self
        }
    }

    /// A solver that shares this one's table and book and works with so many threads,
    /// at least one. It counts its own positions.
    pub fn sharing_table(&self, threads: usize) -> Solver {
        Solver {
            book: self.book.clone(),
            ..Solver::with(Arc::clone(&self.table), threads)
        }
    }

    pub(super) fn with(table: Arc<Table>, threads: usize) -> Solver {
        Solver {
            table,
            threads: threads.max(1),
            positions: AtomicU64::new(0),
            book: None,
            has_used_book: AtomicBool::new(false),
        }
    }

    /// What the book says of a position: the value for the player to move, and a move
    /// that keeps it.
    pub fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        let found = self.book.as_ref()?.look_up(position);
        if found.is_some() {
            self.has_used_book.store(true, Ordering::Relaxed);
        }
        found
    }

    /// Whether something that was asked for was found in the book.
    pub fn has_used_book(&self) -> bool {
        self.has_used_book.load(Ordering::Relaxed)
    }

    /// Writes into the table what the book says of the positions after each move, for
    /// there the search looks first.
    fn look_up_children(&self, position: &Position) {
        if self.book.is_none() {
            return;
        }
        // Without the pass, as all that the table holds.
        let passed = position.with_to_move(position.to_move().opponent());
        let placed = position.children().map(|(_, child)| child);
        for child in placed.chain([passed]) {
            if let Some((value, best)) = self.look_up(&child) {
                let (key, symmetry) = Key::of(child.stones());
                let entry = Entry {
                    bounds: Bounds::exactly(value),
                    best: Some(symmetry.apply_to(best)),
                    // Nothing takes its place.
                    work: u8::MAX,
                };
                self.table.put(key, entry);
            }
        }
    }

    /// What the book, the table and the stones as they stand say of the value for the
    /// player to move, without a search.
    pub fn known_bounds(&self, position: &Position) -> Bounds {
        if let Some((value, _)) = self.look_up(position) {
            return Bounds::exactly(value);
        }
        let (key, _) = Key::of(position.stones());
        let bounds = Node::new(position.stones()).bounds();
        let found = self.table.get(key);
        let bounds = found.map_or(bounds, |entry| entry.bounds.and(bounds));
        bounds.or_end(position)
    }

    /// Positions searched so far.
    pub fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    /// What is found out of the value of a position for the player to move
    /// until the question is answered, or the search stopped. Unless it was
    /// stopped, the answer to [`Objective::Value`] is exact.
    pub fn search(
        &self,
        position: &Position,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        // The first thing to know is who wins.
        self.search_from(position, objective, 1, control)
    }

    /// [`Solver::search`] for the value, which is expected to be `guess`: that
    /// saves work if it is right or nearly so.
    pub fn search_near(&self, position: &Position, guess: i8, control: &Control<'_>) -> Bounds {
        self.search_from(position, Objective::Value, guess.saturating_add(1), control)
    }

    fn search_from(
        &self,
        position: &Position,
        objective: Objective,
        first: i8,
        control: &Control<'_>,
    ) -> Bounds {
        if let Some((value, _)) = self.look_up(position) {
            return Bounds::exactly(value);
        }
        self.look_up_children(position);
        self.close(position, objective, first, control)
    }

    /// Asks until the question is answered or the search is stopped. Of the value it
    /// is asked first whether it is at least `first`.
    fn close(
        &self,
        position: &Position,
        objective: Objective,
        first: i8,
        control: &Control<'_>,
    ) -> Bounds {
        let node = Node::new(position.stones());
        // Whether the game may be ended here, nothing deeper depends on.
        let mut bounds = node.bounds().or_end(position);
        let mut ladder = Ladder::new(first);
        while !objective.is_decided_by(bounds) {
            let wanted = match objective {
                Objective::AtLeast(wanted) => wanted,
                // The first thing to know is who wins.
                Objective::Winner if bounds.high > 0 => 1,
                Objective::Winner => 0,
                Objective::Value => ladder.next(bounds),
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
            let others: Vec<_> = others.collect();
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
        let bounds = self.search(position, Objective::AtLeast(wanted), control);
        Some(bounds.answer(wanted)? >= wanted)
    }

    /// The book's move, or the one that last showed how much a position is worth at
    /// least, if the table has it; legal, but then not proven to be good.
    pub(super) fn remembered(&self, position: &Position) -> Option<Move> {
        if let Some((_, mv)) = self.look_up(position) {
            return Some(mv);
        }
        let (key, symmetry) = Key::of(position.stones());
        let best = self.table.get(key)?.best?;
        Some(symmetry.undo_from(best))
    }
}
