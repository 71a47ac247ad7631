//! The two players, and what each of them has.

use std::fmt;

/// One of the two players, and the colour of the player's stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// The player who usually moves first.
    Black,
    /// The player who is given komi.
    White,
}

impl Color {
    /// Both players, Black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    #[inline]
    pub const fn opposite(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The letter of the protocol: `B` or `W`.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }

    /// The colour of a letter of the protocol.
    pub const fn from_letter(letter: char) -> Option<Color> {
        match letter {
            'B' => Some(Color::Black),
            'W' => Some(Color::White),
            _ => None,
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

/// Something of which each player has one.
///
/// ```
/// use gothello::go::{Color, Pair};
/// let mut prisoners = Pair::new(0, 3);
/// *prisoners.of_mut(Color::Black) += 1;
/// assert_eq!(prisoners.map(|stones| 2 * stones), Pair::new(2, 6));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pair<T> {
    /// Black's.
    pub black: T,
    /// White's.
    pub white: T,
}

impl<T> Pair<T> {
    /// Black's and White's.
    pub const fn new(black: T, white: T) -> Pair<T> {
        Pair { black, white }
    }

    /// What a function says of each player, Black first.
    pub fn from_fn(mut of: impl FnMut(Color) -> T) -> Pair<T> {
        let black = of(Color::Black);
        Pair::new(black, of(Color::White))
    }

    /// A player's.
    #[inline]
    pub const fn of(&self, color: Color) -> &T {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// A player's, to change it.
    #[inline]
    pub const fn of_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }

    /// Both made into something else.
    pub fn map<U>(self, mut into: impl FnMut(T) -> U) -> Pair<U> {
        let black = into(self.black);
        Pair::new(black, into(self.white))
    }

    /// Black's and White's with the colours exchanged.
    #[must_use]
    pub fn swapped(self) -> Pair<T> {
        Pair::new(self.white, self.black)
    }

    /// Both by reference.
    pub const fn as_ref(&self) -> Pair<&T> {
        Pair::new(&self.black, &self.white)
    }
}
