//! How a book comes about.

use std::collections::HashMap;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::file::{Book, Entry};
use crate::gothello::{Move, Next, Position};
use crate::solver::symmetry::Key;
use crate::solver::{Control, ReplyDifficulty, Solver};

/// How far a book is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The number of stones of the positions that are being solved.
    pub stones: u32,
    /// How many positions there are with so many stones.
    pub total: usize,
    /// How many of these are solved.
    pub solved: usize,
}

/// What is told while a book is built.
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent {
    /// The positions with the next number of stones are begun.
    LayerStarted,
    /// An entry was found.
    EntryFound(Entry),
}

/// Builds the book of all positions with up to `stones` stones that its owner
/// can meet from `first` on, where he is to move, with `threads` threads that
/// share the solver's table. On the empty board, the other player may begin,
/// too. `known` are the entries that an earlier run has found, which `tell` was
/// told.
///
/// `None` if it was stopped.
///
/// # Errors
/// If `tell` fails. Then `control.stop` is set if anything is being searched, so
/// that all searches end.
pub fn build<E>(
    first: &Position,
    stones: u32,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
    known: impl IntoIterator<Item = Entry>,
    mut tell: impl FnMut(BuildEvent, BuildProgress) -> Result<(), E>,
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
        tell(BuildEvent::LayerStarted, progress)?;
        let work = Work {
            solver,
            threads,
            control,
            keys: &open,
            is_last: number + 2 > stones,
            next: AtomicUsize::new(0),
        };
        let is_complete = work.solve_all(|entry| {
            known.insert(entry.key, entry);
            progress.solved += 1;
            tell(BuildEvent::EntryFound(entry), progress)
        })?;
        if !is_complete {
            return Ok(None);
        }
        let entries = layer.positions.iter().filter_map(|(key, _)| known.get(key));
        for &entry in entries {
            chosen.push(entry);
            if entry.key == Key::of(Position::START.stones()).0 {
                // The other player may begin, too.
                layers.add(
                    Position::START.children().map(|(_, next)| next),
                    -entry.value,
                );
            }
            layers.add(next_positions(&entry), entry.value);
        }
    }
    Ok(Some(Book::from_entries(stones, chosen)))
}

/// The owner's positions by their number of stones, and about what they are
/// worth to him: no less than the position before, as he makes no mistake. Those
/// that follow from one position are next to each other, so that what was found
/// out of one is still remembered for the next.
struct Layers(Vec<Layer>);

/// Positions with as many stones, each once, in the order in which they were met.
#[derive(Clone, Default)]
struct Layer {
    positions: Vec<(Key, i8)>,
    places: HashMap<Key, usize>,
}

impl Layer {
    /// Adds a position, or raises what it is expected to be worth.
    fn add(&mut self, key: Key, value: i8) {
        match self.places.get(&key) {
            Some(&place) => {
                let (_, guess) = &mut self.positions[place];
                *guess = value.max(*guess);
            }
            None => {
                self.places.insert(key, self.positions.len());
                self.positions.push((key, value));
            }
        }
    }
}

impl Layers {
    /// The first position; up to so many stones are wanted.
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

/// The owner's positions after the other player has begun, if the entry is the
/// empty board.
pub(super) fn other_beginnings(entry: &Entry) -> impl Iterator<Item = Position> + use<> {
    let is_start = entry.key == Key::of(Position::START.stones()).0;
    let children = is_start.then(|| Position::START.children());
    children.into_iter().flatten().map(|(_, position)| position)
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

/// Positions that are to be solved, each expected to be worth so much, and who
/// solves them.
struct Work<'a> {
    solver: &'a Solver,
    threads: usize,
    control: &'a Control<'a>,
    keys: &'a [(Key, i8)],
    /// Whether the book ends with them.
    is_last: bool,
    /// The first that nobody has taken yet.
    next: AtomicUsize,
}

impl Work<'_> {
    /// Solves all positions and gives each entry to `found`; `false` if it was
    /// stopped.
    fn solve_all<E>(&self, mut found: impl FnMut(Entry) -> Result<(), E>) -> Result<bool, E> {
        // Each thread takes positions of its own if there are enough; of a few
        // all work on one.
        let teams = if self.keys.len() < 4 * self.threads {
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
        let (sender, receiver) = mpsc::sync_channel(teams);
        thread::scope(|scope| {
            let start = |_: &usize| {
                let sender = sender.clone();
                let work = move || self.solve_some(teams, |entry| sender.send(entry).is_ok());
                thread::Builder::new().spawn_scoped(scope, work).is_ok()
            };
            let started = (0..teams).filter(start).count();
            drop(sender);
            if started == 0 {
                // The system gives no thread but this one.
                self.solve_some(1, &mut keep);
            }
            for entry in receiver {
                if !keep(entry) {
                    break;
                }
            }
        });
        result.map(|()| count == self.keys.len())
    }

    /// Solves positions, as one of so many teams, until none is left, or it is
    /// stopped, or `give` wants no more.
    fn solve_some(&self, teams: usize, mut give: impl FnMut(Entry) -> bool) {
        let solver = self.solver.sharing_table(self.threads / teams);
        let next = || self.keys.get(self.next.fetch_add(1, Ordering::Relaxed));
        while let Some(&(key, guess)) = next() {
            // A short search is over before it looks at this.
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

    /// The entry of a position that is expected to be worth `guess`; `None` if
    /// the search was stopped.
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

    /// A move that keeps the value: the one after which the opponent is most
    /// likely to go wrong.
    ///
    /// Where the book ends that would take longer than all the rest, and a stone is
    /// preferred to a pass.
    fn best_move(&self, solver: &Solver, position: &Position, value: i8) -> Option<Move> {
        if self.is_last {
            let first = solver.remembered(position).filter(|&mv| mv != Move::Pass);
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
                let worth = |after: &Position, reply| self.worth(solver, after, reply, -value);
                let pitfalls = ReplyDifficulty::after(position, mv, worth)?;
                if pitfalls > chosen.1 {
                    chosen = (mv, pitfalls);
                }
            }
        }
        Some(chosen.0)
    }

    /// What a reply is worth to the opponent, whose best one is worth `best`.
    ///
    /// Exact values would take much longer: it is only found out whether it gives
    /// away anything, and whether that is the result. (So the stones that replies
    /// give away decide nothing: of moves with the same shares they are the same.)
    fn worth(&self, solver: &Solver, after: &Position, reply: Move, best: i8) -> Option<i8> {
        let keeps = |wanted| solver.keeps(after, reply, wanted, self.control);
        Some(if keeps(best)? {
            best
        } else if best > 0 && !keeps(1)? {
            0
        } else {
            best - 1
        })
    }
}
