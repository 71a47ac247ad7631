//! How much of the machine a search may take: options of several subcommands.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use anyhow::{Result, anyhow};

use crate::solver::Solver;

/// The most threads that can be asked for.
const MAX_THREADS: usize = 256;

/// The most MiB that can be asked for: a TiB.
const MAX_MEGABYTES: usize = 1 << 20;

/// A number of threads on the command line.
pub(super) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    parse_up_to(text, MAX_THREADS)
}

/// A table's size in MiB on the command line.
pub(super) fn parse_megabytes(text: &str) -> Result<NonZeroUsize, String> {
    parse_up_to(text, MAX_MEGABYTES)
}

fn parse_up_to(text: &str, most: usize) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok();
    number
        .filter(|number: &NonZeroUsize| number.get() <= most)
        .ok_or_else(|| format!("a number from 1 to {most} is expected"))
}

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
    Solver::try_new(megabytes, threads).map_err(|error| anyhow!("{error}: try a smaller --hash"))
}
