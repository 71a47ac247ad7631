//! A client leaves, at every moment of a match: the others are told, and the table is free for the
//! next pair at once.

use std::thread::sleep;
use std::time::Duration;

use crate::netref::referee::{Client, Referee};
use crate::netref::scenes::{expect_board, play_out};

const EMPTY: &str = "..... ..... ..... ..... .....";

#[test]
fn clients_that_leave_before_they_ask_for_a_role_leave_no_trace() {
    let referee = Referee::start(&[]);
    for text in ["", "0.9.1 pla", "0.9.1 player black", "nonsense\r", "\r\n"] {
        for _ in 0..3 {
            let mut client = referee.connect();
            client.expect("000 ");
            client.send(text);
        }
    }
    referee.plays_a_match();
    referee.wait_for_line("is over");
    assert_eq!(referee.count_in_log("will play"), 2);
}

#[test]
fn a_seat_left_before_the_start_is_free_again() {
    let referee = Referee::start(&[]);
    for opening in ["player black", "player white", "player ?"] {
        for _ in 0..5 {
            referee.seat(opening).leave();
        }
        drop(referee.seat(opening));
        referee.plays_a_match();
    }
}

#[test]
fn a_client_that_leaves_before_the_start_is_not_matched_with_the_next_one() {
    let referee = Referee::start(&[]);
    drop(referee.seat_when_free("player black"));
    let mut again = referee.seat_when_free("player black");
    again.expect_silence(Duration::from_millis(50));
    let mut white = referee.seat("player white");
    again.expect("352 ");
    white.expect("351 ");
    play_out(&mut again, &mut white);
}

#[test]
fn a_move_counts_if_its_player_leaves_right_after_it() {
    let referee = Referee::start(&[]);
    for named in [true, false] {
        let (mut black, mut white) = if named {
            referee.named_pair()
        } else {
            referee.pair_when_free()
        };
        black.send("1 c3\r");
        drop(black);
        white.expect("311 1 c3 is black move, game continues");
        if named {
            white.expect("391 Black disconnected");
        } else {
            white.expect("201 Black has disconnected, you win");
            white.expect("322 ");
        }
        white.expect_end();
    }
    referee.plays_a_match();
}

#[test]
fn the_last_move_ends_the_match_if_its_player_leaves_right_after_it() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.ask("1 c3", "200 ");
    white.expect("311 1 c3 ");
    white.send("1 ... pass\r");
    black.expect("311 1 c3 ");
    black.expect("316 1 ... pass ");
    black.send("2 pass\r");
    drop(black);
    white.lines_to("321 2 pass and black wins");
    white.expect_end();
    referee.wait_for_line("is over: Black wins (B+1)");
    referee.plays_a_match();
}

#[test]
fn half_a_request_does_not_count_when_its_player_leaves() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.named_pair();
    black.send("1 c3");
    drop(black);
    white.expect("391 ");
    white.expect_end();
    referee.plays_a_match();
}

#[test]
fn both_leave_at_once_and_the_match_is_over_once_without_a_result() {
    let referee = Referee::start(&["--loss-wait", "60"]);
    for round in 1..=5 {
        let pair = referee.pair_when_free();
        drop(pair);
        referee.wait_for_news("one end for each match", |log| {
            log.iter().filter(|line| line.contains("is over")).count() == round
        });
    }
    referee.plays_a_match();
    let why = "No result: the match was interrupted, and a player cannot resume it";
    assert_eq!(referee.count_in_log(why), 5);
}

#[test]
fn connections_that_are_lost_at_several_tables_at_once_are_logged_together() {
    let referee = Referee::start(&["--tables", "2"]);
    let players = [0, 1].map(|table| {
        ["black", "white"].map(|side| {
            let mut client = Client::connect(referee.addresses[table]);
            client.ask(&format!("0.9.1 player {side}"), "000 ");
            client.expect("100 ");
            client
        })
    });
    drop(players);
    referee.wait_for_line("connections were lost at the same time in matches ");
}

#[test]
fn a_client_that_half_closes_has_left() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.named_pair();
    black.finish();
    black.expect_end();
    white.expect("391 ");
    white.expect_end();
    referee.plays_a_match();
}

#[test]
fn a_client_that_half_closes_after_its_move_gets_the_answer() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.named_pair();
    black.send("1 c3\r");
    black.finish();
    black.expect("200 Move c3 accepted");
    black.expect("311 1 c3 ");
    black.expect_end();
    white.expect("311 1 c3 ");
    white.expect("391 ");
    referee.plays_a_match();
}

#[test]
fn a_client_that_half_closes_before_the_start_frees_its_seat() {
    let referee = Referee::start(&[]);
    let mut client = referee.connect();
    client.expect("000 ");
    client.finish();
    client.expect_end();
    let mut black = referee.seat("player black");
    black.finish();
    black.expect_end();
    referee.plays_a_match();
}

#[test]
fn observers_who_leave_at_any_moment_disturb_nobody() {
    let referee = Referee::start(&[]);
    drop(referee.observer());
    let before = referee.observer();
    let mut black = referee.seat("player black");
    drop(before);
    let waiting = referee.observer();
    let mut white = referee.seat("player white");
    black.expect("352 ");
    white.expect("351 ");
    drop(waiting);
    drop(referee.observer());
    let mut half = referee.observer();
    let mut stays = referee.observer();
    half.finish();
    stays.lines_to("353 ");
    expect_board(&mut stays, "380 1 b ", EMPTY);
    play_out(&mut black, &mut white);
    stays.lines_to("321 2 pass and black wins");
    let board = "..... ..... ..b.. ..... .....";
    expect_board(&mut stays, "380 2 . ", board);
    stays.expect_end();
    referee.plays_a_match();
}

#[test]
fn players_who_stay_connected_after_the_end_keep_nobody_waiting() {
    let referee = Referee::start(&[]);
    let mut stay = Vec::new();
    for _ in 0..3 {
        let (mut black, mut white) = referee.pair_when_free();
        play_out(&mut black, &mut white);
        // What they send now reaches nobody.
        black.send("3 c4\r");
        stay.push((black, white));
    }
    referee.plays_a_match();
    drop(stay);
    referee.plays_a_match();
    referee.wait_for_news("five ends", |log| {
        log.iter().filter(|line| line.contains("(B+1)")).count() == 5
    });
}

#[test]
fn a_loser_by_disconnection_hears_nothing_of_the_next_match() {
    let referee = Referee::start(&[]);
    let (mut black, white) = referee.pair();
    black.finish();
    black.expect_end();
    drop(white);
    let (mut next, mut other) = referee.pair_when_free();
    play_out(&mut next, &mut other);
    black.expect_end();
}

#[test]
fn a_move_after_the_end_does_not_lose_the_lines_about_the_end() {
    let referee = Referee::start(&[]);
    let (mut black, white) = referee.pair();
    drop(white);
    // It thinks, and reads all lines after it has moved.
    referee.wait_for_line("is over");
    black.send("1 c3\r\r");
    sleep(Duration::from_millis(100));
    black.expect_last(&["201 ", "324 1 ... pass "]);
}
