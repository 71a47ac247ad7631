//! The append-only record of a match that survives a power cut.
//!
//! A journal is a file of lines; each is the CRC-32 of the rest of the line in
//! eight hexadecimal digits, a space, and an entry as JSON. What is appended is
//! on the disk when [`Journal::append`] returns. A crash can tear the last line
//! only: it is cut off when the journal is opened again, and nothing that was
//! acknowledged is lost, because it is acknowledged afterwards.

mod files;

use std::borrow::Borrow;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

pub use files::{FolderLock, make_writable, sync_folder, write_whole};

/// The largest journal that is read, in bytes: a match has hundreds of entries
/// of a hundred bytes, and there may be a thousand matches.
const MAX_SIZE: u64 = 256 * 1024 * 1024;

/// A journal of entries of one kind.
#[derive(Debug)]
pub struct Journal<E> {
    file: File,
    path: PathBuf,
    /// How much of the file is whole.
    length: u64,
    entries: PhantomData<fn(E)>,
}

/// A journal as it was found.
#[derive(Debug)]
pub struct Found<E> {
    /// The journal, to be appended to.
    pub journal: Journal<E>,
    /// What is in it.
    pub entries: Vec<E>,
    /// How many bytes of a torn line were cut off.
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
        /// What the system says.
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
        /// What is wrong with it.
        why: String,
    },
}

impl<E: Serialize + DeserializeOwned> Journal<E> {
    /// Starts a journal in a new file.
    ///
    /// # Errors
    /// The file exists or cannot be written.
    pub fn create(path: &Path) -> io::Result<Journal<E>> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.try_lock()?;
        sync_folder(path)?;
        Ok(Journal {
            file,
            path: path.to_owned(),
            length: 0,
            entries: PhantomData,
        })
    }

    /// Opens a journal that exists. A torn line at its end is cut off.
    ///
    /// # Errors
    /// It cannot be read or written, is another process's, or is damaged before
    /// its end.
    pub fn open(path: &Path) -> Result<Found<E>, OpenError> {
        let io_error = |error| OpenError::Io {
            path: path.to_owned(),
            error,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(io_error(error)),
        }
        let mut bytes = Vec::new();
        (&mut file)
            .take(MAX_SIZE + 1)
            .read_to_end(&mut bytes)
            .map_err(io_error)?;
        if bytes.len() as u64 > MAX_SIZE {
            return Err(io_error(io::Error::other("it is too large for a journal")));
        }
        let (entries, length) = read(&bytes).map_err(|(line, why)| OpenError::Damaged {
            path: path.to_owned(),
            line,
            why,
        })?;
        let cut = bytes.len() as u64 - length;
        if cut > 0 {
            // What is cut off was never acknowledged; still, nothing is thrown
            // away that somebody may want to look at, unless the disk is full.
            let torn = bytes.get(usize::try_from(length).unwrap_or(0)..);
            let beside = path.with_extension("torn");
            if fs::write(&beside, torn.unwrap_or_default()).is_err() {
                let _ = fs::remove_file(beside);
            }
            file.set_len(length).map_err(io_error)?;
            file.sync_all().map_err(io_error)?;
        }
        file.seek(SeekFrom::Start(length)).map_err(io_error)?;
        let journal = Journal {
            file,
            path: path.to_owned(),
            length,
            entries: PhantomData,
        };
        Ok(Found {
            journal,
            entries,
            cut,
        })
    }

    /// Writes entries and waits until they are on the disk.
    ///
    /// # Errors
    /// They could not be written; the journal is then as it was before, as far
    /// as the system allows.
    pub fn append(&mut self, entries: &[impl Borrow<E>]) -> io::Result<()> {
        let text = text(entries)?;
        let written = self
            .file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += text.len() as u64,
            Err(_) => {
                // What was written in part must not stand before what follows.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
            }
        }
        written
    }

    /// Puts these entries in the place of all that are there. A crash leaves the
    /// old journal or the new one.
    ///
    /// # Errors
    /// They could not be written; the journal is then as it was before, or holds
    /// these entries, if only its folder could not be synced.
    pub fn rewrite(&mut self, entries: &[E]) -> io::Result<()> {
        let text = text(entries)?;
        let temporary = self.path.with_extension("new");
        let mut file = File::create(&temporary)?;
        file.try_lock()?;
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&temporary, &self.path));
        if let Err(error) = written {
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        // From here on the old file has no name: nothing must go there any more.
        self.file = file;
        self.length = text.len() as u64;
        sync_folder(&self.path)
    }

    /// What is in it.
    ///
    /// # Errors
    /// It cannot be read, or somebody else has damaged it.
    pub fn entries(&self) -> io::Result<Vec<E>> {
        let bytes = fs::read(&self.path)?;
        let (entries, _) =
            read(&bytes).map_err(|(line, why)| io::Error::other(format!("line {line}: {why}")))?;
        Ok(entries)
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

/// The lines of entries.
fn text<E: Serialize>(entries: &[impl Borrow<E>]) -> io::Result<String> {
    let mut text = String::new();
    for entry in entries {
        let json = serde_json::to_string(entry.borrow())?;
        let sum = crc32fast::hash(json.as_bytes());
        text.push_str(&format!("{sum:08x} {json}\n"));
    }
    Ok(text)
}

/// The entries, and the length of the lines that hold them. Only the last line
/// may be torn.
fn read<E: DeserializeOwned>(bytes: &[u8]) -> Result<(Vec<E>, u64), (usize, String)> {
    let mut entries = Vec::new();
    let mut length = 0;
    let mut lines = (1..)
        .zip(bytes.split_inclusive(|&byte| byte == b'\n'))
        .peekable();
    while let Some((number, line)) = lines.next() {
        let json = match checked(line) {
            Ok(json) => json,
            Err(_) if lines.peek().is_none() => break,
            Err(why) => return Err((number, why.into())),
        };
        // What has the right checksum is as it was written.
        let entry = serde_json::from_str(json).map_err(|error| (number, error.to_string()))?;
        entries.push(entry);
        length += line.len() as u64;
    }
    Ok((entries, length))
}

/// The entry of a line, which is whole.
fn checked(line: &[u8]) -> Result<&str, &'static str> {
    let text = line
        .strip_suffix(b"\n")
        .and_then(|line| std::str::from_utf8(line).ok())
        .ok_or("it is no line of text")?;
    let (sum, json) = text.split_once(' ').ok_or("it has no checksum")?;
    let sum = u32::from_str_radix(sum, 16).map_err(|_| "it has no checksum")?;
    if sum != crc32fast::hash(json.as_bytes()) {
        return Err("its checksum is wrong");
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn what_was_appended_is_found_and_can_be_appended_to() {
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
    fn what_is_cut_off_is_kept_beside_it() {
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

    proptest! {
        #[test]
        fn a_torn_end_is_cut_and_nothing_before_it(length in 0_usize..60) {
            let (_folder, path) = three();
            let bytes = fs::read(&path).unwrap();
            prop_assert!(bytes.len() < 60);
            let length = length.min(bytes.len());
            fs::write(&path, &bytes[..length]).unwrap();
            let whole = bytes[..length].iter().filter(|&&byte| byte == b'\n').count();
            let mut found = Journal::<String>::open(&path).unwrap();
            prop_assert_eq!(&found.entries[..], &["one", "two", "three"][..whole]);
            found.journal.append(&["new".to_owned()]).unwrap();
            drop(found);
            let found = Journal::<String>::open(&path).unwrap();
            prop_assert_eq!(found.entries.len(), whole + 1);
        }
    }
}
