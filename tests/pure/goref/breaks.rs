//! Breaks: what a lost connection costs, how often it may be lost, and how a dead one is
//! found.

use std::time::Duration;

use gothello::goref::{BreakLimits, ClientId, Entry, OrganizerCommand, Phase, wire::Reason};
use serde_json::json;

use crate::goref::scene::{Scene, small};

const BROKEN_OFF: Option<Phase> = Some(Phase::Interrupted(Reason::Error));

/// A game of `b` and `w` with a minute each, where a player has so many breaks of so many
/// milliseconds in all.
fn playing(number: u32, time: u64) -> (Scene, ClientId, ClientId) {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    limit(&mut scene, number, time);
    scene.told();
    (scene, black, white)
}

fn limit(scene: &mut Scene, number: u32, time: u64) {
    let time = Duration::from_millis(time);
    scene.contest.set_break_limits(BreakLimits { number, time });
}

#[test]
fn a_name_that_comes_again_lets_its_older_connections_be_asked() {
    let (mut scene, black, white) = playing(10, 600_000);
    assert_eq!(scene.pinged, []);
    scene.client("w");
    assert_eq!(scene.pinged, [(white, true)]);
    // Not again for each of a crowd, and who comes from elsewhere may be a stranger.
    scene.client("w");
    assert_eq!(scene.pinged[1..], [(ClientId(3), true)]);
    scene.wait(2_000);
    scene.client_from_afar("b");
    assert_eq!(scene.pinged[2..], [(black, false)]);
    // Until one is found dead, it keeps its seat.
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
    scene.place(black, 0, 0);
    assert_eq!(scene.types(black), ["VALID"]);
}

#[test]
fn a_name_of_two_connections_is_logged() {
    let (mut scene, _, white) = playing(10, 600_000);
    scene.client("x");
    assert!(!scene.told().concat().contains("has the name"));
    scene.client("w");
    let told = scene.told();
    assert_eq!(
        told[2..],
        [
            "#4 has the name w too, with #2 still connected: the older connection keeps its seat \
          while it answers pings, and #4 gets no game of a tournament until it is gone"
        ]
    );
    // The seat goes to the newcomer only when the older connection is gone.
    scene.found_dead(white, 1_000);
    let told = scene.told();
    let takeover = "table 1: #4 takes over White from #2; both are called w";
    assert!(told.iter().any(|line| line == takeover), "{told:#?}");
    scene.client("w");
    scene.client("w");
    let told = scene.told().pop().unwrap();
    assert!(
        told.starts_with("#6 has the name w too, with #4 and #5 still connected"),
        "{told}"
    );
}

#[test]
fn a_dead_connection_costs_nobody_time() {
    let (mut scene, black, white) = playing(10, 600_000);
    scene.place(black, 0, 0);
    scene.wait(18_500);
    let back = scene.client("w");
    assert_eq!(scene.types(back), ["NAME"]);
    // It thought for a second until its machine stopped.
    scene.found_dead(white, 17_500);
    assert_eq!(scene.types(black), ["VALID", "END", "START"]);
    let start = scene.message(back);
    assert_eq!(start["configuration"]["idleDeltaTime"], 1_000);
    scene.place(back, 1, 1);
    assert_eq!(
        scene.message(back)["remainingTime"],
        json!({"B": 60_000, "W": 59_000})
    );
    // What it was given back counts as a break.
    assert!(
        scene
            .told()
            .contains(&"table 1: break 1 of 10 for w (White); 00:17.500 of 10:00.000 used".into())
    );
}

#[test]
fn moving_while_the_opponent_is_dead_uses_time() {
    let (mut scene, black, white) = playing(10, 600_000);
    scene.wait(20_000);
    scene.found_dead(white, 18_000);
    let end = scene.message(black);
    assert_eq!(end["players"]["B"]["remainingTime"], 40_000);
}

