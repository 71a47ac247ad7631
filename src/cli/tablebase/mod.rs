//! `gothello tablebase`.

mod survey;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use itertools::Itertools;
use serde::Serialize;

use super::files::written;
use super::output::Output;
use super::position::PositionArguments;
use super::search::{ProgressLine, interrupt_flag, solver, thread_count, threads_or_all_cores};
use super::tablebase_options::{DefaultTablebase, packed_stones, path_beside_program, read};
use super::values::{at_least, number};
use super::{Run, subcommands};
use crate::base::counted::counted;
use crate::base::journal::{check_writable, write_whole};
use crate::clients::agent::note;
use crate::games::gothello::{Move, Outcome, Position};
use crate::solving::solver::{Control, Objective};
use crate::solving::tablebase::{
    BuildEnd, BuildPlan, BuildProgress, Counts, Distribution, Finding, Grid, LayerEvent,
    MAX_PACKED_STONES, MAX_STONES, PackedTablebase, Shard, Summary, Tablebase, TablebaseError,
    VerifyPlan, VerifyProgress, VerifyStep, build, move_values, peak_bytes, verify,
};

/// The message after Ctrl-C.
const INTERRUPTED: &str = "interrupted: the same command continues from here";

/// The resources for building all layers.
const WHOLE_BUILD: &str = "a 2-core machine about half an hour, and 35 GB of disk";

/// The size of the solver's transposition table for checking values, in MiB.
const SOLVER_TABLE: usize = 64;

/// Build, describe, check, query, or pack a tablebase: the values of all positions
///
/// A position with n stones depends only on positions with n + 1 stones, so all positions
/// are solved from 24 stones down to the empty board. The whole takes a 2-core machine
/// about half an hour, and 35 GB of disk.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase build /tmp/tablebase --stones 24..22\n  \
    gothello tablebase info /tmp/tablebase\n  \
    gothello tablebase verify /tmp/tablebase --blocks 10\n  \
    gothello tablebase probe /tmp/tablebase --moves \"c3 c4\"")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    enum Command {
        Build(Build),
        Info(Info),
        Verify(Verify),
        Probe(Probe),
        Survey(survey::Survey),
        Pack(Pack),
    }
}

/// Build a tablebase, or continue to build it
///
/// The files in DIR are written one by one, each as soon as it is whole. After Ctrl-C, or any
/// other interruption, the same command continues with those that are missing. The
/// positions with n stones are deleted when those with n - 1 are complete, unless --keep
/// names them; how many there are of each value stays in DIR. Positions that an earlier
/// build kept are not deleted. Files that are missing though they should be kept, or are
/// needed for others, are computed again.
///
/// With --shard, several processes or machines that share DIR compute parts of a layer. All
/// parts of a layer must be complete before the next layer is begun.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase build /tmp/tablebase --stones 24..22\n  \
    gothello tablebase build /shared/tablebase --stones 17 --shard 2/8")]
struct Build {
    /// Folder of the tablebase
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Numbers of stones to build, from most to fewest, or one number
    #[arg(long, value_name = "MOST..FEWEST", default_value = "24..0")]
    stones: Layers,
    /// Numbers of stones whose positions are kept
    #[arg(long, value_name = "MOST..FEWEST", default_value = "9..0")]
    keep: Layers,
    /// Part of each layer to compute: the first of four is 1/4
    #[arg(
        long,
        value_name = "K/N",
        default_value = "1/1",
        hide_default_value = true,
        alias = "share"
    )]
    shard: Shard,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
}

/// Describe a tablebase: how many positions are won, drawn and lost
///
/// Without PATH, or with a packed file, prints which file it is, the most stones of its
/// positions, the length of the file and the CRC-32 of its content. With a folder, for each
/// number of stones that is complete, prints the number of legal positions, on the board
/// and up to its symmetries, the share of those that the player to move wins, draws and
/// loses, and whether the positions are there or only their numbers. Which color is to
/// move does not count, nor does a preceding pass.
///
/// With --json a folder is one object: "layers" and "total", each with "all" and
/// "up_to_symmetry", which have "positions", "won", "drawn", "lost", and "values", the
/// number of positions with each value for the player to move. A layer also has "stones",
/// "blocks", the "crc32" of its positions, and "kept", whether they are there. A packed file
/// is one with "file", null if it is built in, "stones", "bytes" and "crc32".
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase info\n  \
    gothello tablebase info /tmp/tablebase")]
