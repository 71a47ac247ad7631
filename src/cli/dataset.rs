//! `gothello dataset`.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::files::written;
use super::output::{Output, stop_when_unread};
use super::search::{
    ProgressLine, interrupt_flag, mebibytes, solver, thread_count, threads_or_all_cores,
};
use super::tablebase_options::TablebaseArguments;
use super::values::{at_least, number};
use super::{Run, bail_usage};
use crate::base::counted::counted;
use crate::base::journal::{check_writable, write_whole};
use crate::solving::dataset::{
    DrawError, Format, Plan, SolveError, Source, StoneCounts, card, card_path, draw, json_line,
    solve,
};
use crate::solving::solver::Control;

/// Write positions with the exact value of every move
///
/// Draws positions at random, and proves the value of each legal move: ground truth for training and
/// judging networks and other players. The positions are determined by --source, --errors, --positions,
/// --stones and --seed: the same options write the same bytes, whatever the machine, the number of threads
/// and the tablebase. Positions that differ only by a symmetry of the board or by exchanging the colors
/// count as one. At most one of them is written: the one with the smallest key, with Black to move.
///
/// With --source uniform, every legal position with one of the numbers of stones is equally likely, so that of
/// 14..20 stones most have 15 to 18. With random-games, each position is from a game of its own, in
/// which placements are random and a player passes only if no placement is legal. The game ends at its first
/// position with the largest of the numbers of stones; one of its positions with any of the numbers is chosen
/// at random. With games-with-errors it is from a game of best play in which each move is, with the
/// probability of --errors, a mistake: a random placement that is not best.
///
/// Without --output, prints JSON, a line for each position: "position"; "key", a number that stands for
/// the position; "stones" on the board; "value", in stones for the player to move; "best_moves"; "moves",
/// each legal move with its value. With --output FILE.npz, writes a NumPy archive with the arrays "keys",
/// "stones" and "values" of shape (n,), and "move_values" of shape (n, 26). A data card in Markdown is written
/// beside the file, as FILE.npz.md. Files are written whole or not at all.
///
/// On one core, the values of all moves of a position take on average 10 milliseconds with 13 stones, 0.1
/// seconds with 10, and 1 to 2 with 8 or 7; some positions take far longer. Those with fewer stones are looked up
/// in the tablebase, with a larger one also others (see gothello tablebase pack). Games with errors take half a
/// second each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello dataset --positions 10 --stones 14..20\n  \
    gothello dataset --positions 100000 --seed 1 --output positions.npz\n  \
    gothello dataset --positions 1000 --source games-with-errors --errors 0.2 --stones 18..24")]
pub struct Arguments {
    /// Number of positions
    #[arg(long, value_name = "N", value_parser = number(1..=Plan::MAX_POSITIONS))]
    positions: usize,
    /// Numbers of stones on the board, ends included: 14..20 or 20..14, 8, or both as in 8,14..20
    #[arg(long, value_name = "FEWEST..MOST", default_value = "13..24")]
    stones: StoneCounts,
    /// Where the positions come from
    #[arg(long, value_enum, default_value = "uniform")]
    source: SourceName,
    /// Probability that a move in a game with errors is a mistake, 0 to 1 [default: 0.1]
    #[arg(long, value_name = "PROBABILITY", value_parser = probability)]
    errors: Option<f64>,
    /// Seed of the random choice
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = at_least(0))]
    seed: u64,
    /// File to write, .jsonl or .npz [default: JSON lines on standard output]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Data card to write [default: FILE.md beside FILE of --output]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    card: Option<PathBuf>,
    /// Threads, each with a position of its own [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MiB
    #[arg(
        long, value_name = "MiB", default_value = "256", value_parser = mebibytes,
        help_heading = "Search"
    )]
    hash: NonZeroUsize,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
}

