//! Waiting with deadlines. Each helper has one deadline for everything that it waits for, which
//! nothing that arrives extends. At the deadline, the test fails and says what it waited for and
//! what it has received.

// Not every test program needs everything.
#![allow(dead_code)]

use std::fmt::Display;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::ops::Deref;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::{Message, WebSocket};

/// How long a test waits for anything, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long a program that is run to its end may take.
pub const RUN_PATIENCE: Duration = Duration::from_secs(300);

/// How much of the end of the received data is shown, in bytes.
const SHOWN: usize = 10_000;

/// When a test gives up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    patience: Duration,
}

impl Deadline {
    /// Starts to wait for at most this long.
    pub fn within(patience: Duration) -> Deadline {
        Deadline {
            start: Instant::now(),
            patience,
        }
    }

    /// Returns the remaining time: zero when it is over.
    pub fn left(&self) -> Duration {
        self.patience.saturating_sub(self.start.elapsed())
    }

    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// Fails with what was awaited and what has been received.
    #[track_caller]
    pub fn give_up(&self, awaited: &str, so_far: impl Display) -> ! {
        let patience = self.patience;
        panic!("waited {patience:?} for {awaited}; so far:\n{so_far}");
    }

    /// Polls until something is there, or the time is over.
    pub fn find<T>(&self, mut find: impl FnMut() -> Option<T>) -> Option<T> {
        loop {
            let found = find();
            if found.is_some() || self.is_over() {
                return found;
            }
            thread::sleep(self.pause());
        }
    }

    /// How long to pause before looking again: longer if it has taken long already.
    fn pause(&self) -> Duration {
        let [shortest, longest] = [1, 20].map(Duration::from_millis);
        (self.start.elapsed() / 16).clamp(shortest, longest)
    }

    /// Polls until something is there.
    #[track_caller]
    pub fn wait_for<T, S: Display>(
        &self,
        awaited: &str,
        so_far: impl FnOnce() -> S,
        find: impl FnMut() -> Option<T>,
    ) -> T {
        match self.find(find) {
            Some(found) => found,
            None => self.give_up(awaited, so_far()),
        }
    }
}

/// Polls until something is there.
#[track_caller]
pub fn wait_for<T, S: Display>(
    awaited: &str,
    so_far: impl FnOnce() -> S,
    find: impl FnMut() -> Option<T>,
) -> T {
    Deadline::within(PATIENCE).wait_for(awaited, so_far, find)
}

/// Polls until a condition holds.
#[track_caller]
pub fn wait_until(awaited: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(awaited, || "nothing", || is_so().then_some(()));
}

/// Accepts the next connection.
#[track_caller]
pub fn accept(listener: &TcpListener) -> DeadlineStream {
    listener.set_nonblocking(true).unwrap();
    let accepted = || match listener.accept() {
        Ok((stream, _)) => Some(stream),
        Err(error) if error.kind() == ErrorKind::WouldBlock => None,
        Err(error) => panic!("no connection is accepted: {error}"),
    };
    let stream = wait_for("a connection", || "nobody connects", accepted);
    stream.set_nonblocking(false).unwrap();
    DeadlineStream::new(stream)
}

/// A TCP connection with a deadline for all that is read up to the next [`renew`](Self::renew).
///
/// Retries reads and writes that a signal interrupts, as the standard library's buffered readers
/// do. A read with a timeout is also interrupted when the whole test is stopped and continued.
#[derive(Debug)]
pub struct DeadlineStream {
    stream: TcpStream,
    deadline: Deadline,
    /// The end of the data read.
    read: Vec<u8>,
}

impl DeadlineStream {
    pub fn new(stream: TcpStream) -> DeadlineStream {
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        DeadlineStream {
            stream,
            deadline: Deadline::within(PATIENCE),
            read: Vec::new(),
        }
    }

    pub fn connect(address: impl ToSocketAddrs) -> DeadlineStream {
        DeadlineStream::new(TcpStream::connect(address).unwrap())
    }

    /// Restarts the deadline.
    pub fn renew(&mut self) {
        self.renew_for(PATIENCE);
    }

    /// Restarts the deadline with at most this long.
    pub fn renew_for(&mut self, patience: Duration) {
        self.deadline = Deadline::within(patience);
    }

    /// Reads to the end of the connection, which may be by a reset.
    #[track_caller]
    pub fn read_to_any_end(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.renew();
        if let Err(error) = self.read_to_end(&mut bytes) {
            assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}");
        }
        bytes
    }

    /// Returns the end of the data read so far.
    pub fn so_far(&self) -> String {
        shown(&self.read)
    }
}

impl Deref for DeadlineStream {
    type Target = TcpStream;

