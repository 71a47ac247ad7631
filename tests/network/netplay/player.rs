//! The built program as a player against scripted clients.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Done, Program};
use crate::executable::executable;
use crate::netref::referee::{Client, Referee};
use crate::waiting::{OutputInTime, accept};

/// A client with a name is told everything, one without a name only what the libraries can read.
const DIALECTS: [&[&str]; 2] = [&["--no-name"], &["--name", "Ann"]];

/// Black is the program, which has made its first move; White is the test.
fn after_the_first_move(referee: &Referee, arguments: &[&str]) -> (Program, Client) {
    let arguments = [&["black", "--level", "1"], arguments].concat();
    let black = Program::netplay(referee, &arguments);
    let mut white = referee.seat_when_free("player white");
    white.expect("351 ");
    white.expect("31");
    (black, white)
}

fn ends(done: &Done, code: i32, result: &str, error: &str) {
    assert_eq!(done.code, Some(code), "{}", done.err);
    assert_eq!(done.result(), result);
    assert_eq!(done.error(), error);
}

#[test]
fn the_opponent_resigns() {
    let referee = Referee::start(&[]);
    for dialect in DIALECTS {
        let (black, mut white) = after_the_first_move(&referee, dialect);
        white.ask("resign", "204 ");
        ends(&black.wait(), 0, "black wins by resignation", "");
    }
}

#[test]
fn the_opponent_leaves_on_its_turn() {
    let referee = Referee::start(&[]);
    for dialect in DIALECTS {
        let (black, white) = after_the_first_move(&referee, dialect);
        drop(white);
        ends(&black.wait(), 0, "black wins by disconnection", "");
    }
}

#[test]
fn the_opponent_leaves_while_our_side_thinks() {
    let referee = Referee::start(&[]);
    for dialect in DIALECTS {
        for thinker in [&["--move-time", "100"][..], &["--human"]] {
            let black = Program::netplay(&referee, &[&["black"], thinker, dialect].concat());
            let mut white = referee.seat_when_free("player white");
            white.expect("351 ");
            let start = Instant::now();
            drop(white);
            ends(&black.wait(), 0, "black wins by disconnection", "");
            assert!(
                start.elapsed() < Duration::from_secs(50),
                "{dialect:?} {thinker:?}: {:?}",
                start.elapsed()
            );
        }
    }
}

#[test]
fn the_opponents_flag_falls() {
    thread::scope(|scope| {
        for dialect in DIALECTS {
            scope.spawn(move || {
                let referee = Referee::start(&["1"]);
                let (black, _white) = after_the_first_move(&referee, dialect);
                ends(&black.wait(), 0, "black wins by time", "");
            });
        }
    });
}

#[test]
fn our_flag_falls() {
    thread::scope(|scope| {
        for dialect in DIALECTS {
            scope.spawn(move || {
                let referee = Referee::start(&["1"]);
                let black = Program::netplay(&referee, &[&["black", "--human"], dialect].concat());
                let _white = referee.seat("player white");
                ends(&black.wait(), 0, "white wins by time", "");
            });
        }
    });
}

