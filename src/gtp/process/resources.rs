//! The resources that this machine may run out of while it starts and serves programs. Such an
//! error says nothing about the program.

use std::io;
use std::thread;
use std::time::Duration;

use derive_more::Display;
use thiserror::Error;

/// The pause before the first new attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The number of new attempts. The last pause is 0.8 seconds, and all together are 1.55.
const RETRIES: u32 = 5;

/// A limited resource of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[display(rename_all = "lowercase")]
pub enum Resource {
    /// Open files of this process or of the system.
    #[display("open files")]
    OpenFiles,
    /// Processes and threads.
    Processes,
    /// Memory.
    Memory,
    /// Disk space.
    #[display("room on the disk")]
    Disk,
    /// Ports to listen on.
    Ports,
    /// The file of a program that is still being written.
    #[display("the program's file")]
    ProgramFile,
}

impl Resource {
    /// Returns the exhausted resource; `None` if the error has another cause.
    ///
    /// The kind of the error decides. A missing file, a missing permission, or a file that is not a
    /// program is a property of the program, at any time and on any machine. The errors here are
    /// those that the same call would not have if others used less: the limits of open files
    /// (EMFILE, ENFILE), of processes (EAGAIN), of memory (ENOMEM, ENOBUFS), and of disks (ENOSPC,
    /// EDQUOT, EFBIG), and a program that is still being written (ETXTBSY).
    pub fn exhausted(error: &io::Error) -> Option<Resource> {
        use io::ErrorKind;
        match error.kind() {
            ErrorKind::WouldBlock => Some(Resource::Processes),
            ErrorKind::OutOfMemory => Some(Resource::Memory),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Some(Resource::Disk)
            }
            ErrorKind::ExecutableFileBusy => Some(Resource::ProgramFile),
            _ => Resource::of_code(error),
        }
    }

    /// Returns the resource of an error that has no kind of its own.
    #[cfg(unix)]
    fn of_code(error: &io::Error) -> Option<Resource> {
        use rustix::io::Errno;
        match Errno::from_io_error(error)? {
            Errno::MFILE | Errno::NFILE => Some(Resource::OpenFiles),
            Errno::NOBUFS => Some(Resource::Memory),
            _ => None,
        }
    }

    #[cfg(not(unix))]
    fn of_code(_: &io::Error) -> Option<Resource> {
        None
    }

    /// Returns advice.
    pub const fn remedy(self) -> &'static str {
        match self {
            Resource::OpenFiles => "raise the limit of open files (ulimit -n)",
            Resource::Processes => "raise the limit of processes (ulimit -u, or the container's)",
            Resource::Memory => "close other programs, or raise the limit of memory",
            Resource::Disk => "make room on the disk",
            Resource::Ports => "close programs that listen at ports",
            Resource::ProgramFile => "wait until the program is written",
        }
    }
}

/// This machine has run out of something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{detail}: {}", .resource.remedy())]
pub struct Exhausted {
    /// The exhausted resource.
    pub resource: Resource,
    /// The attempted action, and the system's message.
    pub detail: String,
}

/// Returns the pauses between attempts while this machine lacks a resource.
pub fn pauses() -> impl Iterator<Item = Duration> {
    (0..RETRIES).map(|exponent| FIRST_PAUSE.saturating_mul(1 << exponent))
}

/// Calls a function, and retries after pauses while this machine lacks a resource for it.
///
/// # Errors
/// The last attempt has failed, too, or an attempt failed for another reason.
pub fn retry<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in pauses() {
        match attempt() {
            Err(error) if Resource::exhausted(&error).is_some() => thread::sleep(pause),
            done => return done,
        }
    }
    attempt()
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_fault_of_a_program_is_not_a_lack_of_the_machine() {
        for (code, resource) in [
            (Errno::MFILE, Some(Resource::OpenFiles)),
            (Errno::NFILE, Some(Resource::OpenFiles)),
            (Errno::AGAIN, Some(Resource::Processes)),
            (Errno::NOMEM, Some(Resource::Memory)),
            (Errno::NOBUFS, Some(Resource::Memory)),
            (Errno::NOSPC, Some(Resource::Disk)),
            (Errno::DQUOT, Some(Resource::Disk)),
            (Errno::FBIG, Some(Resource::Disk)),
            (Errno::TXTBSY, Some(Resource::ProgramFile)),
            (Errno::NOENT, None),
            (Errno::ACCESS, None),
            (Errno::PERM, None),
            (Errno::NOEXEC, None),
            (Errno::NOTDIR, None),
            (Errno::ISDIR, None),
            (Errno::LOOP, None),
            (Errno::TOOBIG, None),
        ] {
            let error = io::Error::from(code);
            assert_eq!(Resource::exhausted(&error), resource, "{error}");
        }
    }
}
