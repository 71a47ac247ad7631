//! The HTTP server: connections, with limits on them.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::{Extension, Router};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::base::net::configure_socket;

/// The longest head of a request, in bytes: 16 KiB.
const MAX_HEAD: usize = 16 * 1024;

/// The lifetime of a connection that does not become a WebSocket, in multiples of
/// [`Limits::timeout`]. It is closed after the response to its last request.
const LIFETIME: u32 = 12;

/// The time limit for a response when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of connections from this machine that are accepted above the limit, so
/// that the organizer can always connect. Behind a reverse proxy on this machine all visitors
/// share them.
const RESERVED: usize = 16;

/// The response to a connection above the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Limits on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections at once, including WebSockets.
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

/// Receives the body of a request, which is `what`: at most so many bytes, in this time. If it is not there
/// then, returns the status of the response and the reason.
pub(crate) async fn receive_body(
    request: Request,
    what: &str,
    most: usize,
    limit: Duration,
) -> Result<Bytes, (StatusCode, String)> {
    let body = timeout(limit, to_bytes(request.into_body(), most)).await;
    let body = body.map_err(|_| {
        let why = format!("the {what} did not arrive within {} s", limit.as_secs());
        (StatusCode::REQUEST_TIMEOUT, why)
    })?;
    body.map_err(|_| {
        let why = format!("a {what} has at most {most} bytes");
        (StatusCode::PAYLOAD_TOO_LARGE, why)
    })
}

/// The rights of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// May watch.
    Spectator,
    /// May also send commands.
    Organizer,
}

/// The connection of a request, as an extension of each request. A WebSocket keeps it as long
/// as it is open, so that it counts toward the limit.
#[derive(Clone, Debug)]
pub struct HttpConnection {
    peer: SocketAddr,
    /// The address of this machine that the peer has connected to, if the system tells it.
    reached: Option<SocketAddr>,
    /// Whom the peer forwards the request for, if it is a trusted proxy.
    visitor: Option<IpAddr>,
    closing: watch::Receiver<bool>,
    _permit: Arc<OwnedSemaphorePermit>,
}

impl HttpConnection {
    /// Returns the address of the peer, which may be a proxy.
    pub(super) fn peer(&self) -> IpAddr {
        self.peer.ip().to_canonical()
    }

    /// Returns the address at which the peer has reached this server.
    pub(super) fn reached(&self) -> Option<SocketAddr> {
        let reached = self.reached?;
        Some(SocketAddr::new(reached.ip().to_canonical(), reached.port()))
    }

    /// Returns the address of the visitor: that of the peer, unless a trusted proxy has told
    /// another one.
    pub fn visitor(&self) -> IpAddr {
        self.visitor.unwrap_or_else(|| self.peer())
    }

    /// Sets the address that a trusted proxy has stated.
    pub(super) fn set_visitor(&mut self, visitor: Option<IpAddr>) {
        self.visitor = visitor;
    }

    /// Waits until the server begins to stop.
    pub async fn shutdown_started(&self) {
        // An error means that the server is gone already.
        let _ = self.closing.clone().wait_for(|&closing| closing).await;
    }

    /// Waits until the server of a connection begins to stop: forever if it is not known.
    pub async fn shutdown_of(connection: Option<Extension<HttpConnection>>) {
        match connection {
            Some(Extension(connection)) => connection.shutdown_started().await,
            None => std::future::pending().await,
        }
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

/// Serves HTTP until `shutdown` completes. Then each [`HttpConnection`] is notified, and
/// connections are closed. Returns when all connections are closed, or after
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
    let (close, closing) = watch::channel(false);
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
                        reached: stream.local_addr().ok(),
                        visitor: None,
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
    // If it fails, peers that vanish go unnoticed, nothing worse.
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
        () = http_connection.shutdown_started() => time_limit.min(SHUTDOWN_TIMEOUT),
    };
    connection.as_mut().graceful_shutdown();
    let _ = timeout(rest, connection).await;
}
