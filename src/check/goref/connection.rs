//! The client as a process, and its connection.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{self, HandshakeError, Message, WebSocket};

use super::{GorefSettings, GorefStep, Trouble};
use crate::check::Exchange;
use crate::check::report::last_errors;
use crate::contests::goref::wire::{Protocol, ServerMessage};
use crate::gtp::process::{EngineError, Launch, Program};
use crate::matches::{SeatError, accept, is_timeout, listen_at};
use crate::pages::web::json_text;

/// The pause between two bytes that are sent separately.
const BYTE_PAUSE: Duration = Duration::from_micros(50);

/// The longest wait before received data is checked.
pub const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The shortest wait for data, in which what has come can be read.
const SHORTEST_READ: Duration = Duration::from_millis(5);

/// The input from a client.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A text message.
    Text(String),
    /// The end of the connection, and why.
    Closed(String),
    /// A timeout.
    Nothing,
}

/// The ways of sending messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Each message separately.
    Plain,
    /// Each byte separately.
    Bytewise,
    /// All messages until the next read together.
    Merged,
    /// Each message in several frames.
    Fragments,
}

/// The number of bytes of a frame that is a part of a message.
const FRAGMENT: usize = 16;

/// A stream that can be written in several ways.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    delivery: Delivery,
    /// The bytes to send together.
    held: Vec<u8>,
    /// When reading ends.
    deadline: Instant,
}

