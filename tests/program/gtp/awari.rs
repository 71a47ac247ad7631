//! `gothello gtp --game awari`.

use insta::assert_snapshot;

use super::Engine;
use super::gogui::play_match;

fn awari(more: &[&str]) -> Engine {
    Engine::start(&[&["--game", "awari"], more].concat())
}

/// The dialogue of a new engine.
fn transcript(commands: &str) -> String {
    awari(&[]).transcript(commands.trim())
}

#[test]
fn about_the_program() {
    assert_snapshot!(transcript(
        "
        protocol_version
        name
        gogui-title
        gogui-rules_game_id
        known_command gothello-gains
        known_command gogui-setup
        gogui-setup b a3
        gothello-values
        komi 6.5
        boardsize 5
        boardsize 6
        gogui-rules_board_size
        gogui-analyze_commands
        list_commands
        help
        quit
    "
    ));
}

#[test]
fn every_command_is_listed_and_known() {
    let mut engine = awari(&[]);
    for name in engine.expect("list_commands").lines() {
        assert_eq!(engine.expect(&format!("known_command {name}")), "true");
        // Wrong arguments are refused, but the command is known.
        let answer = engine.ask(&format!("{name} x x x x"));
        assert_ne!(answer, "? unknown command", "{name}");
        assert!(answer.starts_with("? "), "{name}: {answer}");
    }
}

#[test]
fn moves_and_the_board_after_them() {
    assert_snapshot!(transcript(
        "
        showboard
        play b C3
        play WHITE a4
        showboard
        gogui-rules_board
        gogui-rules_board_gfx
        gogui-rules_legal_moves
        gogui-rules_side_to_move
        gogui-play_sequence b f3 w b4 b a3
        showboard
        gogui-rules_board_gfx
        gogui-rules_captured_count
        final_score
        gogui-rules_final_result
        undo
        gg-undo 4
        gothello-position
        undo
    "
    ));
}

#[test]
fn a_new_game_keeps_nothing_of_the_old_one() {
    let mut engine = awari(&[]);
    let questions = [
        "showboard",
        "final_score",
        "gothello-position",
        "gogui-rules_board",
        "gogui-rules_captured_count",
        "gogui-rules_side_to_move",
    ];
    let mut state = |commands: &[&str]| {
        commands.iter().for_each(|line| drop(engine.expect(line)));
        let undo = engine.ask("undo");
        (questions.map(|question| engine.expect(question)), undo)
    };
    let new = state(&[]);
    assert_eq!(new.1, "? cannot undo");
    for command in ["clear_board", "boardsize 6"] {
        let game = ["play b c3", "play w a4", "play b f3", "play w b4"];
        assert_ne!(state(&game).0, new.0);
        assert_eq!(state(&[command]), new, "{command}");
    }
}

#[test]
fn illegal_moves_change_nothing() {
    assert_snapshot!(transcript(
        "
        play w a4
        genmove w
        reg_genmove w
        play b a4
        play b a1
        play b g3
        play b c3 d3
        play b pass
        play red c3
        gogui-play_sequence b c3 w a4 b c3
        gothello-position
        gothello-position 0,0,0,0,0,0/1,0,0,0,0,2 22 23 s
        play b a3
        gogui-rules_legal_moves
        play b c3
    "
    ));
}

#[test]
fn a_game_ends_with_25_stones() {
    assert_snapshot!(transcript(
        "
        gothello-position 0,1,0,0,0,5/0,1,0,0,1,2 14 24 s
        gothello-gains
        play b f3
        showboard
        gogui-rules_board_gfx
        gogui-rules_legal_moves
        final_score
        gogui-rules_final_result
        gothello-gains
        gothello-position
    "
    ));
}

#[test]
fn a_grand_slam_ends_the_game_and_gives_away_the_rest() {
    assert_snapshot!(transcript(
        "
        gothello-position 1,0,0,0,0,0/3,0,0,0,0,1 24 19 s
        gothello-gains
        play b f3
        showboard
        gogui-rules_final_result
    "
    ));
    let mut engine = awari(&["--grand-slam", "a"]);
    engine.expect("gothello-position 1,0,0,0,0,0/3,0,0,0,0,1 24 19 s");
    assert_snapshot!(engine.ask("play b f3"));
    assert_eq!(engine.expect("gogui-rules_legal_moves"), "A3");
    // All games use the variant of the command line.
    engine.expect("clear_board");
    engine.expect("gothello-position 1,0,0,0,0,0/3,0,0,0,0,1 24 19 s");
    assert_eq!(engine.expect("gogui-rules_legal_moves"), "A3");
}

/// Two stones that move around the board one after the other.
const ROUND: &str =
    "gogui-play_sequence b a3 w f4 b b3 w e4 b c3 w d4 b d3 w c4 b e3 w b4 b f3 w a4";

#[test]
fn a_position_that_comes_up_again_ends_the_game() {
    assert_snapshot!(transcript(&format!(
        "
        gothello-position 1,0,0,0,0,0/1,0,0,0,0,0 22 24 s
        {ROUND}
        showboard
        final_score
        gogui-rules_final_result
    "
    )));
    let mut engine = awari(&["--repetition", "discard"]);
    engine.expect("gothello-position 1,0,0,0,0,0/1,0,0,0,0,0 22 24 s");
    engine.expect(ROUND);
    assert_eq!(
        engine.expect("gogui-rules_final_result"),
        "South (Black) wins with 24 stones to 22: repetition."
    );
}

