//! `gothello play` behind a real socket: visitors may ask questions, and cannot harm each other.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use gothello::solver::{Control, Objective};
use gothello::{Color, Game, Move, Position, Solver, awari};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

use crate::cases::is_quick;
use crate::play_server::PlayServer;
use crate::waiting::{
    DeadlineStream, EndsInTime, next_message, read_json, read_to_end, wait_until,
};

/// How long a test waits for a message that must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A position whose values no search without a tablebase finds while a test runs.
const HARD: &str = "...../...../...../...../..... b";

/// A page that sends questions.
struct Visitor {
    socket: WebSocket<DeadlineStream>,
    number: u64,
}

impl Visitor {
    /// A visitor who is let in.
    #[track_caller]
    fn connect(server: &PlayServer) -> Visitor {
        let mut visitor = Visitor::knock(server);
        assert_eq!(visitor.read(), json!({"id": null, "type": "welcome"}));
        visitor
    }

    /// A visitor that has not been told yet whether there is room.
    fn knock(server: &PlayServer) -> Visitor {
        let stream = DeadlineStream::connect(server.host());
        let url = format!("ws://{}/ask", server.host());
        let (socket, _) = client(url, stream).unwrap();
        Visitor { socket, number: 0 }
    }

    fn send(&mut self, mut question: Value) -> u64 {
        self.number += 1;
        question["id"] = json!(self.number);
        self.socket
            .send(Message::text(question.to_string()))
            .unwrap();
        self.number
    }

    /// The next message.
    #[track_caller]
    fn read(&mut self) -> Value {
        self.read_until(|_| true)
    }

    /// Asks, and returns the first response.
    #[track_caller]
    fn ask(&mut self, question: Value) -> Value {
        let number = self.send(question);
        let response = self.read();
        assert_eq!(response["id"], json!(number), "{response}");
        response
    }

    /// Asks for a move, and returns the response with it. It may first be told to wait until the
    /// search for the last move has made room.
    #[track_caller]
    fn ask_for_move(&mut self, question: Value) -> Value {
        let number = self.send(question);
        let response = self.read_until(|response| response["type"] != "waiting");
        assert_eq!(response["id"], json!(number), "{response}");
        assert_eq!(response["type"], "move", "{response}");
        response
    }

    /// Reads up to a response of this type.
    #[track_caller]
    fn read_until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        self.socket.get_mut().renew_for(PATIENCE);
        read_json(&mut self.socket, "a response", is_it)
    }
}

fn line(start: &str, moves: &[&str]) -> Value {
    json!({"start": start, "moves": moves})
}