#[test]
fn the_log_says_what_an_interrupted_game_waits_for() {
    let (mut scene, _, white) = playing(10, 600_000);
    scene.leave(white);
    assert_eq!(
        scene.told()[2],
        "table 1: game 0001 is interrupted: White left; it waits for w, or until the organizer \
         voids or adjourns it on the page"
    );
    let mut scene = scene.after_a_crash(small(5, 60_000));
    assert_eq!(
        scene.told(),
        [
            "table 1: game 0001 waits after 0 moves for b (Black) and w (White), or until the \
             organizer voids or adjourns it on the page"
        ]
    );
}

#[test]
fn nothing_is_given_back_from_before_the_clock_ran() {
    let (mut scene, black, white) = playing(10, 600_000);
    scene.wait(9_000);
    scene.place(black, 0, 0);
    scene.wait(1_000);
    scene.found_dead(white, 8_000);
    let end = scene.messages(black).pop().unwrap();
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
    let (mut scene, mut black, white) = playing(2, 600_000);
    for _ in 0..2 {
        scene.wait(1_000);
        scene.leave(black);
        scene.wait(5_000);
        black = scene.client("b");
        assert_eq!(scene.types(white), ["END", "START"]);
    }
    scene.heard(black);
    scene.told();
    scene.leave(black);
    assert_eq!(
        scene.told(),
        [
            "#4 b left: it closed",
            "table 1: break 3 of 2 for b (Black); 00:10.000 of 10:00.000 used",
            "table 1: game 0001 goes on without b (Black), whose breaks are used up: Black's clock runs in Black's turn",
        ]
    );
    // The opponent does not even hear of it.
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
    scene.wait(8_000);
    let black = scene.client("b");
    assert_eq!(scene.types(white), [""; 0]);
    let messages = scene.messages(black);
    assert_eq!(
        messages[1]["configuration"]["idleDeltaTime"],
        2_000 + 8_000,
        "{messages:#?}"
    );
    scene.place(black, 0, 0);
    assert_eq!(scene.message(black)["remainingTime"]["B"], 50_000);
    assert_eq!(scene.types(white), ["MOVE"]);
}

#[test]
fn the_flag_of_an_absent_player_falls() {
    let (mut scene, black, white) = playing(0, 600_000);
    scene.leave(white);
    scene.place(black, 0, 0);
    assert_eq!(scene.types(black), ["VALID"]);
    scene.wait(59_999);
    assert_eq!(scene.types(black), [""; 0]);
    scene.wait(1);
    let end = scene.message(black);
    assert_eq!(
        (&end["reason"], &end["winner"]),
        (&json!("timeout"), &json!("B"))
    );
    assert_eq!(scene.records.len(), 1);
}

#[test]
fn the_clock_runs_after_too_long_a_break() {
    let (mut scene, mut black, white) = playing(10, 30_000);
    scene.wait(1_000);
    scene.leave(black);
    scene.wait(20_000);
    black = scene.client("b");
    scene.leave(black);
    scene.heard(white);
    scene.told();
    scene.wait(9_999);
    assert_eq!(scene.contest.phase(0), BROKEN_OFF);
    assert_eq!(scene.types(white), [""; 0]);
    scene.wait(1);
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
    let start = scene.message(white);
    assert_eq!(start["configuration"]["idleDeltaTime"], 1_000);
    assert_eq!(
        scene.told(),
        [
            "table 1: game 0001 goes on without b (Black), whose breaks are used up: Black's clock runs in Black's turn"
        ]
    );
    scene.wait(4_000);
    let black = scene.client("b");
    assert_eq!(
        scene.told().last().unwrap(),
        "table 1: b (Black) is back in game 0001"
    );
    let start = scene.messages(black).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 5_000);
    // There is no further break.
    scene.leave(black);
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
}

