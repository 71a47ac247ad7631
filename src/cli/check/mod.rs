//! `gothello check`.

mod goref;
mod gtp;
mod netref;

use std::io::{self, Write, stderr, stdout};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::values::{at_least, seconds};
use super::{Run, wrong_usage};
use crate::check::{Failure, Limits, Outcome, Report, Step};
use crate::counted::counted;

/// The version of the lines of `--json`.
const VERSION: u8 = 1;

/// The number of seeds to draw from if none is given.
const SEEDS: u64 = 1_000_000;

/// Check whether a program keeps to its protocol
///
/// Plays the other end of the protocol for the program, and leads it into situations that are rare
/// in games. Prints a line for each step: passed, FAILED with what happened and what the protocol
/// says, or not reached, because the program chooses its own moves.
///
/// The exit code is 0 if no step has failed, 1 if one has or the program cannot be started, and 2
/// for wrong usage.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check gtp -- ./engine\n  \
    gothello check netref -- java MyClient {side} {host} {server} 3\n  \
    gothello check goref -- node agent.js {url}\n  \
    gothello check netref --json --seed 1 -- ./client {side} {host} {server}\n  \
    gothello check netref --list")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Gtp(gtp::Arguments),
    Goref(goref::Arguments),
    Netref(netref::Arguments),
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        match self.command {
            Command::Goref(arguments) => arguments.run(),
            Command::Gtp(arguments) => arguments.run(),
            Command::Netref(arguments) => arguments.run(),
        }
    }
}

/// The options of every check.
#[derive(Debug, Args)]
struct CheckArguments {
    /// Check this step alone, and what must work before it; repeat it for more
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// List the steps, and do nothing
    #[arg(long)]
    list: bool,
    /// Print a line of JSON for each step
    #[arg(long)]
    json: bool,
    /// Do not tell on standard error what is being done
    #[arg(long, short)]
    quiet: bool,
    /// Seed of the random choices of the check [default: random]
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// Time limit in seconds for an answer or a move
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// Time limit in seconds to end
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    end_timeout: Duration,
    /// Time limit in seconds for the whole check; what is left is not reached [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Command of the program with its arguments, after --
    #[arg(last = true, required_unless_present = "list", value_name = "COMMAND")]
    command: Vec<String>,
}

impl CheckArguments {
    /// Returns the steps of --only.
    fn only<S: Step>(&self) -> Result<Vec<S>> {
        let find = |name: &String| {
            let step = S::find(&name.to_ascii_lowercase());
            step.ok_or_else(|| {
                wrong_usage(format!("there is no step {name:?}: --list lists the steps"))
            })
        };
        self.only.iter().map(find).collect()
    }

    fn limits(&self) -> Limits {
        Limits {
            start: self.timeout,
            answer: self.timeout,
            end: self.end_timeout,
            all: self.time_limit,
        }
    }

    fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| rand::random_range(0..SEEDS))
    }

    /// Tells what is being done.
    fn tell(&self, what: &str) {
        if !self.quiet {
            // Nobody need read it.
            let _ = writeln!(stderr(), "{what}");
        }
    }
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum JsonEvent<'a> {
    /// The check that was made.
    Begin {
        v: u8,
        check: &'a str,
        command: &'a [String],
        seed: u64,
    },
    /// A step.
    Step {
        step: &'a str,
        title: &'a str,
        outcome: &'a str,
        rule: &'a str,
        source: String,
        #[serde(flatten)]
        details: Option<JsonDetails<'a>>,
    },
    /// The number of steps with each outcome.
    End {
        passed: usize,
        failed: usize,
        not_reached: usize,
    },
}

/// What there is to say of a step that was not passed.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonDetails<'a> {
    Failed {
        found: &'a str,
        exchange: &'a [String],
        errors: &'a [String],
    },
    NotReached {
        why: &'a str,
    },
}

/// Prints the steps.
fn list<S: Step>() -> Result<()> {
    let mut out = stdout().lock();
    for step in S::all() {
        let spec = step.spec();
        writeln!(out, "{:<24} {}", spec.name, spec.title)?;
    }
    Ok(())
}

/// Prints a report.
///
/// # Errors
/// A step has failed.
fn show<S: Step>(
    check: &str,
    arguments: &CheckArguments,
    seed: u64,
    report: &Report<S>,
) -> Result<()> {
    let mut out = stdout().lock();
    let mut counts = [0; 3];
    if arguments.json {
        let command = &arguments.command;
        print_json(
            &mut out,
            &JsonEvent::Begin {
                v: VERSION,
                check,
                command,
                seed,
            },
        )?;
    }
    for (step, outcome) in report.outcomes() {
        let index = match outcome {
            Outcome::Passed => 0,
            Outcome::Failed(_) => 1,
            Outcome::NotReached(_) => 2,
        };
        counts[index] += 1;
        match arguments.json {
            true => print_json(&mut out, &json_step(step, outcome))?,
            false => print_step(&mut out, step, outcome)?,
        }
    }
    let [passed, failed, not_reached] = counts;
    match arguments.json {
        true => print_json(
            &mut out,
            &JsonEvent::End {
                passed,
                failed,
                not_reached,
            },
        )?,
        false => writeln!(
            out,
            "\n{passed} passed, {failed} failed, {not_reached} not reached (--seed {seed})"
        )?,
    }
    out.flush()?;
    if failed > 0 {
        bail!("the program has failed at {}", counted(failed, "step"));
    }
    Ok(())
}

fn print_json(out: &mut impl Write, event: &JsonEvent<'_>) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(event)?)
}

fn json_step<S: Step>(step: S, outcome: &Outcome) -> JsonEvent<'_> {
    let spec = step.spec();
    let (outcome, details) = match outcome {
        Outcome::Passed => ("passed", None),
        Outcome::Failed(Failure {
            found,
            exchange,
            errors,
        }) => {
            let details = JsonDetails::Failed {
                found,
                exchange,
                errors,
            };
            ("failed", Some(details))
        }
        Outcome::NotReached(why) => ("not_reached", Some(JsonDetails::NotReached { why })),
    };
    JsonEvent::Step {
        step: spec.name,
        title: spec.title,
        outcome,
        rule: spec.rule,
        source: format!("{}, {}", spec.document, spec.source),
        details,
    }
}

fn print_step<S: Step>(out: &mut impl Write, step: S, outcome: &Outcome) -> io::Result<()> {
    let spec = step.spec();
    let word = match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "FAILED",
        Outcome::NotReached(_) => "not reached",
    };
    write!(out, "{word:<12} {:<24} {}", spec.name, spec.title)?;
    match outcome {
        Outcome::Passed => writeln!(out),
        Outcome::NotReached(why) => writeln!(out, ": {why}"),
        Outcome::Failed(Failure {
            found,
            exchange,
            errors,
        }) => {
            writeln!(out, "\n    {found}")?;
            writeln!(out, "    {}, {}: {}", spec.document, spec.source, spec.rule)?;
            print_lines(out, "sent (>) and received (<)", exchange)?;
            print_lines(out, "on its standard error", errors)
        }
    }
}

fn print_lines(out: &mut impl Write, title: &str, lines: &[String]) -> io::Result<()> {
    if !lines.is_empty() {
        writeln!(out, "    {title}:")?;
    }
    for line in lines {
        writeln!(out, "      {line}")?;
    }
    Ok(())
}
