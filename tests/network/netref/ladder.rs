//! The ladder on the page: the ratings that `gothello standings` prints, match after match.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::executable::executable;
use crate::netref::scenes::play_out;
use crate::netref::spectator::{Spectator, start};
use crate::result_line::result_line;
use crate::waiting::OutputInTime;

/// The rows of the page and those that the program prints: place, name, matches, and so on.
fn rows(seen: &Spectator, results: &Path) -> [Vec<Vec<String>>; 2] {
    let rows = seen.ladder["players"]["rows"].as_array().unwrap();
    let cells = |row: &serde_json::Value| {
        let cells = row.as_array().unwrap().iter();
        let words = cells.flat_map(|cell| cell.as_str().unwrap().split_whitespace());
        words.map(str::to_owned).collect()
    };
    let run = Command::new(executable())
        .arg("standings")
        .arg(results)
        .output_in_time();
    let printed = String::from_utf8(run.stdout).unwrap();
    let lines = printed.lines().skip(1);
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect());
    [rows.iter().map(cells).collect(), words.collect()]
}

#[test]
fn the_page_has_the_ladder_of_all_matches_and_goes_on_with_each() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.jsonl");
    let row = |number: usize, players, winner: &str| {
        result_line(
            &format!("20261120-09300{number}-000000-0"),
            players,
            winner,
            None,
        )
    };
    // Matches of an earlier season.
    let rows_before = [
        row(0, ["Ann", "Cleo"], "black"),
        row(1, ["Cleo", "house-3"], "draw"),
        row(2, ["Ann", "Ann"], "black"),
    ];
    fs::write(&results, rows_before.concat()).unwrap();
    let state = folder.path().to_str().unwrap();
    let referee = start(&["--state", state, "--ladder"]);
    let mut seen = Spectator::open(&referee);
    let from = |count: usize| format!("Elo with 95 % intervals, from {count} matches.");
    let shows = |note: String| move |seen: &Spectator| seen.ladder["note"] == note.as_str();
    seen.wait("the matches before", shows(from(2)));
    let [page, printed] = rows(&seen, &results);
    assert_eq!((page.len(), &page), (3, &printed));

    // A match without names does not count; one with names does.
    referee.plays_a_match();
    let (mut black, mut white) = referee.named_pair();
    play_out(&mut black, &mut white);
    seen.wait("the new match", shows(from(3)));
    let [page, printed] = rows(&seen, &results);
    assert_eq!((page.len(), &page), (4, &printed));
    assert!(
        page.iter().any(|row| row[1] == "Bob" && row[2] == "1"),
        "{page:?}"
    );
    // A later visitor sees the same.
    let mut late = Spectator::open(&referee);
    late.wait("the ladder", shows(from(3)));
    assert_eq!(late.ladder, seen.ladder);
}

#[test]
fn without_the_option_there_is_no_ladder() {
    let folder = tempfile::tempdir().unwrap();
    let referee = start(&["--state", folder.path().to_str().unwrap()]);
    let (mut black, mut white) = referee.named_pair();
    play_out(&mut black, &mut white);
    let mut seen = Spectator::open(&referee);
    seen.wait("the match", |seen| seen.finished.len() == 1);
    assert!(seen.ladder.is_null());
}
