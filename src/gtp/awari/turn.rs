//! The pits as points of GoGui's board, and moves as GTP writes them.
//!
//! GoGui 1.6 stops with an error when a ruler answers `gogui-rules_board_size`
//! with `6 2 rect`: it draws as many rows as columns, and does not find the other
//! four. So the board is a square, with the pits on its two middle rows, and
//! room for words above and below. Sowing goes round it against the clock:
//!
//! ```text
//! 4  f e d c b a     North, White
//! 3  A B C D E F     South, Black
//!    A B C D E F
//! ```

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::awari::{Pit, Player};

/// The width and the height of the board.
pub(super) const SIZE: u8 = 6;

/// The columns of the board from the left.
pub(super) const COLUMNS: [char; SIZE as usize] = ['A', 'B', 'C', 'D', 'E', 'F'];

/// The row of a player's pits.
pub(super) const fn row(player: Player) -> u8 {
    match player {
        Player::South => 3,
        Player::North => 4,
    }
}

/// A player's pits from the left.
pub(super) fn pits(player: Player) -> [Pit; SIZE as usize] {
    let mut pits = *Pit::of(player);
    if player == Player::North {
        pits.reverse();
    }
    pits
}

/// A player's pits from the left, each with its column.
pub(super) fn columns(player: Player) -> impl Iterator<Item = (char, Pit)> {
    COLUMNS.into_iter().zip(pits(player))
}

/// The column of a pit.
pub(super) fn column(pit: Pit) -> char {
    let found = columns(pit.owner()).find(|&(_, other)| other == pit);
    // Every pit is its owner's.
    found.map_or('?', |(column, _)| column)
}

/// A move in the protocol: a pit to sow, or the pass that GTP knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Sows a pit.
    Sow(Pit),
    /// Says that the game is over.
    Pass,
}

/// Writes the point in upper case, or `pass`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Turn::Sow(pit) => write!(f, "{}{}", column(pit), row(pit.owner())),
            Turn::Pass => f.write_str("pass"),
        }
    }
}

/// A word that is no move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no pit: A3 to F3 (South's) or A4 to F4 (North's) is expected")]
pub struct ParseTurnError(pub String);

/// Reads a point or `pass` in any case.
impl FromStr for Turn {
    type Err = ParseTurnError;

    fn from_str(word: &str) -> Result<Turn, ParseTurnError> {
        if word.eq_ignore_ascii_case("pass") {
            return Ok(Turn::Pass);
        }
        let named = || {
            let mut chars = word.chars();
            let letter = chars.next()?.to_ascii_uppercase();
            let digit = chars.next()?.to_digit(10)?;
            let is_row = |&player: &Player| u32::from(row(player)) == digit;
            let player = Player::ALL.into_iter().find(is_row)?;
            let (_, pit) = columns(player).find(|&(column, _)| column == letter)?;
            chars.next().is_none().then_some(Turn::Sow(pit))
        };
        named().ok_or_else(|| ParseTurnError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pit_is_a_point_and_is_read_back() {
        let around = Pit::ALL.map(|pit| Turn::Sow(pit).to_string()).join(" ");
        assert_eq!(around, "F4 E4 D4 C4 B4 A4 A3 B3 C3 D3 E3 F3");
        for turn in Pit::ALL.map(Turn::Sow).into_iter().chain([Turn::Pass]) {
            let word = turn.to_string();
            assert_eq!(word.parse(), Ok(turn));
            assert_eq!(word.to_lowercase().parse(), Ok(turn));
        }
        for word in [
            "", "A", "3", "A1", "G3", "A33", "A+3", "ä3", "A 3", "+3", "pas",
        ] {
            assert!(word.parse::<Turn>().is_err(), "{word}");
        }
    }
}
