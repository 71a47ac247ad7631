//! Reading and writing the file of a database, complete or being built. The
//! [module](super) describes the format.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::board::Board;
use super::database::{Database, LayerError, check_bytes};
use super::{MAX_STONES, describe};
use crate::games::awari::{GrandSlam, Repetition, Variant};

const COMPLETE: &[u8; 8] = b"awari-eg";
const PARTIAL: &[u8; 8] = b"awari-ep";
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
    /// The file does not begin as a database that is being built does.
    #[error(
        "this is not an Awari database that is being built: it does not begin with \"awari-ep\""
    )]
    WrongPartialMagic,
    /// The format has another version.
    #[error("the database's format has version {0}: this program reads version {VERSION}")]
    Version(u32),
    /// The header is invalid.
    #[error("the first {HEADER_LENGTH} bytes of the database are damaged: {0}")]
    Header(HeaderError),
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
    #[error("the boards with {stones} stones are damaged: {error}")]
    Layer {
        /// The number of stones of the layer.
        stones: u8,
        /// What is wrong with it.
        error: LayerError,
    },
}

/// Why a header is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The file ends before the header does.
    #[error("the file is shorter")]
    Truncated,
    /// The checksum is wrong.
    #[error("the checksum is wrong")]
    Checksum,
    /// There is no such grand slam rule.
    #[error("byte 12 is not the letter of a grand slam rule, a to e")]
    GrandSlam,
    /// There is no such repetition rule.
    #[error("byte 13 is not the letter of a repetition rule, c or d")]
    Repetition,
    /// The number of stones is greater than [`MAX_STONES`].
    #[error("byte 14, the number of stones, is more than {MAX_STONES}")]
    Stones,
    /// The reserved byte is not zero.
    #[error("byte 15 is not zero")]
    Reserved,
}

/// The content of a header.
struct Header {
    variant: Variant,
    /// The largest number of stones; 0 in a file that is being built.
    stones: u8,
}

impl Header {
    /// Returns the bytes of the header, which begin with `magic`.
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

    /// Parses a header whose first eight bytes have been checked.
    fn read(bytes: &[u8; HEADER_LENGTH]) -> Result<Header, FileError> {
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
        let (checked, _) = bytes.split_at(HEADER_LENGTH - CHECKSUM_LENGTH);
        if crc32fast::hash(checked) != u32::from_le_bytes([s0, s1, s2, s3]) {
            return Err(FileError::Header(HeaderError::Checksum));
        }
        let is_letter = |rule: &GrandSlam| rule.letter() == char::from(grand_slam);
        let Some(grand_slam) = GrandSlam::ALL.into_iter().find(is_letter) else {
            return Err(FileError::Header(HeaderError::GrandSlam));
        };
        let repetition = match repetition {
            b'c' => Repetition::Claim,
            b'd' => Repetition::Discard,
            _ => return Err(FileError::Header(HeaderError::Repetition)),
        };
        if stones > MAX_STONES {
            return Err(FileError::Header(HeaderError::Stones));
        }
        if zero != 0 {
            return Err(FileError::Header(HeaderError::Reserved));
        }
        let variant = Variant {
            grand_slam,
            repetition,
        };
        Ok(Header { variant, stones })
    }
}

impl Database {
    /// Returns whether a file that begins with these 8 or more bytes is a database.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(COMPLETE)
    }

    /// Returns the bytes of the database's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            variant: self.variant(),
            stones: self.stones(),
        };
        let mut bytes = header.to_bytes(COMPLETE);
        for stones in 0..=self.stones() {
            bytes.extend(checked_layer(self.layer(stones)));
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
        let (header, rest) = bytes
            .split_first_chunk()
            .ok_or(FileError::Header(HeaderError::Truncated))?;
        let Header { variant, stones } = Header::read(header)?;
        let expected = (0..=stones)
            .map(|stones| Board::count(stones) + CHECKSUM_LENGTH)
            .sum::<usize>()
            + HEADER_LENGTH;
        if bytes.len() != expected {
            return Err(FileError::Length {
                found: bytes.len(),
                expected,
                stones,
            });
        }
        let layers = Layers::read(variant, rest);
        match layers.error {
            Some(error) => Err(error),
            None => Ok(layers.database),
        }
    }

    /// Returns the header of a file that is being built.
    fn partial_header(variant: Variant) -> Vec<u8> {
        Header { variant, stones: 0 }.to_bytes(PARTIAL)
    }

    /// Reads the valid layers at the beginning of a file that is being built. Returns the database
    /// and the length of the header and these layers; `None` if there is no valid layer.
    fn from_partial(bytes: &[u8]) -> Result<Option<(Database, usize)>, FileError> {
        if !PARTIAL.starts_with(bytes) && !bytes.starts_with(PARTIAL) {
            return Err(FileError::WrongPartialMagic);
        }
        let Some((header, rest)) = bytes.split_first_chunk() else {
            return Ok(None);
        };
        let layers = Layers::read(Header::read(header)?.variant, rest);
        let length = layers.length;
        Ok((length > 0).then_some((layers.database, HEADER_LENGTH + length)))
    }
}

