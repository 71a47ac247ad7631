//! A packed tablebase in which every position is drawn: its values differ from those that a search
//! finds.

// Not every test program needs everything.
#![allow(dead_code)]

use std::path::Path;

use gothello::tablebase::{Grid, Tablebase};

/// The symbol of the value 0.
const DRAW: u8 = 25;

/// The symbol in place of the previous values, for the first entry of a block.
const NONE: u8 = 52;

/// Returns the file of all positions with at most this number of stones.
pub fn drawn_tablebase(stones: u8) -> Vec<u8> {
    // Used only for the number of blocks.
    let blocks = Tablebase::open(Path::new(""), Grid::gothello());
    let blocks = |stones| blocks.block_files(stones).unwrap().blocks;
    // Two contexts with one symbol, which therefore takes no bits.
    let mut content = 2u32.to_le_bytes().to_vec();
    for before in [NONE, DRAW] {
        content.extend(1u16.to_le_bytes());
        content.extend([before, before, DRAW]);
        content.extend(4096u16.to_le_bytes());
    }
    let units = |stones| blocks(stones).div_ceil((1024 >> stones).max(1));
    let units: usize = (0..=stones).map(units).sum();
    // A unit is the initial state of the coder.
    content.extend(4u16.to_le_bytes().repeat(units));
    content.extend((1u32 << 23).to_le_bytes().repeat(units));
    let mut file = b"gothpack".to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend(u32::from(stones).to_le_bytes());
    file.extend(crc32fast::hash(&content).to_le_bytes());
    file.extend(content);
    file
}
