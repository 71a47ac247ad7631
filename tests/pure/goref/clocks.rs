//! What the clocks show, and what moves take of them.

use gothello::contests::goref::{GamePhase, OrganizerCommand, Teams, WaitsFor};
use serde_json::json;

use crate::goref::test_contest::{TestContest, setup, small};

const QUARTER: u64 = 15 * 60 * 1000;

#[test]
fn a_move_takes_the_time_since_the_last_one() {
    let (mut test, black, white) = TestContest::playing(small(19, QUARTER));
    test.wait(1_000);
    test.place(black, 18, 0);
    assert_eq!(
        test.message(black),
        json!({"type": "VALID", "remainingTime": {"B": 899_000, "W": 900_000}})
    );
    test.heard(white);
    test.wait(2_000);
    test.place(white, 7, 1);
    assert_eq!(
        test.message(white)["remainingTime"],
        json!({"B": 899_000, "W": 898_000})
    );
}

#[test]
fn time_used_before_a_pause_stays_used() {
    // Measured at the server that exists: Black (18,0) after one second, then a
    // minute without a move.
    let (mut test, black, white) = TestContest::playing(small(19, QUARTER));
    test.wait(1_000);
    test.place(black, 18, 0);
    test.wait(60_000);
    test.heard(white);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let end = test.message(white);
    assert_eq!(end["reason"], "pause");
    assert_eq!(end["winner"], ".");
    assert_eq!(end["players"]["B"]["remainingTime"], 899_000);
    assert_eq!(end["players"]["W"]["remainingTime"], 840_000);
    // How long the pause is is nobody's time.
    test.wait(3_600_000);
    test.act(OrganizerCommand::Resume(1)).unwrap();
    let start = test.message(white);
    let configuration = &start["configuration"];
    assert_eq!(configuration["idleDeltaTime"], 60_000);
    assert_eq!(configuration["moveLog"][0]["deltaTime"], 1_000);
    test.wait(5_000);
    test.place(white, 0, 0);
    assert_eq!(
        test.message(white)["remainingTime"],
        json!({"B": 899_000, "W": 835_000})
    );
}

#[test]
fn two_pauses_before_a_move_add_up() {
    let (mut test, black, white) = TestContest::playing(small(5, QUARTER));
    test.wait(1_000);
    test.place(black, 2, 2);
    test.wait(2_000);
    test.place(white, 1, 1);
    for idle in [120_000, 130_000] {
        test.wait(idle);
        test.act(OrganizerCommand::Pause(1)).unwrap();
        test.act(OrganizerCommand::Resume(1)).unwrap();
    }
    let messages = test.messages(black);
    let start = messages.last().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 250_000);
    test.place(black, 0, 0);
    assert_eq!(test.message(black)["remainingTime"]["B"], 900_000 - 251_000);
    // The log holds all of it: its sum gives the clocks.
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    let messages = test.messages(black);
    let configuration = &messages.last().unwrap()["configuration"];
    assert_eq!(configuration["moveLog"][2]["deltaTime"], 250_000);
    assert_eq!(configuration["idleDeltaTime"], 0);
}

#[test]
fn a_checkpoint_with_idle_time_goes_on_where_it_was() {
    // The same by a file: Black (18,0) after 1 s, White (7,1) after 2 s, then two
    // minutes.
    let checkpoint = r#"{"initialState": {"turn": "B", "board": 19, "players":
        {"B": {"remainingTime": 900000, "prisoners": 0},
         "W": {"remainingTime": 900000, "prisoners": 0}}},
        "moveLog": [
          {"move": {"type": "place", "point": {"row": 18, "column": 0}}, "deltaTime": 1000},
          {"move": {"type": "place", "point": {"row": 7, "column": 1}}, "deltaTime": 2000}],
        "idleDeltaTime": 120000}"#;
    let (mut test, black, _) = TestContest::playing(setup(checkpoint));
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let players = &test.message(black)["players"];
    assert_eq!(players["B"]["remainingTime"], 779_000);
    assert_eq!(players["W"]["remainingTime"], 898_000);
}

