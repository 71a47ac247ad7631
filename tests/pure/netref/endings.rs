//! How a match ends other than by a move.

use std::time::Duration;

use gothello::Color;
use gothello::contests::netref::{MAX_MALFORMED, MatchReason};
use itertools::Itertools;

use super::tables::{EMPTY, shown};
use super::test_table::{Client, TestTable, assert_end};

/// A player without a name, which uses a library, and one with a name, which can read everything
/// in the paper.
const NAMES: [&str; 2] = ["", "\"Ann\""];

#[test]
pub fn resigning_loses() {
    let table = TestTable::new();
    for names in NAMES.into_iter().cartesian_product(NAMES) {
        let names: [&str; 2] = names.into();
        let line = |paper, library| move |name: &str| if name.is_empty() { library } else { paper };

        let [black, white, observer] = table.play(names, &["resign"]);
        let [for_black, for_white] = names.map(line("328 ", "322 1 pass "));
        assert_end(&black, &["> resign", "204 ", for_black]);
        assert_end(&white, &["351 ", for_white]);
        assert_end(&observer, &shown("328 ", "380 1 . ", EMPTY));

        let [black, white, observer] = table.play(names, &["1 pass", "resign"]);
        let [for_black, for_white] = names.map(line("327 ", "324 1 ... pass "));
        assert_end(&black, &["315 1 pass ", for_black]);
        assert_end(&white, &["> resign", "204 ", for_white]);
        assert_end(&observer, &shown("327 ", "380 1 . ", EMPTY));
    }
}

/// The player that waits for a move, after the other one has left.
#[test]
pub fn leaving_loses() {
    let table = TestTable::new();
    for (name, line) in NAMES.into_iter().zip([
        "322 1 pass and black loses by disconnection",
        "391 Black disconnected",
    ]) {
        let mut observer = table.seat("observer");
        let (black, mut white) = table.pair_called("", name);
        drop(black);
        white.expect_last(&[line]);
        observer.lines_to("353 ");
        observer.expect_last(&shown("391 Black disconnected", "380 1 . ", EMPTY));
    }
    for (name, line) in NAMES.into_iter().zip([
        "324 1 ... pass and white loses by disconnection",
        "392 White disconnected",
    ]) {
        let mut observer = table.seat("observer");
        let (mut black, white) = table.pair_called(name, "");
        black.ask("1 pass", "200 ");
        black.expect("315 1 pass ");
        drop(white);
        black.expect_last(&[line]);
        let shown = shown("392 ", "380 1 . ", EMPTY);
        assert_end(&observer.rest(), &shown);
    }
}

#[test]
fn a_library_that_thinks_takes_201_for_the_answer_to_its_move() {
    let table = TestTable::new();
    let lines: [&[&str]; 2] = [&["201 ", "324 "], &["392 "]];
    for (name, lines) in NAMES.into_iter().zip(lines) {
        let (mut black, white) = table.pair_called(name, "");
        drop(white);
        black.expect_last(lines);
    }
    let lines: [&[&str]; 2] = [&["201 ", "322 "], &["391 "]];
    for (name, lines) in NAMES.into_iter().zip(lines) {
        let (mut black, mut white) = table.pair_called("", name);
        black.ask("1 c3", "200 ");
        white.expect("311 1 c3 ");
        drop(black);
        white.expect_last(lines);
    }
}

#[test]
fn the_clock_of_the_player_to_move_does_not_matter_when_the_other_leaves() {
    let table = TestTable::timed(100, 100);
    let (mut black, white) = table.pair();
    drop(white);
    black.expect_last(&["201 White has disconnected", "324 1 ... pass "]);
}

#[test]
pub fn everyone_is_told_why_the_referee_stops() {
    let table = TestTable::new();
    let mut observer = table.seat("observer");
    let (mut black, mut white) = table.pair();
    observer.expect_all(&["344 1 ", "353 "]);
    table.stop("it was interrupted");
    for client in [&mut black, &mut white, &mut observer] {
        client.expect_last(&["399 it was interrupted"]);
    }
    let table = TestTable::new();
    let mut waiting = table.seat("player black");
    table.stop("it was interrupted");
    waiting.expect_last(&["399 it was interrupted"]);
}

/// The dropped client is to move or not, and speaks either dialect.
#[test]
fn a_client_that_is_not_understood_ten_times_in_a_row_loses() {
    const WHY: &str = "Ten requests in a row were not understood";
    let nonsense = |client: &mut Client| {
        for _ in 0..MAX_MALFORMED {
            client.ask("hello", "299 ");
        }
    };
    let table = TestTable::new();
    let (mut black, mut white) = table.pair();
    nonsense(&mut black);
    // The lines are those of a lost match, which the libraries know.
    let last = "322 1 pass and black loses by protocol errors";
    black.expect_last(&[&format!("202 {WHY}, you lose"), last]);
    white.expect_last(&[last]);
    let ending = table.finished().unwrap().summary.ending;
    assert_eq!(ending.winner, Some(Color::White));
    assert_eq!(ending.reason, MatchReason::Protocol);

    let (mut black, mut white) = table.pair();
    nonsense(&mut white);
    let last = "324 1 ... pass and white loses by protocol errors";
    white.expect_last(&[last]);
    black.expect_last(&["201 White is dropped for protocol errors, you win", last]);

    for (is_black, code) in [(true, "391 "), (false, "392 ")] {
        let (mut black, mut white) = table.pair_called("\"Ann\"", "\"Bob\"");
        let (loud, other) = match is_black {
            true => (&mut black, &mut white),
            false => (&mut white, &mut black),
        };
        nonsense(loud);
        assert_end(&loud.rest(), &[&format!("399 {WHY}")]);
        other.expect_last(&[code]);
    }
}

#[test]
fn a_request_that_is_understood_starts_the_count_of_malformed_ones_anew() {
    let table = TestTable::new();
    let mut black = table.seat("player black");
    let nonsense = |client: &mut Client| {
        for _ in 1..MAX_MALFORMED {
            client.ask("hello", "299 ");
        }
    };
    nonsense(&mut black);
    // An illegal request is not malformed.
    black.ask("1 c3", "291 ");
    nonsense(&mut black);
    let _white = table.seat("player white");
    black.expect("352 ");
    black.ask("1 c3", "200 ");
    black.expect("311 ");
    nonsense(&mut black);
    black.ask("2 c4", "291 ");
    nonsense(&mut black);
    black.ask("hello", "299 ");
    black.expect_last(&["322 "]);
}

/// The result in the record of a match, and the word for the reason in the table of results.
#[test]
fn ends_other_than_by_a_move_are_recorded() {
    let expect = |table: &TestTable, result: &str, winner: Color, reason: &str, plies: usize| {
        let finished = table.finished().unwrap();
        assert!(finished.record.contains(result), "{}", finished.record);
        let ending = &finished.summary.ending;
        assert_eq!(ending.winner, Some(winner));
        assert_eq!(ending.reason.to_string(), reason);
        assert_eq!(finished.summary.plies, plies);
    };
    let table = TestTable::timed(9, 1);
    let (mut black, mut white) = table.pair_called("\"Ann\"", "\"Bob\"");
    black.ask("1 c3", "207 ");
    white.send("resign");
    expect(&table, "RE[B+R]", Color::Black, "resignation", 1);
    let (_black, white) = table.pair();
    drop(white);
    expect(&table, "RE[B+F]", Color::Black, "disconnection", 0);
    let _players = table.pair();
    table.passes(Duration::from_secs(1));
    expect(&table, "RE[W+T]", Color::White, "time", 0);
}
