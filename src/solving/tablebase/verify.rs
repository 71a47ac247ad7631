//! Checking the files and the values of a tablebase.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use itertools::Itertools;
use rand::rngs::StdRng;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use super::block::BlockSolver;
use super::error::TablebaseError;
use super::files::{Tablebase, move_values};
use super::grid::deposit;
use super::packed::PackedTablebase;
use super::survey::position_of;
use crate::base::threads::for_each;
use crate::games::gothello::{ByColor, Color, Point, PointSet, Position};

/// The most stones of a position with an empty point.
pub const MAX_STONES: u8 = 24;

/// The files with the blocks of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockFiles {
    /// The number of files that are complete.
    pub complete: usize,
    /// The number of files of the complete layer.
    pub total: usize,
    /// The number of blocks of the complete layer.
    pub blocks: usize,
}

impl BlockFiles {
    /// Returns whether all files are complete.
    pub fn are_complete(self) -> bool {
        self.complete == self.total
    }
}

impl Tablebase {
    /// Returns which files of a layer there are.
    ///
    /// # Errors
    /// If there are no positions with so many stones.
    pub fn block_files(&self, stones: u8) -> Result<BlockFiles, TablebaseError> {
        let layer = self.layer(stones)?;
        let total = layer.chunk_count();
        Ok(BlockFiles {
            complete: total - layer.missing_chunk_count(),
            total,
            blocks: layer.block_count(),
        })
    }

    /// Reads the files of a layer, all blocks and the summary, and returns the errors: checksums,
    /// counts that disagree, or a file that is missing though the layer was complete. A layer that
    /// is not complete yet is read as far as it is there.
    ///
    /// Calls `progress` with the number of files that have been read. Setting `stop`
    /// ends the check early.
    pub fn check_files(
        &self,
        stones: u8,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<TablebaseError> {
        let layer = match self.layer(stones) {
            Ok(layer) => layer,
            Err(error) => return vec![error],
        };
        let chunks: Vec<usize> = (0..layer.chunk_count())
            .filter(|&chunk| layer.has_chunk(chunk))
            .collect();
        let (read, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let check = |_: &mut (), &chunk: &usize| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if let Err(error) = layer.check_chunk(chunk)
                && let Ok(mut found) = found.lock()
            {
                found.push((chunk, error));
            }
            progress(read.fetch_add(1, Ordering::Relaxed) + 1);
        };
        for_each(threads, &chunks, || (), check);
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by_key(|&(chunk, _)| chunk);
        let mut errors: Vec<_> = found.into_iter().map(|(_, error)| error).collect();
        match layer.read_summary() {
            // After an error the counts are those of a damaged file.
            Ok(Some(_)) if !errors.is_empty() || chunks.is_empty() => {}
            Ok(Some(_)) if chunks.len() < layer.chunk_count() => {
                let missing = (0..layer.chunk_count()).filter(|chunk| !chunks.contains(chunk));
                errors.extend(missing.map(|chunk| TablebaseError::Lost(layer.chunk_path(chunk))));
            }
            Ok(Some(summary)) => match layer.summarize() {
                Ok(counted) if counted == summary => {}
                Ok(_) => {
                    let what = "it does not agree with the files of the blocks".to_owned();
                    errors.push(TablebaseError::damaged(&layer.summary_path(), what));
                }
                Err(error) => errors.push(error),
            },
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
        errors
    }

    /// Computes a block, given by its number in the layer, from the blocks of the next layer,
    /// and compares all entries.
    ///
    /// # Errors
    /// If an entry is wrong, or a block is missing or damaged.
    pub fn check_block(&self, stones: u8, number: usize) -> Result<(), TablebaseError> {
        let layer = self.layer(stones)?;
        let set = layer.set(number);
        let set = set.ok_or(TablebaseError::NoBlock { stones, number })?;
        let mut found = Vec::new();
        layer.read(set, &mut found)?;
        let mut solver = BlockSolver::new(&self.grid);
        let (block, _) = solver.solve(set, |child, block| {
            self.layer(stones + 1)?.read(child, block)
        })?;
        match block == found {
            true => Ok(()),
            false => {
                let what = "values are not those that the positions with one more stone give";
                Err(layer.wrong_block(number, what))
            }
        }
    }

    /// Returns a position of Gothello by the number of its block in a layer and by its
    /// place there; `None` if there is no such position, or it is not legal.
    pub fn position(&self, stones: u8, number: usize, coloring: u32) -> Option<Position> {
        let set = self.layer(stones).ok()?.set(number)?;
        let mover = deposit(coloring, set);
        position_of(mover, set & !mover)
    }
}

/// What [`verify`] checks beside all files.
#[derive(Clone, Copy, Debug)]
pub struct VerifyPlan {
    /// The number of random blocks that are computed again.
    pub blocks: u64,
    /// The number of random positions that are solved.
    pub positions: u64,
    /// The minimum number of stones of the positions that are solved.
    pub min_stones: u8,
    /// The seed of the random choice.
    pub seed: u64,
    /// The number of threads that read files, from 1.
    pub threads: usize,
}

/// How far the check of a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyProgress {
    /// The number of stones of the layer.
    pub stones: u8,
    /// What is done.
    pub step: VerifyStep,
    /// The number of files, blocks or positions that are done.
    pub done: u64,
    /// The number of all of them.
    pub total: u64,
}

/// A step of the check of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyStep {
    /// Files are read.
    Read,
    /// Blocks are computed again.
    Compute,
    /// Positions are solved.
    Solve,
}

