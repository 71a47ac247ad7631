//! A small transposition table with the results of earlier alpha-beta searches.

use std::fmt;

/// How a score bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The score is the true one.
    Exact,
    /// The true score is this one or higher.
    Lower,
    /// The true score is this one or lower.
    Upper,
}

impl Bound {
    /// Returns how a score bounds the true one if a search with the window from
    /// `alpha` to `beta` found it.
    #[inline]
    pub fn new<S: Ord>(score: S, alpha: S, beta: S) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }
}

/// The result of a search of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<S, M> {
    /// The score for the player to move.
    pub score: S,
    pub bound: Bound,
    /// The depth of the search, in plies.
    pub depth: u8,
    /// Whether a deeper search would have the same result.
    pub proven: bool,
    /// The best move.
    pub best: M,
}

impl<S: Copy + Ord, M> Entry<S, M> {
    /// Returns whether the entry makes a search of this depth and window unnecessary.
    #[inline]
    pub fn suffices(&self, depth: u8, alpha: S, beta: S) -> bool {
        let is_deep = self.proven || self.depth >= depth;
        is_deep
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.score >= beta,
                Bound::Upper => self.score <= alpha,
            }
    }
}

/// A table of fixed size, in which a later position replaces an earlier one.
/// It takes no memory until something is stored.
pub struct TranspositionTable<S, M> {
    slots: Vec<Slot<S, M>>,
    bits: u32,
}

impl<S, M> fmt::Debug for TranspositionTable<S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TranspositionTable");
        shown.field("bits", &self.bits).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy)]
struct Slot<S, M> {
    /// The position's key; [`FREE`] if the slot is free.
    key: u64,
    entry: Entry<S, M>,
}

/// The key of no position.
const FREE: u64 = u64::MAX;

impl<S: Copy, M: Copy> TranspositionTable<S, M> {
    /// Creates a table of 2^`bits` entries.
    pub const fn new(bits: u32) -> TranspositionTable<S, M> {
        TranspositionTable {
            slots: Vec::new(),
            bits,
        }
    }

    /// Returns the entry of a position by its key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry<S, M>> {
        let slot = self.slots.get(self.index(key))?;
        (slot.key == key).then_some(slot.entry)
    }

    /// Stores the entry of a position by its key.
    #[inline]
    pub fn put(&mut self, key: u64, entry: Entry<S, M>) {
        if self.slots.is_empty() {
            self.slots = vec![Slot { key: FREE, entry }; 1 << self.bits];
        }
        let index = self.index(key);
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot { key, entry };
        }
    }

    /// Returns the slot of a key: the high bits of a product with an odd constant near
    /// 2^64 divided by the golden ratio, which scatters neighboring keys.
    #[inline]
    fn index(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.bits)) as usize
    }
}
