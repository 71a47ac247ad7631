//! Files and folders that survive a crash.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::process;

/// A folder that this process alone works in, until this is dropped.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "it is there to be dropped")] File);

impl FolderLock {
    /// Makes the folder if need be, and takes its lock.
    ///
    /// # Errors
    /// The folder cannot be written to, or is another process's.
    pub fn take(folder: &Path) -> io::Result<FolderLock> {
        make_writable(folder)?;
        let file = File::create(folder.join(".lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(FolderLock(file)),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::other("another process keeps its journals there"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Makes a folder if need be, and tries to write to it.
///
/// # Errors
/// It is no folder, or cannot be made or written to.
pub fn make_writable(folder: &Path) -> io::Result<()> {
    if folder.exists() && !folder.is_dir() {
        return Err(io::Error::other("it is no folder"));
    }
    fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".probe-{}", process::id()));
    fs::write(&probe, "")?;
    fs::remove_file(probe)?;
    sync_folder(folder)
}

/// Writes a file and waits until it is on the disk; a crash or a full disk leaves the
/// whole file or none, or what was there before.
///
/// # Errors
/// It could not be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    if let Err(error) = written {
        // Half a file would only take room.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path)
}

/// Makes a new file's name as durable as its content.
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
