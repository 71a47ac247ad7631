//! The bounds of all boards up to some number of stones.

use std::sync::atomic::AtomicBool;

use super::MAX_STONES;
use super::board::Board;
use super::bounds::Bounds;
use super::build::from_moves;
use super::index::{count, count_below};
use crate::awari::{Player, Position, Scores, Variant};

/// The bounds of all boards with up to so many stones, for one way to play.
#[derive(Clone, PartialEq, Eq)]
pub struct Database {
    variant: Variant,
    stones: u8,
    /// A byte for each board: first the one without stones, then those with one
    /// stone in the order of their numbers, and so on.
    bytes: Vec<u8>,
}

/// A board whose bounds cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the board {pits:?} (the mover's pits first) has {} to {} stones for the mover, but the boards \
     after his moves give {} to {}",
    found.low,
    found.high,
    expected.low,
    expected.high
)]
pub struct Contradiction {
    /// The stones in the pits, those of the player to move first.
    pub pits: [u8; 12],
    /// What the database says.
    pub found: Bounds,
    /// What it says of the boards that its moves lead to.
    pub expected: Bounds,
}

impl Database {
    /// The one without stones, to begin with.
    pub fn new(variant: Variant) -> Database {
        Database {
            variant,
            stones: 0,
            bytes: vec![Bounds::exactly(0).to_byte()],
        }
    }

    /// The one with up to so many stones, found with so many threads; `None` if
    /// it was stopped. No more than [`MAX_STONES`] are possible.
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

    /// Makes it larger by one number of stones; `None` if it was stopped, or no
    /// more are possible.
    pub fn grow(&mut self, threads: usize, stop: &AtomicBool) -> Option<()> {
        let layer = self.next_layer(threads, stop, &|_| ())?;
        self.push(layer).ok()
    }

    /// How the game is played that it is of.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The most stones that it is complete for.
    pub fn stones(&self) -> u8 {
        self.stones
    }

    /// The bounds of every board with so many stones, as bytes; empty if it has
    /// none of them.
    pub fn layer(&self, stones: u8) -> &[u8] {
        if stones > self.stones {
            return &[];
        }
        let first = count_below(stones);
        let layer = self.bytes.get(first..first + count(stones));
        layer.unwrap_or_default()
    }

    /// How many boards there are with so many stones, at most [`MAX_STONES`].
    pub fn boards(stones: u8) -> usize {
        count(stones.min(MAX_STONES))
    }

    /// How many of the bounds of the boards with so many stones are exact.
    pub fn exact(&self, stones: u8) -> usize {
        let bounds = self.layer(stones).iter();
        let is_exact = |&&byte: &&u8| {
            let bounds = Bounds::from_byte(byte);
            bounds.is_some_and(|bounds| bounds.value().is_some())
        };
        bounds.filter(is_exact).count()
    }

    /// How many stones are left open between the bounds of the boards with so many
    /// stones, on average.
    pub fn open(&self, stones: u8) -> f64 {
        let bounds = self.layer(stones).iter();
        let open = bounds.map(|&byte| {
            let Bounds { low, high } = Bounds::of(byte, stones);
            u64::from(high - low)
        });
        open.sum::<u64>() as f64 / self.layer(stones).len().max(1) as f64
    }

    /// Adds the bounds of the boards with one stone more.
    ///
    /// # Errors
    /// What is wrong with them; the database is then unchanged.
    pub fn push(&mut self, layer: Vec<u8>) -> Result<(), &'static str> {
        let stones = self.next_stones();
        if stones == self.stones {
            return Err("no database has so many stones");
        }
        if layer.len() != count(stones) {
            return Err("it is not a byte for each board");
        }
        check_bytes(&layer, stones)?;
        self.bytes.extend(layer);
        self.stones = stones;
        Ok(())
    }

    /// With the boards with up to so many stones only.
    #[must_use]
    pub fn up_to(mut self, stones: u8) -> Database {
        self.stones = self.stones.min(stones);
        self.bytes.truncate(count_below(self.stones + 1));
        self
    }

    /// The number of stones of the next layer, if one is possible.
    pub(super) fn next_stones(&self) -> u8 {
        self.stones.saturating_add(1).min(MAX_STONES)
    }

    /// What is known of a position: how many of the stones on the board the
    /// player to move gets. `None` if there are too many.
    #[inline]
    pub fn look_up(&self, position: &Position) -> Option<Bounds> {
        // Most positions of a search have more: this is known at once.
        let Scores { south, north } = position.scores();
        if south + north + self.stones < crate::awari::STONES {
            return None;
        }
        Board::of(position).map(|board| self.bounds_of(board))
    }

    /// The same for stones in the pits from `a` to `F`, of which there may be any
    /// number, if `mover` is to move. He may have none.
    pub fn look_up_pits(&self, pits: &[u8; 12], mover: Player) -> Option<Bounds> {
        let board = Board::of_pits(pits, mover)?;
        (board.stones() <= self.stones).then(|| self.bounds_of(board))
    }

    /// The bounds of a board that it has.
    #[inline]
    pub(super) fn bounds_of(&self, board: Board) -> Bounds {
        let stones = board.stones();
        let byte = self.bytes.get(count_below(stones) + board.number());
        Bounds::of(byte.copied().unwrap_or(u8::MAX), stones)
    }

    /// Looks whether the bounds of a board agree with those of the boards after
    /// its moves. Boards are numbered from 0 through all numbers of stones.
    ///
    /// # Errors
    /// If they do not.
    pub fn check(&self, number: usize) -> Result<(), Contradiction> {
        let is_below = |stones: &u8| count_below(stones + 1) <= number;
        let stones = (0..self.stones).take_while(is_below).count() as u8;
        let board = Board::of_number(stones, number - count_below(stones));
        let found = self.bounds_of(board);
        let next = from_moves(board, self.variant.grand_slam, |next| self.bounds_of(next));
        if found == next {
            return Ok(());
        }
        Err(Contradiction {
            pits: board.pits(Player::North),
            found,
            expected: next,
        })
    }

    /// How many boards it has; each takes a byte.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// Looks whether each byte stands for bounds of so many stones.
pub(super) fn check_bytes(layer: &[u8], stones: u8) -> Result<(), &'static str> {
    let most = Bounds::exactly(stones).to_byte();
    match layer.iter().all(|&byte| byte <= most) {
        true => Ok(()),
        false => Err("it has bounds of more stones"),
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Database");
        shown.field("variant", &self.variant);
        shown.field("stones", &self.stones).finish_non_exhaustive()
    }
}
