//! Outcomes, which read the same for both players.

use std::time::Duration;

use gothello::solver::{Control, Objective, Solver};
use gothello::{Color, Outcome, Position};

/// A position in which White moves and captures everything.
const WHITE_WINS: &str = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";

#[test]
fn a_win_of_white_is_written_as_such() {
    let position: Position = WHITE_WINS.parse().unwrap();
    let solver = Solver::default();
    assert_eq!(position.solve().to_string(), "W+24");
    assert_eq!(solver.solve(&position).to_string(), "W+24");
    assert_eq!(solver.winner(&position), Some(Color::White));
    let proven = solver.solve_within(&position, &Control::default());
    assert_eq!(proven.to_string(), "W+24");
    // The bounds are for the player to move, and are printed only as outcomes.
    let bounds = solver.search(&position, Objective::Value, &Control::default());
    assert_eq!(bounds.value(), Some(24));
    assert_eq!(bounds.seen_by(position.to_move()).to_string(), "W+24");
}

#[test]
fn moves_and_best_play_have_the_outcome() {
    for (position, moves) in [
        (WHITE_WINS, "c1 W+24, e3 B+6, pass B+7"),
        (
            "bw.ww/bbbwb/bbww./bbbbw/bbww. w",
            "e1 W+22, e3 W+24, c5 W+24, pass B+4",
        ),
    ] {
        let position: Position = position.parse().unwrap();
        let solver = Solver::builder().memory_mib(1).threads(1).build();
        let outcomes = solver.move_outcomes(&position);
        let told = outcomes
            .iter()
            .map(|(mv, outcome)| format!("{mv} {outcome}"));
        assert_eq!(told.collect::<Vec<_>>().join(", "), moves);
        let outcome = position.solve();
        let is_best = |(mv, found): &(_, Outcome)| (*found == outcome).then_some(*mv);
        let best: Vec<_> = outcomes.iter().filter_map(is_best).collect();
        assert_eq!(solver.best_moves(&position), best);
        assert_eq!(solver.principal_variation(&position).outcome, Some(outcome));
    }
}

#[test]
fn a_draw_has_no_winner() {
    let position: Position = "wbbw./wwbb./wwbbw/wwbbb/b.wb. w".parse().unwrap();
    assert_eq!(position.solve(), Outcome::Drawn);
    assert_eq!(Solver::default().winner(&position), None);
}

#[test]
fn a_limited_search_returns_a_range() {
    let control = Control::default().within(Duration::ZERO);
    let solver = Solver::builder().tablebase(None).build();
    let range = solver.solve_within(&Position::START, &control);
    assert_eq!(range.outcome(), None);
    assert!(range.low().lead_of(Color::Black) < 3 && range.high().lead_of(Color::Black) > 3);
    assert_eq!(range.sign(), None);
}
