//! Lines from a byte stream: bounded, and watched for interruptions during a search.
//!
//! Normally the thread that needs a line reads it, so that a command does not pass through
//! another thread. Only during a search does a second thread read ahead and look for the
//! line that interrupts the search. That thread cannot be stopped
//! while it waits for input. So it keeps the reader until something arrives after the
//! search; until then the next line comes from what this thread reads.

use std::io::{self, Read};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::request::preprocess;

/// The maximum length of a line, in bytes without the line feed: 64 KiB.
pub const MAX_LINE: usize = 64 * 1024;

/// The number of bytes that are read at a time.
const CHUNK: usize = 64 * 1024;

/// The number of bytes that are read ahead during a search.
const MAX_AHEAD: usize = 64 * 1024;

/// The line that GoGui sends to interrupt a running command.
const INTERRUPT: &[u8] = b"# interrupt";

/// One line of input, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line of at most [`MAX_LINE`] bytes.
    Whole(&'a [u8]),
    /// The first [`MAX_LINE`] bytes of a longer line; the rest is dropped.
    TooLong(&'a [u8]),
}

/// The lines of a byte stream.
///
/// The stream is read by the thread that calls [`Input::next_line`]. Only after
/// [`Input::watch`] a second thread reads ahead, so that `# interrupt` stops a search.
pub struct Input<R> {
    source: Source<R>,
    /// Holds the longest line and a chunk; the bytes that have been read and not yet
    /// returned are at `start..end`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// There is no line feed in `start..scanned`.
    scanned: usize,
    /// Whether the current line has become longer than [`MAX_LINE`].
    overlong: bool,
}

/// The owner of the reader.
enum Source<R> {
    Here(R),
    Away(ReadAhead<R>),
    Ended,
}

impl<R: Read + Send + 'static> Input<R> {
    /// Creates the lines of `reader`.
    pub fn new(reader: R) -> Input<R> {
        Input {
            source: Source::Here(reader),
            // Zeroed memory comes untouched from the system: it costs nothing
            // until it is used.
            buffer: vec![0; MAX_LINE + CHUNK].into_boxed_slice(),
            start: 0,
            end: 0,
            scanned: 0,
            overlong: false,
        }
    }

    /// Returns whether a complete line is in the buffer, so that the next call of
    /// [`Input::next_line`] does not block.
    pub fn has_line(&mut self) -> bool {
        self.line_end().is_some()
    }

    /// Returns the next line; `None` at the end of input. Text after the last line feed
    /// is a line, too, as in GNU Go: a command that was cut off cannot be told from one
    /// whose writer omits the line feed.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let (end, next) = loop {
            if let Some(end) = self.line_end() {
                break (end, end + 1);
            }
            self.make_room();
            if !self.fill()? {
                if self.start == self.end {
                    return Ok(None);
                }
                break (self.end, self.end);
            }
        };
        let start = mem::replace(&mut self.start, next);
        self.scanned = self.start;
        let overlong = mem::take(&mut self.overlong) || end - start > MAX_LINE;
        let line = &self.buffer[start..end.min(start + MAX_LINE)];
        Ok(Some(if overlong {
            Line::TooLong(line)
        } else {
            Line::Whole(line)
        }))
    }

    /// Returns the end of the first line, if it is complete.
    fn line_end(&mut self) -> Option<usize> {
        let rest = &self.buffer[self.scanned..self.end];
        let at = rest.iter().position(|&byte| byte == b'\n');
        self.scanned += at.unwrap_or(rest.len());
        at.map(|_| self.scanned)
    }

    /// Moves an incomplete line to the front and cuts it to [`MAX_LINE`], so that a chunk
    /// fits behind it.
    fn make_room(&mut self) {
        self.compact();
        if self.end > MAX_LINE {
            self.overlong = true;
            self.end = MAX_LINE;
        }
        self.scanned = self.end;
    }

    /// Moves the unread bytes to the front.
    fn compact(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.scanned -= self.start;
        self.start = 0;
    }

    /// Reads more; returns `false` at the end of input.
    fn fill(&mut self) -> io::Result<bool> {
        let free = &mut self.buffer[self.end..];
        let read = match &mut self.source {
            Source::Here(reader) => read_retrying(reader, free)?,
            Source::Away(ahead) => match ahead.take(free) {
                Some(read) => read,
                None => {
                    self.bring_back()?;
                    return self.fill();
                }
            },
            Source::Ended => 0,
        };
        if read == 0 {
            self.source = Source::Ended;
        }
        self.end += read;
        Ok(read > 0)
    }

    /// Takes the reader back from the thread that read ahead.
    fn bring_back(&mut self) -> io::Result<()> {
        if let Source::Away(ahead) = mem::replace(&mut self.source, Source::Ended)
            && let Some(reader) = ahead.finish()?
        {
            self.source = Source::Here(reader);
        }
        Ok(())
    }

    /// Watches the input during a search: clears `stop`, and sets it when a line
    /// `# interrupt` arrives or is already waiting before the next command.
    ///
    /// # Errors
    /// If the stream could not be read since the last search, or no second thread can
    /// be started.
    pub fn watch(&mut self, stop: &Arc<AtomicBool>) -> io::Result<()> {
        // An interruption may arrive after the end of the search that it was for. From
        // here on it is for this one.
        stop.store(false, Ordering::Relaxed);
        self.take_back()?;
        let waiting = &self.buffer[self.start..self.end];
        let lines = waiting.split_inclusive(|&byte| byte == b'\n');
        let has_no_command = |line: &&[u8]| preprocess(line).trim().is_empty();
        if lines.take_while(has_no_command).any(is_interrupt_line) {
            stop.store(true, Ordering::Relaxed);
        }
        self.source = match mem::replace(&mut self.source, Source::Ended) {
            Source::Here(reader) => {
                let waiting = &self.buffer[self.start..self.end];
                let line = waiting.rsplit(|&byte| byte == b'\n').next();
                Source::Away(ReadAhead::start(reader, stop, line.unwrap_or_default())?)
            }
            other => other,
        };
        Ok(())
    }

    /// Lets the thread that reads ahead go on; if it has stopped, takes its bytes and then
    /// the reader. If they do not all fit, more commands are waiting than anybody who
    /// could interrupt one would have sent.
    fn take_back(&mut self) -> io::Result<()> {
        if !matches!(&self.source, Source::Away(ahead) if !ahead.resume()) {
            return Ok(());
        }
        self.compact();
        while let Source::Away(ahead) = &self.source
            && let Some(read) = ahead.take(&mut self.buffer[self.end..])
        {
            if read == 0 {
                return Ok(());
            }
            self.end += read;
        }
        self.bring_back()
    }

    /// Ends the watch after a search: no more is read ahead.
    pub fn unwatch(&mut self) {
        if let Source::Away(ahead) = &self.source {
            ahead.pause();
        }
    }
}

