//! A server that does as a test says, and the built program as its client.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::{Message, WebSocket, accept};

use crate::goplay::messages::name;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A port where clients connect.
pub struct Server {
    listener: TcpListener,
    pub port: u16,
}

/// A client that is connected.
pub struct Peer(WebSocket<TcpStream>);

impl Server {
    pub fn new() -> Server {
        Server::at(0)
    }

    /// At a given port.
    pub fn at(port: u16) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        Server { listener, port }
    }

    /// The next client.
    pub fn accept(&self) -> Peer {
        let start = Instant::now();
        let stream = loop {
            match self.listener.accept() {
                Ok((stream, _)) => break stream,
                Err(_) => assert!(start.elapsed() < PATIENCE, "nobody connects"),
            }
            thread::sleep(Duration::from_millis(2));
        };
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Peer(accept(stream).unwrap())
    }

    /// Whether nobody has connected.
    pub fn is_lonely(&self) -> bool {
        self.listener.accept().is_err()
    }

    /// The next client, which has told its name; what it said.
    pub fn greet(&self) -> (Peer, Value) {
        let mut peer = self.accept();
        peer.says(&name());
        let answer = peer.hears();
        assert_eq!(answer["type"], "NAME");
        (peer, answer)
    }

    /// Starts the program as a client, and greets it.
    pub fn client(&self, arguments: &[&str]) -> (Program, Peer) {
        let program = Program::start(self.port, arguments);
        (program, self.greet().0)
    }
}

impl Peer {
    pub fn says(&mut self, message: &Value) {
        self.sends(Message::text(message.to_string()));
    }

    pub fn sends(&mut self, message: Message) {
        self.0.send(message).unwrap();
    }

    /// Sends what the client may not read.
    pub fn try_sends(&mut self, message: Message) {
        let _ = self.0.send(message);
    }

    /// The next message but for pings and pongs.
    pub fn hears(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// The next move.
    pub fn hears_move(&mut self) -> Value {
        let message = self.hears();
        assert_eq!(message["type"], "MOVE", "{message}");
        message["move"].clone()
    }

    /// Pings, and waits for nothing else than the answer.
    pub fn pings(&mut self) {
        self.sends(Message::Ping(b"there?".to_vec().into()));
        match self.0.read().unwrap() {
            Message::Pong(bytes) => assert_eq!(&bytes[..], b"there?"),
            other => panic!("{other}"),
        }
    }

    /// Waits until the client has taken leave.
    pub fn is_left(&mut self) {
        while self.0.read().is_ok() {}
        let _ = self.0.get_ref().shutdown(Shutdown::Both);
    }
}

/// A running client.
pub struct Program(Child);

/// What became of it.
pub struct Done {
    /// The exit code.
    pub code: Option<i32>,
    /// What it wrote on standard output.
    pub out: String,
    /// What it wrote on standard error.
    pub err: String,
}

impl Program {
    /// Starts `gothello goplay ws://127.0.0.1:PORT --name Ann ARGUMENTS`.
    pub fn start(port: u16, arguments: &[&str]) -> Program {
        let child = Command::new(env!("CARGO_BIN_EXE_gothello"))
            .args(["goplay", &format!("ws://127.0.0.1:{port}"), "--name", "Ann"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Program(child)
    }

    /// Types text.
    pub fn types(&mut self, text: &str) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Nothing more will be typed.
    pub fn close_input(&mut self) {
        self.0.stdin = None;
    }

    /// Sends it a signal, as in `-INT`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end, while its input stays open.
    pub fn wait(self) -> Done {
        self.wait_within(PATIENCE)
    }

    /// Waits for its end, at most this long.
    pub fn wait_within(mut self, patience: Duration) -> Done {
        let out = read(self.0.stdout.take().unwrap());
        let err = read(self.0.stderr.take().unwrap());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > patience {
                self.0.kill().unwrap();
                self.0.wait().unwrap();
                let [out, err] = [out, err].map(|text| text.join().unwrap());
                panic!("it does not end: {out}{err}");
            }
            thread::sleep(Duration::from_millis(2));
        };
        Done {
            code: status.code(),
            out: out.join().unwrap(),
            err: err.join().unwrap(),
        }
    }
}

impl Done {
    /// That it ended well, with these results.
    #[track_caller]
    pub fn is_well(&self, results: &str) {
        assert_eq!(self.code, Some(0), "{}", self.err);
        assert_eq!(self.out, results, "{}", self.err);
    }

    /// The error that it ended with.
    #[track_caller]
    pub fn error(&self) -> &str {
        assert_eq!(self.code, Some(1), "{}", self.err);
        let error = self
            .err
            .lines()
            .find_map(|line| line.strip_prefix("error: "));
        error.unwrap_or_else(|| panic!("{}", self.err))
    }

    /// That this was told on standard error.
    #[track_caller]
    pub fn told(&self, text: &str) {
        assert!(
            self.err.contains(text),
            "{text:?} is missing in:\n{}",
            self.err
        );
    }
}

/// Reads to the end meanwhile.
fn read(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).unwrap();
        text
    })
}
