//! The scenarios of the document, message by message.

use gothello::contests::goref::{ClientId, GamePhase, OrganizerCommand, WaitsFor};
use gothello::go::Color;
use itertools::Itertools;

use crate::goref::test_contest::{TestContest, setup, small};

/// What both players have heard since, a line each.
fn heard(test: &mut TestContest, black: ClientId, white: ClientId) -> String {
    let mut lines = Vec::new();
    for (side, client) in [("B", black), ("W", white)] {
        let heard = test.heard(client).into_iter();
        lines.extend(heard.map(|text| format!("{side}< {text}")));
    }
    lines.join("\n")
}

#[test]
fn a_whole_game() {
    let mut test = TestContest::new(small(2, 60_000));
    let black = test.connect();
    let white = test.connect();
    let mut transcript = vec![heard(&mut test, black, white)];
    test.send(black, r#"{"type":"NAME","name":"Ada"}"#);
    test.send(white, r#"{"type":"NAME","name":"Bob","protocol":"v2"}"#);
    test.seat(1, black, white);
    test.act(OrganizerCommand::Start(1)).unwrap();
    transcript.push(heard(&mut test, black, white));
    test.wait(1_000);
    test.place(black, 0, 1);
    transcript.push(heard(&mut test, black, white));
    test.wait(500);
    test.place(white, 0, 1);
    transcript.push(heard(&mut test, black, white));
    test.wait(500);
    test.pass(white);
    transcript.push(heard(&mut test, black, white));
    test.pass(black);
    transcript.push(heard(&mut test, black, white));
    insta::assert_snapshot!(transcript.iter().filter(|part| !part.is_empty()).join("\n"));
    insta::assert_snapshot!("the_log_of_a_game", test.take_log().join("\n"));
}

#[test]
fn the_mover_hears_valid_and_end_and_the_opponent_move_and_end() {
    for ends in ["resign", "pass"] {
        let (mut test, black, white) = TestContest::playing(small(5, 60_000));
        test.pass(black);
        test.heard(black);
        test.heard(white);
        match ends {
            "resign" => test.resign(white),
            _ => test.pass(white),
        }
        assert_eq!(test.types(white), ["VALID", "END"]);
        assert_eq!(test.types(black), ["MOVE", "END"]);
    }
}

#[test]
fn version_2_is_sent_the_last_two_states() {
    let mut test = TestContest::new(small(2, 60_000));
    let black = test.connect();
    test.send(black, r#"{"type":"NAME","name":"a","protocol":"v2"}"#);
    let white = test.client("b");
    test.seat(1, black, white);
    let states = |test: &mut TestContest, command: OrganizerCommand| {
        test.heard(black);
        test.heard(white);
        test.act(command).unwrap();
        let start = test.message(black);
        assert!(test.message(white)["configuration"]["finalStates"].is_null());
        start["configuration"]["finalStates"]
            .as_array()
            .unwrap()
            .clone()
    };
    let first = states(&mut test, OrganizerCommand::Start(1));
    assert_eq!(first.len(), 1, "{first:?}");
    test.wait(1_000);
    test.place(black, 0, 0);
    test.wait(7_000);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let second = states(&mut test, OrganizerCommand::Resume(1));
    assert_eq!(second.len(), 2, "{second:?}");
    assert_eq!(second[0], first[0]);
    assert_eq!(second[1]["turn"], "W");
    assert_eq!(second[1]["board"][0][0], "B");
    assert_eq!(second[1]["players"]["B"]["remainingTime"], 59_000);
    // What is used since the move is idleDeltaTime, and not in the states.
    assert_eq!(second[1]["players"]["W"]["remainingTime"], 60_000);
    // A second game is not mistaken for the first.
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Clear(1)).unwrap();
    assert_eq!(states(&mut test, OrganizerCommand::Start(1)), first);
}

#[test]
fn only_the_lower_case_word_is_version_2() {
    for (word, states) in [
        ("\"v2\"", true),
        ("\"V2\"", false),
        ("\"v1\"", false),
        ("2", false),
        ("null", false),
    ] {
        let mut test = TestContest::new(small(2, 60_000));
        let black = test.connect();
        test.send(
            black,
            &format!(r#"{{"type":"NAME","name":"a","protocol":{word}}}"#),
        );
        let white = test.client("b");
        test.seat(1, black, white);
        test.heard(black);
        test.act(OrganizerCommand::Start(1)).unwrap();
        let start = test.message(black);
        assert_eq!(
            start["configuration"]["finalStates"].is_array(),
            states,
            "{word}"
        );
    }
}

#[test]
fn a_game_goes_on_by_itself_when_both_names_are_back() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.wait(2_000);
    test.place(black, 2, 2);
    test.wait(3_000);
    test.leave(white);
    let end = test.messages(black).pop().unwrap();
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&"error".into(), &".".into())
    );
    assert_eq!(end["players"]["W"]["remainingTime"], 57_000);
    // Somebody else comes, and is not given the seat.
    let other = test.client("other");
    assert_eq!(test.types(other), ["NAME"]);
    test.wait(100_000);
    let white = test.client("w");
    let start = test.messages(white).pop().unwrap();
    assert_eq!(start["color"], "W");
    assert_eq!(start["configuration"]["idleDeltaTime"], 3_000);
    assert_eq!(test.types(black), ["START"]);
    test.wait(1_000);
    test.place(white, 0, 0);
    assert_eq!(test.message(white)["remainingTime"]["W"], 56_000);
}

