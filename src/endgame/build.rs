//! How a database comes about: stone by stone, as captures lead to boards with
//! fewer.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use super::board::{Board, Reached};
use super::bounds::Bounds;
use super::database::Database;
use super::index::count;
use crate::awari::{GrandSlam, Repetition};

/// So many boards are marked in one word.
const WORD: usize = u64::BITS as usize;

/// So many words are looked through by one thread at a time.
const CHUNK: usize = 256;

/// The boards with one stone more than a database has, while their bounds are
/// found out.
struct Layer<'a> {
    below: &'a Database,
    stones: u8,
    /// The bounds as far as they are known. A board's are written by the thread
    /// that looks at it. Whoever reads older ones meanwhile does no harm: the
    /// bounds only ever move in one direction, and his board is marked.
    bounds: Vec<AtomicU8>,
    /// A bit for each board that is to be looked at, as bounds have moved that its
    /// own come from.
    marks: Vec<AtomicU64>,
}

/// Who does it, and who wants to know.
struct Work<'a> {
    threads: usize,
    stop: &'a AtomicBool,
    watch: &'a (dyn Fn(u64) + Sync),
    /// How many bounds have moved.
    moved: AtomicU64,
}

/// The two halves of the work; why they are right stands in the [room](super).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// What a player can keep for ever: bounds become wider.
    Keeping,
    /// What he can reach: bounds become tighter.
    Reaching,
}

impl Database {
    /// The bounds of all boards with one stone more, found with so many threads;
    /// `None` if it was stopped, or there are [`MAX_STONES`] already. `watch` is told
    /// from time to time how many bounds have moved.
    ///
    /// [`MAX_STONES`]: super::MAX_STONES
    pub fn next_layer(
        &self,
        threads: usize,
        stop: &AtomicBool,
        watch: &(dyn Fn(u64) + Sync),
    ) -> Option<Vec<u8>> {
        if self.next_stones() == self.stones() {
            return None;
        }
        let layer = Layer::new(self);
        let work = Work {
            threads,
            stop,
            watch,
            moved: AtomicU64::new(0),
        };
        for half in [Half::Keeping, Half::Reaching] {
            for word in &layer.marks {
                word.store(u64::MAX, Ordering::Relaxed);
            }
            while layer.look_at_marked(half, &work) {}
        }
        let bounds = layer.bounds.into_iter().map(AtomicU8::into_inner);
        (!stop.load(Ordering::Relaxed)).then(|| bounds.collect())
    }
}

/// What a repetition of a board gives the player to move there.
pub(super) fn repeated(board: Board, repetition: Repetition) -> Bounds {
    match repetition {
        Repetition::Claim => Bounds::exactly(board.mine()),
        // Nobody gets anything: so it is as if each got half.
        Repetition::Discard => {
            let stones = board.stones();
            Bounds {
                low: stones / 2,
                high: stones.div_ceil(2),
            }
        }
    }
}

/// What the bounds of the boards that a board's moves lead to say of it. Of a
/// board that is over they say that there is nothing.
#[inline]
pub(super) fn from_moves(
    board: Board,
    rule: GrandSlam,
    bounds_of: impl Fn(Board) -> Bounds,
) -> Bounds {
    let stones = board.stones();
    let better = |best: Bounds, reached| {
        let next = match reached {
            Reached::End(mine) => Bounds::exactly(stones - mine),
            Reached::Next(next) => bounds_of(next),
        };
        Bounds {
            low: best.low.max(stones.saturating_sub(next.high)),
            high: best.high.max(stones.saturating_sub(next.low)),
        }
    };
    let moves = board.moves(rule).into_iter();
    moves.fold(Bounds::exactly(0), better)
}

