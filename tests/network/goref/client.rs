//! A client of a contest, message by message.

use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use socket2::{Domain, SockRef, Socket, Type};
use tungstenite::client::IntoClientRequest;
use tungstenite::error::Error;
use tungstenite::protocol::frame::CloseFrame;
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

use crate::waiting::{DeadlineStream, next_message};

/// A connection that sends and reads messages.
pub struct Client {
    socket: WebSocket<DeadlineStream>,
}

/// How a connection ended.
#[derive(Debug)]
pub enum End {
    /// With a frame that says so.
    Closed(Option<CloseFrame>),
    /// Without a word.
    Lost(#[expect(dead_code, reason = "shown where it is not expected")] Error),
}

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Client {
        Client::over(TcpStream::connect(address).unwrap(), address)
    }

    /// Connects, if a server is there.
    pub fn try_connect(address: SocketAddr) -> Option<Client> {
        let stream = DeadlineStream::new(TcpStream::connect(address).ok()?);
        let (socket, _) = tungstenite::client(format!("ws://{address}/"), stream).ok()?;
        Some(Client { socket })
    }

    /// The connection, for others.
    pub fn stream(&self) -> TcpStream {
        self.socket.get_ref().try_clone().unwrap()
    }

    /// Connects with hardly any room for what it is sent.
    pub fn narrow(address: SocketAddr) -> Client {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        socket.connect(&address.into()).unwrap();
        Client::over(socket.into(), address)
    }

    /// Connects as a proxy that tells whom it connects.
    pub fn forwarded(address: SocketAddr, visitor: &str) -> Client {
        let uri = format!("ws://{address}/").parse().unwrap();
        let request = ClientRequestBuilder::new(uri).with_header("X-Forwarded-For", visitor);
        Client::with_request(TcpStream::connect(address).unwrap(), request)
    }

    fn over(stream: TcpStream, address: SocketAddr) -> Client {
        Client::with_request(stream, format!("ws://{address}/"))
    }

    fn with_request(stream: TcpStream, request: impl IntoClientRequest) -> Client {
        stream.set_nodelay(true).unwrap();
        let (socket, _) = tungstenite::client(request, DeadlineStream::new(stream)).unwrap();
        Client { socket }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Sends a text.
    pub fn send_text(&mut self, text: &str) {
        self.try_send(Message::text(text)).unwrap();
    }

    /// Sends something, if there is anybody to take it.
    pub fn try_send(&mut self, message: Message) -> Result<(), Error> {
        self.socket.send(message)
    }

    /// Sends bytes that are no frames.
    pub fn send_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.get_mut().write_all(bytes)
    }

    /// Sends a move.
    pub fn send_move(&mut self, played: &Value) {
        self.send(&json!({"type": "MOVE", "move": played}));
    }

    /// Plays a move, of which the opponent hears; what the clocks show.
    #[track_caller]
    pub fn plays(&mut self, opponent: &mut Client, played: &Value) -> Value {
        self.send_move(played);
        let valid = self.expect("VALID");
        let told = opponent.expect("MOVE");
        assert_eq!(&told["move"], played);
        assert_eq!(told["remainingTime"], valid["remainingTime"]);
        valid["remainingTime"].clone()
    }

    /// The next message, or the end.
    #[track_caller]
    pub fn next(&mut self) -> Result<Value, End> {
        self.read("a message")
    }

    #[track_caller]
    fn read(&mut self, awaited: &str) -> Result<Value, End> {
        self.socket.get_mut().renew();
        loop {
            match next_message(&mut self.socket, awaited) {
                Ok(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(Message::Close(frame)) => return Err(End::Closed(frame)),
                Ok(other) => panic!("the server sends {other:?}"),
                Err(error) => return Err(End::Lost(error)),
            }
        }
    }

    /// Reads to the end.
    #[track_caller]
    pub fn read_to_end(&mut self) {
        crate::waiting::read_to_end(&mut self.socket);
    }

    /// The next message, which is of this type.
    #[track_caller]
    pub fn expect(&mut self, kind: &str) -> Value {
        match self.read(kind) {
            Ok(message) => {
                assert_eq!(message["type"], kind, "{message}");
                message
            }
            Err(end) => panic!("{kind} is expected: {end:?}"),
        }
    }

    /// The server closes the connection with these words, and sends nothing
    /// before.
    #[track_caller]
    pub fn expect_close(&mut self, words: &str) {
        match self.read(words) {
            Err(End::Closed(Some(frame))) => assert!(frame.reason.contains(words), "{frame:?}"),
            other => panic!("a close frame is expected: {other:?}"),
        }
    }

    /// The connection ends, and no message comes before.
    #[track_caller]
    pub fn expect_end(&mut self) {
        if let Ok(message) = self.read("the end") {
            panic!("the end is expected: {message}");
        }
    }

    /// Nothing comes for so long; pings are answered.
    #[track_caller]
    pub fn expect_silence(&mut self, time: Duration) {
        self.socket.get_mut().renew_for(time);
        loop {
            match self.socket.read() {
                Ok(Message::Ping(_)) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::TimedOut => break,
                other => panic!("silence is expected: {other:?}"),
            }
        }
    }

    /// Says goodbye as the protocol of WebSockets wants it; whether the server
    /// does so too.
    pub fn close(mut self) -> Result<Value, End> {
        self.socket.close(None).unwrap();
        self.next()
    }

    /// Says that nothing more will be sent.
    pub fn finish(&mut self) {
        // It may be gone already.
        let _ = self.socket.get_ref().shutdown(Shutdown::Write);
    }

    /// Is gone as a process that was killed on another machine.
    pub fn kill(self) {
        let stream = self.socket.get_ref();
        SockRef::from(&**stream)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
    }

    /// How long a message may take to be sent.
    pub fn set_write_timeout(&mut self, time: Duration) {
        let stream = self.socket.get_ref();
        stream.set_write_timeout(Some(time)).unwrap();
    }
}
