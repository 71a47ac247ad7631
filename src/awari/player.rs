//! The two players.

use std::fmt;

use crate::color::Color;

/// One of the two players. South moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Player {
    /// The player who moves first; the pits A to F are his.
    South,
    /// The player who moves second; the pits a to f are his.
    North,
}

impl Player {
    /// Both players, South first.
    pub const ALL: [Player; 2] = [Player::South, Player::North];

    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Player {
        match self {
            Player::South => Player::North,
            Player::North => Player::South,
        }
    }

    /// The letter of the text form: `s` or `n`.
    pub const fn letter(self) -> char {
        match self {
            Player::South => 's',
            Player::North => 'n',
        }
    }
}

/// Writes `South` or `North`.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Player::South => "South",
            Player::North => "North",
        })
    }
}

/// South moves first, as Black does.
impl From<Player> for Color {
    fn from(player: Player) -> Color {
        match player {
            Player::South => Color::Black,
            Player::North => Color::White,
        }
    }
}

/// Black moves first, as South does.
impl From<Color> for Player {
    fn from(color: Color) -> Player {
        match color {
            Color::Black => Player::South,
            Color::White => Player::North,
        }
    }
}
