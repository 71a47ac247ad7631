//! An append-only file of lines that survives a crash.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::files::{LockedFile, sync_folder, temporary_beside};

/// The pause between two attempts to lock a file.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The maximum length in bytes of a last line without a line end that may be whole: a longer one is cut off.
const MAX_LAST: u64 = 64 * 1024;

/// The number of bytes that are read at a time to find the last end of a line.
const BLOCK: u64 = 4_096;

/// An append-only file of lines that survives a crash and a full disk.
///
/// Every file that grows while a server runs is one: the journals, the results files of
/// tournaments, and the tables of finished matches and games. The same rules hold for
/// all of them:
///
/// - Only one process at a time has the file open, because it is locked.
/// - When [`append`](LineFile::append) returns, the lines are on the disk. If it fails,
///   the file is as it was before. If not even that can be restored, nothing is appended
///   until it can.
/// - A crash can tear only the end of the file. [`Unchecked::keep`] cuts it off. These
///   bytes were never acknowledged; they are saved beside the file, with the extension
///   `torn`, unless the disk is full. The lines that are found are synced, because the
///   process that wrote them may have been killed before it did so.
/// - The name of a file is as durable as its content: its folder is synced before anything
///   can be appended.
#[derive(Debug)]
pub struct LineFile {
    file: LockedFile,
    path: PathBuf,
    /// The length of the lines that are on the disk, in bytes.
    length: u64,
    /// Whether an append failed that could not be undone: the file may be longer.
    is_dirty: bool,
}

/// A line file that is open and locked. Its end may be torn, so that nothing can be
/// appended before it has been checked. Dropping it leaves the file as it is.
#[derive(Debug)]
#[must_use]
pub struct Unchecked {
    file: LockedFile,
    path: PathBuf,
    length: u64,
}

/// A line file without a torn end.
#[derive(Debug)]
pub struct Checked {
    /// The file, to be appended to.
    pub file: LineFile,
    /// The number of bytes that were cut off.
    pub cut: u64,
}

/// Why a line file cannot be opened or read.
#[derive(Debug, Error)]
pub enum LineFileError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another process has it open.
    #[error("another process has it open")]
    Locked,
    /// The file is larger than this many bytes.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
}

impl From<LineFileError> for io::Error {
    fn from(error: LineFileError) -> io::Error {
        match error {
            LineFileError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}

impl LineFile {
    /// Creates a file.
    ///
    /// # Errors
    /// It exists or cannot be written.
    pub fn create(path: &Path) -> Result<LineFile, LineFileError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let file = open(path, options, Duration::ZERO)?;
        Ok(file.keep(0)?.file)
    }

    /// Opens a file that exists.
    ///
    /// # Errors
    /// It does not exist, cannot be read or written, or is locked.
    pub fn open(path: &Path) -> Result<Unchecked, LineFileError> {
        open(
            path,
            OpenOptions::new().read(true).write(true),
            Duration::ZERO,
        )
    }

    /// Opens a file and creates it if need be. Waits this long for other processes that
    /// have it open.
    ///
    /// # Errors
    /// It cannot be read or written, or is still locked.
    pub fn open_or_create(path: &Path, wait: Duration) -> Result<Unchecked, LineFileError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        open(path, options, wait)
    }

