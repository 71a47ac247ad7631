//! What the server sends, as it is understood.

use serde::Deserialize;
use thiserror::Error;

use crate::go::Move;
use crate::goref::wire::{Both, Millis, ServerMessage, a_move};

/// How much of what the server wrote is shown, in characters.
const SHOWN: usize = 120;

/// A frame that is no message of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server's frame is no message of the protocol ({why}): {shown}")]
pub struct NoMessage {
    why: String,
    shown: String,
}

/// A MOVE that is called START, by a slip of the document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Slip {
    #[serde(rename = "type")]
    kind: Start,
    #[serde(rename = "move", with = "a_move")]
    played: Move,
    remaining_time: Both<Millis>,
}

#[derive(Deserialize)]
enum Start {
    #[serde(rename = "START")]
    Start,
}

/// Reads a frame. Fields that the protocol does not know are passed over.
///
/// # Errors
/// It is no message of a server.
pub fn read(text: &str) -> Result<ServerMessage, NoMessage> {
    let why = match serde_json::from_str(text) {
        Ok(message) => return Ok(message),
        Err(why) => why,
    };
    match serde_json::from_str(text) {
        Ok(Slip {
            kind: Start::Start,
            played,
            remaining_time,
        }) => Ok(ServerMessage::Move {
            played,
            remaining_time,
        }),
        Err(_) => Err(NoMessage {
            why: why.to_string(),
            shown: shown(text),
        }),
    }
}

/// The beginning of a text, on one line.
fn shown(text: &str) -> String {
    let escaped = text.chars().take(SHOWN).flat_map(char::escape_debug);
    let rest = text.chars().nth(SHOWN).map(|_| '…');
    escaped.chain(rest).collect()
}