struct Info {
    /// Folder of a tablebase, or packed file [default: the one that the program uses]
    path: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Check the files of a tablebase, and their values
///
/// Reads every file and compares checksums. Then random blocks, each of all positions with the
/// same occupied points, are computed again from the positions with one stone more, if
/// these are there, and random positions are solved by search, without a tablebase. What is
/// wrong is printed with the file and what to do, and the exit code is 1.
///
/// Of a packed file all positions are decoded, and the values of random positions are compared
/// with those after their moves.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase verify /tmp/tablebase\n  \
    gothello tablebase verify /tmp/tablebase --blocks 1000 --positions 0")]
struct Verify {
    /// Folder of a tablebase, or packed file
    path: PathBuf,
    /// Number of random blocks to compute again
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least(0))]
    blocks: u64,
    /// Number of random positions to solve, or to compare in a packed file
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least(0))]
    positions: u64,
    /// Fewest stones of the positions to solve: 12 take milliseconds, 8 a tenth of a second
    #[arg(
        long,
        value_name = "N",
        default_value_t = 12,
        value_parser = number(0..=MAX_STONES)
    )]
    min_stones: u8,
    /// Seed of the random choice: the same seed chooses the same blocks and positions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least(0))]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
}

/// Print the value of a position, and of every legal move
///
/// The value needs the positions with as many stones in PATH, those of the placements
/// the positions with one stone more.
///
/// With --json the answer is an object: "position", "value" (B+3, W+3, 0), "best_moves", and
/// "moves" with "move" and "value" of each, the best first. If PATH lacks the positions with
/// one stone more, the last two are null, and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase probe /tmp/tablebase --moves \"c3 c4\"\n  \
    gothello tablebase probe /tmp/tablebase ...../..w../.wb../...../..... b")]
struct Probe {
    /// Folder of a tablebase, or packed file
    path: PathBuf,
    #[command(flatten)]
    position: PositionArguments,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Compress the positions with few stones into one file, which the program uses
///
/// Positions that are missing in DIR are built first, as `gothello tablebase build DIR
/// --keep N..0` does: that takes a 2-core machine about half an hour, and up to 35 GB of
/// disk. In a folder that does not exist or has other files, and on a disk that is likely to
/// become full, nothing is built without --build. After Ctrl-C, the same command continues.
/// The packed file has 3 MB with up to 7 stones, 15 MB with up to 8, 55 MB with up to 9, and
/// 177 MB with up to 10. DIR is no longer needed for it.
///
/// The program finds the file if it is beside the program and called gothello.tablebase,
/// which is the default, and has more than the 7 stones that are built in. Elsewhere, give it
/// with --tablebase.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    gothello tablebase pack /tmp/tablebase --build\n  \
    gothello tablebase pack /tmp/tablebase /tmp/small.tablebase --stones 8")]
struct Pack {
    /// Folder of the tablebase
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: gothello.tablebase beside the program]
    file: Option<PathBuf>,
    /// Most stones of a position, 0 to 15
    #[arg(
        long,
        value_name = "N",
        default_value_t = 9,
        value_parser = number(0..=MAX_PACKED_STONES)
    )]
    stones: u8,
    /// Build what is missing, wherever DIR is
    #[arg(long)]
    build: bool,
    /// Replace a file that has more positions, or is not a packed tablebase
    #[arg(long)]
    force: bool,
    /// Threads to build with [default: all cores]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    threads: Option<NonZeroUsize>,
}

/// A range of layers as people type it.
#[derive(Clone, Copy, Debug)]
struct Layers {
    most: u8,
    fewest: u8,
}

impl FromStr for Layers {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Layers, &'static str> {
        const WRONG: &str = "give numbers of stones from 24 to 0, such as 24..9 or 17";
        let (most, fewest) = text.split_once("..").unwrap_or((text, text));
        let stones = |text: &str| text.trim().parse::<u8>().map_err(|_| WRONG);
        let (most, fewest) = (stones(most)?, stones(fewest)?);
        match most <= MAX_STONES && fewest <= most {
            true => Ok(Layers { most, fewest }),
            false => Err(WRONG),
        }
    }
}

impl Run for Arguments {
    fn run(self) -> Result<()> {
        self.command.run()
    }
}

