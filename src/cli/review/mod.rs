//! `gothello review`.

mod cache;
mod files;
mod report;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use self::cache::Cache;
use self::files::{Files, LoadedGame, Source, read, sources};
use self::report::{Report, Summary};
use super::Run;
use super::search::{
    ProgressLine, interrupt_flag, mebibytes, solver, thread_count, threads_or_all_cores,
};
use super::tablebase_options::TablebaseArguments;
use super::values::number;
use crate::base::counted::counted;
use crate::cli::output::{Output, stop_when_unread};
use crate::solving::review::{BestMoves, Evaluator, Review};
use crate::solving::solver::Control;

/// Find out what each move of a game cost
///
/// Reads games of Gothello from SGF files. If a path is a folder, it reads all files in it and
/// in the folders below whose names end with .sgf, such as the folder --state of `gothello netref`.
/// If it is the results.jsonl of such a folder, it reads the records of the matches in it. The games
/// of a file with several are named by their numbers, as in games.sgf:2. Of a game, the main line
/// counts.
///
/// The value of a position is the score under best play by both. A perfect move keeps it; a
/// mistake loses stones, and a blunder loses the result, too: a won game is no longer won, or
/// a draw is lost. The value at the start, less what Black lost, plus what White lost, is
/// the score; if the game is not over, the value of its last position.
///
/// A table has a line for each ply: the move, the value after it, the stones that it lost,
/// with ! if it is a blunder, and all moves that would have kept the value. Several games are
/// followed by a table of the players: the share of perfect moves and of moves that kept the
/// result, the stones lost in a game, the games without a mistake, and the median ply of the
/// first mistake and of the first blunder. The last line, for all players, counts each game
/// twice: once for either player.
///
/// Of a file with an illegal move, the moves before it are reviewed, and a warning says what is left
/// out. A file that is not a game of Gothello, or a folder that cannot be read, is named on
/// standard error, and the others are reviewed; the exit code is 1 in the end. A file that is
/// given twice, as by its folder and its name, or by a link, is reviewed once. The path - is
/// standard input.
///
/// With --json each game is an object on a line: "file"; "black", "white" and "result" as
/// the file has them; "over"; "start" and "end", the values; "changed_by_set_up", what
/// positions that were set up later changed for Black; "plies", each with "ply", "color",
/// "move", "position" before it, "before" and "after", the values, "lost", "judgment"
/// (perfect, mistake, blunder) and "best_moves", which are null if nothing was lost;
/// "players", with "black" and "white", each with "moves", "perfect", "kept_result", "lost",
/// "first_mistake" and "first_blunder". The last of several lines has "games", "players" and
/// "all", with the shares and medians of the table.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello review game.sgf\n  \
    gothello review --sgf game.sgf > annotated.sgf\n  \
    gothello review --summary --tournament 1 course\n  \
    curl -s https://example.org/game.sgf | gothello review -\n  \
    gothello review --summary --cache values.cache matches/")]
pub(super) struct Arguments {
    /// SGF files, folders with SGF files, results.jsonl of a referee, or - for standard input
    #[arg(required = true, value_name = "GAME")]
    paths: Vec<PathBuf>,
    /// Of the folder of a referee, or its results.jsonl, review only the matches that count in the
    /// tournament with this number, which is that of its file: 1 is tournament-0001.jsonl
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    tournament: Option<u32>,
    /// Print the files themselves, with the values and marks as notes on the moves
    #[arg(long, conflicts_with_all = ["json", "summary"], help_heading = "Output")]
    sgf: bool,
    /// Print JSON, a line for each game
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Print only the table of the players, which is less work
    #[arg(long, help_heading = "Output")]
    summary: bool,
    /// Threads; if there are more games than threads, each has a game of its own [default:
    /// all cores]
    #[arg(long, value_name = "N", value_parser = thread_count, help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MiB
    #[arg(
        long, value_name = "MiB", default_value = "256", value_parser = mebibytes,
        help_heading = "Search"
    )]
    hash: NonZeroUsize,
    /// File that keeps what is found for the next time; it is created if need be
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    cache: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Search")]
    tablebase: TablebaseArguments,
}

/// The games for each thread that may be reviewed before the first of them is written.
const AHEAD: usize = 16;

