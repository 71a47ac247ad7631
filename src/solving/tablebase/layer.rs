//! Layers: the blocks of all sets with the same number of points, in the files of a folder.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::chunk::{Chunk, ChunkHeader, ChunkWriter, Counts};
use super::error::TablebaseError;
use super::grid::Grid;
use crate::base::counted::counted;
use crate::base::journal::write_whole;

/// The length of a chunk's blocks in bytes, unless there would be too many chunks.
const CHUNK_LEN: u64 = 1 << 25;

/// The largest number of chunks: all of a layer are open at the same time.
const MAX_CHUNKS: u64 = 160;

/// The summary of a complete layer, which outlives its blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The number of stones.
    pub stones: u8,
    /// The number of blocks.
    pub blocks: u64,
    /// The CRC-32 of all blocks, one after the other.
    pub crc32: String,
    /// The number of positions with each value.
    pub positions: Counts,
}

/// A layer, whose files may be missing.
#[derive(Debug)]
pub struct Layer {
    folder: PathBuf,
    grid: Grid,
    stones: u8,
    /// The number of blocks.
    len: usize,
    /// The number of blocks of each chunk but the last.
    chunk_blocks: usize,
    chunks: Vec<OnceLock<Chunk>>,
    blocks: OnceLock<Blocks>,
}

/// The blocks of a layer, found when one of them is first needed.
#[derive(Debug)]
struct Blocks {
    /// The sets of which no image is smaller, in ascending order.
    sets: Vec<u32>,
    /// Whether the checksum of each block was right.
    checked: Vec<AtomicBool>,
}

impl Layer {
    /// Creates a layer of the tablebase in a folder; no file is touched.
    pub fn new(folder: &Path, grid: &Grid, stones: u8) -> Layer {
        let len = grid.canonical_set_count(stones.into());
        let bytes = (len as u64) << stones;
        let chunk_len = CHUNK_LEN.max(bytes.div_ceil(MAX_CHUNKS));
        let chunk_blocks = (chunk_len >> stones).max(1) as usize;
        let chunks = len.div_ceil(chunk_blocks);
        Layer {
            folder: folder.to_owned(),
            grid: grid.clone(),
            stones,
            len,
            chunk_blocks,
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            blocks: OnceLock::new(),
        }
    }

    fn blocks(&self) -> &Blocks {
        self.blocks.get_or_init(|| {
            let sets = self.grid.canonical_sets(self.stones.into());
            let checked = sets.iter().map(|_| AtomicBool::new(false)).collect();
            Blocks { sets, checked }
        })
    }

    pub fn stones(&self) -> u8 {
        self.stones
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.len
    }

    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// Returns the numbers of the blocks in a chunk.
    pub fn chunk_range(&self, chunk: usize) -> Range<usize> {
        let first = chunk * self.chunk_blocks;
        first..(first + self.chunk_blocks).min(self.len)
    }

    /// Returns the sets whose blocks are in a chunk.
    pub fn chunk_sets(&self, chunk: usize) -> &[u32] {
        let sets = self.blocks().sets.get(self.chunk_range(chunk));
        sets.unwrap_or_default()
    }

    /// Returns the set of a block; `None` if there are not so many.
    pub fn set(&self, number: usize) -> Option<u32> {
        self.blocks().sets.get(number).copied()
    }

    fn contents(&self, chunk: usize) -> ChunkHeader {
        let range = self.chunk_range(chunk);
        ChunkHeader {
            width: self.grid.width(),
            height: self.grid.height(),
            stones: self.stones,
            first: range.start as u32,
            count: range.len() as u32,
        }
    }

    /// Returns the folder of the chunks.
    fn chunk_folder(&self) -> PathBuf {
        self.folder.join(format!("{:02}", self.stones))
    }

    /// Returns the path of a chunk.
    pub fn chunk_path(&self, chunk: usize) -> PathBuf {
        self.chunk_folder().join(format!("{chunk:03}.blocks"))
    }

    /// Returns the path of the summary.
    pub fn summary_path(&self) -> PathBuf {
        self.folder.join(format!("{:02}.json", self.stones))
    }

    /// Returns whether a chunk is complete.
    pub fn has_chunk(&self, chunk: usize) -> bool {
        self.chunk_path(chunk).exists()
    }

