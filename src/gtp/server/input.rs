//! Lines from a byte stream: bounded, and watched for interruptions during a search.
//!
//! Normally the thread that needs a line reads it, so that a command does not pass through another
//! thread. Only during a search that takes longer than a moment a second thread reads ahead and
//! looks for the line that interrupts the search. That thread cannot be stopped while it waits for
//! input, so it keeps the reader until something arrives after the search. Until then, lines come
//! from what it reads.

use std::io::{self, Read};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::request::preprocess;

/// The maximum length of a line, in bytes without the line feed: 64 KiB.
pub const MAX_LINE: usize = 64 * 1024;

/// The number of bytes that are read at a time.
const CHUNK: usize = 64 * 1024;

/// The number of bytes that are read ahead during a search.
const MAX_AHEAD: usize = 64 * 1024;

/// The time of a search before the input is watched: nobody interrupts a shorter search.
const WATCH_DELAY: Duration = Duration::from_millis(20);

/// The time without a search after which the second thread sleeps until it is woken. Waking it
/// takes longer than many searches.
const IDLE: Duration = Duration::from_secs(1);

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
    /// The second thread, from the first search on.
    watcher: Option<Watcher<R>>,
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
    /// The second thread has it, or has read more than is in the buffer.
    Watcher,
    Ended,
}

impl<R: Read + Send + 'static> Input<R> {
    /// Creates the lines of `reader`.
    pub fn new(reader: R) -> Input<R> {
        Input {
            source: Source::Here(reader),
            watcher: None,
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
        let mut read = 0;
        if matches!(self.source, Source::Watcher)
            && let Some(watcher) = &self.watcher
        {
            (read, self.source) = watcher.take(free)?;
        }
        if read == 0
            && let Source::Here(reader) = &mut self.source
        {
            read = read_retrying(reader, free)?;
            if read == 0 {
                self.source = Source::Ended;
            }
        }
        self.end += read;
        Ok(read > 0)
    }

    /// Watches the input during a search: clears `stop`, and sets it when a line
    /// `# interrupt` arrives or is already waiting before the next command.
    ///
    /// # Errors
    /// If the stream could not be read since the last search, or no second thread can
    /// be started.
    pub fn watch(&mut self, stop: &Arc<AtomicBool>) -> io::Result<()> {
        // An interruption may arrive after the end of its search. From here on it is for this one.
        stop.store(false, Ordering::Relaxed);
        if let Source::Watcher = self.source {
            self.compact();
            if let Some(watcher) = &self.watcher
                && !watcher.go_on(stop)
            {
                // If not all of it fits, more commands are waiting than a controller that
                // interrupts searches would have sent.
                let (read, source) = watcher.take(&mut self.buffer[self.end..])?;
                self.end += read;
                self.source = source;
            }
        }
        let waiting = &self.buffer[self.start..self.end];
        let lines = waiting.split_inclusive(|&byte| byte == b'\n');
        let has_no_command = |line: &&[u8]| preprocess(line).trim().is_empty();
        if lines.take_while(has_no_command).any(is_interrupt_line) {
            stop.store(true, Ordering::Relaxed);
        }
        self.source = match mem::replace(&mut self.source, Source::Ended) {
            Source::Here(reader) => {
                let line = waiting.rsplit(|&byte| byte == b'\n').next();
                let watcher = match self.watcher.take() {
                    Some(watcher) => watcher,
                    None => Watcher::start()?,
                };
                let watcher = self.watcher.insert(watcher);
                watcher.begin(reader, stop, line.unwrap_or_default());
                Source::Watcher
            }
            other => other,
        };
        Ok(())
    }

    /// Ends the watch after a search: stops reading ahead.
    pub fn unwatch(&mut self) {
        if let Source::Watcher = self.source
            && let Some(watcher) = &self.watcher
            && let Some(reader) = watcher.end()
        {
            self.source = Source::Here(reader);
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

/// The thread that reads ahead. It lives as long as the input, because starting a thread takes
/// longer than many searches.
struct Watcher<R>(Arc<Shared<R>>);

struct Shared<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

struct State<R> {
    /// The reader while it waits for the thread or for the owner of the input.
    reader: Option<R>,
    /// Whether the thread has the reader and waits for input.
    is_reading: bool,
    /// Set when an interruption arrives; `None` when no search runs.
    stop: Option<Arc<AtomicBool>>,
    /// When the last search began.
    began: Instant,
    /// The bytes that have been read ahead.
    bytes: Vec<u8>,
    /// The beginning of a line whose end has not been read.
    line: LineStart,
    /// How the stream ended.
    end: Option<io::Result<()>>,
    /// Whether the thread sleeps until it is woken.
    is_asleep: bool,
    /// Whether the input was dropped.
    is_over: bool,
}

impl<R: Read + Send + 'static> Watcher<R> {
    /// Starts the thread.
    fn start() -> io::Result<Watcher<R>> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                reader: None,
                is_reading: false,
                stop: None,
                began: Instant::now(),
                bytes: Vec::new(),
                line: LineStart::default(),
                end: None,
                is_asleep: false,
                is_over: false,
            }),
            changed: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        thread::Builder::new().spawn(move || theirs.watch())?;
        Ok(Watcher(shared))
    }

    /// Begins to watch for an interruption of a search, which sets `stop`. `line` is the
    /// beginning of a line that has been read already.
    fn begin(&self, reader: R, stop: &Arc<AtomicBool>, line: &[u8]) {
        let mut state = self.0.lock();
        state.reader = Some(reader);
        state.stop = Some(Arc::clone(stop));
        state.began = Instant::now();
        state.line = LineStart(line.to_vec());
        if mem::take(&mut state.is_asleep) {
            self.0.changed.notify_all();
        }
    }

    /// Continues with another search if the thread still waits for input; returns whether it does.
    fn go_on(&self, stop: &Arc<AtomicBool>) -> bool {
        let mut state = self.0.lock();
        if state.is_reading {
            state.stop = Some(Arc::clone(stop));
        }
        state.is_reading
    }

    /// Ends the search; returns the reader if the thread has not used it.
    fn end(&self) -> Option<R> {
        let mut state = self.0.lock();
        state.stop = None;
        if state.bytes.is_empty() {
            state.reader.take()
        } else {
            None
        }
    }

    /// Waits for bytes and moves them to `buffer`; returns their number, 0 when the thread has
    /// stopped and there are no more, and who has the reader now.
    fn take(&self, buffer: &mut [u8]) -> io::Result<(usize, Source<R>)> {
        let mut state = self.0.lock();
        while state.bytes.is_empty() && state.is_reading {
            state = self.0.wait(state);
        }
        let len = buffer.len().min(state.bytes.len());
        buffer
            .iter_mut()
            .zip(state.bytes.drain(..len))
            .for_each(|(to, from)| *to = from);
        if state.is_reading || !state.bytes.is_empty() {
            return Ok((len, Source::Watcher));
        }
        if let Some(reader) = state.reader.take() {
            return Ok((len, Source::Here(reader)));
        }
        match state.end.take() {
            // What was read comes before the error.
            error @ Some(Err(_)) if len > 0 => {
                state.end = error;
                Ok((len, Source::Watcher))
            }
            Some(Err(error)) => Err(error),
            Some(Ok(())) | None => Ok((len, Source::Ended)),
        }
    }
}

