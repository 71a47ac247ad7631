//! Files that survive a crash: journals, and the line files below them.
//!
//! A [`Journal`] is a [`LineFile`] of entries. Each line is the CRC-32 of the rest of the
//! line in eight hexadecimal digits, a space, and an entry as JSON. What is appended is on
//! the disk when [`Journal::append`] returns. A crash can tear only the last line. It is cut
//! off when the journal is opened again, and nothing that was acknowledged is lost, because
//! it is acknowledged afterwards.

mod files;
mod line_file;

use std::borrow::Borrow;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

pub use files::{
    FolderLock, check_writable, make_writable, sync_folder, temporary_beside, write_whole,
    write_whole_with,
};
pub use line_file::{Checked, LineFile, LineFileError, Unchecked, read_all, whole_lines};

/// The largest journal that is read, in bytes: 256 MiB. A match has hundreds of entries of
/// a hundred bytes, and there may be a thousand matches.
const MAX_SIZE: u64 = 256 * 1024 * 1024;

/// A journal of entries of one type.
#[derive(Debug)]
pub struct Journal<E> {
    lines: LineFile,
    entries: PhantomData<fn(E)>,
}

/// A journal as it was found.
#[derive(Debug)]
pub struct Found<E> {
    /// The journal, to be appended to.
    pub journal: Journal<E>,
    /// Its entries, the first one first.
    pub entries: Vec<E>,
    /// The number of bytes of a torn line that were cut off.
    pub cut: u64,
}

/// Why a journal cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process writes this journal", .0.display())]
    Locked(PathBuf),
    /// A line that is not the last one is damaged.
    #[error("{}, line {line}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error in the line.
        why: String,
    },
}

impl<E: Serialize + DeserializeOwned> Journal<E> {
    /// Creates a journal in a new file.
    ///
    /// # Errors
    /// The file exists or cannot be written.
    pub fn create(path: &Path) -> io::Result<Journal<E>> {
        Ok(Journal {
            lines: LineFile::create(path)?,
            entries: PhantomData,
        })
    }

    /// Opens a journal that exists. A torn line at its end is cut off.
    ///
    /// # Errors
    /// It cannot be read or written, another process has it open, or it is damaged before
    /// its end.
    pub fn open(path: &Path) -> Result<Found<E>, OpenError> {
        let failed = |error: LineFileError| match error {
            LineFileError::Locked => OpenError::Locked(path.to_owned()),
            other => OpenError::Io {
                path: path.to_owned(),
                error: other.into(),
            },
        };
        let mut file = LineFile::open(path).map_err(failed)?;
        let bytes = file.read(MAX_SIZE).map_err(failed)?;
        let (entries, length) = parse(&bytes).map_err(|(line, why)| OpenError::Damaged {
            path: path.to_owned(),
            line,
            why,
        })?;
        let Checked { file, cut } = file.keep(length).map_err(|error| failed(error.into()))?;
        let journal = Journal {
            lines: file,
            entries: PhantomData,
        };
        Ok(Found {
            journal,
            entries,
            cut,
        })
    }

    /// Opens a journal, or creates it if there is none.
    ///
    /// # Errors
    /// As of [`Journal::open`], or it cannot be created.
    pub fn open_or_create(path: &Path) -> Result<Found<E>, OpenError> {
        if path.exists() {
            return Journal::open(path);
        }
        match Journal::create(path) {
            Ok(journal) => Ok(Found {
                journal,
                entries: Vec::new(),
                cut: 0,
            }),
            Err(error) => Err(OpenError::Io {
                path: path.to_owned(),
                error,
            }),
        }
    }

    /// Appends entries and waits until they are on the disk.
    ///
    /// # Errors
    /// They could not be written; the journal is then as it was before.
    pub fn append(&mut self, entries: &[impl Borrow<E>]) -> io::Result<()> {
        self.lines.append(&text(entries)?)
    }

    /// Replaces all entries by these. A crash leaves the old journal or the new one.
    ///
    /// # Errors
    /// They could not be written; the journal is then as it was before, or holds these
    /// entries, if only its folder could not be synced.
    pub fn rewrite(&mut self, entries: &[E]) -> io::Result<()> {
        self.lines.replace(&text(entries)?)
    }

    /// Reads the entries again.
    ///
    /// # Errors
    /// The journal cannot be read, or another program has damaged it.
    pub fn entries(&self) -> io::Result<Vec<E>> {
        let mut bytes = Vec::new();
        self.lines.reader()?.read_to_end(&mut bytes)?;
        let (entries, _) =
            parse(&bytes).map_err(|(line, why)| io::Error::other(format!("line {line}: {why}")))?;
        Ok(entries)
    }

    /// Returns the path of its file.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }
}

/// Formats entries as lines.
fn text<E: Serialize>(entries: &[impl Borrow<E>]) -> io::Result<String> {
    let mut text = String::new();
    for entry in entries {
        let json = serde_json::to_string(entry.borrow())?;
        let sum = crc32fast::hash(json.as_bytes());
        text.push_str(&format!("{sum:08x} {json}\n"));
    }
    Ok(text)
}

