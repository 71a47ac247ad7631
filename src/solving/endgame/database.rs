//! The database: the bounds of all boards with up to some number of stones, and the retrograde
//! analysis that computes a layer from the one below.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use thiserror::Error;

use super::MAX_STONES;
use super::board::{Board, Successor};
use crate::base::threads::run_on;
use crate::games::awari::{GrandSlam, Player, Position, Repetition, STONES, Scores, Variant};

/// Proven bounds on the share of the player to move of the stones on the board. The
/// [module](super) defines the share, and says in which games the bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The player to move can secure at least this many stones.
    pub low: u8,
    /// The opponent can limit the player to move to at most this many stones.
    pub high: u8,
}

/// The bounds that each byte encodes.
static BOUNDS_OF_BYTE: [Option<Bounds>; 256] = {
    let mut bounds = [None; 256];
    let mut high = 0;
    while high <= MAX_STONES {
        let mut low = 0;
        while low <= high {
            let byte = Bounds { low, high }.to_byte();
            bounds[byte as usize] = Some(Bounds { low, high });
            low += 1;
        }
        high += 1;
    }
    bounds
};

impl Bounds {
    /// Returns the bounds of a known share.
    pub const fn exactly(stones: u8) -> Bounds {
        Bounds {
            low: stones,
            high: stones,
        }
    }

    /// Returns the share, if it is known.
    pub fn value(self) -> Option<u8> {
        (self.low == self.high).then_some(self.low)
    }

    /// Encodes the bounds, which must be at most [`MAX_STONES`], as a byte.
    #[inline]
    pub(super) const fn to_byte(self) -> u8 {
        let high = self.high as u16;
        (high * (high + 1) / 2 + self.low as u16) as u8
    }

    /// Decodes a byte, if it is valid.
    #[inline]
    fn from_byte(byte: u8) -> Option<Bounds> {
        BOUNDS_OF_BYTE.get(usize::from(byte)).copied().flatten()
    }

    /// Decodes the byte of a board with this many stones; an invalid byte gives the trivial
    /// bounds.
    #[inline]
    fn from_byte_or_trivial(byte: u8, stones: u8) -> Bounds {
        Bounds::from_byte(byte).unwrap_or(Bounds {
            low: 0,
            high: stones,
        })
    }
}

/// The bounds of all boards with up to some number of stones, for one variant.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gothello::awari::{Position, Variant};
/// use gothello::endgame::Database;
///
/// let stop = AtomicBool::new(false);
/// let database = Database::build(Variant::default(), 4, 1, &stop).unwrap();
/// let position: Position = "0,0,0,0,0,1/0,0,0,0,0,2 23 22 n".parse()?;
/// let bounds = database.look_up(&position).unwrap();
/// assert!(bounds.low <= bounds.high && bounds.high <= 3);
/// # Ok::<(), gothello::awari::ParsePositionError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Database {
    pub(super) variant: Variant,
    pub(super) stones: u8,
    /// The bounds of each board as a byte: first the board without stones, then those with
    /// one stone in the order of their indices, and so on.
    pub(super) bytes: Vec<u8>,
}

/// A board whose bounds contradict those of the boards after its moves.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the board {pits:?} (pits of the player to move first) has the bounds {} to {}, but the boards \
     after its moves give {} to {}",
    found.low,
    found.high,
    expected.low,
    expected.high
)]
#[non_exhaustive]
pub struct Contradiction {
    /// The stones in the pits, those of the player to move first.
    pub pits: [u8; 12],
    /// The bounds of the board.
    pub found: Bounds,
    /// The bounds that follow from the boards after its moves.
    pub expected: Bounds,
}

impl Database {
    /// Creates a database with the empty board only.
    pub fn new(variant: Variant) -> Database {
        Database {
            variant,
            stones: 0,
            bytes: vec![Bounds::exactly(0).to_byte()],
        }
    }

    /// Computes a database with up to this many stones, at most [`MAX_STONES`]; returns `None`
    /// if it was stopped.
    pub fn build(
        variant: Variant,
        stones: u8,
        threads: usize,
        stop: &AtomicBool,
    ) -> Option<Database> {
        let mut database = Database::new(variant);
        while database.stones < stones.min(MAX_STONES) {
            database.grow(threads, stop, &|_| ())?;
        }
        Some(database)
    }