/// Returns the bytes of a layer with its checksum.
fn checked_layer(layer: &[u8]) -> Vec<u8> {
    let mut bytes = layer.to_vec();
    bytes.extend(crc32fast::hash(layer).to_le_bytes());
    bytes
}

/// The valid layers at the beginning of some bytes.
struct Layers {
    database: Database,
    /// The length of the layers, in bytes.
    length: usize,
    /// Why the next layer is invalid, unless nothing is left.
    error: Option<FileError>,
}

impl Layers {
    /// Reads layers up to the first invalid one, or to the end.
    fn read(variant: Variant, bytes: &[u8]) -> Layers {
        let mut layers = Layers {
            database: Database::new(variant),
            length: 0,
            error: None,
        };
        let mut rest = bytes;
        for stones in 0..=MAX_STONES {
            if rest.is_empty() {
                break;
            }
            match Layers::split_first(rest, stones) {
                Ok((layer, after)) => {
                    layers.length += rest.len() - after.len();
                    rest = after;
                    // The database has the layer without stones already.
                    if stones > 0
                        && let Err(error) = layers.database.push(layer.to_vec())
                    {
                        layers.error = Some(FileError::Layer { stones, error });
                        break;
                    }
                }
                Err(error) => {
                    layers.error = Some(FileError::Layer { stones, error });
                    break;
                }
            }
        }
        layers
    }

    /// Splits off a layer, and checks it.
    fn split_first(bytes: &[u8], stones: u8) -> Result<(&[u8], &[u8]), LayerError> {
        let truncated = LayerError::Truncated;
        let (layer, rest) = bytes
            .split_at_checked(Board::count(stones))
            .ok_or(truncated)?;
        let (sum, rest) = rest
            .split_first_chunk::<CHECKSUM_LENGTH>()
            .ok_or(truncated)?;
        if crc32fast::hash(layer) != u32::from_le_bytes(*sum) {
            return Err(LayerError::Checksum);
        }
        check_bytes(layer, stones)?;
        Ok((layer, rest))
    }
}

/// The file of a database that is being built, to which each layer is appended.
///
/// When the file is opened again, everything from its first invalid layer on is cut off. A crash
/// can damage only the last layer.
#[derive(Debug)]
pub struct Partial {
    file: File,
    path: PathBuf,
}

/// Why the file of a database that is being built cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PartialError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Another process has the file open.
    #[error("{}: another process is building this database", .0.display())]
    Locked(PathBuf),
    /// The file is something else, or its header is damaged.
    #[error("{}: {error}; move it away, or build another file", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: FileError,
    },
    /// The file is for another variant.
    #[error(
        "{} is being built for another variant ({}, not {}): move it away, or build another file",
        path.display(),
        describe(*found),
        describe(*wanted)
    )]
    Variant {
        /// The file.
        path: PathBuf,
        /// The variant of the file.
        found: Variant,
        /// The variant that was asked for.
        wanted: Variant,
    },
}

impl Partial {
    /// Opens or creates the file, and reads the layers that have been built.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, is used by another process, or is not a
    /// database that is being built for this variant.
    pub fn open(path: &Path, variant: Variant) -> Result<(Partial, Database), PartialError> {
        let io_error = |error| PartialError::Io {
            path: path.to_owned(),
            error,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PartialError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(io_error(error)),
        }
        let path = path.to_owned();
        let mut partial = Partial { file, path };
        let bytes = partial.read().map_err(io_error)?;
        let path = partial.path.clone();
        let found = match Database::from_partial(&bytes) {
            Ok(found) => found,
            Err(error) => return Err(PartialError::Unusable { path, error }),
        };
        let (database, length) = match found {
            None => {
                let database = Database::new(variant);
                let length = partial.write_start(&database).map_err(io_error)?;
                (database, length)
            }
            Some((database, _)) if database.variant() != variant => {
                return Err(PartialError::Variant {
                    path,
                    found: database.variant(),
                    wanted: variant,
                });
            }
            Some(found) => found,
        };
        partial.truncate(length).map_err(io_error)?;
        Ok((partial, database))
    }

    /// Reads all bytes, up to the largest length of such a file.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let max = Board::count_below(MAX_STONES + 1) + 1024;
        let mut bytes = Vec::new();
        (&mut self.file).take(max as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the header and the layer without stones, and returns their length.
    fn write_start(&mut self, database: &Database) -> io::Result<usize> {
        let mut bytes = Database::partial_header(database.variant());
        bytes.extend(checked_layer(database.layer(0)));
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&bytes)?;
        Ok(bytes.len())
    }

    /// Truncates the file to this length and moves to its end.
    fn truncate(&mut self, length: usize) -> io::Result<()> {
        self.file.set_len(length as u64)?;
        self.file.sync_all()?;
        self.file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    /// Appends the next layer and waits until it is on the disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn append(&mut self, layer: &[u8]) -> io::Result<()> {
        self.file.write_all(&checked_layer(layer))?;
        self.file.sync_data()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be deleted.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
