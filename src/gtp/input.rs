//! Lines from a byte stream: bounded, and watched while a command runs.

use std::io::{self, Read};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::request::preprocess;
use super::watch::{Ahead, is_interrupt, read_retrying};

/// The longest line that is read, in bytes without its end: 64 KiB.
pub const MAX_LINE: usize = 64 * 1024;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// One line of input, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line of at most [`MAX_LINE`] bytes.
    Whole(&'a [u8]),
    /// The first [`MAX_LINE`] bytes of a longer line; the rest is lost.
    TooLong(&'a [u8]),
}

/// The lines of a source of bytes.
///
/// Normally the source is read by whoever asks for a line: no thread stands
/// between a command and its answer. Only after [`Input::watch`] a second
/// thread reads ahead, so that `# interrupt` reaches a search that is running.
pub struct Input<R> {
    source: Source<R>,
    /// Room for the longest line and a chunk; what has been read and is not
    /// done with is at `start..end`.
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// There is no line feed in `start..scanned`.
    scanned: usize,
    /// Whether the current line has outgrown [`MAX_LINE`].
    overlong: bool,
}

/// Who has the reader.
enum Source<R> {
    Here(R),
    Away(Ahead<R>),
    Ended,
}

impl<R: Read + Send + 'static> Input<R> {
    /// The lines of `reader`.
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

    /// Whether a whole line is waiting, so that the next call of
    /// [`Input::next_line`] does not block.
    pub fn has_line(&mut self) -> bool {
        self.line_end().is_some()
    }

    /// The next line; `None` at the end of input. What stands after the last
    /// line feed is a line, too, as GNU Go has it: whether a command was cut off
    /// cannot be told from one whose writer ends no line.
    ///
    /// # Errors
    /// If the source cannot be read.
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

    /// Where the first line ends, if it does.
    fn line_end(&mut self) -> Option<usize> {
        let rest = &self.buffer[self.scanned..self.end];
        let at = rest.iter().position(|&byte| byte == b'\n');
        self.scanned += at.unwrap_or(rest.len());
        at.map(|_| self.scanned)
    }

    /// Moves a line that is not whole to the front, and drops what is too much
    /// of it, so that there is room for a chunk.
    fn make_room(&mut self) {
        self.close_up();
        if self.end > MAX_LINE {
            self.overlong = true;
            self.end = MAX_LINE;
        }
        self.scanned = self.end;
    }

    /// Moves what is not done with to the front.
    fn close_up(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.scanned -= self.start;
        self.start = 0;
    }

    /// Reads more; `false` at the end of input.
    fn fill(&mut self) -> io::Result<bool> {
        let room = &mut self.buffer[self.end..];
        let read = match &mut self.source {
            Source::Here(reader) => read_retrying(reader, room)?,
            Source::Away(ahead) => match ahead.take(room) {
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

    /// Watches the input while a command runs: `stop` is cleared, and set when
    /// a line `# interrupt` arrives, or waits already before the next command.
    ///
    /// # Errors
    /// If the source could not be read since the last command, or there can be
    /// no second thread.
    pub fn watch(&mut self, stop: &Arc<AtomicBool>) -> io::Result<()> {
        // An interruption may have come after the end of the command that it
        // was for. From here on it is for this one.
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
                Source::Away(Ahead::start(reader, stop, line.unwrap_or_default())?)
            }
            other => other,
        };
        Ok(())
    }

    /// Has the thread that reads ahead go on; if it has stopped, takes what it
    /// read and then the reader. Where there is no room for all of it, so many
    /// commands are waiting that nobody is there to interrupt one.
    fn take_back(&mut self) -> io::Result<()> {
        if !matches!(&self.source, Source::Away(ahead) if !ahead.resume()) {
            return Ok(());
        }
        self.close_up();
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

    /// The command is done: nothing more is read ahead.
    pub fn unwatch(&mut self) {
        if let Source::Away(ahead) = &self.source {
            ahead.pause();
        }
    }
}

/// Whether bytes up to the end of a line are an interruption.
fn is_interrupt_line(bytes: &[u8]) -> bool {
    bytes.strip_suffix(b"\n").is_some_and(is_interrupt)
}
