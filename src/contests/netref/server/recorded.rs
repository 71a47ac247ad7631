//! The transcripts of the teams' connections: their bytes as lines, without secrets.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, Interest};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::Shared;
use crate::base::counted::counted;
use crate::base::net::configure_ending_socket;
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::teams::Teams;
use crate::contests::netref::wire::MAX_LINE;
use crate::contests::shell::{Transcript, Transcripts};

/// The interval at which a client with unread input is checked for having closed its end.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Returns the transcripts of teams in a folder, each named by the first server number of the team.
///
/// # Errors
/// The system cannot start a thread.
pub fn start_transcripts(
    folder: &Path,
    teams: &Teams,
    log: impl Fn(String) + Send + 'static,
) -> io::Result<Transcripts> {
    let named = teams.iter().map(|team| {
        let server = team.servers().first().copied().unwrap_or_default();
        let name = team.name().as_str().to_owned();
        (name.clone(), format!("{server}-{name}"))
    });
    Transcripts::start(folder, named, log)
}

/// The transcript of one connection, whose bytes it splits into lines.
pub struct LineTranscript {
    transcript: Transcript,
    /// The team of the port.
    port: Option<Name>,
    /// The received lines that the server has not read yet.
    unread: VecDeque<String>,
    /// The bytes received after the last end of a line.
    received: Vec<u8>,
    /// The bytes sent after the last end of a line.
    sent: Vec<u8>,
    shared: Shared,
}

impl LineTranscript {
    /// Begins the transcript of a connection at a port, which may be that of a team, if transcripts
    /// are kept.
    pub fn begin(
        shared: &Shared,
        conn: ConnId,
        address: SocketAddr,
        port: Option<&Name>,
    ) -> Option<LineTranscript> {
        let mut transcript = LineTranscript {
            transcript: shared.transcripts.as_ref()?.begin(conn),
            port: port.cloned(),
            unread: VecDeque::new(),
            received: Vec::new(),
            sent: Vec::new(),
            shared: shared.clone(),
        };
        transcript.note(format!("connected from {address}"));
        Some(transcript)
    }

    /// Splits the client's input into lines. Each is noted when the server reads it, so the limits
    /// also bound the transcript.
    fn received(&mut self, bytes: &[u8]) {
        split_lines(&mut self.received, bytes, |text| {
            self.unread.push_back(text)
        });
    }

    /// Notes the next line that the client has sent.
    fn read(&mut self) {
        if let Some(text) = self.unread.pop_front() {
            self.line('>', &text);
        }
    }

    /// Notes bytes sent to the client.
    fn sent(&mut self, bytes: &[u8]) {
        let mut line = std::mem::take(&mut self.sent);
        split_lines(&mut line, bytes, |text| self.line('<', &text));
        self.sent = line;
    }

    /// Notes an event of the connection.
    fn note(&mut self, text: String) {
        self.line('*', &text);
    }

    fn line(&mut self, mark: char, text: &str) {
        let text = self.shared.teams.without_secrets(text);
        self.transcript.line(mark, &text);
    }
}

impl Drop for LineTranscript {
    fn drop(&mut self) {
        if !self.unread.is_empty() {
            let lines = counted(self.unread.len() as u64, "line");
            self.note(format!("sent {lines} more, which were not read"));
        }
        if !self.received.is_empty() {
            let text = printable(&self.received);
            self.note(format!("sent without an end of line: {text}"));
        }
        self.note("closed".into());
        if !self.transcript.has_joined()
            && let Some(port) = self.port.take()
            && (self.shared.usages).records_stranger(&port, self.shared.now())
        {
            self.transcript.join(port.as_str());
        }
    }
}

