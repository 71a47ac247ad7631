//! The solver: known values, a plain minimax search, interruption, the command.

mod book;
mod command;
mod interruption;
mod naive;
mod outcomes;
mod positions;
mod small_boards;
#[path = "../../src/solver/tests/splitmix.rs"]
mod splitmix;
mod values;

use gothello::solver::Control;

/// Nothing stops the search, and nobody watches.
fn unlimited() -> Control<'static> {
    Control::default()
}
