//! The values of `values.txt`, which an independent solver computed.

use std::cmp::Ordering;

use gothello::Position;
use gothello::solver::{Objective, Solver};

use super::unlimited;
use crate::cases::{cases, some_of};
use crate::values::{Known, known};

/// Solves positions one after the other with one solver, whose table entries must not harm
/// the next one. Returns the number of positions.
fn check(solver: &Solver, known: impl Iterator<Item = Known>) -> u32 {
    let mut count = 0;
    for Known { positions, values } in known {
        for (position, value) in positions.into_iter().zip(values) {
            let bounds = solver.search(&position, Objective::Value, &unlimited());
            let found = bounds.seen_by(position.to_move());
            assert_eq!(found.to_string(), value, "{position}");
            count += 1;
        }
    }
    count
}

#[test]
fn all_values_with_11_stones_or_more_are_found() {
    assert_eq!(
        check(
            &Solver::builder()
                .memory_mib(16)
                .threads(1)
                .tablebase(None)
                .build(),
            some_of(known(11..=24))
        ),
        cases(14 * 20) * 2
    );
}

#[test]
#[ignore = "takes some seconds, optimized"]
fn all_values_are_found_in_one_go() {
    assert_eq!(
        check(
            &Solver::builder()
                .memory_mib(16)
                .threads(1)
                .tablebase(None)
                .build(),
            known(9..=24)
        ),
        16 * 20 * 2
    );
}

#[test]
fn the_smallest_table_and_two_threads_find_the_same() {
    assert_eq!(
        check(
            &Solver::builder()
                .memory_mib(0)
                .threads(2)
                .tablebase(None)
                .build(),
            some_of(known(12..=14))
        ),
        cases(3 * 20) * 2
    );
}

#[test]
fn the_winner_takes_fewer_positions_than_the_value() {
    let mut positions = [0, 0];
    for known in some_of(known(12..=24)) {
        for (position, value) in known.positions.into_iter().zip(known.values) {
            for (objective, positions) in [Objective::Value, Objective::Winner]
                .into_iter()
                .zip(&mut positions)
            {
                let solver = Solver::builder()
                    .memory_mib(1)
                    .threads(1)
                    .tablebase(None)
                    .build();
                let bounds = solver.search(&position, objective, &unlimited());
                *positions += solver.positions();
                let bounds = bounds.seen_by(position.to_move());
                let winner = match bounds.sign() {
                    Some(Ordering::Greater) => "B+",
                    Some(Ordering::Less) => "W+",
                    Some(Ordering::Equal) => "0",
                    None => panic!("{position}: {bounds}"),
                };
                assert!(value.starts_with(winner), "{position}: {bounds}");
            }
        }
    }
    let [value, winner] = positions;
    assert!(winner < value, "{winner} positions, {value} for the values");
    // A larger number means that move ordering or the bounds have become worse.
    assert!(value < 463_000, "{value} positions");
}

#[test]
fn table_entries_after_an_undefended_eye_are_correct() {
    // In the search of the first position, a bad move leaves an intrusion into a large eye
    // unanswered; the second position is reached that way.
    for (first, second, value) in [
        (
            "b.w.w/.wbw./w.b../.b.b./.bw.. b",
            "w.b.b/bbwb./bwwwb/bw.ww/wwbb. b",
            "B+5",
        ),
        (
            ".ww../...b./.w..w/b.bwb/..bb. w",
            ".wwwb/b.wb./wwwbw/bbbbb/.wbb. b",
            "B+9",
        ),
        (
            "w.b.w/.wb../.wbbb/bbbb./..... b",
            "www.b/wwwb./wwwww/wwwwb/w.b.. b",
            "W+11",
        ),
    ] {
        let solver = Solver::builder()
            .memory_mib(1)
            .threads(1)
            .tablebase(None)
            .build();
        let position: Position = first.parse().unwrap();
        solver.search(&position, Objective::Value, &unlimited());
        let position: Position = second.parse().unwrap();
        let bounds = solver.search(&position, Objective::Value, &unlimited());
        let found = bounds.seen_by(position.to_move());
        assert_eq!(found.to_string(), value, "{position} after {first}");
    }
}
