//! Games from which positions are drawn.

use itertools::{Either, Itertools};

use crate::base::rng::Rng;
use crate::games::gothello::{Move, Next, Outcome, Position};
use crate::solving::solver::{Control, Solver};

/// Plays a game from the empty board. `choose` returns a legal move in each position, or `None` to end
/// the game early. Returns the outcome of a game that was not ended early.
pub fn play_game(mut choose: impl FnMut(&Position) -> Option<Move>) -> Option<Outcome> {
    let mut position = Position::START;
    loop {
        match position.play(choose(&position)?).ok()? {
            Next::Continues(next) => position = next,
            Next::Ends(outcome) => return Some(outcome),
        }
    }
}

/// Picks a random placement, or the pass where no placement is legal.
pub fn random_move(position: &Position, rng: &mut Rng) -> Move {
    let legal = position.stones().legal(position.empty());
    let point = match legal.len() {
        0 => None,
        count => legal.iter().nth(rng.below(count as usize)),
    };
    point.map_or(Move::Pass, Move::Place)
}

/// Picks a random best move or, with the probability `errors`, a random placement that is not best, if
/// there is one; `None` if the search is stopped.
pub fn move_with_errors(
    position: &Position,
    errors: f64,
    rng: &mut Rng,
    solver: &Solver,
    control: &Control<'_>,
) -> Option<Move> {
    // The numbers that are drawn do not depend on the values.
    let is_error = rng.fraction() < errors;
    let moves = solver.search_best_moves(position, control)?.into_iter();
    let (best, mut others): (Vec<_>, Vec<_>) = moves.partition_map(|(mv, is_best)| match is_best {
        true => Either::Left(mv),
        false => Either::Right(mv),
    });
    others.retain(|&mv| mv != Move::Pass);
    match is_error && !others.is_empty() {
        true => rng.pick(&others),
        false => rng.pick(&best),
    }
}
