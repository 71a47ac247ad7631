//! Tables 2 to 10 of the paper, row by row, and tests of tables 6 to 10: how a match of Gothello is
//! played.

use itertools::Itertools;

use super::test_table::{Client, TestTable, assert_begin, assert_end};
use super::{clocks, endings, openings};

/// A row of the paper's tables: its name, its code or request, and the test of
/// it.
type Row = (&'static str, &'static str, fn());

/// All rows of tables 2 to 10 in their order, without those that no table answers: the greeting, 198
/// and 199, which `tests/network/netref/openings.rs` gets from the built referee.
#[rustfmt::skip]
const ROWS: [Row; 51] = [
    // 2: initial requests
    ("want_white", "player white", openings::a_match_begins_when_both_sides_have_a_player),
    ("want_black", "player black", openings::a_match_begins_when_both_sides_have_a_player),
    ("want_side", "player ?", openings::a_player_of_either_side_gets_the_free_one),
    ("want_observe", "observer", openings::a_late_observer_gets_the_current_state),
    // 3: initial responses
    ("seat_granted", "100", openings::a_match_begins_when_both_sides_have_a_player),
    ("seat_granted_tc", "101", openings::with_time_controls_everyone_is_told_the_seconds),
    ("seat_taken", "191", openings::a_side_that_is_taken_is_free_again_when_its_player_leaves),
    ("seat_full", "192", openings::a_third_player_finds_the_table_full_while_two_play),
    ("seat_private", "193", openings::nobody_observes_at_a_private_table),
    // 4: configuration messages
    ("config_white", "341", openings::names_are_told_to_those_who_gave_one_and_to_observers),
    ("config_black", "342", openings::names_are_told_to_those_who_gave_one_and_to_observers),
    ("config_observer", "343", openings::names_are_told_to_those_who_gave_one_and_to_observers),
    ("config_nobserver", "344", openings::names_are_told_to_those_who_gave_one_and_to_observers),
    // 5: starting messages
    ("role_white", "351", openings::a_match_begins_when_both_sides_have_a_player),
    ("role_black", "352", openings::a_match_begins_when_both_sides_have_a_player),
    ("role_observer", "353", openings::an_observer_between_two_matches_sees_the_next_one),
    // 6: move syntax
    ("action_move", "1 ... c3", moves_are_reported_to_all),
    // 7: alternatives to moving
    ("action_resign", "resign", endings::resigning_loses),
    ("action_pass", "pass", a_pass_needs_no_number),
    // 8: responses to actions
    ("result_continue", "200", moves_are_reported_to_all),
    ("result_continue", "207", clocks::of_a_second_that_has_begun_nothing_is_told),
    ("result_win", "201", blacks_last_move_wins_or_loses_or_draws),
    ("result_lost", "202", blacks_last_move_wins_or_loses_or_draws),
    ("result_drawn", "203", blacks_last_move_wins_or_loses_or_draws),
    ("result_resigned", "204", endings::resigning_loses),
    ("result_illegal", "291", an_illegal_request_changes_nothing),
    ("result_garbled", "299", a_garbled_request_changes_nothing),
    // 9: status messages
    ("status_moves_black", "311", moves_are_reported_to_all),
    ("status_moves_white", "312", moves_are_reported_to_all),
    ("status_moves_black_tc", "313", moves_are_reported_with_the_seconds_left),
    ("status_moves_white_tc", "314", moves_are_reported_with_the_seconds_left),
    ("status_passes_black", "315", a_pass_needs_no_number),
    ("status_passes_white", "316", a_pass_needs_no_number),
    ("status_passes_black_tc", "317", moves_are_reported_with_the_seconds_left),
    ("status_passes_white_tc", "318", moves_are_reported_with_the_seconds_left),
    ("status_winsmove_black", "321", blacks_last_move_wins_or_loses_or_draws),
    ("status_losesmove_black", "322", blacks_last_move_wins_or_loses_or_draws),
    ("status_winsmove_white", "323", whites_last_move_wins_or_loses_or_draws),
    ("status_losesmove_white", "324", whites_last_move_wins_or_loses_or_draws),
    ("status_drawsmove_black", "325", blacks_last_move_wins_or_loses_or_draws),
    ("status_drawsmove_white", "326", whites_last_move_wins_or_loses_or_draws),
    ("status_resigns_white", "327", endings::resigning_loses),
    ("status_resigns_black", "328", endings::resigning_loses),
    ("status_flagfell_white", "361", clocks::white_s_flag_falls_by_itself),
    ("status_flagfell_black", "362", clocks::black_s_flag_falls_by_itself),
    ("status_disconnect_black", "391", endings::leaving_loses),
    ("status_disconnect_white", "392", endings::leaving_loses),
    ("status_garble", "399", endings::everyone_is_told_why_the_referee_stops),
    // 10: state display messages
    ("sdisp_status", "380", moves_are_reported_to_all),
    ("sdisp_status_tc", "381", moves_are_reported_with_the_seconds_left),
    ("sdisp_board", "382", moves_are_reported_to_all),
];

