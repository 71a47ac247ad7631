//! Openings: the stones set up before the first move, and the moves of the opening.

use std::fmt;

use derive_more::Display;
use serde::{Deserialize, Serialize};

use crate::base::color::Color;

/// An opening.
#[derive(Clone, Debug, Default, PartialEq, Eq, Display, Serialize, Deserialize)]
#[display("{}", shown(setup.as_ref(), moves))]
#[serde(from = "OpeningForm", into = "OpeningForm")]
pub struct Opening {
    /// The position that it begins with; `None` for the start of the game.
    pub setup: Option<Setup>,
    /// The moves in the game's notation.
    pub moves: Vec<String>,
}

/// Returns an opening from the start of the game.
impl From<Vec<String>> for Opening {
    fn from(moves: Vec<String>) -> Opening {
        Opening { setup: None, moves }
    }
}

/// The serialized form of an opening: only its moves, if it begins with the start of the game.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum OpeningForm {
    Moves(Vec<String>),
    SetUp { setup: Setup, moves: Vec<String> },
}

impl From<OpeningForm> for Opening {
    fn from(form: OpeningForm) -> Opening {
        match form {
            OpeningForm::Moves(moves) => moves.into(),
            OpeningForm::SetUp { setup, moves } => Opening {
                setup: Some(setup),
                moves,
            },
        }
    }
}

impl From<Opening> for OpeningForm {
    fn from(Opening { setup, moves }: Opening) -> OpeningForm {
        match setup {
            None => OpeningForm::Moves(moves),
            Some(setup) => OpeningForm::SetUp { setup, moves },
        }
    }
}

/// Returns the text of an opening, whose parts are these.
pub fn shown(setup: Option<&Setup>, moves: &[String]) -> String {
    let moves = moves.join(" ");
    match setup {
        None => moves,
        Some(setup) if moves.is_empty() => setup.to_string(),
        Some(setup) => format!("{setup}; {moves}"),
    }
}

/// A position of Go with which a game begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The points of Black's stones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub black: Vec<String>,
    /// The points of White's stones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub white: Vec<String>,
    /// Whether Black's stones are a handicap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handicap: bool,
    /// The player to move.
    pub to_move: Color,
}

/// Writes the stones and the player to move, as in `Black C3 G7, White E5, White to move`.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (color, points) in [(Color::Black, &self.black), (Color::White, &self.white)] {
            if !points.is_empty() {
                write!(f, "{color} {}, ", points.join(" "))?;
            }
        }
        write!(f, "{} to move", self.to_move)
    }
}
