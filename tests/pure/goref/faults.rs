//! What clients should not send, and what comes of it.

use std::time::Duration;

use gothello::contests::Limits;
use gothello::contests::goref::{
    GamePhase, MAX_MALFORMED, OrganizerCommand, Teams, WaitsFor, read,
};
use proptest::prelude::*;
use serde_json::json;

use crate::goref::test_contest::{TestContest, small};

/// Messages of the protocol, each in one form.
const NAME: &str = r#"{"type":"NAME","name":"x"}"#;
const MOVE: &str = r#"{"type":"MOVE","move":{"type":"pass"}}"#;

#[test]
fn each_message_in_each_wrong_state_is_not_answered_and_is_told() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    let nameless = test.connect();
    let ready = test.client("ready");
    for client in [nameless, ready, black, white] {
        test.heard(client);
    }
    test.take_log();
    let silent = |test: &mut TestContest, client, text: &str| {
        test.send(client, text);
        assert!(test.heard(client).is_empty(), "{text}");
        test.take_log()
    };
    // INIT: no game, no name.
    let log = silent(&mut test, nameless, MOVE);
    assert_eq!(log, ["#3 sent a MOVE without a game"]);
    // READY: no game.
    let log = silent(&mut test, ready, MOVE);
    assert_eq!(log, ["#4 ready sent a MOVE without a game"]);
    let log = silent(&mut test, ready, NAME);
    assert_eq!(log, ["#4 ready sent a second NAME"]);
    // IDLE: the opponent is thinking.
    let log = silent(&mut test, white, MOVE);
    assert_eq!(log, ["#2 w sent a MOVE out of turn"]);
    // THINKING.
    let log = silent(&mut test, black, NAME);
    assert_eq!(log, ["#1 b sent a second NAME"]);
    // Paused, and after the end.
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.take_log();
    test.heard(black);
    let log = silent(&mut test, black, MOVE);
    assert_eq!(log, ["#1 b sent a MOVE without a game"]);
    test.act(OrganizerCommand::Resume(1)).unwrap();
    test.resign(black);
    test.take_log();
    test.heard(black);
    let log = silent(&mut test, black, MOVE);
    assert_eq!(log, ["#1 b sent a MOVE without a game"]);
    assert!(test.closed.is_empty());
}

#[test]
fn messages_beyond_the_rate_of_an_address_or_a_team_are_read_later() {
    let limits = Limits {
        connections: None,
        messages: Some(10),
    };
    for is_of_team in [false, true] {
        let mut test = TestContest::new(small(5, 60_000));
        let (addresses, of_teams) = match is_of_team {
            false => (limits, Limits::default()),
            true => (Limits::default(), limits),
        };
        test.contest.set_limits(addresses, of_teams);
        let mut teams = Teams::default();
        teams.add("Red", "tulip").unwrap();
        test.contest.set_teams(teams);
        let client = test.connect();
        test.send(client, r#"{"type":"NAME","name":"Red","secret":"tulip"}"#);
        // Those of ten seconds may come at once; connections and names count for an address.
        let before = if is_of_team { 0 } else { 2 };
        for _ in before..=100 {
            test.send(client, MOVE);
        }
        assert_eq!(test.waits, []);
        test.send(client, MOVE);
        assert_eq!(test.waits, [(client, Duration::from_millis(100))]);
        // What was read before is answered, and lets the client wait longer afterwards.
        test.send(client, MOVE);
        assert_eq!(test.waits.len(), 1);
        test.wait(100);
        test.send(client, MOVE);
        assert_eq!(test.waits[1..], [(client, Duration::from_millis(200))]);
        // Others do not wait.
        let other = test.client_from_afar("other");
        test.send(other, MOVE);
        test.wait(20_000);
        test.send(client, MOVE);
        assert_eq!(test.waits.len(), 2);
    }
}

#[test]
fn invalid_messages_are_logged_and_not_answered() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    let unknown = "an unknown \"type\"";
    let no_type = "no \"type\" that is a text";
    let long = "[".repeat(10_000);
    let no_messages = [
        ("hello", "no JSON object"),
        ("", "no JSON object"),
        ("{\"type\":\"MOVE\"", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (&long, "no JSON object"),
        (r#"{"type":"move","move":{"type":"pass"}}"#, unknown),
        (r#"{"type":"DANCE"}"#, unknown),
        (r#"{"type":"START"}"#, "a START without a move"),
        (r#"{"type":7}"#, no_type),
        (r#"{"type":"VALID","remainingTime":{"B":1,"W":1}}"#, unknown),
        (r#"{"type":"NAME"}"#, "a NAME without the text"),
        (r#"{"Type":"MOVE"}"#, no_type),
        ("{}", no_type),
    ];
    test.take_log();
    for (text, why) in no_messages {
        test.send(black, text);
        assert!(test.heard(black).is_empty(), "{text}");
        assert!(test.heard(white).is_empty(), "{text}");
        let log = test.take_log();
        assert_eq!(log.len(), 1, "{text}");
        assert!(log[0].starts_with("#1 b sent "), "{log:?}");
        assert!(log[0].contains(why), "{log:?}");
    }
    // The game goes on.
    test.pass(black);
    assert_eq!(test.types(black), ["VALID"]);
}

/// Frames of the type MOVE whose moves cannot be read, and what is wrong in them.
const UNREADABLE: [(&str, &str); 10] = [
    (r#"{"type":"MOVE"}"#, "missing field `move`"),
    (
        r#"{"type":"MOVE","move":null}"#,
        "invalid type: null, expected an object",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"foo"}}"#,
        "unknown variant `foo`, expected one of `pass`, `resign`, `place`",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"PASS"}}"#,
        "unknown variant `PASS`, expected one of `pass`, `resign`, `place`",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"place"}}"#,
        "missing field `point`",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"place","point":[1,0]}}"#,
        "invalid type: sequence, expected an object",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"place","point":{"row":"1","column":0}}}"#,
        r#"invalid type: string "1", expected a number"#,
    ),
    (
        r#"{"type":"MOVE","move":{"type":"place","point":{"row":null,"column":0}}}"#,
        "invalid type: null, expected a number",
    ),
    (
        r#"{"type":"MOVE","move":{"type":"place","point":{"row":1}}}"#,
        "missing field `column`",
    ),
    (
        r#"{"type":"START","move":{"type":"place","point":{"row":"1","column":0}}}"#,
        r#"invalid type: string "1", expected a number"#,
    ),
];