/// Parses the lines of a journal. Returns the entries and the length of their lines in
/// bytes. Only the last line may be torn.
fn parse<E: DeserializeOwned>(bytes: &[u8]) -> Result<(Vec<E>, u64), (usize, String)> {
    let mut entries = Vec::new();
    let mut length = 0;
    let mut lines = (1..)
        .zip(bytes.split_inclusive(|&byte| byte == b'\n'))
        .peekable();
    while let Some((number, line)) = lines.next() {
        let json = match verify(line) {
            Ok(json) => json,
            Err(_) if lines.peek().is_none() => break,
            Err(why) => return Err((number, why.into())),
        };
        // A line with the right checksum is as it was written.
        let entry = serde_json::from_str(json).map_err(|error| (number, error.to_string()))?;
        entries.push(entry);
        length += line.len() as u64;
    }
    Ok((entries, length))
}

/// Returns the entry of a line whose checksum is right.
fn verify(line: &[u8]) -> Result<&str, &'static str> {
    const NO_CHECKSUM: &str = "it has no checksum";
    let text = line
        .strip_suffix(b"\n")
        .and_then(|line| std::str::from_utf8(line).ok())
        .ok_or("it is not a line of text")?;
    let (sum, json) = text.split_once(' ').ok_or(NO_CHECKSUM)?;
    let sum = u32::from_str_radix(sum, 16).map_err(|_| NO_CHECKSUM)?;
    if sum != crc32fast::hash(json.as_bytes()) {
        return Err("its checksum is wrong");
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A journal of three entries, in a folder of its own.
    fn three() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let mut journal: Journal<String> = Journal::create(&path).unwrap();
        journal.append(&["one".to_owned()]).unwrap();
        journal
            .append(&["two".to_owned(), "three".to_owned()])
            .unwrap();
        (folder, path)
    }

    #[test]
    fn appended_entries_are_found_and_can_be_appended_to() {
        let (_folder, path) = three();
        let mut found = Journal::<String>::open(&path).unwrap();
        assert_eq!(found.entries, ["one", "two", "three"]);
        assert_eq!(found.cut, 0);
        found.journal.append(&["four".to_owned()]).unwrap();
        drop(found);
        let found = Journal::<String>::open(&path).unwrap();
        assert_eq!(found.entries.last().unwrap(), "four");
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_an_error_that_names_it() {
        let (_folder, path) = three();
        let text = fs::read_to_string(&path).unwrap().replace("two", "twO");
        fs::write(&path, text).unwrap();
        let error = Journal::<String>::open(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("a.journal, line 2: its checksum is wrong"),
            "{error}"
        );
    }

    #[test]
    fn an_entry_that_is_whole_but_not_understood_is_an_error_even_at_the_end() {
        let (_folder, path) = three();
        let error = Journal::<u32>::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 1: invalid type"), "{error}");
        let length = fs::metadata(&path).unwrap().len();
        assert!(Journal::<String>::open(&path).is_ok());
        assert_eq!(fs::metadata(&path).unwrap().len(), length);
    }

    #[test]
    fn a_cut_off_tail_is_kept_beside_the_file() {
        let (_folder, path) = three();
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str("0123 torn");
        fs::write(&path, text).unwrap();
        assert_eq!(Journal::<String>::open(&path).unwrap().cut, 9);
        let torn = fs::read_to_string(path.with_extension("torn")).unwrap();
        assert_eq!(torn, "0123 torn");
    }

    #[test]
    fn a_journal_is_written_anew_and_goes_on() {
        let (_folder, path) = three();
        let mut journal = Journal::<String>::open(&path).unwrap().journal;
        journal.rewrite(&["all".to_owned()]).unwrap();
        journal.append(&["new".to_owned()]).unwrap();
        assert_eq!(journal.entries().unwrap(), ["all", "new"]);
        let error = Journal::<String>::open(&path).unwrap_err();
        assert!(matches!(error, OpenError::Locked(_)), "{error}");
        drop(journal);
        assert_eq!(
            Journal::<String>::open(&path).unwrap().entries,
            ["all", "new"]
        );
    }

    #[test]
    fn a_journal_is_neither_overwritten_nor_shared() {
        let (_folder, path) = three();
        assert!(Journal::<String>::create(&path).is_err());
        let _first = Journal::<String>::open(&path).unwrap();
        let error = Journal::<String>::open(&path).unwrap_err();
        assert!(matches!(error, OpenError::Locked(_)), "{error}");
    }

    #[test]
    fn a_torn_end_is_cut_and_nothing_before_it() {
        let (_folder, whole) = three();
        let bytes = fs::read(whole).unwrap();
        for length in 0..=bytes.len() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("torn.journal");
            fs::write(&path, &bytes[..length]).unwrap();
            let lines = bytes[..length].iter().filter(|&&byte| byte == b'\n');
            let lines = lines.count();
            let mut found = Journal::<String>::open(&path).unwrap();
            assert_eq!(found.entries[..], ["one", "two", "three"][..lines]);
            found.journal.append(&["new".to_owned()]).unwrap();
            drop(found);
            let found = Journal::<String>::open(&path).unwrap();
            assert_eq!(found.entries.len(), lines + 1, "{length} bytes");
        }
    }
}
