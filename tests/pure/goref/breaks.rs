//! Breaks: what a lost connection costs, how often it may be lost, and how a dead one is
//! found.

use std::time::Duration;

use gothello::contests::goref::{ClientId, Entry, GamePhase, OrganizerCommand, WaitsFor};
use serde_json::{Value, json};

use crate::goref::test_contest::{TestContest, small};

const BROKEN_OFF: Option<GamePhase> = Some(GamePhase::Interrupted(WaitsFor::Players));

/// A game of `b` and `w` with a minute each, where a player has so many breaks of so many
/// milliseconds in all.
fn playing(number: u32, time: u64) -> (TestContest, ClientId, ClientId) {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.limit_breaks(number, time);
    test.take_log();
    (test, black, white)
}

#[test]
fn a_name_that_comes_again_lets_its_older_connections_be_asked() {
    let (mut test, black, white) = playing(10, 600_000);
    assert_eq!(test.pinged, []);
    test.client("w");
    assert_eq!(test.pinged, [(white, true)]);
    // Not again for each of a crowd, and who comes from elsewhere may be a stranger.
    test.client("w");
    assert_eq!(test.pinged[1..], [(ClientId(3), true)]);
    test.wait(2_000);
    test.client_from_afar("b");
    assert_eq!(test.pinged[2..], [(black, false)]);
    // Until one is found dead, it keeps its seat.
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    test.place(black, 0, 0);
    assert_eq!(test.types(black), ["VALID"]);
}

#[test]
fn a_name_of_two_connections_is_logged() {
    let (mut test, _, white) = playing(10, 600_000);
    test.client("x");
    assert!(!test.take_log().concat().contains("has the name"));
    test.client("w");
    let log = test.take_log();
    assert_eq!(
        log[2..],
        [
            "#4 has the name w too, with #2 still connected: the older connection keeps its seat \
          while it answers pings, and #4 gets no game of a tournament until it is gone"
        ]
    );
    // The seat goes to the newcomer only when the older connection is gone.
    test.found_dead(white, 1_000);
    let log = test.take_log();
    let takeover = "table 1: #4 takes over White from #2; both are called w";
    assert!(log.iter().any(|line| line == takeover), "{log:#?}");
    test.client("w");
    test.client("w");
    let log = test.take_log().pop().unwrap();
    assert!(
        log.starts_with("#6 has the name w too, with #4 and #5 still connected"),
        "{log}"
    );
}

#[test]
fn a_dead_connection_costs_nobody_time() {
    let (mut test, black, white) = playing(10, 600_000);
    test.place(black, 0, 0);
    test.wait(18_500);
    let back = test.client("w");
    assert_eq!(test.types(back), ["NAME"]);
    // It thought for a second until its machine stopped.
    test.found_dead(white, 17_500);
    assert_eq!(test.types(black), ["VALID", "END", "START"]);
    let start = test.message(back);
    assert_eq!(start["configuration"]["idleDeltaTime"], 1_000);
    test.place(back, 1, 1);
    assert_eq!(
        test.message(back)["remainingTime"],
        json!({"B": 60_000, "W": 59_000})
    );
    // What it was given back counts as a break.
    assert!(test.take_log().contains(
        &"table 1, game 0001: break 1 of 10 for w (White); 00:17.500 of 10:00.000 used".into()
    ));
}

/// The remaining times and the moves that a START, or its END before, tells.
fn clocks(message: &Value) -> [u64; 2] {
    let players = &message["players"];
    ["B", "W"].map(|side| players[side]["remainingTime"].as_u64().unwrap())
}

