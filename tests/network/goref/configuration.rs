//! What the server is told by its files and arguments.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::thread;

use serde_json::{Value, json};

use crate::executable::executable;
use crate::go_messages::GAME_SETTINGS;
use crate::goref::server::{Server, pass, place, refusal};
#[cfg(unix)]
use crate::server::ending_signals;
use crate::waiting::OutputInTime;

/// The beginning of a file that it writes: White is to move.
const CHECKPOINT: &str = r#"{
    "initialState": {
        "turn": "B",
        "players": {
            "B": {"remainingTime": 900000, "prisoners": 3},
            "W": {"remainingTime": 900000, "prisoners": 0}
        },
        "board": [["B", ".", "."], [".", ".", "."], [".", ".", "W"]]
    },
    "moveLog": [
        {"move": {"type": "place", "point": {"row": 1, "column": 1}}, "deltaTime": 1500},
        {"move": {"type": "pass"}, "deltaTime": 20},
        {"move": {"type": "place", "point": {"row": 0, "column": 1}}, "deltaTime": 7}
    ],
    "komi": 6.5,
    "ko": true,
    "superko": true,
    "mercy": 0,
    "mercyStart": 100,
    "scoringMethod": "area",
    "prisonerScore": 1,
    "idleDeltaTime": 60000
}"#;

const TOML: &str = r#"
komi = 7.5
ko = true

[initialState]
board = 9
turn = "W"

[initialState.players]
B = { remainingTime = "10" }
W = { remainingTime = 20000 }
"#;

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// The configuration that players are sent with this file.
fn configuration(file: &Path) -> Value {
    let server = Server::start(&["--auto", "--setup", file.to_str().unwrap()]);
    let mut black = server.client("Ann");
    let _white = server.client("Bob");
    black.expect("START")["configuration"].clone()
}

#[test]
fn a_game_is_as_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "game.config.json", GAME_SETTINGS);
    let row = [".", ".", ".", ".", "."];
    let player = |time: u64| json!({"remainingTime": time, "prisoners": 0});
    let expected = json!({
        "initialState": {
            "turn": "B",
            "players": {"B": player(900_000), "W": player(300_500)},
            "board": [row, row, row, row, row],
        },
        "moveLog": [],
        "komi": 0,
        "ko": true,
        "superko": false,
        "mercy": 30,
        "mercyStart": 2,
        "scoringMethod": "territory",
        "prisonerScore": 2,
        "idleDeltaTime": 0,
        "passAddsToPrisoners": true,
    });
    assert_eq!(configuration(&file), expected);
}

#[test]
fn a_checkpoint_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "checkpoint.json", CHECKPOINT);
    let mut expected: Value = serde_json::from_str(CHECKPOINT).unwrap();
    expected["passAddsToPrisoners"] = false.into();
    assert_eq!(configuration(&file), expected);
    let server = Server::start(&["--auto", "--setup", file.to_str().unwrap()]);
    let (mut black, mut white) = server.pair();
    let left = white.plays(&mut black, &pass());
    assert_eq!(left["B"], 900_000 - 1_507);
    assert!(left["W"].as_u64().unwrap() <= 900_000 - 20 - 60_000);
}

#[test]
fn toml_has_the_same_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "game.toml", TOML);
    let found = configuration(&file);
    assert_eq!(found["komi"], 7.5);
    assert_eq!(found["initialState"]["turn"], "W");
    assert_eq!(found["initialState"]["board"].as_array().unwrap().len(), 9);
    let players = &found["initialState"]["players"];
    assert_eq!(players["B"]["remainingTime"], 10_000);
    assert_eq!(players["W"]["remainingTime"], 20_000);
}

#[test]
fn a_changed_file_counts_from_the_next_game_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "game.config.json", GAME_SETTINGS);
    let server = Server::start(&["--auto", "--setup", file.to_str().unwrap()]);
    let (mut black, mut white) = server.pair();
    written(
        folder.path(),
        "game.config.json",
        &GAME_SETTINGS.replace("\"komi\": 0", "\"komi\": 3.5"),
    );
    server.wait_for("configured", |news| news["table"] == 1);
    black.plays(&mut white, &place([4, 4]));
    black.expect_silence(std::time::Duration::from_millis(5));
    white.plays(&mut black, &json!({"type": "resign"}));
    let mut third = server.client("Cy");
    let _fourth = server.client("Dan");
    assert_eq!(third.expect("START")["configuration"]["komi"], 3.5);
    // What is wrong is told, and not taken over.
    written(folder.path(), "game.config.json", "{\"komi\": \"much\"}");
    let failed = server.wait_for_text("failed", "what", "komi");
    let what = failed["what"].as_str().unwrap();
    assert!(what.starts_with(file.to_str().unwrap()), "{what}");
    written(
        folder.path(),
        "game.config.json",
        &GAME_SETTINGS.replace("\"komi\": 0", "\"komi\": 4.5"),
    );
    server.wait_until("it is configured again", |server| {
        server.count("configured", |_| true) == 2
    });
}