    /// Appends lines and waits until they are on the disk.
    ///
    /// # Errors
    /// They could not be written; the file is then as it was before.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        if self.is_dirty {
            self.roll_back()?;
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(lines.as_bytes()))
            .and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += lines.len() as u64,
            Err(_) => {
                self.is_dirty = true;
                // If it fails, the next append tries again.
                let _ = self.roll_back();
            }
        }
        written
    }

    /// Cuts off what a failed append has written in part.
    fn roll_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.is_dirty = false;
        Ok(())
    }

    /// Replaces the content of the file. A crash leaves the old content or the new one.
    ///
    /// # Errors
    /// The lines could not be written; the file is then as it was before, or holds these
    /// lines, if only its folder could not be synced.
    pub fn replace(&mut self, lines: &str) -> io::Result<()> {
        let replaced = write_in_place_of(&self.path, lines.as_bytes())?;
        self.go_on_with(replaced)
    }

    /// Replaces the first line. A crash leaves the old one or the new one.
    ///
    /// # Errors
    /// As for [`replace`](LineFile::replace).
    pub fn replace_first(&mut self, line: &str) -> io::Result<()> {
        let mut rest = self.reader()?;
        rest.skip_until(b'\n')?;
        let replaced = write_in_place_of(&self.path, line.as_bytes().chain(rest))?;
        self.go_on_with(replaced)
    }

    /// Goes on with a file of a length that has been put in the place of this one.
    fn go_on_with(&mut self, (file, length): (LockedFile, u64)) -> io::Result<()> {
        // The old file has no name: nothing may be written to it.
        self.file = file;
        self.length = length;
        self.is_dirty = false;
        sync_folder(&self.path)
    }

    /// Returns a reader of the lines from the first one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reader(&self) -> io::Result<impl BufRead + '_> {
        (&*self.file).rewind()?;
        Ok(BufReader::new((&*self.file).take(self.length)))
    }

    /// Returns the path that the file was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Unchecked {
    /// Returns a reader of the whole file, torn end included.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reader(&mut self) -> io::Result<&File> {
        self.file.rewind()?;
        Ok(&self.file)
    }

    /// Reads the whole file, torn end included.
    ///
    /// # Errors
    /// It cannot be read, or is larger than `max_size` bytes.
    pub fn read(&mut self, max_size: u64) -> Result<Vec<u8>, LineFileError> {
        self.file.rewind()?;
        read_all(&*self.file, max_size)
    }

    /// Adds the end of the last line if the line lacks only that, as `is_whole` says of its text.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn end_last_line(&mut self, is_whole: impl FnOnce(&str) -> bool) -> io::Result<()> {
        let start = self.find_last_end()?;
        self.file.seek(SeekFrom::Start(start))?;
        let mut rest = Vec::new();
        (&*self.file).take(MAX_LAST).read_to_end(&mut rest)?;
        let is_last = start + rest.len() as u64 == self.length;
        if is_last && str::from_utf8(&rest).is_ok_and(is_whole) {
            self.file.write_all(b"\n")?;
            self.length += 1;
        }
        Ok(())
    }

    /// Keeps the lines that have an end and cuts off the rest.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn keep_whole_lines(mut self) -> io::Result<Checked> {
        let length = self.find_last_end()?;
        self.keep(length)
    }

    /// Keeps this many bytes, which are whole lines, and cuts off the rest.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(self, length: u64) -> io::Result<Checked> {
        let Unchecked {
            mut file,
            path,
            length: found,
        } = self;
        let cut = found.saturating_sub(length);
        if cut > 0 {
            save_torn(&mut file, &path, length);
            file.set_len(length)?;
        }
        // A process that was killed may have written these lines without syncing them.
        file.sync_all()?;
        sync_folder(&path)?;
        let length = length.min(found);
        let file = LineFile {
            file,
            path,
            length,
            is_dirty: false,
        };
        Ok(Checked { file, cut })
    }

    /// Returns the length of the lines that have an end.
    fn find_last_end(&mut self) -> io::Result<u64> {
        let mut end = self.length;
        while end > 0 {
            let start = end.saturating_sub(BLOCK);
            self.file.seek(SeekFrom::Start(start))?;
            let mut block = Vec::new();
            (&*self.file).take(end - start).read_to_end(&mut block)?;
            let found = whole_lines(&block) as u64;
            if found > 0 {
                return Ok(start + found);
            }
            end = start;
        }
        Ok(0)
    }
}

/// Returns the length of the lines that have an end.
pub fn whole_lines(bytes: &[u8]) -> usize {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |end| end + 1)
}

