//! The standings for people.

use std::time::Duration;

use gothello::pages::web::{self, OpenGame, OpenGames, RoundStage};
use gothello::tournament::{Event, GameResult, Games, PairingSystem, Settings, Tournament};
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
fn a_running_tournament_has_games_without_a_result() {
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

/// The view of the page.
fn on_page(tournament: &Tournament, states: &OpenGames) -> web::Tournament {
    let sides = ByColor::new("Black", "White");
    web::Tournament::new(&tournament.view(), states, vec![], sides)
}

/// The crosstable of the page.
fn crosstable(tournament: &Tournament) -> Option<web::Crosstable> {
    on_page(tournament, &OpenGames::new()).crosstable
}

/// The stage of each round, and how many of its games are over.
fn stages(page: &web::Tournament) -> Vec<(RoundStage, usize)> {
    let rounds = page.rounds.iter();
    rounds.map(|round| (round.stage, round.played)).collect()
}

#[test]
fn games_that_are_played_before_their_round_are_shown() {
    use RoundStage::{Coming, Current, Dropped, Over};
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
    let mut tournament = Tournament::new(settings, &names(6)).unwrap();
    pair(&mut tournament);
    let mut states = OpenGames::new();
    let at_start = on_page(&tournament, &states);
    assert_eq!(at_start.title, "Round robin, 0 of 15 games played");
    assert_eq!(
        (&at_start.outcome, at_start.seed.as_deref()),
        (&None, Some("1"))
    );
    let coming = [(Coming, 0); 4];
    assert_eq!(stages(&at_start)[0], (Current, 0));
    assert_eq!(stages(&at_start)[1..], coming);
    // One is over, one is at a table, and one waits for White.
    let due = tournament.pending_games();
    let of_round = |round| due.iter().find(|game| game.number.round == round).unwrap();
    let (over, begun, waiting) = (of_round(3), of_round(5), of_round(2));
    let event = Event::Game {
        scheduled: over.clone(),
        result: GameResult::played(Some(Color::Black), "play"),
    };
    tournament.apply(&event).unwrap();
    states.insert(
        begun.number,
        OpenGame {
            place: Some("at table 2".into()),
            ..OpenGame::default()
        },
    );
    states.insert(
        waiting.number,
        OpenGame {
            place: None,
            deadlines: ByColor::new(None, Some(1234)),
        },
    );
    let page = on_page(&tournament, &states);
    assert_eq!(page.title, "Round robin, 1 of 15 games played");
    let current = (Current, 0);
    let played = [current, current, (Current, 1), (Coming, 0), current];
    assert_eq!(stages(&page), played);
    let row = |round: usize, players: [&str; 2]| {
        let rows = &page.rounds[round - 1].games.rows;
        let row = rows.iter().position(|row| row[..2] == players).unwrap();
        (row, [&*rows[row][2], &*rows[row][3]])
    };
    let (_, result) = row(3, [over.black.as_str(), over.white.as_str()]);
    assert_eq!(result, ["1-0", ""]);
    let (_, place) = row(5, [begun.black.as_str(), begun.white.as_str()]);
    assert_eq!(place, ["at table 2", ""]);
    let (index, forfeit) = row(2, [waiting.black.as_str(), waiting.white.as_str()]);
    assert_eq!(forfeit, ["", &format!("{} forfeits in", waiting.white)]);
    assert_eq!(page.rounds[1].deadlines, [(index, 1234)].into());
    // The tournament ends early: the games that were played are still shown.
    let reason = "the organizer ended it".into();
    tournament.apply(&Event::Ended { reason }).unwrap();
    let page = on_page(&tournament, &OpenGames::new());
    let dropped = (Dropped, 0);
    let left = [dropped, dropped, (Over, 1), dropped, dropped];
    assert_eq!(stages(&page), left);
    let winner = &over.black;
    assert_eq!(page.outcome, Some(format!("{winner} wins with 1 point")));
}

#[test]
fn the_sides_have_the_names_of_the_game() {
    let tournament = played(swiss(2, 1));
    let sides = ByColor::new("South", "North");
    let page = web::Tournament::new(&tournament.view(), &OpenGames::new(), vec![], sides);
    assert_eq!(page.standings.head.last().unwrap(), "South-North");
    assert_eq!(page.rounds[0].games.head[..2], ["South", "North"]);
    assert_eq!(page.sides, sides.map(str::to_owned));
}

#[test]
fn the_player_who_forfeits_first_is_named() {
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
    let mut tournament = Tournament::new(settings, &names(2)).unwrap();
    pair(&mut tournament);
    let scheduled = tournament.pending_games().remove(0);
    for (deadlines, who, at) in [
        ([Some(5), None], "black forfeits in", 5),
        ([None, Some(6)], "white forfeits in", 6),
        ([Some(5), Some(6)], "black forfeits in", 5),
        ([Some(7), Some(6)], "white forfeits in", 6),
        ([Some(7), Some(7)], "both forfeit in", 7),
    ] {
        let [black, white] = deadlines;
        let state = OpenGame {
            place: None,
            deadlines: ByColor::new(black, white),
        };
        let page = on_page(&tournament, &[(scheduled.number, state)].into());
        let round = &page.rounds[0];
        let names = [&scheduled.black, &scheduled.white].map(|name| name.as_str());
        let who = who.replace("black", names[0]).replace("white", names[1]);
        assert_eq!(round.games.rows[0][3], who);
        assert_eq!(round.deadlines, [(0, at)].into());
    }
}

#[test]
fn absent_players_are_listed_in_one_sentence() {
    let limit = Some(Duration::from_secs(150));
    let said = |absent: &[&str], limit| web::absence(absent.iter().copied(), "not there", limit);
    assert_eq!(said(&[], limit), None);
    assert_eq!(said(&["Ann"], None).unwrap(), "Ann is not there");
    assert_eq!(
        said(&["Ann"], limit).unwrap(),
        "Ann is not there, and forfeits a game that has waited 2m 30s for it"
    );
    assert_eq!(
        said(&["Ann", "Bob"], limit).unwrap(),
        "Ann and Bob are not there, and forfeit a game that has waited 2m 30s for them"
    );
}

#[test]
fn players_with_the_same_points_may_share_first_place() {
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
    let mut tournament = Tournament::new(settings, &["Ann", "Bob"].map(name)).unwrap();
    pair(&mut tournament);
    let scheduled = tournament.pending_games().remove(0);
    let tied = Event::Game {
        scheduled: scheduled.clone(),
        result: GameResult::played(None, "play"),
    };
    let mut forfeited = tournament.clone();
    tournament.apply(&tied).unwrap();
    let page = on_page(&tournament, &OpenGames::new());
    let shared = "Ann and Bob share first place with 0.5 points";
    assert_eq!(page.outcome.as_deref(), Some(shared));
    assert_eq!(page.rounds[0].games.rows[0][2..], ["½-½", ""]);
    let heads = |page: &web::Tournament| page.standings.head.join(" ");
    assert!(!heads(&page).contains("Forfeits"));
    // No player has a point.
    let result = GameResult::forfeit(None, "absence");
    forfeited.apply(&Event::Game { scheduled, result }).unwrap();
    let page = on_page(&forfeited, &OpenGames::new());
    assert_eq!(page.outcome, None);
    assert_eq!(
        page.rounds[0].games.rows[0][2..],
        ["0-0", "forfeit (absence)"]
    );
    assert!(heads(&page).contains("Forfeits"));
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
            assert_eq!(words[words.len() - cells.len()..], cells, "{text}");
        }
        assert_eq!(table.rows.len(), 6, "{text}");
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
