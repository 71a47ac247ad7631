//! The solver: known values, a plain minimax search, interruption.

mod interruption;
pub mod naive;
mod outcomes;
pub mod positions;
mod probing;
mod small_boards;
mod values;

use gothello::solver::Control;

/// Returns a control that neither limits nor observes a search.
fn unlimited() -> Control<'static> {
    Control::default()
}
