//! What single moves are worth.

use itertools::Itertools;

use super::bounds::Bounds;
use super::crew::Control;
use super::solve::{Question, Solver};
use super::symmetry::Key;
use crate::gothello::{Move, Next, Position};

/// A legal move, and what is proven of its value for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The move.
    pub mv: Move,
    /// What is proven of it.
    pub bounds: Bounds,
}

/// What is proven of the value of a legal move for the player who makes it, where
/// `solve` is asked about the position that it leads to.
pub fn after(
    position: &Position,
    mv: Move,
    question: Question,
    solve: impl FnOnce(&Position, Question) -> Bounds,
) -> Bounds {
    let question = match question {
        // He has so much if the opponent has not more than the opposite.
        Question::AtLeast(wanted) => Question::AtLeast(1 - wanted),
        Question::Value | Question::Winner => question,
    };
    match position.play(mv) {
        Ok(Next::Continues(child)) => solve(&child, question).negated(),
        Ok(Next::Ends(_)) => Bounds::exactly(position.stones().lead()),
        // No legal move; nothing is known of it.
        Err(_) => Bounds::UNKNOWN,
    }
}

/// The legal moves, of those that lead to the same position up to symmetry only the
/// first.
pub fn distinct_moves(position: &Position) -> impl Iterator<Item = Move> {
    let key = |mv: &Move| match position.play(*mv) {
        Ok(Next::Continues(child)) => Some(Key::of(child.stones()).0),
        Ok(Next::Ends(_)) | Err(_) => None,
    };
    position.legal_moves().unique_by(key)
}

impl Solver {
    /// What is found out of the value of each legal move for the player to
    /// move, in the order of [`Position::legal_moves`], until the question is
    /// answered for all or the search is stopped.
    ///
    /// For the best moves it is enough to ask whether each is worth as much as the
    /// position, [`Question::AtLeast`]: that is less work than to find out the
    /// value of each.
    pub fn search_moves(
        &self,
        position: &Position,
        question: Question,
        control: &Control<'_>,
    ) -> Vec<Judged> {
        let judge = |mv| Judged {
            mv,
            bounds: self.after(position, mv, question, control),
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
        let bounds = self.after(position, mv, Question::AtLeast(value), control);
        Some(bounds.answer(value)? >= value)
    }

    fn after(
        &self,
        position: &Position,
        mv: Move,
        question: Question,
        control: &Control<'_>,
    ) -> Bounds {
        let solve = |child: &_, question| self.search(child, question, control);
        after(position, mv, question, solve)
    }
}
