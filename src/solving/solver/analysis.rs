//! Analysis of a position: outcomes, best moves, principal variations, and how hard a move
//! is to answer.

use std::collections::HashSet;

use super::bounds::{Bounds, MoveBounds, OutcomeRange};
use super::control::Control;
use super::solve::{Objective, Solver};
use super::symmetry::Key;
use crate::games::gothello::{Color, Move, Next, Outcome, Position};

impl Position {
    /// Returns the outcome under best play by both players.
    ///
    /// Positions with at most 7 stones are [looked up](crate::solving::tablebase::PackedTablebase::built_in), others
    /// searched on all cores, which takes a second or less. A [`Solver`] offers more, and
    /// keeps proven results.
    ///
    /// ```
    /// use gothello::Position;
    ///
    /// assert_eq!(Position::START.solve().to_string(), "B+3");
    ///
    /// let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse()?;
    /// assert_eq!(position.solve().to_string(), "B+3");
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn solve(&self) -> Outcome {
        Solver::default().solve(self)
    }
}

/// A principal variation: a line of play in which each move keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrincipalVariation {
    /// The moves of both players. The last two of a complete line are passes; after a
    /// pass, a single pass may be the whole line.
    pub moves: Vec<Move>,
    /// The outcome of the game; `None` if the search was stopped before the end.
    pub outcome: Option<Outcome>,
}

impl Solver {
    /// Returns the outcome of a position under best play by both players.
    pub fn solve(&self, position: &Position) -> Outcome {
        Outcome::from_lead(position.to_move(), self.value(position))
    }

    /// Returns the range of outcomes that is proven within the limits of `control`.
    pub fn solve_within(&self, position: &Position, control: &Control<'_>) -> OutcomeRange {
        let bounds = self.search(position, Objective::Value, control);
        bounds.seen_by(position.to_move())
    }

    /// Returns who wins under best play by both players, or `None` for a draw. This is
    /// less work than [`Solver::solve`].
    pub fn winner(&self, position: &Position) -> Option<Color> {
        let bounds = self.search(position, Objective::Winner, &Control::UNLIMITED);
        bounds.seen_by(position.to_move()).low().winner()
    }

    /// Returns the outcome after each legal move, in the order of
    /// [`Position::legal_moves`].
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let outcomes = Solver::default().move_outcomes(&position);
    /// let told: Vec<_> = outcomes.iter().map(|(mv, outcome)| format!("{mv} {outcome}")).collect();
    /// assert_eq!(told, ["c1 W+24", "e3 B+6", "pass B+7"]);
    /// # Ok::<(), gothello::ParsePositionError>(())
    /// ```
    pub fn move_outcomes(&self, position: &Position) -> Vec<(Move, Outcome)> {
        let moves = self.search_moves(position, Objective::Value, &Control::UNLIMITED);
        let outcome = |MoveBounds { mv, bounds }| {
            let lead = bounds.low;
            (mv, Outcome::from_lead(position.to_move(), lead))
        };
        moves.into_iter().map(outcome).collect()
    }

    /// Returns every move that keeps the outcome, in the order of
    /// [`Position::legal_moves`].
    pub fn best_moves(&self, position: &Position) -> Vec<Move> {
        // Without a limit, all is proven.
        let moves = self.search_best_moves(position, &Control::UNLIMITED);
        let best = moves.into_iter().flatten().filter(|&(_, is_best)| is_best);
        best.map(|(mv, _)| mv).collect()
    }

    /// Returns each legal move, in the order of [`Position::legal_moves`], with whether it is a best one: one
    /// that keeps the value of the position. Returns `None` if `control` has stopped the search before
    /// that is proven.
    pub fn search_best_moves(
        &self,
        position: &Position,
        control: &Control<'_>,
    ) -> Option<Vec<(Move, bool)>> {
        let value = self.search(position, Objective::Value, control).value()?;
        let moves = self.search_moves(position, Objective::AtLeast(value), control);
        let judge = |MoveBounds { mv, bounds }: MoveBounds| {
            let is_best = bounds.low >= value;
            // A move is decided when it is proven to keep the value, or not to.
            (is_best || bounds.high < value).then_some((mv, is_best))
        };
        moves.into_iter().map(judge).collect()
    }

