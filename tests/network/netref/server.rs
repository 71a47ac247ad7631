//! The server as a program: tables, records, logs, and its end.

use std::fmt::Debug;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use gothello::contests::netref::ConnId;
use gothello::{Game, Step};
use itertools::Itertools;
use serde_json::Value;

use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::{pair_when_free, play_out, refusal};
#[cfg(unix)]
use crate::server::ending_signals;

/// The maximum time of a process that ends at once.
#[cfg(unix)]
const AT_ONCE: Duration = Duration::from_secs(3);

/// The moves of the one record in a folder, and its text.
pub fn sole_record(folder: &Path) -> (Vec<String>, String) {
    let files = fs::read_dir(folder.join("games")).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let records: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "sgf"))
        .collect();
    assert_eq!(records.len(), 1, "{records:?}");
    let text = fs::read_to_string(&records[0]).unwrap();
    let game = gothello::sgf::read(&text, usize::MAX).unwrap();
    (moves(&game), text)
}

/// The moves of a game as they are written on the wire.
pub fn moves(game: &Game) -> Vec<String> {
    let moves = game.steps().filter_map(|(step, _)| match step {
        Step::Played { mv, .. } => Some(mv.to_string()),
        Step::SetUp(_) => None,
    });
    moves.collect()
}

/// The results of a folder as rows: name of the match, date, players, winner, reason, score, moves; of
/// both players the time that they thought, connection, address, team, and clock; table and
/// tournament.
pub fn results(folder: &Path) -> Vec<Vec<String>> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string().trim_end_matches(".0").to_owned(),
    };
    let row = |line: Value| {
        let players = line["players"].as_array().unwrap();
        let both = |key: &str| [0, 1].map(|side| text(&players[side][key]));
        let [names, teams] = [both("name"), both("team")];
        let called = [0, 1].map(|side| match teams[side].as_str() {
            "" => names[side].clone(),
            team => team.to_owned(),
        });
        let date = line["began"].as_str().unwrap()[..10].to_owned();
        let winner = line["winner"].as_str().unwrap_or("none").to_owned();
        let mut row = vec![text(&line["id"]), date];
        row.extend(called);
        row.push(winner);
        row.extend(["reason", "score", "moves"].map(|key| text(&line[key])));
        for key in ["seconds", "connection", "address"] {
            row.extend(both(key));
        }
        row.extend(teams);
        row.extend(both("clock"));
        row.extend(["table", "tournament"].map(|key| text(&line[key])));
        row
    };
    json_results(folder).into_iter().map(row).collect()
}

/// Asserts that a list has this many elements, and shows them otherwise.
#[track_caller]
pub fn assert_len<T: Debug>(list: &[T], count: usize) {
    assert_eq!(list.len(), count, "{list:#?}");
}

/// The only element of a list.
#[track_caller]
pub fn sole<T: Debug>(list: Vec<T>) -> T {
    let sole = <[T; 1]>::try_from(list);
    let [sole] = sole.unwrap_or_else(|list| panic!("there is not one: {list:#?}"));
    sole
}

/// The lines of the file of JSON lines.
pub fn json_results(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Plays a match with records. Returns the record's text and the line in the table.
fn recorded(
    arguments: &[&str],
    named: bool,
    play: impl FnOnce(Client, Client),
) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/records");
    let mut all = vec!["--state", path.to_str().unwrap(), "--stop-after", "1"];
    all.splice(0..0, arguments.iter().copied());
    let mut referee = Referee::start(&all);
    let (black, white) = if named {
        referee.named_pair()
    } else {
        referee.pair()
    };
    play(black, white);
    assert!(referee.wait().success());
    let (_, text) = sole_record(&path);
    let line = sole(results(&path));
    (text, line)
}

#[test]
fn tables_have_a_port_each_and_play_at_the_same_time() {
    let referee = Referee::start(&["--tables", "3"]);
    let mut ports: Vec<u16> = referee.addresses.iter().map(|at| at.port()).collect();
    ports.dedup();
    assert_eq!(ports.len(), 3, "{ports:?}");
    let pairs: Vec<_> = referee
        .addresses
        .iter()
        .map(|&at| pair_when_free(at))
        .collect();
    for (mut black, mut white) in pairs.into_iter().rev() {
        play_out(&mut black, &mut white);
    }
    for number in 0..3 {
        let player = format!("table {number}: black (#");
        referee.wait_for_news("its last move", |log| {
            log.iter()
                .any(|line| line.contains(&player) && line.ends_with(") plays 2 pass"))
        });
    }
}

