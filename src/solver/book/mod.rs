//! The book: exact values and best moves of the positions that take longest to search.
//!
//! The book has an *owner*, the player to move in its positions. It holds every position
//! with few stones that can arise if the owner always plays the book's move and the other
//! player plays anything: as far as the book reaches, the owner never needs to search.
//! Colors and symmetries of the board make no difference.
//!
//! # File format, version 1
//!
//! All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 7 | `gothbook` |
//! | 8 to 11 | the version, 1 |
//! | 12 to 15 | the largest number of stones that the book is complete for |
//! | 16 to 19 | the number of entries |
//! | 20 to 23 | the CRC-32 of all entries |
//! | from 24 | the entries of 8 bytes each, ascending as numbers |
//!
//! An entry is a 64-bit number. From the highest bit: 3 zeros; 25 bits for the stones of
//! the player to move, from e5 to a1, row by row; 25 bits for the opponent's stones; 6
//! bits for the value plus 32; 5 bits for the best move, the index of a point (0 for a1,
//! 1 for b1, to 24 for e5) or 30 for a pass. Of the eight images of a position, the entry
//! has the one with the smallest number. The value is that for the player to move if the
//! preceding move was not a pass.

mod build;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::sync::OnceLock;

use super::symmetry::Key;
use super::table::{move_from_bits, move_to_bits};
use crate::gothello::{Color, Move, Position};

pub use build::{BuildEvent, BuildProgress, Fault, build, verify_entry};

/// The built-in book's file.
static BUILT_IN: &[u8] = include_bytes!("gothello.book");

const MAGIC: &[u8; 8] = b"gothbook";
const VERSION: u32 = 1;

/// The length of the header, in bytes.
const HEADER: usize = 24;

/// The length of an entry, in bytes.
const ENTRY: usize = 8;

/// The number that is added to a value so that it is not negative.
const OFFSET: i8 = 32;

/// The lowest bit of an entry's key.
const KEY_SHIFT: u32 = 11;

/// A source of exact values and best moves, such as a [`Book`], which a
/// [`Solver`](super::Solver) consults before it searches.
///
/// ```
/// use std::sync::Arc;
///
/// use gothello::{Position, Solver};
/// use gothello::solver::book::BuiltInBook;
///
/// let solver = Solver::builder().memory_mib(1).build().with_book(Arc::new(BuiltInBook));
/// assert_eq!(solver.solve(&Position::START).to_string(), "B+3");
/// assert_eq!(solver.positions(), 0);
/// # assert!(solver.has_used_book());
/// ```
pub trait Oracle: Debug + Send + Sync {
    /// Returns the value of a position for the player to move, and a best move; `None` if
    /// the position is unknown.
    fn look_up(&self, position: &Position) -> Option<(i8, Move)>;
}

/// The book that is compiled into the program. It is read when a position is first looked
/// up.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInBook;

impl Oracle for BuiltInBook {
    fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        Book::built_in().look_up(position)
    }
}

/// A book of exact values and best moves.
///
/// ```
/// use gothello::Position;
/// use gothello::solver::book::Book;
///
/// let (value, best) = Book::built_in().look_up(&Position::START).unwrap();
/// assert_eq!((value, best), (3, "c2".parse()?));
/// # Ok::<(), gothello::ParseMoveError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Book {
    stones: u32,
    /// The bytes of the entries.
    bytes: Cow<'static, [u8]>,
}

/// An entry of a book: the value and a best move of one position up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position.
    pub key: Key,
    /// The value for the player to move if the preceding move was not a pass.
    pub value: i8,
    /// A best move, on the board that the key describes.
    pub best: Move,
}

/// Why a file is not a usable book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// The file does not begin as a book does.
    #[error("this is not a book: it does not begin with \"gothbook\"")]
    WrongMagic,
    /// The format has another version.
    #[error("the book's format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The length does not match the number of entries.
    #[error(
        "the book has {found} bytes where its header says {expected}: it was not written or \
         copied completely"
    )]
    Length {
        /// The length of the file, in bytes.
        found: usize,
        /// The length according to the header.
        expected: usize,
    },
    /// The checksum is wrong.
    #[error("the book is damaged: its checksum is {found:08x}, not {expected:08x}")]
    Damaged {
        /// The checksum of the entries.
        found: u32,
        /// The checksum in the header.
        expected: u32,
    },
    /// An entry is invalid.
    #[error("entry {number} of the book ({bits:#018x}) is invalid: {error}")]
    Entry {
        /// The number of the entry, from 1.
        number: usize,
        /// The bits of the entry.
        bits: u64,
        /// What is wrong with it.
        error: EntryError,
    },
}

/// Why 64 bits are not a valid entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// The bits are not those of a position, or another image has a smaller number.
    #[error("it has no position up to symmetry")]
    Key,
    /// The value is not possible on the board.
    #[error("the value is not between -25 and 25")]
    Value,
    /// The bits are not those of a move.
    #[error("it has no move")]
    NoMove,
    /// A group on the board has no liberty.
    #[error("a group has no liberty")]
    Position,
    /// The move is not legal.
    #[error("its move is not legal")]
    IllegalMove,
    /// The entry repeats the position before it, or is not in ascending order.
    #[error("it is not in ascending order")]
    Order,
}

impl Entry {
    /// Encodes the entry as in the file.
    pub fn to_bits(self) -> u64 {
        let value = (self.value + OFFSET) as u64;
        self.key.number() << KEY_SHIFT | value << 5 | move_to_bits(self.best)
    }

