//! Building and verifying a book.

use std::collections::HashMap;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::{Book, Entry};
use crate::gothello::{Move, Next, Position};
use crate::solver::symmetry::Key;
use crate::solver::{Control, Objective, ReplyDifficulty, Solver};

/// The progress of [`build`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The number of stones of the positions that are being solved.
    pub stones: u32,
    /// The number of positions with this many stones.
    pub total: usize,
    /// The number of these that are solved.
    pub solved: usize,
}

/// An event during [`build`].
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent {
    /// The positions with the next number of stones are about to be solved.
    LayerStarted,
    /// An entry was found.
    EntryFound(Entry),
}

/// Builds a book that is complete up to `stones` stones for games from `first` on, where
/// the owner is to move; from the empty board, the other player may also begin.
///
/// `threads` threads share the solver's table. `known` are entries that an earlier run
/// has found. `notify` is called for each event; it can save the entries.
///
/// Returns `None` if the search was stopped.
///
/// # Errors
///
/// If `notify` fails. If positions are then being searched, `control.stop` is set so that
/// all searches end.
pub fn build<E>(
    first: &Position,
    stones: u32,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
    known: impl IntoIterator<Item = Entry>,
    mut notify: impl FnMut(BuildEvent, BuildProgress) -> Result<(), E>,
) -> Result<Option<Book>, E> {
    let known = known.into_iter().map(|entry| (entry.key, entry));
    let mut known: HashMap<Key, Entry> = known.collect();
    let mut chosen = Vec::new();
    let mut layers = Layers::new(first, stones);
    for number in 0..=stones {
        let Some(layer) = layers.0.get_mut(number as usize).map(mem::take) else {
            break;
        };
        let open: Vec<(Key, i8)> = layer
            .positions
            .iter()
            .filter(|(key, _)| !known.contains_key(key))
            .copied()
            .collect();
        let mut progress = BuildProgress {
            stones: number,
            total: layer.positions.len(),
            solved: layer.positions.len() - open.len(),
        };
        notify(BuildEvent::LayerStarted, progress)?;
        let job = LayerJob {
            solver,
            threads,
            control,
            positions: &open,
            is_last: number + 2 > stones,
            next: AtomicUsize::new(0),
        };
        let is_complete = job.solve_all(|entry| {
            known.insert(entry.key, entry);
            progress.solved += 1;
            notify(BuildEvent::EntryFound(entry), progress)
        })?;
        if !is_complete {
            return Ok(None);
        }
        let entries = layer.positions.iter().filter_map(|(key, _)| known.get(key));
        for &entry in entries {
            chosen.push(entry);
            layers.add(positions_after_first_move(&entry), -entry.value);
            layers.add(next_positions(&entry), entry.value);
        }
    }
    Ok(Some(Book::from_entries(stones, chosen)))
}

/// The owner's positions by their number of stones, each with a guess of its value: the
/// value of the position before, which the owner at least keeps.
struct Layers(Vec<Layer>);

/// The positions with one number of stones, each once, with their guesses. Positions that
/// follow from the same one are adjacent, so that the table still has what they share.
#[derive(Clone, Default)]
struct Layer {
    positions: Vec<(Key, i8)>,
    /// The index of each position.
    indices: HashMap<Key, usize>,
}

impl Layer {
    /// Adds a position, or raises its guess.
    fn add(&mut self, key: Key, value: i8) {
        let index = *self.indices.entry(key).or_insert(self.positions.len());
        match self.positions.get_mut(index) {
            Some((_, guess)) => *guess = value.max(*guess),
            None => self.positions.push((key, value)),
        }
    }
}

impl Layers {
    /// Creates the layers up to this number of stones, with the first position.
    fn new(first: &Position, stones: u32) -> Layers {
        let mut layers = Layers(vec![Layer::default(); stones.min(24) as usize + 1]);
        layers.add([*first], 0);
        layers
    }

    fn add(&mut self, positions: impl IntoIterator<Item = Position>, value: i8) {
        for position in positions {
            let stones = position.stones().count();
            if let Some(layer) = self.0.get_mut(stones as usize) {
                layer.add(Key::of(position.stones()).0, value);
            }
        }
    }
}

/// If the entry is the empty board, returns the owner's positions after the other player
/// has begun.
fn positions_after_first_move(entry: &Entry) -> impl Iterator<Item = Position> + use<> {
    let is_start = entry.key == Key::of(Position::START.stones()).0;
    let children = is_start.then(|| Position::START.children());
    children.into_iter().flatten().map(|(_, position)| position)
}

