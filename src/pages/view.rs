//! The content of the page, as plain values.
//!
//! They are serialized to the JSON that the page reads: a [`Color`] as 0 or 1, and a
//! [`ByColor`] as an array, Black's value first. Only the boards of a game are not: the feed sends
//! what has changed in them. In Awari, South is Black and North is White.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use crate::base::color::{ByColor, Color};

/// The properties of a server that stay the same while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerInfo {
    /// The title of the page.
    pub title: String,
    /// Whether an organizer can command the server from the page.
    pub organizer: bool,
    /// Whether the organizer can hold tournaments.
    pub tournaments: bool,
    /// Whether clients connect to the server, which logs what they do.
    pub clients: bool,
}

/// The style in which the board of a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardKind {
    /// Lines and stones. Rows are counted from the top.
    Go,
    /// Squares and discs. Rows are counted from the bottom, columns are letters.
    Gothello,
    /// Two rows of pits between two stores.
    Awari,
}

/// The state of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TableStatus {
    /// The table waits for players, or for the start of the game.
    Waiting,
    /// A game is being played.
    Playing,
    /// A game is paused or interrupted and can continue.
    Paused,
    /// The game is over.
    Over,
}

/// A seat of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatView {
    /// The letter of the side in the protocol: `B` or `W`, `S` or `N`.
    pub code: String,
    /// The name of the side: Black or White, South or North.
    pub title: String,
    /// The name of the player; `None` if the seat is empty.
    pub name: Option<String>,
    /// The connection of the player; `None` while there is none.
    pub client: Option<u64>,
    /// Whether the player of this name is connected, at this table or elsewhere: after a game
    /// a server may empty the seats of the players that it has paired.
    pub connected: bool,
    /// The time left on the clock when the table is published; `None` without time controls.
    #[serde(rename = "left_ms", serialize_with = "millis")]
    pub left: Option<Duration>,
}

/// A table, without the history of its game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableView {
    /// Its number, which identifies it in all messages and commands.
    pub id: u32,
    /// The style of its board.
    pub kind: BoardKind,
    /// Its title.
    pub title: String,
    /// The port where its players connect, which the page shows to the organizer; `None` if there
    /// is none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The rules in a few words: komi, superko, scoring; may be empty.
    pub rules: String,
    /// The rows of the board.
    pub rows: u16,
    /// The columns of the board.
    pub columns: u16,
    /// Whether points of Go have two names: that of GTP, and the row and column of the contest
    /// protocol.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub numbered: bool,
    /// The seats.
    #[serde(serialize_with = "as_array")]
    pub seats: ByColor<SeatView>,
    /// Its state.
    pub phase: TableStatus,
    /// The result of the game or the reason of its interruption, as a sentence.
    pub result: Option<String>,
    /// The player to move.
    #[serde(serialize_with = "as_index")]
    pub turn: Option<Color>,
    /// The player whose clock runs.
    #[serde(rename = "running", serialize_with = "as_index")]
    pub running_clock: Option<Color>,
    /// The round of the tournament to which the game belongs, if any.
    pub round: Option<u32>,
    /// The commands that the organizer has at this table, by the tag of a
    /// `web::Command`; each with the reason why it would be refused now, or `None`
    /// if it would be accepted.
    pub commands: BTreeMap<&'static str, Option<String>>,
}

/// The board after a move, or at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ply {
    /// The board, row by row from the top, without separators. A stone is `B` or `W`; an
    /// empty point is `.`, or `b` or `w` if it is territory of Black or White. For Awari:
    /// the stones in North's pits from left to right (f to a), then in South's (A to F),
    /// separated by commas. Not serialized: the feed sends its difference from the board before.
    #[serde(skip)]
    pub board: String,
    /// The move as its protocol writes it, such as `3,4`, `c3` or `pass`; empty
    /// at the start.
    #[serde(rename = "move")]
    pub text: String,
    /// The row and column of the point or pit that was played, from 0 at the top left;
    /// `None` for a pass and at the start.
    pub at: Option<[u16; 2]>,
    /// The player who moved; `None` at the start.
    #[serde(serialize_with = "as_index")]
    pub by: Option<Color>,
    /// The time that the move took.
    #[serde(rename = "used_ms", serialize_with = "millis")]
    pub used: Option<Duration>,
    /// The prisoners that each player has taken.
    #[serde(serialize_with = "as_optional_array")]
    pub prisoners: Option<ByColor<u32>>,
    /// The score of each player; in Awari, the stones captured.
    #[serde(serialize_with = "as_optional_array")]
    pub scores: Option<ByColor<f64>>,
}

/// A client that is connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Client {
    /// Its number, never used twice.
    pub id: u64,
    /// The client's label in the log; `None` if it is `#` followed by [`id`](Client::id).
    #[serde(rename = "number", skip_serializing_if = "Option::is_none")]
    pub log_label: Option<String>,
    /// Its name; `None` until it gives one.
    pub name: Option<String>,
    /// The address it connects from; may be empty.
    pub address: String,
    /// The protocol it speaks, such as `v2`; may be empty.
    pub protocol: String,
    /// Its seat, such as `TableView 1, Black`.
    pub seat: Option<String>,
}

