//! Time controls: what clients are told about the clocks, and how flags fall.

use std::time::Duration;

use gothello::ByColor;
use gothello::contests::netref::Settings;

use super::test_table::{Client, TestTable, settings};

const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// The client is told nothing for a second, and then these lines.
#[track_caller]
fn assert_end_after_a_second(table: &TestTable, client: &mut Client, beginnings: &[&str]) {
    table.passes(SECOND - MILLISECOND);
    client.expect_nothing();
    table.passes(MILLISECOND);
    client.expect_last(beginnings);
}

#[test]
pub fn black_s_flag_falls_by_itself() {
    let table = TestTable::timed(9, 1);
    let mut observer = table.seat("observer");
    let (mut black, mut white) = table.pair();
    // A library that thinks takes 202 for the answer to its move, and one that
    // waits knows of no end but a last move.
    assert_end_after_a_second(&table, &mut black, &["202 ", "362 "]);
    white.expect_last(&["322 1 pass ", "362 "]);
    observer.expect_last(&[
        "344 1 ",
        "353 ",
        "362 ",
        "381 1 0 9 . ",
        "382 ",
        ".....",
        ".....",
        ".....",
        ".....",
        ".....",
    ]);
}

#[test]
pub fn white_s_flag_falls_by_itself() {
    let table = TestTable::timed(1, 2);
    let mut observer = table.seat("observer");
    let (mut black, mut white) = table.pair();
    table.passes(MILLISECOND);
    black.ask("1 c3", "207 ");
    white.expect("313 1 c3 ");
    assert_end_after_a_second(&table, &mut white, &["202 ", "361 "]);
    black.expect_last(&["313 1 c3 ", "324 1 ... pass ", "361 "]);
    observer.lines_to("361 ");
    observer.expect_last(&[
        "381 1 1 0 . ",
        "382 ",
        ".....",
        ".....",
        "..b..",
        ".....",
        ".....",
    ]);
}

#[test]
fn players_with_names_are_told_of_a_flag_as_the_paper_has_it() {
    let table = TestTable::timed(1, 1);
    let (mut black, mut white) = table.pair_called("\"Ann\"", "\"Bob\"");
    assert_end_after_a_second(&table, &mut black, &["202 ", "362 "]);
    white.expect_last(&["362 "]);

    let (mut black, mut white) = table.pair_called("\"Ann\"", "\"Bob\"");
    table.passes(MILLISECOND);
    black.ask("1 pass", "207 0 ");
    white.expect("317 1 pass 0 ");
    assert_end_after_a_second(&table, &mut white, &["202 ", "361 "]);
    black.expect_last(&["317 1 pass 0 ", "361 "]);
}

#[test]
fn a_move_after_the_flag_is_no_longer_answered() {
    let table = TestTable::timed(1, 1);
    let (mut black, mut white) = table.pair();
    table.passes(SECOND);
    white.expect_last(&["322 ", "362 "]);
    black.send("1 c3");
    black.expect_last(&["202 ", "362 "]);
}

#[test]
fn requests_that_are_refused_do_not_stop_a_clock() {
    let table = TestTable::timed(2, 2);
    let (mut black, mut white) = table.pair();
    for _ in 0..6 {
        table.passes(SECOND / 5);
        black.ask("2 c3", "299 ");
        white.ask("1 ... c3", "291 ");
    }
    black.ask("1 c3", "207 0 ");
}

#[test]
fn a_clock_runs_only_while_its_player_knows_whose_turn_it_is() {
    let table = TestTable::timed(1, 60);
    let mut white = table.seat("player white");
    // Neither while it waits for its opponent,
    table.passes(SECOND * 6 / 5);
    let mut black = table.seat("player black");
    black.expect("352 ");
    // nor while the opponent thinks.
    table.passes(SECOND * 6 / 5);
    black.ask("1 c3", "207 ");
    white.expect_all(&["351 ", "313 1 c3 "]);
    table.passes(SECOND / 5);
    white.ask("1 ... c4", "207 0 ");
    white.expect("314 1 ... c4 0 ");
}

