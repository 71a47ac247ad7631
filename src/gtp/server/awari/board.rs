//! The pits as points of GoGui's board.
//!
//! GoGui 1.6 stops with an error when a ruler answers `gogui-rules_board_size`
//! with `6 2 rect`: it draws as many rows as columns, and does not find the other
//! four. So the board is a square, with the pits on its two middle rows, and
//! space for words above and below. Sowing goes round it counterclockwise:
//!
//! ```text
//! 4  f e d c b a     North, White
//! 3  A B C D E F     South, Black
//!    A B C D E F
//! ```

use std::str::FromStr;

use derive_more::Display;
use thiserror::Error;

use crate::games::awari::{Pit, Player};

/// The width and the height of the board.
pub const SIZE: u8 = 6;

/// The columns of the board from the left.
pub const COLUMNS: [char; SIZE as usize] = ['A', 'B', 'C', 'D', 'E', 'F'];

/// Returns the row of a player's pits.
pub const fn row(player: Player) -> u8 {
    match player {
        Player::South => 3,
        Player::North => 4,
    }
}

/// Returns the column of a pit.
pub fn column(pit: Pit) -> char {
    let found = columns(pit.owner()).find(|&(_, other)| other == pit);
    // Every pit is among its owner's.
    found.map_or('?', |(column, _)| column)
}

/// Returns a player's pits from the left, each with its column.
fn columns(player: Player) -> impl Iterator<Item = (char, Pit)> {
    COLUMNS.into_iter().zip(Pit::drawn_of(player))
}

/// A pit as GTP writes it: `A3` to `F3` are South's from the left, `A4` to `F4`
/// North's. (A [`Pit`] itself is written `A` to `F` for South, and `a` to `f` for North, whose `f`
/// is on the left.)
///
/// ```
/// use gothello::gtp::server::AwariVertex;
/// assert_eq!(AwariVertex("A".parse()?).to_string(), "A3");
/// assert_eq!("f4".parse::<AwariVertex>()?, AwariVertex("a".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[display("{}{}", column(*_0), row(_0.owner()))]
pub struct AwariVertex(pub Pit);

/// A word that does not name a pit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid pit {0:?}: use A3 to F3 (South's) or A4 to F4 (North's)")]
pub struct ParseAwariVertexError(pub String);

/// Parses a column in either case and a row.
impl FromStr for AwariVertex {
    type Err = ParseAwariVertexError;

    fn from_str(word: &str) -> Result<AwariVertex, ParseAwariVertexError> {
        let named = || {
            let mut chars = word.chars();
            let letter = chars.next()?.to_ascii_uppercase();
            let digit = chars.next()?.to_digit(10)?;
            let is_row = |&player: &Player| u32::from(row(player)) == digit;
            let player = Player::ALL.into_iter().find(is_row)?;
            let (_, pit) = columns(player).find(|&(column, _)| column == letter)?;
            chars.next().is_none().then_some(AwariVertex(pit))
        };
        named().ok_or_else(|| ParseAwariVertexError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_parsed_as_printed() {
        let around = Pit::ALL.map(|pit| AwariVertex(pit).to_string()).join(" ");
        assert_eq!(around, "F4 E4 D4 C4 B4 A4 A3 B3 C3 D3 E3 F3");
        for vertex in Pit::ALL.map(AwariVertex) {
            let word = vertex.to_string();
            assert_eq!(word.parse(), Ok(vertex));
            assert_eq!(word.to_lowercase().parse(), Ok(vertex));
        }
        for word in [
            "", "A", "3", "A1", "G3", "A33", "A+3", "ä3", "A 3", "+3", "pas", "pass",
        ] {
            assert!(word.parse::<AwariVertex>().is_err(), "{word}");
        }
    }
}
