//! Moves that are given on the command line.

use std::fmt::Display;

use clap::Args;

use super::wrong_usage;
use crate::gothello::{Move, Next, Position};

/// `--moves`, which several subcommands have.
#[derive(Debug, Args)]
pub(super) struct MovesArgument {
    /// Make these moves first: points or pass, with spaces between them
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    moves: String,
}

impl MovesArgument {
    /// The position after the moves; ends the program with a message about the
    /// subcommand's usage if one of them cannot be made.
    pub(super) fn play(&self, subcommand: &str, position: Position) -> Position {
        match play(position, &self.moves) {
            Ok(position) => position,
            Err(message) => wrong_usage(subcommand, message),
        }
    }
}

/// The position after the moves of `--moves`: points or `pass` with spaces
/// between them.
///
/// # Errors
/// A sentence that names the first word that is no move, or no legal one, or
/// that ends the game.
fn play(mut position: Position, moves: &str) -> Result<Position, String> {
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