#[test]
fn a_move_that_cannot_be_read_is_invalid_in_turn_and_ignored_otherwise() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    let ready = test.client("ready");
    test.heard(ready);
    test.take_log();
    test.wait(1_500);
    for (text, why) in UNREADABLE {
        test.send(black, text);
        assert_eq!(
            test.message(black),
            json!({"type": "INVALID", "message": why, "remainingTime": {"B": 58_500, "W": 60_000}}),
            "{text}"
        );
        for silent in [white, ready] {
            test.send(silent, text);
            assert!(test.heard(silent).is_empty(), "{text}");
        }
        let log = test.take_log();
        assert_eq!(log.len(), 3, "{log:#?}");
        assert!(
            log[0].starts_with("#1 b sent a MOVE with") && log[0].ends_with(text),
            "{log:#?}"
        );
    }
    // The game goes on.
    test.pass(black);
    assert_eq!(test.types(black), ["VALID"]);
    assert_eq!(test.types(white), ["MOVE"]);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.heard(white);
    test.send(white, UNREADABLE[0].0);
    assert!(test.heard(white).is_empty());
}

#[test]
fn an_unreadable_move_after_the_flag_has_fallen_is_no_move_of_the_next_game() {
    let (mut test, black, _) = TestContest::playing(small(5, 1_000));
    let mut late = test.moment();
    late.clock += std::time::Duration::from_millis(1_000);
    test.contest.receive(black, read(UNREADABLE[0].0), late);
    test.connect();
    assert_eq!(test.message(black)["reason"], "timeout");
}

#[test]
fn a_thousand_moves_that_cannot_be_read_close_the_connection() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    for _ in 0..999 {
        test.send(black, UNREADABLE[0].0);
    }
    assert_eq!(test.closed, []);
    assert!(test.take_log().len() < 50);
    test.send(black, UNREADABLE[0].0);
    assert_eq!(test.closed.len(), 1);
}

#[test]
fn a_flood_of_moves_that_are_refused_does_not_fill_the_log() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.take_log();
    for _ in 0..1_000 {
        test.place(black, 5, 0);
        assert_eq!(test.types(black), ["INVALID"]);
    }
    let told = test.take_log().len();
    assert!((20..40).contains(&told), "{told}");
    test.place(black, 0, 0);
    assert_eq!(test.types(black), ["VALID"]);
}

#[test]
fn what_is_wrong_in_a_move_is_told_in_few_words() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    let row = "9".repeat(10_000);
    test.send(
        black,
        &format!(
            r#"{{"type":"MOVE","move":{{"type":"place","point":{{"row":"{row}","column":0}}}}}}"#
        ),
    );
    let message = test.message(black)["message"].to_string();
    assert!(message.len() < 150, "{message}");
}

#[test]
fn unknown_fields_and_the_misprint_of_the_document_are_ignored() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.send(
        black,
        r#"{"foo":1,"move":{"extra":9,"point":{"z":1,"column":3.0,"row":3},"type":"place"},"type":"START"}"#,
    );
    assert_eq!(test.types(black), ["VALID"]);
    let log = test.message(white);
    assert_eq!(log["move"]["point"]["column"], 3);
}

#[test]
fn a_number_that_is_no_row_is_out_of_bounds() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.take_log();
    for number in [
        "5",
        "-1",
        "1.5",
        "1e+300",
        "-0.1",
        "1e+20",
        "255",
        "256",
        "4294967296",
        "18446744073709551615",
        "-9223372036854775808",
    ] {
        test.send(
            black,
            &format!(
                r#"{{"type":"MOVE","move":{{"type":"place","point":{{"row":{number},"column":0}}}}}}"#
            ),
        );
        let answer = test.message(black);
        assert_eq!(answer["type"], "INVALID", "{number}");
        assert_eq!(answer["message"], "Out of Bound", "{number}");
        let log = format!("table 1, game 0001: Black ({number},0) is refused: Out of Bound");
        assert_eq!(test.take_log(), [log]);
    }
}