/// Returns whether a line, with its line feed, is an interruption.
fn is_interrupt_line(bytes: &[u8]) -> bool {
    bytes.strip_suffix(b"\n").is_some_and(is_interrupt)
}

/// Returns whether a line, without its line feed, is an interruption.
fn is_interrupt(line: &[u8]) -> bool {
    line.trim_ascii() == INTERRUPT
}

/// The thread that reads ahead, and the bytes that it has read.
struct ReadAhead<R> {
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
    /// Whether the search is still running.
    running: bool,
    /// Whether the thread has stopped.
    done: bool,
    /// The reason, if the stream ended.
    end: Option<io::Result<()>>,
}

impl<R: Read + Send + 'static> ReadAhead<R> {
    /// Starts to read ahead; `stop` is set when an interruption arrives during the
    /// search. `line` is the beginning of a line that has been read already.
    fn start(reader: R, stop: &Arc<AtomicBool>, line: &[u8]) -> io::Result<ReadAhead<R>> {
        let shared = Arc::new(Shared::default());
        shared.lock().running = true;
        let (theirs, stop) = (Arc::clone(&shared), Arc::clone(stop));
        let mut start = LineStart::default();
        start.ends_in_interrupt(line);
        let thread =
            thread::Builder::new().spawn(move || theirs.read_ahead(reader, &stop, start))?;
        Ok(ReadAhead { thread, shared })
    }

    /// Goes on for another search; returns `false` if the thread has stopped.
    fn resume(&self) -> bool {
        let mut state = self.shared.lock();
        state.running = !state.done;
        state.running
    }

    /// Ends the search: the thread stops after its next read.
    fn pause(&self) {
        self.shared.lock().running = false;
    }

    /// Waits for bytes and moves them to `buffer`; returns `None` when the thread has
    /// stopped and there are no more.
    fn take(&self, buffer: &mut [u8]) -> Option<usize> {
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
        let len = buffer.len().min(state.bytes.len());
        buffer
            .iter_mut()
            .zip(state.bytes.drain(..len))
            .for_each(|(to, from)| *to = from);
        Some(len)
    }

    /// Returns the reader once the thread has stopped; `None` at the end of input.
    fn finish(self) -> io::Result<Option<R>> {
        let reader = self.thread.join().ok();
        match self.shared.lock().end.take() {
            None => Ok(reader),
            Some(Ok(())) => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }
}

impl Shared {
    /// Locks the state. It is valid even if a thread has panicked.
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

/// Reads once; repeats a read that a signal interrupted.
fn read_retrying<R: Read>(reader: &mut R, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The beginning of a line whose end has not arrived.
#[derive(Default)]
struct LineStart(Vec<u8>);

impl LineStart {
    /// Appends `bytes`; returns whether a line that ends in them is an interruption.
    fn ends_in_interrupt(&mut self, bytes: &[u8]) -> bool {
        let mut found = false;
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            // A longer line can only be an interruption with much white space around it.
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
        let ahead = ReadAhead::start(io::repeat(b'x'), &stop, b"").unwrap();
        let mut buffer = vec![0; MAX_AHEAD];
        let mut total = 0;
        while let Some(read) = ahead.take(&mut buffer) {
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
