//! The engine as a process, and its responses. They are read as strictly as any controller may.

use std::thread;
use std::time::{Duration, Instant};

use super::{GtpStep, Trouble, quoted};
use crate::check::report::last_errors;
use crate::check::{Exchange, TIME_OVER, has_passed, time_left};
use crate::gtp::process::{
    EngineError, EngineResponse, FailureResponse, Launch, Piece, Pipes, split_response,
};

/// The pause between two bytes that are sent separately.
const BYTE_PAUSE: Duration = Duration::from_micros(200);

/// How long to wait after the first byte, which an engine that is scheduled late then reads alone.
const FIRST_BYTE_PAUSE: Duration = Duration::from_millis(50);

/// The maximum length of a response in bytes.
const MAX_RESPONSE: usize = 64 * 1024;

/// How long an engine that has closed its output may take to end.
const EXIT_LIMIT: Duration = Duration::from_millis(500);

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The digits after `=` or `?`.
    pub id: Option<String>,
    /// The text after `=`, or the error after `?`.
    pub result: EngineResponse,
}

impl Reply {
    /// Returns the text after `=` or `?`.
    pub fn text(&self) -> &str {
        match &self.result {
            Ok(text) | Err(FailureResponse(text)) => text,
        }
    }

    /// Returns the whole response.
    fn whole(&self) -> String {
        let sign = if self.result.is_ok() { '=' } else { '?' };
        let id = self.id.as_deref().unwrap_or_default();
        format!("{sign}{id} {}", self.text())
    }

    /// Returns the beginning of the response, for a sentence.
    pub fn quoted(&self) -> String {
        quoted(&self.whole())
    }
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    pipes: Pipes,
    unread: Vec<u8>,
    limit: Duration,
    end: Option<Instant>,
    /// The lines sent and received.
    pub exchange: Exchange,
}

