//! The README's examples: what its commands print is what it says.

use std::env;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

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

#[test]
#[cfg(unix)]
fn the_match_over_a_network_is_played_and_recorded() {
    let blocks = blocks(include_str!("../README.md"));
    let (_, block) = blocks
        .iter()
        .find(|(_, block)| block.contains("--records matches > referee.log &"))
        .unwrap();
    // Another referee may be running here.
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let block = block.lines().map(|line| match line.split_once(" 0 ") {
        Some((before, after)) => format!("{before} 0 --port {port} {after}\n"),
        None => format!("{line}\n"),
    });
    // The match goes on in the background until both clients have the result.
    let block: String = block.chain(["wait\n".to_owned()]).collect();

    let folder = tempfile::tempdir().unwrap();
    let printed = run(&block, folder.path());
    let results = std::fs::read_to_string(folder.path().join("matches/results.tsv")).unwrap();
    let last: Vec<&str> = results.lines().last().unwrap().split('\t').collect();
    assert_eq!(
        (last[2], last[3], last[5]),
        ("Ann", "Bob", "play"),
        "{results}"
    );
    let result = match last[4] {
        "draw" => "drawn".to_owned(),
        winner => format!("{winner} wins by "),
    };
    let told = printed.lines().filter(|line| line.starts_with(&result));
    assert_eq!(told.count(), 1, "{printed}");
    let record = folder.path().join(format!("matches/{}.sgf", last[0]));
    let text = std::fs::read_to_string(record).unwrap();
    assert!(gothello::sgf::read(&text, usize::MAX).unwrap().is_over());
}

#[test]
#[cfg(unix)]
fn the_commands_print_what_the_readme_shows() {
    let blocks = blocks(include_str!("../README.md"));
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
