//! The port: connections, and bounds on them.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::net::configure_socket;

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;

/// A connection that has not become a WebSocket is closed after so many times
/// the patience, when it has been answered what it asked.
const LIFETIME: u32 = 12;

/// How long an answer may take when the server stops: who has not even asked
/// does not hold it up.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How many connections from this machine are let in when there are too many:
/// so the organiser always has a place.
const RESERVE: usize = 16;

/// What a connection is told when there are too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Bounds on what strangers can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections at once, WebSockets among them.
    pub connections: u32,
    /// How long a connection may take for a request's head, do nothing between
    /// requests, and take its last answer.
    pub patience: Duration,
}

/// A thousand connections, and ten seconds.
impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1_000,
            patience: Duration::from_secs(10),
        }
    }
}

/// The connection that a request came by: an extension of each request. Whoever
/// keeps a WebSocket open keeps this with it, so that it is counted.
#[derive(Clone, Debug)]
pub struct Visit {
    peer: SocketAddr,
    closing: watch::Receiver<bool>,
    _place: Arc<OwnedSemaphorePermit>,
}

impl Visit {
    /// Who is at the other end.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Waits until the server stops.
    pub async fn closing(&self) {
        // An error means that the server is gone already.
        let _ = self.closing.clone().wait_for(|&closing| closing).await;
    }
}

/// How many more connections may come.
struct Places {
    all: Arc<Semaphore>,
    reserve: Arc<Semaphore>,
}

impl Places {
    fn take(&self, address: IpAddr) -> Option<OwnedSemaphorePermit> {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        let here = || {
            address
                .to_canonical()
                .is_loopback()
                .then_some(&self.reserve)
        };
        take(&self.all).or_else(|| take(here()?))
    }
}

/// Serves on a port until `shutdown` is there; then connections are closed, and
/// each [`Visit`] is told. Returns when all visits are over, or patience is.
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
    let places = Places {
        all: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        reserve: Arc::new(Semaphore::new(RESERVE)),
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
            Ok((stream, peer)) => match places.take(peer.ip()) {
                Some(place) => {
                    let visit = Visit {
                        peer,
                        closing: closing.clone(),
                        _place: Arc::new(place),
                    };
                    tasks.spawn(attend(stream, visit, app.clone(), limits.patience));
                }
                // The system's buffer takes this, or it is not told.
                None => drop(stream.try_write(FULL)),
            },
            // The connection is gone already, or there are too many open files:
            // both pass.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
    close.send_replace(true);
    drop(closing);
    // Each visit has an end of this channel. WebSockets have tasks of their own.
    let all_gone = async {
        while tasks.join_next().await.is_some() {}
        close.closed().await;
    };
    let _ = timeout(limits.patience, all_gone).await;
    Ok(())
}

/// Serves one connection, until it is closed or becomes a WebSocket.
async fn attend(stream: TcpStream, visit: Visit, app: Router, patience: Duration) {
    // Without it, all works but for what has vanished.
    let _ = configure_socket(&stream);
    let app = TowerToHyperService::new(app);
    let mark = visit.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(mark.clone());
        app.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let rest = tokio::select! {
        // A connection that breaks needs no words.
        _ = &mut connection => return,
        () = sleep(patience.saturating_mul(LIFETIME)) => patience,
        () = visit.closing() => patience.min(LAST_WORDS),
    };
    connection.as_mut().graceful_shutdown();
    let _ = timeout(rest, connection).await;
}