impl Engine {
    /// Starts an engine, each of whose responses may take as long as `limit`. After `end`, it is asked
    /// nothing more.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(
        command: &[String],
        limit: Duration,
        end: Option<Instant>,
    ) -> Result<Engine, EngineError> {
        let launch = Launch::of_words(command.iter().cloned()).with_errors();
        Ok(Engine {
            pipes: Pipes::start(&launch)?,
            unread: Vec::new(),
            limit,
            end,
            exchange: Exchange::default(),
        })
    }

    /// Sends text. An engine that has ended is noticed when reading.
    pub fn send(&mut self, text: &str) {
        self.note_sent(text);
        let _ = self.pipes.write(text.as_bytes());
    }

    /// Sends text byte by byte.
    pub fn send_bytewise(&mut self, text: &str) {
        self.note_sent(text);
        let mut pause = FIRST_BYTE_PAUSE;
        for byte in text.as_bytes() {
            let _ = self.pipes.write(std::slice::from_ref(byte));
            thread::sleep(pause);
            pause = BYTE_PAUSE;
        }
    }

    fn note_sent(&mut self, text: &str) {
        for line in text.split_terminator('\n') {
            self.exchange.sent(line);
        }
    }

    /// Ends the input of the engine.
    pub fn close_input(&mut self) {
        self.pipes.close_input();
    }

    /// Waits for the next response, which is that to `command`.
    ///
    /// # Errors
    /// It does not come in time, or is something else; or the time for the check is over.
    pub fn reply(&mut self, command: &str) -> Result<Reply, Trouble> {
        if has_passed(self.end) {
            return Err(Trouble::missed(TIME_OVER));
        }
        let limit = Instant::now() + self.limit;
        let deadline = self.end.map_or(limit, |end| limit.min(end));
        loop {
            if let Some(reply) = take_reply(&mut self.unread) {
                return self.received(command, reply);
            }
            if self.unread.len() >= MAX_RESPONSE {
                let found = format!(
                    "it wrote {MAX_RESPONSE} bytes after {}, without the empty line that ends a \
                     response",
                    quoted(command)
                );
                return Err(Trouble::at(&[GtpStep::Response], found));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.pipes.read(left) {
                Piece::Bytes(bytes) => self.unread.extend_from_slice(&bytes),
                Piece::Nothing if left.is_zero() && deadline < limit => {
                    return Err(Trouble::missed(TIME_OVER));
                }
                Piece::Nothing if left.is_zero() => return Err(self.silent(command)),
                Piece::Nothing => {}
                Piece::End => return Err(self.ended(command)),
            }
        }
    }

    /// Notes a response, and returns it if it is valid.
    fn received(&mut self, command: &str, reply: Result<Reply, Invalid>) -> Result<Reply, Trouble> {
        reply
            .map_err(|Invalid { line, is_response }| {
                self.exchange.received(&line);
                let line = quoted(&line);
                match is_response {
                    true => Trouble::at(
                        &[GtpStep::Response],
                        format!("it wrote {line}: after = or ? and a number comes a space"),
                    ),
                    false => Trouble::at(
                        &[GtpStep::NothingElse],
                        format!(
                            "it wrote {line}, which is no response, before its response to {}",
                            quoted(command)
                        ),
                    ),
                }
            })
            .inspect(|reply| {
                for line in reply.whole().split('\n') {
                    self.exchange.received(line);
                }
            })
    }

    /// Returns the failure of an engine that has not answered in time.
    fn silent(&mut self, command: &str) -> Trouble {
        let limit = self.limit.as_secs_f64();
        let unread = String::from_utf8_lossy(&self.unread).into_owned();
        if unread.trim().is_empty() {
            let found = format!("it did not answer {} within {limit} s", quoted(command));
            return Trouble::silent(&[], found);
        }
        for line in unread.lines() {
            self.exchange.received(line);
        }
        let found = format!(
            "it wrote {}, but no empty line, which ends a response, within {limit} s",
            quoted(&unread)
        );
        Trouble::silent(&[GtpStep::Response], found)
    }

    /// Returns the failure of an engine that has ended.
    fn ended(&mut self, command: &str) -> Trouble {
        let status = self.pipes.wait(EXIT_LIMIT, &mut |_| ());
        let how = status.unwrap_or_else(|| "it closed its output".into());
        let command = quoted(command);
        let unread = String::from_utf8_lossy(&self.unread).into_owned();
        let found = match unread.trim().is_empty() {
            true => format!("it ended ({how}) instead of answering {command}"),
            false => {
                let unread = quoted(&unread);
                format!("it ended ({how}) in the middle of its response to {command}: {unread}")
            }
        };
        Trouble::failed(found)
    }

    /// Checks that the engine is silent for a while.
    ///
    /// # Errors
    /// It is not.
    pub fn expect_silence(&mut self, limit: Duration, after: &str) -> Result<(), Trouble> {
        let deadline = Instant::now() + limit;
        let mut blank = 0;
        loop {
            let is_complete = self.unread.ends_with(b"\n")
                || limit.is_zero()
                || self.unread.len() >= MAX_RESPONSE;
            if self.unread.trim_ascii().is_empty() {
                blank += self.unread.len();
                self.unread.clear();
            } else if is_complete {
                let unread = String::from_utf8_lossy(&self.unread).into_owned();
                for line in unread.lines() {
                    self.exchange.received(line);
                }
                let found = format!("it wrote {} {after}", quoted(&unread));
                return Err(Trouble::at(&[GtpStep::NothingElse], found));
            }
            if blank >= MAX_RESPONSE {
                let found = format!("it wrote {MAX_RESPONSE} bytes of empty lines {after}");
                return Err(Trouble::at(&[GtpStep::NothingElse], found));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.pipes.read(left) {
                Piece::Bytes(bytes) => self.unread.extend_from_slice(&bytes),
                Piece::Nothing if left.is_zero() => return Ok(()),
                Piece::Nothing => {}
                // Its end is noticed when it should answer.
                Piece::End => return Ok(()),
            }
        }
    }

    /// Sends a command without a number, and returns the response.
    ///
    /// # Errors
    /// Something has come before, or there is no response, or it has a number.
    pub fn ask(&mut self, command: &str) -> Result<Reply, Trouble> {
        self.expect_silence(Duration::ZERO, "after the end of its last response")?;
        self.send(&format!("{command}\n"));
        let reply = self.reply(command)?;
        match &reply.id {
            None => Ok(reply),
            Some(_) if reply.result.as_ref().is_ok_and(String::is_empty) => {
                let found = format!(
                    "it answered {} with {}: after = comes a space",
                    quoted(command),
                    reply.quoted()
                );
                Err(Trouble::at(&[GtpStep::Response], found))
            }
            Some(id) => Err(Trouble::at(
                &[GtpStep::Id],
                format!(
                    "it gave its response to {} the number {id}, but the command had none: {}",
                    quoted(command),
                    reply.quoted()
                ),
            )),
        }
    }

    /// Sends a command that the engine must accept, and returns its result.
    ///
    /// # Errors
    /// It refuses it, or does not answer.
    pub fn command(&mut self, command: &str) -> Result<String, Trouble> {
        let reply = self.ask(command)?;
        let answer = reply.quoted();
        reply
            .result
            .map_err(|_| Trouble::failed(format!("it refused {}: {answer}", quoted(command))))
    }

    /// Sends a command that the engine must refuse.
    ///
    /// # Errors
    /// It accepts it, or does not answer.
    pub fn refused(&mut self, command: &str) -> Result<(), Trouble> {
        let reply = self.ask(command)?;
        match reply.result {
            Err(_) => Ok(()),
            Ok(_) => Err(Trouble::failed(format!(
                "it answered {} with {}, not with an error",
                quoted(command),
                reply.quoted()
            ))),
        }
    }

    /// Checks that the engine ends, and does so without being killed by a signal.
    ///
    /// # Errors
    /// It does not.
    pub fn expect_end(&mut self, limit: Duration, after: &str) -> Result<(), Trouble> {
        let unread = &mut self.unread;
        let status = self.pipes.wait(limit, &mut |bytes| {
            unread.extend_from_slice(bytes);
            unread.truncate(MAX_RESPONSE);
        });
        match status {
            None => {
                let limit = limit.as_secs_f64();
                let found = format!("it did not end within {limit} s after {after}");
                Err(Trouble::silent(&[], found))
            }
            Some(status) if status.starts_with("signal") => {
                let found = format!("it ended with {status} after {after}");
                Err(Trouble::failed(found))
            }
            Some(_) => self.expect_silence(Duration::ZERO, &format!("after {after}")),
        }
    }

    /// Ends an engine that has passed so far, and returns how it has ended, if it has within `limit`,
    /// or within the time that is left for the check.
    pub fn quit(&mut self, limit: Duration) -> Option<String> {
        let limit = limit.min(time_left(self.end).max(EXIT_LIMIT));
        self.send("quit\n");
        self.pipes.wait(limit, &mut |_| ())
    }

    /// Returns the last lines that the engine has written on standard error.
    pub fn errors(&mut self) -> Vec<String> {
        let rest = self.pipes.read_rest();
        self.unread.extend_from_slice(&rest);
        last_errors(&self.pipes.last_errors())
    }
}

/// A line that is not a response or the beginning of one.
#[derive(Debug, PartialEq, Eq)]
struct Invalid {
    line: String,
    /// Whether it begins with = or ?.
    is_response: bool,
}

/// Takes the first response from the output of an engine. A controller removes control characters
/// and ignores empty lines between responses; every other line must belong to one.
fn take_reply(unread: &mut Vec<u8>) -> Option<Result<Reply, Invalid>> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = unread.as_slice();
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end.saturating_add(1));
        rest = after;
        let line = String::from_utf8_lossy(line).replace('\t', " ");
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        let is_empty = line.trim().is_empty();
        match (is_empty, lines.first()) {
            (true, None) => {}
            (true, Some(_)) => {
                let parsed = parse(&lines);
                *unread = rest.to_vec();
                return Some(parsed);
            }
            (false, None) if !line.starts_with(['=', '?']) => {
                *unread = rest.to_vec();
                let is_response = false;
                return Some(Err(Invalid { line, is_response }));
            }
            (false, _) => lines.push(line),
        }
    }
    None
}