#[test]
fn a_person_plays_through_pipes() {
    let referee = Referee::start(&["90", "60"]);
    let mut human = Program::netplay(&referee, &["black", "--human"]);
    let mut white = referee.seat("player white");
    human.types("what\nC3\n");
    white.expect("351 ");
    white.expect("313 1 c3 ");
    white.ask("1 ... d3", "207 ");
    white.expect("314 ");
    human.types("d3\n\npass\n");
    white.expect("317 2 pass ");
    white.ask("2 ... pass", "203 ");
    let done = human.wait();
    ends(&done, 0, "drawn", "");
    assert_eq!(done.out.matches(" e\n5").count(), 5, "{}", done.out);
    let end = done.out.split_once("White (O) plays d3\n").unwrap().1;
    let board = end.split_once("  a b c d e\nBlack has ").unwrap().0;
    insta::assert_snapshot!(board, @r"
      a b c d e
    5 . . . . . 5
    4 . . . . . 4
    3 . . X(O). 3
    2 . . . . . 2
    1 . . . . . 1
    ");
    assert!(
        done.err.contains("\"what\" is not a move: "),
        "{}",
        done.err
    );
    assert!(
        done.err.contains("d3 is illegal: d3 is occupied"),
        "{}",
        done.err
    );
    assert!(
        done.err.contains("\nyour move (c3, pass, resign, help):\n"),
        "{}",
        done.err
    );
}

#[test]
fn a_person_resigns_or_leaves() {
    let referee = Referee::start(&[]);
    let mut human = Program::netplay(&referee, &["black", "--human", "--name", "Ann"]);
    let _white = referee.seat("player white");
    human.types("resign\n");
    ends(&human.wait(), 0, "white wins by resignation", "");

    let referee = Referee::start(&[]);
    let human = Program::netplay(&referee, &["black", "--human"]);
    let mut white = referee.seat("player white");
    white.expect("351 ");
    let done = human.finish();
    assert_eq!(done.code, Some(1));
    assert_eq!(
        done.error(),
        "the input ended before the game was over; the match was left"
    );
    white.expect("322 1 pass ");
}

#[test]
fn a_seat_that_is_taken_is_an_error_that_names_the_other() {
    let referee = Referee::start(&[]);
    let _black = referee.seat("player black");
    let done = Program::netplay(&referee, &["black"]).wait();
    let error = "the referee refuses: 191 Other player holds requested side; white may be free: \
                 ask for white or either";
    ends(&done, 1, "", error);
}

#[test]
fn a_referee_of_another_game_is_named() {
    let referee = Referee::start(&[]);
    for role in ["south", "observe"] {
        let done = Program::netplay(&referee, &[role, "--game", "awari"]).wait();
        let error = "this is a referee of Gothello: leave out --game awari";
        ends(&done, 1, "", error);
    }
}

#[test]
fn an_unreachable_referee_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let done = Program::netplay_at(address, &["observe"]).wait();
    assert_eq!(done.code, Some(1));
    let begin = format!(
        "cannot reach a referee at 127.0.0.1 port {}: ",
        address.port()
    );
    assert!(done.error().starts_with(&begin), "{}", done.err);
}

/// The player and its machine, so that players can be told apart.
#[test]
fn a_client_has_a_name_of_its_own() {
    let referee = Referee::start(&[]);
    let told = |arguments: &[&str]| {
        let _black = Program::netplay(&referee, arguments);
        let mut white = referee.seat_when_free("player white \"Bob\"");
        white.expect("341 \"Bob\" ");
        let line = white.line().unwrap();
        white.leave();
        let name = line.strip_prefix("342 ");
        name.map(|name| name.replace(" is the black player", ""))
    };
    let own = told(&["black", "--level", "1"]).unwrap();
    assert!(own.starts_with("\"gothello"), "{own}");
    let place = own.strip_prefix("\"gothello (").unwrap();
    let place = place.strip_suffix(")\"").unwrap();
    assert!(!place.is_empty());
    let human = told(&["black", "--human"]).unwrap();
    assert!(human.contains(place), "{human} {place}");
    let engine = format!("'{}' gtp --level 1", executable());
    let engine = told(&["black", "--engine", &engine]).unwrap();
    assert!(engine.starts_with("\"Gothello"), "{engine}");
    assert_eq!(told(&["black", "--name", "Ann"]).unwrap(), "\"Ann\"");
    assert_eq!(told(&["black", "--no-name"]), None);
}

#[test]
fn a_server_that_does_not_greet_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for says in ["", "000 Goth"] {
        for role in ["black", "observe"] {
            let client = Program::netplay_at(address, &[role, "--greeting-timeout", "0.2"]);
            let mut stream = accept(&listener);
            stream.write_all(says.as_bytes()).unwrap();
            let done = client.wait();
            let port = address.port();
            let error = format!(
                "no greeting came from 127.0.0.1 port {port} within 0.2 s: is it a referee of \
                 matches? for a Go contest (gothello goref), use gothello goplay"
            );
            ends(&done, 1, "", &error);
        }
    }
}