/// An adjourned game, which can be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Adjourned {
    /// The name of the game in the command that resumes it.
    pub id: String,
    /// The players and the number of moves.
    pub title: String,
    /// The [`id`](TableView::id) of the only table where it can be resumed; `None` for any table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finished {
    /// The time of its start.
    #[serde(serialize_with = "unix_millis")]
    pub began: SystemTime,
    /// The table where it was played; may be empty.
    pub table: String,
    /// The names of the sides, such as Black and White.
    #[serde(serialize_with = "as_array")]
    pub sides: ByColor<String>,
    /// The names of the players.
    #[serde(serialize_with = "as_array")]
    pub players: ByColor<String>,
    /// The result, as a sentence.
    pub result: String,
    /// Whether the organizer has decided it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decided: bool,
    /// The name of a free game about which the organizer can decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<String>,
    /// The last lines that the player at fault has sent and was sent; may be empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exchange: Vec<String>,
    /// The file of its record, as served under `/records/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The state of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tournament {
    /// The pairing system and the progress: `Swiss system, round 3 of 5`.
    pub title: String,
    /// The result, as a sentence without a period, once it is over.
    pub outcome: Option<String>,
    /// The seed of its schedule, which the page shows to the organizer.
    pub seed: Option<String>,
    /// The names of the sides, such as Black and White.
    #[serde(serialize_with = "as_array")]
    pub sides: ByColor<String>,
    /// Whether it is not over.
    #[serde(rename = "running")]
    pub is_running: bool,
    /// The players who can be withdrawn; none once it is over.
    pub withdrawable: Vec<String>,
    /// The players who are absent and can return; `None` if players cannot miss rounds, or enter, as
    /// in a round robin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<Vec<String>>,
    /// The reasons why it is waiting, one sentence each: games that are adjourned, paused or
    /// interrupted, and players who are not connected.
    pub waits: Vec<String>,
    /// The standings.
    pub standings: Grid,
    /// The crosstable; `None` if it would be too wide to be read.
    pub crosstable: Option<Crosstable>,
    /// The rounds so far, the first one first.
    pub rounds: Vec<Round>,
    /// What the organizer has decided about results, a sentence each, the first one first.
    pub rulings: Vec<String>,
}

/// The players and the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crosstable {
    /// Whether a column is a round; else it is the player in the row of the same index.
    pub swiss: bool,
    /// The headings of the sums.
    pub head: Vec<String>,
    /// The players, in the order of the standings.
    pub rows: Vec<CrosstableRow>,
}

/// A player of a crosstable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrosstableRow {
    /// The name.
    pub player: String,
    /// The cells: empty, `x` in the player's own column, `bye`, or the games, as in `3:b1w0`: those
    /// against the player of row 3, from 1, with Black or White, each with the
    /// [mark](crate::tournament::Mark::symbol) of its result.
    pub cells: Vec<String>,
    /// The points.
    pub sums: Vec<String>,
}

/// A round of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Its title.
    pub title: String,
    /// Its progress.
    pub stage: RoundStage,
    /// The number of games that have a result.
    pub played: usize,
    /// The number of all of its games.
    pub planned: usize,
    /// The pairings and results.
    pub games: Grid,
    /// The number of the game in each of the first rows, as in `2.1.1`. Byes follow.
    pub numbers: Vec<String>,
    /// When games are forfeited unless their players come, by the index of the row, in milliseconds
    /// of the clock of the feed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub deadlines: BTreeMap<usize, u64>,
}

/// The progress of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RoundStage {
    /// All of its games are over; or some are, and the tournament has ended.
    Over,
    /// It is the first round with a game to be played, or some of its games have begun, are over, or
    /// wait for their players.
    Current,
    /// It will be played later.
    Coming,
    /// None of its games was played before the tournament ended.
    Dropped,
}

/// The ratings of the players of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ladder {
    /// A note on the matches behind the ratings.
    pub note: String,
    /// The players; the one of a row is in the column `Player`.
    pub players: Grid,
}

/// A table of text with a heading for each column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// The headings of the columns.
    pub head: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// Serializes a pair as an array, Black's value first.
fn as_array<T: Serialize, S: Serializer>(
    pair: &ByColor<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [&pair.black, &pair.white].serialize(serializer)
}

/// Serializes a pair as an array, Black's value first, or as `null`.
fn as_optional_array<T: Serialize, S: Serializer>(
    pair: &Option<ByColor<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let pair = pair.as_ref().map(|pair| [&pair.black, &pair.white]);
    pair.serialize(serializer)
}

/// Serializes a color as its index in an array: 0 for Black, 1 for White.
fn as_index<S: Serializer>(color: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    let index = color.map(|color| match color {
        Color::Black => 0_u8,
        Color::White => 1,
    });
    index.serialize(serializer)
}

/// Serializes a time in whole milliseconds.
fn millis<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        .serialize(serializer)
}

/// Serializes a date in whole milliseconds since 1970.
fn unix_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    millis(&Some(since), serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page's JavaScript indexes seats, prisoners and scores by these numbers.
    #[test]
    fn a_color_is_an_index_and_a_pair_is_an_array() {
        let mut ply = Ply {
            board: String::new(),
            text: "c3".into(),
            at: Some([2, 2]),
            by: Some(Color::White),
            used: Some(Duration::from_micros(1_200_999)),
            prisoners: Some(ByColor::new(1, 0)),
            scores: Some(ByColor::new(2.5, 7.0)),
        };
        let json = |ply: &Ply| serde_json::to_string(ply).unwrap();
        assert_eq!(
            json(&ply),
            r#"{"move":"c3","at":[2,2],"by":1,"used_ms":1200,"prisoners":[1,0],"scores":[2.5,7.0]}"#
        );
        ply.by = Some(Color::Black);
        ply.prisoners = None;
        assert_eq!(
            json(&ply),
            r#"{"move":"c3","at":[2,2],"by":0,"used_ms":1200,"prisoners":null,"scores":[2.5,7.0]}"#
        );
    }
}
