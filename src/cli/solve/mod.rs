//! `gothello solve`.

mod answer;
mod batch;

use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::answer::SolveJob;
use super::Run;
use super::output::{Output, stop_when_unread};
use super::position::PositionArguments;
use super::search::{
    ProgressLine, interrupt_flag, mebibytes, solver, thread_count, threads_or_all_cores,
};
use super::tablebase_options::TablebaseArguments;
use crate::games::gothello::Position;
use crate::solving::solver::Solver;
use crate::solving::tablebase::AnyTablebase;

/// Prove the value of a position under best play by both sides
///
/// The first line is the result: B+3 (Black will have 3 stones more), W+3, or 0. Then
/// come the best moves, best play to the end, and what the proof took. On a terminal a
/// line shows the bounds proven so far, the bound that is searched, the positions searched,
/// and the speed. Ctrl-C prints what is proven by then, and the exit code is 1.
///
/// Openings are looked up in a tablebase. The built-in tablebase has all positions with at
/// most 7 stones. If the tablebase has the position, or the positions after each move, the
/// values are taken from there, and the last line says so.
///
/// With --batch each line of standard input is a position, and is answered with a line,
/// in the same order: the result, the best moves, best play to the end and, with
/// --moves-table, every move with its value, separated by tabs; with --winner, who wins,
/// and the minimum margin. Empty lines and lines that begin with # are skipped. A line
/// that is not a position is answered with "error: line 3: ...", and the exit code is 1
/// in the end.
///
/// With --json an answer is an object on one line: "position"; "winner" (black, white,
/// draw); "value" (B+3, W+3, 0); "bounds" with "low", the best for White that is
/// possible, and "high", the best for Black; "best_moves"; "pv", best play to the end;
/// "moves" with "move", "value" and "bounds" of each, the best first; "complete";
/// "positions" searched; "seconds"; "tablebase", whether anything is from the tablebase.
/// Anything that is not proven or was not asked for is null. With --batch there is also
/// "line", its number; if there is no answer, only "line" and "error".
#[derive(Debug, Args)]
#[command(
    mut_arg("position", |arg| arg.conflicts_with("batch")),
    override_usage = "gothello solve [OPTIONS] [POSITION]\n       gothello solve [OPTIONS] --batch",
    after_help = "Examples:\n  \
    gothello solve ..bb./..wb./.wwb./..w../..... b\n  \
    gothello solve --moves \"c3 c4 d4 b3 d3 b2\" --winner\n  \
    gothello solve --moves-table bw.ww/bbbwb/bbww./bbbbw/bbww. b\n  \
    gothello solve --svg --moves \"c3 d2\" > position.svg\n  \
    gothello solve --batch --json < positions.txt"
)]
pub struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Read positions from standard input, one a line, and answer each with a line
    #[arg(long, conflicts_with_all = ["words", "moves"])]
    batch: bool,
    /// Find out only who wins, which is less work
    #[arg(long, conflicts_with = "moves_table", help_heading = "Answers")]
    winner: bool,
    /// Find out the value of every legal move, which is more work
    #[arg(long, help_heading = "Answers")]
    moves_table: bool,
    /// Print the answer as a JSON object
    #[arg(long, help_heading = "Answers")]
    json: bool,
    /// Print a picture of the position as SVG, with the value of every legal move
    #[arg(long, conflicts_with_all = ["batch", "winner", "json"], help_heading = "Answers")]
    svg: bool,
    /// Search threads; with --batch each has a position of its own [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MiB [default: as much as helps, at most 1024; with --batch
    /// 256]
    #[arg(long, value_name = "MiB", value_parser = mebibytes, help_heading = "Search")]
    hash: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
}

/// The goal of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The winner.
    Winner,
    /// The outcome, the best moves and the principal variation.
    BestMoves,
    /// The same, and the outcome after every move.
    EveryMove,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Several lines of text.
    Text,
    /// One line of columns separated by tabs.
    Tsv,
    /// One line, a JSON object.
    Json,
}

/// The size of the table for a batch, in MiB.
const BATCH_TABLE: usize = 256;

impl Arguments {
    /// Makes a solver with the tablebase for a position.
    ///
    /// Each empty point at least doubles the positions that are searched. The default table has
    /// 1 MiB up to 12 empty points, then doubles with each, up to 1,024 MiB: it holds all these
    /// positions, except on the emptiest boards. A larger one would cost time, since the system
    /// provides it page by page.
    fn solver_for(&self, position: &Position, threads: usize) -> Result<Solver> {
        let tablebase = self.tablebase.choose_for(position)?;
        // Positions with fewer stones are looked up.
        let min_searched_stones = tablebase
            .as_ref()
            .map_or(0, AnyTablebase::fewest_missing_stones);
        let empty = 25_u32.saturating_sub(min_searched_stones);
        let empty = empty.min(position.empty().len());
        let default = 1 << empty.saturating_sub(12).min(10);
        let memory_mib = self.hash.map_or(default, NonZeroUsize::get);
        solver(memory_mib, threads, tablebase)
    }

    /// Makes a solver for any positions.
    fn solver_for_batch(&self, threads: usize) -> Result<Solver> {
        let memory_mib = self.hash.map_or(BATCH_TABLE, NonZeroUsize::get);
        let tablebase = self.tablebase.choose()?.map(|read| read());
        solver(memory_mib, threads, tablebase)
    }

    fn goal(&self) -> Goal {
        match (self.winner, self.moves_table || self.svg) {
            (true, _) => Goal::Winner,
            (false, true) => Goal::EveryMove,
            (false, false) => Goal::BestMoves,
        }
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let goal = self.goal();
        let threads = threads_or_all_cores(self.threads);
        if self.batch {
            let solver = self.solver_for_batch(threads)?;
            let format = match self.json {
                true => Format::Json,
                false => Format::Tsv,
            };
            return batch::run(solver, threads, goal, format);
        }
        let game = self.position.gothello_game()?;
        let position = *game.position().context("the game is over")?;
        let started = Instant::now();
        let stop = interrupt_flag()?;
        stop_when_unread(&stop)?;
        let solver = self.solver_for(&position, threads)?;
        let work = SolveJob {
            position,
            goal,
            solver,
            stop,
            progress: ProgressLine::new(),
            started,
        };
        let format = match self.json {
            true => Format::Json,
            false => Format::Text,
        };
        let mut out = Output::lock();
        let answer = match self.svg {
            true => work.draw(&mut out, &game)?,
            false => work.answer(&mut out, format, None)?,
        };
        match answer.is_complete || out.is_closed() {
            true => Ok(()),
            false => bail!("interrupted: the answer is not complete"),
        }
    }
}
