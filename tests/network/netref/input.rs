//! What clients may send: line ends, lengths, characters, and how many malformed requests.

use std::time::Duration;

use crate::netref::referee::Referee;

#[test]
fn cr_and_lf_and_both_end_a_line() {
    for end in ["\r", "\n", "\r\n", "\r\r", "\n\n", "\r\n\r\n"] {
        let referee = Referee::start(&[]);
        let mut black = referee.connect();
        black.send(&format!("0.9.1 player black{end}"));
        black.expect_all(&["000 ", "100 "]);
        let mut white = referee.seat("player white");
        black.expect("352 ");
        white.expect("351 ");
        black.send(&format!("1 c3{end}"));
        black.expect_all(&["200 ", "311 1 c3 "]);
        // An empty line is not even answered.
        black.send(end);
        black.ask("2 d4", "291 ");
    }
}

#[test]
fn a_request_may_come_byte_by_byte_and_many_may_come_at_once() {
    let referee = Referee::start(&[]);
    let mut black = referee.connect();
    for byte in "0.9.1 player black\r".bytes() {
        black.send_bytes(&[byte]);
    }
    black.expect_all(&["000 ", "100 "]);
    let mut white = referee.seat("player white");
    black.expect("352 ");
    white.expect("351 ");
    black.send("nonsense\r1 c3\r1 c4\r");
    black.expect_all(&["299 ", "200 ", "311 1 c3 ", "291 "]);
}

#[test]
fn all_requests_that_come_at_once_are_answered() {
    let referee = Referee::start(&[]);
    let (_black, mut white) = referee.pair();
    white.send(&"pass\r".repeat(200));
    for _ in 0..200 {
        white.expect("291 ");
    }
}

#[test]
fn half_a_request_is_not_a_request() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.send("1 c3");
    black.expect_silence(Duration::from_millis(50));
    black.finish();
    white.expect_last(&["322 1 pass "]);
}

#[test]
fn words_may_be_separated_and_surrounded_by_spaces_and_tabs() {
    let referee = Referee::start(&[]);
    let mut black = referee.connect();
    black.send("\t 0.9.1\tplayer \t black\t\"Ann\" \r");
    black.expect_all(&["000 ", "100 "]);
    let mut white = referee.seat("player white");
    black.expect_all(&["342 \"Ann\" ", "344 0 ", "352 "]);
    black.ask("  1 \t c3 and what follows is ignored", "200 ");
    white.expect_all(&["351 ", "311 1 c3 "]);
    white.ask("1\t...\tpass\t", "200 ");
}

#[test]
fn a_request_has_1024_bytes_at_most() {
    let referee = Referee::start(&[]);
    let padded = |request: &str, length| format!("{request:<length$}");
    let mut black = referee.connect();
    black.expect("000 ");
    black.ask(&padded("0.9.1 player black", 1_025), "199 ");
    black.ask(&padded("0.9.1 player black", 65_000), "199 ");
    black.ask(&padded("0.9.1 player black", 1_024), "100 ");
    let _white = referee.seat("player white");
    black.expect("352 ");
    black.ask(&padded("1 c3", 1_025), "299 ");
    black.ask(&padded("1 c3", 1_024), "200 ");
}

#[test]
fn only_printable_ascii_is_understood() {
    let referee = Referee::start(&[]);
    let others: [&[u8]; 5] = [b"\x00", b"\x7f", b"\xff", "\u{e4}".as_bytes(), b"\x1b[A"];
    for bytes in others {
        let with = |request: &str| [request.as_bytes(), bytes, b"\r"].concat();
        let mut black = referee.connect();
        black.expect("000 ");
        black.send_bytes(&with("0.9.1 player black "));
        black.expect("199 ");
        black.ask("0.9.1 player black", "100 ");
        let _white = referee.seat("player white");
        black.expect("352 ");
        black.send_bytes(&with("1 c3 "));
        black.expect("299 ");
        black.ask("1 c3", "200 ");
        black.leave();
    }
}

/// Sends a malformed request this many times.
macro_rules! talk_nonsense {
    ($client:expr, $code:literal, $times:expr) => {
        for _ in 0..$times {
            $client.ask("nonsense", $code);
        }
    };
}

#[test]
fn ten_openings_in_a_row_that_are_not_understood_close_the_connection() {
    let referee = Referee::start(&[]);
    let mut client = referee.connect();
    client.expect("000 ");
    talk_nonsense!(client, "199 ", 10);
    client.expect_last(&["399 "]);
    // A browser or a client of another protocol must not fill the log.
    referee.wait_for_line("is dropped: Ten requests");
    assert_eq!(referee.count_in_log("was told 199 "), 1);

    let mut client = referee.connect();
    client.expect("000 ");
    talk_nonsense!(client, "199 ", 9);
    client.ask("0.9.1 player black", "100 ");
}

#[test]
fn ten_requests_in_a_row_that_are_not_understood_close_the_connection() {
    let referee = Referee::start(&[]);
    let mut black = referee.seat("player black");
    talk_nonsense!(black, "299 ", 9);
    // An illegal request is not malformed.
    black.ask("1 c3", "291 ");
    talk_nonsense!(black, "299 ", 9);
    let _white = referee.seat("player white");
    black.expect("352 ");
    black.ask("1 c3", "200 ");
    black.expect("311 ");
    talk_nonsense!(black, "299 ", 9);
    black.ask("2 c4", "291 ");
    talk_nonsense!(black, "299 ", 10);
    black.expect_last(&["322 "]);
}

#[test]
fn a_player_who_is_not_understood_ten_times_loses() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    talk_nonsense!(black, "299 ", 10);
    black.expect_last(&["202 ", "322 1 pass "]);
    white.expect_last(&["322 1 pass "]);
}

#[test]
fn a_player_who_waits_and_is_not_understood_ten_times_frees_the_seat() {
    let referee = Referee::start(&[]);
    let mut black = referee.seat("player black");
    talk_nonsense!(black, "299 ", 10);
    black.expect_last(&["399 "]);
    drop(black);
    referee.seat("player black");
}

#[test]
fn an_observer_who_is_not_understood_ten_times_is_the_only_one_dropped() {
    let referee = Referee::start(&[]);
    let mut loud = referee.seat("observer");
    let mut quiet = referee.seat("observer");
    talk_nonsense!(loud, "299 ", 9);
    loud.ask("pass", "291 ");
    let (mut black, _white) = referee.pair();
    for observer in [&mut loud, &mut quiet] {
        observer.expect_all(&["344 2 ", "353 "]);
    }
    talk_nonsense!(loud, "299 ", 10);
    loud.expect_last(&["399 "]);
    black.ask("1 c3", "200 ");
    quiet.expect("311 1 c3 ");
}
