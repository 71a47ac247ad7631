//! How a solver is made.

use std::sync::Arc;
use std::thread::available_parallelism;

use super::solve::Solver;
use super::table::{OutOfMemory, Table};

/// The size of the table in MiB if nothing is said.
const DEFAULT_MEMORY: usize = 256;

/// The most threads that are taken if nothing is said.
const MAX_THREADS: usize = 256;

/// A solver to be made: see [`Solver::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SolverBuilder {
    memory_mib: usize,
    threads: Option<usize>,
}

impl SolverBuilder {
    /// Sets the size of the table that remembers positions, in MiB: 256 by default.
    ///
    /// Most systems give memory only as it is filled.
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

    /// Makes the solver, with a smaller table if the system has not so much memory.
    pub fn build(self) -> Solver {
        Solver::with(Arc::new(Table::new(self.memory_mib)), self.count())
    }

    /// Makes the solver.
    ///
    /// # Errors
    /// If the system has not so much memory.
    pub fn try_build(self) -> Result<Solver, OutOfMemory> {
        let table = Table::try_new(self.memory_mib)?;
        Ok(Solver::with(Arc::new(table), self.count()))
    }

    fn count(self) -> usize {
        let all = || available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS));
        self.threads.unwrap_or_else(all)
    }
}

impl Default for SolverBuilder {
    fn default() -> SolverBuilder {
        SolverBuilder {
            memory_mib: DEFAULT_MEMORY,
            threads: None,
        }
    }
}

impl Solver {
    /// Returns a builder of a solver.
    ///
    /// ```
    /// use gothello::gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let solver = Solver::builder().memory_mib(64).threads(2).build();
    /// let position: Position = "bw.ww/bbbwb/bbww./bbbbw/bbww. b".parse()?;
    /// assert_eq!(solver.solve(&position).to_string(), "W+24");
    /// # Ok::<(), gothello::gothello::ParsePositionError>(())
    /// ```
    pub fn builder() -> SolverBuilder {
        SolverBuilder::default()
    }
}

/// A solver with 256 MiB that works with all cores.
impl Default for Solver {
    fn default() -> Solver {
        Solver::builder().build()
    }
}
