//! Files that are written whole, and folders that one process works in.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use derive_more::{Deref, DerefMut};

/// A locked file, which is unlocked when it is dropped.
///
/// Only closing it would not be enough: a child process that another thread starts has the file,
/// too, until it executes its program.
#[derive(Debug, Deref, DerefMut)]
pub struct LockedFile(File);

impl LockedFile {
    /// Locks a file.
    ///
    /// # Errors
    /// Another process has locked it, or the system does not lock files.
    pub fn new(file: File) -> Result<LockedFile, TryLockError> {
        file.try_lock()?;
        Ok(LockedFile(file))
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // It is closed in any case.
        let _ = self.0.unlock();
    }
}

/// The lock of a folder: no other process works in it until this is dropped.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "dropping it unlocks the folder")] LockedFile);

impl FolderLock {
    /// Creates the folder if need be and locks it.
    ///
    /// # Errors
    /// The folder cannot be written to, or another process has locked it.
    pub fn take(folder: &Path) -> io::Result<FolderLock> {
        make_writable(folder)?;
        match LockedFile::new(File::create(folder.join(".lock"))?) {
            Ok(file) => Ok(FolderLock(file)),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::other("another process keeps its journals there"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Creates a folder if need be and tries to write to it.
///
/// # Errors
/// It is not a folder, or cannot be created or written to.
pub fn make_writable(folder: &Path) -> io::Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".probe-{}", process::id()));
    fs::write(&probe, "")?;
    fs::remove_file(probe)?;
    sync_folder(folder)
}

/// Writes a file and waits until it is on the disk. A crash or a full disk leaves the new
/// content or what was there before, never a part.
///
/// # Errors
/// It could not be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// Does the work of [`write_whole`] with what `write` writes.
///
/// # Errors
/// It could not be written.
pub fn write_whole_with(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_beside(path);
    let written = File::create(&temporary).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    if let Err(error) = written {
        // Half a file would only fill the disk.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path)
}

/// Checks that [`write_whole`] can write a file, and that there is no folder in its place.
///
/// # Errors
/// It cannot.
pub fn check_writable(file: &Path) -> io::Result<()> {
    if file.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    let probe = temporary_beside(file);
    match File::create_new(&probe) {
        // It was left over, or another program is writing it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            File::options().append(true).open(&probe).map(drop)
        }
        created => {
            created?;
            fs::remove_file(&probe)
        }
    }
}

/// Returns the name under which the new content of a file is written before it takes the
/// file's place.
pub fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Syncs the folder of a file, so that the file's name is as durable as its content.
///
/// # Errors
/// The folder cannot be opened or synced.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        // Elsewhere a folder cannot be opened, and need not be.
        Some(folder) if cfg!(unix) => {
            let here = Path::new(".");
            let folder = if folder.as_os_str().is_empty() {
                here
            } else {
                folder
            };
            File::open(folder)?.sync_all()
        }
        _ => Ok(()),
    }
}