#[test]
fn ten_frames_that_are_no_objects_close_the_connection() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    for (count, text) in (1..).zip([
        "", "[]", "null", "{", "{\"a\":}", "\u{0}", "[[[[[[", "1", "\"x\"",
    ]) {
        test.send(black, text);
        assert!(test.closed.is_empty(), "after {count}");
    }
    test.send(black, &"[".repeat(10_000));
    assert_eq!(test.closed, [(black, "ten frames were no JSON objects")]);
    assert_eq!(MAX_MALFORMED, 10);
    // It is as if it had left: the game may go on when it is back.
    assert_eq!(test.message(white)["reason"], "error");
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Players))
    );
}

#[test]
fn a_client_that_sends_only_nonsense_is_disconnected_and_does_not_fill_the_log() {
    let mut test = TestContest::new(small(5, 60_000));
    let client = test.client("x");
    test.take_log();
    for _ in 0..2_000 {
        test.send(client, "{}");
    }
    let why = "a thousand messages were not understood or not expected";
    assert_eq!(test.closed, [(client, why)]);
    assert!(test.take_log().len() < 50);
}

#[test]
fn a_name_may_be_anything() {
    let mut test = TestContest::new(small(5, 60_000));
    let long = "x".repeat(10_000);
    for (said, called) in [
        ("", "nameless"),
        (" \\n\\t ", "nameless"),
        ("a\\nb\\u0007c", "a b c"),
        ("<b>'&</b>", "<b>'&</b>"),
        (" x ", "x"),
        ("\u{feff}Zo\u{eb}\u{200b}", "Zo\u{eb}"),
        ("日本\u{1f600}", "日本\u{1f600}"),
        (&long, &long[..64]),
    ] {
        test.take_log();
        let client = test.client(said);
        let log = test.take_log();
        assert_eq!(log[1], format!("{client} is {called}, protocol v1"));
    }
}

/// Frames that are almost messages.
fn any_frame() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (0..6_i64).prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
    ];
    let field = prop_oneof![Just("row"), Just("column"), Just("type"), Just("x")];
    let kind = prop_oneof![
        Just("MOVE"),
        Just("START"),
        Just("NAME"),
        Just("END"),
        Just("")
    ];
    let played = prop_oneof![Just("pass"), Just("place"), Just("resign"), Just("no")];
    prop_oneof![
        1 => ".{0,60}",
        4 => (kind, played, field, number.clone(), number).prop_map(
            |(kind, played, field, row, column)| format!(
                r#"{{"type":"{kind}","name":"n","move":{{"type":"{played}","point":{{"{field}":{row},"column":{column}}}}}}}"#
            )
        ),
    ]
}

proptest! {
    /// Whatever three clients send, nothing panics, the tables stay whole, and
    /// what the journal holds is the game.
    #[test]
    fn any_frames_leave_the_contest_whole(frames in prop::collection::vec((0..3_usize, any_frame(), 0..50_u64), 0..60)) {
        let (mut test, black, white) = TestContest::playing(small(3, 2_000));
        let third = test.connect();
        for (who, frame, pause) in frames {
            test.wait(pause);
            test.send([black, white, third][who], &frame);
        }
        test.wait(5_000);
        let over = matches!(test.contest.phase(0), Some(GamePhase::Over(_)));
        let stopped = matches!(test.contest.phase(0), Some(GamePhase::Interrupted(WaitsFor::Players)));
        prop_assert!(over || stopped);
        prop_assert_eq!(test.records.len(), usize::from(over));
    }
}

#[test]
fn connections_above_the_limit_of_their_address_or_team_are_closed() {
    let mut test = TestContest::new(small(5, 60_000));
    let mut teams = Teams::default();
    teams.add("Red", "tulip").unwrap();
    test.contest.set_teams(teams);
    let limit = |connections| Limits {
        connections: Some(connections),
        messages: None,
    };
    test.contest.set_limits(limit(3), limit(1));
    let red = r#"{"type":"NAME","name":"Red","secret":"tulip"}"#;
    let [first, second, third] = [(); 3].map(|()| test.connect());
    test.send(first, red);
    test.send(second, red);
    assert_eq!(test.closed, [(second, "the team has too many connections")]);
    // Another address is not concerned, and this one has room for one again.
    test.client_from_afar("Ann");
    let fourth = test.connect();
    assert_eq!(test.closed.len(), 1);
    let surplus = test.connect();
    let why = "there are too many connections from its address";
    assert_eq!(test.closed[1..], [(surplus, why)]);
    // It has been closed: what it sent before is nobody's.
    test.send(surplus, NAME);
    test.leave(surplus);
    for client in [first, third, fourth] {
        test.leave(client);
    }
    let [again, _, _] = [(); 3].map(|()| test.connect());
    test.send(again, red);
    assert_eq!(test.closed.len(), 2);
}
