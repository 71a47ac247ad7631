//! Whose a seat is whose player has left: it is kept for the address of the player.

use gothello::contests::goref::{ClientId, GamePhase, OrganizerCommand, WaitsFor};
use gothello::go::Color;
use serde_json::json;

use crate::goref::test_contest::{TestContest, small};

const INTERRUPTED: Option<GamePhase> = Some(GamePhase::Interrupted(WaitsFor::Players));
const FREE: OrganizerCommand = OrganizerCommand::Free(1, Color::White);

/// A game in which Black has played, White has left, and a stranger has come with White's name.
fn with_stranger() -> (TestContest, ClientId, ClientId) {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.leave(white);
    test.heard(black);
    test.take_log();
    let stranger = test.client_from_afar("w");
    assert_eq!(test.types(stranger), ["NAME"]);
    (test, black, stranger)
}

#[test]
fn a_client_at_another_address_does_not_get_the_seat() {
    let (mut test, black, stranger) = with_stranger();
    assert_eq!(
        test.take_log(),
        [
            "#3 connected from 192.0.2.7",
            "#3 is w, protocol v1",
            "table 1: #3 does not get the seat of w (White), which is kept for 127.0.0.1: w \
             connects from there, or the organizer frees the seat, on the page or by typing \
             free 1 W",
        ]
    );
    test.resign(stranger);
    assert_eq!(test.contest.phase(0), INTERRUPTED);
    assert_eq!((test.types(stranger), test.types(black)), (vec![], vec![]));
    // The player does.
    test.wait(1_000);
    let white = test.client("w");
    let start = test.messages(white).pop().unwrap();
    assert_eq!(
        (&start["type"], &start["color"]),
        (&json!("START"), &json!("W"))
    );
    assert_eq!(start["configuration"]["idleDeltaTime"], 0);
    assert_eq!(test.types(black), ["START"]);
    test.place(white, 1, 1);
    assert_eq!(
        test.message(white)["remainingTime"],
        json!({"B": 60_000, "W": 60_000})
    );
    test.resign(stranger);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    assert_eq!(test.records.len(), 0);
}

#[test]
fn the_organizer_frees_the_seat_for_a_client_that_waits() {
    let (mut test, black, stranger) = with_stranger();
    test.take_log();
    test.act(FREE).unwrap();
    assert_eq!(
        test.take_log(),
        [
            "table 1: the seat of w (White) is free for any address",
            "table 1: game 0001 goes on after 1 move",
        ]
    );
    assert_eq!(test.types(stranger), ["START"]);
    assert_eq!(test.types(black), ["START"]);
    // From now on it is kept for the new address.
    test.leave(stranger);
    let late = test.client("w");
    assert_eq!(test.types(late), ["NAME"]);
    let back = test.client_from_afar("w");
    assert_eq!(test.types(back), ["NAME", "START"]);
    test.place(back, 1, 1);
    assert_eq!(test.types(back), ["VALID"]);
}

#[test]
fn the_organizer_frees_the_seat_for_a_client_that_comes_later() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    assert_eq!(
        test.act(FREE).unwrap_err(),
        "the player of White at table 1 is connected: disconnect that client first"
    );
    test.leave(white);
    test.act(FREE).unwrap();
    assert_eq!(test.contest.phase(0), INTERRUPTED);
    let back = test.client_from_afar("w");
    assert_eq!(test.types(back), ["NAME", "START"]);
    test.resign(black);
    assert_eq!(test.act(FREE).unwrap_err(), "no game waits at table 1");
    assert_eq!(
        test.act(OrganizerCommand::Free(2, Color::White))
            .unwrap_err(),
        "there is no table 2"
    );
}

#[test]
fn the_seat_to_free_can_be_typed() {
    for typed in ["free 1 W", " FREE  1 white "] {
        assert_eq!(typed.parse(), Ok(FREE), "{typed:?}");
    }
    let wrong = "free needs the number of a table and a color, as in free 1 B";
    for typed in ["free", "free 1", "free W 1", "free 1 W 2", "free -1 W"] {
        let refused = typed.parse::<OrganizerCommand>().unwrap_err();
        assert_eq!(refused.to_string(), wrong, "{typed:?}");
    }
    let unknown = "pause 1".parse::<OrganizerCommand>().unwrap_err();
    let unknown = unknown.to_string();
    let told = "there is no command \"pause\" here: help lists those that can be typed";
    assert!(unknown.starts_with(told), "{unknown}");
}

#[test]
fn the_organizer_gives_the_seat_to_a_client_by_hand() {
    let (mut test, black, stranger) = with_stranger();
    test.act(OrganizerCommand::Assign(1, Color::White, Some(stranger)))
        .unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.types(stranger), ["START"]);
    assert_eq!(test.types(black), ["START"]);
}

