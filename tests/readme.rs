//! The README's examples: what its commands print is what it says.

use std::env;
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
    lines.filter(|line| !line.ends_with("leaves/s")).collect()
}

#[test]
#[cfg(unix)]
fn the_commands_print_what_the_readme_shows() {
    let program = Path::new(env!("CARGO_BIN_EXE_gothello"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());

    let blocks = blocks(include_str!("../README.md"));
    let examples = blocks
        .windows(2)
        .filter(|pair| (pair[0].0, pair[1].0) == ("sh", "text"));
    let mut count = 0;
    for pair in examples {
        let output = Command::new("sh")
            .args(["-c", &pair[0].1])
            .env("PATH", &path)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            without_timings(&printed),
            without_timings(&pair[1].1),
            "{}",
            pair[0].1
        );
        count += 1;
    }
    assert!(count >= 3, "only {count} examples");
}
