//! Players who come again: under a name whose older connection is dead, or alive.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::executable::executable;
use crate::goref::disconnections::{clocks_at, clocks_of, moves_of};
use crate::goref::server::{Server, place};
use crate::waiting::{Deadline, PATIENCE};

/// How long a takeover may take: a dead connection is given two seconds.
const SOON: Duration = Duration::from_secs(6);

#[test]
fn a_reconnecting_client_takes_the_seat_of_its_dead_connection() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    // It no longer answers pings, and its connection stays.
    black.plays(&mut white, &place([0, 0]));
    let _dead = white;
    let start = Instant::now();
    let mut again = server.client("Bob");
    let end = black.expect("END");
    assert_eq!(end["reason"], "error");
    let told = again.expect("START");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(told["color"], "W");
    assert_eq!(moves_of(&told), [place([0, 0])]);
    // Two seconds went by until it was found dead, which are not White's.
    assert_eq!(clocks_of(&told), clocks_at(&end));
    let [_, left] = clocks_at(&end);
    assert!(left > 15 * 60_000 - 1_000, "{left}");
    server.wait_for_text("left", "why", "its name has come again");
    let news = server.wait_for("break", |news| news["name"] == "Bob");
    assert_eq!((&news["number"], &news["most"]), (&1.into(), &10.into()));
    black.expect("START");
    again.plays(&mut black, &place([1, 1]));
}

#[test]
fn a_connection_that_answers_keeps_its_seat() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let alive = scope.spawn(|| {
            // It ends even if the test fails.
            let deadline = Deadline::within(PATIENCE);
            while !stop.load(Relaxed) && !deadline.is_over() {
                white.expect_silence(Duration::from_millis(50));
                black.expect_silence(Duration::from_millis(50));
            }
        });
        let mut again = server.client("Bob");
        again.expect_silence(Duration::from_millis(2_500));
        stop.store(true, Relaxed);
        alive.join().unwrap();
    });
    black.plays(&mut white, &place([0, 0]));
    assert_eq!(server.count("break", |_| true), 0, "{:#?}", server.log());
}

/// A program that is killed when the test is done with it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `gothello goplay` under this name, for a person who types nothing.
fn goplay(server: &Server, name: &str) -> Running {
    let mut command = Command::new(executable());
    let url = format!("ws://{}", server.address);
    command
        .args(["goplay", &url, "--name", name, "--human"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Running(command.spawn().unwrap())
}

#[test]
fn a_second_client_of_a_name_is_logged_and_shown() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let mut black = server.client("Ann");
    let first_client = goplay(&server, "Bob");
    black.expect("START");
    server.wait_for("named", |event| event["name"] == "Bob");
    let first = server.number_of("Bob");
    let _second = goplay(&server, "Bob");
    let event = server.wait_for("same_name", |event| event["name"] == "Bob");
    assert_eq!(event["others"], serde_json::json!([first]));
    page.wait_for_line("", "has the name Bob too");
    assert_eq!(
        server.count("taken_over", |_| true),
        0,
        "{:#?}",
        server.log()
    );
    // When the first one ends, the second one has its seat.
    drop(first_client);
    let event = server.wait_for("taken_over", |event| event["name"] == "Bob");
    assert_eq!(
        (&event["side"], &event["before"]),
        (&"W".into(), &first.into())
    );
    black.expect("END");
    black.expect("START");
}

#[cfg(unix)]
#[test]
fn a_client_that_is_stopped_is_replaced_by_another_one_of_its_name() {
    let server = Server::start(&["--auto"]);
    let mut black = server.client("Ann");
    let stopped = goplay(&server, "Bob");
    black.expect("START");
    let mut kill = Command::new("kill");
    kill.args(["-STOP", &stopped.0.id().to_string()]);
    assert!(kill.status().unwrap().success());
    black.send_move(&place([2, 2]));
    black.expect("VALID");
    let start = Instant::now();
    let _again = goplay(&server, "Bob");
    let end = black.expect("END");
    let told = black.expect("START");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(clocks_of(&told), clocks_at(&end));
    let [_, left] = clocks_at(&end);
    assert!(left > 15 * 60_000 - 2_000, "{left}");
    server.wait_for("resumed", |news| news["game"] == 1);
}