impl Run for Build {
    fn run(self) -> Result<()> {
        check_folder(&self.folder)?;
        build_layers(
            &self.folder,
            &*interrupt_flag()?,
            &BuildPlan {
                grid: Grid::gothello(),
                stones: self.stones.fewest..=self.stones.most,
                keep: (self.keep.fewest..=self.keep.most).collect(),
                threads: threads_or_all_cores(self.threads),
                shard: self.shard,
            },
        )
    }
}

/// Checks that a tablebase can be in a folder, which need not exist yet.
fn check_folder(folder: &Path) -> Result<()> {
    match folder.exists() && !folder.is_dir() {
        true => bail!("{} is not a folder", folder.display()),
        false => Ok(()),
    }
}

/// Returns what is to be told of a disk that is likely to become full.
#[cfg(unix)]
fn disk_shortage(folder: &Path, plan: &BuildPlan) -> Result<Option<String>> {
    let is_there = |folder: &&Path| folder.exists();
    let absolute = std::path::absolute(folder)?;
    // The folder may be created later.
    let Some(place) = absolute.ancestors().find(is_there) else {
        return Ok(None);
    };
    let needed = peak_bytes(folder, plan)?;
    // Without an answer of the system there is nothing to tell.
    let Ok(disk) = rustix::fs::statvfs(place) else {
        return Ok(None);
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    Ok((free < needed).then(|| {
        format!(
            "the build needs up to {:.1} GB of disk, and {} has {:.1} GB free",
            gigabytes(needed),
            folder.display(),
            gigabytes(free),
        )
    }))
}

#[cfg(not(unix))]
fn disk_shortage(_: &Path, _: &BuildPlan) -> Result<Option<String>> {
    Ok(None)
}

/// Builds a tablebase; prints a line about each layer.
fn build_layers(folder: &Path, stop: &AtomicBool, plan: &BuildPlan) -> Result<()> {
    if let Some(shortage) = disk_shortage(folder, plan)? {
        note(&format!(
            "warning: {shortage}: when it is full, the build stops, and can be continued"
        ));
    }
    let line = ProgressLine::new();
    // When the layer was begun.
    let started = Mutex::new(Instant::now());
    let lock = || started.lock().unwrap_or_else(PoisonError::into_inner);
    let progress = |progress: BuildProgress| {
        line.show(|| shown(progress, lock().elapsed().as_secs_f64()));
    };
    let mut out = Output::lock();
    let built = |built| {
        line.clear();
        // Returns the time since the last layer was told.
        let restart = || mem::replace(&mut *lock(), Instant::now()).elapsed();
        let written = match built {
            LayerEvent::Deleted { stones } => {
                writeln!(out, "{}: positions deleted", counted(stones, "stone"))
            }
            LayerEvent::Before(summary) => {
                restart();
                writeln!(out, "{}, built before", described(&summary))
            }
            LayerEvent::Now(summary) => {
                let seconds = restart().as_secs_f64();
                writeln!(out, "{}, {seconds:.1} s", described(&summary))
            }
            LayerEvent::Shard { stones, missing } => {
                restart();
                writeln!(
                    out,
                    "{}: this shard is complete, {} of other shards missing",
                    counted(stones, "stone"),
                    counted(missing, "file")
                )
            }
        };
        // The build goes on when nobody reads its log.
        let _ = written.and_then(|()| out.flush());
    };
    let end = build(folder, plan, stop, &progress, built)?;
    line.clear();
    match end {
        BuildEnd::Stopped => bail!(INTERRUPTED),
        BuildEnd::Complete | BuildEnd::OtherShardsMissing => Ok(()),
    }
}

fn shown(progress: BuildProgress, seconds: f64) -> String {
    let BuildProgress {
        stones,
        done,
        total,
    } = progress;
    let left = seconds / done.max(1) as f64 * (total - done) as f64;
    format!(
        "{}: {done} of {total} blocks, {:.1} million entries/s, {left:.0} s left",
        counted(stones, "stone"),
        (done << stones) as f64 / seconds.max(1e-3) / 1e6,
    )
}

fn described(summary: &Summary) -> String {
    let positions = &summary.positions.all;
    let [won, drawn, lost] = shares(positions);
    format!(
        "{}: {} ({} up to symmetry), {won:.2} % won, {drawn:.2} % drawn, {lost:.2} % lost, \
         CRC-32 {}",
        counted(summary.stones, "stone"),
        counted(positions.total(), "position"),
        summary.positions.distinct.total(),
        summary.crc32,
    )
}

/// Returns the percentages of positions that are won, drawn and lost.
fn shares(positions: &Distribution) -> [f64; 3] {
    let counts = [positions.wins(), positions.draws(), positions.losses()];
    counts.map(|count| 100.0 * count as f64 / positions.total().max(1) as f64)
}

/// Opens the tablebase in a folder, of which at least a part of a layer must be there.
fn open(folder: &Path) -> Result<Tablebase> {
    let name = folder.display();
    if !folder.is_dir() {
        bail!("{name} is not a folder: give the folder of a tablebase");
    }
    let tablebase = Tablebase::open(folder, Grid::gothello());
    match is_begun(&tablebase) {
        true => Ok(tablebase),
        false => bail!("{name} has no tablebase: build one with gothello tablebase build"),
    }
}

/// Returns whether at least a part of a layer is there.
fn is_begun(tablebase: &Tablebase) -> bool {
    let has_summaries = !matches!(tablebase.summaries(), Ok(summaries) if summaries.is_empty());
    let has_files = |stones| {
        let files = tablebase.block_files(stones);
        files.is_ok_and(|files| files.complete > 0)
    };
    has_summaries || (0..=MAX_STONES).any(has_files)
}

impl Run for Info {
    fn run(self) -> Result<()> {
        match self.path {
            Some(path) if path.is_dir() => describe_folder(&path, self.json),
            Some(path) => {
                let tablebase = read(&path)?;
                describe_packed(&tablebase, Some(&path), self.json)
            }
            None => {
                let DefaultTablebase { tablebase, path } = DefaultTablebase::find();
                describe_packed(&tablebase, path.as_deref(), self.json)
            }
        }
    }
}

/// Describes a packed tablebase, whose file is `None` if it is built in.
fn describe_packed(tablebase: &PackedTablebase, path: Option<&Path>, json: bool) -> Result<()> {
    let described = PackedDescription {
        file: path.map(|path| path.display().to_string()),
        stones: tablebase.stones(),
        bytes: tablebase.file_len(),
        crc32: format!("{:08x}", tablebase.checksum()),
    };
    let mut out = Output::lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(&described)?)?;
        return Ok(());
    }
    match &described.file {
        Some(file) => writeln!(out, "file: {file}")?,
        None => writeln!(out, "file: none, it is built into the program")?,
    }
    writeln!(
        out,
        "positions: all with up to {}",
        counted(described.stones, "stone")
    )?;
    writeln!(out, "size: {}", counted(described.bytes, "byte"))?;
    writeln!(out, "CRC-32: {}", described.crc32)?;
    Ok(())
}

