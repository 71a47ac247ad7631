//! Standard output, whose reader may be gone.
//!
//! What a command has found decides its exit code, whether anybody reads about it or not. So
//! commands write to [`Output`], which has no error for a closed pipe that would end them before
//! the exit code is known. Those that do nothing but write, such as the engine, write to standard
//! output itself, and end at the error: see [`unless_closed`].

use std::io::{self, IsTerminal, StdoutLock, Write, stdout};

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

    /// Returns whether something could not be written because nobody reads it: what else would be
    /// written need not be found.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub fn is_terminal(&self) -> bool {
        self.out.is_terminal()
    }

    /// Notes a closed pipe, in whose place this is returned.
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

/// Ends what only writes, without an error, when nobody reads it any more.
pub fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match is_closed(&error) {
        true => Ok(()),
        false => Err(error),
    })
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
