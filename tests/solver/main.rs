//! The solver: known values, a plain minimax search, interruption, the command.

mod book;
mod command;
mod interruption;
mod naive;
mod positions;
mod small_boards;
#[path = "../../src/solver/tests/splitmix.rs"]
mod splitmix;
mod values;

use std::sync::atomic::AtomicBool;

use gothello::solver::Control;

/// Nothing stops the search, and nobody watches.
fn unlimited() -> Control<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Control::until(&NEVER)
}
