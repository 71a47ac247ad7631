//! Frames that are no messages, or come when they are not expected: nobody is
//! harmed, nobody is answered, and the organizer is told.

use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::frame::{Frame, FrameHeader};
use tungstenite::{Bytes, Message};

use crate::goref::client::Client;
use crate::goref::server::{Server, pass, place};

/// How long a server keeps silent that has nothing to say.
const A_WHILE: Duration = Duration::from_millis(30);

/// The longest frame, in bytes.
const LONGEST: usize = 16 * 1024;

fn text(text: &str) -> Message {
    Message::text(text)
}

/// A move message with a point that is written as it is here.
fn move_at(row: &str, column: &str) -> String {
    format!(
        "{{\"type\":\"MOVE\",\"move\":{{\"type\":\"place\",\
         \"point\":{{\"row\":{row},\"column\":{column}}}}}}}"
    )
}

#[test]
fn invalid_messages_are_ignored_and_logged_on_the_page() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    for (frame, words) in [
        (text("hello"), "no JSON object"),
        (text(""), "no JSON object"),
        (text("{\"type\":\"MOVE\""), "no JSON object"),
        (text("[1, 2]"), "no JSON object"),
        (text(&"[".repeat(10_000)), "no JSON object"),
        (
            Message::binary(vec![0xff, 0, 0x80]),
            "3 bytes of binary data",
        ),
        (text("{}"), "no \"type\" that is a text"),
        (text("{\"type\":7}"), "no \"type\" that is a text"),
        (text("{\"type\":\"DANCE\"}"), "an unknown \"type\""),
        (text("{\"type\":\"move\"}"), "an unknown \"type\""),
        (text("{\"type\":\"VALID\"}"), "an unknown \"type\""),
        (text("{\"type\":\"NAME\"}"), "a NAME without the text"),
        (text("{\"type\":\"START\"}"), "a START without a move"),
        (
            text("{\"type\":\"NAME\",\"name\":\"Bob\"}"),
            "a second NAME",
        ),
    ] {
        black.try_send(frame).unwrap();
        server.wait_for_text("refused", "why", words);
        page.wait_for_line("Ann", words);
    }
    black.expect_silence(A_WHILE);
    white.expect_silence(A_WHILE);
    black.plays(&mut white, &place([3, 3]));
}

#[test]
fn a_move_that_cannot_be_read_is_answered_in_turn_and_logged() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    for (frame, words, why) in [
        (
            "{\"type\":\"MOVE\"}".to_owned(),
            "a MOVE without \"move\"",
            "missing field `move`",
        ),
        (
            "{\"type\":\"MOVE\",\"move\":3}".to_owned(),
            "no such move, in {\"type\":\"MOVE\",\"move\":3}",
            "invalid type: integer `3`, expected an object",
        ),
        (
            move_at("\"1\"", "2"),
            "\"row\":\"1\"",
            "invalid type: string \"1\", expected a number",
        ),
        (
            move_at("null", "2"),
            "\"row\":null",
            "invalid type: null, expected a number",
        ),
    ] {
        white.send_text(&frame);
        server.wait_for("refused", |news| {
            news["name"] == "Bob" && news["why"].as_str().unwrap().contains(words)
        });
        black.send_text(&frame);
        let invalid = black.expect("INVALID");
        assert_eq!(invalid["message"], why, "{frame}");
        let left = invalid["remainingTime"]["B"].as_u64().unwrap();
        assert!((800_000..=900_000).contains(&left), "{invalid}");
        page.wait_for_line("Ann", words);
    }
    white.expect_silence(A_WHILE);
    black.plays(&mut white, &place([3, 3]));
}

#[test]
fn numbers_that_are_no_coordinates_are_outside_of_the_board() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    for (row, column) in [
        ("-1", "0"),
        ("0", "19"),
        ("1.5", "2"),
        ("4294967296", "0"),
        ("18446744073709551616", "0"),
        ("-9223372036854775808", "0"),
        ("1e300", "0"),
        ("256", "256"),
        ("255", "0"),
    ] {
        black.send_text(&move_at(row, column));
        let invalid = black.expect("INVALID");
        assert_eq!(invalid["message"], "Out of Bound", "{row},{column}");
    }
    for sent in ["(-1,0)", "(1.5,2)", "(4294967296,0)", "(256,256)"] {
        server.wait_for("invalid", |news| news["played"] == sent);
    }
    let refusals = server.count("invalid", |_| true);
    server.wait_until("nine refusals", |server| {
        server.count("invalid", |_| true) == 9
    });
    assert!(refusals <= 9);
    // Some clients write whole numbers with a fraction.
    black.send_text(&move_at("3.0", "4.0"));
    black.expect("VALID");
    let told = white.expect("MOVE");
    assert_eq!(told["move"], place([3, 4]));
}

#[test]
fn messages_in_the_wrong_state_are_not_answered() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let mut early = server.connect();
    early.expect("NAME");
    early.send_move(&pass());
    server.wait_for_text("refused", "why", "a MOVE without a game");
    page.wait_for_line("#1", "a MOVE without a game");
    let (mut black, mut white) = server.pair();
    white.send_move(&place([0, 0]));
    server.wait_for_text("refused", "why", "a MOVE out of turn");
    page.wait_for_line("Bob", "a MOVE out of turn");
    black.plays(&mut white, &place([0, 0]));
    black.send_move(&place([1, 1]));
    server.wait_for("refused", |news| news["name"] == "Ann");
    white.plays(&mut black, &json!({"type": "resign"}));
    for client in [&mut black, &mut white] {
        assert_eq!(client.expect("END")["reason"], "resign");
        client.send_move(&pass());
    }
    // Black was told of the last move, and may have thought about it: that is no
    // fault, once.
    black.send_move(&pass());
    server.wait_until("both are refused", |server| {
        server.count("refused", |news| news["why"] == "a MOVE without a game") == 3
    });
    for client in [&mut early, &mut black, &mut white] {
        client.expect_silence(A_WHILE);
    }
}

