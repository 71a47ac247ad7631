//! Game records.

use gothello::sgf::{self, GameTree, Headers, LeftOut};
use gothello::{Game, Move, Point, Position};
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
    insta::assert_snapshot!(error("(;SZ[5];B[cc"), @"not an SGF file: Error tokenizing: Unexpected end of property value");
    insta::assert_snapshot!(error("(;GM[2]SZ[5])"), @"wrong game: Gothello is recorded as GM[1]");
    insta::assert_snapshot!(error("(;SZ[9])"), @"wrong board size 9x9: Gothello is recorded with SZ[5]");
    insta::assert_snapshot!(error("(;SZ[6])"), @"wrong board size 6x6: Gothello is recorded with SZ[5]; Awari is opened from a record or from its moves, not from SGF");
    insta::assert_snapshot!(error("(;B[cc])"), @"wrong board size 19x19: Gothello is recorded with SZ[5]");
    insta::assert_snapshot!(error("(;SZ[5];B[cf])"), @"B[cf] in node 1 is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5];B[c])"), @"B[c] in node 1 is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5];B[cc];W[cc])"), @"move 2 (White c3) is illegal: c3 is occupied");
    insta::assert_snapshot!(error("(;SZ[5];B[cc];B[cd])"), @"move 2 (Black c2) is illegal: it is White's turn");
    insta::assert_snapshot!(error("(;SZ[5]AB[zz])"), @"AB in node 0 is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5]AB[0])"), @"AB[0] in node 0 is not on the 5x5 board");
    insta::assert_snapshot!(error("(;SZ[5]AB[aa]AW[ba][ab])"), @"illegal position set up in node 0: the group at a5 has no liberty");
}

#[test]
fn a_file_of_a_great_many_nodes_is_refused_and_harms_nobody() {
    assert_eq!(
        error(&format!("({})", ";".repeat(1_000_000))),
        "more than 5000 nodes"
    );
    let nested = format!("{}{}", "(;".repeat(5_000), ")".repeat(5_000));
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
    let moves = tree.moves().into_iter();
    let moves: Vec<String> = moves.map(|(node, mv)| format!("{node}-{mv}")).collect();
    assert_eq!(moves.join(" "), "0-c3 1-d3 2-pass 1-b3 4-b4 4-d2");
    assert_eq!(tree.main_line().len(), 3);
    let headers = Headers::read(text);
    assert_eq!(headers.players.white.as_deref(), Some("Bob"));
    assert_eq!(headers.result.as_deref(), Some("W+R"));
    let written = tree.write(&headers);
    assert_eq!(Headers::read(&written), headers);
    assert_eq!(GameTree::read(&written).unwrap().0.moves(), tree.moves());
    // Programs that do not know variations read the main line.
    let game = sgf::read(&written, usize::MAX).unwrap();
    assert_eq!(game, sgf::read(text, usize::MAX).unwrap());
}

#[test]
fn moves_that_a_tree_leaves_out_are_reported() {
    let left_out = |text: &str| {
        let (tree, left_out) = GameTree::read(text).unwrap();
        let told: Vec<String> = left_out.iter().map(LeftOut::to_string).collect();
        format!(
            "{} {:?}: {}",
            tree.start(),
            tree.moves().len(),
            told.join("; ")
        )
    };
    insta::assert_snapshot!(left_out("(;SZ[5];B[cc])(;SZ[5])"), @"...../...../...../...../..... b 1: of 2 games in the file, this is the first");
    insta::assert_snapshot!(left_out("(;SZ[5];B[cc](;W[dc];AB[aa](;B[ee])(;B[ea]))(;W[bb]))"), @"b..../...../..bw./...../..... b 2: a position is set up after move 2: the game is shown from there");
    insta::assert_snapshot!(left_out("(;SZ[5];B[cc](;W[dc];B[dd])(;W[bb];AB[aa];W[ee]))"), @"...../...../...../...../..... b 4: a variation that sets up a position is left out");
    insta::assert_snapshot!(left_out("(;SZ[5];B[cc](;W[dc])(;W[bb];B[bb];W[aa])(;W[zz])(;B[aa]))"), @"...../...../...../...../..... b 3: a variation is left out: move 3 (Black b4) is illegal: b4 is occupied; a variation is left out: W[zz] in node 2 is not on the 5x5 board; a variation is left out: move 2 (Black a5) is illegal: it is White's turn");
    // A set-up before the first move is the start position.
    insta::assert_snapshot!(left_out("(;SZ[5]AB[aa];AB[bb]PL[W];W[cc])"), @"b..../.b.../...../...../..... w 1: ");
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
            let mv = Point::ALL.get(usize::from(choice) % 26).map_or(Move::Pass, |&point| Move::Place(point));
            if let Ok(node) = tree.add(from, mv) {
                nodes.push(node);
            }
        }
        let mut headers = Headers { result: Some("B+R".into()), ..Headers::default() };
        headers.players.black = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        let text = tree.write(&headers);
        let (read, left_out) = GameTree::read(&text).unwrap();
        prop_assert!(left_out.is_empty());
        prop_assert_eq!(read.start(), tree.start());
        prop_assert_eq!(read.moves(), tree.moves());
        prop_assert_eq!(read.write(&headers), text.clone());
        prop_assert_eq!(Headers::read(&text), headers);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[()\\[\\];BWASZPL5abce\\\\: ]{0,60}") {
        let tree = GameTree::read(&text);
        let game = sgf::read(&text, usize::MAX);
        prop_assert_eq!(tree.is_ok(), game.is_ok());
    }
}
