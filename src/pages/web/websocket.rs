//! WebSockets: the handshake (RFC 6455, section 4.2), and the connections of spectators.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::{FromRequestParts, State};
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::feed::{Feed, Spectator};
use super::server::{HttpConnection, Rights};

/// A WebSocket on the side of the server.
pub type WebSocket = WebSocketStream<TokioIo<Upgraded>>;

/// The version of the WebSocket protocol.
const VERSION: &str = "13";

/// The subprotocol of a handshake with a token.
const WITH_TOKEN: &str = "organizer";

/// Why a visitor is turned away, as an extension of a response: it is reported.
#[derive(Clone, Debug)]
pub(super) struct TurnedAway(pub(super) String);

/// An extractor for a valid request to upgrade the connection to a WebSocket.
#[derive(Debug)]
pub struct WebSocketUpgrade {
    accept: HeaderValue,
    upgrade: OnUpgrade,
    /// Whether it has the token of the organizer, and so the subprotocol [`WITH_TOKEN`].
    is_with_token: bool,
}

/// Why a request is not upgraded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpgradeRejection {
    /// It does not ask for it.
    #[error("this address is for WebSockets")]
    NotRequested,
    /// It is not GET.
    #[error("a WebSocket handshake uses GET, not {0}")]
    Method(Method),
    /// It has no `Connection: Upgrade`.
    #[error(
        "a WebSocket handshake has the header Connection: Upgrade; a proxy may have removed it"
    )]
    Connection,
    /// Its version is not 13.
    #[error("this server supports WebSocket version {VERSION}, not {0:?}")]
    Version(String),
    /// The key is missing, or is not 16 bytes in Base64.
    #[error("Sec-WebSocket-Key is not 16 bytes in Base64")]
    Key,
    /// The connection cannot be upgraded, for example because it is HTTP/1.0.
    #[error("a WebSocket handshake needs HTTP/1.1")]
    NotUpgradable,
}

impl WebSocketUpgrade {
    /// Returns whether a request asks for a WebSocket.
    pub(super) fn is_requested(headers: &HeaderMap) -> bool {
        has_token(headers, &UPGRADE, "websocket")
    }

