//! Drawing the positions of a plan.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::games::{move_with_errors, play_game, random_move};
use super::plan::{DrawError, Plan, Source};
use super::uniform::draw_uniform;
use crate::base::rng::Rng;
use crate::base::threads::for_each;
use crate::games::gothello::{Color, Position};
use crate::solving::solver::{Control, Solver};

/// The number of games that are played at a time, at most.
const GAMES_AT_ONCE: usize = 256;

/// The number of games in a row without a new position after which there are no more, at least.
const FRUITLESS_GAMES: usize = 1_000;

/// Draws positions, all different up to symmetry, each as its canonical image with Black to move.
///
/// The solver finds best play in the games of [`Source::GamesWithErrors`], and is not used for other
/// sources. Neither its tablebase nor the number of threads changes the result.
///
/// # Errors
/// There are fewer positions than wanted, more than [`Plan::MAX_POSITIONS`] are wanted, or `control` has
/// stopped it.
pub fn draw(
    plan: &Plan,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
) -> Result<Vec<Position>, DrawError> {
    if plan.positions > Plan::MAX_POSITIONS {
        return Err(DrawError::TooMany(plan.positions));
    }
    match plan.source {
        Source::Uniform => draw_uniform(plan, control),
        Source::RandomGames | Source::GamesWithErrors { .. } => {
            draw_from_games(plan, solver, threads, control)
        }
    }
}

/// Draws a position from each game, and leaves out those that an earlier game has had.
fn draw_from_games(
    plan: &Plan,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
) -> Result<Vec<Position>, DrawError> {
    let mut seeds = Rng::new(plan.seed);
    let (mut positions, mut seen) = (Vec::new(), HashSet::new());
    let mut fruitless = 0;
    while positions.len() < plan.positions {
        let games = (plan.positions - positions.len()).min(GAMES_AT_ONCE);
        let games: Vec<_> = (0..games)
            .map(|_| (seeds.next(), OnceLock::new()))
            .collect();
        let begin = || solver.sharing_table(1);
        for_each(threads, &games, begin, |solver, (seed, drawn)| {
            let _ = drawn.set(draw_from_game(plan, *seed, solver, control));
        });
        if control.is_over() {
            return Err(DrawError::Stopped);
        }
        for (_, drawn) in games {
            let drawn = drawn.into_inner().flatten();
            match drawn.filter(|position| seen.insert(position.key())) {
                Some(position) => {
                    positions.push(position);
                    fruitless = 0;
                }
                None => fruitless += 1,
            }
        }
        // Then fewer than one game in some hundred would have a new one.
        if fruitless > FRUITLESS_GAMES.max(2 * positions.len()) {
            return Err(DrawError::TooFewInGames {
                stones: plan.stones,
                wanted: plan.positions,
                found: positions.len(),
            });
        }
    }
    Ok(positions)
}

/// Plays a game and draws one of its positions; `None` if it has none with the wanted numbers of stones,
/// or is stopped.
fn draw_from_game(
    plan: &Plan,
    seed: u64,
    solver: &Solver,
    control: &Control<'_>,
) -> Option<Position> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    play_game(|position| {
        let stones = position.stones().count();
        if plan.stones.contains(stones) {
            found.push(*position);
        }
        // A position that is looked up is no search that would stop.
        match plan.source {
            // Stones never leave the board: only passes would follow.
            _ if stones >= plan.stones.most() || control.is_over() => None,
            Source::GamesWithErrors { errors } => {
                move_with_errors(position, errors, &mut rng, solver, control)
            }
            Source::Uniform | Source::RandomGames => Some(random_move(position, &mut rng)),
        }
    });
    rng.pick(&found).map(|position| canonical(&position))
}

/// Returns the canonical image with Black to move.
fn canonical(position: &Position) -> Position {
    let stones = position.stones();
    let (mover, opponent) = (stones.mover, stones.opponent);
    let black = Position::new(mover, opponent, Color::Black, position.after_pass());
    // The colors do not matter for liberties.
    black.unwrap_or(*position).canonical()
}
