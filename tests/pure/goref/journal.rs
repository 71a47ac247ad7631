//! What a journal holds is enough to go on.

use gothello::goref::{Contest, Entry, GameId, OrganizerCommand, Phase, wire::Reason};
use proptest::prelude::*;
use std::sync::Arc;

use crate::cases::cases;
use crate::goref::scene::{Scene, small};

#[test]
fn after_a_crash_the_games_wait_for_their_players() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    scene.wait(1_000);
    scene.place(black, 2, 2);
    scene.wait(2_000);
    scene.place(white, 1, 1);
    // What has been used since the last move is not known any more.
    scene.wait(9_000);
    let mut scene = scene.after_a_crash(small(19, 1));
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Error))
    );
    scene.client("w");
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Error))
    );
    let black = scene.client("b");
    let start = scene.messages(black).pop().unwrap();
    let configuration = &start["configuration"];
    assert_eq!(configuration["moveLog"].as_array().unwrap().len(), 2);
    assert_eq!(configuration["moveLog"][1]["deltaTime"], 2_000);
    assert_eq!(configuration["idleDeltaTime"], 0);
    scene.wait(500);
    scene.place(black, 0, 0);
    assert_eq!(scene.message(black)["remainingTime"]["B"], 58_500);
}

#[test]
fn a_game_that_was_paused_is_paused_after_a_crash_with_its_idle_time() {
    let (mut scene, black, _) = Scene::playing(small(5, 60_000));
    scene.wait(4_000);
    scene.act(OrganizerCommand::Pause { table: 1 }).unwrap();
    scene.heard(black);
    let mut scene = scene.after_a_crash(small(5, 60_000));
    let black = scene.client("b");
    scene.client("w");
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Pause))
    );
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    let start = scene.messages(black).pop().unwrap();
    assert_eq!(start["configuration"]["idleDeltaTime"], 4_000);
}

#[test]
fn an_adjourned_game_is_adjourned_after_a_crash() {
    let (mut scene, black, _) = Scene::playing(small(5, 60_000));
    scene.place(black, 2, 2);
    scene.act(OrganizerCommand::Adjourn { table: 1 }).unwrap();
    let mut scene = scene.after_a_crash(small(5, 60_000));
    assert_eq!(scene.contest.phase(0), None);
    scene.client("b");
    scene.client("w");
    let game = GameId(1);
    scene
        .act(OrganizerCommand::Recall { table: 1, game })
        .unwrap();
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
}

#[test]
fn adjourned_games_stand_in_the_order_of_their_numbers() {
    let (mut scene, ..) = Scene::playing(small(5, 60_000));
    let game = GameId(1);
    for command in [
        OrganizerCommand::Adjourn { table: 1 },
        OrganizerCommand::Start { table: 1 },
        OrganizerCommand::Adjourn { table: 1 },
        OrganizerCommand::Recall { table: 1, game },
        OrganizerCommand::Adjourn { table: 1 },
    ] {
        scene.act(command).unwrap();
    }
    let clock = scene.moment().clock;
    let snapshot = scene.contest.snapshot(clock);
    let scene = scene.after_a_crash(small(5, 60_000));
    assert_eq!(scene.contest.snapshot(clock), snapshot);
}

#[test]
fn a_game_without_a_table_is_adjourned() {
    let (scene, ..) = Scene::playing(small(5, 60_000));
    let mut contest = Contest::new(Vec::new(), false);
    contest
        .restore(scene.journal.clone(), GameId(1), scene.moment())
        .unwrap();
    let mut scene = Scene::of(contest);
    assert_eq!(scene.told(), ["game 0001 is adjourned"]);
}

#[test]
fn numbers_are_never_used_twice() {
    let (mut scene, black, _) = Scene::playing(small(5, 60_000));
    scene.resign(black);
    let mut scene = scene.after_a_crash(small(5, 60_000));
    let (a, b) = (scene.client("a"), scene.client("b"));
    scene.seat(1, a, b);
    scene.act(OrganizerCommand::Start { table: 1 }).unwrap();
    assert!(matches!(
        scene.journal.last(),
        Some(Entry::Opened {
            game: GameId(2),
            ..
        })
    ));
}