    /// Returns a principal variation: best play by both players to the end of the game.
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::solver::Solver;
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let line = Solver::default().principal_variation(&position);
    /// assert_eq!(line.moves, ["c1".parse()?, "pass".parse()?, "pass".parse()?]);
    /// assert_eq!(line.outcome, Some(position.solve()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn principal_variation(&self, position: &Position) -> PrincipalVariation {
        let value = self.value(position);
        self.search_principal_variation(position, value, &Control::UNLIMITED)
    }

    /// Returns the value for the player to move.
    fn value(&self, position: &Position) -> i8 {
        // Without a limit, the bounds meet.
        self.search(position, Objective::Value, &Control::UNLIMITED)
            .low
    }

    /// Searches each legal move, in the order of [`Position::legal_moves`], and returns
    /// the bounds on their values for the player to move. They decide the objective for
    /// each move, unless the search was stopped.
    ///
    /// For the best moves, [`Objective::AtLeast`] with the value of the position is
    /// enough, and less work than the exact value of each move.
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::solver::{Control, Objective, Solver};
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let solver = Solver::builder().memory_mib(1).build();
    /// let moves = solver.search_moves(&position, Objective::AtLeast(24), &Control::default());
    /// let best: Vec<_> = moves.iter().filter(|of_move| of_move.bounds.low >= 24).collect();
    /// assert_eq!(best.len(), 1);
    /// assert_eq!(best[0].mv, "c1".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search_moves(
        &self,
        position: &Position,
        objective: Objective,
        control: &Control<'_>,
    ) -> Vec<MoveBounds> {
        // No move is better than the best one, so if that is known, the others take less work.
        let known = Bounds {
            high: self.known_bounds(position).high,
            ..Bounds::UNKNOWN
        };
        let search = |mv| MoveBounds {
            mv,
            bounds: self.search_move_within(position, mv, objective, known, control),
        };
        position.legal_moves().map(search).collect()
    }

    /// Searches a legal move, and returns bounds on its value for the player who makes it.
    pub(crate) fn search_move(
        &self,
        position: &Position,
        mv: Move,
        objective: Objective,
        control: &Control<'_>,
    ) -> Bounds {
        self.search_move_within(position, mv, objective, Bounds::UNKNOWN, control)
    }

    /// Does the work of [`Solver::search_move`], given bounds on the value that are proven already.
    pub(crate) fn search_move_within(
        &self,
        position: &Position,
        mv: Move,
        objective: Objective,
        known: Bounds,
        control: &Control<'_>,
    ) -> Bounds {
        bounds_after(position, mv, objective, |child, objective| {
            self.search_within(child, objective, known.negated(), control)
        })
    }

    /// Returns whether a legal move guarantees at least `value` for the player to move;
    /// `None` if the search is stopped.
    pub(super) fn keeps(
        &self,
        position: &Position,
        mv: Move,
        value: i8,
        control: &Control<'_>,
    ) -> Option<bool> {
        let bounds = self.search_move(position, mv, Objective::AtLeast(value), control);
        Some(bounds.cutoff(value)? >= value)
    }

    /// Returns a principal variation: best play by both players to the end of the game,
    /// or to where the search was stopped. `value` must be the exact value of the
    /// position for the player to move.
    ///
    /// The line passes as soon as the stones on the board give the value and a pass keeps
    /// it, since neither player has anything to gain.
    ///
    /// ```
    /// use gothello::Position;
    /// use gothello::solver::{Control, Objective, Solver};
    ///
    /// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
    /// let (solver, control) = (Solver::default(), Control::default());
    /// let value = solver.search(&position, Objective::Value, &control).value().unwrap();
    /// let line = solver.search_principal_variation(&position, value, &control);
    /// assert_eq!(line.moves, ["c1".parse()?, "pass".parse()?, "pass".parse()?]);
    /// assert_eq!(line.outcome.unwrap().to_string(), "W+24");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search_principal_variation(
        &self,
        position: &Position,
        value: i8,
        control: &Control<'_>,
    ) -> PrincipalVariation {
        let mut line = PrincipalVariation::default();
        let (mut position, mut value) = (*position, value);
        while let Some(mv) = self.best_move(&position, value, control) {
            line.moves.push(mv);
            match position.play(mv) {
                Ok(Next::Continues(next)) => (position, value) = (next, -value),
                Ok(Next::Ends(outcome)) => {
                    line.outcome = Some(outcome);
                    break;
                }
                // The move is legal.
                Err(_) => break,
            }
        }
        line
    }

    /// Returns the next move of [`Solver::search_principal_variation`]; `None` if the search is
    /// stopped.
    fn best_move(&self, position: &Position, value: i8, control: &Control<'_>) -> Option<Move> {
        if position.stones().lead() == value && self.keeps(position, Move::Pass, value, control)? {
            return Some(Move::Pass);
        }
        self.search_move_at_least(position, value, control)
    }

    /// Searches for a move that guarantees at least `value` for the player to move; `None`
    /// if there is none, or the search is stopped.
    pub fn search_move_at_least(
        &self,
        position: &Position,
        value: i8,
        control: &Control<'_>,
    ) -> Option<Move> {
        // Then the table has the move that proves it, unless its entry was replaced.
        self.find_move_at_least(position, value, control)?;
        let known = self.known_move(position);
        let others = position.legal_moves().filter(|&mv| Some(mv) != known);
        for mv in known.into_iter().chain(others) {
            if self.keeps(position, mv, value, control)? {
                return Some(mv);
            }
        }
        None
    }
}

