//! `loadsgf` and `printsgf`.

use std::fs;

use super::Engine;
use super::engine::run;

#[test]
fn a_game_is_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf").display().to_string();
    let mut engine = Engine::start(&[]);
    engine.expect("gogui-play_sequence b c3 w d3 b pass w b2");
    let printed = engine.expect("printsgf");
    assert_eq!(engine.expect(&format!("printsgf {file}")), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), printed.clone() + "\n");
    let board = engine.expect("showboard");

    engine.expect("clear_board");
    engine.expect(&format!("loadsgf {file}"));
    assert_eq!(engine.expect("showboard"), board);
    assert_eq!(engine.expect("printsgf"), printed);

    // Up to before the third move.
    engine.expect(&format!("loadsgf {file} 3"));
    engine.expect("play b pass");
    engine.expect("play w b2");
    assert_eq!(engine.expect("showboard"), board);
    engine.expect("gg-undo 4");
    assert_eq!(engine.ask("undo"), "? cannot undo");
}

#[test]
fn a_path_may_have_spaces_and_a_last_word_that_is_a_number_is_a_move_number() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    let mut engine = Engine::start(&[]);
    engine.expect("gogui-play_sequence b c3 w d3 b pass w b2");
    let whole = engine.expect("printsgf");
    for name in ["my  game 2.sgf", "my game 2"] {
        engine.expect("clear_board");
        engine.expect("gogui-play_sequence b c3 w d3 b pass w b2");
        assert_eq!(engine.expect(&format!("printsgf {folder}/{name}")), "");
        engine.expect(&format!("loadsgf {folder}/{name} 3"));
        assert!(engine.expect("printsgf").ends_with(";W[dc])"), "{name}");
        engine.expect(&format!("  loadsgf\t{folder}/{name}  99 "));
        assert_eq!(engine.expect("printsgf"), whole, "{name}");
    }
    engine.expect(&format!("loadsgf {folder}/my  game 2.sgf"));
    assert_eq!(engine.expect("printsgf"), whole);
    let answer = engine.ask(&format!("loadsgf {folder}/my game 2"));
    let expected = format!("? cannot load file: {folder}/my game: No such file");
    assert!(answer.starts_with(&expected), "{answer}");
}

#[test]
fn a_file_in_another_encoding_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut engine = Engine::start(&[]);
    // The second byte of the name is a bracket: the name ends after it.
    let gbk = b"(;SZ[5]CA[GBK]PB[\x9D\x5D];B[cc];W[dc])".to_vec();
    let utf_16 = "\u{feff}(;SZ[5];B[cc];W[dc])".encode_utf16();
    for bytes in [gbk, utf_16.flat_map(u16::to_le_bytes).collect()] {
        fs::write(&path, bytes).unwrap();
        engine.expect("clear_board");
        engine.expect(&format!("loadsgf {}", path.display()));
        let printed = engine.expect("printsgf");
        assert!(printed.ends_with(";B[cc];W[dc])"), "{printed}");
    }
}

#[test]
fn the_content_of_a_file_does_not_break_the_response() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut engine = Engine::start(&[]);
    for content in [
        "(;SZ[5];B[x\n\n= y\x1b\r])".into(),
        format!("(;SZ[5];B[{}])", "x".repeat(60_000)),
    ] {
        fs::write(&path, content).unwrap();
        let answer = engine.ask(&format!("loadsgf {}", path.display()));
        assert!(answer.starts_with("? cannot load file: "), "{answer}");
        assert!(
            answer.len() < 600 && !answer.contains(char::is_control),
            "{answer:?}"
        );
        assert_eq!(engine.ask("name"), "= Gothello");
    }
}

#[test]
fn a_file_that_cannot_be_loaded_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let mut engine = Engine::start(&[]);
    engine.expect("play b c3");
    let board = engine.expect("showboard");
    let cases = [
        (file("text", b"hello"), "not an SGF file: "),
        (
            file("go.sgf", b"(;SZ[19])"),
            "wrong board size 19x19: Gothello is recorded with SZ[5]",
        ),
        (file("bytes", &[0xff; 100]), "not an SGF file: "),
        (
            file("large", &vec![b' '; (4 << 20) + 1]),
            "larger than 4194304 bytes",
        ),
        (
            file("illegal.sgf", b"(;SZ[5];B[aa];B[bb])"),
            "line 1, column 15: move 2, B[bb], is illegal: it is White's turn",
        ),
        (
            folder.path().join("none").display().to_string(),
            "No such file",
        ),
        (folder.path().display().to_string(), "not a regular file"),
        #[cfg(unix)]
        ("/dev/null".to_owned(), "not a regular file"),
    ];
    for (path, reason) in cases {
        let answer = engine.ask(&format!("loadsgf {path}"));
        let expected = format!("? cannot load file: {path}: {reason}");
        assert!(answer.starts_with(&expected), "{answer}");
        assert_eq!(engine.expect("showboard"), board);
    }
    assert_eq!(engine.ask("loadsgf"), "? syntax error: file is missing");
    assert_eq!(engine.ask("loadsgf "), "? syntax error: file is missing");
    #[cfg(unix)]
    assert_eq!(
        engine.ask("printsgf /dev/stdout"),
        "? cannot save file: /dev/stdout: it exists and is not a regular file"
    );
    let nowhere = folder.path().join("none/game.sgf").display().to_string();
    let answer = engine.ask(&format!("printsgf {nowhere}"));
    assert!(
        answer.starts_with(&format!("? cannot save file: {nowhere}: ")),
        "{answer}"
    );
}

