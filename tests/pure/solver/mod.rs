//! The solver: known values, a plain minimax search, interruption.

mod interruption;
mod naive;
mod outcomes;
mod positions;
mod probing;
mod small_boards;
mod values;

use gothello::solver::Control;

/// Returns a control that neither limits nor observes a search.
fn unlimited() -> Control<'static> {
    Control::default()
}
