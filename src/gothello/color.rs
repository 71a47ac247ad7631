//! The two players.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of the two players, and the colour of his stones. Black moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// The player who moves first.
    Black,
    /// The player who moves second.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The mark of a stone on drawn boards, as GoGui has it: `X` or `O`.
    pub const fn mark(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }

    /// The letter of the text form: `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'b',
            Color::White => 'w',
        }
    }
}

/// Writes `Black` or `White`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::Black => "Black",
            Color::White => "White",
        })
    }
}

/// A word that names neither player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no colour: black, b, white or w is expected")]
pub struct ParseColorError(pub String);

/// Reads `b`, `black`, `w` or `white` in any case.
impl FromStr for Color {
    type Err = ParseColorError;

    fn from_str(word: &str) -> Result<Color, ParseColorError> {
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        if is("b") || is("black") {
            Ok(Color::Black)
        } else if is("w") || is("white") {
            Ok(Color::White)
        } else {
            Err(ParseColorError(word.to_owned()))
        }
    }
}
