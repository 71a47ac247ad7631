//! Territory: examples in pictures, comparison with plain minimax, and comparison with the
//! claims of the lemma taken literally.

use std::fmt::Debug;

use itertools::Itertools;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::cases::cases;
use super::{minimax, point_of, random_stones};
use crate::games::gothello::{Move, Point, PointSet, Position, Stones};
use crate::solving::solver::Bounds;
use crate::solving::solver::search::Node;
use crate::solving::solver::territory::Territory;

/// Parses a board given as its five rows.
fn board(rows: [&str; 5]) -> Position {
    format!("{} b", rows.join("/")).parse().unwrap()
}

/// Returns the territory of Black.
fn black(rows: [&str; 5]) -> Territory {
    let position = board(rows);
    Territory::new(position.stones().mover, position.empty())
}

/// Returns Black's lower bounds with replies, with White and with Black to move.
fn black_with_replies(rows: [&str; 5]) -> (i8, i8) {
    let empty = board(rows).empty();
    let territory = black(rows);
    (
        bound_with_replies(&territory, empty, false),
        bound_with_replies(&territory, empty, true),
    )
}

/// Returns the lower bound for Black's stones and points and the points that stay empty;
/// White has the rest of the board.
fn bound(owned: i8, left_empty: i8) -> i8 {
    owned - (25 - owned - left_empty)
}

#[test]
fn no_group_is_alive_without_an_eye() {
    let territory = black([
        ".....", //
        ".....", ".bbb.", "..b..", ".....",
    ]);
    assert_eq!(territory.alive(), PointSet::EMPTY);
    // White never occupies the last empty point of the board.
    assert_eq!(territory.lower_bound(), bound(0, 1));
}

#[test]
fn one_eye_lives() {
    // White cannot place a stone at a1: it would have no liberty before it
    // captures. Three stones are Black's, a1 and one point outside stay empty.
    let territory = black([
        ".....", //
        ".....", ".....", "bb...", ".b...",
    ]);
    assert_eq!(territory.alive().to_string(), "b1 a2 b2");
    assert_eq!(territory.lower_bound(), bound(3, 2));
}

#[test]
fn two_groups_may_share_their_eye() {
    // Both have a1 as a liberty.
    let territory = black([
        ".....", //
        ".....", ".....", "b....", ".b...",
    ]);
    assert_eq!(territory.alive().to_string(), "b1 a2");
    assert_eq!(territory.lower_bound(), bound(2, 2));
}

#[test]
fn one_of_two_eyes_is_reserved_and_the_other_can_be_filled() {
    // Black can fill a3 or a1, but not both.
    let territory = black([
        ".....", //
        "bb...", ".b...", "bb...", ".b...",
    ]);
    assert_eq!(territory.lower_bound(), bound(6 + 1, 2));
}

#[test]
fn an_enclosed_region_that_is_not_reserved_is_all_the_owners() {
    // White's stone at a5 has a4 and, after that, no other liberty: the last
    // point that Black fills there takes it.
    let territory = black([
        "wb...", //
        ".b...", ".b...", "bb...", ".b...",
    ]);
    assert_eq!(territory.alive().len(), 6);
    assert_eq!(territory.lower_bound(), bound(6 + 3, 2));
}

#[test]
fn a_larger_eye_keeps_one_empty_point() {
    // Of three points one stays empty. White can take two, if Black passes.
    let territory = black([
        ".....", //
        "bb...", ".b...", ".b...", ".b...",
    ]);
    assert_eq!(territory.lower_bound(), bound(5, 2));
}

#[test]
fn the_enemy_fills_no_region() {
    // The wall parts the rest of the board: White cannot take the last point
    // above it, nor below it.
    let territory = black([
        ".....", //
        ".....", "bbbbb", "b.b..", ".b...",
    ]);
    // One of a1 and b2 is reserved, the other Black's.
    assert_eq!(territory.lower_bound(), bound(8 + 1, 3));
}

#[test]
fn a_white_stone_in_an_eye_changes_nothing() {
    let territory = black([
        ".....", //
        "bb...", ".b...", "wb...", ".b...",
    ]);
    assert_eq!(territory.alive().len(), 5);
    // Two points are empty, of which one stays so.
    assert_eq!(territory.lower_bound(), bound(5, 2));
}

#[test]
fn a_stone_beside_an_alive_group_is_replied_to() {
    // The open liberties of Black are a3, b3, c2 and c1: Black replies to each of White's
    // stones there on another, and gets two of them.
    let even = [
        ".....", //
        ".....", ".....", "bb...", ".b...",
    ];
    assert_eq!(black_with_replies(even), (bound(3 + 2, 2), bound(3 + 2, 2)));
    // Of five liberties, Black gets two, and one more with the first move.
    let odd = [
        ".....", //
        ".....", ".b...", "bb...", ".b...",
    ];
    assert_eq!(black_with_replies(odd), (bound(4 + 2, 2), bound(4 + 3, 2)));
}

