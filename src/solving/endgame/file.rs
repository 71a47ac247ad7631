//! The file of a database. The [module](super) describes the format.

use thiserror::Error;

use super::MAX_STONES;
use super::board::Board;
use super::database::{Bounds, Database};
use crate::games::awari::{GrandSlam, Repetition, Variant};

const MAGIC: &[u8; 8] = b"awari-eg";
const VERSION: u32 = 1;

/// The length of the header, in bytes.
const HEADER_LENGTH: usize = 20;

/// The length of a checksum, in bytes.
const CHECKSUM_LENGTH: usize = 4;

/// Why a file is not a usable database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file does not begin as a database does.
    #[error("this is not an Awari database: it does not begin with \"awari-eg\"")]
    WrongMagic,
    /// The format has another version.
    #[error("the database's format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The header is invalid, for this reason.
    #[error("the first {HEADER_LENGTH} bytes of the database are damaged: {0}")]
    Header(&'static str),
    /// The length does not match the number of stones.
    #[error(
        "the database has {found} bytes, not the {expected} of one with up to {stones} stones: it \
         was not written or copied completely"
    )]
    Length {
        /// The length of the file, in bytes.
        found: usize,
        /// The length according to the header.
        expected: usize,
        /// The number of stones in the header.
        stones: u8,
    },
    /// The bounds of a layer are invalid.
    #[error("the boards with {stones} stones are damaged: {why}")]
    Layer {
        /// The number of stones of the layer.
        stones: u8,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// Parses the header of a file, and returns its variant and its largest number of stones.
fn parse_header(bytes: &[u8]) -> Result<(Variant, u8), FileError> {
    let wrong = |why| Err(FileError::Header(why));
    let header = bytes.get(..HEADER_LENGTH).unwrap_or_default();
    let ([_, _, version, rules, checksum], _) = header.as_chunks() else {
        return wrong("the file is shorter");
    };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(FileError::Version(version));
    }
    let (checked, _) = header.split_at(HEADER_LENGTH - CHECKSUM_LENGTH);
    if crc32fast::hash(checked).to_le_bytes() != *checksum {
        return wrong("the checksum is wrong");
    }
    let [grand_slam, repetition, stones, zero] = *rules;
    let is_letter = |rule: &GrandSlam| rule.letter() == char::from(grand_slam);
    let Some(grand_slam) = GrandSlam::ALL.into_iter().find(is_letter) else {
        return wrong("byte 12 is not the letter of a grand slam rule, a to e");
    };
    let repetition = match repetition {
        b'c' => Repetition::Claim,
        b'd' => Repetition::Discard,
        _ => return wrong("byte 13 is not the letter of a repetition rule, c or d"),
    };
    if stones > MAX_STONES {
        return wrong("byte 14, the number of stones, is more than 21");
    }
    if zero != 0 {
        return wrong("byte 15 is not zero");
    }
    let variant = Variant {
        grand_slam,
        repetition,
    };
    Ok((variant, stones))
}

impl Database {
    /// Returns whether a file that begins with these 8 or more bytes is a database.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Returns the bytes of the database's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Variant {
            grand_slam,
            repetition,
        } = self.variant();
        let repetition = match repetition {
            Repetition::Claim => b'c',
            Repetition::Discard => b'd',
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([grand_slam.letter() as u8, repetition, self.stones(), 0]);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        for stones in 0..=self.stones() {
            let layer = self.layer(stones);
            bytes.extend(layer);
            bytes.extend(crc32fast::hash(layer).to_le_bytes());
        }
        bytes
    }

    /// Reads a database from the bytes of its file.
    ///
    /// # Errors
    ///
    /// If the bytes are not a complete database of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Database, FileError> {
        if !Database::has_magic(bytes) {
            return Err(FileError::WrongMagic);
        }
        let (variant, stones) = parse_header(bytes)?;
        let layer_length = |stones| Board::count(stones) + CHECKSUM_LENGTH;
        let expected = HEADER_LENGTH + (0..=stones).map(layer_length).sum::<usize>();
        if bytes.len() != expected {
            return Err(FileError::Length {
                found: bytes.len(),
                expected,
                stones,
            });
        }
        let mut layers = Vec::with_capacity(bytes.len());
        let (_, mut rest) = bytes.split_at(HEADER_LENGTH);
        for stones in 0..=stones {
            let wrong = |why| FileError::Layer { stones, why };
            let (layer, after) = rest.split_at(Board::count(stones));
            let (checksum, after) = after.split_at(CHECKSUM_LENGTH);
            if crc32fast::hash(layer).to_le_bytes() != *checksum {
                return Err(wrong("the checksum is wrong"));
            }
            let max = Bounds::exactly(stones).to_byte();
            if layer.iter().any(|&byte| byte > max) {
                return Err(wrong("a bound exceeds the number of stones"));
            }
            layers.extend(layer);
            rest = after;
        }
        Ok(Database {
            variant,
            stones,
            bytes: layers,
        })
    }
}
