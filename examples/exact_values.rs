//! Exact values of positions: the solver, which looks openings up in the built-in tablebase.
//!
//! ```sh
//! cargo run --release --example exact_values
//! cargo run --release --example exact_values -- '...../.w.../wb.../.b.../..... w'
//! ```

use std::env::args;
use std::error::Error;
use std::time::Duration;

use gothello::solver::Control;
use gothello::{Move, Position, Solver};

/// Prints what is known of a position.
fn show(solver: &Solver, position: &Position) {
    println!("{position}");
    // A solver gives bounds when a limit stops it, and `Control` says what limits it. Without one,
    // `solver.solve(position)` returns the value itself.
    let range = solver.solve_within(
        position,
        &Control::default().within(Duration::from_secs(60)),
    );
    let Some(value) = range.outcome() else {
        println!("  not solved in a minute: {range}");
        return;
    };
    println!("  value {value}");
    // Every move has a value, a pass too. The largest is the value of the position.
    let mut moves = solver.move_outcomes(position);
    // `lead_of` is the number of stones by which a player wins, negative if the player loses.
    moves.sort_by_key(|(_, outcome)| -outcome.lead_of(position.to_move()));
    let shown = moves
        .iter()
        .take(5)
        .map(|(mv, value)| format!("{mv} {value}"));
    println!("  moves {}", shown.collect::<Vec<_>>().join(", "));
    // Best play by both players to the end.
    let line = solver.principal_variation(position).moves;
    let line: Vec<String> = line.iter().map(Move::to_string).collect();
    println!("  line  {}", line.join(" "));
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // A solver keeps what it finds in a table, and uses it for later positions. It has the
    // built-in tablebase unless `tablebase(None)` takes it away.
    let solver = Solver::builder().memory_mib(64).build();
    let texts: Vec<String> = args().skip(1).filter(|text| text.contains('/')).collect();
    if texts.is_empty() {
        show(&solver, &Position::START);
        show(&solver, &"w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?);
    }
    for text in texts {
        show(&solver, &text.parse()?);
    }
    Ok(())
}
