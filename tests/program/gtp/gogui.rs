//! The commands that GoGui 1.6 sends, in its order.

use super::Engine;

/// One round of GoGui's synchronisation with a ruler.
fn synchronize(ruler: &mut Engine, moves: &[&str]) -> (String, String) {
    ruler.expect("clear_board");
    for mv in moves {
        ruler.expect(&format!("play {mv}"));
    }
    let board = ruler.expect("gogui-rules_board");
    assert_eq!(ruler.expect("gogui-rules_board_size"), "5");
    let captured = ruler.expect("gogui-rules_captured_count");
    let side = ruler.expect("gogui-rules_side_to_move");
    assert!(["black", "white"].contains(&side.as_str()));
    (board, captured)
}

#[test]
fn a_ruler_is_attached_and_a_game_played_to_its_end() {
    let mut ruler = Engine::start(&[]);
    let commands = ruler.expect("list_commands");
    assert!(commands.lines().any(|name| name == "gogui-interrupt"));
    ruler.expect("gogui-interrupt");
    assert_eq!(ruler.expect("gogui-rules_game_id"), "Gothello");
    assert_eq!(ruler.expect("gogui-rules_board_size"), "5");
    let empty = [". . . . ."; 5].join("\n");
    for _ in 0..3 {
        assert_eq!(synchronize(&mut ruler, &[]), (empty.clone(), "0 0".into()));
    }
    assert!(
        ruler
            .expect("gogui-rules_legal_moves")
            .starts_with("A1 B1 ")
    );

    // The whole game is sent again with every move.
    let moves = [
        "B A1", "W B1", "B C2", "W A2", "B B2", "W PASS", "B C1", "W PASS", "B A3", "W PASS",
        "B PASS",
    ];
    for played in 1..=moves.len() {
        synchronize(&mut ruler, &moves[..played]);
        let legal = ruler.expect("gogui-rules_legal_moves");
        let over = played == moves.len();
        assert_eq!(legal.is_empty(), over, "{legal}");
        // The last move comes once or twice more.
        if !over {
            let board = ruler.expect("gogui-rules_board");
            assert!(
                ruler
                    .ask(&format!("play {}", moves[played - 1]))
                    .starts_with("? illegal move")
            );
            assert_eq!(ruler.expect("gogui-rules_board"), board);
        }
        // The graphics: an empty line would end the answer, and a TEXT before the end would hide
        // that an engine is thinking.
        let gfx = ruler.expect("gogui-rules_board_gfx");
        assert_eq!(gfx.contains("TEXT"), over, "{gfx}");
        assert!(!gfx.ends_with('\n'), "{gfx}");
    }
    assert_eq!(
        ruler.expect("gogui-rules_board_gfx"),
        "LABEL A3 Black B3 wins C3 by D3 7 E3 points\n\
         TEXT Black wins by 7 points. Final score is B 7 and W 0."
    );
    assert_eq!(synchronize(&mut ruler, &moves).1, "3 1");
    assert_eq!(
        ruler.expect("gogui-rules_final_result"),
        "Black wins by 7 points. Final score is B 7 and W 0."
    );
    assert_eq!(ruler.finish(), (String::new(), true));
}

/// With only a ruler, GoGui does not announce how a game ended: the board does.
#[test]
fn the_result_is_written_on_the_board() {
    let end = |moves: &str| {
        let mut ruler = Engine::start(&[]);
        for mv in moves.split(", ") {
            ruler.expect(&format!("play {mv}"));
        }
        let gfx = ruler.expect("gogui-rules_board_gfx");
        let lines: Vec<String> = gfx.lines().map(str::to_owned).collect();
        // None of it remains after a step back.
        ruler.expect("undo");
        assert!(!ruler.expect("gogui-rules_board_gfx").contains("LABEL"));
        lines
    };
    assert_eq!(
        end("B pass, W pass"),
        [
            "LABEL A3 The B3 game C3 is D3 a E3 draw",
            "TEXT The game is drawn. Final score is B 0 and W 0."
        ]
    );
    assert_eq!(
        end("B pass, W C3, B pass, W pass"),
        [
            "LABEL A3 White B3 wins C3 by D3 1 E3 point",
            "TEXT White wins by 1 point. Final score is B 0 and W 1."
        ]
    );
}

/// GoGui draws a dot on the last stone, over the middle of its label.
#[test]
fn the_dot_covers_no_number() {
    let mut engine = Engine::start(&[]);
    engine.expect("play b c3");
    engine.expect("play w c4");
    let gfx = engine.expect("gothello-groups");
    assert!(gfx.contains("LABEL C3 3\n"), "{gfx}");
    assert!(gfx.contains("LABEL C4 \"3        \"\n"), "{gfx}");
    // A pass has no dot.
    engine.expect("play b pass");
    let gfx = engine.expect("gothello-groups");
    assert!(gfx.contains("LABEL C4 3\n"), "{gfx}");
    // At the end, the text of the result is removed.
    engine.expect("play w pass");
    let gfx = engine.expect("gothello-groups");
    assert!(gfx.contains("A3 \"\" B3 \"\" D3 \"\""), "{gfx}");
}

/// Plays a match between two engines as gogui-twogtp does: both have the same score at the
/// end, after fewer plies than `limit`.
pub fn play_match(mut players: [Engine; 2], size: u8, limit: usize) {
    for player in &mut players {
        for command in [
            "protocol_version",
            "name",
            "version",
            "list_commands",
            &format!("boardsize {size}"),
            "clear_board",
            "komi 0",
        ] {
            player.expect(command);
        }
    }
    let mut passes = 0;
    for ply in 0.. {
        assert!(ply < limit, "the game does not end");
        let color = ["b", "w"][ply % 2];
        let mv = players[ply % 2].expect(&format!("genmove {color}"));
        players[1 - ply % 2].expect(&format!("play {color} {mv}"));
        passes = if mv == "pass" { passes + 1 } else { 0 };
        if passes == 2 {
            break;
        }
    }
    let [black, white] = players
        .each_mut()
        .map(|player| player.expect("final_score"));
    assert_eq!(black, white);
    assert!(black == "0" || black.starts_with(['B', 'W']), "{black}");
    for mut player in players {
        player.expect("cputime");
        player.expect("quit");
        assert_eq!(player.finish(), (String::new(), true));
    }
}

#[test]
fn two_engines_play_a_match() {
    play_match(
        [0, 1].map(|_| Engine::start(&["--move-time", "0.01"])),
        5,
        60,
    );
}
