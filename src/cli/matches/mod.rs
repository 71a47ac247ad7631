//! `gothello match`.

mod event_file;
mod open_files;
mod options;
mod records;
mod report;
mod run;
mod show;
mod stats;

use anyhow::Result;
use clap::Args;

use super::{Run, subcommands};

/// Play matches and tournaments between programs
///
/// Players are GTP engines and the built-in player, of Gothello, Awari or Go. This program is the
/// referee: it checks each move by the rules, keeps the clocks, and tells what went wrong when a
/// player fails. Two players meet in pairs of games with colors reversed.
///
/// With --results each game is written to a file and synced when it ends. However the program
/// ended, the same command goes on: nothing is lost, and no game counts twice.
///
/// Standard output has the table at the end, or with --json events; standard error has a line for
/// each game, or on a terminal a table that shows the progress.
///
/// The exit code is 0 when all games have been played, 1 if a player failed or the event was
/// interrupted, 2 for wrong usage, and 5 if this machine lacks something, such as room on the disk.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    override_usage = "gothello match --player <PLAYER> --player <PLAYER> [OPTIONS]\n       \
        gothello match <COMMAND>",
    after_help = "Examples:\n  \
    gothello match --player builtin:level=3 --player builtin:level=5 --games 100 \\\n    \
    --openings balanced:50 --results levels.jsonl\n  \
    gothello match --game go --size 9 --time 60+1 --player \"a=gnugo --mode gtp --level 1\" \\\n    \
    --player \"b=gnugo --mode gtp --level 10\" --sgf games\n  \
    gothello match --event course.toml\n  \
    gothello match stats --wdl 136,111,96"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::EventArguments,
}

subcommands! {
    enum Command {
        Report(report::Arguments),
        Stats(stats::Arguments),
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        match self.command {
            None => self.run.run(),
            Some(command) => command.run(),
        }
    }
}