/// The response to a request.
fn response(server: &PlayServer, path: &str, headers: &str) -> String {
    let mut stream = DeadlineStream::connect(server.host());
    let host = server.host();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// The status line of the response to a request.
fn status(server: &PlayServer, path: &str, headers: &str) -> String {
    let response = response(server, path, headers);
    response.lines().next().unwrap().to_owned()
}

/// Sends a file of this many bytes that begins with a text; returns the status line of the response, and
/// its last line.
fn post(server: &PlayServer, path: &str, text: &str, length: usize, headers: &str) -> [String; 2] {
    let mut stream = DeadlineStream::connect(server.host());
    let host = server.host();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    let rest = " ".repeat(length - text.len());
    // The response may come before all is sent.
    let _ = stream.write_all((head + text + &rest).as_bytes());
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    let response = String::from_utf8_lossy(&response);
    let mut lines = response.lines().map(str::to_owned);
    let first = lines.next().unwrap_or_default();
    [first, lines.next_back().unwrap_or_default()]
}

fn awari(moves: &[&str]) -> Value {
    json!({"game": "awari", "moves": moves})
}

/// All errors are in `tests/pure/play_page.rs`.
#[test]
fn an_error_says_what_is_wrong_and_the_next_question_is_answered() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let response = visitor.ask(json!({"ask": "show", "line": line(HARD, &["z9"])}));
    assert_eq!(response["type"], "error");
    insta::assert_snapshot!(response["why"].as_str().unwrap(), @r##"invalid move "z9": use a letter a-e and a digit 1-5, or pass"##);
    // A message without a number is answered, too.
    visitor.socket.send(Message::text("garbage")).unwrap();
    let response = visitor.read();
    assert_eq!(response["id"], Value::Null);
    assert_eq!(response["type"], "error");
    let response = visitor.ask(json!({"ask": "show", "line": {}}));
    assert_eq!(response["type"], "plies");
}

#[test]
fn only_pages_of_its_origin_and_those_that_are_named_embed_the_page() {
    let named = [
        "--embed-in",
        "https://a.example",
        "--embed-in",
        "http://b.example:8000/",
    ];
    for (options, origins) in [
        (&[][..], "frame-ancestors 'self';"),
        (
            &named,
            "frame-ancestors 'self' https://a.example http://b.example:8000;",
        ),
    ] {
        let response = response(&PlayServer::start(options), "/?embed=board", "");
        assert!(response.contains(origins), "{response}");
    }
}

#[test]
fn the_engine_plays_awari_against_itself() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let mut game = awari::Game::default();
    let mut moves = Vec::new();
    // It uses the time that it is given: a few moves are enough.
    while moves.len() < 12 && !game.is_over() {
        let line = json!({"game": "awari", "moves": moves});
        let response = visitor.ask_for_move(json!({"ask": "move", "line": line, "ms": 20}));
        let word = response["move"].as_str().unwrap().to_owned();
        let pit: awari::Pit = word.parse().unwrap();
        game.play(game.to_move(), pit).unwrap();
        moves.push(word);
    }
}

#[test]
fn the_program_opens_the_game_the_players_and_the_file_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let sgf = &write("game.sgf", "(;GM[1]SZ[5];B[cc];W[dc])");
    let moves = &write("game.txt", "C d F\n");
    for (arguments, fragment) in [
        ("", ""),
        ("--seed 5", ""),
        ("--level 5", "#play&black=person&white=5"),
        (
            "--level perfect --side white",
            "#play&black=perfect&white=person",
        ),
        ("--side white", "#play&black=engine&white=person"),
        ("--side both", "#play&black=person&white=person"),
        ("--side none --level 9", "#play&black=9&white=9"),
        (sgf, "#review&from=file&moves=c3,d3"),
        (
            &format!("{sgf} --level 1"),
            "#play&from=file&moves=c3,d3&black=person&white=1",
        ),
        ("--game awari", "#play&game=awari"),
        (
            "--game awari --side white",
            "#play&game=awari&black=engine&white=person",
        ),
        (
            "--game awari --grand-slam b --repetition discard",
            "#play&game=awari&rules=b_discard",
        ),
        (moves, "#play&game=awari&moves=C,d,F"),
        (
            &format!("{moves} --side both --threads 1 --hash 1 --no-tablebase"),
            "#play&game=awari&moves=C,d,F&black=person&white=person",
        ),
    ] {
        let words: Vec<_> = arguments.split_whitespace().collect();
        let server = PlayServer::start(&words);
        let address = server
            .url
            .strip_prefix(&format!("http://{}/", server.host()));
        assert_eq!(address, Some(fragment), "{arguments}");
    }
}

#[test]
fn with_the_same_seed_the_engine_makes_the_same_moves() {
    let game = |server: &PlayServer| {
        let mut visitor = Visitor::connect(server);
        let mut moves = Vec::new();
        while moves.len() < 8 {
            let line = json!({"start": HARD, "moves": moves});
            let question = json!({"ask": "move", "line": line, "level": "1"});
            let response = visitor.ask_for_move(question);
            moves.push(response["move"].as_str().unwrap().to_owned());
        }
        moves
    };
    let seeded = PlayServer::start(&["--seed", "7"]);
    let first = game(&seeded);
    // It is the same for every visitor, and after a restart.
    assert_eq!(game(&seeded), first);
    assert_eq!(game(&PlayServer::start(&["--seed", "7"])), first);
    assert_ne!(game(&PlayServer::start(&["--seed", "8"])), first);
    // Without a seed there are only the 25 first moves.
    let random = PlayServer::start(&[]);
    let games: HashSet<_> = (0..4).map(|_| game(&random)).collect();
    assert!(games.len() > 1, "{games:?}");
}

