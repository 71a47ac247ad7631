//! The disk is full: no match is lost, torn or doubled.
//!
//! The tests fill no disk: they limit the size of the program's files, so that a write fails in
//! the same way, after a part of it.

use std::fs;
use std::path::Path;
use std::thread;

use crate::netref::desk::Desk;
use crate::netref::referee::{Referee, Room};
use crate::netref::server::{assert_len, results};
use crate::result_line::result_line;

/// The matches of earlier seasons, with which the results are longer than the journal.
const EARLIER: usize = 100;

/// Writes their results, without records.
fn write_earlier(folder: &Path) {
    let row = |number: usize| {
        let id = format!("20201120-093000-{number:06}-0");
        let row = result_line(&id, ["Ann", "Bob"], "draw", None);
        row.replace(
            "\"result\":\"\"",
            &format!("\"result\":\"{}\"", "x".repeat(400)),
        )
    };
    let rows: String = (0..EARLIER).map(row).collect();
    fs::write(folder.join("results.jsonl"), rows).unwrap();
}

/// The whole lines of the results. While the referee tries to write another, and when it is killed
/// meanwhile, a part of that one follows them.
fn lines(folder: &Path) -> String {
    let mut text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
    text
}

/// Room for half a line of the results more, and for all other files.
fn half_a_line(folder: &Path) -> Room {
    Room::Bytes(u64::try_from(lines(folder).len()).unwrap() + 60)
}

/// Each match since then has one line, in the order in which they were played, and one whole record.
#[track_caller]
fn expect_matches(folder: &Path, count: usize) {
    let rows = results(folder).split_off(EARLIER);
    assert_eq!(rows.len(), count, "{rows:#?}");
    assert!(rows.is_sorted_by_key(|row| row[0].clone()), "{rows:#?}");
    for row in &rows {
        let path = folder.join("games").join(format!("{}.sgf", row[0]));
        let text = fs::read_to_string(path).unwrap();
        let game = gothello::sgf::read(&text, usize::MAX).unwrap();
        assert_eq!(game.undoable().to_string(), row[7]);
    }
    let files = fs::read_dir(folder.join("games")).unwrap();
    assert_eq!(files.count(), count);
}

#[test]
fn a_match_that_cannot_be_recorded_waits_for_room() {
    let desk = Desk::new();
    let folder = desk.state();
    write_earlier(folder);
    let arguments = desk.arguments(&["--tables", "2"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let referee = Referee::start_with_room(Room::Enough, &arguments);
    let before = lines(folder);
    referee.set_room(half_a_line(folder));
    for waiting in 1..=3 {
        // The players are not told.
        referee.plays_a_match();
        referee.wait_for_line(&format!(
            "this is tried again every 2 seconds for {waiting} match"
        ));
        assert_eq!(lines(folder), before);
    }
    assert_eq!(referee.count_in_log("cannot be recorded now"), 3);
    // Room for one of the three. The log names each once.
    referee.set_room(Room::Bytes(u64::try_from(before.len()).unwrap() + 700));
    referee.wait_for_line("matches that waited for the disk are recorded: 1");
    referee.set_room(Room::Enough);
    referee.wait_for_line("matches that waited for the disk are recorded: 2");
    expect_matches(folder, 3);
    referee.plays_a_match();
    expect_matches(folder, 4);
}

/// The next start finds each match that waited, once, however the
/// program ended and whether there is room by then.
#[test]
fn the_next_start_records_what_waited() {
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
    let folder = desk.state();
    write_earlier(folder);
    let arguments = desk.arguments(&[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut referee = Referee::start_with_room(Room::Enough, &arguments);
    let before = lines(folder);
    let room = half_a_line(folder);
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
    assert_eq!(lines(folder), before);
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
    // The players are told before the match is recorded: it waits too before there is room.
    referee.wait_for_count("cannot be recorded now", 3);
    assert_eq!(lines(folder), before);
    referee.set_room(Room::Enough);
    referee.wait_for_line("matches that waited for the disk are recorded: 3");
    assert!(desk.unrecorded().is_empty());
    expect_matches(folder, 3);
    referee.kill();
    desk.start(&[]).plays_a_match();
    expect_matches(folder, 4);
}

/// A crash has torn the journal, and there is no room to save the part that is cut off.
#[test]
fn a_torn_journal_is_restored_on_a_full_disk() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let path = desk.journal();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let arguments = desk.arguments(&[]);
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
