//! Captured stones and the end of a game.

use std::cmp::Ordering;
use std::fmt;

use super::pit::{PITS, Player};

/// The number of stones that each player has captured.
///
/// ```
/// use gothello::awari::{Player, Scores};
///
/// let scores = Scores { south: 10, north: 12 }.plus(Player::South, 3);
/// assert_eq!(scores.of(Player::South), 13);
/// assert_eq!(scores.winner(), Some(Player::South));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scores {
    /// South's stones, 0 to 48.
    pub south: u8,
    /// North's stones, 0 to 48.
    pub north: u8,
}

impl Scores {
    /// Returns the stones of a player.
    #[inline]
    pub const fn of(self, player: Player) -> u8 {
        match player {
            Player::South => self.south,
            Player::North => self.north,
        }
    }

    /// Adds stones to those of a player.
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

    /// Returns the player with more stones; `None` if both have the same number.
    pub fn winner(self) -> Option<Player> {
        match self.south.cmp(&self.north) {
            Ordering::Greater => Some(Player::South),
            Ordering::Less => Some(Player::North),
            Ordering::Equal => None,
        }
    }
}

/// How a game of Awari ended: the player with more stones wins, equal numbers are a draw (paper,
/// section 1, *winner*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AwariOutcome {
    /// The final scores.
    pub scores: Scores,
    /// The stones left in the pits, in the order of [`Pit::ALL`](super::Pit::ALL): none if the
    /// players have claimed them.
    pub pits: [u8; PITS],
    /// The reason for the end of the game.
    pub ending: EndReason,
}

impl AwariOutcome {
    /// Returns the winner; `None` if the game is drawn.
    pub fn winner(self) -> Option<Player> {
        self.scores.winner()
    }
}

/// The reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// A player has captured 25 stones or more (*WinMargin*).
    Majority,
    /// The player to move has no stones (*NoMove*).
    NoMove,
    /// A position occurred again (*NoMove*).
    Repetition,
    /// A move captured all of the opponent's stones (*GrandSlam*).
    GrandSlam,
}

/// Writes the reason for use after "the game is over:".
impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndReason::Majority => "25 stones",
            EndReason::NoMove => "no move",
            EndReason::Repetition => "repetition",
            EndReason::GrandSlam => "grand slam",
        })
    }
}

/// Whether a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The game goes on.
    Undecided,
    /// The game is over.
    Over(AwariOutcome),
}
