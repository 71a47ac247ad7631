//! Values for reviews: each position is solved once, up to symmetry.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Judgment, Ply, Review};
use crate::games::gothello::{Move, Outcome, Position};
use crate::solving::solver::{Control, Objective, Solver, canonical};

/// The most positions that are kept, some 200 MB.
const MAX_KNOWN: usize = 1 << 21;

/// Completes reviews with a solver.
///
/// A game is evaluated from its end: the value after a move is a lower bound on the value
/// before it, so that one null-window search is enough if the move was perfect. What is
/// found is kept for the next games, and several threads may evaluate games at the same
/// time.
///
/// ```
/// use gothello::review::{BestMoves, Evaluator, Review};
/// use gothello::solver::Control;
/// use gothello::{Color, Game, Position, Solver};
///
/// let mut game = Game::from("bbbbw/bbbbw/bbbw./bbbww/bw.ww w".parse::<Position>()?);
/// game.play(Color::White, "e3".parse()?)?;
/// let mut review = Review::new(&game);
/// let evaluator = Evaluator::new(Solver::builder().memory_mib(1).build());
/// assert!(evaluator.evaluate(&mut review, BestMoves::OfMistakes, 1, &Control::default()));
/// let ply = review.plies().next().unwrap();
/// assert_eq!((ply.lost, ply.best_moves), (Some(30), Some(vec!["c1".parse()?])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Evaluator {
    solver: Solver,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The results by canonical position.
    known: HashMap<Position, Evaluated>,
    /// The positions of which something was found since the last [`Evaluator::take_found`].
    found: Vec<Position>,
}

/// The results for a position if the preceding move was not a pass.
#[derive(Clone, Debug)]
struct Evaluated {
    /// The value for the player to move.
    value: i8,
    /// The moves that keep it.
    best_moves: Option<Vec<Move>>,
    /// Whether it is in the list of new results.
    is_listed: bool,
}

/// An evaluator's results for a position and all its images, for storage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Known {
    /// The position, with Black to move and without a pass before.
    position: Position,
    /// Black's stones minus White's at the end under best play.
    value: i8,
    /// The moves that keep the value, if they were searched.
    best_moves: Option<Vec<Move>>,
}

/// The moves of a review whose alternatives are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMoves {
    /// None: only values are found, which is the least work.
    Unknown,
    /// The moves that lost stones.
    OfMistakes,
    /// All moves.
    OfAll,
}

impl BestMoves {
    fn are_wanted(self, ply: &Ply) -> bool {
        match self {
            BestMoves::Unknown => false,
            BestMoves::OfMistakes => ply
                .judgment
                .is_some_and(|judgment| judgment != Judgment::Perfect),
            BestMoves::OfAll => true,
        }
    }
}

impl Evaluator {
    /// Creates an evaluator that uses this solver.
    pub fn new(solver: Solver) -> Evaluator {
        Evaluator {
            solver,
            state: Mutex::default(),
        }
    }

    /// Adds stored results. Returns whether they can be true: the position is one that stands for
    /// its images, the value that of a game, and the moves are legal.
    pub fn learn(&self, known: Known) -> bool {
        let Known {
            position,
            value,
            best_moves,
        } = known;
        let is_legal = |mv: &Move| position.play(*mv).is_ok();
        let can_be = canonical(&position).0 == position
            && (-25..=25).contains(&value)
            && best_moves.iter().flatten().all(is_legal);
        if can_be {
            let evaluated = Evaluated {
                value,
                best_moves,
                is_listed: false,
            };
            self.state().known.insert(position, evaluated);
        }
        can_be
    }

    /// Returns the number of positions with new results since the last call of
    /// [`take_found`](Evaluator::take_found).
    pub fn found(&self) -> usize {
        self.state().found.len()
    }

    /// Returns the results found by searches since the last call.
    pub fn take_found(&self) -> Vec<Known> {
        let mut state = self.state();
        let found = std::mem::take(&mut state.found);
        let known = found.into_iter().filter_map(|position| {
            let evaluated = state.known.get_mut(&position)?;
            evaluated.is_listed = false;
            Some(Known {
                position,
                value: evaluated.value,
                best_moves: evaluated.best_moves.clone(),
            })
        });
        known.collect()
    }

    /// Returns the number of positions searched so far.
    pub fn positions(&self) -> u64 {
        self.solver.positions()
    }

