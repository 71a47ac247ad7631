//! `gothello book`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use itertools::Itertools;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::interrupt::interrupted;
use super::meter::Meter;
use super::resources::{parse_megabytes, parse_threads, solver, threads};
use crate::gothello::{Outcome, Position};
use crate::journal::write_whole;
use crate::solver::Control;
use crate::solver::book::{Book, Building, Entry, News, build, verify};

/// Build, describe or check a book of exact values
///
/// A book has the exact value and a best move of every position with few stones
/// that can arise when one side, of either colour, always makes the book's move
/// and the other side whatever it likes.
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
/// What is found is written to FILE.partial at once. After an interruption (by
/// Ctrl-C, or by anything) the same command goes on where it was. What a FILE
/// that is there already holds, and the built-in book, is taken over: the same
/// command with a larger number of stones extends a book.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book build --stones 3 /tmp/small.book")]
struct Build {
    /// The positions with up to so many stones, 0 to 24
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=24), default_value_t = 6)]
    stones: u32,
    /// Search with so many threads; as many as the machine has cores without
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Remember positions in so much memory
    #[arg(long, value_name = "MB", value_parser = parse_megabytes, default_value = "1024")]
    hash: NonZeroUsize,
    /// The file to write
    file: PathBuf,
}

/// Tell what is in a book
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book info")]
struct Info {
    /// A book; the one that is built into the program without
    file: Option<PathBuf>,
}

/// Check a book: whether it is whole, and some of its entries by solving them
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gothello book verify --sample 20 --seed 7")]
struct Verify {
    /// A book; the one that is built into the program without
    file: Option<PathBuf>,
    /// Solve so many entries anew, those with the most stones as likely as any
    #[arg(long, value_name = "N", default_value_t = 10)]
    sample: usize,
    /// Which ones: the same number chooses the same entries
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Search with so many threads; as many as the machine has cores without
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Remember positions in so much memory
    #[arg(long, value_name = "MB", value_parser = parse_megabytes, default_value = "1024")]
    hash: NonZeroUsize,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::Build(arguments) => arguments.run(),
        Command::Info(arguments) => arguments.run(),
        Command::Verify(arguments) => arguments.run(),
    }
}

/// A number of things, of which one is called by this name.
fn counted(number: usize, name: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {name}{plural}")
}

/// A number of stones.
fn stones(number: u32) -> String {
    counted(number as usize, "stone")
}

/// The book in a file, or the one in the program.
fn read(file: Option<&Path>) -> Result<Book> {
    match file {
        None => Ok(Book::built_in().clone()),
        Some(path) => {
            let name = path.display();
            let bytes = fs::read(path).with_context(|| format!("{name} cannot be read"))?;
            Book::new(bytes).with_context(|| format!("{name} cannot be used"))
        }
    }
}

impl Info {
    fn run(&self) -> Result<()> {
        let book = read(self.file.as_deref())?;
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
                Outcome::by(value)
            )?;
        }
        Ok(())
    }
}

impl Verify {
    fn run(&self) -> Result<()> {
        let book = read(self.file.as_deref())?;
        let mut out = stdout().lock();
        book.check()?;
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
            writeln!(out, "{number} solved anew: every value and move is right")?;
        }
        Ok(())
    }

    /// Solves some entries anew.
    fn solve(&self, sample: &[Entry]) -> Result<()> {
        let stop = interrupted()?;
        let control = Control::until(&stop);
        let solver = solver(self.hash.get(), threads(self.threads))?;
        for (number, entry) in sample.iter().enumerate() {
            match verify(entry, &solver, &control) {
                None => bail!("interrupted after {number} of {} positions", sample.len()),
                Some(result) => result?,
            }
        }
        Ok(())
    }
}

impl Build {
    fn run(&self) -> Result<()> {
        let mut partial = Partial::open(&self.file)?;
        let stop = interrupted()?;
        let threads = threads(self.threads);
        let solver = solver(self.hash.get(), threads)?;
        let meter = Meter::new();
        let state = Mutex::new(String::new());
        let started = Instant::now();
        let show = || {
            let state = state.lock().map(|state| state.clone());
            format!(
                "{}, {} s",
                state.unwrap_or_default(),
                started.elapsed().as_secs()
            )
        };
        // One position may take minutes: the seconds show that it goes on.
        let control = Control {
            watch: &|_| meter.show(show),
            ..Control::until(&stop)
        };
        // Of two entries of a position the later one counts.
        let mut known = Vec::new();
        if self.file.exists() {
            let book = read(Some(&self.file))?;
            book.check()?;
            known.extend(book.entries());
        }
        known.append(&mut partial.entries);
        known.extend(Book::built_in().entries());
        let book = build(
            &Position::START,
            self.stones,
            &solver,
            threads,
            &control,
            known,
            |news, building| {
                if let Ok(mut state) = state.lock() {
                    *state = shown(building);
                }
                match news {
                    News::Begun => Ok(()),
                    News::Found(entry) => partial.add(entry),
                }
            },
        );
        meter.clear();
        let name = partial.path.display().to_string();
        let Some(book) = book.with_context(|| format!("{name} cannot be written"))? else {
            bail!(
                "interrupted: what was found is in {name}, and the same command goes on from there"
            );
        };
        write_whole(&self.file, &book.to_bytes())
            .with_context(|| format!("{} cannot be written", self.file.display()))?;
        // It is of no use any more; that it stays does no harm.
        let _ = fs::remove_file(&partial.path);
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            stdout(),
            "{}: {} with up to {}, {seconds:.1} s",
            self.file.display(),
            counted(book.len(), "position"),
            stones(book.stones())
        )?;
        Ok(())
    }
}

fn shown(building: Building) -> String {
    let Building {
        stones,
        all,
        solved,
    } = building;
    format!(
        "positions with {}: {solved} of {all} solved",
        self::stones(stones)
    )
}

/// Entries that were found before the book is complete: after [`PARTIAL`], 8
/// bytes each, as in the book, in any order.
struct Partial {
    path: PathBuf,
    file: File,
    /// Those of earlier runs.
    entries: Vec<Entry>,
    synced: Instant,
}

/// How a file of such entries begins.
const PARTIAL: &[u8; 8] = b"gothpart";

/// How much work may be lost when the power fails.
const SYNC_INTERVAL: Duration = Duration::from_secs(10);

impl Partial {
    /// The entries beside a book that is to be. What a crash has left torn at
    /// the end is cut off.
    fn open(book: &Path) -> Result<Partial> {
        let mut name = book.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        let shown = path.display().to_string();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            result => result.with_context(|| format!("{shown} cannot be read"))?,
        };
        // A crash may have left only a part of the beginning, too.
        if !bytes.starts_with(PARTIAL) && !PARTIAL.starts_with(&bytes) {
            bail!("{shown} is no book that is being built: move it away, or build another file");
        }
        let (whole, _torn) = bytes.as_chunks::<8>();
        let bits = whole.iter().skip(1).map(|&bytes| u64::from_le_bytes(bytes));
        let entries = bits
            .map_while(|bits| Entry::from_bits(bits).ok())
            .collect_vec();
        let file = Partial::resume(&path, 8 * (1 + entries.len() as u64));
        let file = file.with_context(|| format!("{shown} cannot be written"))?;
        Ok(Partial {
            path,
            file,
            entries,
            synced: Instant::now(),
        })
    }

    /// Opens the file to write on after so many bytes.
    fn resume(path: &Path, length: u64) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        file.write_all(PARTIAL)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    }

    fn add(&mut self, entry: Entry) -> io::Result<()> {
        self.file.write_all(&entry.to_bits().to_le_bytes())?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}
