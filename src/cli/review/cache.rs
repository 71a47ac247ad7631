//! Values that are kept from one run to the next.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::base::journal::{Journal, OpenError};
use crate::solving::review::{Evaluator, Known};

/// The most entries of a file: some 120 MB.
const MAX_ENTRIES: usize = 1 << 20;

/// The number of entries that are written together, unless it is the end.
const BATCH: usize = 256;

/// A file with what was found, which a killed program leaves in order.
#[derive(Debug)]
pub(super) struct Cache {
    path: PathBuf,
    journal: Journal<Known>,
    entries: usize,
}

impl Cache {
    /// Opens or creates a file, and tells the evaluator what is in it.
    ///
    /// # Errors
    /// It cannot be used, or is no such file.
    pub fn open(path: &Path, evaluator: &Evaluator) -> Result<Cache> {
        let (journal, entries) = match beginning(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (Journal::create(path)?, Vec::new())
            }
            Err(error) => return Err(error.into()),
            // What is torn is cut off, which must not happen to another file.
            Ok(bytes) if !is_ours(&bytes) => bail!("it is not a cache of gothello review"),
            Ok(_) => {
                let found = Journal::open(path).map_err(|error| match error {
                    OpenError::Locked(_) => anyhow::anyhow!("another process has it open"),
                    error => error.into(),
                })?;
                (found.journal, found.entries)
            }
        };
        let count = entries.len();
        for (number, known) in (1..).zip(entries) {
            if !evaluator.learn(known) {
                bail!("line {number} cannot be true: delete the file");
            }
        }
        Ok(Cache {
            path: path.to_owned(),
            journal,
            entries: count,
        })
    }

    /// Writes what the evaluator has found since the last call, if it is much or `is_last`. Leaves
    /// out entries that no longer fit or cannot be written.
    pub fn write(&mut self, evaluator: &Evaluator, is_last: bool) {
        // Until then a position has one entry, even if its best moves are found after its value.
        if evaluator.found() < BATCH && !is_last {
            return;
        }
        let mut found = evaluator.take_found();
        found.truncate(MAX_ENTRIES.saturating_sub(self.entries));
        if found.is_empty() {
            return;
        }
        match self.journal.append(&found) {
            Ok(()) => self.entries += found.len(),
            Err(error) => {
                let path = self.path.display();
                // A warning that cannot be written changes nothing.
                let _ = writeln!(io::stderr(), "warning: --cache {path}: {error}");
            }
        }
    }
}

/// Reads the first bytes of a file.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(12).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns whether a file begins as a journal of these entries does: with a checksum and an
/// object. A kill may have left less.
fn is_ours(bytes: &[u8]) -> bool {
    let mut bytes = bytes.iter().enumerate();
    bytes.all(|(at, byte)| match at {
        0..8 => byte.is_ascii_hexdigit(),
        8 => *byte == b' ',
        9 => *byte == b'{',
        10 => *byte == b'"',
        _ => *byte == b'p',
    })
}
