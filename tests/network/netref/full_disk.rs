//! The disk is full: no match is lost, torn or doubled.
//!
//! The tests fill no disk: they limit the size of the program's files, so that a write fails in
//! the same way, after a part of it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use itertools::Itertools;

use crate::netref::desk::Desk;
use crate::netref::referee::{Referee, Room};
use crate::netref::server::{assert_len, json_results, results};

/// The table of results, byte for byte.
fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join("results.tsv")).unwrap()
}

/// The file of JSON lines, which is larger than the table and is written first.
fn json_lines(folder: &Path) -> String {
    fs::read_to_string(folder.join("results.jsonl")).unwrap()
}

/// Room for half a line of JSON more, and for all other files.
fn half_a_line(folder: &Path) -> Room {
    let length = json_lines(folder).len();
    assert!(length > 500, "a record would not fit either");
    Room::Bytes(u64::try_from(length).unwrap() + 60)
}

/// Each match has one row, in the order in which they were played, and one whole record; and the
/// folder has nothing else.
#[track_caller]
fn expect_matches(folder: &Path, count: usize) {
    let rows = results(folder);
    assert_eq!(rows.len(), count, "{rows:#?}");
    assert!(rows.iter().all(|row| row.len() == 20), "{rows:#?}");
    assert!(rows.is_sorted_by_key(|row| row[0].clone()), "{rows:#?}");
    for row in &rows {
        let text = fs::read_to_string(folder.join(format!("{}.sgf", row[0]))).unwrap();
        let game = gothello::sgf::read(&text, usize::MAX).unwrap();
        assert_eq!(game.undoable().to_string(), row[7]);
    }
    let lines = json_results(folder);
    let matches = lines.iter().map(|line| line["match"].as_str().unwrap());
    assert!(matches.eq(rows.iter().map(|row| &row[0])), "{lines:#?}");
    let names = fs::read_dir(folder).unwrap();
    let names = names.map(|file| file.unwrap().file_name().into_string().unwrap());
    let others = names.filter(|name| !name.ends_with(".sgf") && !name.starts_with("results."));
    assert_eq!(others.collect_vec(), [""; 0]);
}

#[test]
fn a_match_that_cannot_be_recorded_waits_for_room() {
    let desk = Desk::new();
    let folder = desk.records();
    let referee = Referee::start_with_room(
        Room::Enough,
        &["--records", folder.to_str().unwrap(), "--tables", "2"],
    );
    for _ in 0..5 {
        referee.plays_a_match();
    }
    let before = table(&folder);
    let lines_before = json_lines(&folder);
    referee.set_room(half_a_line(&folder));
    for waiting in 1..=3 {
        // The players are not told.
        referee.plays_a_match();
        referee.wait_for_line(&format!(
            "this is tried again every 2 seconds for {waiting} match"
        ));
        assert_eq!(table(&folder), before);
        assert_eq!(json_lines(&folder), lines_before);
    }
    assert_eq!(referee.count_in_log("cannot be recorded now"), 3);
    // Room for one of the three. The log names each once.
    let length = lines_before.len();
    let line = length - lines_before.trim_end().rfind('\n').unwrap();
    let room = u64::try_from(length + line + line / 2).unwrap();
    referee.set_room(Room::Bytes(room));
    referee.wait_for_line("matches that waited for the disk are recorded: 1");
    referee.set_room(Room::Enough);
    referee.wait_for_line("matches that waited for the disk are recorded: 2");
    expect_matches(&folder, 8);
    referee.plays_a_match();
    expect_matches(&folder, 9);
}

/// There is not even room for the record.
#[test]
fn half_a_record_is_not_left_behind() {
    let desk = Desk::new();
    let folder = desk.records();
    let referee =
        Referee::start_with_room(Room::Bytes(100), &["--records", folder.to_str().unwrap()]);
    referee.plays_a_match();
    referee.wait_for_line("cannot be recorded now");
    expect_matches(&folder, 0);
    referee.set_room(Room::Enough);
    referee.wait_for_line("matches that waited for the disk are recorded: 1");
    expect_matches(&folder, 1);
}

#[test]
fn a_match_that_never_finds_room_is_logged_at_the_end() {
    let desk = Desk::new();
    let folder = desk.records();
    let mut referee = Referee::start_with_room(
        Room::Bytes(0),
        &["--records", folder.to_str().unwrap(), "--stop-after", "2"],
    );
    referee.plays_a_match();
    referee.plays_a_match();
    assert_eq!(referee.wait().code(), Some(1));
    let log = referee.log();
    let rows = log
        .iter()
        .filter_map(|line| line.split_once("this is its row of results: "));
    let rows: Vec<Vec<&str>> = rows.map(|(_, row)| row.split('\t').collect()).collect();
    assert_eq!(rows.len(), 2, "{log:#?}");
    assert!(rows.iter().all(|row| row.len() == 20 && row[6] == "B+1"));
}

