//! The records of games on the page.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::task::spawn_blocking;

use super::state_folder::Records;

/// Returns the route of the records of games: `/records/` and the name of one. Without records there
/// is none.
pub fn record_routes(records: Option<Records>) -> Router {
    let Some(records) = records else {
        return Router::new();
    };
    Router::new().route("/records/{name}", get(record).with_state(records))
}

/// Serves a record, in which spectators do not see the addresses of the players.
async fn record(State(records): State<Records>, Path(name): Path<String>) -> Response {
    let content_type = match name.ends_with(".sgf") {
        true => "application/x-go-sgf",
        false => "text/plain; charset=utf-8",
    };
    match spawn_blocking(move || records.read_public(&name)).await {
        Ok(Ok(Some(record))) => ([(CONTENT_TYPE, content_type)], record).into_response(),
        Ok(Ok(None)) => StatusCode::NOT_FOUND.into_response(),
        Ok(Err(_)) | Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
