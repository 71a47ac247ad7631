//! The process dies in the middle of matches, and the next process continues them.

use std::fs;

use gothello::contests::netref::{self, ConnId, Entry, MatchReason, StartEntry};
use gothello::{ByColor, Color};

use crate::netref::desk::Desk;
use crate::netref::referee::Client;
use crate::netref::scenes::expect_board;
use crate::netref::server::{results, sole, sole_record};

/// The start of a match without clocks at server 0.
fn start(id: &str, names: [Option<&str>; 2]) -> Entry {
    let [first, second] = names.map(|name| name.map(str::to_owned));
    // Who gives a name has declared to resume matches.
    let client = |name: &Option<String>| {
        let resumes = name.is_some();
        let client = netref::Client {
            resumes,
            ..ConnId(1).into()
        };
        Some(Box::new(client))
    };
    Entry::Start(Box::new(StartEntry {
        game: "Gothello".into(),
        id: id.into(),
        server: 0,
        started_ms: 1_800_000_000_000,
        clients: ByColor::new(client(&first), client(&second)),
        names: ByColor::new(first, second),
        times_ms: None,
        rules: None,
        scheduled: None,
    }))
}

fn moved(mv: &str) -> Entry {
    Entry::Move {
        mv: mv.into(),
        spent_ms: 1_500,
        left_ms: None,
    }
}

/// The rest of a match after 1 c3 c4, with clocks.
fn finish(mut black: Client, mut white: Client) {
    black.ask("2 d3", "207 ");
    white.lines_to("313 2 d3 ");
    white.ask("2 ... pass", "207 ");
    black.lines_to("318 2 ... pass ");
    black.ask("3 pass", "201 ");
    black.expect("321 3 pass and black wins");
    white.lines_to("321 3 pass and black wins");
    black.expect_end();
    white.expect_end();
}

#[test]
fn a_match_goes_on_after_a_crash_with_its_position_and_clocks() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let mut referee = desk.start(&["100", "--stop-after", "1"]);
    referee.wait_for_line("waits for its players after 2 moves");
    let mut black = referee.connect();
    black.expect("000 ");
    black.ask("0.9.2 player black \"Ann\"", "101 99 99 ");
    black.ask("2 d3", "291 ");
    let mut white = referee.seat("player ? \"Bob\"");
    for (client, role) in [(&mut black, "352 "), (&mut white, "351 ")] {
        client.lines_to("313 1 c3 99 (secs) is black move, game continues");
        client.expect("314 1 ... c4 99 (secs) is white move, game continues");
        client.expect(role);
    }
    finish(black, white);
    assert!(referee.wait().success());
    let (moves, text) = sole_record(desk.state());
    assert_eq!(moves, ["c3", "c4", "d3", "pass", "pass"]);
    assert!(text.contains("PB[Ann]PW[Bob]"), "{text}");
    assert_eq!(desk.unrecorded(), [""; 0]);
}

/// The client libraries give no name and cannot resume a match; and nobody could
/// tell who they are. So there is no result, and the table is free at once.
#[test]
fn a_match_with_a_player_without_a_name_is_over_without_a_result() {
    let id = "20261120-120000-000000-0";
    let desk = Desk::new();
    desk.write(
        id,
        &[start(id, [Some("Ann"), None]), moved("c3"), moved("c4")],
    );
    let referee = desk.start(&[]);
    assert_eq!(desk.unrecorded(), [""; 0]);
    let line = sole(results(desk.state()));
    assert_eq!((&line[0][..], &line[7][..]), (id, "2"));
    assert_eq!(line[4..7], ["none", "interruption", ""]);
    let (moves, text) = sole_record(desk.state());
    assert_eq!(moves, ["c3", "c4"]);
    for part in ["RE[Void]", "Reason: interruption"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    referee.wait_for_line("is over: No result: the match was interrupted");
    // They connect again, as at the start of a match, and play a new one.
    referee.plays_a_match();
    referee.wait_for_news("it is recorded", |_| results(desk.state()).len() == 2);
}

#[test]
fn a_match_that_was_given_up_is_recorded_once() {
    let desk = Desk::new();
    desk.write("a", &[start("a", [None, None]), moved("c3")]);
    let journal = fs::read(desk.journal()).unwrap();
    for _ in 0..3 {
        fs::write(desk.journal(), &journal).unwrap();
        desk.start(&[]).kill();
        sole(results(desk.state()));
    }
}

#[test]
fn a_torn_last_line_is_cut_off() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let path = desk.journal();
    let whole = fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), 3);
    let last = whole.len() - lines[2].len();
    for length in [last, last + 1, last + 9, whole.len() - 3, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let referee = desk.start(&[]);
        referee.wait_for_line("waits for its players after 1 move");
        let torn = referee.count_in_log("a torn line of");
        assert_eq!(torn, usize::from(length > last));
        let mut ann = referee.seat("player black \"Ann\"");
        let mut bob = referee.seat("player white \"Bob\"");
        for client in [&mut ann, &mut bob] {
            client.lines_to("313 1 c3 ");
            client.expect("35");
        }
        bob.ask("1 ... b2", "207 ");
    }
}

#[test]
fn a_damaged_line_before_the_last_one_is_refused_and_left_as_it_is() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let path = desk.journal();
    let whole = fs::read_to_string(&path).unwrap();
    let damaged = whole.replace("\"mv\":\"c3\"", "\"mv\":\"d3\"");
    fs::write(&path, &damaged).unwrap();
    let line = desk.refusal(&[]);
    assert!(line.contains("line 2: its checksum is wrong"), "{line}");
    assert!(line.contains(path.to_str().unwrap()), "{line}");
    assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
}

