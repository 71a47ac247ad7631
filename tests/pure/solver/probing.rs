//! Openings, the positions with few stones, are looked up in a tablebase.

use std::sync::Arc;

use gothello::solver::{Control, Objective, Solver};
use gothello::tablebase::PackedTablebase;
use gothello::{Next, Position};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::positions::reachable;
use super::unlimited;
use crate::cases::cases;
use crate::drawn::drawn_tablebase;

fn solver(tablebase: Option<Arc<PackedTablebase>>) -> Solver {
    let builder = Solver::builder().memory_mib(16).threads(1);
    builder.tablebase(tablebase).build()
}

/// Returns the positions after every move that does not end the game.
fn children(position: &Position) -> impl Iterator<Item = Position> {
    let moves = position.legal_moves();
    moves.filter_map(|mv| match position.play(mv) {
        Ok(Next::Continues(child)) => Some(child),
        _ => None,
    })
}

#[test]
fn positions_in_the_tablebase_are_not_searched() {
    let tablebase = PackedTablebase::from_bytes(drawn_tablebase(2)).unwrap();
    let solver = solver(Some(Arc::new(tablebase)));
    let shared = solver.sharing_table(1);
    assert!(!solver.has_used_tablebase());
    assert_eq!(solver.solve(&Position::START).to_string(), "0");
    assert_eq!(solver.best_moves(&Position::START).len(), 26);
    assert_eq!(solver.positions(), 0);
    assert!(solver.has_used_tablebase());
    assert_eq!(shared.probe(&Position::START), Some(0));
    let three: Position = "...../..b../..w../..b../..... w".parse().unwrap();
    assert_eq!(solver.probe(&three), None);
}

#[test]
fn a_position_with_too_many_stones_is_searched() {
    let solver = Solver::default();
    let position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse().unwrap();
    assert_eq!(solver.solve(&position).to_string(), "B+3");
    assert!(!solver.has_used_tablebase());
    assert!(solver.positions() > 0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes, unoptimized")]
fn the_tablebase_changes_no_result() {
    let rng = &mut StdRng::seed_from_u64(16);
    let unlimited = Control::UNLIMITED;
    let with = Solver::default();
    let without = Solver::builder().tablebase(None).build();
    for empty in [18, 18, 18, 19] {
        let position = reachable(rng, empty);
        let value = without.search(&position, Objective::Value, &unlimited);
        assert_eq!(with.known_bounds(&position), value, "{position}");
        for objective in [Objective::Winner, Objective::Value] {
            let found = with.search(&position, objective, &unlimited);
            assert_eq!(found, value, "{position}");
        }
        let best = without.best_moves(&position);
        assert_eq!(with.best_moves(&position), best, "{position}");
        let line = with.search_principal_variation(&position, value.low, &unlimited);
        let is_best = |mv| best.contains(mv);
        assert!(
            line.moves.first().is_some_and(is_best),
            "{position}: {line:?}"
        );
        let outcome = value.seen_by(position.to_move()).outcome();
        assert_eq!(line.outcome, outcome, "{position}");
    }
}

#[test]
fn known_bounds_are_correct() {
    let mut rng = StdRng::seed_from_u64(17);
    let solver = solver(None);
    for _ in 0..cases(200) {
        let position = reachable(&mut rng, 9);
        let asked = solver.known_bounds(&position);
        solver.search(&position, Objective::Winner, &unlimited());
        let recalled: Vec<_> = children(&position)
            .map(|child| (child, solver.known_bounds(&child)))
            .collect();
        let known = solver.known_bounds(&position);
        let value = solver.search(&position, Objective::Value, &unlimited());
        assert_eq!(known.intersect(asked).intersect(value), value, "{position}");
        for (child, bounds) in recalled {
            let value = solver.search(&child, Objective::Value, &unlimited());
            assert_eq!(bounds.intersect(value), value, "{child}");
        }
    }
}