#[test]
fn nobody_is_given_back_more_than_is_left_of_the_breaks() {
    let (mut scene, black, white) = playing(10, 3_000);
    scene.place(black, 0, 0);
    scene.wait(10_000);
    scene.found_dead(white, 9_000);
    let end = scene.messages(black).pop().unwrap();
    assert_eq!(end["type"], "START", "it goes on at once: {end}");
    assert_eq!(end["configuration"]["idleDeltaTime"], 7_000);
}

#[test]
fn while_both_are_away_nobody_is_waited_for() {
    let (mut scene, black, white) = playing(10, 10_000);
    scene.leave(black);
    scene.wait(1_000);
    scene.leave(white);
    scene.wait(3_600_000);
    assert_eq!(scene.contest.phase(0), BROKEN_OFF);
    scene.client("w");
    scene.wait(8_999);
    assert_eq!(scene.contest.phase(0), BROKEN_OFF);
    scene.wait(1);
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
}

#[test]
fn without_breaks_left_the_clock_runs_also_when_the_opponent_is_back() {
    let (mut scene, black, white) = playing(1, 10_000);
    scene.leave(black);
    scene.leave(white);
    let black = scene.client("b");
    scene.leave(black);
    assert_eq!(scene.contest.phase(0), BROKEN_OFF);
    let white = scene.client("w");
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
    assert_eq!(scene.types(white), ["NAME", "START"]);
    assert_eq!(scene.types(black), ["NAME"]);
}

#[test]
fn a_pause_by_the_organizer_is_not_a_break() {
    let (mut scene, black, white) = playing(10, 10_000);
    scene.leave(black);
    scene.wait(4_000);
    scene.act(OrganizerCommand::Adjourn { table: 1 }).unwrap();
    scene.wait(100_000);
    let game = gothello::goref::GameId(1);
    scene
        .act(OrganizerCommand::Recall { table: 1, game })
        .unwrap();
    scene.wait(100_000);
    let black = scene.client("b");
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    scene.leave(white);
    scene.wait(100_000);
    let white = scene.client("w");
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    scene.told();
    scene.leave(black);
    assert_eq!(
        scene.told()[1],
        "table 1: break 2 of 10 for b (Black); 00:04.000 of 00:10.000 used"
    );
    scene.client("b");
    scene.leave(white);
    assert!(
        scene
            .told()
            .contains(&"table 1: break 1 of 10 for w (White); 00:00.000 of 00:10.000 used".into())
    );
}

#[test]
fn a_new_start_of_the_server_keeps_the_count_and_is_no_break() {
    let (mut scene, black, _) = playing(2, 60_000);
    scene.leave(black);
    scene.wait(7_000);
    let black = scene.client("b");
    scene.leave(black);
    // The journal as it is, and a shorter one.
    let now = scene.moment();
    let rewritten = scene.contest.snapshot(now.clock);
    for journal in [scene.journal.clone(), rewritten] {
        let count = journal.iter().rev().find_map(|entry| match entry {
            Entry::Breaks { number, used, .. } => Some((*number, *used)),
            _ => None,
        });
        assert_eq!(count, Some((2, 7_000)));
        let mut contest = gothello::goref::Contest::new(vec![small(5, 1).into()], false);
        contest
            .restore(journal, gothello::goref::GameId(1), now)
            .unwrap();
        let mut scene = Scene::of(contest);
        limit(&mut scene, 2, 60_000);
        scene.client("w");
        scene.wait(3_600_000);
        assert_eq!(scene.contest.phase(0), BROKEN_OFF);
        let black = scene.client("b");
        assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
        scene.leave(black);
        assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
    }
}

#[test]
fn every_game_has_its_own_breaks() {
    let (mut scene, black, white) = playing(1, 60_000);
    scene.leave(black);
    let black = scene.client("b");
    scene.resign(black);
    scene.act(OrganizerCommand::Start { table: 1 }).unwrap();
    scene.leave(white);
    assert_eq!(scene.contest.phase(0), BROKEN_OFF);
}
