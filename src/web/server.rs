//! The HTTP server: connections with limits, and the files of the page.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch as watch_channel};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::access::{AccessPolicy, guarded, me};
use super::feed::Feed;
use super::websocket::watch;
use crate::net::configure_socket;

/// The longest head of a request, in bytes: 16 KiB.
const MAX_HEAD: usize = 16 * 1024;

/// The lifetime of a connection that does not become a WebSocket, in multiples of
/// [`Limits::timeout`]. It is closed after the response to its last request.
const LIFETIME: u32 = 12;

/// The time limit for a response when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of connections from this machine that are accepted above the limit, so
/// that the organizer can always connect.
const RESERVED: usize = 16;

/// The response to a connection above the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Limits on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections at once, including WebSockets.
    pub connections: u32,
    /// The time limit for a connection to send the head of a request, to idle between requests,
    /// and to receive the last response.
    pub timeout: Duration,
}

/// 1,000 connections and 10 seconds.
impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1_000,
            timeout: Duration::from_secs(10),
        }
    }
}

/// The connection of a request, as an extension of each request. A WebSocket keeps it as long
/// as it is open, so that it counts toward the limit.
#[derive(Clone, Debug)]
pub struct HttpConnection {
    peer: SocketAddr,
    closing: watch_channel::Receiver<bool>,
    _permit: Arc<OwnedSemaphorePermit>,
}

impl HttpConnection {
    /// Returns the address of the peer.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Waits until the server stops.
    pub async fn closing(&self) {
        // An error means that the server is gone already.
        let _ = self.closing.clone().wait_for(|&closing| closing).await;
    }
}

/// The permits for further connections.
struct Permits {
    all: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
}

impl Permits {
    fn acquire(&self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        let acquire = |permits: &Arc<Semaphore>| Arc::clone(permits).try_acquire_owned().ok();
        let is_local = address.to_canonical().is_loopback();
        acquire(&self.all).or_else(|| acquire(is_local.then_some(&self.reserved)?))
    }
}

/// Serves HTTP until `shutdown` completes. Then connections are closed, and each
/// [`HttpConnection`] is notified. Returns when all connections are closed, or after
/// [`Limits::timeout`].
///
/// # Errors
/// The port cannot be used.
pub async fn serve(
    listener: StdListener,
    app: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let most = usize::try_from(limits.connections).unwrap_or(usize::MAX);
    let permits = Permits {
        all: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        reserved: Arc::new(Semaphore::new(RESERVED)),
    };
    let (close, closing) = watch_channel::channel(false);
    let mut tasks = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, peer)) => match permits.acquire(peer.ip()) {
                Some(permit) => {
                    let connection = HttpConnection {
                        peer,
                        closing: closing.clone(),
                        _permit: Arc::new(permit),
                    };
                    let app = app.clone();
                    tasks.spawn(serve_connection(stream, connection, app, limits.timeout));
                }
                // Either the buffer of the socket takes this at once, or the client gets nothing.
                None => drop(stream.try_write(FULL)),
            },
            // The connection is closed already, or there are too many open files. Both pass.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
    close.send_replace(true);
    drop(closing);
    // Each connection has a receiver of this channel. WebSockets have tasks of their own.
    let all_gone = async {
        while tasks.join_next().await.is_some() {}
        close.closed().await;
    };
    let _ = timeout(limits.timeout, all_gone).await;
    Ok(())
}

/// Serves one connection, until it is closed or becomes a WebSocket.
async fn serve_connection(
    stream: TcpStream,
    http_connection: HttpConnection,
    app: Router,
    time_limit: Duration,
) {
    // If it fails, only peers that vanish are not noticed.
    let _ = configure_socket(&stream);
    let app = TowerToHyperService::new(app);
    let extension = http_connection.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(extension.clone());
        app.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(time_limit)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let rest = tokio::select! {
        // A connection that breaks needs no response.
        _ = &mut connection => return,
        () = sleep(time_limit.saturating_mul(LIFETIME)) => time_limit,
        () = http_connection.closing() => time_limit.min(SHUTDOWN_TIMEOUT),
    };
    connection.as_mut().graceful_shutdown();
    let _ = timeout(rest, connection).await;
}

/// A file of the page.
struct Asset {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
}

/// Includes a file of the page with its content type.
macro_rules! asset {
    ($name:literal, $content_type:expr) => {
        Asset {
            name: $name,
            content_type: $content_type,
            text: include_str!(concat!("page/", $name)),
        }
    };
}

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The files that the page loads from `/page/`.
const ASSETS: &[Asset] = &[
    asset!("icon.svg", "image/svg+xml"),
    asset!("style.css", CSS),
    asset!("boards.css", CSS),
    asset!("app.js", JAVASCRIPT),
    asset!("awari.js", JAVASCRIPT),
    asset!("boards.js", JAVASCRIPT),
    asset!("buttons.js", JAVASCRIPT),
    asset!("clock.js", JAVASCRIPT),
    asset!("commands.js", JAVASCRIPT),
    asset!("dom.js", JAVASCRIPT),
    asset!("goban.js", JAVASCRIPT),
    asset!("graph.js", JAVASCRIPT),
    asset!("keys.js", JAVASCRIPT),
    asset!("link.js", JAVASCRIPT),
    asset!("notices.js", JAVASCRIPT),
    asset!("people.js", JAVASCRIPT),
    asset!("stage.js", JAVASCRIPT),
    asset!("store.js", JAVASCRIPT),
    asset!("theme.js", JAVASCRIPT),
    asset!("tournament.js", JAVASCRIPT),
    asset!("tournament-form.js", JAVASCRIPT),
];

/// The security headers of all responses: the page loads nothing from other hosts, runs only
/// its own script files, makes no markup out of text, and cannot be put in a frame.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Set only where browsers take the page for secure. Elsewhere they ignore it with a warning.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Sets the security headers of a response.
pub(super) fn set_security_headers(headers: &mut HeaderMap, is_trusted: bool) {
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_trusted {
        headers.insert(OPENER, HeaderValue::from_static("same-origin"));
    }
}

/// Returns the page, to be served at `/`. [`routes`] serves the files that it loads.
pub async fn page() -> Response {
    Html(include_str!("page/index.html")).into_response()
}

/// Returns a file that the page loads.
async fn file(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => ([(CONTENT_TYPE, asset.content_type)], asset.text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Creates the routes of a page: its files, the feed at `/watch`, and the visitor's rights at
/// `/me`. Add [`page`] at `/`.
pub fn routes(feed: Feed) -> Router {
    Router::new()
        .route("/page/{file}", get(file))
        .route("/me", get(me))
        .route("/watch", get(watch))
        .with_state(feed)
}

/// Creates a whole site that can only be watched.
pub fn spectators(feed: Feed) -> Router {
    let routes = routes(feed).route("/", get(page));
    guarded(routes, AccessPolicy::spectators())
}
