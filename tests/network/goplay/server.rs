//! A server that does as a test says, and the built program as its client.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::{Message, WebSocket, accept};

use crate::client::Program;
use crate::goplay::messages::name;
use crate::resumed_stream::ResumedStream;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A port where clients connect.
pub struct Server {
    listener: TcpListener,
    pub port: u16,
}

/// A client that is connected.
pub struct Peer(WebSocket<ResumedStream>);

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
        Peer(accept(ResumedStream(self.accept_stream())).unwrap())
    }

    /// Answers the request of the next client with a text, which need not be HTTP.
    pub fn answers(&self, text: &str) {
        let mut stream = self.accept_stream();
        assert_ne!(stream.read(&mut [0; 4_096]).unwrap(), 0);
        stream.write_all(text.as_bytes()).unwrap();
    }

    fn accept_stream(&self) -> TcpStream {
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
        stream
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
        let program = Program::goplay(self.port, arguments);
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

impl Program {
    /// Starts `gothello goplay ws://127.0.0.1:PORT --name Ann ARGUMENTS`.
    pub fn goplay(port: u16, arguments: &[&str]) -> Program {
        let url = format!("ws://127.0.0.1:{port}");
        Program::start(&["goplay", &url, "--name", "Ann"], arguments)
    }
}