#[test]
fn match_after_match_is_played_on_one_table() {
    let referee = Referee::start(&["60"]);
    for _ in 0..20 {
        let (mut black, mut white) = referee.pair_when_free();
        black.ask("1 pass", "207 59 ");
        white.lines_to("317 1 pass 59 ");
        white.ask("1 ... pass", "203 ");
        black.lines_to("326 1 ... pass ");
    }
    referee.wait_for_news("all end", |log| {
        log.iter().filter(|line| line.ends_with(": Drawn")).count() == 20
    });
}

#[test]
fn the_program_ends_after_the_given_number_of_games() {
    for games in 1..=2 {
        let mut referee = Referee::start(&["--stop-after", &games.to_string()]);
        for _ in 0..games {
            referee.plays_a_match();
        }
        assert_eq!(
            referee.wait().code(),
            Some(0),
            "after {games}: {:#?}",
            referee.log()
        );
    }
}

#[test]
fn a_match_that_is_played_out_is_recorded_with_its_score() {
    let (text, line) = recorded(&["100", "200"], true, |mut black, mut white| {
        black.ask("1 c3", "207 199 ");
        white.ask("1 ... pass", "313 ");
        white.expect("207 99 ");
        black.lines_to("318 ");
        black.ask("2 pass", "201 ");
    });
    for part in ["PB[Ann]", "PW[Bob]", "RE[B+1]", "BL[", "WL["] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(line[2..8], ["Ann", "Bob", "black", "play", "B+1", "3"]);
    assert!(text.contains(&format!("EV[{}]", line[0])), "{text}");
    assert!(text.contains(&format!("DT[{}]", line[1])), "{text}");
    for seconds in &line[8..10] {
        assert!(seconds.parse::<f64>().unwrap() < 1.0, "{line:?}");
    }
}

#[test]
fn a_draw_is_recorded_as_a_draw() {
    let (text, line) = recorded(&[], false, |mut black, mut white| {
        black.ask("1 pass", "200 ");
        white.lines_to("315 ");
        white.ask("1 ... pass", "203 ");
    });
    // A client without a name is identified by its address, and by a number of its own.
    assert!(text.contains("RE[0]"), "{text}");
    let player = |name: &str, client: &str, address: &str| {
        assert!(address.starts_with("127.0.0.1:"), "{line:?}");
        assert!(text.contains(&format!("{name}[{address}]")), "{text}");
        assert!(
            text.contains(&format!(": {address}, client {client}")),
            "{text}"
        );
        assert_eq!(client.parse::<ConnId>().unwrap().to_string(), client);
    };
    player("PB", &line[10], &line[12]);
    player("PW", &line[11], &line[13]);
    assert_ne!(line[10], line[11]);
    assert_eq!(line[2..5], ["", "", "draw"]);
    assert_eq!(line[7], "2");
}

#[test]
fn names_of_any_characters_do_not_break_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut referee = Referee::start(&[
        "--stop-after",
        "1",
        "--state",
        folder.path().to_str().unwrap(),
    ]);
    let mut black = referee.seat("player black \"]\\;(\"\"x\"\"\"");
    let mut white = referee.seat("player white \"\"");
    black.lines_to("352 ");
    white.lines_to("351 ");
    play_out(&mut black, &mut white);
    drop((black, white));
    assert!(referee.wait().success());
    let (moves, text) = sole_record(folder.path());
    assert_eq!(moves, ["c3", "pass", "pass"]);
    assert!(text.contains("PB[\\]\\\\;(\"x\"]"), "{text}");
    assert_eq!(results(folder.path())[0][2], "]\\;(\"x\"");
}

#[test]
fn a_folder_of_another_version_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["results.tsv", "games.jsonl", "matches.journal"] {
        let path = folder.path().join(name);
        fs::write(&path, "match\tdate\n").unwrap();
        let (code, lines) = refusal(&["--port", "0", "--state", folder.path().to_str().unwrap()]);
        assert_eq!(code, Some(1));
        let why = format!("another version of this program has written {name} there");
        assert!(lines.iter().any(|line| line.contains(&why)), "{lines:?}");
        assert!(!folder.path().join("results.jsonl").exists());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_stop_without_a_state_folder_names_the_matches_that_are_lost() {
    let mut referee = Referee::start(&["--tables", "2"]);
    let (mut black, white) = referee.named_pair();
    black.ask("1 c3", "200 ");
    referee.signal("-TERM");
    white.read_to_leave();
    black.read_to_leave();
    assert!(referee.wait().success());
    referee.wait_for_line(
        "black (\"Ann\") against white (\"Bob\"), is lost after 1 move: without --state it cannot be",
    );
    assert_eq!(referee.count_in_log("is lost"), 1);
}

/// After a restart of the server, clients have other numbers, and matches other names.
#[test]
fn numbers_of_clients_and_names_of_matches_never_repeat() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let mut referee = Referee::start(&[
            "--stop-after",
            "2",
            "--state",
            folder.path().to_str().unwrap(),
        ]);
        referee.plays_a_match();
        referee.plays_a_match();
        assert!(referee.wait().success(), "{:#?}", referee.log());
    }
    let rows = results(folder.path());
    let column = |at: usize| rows.iter().map(move |row| row[at].clone());
    let clients: Vec<String> = column(10).chain(column(11)).collect();
    assert_eq!(clients.len(), 12);
    assert!(clients.iter().all_unique(), "{clients:?}");
    assert!(column(0).all_unique(), "{rows:?}");
}

