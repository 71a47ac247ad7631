//! Transcripts: everything that the clients of a team sent and received, with times, in a file for
//! each team.
//!
//! A thread writes them, so that no player waits for the disk. If lines come faster than it writes
//! them, some are left out, which is logged. A full file is renamed, and replaces the one before.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread;
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::{LogSink, Shared};
use crate::base::counted::counted;
use crate::contests::limits::{Limits, Usage};
use crate::contests::netref::client::{ConnId, Name};
use crate::contests::netref::log::LogEvent;
use crate::contests::netref::teams::Teams;
use crate::contests::netref::wire::MAX_LINE;

/// The maximum size of a file. Each team has at most two.
const MAX_SIZE: u64 = 8 * 1024 * 1024;

/// The capacity of the thread's queue, in lines.
const MAX_QUEUED: usize = 16_384;

/// The maximum number of lines of a connection that wait until its team is known.
const MAX_PENDING: usize = 64;

/// The maximum number of connections a second, on average over ten seconds, that get no role at the
/// port of a team and are in its transcript.
const MAX_STRANGERS: u32 = 1;

/// The maximum number of lines that are written before they are flushed.
const MAX_BATCH: usize = 1_024;

/// The interval at which a client with unread input is checked for having closed its end.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A job of the thread.
enum Job {
    /// Append this line to the transcript of a team.
    Line(Name, String),
    /// Signal when all earlier lines are written.
    Flush(SyncSender<()>),
}

/// A handle to the thread, which ends when all handles are dropped.
#[derive(Clone)]
pub struct Transcripts {
    jobs: SyncSender<Job>,
    /// The number of lines that were left out.
    left_out: Arc<AtomicU64>,
    /// The connections at the ports of the teams that got no role.
    strangers: Arc<Mutex<Usage<Name>>>,
}

impl Transcripts {
    /// Starts the thread, which writes into this folder. Errors are logged for the port with this
    /// number.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn start(
        folder: PathBuf,
        teams: &Teams,
        (number, sink): (u16, LogSink),
    ) -> io::Result<Transcripts> {
        let (jobs, queue) = sync_channel(MAX_QUEUED);
        let left_out = Arc::new(AtomicU64::new(0));
        let paths = teams.iter().map(|team| {
            let server = team.servers().first().copied().unwrap_or_default();
            let path = folder.join(format!("{server}-{}.log", file_stem(team.name())));
            (team.name().clone(), path)
        });
        let writer = Writer {
            paths: paths.collect(),
            files: HashMap::new(),
            left_out: Arc::clone(&left_out),
            has_failed: false,
            log: Box::new(move |what| sink(number, LogEvent::Failed { what })),
        };
        thread::Builder::new()
            .name("transcripts".into())
            .spawn(move || writer.run(&queue))?;
        let strangers = Usage::new(Limits {
            connections: None,
            messages: Some(MAX_STRANGERS),
        });
        Ok(Transcripts {
            jobs,
            left_out,
            strangers: Arc::new(Mutex::new(strangers)),
        })
    }

    /// Begins the transcript of a connection at a port, which may be that of a team.
    pub fn connection(
        &self,
        conn: ConnId,
        address: SocketAddr,
        port: Option<&Name>,
        shared: &Shared,
    ) -> Transcript {
        let mut transcript = Transcript {
            conn,
            team: None,
            port: port.cloned(),
            pending: Vec::new(),
            unread: VecDeque::new(),
            received: Vec::new(),
            sent: Vec::new(),
            transcripts: self.clone(),
            shared: shared.clone(),
        };
        transcript.note(format!("connected from {address}"));
        transcript
    }

    /// Waits until everything is written, but not longer than `limit`.
    pub fn finish(&self, limit: Duration) {
        let (done, is_done) = sync_channel(1);
        if self.jobs.try_send(Job::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(limit);
        }
    }

    /// Returns whether a connection that got no role at the port of a team gets into the
    /// transcript of the team: anybody can connect there, and fill it.
    fn has_room_for_stranger(&self, port: &Name, now: Duration) -> bool {
        let mut strangers = self
            .strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        strangers.try_count_message(port, now)
    }

    fn append(&self, team: &Name, line: String) {
        if self.jobs.try_send(Job::Line(team.clone(), line)).is_err() {
            self.left_out.fetch_add(1, Relaxed);
        }
    }
}

