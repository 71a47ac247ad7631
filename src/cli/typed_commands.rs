//! The commands that the organizer types while a server runs, one on a line.

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::str::FromStr;
use std::thread;

/// The maximum length of a line, in bytes, with its line feed.
const MAX_LINE: u64 = 1_024;

/// Reads commands from standard input and passes them to `run`, which returns the answer, or why a
/// command is refused, on a thread of its own. Standard input must be a terminal
/// or, on Unix, a pipe; the end of the input ends nothing else. A file is not read: it is most likely
/// the script that has started the program.
///
/// # Errors
/// The system cannot start a thread.
pub(super) fn read_commands<C, E>(
    run: impl Fn(C) -> Result<String, E> + Send + 'static,
) -> io::Result<()>
where
    C: FromStr<Err: Display>,
    E: Display,
{
    if let Some(input) = input::open() {
        thread::Builder::new()
            .name("organizer".into())
            .spawn(move || run_all(input, run))?;
    }
    Ok(())
}

/// Runs the command on each line, to the end of the input.
fn run_all<C, E>(input: impl Read, run: impl Fn(C) -> Result<String, E>)
where
    C: FromStr<Err: Display>,
    E: Display,
{
    let mut input = BufReader::new(input);
    // An input that cannot be read counts as ended.
    while let Ok(Some(line)) = read_line(&mut input) {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => match line.parse() {
                Ok(command) => run(command).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            },
            Err(why) => Err(why),
        };
        // The games continue when the terminal is closed.
        let _ = match answer {
            Ok(answer) => writeln!(io::stderr(), "{answer}"),
            Err(why) => writeln!(io::stderr(), "error: {why}"),
        };
    }
}

/// Reads a line, or returns `None` at the end of the input. An unterminated last line is
/// ignored: it may be the first half of a command.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.ends_with(b"\n") {
        let line = String::from_utf8_lossy(&line);
        // A byte order mark, with which some programs and editors begin a text, is not part of it.
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        return Ok(Some(Ok(line.to_owned())));
    }
    if (line.len() as u64) < MAX_LINE {
        return Ok(None);
    }
    input.skip_until(b'\n')?;
    Ok(Some(Err(format!(
        "the line has more than {MAX_LINE} bytes and is ignored"
    ))))
}

#[cfg(unix)]
mod input {
    use std::fs::File;
    use std::io::{self, IsTerminal, Read, stdin};
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::tcgetpgrp;

    /// The time between two checks whether this program is in the foreground.
    const PAUSE: Duration = Duration::from_millis(500);

    /// Returns standard input if it is a terminal or a pipe.
    pub fn open() -> Option<Box<dyn Read + Send>> {
        let input = stdin().as_fd().try_clone_to_owned().map(File::from).ok()?;
        if input.is_terminal() {
            return Some(Box::new(Terminal(input)));
        }
        let kind = input.metadata().ok()?.file_type();
        (kind.is_fifo() || kind.is_socket()).then(|| Box::new(input) as Box<_>)
    }

    /// A terminal that is read only while this program is in the foreground. The system stops
    /// programs that read their terminal in the background (`gothello netref &`).
    struct Terminal(File);

    impl Terminal {
        /// Returns whether this program is in the foreground.
        ///
        /// # Errors
        /// The terminal is gone, or is not the one that controls this program.
        fn is_in_foreground(&self) -> io::Result<bool> {
            Ok(tcgetpgrp(&self.0)? == getpgrp())
        }

        /// Waits a short time for input, and returns whether there is any.
        fn is_ready(&self) -> io::Result<bool> {
            let pause = Timespec::try_from(PAUSE).map_err(io::Error::other)?;
            let mut files = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut files, Some(&pause)) {
                Ok(count) => Ok(count > 0),
                Err(rustix::io::Errno::INTR) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }
    }

    impl Read for Terminal {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            loop {
                if !self.is_in_foreground()? {
                    thread::sleep(PAUSE);
                } else if self.is_ready()? && self.is_in_foreground()? {
                    return self.0.read(bytes);
                }
            }
        }
    }
}

#[cfg(not(unix))]
mod input {
    use std::io::{IsTerminal, Read, stdin};

    /// Returns standard input if it is a terminal.
    pub fn open() -> Option<Box<dyn Read + Send>> {
        stdin().is_terminal().then(|| Box::new(stdin()) as Box<_>)
    }
}
