//! The organizer's commands from the page.

use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::server::{Rights, receive_body};

/// The longest command, in bytes: 16 KiB.
const MAX_SIZE: usize = 16 * 1024;

/// The time limit for the body of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A command of the organizer, as the page sends it: `{"action":"swap","table":1}`. Tables,
/// clients, seats and games are identified as in the [`Feed`](super::Feed).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Seats a client, or empties a seat.
    Assign {
        /// The table.
        table: u32,
        /// The [`code`](super::SeatView::code) of the seat.
        color: String,
        /// The client; `None` to empty the seat.
        client: Option<u64>,
    },
    /// Frees the seat of an absent player for a client at any address.
    Free {
        /// The table.
        table: u32,
        /// The [`code`](super::SeatView::code) of the seat.
        color: String,
    },
    /// Exchanges the players of a table.
    Swap {
        /// The table.
        table: u32,
    },
    /// Starts a game.
    Start {
        /// The table.
        table: u32,
    },
    /// Pauses a game.
    Pause {
        /// The table.
        table: u32,
    },
    /// Continues a paused game.
    Resume {
        /// The table.
        table: u32,
    },
    /// Voids a game: it ends without a result.
    Void {
        /// The table.
        table: u32,
    },
    /// Adjourns a game, to be resumed another time.
    Adjourn {
        /// The table.
        table: u32,
    },
    /// Resumes an adjourned game.
    #[serde(rename = "recall")]
    Recall {
        /// The table.
        table: u32,
        /// The [`id`](super::Adjourned::id) of the game.
        game: String,
    },
    /// Disconnects a client.
    Disconnect {
        /// The client.
        client: u64,
    },
    /// Begins a tournament.
    Tournament(TournamentRequest),
    /// Withdraws a player from the tournament.
    Withdraw {
        /// The name of the player.
        name: String,
    },
    /// Lets a player enter a Swiss tournament that has begun.
    Enter {
        /// The name of the player.
        name: String,
    },
    /// Lets a player of a Swiss tournament miss the rounds from the next one on.
    Absent {
        /// The name of the player.
        name: String,
    },
    /// Lets an absent player be paired again.
    Return {
        /// The name of the player.
        name: String,
    },
    /// Sets the result of a game.
    Correct {
        /// The [number](super::Round::numbers) of a game of the tournament, or the name of a
        /// [free](super::Finished::free) one.
        game: String,
        /// The result, as a [`ResultCode`](crate::tournament::ResultCode).
        result: String,
        /// Why.
        reason: String,
    },
    /// Has a game of the tournament played again, or annuls a free one.
    Replay {
        /// The game, as for [`Correct`](Command::Correct).
        game: String,
        /// Why.
        reason: String,
    },
    /// Ends the tournament early.
    EndTournament,
}

/// A tournament that the organizer asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentRequest {
    /// The pairing system.
    pub system: PairingKind,
    /// The number of rounds of a Swiss tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u16>,
    /// The number of games of each pairing.
    pub games: u16,
    /// Pairs of players who may not meet.
    #[serde(default)]
    pub avoid: Vec<[String; 2]>,
}

/// The pairing system of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairingKind {
    /// Players with about the same score meet.
    Swiss,
    /// Each player meets all others.
    RoundRobin,
}

/// An extractor for the command in the body of a request. It rejects requests of anybody but
/// the organizer, and needs [`guarded`](super::guarded) around the route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromOrganizer(pub Command);

/// The response to a command that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandDone;

/// The response to a command that was not carried out, with the reason as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRefused(StatusCode, String);

impl CommandRefused {
    /// Refuses a command because of the current state of the server.
    pub fn new(why: impl Into<String>) -> CommandRefused {
        CommandRefused(StatusCode::CONFLICT, why.into())
    }
}

impl IntoResponse for CommandRefused {
    fn into_response(self) -> Response {
        let CommandRefused(status, error) = self;
        (status, Json(json!({"error": error}))).into_response()
    }
}

impl IntoResponse for CommandDone {
    fn into_response(self) -> Response {
        Json(json!({"ok": true})).into_response()
    }
}

impl<S: Sync> FromRequest<S> for FromOrganizer {
    type Rejection = CommandRefused;

    async fn from_request(request: Request, _: &S) -> Result<FromOrganizer, CommandRefused> {
        if request.extensions().get() != Some(&Rights::Organizer) {
            let why = "commands need a token: open the link that the server has printed";
            return Err(CommandRefused(StatusCode::FORBIDDEN, why.into()));
        }
        let kind = request.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != "application/json") {
            let why = "a command has the Content-Type application/json";
            return Err(CommandRefused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                why.into(),
            ));
        }
        let body = receive_body(request, "command", MAX_SIZE, TIMEOUT).await;
        let body = body.map_err(|(status, why)| CommandRefused(status, why))?;
        let command = serde_json::from_slice(&body).map_err(|error| {
            let why = format!("not a valid command: {error}");
            CommandRefused(StatusCode::BAD_REQUEST, why)
        })?;
        Ok(FromOrganizer(command))
    }
}
