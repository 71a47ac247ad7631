//! The transposition table, which all threads share without locks.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::allocation::{try_zeroed_slice_box, zeroed_slice_box};

use super::bounds::Bounds;
use super::symmetry::Key;
use crate::games::gothello::{Move, Point};

/// A transposition table of fixed size that any number of threads share without locks.
///
/// An entry is one atomic 64-bit word, so it is never torn. Together with its place it
/// determines the whole key, so the table never confuses two positions.
#[derive(Debug)]
pub struct SharedTable {
    /// Buckets of eight entries, after `first` unused ones.
    entries: Box<[AtomicU64]>,
    /// The index of the first entry that begins a cache line.
    first: usize,
    /// The binary logarithm of the number of buckets.
    bits: u32,
}

/// The number of entries in a bucket, which is a cache line. A new entry replaces the
/// one with the minimum effort.
const BUCKET: usize = 8;

/// The entries of one cache line.
type Bucket = [AtomicU64; BUCKET];

/// The system has no memory for a transposition table of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory for a table of {memory_mib} MiB")]
pub struct OutOfMemory {
    /// The size, in MiB.
    pub memory_mib: usize,
}

/// The entry of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bounds on the value for the player to move if the preceding move was not a
    /// pass.
    pub bounds: Bounds,
    /// The move that proved the lower bound, on the board that the key describes.
    pub best: Option<Move>,
    /// The binary logarithm of the number of positions searched.
    pub effort: u8,
}

/// The first bit of the part of the key in an entry. The bits from the lowest: both
/// bounds (6 bits each, plus 32), the best move (5 bits: the index of a point, [`PASS`]
/// or [`NONE`]), the effort (5 bits), and the part of the key that the place does not
/// determine.
const KEY_SHIFT: u32 = 22;
const PASS: u64 = 30;
const NONE: u64 = 31;

const KEY_MASK: u64 = (1 << Key::BITS) - 1;

impl SharedTable {
    /// Creates the largest table that fits in this many MiB, or in the memory that the
    /// system grants; at least 16 KiB.
    pub fn new(memory_mib: usize) -> SharedTable {
        let sizes = iter::successors(Some(memory_mib), |&size| Some(size / 2));
        let mut sizes = sizes.take_while(|&size| size > 0);
        let table = sizes.find_map(|size| SharedTable::try_new(size).ok());
        table.unwrap_or_else(|| {
            let (bits, length) = SharedTable::size(0);
            SharedTable::from_entries(zeroed_slice_box(length), bits)
        })
    }

    /// Creates the largest table that fits in this many MiB; at least 16 KiB. Most
    /// systems provide the memory only as it is filled.
    ///
    /// # Errors
    ///
    /// If the system refuses the memory.
    pub fn try_new(memory_mib: usize) -> Result<SharedTable, OutOfMemory> {
        let (bits, length) = SharedTable::size(memory_mib);
        let entries = try_zeroed_slice_box(length);
        let entries = entries.map_err(|()| OutOfMemory { memory_mib })?;
        Ok(SharedTable::from_entries(entries, bits))
    }

    fn from_entries(entries: Box<[AtomicU64]>, bits: u32) -> SharedTable {
        let first = entries.as_ptr().align_offset(size_of::<Bucket>());
        SharedTable {
            entries,
            // If the offset is unknown, the buckets are not aligned.
            first: first.min(BUCKET),
            bits,
        }
    }

    /// Returns the binary logarithm of the number of buckets that fit in this many MiB,
    /// and the number of entries, which includes a bucket for the alignment.
    fn size(memory_mib: usize) -> (u32, usize) {
        let max = memory_mib.saturating_mul(1 << 20) / size_of::<Bucket>();
        let bits = max.max(1 << 8).ilog2();
        (bits, BUCKET * ((1 << bits) + 1))
    }

    #[inline]
    fn bucket(&self, place: usize) -> Option<&Bucket> {
        let entries = self.entries.get(self.first + BUCKET * place..)?;
        entries.first_chunk()
    }

