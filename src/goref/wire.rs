//! The messages of the contest protocol, and the values that they are made of
//! (the document, "Formats and Enumerations").
//!
//! Fields stand in the order in which the server that exists writes them.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

pub(crate) use super::moves::a_move;
use crate::go::{Board, ByColor, Color, Move, Point, Scoring};

/// A time in milliseconds (Time).
pub type Millis = u64;

/// A color as it is written; `.` where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Black.
    B,
    /// White.
    W,
    /// Neither: no stone, no winner.
    #[serde(rename = ".")]
    Nobody,
}

impl Side {
    /// The color, if it is one.
    pub fn color(self) -> Option<Color> {
        match self {
            Side::B => Some(Color::Black),
            Side::W => Some(Color::White),
            Side::Nobody => None,
        }
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::B,
            Color::White => Side::W,
        }
    }
}

impl From<Option<Color>> for Side {
    fn from(color: Option<Color>) -> Side {
        color.map_or(Side::Nobody, Side::from)
    }
}

/// Something for each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both<T> {
    /// Black's.
    #[serde(rename = "B")]
    pub black: T,
    /// White's.
    #[serde(rename = "W")]
    pub white: T,
}

impl<T> From<ByColor<T>> for Both<T> {
    fn from(pair: ByColor<T>) -> Both<T> {
        Both {
            black: pair.black,
            white: pair.white,
        }
    }
}

impl<T> From<Both<T>> for ByColor<T> {
    fn from(both: Both<T>) -> ByColor<T> {
        ByColor {
            black: both.black,
            white: both.white,
        }
    }
}

/// A number that may have a fraction (Decimal). Whole ones are written without
/// one, as the server that exists does: `2`, `7.5`.
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

/// A player's part of a state (PlayerState).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlayerState {
    /// What his clock shows.
    pub remaining_time: Millis,
    /// How many stones he has captured.
    pub prisoners: u32,
}

/// Rows of colors and dots (Board).
pub type Rows = Vec<Vec<Side>>;

/// The rows of a board, the first one at the top.
pub fn rows(board: &Board) -> Rows {
    let size = board.size();
    let row = |row| {
        (0..size.columns())
            .map(|column| Side::from(board.get(Point { row, column })))
            .collect()
    };
    (0..size.rows()).map(row).collect()
}

/// The board and the players (GameState).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameState {
    /// Who moves.
    pub turn: Side,
    /// The players.
    pub players: Both<PlayerState>,
    /// The board.
    pub board: Rows,
}

/// A move of the past (LogEntry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry {
    /// The move.
    #[serde(rename = "move", with = "a_move")]
    pub played: Move,
    /// What it took of the player's clock.
    pub delta_time: Millis,
}

/// How the score is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoringMethod {
    /// Stones and territory.
    Area,
    /// Territory only.
    Territory,
}

impl From<Scoring> for ScoringMethod {
    fn from(scoring: Scoring) -> ScoringMethod {
        match scoring {
            Scoring::Area => ScoringMethod::Area,
            Scoring::Territory => ScoringMethod::Territory,
        }
    }
}

impl From<ScoringMethod> for Scoring {
    fn from(method: ScoringMethod) -> Scoring {
        match method {
            ScoringMethod::Area => Scoring::Area,
            ScoringMethod::Territory => Scoring::Territory,
        }
    }
}

/// A game at the start of a session (GameConfiguration, and GameConfigurationV2
/// where there are final states).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// Where the game began.
    pub initial_state: GameState,
    /// Every move since then.
    pub move_log: Vec<LogEntry>,
    /// What White is given.
    pub komi: Decimal,
    /// Whether the ko rule is applied.
    pub ko: bool,
    /// Whether the superko rule is applied.
    pub superko: bool,
    /// The difference in score that ends the game; zero for none.
    pub mercy: Decimal,
    /// After how many moves it does.
    pub mercy_start: u32,
    /// How the score is counted.
    pub scoring_method: ScoringMethod,
    /// What a prisoner counts.
    pub prisoner_score: u32,
    /// What the player to move has used of his clock since the last move.
    pub idle_delta_time: Millis,
    /// Whether a pass gives the opponent a prisoner. Not in the document; the
    /// last version of the server that exists writes it.
    #[serde(default)]
    pub pass_adds_to_prisoners: bool,
    /// The last two states, or the only one (protocol v2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_states: Option<Vec<GameState>>,
}

/// Which form of START a client asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Without final states.
    #[default]
    V1,
    /// With final states.
    V2,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Protocol::V1 => "v1",
            Protocol::V2 => "v2",
        })
    }
}

/// Why a game ended or was broken off (Reason).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// A player resigned.
    Resign,
    /// Both passed.
    Pass,
    /// A flag fell.
    Timeout,
    /// The difference in score was large enough.
    Mercy,
    /// The organiser broke it off; it may go on.
    Pause,
    /// A player is gone; it may go on.
    Error,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Reason::Resign => "resign",
            Reason::Pass => "pass",
            Reason::Timeout => "timeout",
            Reason::Mercy => "mercy",
            Reason::Pause => "pause",
            Reason::Error => "error",
        })
    }
}

/// What a player ends with (ScoreAndTime).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoreAndTime {
    /// His score.
    pub score: Decimal,
    /// What his clock shows.
    pub remaining_time: Millis,
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "UPPERCASE")]
pub enum ServerMessage {
    /// Asks for the client's name.
    Name,
    /// A game starts or goes on.
    Start {
        /// How it stands.
        configuration: Box<Configuration>,
        /// The client's color.
        color: Side,
    },
    /// The opponent has moved.
    #[serde(rename_all = "camelCase")]
    Move {
        /// The move.
        #[serde(rename = "move", with = "a_move")]
        played: Move,
        /// What the clocks show.
        remaining_time: Both<Millis>,
    },
    /// The client's move is accepted.
    #[serde(rename_all = "camelCase")]
    Valid {
        /// What the clocks show.
        remaining_time: Both<Millis>,
    },
    /// The client's move is refused.
    #[serde(rename_all = "camelCase")]
    Invalid {
        /// Why, for people.
        message: String,
        /// What the clocks show.
        remaining_time: Both<Millis>,
    },
    /// The game is over or broken off.
    End {
        /// Why.
        reason: Reason,
        /// Who has won.
        winner: Side,
        /// What the players end with.
        players: Both<ScoreAndTime>,
    },
}

/// What a client says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "UPPERCASE")]
pub enum ClientMessage {
    /// Its name, and which form of START it wants.
    Name {
        /// The name, as it came.
        name: String,
        /// The form.
        protocol: Protocol,
    },
    /// Its move.
    Move {
        /// The move.
        #[serde(rename = "move", with = "a_move")]
        played: Move,
    },
}