/// A packed tablebase as the help documents it.
#[derive(Serialize)]
struct PackedDescription {
    file: Option<String>,
    stones: u32,
    bytes: usize,
    crc32: String,
}

/// Describes the tablebase in a folder.
fn describe_folder(folder: &Path, json: bool) -> Result<()> {
    let tablebase = open(folder)?;
    let mut summaries = tablebase.summaries()?;
    summaries.reverse();
    let mut total = Counts::default();
    for summary in &summaries {
        total.merge(&summary.positions);
    }
    let is_kept = |summary: &Summary| {
        let files = tablebase.block_files(summary.stones);
        files.is_ok_and(|files| files.are_complete())
    };
    let mut out = Output::lock();
    if json {
        let layers = summaries.iter().map(|summary| JsonLayer {
            stones: summary.stones,
            blocks: summary.blocks,
            crc32: &summary.crc32,
            kept: is_kept(summary),
            counts: JsonCounts::of(&summary.positions),
        });
        let json = Json {
            layers: layers.collect(),
            total: JsonCounts::of(&total),
        };
        writeln!(out, "{}", serde_json::to_string(&json)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "stones        positions  up to symmetry      won    drawn     lost"
    )?;
    let mut write_row = |name: &str, counts: &Counts, kept: &str| {
        let (all, distinct) = (counts.all.total(), counts.distinct.total());
        let [won, drawn, lost] = shares(&counts.all);
        writeln!(
            out,
            "{name:>6}  {all:>15}  {distinct:>14}  {won:5.2} %  {drawn:5.2} %  {lost:5.2} %{kept}"
        )
    };
    for summary in &summaries {
        let kept = if is_kept(summary) { "  kept" } else { "" };
        write_row(&summary.stones.to_string(), &summary.positions, kept)?;
    }
    write_row("all", &total, "")?;
    Ok(())
}

/// A tablebase as the help documents it.
#[derive(Serialize)]
struct Json<'a> {
    layers: Vec<JsonLayer<'a>>,
    total: JsonCounts,
}