/// A source as people type it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SourceName {
    /// All legal positions
    Uniform,
    /// Games of random placements
    RandomGames,
    /// Games of best play with mistakes
    GamesWithErrors,
}

/// Parses a probability.
fn probability(text: &str) -> Result<f64, String> {
    let probability = text.parse().ok();
    let probability = probability.filter(|probability| (0.0..=1.0).contains(probability));
    probability.ok_or_else(|| "give a number from 0 to 1, such as 0.1".into())
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let plan = self.plan()?;
        let file = self.file()?;
        let card_file = self.card_file();
        if self.output.is_some() && self.output == card_file {
            bail_usage!("--card: give another file than --output");
        }
        for file in self.output.iter().chain(&card_file) {
            written(file, check_writable(file))?;
        }
        let threads = threads_or_all_cores(self.threads);
        let tablebase = self.tablebase.choose()?.map(|read| read());
        let solver = solver(self.hash.get(), threads, tablebase)?;
        let stop = interrupt_flag()?;
        if self.output.is_none() {
            stop_when_unread(&stop)?;
        }
        let control = Control::until(&stop);
        let line = ProgressLine::new();
        line.show(|| "drawing positions".into());
        let mut out = Output::lock();
        let positions = match draw(&plan, &solver, threads, &control) {
            Err(DrawError::Stopped) if out.is_closed() => return Ok(()),
            drawn => drawn?,
        };
        let mut printed = Ok(());
        let mut count = 0;
        let solved = solve(&positions, &solver, threads, &control, |record| {
            count += 1;
            if self.output.is_none() && printed.is_ok() {
                printed = writeln!(out, "{}", json_line(record));
                // Nobody would get the others.
                stop.fetch_or(printed.is_err(), Ordering::Relaxed);
            }
            line.show(|| format!("{count} of {} solved", counted(positions.len(), "position")));
        });
        line.clear();
        printed.and_then(|()| out.flush())?;
        let records = match solved {
            Err(SolveError::Stopped) if out.is_closed() => return Ok(()),
            Err(SolveError::Stopped) => bail!("interrupted after {}", counted(count, "position")),
            solved => solved?,
        };
        if let Some((path, format)) = file {
            written(path, format.write(&records, path))?;
        }
        if let Some(path) = card_file {
            let text = card(&plan, &records, &self.described_file());
            written(&path, write_whole(&path, text.as_bytes()))?;
        }
        Ok(())
    }
}

impl Arguments {
    fn plan(&self) -> Result<Plan> {
        if self.errors.is_some() && self.source != SourceName::GamesWithErrors {
            bail_usage!("--errors is for --source games-with-errors");
        }
        Ok(Plan {
            source: match self.source {
                SourceName::Uniform => Source::Uniform,
                SourceName::RandomGames => Source::RandomGames,
                SourceName::GamesWithErrors => Source::GamesWithErrors {
                    errors: self.errors.unwrap_or(Source::DEFAULT_ERRORS),
                },
            },
            positions: self.positions,
            stones: self.stones,
            seed: self.seed,
        })
    }

    /// Returns the file to write and its form; `None` for standard output.
    fn file(&self) -> Result<Option<(&Path, Format)>> {
        let Some(path) = &self.output else {
            return Ok(None);
        };
        match Format::of(path) {
            None => bail_usage!(
                "--output: give a file whose name ends with .jsonl or .npz, in small letters, not {}",
                path.display()
            ),
            Some(format) => Ok(Some((path, format))),
        }
    }

    /// Returns the file of the data card, if there is one.
    fn card_file(&self) -> Option<PathBuf> {
        let beside = || self.output.as_deref().map(card_path);
        self.card.clone().or_else(beside)
    }

    /// Returns the name of the file that the card describes.
    fn described_file(&self) -> String {
        let name = self.output.as_ref().and_then(|path| path.file_name());
        name.map_or("positions.jsonl".into(), |name| {
            name.to_string_lossy().into_owned()
        })
    }
}
