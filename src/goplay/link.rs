//! The connection to the server.

use std::io;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::address::Address;
use crate::net::configure_socket;

/// How long an attempt to connect may take.
const CONNECTING: Duration = Duration::from_secs(10);

/// How long the server may take to read a message.
const SENDING: Duration = Duration::from_secs(10);

/// How long we wait for the server to take leave.
const PARTING: Duration = Duration::from_secs(1);

/// After so much silence the server is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(25);

/// The largest message that is read, in bytes: a START with 20,000 moves has two
/// million.
const LARGEST: usize = 16 * 1024 * 1024;

/// A connection to a server. Its pings are answered while [`Link::next`] is waited
/// for.
#[derive(Debug)]
pub(super) struct Link {
    socket: WebSocketStream<TcpStream>,
    /// When something was last heard.
    heard: Instant,
    /// Whether the server has been asked since then whether it is there.
    asked: bool,
}

/// What comes from the server.
#[derive(Debug)]
pub(super) enum Frame {
    /// A text.
    Text(String),
    /// So many bytes that are none.
    Binary(usize),
}

impl Link {
    /// Connects.
    pub(super) async fn connect(address: &Address) -> io::Result<Link> {
        match timeout(CONNECTING, Link::try_connect(address)).await {
            Ok(link) => link,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    async fn try_connect(address: &Address) -> io::Result<Link> {
        let stream = TcpStream::connect((address.host(), address.port())).await?;
        configure_socket(&stream)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST));
        let request = address.uri().into_client_request().map_err(failed)?;
        let (socket, _) = client_async_with_config(request, stream, Some(config))
            .await
            .map_err(failed)?;
        Ok(Link {
            socket,
            heard: Instant::now(),
            asked: false,
        })
    }

    /// Waits for the next text; an error when the connection is lost. May be dropped
    /// and called again.
    pub(super) async fn next(&mut self) -> io::Result<Frame> {
        loop {
            tokio::select! {
                message = self.socket.next() => {
                    self.heard = Instant::now();
                    self.asked = false;
                    match message {
                        Some(Ok(Message::Text(text))) => return Ok(Frame::Text(text.to_string())),
                        Some(Ok(Message::Binary(bytes))) => return Ok(Frame::Binary(bytes.len())),
                        Some(Ok(Message::Close(why))) => return Err(closed(why)),
                        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                        Some(Err(error)) => return Err(failed(error)),
                        None => return Err(closed(None)),
                    }
                }
                () = sleep_until(self.heard + SILENCE * (1 + u32::from(self.asked))) => {
                    if self.asked {
                        let text = format!("nothing was heard for {} s", 2 * SILENCE.as_secs());
                        return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                    }
                    self.asked = true;
                    self.write(Message::Ping(Bytes::new())).await?;
                }
            }
        }
    }

    /// Sends a text.
    pub(super) async fn send(&mut self, text: String) -> io::Result<()> {
        self.write(Message::text(text)).await
    }

    async fn write(&mut self, message: Message) -> io::Result<()> {
        match timeout(SENDING, self.socket.send(message)).await {
            Ok(sent) => sent.map_err(failed),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Takes leave.
    pub(super) async fn part(mut self) {
        let parting = async {
            let _ = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        let _ = timeout(PARTING, parting).await;
    }
}

fn closed(why: Option<CloseFrame>) -> io::Error {
    let text = match why {
        Some(frame) if !frame.reason.is_empty() => {
            format!("the server closed the connection: {}", frame.reason)
        }
        _ => "the server closed the connection".to_owned(),
    };
    io::Error::new(io::ErrorKind::ConnectionAborted, text)
}

/// The system's own error where there is one.
fn failed(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}