#[test]
fn a_region_that_a_weak_group_encloses_is_no_eye() {
    // a3 can be captured: then a1 and a2 are no eye.
    let territory = black([
        ".....", //
        ".....", "b....", ".b...", ".b...",
    ]);
    assert_eq!(territory.alive(), PointSet::EMPTY);
}

/// Asserts that the lower bounds of both players are at most the value.
fn assert_lower_bounds(stones: Stones, empty: PointSet) {
    let Stones { mover, opponent } = stones;
    let value = minimax(stones, empty, false);
    let bound = Territory::new(mover, empty).lower_bound();
    assert!(
        bound <= value,
        "{bound} > {value} for the mover: {stones:?}"
    );
    let bound = Territory::new(opponent, empty).lower_bound();
    assert!(
        bound <= -value,
        "{bound} > {} for the opponent: {stones:?}",
        -value
    );
}

#[test]
fn the_lower_bound_is_at_most_the_value() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut bounded = 0;
    for number in 0..cases(3_000) {
        let empty = 1 + number % 6;
        let stones = random_stones(&mut rng, empty);
        let free = !(stones.mover | stones.opponent);
        assert_lower_bounds(stones, free);
        assert_bounds(&Node::new(stones), "");
        assert_lower_bounds(stones.swapped(), free);
        assert_bounds(&Node::new(stones.swapped()), "");
        bounded += u32::from(Territory::new(stones.mover, free).lower_bound() > -24);
    }
    // Enough boards have a bound that could be wrong.
    assert!(bounded > cases(1_000), "{bounded}");
}

/// Asserts that the bounds of a node, for any null window, include its value.
fn assert_bounds(node: &Node, context: impl Debug) {
    let stones = node.placements.stones();
    let value = minimax(stones, node.placements.empty(), false);
    for beta in -25..=25 {
        let bounds = node.bounds_with_replies(beta);
        assert!(
            bounds.low <= value && value <= bounds.high,
            "{bounds:?}, but {value}: {stones:?} {context:?}"
        );
    }
}

/// Asserts along a random line that incrementally updated territories are correct, and at
/// most as large as new ones.
fn assert_line_is_correct(rng: &mut StdRng, stones: Stones) {
    let mut node = Node::new(stones);
    let mut line = Vec::new();
    loop {
        let opponent = node.placements.stones().opponent;
        let empty = node.placements.empty();
        if empty.len() <= 6 {
            assert_bounds(&node, (&line, stones));
        }
        let alive = Territory::new(opponent, empty).alive();
        assert!(node.opponent_alive().without(alive).is_empty());
        let legal = node.placements.legal();
        node = if legal.is_empty() {
            return;
        } else if rng.random_range(0..5) == 0 && line.last() != Some(&Move::Pass) {
            line.push(Move::Pass);
            node.passed()
        } else {
            let at = point_of(rng, legal);
            let point: Point = at.first().unwrap();
            line.push(Move::Place(point));
            node.after(point)
        };
    }
}

#[test]
fn incremental_bounds_include_the_value() {
    let mut rng = StdRng::seed_from_u64(2);
    for number in 0..cases(1_500) {
        let stones = random_stones(&mut rng, 6 + number % 8);
        assert_line_is_correct(&mut rng, stones);
    }
}

#[test]
fn a_filled_region_is_not_counted_again_when_its_walls_grow() {
    // The stone at a5 is Black's, the mover's, and fills a region that was open.
    let position: Position = "..wbw/.wwbw/w.wb./ww.bb/...b. b".parse().unwrap();
    let mut node = Node::new(position.stones());
    for point in ["a4", "b5", "c2", "a5", "e1", "a1"] {
        node = node.after(point.parse().unwrap());
        let empty = node.placements.empty();
        if empty.len() <= 6 {
            assert_bounds(&node, point);
        }
    }
}

/// Returns whether a region contains an empty point and all its empty points are
/// liberties of `stones`.
fn is_enclosed(region: PointSet, stones: PointSet, empty: PointSet) -> bool {
    let points = region & empty;
    !points.is_empty() && points.without(stones.neighbors()).is_empty()
}

/// Returns the largest set of groups that is alive.
fn largest_alive(stones: PointSet, empty: PointSet) -> PointSet {
    let has_eye = |&group: &_| {
        let mut regions = (!stones).groups();
        regions.any(|region| is_enclosed(region, group, empty))
    };
    let groups = stones.groups().filter(has_eye);
    let rest = groups.fold(PointSet::EMPTY, |all, one| all | one);
    if rest == stones {
        rest
    } else {
        largest_alive(rest, empty)
    }
}

/// Returns the lower bound that follows from X by claims 1 to 3 with the best choice of
/// reserved eyes; by 4 and 5, too, if `replies` says whether the owner is to move.
fn claimed(x: PointSet, empty: PointSet, replies: Option<bool>) -> i8 {
    let is_eye = |region, group| is_enclosed(region, group, empty);
    let choices = (!x).groups().powerset().filter(|reserved| {
        x.groups()
            .all(|group| reserved.iter().any(|&region| is_eye(region, group)))
    });
    let bounds = choices.map(|reserved| claimed_with(&reserved, x, empty, replies));
    bounds.max().unwrap_or(-25)
}

