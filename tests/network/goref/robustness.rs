//! Peers that do not read, or read slowly, harm nobody else.

use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use socket2::{Domain, Socket, Type};
use tungstenite::Message;

use crate::executable::executable;
use crate::goref::client::{Client, End};
use crate::goref::disconnections::moves_of;
use crate::goref::server::{Server, place};
use crate::waiting::{EndsInTime, wait_until};

/// Sends the same until nobody reads it.
fn flood(client: &mut Client, text: &str, times: usize) {
    client.set_write_timeout(Duration::from_millis(300));
    for _ in 0..times {
        if client.try_send(Message::text(text)).is_err() {
            return;
        }
    }
}

#[test]
#[ignore = "floods for seconds, unoptimized"]
fn a_mover_who_floods_and_never_reads_is_dropped_and_the_opponent_is_told() {
    let server = Server::start(&["--auto", "--tables", "2"]);
    let mut black = Client::narrow(server.address);
    black.expect("NAME");
    black.send(&json!({"type": "NAME", "name": "Ann"}));
    server.wait_for("named", |_| true);
    let mut white = server.client("Bob");
    white.expect("START");
    let flooding = thread::spawn(move || {
        let outside = json!({"type": "MOVE", "move": place([99, 99])}).to_string();
        flood(&mut black, &outside, 1_000_000);
        black
    });
    // The others play meanwhile.
    server.plays_a_game();
    assert_eq!(white.expect("END")["reason"], "error");
    server.wait_for("left", |news| news["name"] == "Ann");
    drop(flooding.join().unwrap());
    // She is back under her name.
    let mut black = server.client("Ann");
    black.expect("START");
    white.expect("START");
    black.plays(&mut white, &place([0, 0]));
}

/// Answers wait for the connection in a queue, which is full before the first of them is sent.
#[test]
fn a_client_whose_queue_overflows_reads_no_gap_but_the_end() {
    const QUEUE: usize = 64;
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    let outside = json!({"type": "MOVE", "move": place([99, 99])}).to_string();
    let length = u8::try_from(outside.len()).unwrap();
    let frame = [&[0x81, 0x80 | length, 0, 0, 0, 0], outside.as_bytes()].concat();
    // As many answers as fit all come, and it goes on.
    black.send_raw(&frame.repeat(QUEUE)).unwrap();
    for _ in 0..QUEUE {
        black.expect("INVALID");
    }
    black.plays(&mut white, &place([0, 0]));
    white.plays(&mut black, &place([1, 1]));
    black.send_raw(&frame.repeat(4 * QUEUE)).unwrap();
    for number in 0.. {
        match black.next() {
            Ok(answer) => assert_eq!(answer["type"], "INVALID", "{number}"),
            Err(End::Closed(Some(frame))) => {
                assert_eq!(&*frame.reason, "more was to be sent than the client took");
                assert!(number >= QUEUE, "{number}");
                break;
            }
            Err(end) => panic!("{end:?}"),
        }
    }
    server.wait_for_text("left", "why", "it does not take what it is sent");
    assert_eq!(white.expect("END")["reason"], "error");
    // It comes back, and misses nothing.
    let mut black = server.client("Ann");
    let start = black.expect("START");
    assert_eq!(moves_of(&start), moves_of(&white.expect("START")));
    assert_eq!(moves_of(&start).len(), 2, "{start}");
    black.plays(&mut white, &place([2, 2]));
}

#[test]
fn clients_without_a_game_that_flood_harm_nobody() {
    let server = Server::start(&["--auto"]);
    let address = server.address;
    let floods: Vec<_> = ["{\"type\":\"MOVE\"}", "hello", "{}"]
        .into_iter()
        .map(|text| {
            thread::spawn(move || {
                let mut client = Client::narrow(address);
                flood(&mut client, text, 5_000);
            })
        })
        .collect();
    for _ in 0..3 {
        server.plays_a_game();
    }
    for flood in floods {
        flood.join().unwrap();
    }
    server.wait_until("all are gone", |server| {
        server.count("left", |news| news["name"].is_null()) == 3
    });
}

#[test]
fn spectators_who_never_read_delay_nobody() {
    let server = Server::start(&["--auto"]);
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_recv_buffer_size(1).unwrap();
            socket.connect(&server.address.into()).unwrap();
            let stream = TcpStream::from(socket);
            let request = format!(
                "GET /watch HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                server.address
            );
            std::io::Write::write_all(&mut &stream, request.as_bytes()).unwrap();
            stream
        })
        .collect();
    let start = Instant::now();
    for _ in 0..5 {
        server.plays_a_game();
    }
    assert!(start.elapsed() < Duration::from_secs(15));
    // One who reads sees everything.
    let mut page = server.watch();
    page.wait_for_line("", "game 0005 is over");
    drop(silent);
}

#[test]
fn a_standard_output_that_nobody_reads_stops_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    let port = address.port().to_string();
    let mut child = Command::new(executable())
        .args(["goref", "--auto", "--log-format", "json", "--port", &port])
        .args(["--state", folder.path().to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the port", || TcpStream::connect(address).is_ok());
    let mut players = ["Ann", "Bob"].map(|name| {
        let mut client = Client::connect(address);
        client.expect("NAME");
        client.send(&json!({"type": "NAME", "name": name}));
        client
    });
    let colors = players
        .each_mut()
        .map(|player| player.expect("START")["color"].clone());
    if colors[0] == "W" {
        players.swap(0, 1);
    }
    // More lines than a pipe takes.
    let [black, white] = &mut players;
    for number in 0..45 {
        for _ in 0..18 {
            black.send_move(&place([99, 99]));
            black.expect("INVALID");
        }
        black.plays(white, &place([number / 19, number % 19]));
        white.plays(black, &json!({"type": "pass"}));
    }
    child.kill().unwrap();
    child.wait_in_time();
}

#[test]
fn more_connections_than_allowed_are_refused_and_the_games_go_on() {
    let server = Server::start(&["--auto", "--max-connections", "4"]);
    let (mut black, mut white) = server.pair();
    let mut others = Vec::new();
    // From this machine there are some more.
    for _ in 0..40 {
        let stream = TcpStream::connect(server.address).unwrap();
        others.push(stream);
    }
    black.plays(&mut white, &place([0, 0]));
    drop(others);
    white.plays(&mut black, &json!({"type": "resign"}));
    drop((black, white));
    server.wait_until("they are gone", |server| {
        server.count("left", |_| true) == 2
    });
    server.plays_a_game();
}

#[test]
fn frames_that_come_byte_by_byte_are_messages() {
    let server = Server::start(&["--auto"]);
    let (mut black, mut white) = server.pair();
    let text = json!({"type": "MOVE", "move": place([5, 5])}).to_string();
    let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0];
    frame.extend_from_slice(text.as_bytes());
    for byte in frame {
        black.send_raw(&[byte]).unwrap();
        thread::sleep(Duration::from_micros(300));
    }
    black.expect("VALID");
    assert_eq!(white.expect("MOVE")["move"], place([5, 5]));
}
