//! The bytes of a database; the format is described in the [room](super).

use super::MAX_STONES;
use super::database::{Database, check_bytes};
use super::index::count;
use crate::awari::{GrandSlam, Repetition, Variant};

const WHOLE: &[u8; 8] = b"awari-eg";
const PARTIAL: &[u8; 8] = b"awari-ep";
const VERSION: u32 = 1;

/// The bytes before the first layer.
const HEADER: usize = 20;

/// The bytes of a checksum.
const SUM: usize = 4;

/// Why some bytes are no database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// They are something else.
    #[error("this is no Awari database: it does not begin with \"awari-eg\"")]
    WrongMagic,
    /// They are something else, where one that is being built is expected.
    #[error("this is no Awari database that is being built: it does not begin with \"awari-ep\"")]
    WrongPartialMagic,
    /// They are of another version.
    #[error("the database's format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The first bytes are damaged.
    #[error("the first {HEADER} bytes of the database are damaged: {0}")]
    Header(&'static str),
    /// The length does not fit the number of stones.
    #[error(
        "the database has {found} bytes, not the {expected} of one with up to {stones} stones: it \
         was not written or copied whole"
    )]
    Length {
        /// How long it is, in bytes.
        found: usize,
        /// How long it should be.
        expected: usize,
        /// The number of stones that it names.
        stones: u8,
    },
    /// Some bounds are damaged.
    #[error("the boards with {stones} stones are damaged: {why}")]
    Layer {
        /// Of how many stones.
        stones: u8,
        /// What is wrong.
        why: &'static str,
    },
}

/// What stands before the layers.
struct Header {
    variant: Variant,
    stones: u8,
}

impl Header {
    fn to_bytes(&self, magic: &[u8; 8]) -> Vec<u8> {
        let repetition = match self.variant.repetition {
            Repetition::Claim => b'c',
            Repetition::Discard => b'd',
        };
        let mut bytes = magic.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let letter = self.variant.grand_slam.letter() as u8;
        bytes.extend([letter, repetition, self.stones, 0]);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// The header of a file that begins with the right eight bytes.
    fn read(bytes: &[u8; HEADER]) -> Result<Header, FileError> {
        let &[
            ..,
            v0,
            v1,
            v2,
            v3,
            grand_slam,
            repetition,
            stones,
            zero,
            s0,
            s1,
            s2,
            s3,
        ] = bytes;
        let version = u32::from_le_bytes([v0, v1, v2, v3]);
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        let (checked, _) = bytes.split_at(HEADER - SUM);
        if crc32fast::hash(checked) != u32::from_le_bytes([s0, s1, s2, s3]) {
            return Err(FileError::Header("their checksum is wrong"));
        }
        let is_letter = |rule: &GrandSlam| rule.letter() == char::from(grand_slam);
        let Some(grand_slam) = GrandSlam::ALL.into_iter().find(is_letter) else {
            return Err(FileError::Header("byte 12 names no grand slam, a to e"));
        };
        let repetition = match repetition {
            b'c' => Repetition::Claim,
            b'd' => Repetition::Discard,
            _ => return Err(FileError::Header("byte 13 names no repetition, c or d")),
        };
        if stones > MAX_STONES {
            return Err(FileError::Header("byte 14 names more than 21 stones"));
        }
        if zero != 0 {
            return Err(FileError::Header("byte 15 is not zero"));
        }
        let variant = Variant {
            grand_slam,
            repetition,
        };
        Ok(Header { variant, stones })
    }
}

impl Database {
    /// Whether a database may begin with these bytes, at least 8 of it.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(WHOLE)
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            variant: self.variant(),
            stones: self.stones(),
        };
        let mut bytes = header.to_bytes(WHOLE);
        for stones in 0..=self.stones() {
            bytes.extend(checked_layer(self.layer(stones)));
        }
        bytes
    }

    /// The database in a file.
    ///
    /// # Errors
    /// It is none, or not whole.
    pub fn from_bytes(bytes: &[u8]) -> Result<Database, FileError> {
        if !Database::has_magic(bytes) {
            return Err(FileError::WrongMagic);
        }
        let (header, rest) = bytes
            .split_first_chunk()
            .ok_or(FileError::Header("they are not there"))?;
        let Header { variant, stones } = Header::read(header)?;
        let expected = (0..=stones)
            .map(|stones| count(stones) + SUM)
            .sum::<usize>()
            + HEADER;
        if bytes.len() != expected {
            return Err(FileError::Length {
                found: bytes.len(),
                expected,
                stones,
            });
        }
        let layers = Layers::read(variant, rest);
        match layers.fault {
            Some(fault) => Err(fault),
            None => Ok(layers.database),
        }
    }

    /// What is written first to a file that is being built.
    pub(super) fn partial_header(variant: Variant) -> Vec<u8> {
        Header { variant, stones: 0 }.to_bytes(PARTIAL)
    }

    /// What has been built in a file, and in how many of its bytes; `None` if not
    /// even its beginning is there.
    pub(super) fn from_partial(bytes: &[u8]) -> Result<Option<(Database, usize)>, FileError> {
        if !PARTIAL.starts_with(bytes) && !bytes.starts_with(PARTIAL) {
            return Err(FileError::WrongPartialMagic);
        }
        let Some((header, rest)) = bytes.split_first_chunk() else {
            return Ok(None);
        };
        let layers = Layers::read(Header::read(header)?.variant, rest);
        let whole = match layers.length {
            0 => 0,
            length => HEADER + length,
        };
        Ok((whole > 0).then_some((layers.database, whole)))
    }
}

/// A layer as it is written.
pub(super) fn checked_layer(layer: &[u8]) -> Vec<u8> {
    let mut bytes = layer.to_vec();
    bytes.extend(crc32fast::hash(layer).to_le_bytes());
    bytes
}

/// The layers at the beginning of some bytes.
struct Layers {
    database: Database,
    /// How many bytes hold them.
    length: usize,
    /// Why there is no more, unless nothing is left.
    fault: Option<FileError>,
}

impl Layers {
    fn read(variant: Variant, bytes: &[u8]) -> Layers {
        let mut layers = Layers {
            database: Database::new(variant),
            length: 0,
            fault: None,
        };
        let mut rest = bytes;
        for stones in 0..=MAX_STONES {
            if rest.is_empty() {
                break;
            }
            match Layers::one(rest, stones) {
                Ok((layer, after)) => {
                    layers.length += rest.len() - after.len();
                    rest = after;
                    // The first one is there already.
                    if stones > 0
                        && let Err(why) = layers.database.push(layer.to_vec())
                    {
                        layers.fault = Some(FileError::Layer { stones, why });
                        break;
                    }
                }
                Err(why) => {
                    layers.fault = Some(FileError::Layer { stones, why });
                    break;
                }
            }
        }
        layers
    }

    /// The bounds of the boards with so many stones, and what comes after them.
    fn one(bytes: &[u8], stones: u8) -> Result<(&[u8], &[u8]), &'static str> {
        let torn = "they are not all there";
        let (layer, rest) = bytes.split_at_checked(count(stones)).ok_or(torn)?;
        let (sum, rest) = rest.split_first_chunk::<SUM>().ok_or(torn)?;
        if crc32fast::hash(layer) != u32::from_le_bytes(*sum) {
            return Err("their checksum is wrong");
        }
        check_bytes(layer, stones)?;
        Ok((layer, rest))
    }
}
