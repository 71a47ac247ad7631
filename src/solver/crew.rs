//! Threads that search together, and what stops them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use super::search::Path;
use super::symmetry::Key;
use super::table::Table;

/// With fewer empty points than this, threads do not divide the moves of a
/// position among them.
const SHARED_EMPTY: u32 = 12;

/// What limits a search, and who watches it: by default nothing and nobody.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::gothello::Position;
/// use gothello::solver::{Control, Solver};
///
/// let control = Control::default().within(Duration::from_millis(50));
/// let proven = Solver::default().solve_within(&Position::START, &control);
/// assert_eq!(proven.outcome(), None); // It takes longer than that.
/// ```
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// The search stops soon after this is set.
    pub stop: &'a AtomicBool,
    /// The search stops soon after this time, if there is one.
    pub deadline: Option<Instant>,
    /// Is told how it goes, every few hundred microseconds and by one thread of
    /// each search.
    pub on_progress: &'a (dyn Fn(&Progress) + Sync),
}

/// A flag that is never set.
pub(crate) static NEVER_SET: AtomicBool = AtomicBool::new(false);

impl Control<'_> {
    /// Nothing limits the search, and nobody watches it.
    pub const UNLIMITED: Control<'static> = Control::until(&NEVER_SET);
}

impl<'a> Control<'a> {
    /// Nothing but `stop` limits the search, and nobody watches it.
    pub const fn until(stop: &'a AtomicBool) -> Control<'a> {
        Control {
            stop,
            deadline: None,
            on_progress: &|_| (),
        }
    }

    /// Stops the search when `time` from now is over, if it has no earlier deadline.
    pub fn within(self, time: Duration) -> Control<'a> {
        // What no clock can tell is never.
        let end = Instant::now().checked_add(time);
        Control {
            deadline: self.deadline.into_iter().chain(end).min(),
            ..self
        }
    }

    /// Stops the search soon after `stop` is set, and no other flag.
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Control<'a> {
        Control { stop, ..self }
    }

    /// Tells `watch` how the search goes, and nobody else.
    pub fn reporting_to(self, on_progress: &'a (dyn Fn(&Progress) + Sync)) -> Control<'a> {
        Control {
            on_progress,
            ..self
        }
    }
}

impl Default for Control<'_> {
    fn default() -> Self {
        Control::UNLIMITED
    }
}

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is proven of the value of the position for the player to move.
    pub bounds: Bounds,
    /// What is being asked: is the value at least this?
    pub beta: i8,
    /// Positions searched.
    pub positions: u64,
}

/// Why a search gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The search is not to go on.
    Interrupted,
    /// Another thread has answered the question at this ply of the path.
    Settled(usize),
}

/// What the threads that work on one question share beside the table.
///
/// All of them search the same position, and what one finds out the others find
/// in the table. A position that a thread is searching is marked, so that the
/// others take its other siblings first.
pub(super) struct Crew<'a> {
    control: &'a Control<'a>,
    threads: usize,
    /// What is told to those who watch.
    progress: Progress,
    /// Positions searched by all threads, as far as they have told.
    positions: &'a AtomicU64,
    /// One of them has the answer.
    done: AtomicBool,
    /// The keys of positions that are being searched, at their hashes.
    busy: Box<[AtomicU64]>,
}

/// How many marks there are: many more than positions that are searched at the
/// same time.
const MARKS: u64 = 1 << 12;

/// No key.
const FREE: u64 = u64::MAX;

/// The mark of a position that is being searched, until it is dropped.
pub(super) struct Mark<'a> {
    slot: &'a AtomicU64,
    key: u64,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        let _ = self
            .slot
            .compare_exchange(self.key, FREE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl<'a> Crew<'a> {
    pub fn new(
        control: &'a Control<'a>,
        threads: usize,
        positions: &'a AtomicU64,
        bounds: Bounds,
        wanted: i8,
    ) -> Crew<'a> {
        let marks = if threads > 1 { MARKS } else { 1 };
        Crew {
            control,
            threads,
            progress: Progress {
                bounds,
                beta: wanted,
                positions: 0,
            },
            positions,
            done: AtomicBool::new(false),
            busy: (0..marks).map(|_| AtomicU64::new(FREE)).collect(),
        }
    }

    /// Whether threads divide the moves of a position with so many empty
    /// points.
    #[inline]
    pub fn shares(&self, empty: u32) -> bool {
        self.threads > 1 && empty >= SHARED_EMPTY
    }

    /// So many more positions were searched.
    pub fn count(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    /// One thread has the answer: the others need not search on.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    fn slot(&self, key: Key) -> Option<&AtomicU64> {
        let hash = key.number().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        self.busy.get(hash as usize % self.busy.len())
    }

    /// Marks a position as being searched.
    pub fn enter(&self, key: Key) -> Option<Mark<'_>> {
        let slot = self.slot(key)?;
        slot.store(key.number(), Ordering::Relaxed);
        Some(Mark {
            slot,
            key: key.number(),
        })
    }

    /// Whether a thread is searching a position. Now and then one is missed.
    pub fn is_busy(&self, key: Key) -> bool {
        self.slot(key)
            .is_some_and(|slot| slot.load(Ordering::Relaxed) == key.number())
    }

    /// Looks at the clock, and whether one of the questions on the path has
    /// been answered by another thread.
    pub fn check(&self, table: &Table, path: &Path) -> Result<(), Stopped> {
        let control = self.control;
        if self.done.load(Ordering::Relaxed)
            || control.stop.load(Ordering::Relaxed)
            || (control.deadline).is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Stopped::Interrupted);
        }
        if self.threads > 1 {
            for (ply, &(key, wanted)) in path.iter().enumerate() {
                let entry = key.and_then(|key| table.get(key));
                if entry.is_some_and(|entry| entry.bounds.answer(wanted).is_some()) {
                    return Err(Stopped::Settled(ply));
                }
            }
        }
        Ok(())
    }

    /// Tells whoever watches how it goes.
    pub fn show(&self) {
        (self.control.on_progress)(&Progress {
            positions: self.positions.load(Ordering::Relaxed),
            ..self.progress
        });
    }
}
