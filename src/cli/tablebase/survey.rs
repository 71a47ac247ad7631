//! `gothello tablebase survey`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;

use super::super::Run;
use super::super::output::{Output, stop_when_unread};
use super::super::search::{ProgressLine, interrupt_flag, thread_count, threads_or_all_cores};
use super::open;
use crate::base::counted::counted;
use crate::solving::tablebase::{Extreme, LayerSurvey, Tally, position_of};

/// Find remarkable positions among all that are there
///
/// Looks at every move of every position in DIR, if the positions with one stone more are
/// there, too, and prints for each number of stones what follows.
///
/// Only moves: positions in which one move is better than every other. Best passes:
/// positions in which this move is a pass, though a placement is legal. Refused captures:
/// those in which a placement would even capture.
///
/// The largest difference between the best move and the worst, and between the best and
/// the second best; the largest number of stones by which a player who wins is behind; and
/// the largest number of only moves in a row, a forced line. Each with the number of
/// positions that have it, and an example: Black is to move, and not after a pass.
///
/// A pass is a move, also the second one in a row, which ends the game. Placements on
/// symmetric points are different moves. A forced line is open if it goes on among
/// positions that are not in DIR: it may be longer than was counted. The output does not
/// depend on the number of threads.
///
/// Each value is compared with those of the moves on the way. The positions with up to 11
/// stones take a 2-core machine a few minutes, and 2 GB of memory.
///
/// With --json it is one object: "layers", each with "stones"; "positions", "only_moves",
/// "best_passes", "refused_captures" and "open_lines", which have "all" and
/// "up_to_symmetry"; "swing", "margin", "comeback" and "forced_line", which have "amount",
/// "positions" and "example"; and "refused_capture", an example. What does not exist is null.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello tablebase survey /tmp/tablebase")]
pub struct Survey {
    /// Folder of the tablebase
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
}

impl Run for Survey {
    fn run(self) -> Result<()> {
        let tablebase = open(&self.folder)?;
        let stop = interrupt_flag()?;
        stop_when_unread(&stop)?;
        let line = ProgressLine::new();
        let progress = |stones: u8, done: usize, total: usize| {
            line.show(|| format!("{}: {done} of {total} blocks", counted(stones, "stone")));
        };
        let threads = threads_or_all_cores(self.threads);
        let surveys = tablebase.survey(threads, &stop, &progress)?;
        line.clear();
        let mut out = Output::lock();
        let Some(surveys) = surveys else {
            ensure!(
                out.is_closed(),
                "interrupted: nothing is known before the end"
            );
            return Ok(());
        };
        if self.json {
            let json = Json { layers: &surveys };
            writeln!(out, "{}", serde_json::to_string(&json)?)?;
            return Ok(());
        }
        Ok(print(&mut out, &surveys)?)
    }
}

/// Returns an example as a position.
fn written(example: Option<(u32, u32)>) -> Option<String> {
    let (mover, opponent) = example?;
    Some(position_of(mover, opponent)?.to_string())
}

fn print(out: &mut impl Write, surveys: &[LayerSurvey]) -> io::Result<()> {
    writeln!(
        out,
        "stones       positions  only moves  best passes  refused captures"
    )?;
    for survey in surveys {
        let percent = |tally: Tally| 100.0 * tally.all as f64 / survey.positions.all.max(1) as f64;
        writeln!(
            out,
            "{:>6}  {:>14}  {:8.2} %  {:9.3} %  {:>16}",
            survey.stones,
            survey.positions.all,
            percent(survey.only_moves),
            percent(survey.best_passes),
            survey.refused_captures.all
        )?;
    }
    type Part = fn(&LayerSurvey) -> &Extreme;
    let parts: [(&str, Part); 4] = [
        ("difference of best and worst move", |survey| &survey.swing),
        ("difference of best and second best move", |survey| {
            &survey.margin
        }),
        ("stones by which a winner is behind", |survey| {
            &survey.comeback
        }),
        ("only moves in a row", |survey| &survey.forced_line),
    ];
    for (name, part) in parts {
        writeln!(out, "\nstones  most       positions  {name}")?;
        for survey in surveys {
            let extreme = part(survey);
            let Some(example) = written(extreme.example) else {
                continue;
            };
            let (stones, amount) = (survey.stones, extreme.amount);
            let count = extreme.positions.all;
            writeln!(out, "{stones:>6}  {amount:>4}  {count:>14}  {example}")?;
        }
    }
    writeln!(out, "\nstones      open lines  refused capture")?;
    for survey in surveys {
        let example = written(survey.refused_capture);
        let (stones, open) = (survey.stones, survey.open_lines.all);
        let example = example.as_deref().unwrap_or("none");
        writeln!(out, "{stones:>6}  {open:>14}  {example}")?;
    }
    Ok(())
}

/// A survey as the help documents it.
#[derive(Serialize)]
struct Json<'a> {
    layers: &'a [LayerSurvey],
}
