//! Captured stones, and what they mean at the end.

use std::fmt;

use super::Player;
use super::pit::PITS;

/// How many stones each player has captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scores {
    /// South's stones, 0 to 48.
    pub south: u8,
    /// North's stones, 0 to 48.
    pub north: u8,
}

impl Scores {
    /// A player's stones.
    #[inline]
    pub const fn of(self, player: Player) -> u8 {
        match player {
            Player::South => self.south,
            Player::North => self.north,
        }
    }

    /// With so many more for a player.
    #[inline]
    #[must_use]
    pub const fn plus(self, player: Player, stones: u8) -> Scores {
        let Scores { south, north } = self;
        match player {
            Player::South => Scores {
                south: south + stones,
                north,
            },
            Player::North => Scores {
                south,
                north: north + stones,
            },
        }
    }

    /// Who has more; `None` if both have the same.
    pub fn winner(self) -> Option<Player> {
        match self.south.cmp(&self.north) {
            std::cmp::Ordering::Greater => Some(Player::South),
            std::cmp::Ordering::Less => Some(Player::North),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// How a game ended: with more stones a player wins, with equal numbers it is
/// drawn (paper, section 1, *winner*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The stones that count.
    pub scores: Scores,
    /// The stones that are left in the pits, in the order of
    /// [`Pit::ALL`](super::Pit::ALL): none where the players have claimed them.
    pub pits: [u8; PITS],
    /// What ended it.
    pub ending: Ending,
}

impl Outcome {
    /// Who won; `None` if the game is drawn.
    pub fn winner(self) -> Option<Player> {
        self.scores.winner()
    }
}

/// What ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// A player has 25 stones or more (*WinMargin*).
    Enough,
    /// The player to move has no stones (*NoMove*).
    NoMove,
    /// The position was there before (*NoMove*).
    Repetition,
    /// All of the opponent's stones were captured (*GrandSlam*).
    GrandSlam,
}

/// Writes the reason as it stands after "the game is over:".
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Enough => "25 stones",
            Ending::NoMove => "no move",
            Ending::Repetition => "repetition",
            Ending::GrandSlam => "grand slam",
        })
    }
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game goes on.
    Undecided,
    /// It is over.
    Over(Outcome),
}
