//! Moves that are given on the command line.

use std::fmt::Display;

use clap::Args;

use super::wrong_usage;
use crate::awari;
use crate::gothello::{Move, Next, Position};

/// `--moves`, which several subcommands have.
#[derive(Debug, Args)]
pub(super) struct MovesArgument {
    /// Make these moves first: points or pass (in Awari pits), with spaces
    /// between them
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
    /// subcommand's usage if one of them cannot be made, or ends the game.
    pub(super) fn play(&self, subcommand: &str, mut position: Position) -> Position {
        self.each(subcommand, |word| {
            let mv: Move = word.parse().map_err(to_string)?;
            match position.play(mv).map_err(to_string)? {
                Next::Continues(next) => position = next,
                Next::Ends(outcome) => {
                    return Err(format!("it ends the game with the result {outcome}"));
                }
            }
            Ok(())
        });
        position
    }

    /// The same for a game of Awari.
    pub(super) fn play_awari(&self, subcommand: &str, game: &mut awari::Game) {
        self.each(subcommand, |word| {
            let pit = word.parse().map_err(to_string)?;
            game.play(game.to_move(), pit).map_err(to_string)?;
            match game.status() {
                awari::Status::Undecided => Ok(()),
                awari::Status::Over(outcome) => {
                    Err(format!("it ends the game ({})", outcome.ending))
                }
            }
        });
    }

    /// Makes the moves one by one; `make` says why one cannot be made.
    fn each(&self, subcommand: &str, mut make: impl FnMut(&str) -> Result<(), String>) {
        for (number, word) in (1..).zip(self.moves.split_whitespace()) {
            if let Err(why) = make(word) {
                let message = format!("move {number} ({word}) in --moves: {why}");
                wrong_usage(subcommand, message);
            }
        }
    }
}

fn to_string(error: impl Display) -> String {
    error.to_string()
}
