//! The bytes of a book; the format is described in the [room](super).

use std::borrow::Cow;

use crate::gothello::{Color, Move, Position};
use crate::solver::symmetry::Key;
use crate::solver::table::{move_from_bits, move_to_bits};

const MAGIC: &[u8; 8] = b"gothbook";
const VERSION: u32 = 1;
const HEADER: usize = 24;
const ENTRY: usize = 8;

/// What the value is stored with, so that it is not negative.
const OFFSET: i8 = 32;

/// Exact values and best moves.
#[derive(Clone, Debug, Default)]
pub struct Book {
    stones: u32,
    /// The entries only.
    bytes: Cow<'static, [u8]>,
}

/// What is known of one position up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position, on the board that the key describes.
    pub key: Key,
    /// The value for the player to move if the move before was no pass.
    pub value: i8,
    /// A move that keeps it.
    pub best: Move,
}

/// Why some bytes are no book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// It is something else.
    #[error("this is no book: it does not begin with \"gothbook\"")]
    WrongMagic,
    /// It is of another version.
    #[error("the book's format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The length does not fit the number of entries.
    #[error(
        "the book has {found} bytes, not the {expected} that its beginning speaks of: \
         it was not written or copied whole"
    )]
    Length {
        /// How long it is, in bytes.
        found: usize,
        /// How long it should be.
        expected: usize,
    },
    /// The checksum is wrong.
    #[error("the book is damaged: its checksum is {found:08x}, not {expected:08x}")]
    Damaged {
        /// The checksum of the entries.
        found: u32,
        /// The one that the book names.
        expected: u32,
    },
    /// An entry that cannot be.
    #[error("entry {number} of the book ({bits:#018x}) cannot be: {why}")]
    Entry {
        /// Its number, from 1.
        number: usize,
        /// Its bits.
        bits: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl Entry {
    /// The entry as it is written.
    pub fn to_bits(self) -> u64 {
        self.key.number() << 11 | ((self.value + OFFSET) as u64) << 5 | move_to_bits(self.best)
    }

    /// The entry of some bits, if they are one: a position in which the move is
    /// legal.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_bits(bits: u64) -> Result<Entry, &'static str> {
        let key = Key::from_number(bits >> 11).ok_or("it is no position up to symmetry")?;
        let value = (bits >> 5 & 63) as i8 - OFFSET;
        if !(-25..=25).contains(&value) {
            return Err("the value is not between -25 and 25");
        }
        let best = move_from_bits(bits & 31).ok_or("it has no move")?;
        let entry = Entry { key, value, best };
        let position = entry.position().ok_or("a group has no liberty")?;
        match position.play(best) {
            Ok(_) => Ok(entry),
            Err(_) => Err("its move is not legal"),
        }
    }

    /// The position, with Black to move and no pass before.
    pub fn position(&self) -> Option<Position> {
        let stones = self.key.stones();
        Position::new(stones.mover, stones.opponent, Color::Black, false).ok()
    }
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// If the bytes are not a whole book of this version. The entries are not
    /// looked at one by one: that is [`Book::check`].
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

    /// Whether a book may begin with these bytes, at least 8 of it.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// A book of some entries that is complete up to so many stones.
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

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = [
            VERSION,
            self.stones,
            // No book comes near to 2^32 entries.
            self.len() as u32,
            crc32fast::hash(&self.bytes),
        ];
        let header = header.into_iter().flat_map(u32::to_le_bytes);
        let bytes = MAGIC.iter().copied().chain(header);
        bytes.chain(self.bytes.iter().copied()).collect()
    }

    /// The most stones on the board that it is complete for.
    pub fn stones(&self) -> u32 {
        self.stones
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.bytes.len() / ENTRY
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn bits(&self, index: usize) -> Option<u64> {
        let bytes = self.bytes.get(index * ENTRY..(index + 1) * ENTRY)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }

    /// The entries one by one, in ascending order. One that cannot be is left
    /// out.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let bits = (0..self.len()).filter_map(|index| self.bits(index));
        bits.filter_map(|bits| Entry::from_bits(bits).ok())
    }

    /// Looks at every entry by itself, and at their order.
    ///
    /// # Errors
    /// The first entry that cannot be.
    pub fn check(&self) -> Result<(), BookError> {
        let mut before = None;
        for index in 0..self.len() {
            let bits = self.bits(index).unwrap_or_default();
            let entry = |why| BookError::Entry {
                number: index + 1,
                bits,
                why,
            };
            Entry::from_bits(bits).map_err(entry)?;
            if before.is_some_and(|before| before >= bits >> 11) {
                return Err(entry("it does not come after the one before"));
            }
            before = Some(bits >> 11);
        }
        Ok(())
    }

    /// The entry of a position.
    pub fn entry(&self, key: Key) -> Option<Entry> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let bits = self.bits(middle)?;
            match (bits >> 11).cmp(&key.number()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Entry::from_bits(bits).ok(),
            }
        }
        None
    }
}
