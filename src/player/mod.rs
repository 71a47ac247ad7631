//! Players, which choose moves, and the analysis of positions.

mod alphabeta;
mod analyzer;
mod awari;
mod evaluation;
mod leveled;
mod move_limits;
mod perfect;
mod prover;
mod table;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::base::timer::{self, Moment, Timer};
use crate::games::gothello::{Move, Position};
use crate::solving::solver::{NEVER_SET, PositionBudget};

pub use alphabeta::AlphaBeta;
pub use analyzer::{AnalysisControl, Analyzer, BestMoves, best_of, value_of};
pub use awari::{AwariChoice, AwariPlayer, AwariSearch, awari_moves_to_go};
pub use leveled::{Level, LeveledPlayer, ParseLevelError, Skill, WeakLevel};
#[doc(hidden)]
pub use move_limits::MoveLimits;
pub(crate) use perfect::MAX_CHOICE_TIME;
pub use perfect::PerfectPlayer;
pub use prover::Prover;

/// The time for a move if there is no time control.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// With this many empty points or fewer, the game is always solved, even beyond the limits:
/// it takes tens of milliseconds at most.
const ALWAYS_SOLVED: u32 = 12;

/// Returns the number of moves among which a player divides the time left, with `empty`
/// empty points on the board.
///
/// A player places at most every second stone. Early moves are the hard ones: the last
/// few take no time at all.
pub const fn moves_to_go(empty: u32) -> u32 {
    let moves = (empty / 2).saturating_sub(3);
    if moves < 2 { 2 } else { moves }
}

/// Returns how long to think about the next of `moves` moves with this time left, `reserve` of
/// which is kept back.
pub(crate) fn share_of_clock(left: Duration, reserve: Duration, moves: u32) -> Duration {
    left.saturating_sub(reserve) / moves.max(1)
}

/// Chooses moves.
///
/// ```
/// use gothello::player::{Choice, Limits, Player};
/// use gothello::{Move, Position};
///
/// /// Places the stone that captures the most, and passes only if no placement is legal.
/// struct Greedy;
///
/// impl Player for Greedy {
///     fn choose(&mut self, position: &Position, _: &Limits<'_>) -> Choice {
///         let placements = position.placements();
///         // A placement gains its own stone and those that it captures, a pass nothing.
///         let gain = |mv: &Move| {
///             let captured = mv.point().and_then(|point| placements.captures(point));
///             captured.map_or(0, |stones| 1 + stones.len())
///         };
///         let mv = position.legal_moves().max_by_key(gain).unwrap_or(Move::Pass);
///         Choice::new(mv).with_lead(f32::from(position.stones().lead()))
///     }
/// }
///
/// let first = Greedy.choose(&Position::START, &Limits::default());
/// assert!(first.mv.point().is_some());
///
/// let position: Position = "...../b..../w..../wb.../b.... b".parse()?;
/// let choice = Greedy.choose(&position, &Limits::default());
/// assert_eq!(choice.to_string(), "b3 +1.00 estimated, 0 positions");
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
pub trait Player: Send {
    /// Chooses a legal move for the player to move in `position`, within the limits. There
    /// always is one, because a pass is legal.
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Choice;

    /// Makes random choices between moves that are equally good, with this seed, if the player
    /// knows which moves are.
    fn vary(&mut self, _seed: u64) {}

    /// Returns the strength of the player, if it can be set.
    fn skill(&mut self) -> Option<&mut Skill> {
        None
    }
}

/// The limits of the search for a move. By default there are none.
///
/// ```
/// use std::time::Duration;
///
/// use gothello::{Move, Position};
/// use gothello::player::{Limits, PerfectPlayer, Player};
///
/// let mut player = PerfectPlayer::default();
/// let choice = player.choose(&Position::START, &Limits::within(Duration::from_secs(1)));
/// assert!(choice.proven);
/// assert_eq!(choice.mv, "c2".parse::<Move>()?);
/// # Ok::<(), gothello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits<'a> {
    /// The time for the search; without limit if `None`, or where there is no clock
    /// (`wasm32-unknown-unknown`).
    pub time: Option<Duration>,
    /// The positions that may be searched; without limit if `None`.
    pub budget: Option<&'a PositionBudget<'a>>,
    /// Stops the search soon after it is set.
    pub stop: &'a AtomicBool,
    /// Stops the search soon after this time, as [`stop`](Limits::stop) does. What the search does before
    /// does not depend on it.
    pub deadline: Option<Moment>,
}