#[test]
fn every_row_is_there_once() {
    assert!(ROWS.iter().map(|(_, wire, _)| wire).all_unique());
}

/// The lines of a board with these ranks, from 5 to 1.
type Board = [&'static str; 5];

pub const EMPTY: Board = [".....", ".....", ".....", ".....", "....."];

/// A status line, the state and the board, as sent to observers.
pub fn shown(status: &'static str, state: &'static str, board: Board) -> Vec<&'static str> {
    [&[status, state, "382 "], &board[..]].concat()
}

/// The lines that an observer gets before the first move.
const START: [&str; 2] = ["344 1 ", "353 "];

#[test]
fn moves_are_reported_to_all() {
    let table = TestTable::new();
    let [black, white, observer] = table.play(["", ""], &["1 c3", "1 ... c4", "resign"]);
    let moves = ["311 1 c3 ", "312 1 ... c4 "];
    assert_begin(&black[..5], &["352 ", "> 1 c3", "200 ", moves[0], moves[1]]);
    assert_begin(
        &white[..5],
        &["351 ", moves[0], "> 1 ... c4", "200 ", moves[1]],
    );
    let one = [".....", ".....", "..b..", ".....", "....."];
    let two = [".....", "..w..", "..b..", ".....", "....."];
    let expected = [
        START.to_vec(),
        shown(moves[0], "380 1 w ", one),
        shown(moves[1], "380 2 b ", two),
        shown("328 ", "380 2 . ", two),
    ];
    assert_begin(&observer, &expected.concat());
}

#[test]
fn a_capture_is_shown() {
    let table = TestTable::new();
    let requests = ["1 a1", "1 ... a2", "2 e5", "2 ... b1", "resign"];
    let [_, _, observer] = table.play(["", ""], &requests);
    let boards: Vec<_> = observer.split(|line| line.starts_with("382 ")).collect();
    assert_eq!(
        boards[3][..5],
        ["....b", ".....", ".....", "w....", "b...."]
    );
    assert_eq!(
        boards[4][..5],
        ["....b", ".....", ".....", "w....", "ww..."]
    );
}

#[test]
fn moves_are_reported_with_the_seconds_left() {
    let table = TestTable::timed(120, 60);
    let requests = [
        "1 c3",
        "1 ... c4",
        "2 pass",
        "2 ... d4",
        "3 a1",
        "3 ... pass",
        "4 pass",
    ];
    let [black, white, observer] = table.play(["", ""], &requests);
    let told = |lines: &[String]| {
        let codes = lines.iter().map(|line| &line[..3]);
        codes.filter(|code| code.starts_with("31")).join(" ")
    };
    for lines in [&black, &white, &observer] {
        assert_eq!(told(lines), "313 314 317 314 313 318");
    }
    let states = observer.iter().filter(|line| line.starts_with("381 "));
    let fields = states.map(|line| line.split(' ').collect_vec());
    let fields = fields.map(|fields| (fields[1].to_owned(), fields[4].to_owned()));
    let told = fields.map(|(number, to_move)| number + &to_move).join(" ");
    assert_eq!(told, "1w 2b 2w 3b 3w 4b 4.");
}

#[test]
fn a_pass_needs_no_number() {
    let table = TestTable::new();
    let requests = ["1 c3", "pass", "2 c4", "2 ... d4", "pass", "pass"];
    let [black, white, observer] = table.play(["", ""], &requests);
    assert!(black.iter().any(|line| line.starts_with("316 1 ... pass ")));
    assert!(white.iter().any(|line| line.starts_with("315 3 pass ")));
    let board = [".....", "..bw.", "..b..", ".....", "....."];
    let end = shown("324 3 ... pass ", "380 3 . ", board);
    assert_end(&observer, &end);
}

