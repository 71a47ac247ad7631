//! The server: one port for clients and page, on one thread, so that a move passes from
//! task to task at no cost.

use std::collections::{HashMap, HashSet};
use std::io;
use std::mem;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::StateFolder;
use super::config::read_setup;
use super::connection::{MAX_MESSAGE, Shared, serve};
use super::protocol::GoProtocol;
use super::setup::GameSetup;
use crate::base::server_clock::ServerClock;
use crate::contests::contest::{
    BreakLimits, ClientId, Contest, Entry, GameId, LogEvent, OrganizerCommand, Teams,
};
use crate::contests::limits::Limits as ClientLimits;
use crate::contests::shell::{
    Commands, ContestShell, Input, MAX_QUEUED, Page, Sink, Task, TournamentSetup, Transcripts,
    WarningsPage, command_route, record_routes, timestamp,
};
use crate::pages::web::{
    self, AccessPolicy, Feed, HttpConnection, Limits, RejectedRequest, UpgradeRejection,
    WebSocketUpgrade,
};
use crate::tournament::StopAfter;

/// How often the files of the organizer are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long to wait until clients have received the last messages before the server stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait for the last lines of transcripts to be written.
const LAST_CHANCE: Duration = Duration::from_secs(1);

/// The read buffer of a client's WebSocket, in bytes: messages are short, and there may be
/// thousands of clients.
const READ_BUFFER: usize = 2 * 1024;

/// A server before it runs.
pub struct Server {
    /// What the organizer commands.
    pub commands: Commands<OrganizerCommand>,
    /// Where it listens.
    pub listener: TcpListener,
    /// The settings of each table, and the file that they come from.
    pub tables: Vec<(GameSetup, Option<PathBuf>)>,
    /// Whether clients are paired as they arrive.
    pub auto: bool,
    /// The time between two pings of a client.
    pub ping_interval: Duration,
    /// The maximum number of connections, those of the page included.
    pub connections: u32,
    /// The maximum number of open pages.
    pub spectators: u16,
    /// Who may give commands.
    pub access: AccessPolicy,
    /// The state folder; without one, no state is kept.
    pub state: Option<StateFolder>,
    /// Whether the page shows the ratings of all players, from the games in the state folder.
    pub ladder: bool,
    /// The tournaments.
    pub tournament: TournamentSetup,
    /// How often and how long players may be away from their games.
    pub breaks: BreakLimits,
    /// The teams that have secrets.
    pub teams: Teams,
    /// The folder of the transcripts of these teams.
    pub transcripts: Option<PathBuf>,
    /// The limits of the clients of an address.
    pub address_limits: ClientLimits,
    /// The limits of the clients of a team with a secret.
    pub team_limits: ClientLimits,
    /// When the server stops by itself.
    pub stop_after: Option<StopAfter>,
    /// Where events are logged.
    pub sink: Sink,
}

/// The state of the route of clients.
#[derive(Clone)]
struct Entrance {
    shared: Shared,
    next: Arc<AtomicU64>,
    /// Dropped by the last connection.
    _present: mpsc::Sender<()>,
}

