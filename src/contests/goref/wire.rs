//! The messages of the contest protocol, and the values that they are made of (the
//! document, "Formats and Enumerations").
//!
//! Fields are in the order in which the existing server writes them. [`read`] parses what
//! clients send, which is less regular than what servers send.

use std::fmt;
use std::marker::PhantomData;

use derive_more::Display;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::base::names::{breaks_line, isolated};
use crate::contests::color_codes::{ByColorCode, ColorCode, WinnerCode, winner_code};
use crate::contests::contest::{self, EndReason, JournaledMove, Request};
pub use crate::contests::contest::{Fault, Millis};
use crate::games::go::{ByColor, Color, Move, Point, Scoring};

/// A move of the log (the document, "LogEntry").
pub type LogEntry = contest::LogEntry<Move>;

/// A number that may have a fraction (Decimal). Whole numbers are written without one, as
/// the existing server does: `2`, `7.5`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Decimal(pub f64);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Every whole number below 2^53 is exact in either form.
        #[expect(clippy::cast_possible_truncation, reason = "the bound is looked at")]
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// The clock and prisoners of a player (PlayerState).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerState {
    /// The time on the clock.
    pub remaining_time: Millis,
    /// The number of prisoners that the player has taken.
    pub prisoners: u32,
}

/// The rows of a board, from the top: the stone on each point (Board).
pub type Rows = Vec<Vec<Option<Color>>>;

/// The board and the players (GameState).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameState {
    /// The player to move.
    #[serde(with = "ColorCode")]
    pub turn: Color,
    /// The players.
    #[serde(with = "ByColorCode")]
    pub players: ByColor<PlayerState>,
    /// The board.
    #[serde(with = "rows_code")]
    pub board: Rows,
}

/// How a scoring method is written (ScoringMethod), for serde's `with`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Scoring", rename_all = "lowercase")]
pub(super) enum ScoringMethod {
    Area,
    Territory,
}

/// A game at the start of a session (GameConfiguration, and GameConfigurationV2
/// where there are final states).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// The state before the first move of the log.
    pub initial_state: GameState,
    /// Every move since then.
    pub move_log: Vec<LogEntry>,
    /// Komi.
    pub komi: Decimal,
    /// Whether the ko rule is applied.
    pub ko: bool,
    /// Whether the superko rule is applied.
    pub superko: bool,
    /// The difference in score that ends the game; zero for none.
    pub mercy: Decimal,
    /// After how many moves it does.
    pub mercy_start: u32,
    /// The scoring method (ScoringMethod).
    #[serde(with = "ScoringMethod")]
    pub scoring_method: Scoring,
    /// The points for each prisoner.
    pub prisoner_score: u32,
    /// The time that the player to move has used since the last move.
    pub idle_delta_time: Millis,
    /// Whether a pass gives the opponent a prisoner. Not in the document; the last version
    /// of the existing server writes it.
    #[serde(default)]
    pub pass_adds_to_prisoners: bool,
    /// The last two states, or the only one (protocol v2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_states: Option<Vec<GameState>>,
}

/// The version of the protocol, which a client chooses with its NAME.
#[derive(Clone, Copy, Debug, Default, Display, PartialEq, Eq, Serialize, Deserialize)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Without final states.
    #[default]
    V1,
    /// With final states.
    V2,
}

/// Why a game ended or was interrupted (Reason).
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum WireReason {
    /// A player resigned.
    Resign,
    /// Both passed.
    Pass,
    /// A flag fell.
    Timeout,
    /// The difference in score was large enough.
    Mercy,
    /// The organizer interrupted it; it may go on.
    Pause,
    /// A player is gone; it may go on.
    Error,
}

impl EndReason for WireReason {
    const TIMEOUT: WireReason = WireReason::Timeout;
    const RESIGNATION: WireReason = WireReason::Resign;
}

