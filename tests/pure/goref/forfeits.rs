//! Teams that do not come to their games of a tournament.

use std::sync::Arc;
use std::time::Duration;

use gothello::goref::{
    BreakLimits, ClientId, Contest, OrganizerCommand, Phase, TournamentEffect, wire::Reason,
};
use gothello::tournament::{Event, Games, PairingSystem, Settings};

use crate::goref::scene::{Scene, small};

/// A contest with tables where absent players forfeit after ten seconds.
fn contest(tables: usize) -> Scene {
    let setups = (0..tables).map(|_| Arc::new(small(5, 60_000)));
    let mut contest = Contest::new(setups.collect(), false);
    contest.set_forfeit_after(Duration::from_secs(10));
    Scene::of(contest)
}

fn begin(scene: &mut Scene, system: PairingSystem) {
    let settings = Settings {
        system,
        games: Games::Single,
        seed: 7,
        forbidden: Vec::new(),
    };
    scene.act(OrganizerCommand::Tournament(settings)).unwrap();
    scene.told();
}

/// The results that are not those of played games.
fn forfeits(scene: &Scene) -> Vec<(String, String)> {
    let (_, events) = scene.notes();
    let forfeit = |event| match event {
        Event::Game { fixture, result } if result.forfeit => {
            let winner = result.winner.map(|color| match color {
                gothello::Color::Black => fixture.black.to_string(),
                gothello::Color::White => fixture.white.to_string(),
            });
            let winner = winner.unwrap_or_else(|| "nobody".into());
            Some((winner, result.reason.to_string()))
        }
        _ => None,
    };
    events.into_iter().filter_map(forfeit).collect()
}

/// Resigns the game at a table.
fn resign(scene: &mut Scene, players: &[ClientId]) {
    for &player in players {
        scene.resign(player);
    }
}

#[test]
fn a_team_that_never_comes_back_loses_its_games_and_the_tournament_ends() {
    let mut scene = contest(2);
    let [a, b, c] = ["a", "b", "c"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::RoundRobin);
    scene.leave(c);
    // The game that c has left has a break; then its clock runs.
    while !scene.contest.is_tournament_over() {
        resign(&mut scene, &[a, b]);
        scene.wait(3_000);
        assert!(scene.news.len() < 1_000, "{:#?}", scene.told());
    }
    let told = scene.told();
    let lines: Vec<&String> = told
        .iter()
        .filter(|line| line.contains("forfeits"))
        .collect();
    assert_eq!(lines.len(), 1, "{told:#?}");
    assert!(lines[0].contains("c did not come within 10s"), "{lines:?}");
    assert_eq!(forfeits(&scene).len(), 1);
    assert_eq!(forfeits(&scene)[0].1, "absence");
}

#[test]
fn a_team_that_comes_in_time_plays() {
    let mut scene = contest(1);
    let [a, b] = ["a", "b"].map(|name| scene.client(name));
    scene.leave(b);
    let b = scene.client("b");
    begin(&mut scene, PairingSystem::RoundRobin);
    resign(&mut scene, &[a, b]);
    assert!(scene.contest.is_tournament_over());
    assert_eq!(forfeits(&scene), []);
}

#[test]
fn a_forfeit_ends_a_swiss_round_and_the_next_one_begins() {
    let mut scene = contest(1);
    let clients = ["a", "b", "c", "d"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::Swiss { rounds: 2 });
    // One table: the second game of the round has not begun when one of its players leaves.
    let playing = (0..4).filter(|&client| !scene.heard(clients[client]).concat().contains("START"));
    let waiting: Vec<usize> = playing.collect();
    let [away, _] = waiting[..] else {
        panic!("{waiting:?} wait");
    };
    scene.leave(clients[away]);
    scene.wait(30_000);
    // Nothing counted: the only table was taken.
    assert_eq!(forfeits(&scene), []);
    for (index, &client) in clients.iter().enumerate() {
        if !waiting.contains(&index) {
            scene.resign(client);
        }
    }
    scene.wait(9_999);
    assert_eq!(forfeits(&scene), []);
    scene.wait(1);
    assert_eq!(forfeits(&scene).len(), 1);
    // The second round is paired, and its game without the absent team begins.
    let rounds = scene.notes().1;
    let rounds = rounds
        .iter()
        .filter(|event| matches!(event, Event::Paired { .. }));
    assert_eq!(rounds.count(), 2);
    assert_eq!(scene.contest.phase(0), Some(Phase::Playing));
}

