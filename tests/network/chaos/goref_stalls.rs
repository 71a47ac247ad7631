//! Stalls of the server: as if a virtual machine had been paused.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::goref::server::{Server, place};

/// A server whose games have so many milliseconds on each clock.
fn with_clocks(time: u64) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let time = json!({"remainingTime": time});
    let game = json!({"initialState": {"board": 9, "players": {"B": time, "W": time}}});
    fs::write(&file, game.to_string()).unwrap();
    Server::start(&["--auto", "--setup", file.to_str().unwrap()])
}

/// Plays a game with two and a half seconds on each clock, and stops the server for so many seconds in the
/// turn of White.
fn nobody_loses_by_a_stall(seconds: u64) {
    let server = with_clocks(2_500);
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([0, 0]));
    server.signal("-STOP");
    sleep(Duration::from_secs(seconds));
    server.signal("-CONT");
    let remaining = white.plays(&mut black, &place([1, 1]));
    assert!(remaining["W"].as_u64() >= Some(1_500), "{remaining}");
    // On a busy machine there are shorter ones, too.
    let slept = seconds * 1_000;
    server.wait_for("stalled", |stall| {
        let milliseconds = stall["stall_ms"].as_u64().unwrap();
        (slept - 500..slept + 5_000).contains(&milliseconds)
    });
    // Clocks go on after it: Black loses on time, two and a half seconds later.
    black.expect_silence(Duration::from_millis(1_000));
    assert_eq!(black.expect("END")["reason"], "timeout");
    assert_eq!(white.expect("END")["winner"], "W");
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
    let server = with_clocks(2_000);
    let (mut black, mut white) = server.pair();
    server.signal("-STOP");
    sleep(Duration::from_millis(500));
    black.send_move(&place([0, 0]));
    sleep(Duration::from_secs(2));
    server.signal("-CONT");
    black.expect("VALID");
    white.expect("MOVE");
}
