//! Stalls of the referee: as if a virtual machine had been paused.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::netref::referee::Referee;

const SECOND: Duration = Duration::from_secs(1);

/// Plays a match with two seconds for each player, and stops the referee for this many seconds
/// in White's turn.
fn nobody_loses_by_a_stall(seconds: u32) {
    let referee = Referee::start(&["2"]);
    let (mut black, mut white) = referee.pair_called("\"Ann\"", "\"Bob\"");
    black.ask("1 c3", "207 ");
    white.expect("313 1 c3 ");
    referee.signal("-STOP");
    sleep(seconds * SECOND);
    referee.signal("-CONT");
    white.ask("1 ... c2", "207 ");
    // On a busy machine there are shorter ones, too.
    let slept = f64::from(seconds);
    let is_long = |line: &String| {
        let (_, rest) = line.split_once("the referee was stalled for ")?;
        let length: f64 = rest.split_once(" s, ")?.0.parse().unwrap();
        (slept - 0.5..slept + 5.0).contains(&length).then_some(())
    };
    referee.wait_for_news("the stall", |log| {
        log.iter().any(|line| is_long(line).is_some())
    });
    // The clocks continue after it: Black loses on time, some two seconds later.
    let start = Instant::now();
    black.expect_last(&["313 1 c3 ", "314 1 ... c2 ", "202 ", "362 "]);
    assert!(start.elapsed() >= SECOND);
}

#[test]
fn a_stall_longer_than_the_clocks_costs_nobody() {
    nobody_loses_by_a_stall(3);
}

#[test]
#[ignore = "waits for half a minute"]
fn a_long_stall_costs_nobody() {
    nobody_loses_by_a_stall(30);
}

#[test]
fn a_move_that_was_sent_during_a_stall_is_in_time() {
    let referee = Referee::start(&["2"]);
    let (mut black, mut white) = referee.pair();
    referee.signal("-STOP");
    sleep(SECOND / 2);
    black.send("1 c3\r");
    sleep(2 * SECOND);
    referee.signal("-CONT");
    black.expect("207 ");
    white.expect("313 1 c3 ");
}

#[test]
fn the_time_to_ask_for_a_role_does_not_pass_in_a_stall() {
    let referee = Referee::start(&["--handshake-timeout", "1"]);
    let mut client = referee.connect();
    sleep(SECOND / 2);
    referee.signal("-STOP");
    sleep(SECOND);
    referee.signal("-CONT");
    client.expect("000 ");
    client.ask("0.9.1 player black", "100 ");
}

#[test]
#[ignore = "waits for a minute"]
fn a_match_that_was_stalled_for_more_than_a_minute_is_adjourned() {
    let folder = tempfile::tempdir().unwrap();
    let journal = ["--state", folder.path().to_str().unwrap()];
    let referee = Referee::start(&[&["300"], &journal[..]].concat());
    let (mut black, mut white) = referee.pair_called("\"Ann\"", "\"Bob\"");
    black.ask("1 c3", "207 ");
    white.expect("313 1 c3 ");
    referee.signal("-STOP");
    sleep(62 * SECOND);
    referee.signal("-CONT");
    let told = "The referee was stalled for too long: come back when the match is resumed";
    for client in [&mut black, &mut white] {
        let last = client.rest().pop().unwrap();
        assert!(last.ends_with(told), "{last}");
    }
    referee.wait_for_line(" is adjourned; to resume it, type: resume ");
}
