//! `gothello match`.

mod stats;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::Run;

/// Compute statistics of matches between engines
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello match stats --wdl 136,111,96")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stats(stats::Arguments),
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        match self.command {
            Command::Stats(arguments) => arguments.run(),
        }
    }
}
