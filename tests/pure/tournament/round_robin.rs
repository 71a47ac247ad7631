//! Round robins.

use std::collections::BTreeMap;

use gothello::Color;
use gothello::tournament::{Event, Games, PairingSystem, Settings, SetupError, Tournament};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::tournament::play::{game, name, names, pair, play_due, settings};

fn round_robin(players: usize, games: Games, seed: u64) -> Tournament {
    let settings = settings(PairingSystem::RoundRobin, games, seed);
    let mut tournament = Tournament::new(settings, &names(players)).unwrap();
    pair(&mut tournament);
    tournament
}

proptest! {
    #[test]
    fn everybody_meets_everybody_once_with_each_color(players in 2_usize..20, seed: u64) {
        let tournament = round_robin(players, Games::Both, seed);
        let due = tournament.pending_games();
        prop_assert_eq!(due.len(), players * (players - 1));
        let mut seen = BTreeMap::new();
        for scheduled in due {
            *seen.entry((scheduled.black, scheduled.white)).or_insert(0) += 1;
        }
        prop_assert_eq!(seen.len(), players * (players - 1));
    }

    #[test]
    fn single_games_balance_the_colors_of_each_player_as_far_as_possible(
        players in 2_usize..20,
        seed: u64,
    ) {
        let tournament = round_robin(players, Games::Single, seed);
        for player in tournament.players() {
            let due = tournament.pending_games();
            let of = due.iter().filter(|scheduled| scheduled.has(player));
            prop_assert_eq!(of.count(), players - 1);
            let blacks = due.iter().filter(|scheduled| scheduled.black == *player).count();
            prop_assert!(blacks * 2 + 1 >= players - 1 && blacks * 2 <= players);
        }
    }

    #[test]
    fn nobody_plays_twice_in_a_round_and_the_points_are_those_that_were_given(
        players in 2_usize..12,
        seed: u64,
    ) {
        let mut tournament = round_robin(players, Games::Both, seed);
        for round in 1..=tournament.rounds_paired() as u32 {
            let due = tournament.pending_games();
            let here = due.iter().filter(|one| one.number.round == round && one.number.game == 1);
            let mut playing: Vec<_> = here.flat_map(|one| [&one.black, &one.white]).collect();
            playing.sort();
            playing.dedup();
            prop_assert_eq!(playing.len(), players / 2 * 2);
        }
        play_due(&mut tournament, &mut StdRng::seed_from_u64(seed));
        prop_assert!(tournament.is_over());
        let mut points = BTreeMap::new();
        for (scheduled, result) in tournament.games() {
            let result = result.unwrap();
            for (player, color) in [(scheduled.black, Color::Black), (scheduled.white, Color::White)] {
                *points.entry(player).or_insert(0.0) += result.points(color).as_f64();
            }
        }
        for row in tournament.standings() {
            prop_assert_eq!(row.points.as_f64(), points[&row.player]);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_schedule_and_another_seed_another() {
    let due = |seed| round_robin(8, Games::Both, seed).pending_games();
    assert_eq!(due(1), due(1));
    assert_ne!(due(1), due(2));
}

#[test]
fn games_of_later_rounds_start_when_their_players_are_free() {
    let tournament = round_robin(4, Games::Single, 1);
    let start = tournament.startable(|_| true);
    assert_eq!(start, tournament.pending_games()[..2]);
    // Only these two are free: they meet in a later round.
    let later = &tournament.pending_games()[3];
    assert_eq!(later.number.round, 2);
    let start = tournament.startable(|player| later.has(player));
    assert_eq!(start, std::slice::from_ref(later));
}

#[test]
fn pairs_that_may_not_meet_are_left_out() {
    let settings = Settings {
        forbidden: vec![[name("p3"), name("p1")]],
        ..settings(PairingSystem::RoundRobin, Games::Both, 7)
    };
    let mut tournament = Tournament::new(settings, &names(4)).unwrap();
    pair(&mut tournament);
    let due = tournament.pending_games();
    assert_eq!(due.len(), 10, "{due:?}");
    assert!(
        !due.iter()
            .any(|one| one.has(&name("p1")) && one.has(&name("p3")))
    );
}

/// Ann beats Bob, Bob beats Cyd, Cyd draws with Ann: 1.5, 1 and 0.5 points.
#[test]
fn standings_by_hand() {
    let players = ["Ann", "Bob", "Cyd"].map(name);
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 0);
    let mut tournament = Tournament::new(settings, &players).unwrap();
    pair(&mut tournament);
    let winner = |winner: &str, scheduled: &gothello::tournament::ScheduledGame| {
        let black = scheduled.black.as_str() == winner;
        Some(if black { Color::Black } else { Color::White })
    };
    for scheduled in tournament.pending_games() {
        let has = |player| scheduled.has(&name(player));
        let winner = match () {
            () if has("Ann") && has("Bob") => winner("Ann", &scheduled),
            () if has("Bob") && has("Cyd") => winner("Bob", &scheduled),
            () => None,
        };
        let (black, white) = (scheduled.black.as_str(), scheduled.white.as_str());
        let event = game(&tournament, black, white, winner);
        tournament.apply(&event).unwrap();
    }
    let rows = tournament.standings().into_iter().map(|row| {
        let rank = row.rank.unwrap();
        let sonneborn_berger = row.tie_breaks.sonneborn_berger;
        format!("{rank} {} {} {sonneborn_berger}", row.player, row.points)
    });
    let rows: Vec<String> = rows.collect();
    // Ann's score is Bob's point and half of Cyd's half point.
    assert_eq!(rows, ["1 Ann 1.5 1.25", "2 Bob 1 0.5", "3 Cyd 0.5 0.75"]);
}

#[test]
fn leaving_late_forfeits_and_leaving_early_removes_the_games() {
    for (played, counts) in [(2, true), (1, false)] {
        let mut tournament = round_robin(5, Games::Single, 3);
        let player = name("p2");
        let of_player = tournament
            .pending_games()
            .into_iter()
            .filter(|one| one.has(&player));
        for scheduled in of_player.take(played) {
            let (black, white) = (scheduled.black.as_str(), scheduled.white.as_str());
            let event = game(&tournament, black, white, Some(Color::Black));
            tournament.apply(&event).unwrap();
        }
        let withdrawal = Event::Withdrawal {
            player: player.clone(),
            reason: "it crashed".into(),
        };
        tournament.apply(&withdrawal).unwrap();
        assert!(
            !tournament
                .pending_games()
                .iter()
                .any(|one| one.has(&player))
        );
        let standings = tournament.standings();
        let row = standings.iter().find(|row| row.player == player).unwrap();
        assert_eq!(row.rank.is_some(), counts, "{played} games");
        // Two points are awarded for the games that are not played.
        let given: f64 = standings.iter().map(|row| row.points.as_f64()).sum();
        let own = row.points.as_f64();
        assert_eq!(given, if counts { 4.0 } else { own }, "{played} games");
    }
}

#[test]
fn an_impossible_tournament_is_refused_with_a_reason() {
    let new = |kind, players: &[&str], apart: Vec<[&str; 2]>| {
        let players: Vec<_> = players.iter().map(|player| name(player)).collect();
        let settings = Settings {
            forbidden: apart.into_iter().map(|pair| pair.map(name)).collect(),
            ..settings(kind, Games::Both, 0)
        };
        Tournament::new(settings, &players).unwrap_err()
    };
    let swiss = |rounds| PairingSystem::Swiss { rounds };
    assert_eq!(
        new(PairingSystem::RoundRobin, &["a"], vec![]),
        SetupError::TooFew(1)
    );
    let message = |error: SetupError| error.to_string();
    insta::assert_snapshot!(
        message(new(PairingSystem::RoundRobin, &["a", "b", "a"], vec![])),
        @"two players are called a: each needs a name of their own"
    );
    insta::assert_snapshot!(
        message(new(swiss(4), &["a", "b", "c", "d"], vec![])),
        @"a Swiss tournament of 4 players has 1 to 3 rounds, not 4"
    );
    insta::assert_snapshot!(
        message(new(swiss(1), &["a", "b"], vec![["a", "B"]])),
        @"B is to be kept apart from another player, but no player has that name"
    );
}
