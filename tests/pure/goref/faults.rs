//! What clients should not send, and what comes of it.

use gothello::goref::{MAX_MALFORMED, OrganizerCommand, Phase, wire::Reason};
use proptest::prelude::*;

use crate::goref::scene::{Scene, small};

/// Messages of the protocol, each in one form.
const NAME: &str = r#"{"type":"NAME","name":"x"}"#;
const MOVE: &str = r#"{"type":"MOVE","move":{"type":"pass"}}"#;

#[test]
fn each_message_in_each_wrong_state_is_not_answered_and_is_told() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    let nameless = scene.connect();
    let ready = scene.client("ready");
    for client in [nameless, ready, black, white] {
        scene.heard(client);
    }
    scene.told();
    let silent = |scene: &mut Scene, client, text: &str| {
        scene.send(client, text);
        assert!(scene.heard(client).is_empty(), "{text}");
        scene.told()
    };
    // INIT: no game, no name.
    let told = silent(&mut scene, nameless, MOVE);
    assert_eq!(told, ["#3 sent a MOVE without a game"]);
    // READY: no game.
    let told = silent(&mut scene, ready, MOVE);
    assert_eq!(told, ["#4 ready sent a MOVE without a game"]);
    let told = silent(&mut scene, ready, NAME);
    assert_eq!(told, ["#4 ready sent a second NAME"]);
    // IDLE: the opponent is thinking.
    let told = silent(&mut scene, white, MOVE);
    assert_eq!(told, ["#2 w sent a MOVE out of turn"]);
    // THINKING.
    let told = silent(&mut scene, black, NAME);
    assert_eq!(told, ["#1 b sent a second NAME"]);
    // Paused, and after the end.
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    scene.told();
    scene.heard(black);
    let told = silent(&mut scene, black, MOVE);
    assert_eq!(told, ["#1 b sent a MOVE without a game"]);
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    scene.resign(black);
    scene.told();
    scene.heard(black);
    let told = silent(&mut scene, black, MOVE);
    assert_eq!(told, ["#1 b sent a MOVE without a game"]);
    assert!(scene.closed.is_empty());
}

#[test]
fn invalid_messages_are_logged_and_not_answered() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    let no_messages = [
        r#"{"type":"MOVE"}"#,
        r#"{"type":"MOVE","move":null}"#,
        r#"{"type":"MOVE","move":{"type":"foo"}}"#,
        r#"{"type":"MOVE","move":{"type":"PASS"}}"#,
        r#"{"type":"MOVE","move":{"type":"place"}}"#,
        r#"{"type":"MOVE","move":{"type":"place","point":[1,0]}}"#,
        r#"{"type":"MOVE","move":{"type":"place","point":{"row":"1","column":0}}}"#,
        r#"{"type":"MOVE","move":{"type":"place","point":{"row":1}}}"#,
        r#"{"type":"move","move":{"type":"pass"}}"#,
        r#"{"type":"START"}"#,
        r#"{"type":7}"#,
        r#"{"type":"VALID","remainingTime":{"B":1,"W":1}}"#,
        r#"{"Type":"MOVE"}"#,
        "{}",
    ];
    scene.told();
    for text in no_messages {
        scene.send(black, text);
        assert!(scene.heard(black).is_empty(), "{text}");
        assert!(scene.heard(white).is_empty(), "{text}");
        let told = scene.told();
        assert_eq!(told.len(), 1, "{text}");
        assert!(told[0].starts_with("#1 b sent "), "{told:?}");
    }
    // The game goes on.
    scene.pass(black);
    assert_eq!(scene.types(black), ["VALID"]);
}

#[test]
fn fields_that_nobody_knows_and_the_slip_of_the_document_are_passed_over() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    scene.send(
        black,
        r#"{"foo":1,"move":{"extra":9,"point":{"z":1,"column":3.0,"row":3},"type":"place"},"type":"START"}"#,
    );
    assert_eq!(scene.types(black), ["VALID"]);
    let told = scene.message(white);
    assert_eq!(told["move"]["point"]["column"], 3);
}

#[test]
fn a_number_that_is_no_row_is_out_of_bounds() {
    let (mut scene, black, _) = Scene::playing(small(5, 60_000));
    for number in [
        "5",
        "-1",
        "1.5",
        "1e300",
        "-0.1",
        "99999999999999999999",
        "255",
        "256",
    ] {
        scene.send(
            black,
            &format!(
                r#"{{"type":"MOVE","move":{{"type":"place","point":{{"row":{number},"column":0}}}}}}"#
            ),
        );
        let answer = scene.message(black);
        assert_eq!(answer["type"], "INVALID", "{number}");
        assert_eq!(answer["message"], "Out of Bound", "{number}");
    }
}

#[test]
fn ten_frames_that_are_no_objects_close_the_connection() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    for (count, text) in (1..).zip([
        "", "[]", "null", "{", "{\"a\":}", "\u{0}", "[[[[[[", "1", "\"x\"",
    ]) {
        scene.send(black, text);
        assert!(scene.closed.is_empty(), "after {count}");
    }
    scene.send(black, &"[".repeat(10_000));
    assert_eq!(scene.closed, [(black, "ten frames were no JSON objects")]);
    assert_eq!(MAX_MALFORMED, 10);
    // It is as if it had left: the game may go on when it is back.
    assert_eq!(scene.message(white)["reason"], "error");
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Error))
    );
}

#[test]
fn a_client_that_sends_only_nonsense_is_disconnected_and_does_not_fill_the_log() {
    let mut scene = Scene::new(small(5, 60_000));
    let client = scene.client("x");
    scene.told();
    for _ in 0..2_000 {
        scene.send(client, "{}");
    }
    let why = "a thousand messages were not understood or not expected";
    assert_eq!(scene.closed, [(client, why)]);
    assert!(scene.told().len() < 50);
}

#[test]
fn a_name_may_be_anything() {
    let mut scene = Scene::new(small(5, 60_000));
    for (said, called) in [
        ("", "nameless"),
        ("a\\nb", "a b"),
        ("<b>", "<b>"),
        (" x ", "x"),
    ] {
        scene.told();
        let client = scene.client(said);
        let told = scene.told();
        assert_eq!(told[1], format!("{client} is {called}, protocol v1"));
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
        let (mut scene, black, white) = Scene::playing(small(3, 2_000));
        let third = scene.connect();
        for (who, frame, pause) in frames {
            scene.wait(pause);
            scene.send([black, white, third][who], &frame);
        }
        scene.wait(5_000);
        let over = matches!(scene.contest.phase(0), Some(Phase::Over(_)));
        let stopped = matches!(scene.contest.phase(0), Some(Phase::Interrupted(Reason::Error)));
        prop_assert!(over || stopped);
        prop_assert_eq!(scene.records.len(), usize::from(over));
    }
}
