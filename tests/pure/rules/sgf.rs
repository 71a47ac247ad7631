//! Game records.

use gothello::sgf;
use gothello::{Game, Move, Position};
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
    insta::assert_snapshot!(error(""), @"not an SGF file: No game trees found");
    insta::assert_snapshot!(error("hello"), @"not an SGF file: Error tokenizing: Missing property identifier");
    insta::assert_snapshot!(error("(;SZ[5];B[cc"), @"not an SGF file: Error tokenizing: Unexpected end of property value");
    insta::assert_snapshot!(error("(;GM[2]SZ[5])"), @"wrong game: Gothello is recorded as GM[1]");
    insta::assert_snapshot!(error("(;SZ[9])"), @"wrong board size 9x9: Gothello is recorded with SZ[5]");
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
    fn any_text_is_read_or_refused(text in "[()\\[\\];BWASZPL5abce\\\\: ]{0,60}") {
        let _ = sgf::read(&text, usize::MAX);
    }
}
