//! The built program: connections, and unusual servers.

use std::io::Write;
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use gothello::go::{Game, Mercy, Move, Point, Position, Rules, Size};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::json;
use tungstenite::Message;

use crate::client::Program;
use crate::executable::executable;
use crate::go_messages::{end, moved, name, played, start, valid};
use crate::goplay::server::Server;
use crate::waiting::{OutputInTime, accept};

const WON: &str = "won as Black: B+T by timeout, B 25, W 6.5, 0 moves\n";

#[test]
fn the_server_may_come_later_than_the_client() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let client = Program::goplay(port, &["--human", "--reconnect", "0"]);
    let done = client.wait();
    let error =
        format!("cannot reach a server at ws://127.0.0.1:{port}/, tried for 0 s (--reconnect): ");
    assert!(done.failure().starts_with(&error), "{}", done.err);

    let mut client = Program::goplay(port, &["--human", "--games", "1"]);
    client.tells("trying again in 0.5 s");
    let server = Server::at(port);
    let (mut peer, answer) = server.greet();
    assert_eq!(answer["protocol"], "v2");
    peer.says(&start(5, &[], "B"));
    client.types("resign\n");
    assert_eq!(peer.hears_move(), played("resign"));
    peer.says(&valid());
    peer.says(&end("resign", "W"));
    peer.is_left();
    let done = client.wait();
    done.is_well("lost as Black: W+R by resign, B 25, W 6.5, 1 move\n");
}

#[test]
fn a_game_continues_after_a_lost_connection() {
    let server = Server::new();
    let (mut client, mut peer) = server.client(&["--human", "--games", "1", "--protocol", "v1"]);
    peer.says(&start(5, &[], "B"));
    client.types("2,2\n");
    assert_eq!(peer.hears_move(), played("2,2"));
    peer.says(&valid());
    drop(peer);
    let (mut peer, answer) = server.greet();
    assert_eq!(
        (&answer["name"], &answer["protocol"]),
        (&"Ann".into(), &"v1".into())
    );
    peer.says(&start(5, &["2,2", "1,1"], "B"));
    client.types("C3\nB4\npass\n");
    assert_eq!(peer.hears_move(), played("pass"));
    peer.says(&valid());
    peer.says(&moved("pass"));
    peer.says(&end("pass", "B"));
    let done = client.wait();
    done.is_well("won as Black: B+18.5 by pass, B 25, W 6.5, 4 moves\n");
    done.told("a game goes on after 2 moves: you are Black");
    done.told("C3 is illegal: the point is occupied");
    done.told("END: by our rules the score is B 1, W 7.5");
}

#[test]
fn a_server_that_stays_away_ends_the_program() {
    let server = Server::new();
    let (client, mut peer) = server.client(&["--human", "--reconnect", "0"]);
    peer.says(&start(5, &[], "W"));
    drop(peer);
    let error = "the connection was lost before the game was over";
    assert!(client.wait().failure().starts_with(error));

    // Between two games nothing is lost.
    let (client, mut peer) = server.client(&["--human", "--reconnect", "0"]);
    peer.says(&start(5, &[], "B"));
    peer.says(&end("timeout", "B"));
    drop(peer);
    let done = client.wait();
    done.is_well(WON);
    done.told("the server has been gone for 0 s (--reconnect): left after 1 finished game\n");
}

/// It will not become a contest server: the client does not try again.
#[test]
fn a_referee_of_matches_is_an_error_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = Program::goplay(port, &["--human"]);
    let mut stream = accept(&listener);
    stream.write_all(b"000 0.9.1 Gothello\r\n").unwrap();
    let error = format!(
        "ws://127.0.0.1:{port}/ is not a server of Go contests: it does not answer in HTTP; for a \
         match at a referee (gothello netref), use gothello netplay"
    );
    let done = client.wait();
    assert_eq!((done.failure(), done.err.lines().count()), (&*error, 1));
}

/// Like the page of `gothello netref --http`.
#[test]
fn a_web_page_is_an_error_at_once() {
    let server = Server::new();
    let client = Program::goplay(server.port, &["--human"]);
    server.answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let done = client.wait();
    let error = done.failure();
    assert!(error.contains("is not a server of Go contests: it answers with a web page;"));
}

