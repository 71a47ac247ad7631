//! The ladder on the page: the ratings that `gothello standings` prints, match after match.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::netref::scenes::play_out;
use crate::netref::spectator::{Spectator, start};
use crate::waiting::OutputInTime;

/// The rows of the page and those that the program prints: place, name, matches, and so on.
fn rows(seen: &Spectator, table: &Path) -> [Vec<Vec<String>>; 2] {
    let rows = seen.ladder["players"]["rows"].as_array().unwrap();
    let cells = |row: &serde_json::Value| {
        let cells = row.as_array().unwrap().iter();
        let words = cells.flat_map(|cell| cell.as_str().unwrap().split_whitespace());
        words.map(str::to_owned).collect()
    };
    let run = Command::new(env!("CARGO_BIN_EXE_gothello"))
        .arg("standings")
        .arg(table)
        .output_in_time();
    let printed = String::from_utf8(run.stdout).unwrap();
    let lines = printed.lines().skip(1);
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect());
    [rows.iter().map(cells).collect(), words.collect()]
}

#[test]
fn the_page_has_the_ladder_of_all_matches_and_goes_on_with_each() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("results.tsv");
    let mut head = "match\tdate\tblack\twhite\twinner\treason\tscore\tplies".to_owned();
    for column in ["seconds", "client", "address", "team", "clock"] {
        head += &format!("\tblack_{column}\twhite_{column}");
    }
    head += "\tserver\ttournament\n";
    let row = |number: usize, black: &str, white: &str, winner: &str| {
        format!(
            "20261120-09300{number}-000000-0\t2026-11-20\t{black}\t{white}\t{winner}\tplay\tB+1\t9\t1\t1\
             \t\t\t\t\t\t\t\t\t0\t\n"
        )
    };
    // Matches of an earlier season, one of them damaged by hand.
    let rows_before = [
        row(0, "Ann", "Cleo", "black"),
        row(1, "Cleo", "house-3", "draw"),
        row(2, "", "Ann", "black"),
        row(3, "Ann", "Cleo", "Ann"),
    ];
    fs::write(&table, format!("{head}{}", rows_before.concat())).unwrap();
    let records = folder.path().to_str().unwrap();
    let referee = start(&["--records", records, "--ladder"]);
    referee.wait_for_line("results.tsv, line 5: the winner is \"Ann\": write black, white, draw");
    let mut seen = Spectator::open(&referee);
    let from = |count: usize| format!("Elo with 95 % intervals, from {count} matches.");
    let shows = |note: String| move |seen: &Spectator| seen.ladder["note"] == note.as_str();
    seen.wait("the matches before", shows(from(2)));
    let standings = fs::read_to_string(&table)
        .unwrap()
        .replace("Ann\tCleo\tAnn", "Ann\tCleo\tnone");
    let copy = folder.path().join("copy.tsv");
    fs::write(&copy, standings).unwrap();
    let [page, printed] = rows(&seen, &copy);
    assert_eq!((page.len(), &page), (3, &printed));

    // A match without names does not count; one with names does.
    referee.plays_a_match();
    let (mut black, mut white) = referee.named_pair();
    play_out(&mut black, &mut white);
    seen.wait("the new match", shows(from(3)));
    let standings = fs::read_to_string(&table)
        .unwrap()
        .replace("Ann\tCleo\tAnn", "Ann\tCleo\tnone");
    fs::write(&copy, standings).unwrap();
    let [page, printed] = rows(&seen, &copy);
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
fn the_page_has_the_matches_that_another_referee_records() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().to_str().unwrap();
    let referee = start(&["--records", records, "--ladder"]);
    let mut seen = Spectator::open(&referee);
    let shows = |note: &'static str| {
        move |seen: &Spectator| {
            let shown = seen.ladder["note"].as_str();
            shown.is_some_and(|shown| shown.starts_with(note))
        }
    };
    seen.wait("the empty ladder", shows("No match counts yet"));
    let other = start(&["--records", records]);
    let (mut black, mut white) = other.named_pair();
    play_out(&mut black, &mut white);
    seen.wait(
        "the other's match",
        shows("Elo with 95 % intervals, from 1 match."),
    );
}

#[test]
fn without_the_option_there_is_no_ladder() {
    let folder = tempfile::tempdir().unwrap();
    let referee = start(&["--records", folder.path().to_str().unwrap()]);
    let (mut black, mut white) = referee.named_pair();
    play_out(&mut black, &mut white);
    let mut seen = Spectator::open(&referee);
    seen.wait("the match", |seen| seen.finished.len() == 1);
    assert!(seen.ladder.is_null());
}
