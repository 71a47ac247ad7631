//! The solver: it narrows the bounds on a value by null-window searches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, available_parallelism};

use super::bounds::Bounds;
use super::control::Control;
use super::parallel::SharedSearch;
use super::search::{Goal, Node, Search};
use super::symmetry::Key;
use super::table::{Entry, OutOfMemory, SharedTable};
use crate::games::gothello::{Move, Position};
use crate::solving::tablebase::{AnyTablebase, PackedTablebase};

/// The default size of the transposition table, in MiB.
const DEFAULT_MEMORY: usize = 256;

/// The minimum number of empty points for a search with more than one thread. With fewer, it
/// takes a millisecond, in which other threads hardly start on a machine that is busy.
const MIN_PARALLEL_EMPTY: u32 = 16;

/// The goal of a search: what to prove about the value for the player to move.
///
/// ```
/// use gothello::solver::{Bounds, Objective};
///
/// let bounds = Bounds { low: 2, high: 5 };
/// assert!(Objective::Winner.is_decided_by(bounds));
/// assert!(Objective::AtLeast(6).is_decided_by(bounds));
/// assert!(!Objective::Value.is_decided_by(bounds));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The exact value.
    Value,
    /// The sign of the value: win, loss or draw.
    Winner,
    /// Whether the value is at least this.
    AtLeast(i8),
}

impl Objective {
    /// Returns whether these bounds on the value reach the goal.
    pub fn is_decided_by(self, bounds: Bounds) -> bool {
        let Bounds { low, high } = bounds;
        match self {
            Objective::Value => low >= high,
            Objective::Winner => bounds.sign().is_some(),
            Objective::AtLeast(value) => low >= value || high < value,
        }
    }
}

/// Proves values of positions.
///
/// A solver keeps proven bounds in its transposition table, so that a search that is
/// stopped and started again continues where it was.
///
/// ```
/// use gothello::{Color, Position};
/// use gothello::solver::Solver;
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let solver = Solver::builder().memory_mib(16).build();
/// assert_eq!(solver.winner(&position), Some(Color::Black));
/// assert_eq!(solver.solve(&position).to_string(), "B+3");
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
#[derive(Debug)]
pub struct Solver {
    table: Arc<SharedTable>,
    threads: usize,
    positions: Arc<AtomicU64>,
    tablebase: Option<AnyTablebase>,
    /// Whether the tablebase had a position that was looked up.
    has_used_tablebase: AtomicBool,
}

/// Configures a [`Solver`]; see [`Solver::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct SolverBuilder {
    memory_mib: usize,
    threads: Option<usize>,
    /// `None` for the built-in one.
    tablebase: Option<Option<AnyTablebase>>,
}

impl SolverBuilder {
    /// The largest default number of threads, and the largest one on the command line and in Python.
    pub const MAX_THREADS: usize = 256;

    /// The largest table on the command line and in Python, in MiB: a TiB.
    pub const MAX_MEMORY_MIB: usize = 1 << 20;

    /// Sets the size of the transposition table, in MiB: 256 by default.
    ///
    /// Most systems provide the memory only as it is filled.
    pub fn memory_mib(self, memory_mib: usize) -> SolverBuilder {
        SolverBuilder { memory_mib, ..self }
    }

    /// Sets the number of threads, at least one: all cores by default.
    pub fn threads(self, threads: usize) -> SolverBuilder {
        SolverBuilder {
            threads: Some(threads),
            ..self
        }
    }

    /// Sets the tablebase, the [built-in](PackedTablebase::built_in) one by default. A position
    /// that it has is not searched. Without one, everything is proven by search.
    ///
    /// ```
    /// use gothello::{Position, Solver};
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let solver = Solver::builder().memory_mib(1).tablebase(None).build();
    /// assert_eq!(solver.solve(&position).to_string(), "W+24");
    /// assert_eq!(solver.probe(&Position::START), None);
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn tablebase(self, tablebase: Option<Arc<PackedTablebase>>) -> SolverBuilder {
        self.any_tablebase(tablebase.map(AnyTablebase::Packed))
    }

    /// Sets the tablebase, as [`tablebase`](SolverBuilder::tablebase) does, which may be in a folder.
    pub fn any_tablebase(self, tablebase: Option<AnyTablebase>) -> SolverBuilder {
        SolverBuilder {
            tablebase: Some(tablebase),
            ..self
        }
    }

    /// Creates the solver, with a smaller table if the system refuses the memory.
    pub fn build(self) -> Solver {
        let table = SharedTable::new(self.memory_mib);
        self.with_table(table)
    }

    /// Creates the solver.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory for the table.
    pub fn try_build(self) -> Result<Solver, OutOfMemory> {
        let table = SharedTable::try_new(self.memory_mib)?;
        Ok(self.with_table(table))
    }

    fn with_table(self, table: SharedTable) -> Solver {
        let all = || {
            available_parallelism().map_or(1, |cores| cores.get().min(SolverBuilder::MAX_THREADS))
        };
        let threads = self.threads.unwrap_or_else(all);
        let built_in = || Some(PackedTablebase::built_in().into());
        let tablebase = self.tablebase.unwrap_or_else(built_in);
        Solver::with_table(Arc::new(table), threads, tablebase)
    }
}

