//! An analyzer that uses the solver and allocates its memory when it is first needed.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use itertools::Itertools;

use super::Limits;
use super::analyzer::{AnalysisControl, Analyzer, BestMoves, best_of};
use crate::base::threads::for_each;
use crate::games::gothello::{Move, Next, Position};
use crate::solving::solver::{
    Bounds, Control, MoveBounds, Objective, PositionBudget, PrincipalVariation, Progress, Solver,
    bounds_after, distinct_moves,
};
use crate::solving::tablebase::{AnyTablebase, PackedTablebase};

/// The number of positions for which a search may fill a MiB of memory, with an entry for each.
const POSITIONS_PER_MIB: u64 = 1 << 16;

/// The maximum memory that a search fills per second, in MiB.
///
/// A larger table would cost time, although it takes memory only as it is filled: the
/// system provides it page by page, and in a fresh table almost every position is on a
/// page of its own. A proof of about ten thousand positions takes four times as long in
/// 256 MiB as in 16.
const FILLED_PER_SECOND: f64 = 64.0;

/// The size of the smallest table, in MiB, which takes no time to allocate.
const MIN_MEMORY: usize = 16;

/// The maximum memory for a search without a time limit if positions with few stones are
/// looked up, in MiB: the others have room in it.
const MEMORY_WITH_TABLEBASE: usize = 64;

/// The number of positions for each move in the second round; it doubles in each further round.
const FIRST_SLICE: u64 = 2048;

/// Proves values and keeps them in its table.
///
/// It allocates no memory before the first search, and then no more than the time for
/// the search can fill.
///
/// ```
/// use gothello::Position;
/// use gothello::player::{AnalysisControl, Analyzer, Prover};
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let prover = Prover::new().memory_mib(16);
/// let best = prover.best_moves(&position, &AnalysisControl::default());
/// assert_eq!(best.value.value(), Some(3));
/// assert_eq!(best.moves, ["c2".parse()?]);
/// assert!(best.complete);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Prover {
    /// The size of the largest table, in MiB.
    megabytes: usize,
    threads: usize,
    tablebase: Option<LazyTablebase>,
    solver: Mutex<Option<SizedSolver>>,
}

/// A tablebase that is read when it is first needed.
type LazyTablebase = LazyLock<AnyTablebase, Box<dyn FnOnce() -> AnyTablebase + Send>>;

/// A solver and the size of its table in MiB.
#[derive(Debug)]
struct SizedSolver {
    solver: Arc<Solver>,
    megabytes: usize,
}

impl Prover {
    /// Returns a prover without a tablebase, with a table of at most 256 MiB and one thread.
    pub const fn new() -> Prover {
        Prover {
            megabytes: 256,
            threads: 1,
            tablebase: None,
            solver: Mutex::new(None),
        }
    }

    /// Sets the size of the largest table, in MiB. With a tablebase a single search takes no more
    /// than 64 MiB of it; a table that is [shared](Prover::sharing_table) takes it all.
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

