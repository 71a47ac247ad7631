//! The standings as people see them.

use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
use gothello::web::{self, PlaceTexts};
use gothello::{ByColor, Color};

use crate::tournament::play::{name, names, pair, result_of, settings, swiss};

/// A tournament of six players, played to its end.
fn played(settings: Settings) -> Tournament {
    let mut tournament = Tournament::new(settings, &names(6)).unwrap();
    while !tournament.is_over() {
        pair(&mut tournament);
        for scheduled in tournament.pending_games() {
            let result = result_of(&scheduled, 8);
            tournament
                .apply(&Event::Game { scheduled, result })
                .unwrap();
        }
    }
    tournament
}

#[test]
fn a_round_robin_is_a_crosstable() {
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
    let scheduled = tournament.pending_games().remove(0);
    let result = GameResult {
        scores: Some(ByColor {
            black: 40.0,
            white: 41.5,
        }),
        id: Some("2026-11-21-1".into()),
        ..GameResult::played(Some(Color::White), "pass")
    };
    tournament
        .apply(&Event::Game { scheduled, result })
        .unwrap();
    let view = serde_json::to_string_pretty(&tournament.view()).unwrap();
    insta::assert_snapshot!(format!("{}\n{view}", tournament.standings_table()));
}

/// The crosstable of the page.
fn crosstable(tournament: &Tournament) -> Option<web::Crosstable> {
    web::Tournament::new(&tournament.view(), &PlaceTexts::new(), vec![]).crosstable
}

#[test]
fn the_page_has_the_crosstable_of_the_text() {
    let round_robin = played(settings(PairingSystem::RoundRobin, Games::Both, 1));
    for tournament in [round_robin, played(swiss(4, 1))] {
        let table = crosstable(&tournament).unwrap();
        let text = tournament.standings_table();
        for (line, row) in text.lines().skip(1).zip(&table.rows) {
            let cells = row.cells.iter().map(|cell| match table.swiss {
                true => cell.replace(':', ""),
                // The text has neither opponents nor colors.
                false => cell.rsplit(':').next().unwrap().replace(['b', 'w'], ""),
            });
            let cells: Vec<String> = cells.collect();
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words[2], row.player);
            assert_eq!(words[words.len() - cells.len()..], cells);
        }
        assert_eq!(table.rows.len(), 6);
    }
}

#[test]
fn both_players_see_the_same_game_from_their_sides() {
    let tournament = played(settings(PairingSystem::RoundRobin, Games::Both, 1));
    let table = crosstable(&tournament).unwrap();
    let mirrored = |mark| match mark {
        'b' => 'w',
        'w' => 'b',
        '1' => '0',
        '0' => '1',
        '+' => '-',
        '-' => '+',
        mark => mark,
    };
    for (index, row) in table.rows.iter().enumerate() {
        for (other, cell) in row
            .cells
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != index)
        {
            let games = cell.strip_prefix(&format!("{}:", other + 1)).unwrap();
            let seen: String = games.chars().map(mirrored).collect();
            assert_eq!(
                table.rows[other].cells[index],
                format!("{}:{seen}", index + 1)
            );
        }
    }
}

#[test]
fn a_crosstable_that_is_too_wide_to_be_read_is_left_out() {
    let of = |players| {
        let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
        crosstable(&Tournament::new(settings, &names(players)).unwrap())
    };
    assert_eq!(of(100).unwrap().rows[0].cells.len(), 100);
    assert_eq!(of(101), None);
    let wide = Tournament::new(
        settings(PairingSystem::RoundRobin, Games::Single, 1),
        &names(101),
    );
    assert_eq!(wide.unwrap().view().crosstable, None);
}