/// What can be wrong is in `tests/pure/goref/configuration.rs`.
#[test]
fn a_wrong_file_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let text = GAME_SETTINGS.replace("\"board\": 5", "\"board\": 26");
    let file = written(folder.path(), "game.config.json", &text);
    let file = file.to_str().unwrap();
    let line = refusal(&["--setup", file, "--state", state.to_str().unwrap()]);
    assert!(
        line.contains(file) && line.contains("initialState.board: "),
        "{line}"
    );
    assert!(!state.exists());
}

#[test]
fn the_server_listens_as_its_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let text = "{\"host\": \"localhost\", \"port\": 1, \"pingInterval\": \"00:01\"}";
    let file = written(folder.path(), "server.config.json", text);
    // The port of the arguments comes first.
    let server = Server::start(&["--config", file.to_str().unwrap(), "--auto"]);
    assert!(server.address.ip().is_loopback());
    server.plays_a_game();
    for (text, key) in [
        ("{\"port\": 65536}", "port: "),
        ("{\"port\": \"80\"}", "port: "),
        ("{\"host\": 1}", "host: "),
        ("{\"pingInterval\": 0}", "pingInterval: "),
        ("{\"pingInterval\": \"soon\"}", "pingInterval: "),
        ("{\"prt\": 1}", "prt"),
    ] {
        let file = written(folder.path(), "server.config.json", text);
        let line = refusal(&["--config", file.to_str().unwrap(), "--no-state"]);
        let named = line.contains("server.config.json: ") && line.contains(key);
        assert!(named, "{key}: {line}");
    }
}

#[test]
fn each_table_has_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<String> = (1..=3)
        .map(|komi| {
            let text = GAME_SETTINGS.replace("\"komi\": 0", &format!("\"komi\": {komi}"));
            let file = written(folder.path(), &format!("{komi}.json"), &text);
            file.to_str().unwrap().to_owned()
        })
        .collect();
    let mut arguments = vec!["--tables", "3", "--auto"];
    for file in &files {
        arguments.extend(["--setup", file]);
    }
    let server = Server::start(&arguments);
    let mut clients = Vec::new();
    for table in 1..=3 {
        let (black, white) = server.pair();
        clients.extend([black, white]);
        server.wait_for("started", |news| news["table"] == table);
    }
    let mut page = server.watch();
    page.wait_until("all tables", |page| page.tables.len() == 3);
    for (table, view) in &page.tables {
        let komi = format!("komi {table}");
        assert!(view["rules"].as_str().unwrap().contains(&komi), "{view}");
    }
    drop(server);
    // The last file is that of all further tables.
    let server = Server::start(&["--tables", "3", "--setup", &files[0], "--setup", &files[1]]);
    let mut page = server.watch();
    page.wait_until("all tables", |page| page.tables.len() == 3);
    let rules: Vec<&str> = page
        .tables
        .values()
        .map(|table| table["rules"].as_str().unwrap())
        .collect();
    assert!(rules[0].contains("komi 1") && rules[1].contains("komi 2"));
    assert!(rules[0].contains("mercy 30 after 2 moves"), "{}", rules[0]);
    assert_eq!(rules[1], rules[2]);
}

#[test]
fn more_files_than_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "game.config.json", GAME_SETTINGS);
    let file = file.to_str().unwrap();
    let output = crate::goref::server::command(&["--setup", file, "--setup", file, "--no-state"])
        .output_in_time();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("2 files for 1 table: add --tables 2"),
        "{text}"
    );
}