    /// Decodes an entry.
    ///
    /// # Errors
    ///
    /// If the bits are not a position with a possible value and a legal move.
    pub fn from_bits(bits: u64) -> Result<Entry, EntryError> {
        let key = Key::from_number(bits >> KEY_SHIFT).ok_or(EntryError::Key)?;
        let value = (bits >> 5 & 63) as i8 - OFFSET;
        if !(-25..=25).contains(&value) {
            return Err(EntryError::Value);
        }
        let best = move_from_bits(bits & 31).ok_or(EntryError::NoMove)?;
        let entry = Entry { key, value, best };
        let position = entry.position().ok_or(EntryError::Position)?;
        match position.play(best) {
            Ok(_) => Ok(entry),
            Err(_) => Err(EntryError::IllegalMove),
        }
    }

    /// Returns the position, with Black to move and no preceding pass; `None` if a group
    /// has no liberty.
    pub fn position(&self) -> Option<Position> {
        let stones = self.key.stones();
        Position::new(stones.mover, stones.opponent, Color::Black, false).ok()
    }
}

impl Book {
    /// Returns the built-in book. It is read on the first call.
    pub fn built_in() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        // The tests check that it is valid.
        BOOK.get_or_init(|| Book::from_bytes(BUILT_IN).unwrap_or_default())
    }

    /// Creates a book of these entries that is complete up to this number of stones.
    pub fn from_entries(stones: u32, entries: impl IntoIterator<Item = Entry>) -> Book {
        let mut bits: Vec<u64> = entries.into_iter().map(Entry::to_bits).collect();
        bits.sort_unstable();
        bits.dedup();
        let bytes = bits.into_iter().flat_map(u64::to_le_bytes).collect();
        Book {
            stones,
            bytes: Cow::Owned(bytes),
        }
    }

    /// Reads a book from the bytes of its file.
    ///
    /// # Errors
    ///
    /// If the bytes are not a complete book of this version. The entries are covered by
    /// the checksum, but are not validated: see [`Book::check`].
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BookError> {
        let bytes = bytes.into();
        if !Book::has_magic(&bytes) {
            return Err(BookError::WrongMagic);
        }
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(bytes))
        };
        let too_short = BookError::Length {
            found: bytes.len(),
            expected: HEADER,
        };
        let version = number(8).ok_or(too_short.clone())?;
        if version != VERSION {
            return Err(BookError::Version(version));
        }
        let stones = number(12).ok_or(too_short.clone())?;
        let count = number(16).ok_or(too_short.clone())?;
        let checksum = number(20).ok_or(too_short)?;
        let expected = (count as usize)
            .saturating_mul(ENTRY)
            .saturating_add(HEADER);
        if bytes.len() != expected {
            return Err(BookError::Length {
                found: bytes.len(),
                expected,
            });
        }
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(HEADER..).unwrap_or_default()),
            Cow::Owned(mut bytes) => {
                bytes.drain(..HEADER);
                Cow::Owned(bytes)
            }
        };
        let found = crc32fast::hash(&bytes);
        if found != checksum {
            return Err(BookError::Damaged {
                found,
                expected: checksum,
            });
        }
        Ok(Book { stones, bytes })
    }

    /// Returns whether these bytes, the first 8 or more of a file, begin as a book does.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Returns the bytes of the book's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = [
            VERSION,
            self.stones,
            // The number of entries is far below 2^32.
            self.len() as u32,
            crc32fast::hash(&self.bytes),
        ];
        let header = header.into_iter().flat_map(u32::to_le_bytes);
        let bytes = MAGIC.iter().copied().chain(header);
        bytes.chain(self.bytes.iter().copied()).collect()
    }

    /// Returns the largest number of stones that the book is complete for.
    pub fn stones(&self) -> u32 {
        self.stones
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.bytes.len() / ENTRY
    }

    /// Returns whether the book has no entries.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn bits(&self, index: usize) -> Option<u64> {
        let bytes = self.bytes.get(index * ENTRY..(index + 1) * ENTRY)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    /// Returns an iterator over the entries in ascending order, without invalid ones.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let bits = (0..self.len()).filter_map(|index| self.bits(index));
        bits.filter_map(|bits| Entry::from_bits(bits).ok())
    }

    /// Validates every entry, and their order.
    ///
    /// # Errors
    ///
    /// The first entry that is invalid.
    pub fn check(&self) -> Result<(), BookError> {
        let mut last = None;
        for index in 0..self.len() {
            let bits = self.bits(index).unwrap_or_default();
            let invalid = |error| BookError::Entry {
                number: index + 1,
                bits,
                error,
            };
            Entry::from_bits(bits).map_err(invalid)?;
            let key = bits >> KEY_SHIFT;
            if last.is_some_and(|last| last >= key) {
                return Err(invalid(EntryError::Order));
            }
            last = Some(key);
        }
        Ok(())
    }

    /// Returns the entry of a position up to symmetry.
    pub fn entry(&self, key: Key) -> Option<Entry> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let bits = self.bits(middle)?;
            match (bits >> KEY_SHIFT).cmp(&key.number()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Entry::from_bits(bits).ok(),
            }
        }
        None
    }

    /// Returns the value of a position for the player to move, and a best move; `None` if
    /// the position is not in the book.
    pub fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        let (key, symmetry) = Key::of(position.stones());
        let entry = self.entry(key)?;
        let lead = position.stones().lead();
        if position.after_pass() && lead >= entry.value {
            // To end the game is best.
            return Some((lead, Move::Pass));
        }
        Some((entry.value, symmetry.undo_from(entry.best)))
    }
}

impl Oracle for Book {
    fn look_up(&self, position: &Position) -> Option<(i8, Move)> {
        Book::look_up(self, position)
    }
}
