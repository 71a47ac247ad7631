//! `gothello awari-db`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::files::written;
use super::game_options::{AWARI, VariantArguments, read_endgames};
use super::output::Output;
use super::search::{ProgressLine, interrupt_flag, thread_count, threads_or_all_cores};
use super::values::{at_least, number};
use super::{Run, subcommands};
use crate::base::counted::counted;
use crate::base::journal::write_whole;
use crate::solving::endgame::{DEFAULT_STONES, Database, MAX_STONES, describe};

/// Build, describe, or check a database of Awari's endgames
///
/// A database has, for all positions with few stones on the board, how many of these
/// the player to move gets under best play, or bounds on that number where it depends on
/// the positions that occurred before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello awari-db build --stones 10 /tmp/small.adb\n  \
    gothello awari-db info /tmp/small.adb\n  \
    gothello awari-db verify /tmp/small.adb --sample 100000")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    enum Command {
        Build(Build),
        Info(Info),
        Verify(Verify),
    }
}

/// Build a database
///
/// The positions with each number of stones are written to FILE as soon as all are found. After
/// Ctrl-C, or any other interruption, the same command continues where it was. With a larger
/// number of stones it extends a FILE that exists.
#[derive(Debug, Args)]
#[command(
    mut_args(|arg| match arg.get_help_heading() {
        Some(AWARI) => arg.help_heading("Rules"),
        _ => arg,
    }),
    after_help = "Example:\n  gothello awari-db build --stones 10 /tmp/small.adb"
)]
struct Build {
    /// File to write
    file: PathBuf,
    /// Maximum number of stones on the board, 1 to 21: 17 take 52 MB, and each further stone 1.6
    /// times as much
    #[arg(
        long,
        value_name = "N",
        value_parser = number(1..=MAX_STONES),
        default_value_t = DEFAULT_STONES
    )]
    stones: u8,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    rules: VariantArguments,
}

/// Describe a database
///
/// Prints its rules and, for each number of stones, the number of positions, the share of
/// exact values, and how far apart the bounds are on average.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello awari-db info /tmp/small.adb")]
struct Info {
    /// Database file
    file: PathBuf,
}

/// Check that each position of a database agrees with those that its moves lead to
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello awari-db verify /tmp/small.adb --sample 100000")]
struct Verify {
    /// Database file
    file: PathBuf,
    /// Number of random positions to check [default: all positions]
    #[arg(long, value_name = "N", value_parser = at_least(0))]
    sample: Option<u64>,
    /// Seed of the random choice: the same seed chooses the same positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least(0))]
    seed: u64,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        self.command.run()
    }
}

/// Writes the beginning of a line about the positions with this number of stones.
fn tell(out: &mut Output, database: &Database, stones: u8) -> io::Result<()> {
    let (all, exact) = (Database::board_count(stones), database.exact_count(stones));
    let share = 100.0 * exact as f64 / all as f64;
    write!(
        out,
        "{:>9}: {all:9} positions, {share:5.1} % exact, {:.2} stones open on average",
        counted(stones, "stone"),
        database.average_gap(stones)
    )
}

/// Ends the line with the time that they took.
fn tell_time(out: &mut Output, stones: u8, time: Duration) -> io::Result<()> {
    let seconds = time.as_secs_f64();
    let speed = Database::board_count(stones) as f64 / seconds / 1e6;
    writeln!(out, ", {seconds:.2} s, {speed:.2} million positions/s")?;
    out.flush()
}

impl Run for Info {
    fn run(self) -> Result<()> {
        let database = read_endgames(&self.file)?;
        let mut out = Output::lock();
        writeln!(out, "{}", describe(database.variant()))?;
        let (size, stones) = (database.len(), database.stones());
        writeln!(
            out,
            "{size} positions with up to {} on the board",
            counted(stones, "stone")
        )?;
        for stones in 0..=stones {
            tell(&mut out, &database, stones)?;
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Run for Verify {
    fn run(self) -> Result<()> {
        let database = read_endgames(&self.file)?;
        let mut out = Output::lock();
        let size = database.len();
        writeln!(out, "the database is whole, with {size} positions")?;
        out.flush()?;
        let stop = interrupt_flag()?;
        let all = self.sample.unwrap_or(size as u64);
        let mut random = StdRng::seed_from_u64(self.seed);
        let line = ProgressLine::new();
        for done in 0..all {
            let number = match self.sample {
                Some(_) => random.random_range(0..size),
                None => done as usize,
            };
            let checked = database.check(number);
            if checked.is_err() || done.is_multiple_of(1024) {
                line.show(|| format!("{done} of {all} positions checked"));
                if stop.load(Ordering::Relaxed) {
                    line.clear();
                    bail!("interrupted after {done} of {all} positions");
                }
            }
            if checked.is_err() {
                line.clear();
            }
            checked?;
        }
        line.clear();
        writeln!(
            out,
            "{all} positions checked: each agrees with those that its moves lead to"
        )?;
        Ok(())
    }
}

impl Run for Build {
    fn run(self) -> Result<()> {
        let name = self.file.display();
        let mut database = self.begun()?;
        let stop = interrupt_flag()?;
        let mut out = Output::lock();
        let started = Instant::now();
        while database.stones() < self.stones {
            let layer_started = Instant::now();
            if self.grow(&mut database, &stop).is_none() {
                bail!(
                    "interrupted: the results so far are in {name}, and the same command continues \
                     from there"
                );
            }
            written(&self.file, write_whole(&self.file, &database.to_bytes()))?;
            let (stones, time) = (database.stones(), layer_started.elapsed());
            tell(&mut out, &database, stones)?;
            tell_time(&mut out, stones, time)?;
        }
        let (size, stones) = (database.len(), database.stones());
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            out,
            "{name}: {size} positions with up to {}, {seconds:.1} s",
            counted(stones, "stone")
        )?;
        Ok(())
    }
}

impl Build {
    /// Reads the database that exists already, or begins one.
    fn begun(&self) -> Result<Database> {
        let wanted = self.rules.variant();
        if !self.file.exists() {
            return Ok(Database::new(wanted));
        }
        let older = read_endgames(&self.file)?;
        let name = self.file.display();
        let found = older.variant();
        if found != wanted {
            bail!(
                "{name} is for another variant ({}, not {}): give another file",
                describe(found),
                describe(wanted)
            );
        }
        let stones = older.stones();
        if stones > self.stones {
            let stones = counted(stones, "stone");
            bail!("{name} has up to {stones} already: give another file for a smaller one");
        }
        Ok(older)
    }

    /// Adds the positions with one stone more; `None` if it was interrupted.
    fn grow(&self, database: &mut Database, stop: &AtomicBool) -> Option<()> {
        let line = ProgressLine::new();
        let (stones, started) = (counted(database.stones() + 1, "stone"), Instant::now());
        let bar = self.bar(database.len());
        let show = |changes: u64| {
            let seconds = started.elapsed().as_secs();
            line.show(|| format!("{bar} {stones}: {changes} bounds moved, {seconds} s"));
        };
        let grown = database.grow(threads_or_all_cores(self.threads), stop, &show);
        line.clear();
        grown
    }

    /// Returns the share of all positions that have been found, as a bar.
    fn bar(&self, found: usize) -> String {
        const WIDTH: usize = 20;
        let all: usize = (0..=self.stones).map(Database::board_count).sum();
        let full = (WIDTH * found / all.max(1)).min(WIDTH);
        format!("[{}{}]", "#".repeat(full), "-".repeat(WIDTH - full))
    }
}