    /// Completes a review by a search on this many threads; returns `false` if it was
    /// stopped before.
    pub fn evaluate(
        &self,
        review: &mut Review,
        best_moves: BestMoves,
        threads: usize,
        control: &Control<'_>,
    ) -> bool {
        let solver = self.solver.sharing_table(threads);
        self.set_values(&solver, review, control).is_some()
            && self
                .set_best_moves(&solver, review, best_moves, control)
                .is_some()
    }

    fn set_values(
        &self,
        solver: &Solver,
        review: &mut Review,
        control: &Control<'_>,
    ) -> Option<()> {
        let unknown: Vec<Position> = review.without_value().collect();
        for position in unknown {
            let least = review.plies().filter(|ply| ply.position == position);
            // The second pass ends the game, and says nothing of the value without the first.
            let least = least.filter(|ply| !position.after_pass() || ply.mv != Move::Pass);
            let least = least
                .filter_map(|ply| Some(ply.after?.lead_of(ply.color)))
                .max();
            let value = self.value(solver, &position, least, control)?;
            let value = position.with_game_end(value);
            review.set_value(&position, Outcome::from_lead(position.to_move(), value));
        }
        Some(())
    }

    fn set_best_moves(
        &self,
        solver: &Solver,
        review: &mut Review,
        best_moves: BestMoves,
        control: &Control<'_>,
    ) -> Option<()> {
        let wanted = review.plies().filter(|ply| ply.best_moves.is_none());
        let wanted = wanted.filter(|ply| best_moves.are_wanted(ply));
        let mut wanted: Vec<Position> = wanted.map(|ply| ply.position).collect();
        wanted.reverse();
        for position in wanted {
            let moves = self.best_moves(solver, &position, control)?;
            review.set_best_moves(&position, moves);
        }
        Some(())
    }

    /// Returns the value for the player to move if the last move was not a pass. A move is
    /// known that has the value `least`.
    fn value(
        &self,
        solver: &Solver,
        position: &Position,
        least: Option<i8>,
        control: &Control<'_>,
    ) -> Option<i8> {
        let position = position.with_to_move(position.to_move());
        if let Some(value) = solver.probe(&position) {
            return Some(value);
        }
        let (image, _) = canonical(&position);
        if let Some(known) = self.state().known.get(&image) {
            return Some(known.value);
        }
        let value = match least {
            Some(least) if !solver.is_at_least(&position, least + 1, control)? => least,
            _ => solver
                .search(&position, Objective::Value, control)
                .value()?,
        };
        self.keep(image, value, None);
        Some(value)
    }

    /// Returns the moves that keep the value.
    fn best_moves(
        &self,
        solver: &Solver,
        position: &Position,
        control: &Control<'_>,
    ) -> Option<Vec<Move>> {
        let plain = position.with_to_move(position.to_move());
        let value = self.value(solver, &plain, None, control)?;
        let (image, symmetry) = canonical(&plain);
        let known = self
            .state()
            .known
            .get(&image)
            .and_then(|known| known.best_moves.clone());
        let images = match known {
            Some(images) => images,
            None => {
                let objective = Objective::AtLeast(value);
                let moves = solver.search_moves(&plain, objective, control);
                if !moves
                    .iter()
                    .all(|found| objective.is_decided_by(found.bounds))
                {
                    return None;
                }
                let best = moves.iter().filter(|found| found.bounds.low >= value);
                let images: Vec<Move> = best.map(|best| symmetry.apply_to(best.mv)).collect();
                self.keep(image, value, Some(images.clone()));
                images
            }
        };
        let best: Vec<Move> = images
            .into_iter()
            .map(|mv| symmetry.undo_from(mv))
            .collect();
        let lead = position.stones().lead();
        let is_best = |mv: &Move| match (mv, position.after_pass()) {
            // It ends the game.
            (Move::Pass, true) => lead >= value,
            // Unless the end of the game is better than every other move.
            (_, true) => lead <= value && best.contains(mv),
            (_, false) => best.contains(mv),
        };
        Some(position.legal_moves().filter(is_best).collect())
    }

    fn keep(&self, image: Position, value: i8, best_moves: Option<Vec<Move>>) {
        let mut state = self.state();
        let known = state.known.get(&image);
        if known.is_none() && state.known.len() >= MAX_KNOWN {
            return;
        }
        if !known.is_some_and(|known| known.is_listed) {
            state.found.push(image);
        }
        // Another thread may have found the best moves meanwhile.
        let best_moves = best_moves.or_else(|| state.known.get(&image)?.best_moves.clone());
        let evaluated = Evaluated {
            value,
            best_moves,
            is_listed: true,
        };
        state.known.insert(image, evaluated);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