/// The longest wait before an interruption is looked for, and before progress is shown.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Table,
    Sgf,
    Json,
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        let threads = threads_or_all_cores(self.threads);
        let tablebase = self.tablebase.choose()?.map(|read| read());
        let evaluator = Evaluator::new(solver(self.hash.get(), threads, tablebase)?);
        let cache = match &self.cache {
            Some(path) => {
                let cache = Cache::open(path, &evaluator);
                Some(cache.with_context(|| format!("--cache {}", path.display()))?)
            }
            None => None,
        };
        let (games, failed) = self.games();
        // With few games, all threads search for each.
        let (at_once, threads) = match games.len() < threads {
            true => (1, threads),
            false => (threads, 1),
        };
        let stop = interrupt_flag()?;
        stop_when_unread(&stop)?;
        let job = Job {
            games: &games,
            evaluator: &evaluator,
            best_moves: match self.summary {
                true => BestMoves::Unknown,
                false => BestMoves::OfMistakes,
            },
            threads,
            next: AtomicUsize::new(0),
            written: Written::default(),
            ahead: at_once.saturating_mul(AHEAD),
            stop: &stop,
        };
        let mut printer = Printer {
            out: BufWriter::new(Output::lock()),
            format: match (self.sgf, self.json) {
                (true, _) => Format::Sgf,
                (false, true) => Format::Json,
                (false, false) => Format::Table,
            },
            only_summary: self.summary,
            summary: Summary::default(),
            cache,
            failed,
        };
        let result = job.run(at_once, &mut printer);
        if let Some(cache) = &mut printer.cache {
            cache.write(&evaluator, true);
        }
        result?;
        printer.finish(games.len())
    }
}

impl Arguments {
    /// Returns the games in the files, and the number of paths without games.
    fn games(&self) -> (Vec<Source>, usize) {
        let mut failed = 0;
        let mut files = Files::of_tournament(self.tournament);
        for path in &self.paths {
            files.add(path, |place, why| {
                failed += 1;
                tell(place, &why);
            });
        }
        let mut games = Vec::new();
        for path in files.found {
            let name = path.display().to_string();
            match sources(path) {
                Ok(found) => games.extend(found),
                Err(why) => {
                    failed += 1;
                    tell(name, &why);
                }
            }
        }
        (games, failed)
    }
}

/// Says on standard error what is wrong with a file.
fn tell(file: impl Display, why: &anyhow::Error) {
    // An error that cannot be written changes nothing.
    let _ = writeln!(io::stderr(), "{file}: {why}");
}

/// A game, or why there is none.
type Reviewed = Result<Box<Report>>;

/// The games that threads review side by side.
struct Job<'a> {
    games: &'a [Source],
    evaluator: &'a Evaluator,
    best_moves: BestMoves,
    /// The threads for one game.
    threads: usize,
    /// The index of the next game.
    next: AtomicUsize,
    written: Written,
    /// How many games may be read that are not written.
    ahead: usize,
    stop: &'a AtomicBool,
}

/// The number of games whose reviews are written.
#[derive(Default)]
struct Written {
    count: Mutex<usize>,
    has_grown: Condvar,
}

