//! Peers that are slow, silent, flooding or malformed harm nobody else.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use gothello::contests::netref::{MAX_LINE, MAX_MALFORMED};
use socket2::{Domain, Socket, Type};

use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::play_out;
use crate::waiting::DeadlineStream;

/// A connection with a tiny receive buffer.
fn narrow(referee: &Referee, opening: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(1).unwrap();
    socket.connect(&referee.addresses[0].into()).unwrap();
    let mut stream = TcpStream::from(socket);
    stream
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    stream
        .write_all(format!("0.9.1 {opening}\r").as_bytes())
        .unwrap();
    stream
}

/// Sends a request this many times, or until nobody reads it.
fn flood(stream: &mut TcpStream, request: &str, times: usize) {
    let piece = request.repeat(100);
    for _ in 0..times / 100 {
        if stream.write_all(piece.as_bytes()).is_err() {
            return;
        }
    }
}

#[test]
fn a_flood_of_connections_is_summed_up_in_the_log() {
    let referee = Referee::start(&[]);
    let connect = || drop(TcpStream::connect(referee.addresses[0]).unwrap());
    for _ in 0..600 {
        connect();
    }
    // What was left out is told with the next connection that is listed.
    referee.wait_for_news("the sum", |log| {
        connect();
        let told =
            |line: &String| line.contains("connections from 127.0.0.1 came too fast to be listed");
        log.iter().any(told)
    });
    assert!(referee.count_in_log(" connected from ") < 400);
    referee.plays_a_match();
}

#[test]
fn players_who_write_byte_by_byte_play_a_match() {
    let referee = Referee::start(&[]);
    let write = |client: &mut Client, text: &str| {
        for byte in text.bytes() {
            client.send_bytes(&[byte]);
            thread::sleep(Duration::from_micros(200));
        }
    };
    let [mut black, mut white] = ["black", "white"].map(|side| {
        let mut client = referee.connect();
        client.expect("000 ");
        write(&mut client, &format!("0.9.1 player {side}\r\n"));
        client.expect("100 ");
        client
    });
    write(&mut black, "1 pass\r\n");
    white.lines_to("315 1 pass ");
    write(&mut white, "1 ... pass\r\n");
    black.lines_to("326 1 ... pass and white draws");
    black.expect_end();
}

#[test]
fn a_silent_connection_blocks_nobody_and_is_closed_in_time() {
    let referee = Referee::start(&["--handshake-timeout", "0.3"]);
    let start = Instant::now();
    let mut silent = referee.connect();
    for _ in 0..3 {
        referee.plays_a_match();
    }
    silent.expect("000 ");
    silent.expect("399 No request came in time");
    silent.expect_end();
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn dribbling_bytes_does_not_prolong_the_handshake() {
    let referee = Referee::start(&["--handshake-timeout", "0.3"]);
    let mut stream = TcpStream::connect(referee.addresses[0]).unwrap();
    let start = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:#?}",
            referee.log()
        );
        thread::sleep(Duration::from_millis(20));
        if referee.count_in_log("No request came in time") > 0 {
            return;
        }
    }
}

#[test]
fn a_seated_player_is_no_longer_under_the_handshake_timeout() {
    let referee = Referee::start(&["--handshake-timeout", "0.1"]);
    let mut black = referee.seat("player black");
    black.expect_silence(Duration::from_millis(300));
    let mut white = referee.seat("player white");
    black.expect("352 ");
    white.expect("351 ");
    play_out(&mut black, &mut white);
}

#[test]
fn a_player_whose_opponent_never_comes_is_sent_away() {
    let referee = Referee::start(&["--seat-timeout", "0.2"]);
    let mut black = referee.seat("player black");
    black.expect("399 Nobody came to play");
    black.expect_end();
    referee.plays_a_match();
}

#[test]
fn excess_connections_are_told_and_closed() {
    let referee = Referee::start(&["--max-connections", "3"]);
    let (mut black, mut white) = referee.pair();
    let third = referee.observer();
    let mut fourth = referee.connect();
    fourth.expect("399 There are too many connections");
    fourth.expect_end();
    drop(third);
    referee.wait_for_line("left");
    let mut fifth = referee.connect();
    fifth.expect("000 ");
    drop(fifth);
    play_out(&mut black, &mut white);
}

#[test]
fn a_player_who_reads_only_at_the_end_delays_nobody_and_misses_nothing() {
    let referee = Referee::start(&[]);
    let mut black = narrow(&referee, "player black");
    let mut white = referee.seat_when_free("player white");
    white.expect("351 ");
    black.write_all(b"1 c3\r").unwrap();
    white.expect("311 1 c3 ");
    white.ask("1 ... pass", "200 ");
    white.expect("316 1 ... pass ");
    black.write_all(b"2 pass\r").unwrap();
    white.expect("321 2 pass ");
    white.expect_end();
    let mut text = String::new();
    DeadlineStream::new(black)
        .read_to_string(&mut text)
        .unwrap();
    let codes: Vec<&str> = text.lines().map(|line| &line[..3]).collect();
    let expected = ["000", "100", "352", "200", "311", "316", "201", "321"];
    assert_eq!(codes, expected);
}

