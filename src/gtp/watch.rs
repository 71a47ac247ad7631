//! A thread that reads ahead while a command runs, and looks for the line that
//! interrupts it.
//!
//! The thread cannot be called off while it waits for input. So it keeps the
//! reader until something arrives after the command is done; until then whoever
//! wants the next line waits here, for what the thread reads, instead of
//! reading himself.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// How far is read ahead of a running command, in bytes.
const MAX_AHEAD: usize = 64 * 1024;

/// What GoGui sends to stop a running command.
const INTERRUPT: &[u8] = b"# interrupt";

/// Whether a line, without its line feed, interrupts a running command.
pub(super) fn is_interrupt(line: &[u8]) -> bool {
    line.trim_ascii() == INTERRUPT
}

/// The thread that reads ahead, and what it has read.
pub(super) struct Ahead<R> {
    thread: JoinHandle<R>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// Whether the command that is watched over still runs.
    running: bool,
    /// Whether the thread reads no more.
    done: bool,
    /// Why, if the source ended.
    end: Option<io::Result<()>>,
}

impl<R: Read + Send + 'static> Ahead<R> {
    /// Starts to read ahead; `stop` is set when an interruption arrives while
    /// the command runs. `line` is the beginning of a line that was read
    /// already.
    pub(super) fn start(reader: R, stop: &Arc<AtomicBool>, line: &[u8]) -> io::Result<Ahead<R>> {
        let shared = Arc::new(Shared::default());
        shared.lock().running = true;
        let (theirs, stop) = (Arc::clone(&shared), Arc::clone(stop));
        let mut start = LineStart::default();
        start.ends_in_interrupt(line);
        let thread =
            thread::Builder::new().spawn(move || theirs.read_ahead(reader, &stop, start))?;
        Ok(Ahead { thread, shared })
    }

    /// Another command runs; `false` if the thread has stopped.
    pub(super) fn resume(&self) -> bool {
        let mut state = self.shared.lock();
        state.running = !state.done;
        state.running
    }

    /// The command is done: the thread stops with what it reads next.
    pub(super) fn pause(&self) {
        self.shared.lock().running = false;
    }

    /// Waits for bytes and moves them to `room`; `None` when the thread has
    /// stopped and there are no more.
    pub(super) fn take(&self, room: &mut [u8]) -> Option<usize> {
        let mut state = self.shared.lock();
        while state.bytes.is_empty() {
            if state.done {
                return None;
            }
            state = self
                .shared
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let len = room.len().min(state.bytes.len());
        room.iter_mut()
            .zip(state.bytes.drain(..len))
            .for_each(|(to, from)| *to = from);
        Some(len)
    }

    /// Gives the reader back once the thread has stopped; `None` at the end of
    /// input.
    pub(super) fn finish(self) -> io::Result<Option<R>> {
        let reader = self.thread.join().ok();
        match self.shared.lock().end.take() {
            None => Ok(reader),
            Some(Ok(())) => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }
}

impl Shared {
    /// The state; a thread that panicked leaves it as good as any other.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_ahead<R: Read>(&self, mut reader: R, stop: &AtomicBool, mut line: LineStart) -> R {
        let mut chunk = vec![0; MAX_AHEAD];
        let mut total = 0;
        loop {
            let result = read_retrying(&mut reader, &mut chunk);
            let bytes = &chunk[..*result.as_ref().unwrap_or(&0)];
            total += bytes.len();
            let mut state = self.lock();
            let at_end = matches!(result, Ok(0)) && is_interrupt(&line.0);
            if line.ends_in_interrupt(bytes) || at_end {
                stop.store(true, Ordering::Relaxed);
            }
            state.bytes.extend_from_slice(bytes);
            state.end = match result {
                Ok(0) => Some(Ok(())),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            };
            state.done = state.end.is_some() || !state.running || total >= MAX_AHEAD;
            self.changed.notify_all();
            if state.done {
                return reader;
            }
        }
    }
}

/// Reads once, and again if a signal came in between.
pub(super) fn read_retrying<R: Read>(reader: &mut R, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The beginning of a line whose end has not been read.
#[derive(Default)]
struct LineStart(Vec<u8>);

impl LineStart {
    /// Whether a line that ends in `bytes`, which follow, is an interruption.
    fn ends_in_interrupt(&mut self, bytes: &[u8]) -> bool {
        let mut found = false;
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            // No longer line is an interruption, white space around it aside.
            if self.0.len() < 1024 {
                self.0.extend_from_slice(piece);
            }
            if pieces.peek().is_some() {
                found |= is_interrupt(&self.0);
                self.0.clear();
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_read_ahead_of_only_so_far() {
        let stop = Arc::new(AtomicBool::new(false));
        let ahead = Ahead::start(io::repeat(b'x'), &stop, b"").unwrap();
        let mut room = vec![0; MAX_AHEAD];
        let mut total = 0;
        while let Some(read) = ahead.take(&mut room) {
            total += read;
            assert!(total <= 2 * MAX_AHEAD);
        }
        assert!(ahead.finish().unwrap().is_some());
    }

    #[test]
    fn an_interruption_is_found_however_it_arrives() {
        let found = |pieces: &[&str]| {
            let mut line = LineStart::default();
            pieces
                .iter()
                .any(|piece| line.ends_in_interrupt(piece.as_bytes()))
        };
        assert!(found(&["# interrupt\n"]));
        assert!(found(&["# interrupt\r\n"]));
        assert!(found(&["name\n# inter", "rupt", "\nname"]));
        assert!(!found(&["# interrupt"]));
        assert!(!found(&["echo # interrupt\n", "# interrupted\n"]));
    }
}