    fn deref(&self) -> &TcpStream {
        &self.stream
    }
}

impl Read for DeadlineStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.deadline.left();
            if left.is_zero() {
                let patience = self.deadline.patience;
                let error = format!("waited {patience:?}; so far:\n{}", self.so_far());
                return Err(io::Error::new(ErrorKind::TimedOut, error));
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(buffer) {
                Err(error) if is_temporary(&error) => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    let surplus = self.read.len().saturating_sub(SHOWN);
                    self.read.drain(..surplus);
                    self.read.extend(&buffer[..length]);
                    return Ok(length);
                }
            }
        }
    }
}

impl Write for DeadlineStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the next message of a WebSocket before the deadline of its stream. The error says how the
/// connection ended.
#[track_caller]
pub fn next_message(
    socket: &mut WebSocket<DeadlineStream>,
    awaited: &str,
) -> Result<Message, tungstenite::Error> {
    match socket.read() {
        Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::TimedOut => {
            panic!("{awaited} does not come: {error}")
        }
        read => read,
    }
}

/// Reads messages of a WebSocket up to a matching one in JSON, before the deadline of its stream.
#[track_caller]
pub fn read_json(
    socket: &mut WebSocket<DeadlineStream>,
    awaited: &str,
    mut is_it: impl FnMut(&Value) -> bool,
) -> Value {
    loop {
        let message = next_message(socket, awaited);
        let message = message.unwrap_or_else(|error| panic!("{awaited} does not come: {error}"));
        let Message::Text(text) = message else {
            continue;
        };
        let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        if is_it(&value) {
            return value;
        }
    }
}

/// Reads a WebSocket to the end of the connection.
#[track_caller]
pub fn read_to_end(socket: &mut WebSocket<DeadlineStream>) {
    socket.get_mut().renew();
    while next_message(socket, "the end of the connection").is_ok() {}
}

/// Whether a read was interrupted, or its own timeout has expired.
fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut
    )
}

/// A pipe or a terminal that a program writes to. A thread reads it continuously once the test
/// first takes something.
pub struct Pipe {
    source: Option<Box<dyn Read + Send + Sync>>,
    written: Arc<Written>,
    /// How much of it the test has taken.
    taken: usize,
}

/// The output of a program to a pipe so far, and whether it is complete.
#[derive(Default)]
struct Written {
    state: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

impl Pipe {
    pub fn new(source: impl Read + Send + Sync + 'static) -> Pipe {
        Pipe {
            source: Some(Box::new(source)),
            written: Arc::default(),
            taken: 0,
        }
    }

    /// Begins to read.
    pub fn begin(&mut self) {
        let Some(mut source) = self.source.take() else {
            return;
        };
        let written = Arc::clone(&self.written);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let read = match source.read(&mut bytes) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    // The end of a terminal is an error on Linux.
                    read => read.unwrap_or(0),
                };
                let mut state = written.state.lock().unwrap();
                state.0.extend(&bytes[..read]);
                state.1 = read == 0;
                written.changed.notify_all();
                if state.1 {
                    return;
                }
            }
        });
    }

    /// Takes the next line without its end; `None` at the end.
    #[track_caller]
    pub fn line(&mut self, awaited: &str) -> Option<String> {
        let line = self.take(awaited, &Deadline::within(PATIENCE), |unread, is_over| {
            let end = unread.iter().position(|&byte| byte == b'\n');
            end.map(|at| at + 1)
                .or_else(|| is_over.then_some(unread.len()))
        });
        let line = text(line?);
        (!line.is_empty()).then(|| line.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// Takes everything up to and including a text.
    #[track_caller]
    pub fn take_to(&mut self, text: &str) -> String {
        let deadline = Deadline::within(PATIENCE);
        self.take_to_before(text, &format!("{text:?}"), &deadline)
    }

    /// Takes everything up to and including a text, which a failure describes in other words.
    #[track_caller]
    pub fn take_to_before(&mut self, end: &str, awaited: &str, deadline: &Deadline) -> String {
        let taken = self.take(awaited, deadline, |unread, _| {
            let mut windows = unread.windows(end.len());
            let at = windows.position(|window| window == end.as_bytes())?;
            Some(at + end.len())
        });
        let taken = taken.map(text);
        taken.unwrap_or_else(|| panic!("it ends without {awaited}; so far:\n{}", self.so_far()))
    }

    /// Waits until the data received and not yet taken satisfies a condition. Takes none of it.
    #[track_caller]
    pub fn wait_until(&mut self, awaited: &str, is_so: impl Fn(&str) -> bool) {
        let found = self.take(awaited, &Deadline::within(PATIENCE), |unread, _| {
            is_so(&String::from_utf8_lossy(unread)).then_some(0)
        });
        assert!(
            found.is_some(),
            "it ends without {awaited}; so far:\n{}",
            self.so_far()
        );
    }

    /// Takes the rest, to the end.
    #[track_caller]
    pub fn rest(&mut self) -> String {
        text(self.rest_within(&Deadline::within(PATIENCE)))
    }

    #[track_caller]
    pub fn rest_within(&mut self, deadline: &Deadline) -> Vec<u8> {
        let rest = self.take("the end of the output", deadline, |unread, is_over| {
            is_over.then_some(unread.len())
        });
        rest.unwrap_or_default()
    }

    /// The end of the received data, taken or not.
    pub fn so_far(&self) -> String {
        shown(&self.written.state.lock().unwrap().0)
    }

    /// Takes as many bytes as `find` returns, given those that are not taken and whether the data
    /// is complete; returns `None` if it finds nothing in complete data.
    #[track_caller]
    fn take(
        &mut self,
        awaited: &str,
        deadline: &Deadline,
        find: impl Fn(&[u8], bool) -> Option<usize>,
    ) -> Option<Vec<u8>> {
        self.begin();
        let mut state = self.written.state.lock().unwrap();
        loop {
            let (bytes, is_over) = &*state;
            let unread = &bytes[self.taken..];
            if let Some(length) = find(unread, *is_over) {
                self.taken += length;
                return Some(unread[..length].to_owned());
            }
            if *is_over {
                return None;
            }
            if deadline.is_over() {
                // A failing test must not hold the lock.
                drop(state);
                deadline.give_up(awaited, self.so_far());
            }
            let waited = self.written.changed.wait_timeout(state, deadline.left());
            state = waited.unwrap().0;
        }
    }
}

/// Reads only the first line of a pipe, and returns it with the pipe.
#[track_caller]
pub fn first_line<R: Read + Send + 'static>(source: R) -> (String, BufReader<R>) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = String::new();
        let read = source.read_line(&mut line);
        let _ = sender.send(read.map(|_| (line.trim_end().to_owned(), source)));
    });
    receiver
        .recv_timeout(PATIENCE)
        .expect("no first line comes")
        .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The end of the received data, as text.