#[test]
fn a_dead_connection_is_replaced_only_from_its_own_address() {
    let (mut test, _, white) = TestContest::playing(small(5, 60_000));
    let stranger = test.client_from_afar("w");
    let again = test.client("w");
    test.take_log();
    test.found_dead(white, 0);
    let takeover = "table 1: #4 takes over White from #2; both are called w";
    let log = test.take_log();
    assert!(log.iter().any(|line| line == takeover), "{log:#?}");
    assert_eq!(test.types(again), ["NAME", "START"]);
    test.found_dead(again, 0);
    assert_eq!(test.types(stranger), ["NAME"]);
    assert!(
        test.take_log()
            .pop()
            .unwrap()
            .starts_with("table 1: #3 does not get the seat of w (White)")
    );
    assert_eq!(test.contest.phase(0), INTERRUPTED);
}

#[test]
fn a_game_that_went_on_or_is_paused_gives_no_seat_to_another_address() {
    let (mut test, _, white) = TestContest::playing(small(5, 60_000));
    test.limit_breaks(0, 0);
    test.leave(white);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    let stranger = test.client_from_afar("w");
    assert_eq!(test.types(stranger), ["NAME"]);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap_err();
    let mut test = test.after_a_crash(small(5, 60_000));
    test.client("b");
    test.client_from_afar("w");
    let two = test.act(OrganizerCommand::Resume(1));
    assert_eq!(two.unwrap_err(), "two players are needed");
    test.act(FREE).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn a_freed_seat_of_a_game_that_went_on_is_taken_at_once() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.limit_breaks(0, 0);
    test.leave(white);
    test.wait(2_000);
    let stranger = test.client_from_afar("w");
    test.heard(black);
    test.act(FREE).unwrap();
    let start = test.messages(stranger).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 2_000);
    assert_eq!(test.types(black), [""; 0]);
    test.place(black, 0, 0);
    assert_eq!(test.types(stranger), ["MOVE"]);
}

#[test]
fn seats_are_kept_after_a_crash_as_they_were() {
    let (test, ..) = TestContest::playing(small(5, 60_000));
    let mut test = test.after_a_crash(small(5, 60_000));
    test.client("b");
    let stranger = test.client_from_afar("w");
    assert_eq!(test.types(stranger), ["NAME"]);
    assert_eq!(test.contest.phase(0), INTERRUPTED);
    // A seat that the organizer frees stays free, even in a shorter journal.
    let (mut test, _, white) = TestContest::playing(small(5, 60_000));
    test.leave(white);
    test.act(FREE).unwrap();
    let shorter = test.contest.snapshot(test.moment().clock);
    for journal in [test.journal.clone(), shorter] {
        let (mut test, ..) = TestContest::playing(small(5, 60_000));
        test.journal = journal;
        let mut test = test.after_a_crash(small(5, 60_000));
        test.client("b");
        let back = test.client_from_afar("w");
        assert_eq!(test.types(back), ["NAME", "START"]);
    }
}

#[test]
fn a_recalled_game_goes_to_the_players_at_their_addresses_first() {
    let (mut test, _, white) = TestContest::playing(small(5, 60_000));
    test.act(OrganizerCommand::Adjourn(1)).unwrap();
    test.leave(white);
    let stranger = test.client_from_afar("w");
    let white = test.client("w");
    test.heard(white);
    let game = gothello::contests::goref::GameId(1);
    test.act(OrganizerCommand::Assign(1, Color::White, None))
        .unwrap();
    test.act(OrganizerCommand::Recall(1, game)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.types(white), ["START"]);
    assert_eq!(test.types(stranger), ["NAME"]);
}

#[test]
fn a_client_of_another_name_does_not_get_the_seat() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.leave(white);
    test.heard(black);
    for name in ["W", "w2", "", "b"] {
        let stranger = test.client(name);
        assert_eq!(test.types(stranger), ["NAME"], "{name:?}");
    }
    assert_eq!(test.types(black), [""; 0]);
}

#[test]
fn two_clients_of_one_name_play_each_other_and_come_back() {
    let mut test = TestContest::new(small(5, 60_000));
    let (first, second) = (test.client("Twin"), test.client("Twin"));
    test.seat(1, first, second);
    test.act(OrganizerCommand::Start(1)).unwrap();
    test.place(first, 0, 0);
    test.leave(first);
    test.heard(second);
    // A client that comes back under this name takes the free seat.
    let back = test.client("Twin");
    let color =
        |test: &mut TestContest, client| test.messages(client).pop().unwrap()["color"].take();
    assert_eq!(color(&mut test, back), "B");
    assert_eq!(color(&mut test, second), "W");
    // A third one of the name is no player.
    let third = test.client("Twin");
    assert_eq!(test.types(third), ["NAME"]);
    test.place(second, 1, 1);
    assert_eq!(test.types(second), ["VALID"]);
}

#[test]
fn a_player_who_is_back_before_being_missed_continues() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 0, 0);
    test.heard(black);
    let again = test.client("w");
    // The old connection still counts.
    assert_eq!(test.types(again), ["NAME"]);
    test.leave(white);
    assert_eq!(test.types(black), ["END", "START"]);
    let start = test.message(again);
    assert_eq!(start["color"], "W");
    test.place(again, 1, 1);
    assert_eq!(test.types(again), ["VALID"]);
}