/// Adds bytes to a line that is not complete, and calls `each` with the text of every line that
/// they complete. Empty lines are skipped, and long ones cut.
fn split_lines(line: &mut Vec<u8>, bytes: &[u8], mut each: impl FnMut(String)) {
    for &byte in bytes {
        match byte {
            b'\r' | b'\n' if line.is_empty() => {}
            b'\r' | b'\n' => {
                each(printable(line));
                line.clear();
            }
            // One more byte shows that it is too long.
            _ if line.len() <= MAX_LINE => line.push(byte),
            _ => {}
        }
    }
}

/// Returns the text of a line, with each byte that is not printable ASCII written as `\xff`.
fn printable(line: &[u8]) -> String {
    let mut text = String::new();
    for &byte in line.iter().take(MAX_LINE) {
        match byte {
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    if line.len() > MAX_LINE {
        text.push_str("...");
    }
    text
}

/// A client's connection, with its transcript if one is kept.
pub struct RecordedStream {
    stream: TcpStream,
    transcript: Option<LineTranscript>,
}

impl RecordedStream {
    pub fn new(stream: TcpStream, transcript: Option<LineTranscript>) -> RecordedStream {
        RecordedStream { stream, transcript }
    }

    /// Assigns the transcript to a team; drops it if the client has none.
    pub fn join(&mut self, team: Option<&Name>) {
        match (&mut self.transcript, team) {
            (Some(transcript), Some(team)) => transcript.transcript.join(team.as_str()),
            (transcript, None) => *transcript = None,
            (None, Some(_)) => {}
        }
    }

    /// Reads what has come, and returns its length. Nothing is lost if this is canceled.
    pub async fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(piece).await?;
        if let Some(transcript) = &mut self.transcript {
            transcript.received(piece.get(..length).unwrap_or_default());
        }
        Ok(length)
    }

    /// Notes in the transcript that the server has read the next line.
    pub fn note_line(&mut self) {
        if let Some(transcript) = &mut self.transcript {
            transcript.read();
        }
    }

    /// Waits until the client has closed its end.
    pub async fn hung_up(&self) {
        loop {
            match self.stream.ready(Interest::READABLE).await {
                Ok(ready) if !ready.is_read_closed() => sleep(LOOK_AGAIN).await,
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Closes the connection for writing, and expects the client to close it, too.
    pub async fn end_output(&mut self) {
        // A connection that is lost is noticed when it is read.
        let _ = configure_ending_socket(&self.stream);
        let _ = self.stream.shutdown().await;
    }

    /// Returns the connection, and ends the transcript.
    pub fn unrecorded(self) -> TcpStream {
        self.stream
    }

    /// Returns the connection, whose transcript ends.
    ///
    /// # Errors
    /// The system refuses to.
    pub fn into_std(self) -> io::Result<std::net::TcpStream> {
        self.stream.into_std()
    }
}

impl AsyncWrite for RecordedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        if let Some(transcript) = &mut self.transcript {
            transcript.sent(bytes.get(..count).unwrap_or_default());
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unprintable_characters_are_shown_and_long_lines_are_cut() {
        let mut lines = Vec::new();
        let mut partial = Vec::new();
        let long = "x".repeat(2_000);
        for piece in ["\r\n1 c", "3\r1 \u{e4}\t\r\n", &long, "\n2 d4"] {
            split_lines(&mut partial, piece.as_bytes(), |text| lines.push(text));
        }
        let cut = "x".repeat(MAX_LINE) + "...";
        assert_eq!(lines, ["1 c3", "1 \\xc3\\xa4\\x09", &cut]);
        assert_eq!(printable(&partial), "2 d4");
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_stream_is_cut(
            stream in prop::collection::vec(
                prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'a'), any::<u8>()], 0..200),
            size in 1_usize..20,
        ) {
            let lines = |pieces: std::slice::Chunks<'_, u8>| {
                let (mut partial, mut lines) = (Vec::new(), Vec::new());
                for piece in pieces {
                    split_lines(&mut partial, piece, |text| lines.push(text.to_owned()));
                }
                (lines, partial)
            };
            prop_assert_eq!(lines(stream.chunks(size)), lines(stream.chunks(200)));
        }
    }
}
