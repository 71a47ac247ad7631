//! What the search for one move has found out about positions.

use crate::awari::{Pit, Position};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What a search found out about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: i32,
    pub bound: Bound,
    /// How deep the search was.
    pub depth: u8,
    /// Whether the value is proven.
    pub solid: bool,
    pub best: Pit,
}

/// A table of fixed size, in which a later position replaces an earlier one.
/// It takes no memory until something is stored.
///
/// Entries belong to one search for one move: the next one has another game behind
/// it, and begins with other keys.
pub(super) struct Table {
    slots: Vec<Slot>,
    bits: u32,
    /// The number of the search.
    search: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The position and the search, scrambled into 64 bits: among as many
    /// positions as are searched in an hour two with the same key are as likely as
    /// one in a million.
    key: u64,
    entry: Entry,
}

impl Table {
    /// A table of 2^`bits` entries.
    pub(super) const fn new(bits: u32) -> Table {
        Table {
            slots: Vec::new(),
            bits,
            search: 0,
        }
    }

    /// Forgets everything.
    pub(super) fn begin(&mut self) {
        self.search += 1;
    }

    /// What is known of a position.
    pub(super) fn get(&self, position: &Position) -> Option<Entry> {
        let key = self.key(position);
        let slot = self.slots.get(self.index(key))?;
        (slot.key == key).then_some(slot.entry)
    }

    /// Remembers what was found out.
    pub(super) fn put(&mut self, position: &Position, entry: Entry) {
        let key = self.key(position);
        if self.slots.is_empty() {
            self.slots = vec![Slot { key: 0, entry }; 1 << self.bits];
        }
        let index = self.index(key);
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot { key, entry };
        }
    }

    fn key(&self, position: &Position) -> u64 {
        let &[a, b, c, d, e, f, g, h, i, j, k, l] = position.pits();
        // The other player has captured the rest.
        let south = position.scores().south;
        let first = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let second = u64::from_le_bytes([i, j, k, l, south, position.to_move() as u8, 0, 0]);
        // The number of the search must not be mixed up with a number of stones.
        scrambled(scrambled(first ^ scrambled(self.search)) ^ second)
    }

    fn index(&self, key: u64) -> usize {
        (key >> (64 - self.bits)) as usize
    }
}

/// A bijection of 64 bits that spreads each over all: the last steps of SplitMix64.
fn scrambled(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_search_has_forgotten_everything() {
        let position = |text: &str| text.parse::<Position>().unwrap();
        let entry = Entry {
            value: 1,
            bound: Bound::Exact,
            depth: 1,
            solid: true,
            best: Pit::ALL[0],
        };
        let mut table = Table::new(12);
        for _ in 0..300 {
            table.begin();
            for (stones, north) in (0..12).zip((0..12).rev()) {
                // North has what is not in B.
                let text = format!("3,3,3,3,3,3/1,{stones},1,1,1,1 {north} 14 s");
                let position = position(&text);
                assert!(table.get(&position).is_none(), "{text}");
                table.put(&position, entry);
                assert!(table.get(&position).is_some(), "{text}");
            }
        }
    }
}