#[test]
fn the_perfect_player_chooses_among_the_best_moves_at_random_if_asked() {
    let first_moves = |arguments: &[&str], times: usize| -> HashSet<String> {
        let server = PlayServer::start(arguments);
        let mut visitor = Visitor::connect(&server);
        let question = json!({"ask": "move", "line": {}, "level": "perfect"});
        let moves = (0..times).map(|_| visitor.ask_for_move(question.clone())["move"].take());
        moves.map(|mv| mv.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(first_moves(&[], 3), HashSet::from(["c2".to_owned()]));
    let random = first_moves(&["--random-best"], 16);
    assert!(
        random.len() > 1 && random.is_subset(&BEST.map(str::to_owned).into()),
        "{random:?}"
    );
    // With a seed, the move is the same for every visitor.
    let seeded = ["1", "2", "3", "4", "5", "6"].map(|seed| {
        let moves = first_moves(&["--random-best", "--seed", seed], 2);
        assert_eq!(moves.len(), 1, "{moves:?}");
        moves
    });
    assert!(seeded.iter().any(|moves| *moves != seeded[0]), "{seeded:?}");
}

/// The first moves that win by 3.
const BEST: [&str; 5] = ["c2", "b3", "c3", "d3", "c4"];

/// The least number of stones in a position whose values are compared.
const LEAST: u32 = 13;

#[test]
fn the_values_agree_with_the_solver() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let solver = Solver::builder().memory_mib(16).threads(1).build();
    let mut rng = StdRng::seed_from_u64(12_345);
    let all = if is_quick() { 10 } else { 1_000 };
    for number in 0..all {
        let position = random_position(&mut rng, LEAST + number % 10);
        let question = json!({"ask": "values", "line": line(&position.to_string(), &[])});
        visitor.send(question);
        let last = visitor.read_until(|response| response["done"] == true);
        let values = last["moves"].as_array().unwrap();
        assert_eq!(
            values.len(),
            position.legal_moves().count(),
            "{position}: {values:?}"
        );
        let proven = solver.search_moves(&position, Objective::Value, &Control::default());
        for (entry, of_move) in values.iter().zip(proven) {
            let bounds = of_move.bounds;
            let proven = json!([of_move.mv.to_string(), bounds.low, bounds.high]);
            assert_eq!(*entry, proven, "{position}");
        }
        let value = solver.search(&position, Objective::Value, &Control::default());
        assert_eq!(last["value"], json!([value.low, value.high]), "{position}");
    }
}

/// A position of a random game with about this many stones.
fn random_position(rng: &mut StdRng, stones: u32) -> Position {
    let mut game = Game::new();
    while game
        .position()
        .is_some_and(|position| position.stones().count() < stones)
    {
        let points: Vec<_> = game.legal_points().iter().collect();
        let Some(&point) = points.choose(rng) else {
            break;
        };
        game.play(game.to_move(), Move::Place(point)).unwrap();
    }
    *game.position().unwrap()
}

#[test]
fn every_level_makes_a_legal_move() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let position: Position = "w.bb./b.bw./.bwww/b..ww/w..ww b".parse().unwrap();
    for level in ["1", "5", "9", "perfect"] {
        let question =
            json!({"ask": "move", "line": line(&position.to_string(), &[]), "level": level});
        let response = visitor.ask_for_move(question);
        let mv: Move = response["move"].as_str().unwrap().parse().unwrap();
        assert!(position.play(mv).is_ok(), "{level}: {mv}");
        if level == "perfect" {
            assert_eq!(mv.to_string(), "c2");
        }
        assert_eq!(response["is_estimate"], false, "{level}");
    }
}

