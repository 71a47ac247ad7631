//! Lines of any kind: numbers, comments, control characters, lengths, ends.

use super::Engine;
use super::engine::run;

/// The standard output for some input.
fn answers(input: &[u8]) -> String {
    let output = run(&[], input);
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn numbers_are_repeated() {
    assert_eq!(answers(b"1 name\n"), "=1 Gothello\n\n");
    assert_eq!(answers(b"0 name\n"), "=0 Gothello\n\n");
    assert_eq!(
        answers(b"2147483647 play b z9\n").get(..13),
        Some("?2147483647 i")
    );
    assert_eq!(answers(b"12\n"), "?12 syntax error: command is missing\n\n");
    assert_eq!(answers(b"1name\n"), "? unknown command\n\n");
}

#[test]
fn an_empty_answer_keeps_its_space() {
    assert_eq!(answers(b"clear_board\n"), "= \n\n");
    assert_eq!(answers(b"3 clear_board\n"), "=3 \n\n");
    let end = b"play b pass\nplay w pass\ngogui-rules_legal_moves\n";
    assert_eq!(answers(end), "= \n\n= \n\n= \n\n");
}

#[test]
fn lines_end_in_any_way() {
    assert_eq!(
        answers(b"name\r\n1 name\n"),
        "= Gothello\n\n=1 Gothello\n\n"
    );
    assert_eq!(answers(b"\n\r\n \t\n\x0b\nname\n"), "= Gothello\n\n");
}

/// Text from PowerShell and some editors begins with it.
#[test]
fn a_byte_order_mark_does_not_count() {
    assert_eq!(
        answers("\u{feff}1 name\r\n\u{feff}name\n\u{feff}# name\n".as_bytes()),
        "=1 Gothello\n\n= Gothello\n\n"
    );
}

#[test]
fn comments_are_not_answered() {
    assert_eq!(
        answers(b"# name\n  # 1 name\nname # the name\n7 name#\n"),
        "= Gothello\n\n=7 Gothello\n\n"
    );
    assert_eq!(answers(b"# interrupt\nname\n"), "= Gothello\n\n");
}

#[test]
fn tabs_and_control_characters() {
    assert_eq!(
        answers(b"\t1\tplay\tb  C3\t\n2 un\x01do\x07\n"),
        "=1 \n\n=2 \n\n"
    );
    assert_eq!(answers(b"\xff\xfe\n"), "? unknown command\n\n");
    assert_eq!(
        answers("play b ü\n".as_bytes()),
        "? illegal move: invalid move \"ü\": use a letter a-e and a digit 1-5, or pass\n\n"
    );
}

/// As in GNU Go: there is no sign that the line was cut off.
#[test]
fn the_last_line_need_not_end() {
    assert_eq!(answers(b"name"), "= Gothello\n\n");
    assert_eq!(answers(b"1 name\r"), "=1 Gothello\n\n");
    assert_eq!(answers(b"play b c3\n2 undo"), "= \n\n=2 \n\n");
    assert_eq!(answers(b"7 protocol_ver"), "?7 unknown command\n\n");
    assert_eq!(answers(b"name\nquit"), "= Gothello\n\n= \n\n");
    for nothing in [&b""[..], b"# name", b"  \t", b"\r", b"\n\n"] {
        assert_eq!(answers(nothing), "");
    }
}

#[test]
fn nothing_is_answered_after_quit() {
    assert_eq!(answers(b"1 quit\n2 name\n"), "=1 \n\n");
}

#[test]
fn a_line_of_64_kib_is_read_and_a_longer_one_refused() {
    let refused = "? line too long: the limit is 65536 bytes\n\n";
    for (length, whole) in [
        (65_536, true),
        (65_537, false),
        (1 << 20, false),
        (3 << 20, false),
    ] {
        let mut line = b"1 name".to_vec();
        line.resize(length, b' ');
        line.extend(b"\n2 version\n");
        let expected = if whole {
            "=1 Gothello\n\n".into()
        } else {
            refused.replace("? ", "?1 ")
        };
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            answers(&line),
            format!("{expected}=2 {version}\n\n"),
            "{length}"
        );
    }
    let junk = [vec![b'x'; 1 << 20], b"\nname\n".to_vec()].concat();
    assert_eq!(answers(&junk), format!("{refused}= Gothello\n\n"));
    let comment = [b"# ".to_vec(), vec![b'x'; 1 << 20], b"\nname\n".to_vec()].concat();
    assert_eq!(answers(&comment), "= Gothello\n\n");
    let blank = [vec![b' '; 70_000], b"1 name\nname\n".to_vec()].concat();
    assert_eq!(answers(&blank), format!("{refused}= Gothello\n\n"));
    let endless = vec![b'x'; 1 << 20];
    assert_eq!(answers(&endless), refused);
}

#[test]
fn a_command_is_answered_as_soon_as_its_line_ends() {
    let mut engine = Engine::start(&[]);
    engine.send("1 na");
    engine.send("me\n2 ver");
    assert_eq!(engine.receive(), "=1 Gothello");
    engine.send("sion\n3 name\n4 name\n");
    assert!(engine.receive().starts_with("=2 "));
    assert_eq!(engine.receive(), "=3 Gothello");
    assert_eq!(engine.receive(), "=4 Gothello");
    assert_eq!(engine.finish(), (String::new(), true));
}

#[test]
fn a_great_many_commands_in_one_go() {
    let script = "play b c3\ngogui-rules_legal_moves\nundo\n";
    let points = "A1 B1 C1 D1 E1 A2 B2 C2 D2 E2 A3 B3 D3 E3 A4 B4 C4 D4 E4 A5 B5 C5 D5 E5 pass";
    let expected = format!("= \n\n= {points}\n\n= \n\n");
    assert!(answers(script.repeat(50_000).as_bytes()) == expected.repeat(50_000));
}

#[test]
fn logs_go_to_standard_error_only() {
    let output = run(
        &["--log", "debug", "--move-time", "0"],
        b"genmove b\nplay b c3\n",
    );
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(
        log.contains("move chosen") && log.contains("illegal move"),
        "{log}"
    );
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(
        answers.starts_with("= ")
            && answers.ends_with("\n\n? illegal move: it is White's turn\n\n")
    );
}
