//! The two sides of a match, whatever the game calls them.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A side of a match: who moves first in the game, and who second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Moves first: Black in Gothello. His moves have odd codes.
    First,
    /// Moves second: White in Gothello. His moves have even codes, and `...`
    /// after their number.
    Second,
}

impl Side {
    /// Both, the first first.
    pub const ALL: [Side; 2] = [Side::First, Side::Second];

    /// What stands between the number of a move of this side and the move
    /// (table 6), with a space after it.
    pub const fn ellipses(self) -> &'static str {
        match self {
            Side::First => "",
            Side::Second => "... ",
        }
    }

    /// The other side.
    pub const fn opponent(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Something that each side has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides<T> {
    /// What the side has that moves first.
    pub first: T,
    /// What the side has that moves second.
    pub second: T,
}

impl<T> Sides<T> {
    /// What `of` says of each side.
    pub fn of(mut of: impl FnMut(Side) -> T) -> Sides<T> {
        Sides {
            first: of(Side::First),
            second: of(Side::Second),
        }
    }
}

impl<T> Index<Side> for Sides<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for Sides<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}
