//! `gothello book`.

use std::fs::File;
use std::io::{self, Read, Write, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use itertools::Itertools;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::search::{ProgressLine, interrupt_flag, solver, threads_or_all_cores};
use super::values::{at_least, mebibytes, number, thread_count};
use crate::gothello::{Color, Outcome, Position};
use crate::journal::{Journal, write_whole};
use crate::solver::book::{Book, BuildEvent, BuildProgress, Entry, build, verify_entry};
use crate::solver::{Control, Solver};

/// Build, describe, or check a book of exact values
///
/// A book has the exact value and a best move of every position with few stones that
/// can be reached if one side, of either color, always makes the book's move and the
/// other side any move.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello book info\n  \
    gothello book verify --sample 20\n  \
    gothello book build --stones 3 /tmp/small.book")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(Build),
    Info(Info),
    Verify(Verify),
}

/// Build a book
///
/// Each entry is written to FILE.partial at once. After Ctrl-C, or any other
/// interruption, the same command continues where it was. Entries of the built-in book,
/// and of FILE if it exists, are taken over: the same command with a larger number of
/// stones extends a book. The engine uses it with `gothello --book FILE`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book build --stones 3 /tmp/small.book")]
struct Build {
    /// Most stones on the board, 0 to 24
    #[arg(long, value_name = "N", value_parser = number(0..=24u32), default_value_t = 6)]
    stones: u32,
    /// Search threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MiB
    #[arg(long, value_name = "MiB", value_parser = mebibytes, default_value = "1024")]
    hash: NonZeroUsize,
    /// File to write
    file: PathBuf,
}

/// Describe a book
///
/// Prints up to how many stones it is complete, and the number of positions with each
/// number of stones.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book info")]
struct Info {
    /// Book [default: the built-in book]
    file: Option<PathBuf>,
}

/// Check that a book is complete and consistent, and solve some entries again
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book verify --sample 20 --seed 7")]
struct Verify {
    /// Book [default: the built-in book]
    file: Option<PathBuf>,
    /// Number of random entries to solve again
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number(0..=1_000_000_000usize))]
    sample: usize,
    /// Seed of the random choice: the same seed chooses the same entries
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least(0))]
    seed: u64,
    /// Search threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MiB
    #[arg(long, value_name = "MiB", value_parser = mebibytes, default_value = "1024")]
    hash: NonZeroUsize,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::Build(arguments) => arguments.run(),
        Command::Info(arguments) => arguments.run(),
        Command::Verify(arguments) => arguments.run(),
    }
}

/// Returns a number with a noun, in the plural if it is not 1.
fn counted(number: usize, name: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {name}{plural}")
}

/// Returns a number of stones, in words.
fn stones(number: u32) -> String {
    counted(number as usize, "stone")
}

/// The largest file that is read, in bytes.
const MAX_SIZE: u64 = 1 << 30;

/// Reads the book in a file, or returns the built-in one; every entry is checked.
fn book_of(file: Option<&Path>) -> Result<Book> {
    match file {
        None => {
            let book = Book::built_in();
            book.check()?;
            Ok(book.clone())
        }
        Some(path) => read(path),
    }
}

/// Reads the book in a file, and checks every entry.
pub(super) fn read(path: &Path) -> Result<Book> {
    let name = path.display();
    let bytes = read_bytes(path).with_context(|| format!("{name} cannot be read"))?;
    let book = Book::from_bytes(bytes).and_then(|book| book.check().map(|()| book));
    book.with_context(|| format!("{name} cannot be used"))
}

