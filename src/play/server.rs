//! The routes of the page, and the connection of a visitor.

use axum::extract::State;
use axum::response::Response as HttpResponse;
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::search::{Pool, Running, Search};
use super::visitors::Visitors;
use super::wire::{Content, MAX_MESSAGE, Question, Request, Response};
use crate::web::{
    AccessPolicy, Asset, Disconnected, HEARTBEAT, HttpConnection, TrustedProxies, WebSocket,
    WebSocketUpgrade, asset, asset_routes, close, guarded, page_response, send,
    shared_asset_routes,
};

/// The files that the page loads from `/play/`.
const ASSETS: &[Asset] = &[
    asset!("address.js"),
    asset!("app.js"),
    asset!("board.js"),
    asset!("collection.js"),
    asset!("encoding.js"),
    asset!("game.js"),
    asset!("grid.js"),
    asset!("kinds.js"),
    asset!("learn.js"),
    asset!("link.js"),
    asset!("moves.js"),
    asset!("pits.js"),
    asset!("play.css"),
    asset!("review.js"),
    asset!("setup.js"),
    asset!("tree.js"),
    asset!("values.js"),
];

/// What all visitors share.
#[derive(Clone)]
struct Shared {
    pool: Pool,
    visitors: Visitors,
}

/// Creates the routes of the page. Requests of other origins are refused. Visitors are counted by the
/// addresses that these proxies tell.
///
/// `game` is the text of an SGF file that pages can open: at `/game`.
pub fn routes(pool: Pool, game: Option<String>, proxies: TrustedProxies) -> Router {
    let shared = Shared {
        pool,
        visitors: Visitors::default(),
    };
    let page = async || page_response(include_str!("page/index.html"));
    let routes = Router::new()
        .route("/", get(page))
        .route("/ask", get(ask))
        .with_state(shared)
        .merge(shared_asset_routes())
        .merge(asset_routes("/play/{file}", ASSETS));
    let routes = match game {
        Some(text) => routes.route("/game", get(async || text)),
        None => routes,
    };
    guarded(routes, AccessPolicy::spectators().behind(proxies))
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
        let stop = async {
            match &connection {
                Some(Extension(connection)) => connection.closing().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Disconnected = converse(&mut socket, &shared.pool) => {}
            () = stop => close(&mut socket).await,
        }
    })
}

/// The searches of a visitor. They stop when this is dropped.
#[derive(Default)]
struct Searches {
    position: Option<Running>,
    review: Option<Running>,
}

impl Searches {
    /// Starts a search in place of the last one of its kind.
    fn start(&mut self, pool: &Pool, id: u64, search: Search) {
        let place = match search {
            Search::Review(_) => &mut self.review,
            Search::Values(_) | Search::BestLine(_) | Search::Move(..) | Search::AwariMove(..) => {
                &mut self.position
            }
        };
        // The last one stops first.
        *place = None;
        *place = Some(pool.start(id, search));
    }

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
                    match answer(&text, pool, &mut searches) {
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

/// Answers a message, or starts the search that it asks for.
fn answer(text: &str, pool: &Pool, searches: &mut Searches) -> Option<Response> {
    let request = match Request::parse(text) {
        Ok(request) => request,
        Err((id, error)) => {
            let content = Content::error(error);
            return Some(Response { id, content });
        }
    };
    let id = request.id;
    match request.question {
        Question::Quick(question) => Some(Response {
            id: Some(id),
            content: question.answer(),
        }),
        Question::Search(wanted) => {
            searches.start(pool, id, wanted);
            None
        }
        Question::Stop => {
            searches.position = None;
            None
        }
        Question::StopReview => {
            searches.review = None;
            None
        }
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
