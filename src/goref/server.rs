//! The server: one port for clients and page, and one thread for all of it, so
//! that a move passes from task to task at no cost.

use std::collections::HashMap;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use axum::extract::{Extension, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::breaks::BreakLimits;
use super::client::ClientId;
use super::config::read_terms;
use super::connection::{LONGEST, Shared, serve};
use super::contest::Plan;
use super::disk::Disk;
use super::entry::Entry;
use super::hall::{Hall, Moment};
use super::host::{Host, Input, Sink, WAITING};
use super::ledgers::Ledgers;
use super::news::News;
use super::order;
use super::records::Records;
use super::show::Show;
use super::terms::Terms;
use crate::journal::{FolderLock, Found, Journal};
use crate::web::{
    self, AccessPolicy, Feed, HttpConnection, Limits, RejectedRequest, UpgradeRejection,
    WebSocketUpgrade,
};

/// How often is looked whether a file of the organiser has changed.
const LOOK: Duration = Duration::from_secs(1);

/// How long the clients may take to hear the last words.
const FAREWELL: Duration = Duration::from_secs(5);

/// How much a client's WebSocket reads at once: messages are short, and there may
/// be thousands of clients.
const PIECE: usize = 2 * 1024;

/// Everything that is decided before a contest.
pub struct Server {
    /// Where it listens.
    pub listener: TcpListener,
    /// What each table plays, and the file that says so.
    pub tables: Vec<(Terms, Option<PathBuf>)>,
    /// Whether clients are paired as they arrive.
    pub auto: bool,
    /// How often clients are asked whether they are there.
    pub ping_interval: Duration,
    /// The most connections, those of the page among them.
    pub connections: u32,
    /// The most pages that may be open.
    pub watchers: u16,
    /// Who is the organiser.
    pub access: AccessPolicy,
    /// What is kept, and where.
    pub state: Option<Kept>,
    /// The tournament that is held when enough players are there; one that was
    /// interrupted goes on instead.
    pub plan: Option<Plan>,
    /// How often and how long players may be away from their games.
    pub breaks: BreakLimits,
    /// When to stop.
    pub stop_after: Option<StopAfter>,
    /// Where news are told.
    pub sink: Sink,
}

/// When a server stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAfter {
    /// After so many games.
    Games(u64),
    /// When a tournament is over.
    Tournament,
}

/// What outlives the server.
#[derive(Debug)]
pub struct Kept {
    journal: Journal<Entry>,
    entries: Vec<Entry>,
    records: Records,
    ledgers: Ledgers,
    cut: u64,
    _lock: FolderLock,
}

impl Kept {
    /// Opens a folder, and makes it if need be. It belongs to this process until
    /// this is dropped.
    ///
    /// # Errors
    /// It cannot be read or written, or another process has it; the sentence says
    /// which file and why.
    pub fn open(folder: &Path) -> Result<Kept, String> {
        let named = |error: io::Error| format!("{}: {error}", folder.display());
        let lock = FolderLock::take(folder).map_err(named)?;
        let records = Records::open(folder).map_err(named)?;
        let path = folder.join("journal");
        let found = if path.exists() {
            Journal::open(&path).map_err(|error| error.to_string())?
        } else {
            Found {
                journal: Journal::create(&path).map_err(named)?,
                entries: Vec::new(),
                cut: 0,
            }
        };
        Ok(Kept {
            journal: found.journal,
            entries: found.entries,
            records,
            ledgers: Ledgers::open(folder).map_err(|error| error.to_string())?,
            cut: found.cut,
            _lock: lock,
        })
    }
}

/// What the routes need.
#[derive(Clone)]
struct Door {
    shared: Shared,
    next: Arc<AtomicU64>,
    /// Dropped by the last connection.
    _present: mpsc::Sender<()>,
}

