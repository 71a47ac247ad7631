//! Teams that do not come to their games of a tournament.

use std::sync::Arc;
use std::time::Duration;

use gothello::contests::goref::{
    ClientId, Contest, GamePhase, OrganizerCommand, TournamentCommand, TournamentDesk,
    TournamentEffect, WaitsFor,
};
use gothello::tournament::{Event, Games, PairingSystem, Settings, Tournament};

use crate::goref::test_contest::{TestContest, last, small};

/// The time after which an absent player forfeits.
const LIMIT: Option<Duration> = Some(Duration::from_secs(10));

/// A contest with tables where absent players forfeit after ten seconds.
fn contest(tables: usize) -> TestContest {
    let setups = (0..tables).map(|_| Arc::new(small(5, 60_000)));
    let mut contest = Contest::new(setups.collect(), false);
    contest.set_desk(TournamentDesk::new(None, LIMIT));
    TestContest::of(contest)
}

fn begin(test: &mut TestContest, system: PairingSystem) {
    let settings = Settings {
        system,
        games: Games::Single,
        seed: 7,
        forbidden: Vec::new(),
    };
    test.act(OrganizerCommand::Tournament(TournamentCommand::Begin(
        settings,
    )))
    .unwrap();
    test.take_log();
}

/// The results that are not those of played games.
fn forfeits(test: &TestContest) -> Vec<(String, String)> {
    let (_, events) = test.notes();
    let forfeit = |event| match event {
        Event::Game { scheduled, result } if result.forfeit => {
            let winner = result.winner.map(|color| match color {
                gothello::Color::Black => scheduled.black.to_string(),
                gothello::Color::White => scheduled.white.to_string(),
            });
            let winner = winner.unwrap_or_else(|| "nobody".into());
            Some((winner, result.reason.to_string()))
        }
        _ => None,
    };
    events.into_iter().filter_map(forfeit).collect()
}

/// Resigns the game at a table.
fn resign(test: &mut TestContest, players: &[ClientId]) {
    for &player in players {
        test.resign(player);
    }
}

#[test]
fn a_team_that_never_comes_back_loses_its_games_and_the_tournament_ends() {
    let mut test = contest(2);
    let [a, b, c] = ["a", "b", "c"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    test.leave(c);
    // The game that c has left has a break; then its clock runs.
    while !test.contest.is_tournament_over() {
        resign(&mut test, &[a, b]);
        test.wait(3_000);
        assert!(test.log.len() < 1_000, "{:#?}", test.take_log());
    }
    let log = test.take_log();
    let lines: Vec<&String> = log
        .iter()
        .filter(|line| line.contains("forfeits"))
        .collect();
    assert_eq!(lines.len(), 1, "{log:#?}");
    assert!(lines[0].contains("c did not come within 10s"), "{lines:?}");
    assert_eq!(forfeits(&test).len(), 1);
    assert_eq!(forfeits(&test)[0].1, "absence");
}

#[test]
fn a_team_that_comes_in_time_plays() {
    let mut test = contest(1);
    let [a, b] = ["a", "b"].map(|name| test.client(name));
    test.leave(b);
    let b = test.client("b");
    begin(&mut test, PairingSystem::RoundRobin);
    resign(&mut test, &[a, b]);
    assert!(test.contest.is_tournament_over());
    assert_eq!(forfeits(&test), []);
}

#[test]
fn a_forfeit_ends_a_swiss_round_and_the_next_one_begins() {
    let mut test = contest(1);
    let clients = ["a", "b", "c", "d"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::Swiss { rounds: 2 });
    // One table: the second game of the round has not begun when one of its players leaves.
    let playing = (0..4).filter(|&client| !test.heard(clients[client]).concat().contains("START"));
    let waiting: Vec<usize> = playing.collect();
    let [away, _] = waiting[..] else {
        panic!("{waiting:?} wait");
    };
    test.leave(clients[away]);
    test.wait(30_000);
    // Nothing counted: the only table was taken.
    assert_eq!(forfeits(&test), []);
    for (index, &client) in clients.iter().enumerate() {
        if !waiting.contains(&index) {
            test.resign(client);
        }
    }
    test.wait(9_999);
    assert_eq!(forfeits(&test), []);
    test.wait(1);
    assert_eq!(forfeits(&test).len(), 1);
    // The second round is paired, and its game without the absent team begins.
    let rounds = test.notes().1;
    let rounds = rounds
        .iter()
        .filter(|event| matches!(event, Event::Paired { .. }));
    assert_eq!(rounds.count(), 2);
    assert_eq!(test.contest.phase(0), Some(GamePhase::Playing));
}

#[test]
fn a_game_that_both_teams_have_left_is_void_and_forfeited_by_both_while_others_wait() {
    let mut test = contest(1);
    let clients = ["a", "b", "c"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    let mut there = Vec::new();
    for client in clients {
        match test.heard(client).concat().contains("START") {
            true => test.leave(client),
            false => there.push(client),
        }
    }
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Players))
    );
    test.wait(9_999);
    assert_eq!(forfeits(&test), []);
    test.wait(1);
    assert_eq!(forfeits(&test)[0].0, "nobody");
    // The record says that the game is void, and why.
    assert!(test.records[0].outcome.is_none());
    let why = &test.records[0].void;
    assert!(why.contains("came within 10s: both forfeit"), "{why}");
    // Its table is free again, and the one who waits wins the other two.
    test.wait(10_000);
    assert!(test.contest.is_tournament_over(), "{:#?}", test.take_log());
    assert_eq!(forfeits(&test).len(), 3);
}

