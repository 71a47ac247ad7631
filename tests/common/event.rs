//! Results files of events of Gothello between random players.

// Not every test program needs everything.
#![allow(dead_code)]

use std::path::Path;
use std::time::SystemTime;

use gothello::matches::{
    EventResultsFile, EventSettings, Format, GameRecord, GameSettings, LastLines, PlannedGame,
    PlayerKind, PlayerSettings, Schedule, Verdict, event_id,
};
use gothello::{Color, Game, Move};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The settings of an event with these players.
fn settings(players: &[&str], rounds: u32) -> EventSettings {
    let player = |name: &&str| {
        PlayerSettings::new(
            name.parse().unwrap(),
            PlayerKind::BuiltIn(Default::default()),
        )
    };
    EventSettings {
        game: GameSettings::Gothello,
        players: players.iter().map(player).collect(),
        format: Format::RoundRobin,
        games: 2,
        rounds,
        seed: 1,
        time: None,
        margin_ms: 100,
        hang_ms: 10_000,
        openings: vec![
            vec!["c3".into(), "d3".into()].into(),
            vec!["b2".into(), "d4".into()].into(),
            vec!["c3".into(), "c2".into()].into(),
        ],
        exact_empty: None,
        move_limit: 200,
        sprt: None,
        population: false,
    }
}

/// A game between players that make the largest capture or move at random; the later in the list,
/// the more often they capture.
fn play(settings: &EventSettings, planned: &PlannedGame, rng: &mut StdRng) -> GameRecord {
    let level = |color: Color| {
        let name = &planned.players[color];
        let mut players = settings.players.iter();
        players.position(|player| player.name == *name).unwrap() as u32
    };
    let opening = &settings.openings[planned.opening.unwrap() as usize - 1].moves;
    let mut game = Game::new();
    for word in opening {
        game.play(game.to_move(), word.parse().unwrap()).unwrap();
    }
    let mut moves = opening.clone();
    while let Some(position) = game.position() {
        let placements = position.placements();
        let legal: Vec<Move> = position.legal_moves().collect();
        let captures = |mv: &&Move| {
            let found = mv.point().and_then(|point| placements.captures(point));
            found.map_or(-1, |found| found.len() as i32)
        };
        let is_greedy = rng.random_range(0..settings.players.len() as u32) <= level(game.to_move());
        let mv = match is_greedy {
            true => *legal.iter().max_by_key(captures).unwrap(),
            false => legal[rng.random_range(0..legal.len())],
        };
        moves.push(mv.to_string());
        game.play(game.to_move(), mv).unwrap();
    }
    let outcome = game.outcome().unwrap();
    let own = moves.len() - opening.len();
    GameRecord {
        id: format!("{}-{}", event_id(settings), planned.number),
        planned: planned.clone(),
        winner: outcome.winner(),
        result: outcome.to_string(),
        verdict: Verdict::Count,
        detail: None,
        scoring: None,
        programs: Default::default(),
        setup: None,
        opening_moves: opening.len(),
        times: (0..own).map(|ply| 1_000 + 500 * (ply as u64 % 2)).collect(),
        moves: moves.iter().collect(),
        comments: Vec::new(),
        began: "2026-11-23T04:05:06Z".parse().unwrap(),
        seconds: 0.1,
        last_lines: None,
    }
}

/// Plays an event, and writes its results file.
pub fn write(path: &Path, settings: &EventSettings, change: impl Fn(&mut Vec<GameRecord>)) {
    let mut schedule = Schedule::new(settings).unwrap();
    let mut rng = StdRng::seed_from_u64(5);
    let mut games: Vec<GameRecord> = Vec::new();
    while let Some(planned) = schedule.games().get(games.len()) {
        let game = play(settings, planned, &mut rng);
        schedule.record(&game).unwrap();
        games.push(game);
    }
    change(&mut games);
    let began = SystemTime::UNIX_EPOCH;
    let mut opened = EventResultsFile::open(path, settings, began).unwrap();
    opened.file.record(&games).unwrap();
}

pub fn two() -> EventSettings {
    EventSettings {
        sprt: Some("elo0=0,elo1=100,alpha=0.05,beta=0.05".parse().unwrap()),
        ..settings(&["weak", "strong"], 30)
    }
}

/// A Swiss tournament, in which a player has no opponent in each round.
pub fn swiss() -> EventSettings {
    EventSettings {
        format: Format::Swiss,
        ..five()
    }
}

pub fn five() -> EventSettings {
    settings(
        &[
            "Ann",
            "Bob",
            "\u{643}\u{62a}\u{627}\u{628}",
            "gnugo-3.8",
            "Zo\u{eb}",
        ],
        3,
    )
}

/// Games of five players of which some were lost otherwise than on the board.
pub fn with_failures(games: &mut Vec<GameRecord>) {
    games[7].winner = Some(Color::White);
    games[7].verdict = Verdict::Crash;
    games[7].detail = Some("signal 11".into());
    games[7].last_lines = Some(LastLines {
        output: vec!["= c3".into()],
        errors: vec!["segmentation fault </script>".into()],
    });
    games[9].winner = Some(Color::Black);
    games[9].verdict = Verdict::Time;
    games.pop();
}