impl Default for SolverBuilder {
    fn default() -> SolverBuilder {
        SolverBuilder {
            memory_mib: DEFAULT_MEMORY,
            threads: None,
            tablebase: None,
        }
    }
}

impl Solver {
    /// Returns a builder with the default configuration.
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let solver = Solver::builder().memory_mib(64).threads(2).build();
    /// let position: Position = "bw.ww/bbbwb/bbww./bbbbw/bbww. b".parse()?;
    /// assert_eq!(solver.solve(&position).to_string(), "W+24");
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn builder() -> SolverBuilder {
        SolverBuilder::default()
    }

    pub(super) fn with_table(
        table: Arc<SharedTable>,
        threads: usize,
        tablebase: Option<AnyTablebase>,
    ) -> Solver {
        Solver {
            table,
            threads: threads.max(1),
            positions: Arc::default(),
            tablebase,
            has_used_tablebase: AtomicBool::new(false),
        }
    }

    /// Creates a solver with this number of threads, at least one, that shares this
    /// one's table and tablebase. It counts its own positions.
    #[must_use]
    pub fn sharing_table(&self, threads: usize) -> Solver {
        Solver::with_table(Arc::clone(&self.table), threads, self.tablebase.clone())
    }

    /// Returns the number of threads, at least one.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Creates a solver with one thread that shares this one's table and tablebase. The
    /// positions that it searches count for this one.
    #[must_use]
    pub(crate) fn with_one_thread(&self) -> Solver {
        Solver {
            positions: Arc::clone(&self.positions),
            ..self.sharing_table(1)
        }
    }

    /// Returns the number of positions searched so far.
    pub fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    /// Returns whether the tablebase had a position that was looked up.
    pub fn has_used_tablebase(&self) -> bool {
        self.has_used_tablebase.load(Ordering::Relaxed)
    }

    /// Probes the tablebase for the value of a position for the player to move; `None` if
    /// there is no tablebase, or the position has too many stones.
    pub fn probe(&self, position: &Position) -> Option<i8> {
        let found = self.tablebase.as_ref()?.value(position);
        if found.is_some() {
            self.has_used_tablebase.store(true, Ordering::Relaxed);
        }
        found
    }

    /// Returns the bounds on the value for the player to move that are known without a
    /// search: from the tablebase, the table and unconditionally alive stones.
    pub fn known_bounds(&self, position: &Position) -> Bounds {
        if let Some(value) = self.probe(position) {
            return Bounds::exactly(value);
        }
        let (key, _) = Key::of(position.stones());
        let bounds = Node::new(position.stones()).bounds();
        let found = self.table.get(key);
        let bounds = found.map_or(bounds, |entry| entry.bounds.intersect(bounds));
        bounds.with_game_end(position)
    }

    /// Returns the move that proved the lower bound in the table. It is legal, but not
    /// proven to be best.
    pub(super) fn known_move(&self, position: &Position) -> Option<Move> {
        let (key, symmetry) = Key::of(position.stones());
        let best = self.table.get(key)?.best?;
        Some(symmetry.undo_from(best))
    }

    /// Searches a position and returns the bounds on its value for the player to move.
    ///
    /// The bounds decide the objective, unless the search was stopped.
    pub fn search(
        &self,
        position: &Position,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        self.search_within(position, objective, Bounds::UNKNOWN, control)
    }

    /// Does the work of [`Solver::search`], given bounds on the value that are proven already.
    pub(crate) fn search_within(
        &self,
        position: &Position,
        objective: Objective,
        known: Bounds,
        control: &Control<'_>,
    ) -> Bounds {
        if let Some(value) = self.probe(position) {
            return Bounds::exactly(value);
        }
        self.narrow(position, objective, known, control)
    }

    /// Returns whether the value for the player to move is at least `value`; `None` if
    /// the search is stopped.
    pub fn is_at_least(
        &self,
        position: &Position,
        value: i8,
        control: &Control<'_>,
    ) -> Option<bool> {
        let bounds = self.search(position, Objective::AtLeast(value), control);
        Some(bounds.cutoff(value)? >= value)
    }

    /// Stores a move in the table that proves that the value is at least `value`, if there is
    /// one. To find the move, it searches even positions that the tablebase has. Returns whether the
    /// value is at least `value`; `None` if the search is stopped.
    pub(super) fn find_move_at_least(
        &self,
        position: &Position,
        value: i8,
        control: &Control<'_>,
    ) -> Option<bool> {
        self.probe_children(position);
        let node = Node::new(position.stones());
        let known = node.bounds().with_game_end(position);
        let bounds = match known.cutoff(value) {
            Some(bound) => return Some(bound >= value),
            None => known,
        };
        let result = self.null_window(&node, value, bounds, Goal::Move, control)?;
        Some(result >= value)
    }

