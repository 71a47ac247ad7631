//! The tables of a tournament as CSV, and FIDE's report file.

use std::collections::BTreeMap;

use gothello::tournament::{
    Event, GameResult, Games, PairingSystem, ScheduledGame, Settings, Tournament, TrfError,
};
use gothello::{ByColor, Color};
use proptest::prelude::*;

use crate::cases::cases;
use crate::tournament::attendance::{absence, back, random_tournament, withdrawal};
use crate::tournament::naive::Log;
use crate::tournament::play::{name, names, pair, settings, swiss};

fn play(tournament: &mut Tournament) {
    for scheduled in tournament.pending_games() {
        let result = match (scheduled.number.round + scheduled.number.pairing) % 4 {
            0 => GameResult::played(Some(Color::Black), "resign"),
            1 => GameResult::played(Some(Color::White), "pass"),
            2 => GameResult::played(None, "pass"),
            _ => GameResult::forfeit(Some(Color::Black), "absence"),
        };
        let event = Event::Game { scheduled, result };
        tournament.apply(&event).unwrap();
    }
}

/// A tournament with everything that a report has a code for: a bye, forfeits, a draw, players who
/// are absent, withdraw, and come late, a correction, and a game that is played again.
fn eventful(games: Games) -> Tournament {
    let players = ["Ann", "Lee, Bob", "=Cyd", "\"Dee\"", "Eve", "Fay", "Gus"].map(name);
    let settings = Settings {
        games,
        forbidden: vec![[name("Ann"), name("Eve")]],
        ..swiss(4, 3)
    };
    let mut tournament = Tournament::new(settings, &players).unwrap();
    pair(&mut tournament);
    play(&mut tournament);
    let first = |tournament: &Tournament| tournament.games().next().unwrap().0;
    let result = GameResult {
        scores: Some(ByColor::new(-0.5, 12.0)),
        id: Some("-7".into()),
        ..GameResult::played(None, "=counted, \"twice\"\nagain")
    };
    let scheduled = first(&tournament);
    tournament
        .apply(&Event::Correction { scheduled, result })
        .unwrap();
    tournament.apply(&absence("=Cyd")).unwrap();
    let entry = Event::Entry {
        player: name("Hal Who Has a Name of More Than Thirty-Three Characters"),
        forbidden: vec![],
    };
    tournament.apply(&entry).unwrap();
    pair(&mut tournament);
    play(&mut tournament);
    let replayed = |tournament: &Tournament| -> ScheduledGame {
        let games = tournament.games().map(|(scheduled, _)| scheduled);
        let mut last = games.filter(|game| game.number.round == 2);
        last.next().unwrap()
    };
    let scheduled = replayed(&tournament);
    let reason = "the wrong program played".into();
    tournament
        .apply(&Event::Replay { scheduled, reason })
        .unwrap();
    let scheduled = replayed(&tournament);
    let result = GameResult::forfeit(Some(Color::White), "absence");
    tournament
        .apply(&Event::Game { scheduled, result })
        .unwrap();
    play(&mut tournament);
    tournament.apply(&back("=Cyd")).unwrap();
    tournament.apply(&withdrawal("Gus")).unwrap();
    pair(&mut tournament);
    play(&mut tournament);
    tournament.apply(&absence("Eve")).unwrap();
    tournament
}

#[test]
fn the_tables_of_a_swiss_tournament_as_csv() {
    let mut tournament = eventful(Games::Single);
    pair(&mut tournament);
    insta::assert_snapshot!("swiss_standings", tournament.standings_csv());
    insta::assert_snapshot!("swiss_crosstable", tournament.crosstable_csv());
    insta::assert_snapshot!("swiss_games", tournament.games_csv());
}

#[test]
fn the_tables_of_a_round_robin_as_csv() {
    let settings = settings(PairingSystem::RoundRobin, Games::Both, 1);
    let mut tournament = Tournament::new(settings, &names(4)).unwrap();
    pair(&mut tournament);
    play(&mut tournament);
    insta::assert_snapshot!("round_robin_standings", tournament.standings_csv());
    insta::assert_snapshot!("round_robin_crosstable", tournament.crosstable_csv());
    insta::assert_snapshot!("round_robin_games", tournament.games_csv());
}

#[test]
fn a_swiss_tournament_has_a_report_file() {
    let mut tournament = eventful(Games::Single);
    let before = tournament.trf().unwrap();
    insta::assert_snapshot!("report", before.replace('\r', ""));
    assert!(
        before
            .split('\n')
            .all(|line| line.is_empty() || line.ends_with('\r'))
    );
    // Games of a round that is being played are left out.
    pair(&mut tournament);
    assert_eq!(tournament.trf().unwrap(), before);
    let scheduled = tournament.pending_games().remove(0);
    let result = GameResult::played(Some(Color::Black), "pass");
    tournament
        .apply(&Event::Game { scheduled, result })
        .unwrap();
    assert_eq!(tournament.trf().unwrap(), before);
    // When the organizer ends the tournament, the game that was played counts.
    let reason = "thunder".into();
    tournament.apply(&Event::Ended { reason }).unwrap();
    insta::assert_snapshot!(
        "report_of_an_ended_round",
        tournament.trf().unwrap().replace('\r', "")
    );
}