fn shown(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(SHOWN);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}

/// Programs that end in time, or are killed and fail the test.
pub trait EndsInTime {
    /// Waits for its end while its input stays open. At the deadline, shows what it wrote.
    fn end_in_time<S: Display>(self, deadline: &Deadline, so_far: impl Fn() -> S) -> ExitStatus;

    /// Like [`Child::wait`].
    fn wait_in_time(self) -> ExitStatus;
}

impl EndsInTime for &mut Child {
    #[track_caller]
    fn end_in_time<S: Display>(self, deadline: &Deadline, so_far: impl Fn() -> S) -> ExitStatus {
        loop {
            if let Some(status) = self.try_wait().unwrap() {
                return status;
            }
            if deadline.is_over() {
                let _ = self.kill();
                let _ = self.wait();
                deadline.give_up("the end of a program", so_far());
            }
            thread::sleep(deadline.pause());
        }
    }

    #[track_caller]
    fn wait_in_time(self) -> ExitStatus {
        drop(self.stdin.take());
        self.end_in_time(&Deadline::within(PATIENCE), || "its output is not read")
    }
}

/// Programs that are run to their ends for their output.
pub trait OutputInTime: Sized {
    /// Like [`Command::output`] or [`Child::wait_with_output`].
    #[track_caller]
    fn output_in_time(self) -> Output {
        self.output_within(RUN_PATIENCE)
    }

    /// The same for a program that ends sooner.
    fn output_within(self, patience: Duration) -> Output;
}

impl OutputInTime for &mut Command {
    #[track_caller]
    fn output_within(self, patience: Duration) -> Output {
        self.stdin(Stdio::null());
        self.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = self.spawn();
        child
            .unwrap_or_else(|error| panic!("{self:?}: {error}"))
            .output_within(patience)
    }
}

impl OutputInTime for Child {
    #[track_caller]
    fn output_within(mut self, patience: Duration) -> Output {
        drop(self.stdin.take());
        let deadline = Deadline::within(patience);
        let out = self.stdout.take().map(Pipe::new);
        let err = self.stderr.take().map(Pipe::new);
        let mut pipes = [out, err].map(|pipe| pipe.unwrap_or_else(|| Pipe::new(io::empty())));
        pipes.iter_mut().for_each(Pipe::begin);
        let status = self.end_in_time(&deadline, || pipes.each_ref().map(Pipe::so_far).concat());
        let [stdout, stderr] = pipes.map(|mut pipe| pipe.rest_within(&deadline));
        Output {
            status,
            stdout,
            stderr,
        }
    }
}
