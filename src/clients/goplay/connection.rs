//! The connection to the server: its address, the WebSocket, messages as they are parsed, and the
//! pauses before reconnecting.

use std::io;
use std::str::FromStr;
use std::time::Duration;

use derive_more::{Display, From};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::http::header::LOCATION;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::tls::{EncryptError, Stream, Tls};
use crate::base::net::{HostPort, configure_socket};
use crate::contests::color_codes::ByColorCode;
use crate::contests::goref::wire::{Configuration, Millis, ServerMessage, move_object};
use crate::games::go::{ByColor, Move};

/// The port of `ws://` URLs without one.
const WS_PORT: u16 = 80;

/// The port of `wss://` URLs without one.
const WSS_PORT: u16 = 443;

/// The port of addresses that are only a host: that of `gothello goref`.
const GOREF_PORT: u16 = 8080;

/// The first pause between two attempts to connect.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The limit for an attempt to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The limit for sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the client waits for the server to close the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The client pings the server after hearing nothing for this long, and gives up
/// after twice as long.
const SILENCE: Duration = Duration::from_secs(25);

/// The largest message in bytes that is read. A START with 20,000 moves has two
/// million.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// How much of an unreadable message is shown, in characters.
const MAX_SHOWN: usize = 120;

/// The address of a server: a `ws://` or `wss://` URL, or a host with an optional port.
///
/// ```
/// use gothello::clients::goplay::Address;
/// let address: Address = "ws://localhost:8080".parse()?;
/// assert_eq!((address.host(), address.port()), ("localhost", 8080));
/// assert_eq!(address.to_string(), "ws://localhost:8080/");
/// # Ok::<(), gothello::clients::goplay::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Display)]
#[display("{uri}")]
pub struct Address {
    uri: Uri,
    host: String,
    port: u16,
    is_encrypted: bool,
}

/// Why a text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not the address of a server: give HOST, HOST:PORT, ws://HOST:PORT or wss://HOST/PATH, \
     such as 127.0.0.1:8080"
)]
pub struct AddressError(String);

impl Address {
    /// Returns the host: a name, or an address without the brackets of IPv6.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether connections are encrypted: whether it is a `wss://` URL.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let other = || AddressError(text.to_owned());
        if !text.contains("://") {
            let HostPort { host, port } = text.parse().map_err(|_| other())?;
            let port = port.or(Some(GOREF_PORT));
            let url = format!("ws://{}/", HostPort { host, port });
            return url.parse().map_err(|_| other());
        }
        let uri: Uri = text.parse().map_err(|_| other())?;
        let (is_encrypted, default_port) = match uri.scheme_str() {
            Some("ws") => (false, WS_PORT),
            Some("wss") => (true, WSS_PORT),
            _ => return Err(other()),
        };
        let named = uri.host().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        // `Uri` ignores what is not a port.
        let port = match authority.strip_prefix(named) {
            Some("") => Some(default_port),
            Some(_) => uri.port_u16().filter(|&port| port > 0),
            None => None,
        };
        let host = named.trim_matches(['[', ']']).to_owned();
        match port {
            Some(port) if !host.is_empty() => Ok(Address {
                uri,
                host,
                port,
                is_encrypted,
            }),
            _ => Err(other()),
        }
    }
}

/// A WebSocket connection to a server. It answers pings while [`Connection::next`] is
/// awaited.
#[derive(Debug)]
pub struct Connection {
    socket: WebSocketStream<Box<dyn Stream>>,
    /// When anything was last received.
    heard: Instant,
    /// Whether the server has been pinged since then.
    pinged: bool,
}

/// A message of the server.
#[derive(Debug)]
pub enum Frame {
    /// A text message.
    Text(String),
    /// A binary message, and its length in bytes.
    Binary(usize),
}

/// Why there is no connection to a server.
#[derive(Debug, From)]
pub enum ConnectError {
    /// There may be one later.
    #[from]
    Failed(io::Error),
    /// The server does not answer in HTTP: it is not a contest server.
    NotHttp,
    /// The server answers with a page: it is a web server, not a contest server.
    Page,
    /// The server redirects to this address.
    Redirect(Address),
    /// It is not encrypted.
    #[from]
    Tls(EncryptError),
}

impl From<tungstenite::Error> for ConnectError {
    fn from(error: tungstenite::Error) -> ConnectError {
        match error {
            tungstenite::Error::Protocol(ProtocolError::HttparseError(_)) => ConnectError::NotHttp,
            // An error may come from a proxy whose server is down.
            tungstenite::Error::Http(answer) if answer.status().is_success() => ConnectError::Page,
            error => ConnectError::Failed(io_error(error)),
        }
    }
}

impl Connection {
    /// Connects to a server. With `tls` the connection is encrypted.
    pub async fn connect(address: &Address, tls: Option<&Tls>) -> Result<Connection, ConnectError> {
        match timeout(CONNECT_TIMEOUT, Connection::try_connect(address, tls)).await {
            Ok(connection) => connection,
            Err(_) => Err(ConnectError::Failed(io::ErrorKind::TimedOut.into())),
        }
    }

