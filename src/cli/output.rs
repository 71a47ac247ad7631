//! Standard output, whose reader may be gone.
//!
//! What a command has found decides its exit code, whether anybody reads about it or not. So
//! commands write to [`Output`], which has no error for a closed pipe that would end them before
//! the exit code is known. Those that do nothing but write, such as the engine, write to standard
//! output itself, and end at the error: see [`unless_closed`]. A search whose result nobody can read
//! is stopped: see [`stop_when_unread`].

use std::io::{self, IsTerminal, StdoutLock, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Standard output. Without a reader, everything that is written is dropped.
#[derive(Debug)]
pub struct Output {
    out: StdoutLock<'static>,
    is_closed: bool,
}

impl Output {
    /// Locks standard output.
    pub fn lock() -> Output {
        Output {
            out: stdout().lock(),
            is_closed: false,
        }
    }

    /// Returns whether nobody reads the output, so that any further output need not be computed.
    pub fn is_closed(&self) -> bool {
        self.is_closed || reader::is_gone(Some(Duration::ZERO))
    }

    /// Returns whether standard output is a terminal. This does not wait for its lock.
    pub fn is_terminal() -> bool {
        stdout().is_terminal()
    }

    /// If the pipe is closed, remembers that and returns `instead`.
    fn note_closed<T>(&mut self, written: io::Result<T>, instead: T) -> io::Result<T> {
        written.or_else(|error| {
            self.is_closed |= is_closed(&error);
            self.is_closed.then_some(instead).ok_or(error)
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.note_closed(flushed, ())
    }
}

/// Treats a closed pipe as success, for commands that do nothing but write.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match is_closed(&error) {
        true => Ok(()),
        false => Err(error),
    })
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// How often the stop flag is set again once the reader of standard output is gone.
const STOP_INTERVAL: Duration = Duration::from_millis(100);

/// Sets a stop flag as soon as the reader of standard output is gone, and then again and again,
/// since a GTP session clears it before each search.
///
/// # Errors
/// If the thread that waits for it cannot be started.
pub fn stop_when_unread(stop: &Arc<AtomicBool>) -> io::Result<()> {
    if reader::can_leave() {
        let stop = Arc::clone(stop);
        thread::Builder::new()
            .name("output".into())
            .spawn(move || {
                loop {
                    if reader::is_gone(None) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    thread::sleep(STOP_INTERVAL);
                }
            })?;
    }
    Ok(())
}

#[cfg(unix)]
mod reader {
    use std::io::stdout;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FileType, fstat};

    /// Returns whether standard output has a reader that can leave: it is a pipe, and on Linux also a
    /// Unix socket or a terminal. Elsewhere a socket counts as closed when its peer will send no more,
    /// which says nothing about what the peer reads.
    pub fn can_leave() -> bool {
        fstat(stdout()).is_ok_and(|status| {
            let kind = FileType::from_raw_mode(status.st_mode);
            let is_on_linux = cfg!(target_os = "linux");
            kind.is_fifo() || is_on_linux && (kind.is_socket() || kind.is_char_device())
        })
    }

    /// Waits until the reader of standard output is gone, at most `timeout` if there is one, and
    /// returns whether it is. A signal may end the wait.
    pub fn is_gone(timeout: Option<Duration>) -> bool {
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let output = stdout();
        // ERR and HUP are reported without being requested, but macOS and illumos need a request
        // for some event. RDBAND never occurs here.
        let mut files = [PollFd::new(&output, PollFlags::RDBAND)];
        let gone = PollFlags::ERR | PollFlags::HUP;
        can_leave()
            && poll(&mut files, timeout.as_ref()).is_ok()
            && files.iter().any(|file| file.revents().intersects(gone))
    }
}

/// Other systems report only when something is written that the reader is gone.
#[cfg(not(unix))]
mod reader {
    use std::time::Duration;

    pub fn can_leave() -> bool {
        false
    }

    pub fn is_gone(_: Option<Duration>) -> bool {
        false
    }
}
