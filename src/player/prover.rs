//! A solver for whoever asks: it takes its memory when it is first asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use itertools::Itertools;

use super::analyst::{Analyst, BestMoves, Inquiry, Variation, best_of};
use crate::gothello::{Move, Next, Position};
use crate::solver::book::{BuiltInBook, Oracle};
use crate::solver::{Bounds, Control, MoveBounds, Objective, Solver, bounds_after, distinct_moves};

/// So much memory is filled in a second at most, in MiB.
///
/// A larger table would cost time although it takes memory only as it is filled:
/// that comes page by page, and in a fresh table almost every position is on a page of
/// its own. A proof of some ten thousand positions takes four times as long in 256 MiB
/// as in 16.
const FILLED: f64 = 64.0;

/// The smallest table, in MiB: it is there at once.
const LEAST: usize = 16;

/// How long one move is searched before it is the next one's turn, in the round
/// after the first; in each further round twice as long.
const FIRST_SLICE: Duration = Duration::from_millis(1);

/// Proves values, and remembers what it has proven.
///
/// Nothing is allocated before the first objective, and then no more memory than
/// the time for it can fill.
pub struct Prover {
    /// The size of the largest table, in MiB.
    megabytes: usize,
    threads: usize,
    book: Option<Arc<dyn Oracle>>,
    workshop: Mutex<Option<Workshop>>,
}

/// A solver, and the size of its table in MiB.
struct Workshop {
    solver: Arc<Solver>,
    megabytes: usize,
}

impl Prover {
    /// Returns a prover that knows nothing without a search, with a table of at most
    /// 256 MiB and one thread.
    pub const fn new() -> Prover {
        Prover {
            megabytes: 256,
            threads: 1,
            book: None,
            workshop: Mutex::new(None),
        }
    }

    /// Sets the size of the largest table, in MiB.
    pub fn memory_mib(self, memory_mib: usize) -> Prover {
        Prover {
            megabytes: memory_mib,
            ..self
        }
    }

    /// Sets the number of threads, at least one.
    pub fn threads(self, threads: usize) -> Prover {
        Prover { threads, ..self }
    }

    /// The same prover with a book, in which it looks before it searches.
    pub fn with_book(self, book: Arc<dyn Oracle>) -> Prover {
        Prover {
            book: Some(book),
            ..self
        }
    }

    /// What the book says of a position, which takes no memory.
    pub(super) fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        self.book.as_ref()?.look_up(position)
    }

    /// A solver with a table for so long a search; for any search if `None`. A
    /// table that is too small is replaced by a larger one, if the system has so
    /// much memory.
    pub(super) fn solver(&self, time: Option<Duration>) -> Arc<Solver> {
        let wanted = match time {
            Some(time) => LEAST.max((time.as_secs_f64() * FILLED) as usize),
            None => self.megabytes,
        };
        // A table's size is a power of two.
        let wanted = wanted.checked_next_power_of_two();
        let wanted = wanted.map_or(self.megabytes, |wanted| wanted.min(self.megabytes));
        // A thread that panicked leaves it as good as any other.
        let mut workshop = self.workshop.lock().unwrap_or_else(PoisonError::into_inner);
        match workshop.take().filter(|old| old.megabytes >= wanted) {
            Some(old) => Arc::clone(&workshop.insert(old).solver),
            None => {
                let solver = Solver::builder()
                    .memory_mib(wanted)
                    .threads(self.threads)
                    .build();
                let solver = Arc::new(match &self.book {
                    Some(book) => solver.with_book(Arc::clone(book)),
                    None => solver,
                });
                *workshop = Some(Workshop {
                    solver: Arc::clone(&solver),
                    // With less memory than that there is no need to try again.
                    megabytes: wanted,
                });
                solver
            }
        }
    }

    /// Asks with a solver that has been fetched.
    pub(super) fn with<'a>(&self, solver: &'a Solver) -> Proof<'a> {
        Proof { solver }
    }
}

/// A solver at work.
#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    solver: &'a Solver,
}

