//! What a client sends, as it is understood.

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::moves::a_move;
use super::wire::{ClientMessage, Protocol};
use crate::go::Move;
use crate::names::{breaks_line, isolated};

/// How much of what a client wrote is shown to people, in characters.
const SHOWN: usize = 120;

/// Why a frame says nothing to the server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// It is no JSON object.
    #[error("no JSON object: {0}")]
    Malformed(String),
    /// It is one, but no message of the protocol.
    #[error("{0}")]
    Unknown(String),
}

/// Reads a frame. Fields that the protocol does not know are passed over. A MOVE
/// may be called START, by a slip of the document.
///
/// # Errors
/// It is no message of a client.
pub fn read(text: &str) -> Result<ClientMessage, Fault> {
    let fields: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| Fault::Malformed(format!("{error}, in {}", shown(text))))?;
    let unknown = |why: &str| Fault::Unknown(format!("{why}, in {}", shown(text)));
    match fields.get("type").and_then(Value::as_str) {
        Some("NAME") => {
            let name = fields
                .get("name")
                .and_then(Value::as_str)
                .ok_or_else(|| unknown("a NAME without the text \"name\""))?;
            Ok(ClientMessage::Name {
                name: name.to_owned(),
                protocol: protocol(&fields),
            })
        }
        Some("MOVE") => {
            let played = fields
                .get("move")
                .ok_or_else(|| unknown("a MOVE without \"move\""))?;
            let played = read_move(played).ok_or_else(|| unknown("a MOVE with no such move"))?;
            Ok(ClientMessage::Move { played })
        }
        Some("START") => {
            let played = fields.get("move").and_then(read_move);
            let played = played.ok_or_else(|| unknown("a START without a move"))?;
            Ok(ClientMessage::Move { played })
        }
        Some(_) => Err(unknown("an unknown \"type\"")),
        None => Err(unknown("no \"type\" that is a text")),
    }
}

/// What comes instead of a frame of text.
pub(super) fn binary(length: usize) -> Fault {
    Fault::Malformed(format!("{length} bytes of binary data"))
}

fn read_move(value: &Value) -> Option<Move> {
    a_move::deserialize(value).ok()
}

/// Only `v2` is version 2: whatever else a client writes gets what all clients
/// understand.
fn protocol(fields: &Map<String, Value>) -> Protocol {
    let asked = fields.get("protocol");
    let asked = asked.and_then(|protocol| Protocol::deserialize(protocol).ok());
    asked.unwrap_or_default()
}

/// The beginning of what a client wrote, on one line.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if breaks_line(c) { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    isolated(&shown).into_owned()
}
