//! The routes of the page, and the connection of a visitor.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use futures_util::StreamExt;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::files::{MAX_OPENED, MAX_SAVED, Opened, open_or_tell, save};
use super::pool::{Pool, Running};
use super::session::Searches;
use super::wire::{Content, MAX_MESSAGE, RequestError, Response};
use crate::pages::web::{
    AccessPolicy, Asset, Disconnected, HEARTBEAT, HttpConnection, WebSocket, WebSocketUpgrade,
    asset, asset_routes, guarded, page_response, receive_body, say_goodbye, send,
    shared_asset_routes,
};

/// The files that the page loads from `/play/`.
const ASSETS: &[Asset] = &[
    asset!("address.js"),
    asset!("app.js"),
    asset!("board.js"),
    asset!("channel.js"),
    asset!("collection.js"),
    asset!("embed.js"),
    asset!("files.js"),
    asset!("game.js"),
    asset!("grid.js"),
    asset!("kinds.js"),
    asset!("learn.js"),
    asset!("link.js"),
    asset!("loading.js"),
    asset!("moves.js"),
    asset!("new-game.js"),
    asset!("notes.js"),
    asset!("picture.js"),
    asset!("pits.js"),
    asset!("play.css"),
    asset!("review.js"),
    asset!("screen.js"),
    asset!("searches.js"),
    asset!("setup.js"),
    asset!("shelf.js"),
    asset!("store.js"),
    asset!("tree.js"),
    asset!("values.js"),
];

/// The state that all visitors share.
#[derive(Clone)]
struct Shared {
    pool: Pool,
    visitors: Visitors,
    /// The files that may arrive at once, which bounds their memory.
    files: Arc<Semaphore>,
}

/// How many files may arrive at once.
const MAX_FILES: usize = 4;

/// The time limit for a file to arrive.
const FILE_TIMEOUT: Duration = Duration::from_secs(30);

/// Creates the routes of the page. Visitors are counted by the addresses that trusted proxies tell.
///
/// `game` is an SGF file that pages can open: at `/game`.
pub fn routes(pool: Pool, game: Option<Vec<u8>>, access: AccessPolicy) -> Router {
    let shared = Shared {
        pool,
        visitors: Visitors::default(),
        files: Arc::new(Semaphore::new(MAX_FILES)),
    };
    let page = async || page_response(include_str!("page/index.html"));
    let routes = Router::new()
        .route("/", get(page))
        .route("/ask", get(ask))
        .route("/open", post(open_file))
        .route("/open/{game}", post(open_file))
        .route("/save", post(save_file))
        .with_state(shared)
        .merge(shared_asset_routes())
        .merge(asset_routes("/play/{file}", ASSETS));
    let routes = match game {
        Some(bytes) => routes.route("/game", get(async || bytes)),
        None => routes,
    };
    guarded(routes, access)
}

/// Opens the file in a request, or one of its games.
async fn open_file(
    State(shared): State<Shared>,
    game: Option<Path<usize>>,
    request: HttpRequest,
) -> Result<Json<Opened>, FileRefused> {
    let opened = with_file(&shared, request, MAX_OPENED, move |bytes| {
        Ok(open_or_tell(bytes, game.map(|Path(game)| game)))
    });
    Ok(Json(opened.await?))
}

/// Returns the file that a game is saved as.
async fn save_file(
    State(shared): State<Shared>,
    request: HttpRequest,
) -> Result<HttpResponse, FileRefused> {
    let saved = with_file(&shared, request, MAX_SAVED, save);
    let kind = [(CONTENT_TYPE, "application/x-go-sgf")];
    Ok((kind, saved.await?).into_response())
}

/// The response if a file is neither opened nor saved: why.
type FileRefused = (StatusCode, String);

