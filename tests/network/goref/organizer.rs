//! The commands of the organizer by `POST /act`.

use serde_json::{Value, json};

use crate::goref::client::Client;
use crate::goref::disconnections::{clocks_at, clocks_of, moves_of};
use crate::goref::server::{Server, TOKEN, pass, place, request};

/// Ann and Bob on their seats at table 1.
fn seated(server: &Server) -> (Client, Client) {
    let players = (server.client("Ann"), server.client("Bob"));
    assign(server, "B", "Ann");
    assign(server, "W", "Bob");
    players
}

fn assign(server: &Server, color: &str, name: &str) {
    let client = server.number_of(name);
    server.act(json!({"action": "assign", "table": 1, "color": color, "client": client}));
}

/// A command for table 1.
fn at_table_1(action: &str) -> Value {
    json!({"action": action, "table": 1})
}

/// Both are sent START; Black's one.
fn expect_start(black: &mut Client, white: &mut Client) -> Value {
    let start = black.expect("START");
    assert_eq!(start["color"], "B");
    assert_eq!(white.expect("START")["color"], "W");
    start
}

/// Both are sent this END.
fn expect_end(black: &mut Client, white: &mut Client, reason: &str) -> Value {
    let end = black.expect("END");
    assert_eq!(end["reason"], reason);
    assert_eq!(white.expect("END"), end);
    end
}

#[test]
fn a_game_is_started_paused_resumed_swapped_and_cleared() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let (mut ann, mut bob) = seated(&server);
    server.act(at_table_1("swap"));
    server.act(at_table_1("swap"));
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    page.wait_for_phase(1, "playing");
    ann.plays(&mut bob, &place([0, 0]));
    std::thread::sleep(std::time::Duration::from_millis(20));
    server.act(at_table_1("pause"));
    let end = expect_end(&mut ann, &mut bob, "pause");
    assert_eq!(end["winner"], ".");
    assert!(clocks_at(&end)[1] <= 900_000 - 20);
    page.wait_for_phase(1, "paused");
    server.act(at_table_1("resume"));
    let start = expect_start(&mut ann, &mut bob);
    assert_eq!(clocks_of(&start), clocks_at(&end));
    server.act(at_table_1("pause"));
    expect_end(&mut ann, &mut bob, "pause");
    // The players change places in the middle of a game.
    server.act(at_table_1("swap"));
    server.act(at_table_1("resume"));
    let start = expect_start(&mut bob, &mut ann);
    assert_eq!(moves_of(&start), [place([0, 0])]);
    ann.plays(&mut bob, &place([1, 1]));
    server.act(at_table_1("pause"));
    expect_end(&mut ann, &mut bob, "pause");
    server.act(at_table_1("void"));
    page.wait_for_phase(1, "waiting");
    server.act(at_table_1("start"));
    let start = expect_start(&mut bob, &mut ann);
    assert_eq!(moves_of(&start), [] as [Value; 0]);
}

#[test]
fn a_game_is_adjourned_and_recalled() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &[]);
    let mut page = server.watch();
    let (mut ann, mut bob) = seated(&server);
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    ann.plays(&mut bob, &place([2, 2]));
    server.act(at_table_1("adjourn"));
    let end = expect_end(&mut ann, &mut bob, "pause");
    page.wait_until("it is put away", |page| {
        page.adjourned[0]["id"] == "0001" && page.adjourned[1] == Value::Null
    });
    // Another game in between, and another day.
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    ann.plays(&mut bob, &json!({"type": "resign"}));
    expect_end(&mut ann, &mut bob, "resign");
    server.kill();
    let server = Server::keeping(folder.path(), &[]);
    let (mut ann, mut bob) = (server.client("Ann"), server.client("Bob"));
    server.act(json!({"action": "recall", "table": 1, "game": "0001"}));
    server.act(at_table_1("resume"));
    let start = expect_start(&mut ann, &mut bob);
    assert_eq!(moves_of(&start), [place([2, 2])]);
    assert_eq!(clocks_of(&start), clocks_at(&end));
    let why = server.refuses(json!({"action": "recall", "table": 1, "game": "0001"}));
    assert_eq!(why, "there is no adjourned game 0001");
}

#[test]
fn a_client_is_disconnected() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let (mut ann, mut bob) = seated(&server);
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    let command = json!({"action": "disconnect", "client": server.number_of("Bob")});
    server.act(command.clone());
    bob.expect_close("the organizer disconnected it");
    assert_eq!(ann.expect("END")["reason"], "error");
    page.wait_for_line("Bob", "the organizer disconnected it");
    assert_eq!(server.refuses(command), "client #2 is gone");
}