#[test]
fn a_game_that_both_teams_have_left_is_void_and_forfeited_by_both_while_others_wait() {
    let mut scene = contest(1);
    let clients = ["a", "b", "c"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::RoundRobin);
    let mut there = Vec::new();
    for client in clients {
        match scene.heard(client).concat().contains("START") {
            true => scene.leave(client),
            false => there.push(client),
        }
    }
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Error))
    );
    scene.wait(9_999);
    assert_eq!(forfeits(&scene), []);
    scene.wait(1);
    assert_eq!(forfeits(&scene)[0].0, "nobody");
    // The record says that the game is void.
    assert!(scene.records[0].outcome.is_none());
    // Its table is free again, and the one who waits wins the other two.
    scene.wait(10_000);
    assert!(scene.contest.is_tournament_over(), "{:#?}", scene.told());
    assert_eq!(forfeits(&scene).len(), 3);
}

#[test]
fn nothing_is_forfeited_while_nobody_is_there() {
    let mut scene = contest(1);
    let clients = ["a", "b"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::RoundRobin);
    for client in clients {
        scene.leave(client);
    }
    scene.wait(1_000_000);
    assert_eq!(forfeits(&scene), []);
    assert_eq!(scene.contest.next_deadline(), None);
}

#[test]
fn a_team_that_does_not_come_back_after_a_crash_forfeits_its_interrupted_game() {
    let mut scene = contest(1);
    for name in ["a", "b"] {
        scene.client(name);
    }
    begin(&mut scene, PairingSystem::RoundRobin);
    let (begin, events) = scene.notes();
    let TournamentEffect::Begin { settings, entrants } = begin else {
        panic!("{begin:?}");
    };
    let mut tournament = gothello::tournament::Tournament::new(settings, &entrants).unwrap();
    for event in &events {
        tournament.apply(event).unwrap();
    }
    let mut scene = scene.after_a_crash_with(small(5, 60_000), Some(tournament));
    scene.contest.set_forfeit_after(Duration::from_secs(10));
    scene.wait(60_000);
    scene.client("a");
    scene.wait(9_999);
    assert!(!scene.contest.is_tournament_over());
    scene.wait(1);
    assert!(scene.contest.is_tournament_over());
    let told = scene.told();
    let forfeit = "b did not come within 10s and forfeits round 1, pairing 1, game 1 to a";
    assert!(told.iter().any(|line| line == forfeit), "{told:#?}");
}

#[test]
fn a_break_has_its_own_limit() {
    let mut scene = contest(1);
    scene.contest.set_break_limits(BreakLimits {
        number: 3,
        time: Duration::from_secs(100),
    });
    let [_, b] = ["a", "b"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::RoundRobin);
    scene.leave(b);
    scene.wait(99_999);
    assert_eq!(
        scene.contest.phase(0),
        Some(Phase::Interrupted(Reason::Error))
    );
    scene.wait(60_001);
    // The clock of b ran, and its flag fell.
    assert!(scene.contest.is_tournament_over());
    assert_eq!(forfeits(&scene), []);
}

#[test]
fn an_ended_tournament_forfeits_nothing() {
    let mut scene = contest(1);
    let [_, b, _] = ["a", "b", "c"].map(|name| scene.client(name));
    begin(&mut scene, PairingSystem::RoundRobin);
    scene.leave(b);
    scene.act(OrganizerCommand::EndTournament).unwrap();
    scene.wait(1_000_000);
    assert_eq!(forfeits(&scene), []);
    assert_eq!(scene.contest.next_deadline(), None);
}