impl Wire {
    /// Sends the buffered bytes. A disconnected client is noticed when reading.
    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        let _ = self.stream.write_all(&held);
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match (self.delivery, bytes) {
            (Delivery::Bytewise, [byte, ..]) => {
                thread::sleep(BYTE_PAUSE);
                self.stream.write(std::slice::from_ref(byte))
            }
            (Delivery::Merged, _) => {
                self.held.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            _ => self.stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A client as a process, which connects.
#[derive(Debug)]
pub struct Client {
    program: Program,
    listener: TcpListener,
    socket: Option<WebSocket<Wire>>,
    limit: Duration,
    /// When the time for the check is over.
    pub end: Option<Instant>,
    /// The number of received pongs.
    pub pongs: u32,
    /// The form of START that it wants.
    pub protocol: Protocol,
    /// The messages sent and received.
    pub exchange: Exchange,
}

impl Client {
    /// Starts a client, which must connect at a port of its own. After `end`, it need not move.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(settings: &GorefSettings, end: Option<Instant>) -> Result<Client, EngineError> {
        let port = settings.port.unwrap_or(0);
        let not_listening = |why| EngineError::NotStarted {
            program: match port {
                0 => "the server that it connects to".to_owned(),
                port => format!("the server that it connects to, at port {port}"),
            },
            why,
        };
        let (listener, port) = listen_at(port).map_err(not_listening)?;
        let fill = |word: &String| {
            word.replace("{url}", &format!("ws://{}:{port}", Ipv4Addr::LOCALHOST))
                .replace("{host}", &Ipv4Addr::LOCALHOST.to_string())
                .replace("{port}", &port.to_string())
        };
        let words = settings.check.command.iter().map(fill);
        let launch = Launch::of_words(words).with_errors();
        Ok(Client {
            program: Program::start(&launch)?,
            listener,
            socket: None,
            limit: settings.check.limits.answer,
            end,
            pongs: 0,
            protocol: Protocol::V1,
            exchange: Exchange::default(),
        })
    }

    /// Waits for the client to connect.
    ///
    /// # Errors
    /// It does not connect in time.
    pub fn connect(&mut self) -> Result<(), Trouble> {
        let deadline = Instant::now() + self.limit;
        let stop = AtomicBool::new(false);
        let stream = accept(&self.listener, &mut self.program, deadline, &stop);
        let stream = stream.map_err(|error| match error {
            SeatError::Lost { detail, .. } => Trouble::silent(&[], detail),
            SeatError::Exhausted(exhausted) => Trouble::failed(exhausted.to_string()),
            SeatError::Stopped => Trouble::failed("it did not connect"),
        })?;
        let wire = Wire {
            stream,
            delivery: Delivery::Plain,
            held: Vec::new(),
            deadline,
        };
        let late = || {
            let limit = self.limit.as_secs_f64();
            let found = format!(
                "it connected, but did not complete the WebSocket handshake within {limit} s"
            );
            Trouble::silent(&[GorefStep::Connect], found)
        };
        let socket = tungstenite::accept(wire).map_err(|why| match why {
            HandshakeError::Interrupted(_) => late(),
            HandshakeError::Failure(tungstenite::Error::Io(error)) if is_timeout(&error) => late(),
            why => {
                let found = format!("it connected, but not as a WebSocket client: {why}");
                Trouble::at(&[GorefStep::Connect], found)
            }
        })?;
        self.socket = Some(socket);
        Ok(())
    }

    /// Asks for the client's name.
    ///
    /// # Errors
    /// It does not send it in time, or in the wrong form.
    pub fn greet(&mut self) -> Result<(), Trouble> {
        self.send(&ServerMessage::Name);
        let text = match self.read(self.limit) {
            Received::Text(text) => text,
            Received::Closed(why) => {
                let found = format!("it left instead of telling its name ({why})");
                return Err(Trouble::at(&[GorefStep::Name], found));
            }
            Received::Nothing => {
                let found = "it did not answer NAME in time".to_owned();
                return Err(Trouble::silent(&[GorefStep::Name], found));
            }
        };
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let is_name = value["type"] == "NAME" && value["name"].is_string();
        self.protocol = match value.get("protocol").map(Value::as_str) {
            None | Some(Some("v1")) if is_name => Protocol::V1,
            Some(Some("v2")) if is_name => Protocol::V2,
            _ => {
                let found = "it answered NAME with something else than its name";
                return Err(Trouble::at(&[GorefStep::Name], found));
            }
        };
        Ok(())
    }

    /// Sets the way in which the client is sent its messages.
    pub fn set_delivery(&mut self, delivery: Delivery) {
        if let Some(socket) = &mut self.socket {
            let wire = socket.get_mut();
            wire.release();
            wire.delivery = delivery;
        }
    }

    /// Returns the way in which the client is sent its messages.
    pub fn delivery(&self) -> Delivery {
        let wire = self.socket.as_ref().map(WebSocket::get_ref);
        wire.map_or(Delivery::Plain, |wire| wire.delivery)
    }

    /// Sends a message. A disconnected client is noticed when reading.
    pub fn send(&mut self, message: &ServerMessage) {
        let text = json_text(message);
        self.exchange.sent(&text);
        let Some(socket) = &mut self.socket else {
            return;
        };
        if socket.get_ref().delivery != Delivery::Fragments {
            let _ = socket.send(Message::text(text));
            return;
        }
        let pieces = text.as_bytes().chunks(FRAGMENT);
        let last = pieces.len().saturating_sub(1);
        for (index, piece) in pieces.enumerate() {
            let kind = if index == 0 {
                Data::Text
            } else {
                Data::Continue
            };
            let frame = Frame::message(piece.to_vec(), OpCode::Data(kind), index == last);
            let _ = socket.send(Message::Frame(frame));
        }
    }

    /// Sends a ping.
    pub fn ping(&mut self) {
        self.exchange.sent("(ping)");
        if let Some(socket) = &mut self.socket {
            let _ = socket.send(Message::Ping(Vec::new().into()));
        }
    }

    /// Waits at most this long for a message.
    pub fn read(&mut self, limit: Duration) -> Received {
        let deadline = Instant::now() + limit;
        loop {
            let Some(socket) = &mut self.socket else {
                return Received::Closed("it is not connected".into());
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let wire = socket.get_mut();
            wire.release();
            wire.deadline = Instant::now() + left.clamp(SHORTEST_READ, POLL_INTERVAL);
            match socket.read() {
                Ok(Message::Text(text)) => {
                    self.exchange.received(&text);
                    return Received::Text(text.to_string());
                }
                Ok(Message::Binary(bytes)) => {
                    let text = format!("({} bytes of binary data)", bytes.len());
                    self.exchange.received(&text);
                    return Received::Text(text);
                }
                Ok(Message::Pong(_)) => {
                    self.exchange.received_again("(pong)");
                    self.pongs = self.pongs.saturating_add(1);
                }
                Ok(Message::Close(_)) => {
                    self.socket = None;
                    return Received::Closed("it closed the connection".into());
                }
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if is_timeout(&error) => {}
                Err(error) => {
                    self.socket = None;
                    return Received::Closed(error.to_string());
                }
            }
            if left.is_zero() {
                return Received::Nothing;
            }
        }
    }

    /// Breaks the connection off.
    pub fn cut(&mut self) {
        self.exchange.sent("(the connection is lost)");
        if let Some(socket) = self.socket.take() {
            let _ = socket.get_ref().stream.shutdown(Shutdown::Both);
        }
    }

    /// Returns the last lines that the client has written on standard error.
    pub fn errors(&self) -> Vec<String> {
        last_errors(&self.program.last_errors())
    }
}
