//! What the book decides is told at once: of a position, and of one whose next positions
//! are in the book.

use insta::assert_snapshot;

use super::Engine;

/// Black has left the book with its second move, which is as good: only the positions
/// after each of his next moves are in it.
#[test]
fn the_positions_after_each_move_are_looked_up() {
    let mut engine = Engine::start(&["--hash", "16"]);
    assert_snapshot!(engine.transcript(
        "play b c3
        genmove w
        reg_genmove b
        gothello-last_choice
        gothello-value
        gothello-winner
        gothello-best_moves
        gothello-values"
    ));
}

#[test]
fn best_play_follows_the_book() {
    let mut engine = Engine::start(&["--hash", "16"]);
    for (moves, beginning) in [("", "b C2 w B3 "), ("c3 b1", "b A2 ")] {
        for (ply, mv) in moves.split_whitespace().enumerate() {
            engine.expect(&format!("play {} {mv}", ["b", "w"][ply % 2]));
        }
        let line = engine.expect("gothello-variation");
        assert!(line.starts_with(beginning), "{line}");
        // To the end of the game.
        assert!(line.trim_end().to_lowercase().ends_with("pass"), "{line}");
        assert!(!line.contains("stopped"), "{line}");
    }
}

/// The opponent has passed: the stones as they stand are not all that is to be had.
#[test]
fn more_than_the_end_is_worth_is_not_passed_away() {
    for moves in ["c3 pass", "c2 a5 d3 pass"] {
        let mut engine = Engine::start(&["--move-time", "0.2"]);
        for (ply, mv) in moves.split(' ').enumerate() {
            engine.expect(&format!("play {} {mv}", ["b", "w"][ply % 2]));
        }
        let mv = engine.expect("genmove b");
        assert_ne!(mv, "pass", "{moves}");
    }
}

#[test]
#[ignore = "takes half a minute"]
fn a_won_game_is_not_passed_away() {
    let mut engine = Engine::beyond_the_book(&["--move-time", "5"]);
    engine.expect("play b pass");
    let mv = engine.expect("genmove w");
    assert_ne!(mv, "pass");
    assert_eq!(engine.expect("gothello-winner"), "White wins", "{mv}");
}
