//! The command line: one file for each subcommand, which reads its arguments, calls one
//! module of the library, and prints.
//!
//! Shared modules: `values` parses the values of options, `game_options`
//! has the options that depend on the game, `tablebase_options` which tablebase is used,
//! `position` those of a position, `files` and `toml_file` read files, `output` is standard
//! output, `search` has the parts of long searches, and `listen` and `event_log` those of servers.

mod awari_db;
mod check;
mod completions;
mod event_log;
mod files;
mod game_options;
mod goplay;
mod goref;
mod gtp;
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
mod toml_file;
mod tournament_options;
mod values;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::output::unless_closed;

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
    4  of match --exit-status: the test has not decided\n  \
    5  of match: this machine lacks open files, processes, memory or room on the disk"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gtp: gtp::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    Gtp(gtp::Arguments),
    Play(play::Arguments),
    Solve(solve::Arguments),
    Review(review::Arguments),
    Tablebase(tablebase::Arguments),
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
        Some(Command::AwariDb(arguments)) => arguments.run(),
        Some(Command::Check(arguments)) => arguments.run(),
        Some(Command::Completions(arguments)) => arguments.run(),
        Some(Command::Goplay(arguments)) => arguments.run(),
        Some(Command::Goref(arguments)) => arguments.run(),
        Some(Command::Gtp(arguments)) => arguments.run(),
        Some(Command::Man(arguments)) => arguments.run(),
        Some(Command::Match(arguments)) => arguments.run(),
        Some(Command::Netplay(arguments)) => arguments.run(),
        Some(Command::Netref(arguments)) => arguments.run(),
        Some(Command::Perft(arguments)) => arguments.run(),
        Some(Command::Play(arguments)) => arguments.run(),
        Some(Command::Review(arguments)) => arguments.run(),
        Some(Command::Solve(arguments)) => arguments.run(),
        Some(Command::Standings(arguments)) => arguments.run(),
        Some(Command::Tablebase(arguments)) => arguments.run(),
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

/// Words that people type for a command, each group with a tip.
const COMMAND_TIPS: [(&[&str], &str); 8] = [
    (
        &["engine", "gogui", "gpt"],
        "'gothello gtp', or 'gothello' alone, is the engine",
    ),
    (
        &["human", "client", "gui", "browser"],
        "'gothello play' is a page to play on; 'gothello netplay' plays a match over a network, \
         'gothello goplay' in a Go contest",
    ),
    (
        &["referee", "host", "server", "serve"],
        "'gothello netref' referees matches of Gothello and Awari, 'gothello goref' Go contests",
    ),
    (
        &["matches", "twogtp", "gauntlet", "sprt"],
        "'gothello match' plays matches of GTP engines and other programs; 'gothello netref' \
         referees those over a network",
    ),
    (
        &["observe", "watch"],
        "'gothello netplay' observes a match over a network",
    ),
    (
        &["contest", "tournament", "go"],
        "'gothello goref' runs a Go contest, 'gothello goplay' plays in one; 'gothello match' plays \
         tournaments of programs on one machine",
    ),
    (
        &["elo", "stats", "statistics"],
        "'gothello match stats' computes Elo and tests from the results of a match",
    ),
    (
        &["analyze", "prove", "value"],
        "'gothello solve' proves the value of a position",
    ),
];

/// The tip for players of a match that are given without an option.
const MATCH_TIP: &str =
    "give each player with an option, as in --player \"gnugo=gnugo --mode gtp\"";

/// Adds a tip to an error: about an unknown command, which commands may be meant; about an
/// extra word, that quotes may be missing around a value, or around the command line of an
/// engine.
fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = tip(&error) {
        error.remove(ContextKind::SuggestedSubcommand);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// Returns the tip that goes with an error.
fn tip(error: &clap::Error) -> Option<String> {
    let words = || -> Vec<OsString> { std::env::args_os().skip(1).collect() };
    if let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) {
        let word = typed.to_ascii_lowercase();
        let mut tips = COMMAND_TIPS.iter();
        let found = tips.find(|(words, _)| words.contains(&&*word));
        let is_match = || {
            std::env::args_os()
                .nth(1)
                .is_some_and(|first| first == "match")
        };
        return match found {
            Some((_, tip)) => Some((*tip).to_owned()),
            None if is_match() => Some(match_tip(error, typed)),
            None => check_tip(error, &words()),
        };
    }
    if error.kind() == ErrorKind::ArgumentConflict {
        return is_of_engine(error).then(|| ENGINE_OPTION_TIP.to_owned());
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let words = words();
    let first = words.first().and_then(|word| word.to_str());
    misplaced_tip(error, first)
        .or_else(|| check_tip(error, &words))
        .or_else(|| stats_tip(error, &words))
        .or_else(|| positional_tip(error, first).map(str::to_owned))
        .or_else(|| {
            let is_option = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(word)) => word.starts_with('-'),
                _ => false,
            };
            let is_given = |option| words.iter().any(|word| word == option);
            let example = match (is_given("--engine"), is_given("--name")) {
                (true, _) => "--engine \"gnugo --mode gtp\"",
                (false, true) if !is_option => "--name \"Ann Lee\"",
                _ => return None,
            };
            Some(format!(
                "put a value that has spaces in quotes, as in {example}"
            ))
        })
}