#[test]
fn other_tournaments_have_no_report_file() {
    assert_eq!(eventful(Games::Both).trf(), Err(TrfError::TwoGames));
    let settings = settings(PairingSystem::RoundRobin, Games::Single, 1);
    let tournament = Tournament::new(settings, &names(4)).unwrap();
    assert_eq!(tournament.trf(), Err(TrfError::RoundRobin));
    insta::assert_snapshot!(TrfError::RoundRobin, @"the report file (TRF) is for Swiss tournaments, and this is a round robin");
    insta::assert_snapshot!(TrfError::TwoGames, @"the report file (TRF) has one game in each round of a player, and two players meet in two games here");
}

/// The rows of a CSV table, parsed character by character.
fn parse(table: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = table.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            char => field.push(char),
        }
    }
    assert!(!quoted && row.is_empty() && field.is_empty());
    rows
}

/// The text of a field, which may be written after a `'`.
fn plain(field: &str) -> &str {
    field.strip_prefix('\'').unwrap_or(field)
}

proptest! {
    #[test]
    fn every_text_survives_csv(
        player in "[ -~]{0,5}[!-~][ -~]{0,5}",
        reason in "(?s).{0,12}",
        id in "[=+@',\"\n-]?[a-z,\"\n]{0,9}",
    ) {
        let players = [player.parse().unwrap(), name("the other one")];
        let mut tournament = Tournament::new(swiss(1, 1), &players).unwrap();
        pair(&mut tournament);
        let scheduled = tournament.pending_games().remove(0);
        let result = GameResult {
            id: Some(id.as_str().into()),
            ..GameResult::played(None, reason.as_str())
        };
        tournament.apply(&Event::Game { scheduled: scheduled.clone(), result }).unwrap();
        let games = parse(&tournament.games_csv());
        let [head, row] = games.as_slice() else {
            panic!("{games:?}");
        };
        prop_assert_eq!(row.len(), head.len());
        prop_assert_eq!(plain(&row[3]), scheduled.black.as_str());
        prop_assert_eq!(plain(&row[4]), scheduled.white.as_str());
        let texts = [(&row[7], &reason), (&row[10], &id)];
        for (field, text) in texts {
            let is_same = field == text && !text.starts_with('\'');
            prop_assert!(is_same || *field == format!("'{text}"), "{field:?} {text:?}");
        }
        for field in games.iter().flatten().chain(parse(&tournament.standings_csv()).iter().flatten()) {
            prop_assert!(!field.starts_with(['=', '+', '-', '@']), "{field:?}");
        }
    }
}

/// A player's line of a report: the points, and what the cells say.
fn report_lines(report: &str) -> BTreeMap<usize, (String, f64, Vec<String>)> {
    let lines = report.lines().filter(|line| line.starts_with("001 "));
    let parsed = lines.map(|line| {
        let chars: Vec<char> = line.chars().collect();
        let columns = |first: usize, last: usize| -> String {
            chars[first - 1..last]
                .iter()
                .collect::<String>()
                .trim()
                .to_owned()
        };
        assert_eq!((chars.len() - 89) % 10, 0, "{line:?}");
        let rounds = (91..chars.len()).step_by(10);
        let cells = rounds.map(|start| chars[start..start + 8].iter().collect());
        let number = columns(5, 8).parse().unwrap();
        let points = columns(81, 84).parse().unwrap();
        (number, (columns(15, 47), points, cells.collect()))
    });
    parsed.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(400)))]
    /// Every report says of each round what the events say.
    #[test]
    fn the_report_file_agrees_with_the_events(players in 3_usize..11, rounds in 1_u32..7, seed: u64) {
        let rounds = rounds.min(players as u32 - 1);
        let (tournament, log): (Tournament, Log) = random_tournament(swiss(rounds, seed), players);
        let lines = report_lines(&tournament.trf().unwrap());
        prop_assert_eq!(lines.len(), log.players.len());
        let over = match tournament.view().rounds.last() {
            Some(last) if last.games.iter().any(|game| game.result.is_none()) => log.rounds.len() - 1,
            _ => log.rounds.len(),
        };
        for (number, player) in (1..).zip(&log.players) {
            let (written, points, cells) = &lines[&number];
            prop_assert_eq!(written, player.as_str());
            prop_assert!(cells.len() >= over);
            let mut quarters = 0;
            for (round, cell) in cells.iter().enumerate().take(over) {
                quarters += log.points_in(round, player);
                let games = log.games(round, player);
                let expected = match games.first() {
                    None if log.rounds[round].bye.as_ref() == Some(player) => "0000 - U".to_owned(),
                    None => "0000 - Z".to_owned(),
                    Some(game) => {
                        let opponent = log.players.iter().position(|one| *one == game.opponent);
                        let color = if game.color == Color::Black { 'b' } else { 'w' };
                        let codes = if game.is_played() { ['0', '=', '1'] } else { ['-', '?', '+'] };
                        let code = codes[game.points() as usize / 2];
                        format!("{:>4} {color} {code}", opponent.unwrap() + 1)
                    }
                };
                prop_assert_eq!(cell, &expected);
            }
            prop_assert_eq!(*points * 4.0, f64::from(quarters));
            let next = &cells[over..];
            let plays = match log.rounds.get(over) {
                Some(round) => {
                    round.bye.as_ref() == Some(player) || !log.games(over, player).is_empty()
                }
                None => tournament.is_over() || log.available().contains(player),
            };
            let expected: &[&str] = if plays { &[] } else { &["0000 - Z"] };
            prop_assert_eq!(next, expected, "{}", player);
        }
    }
}
