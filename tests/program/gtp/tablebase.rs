//! Values from the tablebase are answered at once.

use insta::assert_snapshot;

use super::Engine;
use crate::drawn::drawn_tablebase;

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
#[ignore = "takes minutes, unoptimized"]
fn best_play_begins_with_positions_that_are_looked_up() {
    let mut engine = Engine::start(&["--hash", "16"]);
    let line = engine.expect("gothello-variation");
    // To the end of the game.
    assert!(line.trim_end().to_lowercase().ends_with("pass"), "{line}");
    assert!(!line.contains("stopped"), "{line}");
}

/// The opponent has passed: more than the score of the current stones can be won.
#[test]
fn a_better_result_is_not_given_up_by_a_pass() {
    for moves in ["c3 pass", "c2 a5 d3 pass", "a1 e5 pass"] {
        let mut engine = Engine::start(&["--move-time", "0.01"]);
        let mut moves = moves.split(' ').zip(["b", "w"].into_iter().cycle());
        for (mv, color) in moves.by_ref() {
            engine.expect(&format!("play {color} {mv}"));
        }
        let color = engine.expect("gogui-rules_side_to_move");
        let mv = engine.expect(&format!("genmove {color}"));
        assert_ne!(mv, "pass", "{moves:?}");
        let proven = engine.expect("gothello-last_choice");
        assert!(proven.contains("proven"), "{proven}");
    }
}

#[test]
fn the_values_of_another_tablebase_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drawn.tablebase");
    std::fs::write(&path, drawn_tablebase(2)).unwrap();
    let mut engine = Engine::start(&["--tablebase", path.to_str().unwrap()]);
    assert_eq!(engine.expect("gothello-value"), "0");
    assert_eq!(engine.expect("gothello-winner"), "drawn");
}