#[test]
fn after_the_end_there_are_only_passes() {
    assert_snapshot!(transcript(
        "
        gothello-position 1,0,0,0,0,0/0,0,0,0,0,1 22 24 s
        play b f3
        genmove w
        play b PASS
        play w a4
        play w f4
        showboard
        gg-undo 2
        showboard
        undo
        gothello-position
        undo
    "
    ));
}

#[test]
fn invalid_positions() {
    assert_snapshot!(transcript(
        "
        gothello-position x
        gothello-position 4,4,4,4,4/4,4,4,4,4,4 0 0 s
        gothello-position 4,4,4,4,4,4/4,4,4,4,4,4 0 1 s
        gothello-position 4,4,4,4,4,4/0,0,0,0,0,0 0 24 s
        gothello-position 4,4,4,4,4,4/4,4,4,4,4,4 0 0 b
        gothello-position
    "
    ));
}

#[test]
fn the_engine_moves_and_says_what_it_thinks() {
    assert_snapshot!(transcript(
        "
        gothello-last_choice
        time_settings 0 30 1
        gothello-position 1,2,0,0,0,4/0,0,0,0,1,2 18 20 s
        gothello-gains
        reg_genmove b
        gothello-suggested_move
        gothello-last_choice
        genmove b
        gothello-last_choice
        showboard
        gogui-rules_board_gfx
        gothello-suggested_move
        undo
        gothello-last_choice
    "
    ));
}

#[test]
fn a_player_without_stones_ends_the_game() {
    assert_snapshot!(transcript(
        "
        gothello-position 0,0,0,0,0,0/1,0,0,0,0,0 24 23 s
        play b a3
        showboard
        gothello-gains
        gogui-rules_board_gfx
        gogui-rules_final_result
    "
    ));
}

#[test]
fn captures_are_marked_and_the_dot_covers_no_number() {
    let mut engine = awari(&[]);
    engine.expect("gothello-position 1,2,0,0,0,4/0,0,0,0,1,2 20 18 s");
    engine.expect("play b f3");
    let gfx = engine.expect("gogui-rules_board_gfx");
    // Pits a and b, and the pit that was sown.
    assert!(gfx.contains("\nSQUARE F4 E4\n"), "{gfx}");
    assert!(gfx.contains(" F3 \"0        \""), "{gfx}");
    assert!(gfx.contains(" A3 0 "), "{gfx}");
    engine.expect("play w a4");
    let gfx = engine.expect("gogui-rules_board_gfx");
    assert!(!gfx.contains("SQUARE"), "{gfx}");
    assert!(gfx.contains(" A4 \"0        \""), "{gfx}");
}

#[test]
fn the_side_to_move_is_read_in_either_case() {
    let mut engine = awari(&[]);
    engine.expect("gothello-position 1,2,0,0,0,4/0,0,0,0,1,2 18 20 N");
    assert!(engine.expect("gothello-position").ends_with(" 18 20 n"));
    engine.expect("play W A4");
    engine.expect("play b E3");
}

/// One round of GoGui's synchronisation with a ruler.
fn synchronize(ruler: &mut Engine, moves: &[String]) -> String {
    ruler.expect("clear_board");
    for mv in moves {
        ruler.expect(&format!("play {mv}"));
    }
    let board = ruler.expect("gogui-rules_board");
    assert_eq!(ruler.expect("gogui-rules_board_size"), "6");
    let captured = ruler.expect("gogui-rules_captured_count");
    let captured = captured
        .split(' ')
        .map(|count| count.parse::<u8>().unwrap());
    assert_eq!(captured.count(), 2);
    let side = ruler.expect("gogui-rules_side_to_move");
    assert!(["black", "white"].contains(&side.as_str()));
    board
}

#[test]
fn a_ruler_is_attached_and_a_game_played_to_its_end() {
    let mut ruler = awari(&[]);
    ruler.expect("list_commands");
    ruler.expect("gogui-interrupt");
    assert_eq!(ruler.expect("gogui-rules_game_id"), "Awari");
    assert_eq!(ruler.expect("gogui-rules_board_size"), "6");
    ruler.expect("gogui-rules_board_gfx");
    for _ in 0..3 {
        let (none, white, black) = (". . . . . .", "O O O O O O", "X X X X X X");
        let board = [none, none, white, black, none, none].join("\n");
        assert_eq!(synchronize(&mut ruler, &[]), board);
    }

    // The whole game is sent again with every move.
    let mut moves = Vec::new();
    loop {
        let legal = ruler.expect("gogui-rules_legal_moves");
        let Some(point) = legal.split(' ').next().filter(|point| !point.is_empty()) else {
            break;
        };
        let color = ["B", "W"][moves.len() % 2];
        moves.push(format!("{color} {point}"));
        let board = synchronize(&mut ruler, &moves);
        // The last move comes once or twice more.
        let again = ruler.ask(&format!("play {}", moves[moves.len() - 1]));
        assert!(again.starts_with("? illegal move"), "{again}");
        assert_eq!(ruler.expect("gogui-rules_board"), board);
        ruler.expect("gogui-rules_board_gfx");
        assert!(moves.len() < 1000, "the game does not end");
    }
    assert!(
        !ruler
            .expect("gogui-rules_final_result")
            .contains("not over")
    );
    assert_eq!(ruler.finish(), (String::new(), true));
}

#[test]
fn two_engines_play_a_match() {
    play_match([0, 1].map(|_| awari(&["--move-time", "0.01"])), 6, 1_000);
}