#[test]
fn invalid_orders_are_refused() {
    let server = Server::start(&[]);
    let host = format!("Host: {}", server.address);
    let json = "Content-Type: application/json";
    let command = at_table_1("swap").to_string();
    let long = " ".repeat(17_000);
    for (head, body, status) in [
        (&[&*host, json][..], "", 400),
        (&[&host, json], "swap", 400),
        (&[&host, json], "{\"action\":\"swap\"}", 400),
        (&[&host, json], "{\"action\":\"swap\",\"table\":-1}", 400),
        (&[&host, json], "{\"action\":\"swap\",\"table\":1.5}", 400),
        (&[&host, json], "{\"action\":\"dance\"}", 400),
        (
            &[&host, json],
            "{\"action\":\"swap\",\"table\":1,\"more\":1}",
            400,
        ),
        (&[&host, json], &long, 413),
        (&[&host], &command, 415),
        (&[&host, "Content-Type: text/plain"], &command, 415),
        (&[&host, json], &command, 200),
    ] {
        let (found, answer) = request(server.address, "POST /act", head, body);
        assert_eq!(found, status, "{body}: {answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"].is_string(), status != 200);
    }
    assert_eq!(server.get("/act", &[]).0, 405);
    // Others are in `tests/pure/goref/organizer.rs`.
    for (command, why) in [
        (at_table_1("start"), "two players are needed"),
        (
            json!({"action": "assign", "table": 1, "color": "S", "client": 1}),
            "the color is \"B\" or \"W\"",
        ),
        (
            json!({"action": "start", "table": 65_537}),
            "there is no table 65537",
        ),
        (
            json!({"action": "recall", "table": 1, "game": "x"}),
            "\"x\" is no number of a game",
        ),
    ] {
        assert_eq!(server.refuses(command), why);
    }
}

#[test]
fn the_organizer_is_known_by_token_machine_and_origin() {
    let server = Server::start(&[]);
    let guarded = Server::start(&["--always-token"]);
    let command = at_table_1("swap");
    let token = format!("Authorization: Bearer {TOKEN}");
    let wrong = format!("Authorization: Bearer {TOKEN}r");
    let own = |server: &Server| format!("Origin: http://{}", server.address);
    for (head, status) in [
        (vec![], 200),
        (vec![own(&server)], 200),
        (vec!["Origin: http://evil.example".into()], 403),
        (vec!["Origin: null".into(), token.clone()], 403),
        (vec!["X-Forwarded-For: 192.0.2.1".into()], 403),
        (
            vec!["X-Forwarded-For: 192.0.2.1".into(), token.clone()],
            200,
        ),
    ] {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        assert_eq!(server.command(&command, &head).0, status, "{head:?}");
    }
    for (head, status) in [
        (vec![], 403),
        (vec![own(&guarded)], 403),
        (vec![wrong], 403),
        (vec![token.clone()], 200),
    ] {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let (found, answer) = guarded.command(&command, &head);
        assert_eq!(found, status, "{head:?}");
        assert_eq!(answer["error"].is_string(), status == 403);
    }
    // The page of another site can neither play nor watch.
    let foreign = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Origin: http://evil.example",
    ];
    for path in ["/", "/watch", "/any"] {
        assert_eq!(server.get(path, &foreign).0, 403, "{path}");
    }
    assert_eq!(guarded.get("/me", &[]).1, "{\"organizer\":false}");
    assert_eq!(guarded.get("/me", &[&token]).1, "{\"organizer\":true}");
    assert_eq!(server.get("/me", &[]).1, "{\"organizer\":true}");
}

#[test]
fn the_organizer_who_pauses_in_the_same_moment_as_a_move_comes_loses_nothing() {
    let server = Server::start(&[]);
    let (mut ann, mut bob) = seated(&server);
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    let mut log = Vec::new();
    let mut mover = 0;
    for number in 0..20_u8 {
        let players = [&mut ann, &mut bob];
        players[mover].send_move(&place([number % 19, number / 19 + mover as u8]));
        server.act(at_table_1("pause"));
        let first = players[mover].next().unwrap();
        if first["type"] == "VALID" {
            log.push(place([number % 19, number / 19 + mover as u8]));
            players[mover].expect("END");
            players[1 - mover].expect("MOVE");
            players[1 - mover].expect("END");
            mover = 1 - mover;
        } else {
            assert_eq!(first["type"], "END");
            players[1 - mover].expect("END");
        }
        server.act(at_table_1("resume"));
        let start = expect_start(&mut ann, &mut bob);
        assert_eq!(moves_of(&start), log);
    }
}

/// The page writes results as SGF, GTP and our other referee do.
#[test]
fn the_page_says_by_how_much_a_game_is_won() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let (mut ann, mut bob) = seated(&server);
    server.act(at_table_1("start"));
    expect_start(&mut ann, &mut bob);
    // A lone stone owns the board: 361 to 6.5.
    ann.plays(&mut bob, &place([3, 3]));
    bob.plays(&mut ann, &pass());
    ann.send_move(&pass());
    page.wait_for_phase(1, "over");
    assert_eq!(page.tables[&1]["result"], "Black wins (B+354.5)");
}

#[test]
fn a_free_game_is_decided_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    server.plays_a_game();
    let winners = || {
        let text = std::fs::read_to_string(folder.path().join("results.jsonl")).unwrap();
        let line = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let lines = text.lines().map(line);
        lines.map(|line| line["winner"].clone()).collect::<Vec<_>>()
    };
    server.wait_until("it is recorded", |_| winners().len() == 1);
    let decide = |game, result| json!({"action": "correct", "game": game, "result": result, "reason": "it was a test"});
    server.act(decide("1", "1/2"));
    assert_eq!(winners()[1..], ["draw"]);
    let refused = server.refuses(decide("2", "1/2"));
    assert!(refused.starts_with("there is no game \"2\""), "{refused}");
}