/// Returns the owner's positions after the move of an entry and each reply.
fn next_positions(entry: &Entry) -> Vec<Position> {
    let after = entry
        .position()
        .and_then(|position| position.play(entry.best).ok());
    let Some(Next::Continues(position)) = after else {
        return Vec::new();
    };
    let replies = position
        .legal_moves()
        .filter_map(|mv| position.play(mv).ok());
    replies
        .filter_map(|next| match next {
            Next::Continues(position) => Some(position),
            Next::Ends(_) => None,
        })
        .collect()
}

/// The positions of a layer that are to be solved.
struct LayerJob<'a> {
    solver: &'a Solver,
    threads: usize,
    control: &'a Control<'a>,
    /// The positions, each with a guess of its value.
    positions: &'a [(Key, i8)],
    /// Whether the book ends with this layer.
    is_last: bool,
    /// The index of the first position that no thread has taken yet.
    next: AtomicUsize,
}

impl LayerJob<'_> {
    /// Solves all positions and passes each entry to `found`. Returns `false` if the
    /// search was stopped.
    fn solve_all<E>(&self, mut found: impl FnMut(Entry) -> Result<(), E>) -> Result<bool, E> {
        // With many positions, each thread solves its own; with few, all threads search
        // the same one.
        let workers = if self.positions.len() < 4 * self.threads {
            1
        } else {
            self.threads
        };
        let mut count = 0;
        let mut result = Ok(());
        let mut keep = |entry| {
            count += 1;
            result = found(entry);
            if result.is_err() {
                self.control.stop.store(true, Ordering::Relaxed);
            }
            result.is_ok()
        };
        let (sender, receiver) = mpsc::sync_channel(workers);
        thread::scope(|scope| {
            let start = |_: &usize| {
                let sender = sender.clone();
                let work = move || self.solve_some(workers, |entry| sender.send(entry).is_ok());
                thread::Builder::new().spawn_scoped(scope, work).is_ok()
            };
            let started = (0..workers).filter(start).count();
            drop(sender);
            if started == 0 {
                // The system refuses further threads.
                self.solve_some(1, &mut keep);
            }
            for entry in receiver {
                if !keep(entry) {
                    break;
                }
            }
        });
        result.map(|()| count == self.positions.len())
    }

    /// Solves positions, as one of this number of workers, until none is left, the search
    /// is stopped, or `give` returns `false`.
    fn solve_some(&self, workers: usize, mut give: impl FnMut(Entry) -> bool) {
        let solver = self.solver.sharing_table(self.threads / workers);
        let next = || (self.positions).get(self.next.fetch_add(1, Ordering::Relaxed));
        while let Some(&(key, guess)) = next() {
            // A short search ends before it checks the flag.
            if self.control.stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(entry) = self.solve(&solver, key, guess) else {
                break;
            };
            if !give(entry) {
                break;
            }
        }
    }

    /// Solves a position whose value is probably near `guess`; `None` if the search was
    /// stopped.
    fn solve(&self, solver: &Solver, key: Key, guess: i8) -> Option<Entry> {
        let entry = Entry {
            key,
            value: 0,
            best: Move::Pass,
        };
        let position = entry.position()?;
        let value = solver.search_near(&position, guess, self.control).value()?;
        let best = self.best_move(solver, &position, value)?;
        Some(Entry {
            value,
            best,
            ..entry
        })
    }

    /// Returns the best move that is hardest to answer; `None` if the search was stopped.
    ///
    /// In the last layer, where that would take longer than everything else, returns any
    /// best move, preferably a placement.
    fn best_move(&self, solver: &Solver, position: &Position, value: i8) -> Option<Move> {
        if self.is_last {
            let first = solver.known_move(position).filter(|&mv| mv != Move::Pass);
            for mv in first.into_iter().chain(position.legal_moves()) {
                if solver.keeps(position, mv, value, self.control)? {
                    return Some(mv);
                }
            }
        }
        let mut best = Vec::new();
        for mv in position.legal_moves() {
            if solver.keeps(position, mv, value, self.control)? {
                best.push(mv);
            }
        }
        let mut chosen = (*best.first()?, ReplyDifficulty::default());
        if best.len() > 1 {
            for mv in best {
                let value_of =
                    |after: &Position, reply| self.reply_value(solver, after, reply, -value);
                let difficulty = ReplyDifficulty::of_move(position, mv, value_of)?;
                if difficulty > chosen.1 {
                    chosen = (mv, difficulty);
                }
            }
        }
        Some(chosen.0)
    }

    /// Returns a value of a reply for the opponent that classifies it, where the best
    /// reply has the value `best`; `None` if the search was stopped.
    ///
    /// Exact values would take much longer. This only finds out whether the reply loses
    /// anything, and whether it changes the result. (So the average loss of stones decides
    /// nothing: it is the same for moves with the same shares.)
    fn reply_value(&self, solver: &Solver, after: &Position, reply: Move, best: i8) -> Option<i8> {
        let keeps = |value| solver.keeps(after, reply, value, self.control);
        Some(if keeps(best)? {
            best
        } else if best > 0 && !keeps(1)? {
            0
        } else {
            best - 1
        })
    }
}