/// Returns the lower bound for this choice of reserved eyes.
fn claimed_with(reserved: &[PointSet], x: PointSet, empty: PointSet, replies: Option<bool>) -> i8 {
    let others = (!x).groups().filter(|region| !reserved.contains(region));
    let (owned, open): (Vec<_>, Vec<_>) = others.partition(|&region| is_enclosed(region, x, empty));
    let stones = x.len() + owned.into_iter().map(PointSet::len).sum::<u32>();
    let left_empty = reserved.len() + open.len();
    let bound = 2 * stones as i8 + left_empty as i8 - 25;
    let Some(is_to_move) = replies else {
        return bound;
    };
    let liberties = |&region: &PointSet| (region & empty & x.neighbors()).len() as i8;
    let count: i8 = open.iter().map(|region| liberties(region) / 2).sum();
    let is_odd = open.iter().any(|region| liberties(region) % 2 == 1);
    bound + 2 * (count + i8::from(is_odd && is_to_move))
}

/// Returns the largest lower bound with replies, and asserts that the one for each beta
/// decides correctly whether it is reached.
fn bound_with_replies(territory: &Territory, empty: PointSet, is_to_move: bool) -> i8 {
    let bound = |beta| territory.lower_bound_with_replies(empty, is_to_move, beta);
    let max = (-25..=25).map(bound).max().unwrap();
    for beta in -25..=25 {
        let found = bound(beta);
        assert!(
            found <= max && (found >= beta) == (max >= beta),
            "{found} of {max} for {beta}: {territory:?}"
        );
    }
    max
}

#[test]
fn a_new_territory_is_what_the_lemma_claims() {
    let mut rng = StdRng::seed_from_u64(3);
    let (mut alive, mut optimal, mut replied) = (0, 0, 0);
    for number in 0..6_000 {
        let stones = random_stones(&mut rng, 1 + number % 16);
        let empty = !(stones.mover | stones.opponent);
        let found = Territory::new(stones.mover, empty);
        let x = largest_alive(stones.mover, empty);
        assert_eq!(found.alive(), x, "{stones:?}");
        let (bound, claim) = (found.lower_bound(), claimed(x, empty, None));
        assert!(bound <= claim, "{bound} > {claim}: {stones:?}");
        alive += u32::from(!x.is_empty());
        optimal += u32::from(!x.is_empty() && bound == claim);
        if x != stones.mover || bound < claim {
            // `enclosed` may be larger, so that replies are missed.
            continue;
        }
        for is_to_move in [false, true] {
            let bound = bound_with_replies(&found, empty, is_to_move);
            assert_eq!(bound, claimed(x, empty, Some(is_to_move)), "{stones:?}");
            replied += u32::from(bound > found.lower_bound());
        }
    }
    // The choice of reserved eyes is a heuristic, which is rarely not optimal.
    assert!(alive > 2_000 && replied > 900, "{alive} {replied}");
    assert!(100 * optimal > 98 * alive, "{optimal} of {alive}");
}

/// Returns the tightest bounds of a node over all null windows.
fn tightest_bounds(node: &Node) -> Bounds {
    let all = (-25..=25).map(|beta| node.bounds_with_replies(beta));
    all.reduce(Bounds::intersect).unwrap()
}

/// Asserts that the lower bounds of both players follow from their alive stones.
fn assert_claimed(node: &Node, context: &[Point]) {
    let empty = node.placements.empty();
    let (plain, tight) = (node.bounds(), tightest_bounds(node));
    for (alive, bound, with_replies, is_to_move) in [
        (node.passed().opponent_alive(), plain.low, tight.low, true),
        (node.opponent_alive(), -plain.high, -tight.high, false),
    ] {
        let stones = node.placements.stones();
        let claim = claimed(alive, empty, None);
        assert!(bound <= claim, "{bound} > {claim}: {stones:?} {context:?}");
        let claim = claimed(alive, empty, Some(is_to_move));
        assert!(
            with_replies <= claim,
            "{with_replies} > {claim}: {stones:?} {context:?}"
        );
    }
}

#[test]
fn an_incremental_territory_is_what_the_lemma_claims() {
    let mut rng = StdRng::seed_from_u64(4);
    let (mut known, mut weaker) = (0, 0);
    for number in 0..cases(6_000) {
        let stones = random_stones(&mut rng, 4 + number % 14);
        let mut node = Node::new(stones);
        let mut line = Vec::new();
        loop {
            assert_claimed(&node, &line);
            let new = Node::new(node.placements.stones());
            known += u32::from(new.bounds() != Bounds::UNKNOWN);
            weaker += u32::from(node.bounds().intersect(new.bounds()) != node.bounds());
            let legal = node.placements.legal();
            if legal.is_empty() {
                break;
            }
            node = if rng.random_range(0..5) == 0 {
                node.passed()
            } else {
                let point = point_of(&mut rng, legal).first().unwrap();
                line.push(point);
                node.after(point)
            };
        }
    }
    // It may be weaker than a new one, but that is rare.
    assert!(20 * weaker < known, "{weaker} of {known}");
}
