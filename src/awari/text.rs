//! The one text form of a position.
//!
//! The stones in North's pits a to f with commas between them, a `/`, those in
//! South's pits A to F; a space and the stones that North has captured, a space
//! and those that South has; a space and the side to move, `s` or `n`:
//! `4,4,4,4,4,4/4,4,4,4,4,4 0 0 s`. Nothing else is read, and what is read is
//! printed back identically.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::pit::{PITS, SIDE};
use super::{IllegalPosition, Pit, Player, Position, Scores};

/// What is wrong with the text of a position, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParsePositionError {
    /// Not four words.
    #[error(
        "the pits, North's and South's captured stones and the side to move are expected, with one \
         space between them, as in {}",
        Position::START
    )]
    Words,
    /// Not two sides.
    #[error(
        "{text:?} has no two sides: a to f, / and A to F are expected, as in 4,4,4,4,4,4/4,4,4,4,4,4"
    )]
    Sides {
        /// The pits as they were given.
        text: String,
    },
    /// A side that has not six pits.
    #[error(
        "{player}'s side ({text:?}) has {found} pits: 6 numbers with commas between them are expected"
    )]
    Pits {
        /// Whose side it is.
        player: Player,
        /// The side as it was given.
        text: String,
        /// How many numbers it has.
        found: usize,
    },
    /// No number of stones in a pit.
    #[error("{found:?} in pit {pit} is no number of stones, 0 to 48")]
    Pit {
        /// The pit.
        pit: Pit,
        /// What stands there.
        found: String,
    },
    /// No number of captured stones.
    #[error("{found:?} is no number of stones that {player} has captured, 0 to 48")]
    Score {
        /// Who has captured them.
        player: Player,
        /// What stands there.
        found: String,
    },
    /// The side to move is neither `s` nor `n`.
    #[error("{found:?} is no side to move: s or n is expected")]
    Side {
        /// The word in its place.
        found: String,
    },
    /// The stones are no position of a game that goes on.
    #[error(transparent)]
    Illegal(#[from] IllegalPosition),
}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let words = text.split(' ').collect::<Vec<_>>();
        let [board, north, south, side] = words[..] else {
            return Err(ParsePositionError::Words);
        };
        let pits = parse_board(board)?;
        let score = |player, word: &str| {
            number(word).ok_or_else(|| ParsePositionError::Score {
                player,
                found: word.to_owned(),
            })
        };
        let scores = Scores {
            north: score(Player::North, north)?,
            south: score(Player::South, south)?,
        };
        let letter = |player: &Player| side.chars().eq([player.letter()]);
        let to_move = Player::ALL.into_iter().find(letter);
        let to_move = to_move.ok_or_else(|| ParsePositionError::Side {
            found: side.to_owned(),
        })?;
        Ok(Position::new(pits, scores, to_move)?)
    }
}

fn parse_board(text: &str) -> Result<[u8; PITS], ParsePositionError> {
    let sides = text.split('/').collect::<Vec<_>>();
    let [north, south] = sides[..] else {
        return Err(ParsePositionError::Sides {
            text: text.to_owned(),
        });
    };
    let mut pits = [0; PITS];
    for (player, text) in [(Player::North, north), (Player::South, south)] {
        let found = text.split(',').count();
        if found != SIDE {
            return Err(ParsePositionError::Pits {
                player,
                text: text.to_owned(),
                found,
            });
        }
        for (&pit, word) in Pit::of(player).iter().zip(text.split(',')) {
            let wrong = || ParsePositionError::Pit {
                pit,
                found: word.to_owned(),
            };
            pits[pit.index()] = number(word).ok_or_else(wrong)?;
        }
    }
    Ok(pits)
}

/// A number of stones as it is printed: without a sign, and without zeros before
/// it.
fn number(word: &str) -> Option<u8> {
    let number: u8 = word.parse().ok()?;
    let is_stones = number <= super::STONES && number.to_string() == word;
    is_stones.then_some(number)
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |player| {
            Pit::of(player)
                .iter()
                .map(|&pit| self.stones(pit).to_string())
                .collect::<Vec<_>>()
                .join(",")
        };
        let Scores { south, north } = self.scores();
        let (upper, lower) = (side(Player::North), side(Player::South));
        let letter = self.to_move().letter();
        write!(f, "{upper}/{lower} {north} {south} {letter}")
    }
}
