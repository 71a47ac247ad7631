//! Positions with known values, and random ones, for the tests and benchmarks of players.

use gothello::player::{Choice, Limits, Player};
use gothello::{Color, Move, Next, Position};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Returns the positions of `values.txt` with 13 stones or more, each without and with a
/// preceding pass, and its value for the player to move.
pub fn valued() -> impl Iterator<Item = (Position, i8)> {
    let lines = include_str!("values.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    let chosen = fields.filter(|fields| fields[0].trim().parse::<u32>().unwrap() >= 13);
    chosen.flat_map(|fields| {
        [("", fields[2]), (" pass", fields[3])].map(|(pass, value)| {
            let position: Position = format!("{}{pass}", fields[1]).parse().unwrap();
            (position, margin(value, position.to_move()))
        })
    })
}

/// Parses a value such as `W+3`. Returns it as a margin for the player to move.
fn margin(value: &str, to_move: Color) -> i8 {
    let black: i8 = match value.split_once('+') {
        None => 0,
        Some(("B", stones)) => stones.parse().unwrap(),
        Some((_, stones)) => -stones.parse::<i8>().unwrap(),
    };
    if to_move == Color::Black {
        black
    } else {
        -black
    }
}

/// A player that makes random legal moves.
pub struct RandomPlayer(StdRng);

impl RandomPlayer {
    pub fn new(seed: u64) -> RandomPlayer {
        RandomPlayer(StdRng::seed_from_u64(seed))
    }

    /// Returns a random number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.random_range(0..limit)
    }

    /// Returns a position with at least this many stones, after random placements.
    pub fn position(&mut self, stones: u32) -> Position {
        let mut position = Position::START;
        while position.stones().count() < stones {
            let points: Vec<_> = position.placements().legal().iter().collect();
            position = match points.len() {
                0 => Position::START,
                len => position.place(points[self.below(len)]).unwrap(),
            };
        }
        position
    }
}

impl Player for RandomPlayer {
    fn choose(&mut self, position: &Position, _: &Limits<'_>) -> Choice {
        let moves: Vec<Move> = position.legal_moves().collect();
        Choice::new(moves[self.below(moves.len())])
    }
}

/// Returns the value of a legal move for the player who makes it; `value` computes that of
/// the position after it.
pub fn move_value(position: &Position, mv: Move, mut value: impl FnMut(&Position) -> i8) -> i8 {
    match position.play(mv).unwrap() {
        Next::Ends(_) => position.stones().lead(),
        Next::Continues(child) => -value(&child),
    }
}
