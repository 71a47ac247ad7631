//! A scripted server, and the built program as its client.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};

use serde_json::Value;
use tungstenite::{Message, WebSocket, accept};

use crate::client::Program;
use crate::go_messages::name;
use crate::waiting::{self, DeadlineStream, next_message, read_json};

/// A port where clients connect.
pub struct Server {
    listener: TcpListener,
    pub port: u16,
}

/// A client that is connected.
pub struct Peer(WebSocket<DeadlineStream>);

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
    #[track_caller]
    pub fn accept(&self) -> Peer {
        Peer(accept(self.accept_stream()).unwrap())
    }

    /// Answers the request of the next client with a text, which need not be HTTP.
    pub fn answers(&self, text: &str) {
        let mut stream = self.accept_stream();
        assert_ne!(stream.read(&mut [0; 4_096]).unwrap(), 0);
        stream.write_all(text.as_bytes()).unwrap();
    }

    #[track_caller]
    fn accept_stream(&self) -> DeadlineStream {
        let stream = waiting::accept(&self.listener);
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Whether nobody has connected.
    pub fn is_lonely(&self) -> bool {
        self.listener.accept().is_err()
    }

    /// Accepts the next client up to its name, and returns its message.
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

    /// Sends bytes that the client may not read.
    pub fn try_sends(&mut self, message: Message) {
        let _ = self.0.send(message);
    }

    /// The next message other than pings and pongs.
    #[track_caller]
    pub fn hears(&mut self) -> Value {
        self.0.get_mut().renew();
        read_json(&mut self.0, "a message", |_| true)
    }

    /// The next move.
    #[track_caller]
    pub fn hears_move(&mut self) -> Value {
        let message = self.hears();
        assert_eq!(message["type"], "MOVE", "{message}");
        message["move"].clone()
    }

    /// Pings, and accepts nothing but the answer.
    pub fn pings(&mut self) {
        self.sends(Message::Ping(b"there?".to_vec().into()));
        self.0.get_mut().renew();
        match next_message(&mut self.0, "the answer to a ping").unwrap() {
            Message::Pong(bytes) => assert_eq!(&bytes[..], b"there?"),
            other => panic!("{other}"),
        }
    }

    /// Waits until the client has closed the connection.
    pub fn is_left(&mut self) {
        waiting::read_to_end(&mut self.0);
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
