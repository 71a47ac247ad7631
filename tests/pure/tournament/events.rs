//! Events in a tournament, accepted and refused.

use gothello::tournament::{
    Applied, Event, GameResult, Games, MAX_NAME, MAX_REMARK, Name, Pairing, PairingSystem, Remark,
    ScheduledGame, Settings, Tournament,
};
use gothello::{ByColor, Color};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::tournament::play::{name, names, pair, play_due, settings, swiss};

/// A Swiss tournament of five players in its first round: p1 to p5, in
/// random order.
fn begun() -> Tournament {
    let mut tournament = Tournament::new(swiss(3, 1), &names(5)).unwrap();
    pair(&mut tournament);
    tournament
}

fn over(scheduled: &ScheduledGame, winner: Option<Color>) -> Event {
    Event::Game {
        scheduled: scheduled.clone(),
        result: GameResult::played(winner, "pass"),
    }
}

fn points(tournament: &Tournament, player: &Name) -> f64 {
    let standings = tournament.standings();
    let row = standings.iter().find(|row| row.player == *player).unwrap();
    row.points.as_f64()
}

#[test]
fn a_correction_changes_a_result_and_the_standings() {
    let mut tournament = begun();
    let scheduled = tournament.pending_games().remove(0);
    tournament
        .apply(&over(&scheduled, Some(Color::Black)))
        .unwrap();
    assert_eq!(points(&tournament, &scheduled.black), 1.0);
    let correction = Event::Correction {
        scheduled: scheduled.clone(),
        result: GameResult::played(None, "counted anew"),
    };
    assert_eq!(tournament.apply(&correction), Ok(Applied::Done));
    assert_eq!(points(&tournament, &scheduled.black), 0.5);
    assert_eq!(points(&tournament, &scheduled.white), 0.5);
    assert_eq!(tournament.apply(&correction), Ok(Applied::Duplicate));
}

#[test]
fn a_game_that_must_be_replayed_is_due_again() {
    let mut tournament = begun();
    let scheduled = tournament.pending_games().remove(0);
    let replay = Event::Replay {
        scheduled: scheduled.clone(),
        reason: "the server stumbled".into(),
    };
    assert!(tournament.apply(&replay).is_err());
    tournament.apply(&over(&scheduled, None)).unwrap();
    assert!(!tournament.pending_games().contains(&scheduled));
    tournament.apply(&replay).unwrap();
    assert!(tournament.pending_games().contains(&scheduled));
    tournament.apply(&over(&scheduled, None)).unwrap();

    play_due(&mut tournament, &mut StdRng::seed_from_u64(1));
    pair(&mut tournament);
    insta::assert_snapshot!(
        tournament.apply(&replay).unwrap_err(),
        @"round 1, pairing 1, game 1: p2 (Black) and p5 (White) cannot be played again, because the next round has been paired"
    );
}

#[test]
fn a_player_who_leaves_a_swiss_tournament_is_not_paired_again() {
    let mut tournament = begun();
    let scheduled = tournament.pending_games().remove(0);
    let withdrawal = Event::Withdrawal {
        player: scheduled.black.clone(),
        reason: "gone home".into(),
    };
    tournament.apply(&withdrawal).unwrap();
    assert_eq!(points(&tournament, &scheduled.white), 1.0);
    assert!(tournament.apply(&withdrawal).is_err());
    play_due(&mut tournament, &mut StdRng::seed_from_u64(1));
    let Some(Event::Paired { pairings, bye, .. }) = tournament.next_round().unwrap() else {
        panic!("there is a second round");
    };
    // Four are left.
    assert_eq!((pairings.len(), bye), (2, None));
    let gone = |pair: &Pairing| pair.black == scheduled.black || pair.white == scheduled.black;
    assert!(!pairings.iter().any(gone));
}

#[test]
fn latecomers_have_no_points_for_missed_rounds() {
    let mut tournament = begun();
    let entry = Event::Entry {
        player: name("p6"),
        forbidden: vec![name("p1")],
    };
    tournament.apply(&entry).unwrap();
    assert!(tournament.apply(&entry).is_err());
    assert!(
        !tournament
            .pending_games()
            .iter()
            .any(|one| one.has(&name("p6")))
    );
    play_due(&mut tournament, &mut StdRng::seed_from_u64(1));
    assert_eq!(points(&tournament, &name("p6")), 0.0);
    pair(&mut tournament);
    let due = tournament.pending_games();
    let games: Vec<&ScheduledGame> = due.iter().filter(|one| one.has(&name("p6"))).collect();
    assert_eq!(games.len(), 1);
    assert!(!games[0].has(&name("p1")));
}