/// What [`verify`] finds, in the order of the layers.
#[derive(Debug)]
pub enum Finding<'a> {
    /// A layer has files with blocks.
    Files {
        /// The number of stones of the layer.
        stones: u8,
        /// Its files.
        files: BlockFiles,
        /// Whether nothing is wrong with them.
        are_right: bool,
    },
    /// A layer has a summary, and no files with blocks.
    OnlySummary {
        /// The number of stones of the layer.
        stones: u8,
    },
    /// Something is wrong. Each error is found once.
    Wrong(&'a TablebaseError),
}

/// What [`verify`] has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of blocks that were computed again.
    pub blocks: u64,
    /// The number of positions that were solved.
    pub positions: u64,
    /// Whether a complete layer has positions with as many stones as the plan asks for.
    pub has_solvable: bool,
    /// The number of problems.
    pub wrong: usize,
}

/// Why a check ended early.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// It was stopped.
    #[error("interrupted: not everything was checked")]
    Stopped,
    /// The tablebase cannot be read.
    #[error(transparent)]
    Tablebase(#[from] TablebaseError),
    /// A finding could not be reported.
    #[error(transparent)]
    Report(#[from] io::Error),
}

/// Checks a tablebase, layer by layer: reads all files, computes random blocks from the
/// positions with one stone more, and compares random positions with `solve`, which returns a
/// value from elsewhere, or `None` if it is stopped. The blocks and positions are divided evenly
/// among the layers.
///
/// Passes what it finds to `report`, and calls `progress` from time to time, from other
/// threads.
///
/// # Errors
/// `stop` was set, a layer cannot be read, or `report` failed.
pub fn verify(
    tablebase: &mut Tablebase,
    solve: &mut dyn FnMut(&Position) -> Option<i8>,
    plan: &VerifyPlan,
    stop: &AtomicBool,
    progress: &(dyn Fn(VerifyProgress) + Sync),
    report: &mut dyn FnMut(Finding<'_>) -> io::Result<()>,
) -> Result<Verified, VerifyError> {
    let mut layers = Vec::new();
    for stones in 0..=MAX_STONES {
        if tablebase.block_files(stones)?.are_complete() {
            layers.push(stones);
        }
    }
    let with_next = |stones: &u8| *stones == MAX_STONES || layers.contains(&(stones + 1));
    let computable = layers.iter().copied().filter(with_next).collect_vec();
    let is_solvable = |stones: &u8| *stones >= plan.min_stones;
    let solvable = layers.iter().copied().filter(is_solvable).collect_vec();
    let mut verification = Verification {
        threads: plan.threads,
        random: StdRng::seed_from_u64(plan.seed),
        solve,
        stop,
        progress,
        report,
        wrong: BTreeSet::new(),
    };
    let (mut blocks, mut positions) = (0, 0);
    for stones in 0..=MAX_STONES {
        verification.check_files(tablebase, stones)?;
        let count = share_of(plan.blocks, &computable, stones);
        blocks += verification.check_blocks(tablebase, stones, count)?;
        let count = share_of(plan.positions, &solvable, stones);
        positions += verification.check_positions(tablebase, stones, count)?;
        tablebase.close(stones);
    }
    Ok(Verified {
        blocks,
        positions,
        has_solvable: !solvable.is_empty(),
        wrong: verification.wrong.len(),
    })
}

/// Returns how many of `count` things fall to one of the layers among which they are
/// divided.
fn share_of(count: u64, layers: &[u8], stones: u8) -> u64 {
    let len = layers.len() as u64;
    match layers.iter().position(|&layer| layer == stones) {
        Some(place) => count / len + u64::from((place as u64) < count % len),
        None => 0,
    }
}

/// A check of a tablebase that is under way.
struct Verification<'a> {
    threads: usize,
    random: StdRng,
    solve: &'a mut dyn FnMut(&Position) -> Option<i8>,
    stop: &'a AtomicBool,
    progress: &'a (dyn Fn(VerifyProgress) + Sync),
    report: &'a mut dyn FnMut(Finding<'_>) -> io::Result<()>,
    /// The problems that were found.
    wrong: BTreeSet<String>,
}