    /// Stores the values of the positions after each move that are in the tablebase in the
    /// table, where the search finds them first.
    fn probe_children(&self, position: &Position) {
        if self.tablebase.is_none() {
            return;
        }
        // The table ignores the preceding pass.
        let passed = position.with_to_move(position.to_move().opponent());
        let placed = position.children().map(|(_, child)| child);
        for child in placed.chain([passed]) {
            if let Some(value) = self.probe(&child) {
                let (key, _) = Key::of(child.stones());
                let entry = Entry {
                    bounds: Bounds::exactly(value),
                    best: None,
                    // Other entries do not replace this one.
                    effort: u8::MAX,
                };
                self.table.put(key, entry);
            }
        }
    }

    /// Narrows the bounds by null-window searches until they decide the objective or the
    /// search is stopped.
    fn narrow(
        &self,
        position: &Position,
        objective: Objective,
        known: Bounds,
        control: &Control<'_>,
    ) -> Bounds {
        let node = Node::new(position.stones());
        // Only at the root may a preceding pass allow the player to end the game.
        let mut bounds = node.bounds().with_game_end(position).intersect(known);
        let mut bisection = Bisection::new(node.estimate());
        while !objective.is_decided_by(bounds) {
            let beta = match objective {
                Objective::AtLeast(value) => value,
                Objective::Winner if bounds.high > 0 => 1,
                Objective::Winner => 0,
                Objective::Value => bisection.next(bounds),
            };
            let beta = beta.clamp(bounds.low + 1, bounds.high);
            let Some(result) = self.null_window(&node, beta, bounds, Goal::Bound, control) else {
                return bounds;
            };
            if result >= beta {
                bounds.low = result.min(bounds.high);
            } else {
                bounds.high = result.max(bounds.low);
            }
            bisection.record(result >= beta);
        }
        bounds
    }

    /// Searches with the null window at `beta` and returns the fail-soft result; `None`
    /// if the search is stopped. `bounds` are the known bounds, for the progress report.
    fn null_window(
        &self,
        node: &Node,
        beta: i8,
        bounds: Bounds,
        goal: Goal,
        control: &Control<'_>,
    ) -> Option<i8> {
        let threads = if node.placements.empty().len() < MIN_PARALLEL_EMPTY {
            1
        } else {
            self.threads
        };
        let shared = SharedSearch::new(control, threads, &self.positions, bounds, beta);
        let search = |reports| {
            let result = Search::new(&self.table, &shared, reports).run(node, beta, goal);
            if result.is_ok() {
                shared.finish();
            }
            result.ok()
        };
        thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, || search(false));
            // If the system refuses threads, the search has fewer.
            let others = (1..threads).map_while(|number| start(number).ok());
            let others: Vec<_> = others.collect();
            let own = search(true);
            let results = others
                .into_iter()
                .filter_map(|other| other.join().ok().flatten());
            // Several threads may have finished; each result is correct.
            results.chain(own).reduce(|one, other| {
                if beta <= one {
                    one.max(other)
                } else {
                    one.min(other)
                }
            })
        })
    }
}

/// Creates a solver with the built-in tablebase and a table of 256 MiB that uses all cores.
///
/// ```
/// use gothello::{Position, Solver};
///
/// let solver = Solver::default();
/// assert_eq!(solver.solve(&Position::START).to_string(), "B+3");
/// assert_eq!(solver.positions(), 0); // It is looked up.
/// # assert!(solver.has_used_tablebase());
/// ```
impl Default for Solver {
    fn default() -> Solver {
        Solver::builder().build()
    }
}

/// The width up to which bounds are narrowed from the side of the last result, which is
/// often the value. Wider bounds are bisected.
const NARROW: i8 = 3;

/// The distance between the first and the second null window. It doubles until the
/// result changes.
const FIRST_STEP: i8 = 3;

/// Chooses the null windows of a search for an exact value: the first one is at an estimate
/// of the value. It steps away from there in growing steps until the value is between two
/// windows, then bisects.
struct Bisection {
    /// The beta of the first window.
    estimate: i8,
    step: i8,
    /// Whether the value was at least the last beta.
    last: Option<bool>,
    /// Whether both results have occurred.
    bracketed: bool,
}

impl Bisection {
    fn new(estimate: i8) -> Bisection {
        Bisection {
            estimate,
            step: FIRST_STEP,
            last: None,
            bracketed: false,
        }
    }

    /// Returns the beta of the next null window.
    fn next(&mut self, bounds: Bounds) -> i8 {
        let Bounds { low, high } = bounds;
        let Some(last) = self.last else {
            return self.estimate;
        };
        let step = self.step;
        if !self.bracketed {
            // No two values differ by more than 50.
            self.step = (2 * step).min(50);
        }
        match (last, self.bracketed) {
            (true, false) => low + step,
            (false, false) => high - step,
            (_, true) if high - low > NARROW => low + (high - low + 1) / 2,
            (true, true) => low + 1,
            (false, true) => high,
        }
    }

    /// Records whether the value is at least the last beta.
    fn record(&mut self, is_at_least: bool) {
        self.bracketed |= self.last == Some(!is_at_least);
        self.last = Some(is_at_least);
    }
}
