//! `gothello check`.

use std::fs;
use std::io::{self, Write, stderr};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueHint};
use serde::Serialize;
use tokio::runtime;

use super::game_options::GameName;
use super::listen::stop_signal;
use super::output::Output;
use super::values::{at_least, duration, number, seed_or_random};
use super::{Run, bail_usage, subcommands, wrong_usage};
use crate::base::color::Color;
use crate::base::counted::counted;
use crate::check::goref::{GorefSettings, GorefStep};
use crate::check::gtp::{GtpSettings, GtpStep};
use crate::check::netref::{AwariTopic, ClientStep, ClientTopic, NetrefSettings};
use crate::check::{
    self, CheckSettings, Failure, Limits, NotReached, Outcome, Progress, Report, Rule, Step, Topic,
};
use crate::contests::netref::{Gothello, NetrefGame};
use crate::games::go::Size;
use crate::gtp::process::adopt_orphans;

/// The version of the lines of `--json`.
const VERSION: u8 = 1;

/// The exit code of a check in which no step has failed, but a required one was not reached.
const INCOMPLETE: i32 = 4;

/// Check whether a program keeps to its protocol
///
/// Plays the other end of the protocol for the program, and leads it into situations that are rare
/// in games. Prints a line for each step: passed, FAILED with what happened and what the protocol
/// says, or not reached, because its situation has not come up.
///
/// The exit code is 0 if no step has failed, 1 if one has, the program cannot be started, or a
/// signal stops the check, which then prints what it knows, and 2 for wrong usage. It is 4 if none
/// has failed, but the check is incomplete: a step was not reached that does not depend on what the
/// program chooses, such as one for which there was no time.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check gtp -- ./engine\n  \
    gothello check netref -- java MyClient {side} {host} {server}\n  \
    gothello check goref -- node agent.js {url}\n  \
    gothello check netref --json --seed 1 -- ./client {side} {host} {server}\n  \
    gothello check netref --list")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    enum Command {
        Gtp(GtpArguments),
        Goref(GorefArguments),
        Netref(NetrefArguments),
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        adopt_orphans();
        self.command.run()
    }
}

/// The options of every check.
#[derive(Debug, Args)]
struct CheckArguments {
    /// Check only this step, and what must work before it; repeat it for more
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// List the steps, and do nothing
    #[arg(long)]
    list: bool,
    /// Print a line of JSON for each step, also with --list
    #[arg(long)]
    json: bool,
    /// Do not tell on standard error what is being done
    #[arg(long, short)]
    quiet: bool,
    /// Seed of the random choices of the check [default: random]
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    seed: Option<u64>,
    /// Time limit in seconds for an answer or a move
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = check_limit)]
    timeout: Duration,
    /// Time limit in seconds to end
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = check_limit)]
    end_timeout: Duration,
    /// Time limit in seconds for the whole check; what is left is not reached [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = check_limit)]
    time_limit: Option<Duration>,
    /// End the check at the first failure
    #[arg(long)]
    fail_fast: bool,
    /// Command of the program with its arguments, after --
    #[arg(last = true, required_unless_present = "list", value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<String>,
}

impl CheckArguments {
    /// Returns the steps of --only.
    fn only<S: Step>(&self) -> Result<Vec<S>> {
        let find = |name: &String| {
            let step = S::find(&name.to_ascii_lowercase());
            step.ok_or_else(|| {
                wrong_usage(format!(
                    "there is no step {name:?}: --list lists the steps; for several, repeat --only"
                ))
            })
        };
        self.only.iter().map(find).collect()
    }

    /// Returns the settings. Without --seed, they have a random one.
    fn settings<S: Step>(&self) -> Result<CheckSettings<S>> {
        Ok(CheckSettings {
            command: self.command.clone(),
            only: self.only()?,
            seed: seed_or_random(self.seed),
            limits: Limits {
                answer: self.timeout,
                end: self.end_timeout,
                all: self.time_limit,
            },
            fail_fast: self.fail_fast,
        })
    }