impl Written {
    fn set(&self, count: usize) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) = count;
        self.has_grown.notify_all();
    }

    /// Waits until more games than this are written; returns false if `stop` is set before.
    fn wait_for_more_than(&self, count: usize, stop: &AtomicBool) -> bool {
        let mut written = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        while *written <= count {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            let woken = self.has_grown.wait_timeout(written, POLL_INTERVAL);
            (written, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
        true
    }
}

impl Job<'_> {
    /// Reviews all games, this many side by side, and writes them in their order.
    fn run(&self, at_once: usize, printer: &mut Printer) -> Result<()> {
        let (sender, reviewed) = sync_channel(self.ahead);
        thread::scope(|scope| {
            for _ in 0..at_once {
                let sender = sender.clone();
                thread::Builder::new()
                    .name("review".into())
                    .spawn_scoped(scope, move || {
                        while let Some((index, reviewed)) = self.review_next() {
                            // The receiver is gone if the output is closed.
                            if sender.send((index, reviewed)).is_err() {
                                return;
                            }
                        }
                    })?;
            }
            drop(sender);
            let printed = self.print(&reviewed, printer);
            drop(reviewed);
            // The other threads need not finish their games.
            self.stop.store(true, Ordering::Relaxed);
            let printed = printed?;
            let rest = self.games.get(printed..).unwrap_or_default();
            if !rest.is_empty() && !printer.out.get_ref().is_closed() {
                bail!("interrupted after {}", counted(printed, "game"));
            }
            // Nobody reads the other reviews: whether they are games decides the exit code, and no
            // position is searched for that.
            for source in rest {
                if let Err(why) = read(source) {
                    printer.print(Some(source), Err(why))?;
                }
            }
            Ok(())
        })
    }

    /// Reviews the next game; `None` if there is none, or it was interrupted.
    fn review_next(&self) -> Option<(usize, Reviewed)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let source = self.games.get(index)?;
        if let Some(before) = index.checked_sub(self.ahead)
            && !self.written.wait_for_more_than(before, self.stop)
        {
            return None;
        }
        let record = match read(source) {
            Ok(record) => record,
            Err(why) => return Some((index, Err(why))),
        };
        let review = self.review(&record)?;
        let file = source.to_string();
        let report = Report {
            file,
            record,
            review,
        };
        Some((index, Ok(Box::new(report))))
    }

    fn review(&self, record: &LoadedGame) -> Option<Review> {
        let mut review = Review::new(&record.game);
        let control = Control::until(self.stop);
        let is_complete =
            self.evaluator
                .evaluate(&mut review, self.best_moves, self.threads, &control);
        is_complete.then_some(review)
    }

    /// Prints reviews in the order of the games, until nobody reads them. Returns how many were
    /// printed.
    fn print(
        &self,
        reviewed: &Receiver<(usize, Reviewed)>,
        printer: &mut Printer,
    ) -> Result<usize> {
        let line = ProgressLine::new();
        let started = Instant::now();
        let mut waiting = BTreeMap::new();
        let mut written = 0;
        loop {
            match reviewed.recv_timeout(POLL_INTERVAL) {
                Ok((index, review)) => {
                    waiting.insert(index, review);
                }
                // The first game may take long: what is done is shown all the same.
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(review) = waiting.remove(&written) {
                if printer.prints(&review) {
                    line.clear();
                }
                printer.print(self.games.get(written), review)?;
                if let Some(cache) = &mut printer.cache {
                    cache.write(self.evaluator, false);
                }
                written += 1;
                self.written.set(written);
                if printer.out.get_ref().is_closed() {
                    return Ok(written);
                }
            }
            let seconds = started.elapsed().as_secs_f64();
            line.show(|| {
                // Some wait for one before them, which is printed first.
                let done = written + waiting.len();
                let all = counted(self.games.len(), "game");
                format!("{done} of {all}, {:.1} games/s", done as f64 / seconds)
            });
        }
        line.clear();
        printer.out.flush()?;
        Ok(written)
    }
}

/// Writes reviews.
struct Printer {
    out: BufWriter<Output>,
    format: Format,
    only_summary: bool,
    summary: Summary,
    cache: Option<Cache>,
    /// The number of games, files and folders that could not be reviewed.
    failed: usize,
}

impl Printer {
    /// Returns whether something is printed for a game, and not only in the summary.
    fn prints(&self, reviewed: &Reviewed) -> bool {
        !self.only_summary || !matches!(reviewed, Ok(report) if report.record.left_out.is_empty())
    }

    fn print(&mut self, source: Option<&Source>, reviewed: Reviewed) -> Result<()> {
        let report = match reviewed {
            Ok(report) => report,
            Err(why) => {
                self.failed += 1;
                source.inspect(|source| tell(source, &why));
                return Ok(());
            }
        };
        for left_out in &report.record.left_out {
            // A warning that cannot be written changes nothing.
            let _ = writeln!(io::stderr(), "warning: {}: {left_out}", report.file);
        }
        match (self.only_summary, self.format) {
            (true, _) => {}
            (_, Format::Table) => {
                if self.summary.games() > 0 {
                    writeln!(self.out)?;
                }
                report.write_table(&mut self.out)?;
            }
            (_, Format::Json) => report.write_json(&mut self.out)?,
            (_, Format::Sgf) => report.write_sgf(&mut self.out)?,
        }
        self.summary.add(&report);
        Ok(self.out.flush()?)
    }

    /// Writes the summary of several games.
    fn finish(&mut self, games: usize) -> Result<()> {
        if self.summary.games() > 0 && (games > 1 || self.only_summary) {
            match self.format {
                Format::Table => {
                    if !self.only_summary {
                        writeln!(self.out)?;
                    }
                    self.summary.write_table(&mut self.out)?;
                }
                Format::Json => self.summary.write_json(&mut self.out)?,
                Format::Sgf => {}
            }
            self.out.flush()?;
        }
        match self.failed {
            0 => Ok(()),
            1 => bail!("1 game, file or folder could not be reviewed"),
            failed => bail!("{failed} games, files or folders could not be reviewed"),
        }
    }
}