/// Returns what a file is called after a team: its letters, digits, hyphens and underscores.
fn file_stem(name: &Name) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let letters = name.as_str().chars();
    letters.map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// The transcript of one connection. Until its team is known, its lines wait.
pub struct Transcript {
    conn: ConnId,
    team: Option<Name>,
    /// The team of the port.
    port: Option<Name>,
    pending: Vec<String>,
    /// The received lines that the server has not read yet.
    unread: VecDeque<String>,
    /// The bytes received after the last end of a line.
    received: Vec<u8>,
    /// The bytes sent after the last end of a line.
    sent: Vec<u8>,
    transcripts: Transcripts,
    shared: Shared,
}

impl Transcript {
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
        if self.team.is_none() && self.pending.len() >= MAX_PENDING {
            return;
        }
        let time = humantime::format_rfc3339_millis(SystemTime::now());
        let text = self.shared.teams().without_secrets(text);
        let line = format!("{time} {} {mark} {text}\n", self.conn);
        match &self.team {
            Some(team) => self.transcripts.append(team, line),
            None => self.pending.push(line),
        }
    }

    /// Appends the waiting lines and all later ones to the transcript of a team.
    fn join(&mut self, team: Name) {
        for line in self.pending.drain(..) {
            self.transcripts.append(&team, line);
        }
        self.team = Some(team);
    }
}

impl Drop for Transcript {
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
        if self.team.is_none()
            && let Some(port) = self.port.take()
            && self
                .transcripts
                .has_room_for_stranger(&port, self.shared.now())
        {
            self.join(port);
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
    transcript: Option<Transcript>,
}

impl RecordedStream {
    pub fn new(stream: TcpStream, transcript: Option<Transcript>) -> RecordedStream {
        RecordedStream { stream, transcript }
    }