    /// Makes a check, and prints what it has found. If a signal stops the program, what is known
    /// by then is printed.
    ///
    /// # Errors
    /// The check cannot be made, or a step has failed.
    fn run<S: Step, E: Into<anyhow::Error>>(
        &self,
        check: &'static str,
        seed: u64,
        make: impl FnOnce(&mut Progress<'_, S>) -> Result<Report<S>, E>,
    ) -> Result<()> {
        let printer = Printer {
            check,
            command: self.command.clone(),
            seed,
            json: self.json,
        };
        let known = Known::new(Mutex::new(Some(Report::default())));
        print_at_signal(Arc::clone(&known), printer.clone())?;
        let report = make(&mut |what, report| {
            self.tell(&what);
            if let Some(known) = &mut *lock(&known) {
                *known = report;
            }
        });
        if lock(&known).take().is_none() {
            // The program ends when the report after a signal is printed.
            loop {
                thread::park();
            }
        }
        let report = match report.map_err(Into::<anyhow::Error>::into) {
            Ok(report) => report,
            Err(why) => {
                let why = self.with_tip(why);
                printer.print_error(&why)?;
                return Err(why);
            }
        };
        let counts = printer.print(&report)?;
        if counts.failed > 0 {
            bail!(
                "the program has failed at {}",
                counted(counts.failed, "step")
            );
        }
        if counts.required > 0 {
            let steps = counted(counts.required, "required step");
            let were = if counts.required == 1 { "was" } else { "were" };
            // Nobody need read it.
            let _ = writeln!(
                stderr(),
                "error: the check is incomplete: {steps} {were} not reached"
            );
            process::exit(INCOMPLETE);
        }
        Ok(())
    }

    /// Adds a tip to an error if the command is quoted as one word.
    fn with_tip(&self, why: anyhow::Error) -> anyhow::Error {
        match &self.command[..] {
            [word] if word.contains(' ') && !fs::exists(word).unwrap_or(true) => anyhow!(
                "{why:#}; give the program and its arguments as separate words, as in -- {word}"
            ),
            _ => why,
        }
    }

    /// Prints the steps.
    fn print_list<S: Step>(&self) -> Result<()> {
        let mut out = Output::lock();
        for step in S::all() {
            let spec = step.spec();
            match self.json {
                true => print_json(&mut out, &json_step(step, None))?,
                false => writeln!(out, "{:<24} {}", spec.name, spec.title)?,
            }
        }
        Ok(())
    }

    /// Reports the progress.
    fn tell(&self, what: &str) {
        if !self.quiet {
            // Nobody need read it.
            let _ = writeln!(stderr(), "{what}");
        }
    }
}

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
struct GtpArguments {
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

impl GtpArguments {
    fn run(self) -> Result<()> {
        if self.check.list {
            return self.check.print_list::<GtpStep>();
        }
        let check: CheckSettings<GtpStep> = self.check.settings()?;
        let is_left_out = |step: &&GtpStep| self.any_game && !step.is_of_any_game();
        if let Some(step) = check.only.iter().find(is_left_out) {
            let name = step.spec().name;
            bail_usage!(
                "{name} is a step about Gothello, which --any-game leaves out: give one of them"
            );
        }
        let settings = GtpSettings {
            check,
            any_game: self.any_game,
            positions: self.positions,
        };
        let check = |progress: &mut Progress<'_, _>| check::gtp::check(&settings, progress);
        self.check.run("gtp", settings.check.seed, check)
    }
}

/// Check a client of Go contests, which speaks JSON over WebSocket
///
/// The command is run with {url}, or {host} and {port}, replaced. The client connects, and plays
/// games and parts of games: it need not end in between, and must connect again when its
/// connection is lost.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check goref -- node agent.js {url}\n  \
    gothello check goref --port 8080 --board 9 -- ./agent\n  \
    gothello check goref --list")]
struct GorefArguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Port, for a command without {url} and {port} [default: one that is free]
    #[arg(long, value_parser = number(1..=u16::MAX))]
    port: Option<u16>,
    /// Rows and columns of the board
    #[arg(long, value_name = "N", default_value = "19", value_parser = number(2..=25_u8))]
    board: u8,
    /// Time limit in seconds to answer a ping
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = check_limit)]
    ping_interval: Duration,
}

impl GorefArguments {
    fn run(self) -> Result<()> {
        if self.check.list {
            return self.check.print_list::<GorefStep>();
        }
        let mut words = self.check.command.iter();
        let has_place = words.any(|word| word.contains("{url}") || word.contains("{port}"));
        if self.port.is_none() && !has_place {
            bail_usage!(
                "the command needs {{url}} or {{port}}, which tell the client where to connect, or \
                 there must be --port"
            );
        }
        let settings = GorefSettings {
            check: self.check.settings()?,
            port: self.port,
            size: Size::square(usize::from(self.board))?,
            ping_interval: self.ping_interval,
        };
        let check = |progress: &mut Progress<'_, _>| check::goref::check(&settings, progress);
        self.check.run("goref", settings.check.seed, check)
    }
}

