//! Game records.

use std::collections::BTreeMap;

use gothello::sgf::{self, Annotation, GameTree, Headers, ReadError, Record, TreeStep};
use gothello::{Game, Move, Point, Position, Step};
use proptest::prelude::*;

use crate::cases::cases;

fn error(text: &str) -> String {
    sgf::read(text, usize::MAX).unwrap_err().to_string()
}

#[test]
fn a_game_is_written_with_its_result() {
    let mut game = Game::new();
    for mv in ["c3", "a5", "pass", "e1", "pass", "pass"] {
        game.play(game.to_move(), mv.parse().unwrap()).unwrap();
    }
    let version = env!("CARGO_PKG_VERSION");
    insta::assert_snapshot!(sgf::write(&game).replace(version, "[version]"), @r"
    (;FF[4]GM[1]CA[UTF-8]AP[gothello:[version]]SZ[5]RU[Gothello]RE[W+1]
    ;B[cc];W[aa];B[];W[ee];B[];W[])
    ");
}

#[test]
fn a_set_up_is_written_and_read() {
    let mut game = Game::from(
        "...../.w.../...../...../....b w"
            .parse::<gothello::Position>()
            .unwrap(),
    );
    game.play(game.to_move(), "c3".parse().unwrap()).unwrap();
    game.set_up("...../...../..b../...../....b b".parse().unwrap());
    let text = sgf::write(&game);
    assert!(
        text.contains("AB[ee]AW[bb]PL[W]\n;W[cc]\n;AB[cc]AE[bb]"),
        "{text}"
    );
    assert_eq!(sgf::read(&text, usize::MAX).unwrap(), game);
}

#[test]
fn a_pass_before_a_set_up_is_written_as_a_move() {
    let passed: Position = "...../...../..b../...../..... w pass".parse().unwrap();
    let mut game = Game::from(passed);
    let read = |game: &Game| sgf::read(&sgf::write(game), usize::MAX).unwrap();
    assert_eq!(read(&game).position(), Some(&passed));
    assert!(sgf::write(&game).contains("AB[cc]\n;B[]"));
    game.play(game.to_move(), "a1".parse().unwrap()).unwrap();
    game.set_up(passed);
    assert_eq!(read(&game).position(), Some(&passed));
    game.play(game.to_move(), Move::Pass).unwrap();
    assert_eq!(read(&game).outcome(), game.outcome());
}

#[test]
fn the_main_line_of_other_programs_files_is_read() {
    let text = "(;GM[1]FF[4]SZ[5:5]PB[Ann]PW[Bob \\] \\\\]C[first\nlines]
        ;B[cc](;W[dc]C[main];B[tt](;W[ab]))(;W[aa];B[bb]))(;SZ[19])";
    let game = sgf::read(text, usize::MAX).unwrap();
    assert_eq!(
        game.position().unwrap().to_string(),
        "...../w..../..bw./...../..... b"
    );
    let game = sgf::read(text, 2).unwrap();
    assert_eq!(
        game.position().unwrap().to_string(),
        "...../...../..bw./...../..... b"
    );
}

#[test]
fn a_set_up_after_a_pass_is_not_lost() {
    let mut game = Game::new();
    game.play(game.to_move(), Move::Pass).unwrap();
    game.set_up(game.board().with_to_move(game.to_move()));
    assert_eq!(sgf::read(&sgf::write(&game), usize::MAX).unwrap(), game);
    game.play(game.to_move(), Move::Pass).unwrap();
    assert!(!game.is_over());
}

#[test]
fn files_of_gogui_are_read() {
    let text = "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[5]\nKM[0]PB[Gothello]DT[2026-11-20]
        ;B[ae]PL[W];W[be]PL[B];B[cd]PL[W];W[ad]PL[B];B[]PL[W];W[]PL[B])";
    let game = sgf::read(text, usize::MAX).unwrap();
    let end: Position = "...../...../...../w.b../ww... b".parse().unwrap();
    assert_eq!(game.board(), end.board());
    assert!(game.is_over());
    // As editors on Windows save it.
    assert_eq!(
        sgf::read(&format!("\u{feff}{text}"), usize::MAX).unwrap(),
        game
    );
}