    /// Checks the headers of a handshake. Returns its key.
    pub(super) fn check(
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<HeaderValue, UpgradeRejection> {
        if !WebSocketUpgrade::is_requested(headers) {
            return Err(UpgradeRejection::NotRequested);
        }
        if method != Method::GET {
            return Err(UpgradeRejection::Method(method.clone()));
        }
        if !has_token(headers, &CONNECTION, "upgrade") {
            return Err(UpgradeRejection::Connection);
        }
        let version = single_header(headers, &SEC_WEBSOCKET_VERSION);
        if version.is_none_or(|version| version.as_bytes().trim_ascii() != VERSION.as_bytes()) {
            let versions = headers.get_all(SEC_WEBSOCKET_VERSION).iter();
            let versions: Vec<_> = versions
                .map(|version| String::from_utf8_lossy(version.as_bytes()))
                .collect();
            return Err(UpgradeRejection::Version(versions.join(", ")));
        }
        let key = single_header(headers, &SEC_WEBSOCKET_KEY);
        let key = key.filter(|key| is_key(key.as_bytes().trim_ascii()));
        key.cloned().ok_or(UpgradeRejection::Key)
    }

    /// Accepts the handshake and calls `serve` with the WebSocket in a new task.
    pub fn serve<F>(
        self,
        config: WebSocketConfig,
        serve: impl FnOnce(WebSocket) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            // The client may be gone before it gets the response.
            if let Ok(upgraded) = upgrade.await {
                let stream = TokioIo::new(upgraded);
                let config = Some(config);
                serve(WebSocketStream::from_raw_socket(stream, Role::Server, config).await).await;
            }
        });
        let headers = [
            (CONNECTION, HeaderValue::from_static("Upgrade")),
            (UPGRADE, HeaderValue::from_static("websocket")),
            (SEC_WEBSOCKET_ACCEPT, self.accept),
        ];
        let mut response = (StatusCode::SWITCHING_PROTOCOLS, headers).into_response();
        if self.is_with_token {
            let protocol = HeaderValue::from_static(WITH_TOKEN);
            response
                .headers_mut()
                .insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

impl<S: Sync> FromRequestParts<S> for WebSocketUpgrade {
    type Rejection = UpgradeRejection;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &S,
    ) -> Result<WebSocketUpgrade, UpgradeRejection> {
        let key = WebSocketUpgrade::check(&parts.method, &parts.headers)?;
        let accept = derive_accept_key(key.as_bytes().trim_ascii());
        let upgrade = parts.extensions.remove();
        let (Ok(accept), Some(upgrade)) = (accept.parse(), upgrade) else {
            return Err(UpgradeRejection::NotUpgradable);
        };
        Ok(WebSocketUpgrade {
            accept,
            upgrade,
            is_with_token: offered_token(&parts.headers).is_some(),
        })
    }
}

impl IntoResponse for UpgradeRejection {
    fn into_response(self) -> Response {
        let why = self.to_string();
        let upgrade = (UPGRADE, "websocket");
        match self {
            UpgradeRejection::NotRequested => {
                let headers = [upgrade, (CONNECTION, "Upgrade")];
                (StatusCode::UPGRADE_REQUIRED, headers, why).into_response()
            }
            UpgradeRejection::Method(_) => (StatusCode::METHOD_NOT_ALLOWED, why).into_response(),
            UpgradeRejection::Version(_) => {
                let headers = [
                    (SEC_WEBSOCKET_VERSION, VERSION),
                    upgrade,
                    (CONNECTION, "Upgrade"),
                ];
                (StatusCode::UPGRADE_REQUIRED, headers, why).into_response()
            }
            UpgradeRejection::Connection
            | UpgradeRejection::Key
            | UpgradeRejection::NotUpgradable => (StatusCode::BAD_REQUEST, why).into_response(),
        }
    }
}

/// Returns the token of the organizer in a handshake. Pages can send it only as the name of a
/// subprotocol, after [`WITH_TOKEN`].
pub(super) fn offered_token(headers: &HeaderMap) -> Option<&str> {
    let offered = single_header(headers, &SEC_WEBSOCKET_PROTOCOL)?;
    let (first, token) = offered.to_str().ok()?.split_once(',')?;
    (first.trim() == WITH_TOKEN).then(|| token.trim())
}

/// Returns whether a comma-separated header contains this word, ignoring case.
fn has_token(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter();
    let mut words = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    words.any(|found| found.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns a header that must occur exactly once.
fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    first.filter(|_| values.next().is_none())
}

/// Returns whether a key is 16 bytes in Base64.
fn is_key(key: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match key.strip_suffix(b"==") {
        Some(letters) => letters.len() == 22 && letters.iter().all(letter),
        None => false,
    }
}

/// The time limit for a peer to receive a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval between pings and heartbeats. A peer that has sent neither a ping nor a pong since
/// the last one is disconnected.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);

/// The delay before a spectator that has fallen behind gets a new snapshot.
const CATCH_UP_DELAY: Duration = Duration::from_millis(250);

/// The longest message that a spectator may send, in bytes: 1 KiB. Spectators only send pings
/// and pongs.
const MAX_MESSAGE: usize = 1024;

/// The peer is disconnected, or is to be.
pub(crate) struct Disconnected;

/// Upgrades a request to a WebSocket and sends the feed to it.
pub(super) async fn watch(
    State(feed): State<Feed>,
    connection: Option<Extension<HttpConnection>>,
    rights: Option<Extension<Rights>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let rights = rights.map_or(Rights::Spectator, |Extension(rights)| rights);
    let spectator = match feed.watch(rights) {
        Ok(spectator) => spectator,
        Err(error) => {
            // A page cannot read the response to a handshake, but it can read a close frame.
            let why = error.to_string();
            let reason = why.clone();
            let mut response = upgrade.serve(config, async move |mut socket| {
                close(&mut socket, CloseCode::Again, reason).await;
            });
            response.extensions_mut().insert(TurnedAway(why));
            return response;
        }
    };
    upgrade.serve(config, move |mut socket| async move {
        tokio::select! {
            _ = send_feed(&mut socket, spectator) => {}
            () = HttpConnection::shutdown_of(connection) => say_goodbye(&mut socket).await,
        }
    })
}

/// Closes a connection because the server stops.
pub(crate) async fn say_goodbye(socket: &mut WebSocket) {
    close(socket, CloseCode::Away, "the server stops".to_owned()).await;
}

async fn close(socket: &mut WebSocket, code: CloseCode, reason: String) {
    let reason = reason.into();
    let _ = send(socket, Message::Close(Some(CloseFrame { code, reason }))).await;
}

/// Sends a snapshot to a spectator, then each update, until it disconnects.
async fn send_feed(
    socket: &mut WebSocket,
    mut spectator: Spectator,
) -> Result<Infallible, Disconnected> {
    send(socket, Message::Text(spectator.snapshot().await)).await?;
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    let mut is_alive = true;
    loop {
        tokio::select! {
            update = spectator.update() => match update {
                Some(update) => send(socket, Message::Text(update)).await?,
                None => {
                    sleep(CATCH_UP_DELAY).await;
                    send(socket, Message::Text(spectator.snapshot().await)).await?;
                }
            },
            message = socket.next() => match message {
                Some(Ok(Message::Pong(_) | Message::Ping(_))) => is_alive = true,
                // Spectators have nothing else to send.
                _ => return Err(Disconnected),
            },
            _ = heartbeat.tick() => {
                if !is_alive {
                    return Err(Disconnected);
                }
                is_alive = false;
                send(socket, Message::Ping(Bytes::new())).await?;
                send(socket, Message::Text(spectator.heartbeat())).await?;
            }
        }
    }
}

/// Sends a message with a time limit.
pub(crate) async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Disconnected> {
    match timeout(SEND_TIMEOUT, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Disconnected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_sixteen_bytes() {
        for (key, is_one) in [
            ("dGhlIHNhbXBsZSBub25jZQ==", true),
            ("", false),
            ("dGhlIHNhbXBsZSBub25jZQ", false),
            ("dGhlIHNhbXBsZSBub25jZQ=", false),
            ("dGhlIHNhbXBsZSBub25j*Q==", false),
            ("dGhlIHNhbXBsZSBub25jZQ====", false),
            ("AAAAAAAAAAAAAAAAAAAAAA==", true),
            ("AAAAAAAAAAAAAAAAAAAAAAAA", false),
        ] {
            assert_eq!(is_key(key.as_bytes()), is_one, "{key}");
        }
    }
}
