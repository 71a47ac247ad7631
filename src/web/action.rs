//! What the organiser can order from the page.

use std::time::Duration;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::access::{Failure, Rights};

/// The longest order, in bytes.
const LONGEST: usize = 16 * 1024;

/// How long a request may take to bring its order.
const PATIENCE: Duration = Duration::from_secs(10);

/// An order, as the page sends it: `{"action":"swap","table":1}`. Tables,
/// clients, sides and games are named as in what the feed shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Give a seat to a client, or to nobody.
    Assign {
        /// The table.
        table: u32,
        /// The [`code`](super::Seat::code) of the seat.
        color: String,
        /// The client; `None` to leave the seat empty.
        client: Option<u64>,
    },
    /// Let the two at a table change seats.
    Swap {
        /// The table.
        table: u32,
    },
    /// Start a game.
    Start {
        /// The table.
        table: u32,
    },
    /// Interrupt a game.
    Pause {
        /// The table.
        table: u32,
    },
    /// Go on with a game.
    Resume {
        /// The table.
        table: u32,
    },
    /// Give up the game, and begin another one some time.
    Clear {
        /// The table.
        table: u32,
    },
    /// Put the game away, to go on another time.
    Adjourn {
        /// The table.
        table: u32,
    },
    /// Bring back a game that was put away.
    Recall {
        /// The table.
        table: u32,
        /// The [`id`](super::Adjourned::id) of the game.
        game: String,
    },
    /// Close a connection.
    Disconnect {
        /// The client.
        client: u64,
    },
    /// Hold a tournament.
    Tournament {
        /// Who meets whom.
        kind: System,
        /// How many rounds; the page leaves it out where the system says it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rounds: Option<u16>,
        /// How many games a pairing has.
        games: u16,
        /// Who must not meet.
        #[serde(default)]
        apart: Vec<[String; 2]>,
    },
    /// Take somebody out of the tournament.
    Withdraw {
        /// Who it is.
        name: String,
    },
    /// Break the tournament off.
    EndTournament,
}

/// How a tournament pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// Those with like scores meet.
    Swiss,
    /// Everybody meets everybody.
    RoundRobin,
}

/// An action in the body of a request, which came from the organiser: for all
/// others this extractor refuses the request. It needs
/// [`guarded`](super::guarded) around the route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(pub Action);

/// The answer to an order that is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done;

/// The answer to an order that is not carried out, with a sentence that tells
/// the organiser why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(StatusCode, String);

impl Refused {
    /// It cannot be done as things stand.
    pub fn new(why: impl Into<String>) -> Refused {
        Refused(StatusCode::CONFLICT, why.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Refused(status, error) = self;
        (status, Json(Failure { error })).into_response()
    }
}

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        #[derive(Serialize)]
        struct Ok {
            ok: bool,
        }
        Json(Ok { ok: true }).into_response()
    }
}

impl<S: Sync> FromRequest<S> for Order {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Order, Refused> {
        if request.extensions().get() != Some(&Rights::Organiser) {
            let why = "only the organiser can do this: open the link that the server has printed";
            return Err(Refused(StatusCode::FORBIDDEN, why.into()));
        }
        let kind = request.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != "application/json") {
            let why = "an order is of the type application/json";
            return Err(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why.into()));
        }
        let body = timeout(PATIENCE, to_bytes(request.into_body(), LONGEST)).await;
        let body = body.map_err(|_| {
            let why = format!("the order did not come within {} s", PATIENCE.as_secs());
            Refused(StatusCode::REQUEST_TIMEOUT, why)
        })?;
        let body = body.map_err(|_| {
            let why = format!("an order has at most {LONGEST} bytes");
            Refused(StatusCode::PAYLOAD_TOO_LARGE, why)
        })?;
        let action = serde_json::from_slice(&body).map_err(|error| {
            let why = format!("this is no order: {error}");
            Refused(StatusCode::BAD_REQUEST, why)
        })?;
        Ok(Order(action))
    }
}
