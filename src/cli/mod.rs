//! The command line: one file for each subcommand, which reads its arguments, calls one
//! module of the library, and prints.
//!
//! Shared modules: `values` parses the values of options, `game_options`
//! has the options that depend on the game, `tablebase_options` which tablebase is used,
//! `position` those of a position, `files` and `toml_file` read files, `output` is standard
//! output, `search` has the parts of long searches, and `listen`, `event_log` and `typed_commands`
//! those of servers.

mod awari_db;
mod check;
mod completions;
mod dataset;
mod event_log;
mod files;
mod game_options;
mod goplay;
mod goref;
mod gtp;
mod limit_options;
mod listen;
mod man;
mod matches;
mod netplay;
mod netref;
mod output;
mod page;
mod page_options;
mod perft;
mod play;
mod position;
mod review;
mod search;
mod solve;
mod standings;
mod tablebase;
mod tablebase_options;
mod teams_file;
mod tips;
mod toml_file;
mod tournament_options;
mod typed_commands;
mod values;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use self::output::unless_closed;
use self::tips::with_tip;

/// Play, solve, and referee Gothello, a 5x5 game between Go and Othello
///
/// Without a command, gothello speaks GTP on standard input and output, as `gothello gtp`
/// does, whose options it takes: attach it to GoGui as a program, as a ruler, or as both,
/// or pipe commands to it.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    override_usage = "gothello [OPTIONS]\n       gothello <COMMAND>",
    after_help = "Examples:\n  \
    printf 'play b c3\\ngenmove w\\nshowboard\\n' | gothello\n  \
    gothello solve --winner ..bb./..wb./.wwb./..w../..... b\n  \
    gothello netref 0 300 --http 8080\n\n\
    Exit codes of all commands:\n  \
    0  success\n  \
    1  failure: a file or an engine is missing, a port is in use, a match or a search\n     \
    did not come to its end\n  \
    2  the command line is wrong; nothing was done\n  \
    3  of match --exit-status: the test has accepted H0\n  \
    4  of match --exit-status: the test has not decided; of check: it is incomplete\n  \
    5  of match: this machine lacks open files, processes, memory or room on the disk"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
}

/// Defines an enum of subcommands, each of which runs its arguments.
macro_rules! subcommands {
    (enum $Command:ident { $($Name:ident($Arguments:ty),)+ }) => {
        #[derive(Debug, clap::Subcommand)]
        enum $Command {
            $($Name($Arguments),)+
        }

        impl $crate::cli::Run for $Command {
            fn run(self) -> anyhow::Result<()> {
                match self {
                    $($Command::$Name(arguments) => arguments.run(),)+
                }
            }
        }
    };
}
use subcommands;

subcommands! {
    enum Command {
        Gtp(gtp::Arguments),
        Play(play::Arguments),
        Solve(solve::Arguments),
        Review(review::Arguments),
        Tablebase(tablebase::Arguments),
        Dataset(dataset::Arguments),
        Perft(perft::Arguments),
        Netref(netref::Arguments),
        Netplay(netplay::Arguments),
        Goref(goref::Arguments),
        Goplay(goplay::Arguments),
        Match(Box<matches::Arguments>),
        Check(check::Arguments),
        Standings(standings::Arguments),
        AwariDb(awari_db::Arguments),
        Completions(completions::Arguments),
        Man(man::Arguments),
    }
}

/// A subcommand with its arguments.
trait Run {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Everything that can fail; a [`WrongUsage`] if the arguments do not fit together.
    fn run(self) -> Result<()>;
}

/// Runs the program. The exit code is 0 for success, 1 for failure, and 2 if the command
/// line is wrong.
pub fn run() -> ExitCode {
    // To build the command line takes longer than anything else at the start of an engine.
    if std::env::args_os().len() < 2 {
        return finish(gtp::Arguments::default().run(), &ArgMatches::default());
    }
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return print_usage(&with_tip(error)),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return print_usage(&error),
    };
    let result = match cli.command {
        None => cli.gtp.run(),
        Some(command) => command.run(),
    };
    finish(result, &matches)
}

