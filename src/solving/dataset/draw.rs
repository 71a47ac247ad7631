//! Which positions a dataset has.

use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

use super::games::{move_with_errors, play_game, random_move};
use super::stones::StoneCounts;
use super::uniform::draw_uniform;
use crate::base::counted::counted;
use crate::base::rng::Rng;
use crate::base::threads::for_each;
use crate::games::gothello::{Color, Position};
use crate::solving::solver::{Control, Solver};

/// The number of games that are played at a time, at most.
const GAMES_AT_ONCE: usize = 256;

/// The number of games in a row without a new position after which there are no more, at least.
const FRUITLESS_GAMES: usize = 1_000;

/// What a dataset consists of: its positions follow from this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Where the positions come from.
    pub source: Source,
    /// The number of positions.
    pub positions: usize,
    /// The numbers of stones that they may have.
    pub stones: StoneCounts,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Where positions come from; the [module](super) says how they are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// All legal positions.
    Uniform,
    /// Games of random moves.
    RandomGames,
    /// Games of best play with a mistake now and then.
    GamesWithErrors {
        /// The probability that a move is a mistake, 0 to 1.
        errors: f64,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Uniform => "uniform",
            Source::RandomGames => "random-games",
            Source::GamesWithErrors { .. } => "games-with-errors",
        })
    }
}

/// Why positions are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// There are fewer positions than wanted, or games do not seem to have more.
    #[error(
        "there {} with {stones} stones up to symmetry: ask for at most {found}, not {wanted}, or for \
         other numbers of stones",
        are_only(*found)
    )]
    TooFew {
        /// The numbers of stones.
        stones: StoneCounts,
        /// The number of positions that were wanted.
        wanted: usize,
        /// The number of positions that there are.
        found: usize,
    },
    /// The games do not seem to have more positions.
    #[error(
        "such games seem to have only {} with {stones} stones up to symmetry, not {wanted}: ask for \
         fewer, or for other numbers of stones",
        counted(*found, "position")
    )]
    TooFewInGames {
        /// The numbers of stones.
        stones: StoneCounts,
        /// The number of positions that were wanted.
        wanted: usize,
        /// The number of positions that were found.
        found: usize,
    },
    /// The control has stopped it.
    #[error("interrupted")]
    Stopped,
}

fn are_only(found: usize) -> String {
    let is = if found == 1 { "is" } else { "are" };
    format!("{is} only {}", counted(found, "position"))
}

/// Draws positions, all different up to symmetry, each as its canonical image with Black to move.
///
/// The solver finds best play in the games of [`Source::GamesWithErrors`], and is not used for other
/// sources. Neither its tablebase nor the number of threads changes the result.
///
/// # Errors
/// There are not so many positions, or `control` has stopped it.
pub fn draw(
    plan: &Plan,
    solver: &Solver,
    threads: usize,
    control: &Control<'_>,
) -> Result<Vec<Position>, DrawError> {
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
        // Stones never leave the board: only passes would follow, for which best play is hard to find.
        match plan.source {
            _ if stones >= plan.stones.most() => None,
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