#[test]
fn a_break_of_the_waiting_player_costs_the_thinker_no_time() {
    let (mut test, black, mut white) = playing(10, 600_000);
    test.wait(1_000);
    test.place(black, 2, 2);
    test.wait(2_000);
    test.place(white, 1, 1);
    test.heard(black);
    let mut used = 0;
    for (thought, number) in [7_500, 9_000, 10_500].into_iter().zip(1..) {
        test.wait(thought);
        test.take_log();
        test.leave(white);
        // END and START throw its search away: it begins anew.
        let end = test.message(black);
        assert_eq!(
            (&end["type"], &end["reason"]),
            (&json!("END"), &json!("error"))
        );
        assert_eq!(clocks(&end), [59_000, 58_000]);
        test.wait(250);
        white = test.client("w");
        let start = test.message(black);
        assert_eq!(start["configuration"]["idleDeltaTime"], 0, "{start:#?}");
        let log = start["configuration"]["moveLog"].as_array().unwrap();
        assert_eq!(log.len(), 2);
        assert_eq!(log[0]["move"]["point"], json!({"row": 2, "column": 2}));
        assert_eq!(log[1]["move"]["point"], json!({"row": 1, "column": 1}));
        // The breaker pays for it.
        used += thought;
        let line = format!(
            "table 1, game 0001: break {number} of 10 for w (White); 00:{:02}.{:03} of 10:00.000 used",
            used / 1_000,
            used % 1_000
        );
        assert!(test.take_log().contains(&line), "{line}");
        used += 250;
    }
    test.wait(4_000);
    test.place(black, 0, 0);
    let times = json!({"B": 55_000, "W": 58_000});
    assert_eq!(test.message(black)["remainingTime"], times);
    assert_eq!(test.messages(white).pop().unwrap()["remainingTime"], times);
}

#[test]
fn a_dead_connection_of_the_waiting_player_costs_the_thinker_no_time() {
    let (mut test, black, white) = playing(10, 600_000);
    test.wait(20_000);
    test.found_dead(white, 18_000);
    assert_eq!(clocks(&test.message(black)), [60_000, 60_000]);
}

#[test]
fn the_thinker_is_given_back_only_what_the_break_has_cost() {
    let (mut test, black, white) = playing(10, 600_000);
    test.wait(6_000);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    test.wait(3_000);
    test.heard(black);
    test.leave(white);
    // What it used before the pause is used.
    assert_eq!(clocks(&test.message(black)), [54_000, 60_000]);
    let start = |test: &mut TestContest| {
        let white = test.client("w");
        let start = test.message(black);
        assert_eq!(start["configuration"]["idleDeltaTime"], 6_000);
        white
    };
    start(&mut test);
    let mut test = test.after_a_crash(small(5, 60_000));
    let black = test.client("b");
    test.client("w");
    let message = test.messages(black).pop().unwrap();
    assert_eq!(message["configuration"]["idleDeltaTime"], 6_000);
}

#[test]
fn an_absent_thinker_is_given_back_nothing() {
    let (mut test, black, white) = playing(1, 600_000);
    test.leave(black);
    let black = test.client("b");
    test.leave(black);
    test.wait(5_000);
    test.leave(white);
    let black = test.client("b");
    test.client("w");
    let start = test.messages(black).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 5_000);
}

#[test]
fn a_flag_that_has_fallen_is_not_raised_by_a_break_of_the_opponent() {
    let (mut test, black, white) = playing(10, 600_000);
    test.wait(59_999);
    let mut late = test.moment();
    late.clock += Duration::from_millis(1);
    test.contest.disconnect(white, "it closed", late);
    test.connect();
    let end = test.message(black);
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&json!("timeout"), &json!("W"))
    );
}

#[test]
fn a_break_that_would_cost_more_than_is_left_leaves_the_thinker_alone() {
    let (mut test, black, white) = playing(10, 10_000);
    test.wait(10_000);
    test.take_log();
    test.leave(white);
    assert_eq!(
        test.take_log()[1..],
        [
            "table 1, game 0001: break 1 of 10 for w (White); 00:10.000 of 00:10.000 used",
            "table 1: game 0001 goes on without w (White), whose breaks are used up: White's clock runs in White's turn",
        ]
    );
    assert_eq!(test.types(black), [""; 0]);
    test.wait(2_000);
    let white = test.client("w");
    let start = test.messages(white).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 12_000);
    test.place(black, 0, 0);
    assert_eq!(test.message(black)["remainingTime"]["B"], 48_000);
    // There is no further break.
    test.leave(white);
    assert_eq!(test.types(black), [""; 0]);
    test.wait(60_000);
    assert_eq!(test.message(black)["reason"], "timeout");
}