#[test]
fn a_server_of_another_kind_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let says = |text: Vec<u8>| {
        let black = Program::netplay_at(listener.local_addr().unwrap(), &["black"]);
        let mut stream = accept(&listener);
        let _ = stream.write_all(&text);
        if text.is_empty() {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let done = black.wait();
        // It has closed the connection itself.
        let _ = stream.read(&mut [0; 64]);
        assert_eq!(done.code, Some(1));
        let port = listener.local_addr().unwrap().port().to_string();
        done.error().replace(&port, "PORT")
    };
    insta::assert_snapshot!(says(b"SSH-2.0-OpenSSH_9.2p1\r\n".to_vec()), @r#"127.0.0.1 port PORT is not a referee of matches: it begins with "SSH-2.0-OpenSSH_9.2p1" instead of a greeting; for a Go contest (gothello goref), use gothello goplay"#);
    insta::assert_snapshot!(says(b"HTTP/1.1 408 Request Timeout\r\n\r\n".to_vec()), @r#"127.0.0.1 port PORT is not a referee of matches: it is a web server ("HTTP/1.1 408 Request Timeout"); for a Go contest (gothello goref), use gothello goplay"#);
    insta::assert_snapshot!(says(Vec::new()), @"127.0.0.1 port PORT is not a referee of matches: it closed the connection without a greeting: it may have too many connections, or is not a referee; for a Go contest (gothello goref), use gothello goplay");
    insta::assert_snapshot!(says(b"000 \xff\r\n".to_vec()), @"a line of the referee cannot be read: only printable ASCII is expected");
    insta::assert_snapshot!(says([&[b'0'; 3000][..], b"\r\n"].concat()), @"a line of the referee cannot be read: at most 1024 bytes are expected");
}

#[test]
fn the_built_in_player_has_the_options_of_the_engine() {
    let referee = Referee::start(&[]);
    let first_move = |seed: &str| {
        let options = ["--move-positions", "1000", "--random-best", "--seed", seed];
        let _black = Program::netplay(&referee, &[&["black"], &options[..]].concat());
        let mut white = referee.seat_when_free("player white");
        white.expect("351 ");
        let line = white.expect("31");
        white.leave();
        line
    };
    let moves = ["1", "2", "3", "4", "5", "6"].map(first_move);
    assert_eq!(first_move("1"), moves[0]);
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
}

/// The message on standard error about wrong usage.
fn usage_error(arguments: &[&str]) -> String {
    let output = Command::new(executable())
        .arg("netplay")
        .args(arguments)
        .output_in_time();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    let text = String::from_utf8(output.stderr).unwrap();
    text.lines().next().unwrap().to_owned()
}

#[test]
fn wrong_usage_exits_with_2() {
    let usage = |arguments: &[&str]| usage_error(&[&["localhost"], arguments].concat());
    insta::assert_snapshot!(usage(&["0", "red"]), @r#"error: "red" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage(&["40000", "black"]), @r#"error: Gothello has no server number "40000": give 0 to 29, or a port, as in localhost:29068"#);
    insta::assert_snapshot!(usage(&["0", "black", "--name", "Käthe"]), @"error: invalid value 'Käthe' for '--name <NAME>': give 1 to 31 printable ASCII characters, or --no-name to tell the others no name");
    insta::assert_snapshot!(usage(&["0", "black", "--name", ""]), @"error: invalid value '' for '--name <NAME>': give 1 to 31 printable ASCII characters, or --no-name to tell the others no name");
    insta::assert_snapshot!(usage(&["0", "black", "--human", "--engine", "x"]), @"error: the argument '--human' cannot be used with '--engine <COMMAND>'");
    insta::assert_snapshot!(usage(&["0", "black", "--human", "--move-time", "1"]), @"error: the argument '--human' cannot be used with '--move-time <SECONDS>'");
    insta::assert_snapshot!(usage(&["0", "black", "--human", "--move-positions", "1"]), @"error: the argument '--human' cannot be used with '--move-positions <N>'");
    insta::assert_snapshot!(usage(&["0", "black", "--engine", "x", "--random-best"]), @"error: the argument '--engine <COMMAND>' cannot be used with '--random-best'");
    insta::assert_snapshot!(usage(&["0", "observe", "--move-positions", "1"]), @"error: --move-positions is for players, not for observe");
    insta::assert_snapshot!(usage(&["0", "black", "--human", "--level", "1"]), @"error: the argument '--human' cannot be used with '--level <LEVEL>'");
    insta::assert_snapshot!(usage(&["0", "observe", "--threads", "2"]), @"error: --threads is for players, not for observe");
    insta::assert_snapshot!(usage(&["0", "observe", "--human"]), @"error: --human is for players, not for observe");
    insta::assert_snapshot!(usage(&["0", "observe", "--engine", "x"]), @"error: --engine is for players, not for observe");
    insta::assert_snapshot!(usage(&["0", "black", "--engine", "a 'b"]), @"error: invalid value 'a 'b' for '--engine <COMMAND>': a quote is not closed");
    insta::assert_snapshot!(usage(&["0", "black", "--engine", " "]), @r#"error: invalid value ' ' for '--engine <COMMAND>': give the command line of a program, such as "gnugo --mode gtp""#);
    insta::assert_snapshot!(usage(&["99999", "black"]), @r#"error: Gothello has no server number "99999": give 0 to 29, or a port, as in localhost:29068"#);
    insta::assert_snapshot!(usage(&["black", "1"]), @r#"error: "1" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage(&["1"]), @r#"error: "1" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage_error(&["black", "localhost"]), @r#"error: "localhost" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage_error(&["7", "black"]), @"error: 7 is not a server: give its name first, as in localhost 1 black");
    insta::assert_snapshot!(usage_error(&["29075", "black"]), @"error: 29075 is not a server: give its name first, as in localhost 1 black");
    insta::assert_snapshot!(usage_error(&["1", "localhost", "black"]), @"error: 1 is not a server: give its name first, as in localhost 1 black");
    insta::assert_snapshot!(usage(&["black", "Bob"]), @r#"error: "Bob" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage(&["south"]), @r#"error: "south" is not a role in Gothello: give black, white, either or observe last, as in localhost 1 black"#);
    insta::assert_snapshot!(usage(&["black", "--game", "awari"]), @r#"error: "black" is not a role in Awari: give south, north, either or observe last, as in localhost 1 south"#);
    insta::assert_snapshot!(usage_error(&["localhost:99999", "black"]), @r#"error: invalid value 'localhost:99999' for '<SERVER>': "99999" is not a port: give a number from 1 to 65535, such as localhost:8080"#);
    insta::assert_snapshot!(usage_error(&["localhost:29069", "1", "black"]), @r#"error: the port of localhost:29069 is known: leave out "1""#);
}

/// The error comes before the program connects, and has the exit code of a failure.
#[test]
fn a_missing_engine_is_an_error_before_connecting() {
    let output = Command::new(executable())
        .args(["netplay", "localhost", "black", "--engine"])
        .arg("no-such-program-anywhere gtp")
        .output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let missing = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(missing, @r#"error: cannot start "no-such-program-anywhere": no directory of PATH has such a program; give its path, such as ./engine"#);
}

/// The port of a Go contest, which waits for a request.
#[test]
fn a_silent_server_is_reported_before_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = Program::netplay_at(address, &["black", "--greeting-timeout", "2.2"]);
    let _stream = accept(&listener);
    let done = client.wait();
    assert_eq!(done.code, Some(1));
    done.told("waiting for the greeting of 127.0.0.1 port ");
    done.told("; for a Go contest (gothello goref), use gothello goplay\n");
}

#[test]
fn an_option_for_the_server_is_an_error_that_shows_the_right_usage() {
    let output = Command::new(executable())
        .args(["netplay", "--host", "localhost", "black"])
        .output_in_time();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    let tip =
        "tip: give server and role without an option, as in gothello netplay localhost:29068 black";
    assert!(error.contains(tip), "{error}");
}