impl Verification<'_> {
    /// Reports a problem, unless it was found before.
    fn report_wrong(&mut self, error: &TablebaseError) -> io::Result<()> {
        match self.wrong.insert(error.to_string()) {
            true => (self.report)(Finding::Wrong(error)),
            false => Ok(()),
        }
    }

    /// Checks the files of a layer, if there are any.
    fn check_files(&mut self, tablebase: &Tablebase, stones: u8) -> Result<(), VerifyError> {
        let files = tablebase.block_files(stones)?;
        let show = |read: usize| {
            (self.progress)(VerifyProgress {
                stones,
                step: VerifyStep::Read,
                done: read as u64,
                total: files.complete as u64,
            });
        };
        let errors = tablebase.check_files(stones, self.threads, self.stop, &show);
        check_stop(self.stop)?;
        let are_right = errors.is_empty();
        if files.complete > 0 {
            (self.report)(Finding::Files {
                stones,
                files,
                are_right,
            })?;
        } else if are_right && tablebase.summary(stones)?.is_some() {
            (self.report)(Finding::OnlySummary { stones })?;
        }
        for error in &errors {
            self.report_wrong(error)?;
        }
        Ok(())
    }

    /// Computes random blocks again; returns their number.
    fn check_blocks(
        &mut self,
        tablebase: &Tablebase,
        stones: u8,
        count: u64,
    ) -> Result<u64, VerifyError> {
        let blocks = tablebase.block_files(stones)?.blocks;
        let total = count.min(blocks as u64);
        let mut chosen = sample(&mut self.random, blocks, total as usize).into_vec();
        chosen.sort_unstable();
        for (done, number) in (0..).zip(chosen) {
            (self.progress)(VerifyProgress {
                stones,
                step: VerifyStep::Compute,
                done,
                total,
            });
            check_stop(self.stop)?;
            if let Err(error) = tablebase.check_block(stones, number) {
                self.report_wrong(&error)?;
            }
        }
        Ok(total)
    }

    /// Solves random positions; returns their number.
    fn check_positions(
        &mut self,
        tablebase: &Tablebase,
        stones: u8,
        total: u64,
    ) -> Result<u64, VerifyError> {
        let blocks = tablebase.block_files(stones)?.blocks;
        let mut done = 0;
        while done < total {
            (self.progress)(VerifyProgress {
                stones,
                step: VerifyStep::Solve,
                done,
                total,
            });
            let number = self.random.random_range(0..blocks);
            let coloring = self.random.random_range(0..1u32 << stones);
            check_stop(self.stop)?;
            let Some(position) = tablebase.position(stones, number, coloring) else {
                // Colorings with a group without liberties.
                continue;
            };
            done += 1;
            let found = match tablebase.position_value(&position) {
                Ok(found) => found,
                Err(error) => {
                    self.report_wrong(&error)?;
                    continue;
                }
            };
            let Some(value) = (self.solve)(&position) else {
                check_stop(self.stop)?;
                continue;
            };
            if found != value {
                let what = format!("{position} has the value {found}, not {value}");
                self.report_wrong(&tablebase.layer(stones)?.wrong_block(number, &what))?;
            }
        }
        Ok(total)
    }
}

/// Returns an error if the check was stopped.
fn check_stop(stop: &AtomicBool) -> Result<(), VerifyError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(VerifyError::Stopped),
        false => Ok(()),
    }
}