#[test]
fn a_game_is_printed_as_it_was_loaded_until_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut engine = Engine::start(&[]);
    let text =
        "(;GM[1]CA[GBK]SZ[5]PB[Ann]XY[?]RE[W+Resign];B[cc]C[first](;W[cd])(;W[cc]N[illegal]))";
    fs::write(&path, text).unwrap();
    let load = format!("loadsgf {}", path.display());
    engine.expect(&load);
    let utf_8 = text.replace("GBK", "UTF-8");
    assert_eq!(engine.expect("printsgf"), utf_8);
    // An empty line would end the response.
    fs::write(&path, text.replace("first", "one\n\n\nfour")).unwrap();
    engine.expect(&load);
    assert!(engine.expect("printsgf").contains("C[one\n \n \nfour]"));
    engine.expect("play b b2");
    let changed = engine.expect("printsgf");
    assert!(changed.ends_with("\n;B[cc];W[cd];B[bd])"), "{changed}");
    engine.expect("undo");
    assert!(engine.expect("printsgf").contains("four"));
    engine.expect("clear_board");
    assert!(!engine.expect("printsgf").contains("PB"));
}

/// Of a file with faults, the position is that of `review` and of the page, unless a move that is wanted is
/// illegal.
#[test]
fn faults_are_errors_only_among_the_moves_that_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut engine = Engine::start(&[]);
    let load = |engine: &mut Engine, text: &str, before: &str| {
        fs::write(&path, text).unwrap();
        let answer = engine.ask(&format!("loadsgf {} {before}", path.display()));
        let why = answer.strip_prefix("? cannot load file: ");
        why.map(|why| why.replace(&format!("{}: ", path.display()), ""))
    };
    let occupied = "line 1, column 15: move 2, W[cc], is illegal: c3 is occupied";
    for (text, before, expected) in [
        ("(;SZ[5];B[cc];W[cc];B[dd])", "", occupied),
        ("(;SZ[5];B[cc];W[cc];B[dd])", "3", occupied),
        // The variation that is legal is not what was asked for.
        ("(;SZ[5];B[cc];W[cc])(;W[dd]))", "", occupied),
        (
            "(;SZ[5];B[cc];W[FF])",
            "",
            "line 1, column 15: move 2, W[FF], is not on the 5x5 board",
        ),
        (
            "(;SZ[5];B[];W[];B[aa])",
            "",
            "line 1, column 17: move 3, B[aa], is illegal: the game is over",
        ),
    ] {
        let answer = load(&mut engine, text, before);
        assert_eq!(answer.as_deref(), Some(expected), "{text} {before}");
    }
    for (text, before, stones, moves) in [
        ("(;SZ[5];B[cc];W[cc];B[dd])", "2", "", "b c3"),
        ("(;SZ[5];B[cc](;W[dd])(;W[cc]))", "", "", "b c3 w d2"),
        ("(;SZ[5];B[cc];W[d", "", "", "b c3"),
        ("(;SZ[5];B[cc];W[ ])", "", "", "b c3 w pass"),
        ("(;SZ[5];B[cc][dd];W[cd])", "", "", "b c3 w c2"),
        ("(;SZ[5]AB[cc][dd];W[aa])", "", "b c3 b d2", "w a5"),
        ("(;SZ[5]AB[cc][dd];W[aa])", "1", "b c3 b d2", ""),
    ] {
        assert_eq!(load(&mut engine, text, before), None, "{text} {before}");
        let loaded = engine.expect("showboard");
        engine.expect("clear_board");
        engine.expect(&format!("gogui-setup {stones}"));
        if stones.is_empty() {
            engine.expect("clear_board");
        } else {
            engine.expect("gogui-setup_player w");
        }
        engine.expect(&format!("gogui-play_sequence {moves}"));
        assert_eq!(loaded, engine.expect("showboard"), "{text} {before}");
    }
}

#[test]
fn what_is_left_out_of_a_game_is_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    fs::write(&path, "(;SZ[5];B[cc];\nW[cd][dd];B[c").unwrap();
    let path = path.display();
    let output = run(&["gtp"], format!("loadsgf {path}\n").as_bytes());
    assert_eq!(output.stdout, b"= \n\n");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        format!(
            "warning: {path}: line 2, column 1: of the values of W[cd][dd], the first is the move\n\
             warning: {path}: line 2, column 11: the text ends in B[c, which is left out\n"
        )
    );
}
