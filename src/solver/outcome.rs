//! Questions about positions that are answered by outcomes, which are the same for
//! both players.

use std::sync::Arc;

use super::book::BuiltInBook;
use super::bounds::OutcomeRange;
use super::crew::Control;
use super::line::Line;
use super::moves::MoveBounds;
use super::solve::{Objective, Solver};
use crate::gothello::{Color, Move, Outcome, Position};

impl Position {
    /// Returns the outcome under best play by both players.
    ///
    /// What the [built-in book](BuiltInBook) does not know is searched, with all
    /// cores: milliseconds with 10 stones on the board, and up to minutes with few.
    /// A [`Solver`] can be asked for more, and remembers what it has found out.
    ///
    /// ```
    /// use gothello::gothello::Position;
    ///
    /// assert_eq!(Position::START.solve().to_string(), "B+3");
    ///
    /// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
    /// assert_eq!(position.solve().to_string(), "B+3");
    /// # Ok::<(), gothello::gothello::ParsePositionError>(())
    /// ```
    pub fn solve(&self) -> Outcome {
        let solver = Solver::default().with_book(Arc::new(BuiltInBook));
        solver.solve(self)
    }
}

impl Solver {
    /// Returns the outcome of a position under best play by both players.
    pub fn solve(&self, position: &Position) -> Outcome {
        Outcome::from_lead(position.to_move(), self.value(position))
    }

    /// Returns what is proven of the outcome within the limits of `control`.
    pub fn solve_within(&self, position: &Position, control: &Control<'_>) -> OutcomeRange {
        let bounds = self.search(position, Objective::Value, control);
        bounds.seen_by(position.to_move())
    }

    /// Returns who wins under best play by both players, which is less work than the
    /// outcome; `None` if the game is drawn.
    pub fn winner(&self, position: &Position) -> Option<Color> {
        let bounds = self.search(position, Objective::Winner, &Control::UNLIMITED);
        bounds.seen_by(position.to_move()).low().winner()
    }

    /// Returns the outcome after each legal move, in the order of
    /// [`Position::legal_moves`].
    ///
    /// ```
    /// use gothello::gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let outcomes = Solver::default().move_outcomes(&position);
    /// let told: Vec<_> = outcomes.iter().map(|(mv, outcome)| format!("{mv} {outcome}")).collect();
    /// assert_eq!(told, ["c1 W+24", "e3 B+6", "pass B+7"]);
    /// # Ok::<(), gothello::gothello::ParsePositionError>(())
    /// ```
    pub fn move_outcomes(&self, position: &Position) -> Vec<(Move, Outcome)> {
        let judged = self.search_moves(position, Objective::Value, &Control::UNLIMITED);
        let outcome = |MoveBounds { mv, bounds }| {
            let lead = bounds.low;
            (mv, Outcome::from_lead(position.to_move(), lead))
        };
        judged.into_iter().map(outcome).collect()
    }

    /// Returns every move that keeps the outcome, in the order of
    /// [`Position::legal_moves`].
    pub fn best_moves(&self, position: &Position) -> Vec<Move> {
        let value = self.value(position);
        let objective = Objective::AtLeast(value);
        let judged = self.search_moves(position, objective, &Control::UNLIMITED);
        let best = judged.iter().filter(|judged| judged.bounds.low >= value);
        best.map(|judged| judged.mv).collect()
    }

    /// Returns best play by both players to the end of the game.
    ///
    /// ```
    /// use gothello::gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let line = Solver::default().best_line(&position);
    /// assert_eq!(line.moves, ["c1".parse()?, "pass".parse()?, "pass".parse()?]);
    /// assert_eq!(line.outcome, Some(position.solve()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn best_line(&self, position: &Position) -> Line {
        let value = self.value(position);
        self.search_line(position, value, &Control::UNLIMITED)
    }

    /// The value for the player to move.
    fn value(&self, position: &Position) -> i8 {
        // Without a limit the bounds meet.
        self.search(position, Objective::Value, &Control::UNLIMITED)
            .low
    }
}
