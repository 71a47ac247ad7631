//! How a book comes about.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::file::{Book, Entry};
use crate::gothello::{Move, Next, Point, Position};
use crate::solver::symmetry::Key;
use crate::solver::{Control, Question, Solver};

/// How far a book is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Building {
    /// The number of stones of the positions that are being solved.
    pub stones: u32,
    /// How many positions there are with so many stones.
    pub all: usize,
    /// How many of these are solved.
    pub solved: usize,
}

/// Builds the book of all positions with up to `stones` stones, with `threads`
/// threads that share the solver's table. `known` are the entries that an
/// earlier run has found, which `found` was told.
///
/// `None` if it was stopped.
///
/// # Errors
/// If `found` fails.
pub fn build<E>(
    stones: u32,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
    known: impl IntoIterator<Item = Entry>,
    mut found: impl FnMut(Entry, Building) -> Result<(), E>,
) -> Result<Option<Book>, E> {
    let known = known.into_iter().map(|entry| (entry.key, entry));
    let mut known: HashMap<Key, Entry> = known.collect();
    let mut chosen = Vec::new();
    // The positions with so many stones; placing makes more of them.
    let mut layers = first_positions(stones);
    for number in 0..=stones {
        let Some(layer) = layers.get(number as usize).cloned() else {
            break;
        };
        let open: Vec<Key> = layer
            .iter()
            .copied()
            .filter(|key| !known.contains_key(key))
            .collect();
        let mut building = Building {
            stones: number,
            all: layer.len(),
            solved: layer.len() - open.len(),
        };
        let work = Work {
            solver,
            threads,
            control,
        };
        let is_complete = work.solve_all(&open, |entry| {
            known.insert(entry.key, entry);
            building.solved += 1;
            found(entry, building)
        })?;
        if !is_complete {
            return Ok(None);
        }
        let entries = layer.iter().filter_map(|key| known.get(key));
        for &entry in entries {
            chosen.push(entry);
            for next in next_positions(&entry) {
                let count = 25 - next.empty().len();
                if let Some(layer) = layers.get_mut(count as usize) {
                    layer.insert(Key::of(next.stones()).0);
                }
            }
        }
    }
    Ok(Some(Book::of(stones, chosen)))
}

/// The owner's first positions by their number of stones: the empty board, and
/// what the other player's first stone makes of it.
fn first_positions(stones: u32) -> Vec<BTreeSet<Key>> {
    let mut layers = vec![BTreeSet::new(); stones.min(24) as usize + 1];
    let start = Position::START;
    let after = start.children().map(|(_, position)| position);
    for position in after.chain([start]) {
        let count = 25 - position.empty().len();
        if let Some(layer) = layers.get_mut(count as usize) {
            layer.insert(Key::of(position.stones()).0);
        }
    }
    layers
}

/// The owner's positions after his move in an entry and each of the other
/// player's answers.
pub(super) fn next_positions(entry: &Entry) -> Vec<Position> {
    let after = entry
        .position()
        .and_then(|position| position.play(entry.best).ok());
    let Some(Next::Continues(position)) = after else {
        return Vec::new();
    };
    let answers = position
        .legal_moves()
        .filter_map(|mv| position.play(mv).ok());
    answers
        .filter_map(|next| match next {
            Next::Continues(position) => Some(position),
            Next::Ends(_) => None,
        })
        .collect()
}

/// Who solves positions.
struct Work<'a> {
    solver: &'a Solver,
    threads: usize,
    control: &'a Control<'a>,
}

impl Work<'_> {
    /// Solves some positions and gives each entry to `found`; `false` if it was
    /// stopped.
    fn solve_all<E>(
        &self,
        keys: &[Key],
        mut found: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<bool, E> {
        // Each thread takes positions of its own if there are enough; of a few
        // all work on one.
        let teams = if keys.len() < 4 * self.threads {
            1
        } else {
            self.threads
        };
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::sync_channel(teams);
        thread::scope(|scope| {
            for _ in 0..teams {
                let (sender, next) = (sender.clone(), &next);
                let solver = self.solver.sharing(self.threads / teams);
                let control = self.control;
                scope.spawn(move || {
                    while let Some(&key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let Some(entry) = solve(&solver, key, control) else {
                            break;
                        };
                        // Nobody listens: he has failed.
                        if sender.send(entry).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut count = 0;
            for entry in receiver {
                found(entry)?;
                count += 1;
            }
            Ok(count == keys.len())
        })
    }
}

/// The entry of a position; `None` if the search was stopped.
fn solve(solver: &Solver, key: Key, control: &Control<'_>) -> Option<Entry> {
    let entry = Entry {
        key,
        value: 0,
        best: Move::Pass,
    };
    let position = entry.position()?;
    let value = solver.solve(&position, Question::Value, control).value()?;
    let best = best_move(solver, &position, value, control)?;
    Some(Entry {
        value,
        best,
        ..entry
    })
}

/// A move that keeps the value. A stone is preferred to a pass: it leaves the
/// other player more ways to go wrong.
fn best_move(
    solver: &Solver,
    position: &Position,
    value: i8,
    control: &Control<'_>,
) -> Option<Move> {
    let remembered = solver.remembered(position);
    let placements = Point::ALL.map(Move::Place);
    let candidates = remembered.into_iter().chain(placements);
    for mv in candidates.filter(|&mv| mv != Move::Pass && position.play(mv).is_ok()) {
        if solver.keeps(position, mv, value, control)? {
            return Some(mv);
        }
    }
    Some(Move::Pass)
}
