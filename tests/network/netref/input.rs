//! What clients may send: pieces of requests, many at once, and others than ASCII.

use std::time::Duration;

use gothello::contests::netref::MAX_MALFORMED;

use crate::netref::referee::Referee;

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
fn only_printable_ascii_is_understood() {
    let referee = Referee::start(&[]);
    let mut black = referee.connect();
    black.expect("000 ");
    black.ask("0.9.1 player black \u{e4}", "199 ");
    black.ask("0.9.1 player black", "100 ");
    let _white = referee.seat("player white");
    black.expect("352 ");
    black.ask("1 c3 \0", "299 ");
    black.ask("1 c3", "200 ");
}

#[test]
fn openings_that_are_not_understood_are_counted() {
    let referee = Referee::start(&[]);
    let mut client = referee.connect();
    client.expect("000 ");
    for _ in 1..MAX_MALFORMED {
        client.ask("nonsense", "199 ");
    }
    client.ask("0.9.1 player black", "100 ");
    // A browser or a client of another protocol must not fill the log.
    referee.wait_for_line("will play black");
    assert_eq!(referee.count_in_log("was told 199 "), 1);
}

#[test]
fn an_observer_who_is_not_understood_ten_times_is_the_only_one_dropped() {
    let referee = Referee::start(&[]);
    let mut loud = referee.seat("observer");
    let mut quiet = referee.seat("observer");
    for _ in 1..MAX_MALFORMED {
        loud.ask("nonsense", "299 ");
    }
    // An observer has no turn.
    for request in ["1 c3", "pass", "resign"] {
        loud.ask(request, "291 ");
    }
    let (mut black, _white) = referee.pair();
    for observer in [&mut loud, &mut quiet] {
        observer.expect_all(&["344 2 ", "353 "]);
    }
    for _ in 0..MAX_MALFORMED {
        loud.ask("nonsense", "299 ");
    }
    loud.expect_last(&["399 "]);
    black.ask("1 c3", "200 ");
    quiet.expect("311 1 c3 ");
}