/// Returns the tip about a word after `gothello match` that is no command of it: a mistyped one, a
/// results file, or a player.
fn match_tip(error: &clap::Error, typed: &str) -> String {
    let words = std::env::args_os().skip(2);
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let suggested = context_words(error, ContextKind::SuggestedSubcommand);
    let meant = match (words.as_slice(), suggested.first()) {
        ([first, rest @ ..], Some(&name)) if first == typed => [&[name.to_owned()], rest].concat(),
        ([first, ..], None) if is_results_file(first) => [&["report".to_owned()], &*words].concat(),
        _ => return MATCH_TIP.to_owned(),
    };
    format!("did you mean gothello match {}?", meant.join(" "))
}

/// Returns what an error says of this kind: one word, several, or none.
fn context_words(error: &clap::Error, kind: ContextKind) -> Vec<&str> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word],
        Some(ContextValue::Strings(words)) => words.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a word has the form of a results file's name.
fn is_results_file(word: &str) -> bool {
    !word.starts_with('-')
        && std::path::Path::new(word)
            .extension()
            .is_some_and(|end| end == "jsonl")
}

/// Returns a tip about the command of a program that is given to `gothello check`: what stands before
/// it, or where its own options stand.
fn check_tip(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let (first, rest) = words.split_first()?;
    if first != "check" {
        return None;
    }
    if let Some(typed) = context_words(error, ContextKind::InvalidSubcommand).first() {
        let is_mistyped = error.get(ContextKind::SuggestedSubcommand).is_some();
        return (!is_mistyped).then(|| {
            format!(
                "say first what the program speaks, gtp, netref, or goref, as in \
                 gothello check gtp -- {typed}"
            )
        });
    }
    let invalid = *context_words(error, ContextKind::InvalidArg).first()?;
    if invalid.starts_with('-') {
        let is_mistyped = error.get(ContextKind::SuggestedArg).is_some();
        let check = rest.first().map_or("gtp", String::as_str);
        return (!is_mistyped).then(|| {
            format!(
                "options of the program stand after -- and its command, as in \
                 gothello check {check} -- ./program {invalid}"
            )
        });
    }
    let (options, command) = words.split_at(words.iter().position(|word| word == invalid)?);
    let quoted = |words: &[String]| shlex::try_join(words.iter().map(String::as_str)).ok();
    Some(format!(
        "put -- before the command of the program: gothello {} -- {}",
        quoted(options)?,
        quoted(command)?
    ))
}

/// Returns a tip about a results file that is given to `gothello match stats`.
fn stats_tip(error: &clap::Error, words: &[OsString]) -> Option<String> {
    match (words, error.get(ContextKind::InvalidArg)?) {
        ([first, second, ..], ContextValue::String(word))
            if first == "match" && second == "stats" && !word.starts_with('-') =>
        {
            Some(format!(
                "gothello match report {word} prints the report on a results file"
            ))
        }
        _ => None,
    }
}

/// Returns a tip about an option of other commands that is given before any command.
fn misplaced_tip(error: &clap::Error, first: Option<&str>) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.strip_prefix("--")?;
    if !first?.starts_with('-') {
        return None;
    }
    let all = command();
    let commands = all.get_subcommands().filter(|command| {
        let mut arguments = command.get_arguments();
        !command.is_hide_set() && arguments.any(|argument| argument.get_long() == Some(name))
    });
    let commands = commands.map(|command| command.get_name().to_owned());
    let commands: Vec<_> = commands.collect();
    let (last, others) = commands.split_last()?;
    let commands = match others.is_empty() {
        true => last.clone(),
        false => format!("{} and {last}", others.join(", ")),
    };
    Some(format!(
        "{option} is an option of {commands}: give it after the command"
    ))
}

/// The tip for an option of the built-in player that is given beside an engine.
const ENGINE_OPTION_TIP: &str =
    "give it to the engine, inside the quotes, as in --engine \"gothello gtp --move-time 2\"";

/// Returns whether an option of the built-in player conflicts with an engine.
fn is_of_engine(error: &clap::Error) -> bool {
    let [invalid, prior] = [ContextKind::InvalidArg, ContextKind::PriorArg];
    let options = [context_words(error, invalid), context_words(error, prior)].concat();
    options.iter().any(|option| option.starts_with("--engine "))
        && !options.iter().any(|option| option.starts_with("--human"))
}

/// Returns a tip about an unknown option of a client for what has its place before the
/// options.
fn positional_tip(error: &clap::Error, command: Option<&str>) -> Option<&'static str> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    match (command?, option.as_str()) {
        ("netplay", "--host" | "--server" | "--address" | "--role" | "--color" | "--side") => Some(
            "give server and role without an option, as in gothello netplay localhost:29068 black",
        ),
        ("goplay", "--host" | "--server" | "--address" | "--url" | "--port") => {
            Some("give the server without an option, as in gothello goplay localhost:8080")
        }
        ("netref", "--time" | "--clock" | "--seconds" | "--main-time") => Some(
            "give the seconds after the server number, without an option, as in gothello netref 0 300",
        ),
        ("solve", "--game") => Some("solve knows Gothello only"),
        ("goref", "--http") => Some("the page is at the port for clients, which --port sets"),
        _ => None,
    }
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