#[test]
fn a_journal_that_does_not_fit_is_an_error_that_names_the_entry() {
    let (scene, ..) = Scene::playing(small(5, 60_000));
    let mut entries = scene.journal.clone();
    entries.push(Entry::Interrupted {
        game: GameId(7),
        reason: Reason::Pause,
        idle: 0,
    });
    let mut contest = Contest::new(vec![Arc::new(small(5, 1_000))], false);
    let error = contest
        .restore(entries, GameId(1), scene.moment())
        .unwrap_err();
    assert_eq!(error.to_string(), "entry 2: game 0007 has not begun");
}

#[test]
fn when_the_disk_fails_the_games_go_back_to_what_is_on_it() {
    let (mut scene, black, white) = Scene::playing(small(5, 60_000));
    scene.place(black, 2, 2);
    let on_disk = scene.journal.clone();
    scene.place(white, 1, 1);
    scene.heard(black);
    scene.heard(white);
    let now = scene.moment();
    scene
        .contest
        .disk_failed("the disk is full", on_disk, None, now);
    scene.wait(0);
    scene.act(OrganizerCommand::Resume { table: 1 }).unwrap();
    // Both hear that it is interrupted, then how it stands.
    for client in [black, white] {
        let messages = scene.messages(client);
        assert_eq!(messages[0]["reason"], "error");
        let log = &messages[1]["configuration"]["moveLog"];
        assert_eq!(log.as_array().unwrap().len(), 1);
    }
    scene.place(white, 0, 0);
    assert_eq!(scene.types(white), ["VALID"]);
}

/// Something that somebody does.
#[derive(Clone, Debug)]
enum Deed {
    Place(u8, u8),
    Pass,
    Wait(u64),
    LeaveAndReturn(bool),
    Organize(u8),
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => (0..4_u8, 0..4_u8).prop_map(|(row, column)| Deed::Place(row, column)),
        1 => Just(Deed::Pass),
        2 => (0..3_000_u64).prop_map(Deed::Wait),
        1 => any::<bool>().prop_map(Deed::LeaveAndReturn),
        2 => (0..6_u8).prop_map(Deed::Organize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    /// A contest that is restored from its journal, from a shorter one, or from any
    /// beginning of it, goes on as the first one would.
    #[test]
    fn a_contest_is_what_its_journal_says(deeds in prop::collection::vec(any_deed(), 0..60), cut in 0..200_usize) {
        let (mut scene, mut black, mut white) = Scene::playing(small(4, 30_000));
        for deed in deeds {
            match deed {
                Deed::Place(row, column) => {
                    scene.place(black, row.into(), column.into());
                    scene.place(white, column.into(), row.into());
                }
                Deed::Pass => scene.pass(black),
                Deed::Wait(time) => scene.wait(time),
                Deed::LeaveAndReturn(true) => {
                    scene.leave(black);
                    black = scene.client("b");
                }
                Deed::LeaveAndReturn(false) => {
                    scene.leave(white);
                    white = scene.client("w");
                }
                Deed::Organize(number) => {
                    let command = match number {
                        0 => OrganizerCommand::Pause { table: 1 },
                        1 => OrganizerCommand::Resume { table: 1 },
                        2 => OrganizerCommand::Start { table: 1 },
                        3 => OrganizerCommand::Adjourn { table: 1 },
                        4 => OrganizerCommand::Recall { table: 1, game: GameId(1) },
                        _ => OrganizerCommand::Clear { table: 1 },
                    };
                    let _ = scene.act(command);
                }
            }
        }
        let _ = scene.act(OrganizerCommand::Pause { table: 1 });
        let now = scene.moment();
        let snapshot = scene.contest.snapshot(now.clock);
        let restore = |entries: Vec<Entry>| {
            let mut contest = Contest::new(vec![Arc::new(small(4, 30_000))], false);
            contest.restore(entries, GameId(1), now).map(|()| contest.snapshot(now.clock))
        };
        prop_assert_eq!(restore(scene.journal.clone()).unwrap(), snapshot.clone());
        prop_assert_eq!(restore(snapshot.clone()).unwrap(), snapshot);
        let beginning = scene.journal.iter().take(cut).cloned().collect();
        prop_assert!(restore(beginning).is_ok());
    }
}
