//! What the page shows, as plain values.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

/// What is the same as long as the server runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hall {
    /// What stands at the top of the page.
    pub title: String,
    /// Whether there is an organiser here who can give orders.
    pub organiser: bool,
    /// Whether the organiser can hold tournaments.
    pub tournaments: bool,
}

/// Which of the two at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who has the first move by the rules: Black, South.
    First,
    /// The other: White, North.
    Second,
}

/// Written as the place in the list of seats, 0 or 1.
impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match self {
            Side::First => 0,
            Side::Second => 1,
        })
    }
}

/// How the board of a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Lines and stones; rows are counted from the top.
    Go,
    /// Squares and discs; rows are counted from the bottom, columns are letters.
    Gothello,
    /// Two rows of pits between two stores.
    Awari,
}

/// What goes on at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// For players, or for somebody to start the game.
    Waiting,
    /// A game is being played.
    Playing,
    /// A game was interrupted and can go on.
    Paused,
    /// The game is put away, to go on another time.
    Adjourned,
    /// The game is over.
    Over,
}

/// One of the two seats of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// How the protocol writes the side: `B`, `W`; `S`, `N`.
    pub code: String,
    /// How people call it: Black, White; South, North.
    pub title: String,
    /// Who sits here; `None` for nobody.
    pub name: Option<String>,
    /// The connection that sits here; `None` while there is none.
    pub client: Option<u64>,
    /// Whether the player of this name is connected, here or elsewhere in the hall:
    /// after a game the server empties the seats of those whom it has paired.
    pub connected: bool,
    /// What is left on the clock at the moment when this is handed over; `None`
    /// without time controls.
    #[serde(rename = "left_ms", serialize_with = "millis")]
    pub left: Option<Duration>,
}

/// A table, without the history of its game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Its number, which names it in all messages and actions.
    pub id: u32,
    /// How its board is drawn.
    pub kind: Kind,
    /// What it is called.
    pub title: String,
    /// What is played, in a few words: komi, superko, scoring; may be empty.
    pub rules: String,
    /// The rows of the board.
    pub rows: u16,
    /// The columns of the board.
    pub columns: u16,
    /// The seats, that of [`Side::First`] first.
    pub seats: [Seat; 2],
    /// What goes on.
    pub phase: Phase,
    /// How the game ended, or why it was interrupted, as a sentence.
    pub result: Option<String>,
    /// Who is to move.
    pub turn: Option<Side>,
    /// Whose clock runs.
    pub running: Option<Side>,
    /// The round of the tournament that the game is of; `None` if it is of none.
    pub round: Option<u32>,
    /// What the organiser can order at this table, as an
    /// [`Action`](super::Action) is written, and why it would be refused now.
    pub orders: BTreeMap<&'static str, Option<String>>,
}

/// The board after a move, or at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ply {
    /// The board, row by row from the top, without anything between the rows.
    /// A stone is `B` or `W`, an empty point `.`, or `b` or `w` if it is
    /// territory of Black or White. For Awari: the stones in North's pits from
    /// left to right (f to a), then in South's (A to F), with commas between
    /// them.
    #[serde(skip)]
    pub board: String,
    /// The move as its protocol writes it, such as `3,4`, `c3` or `pass`; empty
    /// at the start.
    #[serde(rename = "move")]
    pub text: String,
    /// The row, from the top, and the column of the point or pit that was
    /// played, from 0; `None` for a pass and at the start.
    pub at: Option<[u16; 2]>,
    /// Who played it; `None` at the start.
    pub by: Option<Side>,
    /// How long he took.
    #[serde(rename = "used_ms", serialize_with = "millis")]
    pub used: Option<Duration>,
    /// The prisoners that each side has taken.
    pub prisoners: Option<[u32; 2]>,
    /// The score of each side; what it has captured, in Awari.
    pub scores: Option<[f64; 2]>,
}

/// Somebody who is connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Client {
    /// Its number, never used twice.
    pub id: u64,
    /// How the log writes its number; `None` for `#` and the number itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// What it calls itself; `None` until it does.
    pub name: Option<String>,
    /// Where it connects from.
    pub address: String,
    /// What it speaks, such as `v2`; may be empty.
    pub protocol: String,
    /// Where it sits, as people say it: `Table 1, Black`; `None` if nowhere.
    pub seat: Option<String>,
}

/// A game that was put away and can be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Adjourned {
    /// What names it in the action that brings it back.
    pub id: String,
    /// Who plays whom, and how far it is.
    pub title: String,
    /// The [`id`](Table::id) of the only table that it can be brought back to; `None`
    /// if that can be any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
}

/// A game that is over, for the list of such games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finished {
    /// When it began.
    #[serde(serialize_with = "unix_millis")]
    pub began: SystemTime,
    /// Where it was played; may be empty.
    pub table: String,
    /// How people call the sides, that of [`Side::First`] first: Black, White.
    pub sides: [String; 2],
    /// Who played them.
    pub players: [String; 2],
    /// How it ended, as a sentence.
    pub result: String,
}

/// A tournament as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tournament {
    /// What it is, and how far: `Swiss system, round 3 of 5`.
    pub title: String,
    /// Whether it goes on.
    pub running: bool,
    /// Who takes part and can still withdraw; nobody once it is over.
    pub participants: Vec<String>,
    /// What holds it up, a sentence each: games that were put away, paused or broken
    /// off, and players who are not connected.
    pub waits: Vec<String>,
    /// The standings.
    pub standings: Grid,
    /// The rounds so far, the first one first.
    pub rounds: Vec<Round>,
}

/// A round of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// What it is called.
    pub title: String,
    /// How far it is.
    pub stage: Stage,
    /// Who meets whom, and the results.
    pub games: Grid,
}

/// How far a round of a tournament is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// All of its games are over.
    Over,
    /// It is played.
    Current,
    /// It is to come.
    Coming,
    /// It is not played: the tournament ended before.
    Dropped,
}

/// Rows of cells under a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// What stands above each column.
    pub head: Vec<String>,
    /// The rows, each with as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// Writes a time in whole milliseconds.
fn millis<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        .serialize(serializer)
}

/// Writes a moment in whole milliseconds since 1970.
fn unix_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    millis(&Some(since), serializer)
}