/// The final score and time of a player (ScoreAndTime).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoreAndTime {
    /// The score.
    pub score: Decimal,
    /// The time on the clock.
    pub remaining_time: Millis,
}

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "UPPERCASE")]
pub enum ServerMessage {
    /// Asks for the client's name.
    Name,
    /// A game starts or goes on.
    Start {
        /// The game so far.
        configuration: Box<Configuration>,
        /// The client's color.
        #[serde(with = "ColorCode")]
        color: Color,
    },
    /// The opponent has moved.
    #[serde(rename_all = "camelCase")]
    Move {
        /// The move.
        #[serde(rename = "move", with = "move_object")]
        played: Move,
        /// The times on the clocks.
        #[serde(with = "ByColorCode")]
        remaining_time: ByColor<Millis>,
    },
    /// The client's move is accepted.
    #[serde(rename_all = "camelCase")]
    Valid {
        /// The times on the clocks.
        #[serde(with = "ByColorCode")]
        remaining_time: ByColor<Millis>,
    },
    /// The client's move is illegal.
    #[serde(rename_all = "camelCase")]
    Invalid {
        /// Why, for people.
        message: String,
        /// The times on the clocks.
        #[serde(with = "ByColorCode")]
        remaining_time: ByColor<Millis>,
    },
    /// The game is over or interrupted.
    End {
        /// Why.
        reason: WireReason,
        /// The winner, if there is one.
        #[serde(with = "winner_code")]
        winner: Option<Color>,
        /// The final scores and times.
        #[serde(with = "ByColorCode")]
        players: ByColor<ScoreAndTime>,
    },
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "UPPERCASE")]
pub enum ClientMessage {
    /// Its name, and which form of START it wants.
    Name {
        /// The name, as it came.
        name: String,
        /// The form.
        protocol: Protocol,
        /// The secret of its team, which not all teams have. Not in the document.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    },
    /// Its move.
    Move {
        /// The move.
        #[serde(rename = "move", with = "move_object")]
        played: Move,
        /// The point as it came, if it is outside of every board.
        #[serde(skip)]
        outside: Option<String>,
    },
}

impl From<ClientMessage> for Request<Move, Protocol> {
    fn from(message: ClientMessage) -> Request<Move, Protocol> {
        match message {
            ClientMessage::Name {
                name,
                protocol,
                secret,
            } => Request::Name {
                name,
                dialect: protocol,
                secret,
            },
            ClientMessage::Move { played, outside } => Request::Move { played, outside },
        }
    }
}

/// A row or column. A number that is no row or column (negative, with a fraction, or huge)
/// becomes one outside of every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct Coordinate(u8);

impl Coordinate {
    /// Outside of every board.
    const OUTSIDE: Coordinate = Coordinate(u8::MAX);
}

impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Coordinate, D::Error> {
        struct Number;

        impl Visitor<'_> for Number {
            type Value = Coordinate;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Coordinate, E> {
                Ok(u8::try_from(number).map_or(Coordinate::OUTSIDE, Coordinate))
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Coordinate, E> {
                // A number that is not below zero is visited as `u64`.
                Ok(Coordinate::OUTSIDE)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Coordinate, E> {
                // Some clients write 3 as 3.0.
                let whole = (0..u8::MAX).find(|&whole| f64::from(whole) == number);
                Ok(whole.map_or(Coordinate::OUTSIDE, Coordinate))
            }
        }

        deserializer.deserialize_any(Number)
    }
}

/// A point as it is written.
#[derive(Serialize, Deserialize)]
struct WirePoint {
    row: Coordinate,
    column: Coordinate,
}

/// Reads an object only: the code that serde derives for a structure would accept a list, too.
#[derive(Serialize)]
#[serde(transparent)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        struct OfFields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OfFields<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        deserializer.deserialize_map(OfFields(PhantomData))
    }
}

/// A move as it is written (Move).
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", expecting = "an object")]
enum WireMove {
    Pass,
    Resign,
    Place { point: Object<WirePoint> },
}

impl From<WireMove> for Move {
    fn from(played: WireMove) -> Move {
        match played {
            WireMove::Pass => Move::Pass,
            WireMove::Resign => Move::Resign,
            WireMove::Place {
                point: Object(WirePoint { row, column }),
            } => Move::Place(Point {
                row: row.0,
                column: column.0,
            }),
        }
    }
}

