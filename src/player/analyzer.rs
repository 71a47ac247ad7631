//! The analysis of positions.

use std::fmt;
use std::sync::atomic::AtomicBool;

use itertools::Itertools;

use crate::games::gothello::{Move, Position};
use crate::solving::solver::{
    Bounds, Control, MoveBounds, NEVER_SET, Objective, PrincipalVariation,
};

/// Finds the exact values of positions and moves.
///
/// A value is the lead of the player to move at the end, under best play by both players. Each
/// method searches until the answer is proven or the search is stopped, and returns what has been
/// proven so far.
///
/// ```
/// use gothello::Position;
/// use gothello::player::{AnalysisControl, Analyzer, Prover};
///
/// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
/// let analyzer: Box<dyn Analyzer> = Box::new(Prover::new().memory_mib(16));
/// let line = analyzer.principal_variation(&position, &AnalysisControl::default());
/// assert_eq!(line.outcome.unwrap().to_string(), "B+3");
/// assert_eq!(line.moves[0].to_string(), "c2");
/// # Ok::<(), gothello::ParsePositionError>(())
/// ```
pub trait Analyzer: Send + Sync {
    /// Returns bounds on the value of a position, as tight as the objective demands.
    fn value(&self, position: &Position, objective: Objective, control: &Control<'_>) -> Bounds;

    /// Returns bounds on the value of each legal move, in the order of
    /// [`Position::legal_moves`].
    fn moves(&self, position: &Position, control: &AnalysisControl<'_>) -> Vec<MoveBounds>;

    /// Returns the best moves of a position.
    fn best_moves(&self, position: &Position, control: &AnalysisControl<'_>) -> BestMoves;

    /// Returns best play by both players to the end of the game; empty if the search is
    /// stopped before the value is known.
    fn principal_variation(
        &self,
        position: &Position,
        control: &AnalysisControl<'_>,
    ) -> PrincipalVariation;
}

/// The control of a search over several moves.
#[derive(Clone, Copy)]
pub struct AnalysisControl<'a> {
    /// Stops the search soon after it is set.
    pub stop: &'a AtomicBool,
    /// Called with the bounds of each move when they have become tighter, and every few hundred
    /// microseconds during the search; with none while only the value of the position or a line is
    /// searched for.
    pub on_progress: &'a (dyn Fn(&[MoveBounds]) + Sync),
}

/// The moves that keep the value of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMoves {
    /// Bounds on the value of the position.
    pub value: Bounds,
    /// The moves that are proven to be among the best, in the order of
    /// [`Position::legal_moves`].
    pub moves: Vec<Move>,
    /// Whether these are all.
    pub complete: bool,
}

impl fmt::Debug for AnalysisControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AnalysisControl");
        shown.field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl<'a> AnalysisControl<'a> {
    /// Returns the control of a search that runs until `stop` is set, and reports no progress.
    pub const fn until(stop: &'a AtomicBool) -> AnalysisControl<'a> {
        AnalysisControl {
            stop,
            on_progress: &|_| (),
        }
    }
}

/// A search that nothing stops and that reports no progress.
impl Default for AnalysisControl<'_> {
    fn default() -> Self {
        AnalysisControl::until(&NEVER_SET)
    }
}

/// Returns the bounds on the value of a position that follow from those of all its legal
/// moves.
pub fn value_of(moves: &[MoveBounds]) -> Bounds {
    let best = |bound: fn(&Bounds) -> i8| moves.iter().map(|entry| bound(&entry.bounds)).max();
    match (best(|bounds| bounds.low), best(|bounds| bounds.high)) {
        (Some(low), Some(high)) => Bounds { low, high },
        _ => Bounds::UNKNOWN,
    }
}

/// Returns the best moves of a position from bounds on its value and on those of all its
/// legal moves.
pub fn best_of(value: Bounds, moves: &[MoveBounds]) -> BestMoves {
    let is_best = |entry: &&MoveBounds| entry.bounds.low >= value.high;
    let may_be_best = |entry: &&MoveBounds| entry.bounds.high >= value.high;
    let best = moves.iter().filter(is_best).map(|entry| entry.mv);
    let best = best.collect_vec();
    let complete = !best.is_empty() && moves.iter().filter(may_be_best).count() == best.len();
    BestMoves {
        value,
        moves: best,
        complete,
    }
}