/// Like the answer of a web server to a request without TLS, or for a path without its last slash.
#[test]
fn a_redirection_is_an_error_at_once_that_names_the_right_address() {
    let why = |location: &str| {
        let server = Server::new();
        let client = Program::goplay(server.port, &["--human"]);
        server.answers(&format!(
            "HTTP/1.1 308 Permanent Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        ));
        let port = server.port.to_string();
        client.wait().failure().replace(&port, "PORT")
    };
    insta::assert_snapshot!(
        why("https://course.example.org/contest/"),
        @"ws://127.0.0.1:PORT/ redirects to wss://course.example.org/contest/: connect to that address"
    );
    insta::assert_snapshot!(
        why("/contest/"),
        @"ws://127.0.0.1:PORT/ redirects to ws://127.0.0.1:PORT/contest/: connect to that address"
    );
    insta::assert_snapshot!(
        why("//course.example.org/contest/"),
        @"ws://127.0.0.1:PORT/ redirects to ws://course.example.org/contest/: connect to that address"
    );
}

/// A client that was connected waits for its server to come back.
#[test]
fn another_program_in_place_of_a_server_is_a_lost_connection() {
    let server = Server::new();
    let (mut client, mut peer) = server.client(&["--human", "--games", "1"]);
    peer.says(&start(5, &[], "B"));
    drop(peer);
    server.answers("000 0.9.1 Gothello\r\n");
    client.tells("does not answer in HTTP; trying again in ");
    let (mut peer, _) = server.greet();
    peer.says(&start(5, &[], "B"));
    peer.says(&end("timeout", "B"));
    client.wait().is_well(WON);
}

#[test]
fn frames_that_are_not_messages_are_reported_and_ignored() {
    let server = Server::new();
    let (client, mut peer) = server.client(&["--human", "--games", "1"]);
    peer.sends(Message::text("garbage"));
    peer.sends(Message::text("x".repeat(1_000_000)));
    peer.sends(Message::Binary(vec![0; 10].into()));
    peer.sends(Message::text(r#"{"type":"HELLO"}"#));
    peer.says(&valid());
    peer.says(&start(5, &[], "B"));
    peer.says(&end("timeout", "B"));
    let done = client.wait();
    done.is_well(WON);
    done.told("(expected value at line 1 column 1): garbage");
    done.told("the server sent 10 bytes that are not text");
    done.told("unknown variant `HELLO`");
    done.told("the server sends VALID, unexpected in READY");
}

#[test]
fn a_frame_that_is_too_large_ends_the_connection_only() {
    let server = Server::new();
    let (client, mut peer) = server.client(&["--human", "--games", "1"]);
    // The client does not read the body to its end.
    let huge = Message::text("x".repeat(17 * 1024 * 1024));
    let sender = thread::spawn(move || peer.try_sends(huge));
    let (mut peer, _) = server.greet();
    sender.join().unwrap();
    peer.says(&start(5, &[], "B"));
    peer.says(&end("timeout", "B"));
    let done = client.wait();
    done.is_well(WON);
    done.told("trying again in 0.5 s");
}

/// A game without superko need not end: the referee decides how long it is.
#[test]
#[ignore = "takes seconds, unoptimized"]
fn a_game_of_20_000_moves_is_continued() {
    let rules = Rules {
        ko: true,
        superko: false,
        mercy: Mercy::OFF,
        ..Rules::default()
    };
    let mut game = Game::new(rules, Position::start(Size::square(9).unwrap()));
    let mut rng = StdRng::seed_from_u64(1);
    let mut log = Vec::new();
    for _ in 0..20_000 {
        let points: Vec<Point> = game.legal_points().collect();
        // Players without a legal point pass, which never comes twice in a row.
        let chosen = points.choose(&mut rng);
        game.play(chosen.map_or(Move::Pass, |&point| Move::Place(point)))
            .unwrap();
        let word = chosen.map_or("pass".into(), |point| {
            format!("{},{}", point.row, point.column)
        });
        log.push(json!({"move": played(&word), "deltaTime": 1}));
    }
    let server = Server::new();
    let (mut client, mut peer) = server.client(&["--human", "--games", "1"]);
    let mut message = start(9, &[], "B");
    message["configuration"]["superko"] = json!(false);
    message["configuration"]["moveLog"] = log.into();
    assert!(message.to_string().len() > 1_200_000);
    peer.says(&message);
    client.types("pass\n");
    assert_eq!(peer.hears_move(), played("pass"));
    peer.says(&valid());
    peer.says(&end("timeout", "B"));
    let done = client.wait();
    done.is_well(&WON.replace("0 moves", "20001 moves"));
    done.told("a game goes on after 20000 moves");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_program() {
    let server = Server::new();
    let (client, mut peer) = server.client(&["--human"]);
    client.signal("-INT");
    peer.is_left();
    client.wait().is_well("");

    let (client, mut peer) = server.client(&["--human"]);
    peer.says(&start(5, &[], "W"));
    // Waits until it has read that.
    peer.pings();
    client.signal("-INT");
    peer.is_left();
    let done = client.wait();
    assert_eq!(done.failure(), "interrupted before the game was over");
}

#[test]
fn the_client_waits_for_a_server_that_asks_for_nothing() {
    let server = Server::new();
    let client = Program::goplay(server.port, &["--human", "--games", "1"]);
    let mut peer = server.accept();
    peer.pings();
    peer.says(&start(5, &[], "B"));
    peer.says(&name());
    assert_eq!(peer.hears()["type"], "NAME");
    peer.says(&end("timeout", "B"));
    let done = client.wait();
    done.is_well(WON);
    done.told("the server sends START, unexpected in INIT");
    done.told("the server sends NAME, unexpected in THINKING");
}

#[test]
fn wrong_usage_exits_with_2() {
    let usage = |arguments: &[&str]| {
        let output = Command::new(executable())
            .arg("goplay")
            .args(arguments)
            .output_in_time();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(output.stdout, b"");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines()
            .take(2)
            .collect::<Vec<_>>()
            .join("\n")
            .trim_end()
            .to_owned()
    };
    let url = "ws://127.0.0.1:9";
    insta::assert_snapshot!(usage(&[url, "--name", "A"]), @r"
    error: the following required arguments were not provided:
      <--engine <COMMAND>|--human>
    ");
    insta::assert_snapshot!(usage(&[url, "--name", "A", "--human", "--engine", "x"]), @"error: the argument '--human' cannot be used with '--engine <COMMAND>'");
    insta::assert_snapshot!(usage(&[url, "--name", " ", "--human"]), @"error: invalid value ' ' for '--name <NAME>': give a name that is not empty");
    insta::assert_snapshot!(usage(&["http://127.0.0.1:8080/", "--name", "A", "--human"]), @r#"error: invalid value 'http://127.0.0.1:8080/' for '<SERVER>': "http://127.0.0.1:8080/" is not the address of a server: give HOST, HOST:PORT, ws://HOST:PORT or wss://HOST/PATH, such as 127.0.0.1:8080"#);
    insta::assert_snapshot!(usage(&[url, "--name", "A", "--engine", "a 'b"]), @"error: invalid value 'a 'b' for '--engine <COMMAND>': a quote is not closed");
    insta::assert_snapshot!(usage(&[url, "--name", "A", "--engine", " "]), @r#"error: invalid value ' ' for '--engine <COMMAND>': give the command line of a program, such as "gnugo --mode gtp""#);
    insta::assert_snapshot!(usage(&[url, "--name", "A", "--human", "--games", "0"]), @"error: invalid value '0' for '--games <N>': give a whole number, 1 or more");
}

/// The error comes before the program connects, and has the exit code of a failure.
#[test]
fn a_missing_engine_is_an_error_before_connecting() {
    let output = Command::new(executable())
        .args(["goplay", "ws://127.0.0.1:9", "--name", "A", "--engine"])
        .arg("no-such-program-anywhere gtp")
        .output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let missing = String::from_utf8(output.stderr).unwrap();
    let error = "error: cannot start \"no-such-program-anywhere\": no directory of PATH";
    assert!(missing.starts_with(error), "{missing}");
}

/// The program does not wait for an attempt to connect.
#[test]
fn an_unreachable_server_is_an_error_in_time() {
    let start = Instant::now();
    let client = Program::goplay(9, &["--human", "--reconnect", "0.2"]);
    assert!(
        client
            .wait()
            .failure()
            .starts_with("cannot reach a server at ws://127.0.0.1:9/")
    );
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
#[cfg(not(feature = "tls"))]
fn goplay_without_tls_says_how_to_get_it() {
    let done = Program::start(
        &["goplay", "wss://localhost"],
        &["--name", "Bob", "--human"],
    )
    .wait();
    insta::assert_snapshot!(done.failure(), @"wss:// needs TLS, which this program was built without: build it with `cargo build --release --features tls`, or use ws://");
}