impl From<Move> for WireMove {
    fn from(played: Move) -> WireMove {
        match played {
            Move::Pass => WireMove::Pass,
            Move::Resign => WireMove::Resign,
            Move::Place(Point { row, column }) => WireMove::Place {
                point: Object(WirePoint {
                    row: Coordinate(row),
                    column: Coordinate(column),
                }),
            },
        }
    }
}

impl JournaledMove for Move {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        move_object::serialize(self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Move, D::Error> {
        move_object::deserialize(deserializer)
    }
}

/// Reads and writes a [`Move`] as an object, for serde's `with`.
pub(crate) mod move_object {
    use super::{Deserialize, Deserializer, Move, Serialize, Serializer, WireMove};

    pub(crate) fn serialize<S: Serializer>(
        played: &Move,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        WireMove::from(*played).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Move, D::Error> {
        WireMove::deserialize(deserializer).map(Move::from)
    }
}

/// Reads and writes [`Rows`] of `B`, `W`, and `.`, for serde's `with`.
pub(crate) mod rows_code {
    use super::{Color, Deserialize, Deserializer, Rows, Serializer, WinnerCode};

    pub(crate) fn serialize<S: Serializer>(
        rows: &[Vec<Option<Color>>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(|row| {
            let codes: Vec<WinnerCode> = row.iter().copied().map(WinnerCode::from).collect();
            codes
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Rows, D::Error> {
        let rows: Vec<Vec<WinnerCode>> = Vec::deserialize(deserializer)?;
        let row = |row: Vec<WinnerCode>| row.into_iter().map(Option::from).collect();
        Ok(rows.into_iter().map(row).collect())
    }
}

/// How much of a frame is shown in errors, in characters.
const SHOWN: usize = 120;

/// Parses a frame of a client. Unknown fields are ignored. A MOVE may have the type START,
/// because of a slip in the document.
///
/// # Errors
/// The frame is not a message of a client.
pub fn read(text: &str) -> Result<ClientMessage, Fault> {
    match read_placement(text) {
        Some(point) => Ok(ClientMessage::Move {
            played: Move::Place(point),
            outside: None,
        }),
        None => read_any(text),
    }
}

/// Parses any frame of a client.
fn read_any(text: &str) -> Result<ClientMessage, Fault> {
    let fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        Fault::Malformed(format!("no JSON object: {error}, in {}", shown(text)))
    })?;
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
                secret: fields
                    .get("secret")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            })
        }
        Some("START") if !fields.contains_key("move") => Err(unknown("a START without a move")),
        Some("MOVE" | "START") => {
            let unreadable = |fault: &str, why: &str| Fault::Move {
                fault: format!("{fault}, in {}", shown(text)),
                why: shown(why),
            };
            let sent = fields
                .get("move")
                .ok_or_else(|| unreadable("a MOVE without \"move\"", "missing field `move`"))?;
            let played = move_object::deserialize(sent)
                .map_err(|why| unreadable("a MOVE with no such move", &why.to_string()))?;
            Ok(ClientMessage::Move {
                played,
                outside: outside_point(played, sent),
            })
        }
        Some(_) => Err(unknown("an unknown \"type\"")),
        None => Err(unknown("no \"type\" that is a text")),
    }
}

/// Returns the point of a move as it was sent, if it is outside of every board.
fn outside_point(played: Move, sent: &Value) -> Option<String> {
    let Move::Place(Point { row, column }) = played else {
        return None;
    };
    if ![row, column].contains(&Coordinate::OUTSIDE.0) {
        return None;
    }
    let point = sent.get("point")?;
    let [row, column] = [point.get("row")?, point.get("column")?];
    Some(format!("({row},{column})"))
}

