//! `gothello check gtp`.

use anyhow::Result;
use clap::Args;

use super::{CheckArguments, list, show};
use crate::check::gtp::{GtpSettings, GtpStep, check};
use crate::cli::values::number;

/// Check a GTP engine: a program that plays Gothello
///
/// The engine is sent commands on its standard input, for most steps in a new process. What it
/// plays must be legal, and it must refuse moves that are not. Steps about commands that it need
/// not have, such as undo, are not reached if it does not list them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check gtp -- ./engine --level 3\n  \
    gothello check gtp --only undo --seed 1 -- python3 engine.py\n  \
    gothello check gtp --any-game -- gnugo --mode gtp")]
pub(super) struct Arguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Leave out the steps about Gothello: for engines of other games that have a board of 5x5
    /// points, such as Go
    #[arg(long)]
    any_game: bool,
    /// Positions for each rule in which the engine is to move, for each color
    #[arg(long, value_name = "N", default_value = "3", value_parser = number(1..=1_000_u32))]
    positions: u32,
}

impl Arguments {
    pub(super) fn run(self) -> Result<()> {
        if self.check.list {
            return list::<GtpStep>();
        }
        let seed = self.check.seed();
        let settings = GtpSettings {
            command: self.check.command.clone(),
            only: self.check.only()?,
            any_game: self.any_game,
            seed,
            positions: self.positions,
            limits: self.check.limits(),
        };
        let report = check(&settings, &mut |what| self.check.tell(&what))?;
        show("gtp", &self.check, seed, &report)
    }
}
