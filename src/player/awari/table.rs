//! The transposition table of the search for one move.

use crate::awari::{Pit, Position};
use crate::player::table::{self, Entry};

/// A transposition table whose entries belong to one search for one move: the next
/// search has another game behind it, and uses other keys.
pub(super) struct Table {
    entries: table::Table<i32, Pit>,
    /// The number of the search.
    search: u64,
}

impl Table {
    /// Creates a table of 2^`bits` entries.
    pub const fn new(bits: u32) -> Table {
        Table {
            entries: table::Table::new(bits),
            search: 0,
        }
    }

    /// Begins a new search: forgets everything.
    pub fn start_search(&mut self) {
        self.search += 1;
    }

    /// Returns the entry of a position.
    #[inline]
    pub fn get(&self, position: &Position) -> Option<Entry<i32, Pit>> {
        self.entries.get(self.key(position))
    }

    /// Stores the entry of a position.
    #[inline]
    pub fn put(&mut self, position: &Position, entry: Entry<i32, Pit>) {
        self.entries.put(self.key(position), entry);
    }

    /// Returns the position and the search, scrambled into 64 bits. Among as many
    /// positions as are searched in an hour, two with the same key have a probability of
    /// one in a million.
    #[inline]
    fn key(&self, position: &Position) -> u64 {
        let &[a, b, c, d, e, f, g, h, i, j, k, l] = position.pits();
        // The other player has captured the rest.
        let south = position.scores().south;
        let first = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let second = u64::from_le_bytes([i, j, k, l, south, position.to_move() as u8, 0, 0]);
        // The number of the search must not be mixed up with a number of stones.
        scrambled(scrambled(first ^ scrambled(self.search)) ^ second)
    }
}

/// Scrambles 64 bits so that each affects all: the last steps of SplitMix64, a
/// bijection.
#[inline]
fn scrambled(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::table::Bound;

    #[test]
    fn a_new_search_has_forgotten_everything() {
        let position = |text: &str| text.parse::<Position>().unwrap();
        let entry = Entry {
            score: 1,
            bound: Bound::Exact,
            depth: 1,
            proven: true,
            best: Pit::ALL[0],
        };
        let mut table = Table::new(12);
        for _ in 0..300 {
            table.start_search();
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