/// Returns the bounds on the value of a legal move for the player who makes it, given
/// `search`, which is called for the position after the move with the objective for the
/// opponent.
pub(crate) fn bounds_after(
    position: &Position,
    mv: Move,
    objective: Objective,
    search: impl FnOnce(&Position, Objective) -> Bounds,
) -> Bounds {
    let objective = match objective {
        // The player has at least `value` unless the opponent has more than its opposite.
        Objective::AtLeast(value) => Objective::AtLeast(1 - value),
        Objective::Value | Objective::Winner => objective,
    };
    match position.play(mv) {
        Ok(Next::Continues(child)) => search(&child, objective).negated(),
        Ok(Next::Ends(_)) => Bounds::exactly(position.stones().lead()),
        // The move is not legal.
        Err(_) => Bounds::UNKNOWN,
    }
}

/// Returns the legal moves without those that lead to the same position, up to symmetry,
/// as an earlier one.
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

/// How hard a move is to answer, measured on all legal replies; greater is harder.
///
/// The order is lexicographic:
///
/// 1. the share of the replies that change the result (a won game, or a draw);
/// 2. the share of the replies that lose stones;
/// 3. the average number of stones that a reply loses.
///
/// ```
/// use gothello::Position;
/// use gothello::solver::{Control, Objective, ReplyDifficulty, Solver};
///
/// let position: Position = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse()?;
/// let solver = Solver::builder().memory_mib(1).build();
/// let value_of = |after: &Position, reply| {
///     let next = after.play(reply).ok()?;
///     Some(match next {
///         gothello::Next::Continues(next) => {
///             -solver.search(&next, Objective::Value, &Control::default()).value()?
///         }
///         gothello::Next::Ends(outcome) => outcome.lead_of(after.to_move()),
///     })
/// };
/// let difficulty = ReplyDifficulty::of_move(&position, "e3".parse()?, value_of).unwrap();
/// assert!(difficulty >= ReplyDifficulty::default());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct ReplyDifficulty {
    blunders: f32,
    mistakes: f32,
    average_loss: f32,
}