/// An error in the content of a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A position that the owner can meet is missing.
    #[error("{position} is missing")]
    Missing {
        /// The position.
        position: Position,
    },
    /// A value is wrong.
    #[error("{position} is worth {found:+} to the player to move, not {claimed:+}")]
    Value {
        /// The position.
        position: Position,
        /// The true value.
        found: i8,
        /// The value in the book.
        claimed: i8,
    },
    /// A move is not a best move.
    #[error("{best} in {position} does not keep the value {value:+}")]
    Move {
        /// The position.
        position: Position,
        /// The move.
        best: Move,
        /// The value, which is correct.
        value: i8,
    },
    /// Entries contradict each other.
    #[error(
        "the book contradicts itself: {position} is said to be worth {claimed:+} to the player \
         to move, but after {best} its other entries leave {found:+}"
    )]
    Contradiction {
        /// The position.
        position: Position,
        /// The move that is said to be best.
        best: Move,
        /// The value according to the entries of the next positions.
        found: i8,
        /// The value according to the position's own entry.
        claimed: i8,
    },
}

impl Book {
    /// Returns an iterator over the positions that the owner can meet from `first` on,
    /// with no more stones than the book is complete for, that are not in the book.
    pub fn missing(&self, first: &Position) -> impl Iterator<Item = Position> {
        let all = self.entries().flat_map(|entry| {
            next_positions(&entry)
                .into_iter()
                .chain(positions_after_first_move(&entry))
        });
        all.chain([*first]).filter(|position| {
            position.stones().count() <= self.stones()
                && self.entry(Key::of(position.stones()).0).is_none()
        })
    }

    /// Returns an iterator over the entries that contradict those of the next positions.
    ///
    /// This needs no search, and so does not depend on the solver: the value of a position
    /// is the minimum value for the owner after the book's move and a reply, if the move is
    /// a best one.
    pub fn contradictions(&self) -> impl Iterator<Item = Fault> {
        self.entries().filter_map(|entry| {
            let position = entry.position()?;
            let Ok(Next::Continues(after)) = position.play(entry.best) else {
                return None;
            };
            let replies = after.legal_moves().map(|reply| match after.play(reply) {
                Ok(Next::Continues(next)) => Some(self.look_up(&next)?.0),
                _ => Some(position.stones().lead()),
            });
            // Positions beyond the book's reach are not checked.
            let found = replies.collect::<Option<Vec<i8>>>()?.into_iter().min()?;
            (found != entry.value).then_some(Fault::Contradiction {
                position,
                best: entry.best,
                found,
                claimed: entry.value,
            })
        })
    }
}

/// Solves the position of an entry again and compares; `None` if the search was stopped.
///
/// # Errors
///
/// If the value or the move of the entry is wrong.
pub fn verify_entry(
    entry: &Entry,
    solver: &Solver,
    control: &Control<'_>,
) -> Option<Result<(), Fault>> {
    let position = entry.position()?;
    let claimed = entry.value;
    let found = solver
        .search(&position, Objective::Value, control)
        .value()?;
    if found != claimed {
        return Some(Err(Fault::Value {
            position,
            found,
            claimed,
        }));
    }
    let keeps = match position.play(entry.best) {
        Ok(Next::Continues(_)) => solver.keeps(&position, entry.best, found, control)?,
        _ => false,
    };
    Some(if keeps {
        Ok(())
    } else {
        Err(Fault::Move {
            position,
            best: entry.best,
            value: found,
        })
    })
}
