//! Positions to choose moves in, and their values.

use gothello::player::{Choice, Limits, Player};
use gothello::{Color, Move, Next, Position};

/// The positions of the solver's `values.txt` with 13 stones or more, each
/// without and with a pass before, and the value for the player to move.
pub fn valued() -> impl Iterator<Item = (Position, i8)> {
    let lines = include_str!("values.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let fields = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    let wanted = fields.filter(|fields| fields[0].trim().parse::<u32>().unwrap() >= 13);
    wanted.flat_map(|fields| {
        [("", fields[2]), (" pass", fields[3])].map(|(pass, value)| {
            let position: Position = format!("{}{pass}", fields[1]).parse().unwrap();
            (position, margin(value, position.to_move()))
        })
    })
}

/// A value such as `W+3`, for the player to move.
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

/// Plays moves by rng.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // Knuth's linear congruential generator.
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A position after placements by rng, with at least so many stones.
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

impl Player for Rng {
    fn choose(&mut self, position: &Position, _: &Limits<'_>) -> Choice {
        let moves: Vec<Move> = position.legal_moves().collect();
        Choice {
            mv: moves[self.below(moves.len())],
            margin: 0.0,
            proven: false,
            depth: 0,
            positions: 0,
        }
    }
}

/// What the value of a legal move is for the player who makes it, by the value
/// that `value` finds for the position after it.
pub fn after(position: &Position, mv: Move, mut value: impl FnMut(&Position) -> i8) -> i8 {
    match position.play(mv).unwrap() {
        Next::Ends(_) => position.stones().lead(),
        Next::Continues(child) => -value(&child),
    }
}