    /// Sets the tablebase in which positions are looked up before they are searched. `read`
    /// is called when the first position is looked up.
    ///
    /// ```
    /// use gothello::player::Prover;
    /// use gothello::tablebase::PackedTablebase;
    ///
    /// let prover = Prover::new().with_tablebase(PackedTablebase::built_in);
    /// ```
    pub fn with_tablebase<T: Into<AnyTablebase>>(
        self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Prover {
        Prover {
            tablebase: Some(LazyLock::new(Box::new(|| read().into()))),
            ..self
        }
    }

    /// Returns a prover with this number of threads, at least one, that shares this one's table,
    /// which is allocated now, and its tablebase.
    #[must_use]
    pub fn sharing_table(&self, threads: usize) -> Prover {
        let threads = threads.max(1);
        // It keeps the results of many searches.
        let solver = self.solver_of_size(self.megabytes).sharing_table(threads);
        Prover {
            megabytes: self.megabytes,
            threads,
            // The solver has it.
            tablebase: None,
            solver: Mutex::new(Some(SizedSolver {
                solver: Arc::new(solver),
                megabytes: self.megabytes,
            })),
        }
    }

    /// Returns the number of positions that its solver has searched so far.
    pub fn positions(&self) -> u64 {
        let current = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().map_or(0, |sized| sized.solver.positions())
    }

    /// Returns a solver with a table for a search within these limits. Replaces a table that is
    /// too small by a larger one if the system has the memory.
    pub fn solver(&self, limits: &Limits<'_>) -> Arc<Solver> {
        let in_time = limits
            .time
            .map(|time| time.as_secs_f64() * FILLED_PER_SECOND);
        let of_budget = limits
            .budget
            .map(|budget| budget.left() / POSITIONS_PER_MIB);
        let filled = in_time.map(|mib| mib as usize).into_iter();
        let wanted = match filled.chain(of_budget.map(|mib| mib as usize)).min() {
            Some(filled) => MIN_MEMORY.max(filled),
            None if self.tablebase.is_some() => MEMORY_WITH_TABLEBASE.min(self.megabytes),
            None => self.megabytes,
        };
        // A table's size is a power of two.
        let wanted = wanted.checked_next_power_of_two();
        let wanted = wanted.map_or(self.megabytes, |wanted| wanted.min(self.megabytes));
        self.solver_of_size(wanted)
    }

    /// Returns a solver whose table has at least this size in MiB, if the system has the memory.
    fn solver_of_size(&self, wanted: usize) -> Arc<Solver> {
        // It is valid even if a thread has panicked.
        let mut current = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        match current.take().filter(|old| old.megabytes >= wanted) {
            Some(old) => Arc::clone(&current.insert(old).solver),
            None => {
                let solver = Solver::builder()
                    .memory_mib(wanted)
                    .threads(self.threads)
                    .any_tablebase(self.tablebase.as_deref().cloned())
                    .build();
                let solver = Arc::new(solver);
                *current = Some(SizedSolver {
                    solver: Arc::clone(&solver),
                    // If the system had less memory, there is no need to try again.
                    megabytes: wanted,
                });
                solver
            }
        }
    }
}

impl Solver {
    /// Returns the bounds on the value of each legal move that are known without a search.
    /// Includes only one of several moves to positions that are symmetric to each other.
    pub(super) fn known_moves(&self, position: &Position) -> Vec<MoveBounds> {
        let recall = |child: &_, _| self.known_bounds(child);
        let entry = |mv| MoveBounds {
            mv,
            bounds: bounds_after(position, mv, Objective::Value, recall),
        };
        distinct_moves(position).map(entry).collect()
    }

    /// Probes the tablebase for the value of a legal move, for the player who makes it.
    pub(super) fn known_value(&self, position: &Position, mv: Move) -> Option<i8> {
        match position.play(mv).ok()? {
            Next::Continues(child) => self.probe(&child).map(|value| -value),
            Next::Ends(_) => Some(position.stones().lead()),
        }
    }

    /// Searches every legal move with the objective that `next` returns for the bounds on
    /// its value, until `next` returns `None` or the search is stopped.
    ///
    /// The moves take turns, and each gets more positions in every round, so that easy moves are
    /// finished early. The first round, which is always completed, finds the values that
    /// are in the table or take only a moment. While there are as many moves as threads, each
    /// thread searches a move of its own.
    fn prove_moves(
        &self,
        position: &Position,
        next: impl Fn(Bounds) -> Option<Objective>,
        control: &Control<'_>,
        on_progress: &(dyn Fn(&[MoveBounds]) + Sync),
    ) -> Vec<MoveBounds> {
        // No move is better than the best one.
        let known = Bounds {
            high: self.known_bounds(position).high,
            ..Bounds::UNKNOWN
        };
        let entry = |mv| MoveBounds { mv, bounds: known };
        let moves = Mutex::new(position.legal_moves().map(entry).collect_vec());
        let lock = || moves.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slice = 0;
        loop {
            let searched = |(index, of_move): (usize, &MoveBounds)| {
                let objective = next(of_move.bounds)?;
                Some((index, *of_move, objective))
            };
            let open = lock().iter().enumerate().filter_map(searched).collect_vec();
            if open.is_empty() || slice > 0 && control.is_over() {
                return lock().clone();
            }
            let prove = |solver: &Solver, open: &(usize, MoveBounds, Objective)| {
                let (index, MoveBounds { mv, bounds }, objective) = *open;
                if slice > 0 && control.is_over() {
                    return;
                }
                let part = match control.budget {
                    Some(whole) => whole.part(slice),
                    None => PositionBudget::new(slice),
                };
                let control = Control {
                    on_progress: &|_| on_progress(&lock()),
                    ..control.spending(&part)
                };
                let found = solver.search_move_within(position, mv, objective, bounds, &control);
                let found = bounds.intersect(found);
                if found != bounds {
                    let mut moves = lock();
                    if let Some(of_move) = moves.get_mut(index) {
                        of_move.bounds = found;
                    }
                    on_progress(&moves);
                }
            };
            self.divide(&open, prove);
            slice = next_slice(slice);
        }
    }

    /// Calls `work` for each item: on as many threads as the solver has, each with a solver of
    /// one thread, or one item after the other if there are fewer items than threads.
    fn divide<T: Sync>(&self, items: &[T], work: impl Fn(&Solver, &T) + Sync) {
        let threads = self.threads();
        if threads == 1 || items.len() < threads {
            return items.iter().for_each(|item| work(self, item));
        }
        let begin = || self.with_one_thread();
        for_each(threads, items, begin, |solver, item| work(solver, item));
    }

