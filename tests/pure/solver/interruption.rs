//! Searches that are stopped and continued.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gothello::Position;
use gothello::solver::{Bounds, Control, MoveBounds, Objective, PositionBudget, Progress, Solver};
use itertools::Itertools;

use super::unlimited;
use crate::cases::{AT_ONCE, cases};
use crate::values::known;

fn is_possible(bounds: Bounds, value: i8) -> bool {
    bounds.low <= value && value <= bounds.high
}

#[test]
fn a_search_stops_when_the_flag_is_set() {
    for threads in [1, 2] {
        let stop = AtomicBool::new(true);
        let control = unlimited().stopped_by(&stop);
        let solver = Solver::builder()
            .memory_mib(1)
            .threads(threads)
            .tablebase(None)
            .build();
        let started = Instant::now();
        let bounds = solver.search(&Position::START, Objective::Value, &control);
        assert!(
            started.elapsed() < AT_ONCE,
            "{threads} threads: {:?}",
            started.elapsed()
        );
        assert_eq!(bounds.value(), None, "{threads} threads");
        // Each of two threads checks the flag after a thousand positions.
        assert!(solver.positions() < 10_000, "{}", solver.positions());
    }
}

#[test]
fn a_search_stops_at_its_deadline() {
    for threads in [1, 2] {
        let time = Duration::from_millis(100);
        let started = Instant::now();
        let control = unlimited().within(time);
        let solver = Solver::builder()
            .memory_mib(1)
            .threads(threads)
            .tablebase(None)
            .build();
        let bounds = solver.search(&Position::START, Objective::Value, &control);
        assert!(
            started.elapsed() >= time,
            "{threads} threads: {:?}",
            started.elapsed()
        );
        assert!(
            started.elapsed() < time + AT_ONCE,
            "{threads} threads: {:?}",
            started.elapsed()
        );
        assert_eq!(bounds.value(), None, "{threads} threads");
    }
}

#[test]
fn a_search_stops_when_its_budget_is_spent() {
    for threads in [1, 2] {
        let solver = Solver::builder()
            .memory_mib(1)
            .threads(threads)
            .tablebase(None)
            .build();
        let whole = PositionBudget::new(20_000);
        let part = whole.part(5_000);
        let search = |budget| {
            let control = unlimited().spending(budget);
            let before = solver.positions();
            let bounds = solver.search(&Position::START, Objective::Value, &control);
            assert_eq!(bounds.value(), None, "{threads} threads");
            solver.positions() - before
        };
        // Each thread checks it after 1024 positions.
        assert!((5_000..5_000 + 2_048).contains(&search(&part)));
        // Positions spent from a part are also spent from the whole.
        assert_eq!(
            (part.left(), whole.left()),
            (0, 20_000 - whole.spent()),
            "{threads} threads"
        );
        assert!((13_000..17_048).contains(&search(&whole)));
        assert!(
            whole.is_spent() && whole.part(1_000).is_spent(),
            "{threads} threads"
        );
        assert!(search(&whole) <= 2_048);
    }
}

/// Searches repeatedly, for at most this many positions each time, until the value is
/// known. Returns the number of searches.
fn solve_in_pieces(solver: &Solver, position: &Position, value: i8, positions: u64) -> u32 {
    for pieces in 1..10_000 {
        let stop = AtomicBool::new(false);
        let enough = solver.positions() + positions;
        let watch = |progress: &Progress| {
            stop.fetch_or(progress.positions >= enough, Ordering::Relaxed);
        };
        let control = Control::until(&stop).reporting_to(&watch);
        let bounds = solver.search(position, Objective::Value, &control);
        assert!(is_possible(bounds, value), "{position}: {bounds:?}");
        if bounds.value().is_some() {
            return pieces;
        }
    }
    panic!("{position} is not solved");
}

#[test]
fn a_stopped_search_has_correct_bounds_and_continues() {
    for threads in [1, 2] {
        for known in known(11..=11).take(cases(5) as usize) {
            let position = known.positions[0];
            let whole = Solver::builder()
                .memory_mib(4)
                .threads(1)
                .tablebase(None)
                .build();
            let bounds = whole.search(&position, Objective::Value, &unlimited());
            let value = bounds.value().unwrap();
            let solver = Solver::builder()
                .memory_mib(4)
                .threads(threads)
                .tablebase(None)
                .build();
            let pieces = solve_in_pieces(&solver, &position, value, 10_000);
            // Without the table, no search would finish.
            let most = 3 * whole.positions() + 40_000;
            assert!(
                solver.positions() < most,
                "{position}: {} positions in {pieces} pieces, {} in one",
                solver.positions(),
                whole.positions()
            );
        }
    }
}

#[test]
fn undecided_results_are_distinguished() {
    let stop = AtomicBool::new(true);
    let control = unlimited().stopped_by(&stop);
    for known in known(11..=11).take(2) {
        let position = known.positions[0];
        let bounds = Solver::builder()
            .memory_mib(1)
            .threads(1)
            .tablebase(None)
            .build()
            .search(&position, Objective::Value, &unlimited());
        let value = bounds.value().unwrap();
        let solver = Solver::builder()
            .memory_mib(1)
            .threads(1)
            .tablebase(None)
            .build();
        assert_eq!(
            solver.is_at_least(&position, value, &control),
            None,
            "{position}"
        );
        let line = solver.search_principal_variation(&position, value, &control);
        assert_eq!(
            (line.moves.as_slice(), line.outcome),
            (&[][..], None),
            "{position}"
        );
        let moves = solver.search_moves(&position, Objective::Value, &unlimited());
        for objective in [Objective::AtLeast(value), Objective::Value] {
            let stopped = Solver::builder()
                .memory_mib(1)
                .threads(1)
                .tablebase(None)
                .build()
                .search_moves(&position, objective, &control);
            let is_open = |judged: &MoveBounds| !objective.is_decided_by(judged.bounds);
            assert!(stopped.iter().any(is_open));
            for (judged, exact) in stopped.iter().zip_eq(&moves) {
                assert!(is_possible(judged.bounds, exact.bounds.low), "{position}");
            }
        }
    }
}

#[test]
fn progress_is_reported() {
    let seen = std::sync::Mutex::new(Vec::new());
    let watch = |progress: &Progress| seen.lock().unwrap().push(*progress);
    let control = unlimited().reporting_to(&watch);
    let stones = if cfg!(debug_assertions) { 10 } else { 9 };
    let known = known(stones..=stones).next().unwrap();
    let solver = Solver::builder()
        .memory_mib(1)
        .threads(1)
        .tablebase(None)
        .build();
    let bounds = solver.search(&known.positions[0], Objective::Value, &control);
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() > 10);
    assert!(seen.is_sorted_by_key(|progress| progress.positions));
    for progress in &seen {
        assert!(
            is_possible(progress.bounds, bounds.low),
            "{progress:?} of {bounds:?}"
        );
        let Bounds { low, high } = progress.bounds;
        assert!(
            low < progress.beta && progress.beta <= high,
            "{progress:?} of {bounds:?}"
        );
    }
}
