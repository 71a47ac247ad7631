//! Parallel search over a shared table.
//!
//! All threads search the same position and find each other's results in the
//! transposition table. As in ABDADA (Weill, 1996), a position that a thread is
//! searching is marked as busy, so that the other threads search its siblings first.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrayvec::ArrayVec;

use super::bounds::Bounds;
use super::control::{Control, Progress};
use super::symmetry::Key;
use super::table::SharedTable;

/// The minimum number of empty points for threads to divide the moves of a position.
const MIN_SHARED_EMPTY: u32 = 12;

/// An upper bound on the length of a line: 25 placements, each after a pass.
pub const MAX_PLIES: usize = 64;

/// Why a search returned no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// The search was stopped, or another thread finished it.
    Stopped,
    /// Another thread has found the result of the position at this ply of the path.
    Decided(usize),
}

/// The null-window searches from the root to the current position: the key, unless the
/// position is not looked up in the table, and beta.
pub type SearchPath = ArrayVec<(Option<Key>, i8), MAX_PLIES>;

/// The state that the threads of one null-window search share, besides the table.
pub struct SharedSearch<'a> {
    control: &'a Control<'a>,
    threads: usize,
    progress: Progress,
    /// The number of positions searched by all threads, as far as reported.
    positions: &'a AtomicU64,
    /// Whether a thread has finished.
    done: AtomicBool,
    /// The keys of the busy positions, at the places of their hashes.
    busy: Box<[AtomicU64]>,
}

/// The number of places for busy marks: many more than there are busy positions.
const BUSY_PLACES: usize = 1 << 12;

/// The content of a free place, which is not a key.
const FREE: u64 = u64::MAX;

/// Marks a position as busy until it is dropped.
pub struct BusyMark<'a> {
    place: &'a AtomicU64,
    key: u64,
}

impl Drop for BusyMark<'_> {
    fn drop(&mut self) {
        let _ = self
            .place
            .compare_exchange(self.key, FREE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl<'a> SharedSearch<'a> {
    pub fn new(
        control: &'a Control<'a>,
        threads: usize,
        positions: &'a AtomicU64,
        bounds: Bounds,
        beta: i8,
    ) -> SharedSearch<'a> {
        let places = if threads > 1 { BUSY_PLACES } else { 1 };
        SharedSearch {
            control,
            threads,
            progress: Progress {
                bounds,
                beta,
                positions: 0,
            },
            positions,
            done: AtomicBool::new(false),
            busy: (0..places).map(|_| AtomicU64::new(FREE)).collect(),
        }
    }

    /// Returns whether threads divide the moves of a position with this many empty
    /// points.
    #[inline]
    pub fn divides(&self, empty: u32) -> bool {
        self.threads > 1 && empty >= MIN_SHARED_EMPTY
    }

    /// Adds to the number of positions searched.
    pub fn count(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
        self.control.spend(positions);
    }

    /// Stops the other threads when one has finished.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    fn place(&self, key: Key) -> Option<&AtomicU64> {
        let hash = key.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        self.busy.get(hash as usize % self.busy.len())
    }

    /// Marks a position as busy.
    pub fn mark(&self, key: Key) -> Option<BusyMark<'_>> {
        let place = self.place(key)?;
        place.store(key.number(), Ordering::Relaxed);
        Some(BusyMark {
            place,
            key: key.number(),
        })
    }

    /// Returns whether a thread is searching a position. May return `false` if the mark of
    /// another position has replaced its mark.
    pub fn is_busy(&self, key: Key) -> bool {
        self.place(key)
            .is_some_and(|place| place.load(Ordering::Relaxed) == key.number())
    }

    /// Checks the limits, and whether another thread has found the result of a position
    /// on the line.
    pub fn check(&self, table: &SharedTable, path: &SearchPath) -> Result<(), Abort> {
        if self.done.load(Ordering::Relaxed) || self.control.is_over() {
            return Err(Abort::Stopped);
        }
        if self.threads > 1 {
            for (ply, &(key, beta)) in path.iter().enumerate() {
                let entry = key.and_then(|key| table.get(key));
                if entry.is_some_and(|entry| entry.bounds.cutoff(beta).is_some()) {
                    return Err(Abort::Decided(ply));
                }
            }
        }
        Ok(())
    }

    /// Reports the progress.
    pub fn report(&self) {
        (self.control.on_progress)(&Progress {
            positions: self.positions.load(Ordering::Relaxed),
            ..self.progress
        });
    }
}