#[test]
fn a_flag_falls_at_its_millisecond_and_the_opponent_wins() {
    let (mut test, black, white) = TestContest::playing(small(5, 1_900));
    test.wait(1_899);
    assert!(test.heard(black).is_empty());
    test.wait(1);
    let end = test.message(black);
    assert_eq!(end["reason"], "timeout");
    assert_eq!(end["winner"], "W");
    assert_eq!(end["players"]["B"]["remainingTime"], 0);
    assert_eq!(test.message(white), end);
}

#[test]
fn a_move_in_the_last_millisecond_counts_and_one_after_it_does_not() {
    let (mut test, black, white) = TestContest::playing(small(5, 400));
    test.wait(399);
    test.place(black, 2, 2);
    assert_eq!(test.message(black)["remainingTime"]["B"], 1);
    test.heard(white);
    test.wait(400);
    // It was on its way when the flag fell.
    test.place(white, 1, 1);
    assert_eq!(test.message(white)["reason"], "timeout");
}

#[test]
fn a_refused_move_stops_no_clock_and_tells_the_time() {
    let (mut test, black, _) = TestContest::playing(small(5, 10_000));
    test.wait(1_500);
    test.place(black, 9, 9);
    assert_eq!(
        test.message(black),
        json!({"type": "INVALID", "message": "Out of Bound",
               "remainingTime": {"B": 8_500, "W": 10_000}})
    );
    test.wait(500);
    test.place(black, 0, 0);
    assert_eq!(test.message(black)["remainingTime"]["B"], 8_000);
}

#[test]
fn the_clock_starts_when_the_player_has_been_told() {
    use gothello::contests::goref::{Delivery, OrderedEffect, read};

    let (mut test, black, white) = TestContest::playing(small(5, 10_000));
    let frame = read(r#"{"type":"MOVE","move":{"type":"pass"}}"#);
    let now = test.moment();
    test.contest.receive(black, frame, now);
    let effects = test.contest.take_effects();
    // The disk takes its time.
    test.wait(3_000);
    for effect in effects.ordered {
        if let OrderedEffect::Deliver(Delivery::StartClock { table, game, moves }) = effect {
            let now = test.moment();
            test.contest.start_clock(table, game, moves, now.clock);
        }
    }
    test.wait(1_000);
    test.pass(white);
    let valid = test.messages(white).remove(0);
    assert_eq!(valid["remainingTime"], json!({"B": 10_000, "W": 9_000}));
}

#[test]
fn short_moves_are_not_free() {
    // A tenth of a millisecond each is nothing on the clock, but a hundred of them
    // are ten.
    use std::time::Duration;

    use gothello::contests::goref::{Delivery, OrderedEffect, read};

    let (mut test, black, white) = TestContest::playing(small(19, 10_000));
    let mut clock = test.moment().clock;
    for point in 0..100 {
        for (client, row) in [(black, 0), (white, 10)] {
            clock += Duration::from_micros(100);
            let (row, column) = (row + point / 19, point % 19);
            let text = format!(
                r#"{{"type":"MOVE","move":{{"type":"place","point":{{"row":{row},"column":{column}}}}}}}"#
            );
            let mut now = test.moment();
            now.clock = clock;
            test.contest.receive(client, read(&text), now);
            for effect in test.contest.take_effects().ordered {
                if let OrderedEffect::Deliver(Delivery::StartClock { table, game, moves }) = effect
                {
                    test.contest.start_clock(table, game, moves, clock);
                }
            }
        }
    }
    test.wait(20);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let players = &test.messages(black).pop().unwrap()["players"];
    assert_eq!(players["W"]["remainingTime"], 9_990);
    assert_eq!(players["B"]["remainingTime"], 9_990);
}

#[test]
fn leaving_after_the_flag_has_fallen_loses() {
    let (mut test, black, white) = TestContest::playing(small(5, 1_000));
    // The server notices both only now.
    let mut late = test.moment();
    late.clock += std::time::Duration::from_millis(1_500);
    test.contest.disconnect(black, "it closed", late);
    test.act(OrganizerCommand::Disconnect(white)).unwrap();
    let end = test.message(white);
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&json!("timeout"), &json!("W"))
    );
    assert_eq!(test.records.len(), 1);
}

