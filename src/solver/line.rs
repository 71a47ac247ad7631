//! Best play to the end of the game.

use super::crew::Control;
use super::solve::Solver;
use crate::gothello::{Move, Next, Outcome, Position};

/// A line of play in which each move keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The moves from the position on, both players'. The last two of a
    /// complete line are passes; after a pass its own may be the only move.
    pub moves: Vec<Move>,
    /// How the game ends; `None` if the search was stopped before that.
    pub outcome: Option<Outcome>,
}

impl Solver {
    /// A principal variation: best play by both to the end of the game. `value`
    /// must be the exact value of the position for the player to move.
    ///
    /// The line follows the book as far as that goes. Then it passes as soon as a pass
    /// keeps the value and the stones as they stand are worth just that: nobody has
    /// anything to gain any more.
    ///
    /// ```
    /// use gothello::gothello::Position;
    /// use gothello::solver::{Control, Objective, Solver};
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let (solver, control) = (Solver::default(), Control::default());
    /// let value = solver.search(&position, Objective::Value, &control).value().unwrap();
    /// let line = solver.search_line(&position, value, &control);
    /// assert_eq!(line.moves, ["c1".parse()?, "pass".parse()?, "pass".parse()?]);
    /// assert_eq!(line.outcome.unwrap().to_string(), "W+24");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search_line(&self, position: &Position, value: i8, control: &Control<'_>) -> Line {
        let mut line = Line::default();
        let (mut position, mut value) = (*position, value);
        while let Some(mv) = self.best_move(&position, value, control) {
            line.moves.push(mv);
            match position.play(mv) {
                Ok(Next::Continues(next)) => (position, value) = (next, -value),
                Ok(Next::Ends(outcome)) => {
                    line.outcome = Some(outcome);
                    break;
                }
                // No legal move is illegal.
                Err(_) => break,
            }
        }
        line
    }

    /// A move that keeps the value, chosen as [`Solver::search_line`] says; `None` if
    /// the search is stopped.
    fn best_move(&self, position: &Position, value: i8, control: &Control<'_>) -> Option<Move> {
        if let Some((_, mv)) = self.look_up(position) {
            return Some(mv);
        }
        if position.stones().lead() == value && self.keeps(position, Move::Pass, value, control)? {
            return Some(Move::Pass);
        }
        // That it has the value was found out before, and by which move, unless
        // the table was too small.
        self.is_at_least(position, value, control)?;
        let found = self.remembered(position);
        let others = position.legal_moves().filter(|&mv| Some(mv) != found);
        for mv in found.into_iter().chain(others) {
            if self.keeps(position, mv, value, control)? {
                return Some(mv);
            }
        }
        // Not with the exact value.
        None
    }
}
