//! The page of `gothello match --http`, as its spectators receive it.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use gothello::matches::Results;
use serde_json::Value;

use crate::executable::executable;
use crate::netref::spectator::{Spectator, watch};
use crate::waiting::{OutputInTime, Pipe};

/// An event of this many games. The command of the engine is part of the event's settings: only
/// the content of the script may change.
fn event(folder: &Path, games: &str) -> Command {
    let mut command = Command::new(executable());
    command.current_dir(folder).arg("match");
    command.args([
        "--player",
        "a=sh engine.sh",
        "--player",
        "b=builtin:level=1",
    ]);
    command.args(["--results", "event.jsonl", "--games", games, "--seed", "1"]);
    command.args(["--concurrency", "1"]);
    command
}

/// A program that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an event with a page; returns the page's address.
fn watched(mut command: Command) -> (Running, SocketAddr) {
    command.args(["--http", "localhost:0"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    // The rest is read, so that the match can go on writing.
    let mut lines = Pipe::new(running.0.stderr.take().unwrap());
    lines.take_to("watch at http://");
    let page = lines.line("the address of the page").unwrap();
    let page = page.trim_end_matches('/').parse().unwrap();
    (running, page)
}

/// The title and the start of each game, in milliseconds since 1970.
type Starts = Vec<(String, u64)>;

fn recorded(path: &Path) -> Starts {
    let games = Results::read(path).unwrap().games;
    let starts = games.iter().map(|game| {
        let since = SystemTime::from(game.began).duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.unwrap().as_millis().try_into().unwrap();
        (format!("Game {}", game.planned.number), millis)
    });
    starts.collect()
}

fn shown(finished: &[Value]) -> Starts {
    let starts = finished.iter().map(|game| {
        let title = game["table"].as_str().unwrap().to_owned();
        (title, game["began"].as_u64().unwrap())
    });
    starts.collect()
}

#[test]
fn earlier_games_are_shown_with_their_start_too() {
    let folder = tempfile::tempdir().unwrap();
    let [path, script] = ["event.jsonl", "engine.sh"].map(|name| folder.path().join(name));
    let engine = format!("{} gtp --level 1 --seed 1", executable());
    fs::write(&script, format!("exec {engine}")).unwrap();
    let output = event(folder.path(), "2").output_in_time();
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(&path).unwrap();
    let (header, games) = text.split_once('\n').unwrap();
    let began = games.split("\"began\":\"").nth(1).unwrap();
    let (began, _) = began.split_once('"').unwrap();
    let earlier = games.replacen(began, "2001-02-03T04:05:06Z", 1);
    fs::write(&path, format!("{header}\n{earlier}")).unwrap();

    // Each game takes longer than a second, so that its end is not its start.
    let slow = format!(
        "while read -r line; do case $line in *genmove*) sleep 0.2;; esac; echo \"$line\"; \
         done | {engine}"
    );
    fs::write(&script, slow).unwrap();
    let (_running, page) = watched(event(folder.path(), "2000"));

    let before = recorded(&path);
    let mut spectator = Spectator::on(watch(page));
    spectator.wait("the games played before", |seen| seen.finished.len() >= 2);
    assert_eq!(shown(&spectator.finished)[..2], before[..2]);
    let (title, start) = &before[0];
    let since_1970 = Duration::from_millis(*start);
    assert_eq!(
        (title.as_str(), since_1970.as_secs()),
        ("Game 1", 981_173_106)
    );
    spectator.wait("a new game", |seen| seen.finished.len() >= 3);
    let after = recorded(&path);
    assert_eq!(shown(&spectator.finished)[..3], after[..3]);
}

#[test]
#[ignore = "takes seconds, unoptimized"]
fn a_test_is_shown_with_elo_and_the_log_likelihood_ratio() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(executable());
    command.current_dir(folder.path()).arg("match");
    command.args(["--player", "a=builtin:level=1"]);
    command.args(["--player", "b=builtin:level=2"]);
    command.args(["--openings", "balanced:500", "--seed", "1"]);
    command.args(["--concurrency", "1"]);
    command.args(["--sprt", "elo0=0,elo1=1,alpha=0.01,beta=0.01"]);
    let (_running, page) = watched(command);
    let mut spectator = Spectator::on(watch(page));
    let title = |seen: &Spectator| {
        seen.tournament["title"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    spectator.wait("a figure with its error", |seen| {
        title(seen).contains(" ± ")
    });
    let title = title(&spectator);
    let (_, figures) = title.split_once(" games, a: Elo ").unwrap();
    for part in [", nElo ", ", LOS ", ", LLR ", " (-4.60 to 4.60)"] {
        assert!(figures.contains(part), "{part} in {title}");
    }
}
