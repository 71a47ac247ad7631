//! The messages of a server, and the settings of a game.

use serde_json::{Value, json};

/// A file with the settings of a game, as it is used with the server that exists.
pub const GAME_SETTINGS: &str = r#"{
    "initialState": {
        "board": 5,
        "players": {
            "B": {"remainingTime": "15:00"},
            "W": {"remainingTime": "5:00.5"}
        },
        "turn": "B"
    },
    "moveLog":[],
    "komi": 0,
    "ko": true,
    "superko": false,
    "mercy": 30,
    "mercyStart": 2,
    "scoringMethod": "territory",
    "prisonerScore": 2,
    "passAddsToPrisoners": true
}"#;

/// A board without stones.
pub fn empty(size: usize) -> Vec<String> {
    vec![".".repeat(size); size]
}

/// A state as in GameState, with 15 minutes each.
pub fn state(rows: &[String], turn: &str) -> Value {
    let stones = |row: &String| row.chars().map(String::from).collect::<Vec<_>>();
    let player = json!({"remainingTime": 900_000, "prisoners": 0});
    json!({
        "turn": turn,
        "players": {"B": player, "W": player},
        "board": rows.iter().map(stones).collect::<Vec<_>>(),
    })
}

/// A move: a row and a column, `pass` or `resign`.
pub fn played(word: &str) -> Value {
    match word.split_once(',') {
        None => json!({"type": word}),
        Some((row, column)) => {
            let [row, column] = [row, column].map(|digits| digits.parse::<u8>().unwrap());
            json!({"type": "place", "point": {"row": row, "column": column}})
        }
    }
}

/// A START of a game from a state, with moves of a second each.
pub fn start_from(initial: &Value, moves: &[&str], color: &str) -> Value {
    let log = |word: &&str| json!({"move": played(word), "deltaTime": 1_000});
    json!({
        "type": "START",
        "configuration": {
            "initialState": initial,
            "moveLog": moves.iter().map(log).collect::<Vec<_>>(),
            "komi": 6.5, "ko": true, "superko": true, "mercy": 0, "mercyStart": 0,
            "scoringMethod": "area", "prisonerScore": 1, "idleDeltaTime": 0,
        },
        "color": color,
    })
}

/// A START of a game on an empty board, where Black moves first.
pub fn start(size: usize, moves: &[&str], color: &str) -> Value {
    start_from(&state(&empty(size), "B"), moves, color)
}

fn times() -> Value {
    json!({"B": 800_000, "W": 700_000})
}

pub fn name() -> Value {
    json!({"type": "NAME"})
}

pub fn moved(word: &str) -> Value {
    json!({"type": "MOVE", "move": played(word), "remainingTime": times()})
}

pub fn valid() -> Value {
    json!({"type": "VALID", "remainingTime": times()})
}

pub fn invalid() -> Value {
    json!({"type": "INVALID", "message": "SuperKo", "remainingTime": times()})
}

pub fn end(reason: &str, winner: &str) -> Value {
    json!({"type": "END", "reason": reason, "winner": winner, "players": {
        "B": {"score": 25, "remainingTime": 1_000}, "W": {"score": 6.5, "remainingTime": 2_000},
    }})
}
