//! Perft, compared with another program.

use gothello::awari::{Game, Position, Variant, divide, perft};

/// The leaves from the start at depth 1, 2, and so on.
const LEAVES: [u64; 7] = [6, 36, 190, 1014, 5219, 27_332, 139_157];

#[test]
fn perft_agrees_with_another_program() {
    for (depth, leaves) in (1..).zip(LEAVES) {
        assert_eq!(perft(&mut Game::default(), depth), leaves, "{depth}");
    }
}

#[test]
fn divided_leaves_add_up_and_the_game_is_unchanged() {
    let late: Position = "0,0,0,1,0,2/1,0,0,0,1,0 22 21 s".parse().unwrap();
    for position in [Position::START, late] {
        for depth in 0..=6 {
            let mut game = Game::new(position, Variant::default());
            let before = game.clone();
            let parts = divide(&mut game, depth);
            let sum: u64 = parts.iter().map(|&(_, leaves)| leaves).sum();
            let expected = if depth == 0 {
                0
            } else {
                perft(&mut game, depth)
            };
            assert_eq!(sum, expected);
            assert_eq!(game, before);
        }
    }
}

#[test]
fn a_game_that_is_over_has_no_further_leaves() {
    // South's last stone goes to a: North has a move, then South has none.
    let position: Position = "0,0,0,0,0,0/0,0,0,0,0,1 23 24 s".parse().unwrap();
    let mut game = Game::new(position, Variant::default());
    let counts: Vec<u64> = (1..=3).map(|depth| perft(&mut game, depth)).collect();
    assert_eq!(counts, [1, 1, 0]);
}