    /// Computes and adds the next layer, the boards with one stone more; returns `None` if it was
    /// stopped, or if the database already has [`MAX_STONES`]. Calls `on_progress` from time to
    /// time with the number of changes to bounds so far.
    pub fn grow(
        &mut self,
        threads: usize,
        stop: &AtomicBool,
        on_progress: &(dyn Fn(u64) + Sync),
    ) -> Option<()> {
        if self.stones >= MAX_STONES {
            return None;
        }
        let layer = Layer::new(self);
        let job = Job {
            threads,
            stop,
            on_progress,
            changes: AtomicU64::new(0),
        };
        for phase in [RetrogradePhase::Safety, RetrogradePhase::Reachability] {
            for word in &layer.dirty {
                word.store(u64::MAX, Ordering::Relaxed);
            }
            while layer.sweep(phase, &job) {}
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let bounds = layer.bounds.into_iter().map(AtomicU8::into_inner);
        self.bytes.extend(bounds);
        self.stones += 1;
        Some(())
    }

    /// Returns the variant of the rules.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the largest number of stones on its boards.
    pub fn stones(&self) -> u8 {
        self.stones
    }

    /// Returns the encoded bounds of the boards with this many stones; empty if the database
    /// does not have them.
    pub fn layer(&self, stones: u8) -> &[u8] {
        if stones > self.stones {
            return &[];
        }
        let first = Board::count_below(stones);
        let layer = self.bytes.get(first..first + Board::count(stones));
        layer.unwrap_or_default()
    }

    /// Returns the number of boards with this many stones, at most [`MAX_STONES`].
    pub fn board_count(stones: u8) -> usize {
        Board::count(stones.min(MAX_STONES))
    }

    /// Returns the number of boards with this many stones whose bounds are exact.
    pub fn exact_count(&self, stones: u8) -> usize {
        let bounds = self.layer(stones).iter();
        let is_exact = |&&byte: &&u8| {
            let bounds = Bounds::from_byte(byte);
            bounds.is_some_and(|bounds| bounds.value().is_some())
        };
        bounds.filter(is_exact).count()
    }

    /// Returns the average difference between the bounds of a board with this many stones.
    pub fn average_gap(&self, stones: u8) -> f64 {
        let bounds = self.layer(stones).iter();
        let gaps = bounds.map(|&byte| {
            let Bounds { low, high } = Bounds::from_byte_or_trivial(byte, stones);
            u64::from(high - low)
        });
        gaps.sum::<u64>() as f64 / self.layer(stones).len().max(1) as f64
    }

    /// Returns the bounds on the share of the player to move; `None` if the position has more
    /// stones on the board than the database.
    #[inline]
    pub fn look_up(&self, position: &Position) -> Option<Bounds> {
        // Rejects most positions of a search quickly.
        let Scores { south, north } = position.scores();
        if south + north + self.stones < STONES {
            return None;
        }
        Board::from_position(position).map(|board| self.bounds_of(board))
    }

    /// Returns the bounds of the board with these stones in the pits from `a` to `F` and
    /// `mover` to move, who may have no stones; `None` if it has more stones than the database.
    #[inline]
    pub fn look_up_pits(&self, pits: &[u8; 12], mover: Player) -> Option<Bounds> {
        let board = Board::from_pits(pits, mover)?;
        (board.stones() <= self.stones).then(|| self.bounds_of(board))
    }

    /// Returns the bounds of a board that is in the database.
    #[inline]
    fn bounds_of(&self, board: Board) -> Bounds {
        let stones = board.stones();
        let byte = self.bytes.get(Board::count_below(stones) + board.index());
        Bounds::from_byte_or_trivial(byte.copied().unwrap_or(u8::MAX), stones)
    }

    /// Checks that the bounds of a board agree with those of the boards after its moves.
    /// Boards are numbered from 0 through all layers.
    ///
    /// # Errors
    ///
    /// If they do not.
    pub fn check(&self, number: usize) -> Result<(), Contradiction> {
        let is_below = |stones: &u8| Board::count_below(stones + 1) <= number;
        let stones = (0..self.stones).take_while(is_below).count() as u8;
        let board = Board::from_index(stones, number - Board::count_below(stones));
        let found = self.bounds_of(board);
        let next = back_up(board, self.variant.grand_slam, |next| self.bounds_of(next));
        if found == next {
            return Ok(());
        }
        Err(Contradiction {
            pits: board.pits(Player::North),
            found,
            expected: next,
        })
    }

    /// Returns the number of boards, which is the size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether there are no boards. Every database has at least the board without
    /// stones.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Returns the bounds of a board that follow from those of the boards after its moves; zero
/// if the game is over.
#[inline]
fn back_up(board: Board, rule: GrandSlam, bounds_of: impl Fn(Board) -> Bounds) -> Bounds {
    let stones = board.stones();
    let mut best = Bounds::exactly(0);
    board.successors(rule, |successor| {
        let next = match successor {
            Successor::End(share) => Bounds::exactly(stones - share),
            Successor::Board(next) => bounds_of(next),
        };
        best.low = best.low.max(stones.saturating_sub(next.high));
        best.high = best.high.max(stones.saturating_sub(next.low));
    });
    best
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Database");
        shown.field("variant", &self.variant);
        shown.field("stones", &self.stones).finish_non_exhaustive()
    }
}

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
enum RetrogradePhase {
    /// Finds what the players can keep forever: bounds become wider.
    Safety,
    /// Finds what the players can reach: bounds become tighter.
    Reachability,
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
        let stones = below.stones + 1;
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
    fn sweep(&self, phase: RetrogradePhase, job: &Job<'_>) -> bool {
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
    fn sweep_word(&self, phase: RetrogradePhase, first: usize, word: &AtomicU64) -> u64 {
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
    fn update(&self, phase: RetrogradePhase, board: Board, bounds: &AtomicU8) -> bool {
        let known = Bounds::from_byte_or_trivial(bounds.load(Ordering::Relaxed), self.stones);
        if board.is_over() || phase == RetrogradePhase::Reachability && known.low == known.high {
            return false;
        }
        let rule = self.below.variant().grand_slam;
        let next = back_up(board, rule, |next| self.bounds_of(next));
        let found = match phase {
            RetrogradePhase::Safety => Bounds {
                low: known.low.min(next.low),
                high: known.high.max(next.high),
            },
            RetrogradePhase::Reachability => Bounds {
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
