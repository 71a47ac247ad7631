//! What is said to be certain is true; and what it is, in pictures.

use std::fmt::Debug;

use super::naive;
use super::random::Random;
use crate::gothello::{Move, Point, PointSet, Position, Stones};
use crate::solver::node::Node;
use crate::solver::territory::Territory;

/// A board given as its five rows.
fn board(rows: [&str; 5]) -> Position {
    format!("{} b", rows.join("/")).parse().unwrap()
}

/// What Black has on a board, given as its five rows.
fn black(rows: [&str; 5]) -> Territory {
    let position = board(rows);
    Territory::of(position.stones().mover, position.empty())
}

/// The floor when Black answers, as he passes first and as he moves first.
fn with_answers(rows: [&str; 5]) -> (i8, i8) {
    let empty = board(rows).empty();
    let floor = |is_to_move| {
        // That it is enough is never known before it is looked at.
        let floors =
            (-25..=25).map(|wanted| black(rows).floor_with_answers(empty, is_to_move, wanted));
        floors.max().unwrap()
    };
    (floor(false), floor(true))
}

/// Black's stones and points, the points that stay empty, and White's rest of
/// the board: what the floor is made of.
fn floor(mine: i8, left_empty: i8) -> i8 {
    mine - (25 - mine - left_empty)
}

#[test]
fn without_an_eye_nothing_is_certain() {
    let territory = black([
        ".....", //
        ".....", ".bbb.", "..b..", ".....",
    ]);
    assert_eq!(territory.safe(), PointSet::EMPTY);
    assert_eq!(territory.floor(), -25);
}

#[test]
fn one_eye_lives() {
    // White cannot place a stone at a1: it would have no liberty before it
    // captures. Three stones are Black's, a1 and one point outside stay empty.
    let territory = black([
        ".....", //
        ".....", ".....", "bb...", ".b...",
    ]);
    assert_eq!(territory.safe().to_string(), "b1 a2 b2");
    assert_eq!(territory.floor(), floor(3, 2));
}

#[test]
fn two_groups_may_share_their_eye() {
    // Both have a1 as a liberty.
    let territory = black([
        ".....", //
        ".....", ".....", "b....", ".b...",
    ]);
    assert_eq!(territory.safe().to_string(), "b1 a2");
    assert_eq!(territory.floor(), floor(2, 2));
}

#[test]
fn of_two_eyes_one_is_reserved_and_the_other_his() {
    // He can fill a3 or a1, but not both.
    let territory = black([
        ".....", //
        "bb...", ".b...", "bb...", ".b...",
    ]);
    assert_eq!(territory.floor(), floor(6 + 1, 2));
}

#[test]
fn what_he_encloses_beside_his_eye_is_wholly_his() {
    // White's stone at a5 has a4 and, after that, no other liberty: the last
    // point that Black fills there takes it.
    let territory = black([
        "wb...", //
        ".b...", ".b...", "bb...", ".b...",
    ]);
    assert_eq!(territory.safe().len(), 6);
    assert_eq!(territory.floor(), floor(6 + 3, 2));
}

#[test]
fn of_a_larger_eye_only_one_point_counts() {
    // Of three points one stays empty. White can take two, if Black passes.
    let territory = black([
        ".....", //
        "bb...", ".b...", ".b...", ".b...",
    ]);
    assert_eq!(territory.floor(), floor(5, 2));
}

#[test]
fn no_region_is_filled_by_the_enemy() {
    // The wall parts the rest of the board: White cannot take the last point
    // above it, nor below it.
    let territory = black([
        ".....", //
        ".....", "bbbbb", "b.b..", ".b...",
    ]);
    // One of a1 and b2 is reserved, the other Black's.
    assert_eq!(territory.floor(), floor(8 + 1, 3));
}

#[test]
fn a_white_stone_in_an_eye_changes_nothing() {
    let territory = black([
        ".....", //
        "bb...", ".b...", "wb...", ".b...",
    ]);
    assert_eq!(territory.safe().len(), 5);
    // Two points are empty, of which one stays so.
    assert_eq!(territory.floor(), floor(5, 2));
}

