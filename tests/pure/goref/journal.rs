//! What a journal holds is enough to go on.

use gothello::contests::goref::{Contest, Entry, GameId, GamePhase, OrganizerCommand, WaitsFor};
use gothello::tournament::LastTournament;
use proptest::prelude::*;
use std::sync::Arc;

use crate::cases::cases;
use crate::goref::test_contest::{TestContest, small};

#[test]
fn after_a_crash_the_games_wait_for_their_players() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.wait(1_000);
    test.place(black, 2, 2);
    test.wait(2_000);
    test.place(white, 1, 1);
    // The time used since the last move is lost.
    test.wait(9_000);
    let mut test = test.after_a_crash(small(19, 1));
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Players))
    );
    test.client("w");
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Players))
    );
    let black = test.client("b");
    let start = test.messages(black).pop().unwrap();
    let configuration = &start["configuration"];
    assert_eq!(configuration["moveLog"].as_array().unwrap().len(), 2);
    assert_eq!(configuration["moveLog"][1]["deltaTime"], 2_000);
    assert_eq!(configuration["idleDeltaTime"], 0);
    test.wait(500);
    test.place(black, 0, 0);
    assert_eq!(test.message(black)["remainingTime"]["B"], 58_500);
}

#[test]
fn a_game_that_was_paused_is_paused_after_a_crash_with_its_idle_time() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.wait(4_000);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    test.heard(black);
    let mut test = test.after_a_crash(small(5, 60_000));
    insta::assert_snapshot!(test.take_log().join("\n"), @"table 1: game 0001 is interrupted: it was paused, and the organizer resumes it on the page");
    let black = test.client("b");
    test.client("w");
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Organizer))
    );
    test.act(OrganizerCommand::Resume(1)).unwrap();
    let start = test.messages(black).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 4_000);
}

#[test]
fn an_adjourned_game_is_adjourned_after_a_crash() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.act(OrganizerCommand::Adjourn(1)).unwrap();
    let mut test = test.after_a_crash(small(5, 60_000));
    assert_eq!(test.contest.phase(0), None);
    test.client("b");
    test.client("w");
    let game = GameId(1);
    test.act(OrganizerCommand::Recall(1, game)).unwrap();
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn adjourned_games_stand_in_the_order_of_their_numbers() {
    let (mut test, ..) = TestContest::playing(small(5, 60_000));
    let game = GameId(1);
    for command in [
        OrganizerCommand::Adjourn(1),
        OrganizerCommand::Start(1),
        OrganizerCommand::Adjourn(1),
        OrganizerCommand::Recall(1, game),
        OrganizerCommand::Adjourn(1),
    ] {
        test.act(command).unwrap();
    }
    let clock = test.moment().clock;
    let snapshot = test.contest.snapshot(clock);
    let test = test.after_a_crash(small(5, 60_000));
    assert_eq!(test.contest.snapshot(clock), snapshot);
}

#[test]
fn a_game_without_a_table_is_adjourned() {
    let (test, ..) = TestContest::playing(small(5, 60_000));
    let mut contest = Contest::new(Vec::new(), false);
    contest
        .restore(test.journal.clone(), GameId(1), test.moment())
        .unwrap();
    let mut test = TestContest::of(contest);
    assert_eq!(test.take_log(), ["game 0001 is adjourned"]);
}

#[test]
fn numbers_are_never_used_twice() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.resign(black);
    let mut test = test.after_a_crash(small(5, 60_000));
    let (a, b) = (test.client("a"), test.client("b"));
    test.seat(1, a, b);
    test.act(OrganizerCommand::Start(1)).unwrap();
    assert!(matches!(
        test.journal.last(),
        Some(Entry::Opened {
            game: GameId(2),
            ..
        })
    ));
}

#[test]
fn a_journal_that_does_not_fit_is_an_error_that_names_the_entry() {
    let (test, ..) = TestContest::playing(small(5, 60_000));
    let mut entries = test.journal.clone();
    entries.push(Entry::Interrupted {
        game: GameId(7),
        waits_for: WaitsFor::Organizer,
        idle: 0,
    });
    let mut contest = Contest::new(vec![Arc::new(small(5, 1_000))], false);
    let error = contest
        .restore(entries, GameId(1), test.moment())
        .unwrap_err();
    assert_eq!(error.to_string(), "entry 2: game 0007 has not begun");
}

