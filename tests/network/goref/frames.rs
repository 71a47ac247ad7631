//! Frames that are no messages, or come when they are not expected: nobody is
//! harmed, nobody is answered, and the organizer is told.

use std::time::Duration;

use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::frame::{Frame, FrameHeader};
use tungstenite::{Bytes, Message};

use crate::goref::server::{Server, place};

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

/// What is wrong in messages is in `tests/pure/goref/faults.rs`.
#[test]
fn invalid_messages_are_ignored_and_logged_on_the_page() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    for (frame, words) in [
        (text("hello"), "no JSON object"),
        (
            Message::binary(vec![0xff, 0, 0x80]),
            "3 bytes of binary data",
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
