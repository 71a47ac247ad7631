//! The command line: one file for each subcommand, which reads its arguments,
//! calls one room and prints.

mod awari_db;
mod book;
mod game;
mod goplay;
mod goref;
mod gtp;
mod interrupt;
mod listen;
mod meter;
mod moves;
mod netplay;
mod netref;
mod news_log;
mod page;
mod perft;
mod player;
mod resources;
mod solve;
mod sower;
mod standings;
mod variant;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

/// Gothello, a 5x5 game between Go and Othello.
///
/// Without a command, gothello speaks GTP on standard input and output: attach
/// it to GoGui as a program, as a ruler or as both, or pipe commands to it.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Example:\n  printf 'play b c3\\ngenmove w\\nshowboard\\n' | gothello"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    AwariDb(awari_db::Arguments),
    Book(book::Arguments),
    Goplay(goplay::Arguments),
    Goref(goref::Arguments),
    Gtp(gtp::Arguments),
    Netplay(netplay::Arguments),
    Netref(netref::Arguments),
    Perft(perft::Arguments),
    Solve(solve::Arguments),
    Standings(standings::Arguments),
}

/// Runs the program: exit code 0 if it is done, 1 if it failed, 2 if it was
/// called wrongly.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => gtp::run(cli.gtp),
        Some(Command::AwariDb(arguments)) => awari_db::run(arguments),
        Some(Command::Book(arguments)) => book::run(arguments),
        Some(Command::Goplay(arguments)) => goplay::run(arguments),
        Some(Command::Goref(arguments)) => goref::run(arguments),
        Some(Command::Gtp(arguments)) => gtp::run(arguments),
        Some(Command::Netplay(arguments)) => netplay::run(arguments),
        Some(Command::Netref(arguments)) => netref::run(arguments),
        Some(Command::Perft(arguments)) => perft::run(arguments),
        Some(Command::Solve(arguments)) => solve::run(arguments),
        Some(Command::Standings(arguments)) => standings::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where nobody can be told, there is nobody to tell it either.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            match error.downcast_ref() {
                Some(Unusable(_)) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Something that was named on the command line cannot be used as it is: exit
/// code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unusable(String);

/// Ends the program because an argument of a subcommand is wrong: clap's
/// message with the usage on standard error, exit code 2.
fn wrong_usage(subcommand: &str, message: impl std::fmt::Display) -> ! {
    let mut command = Cli::command();
    command.build();
    let command = match command.find_subcommand_mut(subcommand) {
        Some(subcommand) => subcommand,
        None => &mut command,
    };
    command.error(ErrorKind::ValueValidation, message).exit()
}

/// More seconds than this, some 31 years, nothing waits and no clock holds.
const MAX_SECONDS: u32 = 1_000_000_000;

/// A number of seconds on the command line.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok();
    seconds
        .filter(|seconds| (0.0..=f64::from(MAX_SECONDS)).contains(seconds))
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| {
            format!("a number of seconds up to {MAX_SECONDS} is expected, as in 5 or 0.5")
        })
}
