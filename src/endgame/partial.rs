//! A database on the disk while it is being built.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::MAX_STONES;
use super::database::Database;
use super::file::{FileError, checked_layer};
use super::index::count_below;
use crate::awari::Variant;

/// A file that each layer is appended to as soon as it is found. What a crash
/// tears is the last layer: it is cut off when the file is opened again.
#[derive(Debug)]
pub struct Partial {
    file: File,
    path: PathBuf,
}

/// Why such a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PartialError {
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process is building this database", .0.display())]
    Locked(PathBuf),
    /// It is something else, or damaged.
    #[error("{}: {error}; move it away, or build another file", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: FileError,
    },
    /// It is of another way to play.
    #[error(
        "{} is being built for another way to play ({}, not {}): move it away, or build another file",
        path.display(),
        super::name_of(*found),
        super::name_of(*wanted)
    )]
    Variant {
        /// The file.
        path: PathBuf,
        /// What it is for.
        found: Variant,
        /// What was asked for.
        wanted: Variant,
    },
}

impl Partial {
    /// Opens such a file, or begins one; and what has been built.
    ///
    /// # Errors
    /// It cannot be read or written, is another process's, or no such file.
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
                let length = partial.begin(&database).map_err(io_error)?;
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
        partial.cut(length).map_err(io_error)?;
        Ok((partial, database))
    }

    /// All bytes, if they are not more than such a file can have.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let most = count_below(MAX_STONES + 1) + 1024;
        let mut bytes = Vec::new();
        (&mut self.file).take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes what stands before the first layer that is found; how long it is.
    fn begin(&mut self, database: &Database) -> io::Result<usize> {
        let mut bytes = Database::partial_header(database.variant());
        bytes.extend(checked_layer(database.layer(0)));
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&bytes)?;
        Ok(bytes.len())
    }

    /// Cuts off what comes after so many bytes, which are whole.
    fn cut(&mut self, length: usize) -> io::Result<()> {
        self.file.set_len(length as u64)?;
        self.file.sync_all()?;
        self.file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    /// Writes the bounds of the boards with one stone more, and waits until they
    /// are on the disk.
    ///
    /// # Errors
    /// They could not be written.
    pub fn append(&mut self, layer: &[u8]) -> io::Result<()> {
        self.file.write_all(&checked_layer(layer))?;
        self.file.sync_data()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Deletes it.
    ///
    /// # Errors
    /// The system refuses to.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}