#[test]
fn the_log_says_what_an_interrupted_game_waits_for() {
    let (mut test, _, white) = playing(10, 600_000);
    test.leave(white);
    assert_eq!(
        test.take_log()[2],
        "table 1: game 0001 is interrupted: White left; it waits for w, or until the organizer \
         voids or adjourns it on the page"
    );
    let mut test = test.after_a_crash(small(5, 60_000));
    assert_eq!(
        test.take_log(),
        [
            "table 1: game 0001 waits after 0 moves for b (Black) and w (White), or until the \
             organizer voids or adjourns it on the page"
        ]
    );
}

#[test]
fn nothing_is_given_back_from_before_the_clock_ran() {
    let (mut test, black, white) = playing(10, 600_000);
    test.wait(9_000);
    test.place(black, 0, 0);
    test.wait(1_000);
    test.found_dead(white, 8_000);
    let end = test.messages(black).pop().unwrap();
    assert_eq!(
        [
            &end["players"]["B"]["remainingTime"],
            &end["players"]["W"]["remainingTime"]
        ],
        [51_000, 60_000]
    );
}

#[test]
fn after_too_many_breaks_the_clock_runs_while_the_player_is_away() {
    let (mut test, mut black, white) = playing(2, 600_000);
    for _ in 0..2 {
        test.wait(1_000);
        test.leave(black);
        test.wait(5_000);
        black = test.client("b");
        assert_eq!(test.types(white), ["END", "START"]);
    }
    test.heard(black);
    test.take_log();
    test.leave(black);
    assert_eq!(
        test.take_log(),
        [
            "#4 b left: it closed",
            "table 1: game 0001 goes on without b (Black), whose breaks are used up: Black's clock runs in Black's turn",
        ]
    );
    // The opponent does not even hear of it.
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    test.wait(8_000);
    let black = test.client("b");
    assert_eq!(test.types(white), [""; 0]);
    let messages = test.messages(black);
    assert_eq!(
        messages[1]["configuration"]["idleDeltaTime"],
        2_000 + 8_000,
        "{messages:#?}"
    );
    test.place(black, 0, 0);
    assert_eq!(test.message(black)["remainingTime"]["B"], 50_000);
    assert_eq!(test.types(white), ["MOVE"]);
}

#[test]
fn no_more_breaks_are_counted_than_there_are() {
    let (mut test, black, white) = playing(2, 600_000);
    let mut players = [black, white];
    for _ in 0..8 {
        for (player, name) in players.iter_mut().zip(["b", "w"]) {
            test.leave(*player);
            test.wait(1_000);
            *player = test.client(name);
        }
    }
    let log = test.take_log();
    for name in ["b (Black)", "w (White)"] {
        let counted = log.iter().filter_map(|line| {
            let number = line.strip_prefix("table 1, game 0001: break ")?;
            number
                .contains(name)
                .then(|| number.split_once(" for ").unwrap().0)
        });
        assert_eq!(
            counted.collect::<Vec<_>>(),
            ["1 of 2", "2 of 2"],
            "{log:#?}"
        );
    }
    let numbers = test.journal.iter().filter_map(|entry| match entry {
        Entry::Breaks { number, .. } => Some(*number),
        _ => None,
    });
    assert_eq!(numbers.max(), Some(2));
}

#[test]
fn the_flag_of_an_absent_player_falls() {
    let (mut test, black, white) = playing(0, 600_000);
    test.leave(white);
    test.place(black, 0, 0);
    assert_eq!(test.types(black), ["VALID"]);
    test.wait(59_999);
    assert_eq!(test.types(black), [""; 0]);
    test.wait(1);
    let end = test.message(black);
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&json!("timeout"), &json!("B"))
    );
    assert_eq!(test.records.len(), 1);
}

#[test]
fn the_clock_runs_after_too_long_a_break() {
    let (mut test, mut black, white) = playing(10, 30_000);
    test.wait(1_000);
    test.leave(black);
    test.wait(20_000);
    black = test.client("b");
    test.leave(black);
    test.heard(white);
    test.take_log();
    test.wait(9_999);
    assert_eq!(test.contest.phase(0), BROKEN_OFF);
    assert_eq!(test.types(white), [""; 0]);
    test.wait(1);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    let start = test.message(white);
    assert_eq!(start["configuration"]["idleDeltaTime"], 1_000);
    assert_eq!(
        test.take_log(),
        [
            "table 1: game 0001 goes on without b (Black), whose breaks are used up: Black's clock runs in Black's turn"
        ]
    );
    test.wait(4_000);
    let black = test.client("b");
    assert_eq!(
        test.take_log().last().unwrap(),
        "table 1: b (Black) is back in game 0001"
    );
    let start = test.messages(black).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 5_000);
    // There is no further break.
    test.leave(black);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn nobody_is_given_back_more_than_is_left_of_the_breaks() {
    let (mut test, black, white) = playing(10, 3_000);
    test.place(black, 0, 0);
    test.wait(10_000);
    test.found_dead(white, 9_000);
    let end = test.messages(black).pop().unwrap();
    assert_eq!(end["type"], "START", "it goes on at once: {end}");
    assert_eq!(end["configuration"]["idleDeltaTime"], 7_000);
}