    async fn try_connect(address: &Address, tls: Option<&Tls>) -> Result<Connection, ConnectError> {
        let stream = TcpStream::connect((address.host(), address.port())).await?;
        configure_socket(&stream)?;
        let stream: Box<dyn Stream> = match tls {
            Some(tls) => tls.encrypt(stream, address.host()).await?,
            None => Box::new(stream),
        };
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let request = (&address.uri).into_client_request()?;
        let opened = client_async_with_config(request, stream, Some(config)).await;
        let (socket, _) = opened.map_err(|error| match redirection(address, &error) {
            Some(to) => ConnectError::Redirect(to),
            None => error.into(),
        })?;
        Ok(Connection {
            socket,
            heard: Instant::now(),
            pinged: false,
        })
    }

    /// Waits for the next message. Cancel safe.
    ///
    /// # Errors
    /// The connection is lost.
    pub async fn next(&mut self) -> io::Result<Frame> {
        loop {
            tokio::select! {
                message = self.socket.next() => {
                    self.heard = Instant::now();
                    self.pinged = false;
                    match message {
                        Some(Ok(Message::Text(text))) => return Ok(Frame::Text(text.to_string())),
                        Some(Ok(Message::Binary(bytes))) => return Ok(Frame::Binary(bytes.len())),
                        Some(Ok(Message::Close(why))) => return Err(close_error(why)),
                        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                        Some(Err(error)) => return Err(io_error(error)),
                        None => return Err(close_error(None)),
                    }
                }
                () = sleep_until(self.heard + SILENCE * (1 + u32::from(self.pinged))) => {
                    if self.pinged {
                        let text = format!("nothing was heard for {} s", 2 * SILENCE.as_secs());
                        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                    }
                    self.pinged = true;
                    self.write(Message::Ping(Bytes::new())).await?;
                }
            }
        }
    }

    /// Sends a text message.
    pub async fn send(&mut self, text: String) -> io::Result<()> {
        self.write(Message::text(text)).await
    }

