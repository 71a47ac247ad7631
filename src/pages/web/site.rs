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

/// A file of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name; the extension determines the content type.
    pub name: &'static str,
    /// Its content.
    pub text: &'static str,
}

impl Asset {
    fn content_type(&self) -> &'static str {
        match self.name.rsplit_once('.') {
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/plain; charset=utf-8",
        }
    }
}

/// Includes a file of the folder `page` beside the source as an [`Asset`].
macro_rules! asset {
    ($name:literal) => {
        $crate::pages::web::Asset {
            name: $name,
            text: include_str!(concat!("page/", $name)),
        }
    };
}
pub(crate) use asset;

/// The files that pages load from `/page/`.
const ASSETS: &[Asset] = &[
    asset!("icon.svg"),
    asset!("style.css"),
    asset!("boards.css"),
    asset!("app.js"),
    asset!("awari.js"),
    asset!("boards.js"),
    asset!("buttons.js"),
    asset!("clock.js"),
    asset!("commands.js"),
    asset!("counted.js"),
    asset!("crosstable.js"),
    asset!("dom.js"),
    asset!("follow.js"),
    asset!("goban.js"),
    asset!("graph.js"),
    asset!("grid.js"),
    asset!("keys.js"),
    asset!("ladder.js"),
    asset!("link.js"),
    asset!("notices.js"),
    asset!("people.js"),
    asset!("stage.js"),
    asset!("store.js"),
    asset!("theme.js"),
    asset!("tournament.js"),
    asset!("tournament-form.js"),
    asset!("urls.js"),
];

/// The scripts that draw boards, inserted in place of this comment in a page.
const SHAPES: (&str, &str) = ("<!-- shapes.svg -->", include_str!("page/shapes.svg"));

/// Returns a page as a response, with the shapes that its boards are drawn with filled in.
pub(crate) fn page_response(page: &str) -> Response {
    let (place, shapes) = SHAPES;
    Html(page.replacen(place, shapes, 1)).into_response()
}

/// Returns the page of spectators and organizers, to be served at `/`. [`feed_routes`] serves the
/// files that it loads.
pub async fn feed_page() -> Response {
    page_response(include_str!("page/index.html"))
}

/// Creates the route that serves some files. Its path ends with the parameter `{file}`.
pub fn asset_routes(path: &str, assets: &'static [Asset]) -> Router {
    let file = async |Path(name): Path<String>| match assets.iter().find(|asset| asset.name == name)
    {
        Some(asset) => ([(CONTENT_TYPE, asset.content_type())], asset.text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    };
    Router::new().route(path, get(file))
}

/// Creates the route that serves the files of all pages, `/page/`.
pub fn shared_asset_routes() -> Router {
    asset_routes("/page/{file}", ASSETS)
}

/// Creates the routes that the page needs: the files, the feed at `/watch`, and the visitor's
/// rights at `/me`. Add [`feed_page`] at `/`.
pub fn feed_routes(feed: Feed) -> Router {
    Router::new()
        .route("/me", get(me))
        .route("/watch", get(watch))
        .with_state(feed)
        .merge(shared_asset_routes())
}

/// Creates the routes of a whole site that can only be watched.
pub fn spectator_routes(feed: Feed, access: AccessPolicy) -> Router {
    guarded(feed_routes(feed).route("/", get(feed_page)), access)
}
