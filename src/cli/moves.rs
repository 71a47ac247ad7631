//! Moves that are given on the command line.

use std::fmt::Display;

use crate::gothello::{Move, Next, Position};

/// The position after the moves of `--moves`: points or `pass` with spaces
/// between them.
///
/// # Errors
/// A sentence that names the first word that is no move, or no legal one, or
/// that ends the game.
pub(super) fn play(mut position: Position, moves: &str) -> Result<Position, String> {
    for (number, word) in moves.split_whitespace().enumerate() {
        let number = number + 1;
        let wrong = |why: &dyn Display| format!("move {number} ({word}) in --moves: {why}");
        let mv: Move = word.parse().map_err(|error| wrong(&error))?;
        position = match position.play(mv).map_err(|error| wrong(&error))? {
            Next::Continues(next) => next,
            Next::Ends(outcome) => {
                return Err(wrong(&format_args!(
                    "it ends the game with the result {outcome}"
                )));
            }
        };
    }
    Ok(position)
}
