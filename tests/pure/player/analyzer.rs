//! The analysis of positions and moves.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gothello::player::{AnalysisControl, Analyzer, Prover, best_of, value_of};
use gothello::solver::{Bounds, Control, MoveBounds, Objective, PrincipalVariation};
use gothello::{Next, Position};

use crate::cases::some_of;
use crate::positions::{RandomPlayer, valued};

#[test]
fn values_are_those_of_the_best_moves() {
    let prover = Prover::new().memory_mib(16);
    let stop = AtomicBool::new(false);
    for (position, value) in some_of(valued()) {
        let control = AnalysisControl::until(&stop);
        let moves = prover.moves(&position, &control);
        assert!(
            moves.iter().all(|judged| judged.bounds.value().is_some()),
            "{position}: {moves:?}"
        );
        assert!(
            moves
                .iter()
                .map(|judged| judged.mv)
                .eq(position.legal_moves()),
            "{position}: {moves:?}"
        );
        assert_eq!(value_of(&moves), Bounds::exactly(value), "{position}");
        let best = prover.best_moves(&position, &control);
        assert_eq!(best, best_of(Bounds::exactly(value), &moves), "{position}");
        assert!(best.complete && !best.moves.is_empty(), "{position}");
    }
}

#[test]
fn the_principal_variation_ends_with_the_value() {
    let prover = Prover::new().memory_mib(16);
    let stop = AtomicBool::new(false);
    for (start, value) in some_of(valued()) {
        let line = prover.principal_variation(&start, &AnalysisControl::until(&stop));
        let mut next = Next::Continues(start);
        for &mv in &line.moves {
            let Next::Continues(position) = next else {
                panic!("{start}: it goes on after its end");
            };
            next = position.play(mv).unwrap();
        }
        let Next::Ends(outcome) = next else {
            panic!("{start}: it does not go on to the end");
        };
        assert_eq!(line.outcome, Some(outcome), "{start}");
        let black = Bounds::exactly(value).seen_by(start.to_move());
        assert_eq!(black.to_string(), outcome.to_string(), "{start}");
    }
}

#[test]
fn progress_only_tightens_the_bounds() {
    let prover = Prover::new().memory_mib(16);
    let seen: Mutex<Vec<Vec<MoveBounds>>> = Mutex::default();
    let position = RandomPlayer::new(1).position(11);
    let control = AnalysisControl {
        stop: &AtomicBool::new(false),
        on_progress: &|moves| seen.lock().unwrap().push(moves.to_vec()),
    };
    let moves = prover.moves(&position, &control);
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() > moves.len());
    assert_eq!(seen.last(), Some(&moves));
    for pair in seen.windows(2) {
        for (before, after) in pair[0].iter().zip(&pair[1]) {
            assert_eq!(before.bounds.intersect(after.bounds), after.bounds);
        }
    }
}

#[test]
fn bounds_of_a_stopped_search_are_true() {
    let position = RandomPlayer::new(2).position(12);
    let exact = Prover::new()
        .memory_mib(16)
        .moves(&position, &AnalysisControl::until(&AtomicBool::new(false)));
    for stopped_after in [0, 1, 5, 20] {
        let stop = AtomicBool::new(stopped_after == 0);
        let count = Mutex::new(0);
        let control = AnalysisControl {
            stop: &stop,
            on_progress: &|_| {
                let mut count = count.lock().unwrap();
                *count += 1;
                if *count >= stopped_after {
                    stop.store(true, Ordering::Relaxed);
                }
            },
        };
        let moves = Prover::new().memory_mib(16).moves(&position, &control);
        assert!(
            moves.iter().any(|judged| judged.bounds.value().is_none()),
            "{stopped_after}: {moves:?}"
        );
        for (partial, exact) in moves.iter().zip(&exact) {
            assert_eq!(partial.bounds.intersect(exact.bounds), exact.bounds);
        }
    }
    let stop = AtomicBool::new(true);
    let best = Prover::new()
        .memory_mib(16)
        .best_moves(&Position::START, &AnalysisControl::until(&stop));
    assert!(best.moves.is_empty() && !best.complete);
    let line = Prover::new()
        .memory_mib(16)
        .principal_variation(&Position::START, &AnalysisControl::until(&stop));
    assert_eq!(line, PrincipalVariation::default());
    let control = Control::until(&stop);
    let value = Prover::new()
        .memory_mib(16)
        .value(&Position::START, Objective::Value, &control);
    assert_eq!(value.value(), None);
}
