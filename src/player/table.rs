//! A transposition table: what earlier searches found out about positions.

use crate::gothello::{Move, Point, Position};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What a search found out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub value: i16,
    pub bound: Bound,
    /// How deep the search was; [`SOLVED`] if it went to the end of the game.
    pub depth: u8,
    pub best: Move,
}

/// The depth of a search that saw the end of every line.
pub(super) const SOLVED: u8 = u8::MAX;

/// A table of fixed size, in which a later position replaces an earlier one.
/// It takes no memory until something is stored.
pub(super) struct Table {
    slots: Vec<Slot>,
    bits: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The position's key, which is unique; [`FREE`] if there is none.
    key: u64,
    entry: Entry,
}

/// More than any position's key.
const FREE: u64 = u64::MAX;

impl Table {
    /// A table of 2^`bits` entries.
    pub(super) const fn new(bits: u32) -> Table {
        Table {
            slots: Vec::new(),
            bits,
        }
    }

    /// What is known of a position.
    pub(super) fn get(&self, position: &Position) -> Option<Entry> {
        let key = position.key();
        let slot = self.slots.get(self.index(key))?;
        (slot.key == key).then_some(slot.entry)
    }

    /// Remembers what was found out.
    pub(super) fn put(&mut self, position: &Position, entry: Entry) {
        if self.slots.is_empty() {
            let nothing = Entry {
                value: 0,
                bound: Bound::AtLeast,
                depth: 0,
                best: Move::Place(Point::ALL[0]),
            };
            let free = Slot {
                key: FREE,
                entry: nothing,
            };
            self.slots = vec![free; 1 << self.bits];
        }
        let key = position.key();
        let index = self.index(key);
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot { key, entry };
        }
    }

    /// The slot of a key: the high bits of a product with an odd constant near
    /// 2^64 divided by the golden ratio, which scatters neighbouring keys.
    fn index(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.bits)) as usize
    }
}