/// Reads a line file to its end. If another process has it open, a line may just be being written,
/// so that the end may be torn.
///
/// # Errors
/// It cannot be read, or is larger than `max_size` bytes.
pub fn read_all(file: impl Read, max_size: u64) -> Result<Vec<u8>, LineFileError> {
    let mut bytes = Vec::new();
    file.take(max_size.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_size {
        return Err(LineFileError::TooLarge(max_size));
    }
    Ok(bytes)
}

/// Puts a file with this content, which is locked and on the disk, in the place of another one.
/// Returns it with its length. Its name is not on the disk yet.
fn write_in_place_of(path: &Path, mut content: impl Read) -> io::Result<(LockedFile, u64)> {
    let temporary = temporary_beside(path);
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(true);
    let mut file = LockedFile::new(options.open(&temporary)?)?;
    let written = io::copy(&mut content, &mut *file).and_then(|length| {
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(length)
    });
    match written {
        Ok(length) => Ok((file, length)),
        Err(error) => {
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

fn open(path: &Path, options: &OpenOptions, wait: Duration) -> Result<Unchecked, LineFileError> {
    loop {
        let file = open_locked(path, options, wait)?;
        // The process that had the lock may have put another file in its place.
        if is_still_at(&file, path)? {
            let length = file.metadata()?.len();
            return Ok(Unchecked {
                file,
                path: path.to_owned(),
                length,
            });
        }
    }
}

/// Opens and locks a file. Tries at least once, and again until `wait` is over.
fn open_locked(
    path: &Path,
    options: &OpenOptions,
    wait: Duration,
) -> Result<LockedFile, LineFileError> {
    let mut waited = Duration::ZERO;
    loop {
        match LockedFile::new(options.open(path)?) {
            Ok(file) => return Ok(file),
            Err(TryLockError::WouldBlock) if waited < wait => {
                thread::sleep(LOCK_PAUSE);
                waited += LOCK_PAUSE;
            }
            Err(TryLockError::WouldBlock) => return Err(LineFileError::Locked),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Returns whether an open file still has this name.
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;

        let file = file.metadata()?;
        match fs::metadata(path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (file.dev(), file.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    // On other systems an open file is not replaced.
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

/// Saves what comes after `length` bytes beside the file, for people who want to look at
/// it. A full disk is no reason to stop: nothing of it was acknowledged.
fn save_torn(file: &mut File, path: &Path, length: u64) {
    let beside = path.with_extension("torn");
    let saved = file
        .seek(SeekFrom::Start(length))
        .and_then(|_| io::copy(file, &mut File::create(&beside)?));
    if saved.is_err() {
        let _ = fs::remove_file(beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a file of two lines, in a folder of its own.
    fn two_lines() -> (tempfile::TempDir, LineFile) {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = LineFile::create(&folder.path().join("a.txt")).unwrap();
        lines.append("one\n").unwrap();
        lines.append("two\n").unwrap();
        (folder, lines)
    }

    fn content(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_torn_line_is_cut_off_and_saved() {
        let (_folder, lines) = two_lines();
        let path = lines.path().to_owned();
        drop(lines);
        // Also one that is longer than a block.
        let torn = "x".repeat(3 * 4_096);
        fs::write(&path, format!("one\ntwo\n{torn}")).unwrap();
        let Checked { mut file, cut } = LineFile::open(&path).unwrap().keep_whole_lines().unwrap();
        assert_eq!(cut, 3 * 4_096);
        file.append("three\n").unwrap();
        assert_eq!(content(&path), "one\ntwo\nthree\n");
        assert_eq!(content(&path.with_extension("torn")), torn);
    }

    #[test]
    fn nothing_changes_before_the_end_is_checked() {
        let (_folder, lines) = two_lines();
        let path = lines.path().to_owned();
        drop(lines);
        fs::write(&path, "one\ntw").unwrap();
        let mut unchecked = LineFile::open(&path).unwrap();
        assert_eq!(unchecked.read(6).unwrap(), b"one\ntw");
        let error = unchecked.read(5).unwrap_err();
        assert!(matches!(error, LineFileError::TooLarge(5)), "{error}");
        drop(unchecked);
        assert_eq!(content(&path), "one\ntw");
        let found = LineFile::open(&path).unwrap().keep_whole_lines().unwrap();
        assert_eq!((content(&path).as_str(), found.cut), ("one\n", 2));
    }

    /// A file that can neither be written nor cut: the system refuses both through a
    /// handle that only reads.
    #[test]
    fn nothing_is_appended_to_half_a_line() {
        let (_folder, mut lines) = two_lines();
        let path = lines.path().to_owned();
        let writable = std::mem::replace(&mut *lines.file, File::open(&path).unwrap());
        assert!(lines.append("three\n").is_err());
        // As if a part of it had been written.
        fs::write(&path, "one\ntwo\nthr").unwrap();
        assert!(lines.append("four\n").is_err());
        assert_eq!(content(&path), "one\ntwo\nthr");
        *lines.file = writable;
        lines.append("five\n").unwrap();
        assert_eq!(content(&path), "one\ntwo\nfive\n");
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_goes_on() {
        let (_folder, mut lines) = two_lines();
        let path = lines.path().to_owned();
        lines.replace("all\n").unwrap();
        lines.append("new\n").unwrap();
        assert_eq!(content(&path), "all\nnew\n");
        let mut text = String::new();
        lines.reader().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "all\nnew\n");
        // The new file is locked as the old one was.
        let error = LineFile::open(&path).unwrap_err();
        assert!(matches!(error, LineFileError::Locked), "{error}");
    }

    #[test]
    fn a_file_is_unlocked_even_while_a_starting_child_process_has_it() {
        let (_folder, lines) = two_lines();
        let path = lines.path().to_owned();
        // A child has the same open file until it executes its program.
        let _of_child = lines.file.try_clone().unwrap();
        drop(lines);
        assert!(LineFile::open(&path).is_ok());
    }

    #[test]
    fn the_first_line_is_replaced_and_the_others_stay() {
        let (_folder, mut lines) = two_lines();
        let path = lines.path().to_owned();
        for first in ["a longer line\n", "1\n"] {
            lines.replace_first(first).unwrap();
            assert_eq!(content(&path), format!("{first}two\n"));
        }
        lines.append("three\n").unwrap();
        assert_eq!(content(&path), "1\ntwo\nthree\n");
        let mut empty = LineFile::create(&path.with_extension("new")).unwrap();
        empty.replace_first("1\n").unwrap();
        assert_eq!(content(empty.path()), "1\n");
    }

    #[test]
    fn a_file_that_is_replaced_while_its_lock_is_waited_for_is_opened_anew() {
        let (_folder, mut lines) = two_lines();
        let path = lines.path().to_owned();
        let waiting = thread::spawn({
            let path = path.clone();
            move || LineFile::open_or_create(&path, Duration::from_secs(60))
        });
        // Whether the other thread waits already makes no difference to what it finds.
        thread::sleep(Duration::from_millis(50));
        lines.replace("all\n").unwrap();
        drop(lines);
        let mut found = waiting.join().unwrap().unwrap();
        assert_eq!(found.read(100).unwrap(), b"all\n");
    }
}
