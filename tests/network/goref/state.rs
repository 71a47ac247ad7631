//! The state folder: the token, the games of earlier runs, and decisions about them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::executable::executable;
use crate::goref::server::Server;
use crate::waiting::OutputInTime;

/// The link of the organizer, as the server logs it.
fn link(server: &Server) -> String {
    let page = server.wait_for("token", |_| true)["page"].clone();
    page.as_str().unwrap().to_owned()
}

/// Runs it in a folder that it refuses: the exit code and the error.
fn refused(state: &str) -> (Option<i32>, String) {
    let run = Command::new(executable())
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

/// A server with the token of this folder.
fn with_kept_token(folder: &Path) -> Command {
    let mut command = Command::new(executable());
    command
        .args(["goref", "--port", "0", "--log-format", "json"])
        .args(["--always-token", "--state"])
        .arg(folder)
        .stdin(Stdio::null());
    command
}

#[test]
fn the_token_lasts_and_only_its_owner_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let start = |more: &[&str]| {
        let mut command = with_kept_token(folder.path());
        command.args(more);
        Server::spawn(command)
    };
    let file = folder.path().join("token");
    let read = || fs::read_to_string(&file).unwrap().trim_end().to_owned();
    let first = start(&[]);
    let logged = link(&first);
    let before = read();
    let whole = format!("http://{}/#token={before}", first.address);
    assert!(!logged.contains(&before), "a log may be read by others");
    // It has a command that prints the link.
    #[cfg(unix)]
    {
        let (_, print) = logged.split_once("; to print the link: ").unwrap();
        let printed = Command::new("sh").args(["-c", print]).output_in_time();
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(printed.trim_end(), whole);
    }
    first.kill();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    start(&[]).kill();
    assert_eq!(read(), before);
    // Another one can be chosen; the kept one stays.
    let chosen = "0123456789abcdef-chosen";
    let other = start(&["--token", chosen]);
    assert!(link(&other).ends_with("/#token= and the token of --token"));
    other.kill();
    assert_eq!(read(), before);
    fs::write(&file, "too short\n").unwrap();
    let (code, line) = refused(folder.path().to_str().unwrap());
    assert_eq!(code, Some(1));
    assert!(
        line.contains("token: ") && line.contains("remove this file for a new token"),
        "{line}"
    );
}

/// Also after a restart; a log that goes into a file does not have it.
#[cfg(unix)]
#[test]
fn the_whole_link_is_on_the_terminal() {
    use crate::pty::Pty;
    use crate::waiting::Pipe;

    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let terminal = Pty::open();
        let mut screen = Pipe::new(terminal.controller.try_clone().unwrap());
        let mut command = with_kept_token(folder.path());
        command.stderr(terminal.stdio());
        let server = Server::spawn(command);
        let shown = screen.line("the link").unwrap();
        let token = fs::read_to_string(folder.path().join("token")).unwrap();
        let whole = format!("http://{}/#token={}", server.address, token.trim_end());
        assert_eq!(shown.trim_end(), format!("the organizer opens {whole}"));
        assert!(!link(&server).contains(token.trim_end()));
        server.kill();
    }
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
        let run = Command::new(executable())
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