impl Server {
    /// Serves until `stop` says why not to go on, or the last game is over.
    ///
    /// # Errors
    /// The journal is not what this program writes, or the system gives no thread
    /// or no more of a socket.
    pub fn run<F>(self, stop: impl FnOnce() -> F) -> io::Result<()>
    where
        F: Future<Output = String>,
    {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { self.serve(stop()).await })
    }

    async fn serve(self, stop: impl Future<Output = String>) -> io::Result<()> {
        let origin = Instant::now();
        let (inputs, waiting) = mpsc::channel(WAITING);
        let (done, told) = mpsc::unbounded_channel();
        let feed = Feed::new(
            web::ServerInfo {
                title: "Go contest".into(),
                organizer: true,
                tournaments: true,
            },
            self.watchers,
        );
        let (terms, files): (Vec<_>, Vec<_>) = self.tables.into_iter().unzip();
        let terms = terms.into_iter().map(Arc::new).collect();
        let mut hall = Hall::new(terms, self.auto);
        hall.limit_breaks(self.breaks);
        let mut plan = self.plan;
        let mut entries = 0;
        let mut lock = None;
        let disk = match self.state {
            None => None,
            Some(kept) => {
                if kept.cut > 0 {
                    let bytes = kept.cut;
                    let journal = kept.journal.path().display();
                    let what = format!("{journal}: {bytes} bytes of a torn line were cut off");
                    (self.sink)(News::Failed { what });
                }
                entries = kept.entries.iter().map(Entry::weight).sum();
                let now = Moment {
                    clock: Duration::ZERO,
                    date: SystemTime::now(),
                };
                let held = kept.ledgers.tournament();
                // One that is over is shown until another begins.
                if let Some(held) = held.filter(|held| plan.is_none() || !held.is_over()) {
                    plan = None;
                    hall.hold(held.clone());
                }
                let path = kept.journal.path().display().to_string();
                hall.restore(kept.entries, kept.records.next(), now)
                    .map_err(|error| io::Error::other(format!("{path}, {error}")))?;
                lock = Some(kept._lock);
                Some(Disk::start(
                    kept.journal,
                    kept.records,
                    kept.ledgers,
                    done.clone(),
                    origin,
                )?)
            }
        };
        if let Some(plan) = plan {
            hall.plan(plan);
        }
        let host = Host {
            hall,
            show: Show::new(feed.clone()),
            disk,
            sink: self.sink,
            origin,
            outboxes: HashMap::new(),
            entries,
            stop_after: self.stop_after,
        };
        let shared = Shared {
            inputs: inputs.clone(),
            origin,
            ping_interval: self.ping_interval,
        };
        let (present, mut gone) = mpsc::channel(1);
        let door = Door {
            shared,
            next: Arc::new(AtomicU64::new(1)),
            _present: present,
        };
        let app = web::routes(feed)
            .route("/act", post(order::act).with_state(inputs.clone()))
            .fallback_service(any(enter).with_state(door));
        let app = web::guarded(app, telling(self.access, inputs.clone()));
        let looking = tokio::spawn(look(files, inputs.clone()));
        let (over, is_over) = oneshot::channel();
        let host = async {
            host.run(waiting, told).await;
            // Whoever waits for it may be gone.
            let _ = over.send(());
        };
        let stopping = async {
            let why = stop.await;
            let _ = inputs.send(Input::Stop { why }).await;
            std::future::pending::<()>().await;
        };
        let limits = Limits {
            connections: self.connections,
            ..Limits::default()
        };
        let served = web::serve(self.listener, app, limits, async {
            let _ = is_over.await;
        });
        let both = async { tokio::join!(host, served).1 };
        let result = tokio::select! {
            result = both => result,
            () = stopping => Ok(()),
        };
        looking.abort();
        // Each client hears the last words first.
        let _ = timeout(FAREWELL, gone.recv()).await;
        drop(lock);
        result
    }
}

/// Tells the organiser of requests that are turned away.
fn telling(access: AccessPolicy, inputs: mpsc::Sender<Input>) -> AccessPolicy {
    access.on_rejected(move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        // With a full queue there are other troubles.
        let _ = inputs.try_send(Input::Told(News::TurnedAway { address, why }));
    })
}

/// A client on any path, or somebody who opens the page.
async fn enter(
    State(door): State<Door>,
    Extension(visit): Extension<HttpConnection>,
    method: Method,
    uri: Uri,
    upgrade: Result<WebSocketUpgrade, UpgradeRejection>,
) -> Response {
    let upgrade = match (upgrade, method, uri.path()) {
        (Ok(upgrade), ..) => upgrade,
        (Err(UpgradeRejection::Invalid(bad)), ..) => return bad.into_response(),
        (Err(UpgradeRejection::NotRequested), Method::GET | Method::HEAD, "/") => {
            return web::page().await;
        }
        (Err(UpgradeRejection::NotRequested), ..) => return StatusCode::NOT_FOUND.into_response(),
    };
    let client = ClientId(door.next.fetch_add(1, Relaxed));
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST))
        .read_buffer_size(PIECE)
        .write_buffer_size(0);
    upgrade.serve(config, move |socket| async move {
        serve(socket, client, visit, door.shared.clone()).await;
        drop(door);
    })
}

/// Reads the organiser's files again when they change.
async fn look(files: Vec<Option<PathBuf>>, inputs: mpsc::Sender<Input>) {
    let changed = |file: &Option<PathBuf>| {
        let metadata = file.as_ref().and_then(|file| file.metadata().ok())?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    let mut known: Vec<_> = files.iter().map(changed).collect();
    let mut beat = interval(LOOK);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        for (table, (file, known)) in files.iter().zip(&mut known).enumerate() {
            let now = changed(file);
            // A file that is being replaced is gone for a moment.
            let (Some(file), Some(_)) = (file, now) else {
                continue;
            };
            if now == *known {
                continue;
            }
            *known = now;
            let terms = read_terms(file).map(Arc::new);
            let configured = Input::Configured {
                table,
                file: file.clone(),
                terms: terms.map_err(|error| error.to_string()),
            };
            if inputs.send(configured).await.is_err() {
                return;
            }
        }
    }
}