#[test]
fn both_may_be_gone_and_the_order_of_their_return_is_all_the_same() {
    for names in [["b", "w"], ["w", "b"]] {
        let (mut test, black, white) = TestContest::playing(small(5, 60_000));
        test.leave(black);
        test.leave(white);
        let back = names.map(|name| test.client(name));
        assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
        for (name, client) in names.into_iter().zip(back) {
            let start = test.messages(client).pop().unwrap();
            assert_eq!(start["color"], name.to_uppercase());
        }
    }
}

#[test]
fn a_paused_game_continues_when_the_organizer_resumes_it() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.leave(black);
    test.leave(white);
    test.client("b");
    let white = test.client("w");
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Organizer))
    );
    assert_eq!(test.types(white), ["NAME"]);
    // Both have their seats again.
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.types(white), ["START"]);
}

#[test]
fn komi_counts_and_a_tie_has_no_winner() {
    let even = setup(r#"{"initialState": {"board": 5}, "komi": 0}"#);
    let (mut test, black, white) = TestContest::playing(even);
    test.pass(black);
    test.pass(white);
    let end = test.messages(black).pop().unwrap();
    assert_eq!(end["winner"], ".");
    assert_eq!(end["players"]["B"]["score"], 0);
}

#[test]
fn mercy_ends_a_game_and_two_passes_come_first() {
    let file = r#"{"initialState": {"board": 5}, "mercy": 10, "mercyStart": 1}"#;
    let (mut test, black, _) = TestContest::playing(setup(file));
    test.place(black, 2, 2);
    let end = test.messages(black).pop().unwrap();
    assert_eq!(end["reason"], "mercy");
    assert_eq!(end["winner"], "B");
    let file = r#"{"initialState": {"board": 5}, "mercy": 1, "mercyStart": 2}"#;
    let (mut test, black, white) = TestContest::playing(setup(file));
    test.pass(black);
    test.pass(white);
    assert_eq!(test.messages(black).pop().unwrap()["reason"], "pass");
}

#[test]
fn clients_are_paired_as_they_arrive_one_game_for_each_connection() {
    use std::sync::Arc;

    use gothello::contests::goref::Contest;

    let tables = vec![Arc::new(small(5, 60_000)), Arc::new(small(7, 60_000))];
    let mut test = TestContest::of(Contest::new(tables, true));
    let clients: Vec<ClientId> = (0..5)
        .map(|number| test.client(&number.to_string()))
        .collect();
    let colors = clients.iter().map(|&client| {
        let start = test.messages(client).pop().unwrap();
        let color = start["color"].as_str().unwrap_or("none").to_owned();
        let rows = start["configuration"]["initialState"]["board"]
            .as_array()
            .map_or(0, Vec::len);
        format!("{color}{rows}")
    });
    assert_eq!(colors.collect_vec(), ["B5", "W5", "B7", "W7", "none0"]);
    // A table is free, and there are two who wait.
    test.resign(clients[0]);
    assert_eq!(test.types(clients[0]), ["VALID", "END"]);
    let last = test.client("late");
    assert_eq!(test.types(clients[4]), ["START"]);
    assert_eq!(test.types(last), ["NAME", "START"]);
    // Those of the first game have had theirs.
    test.resign(clients[4]);
    assert_eq!(test.types(clients[1]), ["MOVE", "END"]);
}

#[test]
fn a_table_where_a_paired_game_was_put_away_or_given_up_is_free_again() {
    use std::sync::Arc;

    use gothello::contests::goref::Contest;

    for command in [OrganizerCommand::Adjourn(1), OrganizerCommand::Clear(1)] {
        let mut test = TestContest::of(Contest::new(vec![Arc::new(small(5, 60_000))], true));
        let clients = ["a", "b", "c", "d"].map(|name| test.client(name));
        assert_eq!(test.types(clients[2]), ["NAME"]);
        test.act(OrganizerCommand::Pause(1)).unwrap();
        test.act(command).unwrap();
        assert_eq!(test.types(clients[2]), ["START"]);
        assert_eq!(test.types(clients[3]), ["NAME", "START"]);
    }
}

#[test]
fn a_seat_is_left_when_another_is_taken() {
    let mut test = TestContest::new(small(5, 60_000));
    let (a, b) = (test.client("a"), test.client("b"));
    test.seat(1, a, b);
    test.act(OrganizerCommand::Assign(1, Color::White, Some(a)))
        .unwrap();
    let error = test.act(OrganizerCommand::Start(1)).unwrap_err();
    assert_eq!(error, "two players are needed");
    test.act(OrganizerCommand::Assign(1, Color::Black, Some(b)))
        .unwrap();
    test.act(OrganizerCommand::Start(1)).unwrap();
    assert_eq!(test.messages(a).pop().unwrap()["color"], "W");
}
