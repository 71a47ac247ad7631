//! The scenarios of the document, message by message.

use gothello::go::Color;
use gothello::goref::{ClientId, OrganizerCommand, Phase, wire::Reason};
use itertools::Itertools;

use crate::goref::scene::{Scene, small, terms};

/// What both players have heard since, a line each.
fn heard(scene: &mut Scene, black: ClientId, white: ClientId) -> String {
    let mut lines = Vec::new();
    for (side, client) in [("B", black), ("W", white)] {
        let heard = scene.heard(client).into_iter();
        lines.extend(heard.map(|text| format!("{side}< {text}")));
    }
    lines.join("\n")
}

#[test]
fn a_whole_game() {
    let mut scene = Scene::new(small(2, 60_000));
    let black = scene.connect();
    let white = scene.connect();
    let mut transcript = vec![heard(&mut scene, black, white)];
    scene.send(black, r#"{"type":"NAME","name":"Ada"}"#);
    scene.send(white, r#"{"type":"NAME","name":"Bob","protocol":"v2"}"#);
    scene.seat(1, black, white);
    scene.act(OrganizerCommand::Start { table: 1 }).unwrap();
    transcript.push(heard(&mut scene, black, white));
    scene.wait(1_000);
    scene.place(black, 0, 1);
    transcript.push(heard(&mut scene, black, white));
    scene.wait(500);
    scene.place(white, 0, 1);
    transcript.push(heard(&mut scene, black, white));
    scene.wait(500);
    scene.pass(white);
    transcript.push(heard(&mut scene, black, white));
    scene.pass(black);
    transcript.push(heard(&mut scene, black, white));
    insta::assert_snapshot!(transcript.iter().filter(|part| !part.is_empty()).join("\n"));
    insta::assert_snapshot!("a_whole_game_told", scene.told().join("\n"));
}

#[test]
fn the_mover_hears_valid_and_end_and_the_opponent_move_and_end() {
    for ends in ["resign", "pass"] {
        let (mut scene, black, white) = Scene::playing(small(5, 60_000));
        scene.pass(black);
        scene.heard(black);
        scene.heard(white);
        match ends {
            "resign" => scene.resign(white),
            _ => scene.pass(white),
        }
        assert_eq!(scene.types(white), ["VALID", "END"]);
        assert_eq!(scene.types(black), ["MOVE", "END"]);
    }
}

#[test]
fn version_2_is_sent_the_last_two_states() {
    let mut scene = Scene::new(small(2, 60_000));
    let black = scene.connect();
    scene.send(black, r#"{"type":"NAME","name":"a","protocol":"v2"}"#);
    let white = scene.client("b");
    scene.seat(1, black, white);
    let states = |scene: &mut Scene, command: OrganizerCommand| {
        scene.heard(black);
        scene.heard(white);
        scene.act(command).unwrap();
        let start = scene.message(black);
        assert!(scene.message(white)["configuration"]["finalStates"].is_null());
        start["configuration"]["finalStates"]
            .as_array()
            .unwrap()
            .clone()
    };
    let first = states(&mut scene, OrganizerCommand::Start { table: 1 });
    assert_eq!(first.len(), 1);
    scene.wait(1_000);
    scene.place(black, 0, 0);
    scene.wait(7_000);
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    let second = states(&mut scene, OrganizerCommand::Resume { table: 1 });
    assert_eq!(second.len(), 2);
    assert_eq!(second[0], first[0]);
    assert_eq!(second[1]["turn"], "W");
    assert_eq!(second[1]["board"][0][0], "B");
    assert_eq!(second[1]["players"]["B"]["remainingTime"], 59_000);
    // What is used since the move is idleDeltaTime, and not in the states.
    assert_eq!(second[1]["players"]["W"]["remainingTime"], 60_000);
    // A second game is not mistaken for the first.
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    scene.act(OrganizerCommand::Clear { table: 1 }).unwrap();
    assert_eq!(
        states(&mut scene, OrganizerCommand::Start { table: 1 }),
        first
    );
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
        let mut scene = Scene::new(small(2, 60_000));
        let black = scene.connect();
        scene.send(
            black,
            &format!(r#"{{"type":"NAME","name":"a","protocol":{word}}}"#),
        );
        let white = scene.client("b");
        scene.seat(1, black, white);
        scene.heard(black);
        scene.act(OrganizerCommand::Start { table: 1 }).unwrap();
        let start = scene.message(black);
        assert_eq!(
            start["configuration"]["finalStates"].is_array(),
            states,
            "{word}"
        );
    }
}

#[test]
fn a_game_goes_on_by_itself_when_both_names_are_back() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    scene.wait(2_000);
    scene.place(black, 2, 2);
    scene.wait(3_000);
    scene.leave(white);
    let end = scene.messages(black).pop().unwrap();
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&"error".into(), &".".into())
    );
    assert_eq!(end["players"]["W"]["remainingTime"], 57_000);
    // Somebody else comes, and is not given the seat.
    let other = scene.client("other");
    assert_eq!(scene.types(other), ["NAME"]);
    scene.wait(100_000);
    let white = scene.client("w");
    let start = scene.messages(white).pop().unwrap();
    assert_eq!(start["color"], "W");
    assert_eq!(start["configuration"]["idleDeltaTime"], 3_000);
    assert_eq!(scene.types(black), ["START"]);
    scene.wait(1_000);
    scene.place(white, 0, 0);
    assert_eq!(scene.message(white)["remainingTime"]["W"], 56_000);
}

