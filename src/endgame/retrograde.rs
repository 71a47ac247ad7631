//! Retrograde analysis: computing a layer from the one below.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use super::board::Board;
use super::database::{Bounds, Database, back_up};
use crate::awari::Repetition;
use crate::threads::run_on;

/// The number of boards whose dirty bits are in one word.
const WORD: usize = u64::BITS as usize;

/// The number of words that a thread takes at a time.
const CHUNK: usize = 256;

/// The boards with one stone more than a database has, while their bounds are computed.
struct Layer<'a> {
    below: &'a Database,
    stones: u8,
    /// The encoded bounds. Only the thread that updates a board writes its bounds. Another
    /// thread may read outdated bounds meanwhile. This does no harm: its board is marked as
    /// dirty again, and bounds move in one direction only.
    bounds: Vec<AtomicU8>,
    /// A bit for each board that is to be updated, because the bounds of a successor have
    /// changed.
    dirty: Vec<AtomicU64>,
}

/// The settings and the progress of a computation.
struct Job<'a> {
    threads: usize,
    stop: &'a AtomicBool,
    on_progress: &'a (dyn Fn(u64) + Sync),
    /// The number of changes so far.
    changes: AtomicU64,
}

/// A phase of the algorithm; see the [module](super).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Finds what the players can keep forever: bounds become wider.
    Safety,
    /// Finds what the players can reach: bounds become tighter.
    Reachability,
}

impl Database {
    /// Computes the next layer, the encoded bounds of the boards with one stone more; returns
    /// `None` if it was stopped, or if the database already has [`MAX_STONES`]. Calls
    /// `on_progress` from time to time with the number of changes to bounds so far.
    ///
    /// [`MAX_STONES`]: super::MAX_STONES
    pub fn next_layer(
        &self,
        threads: usize,
        stop: &AtomicBool,
        on_progress: &(dyn Fn(u64) + Sync),
    ) -> Option<Vec<u8>> {
        if self.next_stones() == self.stones() {
            return None;
        }
        let layer = Layer::new(self);
        let job = Job {
            threads,
            stop,
            on_progress,
            changes: AtomicU64::new(0),
        };
        for phase in [Phase::Safety, Phase::Reachability] {
            for word in &layer.dirty {
                word.store(u64::MAX, Ordering::Relaxed);
            }
            while layer.sweep(phase, &job) {}
        }
        let bounds = layer.bounds.into_iter().map(AtomicU8::into_inner);
        (!stop.load(Ordering::Relaxed)).then(|| bounds.collect())
    }
}

/// Returns the share that a repetition of a board gives the player to move.
fn repetition_share(board: Board, repetition: Repetition) -> Bounds {
    match repetition {
        Repetition::Claim => Bounds::exactly(board.mover_stones()),
        // Each player gets half.
        Repetition::Discard => {
            let stones = board.stones();
            Bounds {
                low: stones / 2,
                high: stones.div_ceil(2),
            }
        }
    }
}

impl<'a> Layer<'a> {
    fn new(below: &'a Database) -> Layer<'a> {
        let stones = below.next_stones();
        let count = Board::count(stones);
        let mut board = Some(Board::from_index(stones, 0));
        let mut bounds = Vec::with_capacity(count);
        while let Some(this) = board {
            let first = if this.is_over() {
                Bounds::exactly(0)
            } else {
                repetition_share(this, below.variant().repetition)
            };
            bounds.push(AtomicU8::new(first.to_byte()));
            board = this.next();
        }
        let words = (0..count.div_ceil(WORD)).map(|_| AtomicU64::new(0));
        Layer {
            below,
            stones,
            bounds,
            dirty: words.collect(),
        }
    }

    /// Updates all dirty boards. Returns whether another sweep is needed because bounds have
    /// changed; `false` if it was stopped.
    fn sweep(&self, phase: Phase, job: &Job<'_>) -> bool {
        let next = AtomicUsize::new(0);
        let before = job.changes.load(Ordering::Relaxed);
        let run = || {
            while !job.stop.load(Ordering::Relaxed) {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= self.dirty.len() {
                    break;
                }
                let words = self.dirty.iter().enumerate().skip(first).take(CHUNK);
                let sweep = |(index, word)| self.sweep_word(phase, WORD * index, word);
                let changes = words.map(sweep).sum();
                let before = job.changes.fetch_add(changes, Ordering::Relaxed);
                (job.on_progress)(before + changes);
            }
        };
        run_on(job.threads, run);
        job.changes.load(Ordering::Relaxed) > before && !job.stop.load(Ordering::Relaxed)
    }

    /// Updates the dirty boards of a word, the first of which has the index `first`. Returns
    /// the number of changes.
    fn sweep_word(&self, phase: Phase, first: usize, word: &AtomicU64) -> u64 {
        if word.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        // Synchronizes with the thread that changed bounds and then marked a board.
        let mut dirty = word.swap(0, Ordering::Acquire);
        let skipped = dirty.trailing_zeros();
        dirty >>= skipped;
        let Some(rest) = self.bounds.get(first + skipped as usize..) else {
            return 0;
        };
        let mut changes = 0;
        let mut board = Board::from_index(self.stones, first + skipped as usize);
        for bounds in rest {
            if dirty & 1 != 0 {
                changes += u64::from(self.update(phase, board, bounds));
            }
            dirty >>= 1;
            match board.next() {
                Some(next) if dirty != 0 => board = next,
                _ => break,
            }
        }
        changes
    }

    /// Updates the bounds of a board and, if they change, marks its predecessors as dirty.
    /// Returns whether they have changed.
    #[inline]
    fn update(&self, phase: Phase, board: Board, bounds: &AtomicU8) -> bool {
        let known = Bounds::from_byte_or_trivial(bounds.load(Ordering::Relaxed), self.stones);
        if board.is_over() || phase == Phase::Reachability && known.low == known.high {
            return false;
        }
        let rule = self.below.variant().grand_slam;
        let next = back_up(board, rule, |next| self.bounds_of(next));
        let found = match phase {
            Phase::Safety => Bounds {
                low: known.low.min(next.low),
                high: known.high.max(next.high),
            },
            Phase::Reachability => Bounds {
                low: known.low.max(next.low),
                high: known.high.min(next.high),
            },
        };
        if found == known {
            return false;
        }
        bounds.store(found.to_byte(), Ordering::Relaxed);
        board.predecessors(|before| {
            let index = before.index();
            if let Some(word) = self.dirty.get(index / WORD) {
                word.fetch_or(1 << (index % WORD), Ordering::Release);
            }
        });
        true
    }

    /// Returns the current bounds of a board.
    #[inline]
    fn bounds_of(&self, board: Board) -> Bounds {
        if board.stones() < self.stones {
            return self.below.bounds_of(board);
        }
        let byte = self.bounds.get(board.index());
        let byte = byte.map_or(u8::MAX, |byte| byte.load(Ordering::Relaxed));
        Bounds::from_byte_or_trivial(byte, self.stones)
    }
}