impl<'a> Layer<'a> {
    fn new(below: &'a Database) -> Layer<'a> {
        let stones = below.next_stones();
        let count = count(stones);
        let mut board = Some(Board::of_number(stones, 0));
        let mut bounds = Vec::with_capacity(count);
        while let Some(this) = board {
            let first = if this.is_over() {
                Bounds::exactly(0)
            } else {
                repeated(this, below.variant().repetition)
            };
            bounds.push(AtomicU8::new(first.to_byte()));
            board = this.next();
        }
        let words = (0..count.div_ceil(WORD)).map(|_| AtomicU64::new(0));
        Layer {
            below,
            stones,
            bounds,
            marks: words.collect(),
        }
    }

    /// Looks at all boards that are marked; whether bounds have moved, so that
    /// others are, and it is to go on.
    fn look_at_marked(&self, half: Half, work: &Work<'_>) -> bool {
        let next = AtomicUsize::new(0);
        let before = work.moved.load(Ordering::Relaxed);
        let look = || {
            while !work.stop.load(Ordering::Relaxed) {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= self.marks.len() {
                    break;
                }
                let words = self.marks.iter().enumerate().skip(first).take(CHUNK);
                let look = |(place, word)| self.look_at_word(half, WORD * place, word);
                let moved = words.map(look).sum();
                let before = work.moved.fetch_add(moved, Ordering::Relaxed);
                (work.watch)(before + moved);
            }
        };
        thread::scope(|scope| {
            for _ in 1..work.threads {
                // Without it the others have more to do.
                let _ = thread::Builder::new().spawn_scoped(scope, look);
            }
            look();
        });
        work.moved.load(Ordering::Relaxed) > before && !work.stop.load(Ordering::Relaxed)
    }

    /// Looks at the boards that a word marks, the first of which has this number;
    /// how many bounds have moved.
    fn look_at_word(&self, half: Half, first: usize, word: &AtomicU64) -> u64 {
        if word.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        // Whoever marked a board had moved bounds before.
        let mut marks = word.swap(0, Ordering::Acquire);
        let skipped = marks.trailing_zeros();
        marks >>= skipped;
        let Some(rest) = self.bounds.get(first + skipped as usize..) else {
            return 0;
        };
        let mut moved = 0;
        let mut board = Board::of_number(self.stones, first + skipped as usize);
        for bounds in rest {
            if marks & 1 != 0 {
                moved += u64::from(self.look_at(half, board, bounds));
            }
            marks >>= 1;
            match board.next() {
                Some(next) if marks != 0 => board = next,
                _ => break,
            }
        }
        moved
    }

    /// Finds the bounds of a board anew, and marks those that a change concerns;
    /// whether there is one.
    #[inline]
    fn look_at(&self, half: Half, board: Board, bounds: &AtomicU8) -> bool {
        let known = Bounds::of(bounds.load(Ordering::Relaxed), self.stones);
        if board.is_over() || half == Half::Reaching && known.low == known.high {
            return false;
        }
        let rule = self.below.variant().grand_slam;
        let next = from_moves(board, rule, |next| self.bounds_of(next));
        let found = match half {
            Half::Keeping => Bounds {
                low: known.low.min(next.low),
                high: known.high.max(next.high),
            },
            Half::Reaching => Bounds {
                low: known.low.max(next.low),
                high: known.high.min(next.high),
            },
        };
        if found == known {
            return false;
        }
        bounds.store(found.to_byte(), Ordering::Relaxed);
        board.before(|before| {
            let number = before.number();
            if let Some(word) = self.marks.get(number / WORD) {
                word.fetch_or(1 << (number % WORD), Ordering::Release);
            }
        });
        true
    }

    /// The bounds of a board, as far as they are known.
    #[inline]
    fn bounds_of(&self, board: Board) -> Bounds {
        if board.stones() < self.stones {
            return self.below.bounds_of(board);
        }
        let byte = self.bounds.get(board.number());
        // It is there.
        let byte = byte.map_or(u8::MAX, |byte| byte.load(Ordering::Relaxed));
        Bounds::of(byte, self.stones)
    }
}
