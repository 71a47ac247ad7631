//! The files of a dataset.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::npz::npz;
use super::record::{Record, json_line};
use crate::base::journal::write_whole_with;

/// The form of the file of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each record.
    JsonLines,
    /// The arrays of a NumPy archive.
    Npz,
}

impl Format {
    /// Returns the form of a file whose name ends with `.jsonl` or `.npz`; `None` for others.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "jsonl" => Some(Format::JsonLines),
            "npz" => Some(Format::Npz),
            _ => None,
        }
    }

    /// Writes records to a file, which is written whole or not at all.
    ///
    /// # Errors
    /// It cannot be written; what was there before is then still there.
    pub fn write(self, records: &[Record], path: &Path) -> io::Result<()> {
        write_whole_with(path, |file| self.write_to(records, file))
    }

    fn write_to(self, records: &[Record], file: &mut File) -> io::Result<()> {
        let mut file = BufWriter::new(file);
        match self {
            Format::Npz => npz(records, &mut file)?,
            Format::JsonLines => {
                for record in records {
                    writeln!(file, "{}", json_line(record))?;
                }
            }
        }
        file.flush()
    }
}

/// Returns where the data card of a file is by default: beside it, with `.md` behind its name.
pub fn card_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".md");
    name.into()
}
