//! Checking the files of a tablebase.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::block::BlockSolver;
use super::error::TablebaseError;
use super::files::Tablebase;
use super::grid::deposit;
use crate::base::threads::run_on;
use crate::games::gothello::Position;

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
        let (taken, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found = Mutex::new(Vec::new());
        let run = || {
            while let Some(&chunk) = chunks.get(taken.fetch_add(1, Ordering::Relaxed))
                && !stop.load(Ordering::Relaxed)
            {
                if let Err(error) = layer.check_chunk(chunk)
                    && let Ok(mut found) = found.lock()
                {
                    found.push((chunk, error));
                }
                progress(read.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        run_on(threads.min(chunks.len()), run);
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
                Err(layer.wrong_block(set, what))
            }
        }
    }

    /// Returns a position of Gothello by the number of its block in a layer and by its
    /// place there; `None` if there is no such position, or it is not legal.
    pub fn position(&self, stones: u8, number: usize, coloring: u32) -> Option<Position> {
        let set = self.layer(stones).ok()?.set(number)?;
        let mover = deposit(coloring, set);
        self.position_of(mover, set & !mover)
    }

    /// Returns the error that a position, given as in [`Tablebase::position`], has a wrong
    /// value.
    pub fn wrong_value(&self, stones: u8, number: usize, what: &str) -> TablebaseError {
        let layer = self.layer(stones);
        match layer.map(|layer| (layer, layer.set(number))) {
            Ok((layer, Some(set))) => layer.wrong_block(set, what),
            Ok((_, None)) => TablebaseError::NoBlock { stones, number },
            Err(error) => error,
        }
    }
}