#[test]
fn blacks_last_move_wins_or_loses_or_draws() {
    let table = TestTable::new();
    for (requests, [to_black, status]) in [
        (
            &["1 c3", "1 ... pass", "2 pass"][..],
            ["201 ", "321 2 pass "],
        ),
        (
            &[
                "pass", "1 ... c3", "pass", "2 ... d4", "pass", "3 ... b2", "4 a5", "pass", "pass",
            ],
            ["202 ", "322 5 pass "],
        ),
        (
            &["1 pass", "1 ... c3", "2 a1", "2 ... pass", "3 pass"],
            ["203 ", "325 3 pass "],
        ),
    ] {
        let [black, white, observer] = table.play(["", r#""B""#], requests);
        assert_end(&black, &[to_black, status]);
        assert_end(&white, &[status]);
        assert!(
            observer[observer.len() - 8].starts_with(status),
            "{requests:?}: {observer:#?}"
        );
    }
}

#[test]
fn whites_last_move_wins_or_loses_or_draws() {
    let table = TestTable::new();
    for (requests, [to_white, status]) in [
        (
            &["1 pass", "1 ... c3", "2 pass", "2 ... pass"][..],
            ["201 ", "323 2 ... pass "],
        ),
        (
            &[
                "1 c3",
                "1 ... pass",
                "2 c4",
                "2 ... a1",
                "3 pass",
                "3 ... pass",
            ],
            ["202 ", "324 3 ... pass "],
        ),
        (&["1 pass", "1 ... pass"], ["203 ", "326 1 ... pass "]),
    ] {
        let [black, white, observer] = table.play([r#""A""#, ""], requests);
        assert_end(&white, &[to_white, status]);
        assert_end(&black, &[status]);
        assert!(
            observer[observer.len() - 8].starts_with(status),
            "{requests:?}: {observer:#?}"
        );
    }
}

#[test]
fn an_illegal_request_changes_nothing() {
    let table = TestTable::new();
    let mut black = table.seat("player black");
    // The match has not begun.
    for request in ["1 c3", "pass", "resign"] {
        black.ask(request, "291 ");
    }
    let mut white = table.seat("player white");
    let mut observer = table.seat("observer");
    white.expect("351 ");
    black.expect("352 ");
    // It is not White's turn.
    for request in ["1 ... c3", "1 c3", "pass", "resign"] {
        white.ask(request, "291 ");
    }
    observer.lines_to("382 ");
    observer.expect_all(&EMPTY);
    observer.expect_nothing();
    // Black has the corner, which is not free then, and White all around it.
    for moves in [
        ["1 a1", "1 ... b1"],
        ["2 e5", "2 ... b2"],
        ["3 e4", "3 ... a3"],
    ] {
        black.ask(moves[0], "200 ");
        white.expect("311 ");
        if moves[0] == "1 a1" {
            white.ask("1 ... a1", "291 ");
        }
        white.ask(moves[1], "200 ");
        black.expect_all(&["311 ", "312 "]);
        white.expect("312 ");
    }
    // ....b
    // ....b
    // w....
    // .w...    Black would have no liberty at a2 and capture nothing.
    // bw...
    black.ask("4 a2", "291 ");
    black.ask("4 a4", "200 ");
}

#[test]
fn a_garbled_request_changes_nothing() {
    let table = TestTable::new();
    let (mut black, mut white) = table.pair();
    let garbled = |player: &mut Client, requests: &[&str]| {
        for request in requests {
            player.ask(request, "299 ");
        }
    };
    garbled(
        &mut black,
        &[
            "c3", "1", "1 ...", "1 ... c3", "2 c3", "0 c3", "01 c3", "+1 c3",
        ],
    );
    black.ask("1 c3", "200 ");
    black.expect("311 1 c3 ");
    garbled(
        &mut black,
        &[
            "0.9.1 player black",
            "PASS",
            "Resign",
            "1 c6",
            "1 f1",
            "1 C4",
        ],
    );
    white.expect("311 1 c3 ");
    garbled(
        &mut white,
        &[
            "1 c4",
            "1 ...c4",
            "1... c4",
            "1 .. c4",
            "2 ... c4",
            "1 ... ... c4",
        ],
    );
    // None of these is a valid form of 1.
    garbled(
        &mut white,
        &["4294967297 ... c4", "99999999999999999999 ... c4"],
    );
    white.ask("1 ... c4", "200 ");
    white.expect("312 1 ... c4 ");
    black.expect("312 1 ... c4 ");
    black.ask("2 c4", "291 ");
    garbled(
        &mut black,
        &["2 ... pass", "3 pass", "2 passs", "2 c 4", "2 c33"],
    );
    black.ask("2 d4", "200 ");
}