#[test]
pub fn of_a_second_that_has_begun_nothing_is_told() {
    let table = TestTable::timed(120, 60);
    let mut observer = table.seat("observer");
    let (mut black, mut white) = table.pair();
    table.passes(MILLISECOND);
    black.ask("1 c3", "207 59 ");
    white.expect("313 1 c3 59 ");
    table.passes(MILLISECOND);
    white.ask("1 ... pass", "207 119 ");
    observer.expect_all(&["344 1 ", "353 "]);
    observer.expect("313 1 c3 59 ");
    // White's clock starts when all clients have been told of Black's move.
    observer.expect("381 1 59 120 w ");
    observer.lines_to("318 1 ... pass 119 ");
    observer.expect("381 2 59 119 b ");
}

#[test]
fn a_single_number_of_seconds_is_for_both_players() {
    let table = TestTable::timed(30, 30);
    for role in ["observer", "player black", "player white"] {
        table.open(&format!("0.9.1 {role}")).expect("101 30 30 ");
    }
}

#[test]
fn the_referee_takes_whites_seconds_first_and_tells_a_player_its_own_first() {
    let table = TestTable::timed(120, 60);
    let mut clients = Vec::new();
    for (role, seconds) in [
        ("observer", "101 120 60 "),
        ("player black", "101 60 120 "),
        ("player white", "101 120 60 "),
        // The clocks as they are.
        ("observer", "101 120 59 "),
    ] {
        let mut client = table.open(&format!("0.9.1 {role}"));
        client.expect(seconds);
        clients.push(client);
        table.passes(MILLISECOND);
    }
}

#[test]
fn a_player_who_gets_a_side_at_once_gets_its_own_time_first() {
    let table = TestTable::timed(120, 60);
    let _white = table.seat("player white");
    let mut black = table.open("0.9.1 player ?");
    black.expect("101 60 120 ");
    black.expect("352 ");
}

#[test]
fn the_longest_time_controls_are_31_years() {
    let table = TestTable::timed(1000000000, 1000000000);
    let mut observer = table.seat("observer");
    let (mut black, mut white) = table.pair();
    table.passes(MILLISECOND);
    black.ask("1 pass", "207 999999999 ");
    white.expect("317 1 pass 999999999 ");
    table.passes(MILLISECOND);
    white.ask("1 ... pass", "203 ");
    observer.lines_to("326 ");
    observer.expect("381 1 999999999 999999999 . ");
}

#[test]
fn without_clocks_a_move_that_takes_too_long_loses() {
    let table = TestTable::with(Settings {
        move_timeout: Some(SECOND),
        ..settings()
    });
    let (mut black, mut white) = table.pair();
    black.ask("1 c3", "200 ");
    white.expect("311 1 c3 ");
    assert_end_after_a_second(&table, &mut white, &["202 ", "361 "]);
    black.expect_last(&["311 1 c3 ", "324 1 ... pass ", "361 "]);

    // Each move may take the whole time.
    let (mut black, mut white) = table.pair_called("\"Ann\"", "\"Bob\"");
    table.passes(SECOND * 3 / 5);
    black.ask("1 c3", "200 ");
    white.expect("311 ");
    table.passes(SECOND * 3 / 5);
    white.ask("1 ... c4", "200 ");
    black.expect_all(&["311 1 c3 ", "312 1 ... c4 "]);
    assert_end_after_a_second(&table, &mut black, &["202 ", "362 "]);
    white.expect_last(&["312 1 ... c4 ", "362 "]);
}

#[test]
fn a_flag_may_fall_before_the_time_of_a_move_is_over() {
    let table = TestTable::with(Settings {
        times: Some(ByColor::from_fn(|_| SECOND)),
        move_timeout: Some(60 * SECOND),
        ..settings()
    });
    let (mut black, _white) = table.pair();
    assert_end_after_a_second(&table, &mut black, &["202 ", "362 "]);
}
