//! Counts of the game tree against those of other programs.

use gothello::games::gothello::{Color, Game, Move, Position, divide, perft};

/// A line of `perft.txt`: the moves, the position after them, and the leaves
/// at each depth.
struct Case {
    moves: Vec<Move>,
    position: Position,
    leaves: Vec<(u32, u64)>,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("perft.txt").lines();
    let cases = lines.filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split('|').collect();
        let counts = fields[2].split_whitespace().map(|count| {
            let (depth, leaves) = count.split_once(':').unwrap();
            (depth.parse().unwrap(), leaves.parse().unwrap())
        });
        Case {
            moves: fields[0]
                .split_whitespace()
                .map(|mv| mv.parse().unwrap())
                .collect(),
            position: fields[1].trim().parse().unwrap(),
            leaves: counts.collect(),
        }
    });
    cases.collect()
}

#[test]
fn the_moves_lead_to_the_positions() {
    for case in cases() {
        let mut game = Game::new();
        for (mv, color) in case.moves.into_iter().zip(Color::ALL.into_iter().cycle()) {
            game.play(color, mv).unwrap();
        }
        assert_eq!(game.position(), Some(&case.position));
    }
}

/// Counts again what other programs counted, up to a number of leaves.
fn assert_counts_agree(most: u64) {
    for case in cases() {
        for &(depth, leaves) in case.leaves.iter().filter(|&&(_, leaves)| leaves <= most) {
            assert_eq!(
                perft(&case.position, depth),
                leaves,
                "{} {depth}",
                case.position
            );
        }
    }
}

#[test]
fn the_leaves_are_as_many_as_other_programs_count() {
    assert_counts_agree(if cfg!(debug_assertions) {
        1_000_000
    } else {
        10_000_000
    });
}

#[test]
#[ignore = "takes half a minute"]
fn the_leaves_are_as_many_to_depth_7() {
    assert_counts_agree(u64::MAX);
}

#[test]
fn divided_leaves_add_up() {
    for case in cases() {
        for depth in 1..=3 {
            let parts = divide(&case.position, depth);
            assert_eq!(
                parts.len() as u64,
                perft(&case.position, 1),
                "{}",
                case.position
            );
            let sum: u64 = parts.iter().map(|&(_, leaves)| leaves).sum();
            assert_eq!(
                sum,
                perft(&case.position, depth),
                "{} to depth {depth}",
                case.position
            );
        }
    }
}
