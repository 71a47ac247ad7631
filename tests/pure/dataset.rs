//! Datasets: which positions are drawn, and their values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use gothello::dataset::{DrawError, Plan, SolveError, Source, draw, position_count, solve};
use gothello::solver::{Control, Solver};
use gothello::{Color, Point, PointSet, Position, Symmetry};

fn solver() -> Solver {
    Solver::builder().memory_mib(1).threads(1).build()
}

fn plan(source: Source, positions: usize, stones: &str, seed: u64) -> Plan {
    Plan {
        source,
        positions,
        stones: stones.parse().unwrap(),
        seed,
    }
}

fn drawn(plan: &Plan, threads: usize) -> Vec<Position> {
    draw(plan, &solver(), threads, &Control::UNLIMITED).unwrap()
}

fn keys(positions: &[Position]) -> BTreeSet<u64> {
    positions.iter().map(Position::key).collect()
}

/// The smallest key of the images of a position.
fn least_key(position: &Position) -> u64 {
    let images = Symmetry::ALL.map(|symmetry| position.image(symmetry).key());
    images.into_iter().min().unwrap()
}

/// The smallest keys of all legal positions with this many stones, found by trying all.
fn all_positions(stones: u32) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    let mut try_all = vec![(PointSet::EMPTY, PointSet::EMPTY, 0)];
    while let Some((black, white, next)) = try_all.pop() {
        let left = stones - black.len() - white.len();
        if left == 0 {
            let position = Position::new(black, white, Color::Black, false);
            found.extend(position.ok().map(|position| least_key(&position)));
            continue;
        }
        for point in Point::ALL.into_iter().filter(|point| point.index() >= next) {
            let (next, point) = (point.index() + 1, PointSet::from(point));
            try_all.push((black | point, white, next));
            try_all.push((black, white | point, next));
        }
    }
    found
}

#[test]
fn all_legal_positions_can_be_drawn() {
    for stones in 0..=3 {
        let all = all_positions(stones);
        let plan = plan(Source::Uniform, all.len(), &stones.to_string(), 1);
        assert_eq!(position_count(plan.stones), all.len() as u64);
        let positions = drawn(&plan, 1);
        assert_eq!(keys(&positions), all, "{stones} stones");
        let again = drawn(&Plan { seed: 2, ..plan }, 1);
        assert!(stones == 0 || again != positions, "another order");
    }
}

/// The sum of the squared deviations from an expected number, each divided by it.
fn chi_square(counts: impl Iterator<Item = usize>, expected: f64) -> f64 {
    counts
        .map(|count| (count as f64 - expected).powi(2) / expected)
        .sum()
}

/// 183 positions have two stones, some of them four images and some two. Chi-square has 182 degrees of
/// freedom, less because no draw has a position twice.
#[test]
fn every_position_is_drawn_as_often() {
    let all = all_positions(2);
    let (seeds, positions) = (500, 40);
    let mut counts: BTreeMap<u64, usize> = all.into_iter().map(|key| (key, 0)).collect();
    for seed in 0..seeds {
        for position in drawn(&plan(Source::Uniform, positions, "2", seed), 1) {
            *counts.get_mut(&position.key()).unwrap() += 1;
        }
    }
    let expected = (seeds as usize * positions) as f64 / counts.len() as f64;
    let found = chi_square(counts.into_values(), expected);
    assert!((80.0..230.0).contains(&found), "{found}");
}

/// 2,444 positions have three stones, 183 have two.
#[test]
fn numbers_of_stones_are_as_frequent_as_their_positions() {
    let mut with_two = 0;
    for seed in 0..10 {
        let positions = drawn(&plan(Source::Uniform, 1_000, "2..3", seed), 1);
        with_two += positions
            .iter()
            .filter(|position| position.stones().count() == 2)
            .count();
    }
    let expected = 10_000.0 * 183.0 / (183.0 + 2_444.0);
    assert!(
        (with_two as f64 - expected).abs() < 100.0,
        "{with_two} of {expected}"
    );
}

