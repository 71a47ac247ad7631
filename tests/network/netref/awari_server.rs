//! The built referee of Awari: its journals, its records, and its errors.

use std::fs;

use gothello::awari::{self, Variant};
use itertools::Itertools;

use crate::netref::desk::Desk;
use crate::netref::referee::{Client, Referee, version_of};
use crate::netref::scenes::refusal;
use crate::netref::server::{results, sole};

/// The rows that come before a table, in the paper's tables 1 and 3: `greeting`, `seat_illegal` and
/// `seat_garbled`. The others are in `tests/pure/netref/awari.rs`.
#[test]
fn an_invalid_opening_is_refused() {
    let referee = Referee::start(&["--game", "awari"]);
    let mut client = referee.connect();
    client.expect("000 0.9.2 Awari server says hello!");
    for line in [
        "player south",
        "0.9 player black",
        "0.9 play south",
        "0.9 player north \"Bo",
    ] {
        client.ask(line, "199 ");
    }
    let refusal = client.ask("0.10 player south", "198 ");
    assert!(
        refusal.contains("expected 0.9.2 or less, got 0.10"),
        "{refusal}"
    );
    client.expect_end();
}

/// A player at the built referee that has been told that the match begins.
fn player(referee: &Referee, side: &str) -> Client {
    let mut client = referee.connect();
    client.expect("000 0.9.2 Awari");
    client.ask(&format!("{} player {side}", version_of(side)), "10");
    client
}

/// The line in the table and the text of the only match that was recorded.
fn sole_match(desk: &Desk) -> (Vec<String>, String) {
    let line = sole(results(desk.state()));
    let path = desk.state().join("games").join(format!("{}.txt", line[0]));
    (line, fs::read_to_string(path).unwrap())
}

/// Records are written, and a match continues after a crash under the rules that it began with.
#[test]
fn a_match_is_journaled_and_recorded() {
    let desk = Desk::new();
    let referee = desk.start_awari(&["100", "--grand-slam", "b", "--repetition", "discard"]);
    let mut south = player(&referee, "south \"Ann\"");
    let mut north = player(&referee, "north \"Bob\"");
    south.lines_to("352 ");
    north.lines_to("351 ");
    south.ask("1 A", "207 99 ");
    north.lines_to("313 ");
    north.ask("draw?", "205 ");
    north.lines_to("332 ");
    referee.kill();
    // The rules of the next referee do not matter.
    let referee = desk.start_awari(&["100"]);
    let mut south = player(&referee, "south \"Ann\"");
    let mut north = player(&referee, "north \"Bob\"");
    for client in [&mut south, &mut north] {
        client.lines_to("332 ");
        client.expect("35");
    }
    south.ask("draw", "203 ");
    south.expect_last(&["329 "]);
    north.expect_last(&["329 "]);
    referee.wait_for_line("Drawn by agreement");
    referee.wait_for_news("it is recorded", |_| desk.unrecorded().is_empty());
    let (columns, record) = sole_match(&desk);
    assert_eq!(columns[2..8], ["Ann", "Bob", "draw", "agreement", "", "1"]);
    let (head, moves) = record.split_once("\n\n").unwrap();
    for line in [
        "South: Ann",
        "North: Bob",
        "Rules: b discard",
        "Seconds: 100 100",
        "Result: drawn by agreement",
    ] {
        assert!(head.lines().any(|other| other == line), "{line}: {head}");
    }
    assert!(moves.starts_with("1 A 0."), "{moves}");
    let game = awari::read(&record, Variant::default()).unwrap();
    assert_eq!(game.variant().to_string(), "b discard");
    assert_eq!(game.moves().count(), 1);
}

#[test]
fn a_match_that_is_played_out_is_recorded_with_its_score() {
    let desk = Desk::new();
    let referee = desk.start_awari(&[]);
    let mut players = [player(&referee, "south"), player(&referee, "north")];
    players[0].lines_to("352 ");
    players[1].lines_to("351 ");
    let moves = "E a D f C b C e B c A d";
    for (ply, mv) in moves.split(' ').enumerate() {
        let ellipses = ["", "... "][ply % 2];
        players[ply % 2].send(&format!("{} {ellipses}{mv}\r", ply / 2 + 1));
        for player in &mut players {
            player.lines_to("3");
        }
    }
    referee.wait_for_line("North wins (");
    referee.wait_for_news("it is recorded", |_| desk.unrecorded().is_empty());
    let (columns, record) = sole_match(&desk);
    assert_eq!(columns[4..8], ["north", "play", "0-25", "12"]);
    assert!(
        record.contains("Result: North wins 0-25 by 25 stones\n"),
        "{record}"
    );
    let game = awari::read(&record, Variant::default()).unwrap();
    assert_eq!(game.moves().join(" "), moves);
    assert!(game.is_over());
}

#[test]
fn a_server_number_that_is_too_great_is_refused_with_a_way_out() {
    for (more, way_out) in [(&[][..], ", or a port with --port"), (&["--port", "0"], "")] {
        let (code, lines) = refusal(&[&["30"], more].concat());
        let first = format!("error: Gothello has no server number 30: give 0 to 29{way_out}");
        assert_eq!((code, &lines[0]), (Some(2), &first), "{lines:?}");
    }
}

#[test]
fn options_of_the_other_game_are_refused() {
    for (arguments, words) in [
        (
            &["11", "--game", "awari"][..],
            "Awari has no server number 11: give 0 to 10",
        ),
        (
            &["99", "--game", "awari"],
            "Awari has no server number 99: give 0 to 10",
        ),
        (&["30"], "Gothello has no server number 30: give 0 to 29"),
        (
            &["70000"],
            "give a server number: 0 to 29, or with --game awari 0 to 10",
        ),
        (
            &["5", "--tables", "7", "--game", "awari"],
            "no server number 11",
        ),
        (&["--grand-slam", "b"], "--grand-slam is for --game awari"),
        (
            &["--repetition", "claim"],
            "--repetition is for --game awari",
        ),
        (&["--strict"], "--strict is for --game awari"),
        (&["--game", "chess"], "gothello"),
        (&["--game", "awari", "--grand-slam", "f"], "'f'"),
    ] {
        let (code, lines) = refusal(arguments);
        assert_eq!(code, Some(2), "{lines:?}");
        assert!(lines.concat().contains(words), "{words}: {lines:?}");
    }
    // The results are Gothello's.
    let desk = Desk::new();
    desk.start(&[]).plays_a_match();
    let line = desk.refusal(&["--game", "awari"]);
    assert!(
        line.contains("this folder has results of Gothello, and Awari is played here"),
        "{line}"
    );
    // So is the match.
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let line = desk.refusal(&["--game", "awari"]);
    assert!(
        line.contains("a match of Gothello, and Awari is played here"),
        "{line}"
    );
}