impl Proof<'_> {
    /// What is proven of the value of a position.
    pub fn value(
        &self,
        position: &Position,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        self.solver.search(position, objective, control)
    }

    /// What is known already of the value of each legal move, of which those that lead
    /// to the same position up to symmetry are there once.
    pub fn recall(&self, position: &Position) -> Vec<MoveBounds> {
        let recall = |child: &_, _| self.solver.known_bounds(child);
        let judge = |mv| MoveBounds {
            mv,
            bounds: bounds_after(position, mv, Objective::Value, recall),
        };
        distinct_moves(position).map(judge).collect()
    }

    /// Whether the book has the position that a move leads to.
    pub fn is_in_book(&self, position: &Position, mv: Move) -> bool {
        match position.play(mv) {
            Ok(Next::Continues(child)) => self.solver.look_up(&child).is_some(),
            Ok(Next::Ends(_)) | Err(_) => false,
        }
    }

    /// What is proven of the value of a legal move for the player who makes it.
    pub fn after(
        &self,
        position: &Position,
        mv: Move,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        let value = |child: &_, objective| self.value(child, objective, control);
        bounds_after(position, mv, objective, value)
    }

    /// Asks of every legal move the question that `next` gives for what is
    /// proven of it, until it gives none or the search is stopped.
    ///
    /// The moves take turns, each for longer in every round, so that easy ones
    /// are settled soon and hard ones at all. The first round, which is always
    /// finished, asks for what is remembered or found in a moment.
    pub fn settle(
        &self,
        position: &Position,
        next: impl Fn(Bounds) -> Option<Objective>,
        control: &Control<'_>,
        watch: &(dyn Fn(&[MoveBounds]) + Sync),
    ) -> Vec<MoveBounds> {
        let judge = |mv| MoveBounds {
            mv,
            bounds: Bounds::UNKNOWN,
        };
        let mut moves = position.legal_moves().map(judge).collect_vec();
        let mut slice = Duration::ZERO;
        loop {
            let mut settled = true;
            for i in 0..moves.len() {
                let MoveBounds { mv, bounds } = moves[i];
                let Some(objective) = next(bounds) else {
                    continue;
                };
                if !slice.is_zero() && is_over(control) {
                    return moves;
                }
                let control = Control {
                    on_progress: &|_| watch(&moves),
                    ..within(slice, control)
                };
                let bounds = bounds.and(self.after(position, mv, objective, &control));
                settled &= next(bounds).is_none();
                if bounds != moves[i].bounds {
                    moves[i].bounds = bounds;
                    watch(&moves);
                }
            }
            if settled {
                return moves;
            }
            slice = FIRST_SLICE.max(2 * slice);
        }
    }

    /// What is proven of each legal move when it is asked whether it is worth
    /// at least `wanted`.
    pub fn at_least(
        &self,
        position: &Position,
        wanted: i8,
        control: &Control<'_>,
        watch: &(dyn Fn(&[MoveBounds]) + Sync),
    ) -> Vec<MoveBounds> {
        let objective = Objective::AtLeast(wanted);
        let next = |bounds| (!objective.is_decided_by(bounds)).then_some(objective);
        self.settle(position, next, control, watch)
    }

    /// The book's move, or one that is worth at least `wanted`, if one is found.
    fn one_of_the_best(
        &self,
        position: &Position,
        wanted: i8,
        control: &Control<'_>,
    ) -> Option<Move> {
        if let Some((_, mv)) = self.solver.look_up(position) {
            return Some(mv);
        }
        let found = AtomicBool::new(false);
        let objective = Objective::AtLeast(wanted);
        let next = |bounds: Bounds| {
            if bounds.low >= wanted {
                found.store(true, Ordering::Relaxed);
            }
            let is_open = !objective.is_decided_by(bounds) && !found.load(Ordering::Relaxed);
            is_open.then_some(objective)
        };
        let moves = self.settle(position, next, control, &|_| ());
        let best = moves.iter().find(|judged| judged.bounds.low >= wanted);
        best.map(|judged| judged.mv)
    }
}

/// The same control that also ends after a slice of time.
fn within<'a>(slice: Duration, control: &Control<'a>) -> Control<'a> {
    let end = Instant::now() + slice;
    Control {
        deadline: Some(control.deadline.map_or(end, |deadline| deadline.min(end))),
        ..*control
    }
}

/// Whether a search is to stop.
pub(super) fn is_over(control: &Control<'_>) -> bool {
    control.stop.load(Ordering::Relaxed)
        || control
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
}

/// A prover with the built-in book, a table of at most 256 MiB and one thread.
impl Default for Prover {
    fn default() -> Prover {
        Prover::new().with_book(Arc::new(BuiltInBook))
    }
}

impl Analyst for Prover {
    fn value(&self, position: &Position, objective: Objective, control: &Control<'_>) -> Bounds {
        let solver = self.solver(None);
        self.with(&solver).value(position, objective, control)
    }

    fn moves(&self, position: &Position, inquiry: &Inquiry<'_>) -> Vec<MoveBounds> {
        let solver = self.solver(None);
        // Who wins comes first: it is sooner known, and tells most.
        let next = |bounds| {
            [Objective::Winner, Objective::Value]
                .into_iter()
                .find(|objective| !objective.is_decided_by(bounds))
        };
        let proof = self.with(&solver);
        proof.settle(position, next, &inquiry.control(), inquiry.watch)
    }

    fn best_moves(&self, position: &Position, inquiry: &Inquiry<'_>) -> BestMoves {
        let solver = self.solver(None);
        let (proof, control) = (self.with(&solver), inquiry.control());
        let value = proof.value(position, Objective::Value, &control);
        let moves = match value.value() {
            Some(exact) => proof.at_least(position, exact, &control, inquiry.watch),
            None => Vec::new(),
        };
        best_of(value, &moves)
    }

    fn positions(&self) -> u64 {
        let workshop = self.workshop.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = workshop.as_ref().map(|workshop| &workshop.solver);
        solver.map_or(0, |solver| solver.positions())
    }

    fn variation(&self, position: &Position, inquiry: &Inquiry<'_>) -> Variation {
        let solver = self.solver(None);
        let (proof, control) = (self.with(&solver), inquiry.control());
        let value = proof.value(position, Objective::Value, &control);
        let mut variation = Variation {
            value,
            moves: Vec::new(),
            complete: false,
        };
        let Some(mut exact) = value.value() else {
            return variation;
        };
        let mut position = *position;
        while let Some(mv) = proof.one_of_the_best(&position, exact, &control) {
            variation.moves.push((position.to_move(), mv));
            match position.play(mv) {
                Ok(Next::Continues(child)) => (position, exact) = (child, -exact),
                Ok(Next::Ends(_)) => {
                    variation.complete = true;
                    break;
                }
                Err(_) => break,
            }
        }
        variation
    }
}

impl Inquiry<'_> {
    /// The control of one of its questions.
    fn control(&self) -> Control<'_> {
        Control::until(self.stop)
    }
}