    /// Searches for each legal move whether its value is at least `wanted`; returns the
    /// bounds on their values.
    pub(super) fn prove_at_least(
        &self,
        position: &Position,
        wanted: i8,
        control: &Control<'_>,
        on_progress: &(dyn Fn(&[MoveBounds]) + Sync),
    ) -> Vec<MoveBounds> {
        let objective = Objective::AtLeast(wanted);
        let next = |bounds| (!objective.is_decided_by(bounds)).then_some(objective);
        self.prove_moves(position, next, control, on_progress)
    }
}

impl Prover {
    /// Returns the one of the best moves that is hardest to answer, the first of several: the one with the
    /// greatest [`ReplyDifficulty`](crate::solving::solver::ReplyDifficulty). `value` is the value of the
    /// position. Returns `None` if the search is stopped.
    ///
    /// A move is ruled out as soon as another one is known to be harder, mostly before the value of each
    /// reply is known.
    pub(crate) fn hardest_to_answer(
        &self,
        position: &Position,
        best: &[Move],
        value: i8,
        control: &Control<'_>,
    ) -> Option<Move> {
        if let [only] = best {
            return Some(*only);
        }
        let solver = self.solver(&Limits::default());
        // What the opponent has, if the reply is right.
        let right = Bounds {
            high: -value,
            ..Bounds::UNKNOWN
        };
        let after = |mv| match position.play(mv) {
            Ok(Next::Continues(after)) => Some(after),
            Ok(Next::Ends(_)) | Err(_) => None,
        };
        let mut hardest = best.iter().map(|&mv| (mv, after(mv))).collect_vec();
        // The replies that change the result, those that lose stones, and how many they lose.
        let result = (value <= 0).then_some(Objective::AtLeast((-value).signum()));
        let stones = [Objective::AtLeast(-value), Objective::Value];
        for objective in result.into_iter().chain(stones) {
            let lost = |after: &Position, reply| {
                let found = solver.search_move_within(after, reply, objective, right, control);
                match objective {
                    Objective::AtLeast(least) if found.low >= least => Some(0),
                    Objective::AtLeast(least) if found.high < least => Some(1),
                    Objective::AtLeast(_) => None,
                    Objective::Value | Objective::Winner => Some(right.high - found.value()?),
                }
            };
            let mut costs = Vec::with_capacity(hardest.len());
            for (_, after) in &hardest {
                let Some(after) = after else {
                    // The game is over: there are no replies.
                    costs.push(0.0);
                    continue;
                };
                let replies = after.legal_moves().map(|reply| lost(after, reply));
                let replies: Vec<i8> = replies.collect::<Option<_>>()?;
                let sum: i32 = replies.iter().copied().map(i32::from).sum();
                costs.push(sum as f32 / replies.len() as f32);
            }
            let most = costs.iter().copied().fold(0.0, f32::max);
            let mut costs = costs.into_iter();
            hardest.retain(|_| costs.next().is_some_and(|cost| cost >= most));
            if hardest.len() == 1 {
                break;
            }
        }
        hardest.first().map(|&(mv, _)| mv)
    }
}

/// Returns the number of positions for each move in the round after one with this number. The first
/// round has none.
fn next_slice(slice: u64) -> u64 {
    match slice {
        0 => FIRST_SLICE,
        slice => slice.saturating_mul(2),
    }
}

/// A prover with the built-in tablebase, a table of at most 256 MiB and one thread.
impl Default for Prover {
    fn default() -> Prover {
        Prover::new().with_tablebase(PackedTablebase::built_in)
    }
}

impl Analyzer for Prover {
    fn value(&self, position: &Position, objective: Objective, control: &Control<'_>) -> Bounds {
        let solver = self.solver(&Limits::default());
        solver.search(position, objective, control)
    }

    fn moves(&self, position: &Position, control: &AnalysisControl<'_>) -> Vec<MoveBounds> {
        let solver = self.solver(&Limits::default());
        // The winner comes first: it is known sooner, and matters most. If the value is known, that is
        // whether a move keeps it, which leaves less to search for.
        let value = solver.known_bounds(position).value();
        let first = value.map_or(Objective::Winner, Objective::AtLeast);
        let next = |bounds| {
            [first, Objective::Value]
                .into_iter()
                .find(|objective| !objective.is_decided_by(bounds))
        };
        solver.prove_moves(position, next, &control.one_search(), control.on_progress)
    }

