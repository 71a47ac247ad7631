//! How much of the machine a search may take: options of several subcommands.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use anyhow::{Result, anyhow};

use super::values::MAX_THREADS;
use crate::solver::Solver;

/// So many threads as are given, or as the machine has cores.
pub(super) fn threads(given: Option<NonZeroUsize>) -> usize {
    match given {
        Some(threads) => threads.get(),
        None => available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS)),
    }
}

/// A solver with a table of so many MiB.
///
/// # Errors
/// If there is not so much memory.
pub(super) fn solver(megabytes: usize, threads: usize) -> Result<Solver> {
    let builder = Solver::builder().memory_mib(megabytes).threads(threads);
    let solver = builder.try_build();
    solver.map_err(|error| anyhow!("{error}: try a smaller --hash"))
}