/// Prints the error of a subcommand, if there is one. Returns the exit code.
fn finish(result: Result<()>, matches: &ArgMatches) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => match error.downcast_ref() {
            Some(WrongUsage(message)) => print_usage_error(matches, message),
            None => {
                // An error that cannot be written changes nothing.
                let _ = writeln!(io::stderr(), "error: {error:#}");
                match error.is::<OutOfResources>() {
                    true => ExitCode::from(OUT_OF_RESOURCES),
                    false => ExitCode::FAILURE,
                }
            }
        },
    }
}

/// Prints a help text, the version, or what is wrong with the command line. Returns the exit
/// code.
fn print_usage(usage: &clap::Error) -> ExitCode {
    match unless_closed(usage.print()) {
        // A help text that is not written is a failure like any other.
        Err(error) if !usage.use_stderr() => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
        _ if usage.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Returns the whole command line, whose own help leaves out the options of `gothello
/// gtp`.
fn command() -> clap::Command {
    all_options().mut_args(|arg| arg.hide(true))
}

/// Returns the whole command line, whose own help has the options of `gothello gtp`, too.
fn all_options() -> clap::Command {
    with_lenient_values(Cli::command())
}

/// Lets every option take words in upper or lower case, and -1 for a value, so that the
/// option's own message is printed and not one about an unknown option.
fn with_lenient_values(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| match arg.get_action().takes_values() {
            true => arg.allow_negative_numbers(true).ignore_case(true),
            false => arg,
        })
        .mut_subcommands(with_lenient_values)
}

/// The command line is wrong: exit code 2. Every other error, also about a file that the
/// command line names, means exit code 1, unless the file takes the place of options.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongUsage(String);

/// The exit code of [`OutOfResources`].
const OUT_OF_RESOURCES: u8 = 5;

/// This machine lacks something, and nothing else is wrong: the same command can succeed later.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct OutOfResources(String);

/// Returns an error about the arguments of the subcommand.
fn wrong_usage(message: impl std::fmt::Display) -> anyhow::Error {
    WrongUsage(message.to_string()).into()
}

/// Returns early with [`wrong_usage`], as [`anyhow::bail`] does with other errors.
macro_rules! bail_usage {
    ($($message:tt)+) => {
        return Err($crate::cli::wrong_usage(format_args!($($message)+)))
    };
}
use bail_usage;

/// Prints what is wrong, and the usage of the command that was typed.
fn print_usage_error(matches: &ArgMatches, message: &str) -> ExitCode {
    let (mut typed, mut matches) = (command(), matches);
    typed.build();
    while let Some((name, inner)) = matches.subcommand()
        && let Some(subcommand) = typed.find_subcommand(name).cloned()
    {
        (typed, matches) = (subcommand, inner);
    }
    print_usage(&typed.error(ErrorKind::ValueValidation, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` with every subcommand and the words that lead to it.
    fn each_command(
        command: &clap::Command,
        path: &[&str],
        check: &mut dyn FnMut(&[&str], &clap::Command),
    ) {
        check(path, command);
        for subcommand in command.get_subcommands() {
            let path = [path, &[subcommand.get_name()]].concat();
            each_command(subcommand, &path, check);
        }
    }

    #[test]
    fn the_defaults_of_the_engine_are_those_of_its_options() {
        let parsed = Cli::try_parse_from(["gothello"]).unwrap().gtp;
        let default = gtp::Arguments::default();
        assert_eq!(format!("{parsed:?}"), format!("{default:?}"));
    }

    #[test]
    fn a_wrong_value_of_any_option_is_answered_by_what_would_be_right() {
        let mut refused = 0;
        each_command(&command(), &["gothello"], &mut |path, described| {
            for option in described.get_arguments().filter_map(clap::Arg::get_long) {
                for wrong in ["x", "-1", "99999999999999999999999", ""] {
                    let option = format!("--{option}={wrong}");
                    let words = path.iter().copied().chain([option.as_str()]);
                    let Err(error) = command().try_get_matches_from(words) else {
                        continue;
                    };
                    let told = error.to_string();
                    for unhelpful in [
                        "invalid digit",
                        "is not in ",
                        "cannot parse",
                        "too large to",
                    ] {
                        assert!(!told.contains(unhelpful), "{path:?} {option}: {told}");
                    }
                    refused += usize::from(error.kind() == ErrorKind::ValueValidation);
                }
            }
        });
        // There are some 40 options with numbers.
        assert!(refused > 100, "{refused}");
    }
}
