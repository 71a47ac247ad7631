//! The client as a process, and its connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::steps::ClientTopic;
use super::{ClientStep, NetrefSettings, StartError};
use crate::base::color::Color;
use crate::check::Exchange;
use crate::check::report::last_errors;
use crate::contests::netref::{Line, Lines, NetrefGame};
use crate::gtp::process::{Launch, Program};
use crate::matches::{SeatError, accept, fill_placeholders, is_timeout, listen, listen_at};

/// How much of a line without an end is shown, in bytes.
const SHOWN_OF_BEGUN: usize = 80;

/// The pause between two bytes that are sent separately.
const BYTE_PAUSE: Duration = Duration::from_micros(50);

/// The longest wait before checking whether the client's process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The longest time that one look at the connection takes on a machine that does not stand still.
const LONGEST_LOOK: Duration = Duration::from_millis(200);

/// How long a client that has closed its connection may take to end before it is killed.
const EXIT_LIMIT: Duration = Duration::from_secs(1);

/// The ways of sending the referee's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As the referee writes them.
    Plain,
    /// Each line in a packet of its own, with a pause after it.
    LineByLine(Duration),
    /// Each byte separately.
    Bytewise,
    /// All lines until the client's next move together.
    Merged,
    /// With other texts after the codes and their arguments.
    OtherTexts,
}

/// The input from a client.
#[derive(Debug)]
pub enum Received {
    /// A line.
    Line(Line),
    /// The end of the connection.
    Closed,
    /// A timeout.
    Nothing,
}

/// How a client has ended.
#[derive(Debug)]
pub struct Ended {
    /// Whether it has closed its connection, ended, or connected again.
    pub in_time: bool,
    /// The exit status if its process has ended.
    pub status: Option<String>,
    /// Whether it has sent a line before.
    pub has_sent: bool,
}

/// The time for which a client is still waited for.
///
/// A machine that stands still stops the client, too: a single look at the connection counts for no
/// longer than it takes at most on a machine that does not.
struct Patience(Duration);

impl Patience {
    /// Subtracts the time of a look that began then.
    fn wear(&mut self, since: Instant) {
        let passed = since.elapsed().min(LONGEST_LOOK);
        self.0 = self.0.saturating_sub(passed);
    }
}

/// A client that has connected.
#[derive(Debug)]
pub struct Connection {
    program: Program,
    listener: TcpListener,
    /// `None` after a reset.
    stream: Option<TcpStream>,
    lines: Lines,
    delivery: Delivery,
    /// The bytes to send together.
    held: String,
    /// The lines sent and received.
    pub exchange: Exchange,
    /// Whether a line has ended with only LF.
    pub has_lf_alone: bool,
    last_byte: u8,
    /// The codes of the first lines that were sent in one packet.
    pub packet: Option<[String; 2]>,
}

/// Returns advice about a client that has not connected: the other placeholder that its command may
/// need.
fn other_placeholder(command: &[String]) -> &'static str {
    let has = |placeholder: &str| command.iter().any(|word| word.contains(placeholder));
    match (has("{server}"), has("{port}")) {
        (true, false) => {
            "; a client that takes a port, and not a server number, needs {port} in place of {server}"
        }
        (false, true) => {
            "; a client that takes a server number, and not a port, needs {server} in place of {port}"
        }
        _ => "",
    }
}

