//! The commands of the organizer, at the terminal and from the page.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::executable::executable;
use crate::netref::desk::Desk;
use crate::netref::referee::Referee;
use crate::netref::scenes::{expect_board, pair_when_free, play_out};
use crate::netref::server::{assert_len, results, sole_record};
use crate::netref::spectator::{Spectator, act, page, request_with, token};
#[cfg(target_os = "linux")]
use crate::server::ending_signals;
use crate::waiting::{EndsInTime, Pipe};

const VOID: &str = "399 The organizer has ended the match: it does not count";
const ADJOURNED: &str = "399 The organizer has adjourned the match: come back when it is resumed";

impl Desk {
    /// A referee with an organizer that goes on where the last one was.
    fn start_with_organizer(&self, more: &[&str]) -> Referee {
        let arguments = self.arguments(more);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Referee::start_with_organizer(&arguments)
    }
}

#[test]
fn a_match_is_voided_and_the_table_is_free_at_once() {
    let desk = Desk::new();
    let mut referee = desk.start_with_organizer(&[]);
    for named in [false, true] {
        let mut observer = referee.observer();
        let (mut black, mut white) = match named {
            false => referee.pair(),
            true => referee.named_pair(),
        };
        black.ask("1 c3", "200 ");
        white.lines_to("311 1 c3 ");
        black.lines_to("311 1 c3 ");
        referee.command("void 0", "is void");
        for client in [&mut black, &mut white] {
            client.expect(VOID);
            client.expect_end();
        }
        observer.lines_to(VOID);
        observer.lines_to("380 1 . ");
        referee.wait_for_line("is over: No result: the organizer ended the match");
        let rows = results(desk.state());
        assert_eq!(rows.last().unwrap()[4..8], ["none", "void", "", "1"]);
        assert!(desk.unrecorded().is_empty());
        referee.plays_a_match();
    }
    let rows = results(desk.state());
    let text = fs::read_to_string(
        desk.state()
            .join("games")
            .join(format!("{}.sgf", rows[0][0])),
    )
    .unwrap();
    for part in ["RE[Void]", "Reason: void", ";B[cc]"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A player who does not come back holds the table no longer than the organizer wants.
#[test]
fn a_match_that_waits_for_a_player_can_be_voided() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let mut referee = desk.start_with_organizer(&[]);
    let mut ann = referee.seat("player black \"Ann\"");
    let mut stranger = referee.connect();
    stranger.ask("0.9.1 player white", "000 ");
    stranger.expect("191 ");
    let told = referee.command("list", "table 0, port ");
    assert!(
        told.ends_with(", black (\"Ann\") against white (\"Bob\"), 2 moves, waits for its players"),
        "{told}"
    );
    referee.command("void 0", "is void");
    ann.expect(VOID);
    ann.expect_end();
    let line = results(desk.state()).concat();
    assert_eq!(line[4..8], ["none", "void", "", "2"]);
    assert_eq!(sole_record(desk.state()).0, ["c3", "c4"]);
    let (mut black, mut white) = referee.pair();
    play_out(&mut black, &mut white);
    // The match stays void.
    referee.kill();
    desk.start(&[]);
    assert_len(&results(desk.state()), 2);
}

#[test]
fn an_adjourned_match_is_resumed_later_even_after_a_restart() {
    let desk = Desk::new();
    let mut referee = desk.start_with_organizer(&["100", "--stop-after", "2"]);
    let mut observer = referee.observer();
    let (mut black, mut white) = referee.named_pair();
    black.ask("1 c3", "207 99 ");
    white.lines_to("313 1 c3 ");
    white.ask("1 ... c4", "207 99 ");
    black.lines_to("314 1 ... c4 ");
    let answer = referee.command("adjourn 0", "is adjourned");
    let id = answer.split(' ').nth(1).unwrap().to_owned();
    black.expect(ADJOURNED);
    black.expect_end();
    white.lines_to(ADJOURNED);
    observer.lines_to(ADJOURNED);
    drop((black, white, observer));
    assert!(desk.unrecorded().is_empty() && results(desk.state()).is_empty());
    // Others play meanwhile; it does not count as one of the two matches.
    let (mut black, mut white) = pair_when_free(referee.addresses[0]);
    black.ask("resign", "204 ");
    white.rest();
    let players = pair_when_free(referee.addresses[0]);
    referee.command(&format!("resume {id}"), "table 0: the table is not free");
    referee.command("list", "table 0, port ");
    let told = referee.next_answer();
    assert_eq!(
        told,
        format!("adjourned: match {id}, black (\"Ann\") against white (\"Bob\"), 2 moves")
    );
    referee.command("void 0", "is void");
    drop((players, black, white));
    assert!(referee.wait().success());

    // A server with another number has no table for it.
    let input = format!("resume {id}\n");
    let told = "this is a match of server 0, and the tables here are 1: resume it at a \
                referee with that number (gothello netref 0)";
    let answer = another_server_told(&desk, &input);
    assert!(answer.contains(told), "{answer}");

    // An adjourned match is not an interrupted one, which --resume would restore.
    let arguments = desk.arguments(&["100", "--stop-after", "1"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut referee = Referee::start_with_organizer(&arguments);
    referee.wait_for_line(&format!("to resume it, type: resume {id}"));
    // One player has come back too early.
    let eve = referee.seat("player black \"Eve\"");
    let held = "\"Eve\" waits to play black; that client waits for another match and must leave: \
                resume first, then the players come back";
    referee.command(&format!("resume {id}"), held);
    drop(eve);
    referee.wait_for_line("\"Eve\" (black) left");
    referee.command(&format!("resume {id}"), "waits for its players");
    referee.command(&format!("resume {id}"), "is adjourned");
    let mut stranger = referee.connect();
    stranger.ask("0.9.1 player black", "000 ");
    stranger.expect("191 ");
    let (mut black, mut white) = referee.named_pair();
    black.ask("resign", "204 ");
    white.lines_to("328 ");
    drop((stranger, black, white));
    assert!(referee.wait().success());
    let rows = results(desk.state());
    let of_it: Vec<_> = rows.iter().filter(|row| row[0] == id).collect();
    assert_eq!(of_it.len(), 1, "{rows:#?}");
    assert_eq!(of_it[0][4..8], ["white", "resignation", "", "2"]);
    assert_eq!(rows.len(), 3, "{rows:#?}");
}

/// The answers of a referee with another server number.
fn another_server_told(desk: &Desk, orders: &str) -> String {
    let mut server = Command::new(executable())
        .args(["netref", "1", "--port", "0"])
        .args(desk.arguments(&[]))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    input.write_all(orders.as_bytes()).unwrap();
    let told = Pipe::new(server.stderr.take().unwrap()).line(orders);
    server.kill().unwrap();
    server.wait_in_time();
    told.unwrap()
}

/// An observer of an empty table sees a match that is resumed there as if the observer had just
/// connected.
#[test]
fn observers_of_an_empty_table_see_the_match_that_is_resumed_there() {
    let desk = Desk::new();
    let mut referee = desk.start_with_organizer(&[]);
    let (mut black, _white) = referee.named_pair();
    black.ask("1 c3", "200 ");
    let answer = referee.command("adjourn 0", "is adjourned");
    let id = answer.split(' ').nth(1).unwrap();
    let mut early = referee.observer();
    early.expect_silence(Duration::from_millis(100));
    referee.command(&format!("resume {id}"), "waits for its players");
    let mut late = referee.observer();
    let board = "..... ..... ..b.. ..... .....";
    for (observer, count) in [(&mut early, "344 1 "), (&mut late, "344 2 ")] {
        for beginning in ["341 \"Bob\"", "342 \"Ann\"", count, "353 "] {
            observer.expect(beginning);
        }
        expect_board(observer, "380 1 w ", board);
    }
    let (_black, mut white) = referee.named_pair();
    white.ask("1 ... pass", "200 ");
    for observer in [&mut early, &mut late] {
        expect_board(observer, "380 1 w ", board);
        observer.expect("316 1 ... pass ");
    }
}

/// The others are in `tests/pure/netref/referee.rs`.
#[test]
fn a_command_that_is_impossible_is_refused_with_a_reason() {
    let mut referee = Referee::start_with_organizer(&[]);
    referee.command("help", "list ");
    for _ in 0..10 {
        referee.next_answer();
    }
    referee.command("viod 0", "there is no command \"viod\"");
    let (mut black, mut white) = referee.named_pair();
    referee.command("adjourn 0", "--state");
    play_out(&mut black, &mut white);
}

#[test]
fn the_end_of_the_input_ends_nothing() {
    let mut referee = Referee::start_with_organizer(&[]);
    let (mut black, mut white) = referee.pair();
    // A line without an end may be the first half of a command.
    referee.type_in("\n\nvoid 0");
    referee.end_input();
    black.expect_silence(Duration::from_millis(200));
    play_out(&mut black, &mut white);
    referee.plays_a_match();
}

#[test]
fn matches_continue_whatever_is_typed() {
    let mut referee = Referee::start_with_organizer(&[]);
    let (mut black, mut white) = referee.pair();
    referee.type_in(&"x".repeat(1_000_000));
    referee.type_in("\nlist\n");
    referee.skip_answers_to("table 0");
    play_out(&mut black, &mut white);
}

/// Half of a typed line is not a command.
#[test]
fn nothing_of_a_line_that_is_too_long_is_carried_out() {
    let mut referee = Referee::start_with_organizer(&[]);
    let (mut black, mut white) = referee.pair();
    for length in [1_000, 1_016, 1_017, 1_024, 3_000] {
        let line = "x".repeat(length) + " void 0";
        let why = match length {
            1_017.. => "error: the line has more than 1024 bytes",
            _ => "there is no command",
        };
        referee.command(&line, why);
    }
    referee.command("list", "table 0, port ");
    play_out(&mut black, &mut white);
}

#[cfg(target_os = "linux")]
#[test]
fn with_nohup_a_referee_goes_on_when_its_terminal_is_closed() {
    let referee = Referee::start_without_hangup(&[]);
    referee.signal("-HUP");
    referee.plays_a_match();
    if ending_signals().contains(&"-HUP") {
        let mut other = Referee::start(&[]);
        other.signal("-HUP");
        other.wait();
        other.wait_for_line("its terminal is closed");
    }
}

/// The terminal is closed.
#[test]
fn an_organizer_who_cannot_be_answered_is_obeyed() {
    let mut referee = Referee::start_with_organizer(&[]);
    referee.close_answers();
    let (mut black, _white) = referee.pair();
    referee.type_in("list\nviod 0\nvoid 0\n");
    black.lines_to(VOID);
    referee.plays_a_match();
}

#[test]
fn the_organizers_page_voids_adjourns_and_resumes() {
    let desk = Desk::new();
    let arguments = desk.arguments(&["--http", "0", "--token", "0123456789abcdef"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let referee = Referee::start(&arguments);
    assert_eq!(token(&referee), " and the token of --token");
    let (address, token) = (page(&referee), Some("0123456789abcdef"));
    let mut seen = Spectator::open(&referee);
    assert_eq!(seen.first().table["commands"]["recall"], json!(null));
    assert_eq!(
        seen.first().table["commands"]["void"],
        "no match is played there"
    );
    let (mut black, mut white) = referee.named_pair();
    black.ask("1 c3", "200 ");
    seen.wait_for_plies(2);
    let commands = &seen.first().table["commands"];
    assert_eq!(commands["void"], json!(null));
    assert_eq!(commands["adjourn"], json!(null));
    assert_eq!(commands["recall"], "the table is not free");
    let adjourn = json!({"action": "adjourn", "table": 0});
    let origin = "Origin: http://evil.example\r\n";
    let answer = request_with(address, "GET /", origin);
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    referee.wait_for_line("a request from 127.0.0.1 is rejected: ");
    for nobody in [None, Some("0123456789abcdeg"), Some("")] {
        let answer = act(address, nobody, &adjourn);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    let answer = act(address, token, &json!({"action": "swap", "table": 0}));
    assert!(answer.starts_with("HTTP/1.1 409 "), "{answer}");
    let answer = act(address, token, &adjourn);
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    black.lines_to(ADJOURNED);
    white.lines_to(ADJOURNED);
    seen.wait("it is adjourned", |seen| seen.adjourned.len() == 1);
    let game = seen.adjourned[0].clone();
    let id = game["id"].as_str().unwrap();
    let title = format!("Table 0: match {id}, black (\"Ann\") against white (\"Bob\"), 1 move");
    assert_eq!(game["title"], title);
    assert_eq!(game["table"], 0);
    let elsewhere = json!({"action": "recall", "table": 7, "game": game["id"]});
    let answer = act(address, token, &elsewhere);
    assert!(answer.contains("this is a match of table 0"), "{answer}");
    let recall = json!({"action": "recall", "table": 0, "game": game["id"]});
    assert!(act(address, token, &recall).starts_with("HTTP/1.1 200 "));
    seen.wait("it is resumed", |seen| seen.adjourned.is_empty());
    seen.wait_for("paused");
    let clear = json!({"action": "void", "table": 0});
    assert!(act(address, token, &clear).starts_with("HTTP/1.1 200 "));
    seen.wait("it is over", |seen| {
        seen.first().table["result"] == "No result: the organizer ended the match"
    });
    assert_eq!(results(desk.state()).concat()[4..6], ["none", "void"]);
    // Spectators learn neither the token nor any address.
    assert!(!seen.raw.contains("0123456789") && !seen.raw.contains("127.0.0.1"));
}

#[test]
fn a_free_match_is_decided_after_its_end() {
    let desk = Desk::new();
    let mut referee = desk.start_with_organizer(&[]);
    referee.plays_a_match();
    let id = results(desk.state())[0][0].clone();
    let decided = format!("correct {id} 1/2 it was a test");
    referee.command(
        &decided,
        "Drawn by decision of the organizer, because it was",
    );
    let rows = results(desk.state());
    assert_eq!(rows[1][4..6], ["draw", "ruling"]);
    referee.command("replay 2 why", "there is no game \"2\"");
}
