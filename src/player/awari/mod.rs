//! The Awari player: alpha-beta search with iterative deepening and an endgame
//! database.

mod search;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Limits;
use crate::base::timer::Timer;
use crate::games::awari::{Game, Pit, Variant};
use crate::solving::endgame::Database;
use search::{Search, SearchTable};

/// The size of the transposition table: 2^20 entries, 24 MiB.
const TABLE_BITS: u32 = 20;

/// The most stones in the database that an [`AwariSearch`] builds for itself. Building
/// it takes about 0.2 seconds.
const OWN_STONES: u8 = 8;

/// The fraction of the time for a move that may be spent on building a layer of that
/// database: one part in 16.
const BUILD_SHARE: u32 = 16;

/// The largest factor by which a layer takes longer to build than the one before, once
/// that takes any time.
const LAYER_GROWTH: u32 = 4;

/// Chooses moves of Awari.
pub trait AwariPlayer: Send {
    /// Returns a legal move for the player to move in a game that is not over, within
    /// the limits.
    fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> AwariChoice;
}

/// A move of Awari with the player's assessment of it.
///
/// ```
/// use gothello::player::AwariChoice;
///
/// let choice = AwariChoice::new("C".parse()?).with_lead(4).searched(12, 104_208);
/// assert_eq!(choice.to_string(), "C +4 estimated, depth 12, 104208 positions");
/// # Ok::<(), gothello::awari::ParsePitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwariChoice {
    /// The pit to sow.
    pub pit: Pit,
    /// The player's stones minus the opponent's at the end of the game, if play went
    /// on after one of them has 25. Its sign is certain if [`AwariChoice::proven`] is
    /// set; its size is an estimate in either case.
    pub lead: i32,
    /// Whether it is proven who wins, or that the game is drawn.
    pub proven: bool,
    /// The depth in plies of the deepest iteration that was finished; 0 if there was
    /// only one legal move.
    pub depth: u8,
    /// The number of positions searched.
    pub positions: u64,
}

impl AwariChoice {
    /// Returns the choice of a move without a search: an estimated lead of 0, depth 0, and no
    /// positions.
    pub const fn new(pit: Pit) -> AwariChoice {
        AwariChoice {
            pit,
            lead: 0,
            proven: false,
            depth: 0,
            positions: 0,
        }
    }

    /// Sets an estimated lead, in stones for the player who moves.
    #[must_use]
    pub const fn with_lead(self, lead: i32) -> AwariChoice {
        AwariChoice {
            lead,
            proven: false,
            ..self
        }
    }

    /// Sets a lead, in stones for the player who moves, whose sign is proven.
    #[must_use]
    pub const fn proven_lead(self, lead: i32) -> AwariChoice {
        AwariChoice {
            lead,
            proven: true,
            ..self
        }
    }

    /// Sets the depth of the search in plies, and the number of positions searched.
    #[must_use]
    pub const fn searched(self, depth: u8, positions: u64) -> AwariChoice {
        AwariChoice {
            depth,
            positions,
            ..self
        }
    }
}

/// Writes the choice for a log: `C +4 estimated, depth 12, 104208 positions`.
impl fmt::Display for AwariChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.proven { "proven" } else { "estimated" };
        write!(f, "{} {:+} {kind}", self.pit, self.lead)?;
        if self.depth > 0 {
            write!(f, ", depth {}", self.depth)?;
        }
        write!(f, ", {} positions", self.positions)
    }
}

/// Returns the number of moves among which an Awari player should divide its time left.
///
/// The fewer stones are on the board, the fewer moves are expected.
pub fn awari_moves_to_go(game: &Game) -> u32 {
    let stones: u8 = game.pits().iter().sum();
    8 + u32::from(stones) / 2
}

/// The built-in Awari player, which searches as deep as its time allows.
///
/// It looks endgames up in a database. Without one for the variant of the game, it
/// builds a small one when it is first asked for a move; until then it takes neither
/// memory nor time.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::awari::Game;
/// use gothello::player::{AwariSearch, Limits};
///
/// let game = Game::default();
/// let choice = AwariSearch::new(None).choose(&game, &Limits::within(Duration::from_millis(50)));
/// assert!(game.legal_moves().any(|pit| pit == choice.pit));
/// ```
#[derive(Debug)]
pub struct AwariSearch {
    given: Option<Arc<Database>>,
    own: Option<OwnDatabase>,
    table: SearchTable,
    max_depth: u8,
}

/// The database that an [`AwariSearch`] builds for itself.
#[derive(Debug)]
struct OwnDatabase {
    database: Database,
    /// How long it took to build the last layer.
    last: Duration,
}

impl AwariSearch {
    /// Creates a player that uses a database for the variant that the database was
    /// built for.
    pub fn new(database: Option<Arc<Database>>) -> AwariSearch {
        AwariSearch {
            given: database,
            own: None,
            table: SearchTable::new(TABLE_BITS),
            max_depth: AwariSearch::MAX_DEPTH,
        }
    }

    /// The largest limit of the search, in plies.
    pub const MAX_DEPTH: u8 = 100;

    /// Limits the search to this many plies, 1 to [`AwariSearch::MAX_DEPTH`]; captures are followed further.
    #[must_use]
    pub fn with_depth(mut self, plies: u8) -> AwariSearch {
        self.max_depth = plies.clamp(1, AwariSearch::MAX_DEPTH);
        self
    }

    /// Returns a legal move for the player to move, immediately if there is only one.
    ///
    /// If the game is over, no move is legal: then this returns one that was legal in
    /// the last position.
    pub fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> AwariChoice {
        let timer = Timer::start(limits.time);
        let has_choice = game.legal_moves().nth(1).is_some();
        let given = self.given.clone();
        let given = given.filter(|given| given.variant() == game.variant());
        if has_choice && given.is_none() {
            self.grow_database(game.variant(), limits);
        }
        let own = self.own.as_ref().map(|own| &own.database);
        let database = given.as_deref().or(own);
        let mut search = Search::new(game, database, &mut self.table, limits, timer);
        let max_depth = if has_choice { self.max_depth } else { 0 };
        search.deepen(game.position(), max_depth)
    }

    /// Builds further layers of the player's own database for this variant, as long as a layer
    /// takes only a small part of the time.
    fn grow_database(&mut self, variant: Variant, limits: &Limits<'_>) {
        let own = self
            .own
            .take()
            .filter(|own| own.database.variant() == variant);
        let mut own = own.unwrap_or_else(|| OwnDatabase {
            database: Database::new(variant),
            last: Duration::ZERO,
        });
        let share = limits.time.map(|time| time / BUILD_SHARE);
        let is_quick = |last: Duration| share.is_none_or(|share| last * LAYER_GROWTH < share);
        while own.database.stones() < OWN_STONES && is_quick(own.last) {
            let timer = Timer::start(limits.time);
            if own.database.grow(1, limits.stop, &|_| ()).is_none() {
                break;
            }
            own.last = timer.passed().unwrap_or(own.last);
        }
        self.own = Some(own);
    }
}

impl AwariPlayer for AwariSearch {
    fn choose(&mut self, game: &Game, limits: &Limits<'_>) -> AwariChoice {
        AwariSearch::choose(self, game, limits)
    }
}
