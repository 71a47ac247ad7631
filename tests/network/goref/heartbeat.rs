//! The heartbeat: who does not answer is gone.

use std::fs;
use std::time::{Duration, Instant};

use crate::goref::server::Server;

/// A server that asks every 600 ms, which is long on a busy machine, too.
fn server(arguments: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.config.json");
    fs::write(&file, "{\"pingInterval\": 600}").unwrap();
    let config = ["--config", file.to_str().unwrap()];
    let server = Server::start(&[arguments, &config].concat());
    (folder, server)
}

#[test]
fn a_silent_client_is_terminated_whether_it_has_a_name_or_not() {
    let (_folder, server) = server(&[]);
    let mut page = server.watch();
    let start = Instant::now();
    let _unnamed = server.connect();
    let mut named = server.client("Ann");
    let mut alive = server.client("Bob");
    // Pings are answered while it listens.
    alive.expect_silence(Duration::from_millis(1_900));
    server.wait_until("two are terminated", |server| {
        server.count("left", |news| news["why"] == "it did not answer a ping") == 2
    });
    assert!(start.elapsed() >= Duration::from_millis(1_200));
    page.wait_for_line("#1", "did not answer a ping");
    page.wait_for_line("Ann", "did not answer a ping");
    named.expect_end();
    assert_eq!(
        server.count("left", |news| news["name"] == "Bob"),
        0,
        "{:#?}",
        server.log()
    );
}

#[test]
fn a_thinking_client_that_answers_pings_stays_connected() {
    let (_folder, server) = server(&["--auto"]);
    let (mut black, mut white) = server.pair();
    let thinking = std::thread::spawn(move || {
        white.expect_silence(Duration::from_millis(1_900));
        white
    });
    black.expect_silence(Duration::from_millis(1_900));
    let mut white = thinking.join().unwrap();
    black.plays(&mut white, &crate::goref::server::place([0, 0]));
}

#[test]
fn the_opponent_of_a_silent_player_is_told_and_the_game_waits() {
    let (_folder, server) = server(&["--auto"]);
    let (mut black, _silent) = server.pair();
    let end = black.expect("END");
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&"error".into(), &".".into())
    );
    let mut white = server.client("Bob");
    white.expect("START");
    black.expect("START");
}
