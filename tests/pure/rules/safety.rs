//! Stones reported as safe are safe.

use std::collections::HashSet;

use gothello::solver::unconditionally_alive;
use gothello::{Placements, PointSet, Position, Stones};
use proptest::prelude::*;

use super::any_stones;
use crate::cases::cases;

/// Black's safe stones on a board.
fn safe(rows: &str) -> String {
    let position: Position = format!("{rows} b").parse().unwrap();
    let stones = position.stones().mover;
    unconditionally_alive(stones, position.empty()).to_string()
}

#[test]
fn one_eye_lives() {
    assert_eq!(safe("...../...../...../bb.../.b..."), "b1 a2 b2");
    // Whichever player is in the eye: a stone there needs a liberty to be placed.
    assert_eq!(safe("...../...../bb.../wb.../.b..."), "b1 b2 a3 b3");
    // An eye of two points is one if both are liberties of the group,
    assert_eq!(safe("...../...../bb.../.b.../.b..."), "b1 b2 a3 b3");
    // and a larger one is none if one point is not: White fills that last.
    assert_eq!(safe("...../bbb../..b../..b../..b.."), "");
}

#[test]
fn an_eye_that_others_enclose_needs_them_safe() {
    // The eye at a1 is enclosed by two groups; both have it as a liberty.
    assert_eq!(safe("...../...../...../b..../.b..."), "b1 a2");
    // The one at a1 and a2 is enclosed by a3 too, which can be captured.
    assert_eq!(safe("...../...../b..../.b.../.b..."), "");
}

/// Every set of stones that the opponent can bring about while the other
/// player only passes.
fn reachable(stones: Stones, empty: PointSet, seen: &mut HashSet<[PointSet; 2]>) {
    if !seen.insert([stones.mover, stones.opponent]) {
        return;
    }
    for (point, after) in Placements::new(stones, empty).children() {
        let passed = Stones {
            mover: after.opponent,
            opponent: after.mover,
        };
        reachable(passed, empty.without(point.into()), seen);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(2_000)))]

    #[test]
    fn safe_stones_stand_whatever_the_enemy_does((black, white) in any_stones()) {
        let empty = !(black | white);
        let safe = unconditionally_alive(black, empty);
        // With more empty points there are too many ways to go.
        if !safe.is_empty() && empty.len() <= 9 {
            let mut seen = HashSet::new();
            reachable(Stones { mover: white, opponent: black }, empty, &mut seen);
            for [_, black] in seen {
                prop_assert_eq!(safe.without(black), PointSet::EMPTY);
            }
        }
    }
}