impl Server {
    /// Serves until `stop` returns why to stop, or [`Server::stop_after`] is reached.
    ///
    /// # Errors
    /// An entry of the journal does not fit those before it, or the system gives no thread
    /// or closes the listener.
    pub fn run<F>(self, stop: impl FnOnce() -> F) -> io::Result<()>
    where
        F: Future<Output = String>,
    {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { self.serve(stop()).await })
    }

    async fn serve(mut self, stop: impl Future<Output = String>) -> io::Result<()> {
        let clock = ServerClock::start();
        let feed = Feed::new(
            web::ServerInfo {
                title: "Go contest".into(),
                organizer: true,
                tournaments: true,
                clients: true,
            },
            self.spectators,
        );
        let (setups, files): (Vec<_>, Vec<_>) = mem::take(&mut self.tables).into_iter().unzip();
        let setups = setups.into_iter().map(Arc::new).collect();
        let transcripts = self.start_transcripts()?;
        let kept = self.teams.names().filter(|_| transcripts.is_some());
        let warnings = WarningsPage::new(kept.map(ToString::to_string), Some(feed.clone()));
        let mut contest = self.contest(setups);
        let last = self.state.as_ref().map(|state| state.tournaments.last());
        let tournament = mem::take(&mut self.tournament);
        contest.set_desk(tournament.desk(last.unwrap_or_default(), Some(&feed)));
        let records = self.state.as_ref().map(StateFolder::records);
        let shell = ContestShell {
            contest,
            page: Page::new(feed.clone(), clock.clone()),
            warnings,
            sink: Arc::clone(&self.sink),
            clock: clock.clone(),
            outboxes: HashMap::new(),
            stop_after: self.stop_after,
            over: HashSet::new(),
            is_stopping: false,
        };
        let mut task = Task::new(shell, clock.clone());
        if let Some(mut state) = self.state.take() {
            let length = state.entries.iter().map(Entry::weight).sum();
            self.resume(&mut state, &mut task.shell.contest)?;
            let sink = Arc::clone(&self.sink);
            let log = move |what| sink(LogEvent::Failed { what });
            state.show(&feed, self.ladder.then_some(log))?;
            task.keep(state, length)?;
        }
        let (inputs, waiting) = mpsc::channel(MAX_QUEUED);
        let commands = self.commands;
        let organizer = commands.organizer();
        let shared = Shared {
            inputs: inputs.clone(),
            clock,
            ping_interval: self.ping_interval,
            transcripts: transcripts.clone(),
        };
        let (present, mut gone) = mpsc::channel(1);
        let entrance = Entrance {
            shared,
            next: Arc::new(AtomicU64::new(1)),
            _present: present,
        };
        let access = log_rejected(self.access, inputs.clone());
        let page = web::feed_routes(feed)
            .merge(command_route(organizer))
            .merge(record_routes(records));
        let clients = Router::new().fallback(enter).with_state(entrance);
        let app = web::guarded(page, access.clone())
            .fallback_service(web::guarded(clients, access.or_programs()));
        let watching = tokio::spawn(watch_files(files, inputs));
        let (over, is_over) = oneshot::channel();
        let contest = async {
            // With the shell, all connections are given up.
            let ended = task.run(waiting, commands, stop).await.map(drop);
            // The listener may be gone already.
            let _ = over.send(());
            ended
        };
        let limits = Limits {
            connections: self.connections,
            ..Limits::default()
        };
        let served = web::serve(self.listener, app, limits, async {
            let _ = is_over.await;
        });
        let (ended, served) = tokio::join!(contest, served);
        let result = ended.and(served);
        watching.abort();
        // Clients are told first that the server stops.
        let _ = timeout(CLOSE_TIMEOUT, gone.recv()).await;
        if let Some(transcripts) = transcripts {
            transcripts.finish(LAST_CHANCE);
        }
        result
    }

    /// Starts the transcripts of the teams, if they are to be kept.
    fn start_transcripts(&self) -> io::Result<Option<Transcripts>> {
        let Some(folder) = &self.transcripts else {
            return Ok(None);
        };
        let names = self.teams.names().map(ToString::to_string);
        let named = names.map(|name| (name.clone(), name));
        let sink = Arc::clone(&self.sink);
        let log = move |what| sink(LogEvent::Failed { what });
        Transcripts::start(folder, named.collect::<Vec<_>>(), log).map(Some)
    }

    /// Creates the contest with its settings.
    fn contest(&mut self, setups: Vec<Arc<GameSetup>>) -> Contest<GoProtocol> {
        let mut contest = Contest::new(setups, self.auto);
        contest.set_break_limits(self.breaks);
        contest.set_teams(mem::take(&mut self.teams));
        contest.set_limits(self.address_limits, self.team_limits);
        contest
    }

    /// Continues with the games of earlier runs.
    fn resume(
        &mut self,
        state: &mut StateFolder,
        contest: &mut Contest<GoProtocol>,
    ) -> io::Result<()> {
        let path = state.journal_path().display();
        if state.cut > 0 {
            let bytes = state.cut;
            let what = format!("{path}: {bytes} bytes of a torn line were removed");
            (self.sink)(LogEvent::Failed { what });
        }
        let now = timestamp(Duration::ZERO);
        // The name of a game begins with its number.
        let numbers = state.games.known().filter_map(|id| id.split('-').next());
        let last = numbers
            .filter_map(|number| number.parse::<u64>().ok())
            .max();
        let next = GameId(last.map_or(1, |last| last.saturating_add(1)));
        let path = path.to_string();
        let entries = mem::take(&mut state.entries);
        contest
            .restore(entries, next, now)
            .map_err(|error| io::Error::other(format!("{path}, {error}")))
    }
}

/// Logs requests that are rejected.
fn log_rejected(access: AccessPolicy, inputs: mpsc::Sender<Input<GoProtocol>>) -> AccessPolicy {
    access.on_rejected(move |RejectedRequest { address, why }| {
        let address = address.map_or_else(|| "nowhere".into(), |address| address.to_string());
        // If the queue is full, the flood is logged elsewhere.
        let _ = inputs.try_send(Input::Log(LogEvent::Rejected { address, why }));
    })
}

/// Serves a client on any path, or sends the page to a browser.
async fn enter(
    State(entrance): State<Entrance>,
    Extension(http): Extension<HttpConnection>,
    method: Method,
    uri: Uri,
    upgrade: Result<WebSocketUpgrade, UpgradeRejection>,
) -> Response {
    let upgrade = match (upgrade, method, uri.path()) {
        (Ok(upgrade), ..) => upgrade,
        (Err(UpgradeRejection::NotRequested), Method::GET | Method::HEAD, "/") => {
            return web::feed_page().await;
        }
        (Err(UpgradeRejection::NotRequested), ..) => return StatusCode::NOT_FOUND.into_response(),
        (Err(bad), ..) => return bad.into_response(),
    };
    let client = ClientId(entrance.next.fetch_add(1, Relaxed));
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0);
    upgrade.serve(config, move |socket| async move {
        serve(socket, client, http, entrance.shared.clone()).await;
        drop(entrance);
    })
}

/// Reads the files of the organizer again when they change.
async fn watch_files(files: Vec<Option<PathBuf>>, inputs: mpsc::Sender<Input<GoProtocol>>) {
    let changed = |file: &Option<PathBuf>| {
        let metadata = file.as_ref().and_then(|file| file.metadata().ok())?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    let mut known: Vec<_> = files.iter().map(changed).collect();
    let mut beat = interval(CHECK_INTERVAL);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        for (table, (file, known)) in files.iter().zip(&mut known).enumerate() {
            let now = changed(file);
            // A file that is being replaced is missing for a moment.
            let (Some(file), Some(_)) = (file, now) else {
                continue;
            };
            if now == *known {
                continue;
            }
            *known = now;
            let configured = Input::Configured {
                table,
                file: file.clone(),
                setup: read_setup(file)
                    .map(Arc::new)
                    .map_err(|error| error.to_string()),
            };
            if inputs.send(configured).await.is_err() {
                return;
            }
        }
    }
}