#[derive(Serialize)]
struct JsonLayer<'a> {
    stones: u8,
    blocks: u64,
    crc32: &'a str,
    kept: bool,
    #[serde(flatten)]
    counts: JsonCounts,
}

#[derive(Serialize)]
struct JsonCounts {
    all: JsonDistribution,
    up_to_symmetry: JsonDistribution,
}

impl JsonCounts {
    fn of(counts: &Counts) -> JsonCounts {
        JsonCounts {
            all: JsonDistribution::of(&counts.all),
            up_to_symmetry: JsonDistribution::of(&counts.distinct),
        }
    }
}

#[derive(Serialize)]
struct JsonDistribution {
    positions: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    values: BTreeMap<i8, u64>,
}

impl JsonDistribution {
    fn of(distribution: &Distribution) -> JsonDistribution {
        JsonDistribution {
            positions: distribution.total(),
            won: distribution.wins(),
            drawn: distribution.draws(),
            lost: distribution.losses(),
            values: distribution
                .iter()
                .filter(|&(_, count)| count > 0)
                .collect(),
        }
    }
}

impl Run for Verify {
    fn run(self) -> Result<()> {
        match self.path.is_file() {
            true => self.verify_packed(),
            false => self.verify_folder(),
        }
    }
}

impl Verify {
    /// Checks a packed file.
    fn verify_packed(&self) -> Result<()> {
        let name = self.path.display();
        let stop = interrupt_flag()?;
        // That compares the checksum.
        let tablebase = read(&self.path)?;
        let Some(positions) = tablebase.count_positions() else {
            bail!("{name} is damaged, and cannot be decoded: copy or pack it again");
        };
        let mut out = Output::lock();
        writeln!(
            out,
            "{} with up to {}, the checksum is right",
            counted(positions, "position"),
            counted(tablebase.stones(), "stone")
        )?;
        let mut wrong = 0_u64;
        let mut report = |position: &Position| {
            wrong += 1;
            writeln!(
                out,
                "wrong: the value of {position} is not that of its best move"
            )
        };
        let compared =
            tablebase.compare_random_positions(self.positions, self.seed, &stop, &mut report);
        writeln!(
            out,
            "{} compared with those after their moves",
            counted(compared?, "position")
        )?;
        match wrong {
            0 => Ok(()),
            _ => bail!(
                "{name} has {}, listed above: pack it again",
                counted(wrong, "wrong value")
            ),
        }
    }

    /// Checks the tablebase in a folder.
    fn verify_folder(&self) -> Result<()> {
        let mut tablebase = open(&self.path)?;
        let stop = interrupt_flag()?;
        let plan = VerifyPlan {
            blocks: self.blocks,
            positions: self.positions,
            min_stones: self.min_stones,
            seed: self.seed,
            threads: threads_or_all_cores(self.threads),
        };
        let solver = solver(SOLVER_TABLE, 1, None)?;
        let mut solve = |position: &Position| {
            let control = Control::until(&stop);
            solver.search(position, Objective::Value, &control).value()
        };
        let line = ProgressLine::new();
        let tell = |text: String| {
            line.clear();
            let mut out = Output::lock();
            writeln!(out, "{text}")?;
            out.flush()
        };
        let progress = |progress: VerifyProgress| line.show(|| verify_progress(progress));
        let mut report = |finding: Finding<'_>| tell(described_finding(&finding));
        let verified = verify(
            &mut tablebase,
            &mut solve,
            &plan,
            &stop,
            &progress,
            &mut report,
        );
        line.clear();
        let verified = verified?;
        tell(format!(
            "{} computed again from the positions with one stone more",
            counted(verified.blocks, "block")
        ))?;
        tell(format!(
            "{} solved",
            counted(verified.positions, "position")
        ))?;
        if self.positions > 0 && !verified.has_solvable {
            tell(format!(
                "there are no positions with {} or more: --min-stones sets another limit",
                counted(self.min_stones, "stone")
            ))?;
        }
        match verified.wrong {
            0 => Ok(()),
            wrong => bail!("{} found, listed above", counted(wrong, "problem")),
        }
    }
}

