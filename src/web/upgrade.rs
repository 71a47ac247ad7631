//! The beginning of a WebSocket (RFC 6455, section 4.2).

use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// A WebSocket of a visitor.
pub type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The version of the protocol.
const VERSION: &str = "13";

/// A request for a WebSocket that can be granted: an extractor.
#[derive(Debug)]
pub struct Upgrade {
    accept: HeaderValue,
    upgrade: OnUpgrade,
}

/// Why a request is not granted a WebSocket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoUpgrade {
    /// It asks for none.
    Ordinary,
    /// It asks for one in a wrong way.
    Bad(BadUpgrade),
}

/// What is wrong with a request for a WebSocket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUpgrade {
    /// It is not GET.
    #[error("a WebSocket begins with GET, not {0}")]
    Method(Method),
    /// It has no `Connection: Upgrade`.
    #[error("a WebSocket begins with Connection: Upgrade, which a proxy may have taken away")]
    Connection,
    /// It is of another version than 13.
    #[error("WebSockets of version {VERSION} are spoken here, not {0:?}")]
    Version(String),
    /// The key is missing, or is not 16 bytes in Base64.
    #[error("Sec-WebSocket-Key is 16 bytes in Base64")]
    Key,
    /// The connection cannot be upgraded, as with HTTP/1.0.
    #[error("a WebSocket begins with HTTP/1.1")]
    Connected,
}

impl Upgrade {
    /// What is wrong with a request, if it asks for a WebSocket; its key, if nothing is.
    pub(super) fn check(method: &Method, headers: &HeaderMap) -> Result<HeaderValue, NoUpgrade> {
        if !has_word(headers, &UPGRADE, "websocket") {
            return Err(NoUpgrade::Ordinary);
        }
        if method != Method::GET {
            return Err(NoUpgrade::Bad(BadUpgrade::Method(method.clone())));
        }
        if !has_word(headers, &CONNECTION, "upgrade") {
            return Err(NoUpgrade::Bad(BadUpgrade::Connection));
        }
        let version = the_only(headers, &SEC_WEBSOCKET_VERSION);
        if version.is_none_or(|version| version.as_bytes().trim_ascii() != VERSION.as_bytes()) {
            let versions = headers.get_all(SEC_WEBSOCKET_VERSION).iter();
            let versions: Vec<_> = versions
                .map(|version| String::from_utf8_lossy(version.as_bytes()))
                .collect();
            return Err(NoUpgrade::Bad(BadUpgrade::Version(versions.join(", "))));
        }
        let key = the_only(headers, &SEC_WEBSOCKET_KEY);
        let key = key.filter(|key| is_key(key.as_bytes().trim_ascii()));
        key.cloned().ok_or(NoUpgrade::Bad(BadUpgrade::Key))
    }

    /// Answers that the connection is a WebSocket from now on, and serves it.
    pub fn serve<F>(
        self,
        config: WebSocketConfig,
        serve: impl FnOnce(Socket) -> F + Send + 'static,
    ) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            // It may be gone before it has the answer.
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
        (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
    }
}

impl<S: Sync> FromRequestParts<S> for Upgrade {
    type Rejection = NoUpgrade;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Upgrade, NoUpgrade> {
        let key = Upgrade::check(&parts.method, &parts.headers)?;
        let accept = derive_accept_key(key.as_bytes().trim_ascii());
        let upgrade = parts.extensions.remove();
        let (Ok(accept), Some(upgrade)) = (accept.parse(), upgrade) else {
            return Err(NoUpgrade::Bad(BadUpgrade::Connected));
        };
        Ok(Upgrade { accept, upgrade })
    }
}

impl IntoResponse for BadUpgrade {
    fn into_response(self) -> Response {
        let why = self.to_string();
        match self {
            BadUpgrade::Method(_) => (StatusCode::METHOD_NOT_ALLOWED, why).into_response(),
            BadUpgrade::Version(_) => {
                let headers = [
                    (SEC_WEBSOCKET_VERSION, VERSION),
                    (UPGRADE, "websocket"),
                    (CONNECTION, "Upgrade"),
                ];
                (StatusCode::UPGRADE_REQUIRED, headers, why).into_response()
            }
            BadUpgrade::Connection | BadUpgrade::Key | BadUpgrade::Connected => {
                (StatusCode::BAD_REQUEST, why).into_response()
            }
        }
    }
}

impl IntoResponse for NoUpgrade {
    fn into_response(self) -> Response {
        match self {
            NoUpgrade::Ordinary => {
                let headers = [(UPGRADE, "websocket"), (CONNECTION, "Upgrade")];
                let why = "this address is for WebSockets";
                (StatusCode::UPGRADE_REQUIRED, headers, why).into_response()
            }
            NoUpgrade::Bad(bad) => bad.into_response(),
        }
    }
}

/// Whether a header's list of words has this one, in any case.
fn has_word(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter();
    let mut words = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    words.any(|found| found.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

/// A header that must be there once.
fn the_only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    first.filter(|_| values.next().is_none())
}

/// Whether this is Base64 of 16 bytes.
fn is_key(key: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match key.strip_suffix(b"==") {
        Some(letters) => letters.len() == 22 && letters.iter().all(letter),
        None => false,
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
