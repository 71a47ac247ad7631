//! The files with the settings of a game: what is wrong in them is told.

use std::fs;
use std::path::{Path, PathBuf};

use gothello::contests::goref::read_setup;

use crate::go_messages::GAME_SETTINGS;

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// The error in a file.
fn refusal(file: &Path) -> String {
    let line = read_setup(file).unwrap_err().to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn wrong_values_are_told_in_one_line_with_file_and_key() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to, key) in [
        ("\"komi\": 0", "\"komi\": \"6.5\"", "komi: "),
        ("\"komi\": 0", "\"komi\": 1e999", "line 11"),
        ("\"komi\": 0", "\"kommi\": 0", "kommi"),
        ("\"ko\": true", "\"ko\": 1", "ko: "),
        ("\"board\": 5", "\"board\": 26", "initialState.board: "),
        ("\"board\": 5", "\"board\": 0", "initialState.board: "),
        ("\"board\": 5", "\"board\": -5", "initialState.board: "),
        ("\"board\": 5", "\"board\": 5.5", "initialState.board: "),
        (
            "\"board\": 5",
            "\"board\": [[\"B\"],[]]",
            "initialState.board: ",
        ),
        ("\"board\": 5", "\"board\": [[\"X\"]]", "initialState.board"),
        ("\"turn\": \"B\"", "\"turn\": \"b\"", "initialState.turn: "),
        (
            "\"15:00\"",
            "\"15:00:00\"",
            "initialState.players.B.remainingTime: ",
        ),
        ("\"15:00\"", "-1", "initialState.players.B.remainingTime: "),
        ("\"15:00\"", "0", "remainingTime"),
        ("\"mercyStart\": 2", "\"mercyStart\": -2", "mercyStart: "),
        ("\"territory\"", "\"chinese\"", "scoringMethod: "),
        (
            "\"prisonerScore\": 2",
            "\"prisonerScore\": 1.5",
            "prisonerScore: ",
        ),
        (
            "\"moveLog\":[]",
            "\"moveLog\":[{\"move\":{\"type\":\"place\",\"point\":{\"row\":5,\"column\":0}},\"deltaTime\":0}]",
            "moveLog[0].move: ",
        ),
        (
            "\"moveLog\":[]",
            "\"moveLog\":[{\"move\":{\"type\":\"pass\"},\"deltaTime\":999999}]",
            "moveLog[0].deltaTime: ",
        ),
        ("\"moveLog\":[]", "\"moveLog\":[{\"end\":{}}]", "moveLog[0]"),
        (
            "\"moveLog\":[]",
            "\"idleDeltaTime\": \"15:00\"",
            "idleDeltaTime: ",
        ),
        ("\"moveLog\":[],", "\"moveLog\":[]", "line 11"),
    ] {
        assert!(GAME_SETTINGS.contains(from), "{from}");
        let file = written(
            folder.path(),
            "game.config.json",
            &GAME_SETTINGS.replace(from, to),
        );
        let line = refusal(&file);
        let file = file.to_str().unwrap();
        assert!(line.contains(file) && line.contains(key), "{key}: {line}");
    }
    for text in ["", "7", "\u{feff}", "komi = 1"] {
        let file = written(folder.path(), "game.config.json", text);
        let line = refusal(&file);
        assert!(line.contains("game.config.json: "), "{line}");
    }
    for (name, text, key) in [
        ("a.txt", "komi = 1", "a.txt: the file holds TOML"),
        ("a.json", "{", "a.json: EOF"),
        ("a.toml", "komi = \"x\"", "komi: "),
        ("a.toml", "komi = ", "a.toml: "),
        (
            "a.toml",
            "[initialState]\nboard = 99",
            "initialState.board: ",
        ),
    ] {
        let file = written(folder.path(), name, text);
        let line = refusal(&file);
        assert!(line.contains(key), "{line}");
    }
    let missing = folder.path().join("missing.json");
    let line = refusal(&missing);
    assert!(line.contains("missing.json: "), "{line}");
}
