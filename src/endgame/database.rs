//! The database: the bounds of all boards with up to some number of stones.

use std::fmt;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::MAX_STONES;
use super::board::{Board, Successor};
use crate::awari::{GrandSlam, Player, Position, STONES, Scores, Variant};

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
    pub(super) fn from_byte_or_trivial(byte: u8, stones: u8) -> Bounds {
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
    variant: Variant,
    stones: u8,
    /// The bounds of each board as a byte: first the board without stones, then those with
    /// one stone in the order of their indices, and so on.
    bytes: Vec<u8>,
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
pub struct Contradiction {
    /// The stones in the pits, those of the player to move first.
    pub pits: [u8; 12],
    /// The bounds of the board.
    pub found: Bounds,
    /// The bounds that follow from the boards after its moves.
    pub expected: Bounds,
}

/// Why the bytes of a layer are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LayerError {
    /// The layer would have more stones than [`MAX_STONES`].
    #[error("no database has more than {MAX_STONES} stones")]
    TooManyStones,
    /// The number of bytes is not the number of boards.
    #[error("they do not have a byte for each board")]
    Length,
    /// A byte encodes bounds greater than the number of stones.
    #[error("a bound exceeds the number of stones")]
    Bounds,
    /// The file ends before the layer does.
    #[error("the file ends within them")]
    Truncated,
    /// The checksum of the layer is wrong.
    #[error("the checksum is wrong")]
    Checksum,
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
            database.grow(threads, stop)?;
        }
        Some(database)
    }

    /// Computes and adds the next layer; returns `None` if it was stopped, or if the database
    /// already has [`MAX_STONES`].
    pub fn grow(&mut self, threads: usize, stop: &AtomicBool) -> Option<()> {
        let layer = self.next_layer(threads, stop, &|_| ())?;
        self.push(layer).ok()
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

    /// Adds the next layer, the encoded bounds of the boards with one stone more.
    ///
    /// # Errors
    ///
    /// If the bytes are invalid; the database is then unchanged.
    pub fn push(&mut self, layer: Vec<u8>) -> Result<(), LayerError> {
        let stones = self.next_stones();
        if stones == self.stones {
            return Err(LayerError::TooManyStones);
        }
        if layer.len() != Board::count(stones) {
            return Err(LayerError::Length);
        }
        check_bytes(&layer, stones)?;
        self.bytes.extend(layer);
        self.stones = stones;
        Ok(())
    }

    /// Drops the boards with more than this many stones.
    #[must_use]
    pub fn truncated(mut self, stones: u8) -> Database {
        self.stones = self.stones.min(stones);
        self.bytes.truncate(Board::count_below(self.stones + 1));
        self
    }

    /// Returns the number of stones of the next layer; the same as [`Database::stones`] if it
    /// is already [`MAX_STONES`].
    pub(super) fn next_stones(&self) -> u8 {
        self.stones.saturating_add(1).min(MAX_STONES)
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
    pub(super) fn bounds_of(&self, board: Board) -> Bounds {
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
pub(super) fn back_up(
    board: Board,
    rule: GrandSlam,
    bounds_of: impl Fn(Board) -> Bounds,
) -> Bounds {
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

/// Checks that each byte encodes bounds for this many stones.
pub(super) fn check_bytes(layer: &[u8], stones: u8) -> Result<(), LayerError> {
    let max = Bounds::exactly(stones).to_byte();
    match layer.iter().all(|&byte| byte <= max) {
        true => Ok(()),
        false => Err(LayerError::Bounds),
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Database");
        shown.field("variant", &self.variant);
        shown.field("stones", &self.stones).finish_non_exhaustive()
    }
}