/// A client that sees its connection end finds the match in the table, and the rows of a table
/// in the order of its matches.
#[test]
fn a_match_is_recorded_before_its_connections_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let referee = Referee::start(&["--state", folder.path().to_str().unwrap()]);
    for count in 1..=20 {
        let (mut black, mut white) = referee.pair_when_free();
        let mut observer = referee.observer();
        black.ask("resign", "204 ");
        let one = [&mut black, &mut white, &mut observer];
        one.into_iter().nth(count % 3).unwrap().rest();
        assert_len(&results(folder.path()), count);
    }
    let rows = results(folder.path());
    assert!(rows.is_sorted_by_key(|row| row[0].clone()), "{rows:?}");
}

#[test]
fn every_line_of_the_json_log_is_an_object_with_an_event() {
    let mut referee = Referee::start(&["100", "--stop-after", "1", "--log-format", "json"]);
    let names = ["Ann \"the Ox\" Lee", "Bob"];
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let (mut black, mut white) = referee.pair_called(&quoted(names[0]), &quoted(names[1]));
    let expect_players = |event: &serde_json::Value| {
        for (place, side) in ["black", "white"].into_iter().enumerate() {
            let player = &event["players"][place];
            assert_eq!([&player["side"], &player["name"]], [side, names[place]]);
            assert!(
                player["connection"].is_string() && player["address"].is_string(),
                "{event}"
            );
        }
    };
    black.ask("1 c3", "207 ");
    white.ask("hello", "313 ");
    drop(referee.connect());
    white.expect("299 ");
    white.ask("resign", "204 ");
    drop((black, white));
    assert!(referee.wait().success());
    referee.wait_for_line("\"event\":\"stopping\"");
    let mut events = Vec::new();
    for line in referee.log() {
        let value: serde_json::Value = serde_json::from_str(&line).expect(&line);
        assert!(value["time"].is_string() && value["server"] == 0, "{line}");
        events.push(value["event"].as_str().expect(&line).to_owned());
        match events.last().unwrap().as_str() {
            "seated" => {
                let side = value["side"].as_str().unwrap();
                assert_eq!(value["name"], names[usize::from(side == "white")], "{line}");
                assert!(
                    value["address"].as_str().unwrap().starts_with("127.0.0.1:"),
                    "{line}"
                );
            }
            "started" => expect_players(&value),
            "moved" => {
                assert_eq!(value["mv"], "c3", "{line}");
                assert_eq!(
                    [&value["side"], &value["name"]],
                    ["black", names[0]],
                    "{line}"
                );
            }
            "refused" if value["side"].is_string() => {
                assert_eq!(
                    [&value["side"], &value["name"]],
                    ["white", names[1]],
                    "{line}"
                );
                assert!(
                    value["response"].as_str().unwrap().starts_with("299 "),
                    "{line}"
                );
            }
            "ended" => {
                assert_eq!(value["reason"], "resignation", "{line}");
                assert_eq!(value["winner"], "black", "{line}");
                expect_players(&value);
            }
            _ => {}
        }
    }
    for event in [
        "listening",
        "connected",
        "seated",
        "started",
        "moved",
        "refused",
        "ended",
    ] {
        assert!(events.iter().any(|found| found == event), "{event}");
    }
}

#[test]
fn the_text_log_describes_a_match_in_sentences() {
    let mut referee = Referee::start(&["--stop-after", "1"]);
    let (mut black, mut white) = referee.named_pair();
    play_out(&mut black, &mut white);
    drop((black, white));
    assert!(referee.wait().success());
    for sentence in [
        "\"Ann\" will play black",
        "begins: black (\"Ann\") against white (\"Bob\")",
        "black (\"Ann\") plays 1 c3",
        "white (\"Bob\") plays 1 ... pass",
        ", black (\"Ann\") against white (\"Bob\"), is over: Black wins (B+1)",
        "match 1 of 1 is over",
    ] {
        referee.wait_for_line(sentence);
    }
}