    /// Returns whether one of the chunks is complete.
    pub fn has_any_chunk(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.get().is_some())
            || (0..self.chunk_count()).any(|chunk| self.has_chunk(chunk))
    }

    /// Returns whether all chunks are complete.
    pub fn has_blocks(&self) -> bool {
        (0..self.chunk_count()).all(|chunk| self.has_chunk(chunk))
    }

    /// Returns the number of chunks that are not complete.
    pub fn missing_chunk_count(&self) -> usize {
        let chunks = 0..self.chunk_count();
        chunks.filter(|&chunk| !self.has_chunk(chunk)).count()
    }

    /// Begins a chunk; `None` if another process has just completed it.
    ///
    /// # Errors
    /// If its file cannot be created, or another process writes it.
    pub fn create_chunk(&self, chunk: usize) -> Result<Option<ChunkWriter>, TablebaseError> {
        let folder = self.chunk_folder();
        fs::create_dir_all(&folder).map_err(|error| TablebaseError::write(&folder, error))?;
        ChunkWriter::create(self.chunk_path(chunk), self.contents(chunk))
    }

    /// Opens a chunk, unless it is open already.
    fn chunk(&self, chunk: usize) -> Result<&Chunk, TablebaseError> {
        let slot = &self.chunks[chunk];
        if slot.get().is_none() {
            let opened = Chunk::open(&self.chunk_path(chunk), self.contents(chunk))?;
            // If another thread was faster, its file is as good.
            let _ = slot.set(opened);
        }
        slot.get().ok_or(TablebaseError::Missing(self.stones))
    }

    /// Returns the number of the block of a set of which no image is smaller.
    pub fn number(&self, set: u32) -> Result<usize, TablebaseError> {
        let found = self.blocks().sets.binary_search(&set);
        found.map_err(|_| TablebaseError::Missing(self.stones))
    }

    /// Reads the block of a set of which no image is smaller; its checksum is checked
    /// when it is read for the first time.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn read(&self, set: u32, block: &mut Vec<u8>) -> Result<(), TablebaseError> {
        let number = self.number(set)?;
        let chunk = self.chunk(number / self.chunk_blocks)?;
        let checked = &self.blocks().checked[number];
        let check = !checked.load(Ordering::Relaxed);
        chunk.read((number % self.chunk_blocks) as u32, check, block)?;
        if check {
            checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Reads one entry of the block of a set of which no image is smaller; the block's
    /// checksum is checked when it is read for the first time.
    ///
    /// # Errors
    /// If it cannot be read, or the block is damaged.
    pub fn entry(&self, set: u32, coloring: u32) -> Result<u8, TablebaseError> {
        let number = self.number(set)?;
        if !self.blocks().checked[number].load(Ordering::Relaxed) {
            self.read(set, &mut Vec::new())?;
        }
        let chunk = self.chunk(number / self.chunk_blocks)?;
        chunk.entry((number % self.chunk_blocks) as u32, coloring)
    }

    /// Returns the error that a block, though its checksum is right, has wrong entries.
    pub fn wrong_block(&self, number: usize, what: &str) -> TablebaseError {
        let path = self.chunk_path(number / self.chunk_blocks);
        TablebaseError::damaged(&path, format!("in block {number}, {what}"))
    }

    /// Reads all blocks of a chunk and checks their checksums.
    ///
    /// # Errors
    /// If one cannot be read or is damaged.
    pub fn check_chunk(&self, chunk: usize) -> Result<(), TablebaseError> {
        let opened = self.chunk(chunk)?;
        let mut block = Vec::new();
        for number in 0..self.chunk_range(chunk).len() {
            opened.read(number as u32, true, &mut block)?;
        }
        Ok(())
    }

    /// Returns the summary of a complete layer.
    ///
    /// # Errors
    /// If a chunk is missing or damaged.
    pub fn summarize(&self) -> Result<Summary, TablebaseError> {
        let mut counts = Counts::default();
        let mut sum = crc32fast::Hasher::new();
        for chunk in 0..self.chunk_count() {
            let chunk = self.chunk(chunk)?;
            counts.merge(&chunk.counts);
            for &crc in chunk.checksums() {
                let block = crc32fast::Hasher::new_with_initial_len(crc, 1 << self.stones);
                sum.combine(&block);
            }
        }
        Ok(Summary {
            stones: self.stones,
            blocks: self.block_count() as u64,
            crc32: format!("{:08x}", sum.finalize()),
            positions: counts,
        })
    }

    /// Returns the summary that was written; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_summary(&self) -> Result<Option<Summary>, TablebaseError> {
        let path = self.summary_path();
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read(&path).map_err(|error| TablebaseError::read(&path, error))?;
        let damaged = |what| TablebaseError::damaged(&path, what);
        let summary: Summary =
            serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if summary.stones != self.stones || summary.blocks != self.block_count() as u64 {
            return Err(damaged(format!(
                "it does not describe the {} of the positions with {}",
                counted(self.block_count(), "block"),
                counted(self.stones, "stone")
            )));
        }
        Ok(Some(summary))
    }

    /// Writes the summary of the complete layer.
    ///
    /// # Errors
    /// If a chunk is missing or damaged, or the file cannot be written.
    pub fn write_summary(&self) -> Result<Summary, TablebaseError> {
        let summary = self.summarize()?;
        let path = self.summary_path();
        let text = serde_json::to_string(&summary).unwrap_or_default() + "\n";
        if let Err(error) = write_whole(&path, text.as_bytes()) {
            // Another shard may have written the same at the same time.
            match self.read_summary() {
                Ok(Some(other)) if other == summary => {}
                _ => return Err(TablebaseError::write(&path, error)),
            }
        }
        Ok(summary)
    }

    /// Deletes the blocks; the summary remains.
    ///
    /// The folder is renamed first, so that it is never there in part.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn delete_blocks(&self) -> Result<(), TablebaseError> {
        let folder = self.chunk_folder();
        let deleted = folder.with_extension("deleted");
        // The remains of an interrupted deletion are in the way.
        let delete = || unless_missing(fs::remove_dir_all(&deleted));
        let done = delete()
            .and_then(|()| unless_missing(fs::rename(&folder, &deleted)))
            .and_then(|()| delete());
        done.map_err(|error| TablebaseError::write(&folder, error))
    }
}

/// Ignores that a file is not there: another shard may have deleted it.
fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}