/// Before anybody has connected, not when all are there.
#[test]
fn an_impossible_tournament_is_refused_at_once() {
    let swiss = ["--tournament", "swiss", "--players", "4", "--rounds", "9"];
    let robin = [
        "--tournament",
        "round-robin",
        "--players",
        "4",
        "--rounds",
        "3",
    ];
    for (arguments, why) in [(swiss, "1 to 3 rounds"), (robin, "--rounds is for a Swiss")] {
        let mut command = crate::goref::server::command(&["--no-state"]);
        let output = command.args(arguments).output_in_time();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn a_port_in_use_is_refused() {
    let taken = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = written(
        folder.path(),
        "server.config.json",
        &format!("{{\"port\": {port}}}"),
    );
    let mut command = std::process::Command::new(executable());
    command.args(["goref", "--no-state", "--config", file.to_str().unwrap()]);
    let output = command.output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.contains(&port) && line.lines().count() == 1, "{line}");
}

#[test]
fn two_servers_cannot_keep_their_games_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let line = refusal(&["--state", folder.path().to_str().unwrap()]);
    assert!(line.contains(folder.path().to_str().unwrap()), "{line}");
    assert!(line.contains("another process"), "{line}");
    server.plays_a_game();
    server.kill();
    Server::keeping(folder.path(), &["--auto"]).plays_a_game();
}

#[test]
fn an_impossible_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "file", "");
    for path in [file.clone(), file.join("below")] {
        let line = refusal(&["--state", path.to_str().unwrap()]);
        assert!(line.contains(path.to_str().unwrap()), "{line}");
    }
}

#[test]
#[cfg(unix)]
fn a_server_that_is_asked_to_stop_breaks_off_and_goes_on_later() {
    // A request that is never finished is waited for.
    thread::scope(|scope| {
        for signal in ending_signals() {
            scope.spawn(move || stops_and_goes_on_later(signal));
        }
    });
}

#[cfg(unix)]
fn stops_and_goes_on_later(signal: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::keeping(folder.path(), &["--auto"]);
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([3, 3]));
    let mut waiting = server.client("Cy");
    // A request that is never finished.
    let half = std::net::TcpStream::connect(server.address).unwrap();
    std::io::Write::write_all(&mut &half, b"GET / HTTP/1.1\r\nHo").unwrap();
    let start = std::time::Instant::now();
    server.signal(signal);
    let end = black.expect("END");
    assert_eq!(end["reason"], "error");
    assert_eq!(white.expect("END"), end);
    for mut client in [black, white] {
        client.expect_close("the server stops");
    }
    waiting.expect_close("the server stops");
    assert_eq!(server.wait().code(), Some(0), "{signal}");
    assert!(
        start.elapsed() < std::time::Duration::from_secs(8),
        "{signal}: {:?}",
        start.elapsed()
    );
    drop(half);
    let server = Server::keeping(folder.path(), &["--auto"]);
    let mut white = server.client("Bob");
    let mut black = server.client("Ann");
    let start = black.expect("START");
    assert_eq!(
        crate::goref::disconnections::moves_of(&start),
        [place([3, 3])]
    );
    let left = crate::goref::disconnections::clocks_of(&start);
    assert_eq!(left, crate::goref::disconnections::clocks_at(&end));
    white.expect("START");
    white.plays(&mut black, &pass());
}

#[test]
fn a_server_stops_after_the_given_number_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::keeping(folder.path(), &["--auto", "--stop-after", "2"]);
    server.plays_a_game();
    server.plays_a_game();
    assert_eq!(server.wait().code(), Some(0));
    let table = fs::read_to_string(folder.path().join("results.jsonl")).unwrap();
    let games: Vec<Value> = table
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games.len(), 2, "{games:#?}");
    for game in games {
        assert_eq!(
            (&game["players"][0]["name"], &game["players"][1]["name"]),
            (&"Yin".into(), &"Yang".into())
        );
        assert_eq!(game["reason"], "pass");
        assert_eq!(game["moves"], 6, "{game}");
    }
}

/// As editors on Windows save a text.
#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let json = file("game.json", "\u{feff}{\"initialState\": {\"board\": 9}}");
    let toml = file("game.toml", "\u{feff}initialState.board = 9\n");
    let config = file("server.json", "\u{feff}{\"pingInterval\": 5000}");
    for setup in [json, toml] {
        let server = Server::start(&["--auto", "--setup", &setup, "--config", &config]);
        let mut black = server.client("Ann");
        let _white = server.client("Bob");
        let board = &black.expect("START")["configuration"]["initialState"]["board"];
        assert_eq!(board.as_array().unwrap().len(), 9);
    }
    let wide = folder.path().join("wide.json");
    let text: Vec<u8> = "\u{feff}{}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    std::fs::write(&wide, text).unwrap();
    let error = refusal(&["--setup", wide.to_str().unwrap(), "--no-state"]);
    assert!(error.contains("save it as UTF-8"), "{error}");
}