    async fn write(&mut self, message: Message) -> io::Result<()> {
        match timeout(SEND_TIMEOUT, self.socket.send(message)).await {
            Ok(sent) => sent.map_err(io_error),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Closes the connection.
    pub async fn close(mut self) {
        let closing = async {
            let _ = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        let _ = timeout(CLOSE_TIMEOUT, closing).await;
    }
}

/// Returns the target of a redirection, as web servers send for a request without TLS, or for a
/// path without a trailing slash.
fn redirection(from: &Address, error: &tungstenite::Error) -> Option<Address> {
    let tungstenite::Error::Http(answer) = error else {
        return None;
    };
    let location = answer.headers().get(LOCATION)?.to_str().ok()?;
    if !answer.status().is_redirection() {
        return None;
    }
    let uri = &from.uri;
    let url = match location.split_once("://") {
        Some(("http", rest)) => format!("ws://{rest}"),
        Some(("https", rest)) => format!("wss://{rest}"),
        None if location.starts_with("//") => format!("{}:{location}", uri.scheme()?),
        None if location.starts_with('/') => {
            format!("{}://{}{location}", uri.scheme()?, uri.authority()?)
        }
        _ => return None,
    };
    url.parse().ok().filter(|to| to != from)
}

/// Returns the error of a connection that the server has closed: `PermissionDenied` if it would do
/// so again.
fn close_error(why: Option<CloseFrame>) -> io::Error {
    let kind = match &why {
        Some(frame) if frame.code == CloseCode::Policy => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::ConnectionAborted,
    };
    let text = match why {
        Some(frame) if !frame.reason.is_empty() => {
            format!("the server closed the connection: {}", frame.reason)
        }
        _ => "the server closed the connection".to_owned(),
    };
    io::Error::new(kind, text)
}

/// Returns the system's own error if there is one.
fn io_error(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// A text that is not a message of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server's message does not follow the protocol ({why}): {shown}")]
pub struct NoMessage {
    why: String,
    shown: String,
}

/// A MOVE with the type START, as an error in the document has it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MisnamedMove {
    #[serde(rename = "type")]
    kind: StartType,
    #[serde(rename = "move", with = "move_object")]
    played: Move,
    #[serde(with = "ByColorCode")]
    remaining_time: ByColor<Millis>,
}

#[derive(Deserialize)]
enum StartType {
    #[serde(rename = "START")]
    Start,
}

/// Parses a message of the server. Unknown fields are ignored.
///
/// # Errors
/// The text is not a message of the protocol.
pub fn read(text: &str) -> Result<ServerMessage, NoMessage> {
    let why = match serde_json::from_str(text) {
        Ok(message) => return Ok(message),
        Err(why) => why,
    };
    match serde_json::from_str(text) {
        Ok(MisnamedMove {
            kind: StartType::Start,
            played,
            remaining_time,
        }) => Ok(ServerMessage::Move {
            played,
            remaining_time,
        }),
        Err(_) => Err(NoMessage {
            why: wrong_setting(text).unwrap_or_else(|| why.to_string()),
            shown: shown(text),
        }),
    }
}

/// Returns which setting of the game in a START is wrong, and why.
fn wrong_setting(text: &str) -> Option<String> {
    let message: Value = serde_json::from_str(text).ok()?;
    let game = message.get("configuration")?;
    let error = serde_path_to_error::deserialize::<_, Configuration>(game).err()?;
    Some(format!("configuration.{}: {}", error.path(), error.inner()))
}

/// Returns the beginning of a text on one line.
fn shown(text: &str) -> String {
    let escaped = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug);
    let rest = text.chars().nth(MAX_SHOWN).map(|_| '…');
    escaped.chain(rest).collect()
}

/// The pauses between attempts to connect: each is twice as long as the one before,
/// up to ten seconds, until the time for all attempts is over.
///
/// ```
/// use std::time::Duration;
/// use gothello::clients::goplay::Backoff;
/// let second = Duration::from_secs(1);
/// let mut backoff = Backoff::new(2 * second);
/// assert_eq!(backoff.on_failure(100 * second), Some(second / 2));
/// assert_eq!(backoff.on_failure(101 * second), Some(second));
/// // One attempt is left, at the end of the two seconds.
/// assert_eq!(backoff.on_failure(101 * second + second / 2), Some(second / 2));
/// assert_eq!(backoff.on_failure(102 * second), None);
/// ```
#[derive(Clone, Debug)]
pub struct Backoff {
    limit: Duration,
    pause: Duration,
    /// When the connection was lost.
    since: Option<Duration>,
}

impl Backoff {
    /// Allows attempts for `limit` after a loss; with zero, none.
    pub fn new(limit: Duration) -> Backoff {
        Backoff {
            limit,
            pause: FIRST_PAUSE,
            since: None,
        }
    }

    /// Records that the connection is lost, or that an attempt has failed, at an
    /// instant since any fixed moment. Returns the pause before the next attempt, or
    /// `None` when it is time to give up.
    pub fn on_failure(&mut self, now: Duration) -> Option<Duration> {
        let since = *self.since.get_or_insert(now);
        let left = self.limit.saturating_sub(now.saturating_sub(since));
        if left.is_zero() {
            return None;
        }
        let pause = self.pause.min(left);
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        Some(pause)
    }

    /// Records that the connection works: the next loss is a new one.
    pub fn reset(&mut self) {
        self.pause = FIRST_PAUSE;
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_host_and_perhaps_a_port_and_a_path() {
        let of = |text: &str| {
            let address: Address = text.parse().unwrap();
            (address.host().to_owned(), address.port())
        };
        assert_eq!(of("ws://127.0.0.1:8080"), ("127.0.0.1".into(), 8080));
        assert_eq!(of("ws://[::1]:99/play"), ("::1".into(), 99));
        assert_eq!(of("ws://example.org/"), ("example.org".into(), 80));
        assert_eq!(
            of("wss://example.org/contest/"),
            ("example.org".into(), 443)
        );
        assert_eq!(of("wss://example.org:8443"), ("example.org".into(), 8443));
        assert_eq!(of("example.org"), ("example.org".into(), 8080));
        assert_eq!(of("10.0.0.5:99"), ("10.0.0.5".into(), 99));
        assert_eq!(of("::1"), ("::1".into(), 8080));
    }

    #[test]
    fn an_invalid_address_is_explained() {
        let why = |text: &str| text.parse::<Address>().unwrap_err().to_string();
        for text in [
            "",
            "http://127.0.0.1:8080/",
            "ws://",
            "ws://:8080",
            "ws://a:0",
            "ws://a:99999",
            "ws://a b",
        ] {
            let expected =
                format!("{text:?} is not the address of a server: give HOST, HOST:PORT, ws://");
            assert!(why(text).starts_with(&expected), "{}", why(text));
        }
    }

    #[test]
    fn pauses_grow_to_ten_seconds_and_end_with_the_limit() {
        let mut backoff = Backoff::new(Duration::from_secs(60));
        let mut now = Duration::from_secs(7);
        let mut pauses = Vec::new();
        while let Some(pause) = backoff.on_failure(now) {
            pauses.push(pause.as_secs_f64());
            now += pause;
        }
        assert_eq!(
            pauses,
            [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0, 10.0, 4.5]
        );
        backoff.reset();
        assert_eq!(backoff.on_failure(now), Some(FIRST_PAUSE));
    }

    #[test]
    fn without_time_there_is_no_second_attempt() {
        assert_eq!(
            Backoff::new(Duration::ZERO).on_failure(Duration::ZERO),
            None
        );
    }
}
