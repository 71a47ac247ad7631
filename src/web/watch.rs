//! Those who watch: a WebSocket each.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::{SinkExt, StreamExt};
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::access::{Access, guarded, me};
use super::assets;
use super::feed::{Feed, Watcher};
use super::listen::Visit;
use super::upgrade::{Socket, Upgrade};

/// How long a watcher may take to take a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is asked whether a watcher is still there, and he is told that
/// the server is; one who has said nothing when he is asked again is gone.
const ASKED: Duration = Duration::from_secs(15);

/// How long a watcher who has fallen behind waits until he is sent everything.
const BREATH: Duration = Duration::from_millis(250);

/// The longest message that a watcher may send, in bytes; none is expected.
const LONGEST: usize = 1024;

/// A watcher who is no longer served.
struct Gone;

/// The page's files, the feed at `/watch`, and at `/me` what the visitor may do.
/// The page itself is [`page`](super::page), to be put where it belongs.
pub fn routes(feed: Feed) -> Router {
    Router::new()
        .route("/page/{file}", get(assets::file))
        .route("/me", get(me))
        .route("/watch", get(watch))
        .with_state(feed)
}

/// A whole site for those who only watch.
pub fn spectators(feed: Feed) -> Router {
    let routes = routes(feed).route("/", get(assets::page));
    guarded(routes, Access::spectators())
}

async fn watch(
    State(feed): State<Feed>,
    visit: Option<Extension<Visit>>,
    upgrade: Upgrade,
) -> Response {
    let Some(watcher) = feed.watch() else {
        let why = "too many watch already";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST));
    upgrade.serve(config, move |mut socket| async move {
        let stop = async {
            match &visit {
                Some(Extension(visit)) => visit.closing().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = attend(&mut socket, watcher) => return,
            () = stop => {}
        }
        let farewell = CloseFrame {
            code: CloseCode::Away,
            reason: "the server stops".into(),
        };
        let _ = say(&mut socket, Message::Close(Some(farewell))).await;
    })
}

/// Sends a watcher everything, then each change, as long as he is there.
async fn attend(socket: &mut Socket, mut watcher: Watcher) -> Result<Infallible, Gone> {
    say(socket, Message::Text(watcher.everything().await)).await?;
    let mut ask = interval_at(Instant::now() + ASKED, ASKED);
    let mut is_there = true;
    loop {
        tokio::select! {
            change = watcher.change() => match change {
                Some(change) => say(socket, Message::Text(change)).await?,
                None => {
                    sleep(BREATH).await;
                    say(socket, Message::Text(watcher.everything().await)).await?;
                }
            },
            said = socket.next() => match said {
                Some(Ok(Message::Pong(_) | Message::Ping(_))) => is_there = true,
                // Nothing is to be said here.
                _ => return Err(Gone),
            },
            _ = ask.tick() => {
                if !is_there {
                    return Err(Gone);
                }
                is_there = false;
                say(socket, Message::Ping(Bytes::new())).await?;
                say(socket, Message::Text(watcher.alive())).await?;
            }
        }
    }
}

/// Sends a message, if it is taken in time.
async fn say(socket: &mut Socket, message: Message) -> Result<(), Gone> {
    match timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Gone),
    }
}
