//! What the organizer may do, and what it is answered when it may not.

use gothello::contests::goref::{ClientId, GameId, GamePhase, OrganizerCommand};
use gothello::go::Color;

use crate::goref::test_contest::{TestContest, small};

#[test]
fn impossible_orders_are_refused_with_a_sentence() {
    let mut test = TestContest::new(small(5, 60_000));
    for (command, sentence) in [
        (OrganizerCommand::Start(1), "two players are needed"),
        (OrganizerCommand::Pause(1), "no game is played at table 1"),
        (OrganizerCommand::Resume(1), "no game waits there"),
        (OrganizerCommand::Clear(1), "there is no game at table 1"),
        (OrganizerCommand::Adjourn(1), "no game waits at table 1"),
        (OrganizerCommand::Swap(0), "there is no table 0"),
    ] {
        assert_eq!(test.act(command).unwrap_err(), sentence);
    }
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    let nameless = test.connect();
    let assign = |table, client| OrganizerCommand::Assign(table, Color::Black, Some(client));
    let refused = [
        (OrganizerCommand::Start(1), "a game is played there already"),
        (OrganizerCommand::Resume(1), "no game waits there"),
        (OrganizerCommand::Start(9), "there is no table 9"),
        (
            OrganizerCommand::Swap(1),
            "a game is played at table 1: pause it first",
        ),
        (
            OrganizerCommand::Clear(1),
            "a game is played at table 1: pause it first",
        ),
        (
            assign(1, black),
            "a game is played at table 1: pause it first",
        ),
        (
            OrganizerCommand::Assign(1, Color::Black, None),
            "a game is played at table 1: pause it first",
        ),
        (
            OrganizerCommand::Disconnect(ClientId(99)),
            "client #99 is gone",
        ),
        (
            OrganizerCommand::Recall(1, GameId(5)),
            "there is no adjourned game 0005",
        ),
    ];
    for (command, sentence) in refused {
        assert_eq!(test.act(command).unwrap_err(), sentence);
    }
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let refused = [
        (OrganizerCommand::Pause(1), "no game is played at table 1"),
        (
            OrganizerCommand::Start(1),
            "a game waits there: resume, adjourn or void it first",
        ),
        (assign(1, nameless), "client #3 has not told its name"),
        (assign(1, ClientId(99)), "client #99 is gone"),
    ];
    for (command, sentence) in refused {
        assert_eq!(test.act(command).unwrap_err(), sentence);
    }
}

#[test]
fn colors_can_be_swapped_before_a_game_and_in_a_pause() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Swap(1)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.messages(black).pop().unwrap()["color"], "W");
    test.place(black, 0, 0);
    assert_eq!(test.types(black), ["VALID"]);
    assert!(!test.heard(white).is_empty());
}

#[test]
fn a_disconnected_client_hears_nothing_more_and_its_game_waits() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.act(OrganizerCommand::Disconnect(black)).unwrap();
    assert_eq!(test.closed, [(black, "the organizer disconnected it")]);
    assert!(test.heard(black).is_empty());
    assert_eq!(test.message(white)["reason"], "error");
}

#[test]
fn a_void_game_is_on_record_without_an_outcome() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Clear(1)).unwrap();
    assert_eq!(test.contest.phase(0), None);
    assert_eq!(test.records.len(), 1);
    assert_eq!(test.records[0].outcome, None);
    // A new one can begin with the same players.
    test.act(OrganizerCommand::Start(1)).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn a_game_is_adjourned_and_brought_back_while_another_is_played() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.wait(1_000);
    test.act(OrganizerCommand::Adjourn(1)).unwrap();
    assert_eq!(test.messages(black).pop().unwrap()["reason"], "pause");
    test.act(OrganizerCommand::Start(1)).unwrap();
    let recall = OrganizerCommand::Recall(1, GameId(1));
    assert_eq!(test.act(recall.clone()).unwrap_err(), "table 1 is taken");
    test.resign(black);
    test.act(recall).unwrap();
    test.heard(white);
    // It goes on when the organizer says so.
    assert!(test.heard(white).is_empty());
    test.act(OrganizerCommand::Resume(1)).unwrap();
    let start = test.messages(white).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 1_000);
}

#[test]
fn a_flag_that_has_fallen_cannot_be_paused_away() {
    let (mut test, black, _) = TestContest::playing(small(5, 1_000));
    let mut late = test.moment();
    late.clock += std::time::Duration::from_millis(1_500);
    let error = test
        .contest
        .run_command(&OrganizerCommand::Pause(1), late)
        .unwrap_err();
    assert_eq!(error.to_string(), "no game is played at table 1");
    test.wait(0);
    assert!(matches!(test.contest.phase(0), Some(GamePhase::Over(_))));
    let _ = black;
}

#[test]
fn names_from_right_to_left_turn_nothing_around_in_the_log() {
    let mut test = TestContest::new(small(5, 60_000));
    let cairo = test.client("فريق القاهرة");
    let ann = test.client("Ann");
    test.seat(1, cairo, ann);
    test.act(OrganizerCommand::Start(1)).unwrap();
    test.leave(cairo);
    let log = test.take_log();
    let isolated = "\u{2068}فريق القاهرة\u{2069}";
    for line in [
        format!("#1 is {isolated}, protocol v1"),
        "#2 is Ann, protocol v1".to_owned(),
        format!("table 1: {isolated} plays Black"),
        format!("table 1: game 0001 begins, {isolated} (Black) - Ann (White)"),
        format!("#1 {isolated} left: it closed"),
    ] {
        assert!(log.contains(&line), "{line}: {log:#?}");
    }
    // What a client sends is shown as a part of the line, too.
    test.send(ann, "{\"type\":\"\u{202e}شكرا\"}");
    let log = test.take_log().pop().unwrap();
    assert!(
        log.ends_with("in \u{2068}{\"type\":\"\u{fffd}شكرا\"}\u{2069}"),
        "{log}"
    );
}

#[test]
fn a_name_of_which_nothing_is_seen_is_nameless() {
    let mut test = TestContest::new(small(5, 60_000));
    for name in ["\u{200b}", "\u{2060}\u{3164} \u{feff}"] {
        test.client(name);
        let log = test.take_log();
        assert!(
            log.iter().any(|line| line.contains("is nameless")),
            "{name:?}"
        );
    }
}

#[test]
fn another_client_may_take_over_a_game() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.leave(white);
    let cy = test.client("Cy");
    test.act(OrganizerCommand::Assign(1, Color::White, Some(cy)))
        .unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.types(cy), ["NAME", "START"]);
    // The one whose seat it was is nobody now.
    let white = test.client("w");
    assert_eq!(test.types(white), ["NAME"]);
    test.place(cy, 1, 1);
    assert_eq!(test.types(cy), ["VALID"]);
}
