//! The player of Awari: alpha-beta with iterative deepening, and the endgames.

mod found;
mod leaf;
mod search;
mod table;
mod value;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Limits;
use crate::awari::{Game, Pit, Variant};
use crate::endgame::Database;
use search::Search;
use table::Table;

/// A table of 2^20 entries, 24 MiB.
const TABLE_BITS: u32 = 20;

/// The database that a player makes himself has no more stones: it takes about two
/// tenths of a second.
const OWN_STONES: u8 = 8;

/// This part of the time for a move may be spent on it.
const OWN_SHARE: u32 = 16;

/// With one stone more it takes at most so many times as long, where it takes any
/// time.
const GROWTH: u32 = 4;

/// A player of Awari who searches as deep as his time allows.
///
/// He looks up the endgames in a database. If he is given none, or one for
/// another way to play than the game's, he makes a small one when he is asked for
/// a move: until then he takes no memory, and no time.
pub struct Sower {
    given: Option<Arc<Database>>,
    own: Option<Own>,
    table: Table,
    deepest: u8,
}

/// The database that a player makes himself.
struct Own {
    database: Database,
    /// How long the last number of stones took.
    last: Duration,
}

/// A pit to sow, and what the player thinks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sowing {
    /// The move.
    pub pit: Pit,
    /// The player's stones less the opponent's at the end, if they went on when
    /// one of them has 25. That it is more, less or nothing is certain if
    /// [`Sowing::proven`]; how much it is need not be.
    pub margin: i32,
    /// Whether it is proven who wins, or that it is a draw. Else the margin is an
    /// estimate.
    pub proven: bool,
    /// Plies to the horizon of the deepest search that was finished; 0 if there
    /// was nothing to choose.
    pub depth: u8,
    /// Positions searched.
    pub positions: u64,
}

/// Writes the choice for a log.
impl fmt::Display for Sowing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.proven { "proven" } else { "estimated" };
        write!(f, "{} {:+} {kind}", self.pit, self.margin)?;
        if self.depth > 0 {
            write!(f, ", depth {}", self.depth)?;
        }
        write!(f, ", {} positions", self.positions)
    }
}

impl Sower {
    /// A player with this database.
    pub fn new(database: Option<Arc<Database>>) -> Sower {
        Sower {
            given: database,
            own: None,
            table: Table::new(TABLE_BITS),
            deepest: search::MAX_DEPTH,
        }
    }

    /// The same, who never searches more plies than this.
    #[must_use]
    pub fn with_depth(mut self, plies: u8) -> Sower {
        self.deepest = plies.clamp(1, search::MAX_DEPTH);
        self
    }

    /// A legal move for the player to move, at once if it is the only one. (If the
    /// game is over, none is legal: then it is one that could be made in the last
    /// position.)
    pub fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> Sowing {
        let started = Instant::now();
        let has_choice = game.legal_moves().nth(1).is_some();
        if has_choice {
            self.prepare(game.variant(), limits);
        }
        let given = self
            .given
            .as_deref()
            .filter(|given| given.variant() == game.variant());
        let own = self.own.as_ref().map(|own| &own.database);
        let mut search = Search::new(game, given.or(own), &mut self.table, limits, started);
        let deepest = if has_choice { self.deepest } else { 0 };
        search.deepen(game.position(), deepest)
    }

    /// Makes a database, or makes it larger, if there is none for this way to play
    /// and it takes only a small part of the time.
    fn prepare(&mut self, variant: Variant, limits: &Limits<'_>) {
        if self
            .given
            .as_ref()
            .is_some_and(|given| given.variant() == variant)
        {
            return;
        }
        let own = self
            .own
            .take()
            .filter(|own| own.database.variant() == variant);
        let mut own = own.unwrap_or_else(|| Own {
            database: Database::new(variant),
            last: Duration::ZERO,
        });
        let share = limits.time.map(|time| time / OWN_SHARE);
        let is_quick = |last: Duration| share.is_none_or(|share| last * GROWTH < share);
        while own.database.stones() < OWN_STONES && is_quick(own.last) {
            let started = Instant::now();
            if own.database.grow(1, limits.stop).is_none() {
                break;
            }
            own.last = started.elapsed();
        }
        self.own = Some(own);
    }
}