#[test]
fn errors_say_what_is_wrong() {
    insta::assert_snapshot!(error(""), @"not an SGF file: it is empty");
    insta::assert_snapshot!(error("hello (;SZ[5])"), @"not an SGF file: it does not begin with (;");
    insta::assert_snapshot!(error("()"), @"not an SGF file: it has no node");
    insta::assert_snapshot!(error("(;GM[2]SZ[5])"), @"wrong game: Gothello is recorded as GM[1]");
    insta::assert_snapshot!(error("(;SZ[9])"), @"wrong board size 9x9: Gothello is recorded with SZ[5]");
    insta::assert_snapshot!(error("(;SZ[6])"), @"wrong board size 6x6: Gothello is recorded with SZ[5]; Awari is opened from a record or from its moves, not from SGF");
    insta::assert_snapshot!(error("(;B[cc])"), @"wrong board size 19x19: Gothello is recorded with SZ[5]");
    insta::assert_snapshot!(error("(;SZ[5];B[cf])"), @"line 1, column 9: move 1, B[cf], is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5];B[CC])"), @"line 1, column 9: move 1, B[CC], is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5];B[c])"), @"line 1, column 9: move 1, B[c], is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5]\n;B[cc]\n ;W[cc])"), @"line 3, column 3: move 2, W[cc], is illegal: c3 is occupied");
    insta::assert_snapshot!(error("(;SZ[5]C[吴];B[cc];B[cd])"), @"line 1, column 19: move 2, B[cd], is illegal: it is White's turn");
    insta::assert_snapshot!(error("(;SZ[5]AB[zz])"), @"line 1, column 8: AB[zz] is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5]AB[0])"), @"line 1, column 8: AB[0] is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5]AB[aa]AW[ba][ab])"), @"line 1, column 8: the position that is set up is illegal: the group at a5 has no liberty");
}

#[test]
fn a_file_of_a_great_many_nodes_is_refused_and_harms_nobody() {
    for text in [
        format!("({})", ";".repeat(1_000_000)),
        "(".repeat(1_000_000),
    ] {
        assert_eq!(error(&text), "more than 20000 nodes or open parentheses");
    }
    for open in [
        "(", "(;", "(;B[]", "x;", "[", "]", "B[]", "AB[aa]", "C[", "[]", "LB[aa:x]",
    ] {
        // Large, but no game.
        let text = format!("(;SZ[5]{}", open.repeat(sgf::MAX_BYTES / 4 / open.len()));
        let _ = GameTree::read(&text);
    }
    // Each node has a fault, or a set-up.
    for open in [
        ";AB[aa]",
        ";B[zz]",
        "(;B[zz])",
        "(;AB[aa])",
        "(;AB[aa];B[])",
        "(;B[];W[][])",
    ] {
        let nodes = open.matches(';').count();
        let text = format!(
            "(;SZ[5];B[bb]{})",
            open.repeat((sgf::MAX_NODES - 2) / nodes)
        );
        let (tree, left_out) = GameTree::read(&text).unwrap();
        assert!(left_out.len() <= 20);
        assert_eq!(tree.write(&tree.headers()), text);
        let _ = sgf::read(&text, usize::MAX);
    }
    let nested = format!("{}{}", "(;".repeat(20_000), ")".repeat(20_000));
    assert!(sgf::read(&nested.replacen("(;", "(;SZ[5]", 1), usize::MAX).is_ok());
}

#[test]
fn variations_of_other_programs_files_are_read() {
    // As GoGui writes them: the player to move with each move, comments, and other properties.
    let text = "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[5]\nKM[0]PB[Ann]PW[Bob]RE[W+R]DT[2026-11-20]
        ;B[cc]PL[W]C[a (good\\] start;]
        (;W[dc]PL[B];B[]PL[W]BL[59.5])
        (;W[bc]PL[B]LB[aa:1]
        (;B[bb]PL[W])
        (;B[dd]PL[W])))";
    let (tree, left_out) = GameTree::read(text).unwrap();
    assert!(left_out.is_empty(), "{left_out:?}");
    let steps = tree.steps().into_iter();
    let moves: Vec<String> = steps.map(|(node, mv)| format!("{node}-{mv}")).collect();
    assert_eq!(moves.join(" "), "0-c3 1-d3 2-pass 1-b3 4-b4 4-d2");
    assert_eq!(tree.main_line().len(), 3);
    let headers = tree.headers();
    assert_eq!(headers.players.white.as_deref(), Some("Bob"));
    assert_eq!(headers.result.as_deref(), Some("W+R"));
    assert_eq!(tree.write(&headers), text);
    assert_eq!(tree.game(usize::MAX), sgf::read(text, usize::MAX).unwrap());
}