#[test]
fn a_stone_beside_his_is_answered() {
    // The open points beside Black's stones are a3, b3, c2 and c1: to each of
    // White's stones there he answers at another, and has two of them.
    let even = [
        ".....", //
        ".....", ".....", "bb...", ".b...",
    ];
    assert_eq!(with_answers(even), (floor(3 + 2, 2), floor(3 + 2, 2)));
    // Of five he has two, and one more if he begins.
    let odd = [
        ".....", //
        ".....", ".b...", "bb...", ".b...",
    ];
    assert_eq!(with_answers(odd), (floor(4 + 2, 2), floor(4 + 3, 2)));
}

#[test]
fn an_eye_that_another_group_can_open_is_none() {
    // a3 can be captured: then a1 and a2 are no eye.
    let territory = black([
        ".....", //
        ".....", "b....", ".b...", ".b...",
    ]);
    assert_eq!(territory.safe(), PointSet::EMPTY);
}

/// The floor of a set of stones, whatever else is certain.
fn assert_floor(stones: Stones, empty: PointSet) {
    let Stones { mover, opponent } = stones;
    let value = naive::value(stones, empty, false);
    let floor = Territory::of(mover, empty).floor();
    assert!(
        floor <= value,
        "{floor} for the mover of {stones:?}, who has {value}"
    );
    let floor = Territory::of(opponent, empty).floor();
    assert!(
        floor <= -value,
        "{floor} against the mover of {stones:?}, who has {value}"
    );
}

#[test]
fn the_floor_is_never_above_the_value() {
    let mut random = Random(1);
    let mut certain = 0;
    for number in 0..3_000 {
        let empty = 1 + number % 6;
        let stones = random.stones(empty);
        let free = !(stones.mover | stones.opponent);
        // Whoever is to move.
        assert_floor(stones, free);
        assert_bounds(&Node::new(stones), "");
        assert_floor(stones.swapped(), free);
        assert_bounds(&Node::new(stones.swapped()), "");
        certain += u32::from(Territory::of(stones.mover, free).floor() > -25);
    }
    // The boards are such that there is something to be wrong about.
    assert!(certain > 1_000, "{certain}");
}

/// What the territories of a node say is true of its value, whichever question
/// they are asked.
fn assert_bounds(node: &Node, context: impl Debug) {
    let stones = node.placements.stones();
    let value = naive::value(stones, node.placements.empty(), false);
    for wanted in -25..=25 {
        let bounds = node.bounds_near(wanted);
        assert!(
            bounds.low <= value && value <= bounds.high,
            "{bounds:?}, but {value}: {stones:?} {context:?}"
        );
    }
}

/// What is derived move by move stays true; the same boards found anew give at
/// least as much.
fn assert_line_is_true(random: &mut Random, stones: Stones) {
    let mut node = Node::new(stones);
    let mut line = Vec::new();
    loop {
        let opponent = node.placements.stones().opponent;
        let empty = node.placements.empty();
        if empty.len() <= 6 {
            assert_bounds(&node, (&line, stones));
        }
        let safe = Territory::of(opponent, empty).safe();
        assert!(node.opponent_safe().without(safe).is_empty());
        let legal = node.placements.legal();
        node = if legal.is_empty() {
            return;
        } else if random.below(5) == 0 && line.last() != Some(&Move::Pass) {
            line.push(Move::Pass);
            node.passed()
        } else {
            let at = random.point_of(legal);
            let point: Point = at.first().unwrap();
            line.push(Move::Place(point));
            node.after(point).1
        };
    }
}

#[test]
fn what_is_kept_up_move_by_move_is_never_above_the_value() {
    let mut random = Random(2);
    for number in 0..1_500 {
        let stones = random.stones(6 + number % 8);
        assert_line_is_true(&mut random, stones);
    }
}

#[test]
fn a_filled_region_is_not_counted_again_when_its_walls_grow() {
    // The mover is Black: his stone at a5 fills a region that was open.
    let position: Position = "..wbw/.wwbw/w.wb./ww.bb/...b. b".parse().unwrap();
    let mut node = Node::new(position.stones());
    for point in ["a4", "b5", "c2", "a5", "e1", "a1"] {
        node = node.after(point.parse().unwrap()).1;
        let empty = node.placements.empty();
        if empty.len() <= 6 {
            assert_bounds(&node, point);
        }
    }
}
