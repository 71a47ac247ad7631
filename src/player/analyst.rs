//! Analysts: whoever is asked what is true of a position.

use std::sync::atomic::AtomicBool;

use itertools::Itertools;

use crate::gothello::{Color, Move, Position};
use crate::solver::{Bounds, Control, MoveBounds, NEVER_SET, Objective};

/// Finds out exact values.
///
/// Values are those for the player to move: his stones less the opponent's at
/// the end under best play by both. Every question is worked on until it is
/// answered or the search is stopped; then the answer says what was proven so
/// far.
pub trait Analyst: Send + Sync {
    /// What is proven of the value of a position.
    fn value(&self, position: &Position, objective: Objective, control: &Control<'_>) -> Bounds;

    /// What is proven of the value of each legal move, in the order of
    /// [`Position::legal_moves`].
    fn moves(&self, position: &Position, inquiry: &Inquiry<'_>) -> Vec<MoveBounds>;

    /// The best moves of a position.
    fn best_moves(&self, position: &Position, inquiry: &Inquiry<'_>) -> BestMoves;

    /// How many positions have been searched so far, for whoever asked.
    fn positions(&self) -> u64;

    /// How the game ends if both players play their best.
    fn variation(&self, position: &Position, inquiry: &Inquiry<'_>) -> Variation;
}

/// What stops a search over several moves, and who watches it.
#[derive(Clone, Copy)]
pub struct Inquiry<'a> {
    /// The search stops soon after this is set.
    pub stop: &'a AtomicBool,
    /// Is told what is proven of each move, whenever that is more than before
    /// and, as the search goes on, every few hundred microseconds.
    pub watch: &'a (dyn Fn(&[MoveBounds]) + Sync),
}

/// The moves that keep the value of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMoves {
    /// What is proven of the value.
    pub value: Bounds,
    /// The moves that are proven to be among the best, in the order of
    /// [`Position::legal_moves`].
    pub moves: Vec<Move>,
    /// Whether these are all.
    pub complete: bool,
}

/// A line of best play by both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// What is proven of the value at its beginning.
    pub value: Bounds,
    /// The moves, each with the player who makes it.
    pub moves: Vec<(Color, Move)>,
    /// Whether the line goes on to the end of the game.
    pub complete: bool,
}

/// Nothing stops the search, and nobody watches it.
impl Default for Inquiry<'_> {
    fn default() -> Self {
        Inquiry {
            stop: &NEVER_SET,
            watch: &|_| (),
        }
    }
}

/// What the values of all legal moves say of the value of the position.
pub fn value_of(moves: &[MoveBounds]) -> Bounds {
    let best = |bound: fn(&Bounds) -> i8| moves.iter().map(|judged| bound(&judged.bounds)).max();
    match (best(|bounds| bounds.low), best(|bounds| bounds.high)) {
        (Some(low), Some(high)) => Bounds { low, high },
        _ => Bounds::UNKNOWN,
    }
}

/// Which moves are the best, by what is proven of the value of the position and
/// of the legal moves.
pub fn best_of(value: Bounds, moves: &[MoveBounds]) -> BestMoves {
    let is_best = |judged: &&MoveBounds| judged.bounds.low >= value.high;
    let may_be_best = |judged: &&MoveBounds| judged.bounds.high >= value.high;
    let best = moves.iter().filter(is_best).map(|judged| judged.mv);
    let best = best.collect_vec();
    let complete = !best.is_empty() && moves.iter().filter(may_be_best).count() == best.len();
    BestMoves {
        value,
        moves: best,
        complete,
    }
}