/// Parses the lines of a response.
fn parse(lines: &[String]) -> Result<Reply, Invalid> {
    let text = lines.join("\n");
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\n']);
    let split = split_response(&text).filter(|(_, rest, _)| ends(rest));
    let Some((digits, _, result)) = split else {
        let line = lines.first().cloned().unwrap_or_default();
        let is_response = true;
        return Err(Invalid { line, is_response });
    };
    let id = Some(digits.to_owned()).filter(|digits| !digits.is_empty());
    Ok(Reply { id, result })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes all responses of an output, and shows them with the rest.
    fn taken(output: &str) -> String {
        let mut unread = output.as_bytes().to_vec();
        let mut shown = Vec::new();
        while let Some(reply) = take_reply(&mut unread) {
            shown.push(match reply {
                Ok(reply) => reply.quoted(),
                Err(Invalid { line, .. }) => format!("invalid {line:?}"),
            });
        }
        shown.push(format!("{:?}", String::from_utf8(unread).unwrap()));
        shown.join(", ")
    }

    #[test]
    fn responses_end_with_an_empty_line() {
        assert_eq!(taken("= 2\n\n"), r#""= 2", """#);
        assert_eq!(
            taken("=\n\n=1 a\nb\n\n?2 no\n\n"),
            r#""=", "=1 a\nb", "?2 no", """#
        );
        assert_eq!(taken("\n\n= 2\r\n\r\n= "), r#""= 2", "= ""#);
        assert_eq!(taken("= 2\n"), r#""= 2\n""#);
    }

    #[test]
    fn an_invalid_response_is_found() {
        assert_eq!(taken("hello\n= 2\n\n"), r#"invalid "hello", "= 2", """#);
        assert_eq!(taken("=ok\n\n"), r#"invalid "=ok", """#);
        // A number follows without a space.
        assert_eq!(taken("= 7 2\n\n=72\n\n"), r#""= 7 2", "=72", """#);
    }
}