    /// Returns the bucket of a key and the part of the key that the bucket does not
    /// determine: the high and the low bits of the key after a bijective mixing (each
    /// step is a bijection on 50 bits).
    #[inline]
    fn place(&self, key: Key) -> (usize, u64) {
        let mut bits = key.number();
        bits ^= bits >> 25;
        bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) & KEY_MASK;
        bits ^= bits >> 27;
        bits = bits.wrapping_mul(0xd6e8_feb8_6659_fd93) & KEY_MASK;
        let place = bits >> (Key::BITS - self.bits);
        (place as usize, bits & (KEY_MASK >> self.bits))
    }

    /// Reads from the bucket of a key, to bring it into the processor's cache. The result is
    /// meaningless: it is returned so that the read is not optimized away.
    #[inline]
    pub fn prefetch(&self, key: Key) -> u64 {
        let bucket = self.bucket(self.place(key).0);
        bucket.map_or(0, |bucket| bucket[0].load(Ordering::Relaxed))
    }

    /// Returns the entry of a position; `None` if there is none.
    #[inline]
    pub fn get(&self, key: Key) -> Option<Entry> {
        let (place, rest) = self.place(key);
        self.bucket(place)?
            .iter()
            .map(|entry| entry.load(Ordering::Relaxed))
            .find(|&bits| bits >> KEY_SHIFT == rest && bits != 0)
            .map(Entry::from_bits)
    }

    /// Stores an entry, combined with the bounds that the table already has.
    #[inline]
    pub fn put(&self, key: Key, mut entry: Entry) {
        let (place, rest) = self.place(key);
        let Some(entries) = self.bucket(place) else {
            return;
        };
        let mut least = u8::MAX;
        let mut chosen = None;
        for slot in entries {
            let bits = slot.load(Ordering::Relaxed);
            if bits >> KEY_SHIFT == rest && bits != 0 {
                let known = Entry::from_bits(bits);
                entry.bounds = entry.bounds.intersect(known.bounds);
                entry.best = entry.best.or(known.best);
                entry.effort = entry.effort.max(known.effort);
                chosen = Some(slot);
                break;
            }
            let effort = if bits == 0 {
                0
            } else {
                Entry::from_bits(bits).effort + 1
            };
            if effort < least {
                (least, chosen) = (effort, Some(slot));
            }
        }
        debug_assert!(entry.bounds.low <= entry.bounds.high, "{key:?} {entry:?}");
        if let Some(slot) = chosen {
            slot.store(entry.to_bits() | rest << KEY_SHIFT, Ordering::Relaxed);
        }
    }

    /// Returns all entries.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let used = self
            .entries
            .iter()
            .map(|entry| entry.load(Ordering::Relaxed));
        used.filter(|&bits| bits != 0).map(Entry::from_bits)
    }

    /// Returns how many of a sample of entries are used, in thousandths.
    #[cfg(test)]
    pub fn per_mille_full(&self) -> usize {
        let sample = self.entries.iter().skip(self.first).take(8000);
        let taken = sample.filter(|entry| entry.load(Ordering::Relaxed) != 0);
        taken.count() * 1000 / self.entries.len().min(8000)
    }
}

impl Entry {
    #[inline]
    fn to_bits(self) -> u64 {
        let bound = |value: i8| u64::from((value + 32) as u8);
        let best = self.best.map_or(NONE, move_to_bits);
        bound(self.bounds.low)
            | bound(self.bounds.high) << 6
            | best << 12
            | u64::from(self.effort.min(31)) << 17
    }

    #[inline]
    fn from_bits(bits: u64) -> Entry {
        let bound = |bits: u64| (bits & 63) as i8 - 32;
        let best = move_from_bits(bits >> 12 & 31);
        Entry {
            bounds: Bounds {
                low: bound(bits),
                high: bound(bits >> 6),
            },
            best,
            effort: (bits >> 17 & 31) as u8,
        }
    }
}

/// Encodes a move in 5 bits: the index of a point, or [`PASS`].
#[inline]
fn move_to_bits(mv: Move) -> u64 {
    match mv {
        Move::Pass => PASS,
        Move::Place(point) => point.index() as u64,
    }
}

/// Decodes a move of 5 bits, if they are valid.
#[inline]
fn move_from_bits(bits: u64) -> Option<Move> {
    match bits {
        PASS => Some(Move::Pass),
        index => Point::ALL.get(index as usize).copied().map(Move::Place),
    }
}
