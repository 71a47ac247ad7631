//! Comparison of the solver with plain minimax.

use gothello::solver::{Bounds, MoveBounds, Objective, Solver};
use gothello::{Color, Move, Next, Outcome, Position};
use itertools::Itertools;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::positions::{reachable, well_formed};
use super::unlimited;
use crate::cases::{cases, some_of};

/// Computes the value of a position for the player to move without bounds, symmetry or
/// table; a pass is a move like any other.
pub fn value(position: &Position) -> i8 {
    moves(position)
        .map(|(_, value)| value)
        .max()
        .expect("the pass")
}

/// Returns every legal move with its value for the player to move.
fn moves(position: &Position) -> impl Iterator<Item = (Move, i8)> {
    position.legal_moves().map(|mv| {
        let value = match position.play(mv).unwrap() {
            Next::Continues(next) => -value(&next),
            Next::Ends(outcome) => margin(outcome, position.to_move()),
        };
        (mv, value)
    })
}

/// Returns the margin by which `color` wins.
fn margin(outcome: Outcome, color: Color) -> i8 {
    match outcome {
        Outcome::Drawn => 0,
        Outcome::Won { winner, margin } => {
            let margin = margin.get() as i8;
            if winner == color { margin } else { -margin }
        }
    }
}

/// Asserts that all results of the solver agree with minimax.
fn assert_agreement(solver: &Solver, position: &Position) {
    let expected: Vec<(Move, i8)> = moves(position).collect();
    let value = expected.iter().map(|&(_, value)| value).max().unwrap();
    let control = unlimited();

    let found = solver.search(position, Objective::Value, &control);
    assert_eq!(found, Bounds::exactly(value), "{position}");

    let winner = Solver::builder()
        .memory_mib(0)
        .threads(1)
        .tablebase(None)
        .build()
        .search(position, Objective::Winner, &control);
    assert!(winner.low <= value && value <= winner.high, "{position}");
    assert!(
        winner.low > 0 || winner.high < 0 || winner == Bounds::exactly(0),
        "{position}: {winner:?}"
    );

    for wanted in [value, value + 1] {
        let is_at_least = solver.is_at_least(position, wanted, &control);
        assert_eq!(is_at_least, Some(wanted == value), "{position}");
    }

    let objective = Objective::AtLeast(value);
    let judged = solver.search_moves(position, objective, &control);
    for (MoveBounds { mv, bounds }, (expected, of_move)) in judged.into_iter().zip_eq(&expected) {
        assert_eq!(mv, *expected, "{position}");
        assert!(objective.is_decided_by(bounds), "{position} {mv}");
        assert_eq!(bounds.low >= value, *of_move == value, "{position} {mv}");
    }

    let table = solver
        .search_moves(position, Objective::Value, &control)
        .into_iter();
    let table: Vec<(Move, i8)> = table
        .map(|MoveBounds { mv, bounds }| (mv, bounds.value().unwrap()))
        .collect();
    assert_eq!(table, expected, "{position}");

    assert_best_play(solver, position, value);
}

/// Asserts that the principal variation is legal, ends with two passes, has the value as
/// its outcome, and begins with a best move.
fn assert_best_play(solver: &Solver, position: &Position, value: i8) {
    let line = solver.search_principal_variation(position, value, &unlimited());
    let moves = solver.search_moves(position, Objective::AtLeast(value), &unlimited());
    let first = line.moves.first();
    let first = moves.iter().find(|judged| Some(&judged.mv) == first);
    assert!(
        first.is_some_and(|judged| judged.bounds.low >= value),
        "{position}: {line:?} of {moves:?}"
    );
    let mut next = Next::Continues(*position);
    for &mv in &line.moves {
        next = match next {
            Next::Continues(now) => now.play(mv).unwrap(),
            Next::Ends(_) => panic!("{position}: {line:?} goes on after the end"),
        };
    }
    let Next::Ends(outcome) = next else {
        panic!("{position}: {line:?} does not end the game");
    };
    assert_eq!(line.outcome, Some(outcome), "{position}: {line:?}");
    assert_eq!(
        margin(outcome, position.to_move()),
        value,
        "{position}: {line:?}"
    );
}

/// Compares `count` random positions of each kind; `empty` returns the number of empty points of
/// each. One solver solves all of them, so its table has entries of other positions.
fn agree_on(count: u32, empty: impl Fn(u32) -> u32, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let solver = Solver::builder()
        .memory_mib(1)
        .threads(1)
        .tablebase(None)
        .build();
    for number in 0..count {
        let empty = empty(number);
        let position = if number % 3 == 2 {
            well_formed(&mut rng, empty)
        } else {
            reachable(&mut rng, empty)
        };
        assert_agreement(&solver, &position);
    }
}

#[test]
fn random_positions_with_18_stones_or_more_agree() {
    agree_on(cases(400), |number| 1 + number % 7, 1);
}

#[test]
#[ignore = "takes half a minute, optimized"]
fn many_random_positions_with_16_stones_or_more_agree() {
    // Minimax takes seconds with 9 empty points, and a tenth with one less.
    let empty = |number| match number % 100 {
        99 => 9,
        24 | 49 | 74 => 8,
        _ => 1 + number % 7,
    };
    agree_on(150, empty, 2);
}

#[test]
fn best_play_from_emptier_boards_gives_the_value() {
    let solver = Solver::builder()
        .memory_mib(4)
        .threads(2)
        .tablebase(None)
        .build();
    for known in some_of(crate::values::known(12..=15)) {
        for position in known.positions {
            let bounds = solver.search(&position, Objective::Value, &unlimited());
            assert_best_play(&solver, &position, bounds.value().unwrap());
        }
    }
}
