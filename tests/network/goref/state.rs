//! The state folder: the token, the games of earlier runs, and decisions about them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::goref::server::Server;
use crate::waiting::OutputInTime;

/// The token that the server prints.
fn token(server: &Server) -> String {
    let page = server.wait_for("token", |_| true)["page"].clone();
    let (_, token) = page.as_str().unwrap().split_once("/#token=").unwrap();
    token.to_owned()
}

/// Runs it in a folder that it refuses: the exit code and the error.
fn refused(state: &str) -> (Option<i32>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_gothello"))
        .args(["goref", "--port", "0", "--state", state])
        .output_in_time();
    (run.status.code(), String::from_utf8(run.stderr).unwrap())
}

/// The lines of the results.
fn results(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn the_token_lasts_and_only_its_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap().to_owned();
    let start = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gothello"));
        command.args([
            "goref",
            "--port",
            "0",
            "--log-format",
            "json",
            "--always-token",
        ]);
        command.args(["--state", &state]).args(more);
        command.stdin(Stdio::null());
        Server::spawn(command)
    };
    let first = start(&[]);
    let before = token(&first);
    first.kill();
    let file = folder.path().join("token");
    assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let again = start(&[]);
    let kept = format!(" and the token in {}", file.display());
    assert_eq!(token(&again), kept, "a log may be read by others");
    again.kill();
    // Another one can be chosen; the kept one stays.
    let chosen = "0123456789abcdef-chosen";
    let other = start(&["--token", chosen]);
    assert_eq!(token(&other), " and the token of --token");
    other.kill();
    assert_eq!(fs::read_to_string(&file).unwrap().trim_end(), before);
    fs::write(&file, "too short\n").unwrap();
    let (code, line) = refused(&state);
    assert_eq!(code, Some(1));
    assert!(
        line.contains("token: ") && line.contains("remove this file for a new token"),
        "{line}"
    );
}

#[test]
fn games_of_earlier_runs_are_listed_with_their_records() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    server.plays_a_game();
    let listed = |page: &crate::goref::spectator::Spectator| page.finished.clone();
    let mut page = server.watch();
    page.wait_until("the list", |page| page.finished.len() == 1);
    let seen = listed(&page);
    assert_eq!(seen[0]["players"], json!(["Yin", "Yang"]));
    assert_eq!(seen[0]["record"], "0001-Yin-Yang.sgf");
    server.kill();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let mut page = server.watch();
    page.wait_until("the list", |page| page.finished.len() == 1);
    assert_eq!(listed(&page)[0]["result"], seen[0]["result"]);
    let (status, record) = server.get("/records/0001-Yin-Yang.sgf", &[]);
    assert_eq!(status, 200);
    assert!(record.contains("PB[Yin]"), "{record}");
    for other in [
        "0001-Yin-Yang.json",
        "0002-Yin-Yang.sgf",
        "..%2Fresults.jsonl",
        "..%2Ftoken",
        "",
    ] {
        let (status, _) = server.get(&format!("/records/{other}"), &[]);
        assert_eq!(status, 404, "{other}");
    }
}

/// After the end of the tournament, and after a crash: what was decided stays, and counts everywhere.
#[test]
fn a_decision_counts_in_standings_and_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--tournament",
        "round-robin",
        "--single",
        "--players",
        "2",
        "--seed",
        "1",
    ];
    let server = Server::keeping(folder.path(), &options);
    let [mut yin, mut yang] = ["Yin", "Yang"].map(|name| server.client(name));
    let start = yin.expect("START");
    yang.expect("START");
    let (black, white) = match start["color"] == "B" {
        true => (&mut yin, &mut yang),
        false => (&mut yang, &mut yin),
    };
    black.plays(white, &json!({"type": "resign"}));
    black.expect("END");
    let path = folder.path().to_str().unwrap().to_owned();
    let standings = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_gothello"))
            .arg("standings")
            .args(arguments)
            .output_in_time();
        String::from_utf8(run.stdout).unwrap()
    };
    server.wait_until("the result", |_| {
        standings(&[&path]).contains("      1 ") && results(folder.path()).len() == 1
    });
    let games = || standings(&["--csv", "games", &path]);
    assert!(games().contains(",white,false,resign,"), "{}", games());
    let correction = json!({
        "action": "correct", "game": "1.1.1", "result": "1/2", "reason": "both had bugs",
    });
    server.act(correction);
    server.wait_until("the ruling", |_| results(folder.path()).len() == 2);
    let why = server
        .refuses(json!({"action": "correct", "game": "1.2.1", "result": "1-0", "reason": "x"}));
    assert!(why.starts_with("there is no game \"1.2.1\""), "{why}");
    let why = server
        .refuses(json!({"action": "correct", "game": "1.1.1", "result": "2-0", "reason": "x"}));
    assert!(why.starts_with("\"2-0\" is not a result"), "{why}");
    let why = server.refuses(json!({"action": "replay", "game": "1.1.1", "reason": " "}));
    assert!(why.starts_with("give a reason"), "{why}");
    server.kill();
    assert!(
        games().contains(",draw,false,both had bugs,"),
        "{}",
        games()
    );
    let [before, after] = &results(folder.path())[..] else {
        panic!("{:?}", results(folder.path()));
    };
    assert_eq!(
        (&before["id"], &before["winner"]),
        (&after["id"], &"white".into())
    );
    assert_eq!(
        [&after["winner"], &after["ruling"]],
        ["draw", "both had bugs"]
    );
    let ratings = standings(&[folder.path().join("results.jsonl").to_str().unwrap()]);
    assert!(ratings.contains("50.0 %"), "{ratings}");
    // If the second line is lost in a crash, the next start writes it.
    let file = folder.path().join("results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(&file, format!("{first}\n")).unwrap();
    let server = Server::keeping(folder.path(), &[]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    server.act(json!({"action": "replay", "game": "1.1.1", "reason": "once more"}));
    server.wait_until("the ruling", |_| results(folder.path()).len() == 3);
    assert_eq!(results(folder.path())[2]["winner"], Value::Null);
    let [mut yin, mut yang] = ["Yin", "Yang"].map(|name| server.client(name));
    yin.expect("START");
    yang.expect("START");
}