#[test]
fn a_round_that_breaks_a_rule_is_refused() {
    let settings = Settings {
        forbidden: vec![["Ann", "Bob"].map(name)],
        ..settings(PairingSystem::Swiss { rounds: 3 }, Games::Both, 1)
    };
    let players = ["Ann", "Bob", "Cyd", "Dee", "Eve"].map(name);
    let mut tournament = Tournament::new(settings, &players).unwrap();
    let paired = |round, pairs: &[[&str; 2]], bye: &str| Event::Paired {
        round,
        pairings: pairs
            .iter()
            .map(|[black, white]| Pairing {
                black: name(black),
                white: name(white),
            })
            .collect(),
        bye: (!bye.is_empty()).then(|| name(bye)),
    };
    let mut messages = Vec::new();
    for event in [
        paired(2, &[["Ann", "Cyd"], ["Bob", "Dee"]], "Eve"),
        paired(1, &[["Ann", "Bob"], ["Cyd", "Dee"]], "Eve"),
        paired(1, &[["Ann", "Cyd"], ["Ann", "Dee"]], "Eve"),
        paired(1, &[["Ann", "Cyd"], ["Bob", "Dee"]], ""),
        paired(1, &[["Ann", "Cyd"], ["Bob", "Zoe"]], "Eve"),
    ] {
        messages.push(tournament.apply(&event).unwrap_err().to_string());
    }
    let first = paired(1, &[["Ann", "Cyd"], ["Bob", "Dee"]], "Eve");
    tournament.apply(&first).unwrap();
    let second = paired(2, &[["Ann", "Cyd"], ["Bob", "Eve"]], "Dee");
    messages.push(tournament.apply(&second).unwrap_err().to_string());
    for scheduled in tournament.pending_games() {
        tournament.apply(&over(&scheduled, None)).unwrap();
    }
    messages.push(tournament.apply(&second).unwrap_err().to_string());
    let second = paired(2, &[["Ann", "Dee"], ["Bob", "Cyd"]], "Eve");
    messages.push(tournament.apply(&second).unwrap_err().to_string());
    insta::assert_snapshot!(messages.join("\n"));
}

/// Four players, of whom three may not meet each other: nobody can pair them.
#[test]
fn a_round_that_cannot_be_paired_is_reported() {
    let apart = [["p1", "p2"], ["p1", "p3"], ["p2", "p3"]];
    let settings = Settings {
        forbidden: apart.map(|pair| pair.map(name)).to_vec(),
        ..swiss(2, 1)
    };
    let mut tournament = Tournament::new(settings, &names(4)).unwrap();
    insta::assert_snapshot!(
        tournament.next_round().unwrap_err(),
        @"round 1 cannot be paired for 4 players: every pairing has two who have met before or may not meet, or a second bye. Let a player enter or withdraw, or end the tournament"
    );
    let reason = "nobody to play".into();
    tournament.apply(&Event::Ended { reason }).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.next_round(), Ok(None));
    let entry = Event::Entry {
        player: name("p5"),
        forbidden: Vec::new(),
    };
    assert_eq!(
        tournament.apply(&entry).unwrap_err().to_string(),
        "the tournament has been ended"
    );
}

#[test]
fn a_score_that_cannot_be_written_is_refused() {
    let mut tournament = begun();
    let scheduled = tournament.pending_games().remove(0);
    let mut result = GameResult::played(None, "pass");
    result.scores = Some(ByColor {
        black: f64::NAN,
        white: 0.0,
    });
    assert!(
        tournament
            .apply(&Event::Game { scheduled, result })
            .is_err()
    );
}

#[test]
fn names_are_parsed_once() {
    let parsed = |text: &str| text.parse::<Name>().map_err(|error| error.to_string());
    assert_eq!(parsed(" Ann Lee ").unwrap().as_str(), "Ann Lee");
    assert!(parsed(&"ö".repeat(MAX_NAME)).is_ok());
    let errors = [
        "",
        " \t",
        "\u{200b}\u{3164}",
        "a\nb",
        "a\u{202e}b",
        &"a".repeat(65),
    ];
    let errors = errors.map(|text| parsed(text).unwrap_err());
    insta::assert_snapshot!(errors.join("\n"));
    assert!(serde_json::from_str::<Name>("\"a\\u0007\"").is_err());
}

proptest! {
    #[test]
    fn a_remark_is_cut_at_a_character(text in ".{0,1200}") {
        let remark = Remark::from(text.as_str());
        prop_assert!(text.starts_with(remark.as_str()));
        prop_assert_eq!(remark.as_str().chars().count(), text.chars().count().min(MAX_REMARK));
    }

    /// Any event, in any state, is refused or keeps the tournament whole.
    #[test]
    fn players_come_and_go(seed: u64, players in 3_usize..12) {
        let mut tournament = Tournament::new(swiss(2, seed), &names(players)).unwrap();
        let mut rng = StdRng::seed_from_u64(seed);
        for step in 0..30 {
            let player = name(&format!("p{}", rng.random_range(1..=15)));
            let event = match rng.random_range(0..6) {
                0 => Event::Entry { player, forbidden: Vec::new() },
                1 if step > 5 => Event::Withdrawal { player, reason: "".into() },
                2 => match tournament.next_round() {
                    Ok(Some(event)) => event,
                    _ => continue,
                },
                _ => match tournament.pending_games().first() {
                    Some(scheduled) => over(scheduled, None),
                    None => continue,
                },
            };
            let before = tournament.view();
            if tournament.apply(&event).is_err() {
                prop_assert_eq!(tournament.view(), before);
            }
            let given: f64 = tournament.standings().iter().map(|row| row.points.as_f64()).sum();
            let games = tournament.games().filter_map(|(_, result)| result);
            let games: f64 = games
                .map(|result| (result.points(Color::Black) + result.points(Color::White)).as_f64())
                .sum();
            let byes: u32 = tournament.standings().iter().map(|row| row.byes).sum();
            prop_assert_eq!(given, games + f64::from(byes));
            for scheduled in tournament.pending_games() {
                let standings = tournament.standings();
                let gone = standings.iter().filter(|row| row.withdrawn);
                prop_assert!(gone.into_iter().all(|row| !scheduled.has(&row.player)));
            }
        }
    }
}
