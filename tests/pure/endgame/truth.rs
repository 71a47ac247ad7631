//! Comparison of the bounds with exhaustive play, in which every line is followed to the end
//! of the game or to a repetition.

use gothello::awari::{Player, Repetition, Variant};
use gothello::endgame::Bounds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::database;
use super::naive::{Pits, boards, moves, position};

/// A game from a fresh board.
struct Game {
    variant: Variant,
    /// The boards since the last capture, each as the player to move saw it, and whether that
    /// was the player who began.
    past: Vec<(Pits, bool)>,
    /// The number of positions that may still be searched.
    budget: u32,
}

impl Game {
    /// Returns twice the share of the player to move under best play, if it lies between
    /// `alpha` and `beta`; `None` if the budget does not suffice.
    fn value(&mut self, board: &Pits, first: bool, mut alpha: i32, beta: i32) -> Option<i32> {
        self.budget = self.budget.checked_sub(1)?;
        let stones = i32::from(board.iter().sum::<u8>());
        let Some(position) = position(board) else {
            return Some(0);
        };
        if self.past.contains(&(*board, first)) {
            return Some(match self.variant.repetition {
                Repetition::Claim => 2 * i32::from(board[..6].iter().sum::<u8>()),
                Repetition::Discard => stones,
            });
        }
        let mut best = 0;
        for (_, captured, next) in moves(&position, self.variant) {
            let value = match next {
                None => 2 * i32::from(captured),
                Some(next) if captured > 0 => {
                    let past = std::mem::take(&mut self.past);
                    let value = self.value(&next, !first, 2 * stones - beta, 2 * stones - alpha);
                    self.past = past;
                    2 * stones - value?
                }
                Some(next) => {
                    self.past.push((*board, first));
                    let value = self.value(&next, !first, 2 * stones - beta, 2 * stones - alpha);
                    self.past.pop();
                    2 * stones - value?
                }
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}

/// Compares this many random boards. Returns how many could be searched completely.
fn compare(variant: Variant, stones: u8, count: u32, budget: u32) -> u32 {
    let database = database(variant, stones);
    let boards = boards(stones);
    let mut rng = StdRng::seed_from_u64(u64::from(stones));
    let mut followed = 0;
    for _ in 0..count {
        let board = boards[rng.random_range(0..boards.len())];
        let mut game = Game {
            variant,
            past: Vec::new(),
            budget,
        };
        let Some(twice) = game.value(&board, true, -1, 2 * i32::from(stones) + 1) else {
            continue;
        };
        followed += 1;
        let Bounds { low, high } = database.look_up_pits(&board, Player::North).unwrap();
        let bounds = 2 * i32::from(low)..=2 * i32::from(high);
        assert!(
            bounds.contains(&twice),
            "{board:?}, {variant:?}: {twice} / 2 in {bounds:?} / 2"
        );
    }
    followed
}

#[test]
fn games_end_within_the_bounds() {
    for variant in Variant::all() {
        for stones in 1..=if cfg!(debug_assertions) { 2 } else { 4 } {
            let followed = compare(variant, stones, 20, 1_500);
            assert!(
                followed >= 5,
                "{followed} with {stones} stones, {variant:?}"
            );
        }
    }
}

#[test]
#[ignore = "millions of positions take a quarter of a minute, optimized"]
fn more_games_end_within_the_bounds() {
    for variant in Variant::all() {
        for stones in 2..=6 {
            let followed = compare(variant, stones, 100, 8_000);
            assert!(
                followed >= 8,
                "{followed} with {stones} stones, {variant:?}"
            );
        }
    }
}