impl PackedTablebase {
    /// Compares the values of `count` random positions with those after their moves. Passes each
    /// position with a wrong value to `report`; returns the number of positions compared, which
    /// is 0 if the file has none with a move in it.
    ///
    /// # Errors
    /// `stop` was set, or `report` failed.
    pub fn compare_random_positions(
        &self,
        count: u64,
        seed: u64,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Position) -> io::Result<()>,
    ) -> Result<u64, VerifyError> {
        let most = self.stones();
        let mut random = StdRng::seed_from_u64(seed);
        let mut compared = 0;
        while most > 0 && compared < count {
            check_stop(stop)?;
            let stones = random.random_range(0..most);
            let Some(position) = random_position(&mut random, stones) else {
                continue;
            };
            compared += 1;
            let value = self.value(&position);
            let moves = move_values(&position, |next| self.value(next).ok_or(()));
            let best = moves
                .ok()
                .and_then(|moves| moves.iter().map(|&(_, value)| value).max());
            if value.is_none() || value != best {
                report(&position)?;
            }
        }
        Ok(compared)
    }
}

/// Draws a position with this many stones; `None` if a group has no liberty.
fn random_position(random: &mut StdRng, stones: u32) -> Option<Position> {
    let mut sets = ByColor::new(PointSet::EMPTY, PointSet::EMPTY);
    for index in sample(random, Point::ALL.len(), stones as usize) {
        let color = match random.random() {
            true => Color::Black,
            false => Color::White,
        };
        sets[color] |= PointSet::from(*Point::ALL.get(index)?);
    }
    let to_move = match random.random() {
        true => Color::Black,
        false => Color::White,
    };
    let (black, white) = (sets[Color::Black], sets[Color::White]);
    Position::new(black, white, to_move, random.random()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::build::{BuildEnd, BuildPlan, build};
    use super::super::grid::Grid;
    use super::*;
    use crate::base::shard::Shard;

    /// Builds all positions of a board of 3x3 points.
    fn built(folder: &Path) -> Tablebase {
        let grid = Grid::new(3, 3).unwrap();
        let plan = BuildPlan {
            grid: grid.clone(),
            stones: 0..=8,
            keep: (0..=8).collect(),
            threads: 1,
            shard: Shard::ALL,
        };
        let end = build(folder, &plan, &AtomicBool::new(false), &|_| (), |_| ()).unwrap();
        assert_eq!(end, BuildEnd::Complete);
        Tablebase::open(folder, grid)
    }

    fn wrong_files(tablebase: &Tablebase, stones: u8) -> Vec<TablebaseError> {
        tablebase.check_files(stones, 1, &AtomicBool::new(false), &|_| ())
    }

    #[test]
    fn a_sound_tablebase_has_no_wrong_file_and_no_wrong_block() {
        let folder = tempfile::tempdir().unwrap();
        let tablebase = built(folder.path());
        for stones in 0..=8 {
            assert!(wrong_files(&tablebase, stones).is_empty());
            for block in 0..tablebase.block_files(stones).unwrap().blocks {
                tablebase.check_block(stones, block).unwrap();
            }
        }
    }

    #[test]
    fn a_damaged_block_is_found_in_its_layer_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = built(folder.path()).layer(4).unwrap().chunk_path(0);
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let tablebase = Tablebase::open(folder.path(), Grid::new(3, 3).unwrap());
        assert_eq!(wrong_files(&tablebase, 4).len(), 1);
        assert!(wrong_files(&tablebase, 5).is_empty());
    }

    #[test]
    fn a_block_cannot_be_computed_again_without_the_layer_above() {
        let folder = tempfile::tempdir().unwrap();
        let path = built(folder.path()).layer(4).unwrap().chunk_path(0);
        fs::remove_file(path).unwrap();
        let tablebase = Tablebase::open(folder.path(), Grid::new(3, 3).unwrap());
        assert!(wrong_files(&tablebase, 4).is_empty());
        assert!(!tablebase.block_files(4).unwrap().are_complete());
        assert!(tablebase.check_block(4, 0).is_err());
        // The blocks with 3 stones are computed from it.
        assert!(tablebase.check_block(3, 0).is_err());
    }

    #[test]
    fn layers_share_the_work_evenly() {
        let shares = [2, 3, 4, 5].map(|stones| share_of(11, &[2, 4, 5], stones));
        assert_eq!(shares, [4, 0, 4, 3]);
    }

    #[test]
    fn random_positions_of_the_built_in_tablebase_are_compared_until_it_is_stopped() {
        let tablebase = PackedTablebase::built_in();
        let compare = |stop| {
            let stop = AtomicBool::new(stop);
            tablebase.compare_random_positions(20, 1, &stop, &mut |wrong| panic!("{wrong}"))
        };
        assert_eq!(compare(false).unwrap(), 20);
        assert!(matches!(compare(true), Err(VerifyError::Stopped)));
    }
}
