//! What a journal holds of the games that are not over.

use serde::{Deserialize, Serialize};

use super::name::Name;
use super::terms::Terms;
use super::wire::{Both, LogEntry, Millis, Reason, Side};
use crate::tournament::Fixture;

/// The number of a game, which no other game of the same folder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(pub u64);

impl std::fmt::Display for GameId {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:04}", self.0)
    }
}

/// Something that was decided, and then told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Entry {
    /// All numbers below are taken.
    Numbered {
        /// The number of the next game.
        next: GameId,
    },
    /// A game begins.
    Opened {
        /// The game.
        game: GameId,
        /// The number of its table.
        table: u16,
        /// The players.
        names: Both<Name>,
        /// What it begins with.
        terms: Box<Terms>,
        /// What it is in the tournament.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fixture: Option<Fixture>,
        /// Whether it was paired by the server, which then frees the seats after
        /// it.
        paired: bool,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// A move is accepted.
    Played {
        /// The game.
        game: GameId,
        /// The move.
        #[serde(flatten)]
        entry: LogEntry,
    },
    /// A game is broken off and may go on.
    Stopped {
        /// The game.
        game: GameId,
        /// Why.
        reason: Reason,
        /// What the player to move has used since the last move.
        idle: Millis,
    },
    /// What a player has used of its breaks in a game, in all.
    Breaks {
        /// The game.
        game: GameId,
        /// The player.
        side: Side,
        /// How many there were.
        number: u32,
        /// How long they took.
        used: Millis,
    },
    /// A game goes on.
    Resumed {
        /// The game.
        game: GameId,
        /// Its table.
        table: u16,
        /// The players, who may be others.
        names: Both<Name>,
    },
    /// A game leaves its table, to go on another day.
    Adjourned {
        /// The game.
        game: GameId,
    },
    /// An adjourned game is put on a table.
    Recalled {
        /// The game.
        game: GameId,
        /// The table.
        table: u16,
    },
    /// A game is over, and is to be recorded.
    Ended {
        /// The game.
        game: GameId,
        /// Why.
        reason: Reason,
        /// Who has won.
        winner: Side,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// A game is given up, and is to be recorded as it stands.
    Cleared {
        /// The game.
        game: GameId,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// A game that is over is on record.
    Recorded {
        /// The game.
        game: GameId,
    },
}

impl Entry {
    /// How long it is in a journal, about, in moves.
    pub(super) fn weight(&self) -> usize {
        /// So many points of a board are written like a move.
        const POINTS: usize = 25;
        match self {
            Entry::Opened { terms, .. } => {
                let points = terms.position().board.size().points().count();
                1 + terms.log().len() + points / POINTS
            }
            _ => 1,
        }
    }
}
