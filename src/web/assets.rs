//! The page, compiled in.

use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

/// A file of the page, with what kind it is.
macro_rules! asset {
    ($name:literal, $kind:expr) => {
        Asset {
            name: $name,
            kind: $kind,
            text: include_str!(concat!("page/", $name)),
        }
    };
}

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// What the page loads, from `/page/`.
const ASSETS: &[Asset] = &[
    asset!("icon.svg", "image/svg+xml"),
    asset!("style.css", CSS),
    asset!("boards.css", CSS),
    asset!("app.js", JAVASCRIPT),
    asset!("awari.js", JAVASCRIPT),
    asset!("boards.js", JAVASCRIPT),
    asset!("buttons.js", JAVASCRIPT),
    asset!("clock.js", JAVASCRIPT),
    asset!("dom.js", JAVASCRIPT),
    asset!("goban.js", JAVASCRIPT),
    asset!("graph.js", JAVASCRIPT),
    asset!("holding.js", JAVASCRIPT),
    asset!("keys.js", JAVASCRIPT),
    asset!("link.js", JAVASCRIPT),
    asset!("notices.js", JAVASCRIPT),
    asset!("orders.js", JAVASCRIPT),
    asset!("people.js", JAVASCRIPT),
    asset!("stage.js", JAVASCRIPT),
    asset!("store.js", JAVASCRIPT),
    asset!("theme.js", JAVASCRIPT),
    asset!("tournament.js", JAVASCRIPT),
];

/// What is set on all answers: the page asks nobody else for anything, runs no
/// script but its own files, makes no markup out of texts, and is shown in
/// nobody's frame.
const HEADERS: [(HeaderName, &str); 5] = [
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

/// Set only where browsers trust the page: elsewhere they ignore it, and complain.
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Sets the headers that keep the page to itself.
pub(super) fn secure(headers: &mut HeaderMap, is_trusted: bool) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_trusted {
        headers.insert(OPENER, HeaderValue::from_static("same-origin"));
    }
}

/// The page. Serve it where people look for it, at `/`; what it loads is served
/// by [`routes`](super::routes).
pub async fn page() -> Response {
    Html(include_str!("page/index.html")).into_response()
}

/// A file that the page loads.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => ([(CONTENT_TYPE, asset.kind)], asset.text).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
