//! The standings as people see them.

use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
use gothello::{ByColor, Color};

use crate::tournament::play::{name, names, pair, result_of, settings, swiss};

/// A tournament of six players, played to its end.
fn played(settings: Settings) -> Tournament {
    let mut tournament = Tournament::new(settings, &names(6)).unwrap();
    while !tournament.is_over() {
        pair(&mut tournament);
        for fixture in tournament.due() {
            let result = result_of(&fixture, 2);
            tournament.apply(&Event::Game { fixture, result }).unwrap();
        }
    }
    tournament
}

#[test]
fn a_round_robin_is_a_cross_table() {
    let tournament = played(settings(PairingSystem::RoundRobin, Games::Both, 1));
    insta::assert_snapshot!(tournament.standings_table());
}

#[test]
fn a_swiss_tournament_has_a_column_for_each_round() {
    let tournament = played(swiss(4, 1));
    insta::assert_snapshot!(tournament.standings_table());
}

#[test]
fn a_tournament_that_goes_on_has_games_without_a_result() {
    let players = ["Ann", "Bob", "Cyd", "Dee", "Eve"].map(name);
    let settings = settings(PairingSystem::Swiss { rounds: 3 }, Games::Both, 3);
    let mut tournament = Tournament::new(settings, &players).unwrap();
    pair(&mut tournament);
    let fixture = tournament.due().remove(0);
    let result = GameResult {
        scores: Some(ByColor {
            black: 40.0,
            white: 41.5,
        }),
        id: Some("2026-11-21-1".into()),
        ..GameResult::played(Some(Color::White), "pass")
    };
    tournament.apply(&Event::Game { fixture, result }).unwrap();
    let view = serde_json::to_string_pretty(&tournament.view()).unwrap();
    insta::assert_snapshot!(format!("{}\n{view}", tournament.standings_table()));
}
