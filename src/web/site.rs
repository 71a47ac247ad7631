//! The site: the files of the page, compiled in, and the routes.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use super::access::{AccessPolicy, guarded, me};
use super::feed::Feed;
use super::websocket::watch;

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