#[test]
fn a_player_who_floods_and_never_reads_loses_and_the_table_is_free() {
    let referee = Referee::start(&[]);
    let mut white = narrow(&referee, "player white");
    let mut black = referee.seat_when_free("player black");
    black.expect("352 ");
    let flooding = thread::spawn(move || flood(&mut white, "1 ... c3\r", 300_000));
    black.expect("201 White has disconnected");
    black.expect("324 1 ... pass ");
    black.expect_end();
    flooding.join().unwrap();
    referee.plays_a_match();
}

#[test]
fn observers_who_flood_and_never_read_do_not_delay_the_match() {
    let referee = Referee::start(&[]);
    let start = Instant::now();
    let mut floods = Vec::new();
    for _ in 0..5 {
        for _ in 0..2 {
            let mut stream = narrow(&referee, "observer");
            floods.push(thread::spawn(move || {
                flood(&mut stream, "resign\r", 300_000);
            }));
        }
        referee.plays_a_match();
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    for flood in floods {
        flood.join().unwrap();
    }
    referee.plays_a_match();
}

#[test]
fn a_spectator_who_does_not_read_still_lets_the_players_finish() {
    let referee = Referee::start(&[]);
    let _silent: Vec<_> = (0..20).map(|_| narrow(&referee, "observer")).collect();
    let start = Instant::now();
    for _ in 0..10 {
        referee.plays_a_match();
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn garbage_without_a_line_end_is_one_request() {
    let referee = Referee::start(&[]);
    let mut client = referee.connect();
    client.expect("000 ");
    client.send_bytes(&[b'\x80'; 64 * 1024]);
    client.expect_silence(Duration::from_millis(50));
    client.ask("", "199 Request not understood: at most 1024 bytes");
    client.ask("0.9.1 player black", "100 ");
    let mut white = referee.seat("player white");
    client.expect("352 ");
    white.expect("351 ");
    client.send_bytes(&[b'\0'; 64 * 1024]);
    client.ask("", "299 Request not understood: at most 1024 bytes");
    play_out(&mut client, &mut white);
}

#[test]
fn a_request_may_have_1024_bytes_and_no_more() {
    let referee = Referee::start(&[]);
    let (mut black, _white) = referee.pair();
    let move_of = |length| format!("1 c3{}", " ".repeat(length - 4));
    black.ask(&move_of(MAX_LINE + 1), "299 ");
    black.ask(&move_of(MAX_LINE), "200 ");
    let mut client = referee.connect();
    client.expect("000 ");
    client.ask(&format!("0.9.1 player {}", "x".repeat(1_000)), "199 ");
    client.ask(&format!("0.9.1 observer {}", "x".repeat(2_000)), "199 ");
    client.ask(&format!("{}.1 observer", "9".repeat(1_000)), "198 ");
    client.expect_end();
}

#[test]
fn long_words_of_a_client_come_back_on_one_line_of_ascii() {
    let referee = Referee::start(&[]);
    let (mut black, _white) = referee.pair();
    for word in ["\"".repeat(1_000), "\\".repeat(1_000), "a\tb{}%s".into()] {
        let answer = black.ask(&format!("1 {word}"), "299 ");
        assert!(
            answer.bytes().all(|byte| matches!(byte, b' '..=b'~')),
            "{answer:?}"
        );
    }
}

#[test]
fn ten_garbled_requests_outside_a_match_close_the_connection() {
    type Enter = fn(&Referee) -> Client;
    let new = |referee: &Referee| {
        let mut client = referee.connect();
        client.expect("000 ");
        client
    };
    let clients: [(Enter, &str, &str); 3] = [
        (new, "199 ", "-1"),
        (|referee| referee.observer(), "299 ", "-1"),
        (|referee| referee.seat("player black"), "299 ", "-1 (black)"),
    ];
    for (enter, refusal, shown) in clients {
        let referee = Referee::start(&[]);
        let mut client = enter(&referee);
        client.send(&"hello\r".repeat(1_000));
        for _ in 0..MAX_MALFORMED {
            client.expect(refusal);
        }
        client.expect("399 Ten requests in a row were not understood");
        client.expect_end();
        drop(client);
        referee.wait_for_line(&format!(
            "{shown} is dropped: Ten requests in a row were not understood"
        ));
        assert_eq!(
            referee.count_in_log("left"),
            0,
            "{shown}: {:#?}",
            referee.log()
        );
        // The seat is free again.
        referee.plays_a_match();
    }
}

#[test]
fn ten_garbled_requests_in_a_match_lose_it() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.send(&"hello\r".repeat(1_000));
    for _ in 0..MAX_MALFORMED {
        black.expect("299 ");
    }
    // The lines are those of a lost match, which the libraries know.
    black.expect("202 Ten requests in a row were not understood, you lose");
    black.expect("322 1 pass and black loses by protocol errors");
    black.expect_end();
    white.expect("322 1 pass and black loses by protocol errors");
    white.expect_end();
    referee.wait_for_line("-1 (black) is dropped: Ten requests in a row were not understood");
    referee.wait_for_line("is over: White wins: Black sent too many malformed requests");
    assert_eq!(referee.count_in_log("left"), 0);
    referee.plays_a_match();
}

#[test]
fn a_hundred_matches_that_wait_and_leave_do_not_wear_the_table_out() {
    let referee = Referee::start(&[]);
    for round in 0..100 {
        let (black, white) = referee.pair_when_free();
        if round % 2 == 0 {
            drop(black);
            drop(white);
        } else {
            drop(white);
            drop(black);
        }
    }
    referee.plays_a_match();
}
