//! Files of consecutive blocks of a layer, with the numbers of positions by their values.
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `gothtabl` |
//! | 8 to 11 | the version, 1 |
//! | 12, 13 | the width and the height of the board |
//! | 14, 15 | the number of stones, and 0 |
//! | 16 to 19 | the number of the first block in the layer |
//! | 20 to 23 | the number of blocks |
//! | from 24 | the blocks, 2^stones bytes each |
//! | 4 for each block | its CRC-32 |
//! | 816 | the positions on the board with the values -25 to 25, then those up to symmetry; 8 bytes each |
//! | 4 | the CRC-32 of everything but the blocks |
//!
//! The module [`block`](super::block) describes blocks and their entries. A file is written under
//! another name, synced, and renamed: a file with its final name is complete.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::TablebaseError;
use super::{BIAS, MAX_VALUE};
use crate::base::journal::sync_folder;

const MAGIC: &[u8; 8] = b"gothtabl";
const VERSION: u32 = 1;

/// The length of the header, in bytes.
const HEADER: u64 = 24;

/// The length of a checksum, in bytes.
const SUM: u64 = 4;

/// The length of the counts, in bytes.
const COUNTS: u64 = 2 * 8 * VALUES as u64;

/// The contents of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    pub width: u8,
    pub height: u8,
    pub stones: u8,
    /// The number of the first block.
    pub first: u32,
    /// The number of blocks.
    pub count: u32,
}

impl ChunkHeader {
    fn header(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([self.width, self.height, self.stones, 0]);
        bytes.extend(self.first.to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes
    }

    fn block_len(self) -> u64 {
        1 << self.stones
    }

    /// Returns where the block with this number in the chunk begins.
    fn offset(self, number: u32) -> u64 {
        HEADER + u64::from(number) * self.block_len()
    }
}

/// A chunk that is being written.
pub struct ChunkWriter {
    contents: ChunkHeader,
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    checksums: Vec<u8>,
    counts: Counts,
}

impl ChunkWriter {
    /// Begins a file; `None` if another process has just completed it.
    ///
    /// # Errors
    /// If it cannot be created, or another process writes it.
    pub fn create(
        path: PathBuf,
        contents: ChunkHeader,
    ) -> Result<Option<ChunkWriter>, TablebaseError> {
        let temporary = path.with_extension("new");
        let begin = || {
            let file = lock(&temporary)?;
            if path.exists() {
                return Ok(None);
            }
            file.set_len(0)?;
            let mut file = BufWriter::with_capacity(1 << 20, file);
            file.write_all(&contents.header())?;
            Ok(Some(file))
        };
        let file = begin().map_err(|error| TablebaseError::write(&path, error))?;
        Ok(file.map(|file| ChunkWriter {
            contents,
            path,
            temporary,
            file,
            checksums: Vec::new(),
            counts: Counts::default(),
        }))
    }

    /// Appends a block.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, block: &[u8], counts: &Counts) -> Result<(), TablebaseError> {
        self.checksums.extend(crc32fast::hash(block).to_le_bytes());
        self.counts.merge(counts);
        let written = self.file.write_all(block);
        written.map_err(|error| TablebaseError::write(&self.path, error))
    }

    /// Completes the file, waits until it is on the disk, and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), TablebaseError> {
        let mut trailer = self.checksums;
        for count in self.counts.numbers() {
            trailer.extend(count.to_le_bytes());
        }
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.contents.header());
        sum.update(&trailer);
        trailer.extend(sum.finalize().to_le_bytes());
        let (mut file, temporary, path) = (self.file, self.temporary, self.path);
        let mut complete = || {
            file.write_all(&trailer)?;
            file.flush()?;
            file.get_ref().sync_all()?;
            fs::rename(&temporary, &path)?;
            sync_folder(&path)
        };
        complete().map_err(|error| {
            // A part of a file would only fill the disk.
            let _ = fs::remove_file(&temporary);
            TablebaseError::write(&path, error)
        })
    }

    /// Deletes the unfinished file.
    pub fn discard(self) {
        // If it cannot be deleted, the next attempt overwrites it.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Opens a file that is to be written, so that no other process writes it at the same
/// time.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another process builds the same files: give each its own --shard",
        )),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// A complete chunk, opened for reading by several threads.
#[derive(Debug)]
pub struct Chunk {
    path: PathBuf,
    file: File,
    contents: ChunkHeader,
    checksums: Vec<u32>,
    pub counts: Counts,
}

impl Chunk {
    /// Opens a chunk with the expected contents. Blocks are checked when they are read.
    ///
    /// # Errors
    /// If the file cannot be read or has other contents.
    pub fn open(path: &Path, contents: ChunkHeader) -> Result<Chunk, TablebaseError> {
        let read = |error| TablebaseError::read(path, error);
        let damaged = |what| TablebaseError::damaged(path, what);
        let file = File::open(path).map_err(read)?;
        let trailer_start = contents.offset(contents.count);
        let trailer_len = u64::from(contents.count) * SUM + COUNTS + SUM;
        let found = file.metadata().map_err(read)?.len();
        let expected = trailer_start + trailer_len;
        if found != expected {
            return Err(damaged(format!("it has {found} bytes, not {expected}")));
        }
        let mut bytes = vec![0; HEADER as usize];
        read_at(&file, &mut bytes, 0).map_err(read)?;
        if bytes != contents.header() {
            return Err(damaged("it begins as a file of other blocks does".into()));
        }
        let mut trailer = vec![0; trailer_len as usize];
        read_at(&file, &mut trailer, trailer_start).map_err(read)?;
        let (trailer, sum) = trailer.split_at(trailer.len() - SUM as usize);
        bytes.extend(trailer);
        if crc32fast::hash(&bytes).to_le_bytes() != *sum {
            return Err(damaged("the checksum of its last part is wrong".into()));
        }
        let (checksums, counts) = trailer.split_at(trailer.len() - COUNTS as usize);
        let counts = counts.as_chunks().0.iter();
        let counts =
            Counts::from_numbers(counts.map(|&word| u64::from_le_bytes(word))).map_err(damaged)?;
        Ok(Chunk {
            path: path.to_owned(),
            file,
            contents,
            checksums: (checksums.as_chunks().0.iter())
                .map(|&word| u32::from_le_bytes(word))
                .collect(),
            counts,
        })
    }