impl<'a> Limits<'a> {
    /// Does not limit the search.
    const UNLIMITED: Limits<'static> = Limits {
        time: None,
        budget: None,
        stop: &NEVER_SET,
        deadline: None,
    };

    /// Returns limits that allow this much time.
    pub const fn within(time: Duration) -> Limits<'static> {
        Limits {
            time: Some(time),
            ..Limits::UNLIMITED
        }
    }

    /// Replaces the flag that stops the search.
    pub const fn stopped_by(self, stop: &'a AtomicBool) -> Limits<'a> {
        Limits { stop, ..self }
    }

    /// Returns whether the search is stopped, whatever it may still search.
    fn are_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(timer::has_passed)
    }

    /// Records that positions have been searched.
    fn spend(&self, positions: u64) {
        if let Some(budget) = self.budget {
            budget.spend(positions);
        }
    }

    /// Returns whether a search with this timer has to stop.
    fn are_reached(&self, timer: &Timer) -> bool {
        self.are_stopped() || self.budget.is_some_and(PositionBudget::is_spent) || timer.is_over()
    }

    /// Stops the search at a time, if one is given.
    pub const fn ending_at(self, deadline: Option<Moment>) -> Limits<'a> {
        Limits { deadline, ..self }
    }

    /// Limits the number of positions, in place of an earlier budget.
    pub const fn spending(self, budget: &'a PositionBudget<'a>) -> Limits<'a> {
        Limits {
            budget: Some(budget),
            ..self
        }
    }
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits::UNLIMITED
    }
}

/// A move and its evaluation.
///
/// ```
/// use gothello::Move;
/// use gothello::player::Choice;
///
/// let choice = Choice::new(Move::Pass).with_lead(2.5).searched(3, 120);
/// assert_eq!(choice.to_string(), "pass +2.50 estimated, depth 3, 120 positions");
/// assert_eq!(Choice::new(Move::Pass).proven_lead(2).to_string(), "pass +2.00 proven, 0 positions");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// The player's stones minus the opponent's at the end of the game: exact if
    /// [`Choice::proven`] is set, else an estimate.
    pub lead: f32,
    /// Whether the lead is that of best play by both players.
    pub proven: bool,
    /// The depth of the deepest completed search, in plies; 0 if the lead does not come
    /// from such a search.
    pub depth: u8,
    /// The number of positions searched.
    pub positions: u64,
}

impl Choice {
    /// Returns the choice of a move without a search: an estimated lead of 0, depth 0, and no
    /// positions.
    pub const fn new(mv: Move) -> Choice {
        Choice {
            mv,
            lead: 0.0,
            proven: false,
            depth: 0,
            positions: 0,
        }
    }

    /// Sets an estimated lead, in stones for the player who moves.
    #[must_use]
    pub const fn with_lead(self, lead: f32) -> Choice {
        Choice {
            lead,
            proven: false,
            ..self
        }
    }

    /// Sets the proven lead, in stones for the player who moves, -25 to 25.
    #[must_use]
    pub const fn proven_lead(self, lead: i8) -> Choice {
        Choice {
            lead: lead as f32,
            proven: true,
            ..self
        }
    }

    /// Sets the depth of the search in plies, and the number of positions searched.
    #[must_use]
    pub const fn searched(self, depth: u8, positions: u64) -> Choice {
        Choice {
            depth,
            positions,
            ..self
        }
    }
}

/// Writes the choice for a log.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.proven { "proven" } else { "estimated" };
        write!(f, "{} {:+.2} {kind}", self.mv, self.lead)?;
        if self.depth > 0 {
            write!(f, ", depth {}", self.depth)?;
        }
        write!(f, ", {} positions", self.positions)
    }
}
