//! The two players of a game, and values of which each has one.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of the two players, and the color of their stones.
///
/// Black moves first, in every game: where the papers call the players otherwise
/// (South and North in Awari), the first to move is [`Color::Black`].
///
/// ```
/// use gothello::Color;
/// assert_eq!("w".parse(), Ok(Color::White));
/// assert_eq!(Color::White.opponent(), Color::Black);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Color {
    /// The player who moves first.
    Black,
    /// The player who moves second.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// Returns the other player.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Returns the mark of a stone on boards drawn in text, as GoGui draws them: `X`
    /// or `O`.
    pub const fn mark(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }

    /// Returns `b` or `w`, the letter used in the text form of positions.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'b',
            Color::White => 'w',
        }
    }

    /// Returns `B` or `W`, the letter used in SGF, in scores such as `B+3`, and in the
    /// contest protocol.
    pub const fn capital(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
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
#[error("invalid color {0:?}: use black, b, white or w")]
pub struct ParseColorError(pub String);

/// Parses `b`, `black`, `w` or `white` in upper or lower case.
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

/// A pair of values, one for each player, indexed by [`Color`].
///
/// ```
/// use gothello::{ByColor, Color};
/// let mut prisoners = ByColor::new(0, 3);
/// prisoners[Color::Black] += 1;
/// assert_eq!(prisoners.map(|stones| 2 * stones), ByColor::new(2, 6));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct ByColor<T> {
    /// Black's value.
    pub black: T,
    /// White's value.
    pub white: T,
}

impl<T> ByColor<T> {
    /// Creates a pair from Black's and White's value.
    #[inline]
    pub const fn new(black: T, white: T) -> ByColor<T> {
        ByColor { black, white }
    }

    /// Creates a pair by calling `f` for each player, Black first.
    #[inline]
    pub fn from_fn(mut f: impl FnMut(Color) -> T) -> ByColor<T> {
        let black = f(Color::Black);
        ByColor::new(black, f(Color::White))
    }

    /// Returns a reference to the value of `color`. [`Index`] does the same outside
    /// constants.
    #[inline]
    pub const fn get(&self, color: Color) -> &T {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// Returns a mutable reference to the value of `color`.
    #[inline]
    pub const fn get_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Applies `f` to both values, Black's first.
    #[inline]
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> ByColor<U> {
        let black = f(self.black);
        ByColor::new(black, f(self.white))
    }

    /// Exchanges Black's and White's value.
    #[must_use]
    pub fn swapped(self) -> ByColor<T> {
        ByColor::new(self.white, self.black)
    }

    /// Borrows both values.
    #[inline]
    pub const fn as_ref(&self) -> ByColor<&T> {
        ByColor::new(&self.black, &self.white)
    }

    /// Returns an iterator over both values, Black's first.
    #[inline]
    pub fn iter(&self) -> std::array::IntoIter<&T, 2> {
        [&self.black, &self.white].into_iter()
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline]
    fn index(&self, color: Color) -> &T {
        self.get(color)
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        self.get_mut(color)
    }
}