#[test]
fn when_the_disk_fails_the_games_go_back_to_what_is_on_it() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    let on_disk = test.journal.clone();
    test.place(white, 1, 1);
    test.heard(black);
    test.heard(white);
    let now = test.moment();
    let none = LastTournament::default();
    test.contest
        .disk_failed("the disk is full", on_disk, none, now);
    test.wait(0);
    let refused = test.act(OrganizerCommand::Resume(1));
    let why = "the disk is full: until the disk can be written again, all games wait";
    assert_eq!(refused, Err(why.to_owned()));
    test.heal_disk();
    // Both hear that it is interrupted, then how it stands.
    for client in [black, white] {
        let messages = test.messages(client);
        assert_eq!(messages[0]["reason"], "error");
        let log = &messages[1]["configuration"]["moveLog"];
        assert_eq!(log.as_array().unwrap().len(), 1, "{log}");
    }
    test.place(white, 0, 0);
    assert_eq!(test.types(white), ["VALID"]);
}

#[test]
fn a_game_that_the_organizer_paused_stays_paused_when_the_disk_is_healed() {
    let (mut test, black, _) = TestContest::playing(small(5, 60_000));
    test.place(black, 2, 2);
    test.act(OrganizerCommand::Pause(1)).unwrap();
    let on_disk = test.journal.clone();
    let now = test.moment();
    let none = LastTournament::default();
    test.contest
        .disk_failed("the disk is full", on_disk, none, now);
    test.heal_disk();
    let paused = GamePhase::Interrupted(WaitsFor::Organizer);
    assert_eq!(test.contest.phase(0), Some(paused));
    test.act(OrganizerCommand::Resume(1)).unwrap();
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

/// A server that stops after some games counts each once.
#[test]
fn a_game_counts_as_over_when_its_end_is_on_the_disk_and_not_at_the_next_start() {
    let (mut test, black, white) = TestContest::playing(small(5, 60_000));
    test.pass(black);
    let undecided = test.journal.clone();
    test.pass(white);
    // It is told together with the end, after what is written.
    let over = [GameId(1)];
    assert_eq!(test.over, over);
    let ended = test.journal.clone();
    for (on_disk, told) in [(ended.clone(), over.as_slice()), (undecided, &[])] {
        test.over.clear();
        let (now, none) = (test.moment(), LastTournament::default());
        test.contest
            .disk_failed("the disk is full", on_disk, none, now);
        test.heal_disk();
        assert_eq!(test.over, told);
    }
    test.journal = ended;
    let restored = test.after_a_crash(small(5, 60_000));
    assert_eq!(restored.records.len(), 1);
    assert_eq!(restored.over, []);
}

/// Something that a player or the organizer does.
#[derive(Clone, Debug)]
enum Action {
    Place(u8, u8),
    Pass,
    Wait(u64),
    LeaveAndReturn(bool),
    Organize(u8),
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => (0..4_u8, 0..4_u8).prop_map(|(row, column)| Action::Place(row, column)),
        1 => Just(Action::Pass),
        2 => (0..3_000_u64).prop_map(Action::Wait),
        1 => any::<bool>().prop_map(Action::LeaveAndReturn),
        2 => (0..6_u8).prop_map(Action::Organize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    /// A contest that is restored from its journal, from a shorter one, or from any
    /// beginning of it, goes on as the first one would.
    #[test]
    fn a_contest_is_what_its_journal_says(actions in prop::collection::vec(any_action(), 0..60), cut in 0..200_usize) {
        let (mut test, mut black, mut white) = TestContest::playing(small(4, 30_000));
        for action in actions {
            match action {
                Action::Place(row, column) => {
                    test.place(black, row.into(), column.into());
                    test.place(white, column.into(), row.into());
                }
                Action::Pass => test.pass(black),
                Action::Wait(time) => test.wait(time),
                Action::LeaveAndReturn(true) => {
                    test.leave(black);
                    black = test.client("b");
                }
                Action::LeaveAndReturn(false) => {
                    test.leave(white);
                    white = test.client("w");
                }
                Action::Organize(number) => {
                    let command = match number {
                        0 => OrganizerCommand::Pause(1),
                        1 => OrganizerCommand::Resume(1),
                        2 => OrganizerCommand::Start(1),
                        3 => OrganizerCommand::Adjourn(1),
                        4 => OrganizerCommand::Recall(1, GameId(1)),
                        _ => OrganizerCommand::Clear(1),
                    };
                    let _ = test.act(command);
                }
            }
        }
        let _ = test.act(OrganizerCommand::Pause(1));
        let now = test.moment();
        let snapshot = test.contest.snapshot(now.clock);
        let restore = |entries: Vec<Entry>| {
            let mut contest = Contest::new(vec![Arc::new(small(4, 30_000))], false);
            contest.restore(entries, GameId(1), now).map(|()| contest.snapshot(now.clock))
        };
        prop_assert_eq!(restore(test.journal.clone()).unwrap(), snapshot.clone());
        prop_assert_eq!(restore(snapshot.clone()).unwrap(), snapshot);
        let beginning = test.journal.iter().take(cut).cloned().collect();
        prop_assert!(restore(beginning).is_ok());
    }
}
