//! What a territory says, held against its claims taken word by word: what it
//! keeps up move by move must follow from where the stones are now.

use itertools::Itertools;

use super::random::Random;
use crate::gothello::{Point, PointSet};
use crate::solver::Bounds;
use crate::solver::node::Node;
use crate::solver::territory::Territory;

/// Whether all empty points of a region are liberties of `stones`; there is one.
fn is_enclosed(region: PointSet, stones: PointSet, empty: PointSet) -> bool {
    let points = region & empty;
    !points.is_empty() && points.without(stones.neighbours()).is_empty()
}

/// The largest set of groups that have eyes.
fn largest(stones: PointSet, empty: PointSet) -> PointSet {
    let has_eye = |&group: &_| {
        let mut regions = (!stones).groups();
        regions.any(|region| is_enclosed(region, group, empty))
    };
    let groups = stones.groups().filter(has_eye);
    let rest = groups.fold(PointSet::EMPTY, |all, one| all | one);
    if rest == stones {
        rest
    } else {
        largest(rest, empty)
    }
}

/// What follows from X by the claims 1 to 3, for the best choice of reserved eyes;
/// by 4, too, if `answers` says whether the owner is to move, and then by 5.
fn claimed(x: PointSet, empty: PointSet, answers: Option<bool>) -> i8 {
    if x.is_empty() {
        return -25;
    }
    let is_eye = |region, group| is_enclosed(region, group, empty);
    let choices = (!x).groups().powerset().filter(|reserved| {
        x.groups()
            .all(|group| reserved.iter().any(|&region| is_eye(region, group)))
    });
    let floors = choices.map(|reserved| claimed_with(&reserved, x, empty, answers));
    floors.max().unwrap_or(-25)
}

/// The same with these regions as the reserved eyes.
fn claimed_with(reserved: &[PointSet], x: PointSet, empty: PointSet, answers: Option<bool>) -> i8 {
    let others = (!x).groups().filter(|region| !reserved.contains(region));
    let (his, open): (Vec<_>, Vec<_>) = others.partition(|&region| is_enclosed(region, x, empty));
    let stones = x.len() + his.into_iter().map(PointSet::len).sum::<u32>();
    let left_empty = reserved.len() + open.len();
    let floor = 2 * stones as i8 + left_empty as i8 - 25;
    let Some(is_to_move) = answers else {
        return floor;
    };
    let liberties = |&region: &PointSet| (region & empty & x.neighbours()).len() as i8;
    let answered: i8 = open.iter().map(|region| liberties(region) / 2).sum();
    let is_odd = open.iter().any(|region| liberties(region) % 2 == 1);
    floor + 2 * (answered + i8::from(is_odd && is_to_move))
}

/// A territory's floor with answers, which decides of all that can be wanted whether
/// it is certain.
fn with_answers(territory: &Territory, empty: PointSet, is_to_move: bool) -> i8 {
    let floor = |wanted| territory.floor_with_answers(empty, is_to_move, wanted);
    let most = (-25..=25).map(floor).max().unwrap();
    for wanted in -25..=25 {
        let found = floor(wanted);
        assert!(
            found <= most && (found >= wanted) == (most >= wanted),
            "{found} of {most} for {wanted}: {territory:?}"
        );
    }
    most
}

#[test]
fn what_is_found_of_a_board_is_what_is_claimed() {
    let mut random = Random(3);
    let (mut certain, mut most, mut answered) = (0, 0, 0);
    for number in 0..6_000 {
        let stones = random.stones(1 + number % 16);
        let empty = !(stones.mover | stones.opponent);
        let found = Territory::of(stones.mover, empty);
        let x = largest(stones.mover, empty);
        assert_eq!(found.safe(), x, "{stones:?}");
        let (floor, claim) = (found.floor(), claimed(x, empty, None));
        assert!(floor <= claim, "{floor} > {claim}: {stones:?}");
        certain += u32::from(!x.is_empty());
        most += u32::from(!x.is_empty() && floor == claim);
        if x != stones.mover || floor < claim {
            // It does not look at all that is open.
            continue;
        }
        for is_to_move in [false, true] {
            let floor = with_answers(&found, empty, is_to_move);
            assert_eq!(floor, claimed(x, empty, Some(is_to_move)), "{stones:?}");
            answered += u32::from(floor > found.floor());
        }
    }
    // Which eyes are reserved is chosen in a hurry: it is seldom not the best choice.
    assert!(certain > 2_000 && answered > 900, "{certain} {answered}");
    assert!(100 * most > 98 * certain, "{most} of {certain}");
}

/// All that a node says of its value.
fn all_bounds(node: &Node) -> Bounds {
    let all = (-25..=25).map(|wanted| node.bounds_near(wanted));
    all.reduce(Bounds::and).unwrap()
}

/// What both players are said to have is claimed of their safe stones.
fn assert_claimed(node: &Node, context: &[Point]) {
    let empty = node.placements.empty();
    let (plain, near) = (node.bounds(), all_bounds(node));
    for (safe, floor, near, is_to_move) in [
        (node.passed().opponent_safe(), plain.low, near.low, true),
        (node.opponent_safe(), -plain.high, -near.high, false),
    ] {
        let stones = node.placements.stones();
        let most = claimed(safe, empty, None);
        assert!(floor <= most, "{floor} > {most}: {stones:?} {context:?}");
        let most = claimed(safe, empty, Some(is_to_move));
        assert!(near <= most, "{near} > {most}: {stones:?} {context:?}");
    }
}

#[test]
fn what_is_kept_up_move_by_move_is_claimed() {
    let mut random = Random(4);
    let (mut certain, mut less) = (0, 0);
    for number in 0..6_000 {
        let stones = random.stones(4 + number % 14);
        let mut node = Node::new(stones);
        let mut line = Vec::new();
        loop {
            assert_claimed(&node, &line);
            let anew = Node::new(node.placements.stones());
            certain += u32::from(anew.bounds() != Bounds::UNKNOWN);
            less += u32::from(node.bounds().and(anew.bounds()) != node.bounds());
            let legal = node.placements.legal();
            if legal.is_empty() {
                break;
            }
            node = if random.below(5) == 0 {
                node.passed()
            } else {
                let point = random.point_of(legal).first().unwrap();
                line.push(point);
                node.after(point).1
            };
        }
    }
    // It may be less than what is found anew, but that is rare.
    assert!(20 * less < certain, "{less} of {certain}");
}
