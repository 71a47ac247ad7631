//! A transposition table: what searches have found out about positions.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::allocation::{try_zeroed_slice_box, zeroed_slice_box};

use super::bounds::Bounds;
use super::symmetry::Key;
use crate::gothello::{Move, Point};

/// A table of fixed size that any number of threads share without locks.
///
/// An entry is one number of 64 bits, so that it is always read and written
/// whole. It holds so much of the key that, with its place, it is that of one
/// position only: the table never confuses two.
#[derive(Debug)]
pub struct Table {
    /// Buckets of eight entries, after `first` that are not used.
    entries: Box<[AtomicU64]>,
    /// Where a line of the processor's cache begins.
    first: usize,
    /// The number of buckets is 2 to this power.
    bits: u32,
}

/// So many entries share a line of the processor's cache. A new entry takes the
/// place of the one that took the least work.
const BUCKET: usize = 8;

/// Such entries.
type Bucket = [AtomicU64; BUCKET];

/// There is no memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory for a table of {megabytes} MB")]
pub struct OutOfMemory {
    /// How large it should have been, in MiB.
    pub megabytes: usize,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The value for the player to move if the move before was no pass.
    pub bounds: Bounds,
    /// The move that showed that the value is at least the lower bound, on the
    /// board that the key describes.
    pub best: Option<Move>,
    /// The binary logarithm of the number of positions that were searched.
    pub work: u8,
}

/// The bits of an entry, from the lowest: both bounds (6 bits each, 32 more
/// than the value), the best move (5 bits: a point's index, [`PASS`] or
/// [`NONE`]), the work (5 bits), and the rest of the key.
const REST: u32 = 22;
const PASS: u64 = 30;
const NONE: u64 = 31;

const KEY_MASK: u64 = (1 << Key::BITS) - 1;

impl Table {
    /// The largest table that fits in so many MiB, or in what the system gives;
    /// at least 16 KiB.
    pub fn new(megabytes: usize) -> Table {
        let sizes = iter::successors(Some(megabytes), |&size| Some(size / 2));
        let mut sizes = sizes.take_while(|&size| size > 0);
        let table = sizes.find_map(|size| Table::try_new(size).ok());
        table.unwrap_or_else(|| {
            let (bits, length) = Table::size(0);
            Table::of(zeroed_slice_box(length), bits)
        })
    }

    /// The largest table that fits in so many MiB; at least 16 KiB. The memory is
    /// asked for at once, but most systems give it only as it is filled.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn try_new(megabytes: usize) -> Result<Table, OutOfMemory> {
        let (bits, length) = Table::size(megabytes);
        let entries = try_zeroed_slice_box(length);
        let entries = entries.map_err(|()| OutOfMemory { megabytes })?;
        Ok(Table::of(entries, bits))
    }

    fn of(entries: Box<[AtomicU64]>, bits: u32) -> Table {
        let first = entries.as_ptr().align_offset(size_of::<Bucket>());
        Table {
            entries,
            // Where that cannot be told, any place will do.
            first: first.min(BUCKET),
            bits,
        }
    }

    /// The binary logarithm of the number of buckets that fit in so many MiB, and
    /// how many entries are needed if they are to begin where a line does.
    fn size(megabytes: usize) -> (u32, usize) {
        let most = megabytes.saturating_mul(1 << 20) / size_of::<Bucket>();
        let bits = most.max(1 << 8).ilog2();
        (bits, BUCKET * ((1 << bits) + 1))
    }

    #[inline]
    fn bucket(&self, place: usize) -> Option<&Bucket> {
        let entries = self.entries.get(self.first + BUCKET * place..)?;
        entries.first_chunk()
    }

    /// Where a key belongs, and the rest of it, which tells it from the others
    /// that belong there: the high and the low bits of the key after a
    /// scrambling that can be undone (each step is a bijection on 50 bits).
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

    /// Reads from the place where a key belongs, so that it is soon in the
    /// processor's cache. The result means nothing.
    #[inline]
    pub(super) fn touch(&self, key: Key) -> u64 {
        let bucket = self.bucket(self.place(key).0);
        bucket.map_or(0, |bucket| bucket[0].load(Ordering::Relaxed))
    }

    /// What is known of a position.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Entry> {
        let (place, rest) = self.place(key);
        self.bucket(place)?
            .iter()
            .map(|entry| entry.load(Ordering::Relaxed))
            .find(|&bits| bits >> REST == rest && bits != 0)
            .map(Entry::from_bits)
    }

    /// Remembers what was found out, beside what is known already.
    #[inline]
    pub(super) fn put(&self, key: Key, mut entry: Entry) {
        let (place, rest) = self.place(key);
        let Some(entries) = self.bucket(place) else {
            return;
        };
        let mut least = u8::MAX;
        let mut chosen = None;
        for slot in entries {
            let bits = slot.load(Ordering::Relaxed);
            if bits >> REST == rest && bits != 0 {
                let known = Entry::from_bits(bits);
                entry.bounds = entry.bounds.and(known.bounds);
                entry.best = entry.best.or(known.best);
                entry.work = entry.work.max(known.work);
                chosen = Some(slot);
                break;
            }
            let work = if bits == 0 {
                0
            } else {
                Entry::from_bits(bits).work + 1
            };
            if work < least {
                (least, chosen) = (work, Some(slot));
            }
        }
        debug_assert!(entry.bounds.low <= entry.bounds.high, "{key:?} {entry:?}");
        if let Some(slot) = chosen {
            slot.store(entry.to_bits() | rest << REST, Ordering::Relaxed);
        }
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
            | u64::from(self.work.min(31)) << 17
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
            work: (bits >> 17 & 31) as u8,
        }
    }
}

/// A move in 5 bits: a point's index, or [`PASS`].
#[inline]
pub(super) fn move_to_bits(mv: Move) -> u64 {
    match mv {
        Move::Pass => PASS,
        Move::Place(point) => point.index() as u64,
    }
}

/// The move of 5 bits, if they are one.
#[inline]
pub(super) fn move_from_bits(bits: u64) -> Option<Move> {
    match bits {
        PASS => Some(Move::Pass),
        index => Point::ALL.get(index as usize).copied().map(Move::Place),
    }
}
