//! `gothello review`.

mod cache;
mod report;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::num::NonZeroUsize;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use self::cache::Cache;
use self::report::{Report, Summary};
use super::Run;
use super::search::{
    ProgressLine, interrupt_flag, mebibytes, solver, thread_count, threads_or_all_cores,
};
use super::tablebase_options::TablebaseArguments;
use super::values::number;
use crate::base::color::ByColor;
use crate::base::counted::counted;
use crate::base::names::breaks_line;
use crate::cli::files::{FileError, is_stdin, read_file, read_file_or_stdin};
use crate::cli::output::{Output, stop_when_unread};
use crate::contests::results::{BadLine, RECORDS, RESULTS, latest, read_lines};
use crate::games::awari;
use crate::games::game::Game as _;
use crate::games::gothello::Game;
use crate::games::sgf::{self, GameText, GameTree, LeftOut, Place, games};
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
        let mut files = Files {
            tournament: self.tournament,
            ..Files::default()
        };
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

/// The largest file in bytes; a line of results has some 500.
const MAX_SIZE: u64 = sgf::MAX_FILE_BYTES as u64;

/// A game from a file.
#[derive(Debug)]
struct LoadedGame {
    pub tree: GameTree,
    pub game: Game,
    /// What is left out of the file.
    pub left_out: Vec<LeftOut>,
    pub players: ByColor<Option<String>>,
    /// The result that the file names.
    pub result: Option<String>,
}

/// The files with games. A file to which several paths lead is in it once.
#[derive(Debug, Default)]
struct Files {
    found: Vec<PathBuf>,
    /// The identities of the files found so far.
    known: HashSet<Identity>,
    /// The number of the tournament whose matches count, which results tell; all games
    /// count if `None`.
    tournament: Option<u32>,
}

impl Files {
    /// Adds the files at a path: the path itself; if it is a folder, all SGF files in it and
    /// the folders below, in the order of their names; if it is the results of a referee, the
    /// records of its matches; for `-`, standard input. `tell` is called with each place that has no such files or
    /// cannot be read.
    pub fn add(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error)) {
        let no_results =
            || anyhow!("has no {RESULTS} of a referee, which --tournament needs: name its folder");
        match self.tournament {
            Some(_) if is_stdin(path) => return tell(&path.display(), no_results()),
            None if is_stdin(path) => return self.add_file(path.to_owned()),
            _ => {}
        }
        let results = match path.is_dir() && self.tournament.is_some() {
            true => path.join(RESULTS),
            false => path.to_owned(),
        };
        match fs::metadata(path) {
            Err(why) => tell(&path.display(), unreadable(why)),
            Ok(_) if has_extension(&results, "jsonl") && results.exists() => {
                if let Err(why) = self.add_results(&results, &mut tell) {
                    tell(&results.display(), why);
                }
            }
            Ok(_) if self.tournament.is_some() => tell(&path.display(), no_results()),
            Ok(found) if found.is_dir() => self.add_folder(path, tell),
            Ok(_) => self.add_file(path.to_owned()),
        }
    }

    fn add_folder(&mut self, path: &Path, mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error)) {
        let mut files = Vec::new();
        let mut folders = vec![path.to_owned()];
        let mut is_whole = true;
        while let Some(folder) = folders.pop() {
            if let Err(why) = list(&folder, &mut files, &mut folders) {
                is_whole = false;
                tell(&folder.display(), unreadable(why));
            }
        }
        if files.is_empty() && is_whole {
            tell(
                &path.display(),
                anyhow!("has no file whose name ends with .sgf"),
            );
        }
        files.sort();
        files.into_iter().for_each(|file| self.add_file(file));
    }

    fn add_results(
        &mut self,
        path: &Path,
        mut tell: impl FnMut(&dyn fmt::Display, anyhow::Error),
    ) -> Result<()> {
        let bytes = read_file(path, MAX_SIZE).map_err(unreadable)?;
        let mut lines = Vec::new();
        let mut is_empty = true;
        for read in read_lines(bytes.as_slice()) {
            match read? {
                Ok(line) => lines.push(line),
                Err(BadLine { line, why }) => {
                    is_empty = false;
                    tell(&format_args!("{}, line {line}", path.display()), why.into());
                }
            }
        }
        for result in latest(lines) {
            let is_wanted = |wanted| result.counts_in(wanted);
            let record = path.with_file_name(RECORDS).join(&result.record);
            let why = if result.game != Game::NAME {
                anyhow!("is a game of {}, not of {}", result.game, Game::NAME)
            } else if !self.tournament.is_none_or(is_wanted) {
                // A match without a result was played again.
                continue;
            } else {
                match fs::metadata(&record) {
                    Ok(_) => {
                        is_empty = false;
                        self.add_file(record);
                        continue;
                    }
                    Err(why) => anyhow!("the record {} cannot be read: {why}", result.record),
                }
            };
            is_empty = false;
            tell(
                &format_args!("{}, line {}", path.display(), result.number),
                why,
            );
        }
        match self.tournament {
            Some(tournament) if is_empty => bail!("has no match of tournament {tournament}"),
            None if is_empty => bail!("has no matches"),
            _ => Ok(()),
        }
    }

    fn add_file(&mut self, path: PathBuf) {
        let is_new = match is_stdin(&path) {
            true => !self.found.contains(&path),
            // A link that leads nowhere is reported when it is read.
            false => identity(&path).is_none_or(|identity| self.known.insert(identity)),
        };
        if is_new {
            self.found.push(path);
        }
    }
}

