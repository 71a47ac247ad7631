//! What single moves are worth.

use std::collections::HashSet;

use super::bounds::Bounds;
use super::crew::Control;
use super::solve::{Objective, Solver};
use super::symmetry::Key;
use crate::gothello::{Move, Next, Position};

/// A legal move, and what is proven of its value for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveBounds {
    /// The move.
    pub mv: Move,
    /// What is proven of it.
    pub bounds: Bounds,
}

/// What is proven of the value of a legal move for the player who makes it, where
/// `solve` is asked about the position that it leads to.
pub(crate) fn bounds_after(
    position: &Position,
    mv: Move,
    objective: Objective,
    solve: impl FnOnce(&Position, Objective) -> Bounds,
) -> Bounds {
    let objective = match objective {
        // He has so much if the opponent has not more than the opposite.
        Objective::AtLeast(wanted) => Objective::AtLeast(1 - wanted),
        Objective::Value | Objective::Winner => objective,
    };
    match position.play(mv) {
        Ok(Next::Continues(child)) => solve(&child, objective).negated(),
        Ok(Next::Ends(_)) => Bounds::exactly(position.stones().lead()),
        // No legal move; nothing is known of it.
        Err(_) => Bounds::UNKNOWN,
    }
}

/// The legal moves, of those that lead to the same position up to symmetry only the
/// first.
pub(crate) fn distinct_moves(position: &Position) -> impl Iterator<Item = Move> {
    let key = |mv: Move| match position.play(mv) {
        Ok(Next::Continues(child)) => Some(Key::of(child.stones()).0),
        Ok(Next::Ends(_)) | Err(_) => None,
    };
    let mut seen = HashSet::new();
    position
        .legal_moves()
        .filter(move |&mv| seen.insert(key(mv)))
}

impl Solver {
    /// What is found out of the value of each legal move for the player to
    /// move, in the order of [`Position::legal_moves`], until the question is
    /// answered for all or the search is stopped.
    ///
    /// For the best moves it is enough to ask whether each is worth as much as the
    /// position, [`Objective::AtLeast`]: that is less work than to find out the
    /// value of each.
    pub fn search_moves(
        &self,
        position: &Position,
        objective: Objective,
        control: &Control<'_>,
    ) -> Vec<MoveBounds> {
        let judge = |mv| MoveBounds {
            mv,
            bounds: self.after(position, mv, objective, control),
        };
        position.legal_moves().map(judge).collect()
    }

    /// Whether a legal move leaves the player to move with at least `value`;
    /// `None` if the search is stopped.
    pub(super) fn keeps(
        &self,
        position: &Position,
        mv: Move,
        value: i8,
        control: &Control<'_>,
    ) -> Option<bool> {
        let bounds = self.after(position, mv, Objective::AtLeast(value), control);
        Some(bounds.answer(value)? >= value)
    }

    fn after(
        &self,
        position: &Position,
        mv: Move,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        let solve = |child: &_, objective| self.search(child, objective, control);
        bounds_after(position, mv, objective, solve)
    }
}
