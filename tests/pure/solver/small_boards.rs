//! Minimax with a table: on smaller boards, whose values are known, and on the full board,
//! where plain minimax is too slow.

use std::collections::HashMap;

use gothello::solver::{Bounds, Objective, Solver};
use gothello::{Move, Next, Placements, Point, PointSet, Position, Stones};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::positions::{reachable, well_formed};
use super::{naive, unlimited};
use crate::cases::cases;

/// Values for the player to move by stones, empty points, and whether the preceding move
/// was a pass.
type Values = HashMap<(PointSet, PointSet, bool), i8>;

/// Computes the value with a table of all positions seen, by the raw rules, which allow
/// other boards.
fn value(stones: Stones, empty: PointSet, after_pass: bool, seen: &mut Values) -> i8 {
    let key = (stones.mover, stones.opponent, after_pass);
    if let Some(&value) = seen.get(&key) {
        return value;
    }
    let mut best = if after_pass {
        stones.mover.len() as i8 - stones.opponent.len() as i8
    } else {
        -value(stones.swapped(), empty, true, seen)
    };
    for (point, next) in Placements::new(stones, empty).children() {
        best = best.max(-value(next, empty.without(point.into()), false, seen));
    }
    seen.insert(key, best);
    best
}

fn empty_board(columns: u8, rows: u8) -> i8 {
    let empty = Point::ALL
        .into_iter()
        .filter(|point| point.column() < columns && point.row() < rows)
        .collect();
    let stones = Stones {
        mover: PointSet::EMPTY,
        opponent: PointSet::EMPTY,
    };
    value(stones, empty, false, &mut Values::new())
}

#[test]
fn minimax_finds_the_known_values_of_small_boards() {
    assert_eq!(empty_board(3, 3), 1);
    if !cfg!(debug_assertions) {
        assert_eq!(empty_board(4, 3), 2);
    }
}

#[test]
fn both_minimax_searches_agree() {
    let mut rng = StdRng::seed_from_u64(3);
    for number in 0..200 {
        let make = if number % 2 == 0 {
            reachable
        } else {
            well_formed
        };
        let position: Position = make(&mut rng, 1 + number % 6);
        let found = value(
            position.stones(),
            position.empty(),
            position.after_pass(),
            &mut Values::new(),
        );
        assert_eq!(found, naive::value(&position), "{position}");
    }
}

/// Asserts that a solver that has solved a position knows correct values of later ones, even after
/// bad moves.
fn assert_memory(rng: &mut StdRng, start: Position) {
    let solver = Solver::builder()
        .memory_mib(1)
        .threads(1)
        .tablebase(None)
        .build();
    let seen = &mut Values::new();
    solver.search(&start, Objective::Value, &unlimited());
    for _ in 0..30 {
        let mut position = start;
        while position.empty().len() > 2 {
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = moves[rng.random_range(0..moves.len())];
            let Next::Continues(next) = position.play(mv).unwrap() else {
                break;
            };
            position = next;
            if rng.random_bool(0.5) {
                continue;
            }
            let stones = position.stones();
            let expected = value(stones, position.empty(), position.after_pass(), seen);
            let found = solver.search(&position, Objective::Value, &unlimited());
            assert_eq!(found, Bounds::exactly(expected), "{position} after {start}");
        }
    }
}

#[test]
fn table_entries_after_bad_moves_are_correct() {
    let mut rng = StdRng::seed_from_u64(4);
    for number in 0..cases(150) {
        let make = [reachable, well_formed][number as usize % 2];
        let start = make(&mut rng, 6 + number % 4);
        assert_memory(&mut rng, start);
    }
}
