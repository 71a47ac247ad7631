//! The pits, and the two players who own them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::base::color::Color;

/// The number of pits on the board.
pub const PITS: usize = 12;

/// The number of pits of a player.
pub const SIDE: usize = PITS / 2;

/// One of the two players. South moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Player {
    /// The player who moves first and owns the pits A to F.
    South,
    /// The player who moves second and owns the pits a to f.
    North,
}

impl Player {
    /// Both players, South first.
    pub const ALL: [Player; 2] = [Player::South, Player::North];

    /// Returns the other player.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Player {
        match self {
            Player::South => Player::North,
            Player::North => Player::South,
        }
    }

    /// Returns the letter of the text form: `s` or `n`.
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

/// Converts South to Black: they move first.
impl From<Player> for Color {
    fn from(player: Player) -> Color {
        match player {
            Player::South => Color::Black,
            Player::North => Color::White,
        }
    }
}

/// Converts Black to South: they move first.
impl From<Color> for Player {
    fn from(color: Color) -> Player {
        match color {
            Color::Black => Player::South,
            Color::White => Player::North,
        }
    }
}

/// A pit: `a` to `f` are North's, `A` to `F` are South's (paper, section 1,
/// *pit_order*). Stones are sown in this order, and on from `F` to `a`.
///
/// ```
/// use gothello::awari::{Pit, Player};
///
/// let pit: Pit = "F".parse()?;
/// assert_eq!(pit.owner(), Player::South);
/// assert_eq!(pit.after(1).to_string(), "a");
/// # Ok::<(), gothello::awari::ParsePitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pit(u8);

impl Pit {
    /// All pits in the order of sowing, from `a` on.
    pub const ALL: [Pit; PITS] = {
        let mut all = [Pit(0); PITS];
        let mut index = 0;
        while index < PITS {
            all[index] = Pit(index as u8);
            index += 1;
        }
        all
    };

    /// Returns the pits of a player in the order of sowing.
    #[inline]
    pub fn of(player: Player) -> &'static [Pit; SIDE] {
        const NORTH: &[Pit; SIDE] = Pit::ALL.first_chunk().expect("there are twelve");
        const SOUTH: &[Pit; SIDE] = Pit::ALL.last_chunk().expect("there are twelve");
        match player {
            Player::North => NORTH,
            Player::South => SOUTH,
        }
    }

    /// Returns the pits of a player from the left, as the board is drawn: North's from `f` to `a`,
    /// South's from `A` to `F`.
    pub fn drawn_of(player: Player) -> [Pit; SIDE] {
        let mut pits = *Pit::of(player);
        if player == Player::North {
            pits.reverse();
        }
        pits
    }

    /// Returns all pits as the board is drawn: North's, below them South's.
    pub fn drawn() -> impl Iterator<Item = Pit> {
        let north = Pit::drawn_of(Player::North).into_iter();
        north.chain(Pit::drawn_of(Player::South))
    }

    /// Returns the row from the top and the column of the pit as the board is drawn, from 0.
    ///
    /// ```
    /// use gothello::awari::Pit;
    /// assert!(Pit::drawn().map(Pit::place).is_sorted());
    /// ```
    pub const fn place(self) -> [u8; 2] {
        let column = self.0 % SIDE as u8;
        match self.owner() {
            Player::North => [0, SIDE as u8 - 1 - column],
            Player::South => [1, column],
        }
    }

    /// Returns the index in [`Pit::ALL`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the pit this number of steps further in the order of sowing.
    #[inline]
    #[must_use]
    pub const fn after(self, steps: usize) -> Pit {
        Pit(((self.0 as usize + steps) % PITS) as u8)
    }

    /// Returns the player who owns the pit.
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

/// A word that is not a pit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a pit: use a letter a-f (North's) or A-F (South's)")]
pub struct ParsePitError(pub String);

/// Parses the letter. Lower and upper case are different pits.
impl FromStr for Pit {
    type Err = ParsePitError;

    fn from_str(word: &str) -> Result<Pit, ParsePitError> {
        let is_named = |pit: &Pit| pit.to_string() == word;
        let pit = Pit::ALL.into_iter().find(is_named);
        pit.ok_or_else(|| ParsePitError(word.to_owned()))
    }
}
