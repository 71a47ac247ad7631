//! `gothello solve`.

use std::cmp::{Ordering, Reverse};
use std::io::{StdoutLock, Write, stdout};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use itertools::Itertools;

use super::interrupt::interrupted;
use super::meter::Meter;
use super::position::PositionArguments;
use super::resources::{solver, threads};
use super::values::{mebibytes, thread_count};
use crate::gothello::{Color, Outcome, Position};
use crate::solver::{Bounds, Control, Judged, Line, OutcomeRange, Progress, Question, Solver};

/// Prove what a position is worth under best play by both sides
///
/// The first line is the result: B+3 (Black will have 3 stones more), W+3 or 0.
/// Then come the best moves, best play to the end, and what it took. On a
/// terminal a line shows how far it is: what is proven, what is being asked, the
/// positions searched, and how many a second. Ctrl-C prints what is proven by
/// then, and the exit code is 1. Everything is proven anew, without the book.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello solve \"..bb./..wb./.wwb./..w../..... b\"\n  \
    gothello solve --moves \"c3 c4 d4 b3 d3 b2\" --winner\n  \
    gothello solve --moves-table \"bw.ww/bbbwb/bbww./bbbbw/bbww. b\"")]
pub(super) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Find out only who wins, which is less work
    #[arg(long, conflicts_with = "moves_table")]
    winner: bool,
    /// Find out the value of every legal move, which is more work
    #[arg(long)]
    moves_table: bool,
    /// Search with so many threads; as many as the machine has cores without
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    /// Remember positions in so much memory; without, as much as is of use, and
    /// at most 1024
    #[arg(long, value_name = "MB", value_parser = mebibytes)]
    hash: Option<NonZeroUsize>,
}

impl Arguments {
    /// The size of the table. With one empty point less, hardly half as many
    /// positions are searched: a table of the default size holds them all, but
    /// for the emptiest boards.
    fn megabytes(&self, position: &Position) -> usize {
        match self.hash {
            Some(megabytes) => megabytes.get(),
            None => 1 << position.empty().len().saturating_sub(12).min(10),
        }
    }
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let position = arguments.position.gothello()?;
    let started = Instant::now();
    let stop = interrupted()?;
    let solver = solver(arguments.megabytes(&position), threads(arguments.threads))?;
    let work = Work {
        position,
        solver,
        stop,
        meter: Meter::new(),
        started,
    };
    let mut out = stdout().lock();
    let is_complete = if arguments.winner {
        work.winner(&mut out)?
    } else if arguments.moves_table {
        work.all(&mut out, Moves::Every)?
    } else {
        work.all(&mut out, Moves::Best)?
    };
    work.total(&mut out)?;
    if !is_complete {
        bail!("interrupted: the answer is not complete");
    }
    Ok(())
}

/// Of which moves something is to be found out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Best,
    Every,
}

/// A position, and what is needed to solve it.
struct Work {
    position: Position,
    solver: Solver,
    stop: Arc<AtomicBool>,
    meter: Meter,
    started: Instant,
}

impl Work {
    /// Tells who wins; whether that was found out.
    fn winner(&self, out: &mut StdoutLock<'_>) -> Result<bool> {
        let bounds = self.solve(Question::Winner);
        let (winner, least) = match bounds.sign() {
            Some(Ordering::Equal) => {
                writeln!(out, "drawn")?;
                return Ok(true);
            }
            Some(Ordering::Greater) => (Color::Black, bounds.low()),
            Some(Ordering::Less) => (Color::White, bounds.high()),
            None => {
                writeln!(out, "{bounds}")?;
                return Ok(false);
            }
        };
        writeln!(out, "{winner} wins")?;
        writeln!(out, "at least {least}")?;
        Ok(true)
    }

    /// Tells the value, the moves and best play; whether all of it was found
    /// out.
    fn all(&self, out: &mut StdoutLock<'_>, moves: Moves) -> Result<bool> {
        let to_move = self.position.to_move();
        let bounds = self.solve(Question::Value);
        writeln!(out, "{bounds}")?;
        out.flush()?;
        let Some(value) = bounds.bounds_for(to_move).value() else {
            return Ok(false);
        };
        // Best play is found at once: the search has just been through it.
        let line = self.watched(Self::counted, |control| {
            self.solver.search_line(&self.position, value, control)
        });
        let question = match moves {
            Moves::Best => Question::AtLeast(value),
            Moves::Every => Question::Value,
        };
        let mut judged = self.watched(Self::counted, |control| {
            self.solver.search_moves(&self.position, question, control)
        });
        if moves == Moves::Every {
            // The best first.
            judged.sort_by_key(|judged| Reverse((judged.bounds.low, judged.bounds.high)));
        }
        writeln!(out, "best moves: {}", best_moves(&judged, value))?;
        writeln!(out, "principal variation: {}", variation(&line))?;
        if moves == Moves::Every {
            for Judged { mv, bounds } in &judged {
                writeln!(out, "  {:<4}  {}", mv.to_string(), bounds.seen_by(to_move))?;
            }
        }
        let is_known = judged
            .iter()
            .all(|judged| question.is_answered(judged.bounds));
        Ok(line.end.is_some() && is_known)
    }

    /// What can be proven of the outcome.
    fn solve(&self, question: Question) -> OutcomeRange {
        let to_move = self.position.to_move();
        let text = |progress: &Progress| {
            format!(
                "{} | {} for {to_move}? | {}",
                progress.bounds.seen_by(to_move),
                Outcome::from_lead(to_move, progress.wanted),
                self.counted(progress),
            )
        };
        self.watched(
            |_, progress| text(progress),
            |control| self.solver.search(&self.position, question, control),
        )
        .seen_by(to_move)
    }

    /// Does something with the solver while the meter shows a text.
    fn watched<T>(
        &self,
        text: impl Fn(&Work, &Progress) -> String + Sync,
        work: impl FnOnce(&Control<'_>) -> T,
    ) -> T {
        let done = work(&Control {
            watch: &|progress| self.meter.show(|| text(self, progress)),
            ..Control::until(&self.stop)
        });
        self.meter.clear();
        done
    }

    /// Positions, and how many a second.
    fn counted(&self, progress: &Progress) -> String {
        let millions = progress.positions as f64 / 1e6;
        let speed = millions / self.started.elapsed().as_secs_f64();
        format!("{millions:.1} million | {speed:.1} million/s")
    }

    /// Tells what it took.
    fn total(&self, out: &mut StdoutLock<'_>) -> Result<()> {
        let positions = self.solver.positions();
        let seconds = self.started.elapsed().as_secs_f64();
        let speed = positions as f64 / seconds / 1e6;
        writeln!(
            out,
            "{positions} positions, {seconds:.3} s, {speed:.1} million positions/s"
        )?;
        Ok(())
    }
}

/// The moves that are worth the value of the position, and those of which it is not
/// known.
fn best_moves(moves: &[Judged], value: i8) -> String {
    let those = |is_wanted: fn(Bounds, i8) -> bool| {
        let wanted = moves
            .iter()
            .filter(|judged| is_wanted(judged.bounds, value));
        wanted.map(|judged| judged.mv).join(" ")
    };
    let best = those(|bounds, value| bounds.low >= value);
    let unknown = those(|bounds, value| !Question::AtLeast(value).is_answered(bounds));
    if unknown.is_empty() {
        best
    } else {
        format!("{best} (and perhaps {unknown})")
    }
}

fn variation(line: &Line) -> String {
    let moves = line.moves.iter().join(" ");
    match line.end {
        Some(_) => moves,
        None => format!("{moves} ..."),
    }
}