/// Parses a frame that places a stone, as nearly all do, in one pass and without an allocation.
/// Returns `None` for every other frame: for one with further fields, which must be valid JSON,
/// too, and for a point outside of every board, which is logged as it came.
fn read_placement(text: &str) -> Option<Point> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Frame<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
        #[serde(rename = "move", borrow)]
        played: Object<Placement<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Placement<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
        point: Object<Place>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Place {
        row: Coordinate,
        column: Coordinate,
    }

    let Object(Frame { kind, played }) = serde_json::from_str(text).ok()?;
    let Object(Placement { kind: how, point }) = played;
    let Object(Place { row, column }) = point;
    let is_placement = matches!((kind, how), ("MOVE" | "START", "place"))
        && ![row, column].contains(&Coordinate::OUTSIDE);
    is_placement.then_some(Point {
        row: row.0,
        column: column.0,
    })
}

/// Returns the fault of a binary frame.
pub(super) fn binary(length: usize) -> Fault {
    Fault::Malformed(format!("no JSON object: {length} bytes of binary data"))
}

/// Parses the version: `v2` is version 2, and everything else is version 1, which all
/// clients understand.
fn protocol(fields: &Map<String, Value>) -> Protocol {
    let asked = fields.get("protocol");
    let asked = asked.and_then(|protocol| Protocol::deserialize(protocol).ok());
    asked.unwrap_or_default()
}

/// Returns the beginning of a frame, on one line. A secret, and all after it, is left out; escapes
/// may hide one.
pub(super) fn shown(text: &str) -> String {
    isolated(&without_secret(text, SHOWN)).into_owned()
}

/// Returns the first characters of a frame, on one line. A secret, and all after it, is left out;
/// escapes may hide one.
pub(super) fn without_secret(text: &str, length: usize) -> String {
    let lower = text.to_ascii_lowercase();
    let hidden = [lower.find("secret"), lower.find("\\u")];
    let hidden = hidden.into_iter().flatten().min();
    let (text, rest) = text.split_at(hidden.unwrap_or(text.len()));
    let mut shown: String = text
        .chars()
        .take(length)
        .map(|c| if breaks_line(c) { '\u{fffd}' } else { c })
        .collect();
    if !rest.is_empty() || text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn a_placement_that_is_read_in_one_pass_is_what_the_whole_frame_says() {
        let frames = [
            r#"{"type":"MOVE","move":{"type":"place","point":{"row":3,"column":18}}}"#,
            r#" {"move" : {"point":{"column":0,"row":24.0},"type":"place"},"type":"START"} "#,
            r#"{"type":"MOVE","move":{"type":"place","point":{"row":-1,"column":1e99}}}"#,
            r#"{"type":"MOVE","move":{"type":"pass"},"x":1e999}"#,
            r#"{"type":"MOVE","move":["place",{"point":[1,2]}]}"#,
            r#"["MOVE",{"type":"place","point":{"row":1,"column":2}}]"#,
        ];
        let pieces = [
            "",
            " ",
            "1",
            "-",
            ".",
            "e",
            "[",
            "]",
            "{",
            "}",
            "\"",
            ":",
            ",",
            "null",
            "\\u0041",
            r#""row":1,"#,
            r#""x":2,"#,
            "place",
            "pass",
            "MOVE",
            "NAME",
        ];
        let mut random = Rng::new(1);
        let mut below = |limit: usize| (random.next() % limit as u64) as usize;
        let (mut placements, mut others) = (0, 0);
        for case in 0..30_000 {
            let mut frame = frames[case % frames.len()].to_owned();
            for _ in 0..below(3) {
                let from = below(frame.len() + 1);
                let to = (from + below(4)).min(frame.len());
                frame.replace_range(from..to, pieces[below(pieces.len())]);
            }
            match read_placement(&frame) {
                Some(point) => {
                    let played = Move::Place(point);
                    let outside = None;
                    assert_eq!(
                        read_any(&frame),
                        Ok(ClientMessage::Move { played, outside }),
                        "{frame}"
                    );
                    placements += 1;
                }
                None => others += 1,
            }
        }
        assert!(
            placements > 3_000 && others > 3_000,
            "{placements}, {others}"
        );
    }
}