    /// Assigns the transcript to a team; drops it if the client has none.
    pub fn join(&mut self, team: Option<&Name>) {
        match (&mut self.transcript, team) {
            (Some(transcript), Some(team)) => transcript.join(team.clone()),
            (transcript, None) => *transcript = None,
            (None, Some(_)) => {}
        }
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

impl AsyncRead for RecordedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if let Some(transcript) = &mut self.transcript {
            transcript.received(buffer.filled().get(before..).unwrap_or_default());
        }
        Poll::Ready(Ok(()))
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

/// The state of the thread.
struct Writer {
    paths: HashMap<Name, PathBuf>,
    /// The files that are open.
    files: HashMap<Name, TeamFile>,
    left_out: Arc<AtomicU64>,
    /// Whether the last attempt to write failed.
    has_failed: bool,
    log: Box<dyn Fn(String) + Send>,
}

impl Writer {
    /// Writes until all handles are dropped.
    fn run(mut self, queue: &Receiver<Job>) {
        while let Ok(first) = queue.recv() {
            let mut flushed = Vec::new();
            let mut written = Ok(());
            for job in std::iter::once(first).chain(queue.try_iter().take(MAX_BATCH)) {
                match job {
                    Job::Line(team, line) => {
                        let appended = self.append(&team, &line);
                        written = written.and(appended);
                    }
                    Job::Flush(done) => flushed.push(done),
                }
            }
            for file in self.files.values_mut() {
                written = written.and(file.file.flush());
            }
            self.report(written);
            for done in flushed {
                let _ = done.try_send(());
            }
        }
    }

    fn append(&mut self, team: &Name, line: &str) -> io::Result<()> {
        let Some(path) = self.paths.get(team) else {
            return Ok(());
        };
        let file = match self.files.remove(team) {
            Some(file) => file,
            None => TeamFile::open(path)?,
        };
        let mut file = file.with_room(path, line.len() as u64)?;
        file.file.write_all(line.as_bytes())?;
        file.size += line.len() as u64;
        self.files.insert(team.clone(), file);
        Ok(())
    }

    /// Logs an error, unless the attempt before failed, too, and the number of lines left out.
    fn report(&mut self, written: io::Result<()>) {
        if let Err(error) = &written
            && !self.has_failed
        {
            (self.log)(format!("a transcript cannot be written: {error}"));
        }
        self.has_failed = written.is_err();
        match self.left_out.swap(0, Relaxed) {
            0 => {}
            count => {
                let lines = counted(count, "line");
                (self.log)(format!(
                    "the transcripts lack {lines}, which came faster than they were written"
                ));
            }
        }
    }
}

/// The file of a team.
struct TeamFile {
    file: BufWriter<File>,
    size: u64,
}

impl TeamFile {
    fn open(path: &Path) -> io::Result<TeamFile> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let size = file.metadata()?.len();
        let file = BufWriter::new(file);
        Ok(TeamFile { file, size })
    }

    /// Returns the file, or a new one in its place if this many bytes would exceed its size.
    fn with_room(self, path: &Path, length: u64) -> io::Result<TeamFile> {
        if self.size == 0 || self.size + length <= MAX_SIZE {
            return Ok(self);
        }
        let TeamFile { mut file, .. } = self;
        file.flush()?;
        drop(file);
        fs::rename(path, path.with_extension("1.log"))?;
        TeamFile::open(path)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contests::netref::Team;

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

    #[test]
    fn strangers_who_connect_in_a_loop_do_not_fill_the_transcript_of_a_team() {
        let folder = tempfile::tempdir().unwrap();
        let sink: LogSink = Arc::new(|_, _| ());
        let folder = folder.path().to_owned();
        let transcripts = Transcripts::start(folder, &Teams::default(), (0, sink)).unwrap();
        let [red, blue] = ["Red", "Blue"].map(|name| Name::new(name).unwrap());
        let now = Duration::from_secs(5);
        let noted = (0..1_000).filter(|_| transcripts.has_room_for_stranger(&red, now));
        assert_eq!(noted.count(), 11);
        assert!(transcripts.has_room_for_stranger(&blue, now));
        assert!(transcripts.has_room_for_stranger(&red, now + Duration::from_secs(1)));
    }

    #[test]
    fn a_full_file_is_renamed_and_takes_the_place_of_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut teams = Teams::default();
        teams.add(Team::new("Red/1").unwrap()).unwrap();
        teams.add_server(4).unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let events = Arc::clone(&log);
        let sink: LogSink = Arc::new(move |_, event| events.lock().unwrap().push(event));
        let folder = folder.path().to_owned();
        let transcripts = Transcripts::start(folder.clone(), &teams, (0, sink)).unwrap();
        let name = Name::new("Red/1").unwrap();
        let line = "x".repeat(1 << 20) + "\n";
        for number in 0..20 {
            transcripts.append(&name, format!("{number} {line}"));
            transcripts.finish(Duration::from_secs(10));
        }
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|file| {
                let path = file.unwrap().path();
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.len() as u64 <= MAX_SIZE);
                let first = text.split(' ').next().unwrap().to_owned();
                (
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    first,
                )
            })
            .collect();
        files.sort();
        let named = |name: &str, first: &str| (name.to_owned(), first.to_owned());
        assert_eq!(
            files,
            [named("4-Red_1.1.log", "7"), named("4-Red_1.log", "14")]
        );
        // A reopened file is continued.
        drop(transcripts);
        assert_eq!(*log.lock().unwrap(), []);
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
