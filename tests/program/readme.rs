//! The README's examples: what its commands print is what it says.

use std::collections::HashMap;
use std::env;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The fenced blocks of a Markdown text, each with its language.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => {
                blocks.push((language, String::new()));
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let (_, block) = blocks.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

/// Output without what differs from run to run.
fn without_timings(output: &str) -> Vec<&str> {
    let lines = output.lines();
    let is_timing = |line: &&str| line.ends_with("leaves/s") || line.ends_with("positions/s");
    lines.filter(|line| !is_timing(line)).collect()
}

/// What a shell prints for a block, with the built program at hand.
#[cfg(unix)]
fn run(block: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_gothello"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", block])
        .env("PATH", &path)
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The block of the README with these words, with a port of its own: another server
/// may be running here.
#[cfg(unix)]
fn block_at_a_free_port(words: &str) -> String {
    let blocks = blocks(include_str!("../../README.md"));
    let (_, block) = blocks
        .into_iter()
        .find(|(_, block)| block.contains(words))
        .unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    let server = |name: &str| {
        (
            format!("gothello {name}"),
            format!("gothello {name} --port {port}"),
        )
    };
    let (netref, goref) = (server("netref"), server("goref"));
    block
        .replace(&netref.0, &netref.1)
        .replace(&goref.0, &goref.1)
        .replace("localhost", &format!("localhost:{port}"))
}

/// Everything is over when the block is; nobody waits for what takes longer.
#[cfg(unix)]
fn run_in_time(block: &str, folder: &Path) -> String {
    let start = Instant::now();
    // What runs in the background is waited for, as a person would.
    let printed = run(&format!("{block}wait\n"), folder);
    // Seconds, but for a machine that is busy with other tests.
    assert!(start.elapsed() < Duration::from_secs(120), "{block}");
    printed
}

#[test]
#[cfg(unix)]
fn the_match_over_a_network_is_played_perfectly_and_recorded() {
    let block = block_at_a_free_port("--records matches > referee.log &");
    let folder = tempfile::tempdir().unwrap();
    let printed = run_in_time(&block, folder.path());
    let results = std::fs::read_to_string(folder.path().join("matches/results.tsv")).unwrap();
    let (head, last) = results.trim_end().rsplit_once('\n').unwrap();
    let columns: HashMap<&str, &str> = head.split('\t').zip(last.split('\t')).collect();
    let told = ["black", "white", "winner", "reason", "score"].map(|column| columns[column]);
    assert_eq!(told, ["Ann", "Bob", "black", "play", "B+3"], "{results}");
    let last = printed.lines().filter(|line| *line == "black wins by 3");
    assert_eq!(last.count(), 1, "{printed}");
    assert!(folder.path().join("ann.log").exists());
    let record = folder
        .path()
        .join(format!("matches/{}.sgf", columns["match"]));
    let text = std::fs::read_to_string(record).unwrap();
    assert!(gothello::sgf::read(&text, usize::MAX).unwrap().is_over());
}

#[test]
#[cfg(unix)]
fn the_game_of_a_contest_is_played_to_its_end() {
    let block = block_at_a_free_port("goref --setup small.toml");
    let folder = tempfile::tempdir().unwrap();
    let printed = run_in_time(&block, folder.path());
    // Whoever comes first is Black.
    let results = ["B+2.5 by pass, B 15, W 12.5", "W+7.5 by pass, B 10, W 17.5"];
    let is_told = |result: &str| printed.contains(&format!("{result}, 12 moves\n"));
    assert!(results.into_iter().any(is_told), "{printed}");
    assert!(
        printed.ends_with("stopping: the last game is over\n"),
        "{printed}"
    );
    let games = std::fs::read_to_string(folder.path().join("contest/games.jsonl")).unwrap();
    assert_eq!(games.lines().count(), 1, "{games}");
}

/// With GNU Go where it is installed, and without it anywhere.
#[test]
#[cfg(unix)]
fn gnu_go_plays_a_game_of_a_contest_or_is_missing() {
    let block = block_at_a_free_port("goref --setup nine.toml");
    let folder = tempfile::tempdir().unwrap();
    if Path::new("/usr/games/gnugo").exists() {
        let printed = run_in_time(&block, folder.path());
        assert!(printed.contains(" by pass, B "), "{printed}");
        assert!(
            printed.ends_with("stopping: the last game is over\n"),
            "{printed}"
        );
    }
    let block = block.replace("gnugo ", "no-such-gnugo ");
    let printed = run_in_time(&format!("exec 2>&1\n{block}"), folder.path());
    let error = "error: cannot start the engine \"no-such-gnugo\": ";
    assert!(printed.contains(error), "{printed}");
    assert!(
        printed.contains("stopping: it was asked to terminate\n"),
        "{printed}"
    );
}

#[test]
#[cfg(unix)]
fn the_commands_print_what_the_readme_shows() {
    let blocks = blocks(include_str!("../../README.md"));
    let examples = blocks
        .windows(2)
        .filter(|pair| (pair[0].0, pair[1].0) == ("sh", "text"));
    let mut count = 0;
    for pair in examples {
        let printed = run(&pair[0].1, Path::new("."));
        assert_eq!(
            without_timings(&printed),
            without_timings(&pair[1].1),
            "{}",
            pair[0].1
        );
        count += 1;
    }
    assert!(count >= 4, "only {count} examples");
}