    /// Returns the checksums of the blocks.
    pub fn checksums(&self) -> &[u32] {
        &self.checksums
    }

    /// Reads a block, by its number in the chunk.
    ///
    /// # Errors
    /// If it cannot be read, or `check` is set and its checksum is wrong.
    pub fn read(
        &self,
        number: u32,
        check: bool,
        block: &mut Vec<u8>,
    ) -> Result<(), TablebaseError> {
        block.resize(self.contents.block_len() as usize, 0);
        let offset = self.contents.offset(number);
        read_at(&self.file, block, offset)
            .map_err(|error| TablebaseError::read(&self.path, error))?;
        let expected = self.checksums.get(number as usize).copied();
        if check && expected != Some(crc32fast::hash(block)) {
            let first = self.contents.first;
            let what = format!("the checksum of block {} is wrong", first + number);
            return Err(TablebaseError::damaged(&self.path, what));
        }
        Ok(())
    }

    /// Reads one entry of a block.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entry(&self, number: u32, coloring: u32) -> Result<u8, TablebaseError> {
        let mut entry = [0];
        let offset = self.contents.offset(number) + u64::from(coloring);
        read_at(&self.file, &mut entry, offset)
            .map_err(|error| TablebaseError::read(&self.path, error))?;
        Ok(entry[0])
    }
}

/// Fills a buffer from a place in a file, whatever other threads read there.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills a buffer from a place in a file, whatever other threads read there.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// The number of values.
const VALUES: usize = 2 * MAX_VALUE as usize + 1;

/// The number of colorings of the points of a 5x5 board, legal or not, with black, white, and
/// empty. No board has more positions, so the sums of several layers or files do not overflow.
const MAX_POSITIONS: u64 = 3u64.pow(25);

/// The numbers of positions by their value for the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct Distribution([u64; VALUES]);

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution([0; VALUES])
    }
}

impl TryFrom<Vec<u64>> for Distribution {
    type Error = String;

    fn try_from(numbers: Vec<u64>) -> Result<Distribution, String> {
        let sum = numbers.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
        match (numbers.try_into(), sum) {
            (Ok(numbers), Some(..=MAX_POSITIONS)) => Ok(Distribution(numbers)),
            _ => Err(format!(
                "these are not {VALUES} numbers of positions with a sum of at most {MAX_POSITIONS}"
            )),
        }
    }
}

impl From<Distribution> for Vec<u64> {
    fn from(distribution: Distribution) -> Vec<u64> {
        distribution.0.to_vec()
    }
}

impl Distribution {
    /// Returns the values, from -25 to 25, each with the number of positions. It is 0 for the first
    /// and the last: the largest value is 24.
    pub fn iter(&self) -> impl Iterator<Item = (i8, u64)> {
        (-MAX_VALUE..=MAX_VALUE).zip(self.0.iter().copied())
    }

    /// Returns the number of positions.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of positions that the player to move wins.
    pub fn wins(&self) -> u64 {
        self.sum_of(|value| value > 0)
    }

    /// Returns the number of drawn positions.
    pub fn draws(&self) -> u64 {
        self.sum_of(|value| value == 0)
    }

    /// Returns the number of positions that the player to move loses.
    pub fn losses(&self) -> u64 {
        self.sum_of(|value| value < 0)
    }

    fn sum_of(&self, is_counted: impl Fn(i8) -> bool) -> u64 {
        let counted = self.iter().filter(|&(value, _)| is_counted(value));
        counted.map(|(_, count)| count).sum()
    }

    fn add(&mut self, other: &Distribution) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }
}

/// The numbers of legal positions without regard to a preceding pass and to which color
/// is to move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Positions on the board.
    pub all: Distribution,
    /// Positions up to the symmetries of the board.
    pub distinct: Distribution,
}

impl Counts {
    /// Adds positions, given by their number for each entry of a block; each counts as so
    /// many positions on the board and up to symmetry.
    pub(super) fn add(&mut self, numbers: &[u64; 256], all: u64, distinct: u64) {
        let first = usize::from(BIAS) - MAX_VALUE as usize;
        let numbers = numbers[first..].iter();
        let counts = self.all.0.iter_mut().zip(&mut self.distinct.0);
        for (number, (in_all, in_distinct)) in numbers.zip(counts) {
            *in_all += number * all;
            *in_distinct += number * distinct;
        }
    }

    /// Returns all numbers: those of all positions from -25 on, then those up to symmetry.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let Counts { all, distinct } = self;
        all.0.iter().chain(&distinct.0).copied()
    }

    /// Creates counts from their numbers, in the order of [`Counts::numbers`].
    ///
    /// # Errors
    /// If these are not the numbers of positions with each value.
    fn from_numbers(numbers: impl Iterator<Item = u64>) -> Result<Counts, String> {
        let mut all: Vec<u64> = numbers.collect();
        let distinct = all.split_off(VALUES.min(all.len()));
        Ok(Counts {
            all: all.try_into()?,
            distinct: distinct.try_into()?,
        })
    }

    /// Adds the positions of other counts.
    pub fn merge(&mut self, other: &Counts) {
        self.all.add(&other.all);
        self.distinct.add(&other.distinct);
    }
}