/// What makes no sense is in `tests/pure/netref/restored.rs`.
#[test]
fn a_journal_that_makes_no_sense_is_refused() {
    let names = [Some("Ann"), Some("Bob")];
    let mut other_server = start("a", names);
    if let Entry::Start(start) = &mut other_server {
        let StartEntry { server, .. } = &mut **start;
        *server = 7;
    }
    for (entries, words) in [
        (
            &[start("a", names), moved("c3"), moved("c3")][..],
            "entry 3: ",
        ),
        (&[other_server], "match of table 7"),
    ] {
        let desk = Desk::new();
        desk.write("a", entries);
        let before = fs::read(desk.journal()).unwrap();
        let line = desk.refusal(&[]);
        assert!(line.contains(words), "{line}");
        assert_eq!(fs::read(desk.journal()).unwrap(), before);
    }
}

#[test]
fn two_interrupted_matches_of_one_table_are_refused() {
    let desk = Desk::new();
    let names = [Some("Ann"), Some("Bob")];
    desk.write("a", &[start("a", names)]);
    desk.write("b", &[start("b", names)]);
    let line = desk.refusal(&[]);
    assert!(
        line.contains("two interrupted matches of table 0"),
        "{line}"
    );
}

#[test]
fn two_servers_cannot_keep_their_journals_in_one_folder() {
    let desk = Desk::new();
    let first = desk.start(&["100"]);
    let _pair = first.named_pair();
    let line = desk.refusal(&[]);
    assert!(
        line.contains("another process keeps its journals there"),
        "{line}"
    );
}

#[test]
fn a_finished_match_without_a_record_is_recorded_once() {
    let names = [Some("Ann"), Some("Bob")];
    let passes = [moved("c3"), moved("pass"), moved("pass")];
    let resigned = Entry::End {
        winner: Some(Color::White),
        reason: MatchReason::Resignation,
        exchange: Vec::new(),
        why: None,
    };
    for (rest, result, plies) in [
        (&passes[..], "RE[B+1]", "3"),
        (&[moved("c3"), moved("c4"), resigned], "RE[W+R]", "2"),
    ] {
        let desk = Desk::new();
        desk.write("a", &[&[start("a", names)], rest].concat());
        let journal = fs::read(desk.journal()).unwrap();
        // The second time it crashed before the journal was removed.
        for _ in 0..2 {
            fs::write(desk.journal(), &journal).unwrap();
            let referee = desk.start(&[]);
            assert_eq!(desk.unrecorded(), [""; 0]);
            referee.kill();
            let (_, text) = sole_record(desk.state());
            assert!(text.contains(result), "{text}");
            let line = sole(results(desk.state()));
            assert_eq!(line[0], "a", "{line:?}");
            assert_eq!(line[7], plies, "{line:?}");
        }
        desk.start(&[]).plays_a_match();
    }
}

#[test]
fn an_interrupted_match_is_abandoned_if_nobody_comes_back() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let referee = desk.start(&["--seat-timeout", "1"]);
    let mut observer = referee.observer();
    observer.lines_to("399 Neither player came back");
    observer.expect_end();
    referee.wait_for_news("it is recorded", |_| !results(desk.state()).is_empty());
    let line = results(desk.state()).concat();
    assert_eq!(line[4..6], ["none", "abandonment"]);
    assert!(sole_record(desk.state()).1.contains("RE[Void]"));
    referee.plays_a_match();
}

#[test]
fn the_only_player_to_come_back_wins_after_the_wait() {
    let desk = Desk::new();
    desk.crash_after_two_moves();
    let referee = desk.start(&["--seat-timeout", "0.5"]);
    let mut ann = referee.seat("player black \"Ann\"");
    ann.lines_to("392 White disconnected");
    ann.expect_end();
    referee.wait_for_news("it is recorded", |_| !results(desk.state()).is_empty());
    assert!(sole_record(desk.state()).1.contains("RE[B+F]"));
    referee.plays_a_match();
}

#[test]
#[cfg(unix)]
fn a_match_that_a_signal_interrupts_can_go_on() {
    let desk = Desk::new();
    let mut referee = desk.start(&["100"]);
    let (mut black, mut white) = referee.named_pair();
    black.ask("1 c3", "207 ");
    white.lines_to("313 ");
    white.ask("1 ... c4", "207 ");
    referee.signal("-TERM");
    black.lines_to("399 ");
    drop((black, white));
    assert!(referee.wait().success());
    assert!(results(desk.state()).is_empty());
    let referee = desk.start(&[]);
    let mut black = referee.seat("player black \"Ann\"");
    let mut white = referee.seat("player white \"Bob\"");
    black.lines_to("352 ");
    white.lines_to("351 ");
    finish(black, white);
}

#[test]
fn each_table_continues_its_own_match() {
    let desk = Desk::new();
    let referee = desk.start(&["--tables", "2"]);
    let mut stay = Vec::new();
    for (table, mv) in [(0, "a1"), (1, "e5")] {
        let mut black = Client::connect(referee.addresses[table]);
        black.ask("0.9.2 player black \"Ann\"", "000 ");
        black.expect("100 ");
        let mut white = Client::connect(referee.addresses[table]);
        white.ask("0.9.2 player white \"Bob\"", "000 ");
        black.lines_to("352 ");
        black.ask(&format!("1 {mv}"), "200 ");
        stay.push((black, white));
    }
    referee.kill();
    let referee = desk.start(&["--tables", "2"]);
    for (table, board) in [
        (0, "..... ..... ..... ..... b...."),
        (1, "....b ..... ..... ..... ....."),
    ] {
        let mut observer = Client::connect(referee.addresses[table]);
        observer.ask("0.9.1 observer", "000 ");
        observer.lines_to("353 ");
        expect_board(&mut observer, "380 1 w ", board);
    }
}