    fn best_moves(&self, position: &Position, control: &AnalysisControl<'_>) -> BestMoves {
        let solver = self.solver(&Limits::default());
        let on_progress = |_: &Progress| (control.on_progress)(&[]);
        let search = control.one_search().reporting_to(&on_progress);
        let value = solver.search(position, Objective::Value, &search);
        let moves = match value.value() {
            Some(exact) => solver.prove_at_least(position, exact, &search, control.on_progress),
            None => Vec::new(),
        };
        best_of(value, &moves)
    }

    fn principal_variation(
        &self,
        position: &Position,
        control: &AnalysisControl<'_>,
    ) -> PrincipalVariation {
        let solver = self.solver(&Limits::default());
        let on_progress = |_: &Progress| (control.on_progress)(&[]);
        let search = control.one_search().reporting_to(&on_progress);
        let bounds = solver.search(position, Objective::Value, &search);
        match bounds.value() {
            Some(value) => solver.search_principal_variation(position, value, &search),
            None => PrincipalVariation::default(),
        }
    }
}

impl AnalysisControl<'_> {
    /// Returns the control of one of the searches.
    fn one_search(&self) -> Control<'_> {
        Control::until(self.stop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::base::rng::Rng;
    use crate::solving::solver::ReplyDifficulty;

    #[test]
    fn each_round_has_twice_as_many_positions_for_a_move_as_the_one_before() {
        let mut slice = 0;
        let slices = [(); 5].map(|()| {
            slice = next_slice(slice);
            slice
        });
        assert_eq!(slices, [2048, 4096, 8192, 16_384, 32_768]);
        assert_eq!(next_slice(u64::MAX), u64::MAX);
    }

    #[test]
    fn the_move_that_is_hardest_to_answer_is_the_one_with_the_greatest_difficulty() {
        let prover = Prover::new().memory_mib(1);
        let control = Control::UNLIMITED;
        let mut rng = Rng::new(7);
        let mut compared = 0;
        while compared < 20 {
            let position = random_position(&mut rng, 16);
            let Some(value) = prover.value(&position, Objective::Value, &control).value() else {
                panic!("{position} has no value");
            };
            let best = prover
                .best_moves(&position, &AnalysisControl::default())
                .moves;
            let value_of = |after: &Position, reply| {
                let solver = prover.solver(&Limits::default());
                let bounds = solver.search_move(after, reply, Objective::Value, &control);
                bounds.value()
            };
            let mut hardest: Option<(Move, ReplyDifficulty)> = None;
            for &mv in &best {
                let difficulty = ReplyDifficulty::of_move(&position, mv, value_of).unwrap();
                if hardest.is_none_or(|(_, most)| difficulty > most) {
                    hardest = Some((mv, difficulty));
                }
            }
            let found = prover.hardest_to_answer(&position, &best, value, &control);
            assert_eq!(found, hardest.map(|(mv, _)| mv), "{position}");
            compared += usize::from(best.len() > 1);
        }
        // One that is stopped before it begins answers nothing but what is known.
        let stop = AtomicBool::new(true);
        let stopped = Control::until(&stop);
        let empty = Position::START;
        let moves = empty.legal_moves().take(2).collect_vec();
        let found = Prover::new()
            .memory_mib(1)
            .hardest_to_answer(&empty, &moves, 3, &stopped);
        assert_eq!(found, None);
    }

    /// Returns a position of a random game with this number of stones.
    fn random_position(rng: &mut Rng, stones: u32) -> Position {
        let mut position = Position::START;
        while position.stones().count() < stones {
            let moves = position.legal_moves().filter(|&mv| mv != Move::Pass);
            let Some(mv) = rng.pick(&moves.collect_vec()) else {
                position = Position::START;
                continue;
            };
            match position.play(mv) {
                Ok(Next::Continues(next)) => position = next,
                Ok(Next::Ends(_)) | Err(_) => position = Position::START,
            }
        }
        position
    }

    /// All moves of the empty board are open for long, so the rounds end with the budget.
    #[test]
    fn moves_take_turns_until_the_budget_is_spent() {
        let builder = Solver::builder().memory_mib(1).threads(1);
        let solver = builder.tablebase(None).build();
        let budget = PositionBudget::new(0);
        let control = Control::UNLIMITED.spending(&budget);
        let moves = Position::START.legal_moves().count();
        let asked = AtomicUsize::new(0);
        let next = |_| {
            let before = asked.fetch_add(1, Ordering::Relaxed);
            assert!(before < 10 * moves, "the rounds do not end");
            Some(Objective::Value)
        };
        let found = solver.prove_moves(&Position::START, next, &control, &|_| ());
        assert_eq!(found.len(), moves);
        // The first round is always completed. Then the search notices that the budget is spent.
        assert_eq!(asked.into_inner(), 2 * moves);
    }
}