/// Returns how far a check is.
fn verify_progress(progress: VerifyProgress) -> String {
    let (what, done) = match progress.step {
        VerifyStep::Read => ("file", "read"),
        VerifyStep::Compute => ("block", "computed"),
        VerifyStep::Solve => ("position", "solved"),
    };
    format!(
        "{}: {} of {} {done}",
        counted(progress.stones, "stone"),
        progress.done,
        counted(progress.total, what)
    )
}

/// Returns the line about a finding.
fn described_finding(finding: &Finding<'_>) -> String {
    match finding {
        Finding::Files {
            stones,
            files,
            are_right,
        } => {
            let (name, total) = (counted(*stones, "stone"), counted(files.total, "file"));
            let blocks = counted(files.blocks, "block");
            match (files.are_complete(), are_right) {
                (true, true) => format!("{name}: {blocks} in {total}, all checksums right"),
                (true, false) => format!("{name}: {blocks} in {total}, not all right"),
                (false, _) => format!("{name}: {} of {total} complete", files.complete),
            }
        }
        Finding::OnlySummary { stones } => {
            format!("{}: only the numbers are there", counted(*stones, "stone"))
        }
        Finding::Wrong(error) => format!("wrong: {error}"),
    }
}

impl Run for Probe {
    fn run(self) -> Result<()> {
        let position = self.position.gothello()?;
        let tablebase = match self.path.is_file() {
            true => ProbedTablebase::Packed(read(&self.path)?),
            false => ProbedTablebase::Folder(open(&self.path)?),
        };
        let to_move = position.to_move();
        let value = tablebase.value(&position)?;
        let outcome = |value| Outcome::from_lead(to_move, value);
        let mut out = Output::lock();
        if !self.json {
            writeln!(out, "{}", outcome(value))?;
        }
        let moves = tablebase.move_values(&position);
        let moves = moves.map(|mut moves| {
            moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
            moves
        });
        if self.json {
            let known = moves.as_deref().ok();
            let of_move = |&(mv, value): &(Move, i8)| JsonMoveValue {
                mv,
                value: outcome(value),
            };
            let json = JsonProbe {
                position,
                value: outcome(value),
                best_moves: known.map(|moves| best_of(moves, value).collect()),
                moves: known.map(|moves| moves.iter().map(of_move).collect()),
            };
            writeln!(out, "{}", serde_json::to_string(&json)?)?;
        }
        let moves = moves.context("the value is right, but the moves cannot be looked up")?;
        if self.json {
            return Ok(());
        }
        writeln!(out, "best moves: {}", best_of(&moves, value).format(" "))?;
        for (mv, value) in moves {
            writeln!(out, "  {:<4}  {}", mv.to_string(), outcome(value))?;
        }
        Ok(())
    }
}

/// Returns the moves that have this value.
fn best_of(moves: &[(Move, i8)], value: i8) -> impl Iterator<Item = Move> {
    let best = moves.iter().filter(move |&&(_, of_move)| of_move == value);
    best.map(|&(mv, _)| mv)
}

/// The values of a position as the help documents them.
#[derive(Serialize)]
struct JsonProbe {
    position: Position,
    value: Outcome,
    best_moves: Option<Vec<Move>>,
    moves: Option<Vec<JsonMoveValue>>,
}

#[derive(Serialize)]
struct JsonMoveValue {
    #[serde(rename = "move")]
    mv: Move,
    value: Outcome,
}

/// A tablebase in which positions are looked up.
enum ProbedTablebase {
    Folder(Tablebase),
    Packed(PackedTablebase),
}

impl ProbedTablebase {
    /// Returns the value of a position for the player to move.
    fn value(&self, position: &Position) -> Result<i8> {
        match self {
            ProbedTablebase::Folder(tablebase) => Ok(tablebase.position_value(position)?),
            ProbedTablebase::Packed(tablebase) => tablebase.value(position).with_context(|| {
                let most = counted(tablebase.stones(), "stone");
                let stones = counted(position.stones().count(), "stone");
                format!("the file has the positions with up to {most}, not those with {stones}")
            }),
        }
    }

    /// Returns the legal moves, each with its value for the player to move.
    fn move_values(&self, position: &Position) -> Result<Vec<(Move, i8)>> {
        move_values(position, |next| self.value(next))
    }
}

