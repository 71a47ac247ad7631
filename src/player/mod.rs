//! Players: whoever is asked for a move.

mod alphabeta;
mod analyst;
mod awari;
mod evaluation;
mod level;
mod perfect;
mod prover;
mod table;
mod weakened;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::gothello::{Move, Position};
use crate::solver::NEVER_SET;

pub use alphabeta::AlphaBeta;
pub use analyst::{Analyst, BestMoves, Inquiry, Variation, best_of, value_of};
pub use awari::{AwariChoice, AwariPlayer, AwariSearch, awari_moves_to_go};
pub use level::{Level, ParseLevelError, Skill};
pub use perfect::Perfect;
pub use prover::Prover;
pub use weakened::Weakened;

/// How long is thought about a move when nothing is said about time.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// With so few empty points the game is always played out, whatever the limits
/// say: it takes tens of milliseconds at most.
const ALWAYS_SOLVED: u32 = 12;

/// Among how many moves a player divides the time that he has for all of them,
/// with so many empty points on the board.
///
/// He will place at most every second stone. Early moves are the hard ones: the
/// last few take no time at all.
pub const fn moves_to_come(empty: u32) -> u32 {
    let moves = (empty / 2).saturating_sub(3);
    if moves < 2 { 2 } else { moves }
}

/// Chooses moves.
pub trait Player: Send {
    /// A move for the player to move in `position`, within the limits.
    ///
    /// It is legal, and there always is one: a player may pass on any turn.
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice;

    /// How well he plays, if that can be set.
    fn skill(&mut self) -> Option<&mut Skill> {
        None
    }
}

/// When to stop thinking and move: by default never before it is done.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::gothello::{Move, Position};
/// use gothello::player::{Limits, Perfect, Player};
///
/// let mut player = Perfect::default();
/// let choice = player.choose(&Position::START, &Limits::within(Duration::from_secs(1)));
/// assert!(choice.proven);
/// assert_eq!(choice.mv, "c2".parse::<Move>()?);
/// # Ok::<(), gothello::gothello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// How long to think; for as long as it takes if `None`.
    pub time: Option<Duration>,
    /// Stop as soon as this is set.
    pub stop: &'a AtomicBool,
}

impl<'a> Limits<'a> {
    /// Allows so much time.
    pub const fn within(time: Duration) -> Limits<'static> {
        Limits {
            time: Some(time),
            stop: &NEVER_SET,
        }
    }

    /// Stops thinking soon after `stop` is set, and no other flag.
    pub const fn stopped_by(self, stop: &'a AtomicBool) -> Limits<'a> {
        Limits {
            time: self.time,
            stop,
        }
    }
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits {
            time: None,
            stop: &NEVER_SET,
        }
    }
}

/// A move, and what the player thinks of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// The player's stones less the opponent's at the end of the game: exact
    /// if [`Choice::proven`], else an estimate.
    pub margin: f32,
    /// Whether the margin is that of best play by both sides.
    pub proven: bool,
    /// Plies to the horizon of the deepest search that was finished; 0 if the
    /// margin is no estimate of such a search.
    pub depth: u8,
    /// Positions searched.
    pub positions: u64,
}

/// Writes the choice for a log.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.proven { "proven" } else { "estimated" };
        write!(f, "{} {:+.2} {kind}", self.mv, self.margin)?;
        if self.depth > 0 {
            write!(f, ", depth {}", self.depth)?;
        }
        write!(f, ", {} positions", self.positions)
    }
}