#[test]
fn positions_are_canonical_and_different() {
    let errors = Source::GamesWithErrors { errors: 0.3 };
    for (source, stones, count) in [
        (Source::Uniform, "0..24", 200),
        (Source::Uniform, "24", 10),
        (Source::RandomGames, "0..24", 200),
        (Source::RandomGames, "11,17..18", 200),
        (errors, "1..4", 20),
    ] {
        let plan = plan(source, count, stones, 3);
        let positions = drawn(&plan, 1);
        assert_eq!(positions.len(), count);
        assert_eq!(keys(&positions).len(), count);
        for position in &positions {
            assert!(
                plan.stones.contains(position.stones().count()),
                "{position}"
            );
            assert_eq!(position.key(), least_key(position), "{position}");
            assert_eq!(position.to_move(), Color::Black);
        }
        assert_eq!(drawn(&plan, 2), positions, "two threads");
        assert_ne!(drawn(&Plan { seed: 4, ..plan }, 1), positions);
    }
}

/// Under best play Black wins by three stones from every position of the game.
#[test]
fn games_without_errors_keep_the_value() {
    let value_of = |errors| {
        let source = Source::GamesWithErrors { errors };
        let positions = drawn(&plan(source, 50, "2..7", 1), 2);
        let solver = solver();
        let values = positions
            .iter()
            .map(|position| solver.probe(position).unwrap().abs());
        values.collect::<BTreeSet<_>>()
    };
    assert_eq!(value_of(0.0), BTreeSet::from([3]));
    assert!(value_of(0.5).len() > 3);
}

#[test]
fn too_few_positions_are_an_error_with_their_number() {
    let too_few = |source, positions, stones| {
        let plan = plan(source, positions, stones, 1);
        draw(&plan, &solver(), 1, &Control::UNLIMITED).unwrap_err()
    };
    let DrawError::TooFew { found, .. } = too_few(Source::Uniform, 184, "2") else {
        panic!("another error");
    };
    assert_eq!(found, 183);
    insta::assert_snapshot!(too_few(Source::Uniform, 13, "0"), @"there is only 1 position with 0 stones up to symmetry: ask for at most 1, not 13, or for other numbers of stones");
    insta::assert_snapshot!(too_few(Source::RandomGames, 2, "0"), @"such games seem to have only 1 position with 0 stones up to symmetry, not 2: ask for fewer, or for other numbers of stones");
    // Of the twelve positions with one stone, it is the opponent's in six.
    insta::assert_snapshot!(too_few(Source::RandomGames, 13, "1"), @"such games seem to have only 6 positions with 1 stone up to symmetry, not 13: ask for fewer, or for other numbers of stones");
    insta::assert_snapshot!(too_few(Source::GamesWithErrors { errors: 1.0 }, 2, "0"), @"such games seem to have only 1 position with 0 stones up to symmetry, not 2: ask for fewer, or for other numbers of stones");
}

#[test]
fn values_are_those_of_the_solver_in_the_order_of_the_positions() {
    let mut positions = drawn(&plan(Source::RandomGames, 30, "17..24", 1), 1);
    positions.extend(drawn(&plan(Source::RandomGames, 10, "1..5", 1), 1));
    let solver = solver();
    let mut order = Vec::new();
    let records = solve(&positions, &solver, 2, &Control::UNLIMITED, |record| {
        order.push(*record.position());
    });
    let records = records.unwrap();
    assert_eq!(order, positions);
    assert_eq!(
        solve(&positions, &solver, 1, &Control::UNLIMITED, |_| ()).unwrap(),
        records
    );
    for (record, position) in records.iter().zip(&positions) {
        let outcomes = solver.move_outcomes(position);
        let expected = outcomes
            .iter()
            .map(|&(mv, outcome)| (mv, outcome.lead_of(Color::Black)));
        assert!(record.moves().eq(expected), "{position}");
        assert_eq!(
            record.value(),
            solver.solve(position).lead_of(Color::Black),
            "{position}"
        );
        assert!(
            record.best_moves().eq(solver.best_moves(position)),
            "{position}"
        );
    }
}

#[test]
fn a_stop_flag_ends_both_steps() {
    let (set, solver) = (AtomicBool::new(true), solver());
    let control = Control::until(&set);
    let errors = Source::GamesWithErrors { errors: 0.1 };
    for source in [Source::Uniform, Source::RandomGames, errors] {
        let plan = plan(source, 100_000, "13..20", 1);
        let stopped = draw(&plan, &solver, 2, &control);
        assert_eq!(stopped, Err(DrawError::Stopped));
    }
    let stopped = solve(&[Position::START], &solver, 2, &control, |_| ());
    assert!(matches!(stopped, Err(SolveError::Stopped)));
}
