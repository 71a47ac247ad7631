//! How a match ends other than by a move, and what else ends a connection.

use std::thread::sleep;
use std::time::Duration;

use itertools::Itertools;

use crate::netref::referee::{Client, Referee, assert_end};
use crate::netref::tables::{EMPTY, shown};

/// A player without a name, which uses a library, and one with a name, which can read everything
/// in the paper.
const NAMES: [&str; 2] = ["", "\"Ann\""];

#[test]
pub fn resigning_loses() {
    let referee = Referee::start(&[]);
    for names in NAMES.into_iter().cartesian_product(NAMES) {
        let names: [&str; 2] = names.into();
        let line = |paper, library| move |name: &str| if name.is_empty() { library } else { paper };

        let [black, white, observer] = referee.play(names, &["resign"]);
        let [for_black, for_white] = names.map(line("328 ", "322 1 pass "));
        assert_end(&black, &["> resign", "204 ", for_black]);
        assert_end(&white, &["351 ", for_white]);
        assert_end(&observer, &shown("328 ", "380 1 . ", EMPTY));

        let [black, white, observer] = referee.play(names, &["1 pass", "resign"]);
        let [for_black, for_white] = names.map(line("327 ", "324 1 ... pass "));
        assert_end(&black, &["315 1 pass ", for_black]);
        assert_end(&white, &["> resign", "204 ", for_white]);
        assert_end(&observer, &shown("327 ", "380 1 . ", EMPTY));
    }
}

/// The player that waits for a move, after the other one has left.
#[test]
pub fn leaving_loses() {
    let referee = Referee::start(&[]);
    for (name, line) in NAMES.into_iter().zip(["322 1 pass ", "391 "]) {
        let mut observer = referee.seat("observer");
        let (black, mut white) = referee.pair_called("", name);
        drop(black);
        white.expect_last(&[line]);
        observer.lines_to("353 ");
        observer.expect_last(&shown("391 ", "380 1 . ", EMPTY));
    }
    for (name, line) in NAMES.into_iter().zip(["324 1 ... pass ", "392 "]) {
        let mut observer = referee.seat("observer");
        let (mut black, white) = referee.pair_called(name, "");
        black.ask("1 pass", "200 ");
        black.expect("315 1 pass ");
        drop(white);
        black.expect_last(&[line]);
        let shown = shown("392 ", "380 1 . ", EMPTY);
        assert_end(&observer.rest(), &shown);
    }
}

#[test]
pub fn a_library_that_thinks_takes_201_for_the_answer_to_its_move() {
    let referee = Referee::start(&[]);
    let lines: [&[&str]; 2] = [&["201 ", "324 "], &["392 "]];
    for (name, lines) in NAMES.into_iter().zip(lines) {
        let (mut black, white) = referee.pair_called(name, "");
        drop(white);
        black.expect_last(lines);
    }
    let lines: [&[&str]; 2] = [&["201 ", "322 "], &["391 "]];
    for (name, lines) in NAMES.into_iter().zip(lines) {
        let (mut black, mut white) = referee.pair_called("", name);
        black.ask("1 c3", "200 ");
        white.expect("311 1 c3 ");
        drop(black);
        white.expect_last(lines);
    }
}

#[test]
fn a_move_after_the_end_does_not_lose_the_lines_about_the_end() {
    let referee = Referee::start(&[]);
    let (mut black, white) = referee.pair();
    drop(white);
    // It thinks, and reads all lines after it has moved.
    sleep(Duration::from_millis(100));
    black.send("1 c3\r\r");
    sleep(Duration::from_millis(100));
    black.expect_last(&["201 ", "324 1 ... pass "]);
}

#[test]
fn half_closing_counts_as_leaving() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.finish();
    white.expect_last(&["322 1 pass "]);
}

#[test]
pub fn everyone_is_told_why_the_referee_stops() {
    let mut referee = Referee::start(&["--tables", "2"]);
    let mut observer = referee.seat("observer");
    let (black, white) = referee.pair();
    observer.expect_all(&["344 1 ", "353 "]);
    let mut waiting = Client::connect(referee.addresses[1]);
    waiting.expect("000 ");
    waiting.ask("0.9.1 player black", "100 ");
    referee.signal("-TERM");
    for mut client in [black, white, observer, waiting] {
        client.expect_last(&["399 "]);
    }
    assert!(referee.wait().success());
}

#[test]
fn a_client_without_a_role_is_told_that_the_referee_stops() {
    let referee = Referee::start(&[]);
    let mut silent = referee.connect();
    silent.expect("000 ");
    referee.signal("-TERM");
    silent.expect_last(&["399 "]);
}

#[test]
fn a_player_who_waits_too_long_is_told_so() {
    let referee = Referee::start(&["--handshake-timeout", "0.1", "--seat-timeout", "0.2"]);
    let mut silent = referee.connect();
    silent.expect_last(&["000 ", "399 "]);
    let mut alone = referee.seat("player black");
    alone.expect_last(&["399 "]);
    // The seat is free again.
    let _black = referee.seat("player black");
}

#[test]
fn an_excess_connection_is_told_why_it_is_refused() {
    let referee = Referee::start(&["--max-connections", "2"]);
    let (_black, _white) = referee.pair();
    referee.connect().expect_last(&["399 "]);
}

#[test]
fn after_the_last_match_the_referee_ends() {
    let mut referee = Referee::start(&["--stop-after", "2"]);
    for _ in 0..2 {
        let (mut black, mut white) = referee.pair();
        black.ask("resign", "204 ");
        black.expect_last(&["322 "]);
        white.expect_last(&["322 "]);
    }
    assert!(referee.wait().success());
}
