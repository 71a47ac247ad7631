//! The page for spectators: nothing that they do, and no way in which they leave, harms a match.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::netref::scenes::{play_out, refusal};
use crate::netref::spectator::{Spectator, page, request, start, watch};
use crate::waiting::{DeadlineStream, read_to_end};

/// A spectator that does not read misses nothing when it starts reading, and nobody waits for it.
#[test]
fn a_slow_spectator_harms_nobody() {
    let referee = start(&[]);
    let slow = watch(page(&referee));
    for _ in 0..40 {
        let start = Instant::now();
        referee.plays_a_match();
        assert!(
            start.elapsed() < Duration::from_secs(3),
            "{:?}",
            start.elapsed()
        );
    }
    let (_black, _white) = referee.named_pair();
    let mut fresh = Spectator::open(&referee);
    let mut slow = Spectator::on(slow);
    for spectator in [&mut fresh, &mut slow] {
        spectator.wait_for_line("black (\"Ann\") against white (\"Bob\")");
        spectator.wait_for("playing");
    }
    let over = fresh.log.iter().filter(|line| line.contains(", is over: "));
    assert_eq!(over.count(), 40, "{:#?}", fresh.log);
    assert_eq!(slow.first().plies, fresh.first().plies);
    assert_eq!(slow.log, fresh.log);
}

#[test]
fn spectators_can_do_nothing() {
    let referee = start(&[]);
    let address = page(&referee);
    assert!(request(address, "GET /").starts_with("HTTP/1.1 200 "));
    assert!(request(address, "GET /me").contains("false"));
    for what in [
        "POST /act",
        "GET /act",
        "POST /",
        "PUT /watch",
        "GET /../Cargo.toml",
    ] {
        let answer = request(address, what);
        assert!(answer.starts_with("HTTP/1.1 4"), "{what}: {answer}");
    }
    // A visitor that sends something is disconnected.
    let mut loud = watch(address);
    loud.send(tungstenite::Message::text("{\"action\":\"start\"}"))
        .unwrap();
    read_to_end(&mut loud);
    referee.plays_a_match();
}

/// A player fetches the record of the match, and no other file.
#[test]
fn records_of_matches_can_be_downloaded() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--state", folder.path().to_str().unwrap()];
    let referee = start(&[&arguments[..], &["--house", "1"]].concat());
    let mut seen = Spectator::open(&referee);
    let mut client = referee.seat("player black");
    client.lines_to("352 ");
    client.ask("resign", "204 ");
    client.rest();
    seen.wait("the list", |seen| !seen.finished.is_empty());
    let name = seen.finished[0]["record"].as_str().unwrap().to_owned();
    let address = page(&referee);
    let answer = request(address, &format!("GET /records/{name}"));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let record = fs::read_to_string(folder.path().join("games").join(&name)).unwrap();
    assert!(record.contains("PW[house-1]"), "{record}");
    // Spectators do not see the addresses of the players, which the file has.
    let (_, rest) = record.split_once("PB[127.0.0.1:").unwrap();
    let (port, _) = rest.split_once(']').unwrap();
    let shown = record.replace(&format!("127.0.0.1:{port}"), "address not shown");
    assert!(answer.ends_with(&shown), "{answer}");
    assert!(!shown.contains("127.0.0.1"), "{shown}");
    // Even after a restart.
    drop(referee);
    let referee = start(&arguments);
    let seen = Spectator::open(&referee);
    assert_eq!(seen.finished[0]["record"], name.as_str());
    for other in [
        "results.jsonl",
        "20261120-120000-000000-0.sgf",
        &name.replace(".sgf", ".txt"),
        &format!("..%2F{name}"),
        "",
    ] {
        let answer = request(page(&referee), &format!("GET /records/{other}"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{other}: {answer}");
    }
    let answer = request(page(&start(&[])), &format!("GET /records/{name}"));
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
}

#[test]
fn visitors_who_fill_the_page_leave_room_for_the_players() {
    let referee = start(&["--max-connections", "4"]);
    let address = page(&referee);
    let mut crowd = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        crowd.push(stream);
    }
    referee.plays_a_match();
    let mut seen = Spectator::open(&referee);
    seen.wait_for("over");
}

/// The last match, and why nothing more is played.
#[test]
fn spectators_see_the_end_before_the_page_stops() {
    let mut referee = start(&["--stop-after", "1"]);
    let mut seen = Spectator::open(&referee);
    let address = page(&referee);
    // A client that has not finished its request does not delay the end of the program.
    let mut rude = DeadlineStream::connect(address);
    rude.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let (mut black, mut white) = referee.pair();
    let start = Instant::now();
    play_out(&mut black, &mut white);
    drop((black, white));
    assert!(referee.wait().success());
    assert!(start.elapsed() < Duration::from_secs(4));
    seen.read_to_end();
    assert_eq!(seen.first().table["result"], "Black wins (B+1)");
    assert_eq!(seen.first().plies.len(), 4, "{:#?}", seen.tables);
    assert!(seen.has_line("match 1 of 1 is over"), "{:?}", seen.log);
    let _ = rude.read(&mut [0]);
}

#[test]
fn a_match_that_a_signal_interrupts_stays_on_the_page() {
    let mut referee = start(&[]);
    let mut seen = Spectator::open(&referee);
    let (mut black, white) = referee.named_pair();
    black.ask("1 c3", "200 ");
    seen.wait_for_plies(2);
    referee.signal("-TERM");
    black.read_to_leave();
    white.read_to_leave();
    assert!(referee.wait().success());
    seen.read_to_end();
    assert_eq!(seen.first().plies.len(), 2, "{:#?}", seen.tables);
    assert_eq!(seen.first().names(), [Some("Ann"), Some("Bob")]);
    assert!(seen.has_line("The referee stops"));
}

#[test]
fn an_impossible_page_address_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (arguments, expected, words) in [
        (&["--private", "--http", "0"][..], 2, "cannot be used with"),
        (&["--http", &port, "--port", "0"], 1, port.as_str()),
        (&["--http", "65536"], 2, "65536"),
    ] {
        let (code, lines) = refusal(arguments);
        assert_eq!(code, Some(expected), "{lines:?}");
        assert!(lines.concat().contains(words), "{words}: {lines:?}");
    }
}