#[test]
#[ignore = "searches for two seconds"]
fn an_unproven_move_is_an_estimate_and_does_not_wait_long_for_others() {
    let server = PlayServer::start(&["--no-tablebase", "--searches", "1", "--threads", "1"]);
    let question = || json!({"ask": "move", "line": line(HARD, &[]), "level": "perfect"});
    let mut first = Visitor::connect(&server);
    first.send(question());
    let mut second = Visitor::connect(&server);
    assert_eq!(second.ask(question())["type"], "waiting");
    let began = Instant::now();
    let moved = first.read();
    assert_eq!(
        (&moved["type"], &moved["is_estimate"]),
        (&json!("move"), &json!(true))
    );
    // By itself it would have had 10 seconds.
    assert!(began.elapsed() < Duration::from_secs(8));
}

#[test]
fn the_engine_moves_before_its_time_is_over() {
    let server = PlayServer::start(&["--no-tablebase", "--searches", "1", "--threads", "1"]);
    let mut visitor = Visitor::connect(&server);
    let began = Instant::now();
    let question = json!({"ask": "move", "line": line(HARD, &[]), "level": "perfect", "left": 900});
    let moved = visitor.ask(question);
    assert_eq!(
        (&moved["type"], &moved["is_estimate"]),
        (&json!("move"), &json!(true))
    );
    // A maximum time for a move of Awari need not be used, either.
    let question = json!({"ask": "move", "line": awari(&[]), "ms": 10_000, "left": 900});
    visitor.send(question);
    visitor.read_until(|response| response["type"] == "move");
    // Without the clock, each would have had 10 seconds.
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn best_play_ends_the_game_with_the_value() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let start = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    let response = visitor.ask(json!({"ask": "best-line", "line": line(start, &[])}));
    let moves = ["c1", "pass", "pass"];
    assert_eq!(response["moves"], json!(moves));
    let shown = visitor.ask(json!({"ask": "show", "line": line(start, &moves)}));
    assert_eq!(shown["plies"][moves.len()]["result"], "White wins by 24");
}