#[test]
#[cfg(unix)]
fn a_signal_ends_everything_after_all_clients_are_told() {
    for signal in ending_signals() {
        let mut referee = Referee::start(&["--tables", "2"]);
        let mut observer = referee.observer();
        let (black, white) = referee.pair();
        let mut waiting = Client::connect(referee.addresses[1]);
        waiting.ask("0.9.1 player white", "000 ");
        waiting.expect("100 ");
        observer.lines_to("353 ");
        let start = Instant::now();
        referee.signal(signal);
        for mut client in [black, white, observer, waiting] {
            client.expect("399 The referee stops");
            client.expect_end();
        }
        assert_eq!(
            referee.wait().code(),
            Some(0),
            "{signal}: {:#?}",
            referee.log()
        );
        assert!(start.elapsed() < AT_ONCE, "{signal}: {:?}", start.elapsed());
    }
}

#[test]
#[cfg(unix)]
fn a_silent_connection_is_told_of_the_end_too() {
    let mut referee = Referee::start(&[]);
    let mut silent = referee.connect();
    silent.expect("000 ");
    let start = Instant::now();
    referee.signal("-TERM");
    silent.expect("399 ");
    silent.expect_end();
    drop(silent);
    assert_eq!(referee.wait().code(), Some(0));
    assert!(start.elapsed() < AT_ONCE);
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_server_without_clients() {
    let mut referee = Referee::start(&[]);
    let start = Instant::now();
    referee.signal("-INT");
    assert_eq!(referee.wait().code(), Some(0));
    assert!(start.elapsed() < AT_ONCE);
    referee.wait_for_line("it was interrupted");
}

/// Asserts that the referee fails with exit code 1 and one line with these words.
#[track_caller]
fn expect_one_line(arguments: &[&str], words: &[&str]) {
    let (code, lines) = refusal(arguments);
    assert_eq!(
        (code, lines.len()),
        (Some(1), 1),
        "{arguments:?}: {lines:?}"
    );
    for word in words.iter().chain(&["error: "]) {
        assert!(lines[0].contains(word), "{word}: {lines:?}");
    }
}

#[test]
fn a_port_in_use_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let hint = "choose another server number, or a port with --port";
    expect_one_line(&["--port", &port], &["127.0.0.1", &port, hint]);
    let hint = "choose another port with --http";
    expect_one_line(&["--port", "0", "--http", &port], &[&port, hint]);
}

#[test]
fn a_page_at_the_port_of_a_table_is_refused() {
    let (code, lines) = refusal(&["3", "--tables", "2", "--http", "29072"]);
    assert_eq!(code, Some(2), "{lines:?}");
    let why = "--http: port 29072 is that of table 4";
    assert!(lines[0].contains(why), "{lines:?}");
}

#[test]
fn an_unknown_host_is_refused() {
    for host in ["no.such.host.invalid", "256.1.1.1", ""] {
        expect_one_line(&["--host", host, "--port", "0"], &["cannot listen", host]);
    }
}

#[test]
fn an_unusable_folder_is_refused_by_the_name_of_its_option() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("below");
    for path in [&file, &below] {
        let path = path.to_str().unwrap();
        // The others were its names.
        for option in ["--state", "--records", "--journal"] {
            let named = format!("--state: {path}: ");
            expect_one_line(&["--port", "0", option, path], &[&named]);
        }
    }
}

#[test]
fn more_tables_than_ports_are_refused() {
    expect_one_line(&["--port", "65535", "--tables", "2"], &["port"]);
}

#[test]
fn wrong_numbers_are_refused() {
    for arguments in [
        &["30"][..],
        &["-1"],
        &["zero"],
        &["0", "0"],
        &["0", "1.5"],
        &["0", "60", "1000000001"],
        &["0", "60", "60", "60"],
        &["0", "--tables", "0"],
        &["0", "--stop-after", "0"],
        &["0", "--max-connections", "1"],
        &["0", "--seat-timeout", "-1"],
        &["0", "--handshake-timeout", "soon"],
        &["0", "--log-format", "xml"],
        &["0", "--port", "65536"],
    ] {
        let (code, lines) = refusal(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {lines:?}");
        assert!(lines[0].starts_with("error: "), "{arguments:?}: {lines:?}");
    }
}
