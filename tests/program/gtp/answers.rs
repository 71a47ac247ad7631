//! The answers of every command.

use insta::assert_snapshot;

use super::Engine;
use super::engine::transcript;

#[test]
fn about_the_program() {
    assert_snapshot!(transcript(
        "
        protocol_version
        name
        known_command play
        known_command gogui-rules_board
        known_command Play
        known_command
        gogui-interrupt
        komi 6.5
        komi
        komi x
        gogui-title
        gogui-analyze_commands
        list_commands
        help
        quit
    "
    ));
}

#[test]
fn the_version_is_that_of_the_program() {
    assert_eq!(
        transcript("version"),
        format!("> version\n= {}", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_command_is_listed_and_known() {
    let mut engine = Engine::start(&[]);
    let list = engine.expect("list_commands");
    assert_eq!(list.lines().count(), 49, "{list}");
    for name in list.lines() {
        assert_eq!(engine.expect(&format!("known_command {name}")), "true");
        // Wrong arguments are refused, but the command is known. The folder does not exist.
        let answer = engine.ask(&format!("{name} none/x x x x"));
        assert!(answer.starts_with("? "), "{name}: {answer}");
        assert_ne!(answer, "? unknown command", "{name}");
    }
    assert_eq!(engine.ask("nothing"), "? unknown command");
}

#[test]
fn processor_time_is_a_number_that_grows() {
    let mut engine = Engine::without_tablebase(&["--move-time", "0.1"]);
    let before: f64 = engine.expect("cputime").parse().unwrap();
    engine.expect("genmove b");
    let after: f64 = engine.expect("cputime").parse().unwrap();
    assert!(before >= 0.0 && after > before + 0.01, "{before} {after}");
}

#[test]
fn the_board_has_one_size() {
    assert_snapshot!(transcript(
        "
        play b c3
        boardsize 19
        gogui-rules_side_to_move
        boardsize 5
        gogui-rules_side_to_move
        boardsize
        boardsize five
        boardsize -5
        boardsize 99999999999999999999
        boardsize 5 5
    "
    ));
}

#[test]
fn moves_and_the_board_after_them() {
    assert_snapshot!(transcript(
        "
        play black C3
        play w d3
        PLAY w d3
        play B PASS
        play WHITE e5
        showboard
        gogui-rules_board
        gogui-rules_legal_moves
        final_score
        gogui-rules_final_result
    "
    ));
}

#[test]
fn illegal_moves_change_nothing() {
    assert_snapshot!(transcript(
        "
        play b a2
        play w a5
        play b b1
        play b c3
        play w a1
        play w a2
        play w f1
        play w a6
        play w i9
        play w resign
        play w
        play
        play red c3
        play w c3 d3
        genmove b
        reg_genmove b
        genmove
        showboard
    "
    ));
}

#[test]
fn a_game_that_is_over() {
    assert_snapshot!(transcript(
        "
        play b c3
        play w pass
        gogui-rules_legal_moves
        play b pass
        gogui-rules_legal_moves
        gogui-rules_side_to_move
        gogui-rules_final_result
        final_score
        genmove w
        genmove b
        reg_genmove w
        play w pass
        play w pass
        play b pass
        play w a1
        gogui-rules_board_gfx
        gogui-title
        showboard
        undo
        gogui-rules_legal_moves
        gogui-title
    "
    ));
}

#[test]
fn final_results() {
    assert_snapshot!(transcript(
        "
        play b pass
        play w pass
        gogui-rules_final_result
        final_score
        clear_board
        play b pass
        play w c3
        play b pass
        play w d3
        play b pass
        play w pass
        gogui-rules_final_result
        final_score
    "
    ));
}

#[test]
fn captures_turn_stones_over() {
    assert_snapshot!(transcript(
        "
        play b a1
        play w b1
        play b c2
        gothello-captures
        play w a2
        gogui-rules_board
        gogui-rules_captured_count
        gogui-rules_board_gfx
        play b b2
        play w pass
        play b c1
        play w pass
        gothello-groups
        gothello-captures
        gogui-rules_board_gfx
        play b a3
        gogui-rules_captured_count
        gogui-rules_board_gfx
        showboard
        final_status_list alive
        final_status_list dead
        final_status_list seki
        final_status_list asleep
        final_status_list
    "
    ));
}

#[test]
fn undo_goes_back_to_the_start() {
    assert_snapshot!(transcript(
        "
        undo
        gg-undo 0
        gg-undo 1
        play b c3
        play w pass
        play b pass
        gg-undo 4
        gg-undo -1
        gg-undo 2
        gogui-rules_side_to_move
        gogui-rules_legal_moves
        gg-undo
        gogui-rules_side_to_move
        undo
        undo 1
    "
    ));
}

#[test]
fn sequences_are_played_whole_or_not_at_all() {
    assert_snapshot!(transcript(
        "
        gogui-play_sequence
        gogui-play_sequence b c3 w d3 b pass
        gogui-rules_side_to_move
        gogui-play_sequence w a1 b a2 w d3
        gogui-play_sequence w a1 b a2 b a3
        gogui-play_sequence w a1 b
        gogui-play_sequence w a1 b z9
        gogui-rules_board
        gg-undo 3
        undo
    "
    ));
}

#[test]
fn stones_are_set_up() {
    assert_snapshot!(transcript(
        "
        gogui-setup b c3 w d3 b a1
        gogui-rules_board
        gogui-rules_side_to_move
        gogui-setup_player w
        gogui-rules_side_to_move
        play w a2
        gogui-setup b a1 w a2 w b1
        gogui-setup b a1 w a1
        gogui-setup b
        gogui-setup b pass
        gogui-setup x a1
        gogui-setup_player
        gogui-setup_player x
        gogui-rules_board
        gg-undo 3
        undo
        gogui-setup
        gogui-rules_board
    "
    ));
}

#[test]
fn time_is_set_and_told() {
    assert_snapshot!(transcript(
        "
        time_settings 60 10 3
        time_settings 0 0 0
        time_settings 0 1 0
        time_settings 60 10
        time_settings -1 0 0
        time_settings x 0 0
        time_settings 1e300 0 0
        time_left b 30 0
        time_left w 5 2
        time_left b -3 0
        time_left b -3 -1
        time_left b 1e300 0
        time_left b nan 0
        time_left w 5
        time_left x 5 2
    "
    ));
}

/// Everything that can be asked about a game, in one text.
fn all_that_can_be_asked(engine: &mut Engine) -> String {
    let questions = [
        "showboard",
        "final_score",
        "final_status_list alive",
        "printsgf",
        "gogui-rules_board",
        "gogui-rules_board_gfx",
        "gogui-rules_captured_count",
        "gogui-rules_final_result",
        "gogui-rules_legal_moves",
        "gogui-rules_side_to_move",
        "gothello-captures",
        "gothello-groups",
    ];
    questions.map(|question| engine.expect(question)).join("\n")
}

#[test]
fn a_new_game_keeps_nothing_of_the_old_one() {
    // A game that is over, one with a position that was set up, and one move.
    let games = [
        &[
            "play b a1",
            "play w b1",
            "play b c2",
            "play w a2",
            "play b pass",
            "play w pass",
        ][..],
        &["play b c3", "gogui-setup b c4 w d3", "gogui-setup_player w"],
        &["play b c3"],
    ];
    let mut engine = Engine::start(&[]);
    let new = all_that_can_be_asked(&mut engine);
    for command in ["clear_board", "boardsize 5"] {
        for game in games {
            game.iter().for_each(|line| drop(engine.expect(line)));
            assert_ne!(all_that_can_be_asked(&mut engine), new, "{game:?}");
            engine.expect(command);
            assert_eq!(
                all_that_can_be_asked(&mut engine),
                new,
                "{game:?} {command}"
            );
            for undo in ["undo", "gg-undo 1"] {
                assert_eq!(engine.ask(undo), "? cannot undo", "{game:?} {command}");
            }
            assert_eq!(
                all_that_can_be_asked(&mut engine),
                new,
                "{game:?} {command}"
            );
        }
    }
    // A size that is not accepted begins no game.
    engine.expect("play b c3");
    assert_eq!(engine.ask("boardsize 6"), "? unacceptable size");
    engine.expect("undo");
    assert_eq!(all_that_can_be_asked(&mut engine), new);
}

#[test]
fn undo_restores_everything_that_can_be_asked() {
    let game = [
        "play b a1",
        "play w b1",
        "play b c2",
        "play w a2",
        "play b b2",
        "play w pass",
        "play b c1",
        "gogui-setup_player b",
        "play b a3",
        "play w pass",
        "play b pass",
        "gogui-setup b c3 w d3",
        "play b e5",
        "play w pass",
        "play b pass",
    ];
    let mut engine = Engine::start(&[]);
    let mut before = Vec::new();
    for command in game {
        before.push(all_that_can_be_asked(&mut engine));
        engine.expect(command);
    }
    let end = all_that_can_be_asked(&mut engine);
    engine.expect("play w pass");
    assert_eq!(all_that_can_be_asked(&mut engine), end);
    while let Some(expected) = before.pop() {
        engine.expect("undo");
        assert_eq!(all_that_can_be_asked(&mut engine), expected);
    }
    assert_eq!(engine.ask("undo"), "? cannot undo");
}
