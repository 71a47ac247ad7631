//! Reading files of a bounded size, and errors of files that cannot be written.

use std::fs::File;
use std::io::{self, Read, stdin};
use std::path::Path;

use anyhow::{Context, anyhow};
use thiserror::Error;

/// The number of bytes at the start of a file that tell of what kind it is.
const MAGIC_LENGTH: u64 = 8;

/// The path that stands for standard input.
const STDIN: &str = "-";

/// Why a file is not read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The system does not open or read it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than the maximum size, in bytes.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
}

/// Returns the result of writing a file; its error names the file, and the folder if that is missing.
///
/// # Errors
/// The file is not written.
pub fn written(path: &Path, result: io::Result<()>) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    match &result {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => Err(anyhow!(
            "{} cannot be written: there is no folder {}",
            path.display(),
            folder.display()
        )),
        _ => result.with_context(|| format!("{} cannot be written", path.display())),
    }
}

/// Returns whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// It cannot be read, or is larger.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    read_file_if(path, most, |_| true)
}

/// Reads a file of at most `most` bytes. If `is_wanted` returns `false` for its first 8 bytes, only
/// these are returned.
///
/// # Errors
/// It cannot be read, or is larger.
pub fn read_file_if(
    path: &Path,
    most: u64,
    is_wanted: impl FnOnce(&[u8]) -> bool,
) -> Result<Vec<u8>, FileError> {
    read_if(File::open(path)?, most, is_wanted)
}

/// Reads a file, or for the path `-` standard input, of at most `most` bytes.
///
/// # Errors
/// It cannot be read, or is larger.
pub fn read_file_or_stdin(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    match is_stdin(path) {
        true => read_if(stdin().lock(), most, |_| true),
        false => read_file(path, most),
    }
}

fn read_if(
    mut reader: impl Read,
    most: u64,
    is_wanted: impl FnOnce(&[u8]) -> bool,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    (&mut reader).take(MAGIC_LENGTH).read_to_end(&mut bytes)?;
    if is_wanted(&bytes) {
        // A byte more tells whether there are more.
        let rest = most.saturating_sub(bytes.len() as u64).saturating_add(1);
        reader.take(rest).read_to_end(&mut bytes)?;
    }
    match bytes.len() as u64 > most {
        true => Err(FileError::TooLarge(most)),
        false => Ok(bytes),
    }
}