/// Lets the thread end.
impl<R> Drop for Watcher<R> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

impl<R> Shared<R> {
    /// Locks the state. It is valid even if a thread has panicked.
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the state has changed.
    fn wait<'a>(&self, state: MutexGuard<'a, State<R>>) -> MutexGuard<'a, State<R>> {
        let state = self.changed.wait(state);
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Read> Shared<R> {
    /// Watches searches, one after another.
    fn watch(&self) {
        let mut chunk = Vec::new();
        let mut state = self.lock();
        while !state.is_over {
            let since = state.began.elapsed();
            if state.stop.is_some()
                && since >= WATCH_DELAY
                && let Some(reader) = state.reader.take()
            {
                chunk.resize(MAX_AHEAD, 0);
                state = self.read_ahead(state, reader, &mut chunk);
            } else if state.stop.is_none() && since >= IDLE {
                state.is_asleep = true;
                state = self.wait(state);
            } else {
                let left = WATCH_DELAY.checked_sub(since).unwrap_or(WATCH_DELAY);
                let waited = self.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// Reads ahead until something arrives when no search runs, or too much has arrived, or the
    /// stream ends.
    fn read_ahead<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<R>>,
        mut reader: R,
        chunk: &mut [u8],
    ) -> MutexGuard<'a, State<R>> {
        state.is_reading = true;
        while state.is_reading {
            drop(state);
            let result = read_retrying(&mut reader, chunk);
            state = self.lock();
            let bytes = &chunk[..*result.as_ref().unwrap_or(&0)];
            let at_end = matches!(result, Ok(0)) && is_interrupt(&state.line.0);
            if (state.line.push(bytes) || at_end)
                && let Some(stop) = &state.stop
            {
                stop.store(true, Ordering::Relaxed);
            }
            state.bytes.extend_from_slice(bytes);
            state.end = match result {
                Ok(0) => Some(Ok(())),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            };
            if state.bytes.len() >= MAX_AHEAD {
                state.stop = None;
            }
            state.is_reading = state.end.is_none() && state.stop.is_some();
            self.changed.notify_all();
        }
        if state.end.is_none() {
            state.reader = Some(reader);
        }
        state
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
    /// Appends `bytes`, and returns whether a line that ends in them is an interruption. What is
    /// left is the beginning of the next line.
    fn push(&mut self, bytes: &[u8]) -> bool {
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
        let watcher = Watcher::start().unwrap();
        watcher.begin(io::repeat(b'x'), &stop, b"");
        // Until the thread has found that there is too much.
        while watcher.0.lock().stop.is_some() {
            thread::sleep(Duration::from_millis(1));
        }
        let mut buffer = vec![0; 4 * MAX_AHEAD];
        let (read, source) = watcher.take(&mut buffer).unwrap();
        assert!((MAX_AHEAD..2 * MAX_AHEAD).contains(&read));
        assert!(matches!(source, Source::Here(_)));
    }

    #[test]
    fn an_interruption_is_found_however_it_arrives() {
        let found = |pieces: &[&str]| {
            let mut line = LineStart::default();
            pieces.iter().any(|piece| line.push(piece.as_bytes()))
        };
        assert!(found(&["# interrupt\n"]));
        assert!(found(&["# interrupt\r\n"]));
        assert!(found(&["name\n# inter", "rupt", "\nname"]));
        assert!(!found(&["# interrupt"]));
        assert!(!found(&["echo # interrupt\n", "# interrupted\n"]));
    }
}