/// Check a client of the network referee: a program that plays Gothello, or Awari
///
/// The command is run for each game, with {side}, {host}, {server} and {port} replaced, as in
/// `gothello match`. The client connects, plays its game, and ends with exit code 0. A client that
/// gives a name is sent all messages of the protocol; one without a name only those that the
/// public client libraries understand.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello check netref -- java MyClient {side} {host} {server}\n  \
    gothello check netref -- python3 bot.py {side} {host} {port}\n  \
    gothello check netref --server 0 --side black -- ./client\n  \
    gothello check netref --only draw-by-own-pass --games 20 -- ./client {side} {port}\n  \
    gothello check netref --game awari -- ./awari-client {side} {host} {port}")]
struct NetrefArguments {
    #[command(flatten)]
    check: CheckArguments,
    /// Game: gothello or awari
    #[arg(
        long,
        value_name = "GAME",
        default_value = "gothello",
        hide_possible_values = true
    )]
    game: GameName,
    /// Side to play: black or white, in Awari south or north [default: both]
    #[arg(long, value_name = "SIDE", hide_possible_values = true,
        value_parser = ["black", "white", "south", "north"])]
    side: Option<String>,
    /// Server number, for a command without {server} and {port}: the port is 29068 (Awari: 29046)
    /// plus this number [default: one that is free]
    #[arg(long, value_name = "N", value_parser = number(0..=Gothello::MAX_SERVER))]
    server: Option<u16>,
    /// Games in which each situation is looked for, for each side; four times as many while it does
    /// not come up
    #[arg(long, value_name = "N", default_value = "3", value_parser = number(1..=1_000_u32))]
    games: u32,
    /// Accept every exit code of the client
    #[arg(long)]
    any_exit_code: bool,
}

impl NetrefArguments {
    fn run(self) -> Result<()> {
        match self.game {
            GameName::Gothello => self.run_for::<Topic>(),
            GameName::Awari => self.run_for::<AwariTopic>(),
        }
    }

    /// Checks a client that plays the game with these topics.
    fn run_for<T: ClientTopic>(self) -> Result<()> {
        if self.check.list {
            return self.check.print_list::<ClientStep<T>>();
        }
        let has = |placeholder: &str| {
            let mut words = self.check.command.iter();
            words.any(|word| word.contains(placeholder))
        };
        if self.server.is_none() && !has("{server}") && !has("{port}") {
            bail_usage!(
                "the command needs {{server}} or {{port}}, in whose place the client is given the server \
                 number or the port where it connects; or give --server, if it always connects to the \
                 same port, which is {} plus this number",
                T::Game::PORT
            );
        }
        if self.side.is_none() && !has("{side}") {
            bail_usage!(
                "the command needs {{side}}, which tells the client what to play, or there must be \
                 --side"
            );
        }
        let is_wanted = |&color: &Color| match &self.side {
            None => true,
            Some(side) => side.eq_ignore_ascii_case(T::Game::SIDES[color]),
        };
        let sides: Vec<Color> = Color::ALL.into_iter().filter(is_wanted).collect();
        if sides.is_empty() {
            let names = T::Game::SIDES;
            let (first, second) = (names.black, names.white);
            bail_usage!("--side is {first} or {second} here");
        }
        if self
            .server
            .is_some_and(|server| server > T::Game::MAX_SERVER)
        {
            let most = T::Game::MAX_SERVER;
            bail_usage!("--server is 0 to {most} here");
        }
        let settings = NetrefSettings {
            check: self.check.settings()?,
            sides,
            server: self.server,
            games: self.games,
            ignores_exit_status: self.any_exit_code,
        };
        let check = |progress: &mut Progress<'_, _>| check::netref::check::<T>(&settings, progress);
        self.check.run("netref", settings.check.seed, check)
    }
}

/// The findings about a program, until they are printed: once, by the check or after a signal.
type Known<S> = Arc<Mutex<Option<Report<S>>>>;

fn lock<S>(known: &Known<S>) -> MutexGuard<'_, Option<Report<S>>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a signal in a thread of its own, prints what is known, and ends the program.
///
/// # Errors
/// The thread that waits for it cannot be started.
fn print_at_signal<S: Step>(known: Known<S>, printer: Printer) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let signal = {
        let _context = runtime.enter();
        stop_signal()
    };
    thread::Builder::new().spawn(move || {
        let why = runtime.block_on(signal);
        let report = lock(&known).take();
        // It may be being printed already.
        if let Some(report) = report {
            // Nobody need read it.
            let _ = printer.print(&report);
            let _ = writeln!(stderr(), "error: the check is not complete: {why}");
            process::exit(1);
        }
    })?;
    Ok(())
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
        /// `None` in a list of the steps.
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<&'a str>,
        rule: &'a str,
        source: String,
        #[serde(flatten)]
        details: Option<JsonDetails<'a>>,
    },
    /// The number of steps with each outcome.
    End {
        #[serde(flatten)]
        counts: Counts,
    },
    /// What the program may do, but is rarely meant to.
    Notice { notice: &'a str },
    /// Why the program was not checked.
    Error { error: String },
}