#[test]
fn a_move_may_be_called_start() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    black.send(&json!({"type": "START", "move": place([2, 3])}));
    black.expect("VALID");
    assert_eq!(white.expect("MOVE")["move"], place([2, 3]));
}

#[test]
fn a_frame_may_have_16_kib_and_no_more() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    let padded = |length: usize| {
        let mut text = move_at("0", "0");
        text.push_str(&" ".repeat(length - text.len()));
        text
    };
    black.send_text(&padded(LONGEST));
    black.expect("VALID");
    white.expect("MOVE");
    white.send_text(&padded(LONGEST + 1));
    white.expect_end();
    assert_eq!(black.expect("END")["reason"], "error");
    page.wait_for_line("Bob", "too long");
}

#[test]
fn a_message_in_many_frames_has_the_same_bound() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    let piece = |bytes: &[u8], code: Data, last: bool| {
        let header = FrameHeader {
            is_final: last,
            opcode: OpCode::Data(code),
            ..FrameHeader::default()
        };
        Message::Frame(Frame::from_payload(header, Bytes::copy_from_slice(bytes)))
    };
    let message = move_at("7", "7");
    let (first, second) = message.as_bytes().split_at(20);
    black.try_send(piece(first, Data::Text, false)).unwrap();
    black.try_send(piece(second, Data::Continue, true)).unwrap();
    black.expect("VALID");
    white.expect("MOVE");
    let blanks = [b' '; 1000];
    white.try_send(piece(&blanks, Data::Text, false)).unwrap();
    for _ in 0..LONGEST / 1000 {
        // It may be gone already.
        let _ = white.try_send(piece(&blanks, Data::Continue, false));
    }
    white.expect_end();
    assert_eq!(black.expect("END")["reason"], "error");
}

#[test]
fn bytes_that_are_no_frames_end_a_connection() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    white.send_raw(&[0xff; 64]).unwrap();
    white.expect_end();
    assert_eq!(black.expect("END")["reason"], "error");
    page.wait_for_line("", "is interrupted");
    // Text that is no UTF-8.
    black
        .send_raw(&[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])
        .unwrap();
    black.expect_end();
    server.wait_for("left", |news| news["name"] == "Ann");
}

#[test]
fn ten_malformed_frames_close_the_connection() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    for _ in 0..9 {
        white.send_text("hello");
        // What is an object is no malformed frame.
        white.send_text("{}");
    }
    white.expect_silence(A_WHILE);
    white.send_text("hello");
    white.expect_close("no JSON objects");
    assert_eq!(black.expect("END")["reason"], "error");
    page.wait_for_line("Bob", "ten frames were no JSON objects");
    let _yang = resume_as(&server, "Bob");
    assert_eq!(black.expect("START")["color"], "B");
}

/// The same team comes back.
fn resume_as(server: &Server, name: &str) -> Client {
    let mut client = server.client(name);
    client.expect("START");
    client
}

#[test]
fn a_flood_of_refused_messages_neither_fills_the_log_nor_lasts() {
    let server = Server::start(&["--auto"]);
    let (_black, mut white) = server.pair();
    for _ in 0..1_000 {
        if white.try_send(text("{\"type\":\"MOVE\"}")).is_err() {
            break;
        }
    }
    white.expect_close("a thousand messages");
    server.wait_for("left", |news| news["name"] == "Bob");
    let told = server.count("refused", |_| true);
    assert!((20..40).contains(&told), "{told}");
}

#[test]
fn a_flood_of_invalid_moves_does_not_fill_the_log() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    for _ in 0..1_000 {
        black.send_text(&move_at("19", "0"));
        black.expect("INVALID");
    }
    black.plays(&mut white, &place([0, 0]));
    server.wait_for("moved", |_| true);
    let told = server.count("invalid", |_| true);
    assert!((20..40).contains(&told), "{told}");
    // What came before is still shown.
    page.wait_for_line("", "game 0001 begins");
}

#[test]
fn any_text_is_a_name_and_is_shown_on_one_line() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let long = "x".repeat(10_000);
    for (name, shown) in [
        ("", "nameless"),
        (" \n\t ", "nameless"),
        ("\u{200b}", "nameless"),
        ("\u{feff}Zo\u{eb}\u{200b}", "Zoë"),
        ("فريق القاهرة", "فريق القاهرة"),
        ("a\nb\u{7}c", "a b c"),
        ("<b>\"&'</b>", "<b>\"&'</b>"),
        (&*long, &long[..64]),
        ("日本\u{1f600}", "日本\u{1f600}"),
    ] {
        let mut client = server.connect();
        client.expect("NAME");
        client.send(&json!({"type": "NAME", "name": name}));
        server.wait_for("named", |news| news["name"] == shown);
        let is_shown = |client: &Value| client["name"] == shown;
        page.wait_until(shown, |page| page.clients.values().any(is_shown));
    }
}