#[test]
fn a_stall_is_logged_and_stops_no_game() {
    let (mut test, black, white) = TestContest::playing(small(5, 5_000));
    test.wait(1_000);
    test.take_log();
    test.stall(6);
    assert_eq!(
        test.take_log(),
        ["the server was stalled for 00:06.000, which no clock counts"]
    );
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    test.place(black, 0, 0);
    assert_eq!(
        (test.types(black), test.types(white)),
        (vec!["VALID".into()], vec!["MOVE".into()])
    );
}

/// The players think during stalls, and no clock counts that.
#[test]
fn stalls_of_more_than_a_minute_in_one_game_pause_it() {
    let (mut test, black, _) = TestContest::playing(small(5, 5_000));
    test.stall(30);
    test.stall(30);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    test.take_log();
    test.stall(1);
    assert_eq!(
        test.take_log()[1..],
        [
            "table 1: game 0001 is interrupted: the server was stalled for too long: the organizer \
          resumes it"
        ]
    );
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Organizer))
    );
    assert_eq!(test.types(black), ["END"]);
    // Another minute may be lost after that.
    test.act(OrganizerCommand::Resume(1)).unwrap();
    test.stall(60);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn the_last_lines_of_a_player_who_loses_on_time_are_kept_without_a_crash_and_with_one() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.send(white, r#"{"type":"HELLO"}"#);
    test.wait(60_000);
    let lines = &test.records[0].exchange;
    assert!(lines[0].starts_with(r#"< {"type":"START","#), "{lines:?}");
    assert_eq!(lines[0].chars().count(), 203);
    assert!(
        lines[1].starts_with(r#"< {"type":"MOVE","move":"#),
        "{lines:?}"
    );
    assert_eq!(lines[2..], [r#"> {"type":"HELLO"}"#]);
    let lines = lines.clone();
    let again = test.after_a_crash(small(5, 60_000));
    assert_eq!(again.records[0].exchange, lines);
}

#[test]
fn a_game_without_a_fault_has_no_last_lines_and_an_abandoned_one_has_those_of_the_player_who_left()
{
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.resign(black);
    assert!(test.records[0].exchange.is_empty());
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.place(white, 1, 1);
    test.leave(black);
    test.act(OrganizerCommand::Clear(1)).unwrap();
    let record = &test.records[0];
    assert_eq!(record.void, "the organizer voided the game");
    let sent = r#"> {"type":"MOVE","move":{"type":"place","point":{"row":2,"column":2}}}"#;
    assert!(record.exchange.contains(&sent.to_owned()), "{record:?}");
}

#[test]
fn the_secret_of_a_team_is_not_in_the_last_lines() {
    let mut teams = Teams::default();
    teams.add("b", "tulip").unwrap();
    let mut test = TestContest::new(small(5, 60_000));
    test.contest.set_teams(teams);
    let black = test.connect();
    let name = r#"{"type":"NAME","name":"b","secret":"tulip"}"#;
    test.send(black, name);
    let white = test.client("w");
    test.seat(1, black, white);
    test.act(OrganizerCommand::Start(1)).unwrap();
    test.send(black, name);
    test.send(black, "tulip");
    test.wait(60_000);
    let lines = &test.records[0].exchange;
    assert_eq!(lines[1..], ["> (not shown, because it has a secret)"; 2]);
}