/// Reads a file; only its first bytes if these are not a book's.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    (&file).take(8).read_to_end(&mut bytes)?;
    if Book::has_magic(&bytes) {
        file.take(MAX_SIZE).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

impl Info {
    fn run(&self) -> Result<()> {
        let book = book_of(self.file.as_deref())?;
        let mut out = stdout().lock();
        writeln!(out, "complete up to {}", stones(book.stones()))?;
        writeln!(
            out,
            "{}, {} bytes",
            counted(book.len(), "position"),
            book.to_bytes().len()
        )?;
        let number = |entry: Entry| {
            entry
                .position()
                .map_or(0, |position| position.stones().count())
        };
        for (number, count) in book.entries().map(number).counts().into_iter().sorted() {
            writeln!(out, "  with {}: {count}", stones(number))?;
        }
        if let Some((value, best)) = book.look_up(&Position::START) {
            writeln!(
                out,
                "the empty board: {}, first move {best}",
                Outcome::from_lead(Color::Black, value)
            )?;
        }
        Ok(())
    }
}

impl Verify {
    fn run(&self) -> Result<()> {
        let book = book_of(self.file.as_deref())?;
        let mut out = stdout().lock();
        let number = counted(book.len(), "position");
        writeln!(out, "the book is whole, with {number}")?;
        let up_to = stones(book.stones());
        if let Some(position) = book.missing(&Position::START).next() {
            bail!("the book is not complete up to {up_to}: {position} is missing");
        }
        writeln!(out, "no position with up to {up_to} is missing")?;
        if let Some(fault) = book.contradictions().next() {
            return Err(fault.into());
        }
        writeln!(out, "no entry contradicts another")?;
        out.flush()?;
        let mut random = StdRng::seed_from_u64(self.seed);
        let sample = book.entries().sample(&mut random, self.sample);
        if !sample.is_empty() {
            self.solve(&sample)?;
            let number = counted(sample.len(), "position");
            writeln!(out, "{number} solved again: every value and move is right")?;
        }
        Ok(())
    }

    /// Solves some entries again.
    fn solve(&self, sample: &[Entry]) -> Result<()> {
        let stop = interrupt_flag()?;
        let solver = solver(self.hash.get(), threads_or_all_cores(self.threads))?;
        let (line, started) = (ProgressLine::new(), Instant::now());
        for (number, entry) in sample.iter().enumerate() {
            let done = format!("{number} of {} positions", sample.len());
            let shown = || format!("{done} solved again, {} s", started.elapsed().as_secs());
            let verified = verify_entry(
                entry,
                &solver,
                &Control {
                    on_progress: &|_| line.show(shown),
                    ..Control::until(&stop)
                },
            );
            line.clear();
            match verified {
                None => bail!("interrupted after {done}"),
                Some(result) => result?,
            }
        }
        Ok(())
    }
}

impl Build {
    fn run(&self) -> Result<()> {
        // An older book is checked before anything is written.
        let older = match self.file.exists() {
            true => Some(read(&self.file)?),
            false => None,
        };
        let name = self.file.display();
        if let Some(older) = older.as_ref().filter(|older| older.stones() > self.stones) {
            bail!(
                "{name} is complete up to {} already: give another file for a smaller book",
                stones(older.stones())
            );
        }
        let stop = interrupt_flag()?;
        let threads = threads_or_all_cores(self.threads);
        let solver = solver(self.hash.get(), threads)?;
        let mut partial = Partial::open(&self.file)?;
        let known = older.iter().flat_map(Book::entries);
        let known = known.chain(partial.entries.clone());
        // Of two entries for a position the later one wins.
        let known = known.chain(Book::built_in().entries()).collect_vec();
        let started = Instant::now();
        let book = self.build(&solver, threads, &stop, known, |entry| partial.add(entry));
        let path = partial.journal.path().display().to_string();
        let Some(book) = book.with_context(|| format!("{path} cannot be written"))? else {
            bail!(
                "interrupted: the results so far are in {path}, and the same command continues \
                 from there"
            );
        };
        if let Some(fault) = book.contradictions().next() {
            bail!("{fault}; delete {path} and {name}, one of which is damaged");
        }
        write_whole(&self.file, &book.to_bytes())
            .with_context(|| format!("{name} cannot be written"))?;
        partial.discard(&book);
        writeln!(
            stdout(),
            "{name}: {} with up to {}, {:.1} s",
            counted(book.len(), "position"),
            stones(book.stones()),
            started.elapsed().as_secs_f64()
        )?;
        Ok(())
    }

    /// Builds the book and shows the progress; `None` if it was interrupted.
    fn build(
        &self,
        solver: &Solver,
        threads: usize,
        stop: &AtomicBool,
        known: Vec<Entry>,
        mut keep: impl FnMut(Entry) -> io::Result<()>,
    ) -> io::Result<Option<Book>> {
        let (line, started) = (ProgressLine::new(), Instant::now());
        let state = Mutex::new(String::new());
        let show = || {
            let state = state.lock().map(|state| state.clone());
            let seconds = started.elapsed().as_secs();
            format!("{}, {seconds} s", state.unwrap_or_default())
        };
        // One position may take minutes: the seconds show that the search continues.
        let control = Control {
            on_progress: &|_| line.show(show),
            ..Control::until(stop)
        };
        let tell = |event, progress| {
            if let Ok(mut state) = state.lock() {
                *state = shown(progress);
            }
            match event {
                BuildEvent::LayerStarted => Ok(()),
                BuildEvent::EntryFound(entry) => keep(entry),
            }
        };
        let start = Position::START;
        let book = build(&start, self.stones, solver, threads, &control, known, tell);
        line.clear();
        book
    }
}

fn shown(progress: BuildProgress) -> String {
    let BuildProgress {
        stones,
        total,
        solved,
    } = progress;
    format!("{}: {solved} of {total} solved", self::stones(stones))
}

/// The file of entries that are found before the book is complete.
struct Partial {
    journal: Journal<u64>,
    /// The entries of earlier runs.
    entries: Vec<Entry>,
}

impl Partial {
    /// Opens the file beside a book that is to be built, or creates it.
    fn open(book: &Path) -> Result<Partial> {
        let mut name = book.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        let shown = path.display();
        if !path.exists() {
            let journal = Journal::create(&path);
            return Ok(Partial {
                journal: journal.with_context(|| format!("{shown} cannot be written"))?,
                entries: Vec::new(),
            });
        }
        if !is_journal(&path).with_context(|| format!("{shown} cannot be read"))? {
            bail!("{shown} is no book that is being built: move it away, or build another file");
        }
        let found = Journal::open(&path)?;
        let entries = found.entries.into_iter().map(Entry::from_bits);
        let entries = entries.collect::<Result<_, _>>().map_err(|why| {
            anyhow!("{shown} has an entry that cannot be: {why}; delete it, or build another file")
        })?;
        Ok(Partial {
            journal: found.journal,
            entries,
        })
    }

    fn add(&mut self, entry: Entry) -> io::Result<()> {
        self.journal.append(&[entry.to_bits()])
    }

    /// Deletes the file, unless it has entries that the book does not have: then a larger
    /// book was being built.
    fn discard(self, book: &Book) {
        if self
            .entries
            .iter()
            .all(|entry| book.entry(entry.key).is_some())
        {
            // A file that cannot be deleted does no harm.
            let _ = self.journal.remove();
        }
    }
}

/// Returns whether a file is empty or begins with a checksum, as a journal does.
fn is_journal(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(9).read_to_end(&mut start)?;
    let digits = start.iter().take(8).all(u8::is_ascii_hexdigit);
    Ok(digits && start.get(8).is_none_or(|&byte| byte == b' '))
}