/// Receives a file of at most `most` bytes, and does something with it while others are served.
async fn with_file<T: Send + 'static>(
    shared: &Shared,
    request: HttpRequest,
    most: usize,
    act: impl FnOnce(&[u8]) -> Result<T, RequestError> + Send + 'static,
) -> Result<T, FileRefused> {
    let unavailable = || {
        let why = "the server stops".to_owned();
        (StatusCode::SERVICE_UNAVAILABLE, why)
    };
    let place = shared.files.acquire().await;
    let _place = place.map_err(|_| unavailable())?;
    let body = receive_body(request, "file", most, FILE_TIMEOUT).await?;
    let done = spawn_blocking(move || act(&body)).await;
    let done = done.map_err(|_| unavailable())?;
    done.map_err(|why| (StatusCode::BAD_REQUEST, why.to_string()))
}

/// Upgrades a request to a WebSocket and answers the visitor's questions. If there is no room, the
/// WebSocket says so: a page cannot read why an upgrade is refused.
async fn ask(
    State(shared): State<Shared>,
    connection: Option<Extension<HttpConnection>>,
    upgrade: WebSocketUpgrade,
) -> HttpResponse {
    let address = connection.as_ref().map(|connection| connection.visitor());
    let place = shared.visitors.enter(address);
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    upgrade.serve(config, async move |mut socket| {
        let _place = match place {
            Ok(place) => place,
            Err(why) => {
                let content = Content::NoRoom {
                    why: why.to_string(),
                };
                if tell(&mut socket, &Response { id: None, content })
                    .await
                    .is_ok()
                {
                    let _ = send(&mut socket, Message::Close(None)).await;
                }
                return;
            }
        };
        tokio::select! {
            Disconnected = converse(&mut socket, &shared.pool) => {}
            () = HttpConnection::shutdown_of(connection) => say_goodbye(&mut socket).await,
        }
    })
}

impl Searches<Running> {
    /// Waits for the next thing to tell of a search.
    async fn next_state(&mut self) -> Response {
        loop {
            tokio::select! {
                state = next_state(&mut self.position) => match state {
                    Some(response) => return response,
                    None => self.position = None,
                },
                state = next_state(&mut self.review) => match state {
                    Some(response) => return response,
                    None => self.review = None,
                },
            }
        }
    }
}

/// Answers questions until the visitor leaves.
async fn converse(socket: &mut WebSocket, pool: &Pool) -> Disconnected {
    let mut searches = Searches::default();
    let content = Content::Welcome;
    if let Err(gone) = tell(socket, &Response { id: None, content }).await {
        return gone;
    }
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    let mut is_alive = true;
    loop {
        let response = tokio::select! {
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    is_alive = true;
                    match searches.receive(&text, |id, search| pool.start(id, search)) {
                        Some(response) => response,
                        None => continue,
                    }
                }
                Some(Ok(Message::Pong(_) | Message::Ping(_))) => {
                    is_alive = true;
                    continue;
                }
                _ => return Disconnected,
            },
            response = searches.next_state() => response,
            _ = heartbeat.tick() => {
                if !is_alive {
                    return Disconnected;
                }
                is_alive = false;
                match send(socket, Message::Ping(Bytes::new())).await {
                    Ok(()) => continue,
                    Err(gone) => return gone,
                }
            }
        };
        if let Err(gone) = tell(socket, &response).await {
            return gone;
        }
    }
}

/// Sends a response.
async fn tell(socket: &mut WebSocket, response: &Response) -> Result<(), Disconnected> {
    match serde_json::to_string(response) {
        Ok(text) => send(socket, Message::text(text)).await,
        Err(_) => Ok(()),
    }
}

/// Waits for the next thing to tell of a search; `None` when it has ended.
async fn next_state(search: &mut Option<Running>) -> Option<Response> {
    let Some(search) = search else {
        return std::future::pending().await;
    };
    search.states.changed().await.ok()?;
    search.states.borrow_and_update().clone()
}

/// The most visitors at the same time.
pub const MAX_VISITORS: usize = 200;