/// Identifies a file, whatever paths and links lead to it: the file system and the number there.
#[cfg(unix)]
type Identity = (u64, u64);

/// Identifies a file: the path without links and dots.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}

/// Adds the SGF files and the folders in a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>, folders: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a folder may lead back here, and is not followed.
        if entry.file_type()?.is_dir() {
            folders.push(path);
        } else if has_extension(&path, "sgf") {
            files.push(path);
        }
    }
    Ok(())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Where a game is.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    /// Its number, if the file has several games.
    number: Option<usize>,
    /// Its text, if the file has several games, or is a pipe, which can be read only once.
    text: Option<String>,
    /// Where it begins in the file.
    begins: Place,
}

/// The file, and the number of the game if the file has several: `games.sgf:2`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)?;
        match self.number {
            Some(number) => write!(f, ":{number}"),
            None => Ok(()),
        }
    }
}

/// Returns the places of the games in a file.
///
/// # Errors
/// It cannot be read.
fn sources(path: PathBuf) -> Result<Vec<Source>> {
    let text = read_text(&path)?;
    let several = match games(&text)[..] {
        [_] => Vec::new(),
        ref several => several.to_vec(),
    };
    if several.is_empty() {
        let text = (!path.is_file()).then_some(text);
        return Ok(vec![Source {
            path,
            number: None,
            text,
            begins: Place::START,
        }]);
    }
    let source = |(number, game): (usize, GameText<'_>)| Source {
        path: path.clone(),
        number: Some(number),
        text: Some(game.text.to_owned()),
        begins: game.begins,
    };
    Ok((1..).zip(several).map(source).collect())
}

fn read_text(path: &Path) -> Result<String> {
    let bytes = read_file_or_stdin(path, MAX_SIZE).map_err(unreadable)?;
    Ok(sgf::decode(&bytes))
}

/// Returns the error about a file or folder that cannot be read.
fn unreadable(why: impl Display) -> anyhow::Error {
    anyhow!("cannot be read: {why}")
}

/// Reads a game.
fn read(source: &Source) -> Result<LoadedGame> {
    let text = match &source.text {
        Some(text) => text.clone(),
        None => read_text(&source.path)?,
    };
    if text.len() > sgf::MAX_BYTES {
        return Err(unreadable(FileError::TooLarge(sgf::MAX_BYTES as u64)));
    }
    if awari::is_record(&text) {
        bail!("is a game of Awari, which has no exact values to review; gothello play shows it");
    }
    let (tree, left_out) =
        GameTree::read_main_line(&text).map_err(|why| why.in_file(source.begins))?;
    let left_out = left_out
        .into_iter()
        .map(|left_out| left_out.in_file(source.begins));
    let header = |name| tree.record().header(name).map(|value| printable(&value));
    let (players, result) = (ByColor::new(header("PB"), header("PW")), header("RE"));
    Ok(LoadedGame {
        game: tree.game(usize::MAX),
        left_out: left_out.collect(),
        players,
        result,
        tree,
    })
}

/// Returns a text without characters that would break its line.
fn printable(text: &str) -> String {
    let shown = |letter| if breaks_line(letter) { ' ' } else { letter };
    text.chars().map(shown).collect()
}
