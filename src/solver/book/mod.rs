//! A book: exact values and best moves of the positions that take long.
//!
//! It has every position with a player on turn and few stones that can arise
//! when this player always makes the book's move and the other one whatever he
//! likes: for as long as the book reaches, its owner never has to search. Who
//! has which colour does not matter, and neither do the symmetries of the
//! board.
//!
//! # The file, version 1
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | `gothbook` |
//! | 8 to 11 | the version, 1 |
//! | 12 to 15 | the most stones on the board that the book is complete for |
//! | 16 to 19 | how many entries there are |
//! | 20 to 23 | the CRC-32 of all entries |
//! | 24 on | the entries of 8 bytes each, ascending as numbers |
//!
//! An entry is a number of 64 bits. From the highest: 3 zeros; 25 bits for the
//! stones of the player to move, e5 first and a1 last, row by row; 25 bits for
//! the other's; 6 bits: the value plus 32; 5 bits: the best move, the number of a
//! point (0 for a1, 1 for b1, to 24 for e5) or 30 for a pass. Of the eight
//! positions that are one by symmetry, it is the one with the smallest number.
//! The value is that for the player to move if the move before was no pass.

mod build;
mod file;
mod known;
mod verify;

use std::sync::OnceLock;

use super::symmetry::Key;
use crate::gothello::{Move, Position};

pub use build::{BuildEvent, BuildProgress, build};
pub use file::{Book, BookError, Entry};
pub use known::{BuiltInBook, Oracle};
pub use verify::{Fault, verify_entry};

/// The book that is built into the program.
static BUILT_IN: &[u8] = include_bytes!("gothello.book");

impl Book {
    /// The book that is built into the program. It is looked at when it is
    /// first asked for.
    pub fn built_in() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        // The tests see that it is whole.
        BOOK.get_or_init(|| Book::from_bytes(BUILT_IN).unwrap_or_default())
    }

    /// What the book says of a position, for the player to move: the value, and
    /// a move that keeps it.
    pub fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        let (key, symmetry) = Key::of(position.stones());
        let entry = self.entry(key)?;
        let lead = position.stones().lead();
        if position.after_pass() && lead >= entry.value {
            // He may end the game, and cannot do better.
            return Some((lead, Move::Pass));
        }
        Some((entry.value, symmetry.undo_from(entry.best)))
    }
}
