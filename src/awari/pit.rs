//! The pits of the board.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Player;

/// How many pits there are.
pub(super) const PITS: usize = 12;

/// How many pits a player has.
pub(super) const SIDE: usize = PITS / 2;

/// A pit: `a` to `f` are North's, `A` to `F` South's (paper, section 1,
/// *pit_order*). Stones are sown in this order, and from `F` on to `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pit(u8);

impl Pit {
    /// All pits in the order of sowing from `a` on.
    pub const ALL: [Pit; PITS] = {
        let mut all = [Pit(0); PITS];
        let mut index = 0;
        while index < PITS {
            all[index] = Pit(index as u8);
            index += 1;
        }
        all
    };

    /// The pits of a player, in the order of sowing.
    pub fn of(player: Player) -> &'static [Pit; SIDE] {
        const NORTH: &[Pit; SIDE] = Pit::ALL.first_chunk().expect("there are twelve");
        const SOUTH: &[Pit; SIDE] = Pit::ALL.last_chunk().expect("there are twelve");
        match player {
            Player::North => NORTH,
            Player::South => SOUTH,
        }
    }

    /// Its place in [`Pit::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The pit so many places further in the order of sowing.
    #[inline]
    pub const fn after(self, places: usize) -> Pit {
        Pit(((self.0 as usize + places) % PITS) as u8)
    }

    /// Whose pit it is.
    #[inline]
    pub const fn owner(self) -> Player {
        if (self.0 as usize) < SIDE {
            Player::North
        } else {
            Player::South
        }
    }
}

/// Writes the letter.
impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = match self.owner() {
            Player::North => b'a',
            Player::South => b'A',
        };
        let letter = char::from(first + self.0 % SIDE as u8);
        f.pad(letter.encode_utf8(&mut [0; 4]))
    }
}

/// A word that names no pit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no pit: a letter a-f (North's) or A-F (South's) is expected")]
pub struct ParsePitError(pub String);

/// Reads the letter; small and capital letters are different pits.
impl FromStr for Pit {
    type Err = ParsePitError;

    fn from_str(word: &str) -> Result<Pit, ParsePitError> {
        let named = |pit: &Pit| pit.to_string() == word;
        let pit = Pit::ALL.into_iter().find(named);
        pit.ok_or_else(|| ParsePitError(word.to_owned()))
    }
}