/// The number of steps with each outcome.
#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    passed: usize,
    failed: usize,
    not_reached: usize,
    /// Those not reached without which the check is incomplete.
    required: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::NotReached(NotReached { required, .. }) => {
                self.not_reached += 1;
                self.required += usize::from(*required);
            }
        }
    }
}

/// What there is to say of a step that was not passed.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonDetails<'a> {
    Failed(&'a Failure),
    NotReached(&'a NotReached),
}

/// Parses the time for a check: not 0.
fn check_limit(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("give more than 0: nothing could be checked".into()),
        limit => Ok(limit),
    }
}

/// Prints reports.
#[derive(Clone)]
struct Printer {
    check: &'static str,
    command: Vec<String>,
    seed: u64,
    json: bool,
}

impl Printer {
    /// Prints the beginning of a report in JSON.
    fn print_begin(&self, out: &mut impl Write) -> io::Result<()> {
        let begin = JsonEvent::Begin {
            v: VERSION,
            check: self.check,
            command: &self.command,
            seed: self.seed,
        };
        print_json(out, &begin)
    }

    /// Prints in JSON why the program was not checked.
    ///
    /// # Errors
    /// It cannot be printed.
    fn print_error(&self, why: &anyhow::Error) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut out = Output::lock();
        self.print_begin(&mut out)?;
        let error = format!("{why:#}");
        print_json(&mut out, &JsonEvent::Error { error })?;
        out.flush()
    }

    /// Prints a report, and returns the number of steps with each outcome.
    ///
    /// # Errors
    /// It cannot be printed.
    fn print<S: Step>(&self, report: &Report<S>) -> io::Result<Counts> {
        let mut out = Output::lock();
        let mut counts = Counts::default();
        let seed = self.seed;
        if self.json {
            self.print_begin(&mut out)?;
        }
        for (step, outcome) in report.outcomes() {
            counts.add(outcome);
            match self.json {
                true => print_json(&mut out, &json_step(step, Some(outcome)))?,
                false => print_step(&mut out, step, outcome)?,
            }
        }
        for notice in report.notices() {
            match self.json {
                true => print_json(&mut out, &JsonEvent::Notice { notice })?,
                false => writeln!(out, "notice: {notice}")?,
            }
        }
        if self.json {
            print_json(&mut out, &JsonEvent::End { counts })?;
        } else {
            let Counts {
                passed,
                failed,
                not_reached,
                required,
            } = counts;
            let required = match required {
                0 => String::new(),
                required => format!(", {required} of them required"),
            };
            writeln!(
                out,
                "\n{passed} passed, {failed} failed, {not_reached} not reached{required} (--seed {seed})"
            )?;
        }
        out.flush()?;
        Ok(counts)
    }
}

fn print_json(out: &mut impl Write, event: &JsonEvent<'_>) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(event)?)
}

fn json_step<S: Step>(step: S, outcome: Option<&Outcome>) -> JsonEvent<'_> {
    let spec = step.spec();
    let (outcome, details) = match outcome {
        None => (None, None),
        Some(Outcome::Passed) => (Some("passed"), None),
        Some(Outcome::Failed(failure)) => (Some("failed"), Some(JsonDetails::Failed(failure))),
        Some(Outcome::NotReached(reason)) => {
            (Some("not_reached"), Some(JsonDetails::NotReached(reason)))
        }
    };
    JsonEvent::Step {
        step: spec.name,
        title: spec.title,
        outcome,
        rule: spec.rule.text,
        source: format!("{}, {}", spec.document, spec.rule.source),
        details,
    }
}

fn print_step<S: Step>(out: &mut impl Write, step: S, outcome: &Outcome) -> io::Result<()> {
    let spec = step.spec();
    let word = match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "FAILED",
        Outcome::NotReached(NotReached { required: true, .. }) => "NOT REACHED",
        Outcome::NotReached(_) => "not reached",
    };
    write!(out, "{word:<12} {:<24} {}", spec.name, spec.title)?;
    match outcome {
        Outcome::Passed => writeln!(out),
        Outcome::NotReached(NotReached { why, .. }) => writeln!(out, ": {why}"),
        Outcome::Failed(Failure {
            found,
            board,
            exchange,
            errors,
        }) => {
            writeln!(out, "\n    {found}")?;
            let Rule { text, source } = spec.rule;
            writeln!(out, "    {}, {source}: {text}", spec.document)?;
            print_lines(out, "the board before", board)?;
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