/// Describes what is read of a file: the position after the main line, its moves, those of the tree, and
/// what is left out; then whether it is written again as it was.
fn shown(text: &str) -> String {
    let (tree, left_out) = match GameTree::read(text) {
        Ok(read) => read,
        Err(why) => return why.to_string(),
    };
    let game = tree.game(usize::MAX);
    let played = |step| match step {
        Step::Played { mv, .. } => Some(mv.to_string()),
        Step::SetUp(_) => None,
    };
    let moves: Vec<String> = game.steps().filter_map(|(step, _)| played(step)).collect();
    let moves = format!("{} of {}", moves.join(" "), tree.steps().len());
    let told: Vec<String> = left_out
        .iter()
        .map(|left_out| format!("\n- {left_out}"))
        .collect();
    let written = tree.write(&tree.headers());
    let written = match written == text.trim_end() {
        true => "the same".to_owned(),
        false => written,
    };
    format!(
        "{}\n{moves}{}\n{written}",
        game.board().with_to_move(game.to_move()),
        told.join("")
    )
}

#[test]
fn all_that_is_legal_is_read_and_the_rest_is_told_and_kept() {
    // An illegal move, and a variation with one: what is legal continues the game.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cc];B[dd])"), @r"
    ...../...../..b../...../..... w
    c3 of 1
    - line 1, column 20: move 2, W[cc], is illegal: c3 is occupied; it is left out with all that follows it
    the same
    ");
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cd](;B[cc];W[aa])(;B[dd];W[bb]))"), @r"
    ...../.w.../..b../..wb./..... b
    c3 c2 d2 b4 of 4
    - line 1, column 27: move 3, B[cc], is illegal: c3 is occupied; it is left out with all that follows it
    the same
    ");
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cd](;B[dd];W[bb])(;B[cc];W[aa]))"), @r"
    ...../.w.../..b../..wb./..... b
    c3 c2 d2 b4 of 4
    - line 1, column 41: move 3, B[cc], is illegal: c3 is occupied; it is left out with all that follows it
    the same
    ");
    // Moves after two passes.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cd];B[];W[];B[aa];W[bb])"), @r"
    ...../...../..b../..w../..... b
    c3 c2 pass pass of 4
    - line 1, column 34: move 5, B[aa], is illegal: the game is over; it is left out with all that follows it
    (;GM[1]SZ[5]RE[0];B[cc];W[cd];B[];W[];B[aa];W[bb])
    ");
    // A point off the board, in the letters of the file.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[FF];B[dd])"), @r"
    ...../...../..b../...../..... w
    c3 of 1
    - line 1, column 20: move 2, W[FF], is not on the 5x5 board; it is left out with all that follows it
    the same
    ");
    // The end of the text is missing.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cd];B[d"), @r"
    ...../...../..b../..w../..... b
    c3 c2 of 2
    - line 1, column 26: the text ends in B[d, which is left out
    (;GM[1]SZ[5];B[cc];W[cd];)
    ");
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc](;W[cd];B[dd])(;W[dd]"), @r"
    ...../...../..b../..wb./..... w
    c3 c2 d2 of 4
    - line 1, column 40: the text ends before the last parenthesis
    (;GM[1]SZ[5];B[cc](;W[cd];B[dd])(;W[dd]))
    ");
    // An unescaped bracket in a comment.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc]C[Ann [3k]: hello];W[cd])"), @r#"
    ...../...../..b../..w../..... b
    c3 c2 of 2
    - line 1, column 29: ": hello]" is no part of a record, and is left out
    (;GM[1]SZ[5];B[cc]C[Ann [3k];W[cd])
    "#);
    // A pass with a space, and that of version 3 of the format.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[ ];B[tt])"), @r"
    ...../...../..b../...../..... w
    c3 pass pass of 3
    (;GM[1]SZ[5]RE[B+1];B[cc];W[ ];B[tt])
    ");
    // Two values.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5]PB[a]PB[b];B[cc][dd];W[cd])"), @r"
    ...../...../..b../..w../..... b
    c3 c2 of 2
    - line 1, column 24: of the values of B[cc][dd], the first is the move
    the same
    ");
    // Names of version 3 of the format.
    insta::assert_snapshot!(shown("(;GaMe[1]SiZe[5]PlayerBlack[Ann];Black[cc];White[cd];Black[])"), @r"
    ...../...../..b../..w../..... w
    c3 c2 pass of 3
    the same
    ");
    // A result in words.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5]PB[A]RE[W+Resign];B[cc];W[cd])"), @r"
    ...../...../..b../..w../..... b
    c3 c2 of 2
    the same
    ");
    // A semicolon is missing, and there is text after the game.
    insta::assert_snapshot!(shown("(GM[1]SZ[5];B[cc](W[cd])(W[dd]))\nbye"), @r"
    ...../...../..b../..w../..... b
    c3 c2 of 3
    (;GM[1]SZ[5];B[cc](;W[cd])(;W[dd]))
    ");
}

#[test]
fn the_first_move_tells_who_is_to_move_where_the_file_does_not() {
    let start = |text: &str| GameTree::read(text).unwrap().0.start().to_string();
    insta::assert_snapshot!(start("(;SZ[5]HA[2]AB[bb][dd];W[cc];B[cd])"), @"...../.b.../...../...b./..... w");
    insta::assert_snapshot!(start("(;SZ[5]AB[bb][dd];B[cc])"), @"...../.b.../...../...b./..... b");
    insta::assert_snapshot!(start("(;SZ[5];W[cc])"), @"...../...../...../...../..... w");
    insta::assert_snapshot!(start("(;SZ[5]HA[2]AB[bb][dd])"), @"...../.b.../...../...b./..... w");
    insta::assert_snapshot!(start("(;SZ[5]AB[bb][dd]PL[B];W[cc])"), @"...../.b.../...../...b./..... b");
}

#[test]
fn positions_that_are_set_up_later_are_steps() {
    // On the main line.
    insta::assert_snapshot!(shown("(;SZ[5];B[cc](;W[dc];AB[aa](;B[ee])(;B[ea]))(;W[bb]))"), @r"
    b..../...../..bw./...../....b w
    c3 d3 e1 of 6
    the same
    ");
    // In a variation.
    insta::assert_snapshot!(shown("(;GM[1]SZ[5];B[cc];W[cd](;B[dd];W[bb])(;AB[aa]AW[ee];B[bb]))"), @r"
    ...../.w.../..b../..wb./..... b
    c3 c2 d2 b4 of 6
    the same
    ");
    // Before the first move it is the start.
    insta::assert_snapshot!(shown("(;SZ[5]AB[aa];AB[bb]PL[W];W[cc])"), @r"
    b..../.b.../..w../...../..... b
    c3 of 1
    the same
    ");
    // After the end of the game, it goes on.
    insta::assert_snapshot!(shown("(;SZ[5];B[cc];W[];B[];AW[aa];W[bb])"), @r"
    w..../.w.../..b../...../..... b
    c3 pass pass b4 of 5
    the same
    ");
    // One that is illegal.
    insta::assert_snapshot!(shown("(;SZ[5];B[cc];AB[aa]AW[ba][ab];W[bb])"), @r"
    ...../...../..b../...../..... w
    c3 of 1
    - line 1, column 15: the position that is set up is illegal: the group at a5 has no liberty; it is left out with all that follows it
    the same
    ");
}

/// A position may be written in two nodes, as here after the first move. What follows either of them follows
/// the position, in any order.
#[test]
fn what_follows_a_position_that_is_written_twice_is_put_in_order() {
    let text = "(;SZ[5];B[cc](;C[no move](;W[bb])(;W[dd]))(;W[dc]))";
    let (mut tree, _) = GameTree::read(text).unwrap();
    let steps = |steps: [(usize, &str); 4]| steps.map(|(node, mv)| (node, mv.parse().unwrap()));
    assert_eq!(
        tree.steps(),
        steps([(0, "c3"), (1, "b4"), (1, "d2"), (1, "d3")])
    );
    let wanted = steps([(0, "c3"), (1, "b4"), (1, "d3"), (1, "d2")]);
    tree.update(&wanted, &BTreeMap::new()).unwrap();
    assert_eq!(tree.steps(), wanted);
    let (read, _) = GameTree::read(&tree.to_string()).unwrap();
    assert_eq!(read.steps(), wanted);
}

#[test]
fn what_follows_a_move_that_is_written_twice_keeps_its_order() {
    let text = "(;SZ[5];B[cc](;C[no move](;W[dc];B[aa])(;W[bb]))(;W[dc];B[ee]))";
    let (mut tree, _) = GameTree::read(text).unwrap();
    let steps = |steps: [(usize, &str); 5]| steps.map(|(node, mv)| (node, mv.parse().unwrap()));
    let wanted = [(0, "c3"), (1, "d3"), (2, "a5"), (2, "e1"), (1, "b4")];
    assert_eq!(tree.steps(), steps(wanted));
    let wanted = steps([(0, "c3"), (1, "b4"), (1, "d3"), (3, "a5"), (3, "e1")]);
    tree.update(&wanted, &BTreeMap::new()).unwrap();
    let (read, _) = GameTree::read(&tree.to_string()).unwrap();
    assert_eq!(read.steps(), wanted);
}

/// A record need not say who begins: its first move does, which may change its place or go.
#[test]
fn who_begins_stays_when_the_first_move_changes() {
    let changed = |text: &str, steps: &[(usize, &str)]| {
        let (mut tree, _) = GameTree::read(text).unwrap();
        let wanted: Vec<_> = steps
            .iter()
            .map(|(node, step)| (*node, step.parse().unwrap()))
            .collect();
        tree.update(&wanted, &BTreeMap::new()).unwrap();
        let (read, _) = GameTree::read(&tree.to_string()).unwrap();
        assert_eq!(read.start(), tree.start());
        assert_eq!(read.steps(), wanted);
        tree.to_string()
    };
    let one_stone = "b..../...../...../...../..... b";
    let text = changed(
        "(;SZ[5](;W[cc])(;AB[aa]PL[B]))",
        &[(0, one_stone), (0, "c3")],
    );
    assert_eq!(text, "(;SZ[5]PL[W](;AB[aa]PL[B])(;W[cc]))");
    // Black's moves were illegal, and stay so.
    let text = changed("(;SZ[5](;W[cc])(;B[dd]))", &[]);
    assert!(text.contains("SZ[5]PL[W]"), "{text}");
    let text = changed("(;SZ[5];C[x](;B[cc])(;W[dd]))", &[]);
    assert_eq!(text.matches("PL[").count(), 1, "{text}");
    let two_stones = "b..../...../..b../...../..... w";
    let text = changed(
        "(;SZ[5];B[cc](;AB[aa](;W[dd])(;B[ee])))",
        &[(0, "c3"), (1, two_stones)],
    );
    assert!(text.contains("AB[aa]PL[W]"), "{text}");
}

#[test]
fn what_is_added_after_a_position_that_is_written_twice_is_last() {
    let (mut tree, _) = GameTree::read("(;SZ[5];B[cc](;C[x])(;W[dc]))").unwrap();
    tree.add(1, "d1".parse().unwrap()).unwrap();
    let (read, _) = GameTree::read(&tree.to_string()).unwrap();
    assert_eq!(read.steps(), tree.steps());
    assert_eq!(read.main_line(), ["c3", "d3"].map(|mv| mv.parse().unwrap()));
}

/// What is left follows the position itself, so that it is read first, and says who begins.
#[test]
fn what_is_left_of_a_position_that_is_written_twice_is_the_main_line() {
    let text = "(;SZ[5](;C[x];W[bb])(;C[y];W[dc]))";
    let (mut tree, _) = GameTree::read(text).unwrap();
    let wanted = [(0, "d3".parse().unwrap())];
    tree.update(&wanted, &BTreeMap::new()).unwrap();
    let (read, _) = GameTree::read(&tree.to_string()).unwrap();
    assert_eq!(read.steps(), wanted);
}

#[test]
fn a_tree_that_is_changed_keeps_what_it_does_not_know() {
    let text = "(;SZ[5]XY[?]C[root];B[cc]LB[aa:1];C[no move];W[cd]OW[3](;B[cc]ZZ[illegal])(;B[dd];W[bb]N[n])\
                (;B[bb]C[v];W[dd](;B[aa])(;B[ee]Q[1])))";
    let change = |moves: &[(usize, &str)], annotations: &[(usize, &str)]| {
        let (mut tree, _) = GameTree::read(text).unwrap();
        let moves: Vec<_> = moves
            .iter()
            .map(|(node, mv)| (*node, mv.parse().unwrap()))
            .collect();
        let annotation = |comment: &str| Annotation {
            comment: comment.into(),
            marks: Vec::new(),
        };
        let annotations = annotations
            .iter()
            .map(|(node, comment)| (*node, annotation(comment)));
        tree.update(&moves, &annotations.collect()).unwrap();
        tree.write(&tree.headers())
    };
    let all = [
        (0, "c3"),
        (1, "c2"),
        (2, "d2"),
        (3, "b4"),
        (2, "b4"),
        (5, "d2"),
        (6, "a5"),
        (6, "e1"),
    ];
    let (tree, _) = GameTree::read(text).unwrap();
    let moves = all.map(|(node, mv)| (node, mv.parse().unwrap()));
    assert_eq!(tree.steps(), moves);
    assert_eq!(change(&all, &[]), text);
    // A move is added, and a variation.
    let added = [&all[..], &[(4, "a1"), (0, "b2")]].concat();
    insta::assert_snapshot!(change(&added, &[]), @r"
    (;SZ[5]XY[?]C[root]
    (;B[cc]LB[aa:1];C[no move];W[cd]OW[3](;B[cc]ZZ[illegal])(;B[dd];W[bb]N[n];B[ae])(;B[bb]C[v];W[dd](;B[aa])(;B[ee]Q[1])))
    (;B[bd]))
    ");
    // The second variation becomes the main line; a line is removed.
    let promoted = [
        (0, "c3"),
        (1, "c2"),
        (2, "b4"),
        (3, "d2"),
        (4, "e1"),
        (2, "d2"),
        (6, "b4"),
    ];
    insta::assert_snapshot!(change(&promoted, &[]), @"(;SZ[5]XY[?]C[root];B[cc]LB[aa:1];C[no move];W[cd]OW[3](;B[bb]C[v];W[dd];B[ee]Q[1])(;B[dd];W[bb]N[n])(;B[cc]ZZ[illegal]))");
    // Comments are changed; marks are removed.
    insta::assert_snapshot!(change(&all, &[(0, ""), (1, "[x]"), (6, "new")]), @r"(;SZ[5]XY[?];B[cc]C[[x\]];;W[cd]OW[3](;B[cc]ZZ[illegal])(;B[dd];W[bb]N[n])(;B[bb]C[v];W[dd]C[new](;B[aa])(;B[ee]Q[1])))");
}

#[test]
fn comments_and_marks_are_read() {
    let text = "(;SZ[5]C[a \\] b\\\nc];B[cc]CR[aa:ba]LB[cc:1][dd:x\\]];C[later]TR[bb])";
    let (tree, _) = GameTree::read(text).unwrap();
    let shown = |(node, annotation): (&usize, &Annotation)| {
        let marks = annotation.marks.iter();
        let marks: Vec<String> = marks
            .map(|mark| format!("{:?} {} {}", mark.kind, mark.point, mark.label))
            .collect();
        format!("{node} {:?} {}", annotation.comment, marks.join(", "))
    };
    let annotations = tree.annotations();
    let shown: Vec<String> = annotations.iter().map(shown).collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    0 "a ] bc" 
    1 "later" Circle a5 , Circle b5 , Label c3 1, Label d2 x], Triangle b4
    "#);
}

#[test]
fn games_of_a_collection_have_places() {
    let text = "\u{feff}(;SZ[5];B[aa]\n)\n\n (;SZ[5];B[cc]\n;W[cc]) (;SZ[5];B[zz";
    let places = sgf::games(text).map(|game| {
        let (_, left_out) = GameTree::read(game.text).unwrap();
        let left_out = left_out
            .into_iter()
            .map(|left_out| left_out.in_file(game.begins).to_string());
        format!(
            "{} at {}: {}",
            game.begins,
            game.at,
            left_out.collect::<Vec<_>>().join("; ")
        )
    });
    insta::assert_snapshot!(places.collect::<Vec<_>>().join("\n"), @r"
    line 1, column 2 at 3: 
    line 4, column 2 at 21: line 5, column 2: move 2, W[cc], is illegal: c3 is occupied; it is left out with all that follows it
    line 5, column 9 at 43: line 5, column 17: the text ends in B[zz, which is left out
    ");
}

/// Returns the first steps of a tree.
fn changed_main_line(steps: &[(usize, TreeStep)]) -> Vec<TreeStep> {
    let mut line = Vec::new();
    let mut node = 0;
    while let Some(next) = steps.iter().position(|(parent, _)| *parent == node) {
        line.push(steps[next].1);
        node = next + 1;
    }
    line
}

/// Makes a move after a node, or sets up a position, and returns the node after it. What is set up at the
/// start would begin the tree.
fn make_any(tree: &mut GameTree, node: usize, choice: u8) -> Option<usize> {
    const SET_UPS: [&str; 3] = [
        "...../...../...../...../..... b",
        "..bb./..wb./.wwb./..w../..... b",
        "bw.ww/bbbwb/bbww./bbbbw/bbww. w",
    ];
    if choice >= 220 && node > 0 {
        let position = SET_UPS[usize::from(choice) % 3].parse().unwrap();
        return tree.set_up(node, position).ok();
    }
    let point = Point::ALL.get(usize::from(choice) % 26);
    let mv = point.map_or(Move::Pass, |&point| Move::Place(point));
    tree.add(node, mv).ok()
}

/// Writes a tree of nodes in all the ways that the format has.
fn node() -> impl Strategy<Value = String> {
    let value = "([^\\]\\\\]|\\\\[\\]\\\\a:\n]|[\\[();吴]){0,6}";
    let property = (
        r"[\n\t ]{0,2}[A-Z][a-z]?[A-Z0-9]{0,3} ?",
        proptest::collection::vec(value, 1..4),
    )
        .prop_map(|(name, values)| {
            let values: Vec<String> = values.iter().map(|value| format!("[{value}]")).collect();
            name + &values.join("\n")
        });
    let properties = proptest::collection::vec(property, 0..4).prop_map(|all| all.concat());
    let node = (r"[\n ]{0,2}", properties);
    let line = proptest::collection::vec(node, 1..4).prop_map(|nodes| {
        let nodes = nodes
            .iter()
            .map(|(before, properties)| format!("{before};{properties}"));
        nodes.collect::<String>()
    });
    // White space is before the parenthesis, where a record keeps it.
    line.prop_recursive(4, 24, 3, |inner| {
        (inner.clone(), proptest::collection::vec(inner, 2..4)).prop_map(|(line, variations)| {
            let variations = variations.iter().map(|line| {
                let nodes = line.trim_start();
                format!("{}({nodes})", &line[..line.len() - nodes.len()])
            });
            line + &variations.collect::<String>()
        })
    })
}

#[test]
fn a_move_stays_if_only_its_next_value_is_cut() {
    let (tree, left_out) = GameTree::read("(;SZ[5];B[cc];W[dc][").unwrap();
    assert_eq!(tree.main_line().len(), 2);
    assert_eq!(left_out.len(), 1);
    assert_eq!(
        left_out[0].to_string(),
        "line 1, column 20: the text ends in [, which is left out"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn written_text_is_read_back(choices in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut game = Game::new();
        for choice in choices {
            let points: Vec<_> = game.legal_points().iter().collect();
            let mv = points.get(usize::from(choice) % 26).map_or(Move::Pass, |&point| Move::Place(point));
            game.play(game.to_move(), mv).unwrap();
        }
        prop_assert_eq!(sgf::read(&sgf::write(&game), usize::MAX).unwrap(), game);
    }

    #[test]
    fn a_written_tree_is_read_back(
        choices in proptest::collection::vec(any::<(u8, u8)>(), 0..80),
        start in 0_usize..3,
        name in "[a-z \\[\\]\\\\:;()]{1,8}",
    ) {
        let starts = ["...../...../...../...../..... b", "..bb./..wb./.wwb./..w../..... w", "bw.ww/bbbwb/bbww./bbbbw/bbww. b"];
        let mut tree = GameTree::new(starts[start].parse().unwrap());
        let mut nodes = vec![0];
        for (from, choice) in choices {
            // More often from one of the last nodes.
            let from = nodes[nodes.len() - 1 - usize::from(from) % nodes.len().min(8)];
            nodes.extend(make_any(&mut tree, from, choice));
        }
        let mut headers = Headers { result: Some("B+R".into()), ..Headers::default() };
        headers.players.black = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        let text = tree.write(&headers);
        let (read, left_out) = GameTree::read(&text).unwrap();
        prop_assert!(left_out.is_empty());
        prop_assert_eq!(read.start(), tree.start());
        prop_assert_eq!(read.steps(), tree.steps());
        prop_assert_eq!(read.write(&headers), text.clone());
        prop_assert_eq!(read.headers(), headers);
    }

    #[test]
    fn a_changed_tree_is_read_back(
        choices in proptest::collection::vec(any::<(u8, u8)>(), 0..40),
        changes in proptest::collection::vec(any::<u8>(), 40),
        added in proptest::collection::vec(any::<(u8, u8)>(), 0..5),
        start in 0_usize..2,
        tells_who_begins in any::<bool>(),
    ) {
        let starts = ["...../...../...../...../..... b", "...../...../...../...../..... w"];
        let mut tree = GameTree::new(starts[start].parse().unwrap());
        let mut nodes = vec![0];
        for (from, choice) in choices {
            let from = nodes[nodes.len() - 1 - usize::from(from) % nodes.len().min(4)];
            nodes.extend(make_any(&mut tree, from, choice));
        }
        // Of another program: properties that are not known, an illegal variation, and a node without a move.
        let text = tree.write(&Headers::default()).replace(";B[aa]", ";B[aa]XY[1](;ZZ[];B[aa])(;C[x]").replace(";W[bb]", ";W[bb];N[n]");
        let text = text.clone() + &")".repeat(text.matches("C[x]").count());
        let text = if tells_who_begins { text } else { text.replace("PL[W]", "").replace("PL[B]", "") };
        let (mut tree, _) = GameTree::read(&text).unwrap();
        let moves = tree.steps();
        let unchanged = tree.clone();
        tree.update(&moves, &BTreeMap::new()).unwrap();
        prop_assert_eq!(tree.to_string(), unchanged.to_string());
        // Lines are left out, and siblings change their places.
        let mut changed = Vec::new();
        let mut open = vec![(0, 0)];
        while let Some((node, number)) = open.pop() {
            let children = (1..).zip(&moves).filter(|(_, (parent, _))| *parent == node);
            let change = changes[node % changes.len()];
            let mut children: Vec<_> = children.map(|(child, (_, mv))| (child, *mv)).collect();
            if change % 3 == 0 {
                children.reverse();
            }
            children.truncate(if change % 5 == 0 { 1 } else { usize::MAX });
            for (child, mv) in children {
                changed.push((number, mv));
                open.push((child, changed.len()));
            }
        }
        let mut tree = unchanged.clone();
        tree.update(&changed, &BTreeMap::new()).unwrap();
        let (read, _) = GameTree::read(&tree.to_string()).unwrap();
        prop_assert_eq!(read.steps(), tree.steps());
        prop_assert_eq!(tree.steps().len(), changed.len());
        prop_assert_eq!(tree.main_line(), changed_main_line(&changed));
        // Steps are added anywhere.
        let mut tree = unchanged;
        let mut nodes = vec![0];
        for (from, choice) in added {
            let from = nodes[nodes.len() - 1 - usize::from(from) % nodes.len().min(4)];
            nodes.extend(make_any(&mut tree, from, choice));
        }
        let (read, _) = GameTree::read(&tree.to_string()).unwrap();
        prop_assert_eq!(read.steps(), tree.steps());
    }

    #[test]
    fn every_record_is_written_as_it_was(line in node()) {
        let text = format!("({})", line.trim_start());
        let (record, left_out) = Record::parse(&text).unwrap();
        prop_assert_eq!(left_out, vec![]);
        prop_assert_eq!(record.to_string(), text.clone());
        prop_assert_eq!(Record::parse(&record.to_string()).unwrap().0, record);
    }

    #[test]
    fn what_is_before_a_fault_is_read(
        choices in proptest::collection::vec(any::<u8>(), 0..40),
        at in any::<proptest::sample::Index>(),
        inserted in "[()\\[\\];BWaz\\\\ \\n吴]{0,4}",
        removed in 0_usize..6,
    ) {
        let mut game = Game::new();
        for choice in choices {
            let points: Vec<_> = game.legal_points().iter().collect();
            let mv = points.get(usize::from(choice) % 26).map_or(Move::Pass, |&point| Move::Place(point));
            if game.play(game.to_move(), mv).is_err() {
                break;
            }
        }
        let text = sgf::write(&game);
        let first = text.find("\n;").unwrap_or(text.len() - 1);
        let at = first + at.index(text.len() - first);
        let end = (at + removed).min(text.len());
        let mutated = format!("{}{inserted}{}", &text[..at], &text[end..]);
        let whole = text[first..at].matches(']').count();
        let (tree, _) = GameTree::read(&mutated).unwrap();
        let legal = tree.main_line();
        let moves = game.steps().filter_map(|(step, _)| match step {
            Step::Played { mv, .. } => Some(TreeStep::Move(mv)),
            Step::SetUp(_) => None,
        });
        prop_assert!(legal.starts_with(&moves.take(whole).collect::<Vec<_>>()), "{mutated}");
        let (main, _) = GameTree::read_main_line(&mutated).unwrap();
        prop_assert_eq!(main.main_line(), legal);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[()\\[\\];BWASZPL5abce\\\\: ]{0,60}") {
        // The text is seldom a game; after this it is one with faults.
        for text in [text.clone(), format!("(;SZ[5];B[cc]{text}")] {
            let tree = GameTree::read(&text);
            match sgf::read(&text, usize::MAX) {
                Ok(game) => prop_assert_eq!(tree.unwrap().0.game(usize::MAX), game),
                Err(why) => prop_assert!(tree.is_err() || matches!(why, ReadError::Illegal(_))),
            }
        }
    }
}