impl ReplyDifficulty {
    /// Computes the difficulty of answering a legal move. `value_of` returns the value of
    /// a reply, in the position after the move, for the opponent; if it returns `None`,
    /// so does this function.
    pub fn of_move(
        position: &Position,
        mv: Move,
        mut value_of: impl FnMut(&Position, Move) -> Option<i8>,
    ) -> Option<ReplyDifficulty> {
        let Ok(Next::Continues(after)) = position.play(mv) else {
            // The game is over, so there are no replies.
            return Some(ReplyDifficulty::default());
        };
        let values = after.legal_moves().map(|reply| value_of(&after, reply));
        let values: Vec<i8> = values.collect::<Option<_>>()?;
        let best = *values.iter().max()?;
        let share = |is_wrong: &dyn Fn(i8) -> bool| {
            let wrong = values.iter().filter(|&&value| is_wrong(value));
            wrong.count() as f32 / values.len() as f32
        };
        let lost: i32 = values.iter().map(|&value| i32::from(best - value)).sum();
        Some(ReplyDifficulty {
            blunders: share(&|value| value.signum() < best.signum()),
            mistakes: share(&|value| value < best),
            average_loss: lost as f32 / values.len() as f32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After White's pass here, Black has three replies: b2, d3 and pass.
    const THREE_REPLIES: &str = "bbbww/bbbww/bbb.w/b.bww/bbbww w";

    /// The difficulty of answering if the three replies have these values.
    fn difficulty(values: [Option<i8>; 3]) -> Option<ReplyDifficulty> {
        let position: Position = THREE_REPLIES.parse().unwrap();
        let mut values = values.into_iter();
        ReplyDifficulty::of_move(&position, Move::Pass, |_, _| values.next().unwrap())
    }

    /// The shares of blunders and mistakes and the sum of all losses, each three times as large,
    /// computed by hand.
    #[test]
    fn the_difficulty_of_answering_is_that_of_all_replies() {
        for (values, blunders, mistakes, lost) in [
            ([3, 3, 3], 0, 0, 0),
            ([0, 0, 0], 0, 0, 0),
            ([-4, -4, -4], 0, 0, 0),
            // Fewer stones, and the result is the same.
            ([2, 1, 5], 0, 2, 3 + 4),
            ([-3, -5, -4], 0, 2, 2 + 1),
            // A win becomes a draw or a loss.
            ([2, 1, -1], 1, 2, 1 + 3),
            ([1, 0, -25], 2, 2, 1 + 26),
            ([24, -24, 24], 1, 1, 48),
            // A draw becomes a loss.
            ([0, -2, 0], 1, 1, 2),
            ([-1, -1, 0], 2, 2, 1 + 1),
        ] {
            let thirds = |count: i32| count as f32 / 3.0;
            let expected = ReplyDifficulty {
                blunders: thirds(blunders),
                mistakes: thirds(mistakes),
                average_loss: thirds(lost),
            };
            assert_eq!(difficulty(values.map(Some)), Some(expected), "{values:?}");
        }
        assert_eq!(difficulty([Some(1), None, Some(2)]), None);
    }

    #[test]
    fn the_values_are_those_of_the_replies_for_the_opponent() {
        let position: Position = THREE_REPLIES.parse().unwrap();
        let solver = Solver::builder().memory_mib(1).threads(1).build();
        let mut replies = Vec::new();
        let value_of = |after: &Position, reply| {
            let bounds = solver.search_move(after, reply, Objective::Value, &Control::UNLIMITED);
            replies.push(format!("{reply} {}", bounds.low));
            bounds.value()
        };
        let difficulty = ReplyDifficulty::of_move(&position, Move::Pass, value_of);
        assert_eq!(replies, ["b2 6", "d3 24", "pass 5"]);
        let expected = ReplyDifficulty {
            blunders: 0.0,
            mistakes: 2.0 / 3.0,
            average_loss: (18.0 + 19.0) / 3.0,
        };
        assert_eq!(difficulty, Some(expected));
        // After two passes the game is over: there is nothing to answer.
        let after_pass: Position = format!("{THREE_REPLIES} pass").parse().unwrap();
        let none = ReplyDifficulty::of_move(&after_pass, Move::Pass, |_, _| unreachable!());
        assert_eq!(none, Some(ReplyDifficulty::default()));
    }

    #[test]
    fn results_come_before_the_share_of_mistakes_and_that_before_the_stones_lost() {
        // Each is harder to answer than the one before.
        let order = [
            [3, 3, 3],
            [3, 3, 1],
            [25, 1, 25],
            [3, 2, 2],
            [25, 1, 1],
            [1, 1, 0],
            [1, -25, 1],
            [0, -1, -1],
        ];
        let order = order.map(|values| difficulty(values.map(Some)).unwrap());
        for pair in order.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
    }
}
