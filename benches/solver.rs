//! Speed of the solver: `cargo bench --bench solver`.
//!
//! For each number of stones: the median and the worst time for both values of a position
//! (without and with a preceding pass), with one thread and a new table for each position;
//! the positions searched, and their ratio to those of the solver that computed `tests/solver/values.txt`.
//!
//! `cargo bench --bench solver -- empty` solves the empty board instead, with
//! one thread and with two, which takes minutes. `values` and `empty` name both
//! parts.

use std::time::{Duration, Instant};

use gothello::solver::Solver;
use gothello::{Outcome, Position};
use itertools::Itertools;

/// The table for a position of the file, in MiB.
const SMALL_TABLE: usize = 16;

/// The table for the empty board, in MiB.
const LARGE_TABLE: usize = 1024;

fn main() {
    let parts = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect_vec();
    let is_named = |part: &str| parts.iter().any(|named| named == part);
    if parts.is_empty() || is_named("values") {
        values();
    }
    if is_named("empty") {
        empty_board();
    }
}

/// A line of the file.
struct Known {
    stones: u32,
    position: Position,
    /// Without and with a pass before, as Black sees it.
    values: [String; 2],
    /// Positions that the other solver searched for both.
    positions: u64,
}

impl Known {
    fn read(line: &str) -> Option<Known> {
        let (stones, position, value, after_pass, positions) = line.split(" | ").collect_tuple()?;
        Some(Known {
            stones: stones.trim().parse().ok()?,
            position: position.parse().ok()?,
            values: [value.to_owned(), after_pass.to_owned()],
            positions: positions.trim().parse().ok()?,
        })
    }
}

/// What one position took.
struct Measured {
    time: Duration,
    positions: u64,
    /// Positions searched for each one of the other solver.
    ratio: f64,
}

fn values() {
    let known = include_str!("../tests/common/values.txt")
        .lines()
        .filter_map(Known::read)
        .into_group_map_by(|known| known.stones);
    println!(
        "| stones | median time | worst time | median positions | of the file's | million positions/s |"
    );
    println!("|---|---|---|---|---|---|");
    for (stones, known) in known.into_iter().sorted_by_key(|&(stones, _)| stones) {
        let measured = known.iter().map(measure).collect_vec();
        let worst = measured
            .iter()
            .map(|one| one.time)
            .max()
            .unwrap_or_default();
        let time: Duration = measured.iter().map(|one| one.time).sum();
        let positions: u64 = measured.iter().map(|one| one.positions).sum();
        println!(
            "| {stones} | {} | {} | {} | {:.3} | {:.1} |",
            milliseconds(median(measured.iter().map(|one| one.time))),
            milliseconds(worst),
            median(measured.iter().map(|one| one.positions)),
            median(measured.iter().map(|one| one.ratio)),
            positions as f64 / time.as_secs_f64() / 1e6,
        );
    }
}

/// Solves one position, and checks the values.
fn measure(known: &Known) -> Measured {
    let position = &known.position;
    let after_pass = format!("{position} pass").parse().expect("a position");
    let solver = Solver::builder().memory_mib(SMALL_TABLE).threads(1).build();
    let started = Instant::now();
    let found = [*position, after_pass].map(|position| solve(&solver, &position));
    let time = started.elapsed();
    assert_eq!(
        found.map(|value| value.to_string()),
        known.values,
        "{position}"
    );
    Measured {
        time,
        positions: solver.positions(),
        ratio: solver.positions() as f64 / known.positions as f64,
    }
}

/// The value as Black sees it.
fn solve(solver: &Solver, position: &Position) -> Outcome {
    solver.solve(position)
}

fn empty_board() {
    println!(
        "| threads | value of the empty board | time | million positions | million positions/s |"
    );
    println!("|---|---|---|---|---|");
    for threads in [1, 2] {
        let solver = Solver::builder()
            .memory_mib(LARGE_TABLE)
            .threads(threads)
            .build();
        let started = Instant::now();
        let value = solve(&solver, &Position::START);
        let seconds = started.elapsed().as_secs_f64();
        let positions = solver.positions() as f64 / 1e6;
        println!(
            "| {threads} | {value} | {seconds:.1} s | {positions:.1} | {:.1} |",
            positions / seconds
        );
    }
}

/// The value in the middle; of an even number the larger of both.
fn median<T: PartialOrd + Copy + Default>(values: impl Iterator<Item = T>) -> T {
    let sorted = values
        .sorted_by(|one, other| one.partial_cmp(other).expect("no NaN"))
        .collect_vec();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