#[test]
fn a_review_tells_what_each_move_cost() {
    let server = PlayServer::start(&[]);
    let mut visitor = Visitor::connect(&server);
    let start = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    visitor.send(json!({"ask": "review", "line": line(start, &["e3", "pass", "pass"])}));
    let review = visitor.read_until(|response| response["done"] == true);
    // White had won by 24, and now loses by 6; nothing else is lost.
    insta::assert_snapshot!(review["values"], @"[-24,6,6,6]");
    insta::assert_snapshot!(review["plies"][0], @r#"{"best":["c1"],"judgment":"blunder","lost":30}"#);
    insta::assert_snapshot!(review["plies"][1], @r#"{"best":null,"judgment":"perfect","lost":0}"#);
    insta::assert_snapshot!(review["players"]["white"], @r#"{"first_blunder":1,"first_mistake":1,"kept_result":1,"lost":30,"moves":2,"perfect":1}"#);
}

#[test]
fn values_are_found_while_a_review_runs() {
    let server = PlayServer::start(&["--no-tablebase", "--searches", "1", "--threads", "1"]);
    let mut visitor = Visitor::connect(&server);
    visitor.send(json!({"ask": "review", "line": line(HARD, &["c3"])}));
    let easy = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    let values = visitor.send(json!({"ask": "values", "line": line(easy, &[])}));
    visitor.read_until(|response| response["id"] == json!(values) && response["done"] == true);
    visitor.send(json!({"ask": "stop-review"}));
    let values = visitor.send(json!({"ask": "values", "line": line(easy, &[])}));
    visitor.read_until(|response| response["id"] == json!(values) && response["done"] == true);
}

#[test]
fn other_origins_are_refused() {
    let server = PlayServer::start(&[]);
    let own = format!("Origin: http://{}\r\n", server.host());
    assert_eq!(status(&server, "/", &own), "HTTP/1.1 200 OK");
    assert_eq!(status(&server, "/play/app.js", ""), "HTTP/1.1 200 OK");
    assert_eq!(
        status(&server, "/play/none.js", ""),
        "HTTP/1.1 404 Not Found"
    );
    let other = "Origin: http://evil.example\r\n";
    assert_eq!(status(&server, "/", other), "HTTP/1.1 403 Forbidden");
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let attack = format!("{other}{upgrade}");
    assert_eq!(status(&server, "/ask", &attack), "HTTP/1.1 403 Forbidden");
}

#[test]
fn a_message_that_is_too_long_ends_only_its_connection() {
    let server = PlayServer::start(&[]);
    let mut good = Visitor::connect(&server);
    let mut bad = Visitor::connect(&server);
    let _ = bad.socket.send(Message::text("x".repeat(64 * 1024 + 1)));
    // The connection may be closed before all is sent.
    read_to_end(&mut bad.socket);
    assert_eq!(
        good.ask(json!({"ask": "show", "line": {}}))["type"],
        "plies"
    );
}

#[test]
#[ignore = "searches for seconds, unoptimized"]
fn searches_take_turns_and_end_when_the_visitor_leaves() {
    let server = PlayServer::start(&["--no-tablebase", "--searches", "1", "--threads", "1"]);
    let hard = || json!({"ask": "values", "line": line(HARD, &[])});
    let mut first = Visitor::connect(&server);
    first.send(hard());
    first.read_until(|response| response["type"] == "values");
    // While one search runs, others wait for their turn.
    let mut second = Visitor::connect(&server);
    assert_eq!(second.ask(hard())["type"], "values");
    second.read_until(|response| response["type"] == "waiting");
    second.read_until(|response| response["type"] == "values");
    // A move of the engine does not wait for them.
    let mut third = Visitor::connect(&server);
    let moved = third.ask(json!({"ask": "move", "line": line(HARD, &[]), "level": "1"}));
    assert_eq!(moved["type"], "move");
    // When the visitors of the others leave, their places are free.
    drop((first, second));
    third.send(hard());
    third.read_until(|response| response["type"] == "values");
    // A question stops the search before it.
    let easy = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w";
    third.send(json!({"ask": "best-line", "line": line(easy, &[])}));
    third.read_until(|response| response["type"] == "best-line");
}

#[test]
fn positions_of_the_tablebase_do_not_wait_for_searches() {
    let server = PlayServer::start(&["--searches", "1", "--threads", "1"]);
    let mut first = Visitor::connect(&server);
    let hard = ["c3", "d4", "c4", "d3", "b2", "e5", "b4", "e1"];
    let id = first.send(json!({"ask": "values", "line": line(HARD, &hard)}));
    first.read_until(|response| response["id"] == json!(id));
    // The tablebase has the positions after each move and each reply.
    let mut second = Visitor::connect(&server);
    second.send(json!({"ask": "values", "line": line(HARD, &["c3", "c4"])}));
    let last =
        second.read_until(|response| response["type"] != "values" || response["done"] == true);
    assert_eq!(last["type"], "values");
    assert_eq!(last["value"], json!([3, 3]));
}

#[test]
fn the_number_of_searches_is_limited() {
    let server = PlayServer::start(&["--no-tablebase", "--searches", "1", "--threads", "1"]);
    let mut visitors: Vec<Visitor> = (0..70).map(|_| Visitor::connect(&server)).collect();
    for visitor in &mut visitors {
        visitor.send(json!({"ask": "move", "line": line(HARD, &[]), "level": "perfect"}));
    }
    // One runs, which has two seconds, and 64 wait; the server refuses those that it reads last.
    let busy = visitors
        .iter_mut()
        .rev()
        .find_map(|visitor| (visitor.read()["type"] == "busy").then_some(visitor))
        .expect("a visitor without room");
    assert_eq!(
        busy.ask(json!({"ask": "show", "line": {}}))["type"],
        "plies"
    );
}

#[test]
fn a_visitor_of_a_full_page_is_told_so_and_may_come_back() {
    let server = PlayServer::start(&[]);
    let mut visitors: Vec<Visitor> = (0..200).map(|_| Visitor::connect(&server)).collect();
    let mut refused = Visitor::knock(&server);
    insta::assert_snapshot!(refused.read(), @r#"{"id":null,"type":"no-room","why":"The server has no room for more visitors: it has 200."}"#);
    assert!(matches!(
        refused.socket.read().unwrap(),
        Message::Close(None)
    ));
    // The current visitors are not disturbed.
    let last = visitors.last_mut().unwrap();
    assert_eq!(
        last.ask(json!({"ask": "show", "line": {}}))["type"],
        "plies"
    );
    // When a visitor leaves, another one may come; the server notices soon.
    visitors.pop();
    wait_until("a visitor who is let in again", || {
        Visitor::knock(&server).read()["type"] == "welcome"
    });
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_it_cleanly_while_visitors_watch() {
    let mut server = PlayServer::start(&["--no-tablebase"]);
    let mut visitor = Visitor::connect(&server);
    visitor.send(json!({"ask": "values", "line": line(HARD, &[])}));
    visitor.read_until(|response| response["type"] == "values");
    let id = server.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(server.child.wait_in_time().code(), Some(0));
    visitor.socket.get_mut().renew();
    while let Ok(message) = next_message(&mut visitor.socket, "the end") {
        assert!(!matches!(message, Message::Binary(_)), "{message:?}");
    }
}

#[test]
fn a_game_is_opened_for_review() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut game = Game::new();
    game.play(Color::Black, "c3".parse().unwrap()).unwrap();
    game.play(Color::White, Move::Pass).unwrap();
    std::fs::write(&path, gothello::sgf::write(&game)).unwrap();
    let server = PlayServer::start(&[path.to_str().unwrap()]);
    assert!(
        server.url.ends_with("/#review&from=file&moves=c3,pass"),
        "{}",
        server.url
    );
}

/// All that is in a file is in `tests/pure/play_page.rs`.
#[test]
fn a_file_is_opened_and_saved_within_limits_and_only_from_the_page() {
    let server = PlayServer::start(&[]);
    let open = |path: &str, text: &str| {
        let [status, body] = post(&server, path, text, text.len(), "");
        assert_eq!(status, "HTTP/1.1 200 OK");
        serde_json::from_str::<Value>(&body).unwrap()
    };
    let games = "(;SZ[5];B[cc])(;SZ[5];B[bb]XY[1])";
    assert_eq!(open("/open", games)["games"].as_array().unwrap().len(), 2);
    let mut game = open("/open/1", games);
    assert_eq!(game["moves"], json!([[0, "b4"]]));
    game["moves"] = json!([[0, "b4"], [1, "pass"]]);
    let saved = game.to_string();
    let [status, saved] = post(&server, "/save", &saved, saved.len(), "");
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert_eq!(saved, "(;SZ[5];B[cc])(;SZ[5];B[bb]XY[1];W[])");
    // Not a game, and not a number.
    assert_eq!(open("/open", "hello")["type"], "error");
    let [status, why] = post(&server, "/save", "{}", 2, "");
    assert_eq!(status, "HTTP/1.1 400 Bad Request");
    assert!(why.contains("missing field `start`"), "{why}");
    let [status, _] = post(&server, "/open/x", games, games.len(), "");
    assert_eq!(status, "HTTP/1.1 400 Bad Request");
    let most = gothello::sgf::MAX_FILE_BYTES;
    let [status, _] = post(&server, "/open", games, most + 1, "");
    assert!(
        ["HTTP/1.1 413 Payload Too Large", ""].contains(&&*status),
        "{status}"
    );
    // From another page.
    for path in ["/open", "/save"] {
        let [status, _] = post(
            &server,
            path,
            games,
            games.len(),
            "Origin: http://evil.example\r\n",
        );
        assert_eq!(status, "HTTP/1.1 403 Forbidden");
    }
}

#[test]
#[ignore = "reads many megabytes"]
fn a_file_may_be_as_large_as_the_limit() {
    let server = PlayServer::start(&[]);
    let most = gothello::sgf::MAX_FILE_BYTES;
    let [status, _] = post(&server, "/open", "(;SZ[5];B[cc])", most, "");
    assert_eq!(status, "HTTP/1.1 200 OK");
}