/// Another process keeps the table of results locked for longer than the referee
/// waits, whether it is in the middle of a try or between two when the referee stops.
#[test]
fn a_match_that_a_locked_table_keeps_out_is_logged_at_the_end() {
    // Both cases take seconds.
    thread::scope(|scope| {
        for is_asked_to_end in [false, true] {
            scope.spawn(move || locked_out(is_asked_to_end));
        }
    });
}

/// Plays a match whose row is locked out, with a referee that ends by itself or
/// `is_asked_to_end`.
fn locked_out(is_asked_to_end: bool) {
    let desk = Desk::new();
    let folder = desk.records();
    let matches = if is_asked_to_end { "2" } else { "1" };
    let folder_name = folder.to_str().unwrap();
    let mut referee = Referee::start(&["--records", folder_name, "--stop-after", matches]);
    let locked = fs::File::open(folder.join("results.tsv")).unwrap();
    locked.lock().unwrap();
    referee.plays_a_match();
    if is_asked_to_end {
        referee.wait_for_line("another process keeps results.tsv locked");
        // After a second, the referee tries again for two seconds.
        thread::sleep(Duration::from_millis(1_300));
        referee.signal("-TERM");
    }
    assert_eq!(
        referee.wait().code(),
        Some(1),
        "asked to end: {is_asked_to_end}; {:#?}",
        referee.log()
    );
    referee.wait_for_line("this is its row of results: ");
    assert_eq!(referee.count_in_log("this is its row of results: "), 1);
    drop(locked);
    assert_eq!(table(&folder), "");
}

/// With a journal, the next start finds each match that waited, once, however the
/// program ended and whether there is room by then.
#[test]
fn with_a_journal_the_next_start_records_what_waited() {
    thread::scope(|scope| {
        for is_asked_to_end in [false, true] {
            scope.spawn(move || waiting_records_are_written(is_asked_to_end));
        }
    });
}

/// Ends a referee with two matches that wait for room and one that is played, and starts the
/// next one.
fn waiting_records_are_written(is_asked_to_end: bool) {
    let desk = Desk::new();
    let folder = desk.records();
    let arguments = desk.arguments(&["--resume"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // The journal of the next one is shorter than the results.
    let earlier = Referee::start(&["--records", folder.to_str().unwrap()]);
    for _ in 0..5 {
        earlier.plays_a_match();
    }
    drop(earlier);
    let mut referee = Referee::start_with_room(Room::Enough, &arguments);
    let before = table(&folder);
    let room = half_a_line(&folder);
    referee.set_room(room);
    referee.plays_a_match();
    referee.plays_a_match();
    let (mut black, _white) = referee.named_pair();
    black.ask("1 c3", "200 ");
    assert_len(&desk.unrecorded(), 3);
    if is_asked_to_end {
        referee.signal("-TERM");
        assert_eq!(referee.wait().code(), Some(0));
        assert_eq!(referee.count_in_log("is recorded at the next start"), 2);
    } else {
        referee.kill();
    }
    assert_eq!(table(&folder), before);
    // There is no room yet: the interrupted match goes on anyway.
    let referee = Referee::start_with_room(room, &arguments);
    referee.wait_for_count("cannot be recorded now", 2);
    let mut black = referee.seat("player black \"Ann\"");
    let mut white = referee.seat("player white \"Bob\"");
    for client in [&mut black, &mut white] {
        client.lines_to("311 1 c3 ");
        client.expect("35");
    }
    white.ask("resign", "204 ");
    black.lines_to("327 ");
    assert_eq!(table(&folder), before);
    referee.set_room(Room::Enough);
    referee.wait_for_line("matches that waited for the disk are recorded: 3");
    assert!(desk.unrecorded().is_empty());
    expect_matches(&folder, 8);
    referee.kill();
    desk.start(&[]).plays_a_match();
    expect_matches(&folder, 9);
}

/// A crash has torn the journal, and there is no room to save the part that is cut off.
#[test]
fn a_torn_journal_is_restored_on_a_full_disk() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let path = desk.journal();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let arguments = desk.arguments(&["--resume"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let referee = Referee::start_with_room(Room::Bytes(0), &arguments);
    referee.wait_for_line("waits for its players after 1 move");
    // Moves find no room, and are not acknowledged.
    let (mut black, mut white) = referee.named_pair();
    white.ask("1 ... b2", "399 the match is interrupted");
    black.lines_to("399 the match is interrupted");
    referee.set_room(Room::Enough);
    let (_black, mut white) = referee.named_pair();
    white.ask("1 ... b2", "207 ");
}