#[test]
fn nothing_is_forfeited_while_nobody_is_there() {
    let mut test = contest(1);
    let clients = ["a", "b"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    for client in clients {
        test.leave(client);
    }
    test.wait(1_000_000);
    assert_eq!(forfeits(&test), []);
    assert_eq!(test.contest.next_deadline(), None);
}

#[test]
fn a_team_that_does_not_come_back_after_a_crash_forfeits_its_interrupted_game() {
    let mut test = contest(1);
    for name in ["a", "b"] {
        test.client(name);
    }
    begin(&mut test, PairingSystem::RoundRobin);
    let mut desk = TournamentDesk::new(None, LIMIT);
    desk.resume(last(test.tournament()));
    let mut test = test.after_a_crash_with(small(5, 60_000), desk);
    test.wait(60_000);
    test.client("a");
    test.wait(9_999);
    assert!(!test.contest.is_tournament_over());
    test.wait(1);
    assert!(test.contest.is_tournament_over());
    let log = test.take_log();
    let forfeit = "b did not come within 10s and forfeits round 1, pairing 1, game 1 to a";
    assert!(log.iter().any(|line| line == forfeit), "{log:#?}");
}

#[test]
fn a_break_has_its_own_limit() {
    let mut test = contest(1);
    test.limit_breaks(3, 100_000);
    let [_, b] = ["a", "b"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    test.leave(b);
    test.wait(99_999);
    assert_eq!(
        test.contest.phase(0),
        Some(GamePhase::Interrupted(WaitsFor::Players))
    );
    test.wait(60_001);
    // The clock of b ran, and its flag fell.
    assert!(test.contest.is_tournament_over());
    assert_eq!(forfeits(&test), []);
}

#[test]
fn an_ended_tournament_forfeits_nothing() {
    let mut test = contest(1);
    let [_, b, _] = ["a", "b", "c"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    test.leave(b);
    test.act(OrganizerCommand::Tournament(TournamentCommand::End))
        .unwrap();
    test.wait(1_000_000);
    assert_eq!(forfeits(&test), []);
    assert_eq!(test.contest.next_deadline(), None);
}

#[test]
fn nobody_forfeits_because_the_disk_fails() {
    let mut test = contest(1);
    let [_a, b] = ["a", "b"].map(|name| test.client(name));
    begin(&mut test, PairingSystem::RoundRobin);
    let (TournamentEffect::Begin { settings, entrants }, events) = test.notes() else {
        panic!("it has not begun");
    };
    let mut on_disk = Tournament::new(settings, &entrants).unwrap();
    for event in &events {
        on_disk.apply(event).unwrap();
    }
    test.leave(b);
    test.wait(9_000);
    let (journal, now) = (test.journal.clone(), test.moment());
    let why = "the disk is full";
    test.contest.disk_failed(why, journal, last(on_disk), now);
    assert_eq!(test.contest.next_deadline(), None);
    test.wait(60_000);
    test.heal_disk();
    // The player is awaited anew.
    test.wait(9_000);
    assert_eq!(forfeits(&test), []);
    test.wait(2_000);
    assert_eq!(forfeits(&test).len(), 1);
}
