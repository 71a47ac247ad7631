//! Whether a book is right.

use super::build::{next_positions, other_beginnings};
use super::file::{Book, Entry};
use crate::gothello::{Move, Next, Position};
use crate::solver::symmetry::Key;
use crate::solver::{Control, Objective, Solver};

/// What is wrong with a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A position that its owner can meet is not in it.
    #[error("{position} is missing")]
    Missing {
        /// The position.
        position: Position,
    },
    /// A value is wrong.
    #[error("{position} is worth {found:+} to the player to move, not {claimed:+}")]
    Value {
        /// The position.
        position: Position,
        /// Its value.
        found: i8,
        /// What the book says.
        claimed: i8,
    },
    /// A move does not keep the value.
    #[error("{best} in {position} does not keep the value {value:+}")]
    Move {
        /// The position.
        position: Position,
        /// The move.
        best: Move,
        /// The value, which is right.
        value: i8,
    },
    /// Two entries cannot both be right.
    #[error(
        "the book contradicts itself: {position} is said to be worth {claimed:+} to the player \
         to move, but after {best} its other entries leave him {found:+}"
    )]
    Contradiction {
        /// The position.
        position: Position,
        /// The move that is said to keep its value.
        best: Move,
        /// What the entries of the positions after it say.
        found: i8,
        /// What the position's own entry says.
        claimed: i8,
    },
}

impl Book {
    /// The positions that the book's owner can meet from `first` on, with no more
    /// stones than it is complete for, and that are not in it.
    pub fn missing(&self, first: &Position) -> impl Iterator<Item = Position> {
        let all = self.entries().flat_map(|entry| {
            next_positions(&entry)
                .into_iter()
                .chain(other_beginnings(&entry))
        });
        all.chain([*first]).filter(|position| {
            position.stones().count() <= self.stones()
                && self.entry(Key::of(position.stones()).0).is_none()
        })
    }

    /// Entries that contradict those of the positions that follow from them. It
    /// needs no search, and so no trust in one: after the book's move the
    /// opponent takes the answer that leaves its owner the least, and that is
    /// what the position is worth if the move is a best one.
    pub fn contradictions(&self) -> impl Iterator<Item = Fault> {
        self.entries().filter_map(|entry| {
            let position = entry.position()?;
            let Ok(Next::Continues(after)) = position.play(entry.best) else {
                return None;
            };
            let answers = after.legal_moves().map(|answer| match after.play(answer) {
                Ok(Next::Continues(next)) => Some(self.look_up(&next)?.0),
                _ => Some(position.stones().lead()),
            });
            // Nothing is said of what the book does not reach.
            let found = answers.collect::<Option<Vec<i8>>>()?.into_iter().min()?;
            (found != entry.value).then_some(Fault::Contradiction {
                position,
                best: entry.best,
                found,
                claimed: entry.value,
            })
        })
    }
}

/// Solves the position of an entry anew; `None` if the search was stopped.
///
/// # Errors
/// What is wrong with the entry.
pub fn verify_entry(
    entry: &Entry,
    solver: &Solver,
    control: &Control<'_>,
) -> Option<Result<(), Fault>> {
    let position = entry.position()?;
    let claimed = entry.value;
    let found = solver
        .search(&position, Objective::Value, control)
        .value()?;
    if found != claimed {
        return Some(Err(Fault::Value {
            position,
            found,
            claimed,
        }));
    }
    let keeps = match position.play(entry.best) {
        Ok(Next::Continues(_)) => solver.keeps(&position, entry.best, found, control)?,
        _ => false,
    };
    Some(if keeps {
        Ok(())
    } else {
        Err(Fault::Move {
            position,
            best: entry.best,
            value: found,
        })
    })
}