impl Connection {
    /// Starts a client, and waits for it to connect.
    ///
    /// # Errors
    /// It cannot be started, or does not connect in time.
    pub fn open<T: ClientTopic>(
        settings: &NetrefSettings<ClientStep<T>>,
        side: Color,
        delivery: Delivery,
    ) -> Result<Connection, StartError> {
        let (listener, port) = match settings.server {
            None => listen::<T::Game>(&settings.check.command).map_err(StartError::Listen)?,
            Some(server) => {
                let port = T::Game::PORT.saturating_add(server);
                listen_at(port).map_err(|why| StartError::Taken { port, server, why })?
            }
        };
        let words = fill_placeholders::<T::Game>(&settings.check.command, side, port, "check");
        let launch = Launch::of_words(words).with_errors();
        let mut program = Program::start(&launch).map_err(StartError::Start)?;
        let deadline = Instant::now() + settings.check.limits.answer;
        let stop = AtomicBool::new(false);
        let stream = accept(&listener, &mut program, deadline, &stop);
        let stream = stream.map_err(|error| StartError::Connect {
            why: match error {
                SeatError::Lost { detail, .. } => {
                    detail + other_placeholder(&settings.check.command)
                }
                SeatError::Exhausted(exhausted) => exhausted.to_string(),
                SeatError::Stopped => String::new(),
            },
            errors: last_errors(&program.last_errors()),
        })?;
        Ok(Connection {
            program,
            listener,
            stream: Some(stream),
            lines: Lines::default(),
            delivery,
            held: String::new(),
            exchange: Exchange::default(),
            has_lf_alone: false,
            last_byte: b'\n',
            packet: None,
        })
    }

    /// Sends lines. A disconnected client is noticed when reading.
    pub fn send(&mut self, text: &str) {
        let text: String = match self.delivery {
            Delivery::OtherTexts => text.lines().map(with_other_text).collect(),
            _ => text.to_owned(),
        };
        for line in text.lines() {
            self.exchange.sent(line);
        }
        let codes = text.lines().map(|line| line.get(..3).unwrap_or_default());
        if let [.., before, last] = codes.collect::<Vec<_>>()[..]
            && self.packet.is_none()
        {
            self.packet = Some([before, last].map(str::to_owned));
        }
        match self.delivery {
            Delivery::Merged => self.held.push_str(&text),
            Delivery::LineByLine(pause) => {
                for line in text.split_inclusive('\n') {
                    self.write(line.as_bytes());
                    thread::sleep(pause);
                }
            }
            Delivery::Bytewise => {
                for byte in text.as_bytes() {
                    self.write(std::slice::from_ref(byte));
                    thread::sleep(BYTE_PAUSE);
                }
            }
            _ => self.write(text.as_bytes()),
        }
    }

    /// Sends a part of a line.
    pub fn send_part(&mut self, part: &str) {
        self.exchange.sent(&format!("{part} (no end of the line)"));
        self.write(part.as_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(stream) = &mut self.stream {
            let _ = stream.write_all(bytes);
        }
    }

    /// Sends the buffered bytes.
    pub fn flush(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.write(held.as_bytes());
    }

    /// Waits for a line.
    pub fn read_line(&mut self, limit: Duration) -> Received {
        self.flush();
        let mut patience = Patience(limit);
        let mut was_last = false;
        loop {
            if let Some(line) = self.lines.next() {
                match &line {
                    Line::Text(text) => self.exchange.received(text),
                    Line::NotPrintable => self.exchange.received("(not printable ASCII)"),
                    Line::TooLong => self.exchange.received("(a line that is too long)"),
                }
                return Received::Line(line);
            }
            if was_last {
                if let Some(begun) = self.begun_line() {
                    let without_end = format!("{begun} (without the end of a line)");
                    self.exchange.received(&without_end);
                }
                return Received::Nothing;
            }
            let before = Instant::now();
            was_last = patience.0.is_zero();
            if self.read(patience.0) == Some(0) {
                return Received::Closed;
            }
            patience.wear(before);
        }
    }

    /// Returns what has come of a line whose end has not; of a long one, the beginning.
    pub fn begun_line(&self) -> Option<String> {
        let begun = self.lines.begun();
        let shown = begun.get(..SHOWN_OF_BEGUN).unwrap_or(begun);
        let rest = if shown.len() < begun.len() { "..." } else { "" };
        (!begun.is_empty()).then(|| format!("{}{rest}", shown.escape_ascii()))
    }

    /// Reads the available bytes, and returns their number: 0 at the end of the connection, and
    /// `None` at a timeout.
    fn read(&mut self, limit: Duration) -> Option<usize> {
        let Some(stream) = &mut self.stream else {
            thread::sleep(limit.min(POLL_INTERVAL));
            return None;
        };
        let mut piece = [0; 2_048];
        // A timeout of zero would be none.
        let limit = limit.clamp(Duration::from_micros(1), POLL_INTERVAL);
        let waits = stream.set_read_timeout(Some(limit));
        match waits.and_then(|()| stream.read(&mut piece)) {
            Ok(length) => {
                let bytes = piece.get(..length).unwrap_or_default();
                for &byte in bytes {
                    self.has_lf_alone |= byte == b'\n' && !b"\r\n".contains(&self.last_byte);
                    self.last_byte = byte;
                }
                self.lines.push(bytes);
                Some(length)
            }
            Err(error) if is_timeout(&error) => None,
            Err(_) => Some(0),
        }
    }

    /// Waits a moment for the client to end; returns a description of how it has, if it has.
    pub fn wait_for_exit(&mut self) -> Option<String> {
        self.program.wait_timeout(EXIT_LIMIT)
    }

    /// Closes the connection for sending, and waits for the client to end.
    pub fn end(&mut self, limit: Duration) -> Ended {
        self.flush();
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(Shutdown::Write);
        }
        self.wait_for_end(limit)
    }