#[test]
fn no_clock_runs_while_both_players_are_away() {
    let (mut test, black, white) = playing(10, 10_000);
    test.leave(black);
    test.wait(1_000);
    test.leave(white);
    test.wait(3_600_000);
    assert_eq!(test.contest.phase(0), BROKEN_OFF);
    test.client("w");
    test.wait(8_999);
    assert_eq!(test.contest.phase(0), BROKEN_OFF);
    test.wait(1);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn without_breaks_left_the_clock_runs_even_when_the_opponent_is_back() {
    let (mut test, black, white) = playing(1, 10_000);
    test.leave(black);
    test.leave(white);
    let black = test.client("b");
    test.leave(black);
    assert_eq!(test.contest.phase(0), BROKEN_OFF);
    let white = test.client("w");
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    assert_eq!(test.types(white), ["NAME", "START"]);
    assert_eq!(test.types(black), ["NAME"]);
}

#[test]
fn a_pause_by_the_organizer_is_not_a_break() {
    let (mut test, black, white) = playing(10, 10_000);
    test.leave(black);
    test.wait(4_000);
    test.act(OrganizerCommand::Adjourn(1)).unwrap();
    test.wait(100_000);
    let game = gothello::contests::goref::GameId(1);
    test.act(OrganizerCommand::Recall(1, game)).unwrap();
    test.wait(100_000);
    let black = test.client("b");
    test.act(OrganizerCommand::Resume(1)).unwrap();
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.leave(white);
    test.wait(100_000);
    let white = test.client("w");
    test.act(OrganizerCommand::Resume(1)).unwrap();
    test.take_log();
    test.leave(black);
    assert_eq!(
        test.take_log()[1],
        "table 1, game 0001: break 2 of 10 for b (Black); 00:04.000 of 00:10.000 used"
    );
    test.client("b");
    test.leave(white);
    assert!(test.take_log().contains(
        &"table 1, game 0001: break 1 of 10 for w (White); 00:00.000 of 00:10.000 used".into()
    ));
}

#[test]
fn a_new_start_of_the_server_keeps_the_count_and_is_no_break() {
    let (mut test, black, _) = playing(2, 60_000);
    test.leave(black);
    test.wait(7_000);
    let black = test.client("b");
    test.leave(black);
    // The journal as it is, and a shorter one.
    let now = test.moment();
    let rewritten = test.contest.snapshot(now.clock);
    for journal in [test.journal.clone(), rewritten] {
        let count = journal.iter().rev().find_map(|entry| match entry {
            Entry::Breaks { number, used, .. } => Some((*number, *used)),
            _ => None,
        });
        assert_eq!(count, Some((2, 7_000)));
        let mut contest = gothello::contests::goref::Contest::new(vec![small(5, 1).into()], false);
        contest
            .restore(journal, gothello::contests::goref::GameId(1), now)
            .unwrap();
        let mut test = TestContest::of(contest);
        test.limit_breaks(2, 60_000);
        test.client("w");
        test.wait(3_600_000);
        assert_eq!(test.contest.phase(0), BROKEN_OFF);
        let black = test.client("b");
        assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
        test.leave(black);
        assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
    }
}

#[test]
fn every_game_has_its_own_breaks() {
    let (mut test, black, white) = playing(1, 60_000);
    test.leave(black);
    let black = test.client("b");
    test.resign(black);
    test.act(OrganizerCommand::Start(1)).unwrap();
    test.leave(white);
    assert_eq!(test.contest.phase(0), BROKEN_OFF);
}
