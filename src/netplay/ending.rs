//! How a match ended.

use std::fmt;

use crate::gothello::{self, Outcome};
use crate::netref::{Game, Gothello, Side};

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won; `None` if it is a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Both passed; the winner has so many stones more, 0 in a draw.
    Stones(u8),
    /// A player resigned.
    Resignation,
    /// A player's flag fell.
    Time,
    /// A player's connection ended.
    Disconnection,
    /// The referee did not say.
    Untold,
}

impl Ending {
    /// The ending that the outcome of a game is.
    pub fn of_outcome(outcome: Outcome) -> Ending {
        let (winner, margin) = match outcome {
            Outcome::Drawn => (None, 0),
            Outcome::Won { winner, margin } => (Some(Side::of_color(winner)), margin.get()),
        };
        Ending {
            winner,
            reason: Reason::Stones(margin),
        }
    }

    /// The ending of a game that is over; `None` if it goes on.
    pub fn of_game(game: &gothello::Game) -> Option<Ending> {
        match game.status() {
            gothello::Status::Undecided => None,
            gothello::Status::Over(outcome) => Some(Ending::of_outcome(outcome)),
        }
    }

    /// A side lost by something else than a move.
    pub fn lost(loser: Side, reason: Reason) -> Ending {
        Ending {
            winner: Some(loser.opponent()),
            reason,
        }
    }
}

/// Writes a sentence, as in `black wins by 3`, `white wins by time` or `drawn`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = self.winner else {
            return f.write_str("drawn");
        };
        write!(f, "{} wins", Gothello::SIDES[winner])?;
        match self.reason {
            Reason::Stones(margin) => write!(f, " by {margin}"),
            Reason::Resignation => f.write_str(" by resignation"),
            Reason::Time => f.write_str(" by time"),
            Reason::Disconnection => f.write_str(" by disconnection"),
            Reason::Untold => Ok(()),
        }
    }
}