#[test]
fn both_may_be_gone_and_the_order_of_their_return_is_all_the_same() {
    for names in [["b", "w"], ["w", "b"]] {
        let (mut scene, black, white) = Scene::playing(small(5, 60_000));
        scene.leave(black);
        scene.leave(white);
        let back = names.map(|name| scene.client(name));
        assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
        for (name, client) in names.into_iter().zip(back) {
            let start = scene.messages(client).pop().unwrap();
            assert_eq!(start["color"], name.to_uppercase());
        }
    }
}

#[test]
fn a_paused_game_continues_when_the_organizer_resumes_it() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    scene.leave(black);
    scene.leave(white);
    scene.client("b");
    let white = scene.client("w");
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Pause))
    );
    assert_eq!(scene.types(white), ["NAME"]);
    // Both have their seats again.
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    assert_eq!(scene.types(white), ["START"]);
}

#[test]
fn komi_counts_and_a_tie_has_no_winner() {
    let even = terms(r#"{"initialState": {"board": 5}, "komi": 0}"#);
    let (mut scene, black, white) = Scene::playing(even);
    scene.pass(black);
    scene.pass(white);
    let end = scene.messages(black).pop().unwrap();
    assert_eq!(end["winner"], ".");
    assert_eq!(end["players"]["B"]["score"], 0);
}

#[test]
fn mercy_ends_a_game_and_two_passes_come_first() {
    let file = r#"{"initialState": {"board": 5}, "mercy": 10, "mercyStart": 1}"#;
    let (mut scene, black, _) = Scene::playing(terms(file));
    scene.place(black, 2, 2);
    let end = scene.messages(black).pop().unwrap();
    assert_eq!(end["reason"], "mercy");
    assert_eq!(end["winner"], "B");
    let file = r#"{"initialState": {"board": 5}, "mercy": 1, "mercyStart": 2}"#;
    let (mut scene, black, white) = Scene::playing(terms(file));
    scene.pass(black);
    scene.pass(white);
    assert_eq!(scene.messages(black).pop().unwrap()["reason"], "pass");
}

#[test]
fn clients_are_paired_as_they_arrive_one_game_for_each_connection() {
    use std::sync::Arc;

    use gothello::goref::Contest;

    let tables = vec![Arc::new(small(5, 60_000)), Arc::new(small(7, 60_000))];
    let mut scene = Scene::of(Contest::new(tables, true));
    let clients: Vec<ClientId> = (0..5)
        .map(|number| scene.client(&number.to_string()))
        .collect();
    let colors = clients.iter().map(|&client| {
        let start = scene.messages(client).pop().unwrap();
        let color = start["color"].as_str().unwrap_or("none").to_owned();
        let rows = start["configuration"]["initialState"]["board"]
            .as_array()
            .map_or(0, Vec::len);
        format!("{color}{rows}")
    });
    assert_eq!(colors.collect_vec(), ["B5", "W5", "B7", "W7", "none0"]);
    // A table is free, and there are two who wait.
    scene.resign(clients[0]);
    assert_eq!(scene.types(clients[0]), ["VALID", "END"]);
    let last = scene.client("late");
    assert_eq!(scene.types(clients[4]), ["START"]);
    assert_eq!(scene.types(last), ["NAME", "START"]);
    // Those of the first game have had theirs.
    scene.resign(clients[4]);
    assert_eq!(scene.types(clients[1]), ["MOVE", "END"]);
}

#[test]
fn a_table_where_a_paired_game_was_put_away_or_given_up_is_free_again() {
    use std::sync::Arc;

    use gothello::goref::Contest;

    for command in [
        OrganizerCommand::Adjourn { table: 1 },
        OrganizerCommand::Clear { table: 1 },
    ] {
        let mut scene = Scene::of(Contest::new(vec![Arc::new(small(5, 60_000))], true));
        let clients = ["a", "b", "c", "d"].map(|name| scene.client(name));
        assert_eq!(scene.types(clients[2]), ["NAME"]);
        scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
        scene.act(command).unwrap();
        assert_eq!(scene.types(clients[2]), ["START"]);
        assert_eq!(scene.types(clients[3]), ["NAME", "START"]);
    }
}

#[test]
fn a_seat_is_left_when_another_is_taken() {
    let mut scene = Scene::new(small(5, 60_000));
    let (a, b) = (scene.client("a"), scene.client("b"));
    scene.seat(1, a, b);
    scene
        .act(OrganizerCommand::Assign {
            table: 1,
            color: Color::White,
            client: Some(a),
        })
        .unwrap();
    let error = scene.act(OrganizerCommand::Start { table: 1 }).unwrap_err();
    assert_eq!(error, "two players are needed");
    scene
        .act(OrganizerCommand::Assign {
            table: 1,
            color: Color::Black,
            client: Some(b),
        })
        .unwrap();
    scene.act(OrganizerCommand::Start { table: 1 }).unwrap();
    assert_eq!(scene.messages(a).pop().unwrap()["color"], "W");
}