impl Run for Pack {
    fn run(self) -> Result<()> {
        let beside_program = path_beside_program();
        let file = match self.file.as_ref().or(beside_program.as_ref()) {
            Some(file) => file,
            None => {
                bail!("the system does not say where the program is: give the file to write")
            }
        };
        let name = file.display();
        // Not only after half an hour.
        written(file, check_writable(file))?;
        if !self.force {
            self.check_replacement(file)?;
        }
        check_folder(&self.folder)?;
        let stop = interrupt_flag()?;
        let tablebase = Tablebase::open(&self.folder, Grid::gothello());
        self.build_missing(&tablebase, &stop)?;
        let Some(bytes) = tablebase.pack(self.stones, &stop)? else {
            bail!(INTERRUPTED);
        };
        // It is decoded before it replaces another one.
        let packed = PackedTablebase::from_bytes(bytes.clone())?;
        let Some(positions) = packed.count_positions() else {
            bail!("the packed positions cannot be decoded: {name} was not written");
        };
        written(file, write_whole(file, &bytes))?;
        writeln!(
            Output::lock(),
            "{name}: all {} with up to {}, {}",
            counted(positions, "position"),
            counted(packed.stones(), "stone"),
            counted(bytes.len(), "byte")
        )?;
        let built_in = PackedTablebase::built_in().stones();
        if beside_program.as_ref() == Some(file) && packed.stones() <= built_in {
            note(&format!(
                "warning: the program does not use this file: the built-in tablebase has all \
                 positions with up to {built_in} stones; use --stones {} or more",
                built_in + 1
            ));
        }
        Ok(())
    }
}

impl Pack {
    /// Builds what is missing.
    fn build_missing(&self, tablebase: &Tablebase, stop: &AtomicBool) -> Result<()> {
        let missing = self.missing_layers(tablebase)?;
        let Some(&most) = missing.last() else {
            return Ok(());
        };
        let plan = BuildPlan {
            grid: Grid::gothello(),
            stones: 0..=most,
            keep: (0..=self.stones).collect(),
            threads: threads_or_all_cores(self.threads),
            shard: Shard::ALL,
        };
        if !self.build {
            self.check_build(tablebase, &plan)?;
        }
        let how_long = match most {
            MAX_STONES => format!("; this takes {WHOLE_BUILD}"),
            _ => String::new(),
        };
        note(&format!(
            "building missing layers first, by number of stones: {}{how_long}",
            missing.iter().rev().join(", ")
        ));
        build_layers(&self.folder, stop, &plan)
    }

    /// Returns the layers to build first, by their number of stones, from the fewest to the
    /// most: those to pack, and those that these are computed from.
    fn missing_layers(&self, tablebase: &Tablebase) -> Result<Vec<u8>, TablebaseError> {
        let mut missing = Vec::new();
        let mut is_needed_below = false;
        for stones in 0..=MAX_STONES {
            let is_needed = stones <= self.stones || is_needed_below;
            is_needed_below = is_needed && !tablebase.block_files(stones)?.are_complete();
            if is_needed_below {
                missing.push(stones);
            }
        }
        Ok(missing)
    }

    /// Checks that a build would neither begin where nobody wants it nor fill the disk.
    ///
    /// # Errors
    /// The folder does not exist, or has something else in it, or the disk is likely to become full.
    fn check_build(&self, tablebase: &Tablebase, plan: &BuildPlan) -> Result<()> {
        let name = self.folder.display();
        let is_empty = || fs::read_dir(&self.folder).is_ok_and(|mut files| files.next().is_none());
        if !is_begun(tablebase) && !is_empty() {
            let what = match self.folder.exists() {
                true => "has other files, and no tablebase",
                false => "does not exist",
            };
            bail!("{name} {what}: --build builds one there, which takes {WHOLE_BUILD}");
        }
        match disk_shortage(&self.folder, plan)? {
            Some(shortage) => bail!("{shortage}: make room, or begin all the same with --build"),
            None => Ok(()),
        }
    }

    /// Checks that nothing of value would be replaced.
    ///
    /// # Errors
    /// The file is not a packed tablebase, or one with more positions.
    fn check_replacement(&self, file: &Path) -> Result<()> {
        let name = file.display();
        if !file.exists() {
            return Ok(());
        }
        match packed_stones(file).with_context(|| format!("{name} cannot be read"))? {
            Some(stones) if stones > u32::from(self.stones) => bail!(
                "{name} has all positions with up to {}: --force replaces it with those up to {}",
                counted(stones, "stone"),
                self.stones
            ),
            Some(_) => Ok(()),
            None => bail!("{name} is not a packed tablebase: --force replaces it"),
        }
    }
}
