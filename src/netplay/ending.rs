//! How a match ended.

use std::fmt;

use crate::color::{ByColor, Color};
use crate::netref::{Forfeit, NetrefGame};

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won; `None` if it is a draw.
    pub winner: Option<Color>,
    /// Why.
    pub reason: Reason,
    /// What the sides are called.
    sides: ByColor<&'static str>,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// By the rules; the winner has so many stones more, 0 in a draw.
    Stones(u8),
    /// The players agreed on a draw.
    Agreement,
    /// A player resigned.
    Resignation,
    /// A player's flag fell.
    Time,
    /// A player's connection ended.
    Disconnection,
    /// The referee did not say.
    Untold,
}

/// How a game ended by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margin {
    /// Who won; `None` if it is a draw.
    pub winner: Option<Color>,
    /// How many stones the winner has more; 0 in a draw.
    pub stones: u8,
}

impl From<Forfeit> for Reason {
    fn from(forfeit: Forfeit) -> Reason {
        match forfeit {
            Forfeit::Resignation => Reason::Resignation,
            Forfeit::Time => Reason::Time,
            Forfeit::Disconnection => Reason::Disconnection,
            Forfeit::Protocol | Forfeit::Other => Reason::Untold,
        }
    }
}

impl Ending {
    /// An ending of a match of `G`.
    pub fn of<G: NetrefGame>(winner: Option<Color>, reason: Reason) -> Ending {
        Ending {
            winner,
            reason,
            sides: G::SIDES,
        }
    }

    /// The ending of a match of `G` that was played to its end.
    pub fn played<G: NetrefGame>(margin: Margin) -> Ending {
        Ending::of::<G>(margin.winner, Reason::Stones(margin.stones))
    }

    /// A side of a match of `G` lost by something else than a move.
    pub fn lost<G: NetrefGame>(loser: Color, reason: Reason) -> Ending {
        Ending::of::<G>(Some(loser.opponent()), reason)
    }
}

/// Writes a sentence, as in `black wins by 3`, `white wins by time` or `drawn`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{} wins", self.sides[winner])?,
            None => f.write_str("drawn")?,
        }
        match (self.reason, self.winner) {
            (Reason::Stones(margin), Some(_)) => write!(f, " by {margin}"),
            (Reason::Agreement, _) => f.write_str(" by agreement"),
            (Reason::Resignation, _) => f.write_str(" by resignation"),
            (Reason::Time, _) => f.write_str(" by time"),
            (Reason::Disconnection, _) => f.write_str(" by disconnection"),
            (Reason::Untold, _) | (Reason::Stones(_), None) => Ok(()),
        }
    }
}