/// The most visitors at the same time from one address of another machine. Those on this
/// machine count only toward [`MAX_VISITORS`].
const MAX_OF_ADDRESS: usize = 50;

/// Why there is no room for a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
enum NoRoom {
    /// There are too many visitors.
    #[error("The server has no room for more visitors: it has {MAX_VISITORS}.")]
    All,
    /// There are too many from the visitor's address.
    #[error("The server has no room for more visitors from your address: it has {MAX_OF_ADDRESS}.")]
    Address,
}

/// The visitors of a server.
#[derive(Clone, Debug, Default)]
struct Visitors(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    /// Those from other machines; each count is positive.
    by_address: HashMap<IpAddr, usize>,
}

impl Visitors {
    /// Takes a place for a visitor from an address.
    ///
    /// # Errors
    /// There is no room.
    pub fn enter(&self, address: Option<IpAddr>) -> Result<Place, NoRoom> {
        let address = address.and_then(counted_address);
        let mut counts = self.counts();
        if counts.all >= MAX_VISITORS {
            return Err(NoRoom::All);
        }
        if let Some(address) = address {
            let count = counts.by_address.entry(address).or_default();
            if *count >= MAX_OF_ADDRESS {
                return Err(NoRoom::Address);
            }
            *count += 1;
        }
        counts.all += 1;
        drop(counts);
        Ok(Place {
            visitors: self.clone(),
            address,
        })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the address by which a visitor is counted: of IPv6 that of the network, because a host
/// has any number of addresses there; `None` for this machine.
fn counted_address(address: IpAddr) -> Option<IpAddr> {
    let address = match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = address.to_bits() & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    };
    (!address.is_loopback()).then_some(address)
}

/// A visitor's place, given up when it is dropped.
#[derive(Debug)]
struct Place {
    visitors: Visitors,
    address: Option<IpAddr>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.visitors.counts();
        counts.all = counts.all.saturating_sub(1);
        let Some(address) = self.address else { return };
        if let Some(count) = counts.by_address.get_mut(&address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets visitors from an address enter until there is no room.
    fn fill(visitors: &Visitors, address: &str) -> (Vec<Place>, NoRoom) {
        let mut places = Vec::new();
        loop {
            match visitors.enter(Some(address.parse().unwrap())) {
                Ok(place) => places.push(place),
                Err(why) => return (places, why),
            }
        }
    }

    #[test]
    fn another_machine_cannot_take_all_places() {
        let visitors = Visitors::default();
        let (places, why) = fill(&visitors, "192.0.2.1");
        assert_eq!((places.len(), why), (MAX_OF_ADDRESS, NoRoom::Address));
        // The same address as IPv6 writes it.
        let (none, why) = fill(&visitors, "::ffff:192.0.2.1");
        assert_eq!((none.len(), why), (0, NoRoom::Address));
        let (_other, why) = fill(&visitors, "192.0.2.2");
        assert_eq!(why, NoRoom::Address);
        drop(places);
        let (places, _) = fill(&visitors, "192.0.2.1");
        assert_eq!(places.len(), MAX_OF_ADDRESS);
    }

    #[test]
    fn addresses_of_a_network_of_ipv6_count_as_one() {
        let visitors = Visitors::default();
        let (_places, _) = fill(&visitors, "2001:db8::1");
        let (same, why) = fill(&visitors, "2001:db8::2:0:0:1");
        assert_eq!((same.len(), why), (0, NoRoom::Address));
        let (other, _) = fill(&visitors, "2001:db8:0:1::1");
        assert_eq!(other.len(), MAX_OF_ADDRESS);
    }

    #[test]
    fn this_machine_may_take_all_places() {
        for address in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"] {
            let visitors = Visitors::default();
            let (places, why) = fill(&visitors, address);
            assert_eq!(
                (places.len(), why),
                (MAX_VISITORS, NoRoom::All),
                "{address}"
            );
            drop(places);
            assert!(visitors.enter(None).is_ok(), "{address}");
        }
    }
}