    /// Resets the connection, like a failing network, and waits for the client to end. Whether the
    /// client closes its side is not visible.
    pub fn reset(&mut self, limit: Duration) -> Ended {
        self.exchange.sent("(the connection is reset)");
        if let Some(stream) = self.stream.take() {
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
        self.wait_for_end(limit)
    }

    fn wait_for_end(&mut self, limit: Duration) -> Ended {
        let mut patience = Patience(limit);
        let (mut in_time, mut has_sent) = (false, false);
        while !in_time && !patience.0.is_zero() {
            let before = Instant::now();
            in_time = self.read(POLL_INTERVAL) == Some(0)
                || self.program.try_wait().is_some()
                || self.listener.accept().is_ok();
            has_sent |= self.lines.by_ref().last().is_some();
            patience.wear(before);
        }
        let status = match in_time {
            true => self.program.wait_timeout(EXIT_LIMIT.min(limit)),
            false => None,
        };
        Ended {
            in_time,
            status,
            has_sent,
        }
    }

    /// Returns the last lines that the client has written on standard error.
    pub fn errors(&self) -> Vec<String> {
        last_errors(&self.program.last_errors())
    }
}

/// Replaces the text after the code of a line and its arguments.
fn with_other_text(line: &str) -> String {
    let arguments = match line.get(..3) {
        Some(
            "100" | "191" | "192" | "193" | "198" | "199" | "200" | "201" | "202" | "203" | "204"
            | "291" | "299" | "327" | "328" | "351" | "352" | "361" | "362" | "391" | "392" | "399",
        ) => 0,
        Some("207") => 1,
        Some("000" | "101" | "311" | "315" | "321" | "322" | "325") => 2,
        Some("312" | "313" | "316" | "317" | "323" | "324" | "326") => 3,
        Some("314" | "318") => 4,
        _ => return format!("{line}\r\n"),
    };
    let words: Vec<&str> = line.split(' ').take(arguments + 1).collect();
    format!("{} and so on\r\n", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_texts_leave_codes_and_arguments_alone() {
        for (line, other) in [
            (
                "000 Gothello 0.9.1 server says hello!",
                "000 Gothello 0.9.1 and so on\r\n",
            ),
            ("207 59 secs remaining", "207 59 and so on\r\n"),
            ("327 Black wins by resignation", "327 and so on\r\n"),
            (
                "314 1 ... e3 119 (secs) is white move",
                "314 1 ... e3 119 and so on\r\n",
            ),
            (
                "341 \"Ann Lee\" is the white player",
                "341 \"Ann Lee\" is the white player\r\n",
            ),
        ] {
            assert_eq!(with_other_text(line), other);
        }
    }
}
