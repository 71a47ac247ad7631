//! The results file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gothello::tournament::{
    Applied, Event, GameResult, Games, PairingSystem, ResultsFile, ResultsFileError, ScheduledGame,
};
use gothello::{ByColor, Color};
use tempfile::TempDir;

use crate::tournament::play::{name, names, result_of, settings, swiss};

/// A time whose text is known.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn create(path: &Path) -> ResultsFile {
    ResultsFile::create(path, "Go 9x9", swiss(3, 1), &names(5), now()).unwrap()
}

/// A new tournament in a folder of its own.
fn begun() -> (TempDir, PathBuf, ResultsFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let results = create(&path);
    (folder, path, results)
}

/// The event of the end of a game, which depends on the game.
fn over(scheduled: ScheduledGame) -> Event {
    let mut result = result_of(&scheduled, 4);
    result.scores = Some(ByColor {
        black: 190.0,
        white: 177.5,
    });
    result.id = Some(
        format!(
            "game-{}-{}",
            scheduled.number.round, scheduled.number.pairing
        )
        .into(),
    );
    Event::Game { scheduled, result }
}

/// Plays a tournament to its end, wherever it stands.
fn play_on(results: &mut ResultsFile) {
    while !results.tournament().is_over() {
        results.pair(now()).unwrap();
        for scheduled in results.tournament().pending_games() {
            results.record(&over(scheduled), now()).unwrap();
        }
    }
}

#[test]
fn the_file_can_be_read_by_people() {
    let (_folder, path, mut results) = begun();
    results.pair(now()).unwrap();
    let due = results.tournament().pending_games();
    for scheduled in &due {
        results.record(&over(scheduled.clone()), now()).unwrap();
    }
    let correction = Event::Correction {
        scheduled: due[0].clone(),
        result: GameResult::forfeit(Some(Color::White), "it had help"),
    };
    results.record(&correction, now()).unwrap();
    let player = due[0].black.clone();
    let reason = "disqualified".into();
    results
        .record(&Event::Withdrawal { player, reason }, now())
        .unwrap();
    let entry = Event::Entry {
        player: name("p6"),
        forbidden: vec![name("p1")],
    };
    results.record(&entry, now()).unwrap();
    results.pair(now()).unwrap();
    let reason = "the lights went out".into();
    results.record(&Event::Ended { reason }, now()).unwrap();
    insta::assert_snapshot!(fs::read_to_string(path).unwrap());
}

/// Wherever the file is torn, its complete lines are read.
#[test]
fn a_file_that_is_torn_anywhere_keeps_its_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let mut results = ResultsFile::create(&path, "Go 9x9", swiss(2, 1), &names(3), now()).unwrap();
    play_on(&mut results);
    drop(results);
    let bytes = fs::read(&path).unwrap();
    let mut whole = None;
    for length in 0..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let found = ResultsFile::read(&path).map(|tournament| tournament.view());
        if bytes[..length].ends_with(b"\n") {
            whole = Some(found.unwrap());
        } else if let Ok(view) = found {
            assert_eq!(Some(view), whole);
        } else {
            assert_eq!(whole, None);
        }
    }
}

/// Wherever a crash interrupts a tournament, the tournament continues to the same end as without
/// one.
#[test]
fn an_interrupted_tournament_continues_as_if_it_had_not_been_interrupted() {
    let (_folder, path, mut results) = begun();
    play_on(&mut results);
    drop(results);
    let bytes = fs::read(&path).unwrap();
    let mut start = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        for torn in [0, line.len() / 2, line.len() - 1] {
            fs::write(&path, &bytes[..start + torn]).unwrap();
            let mut results = match ResultsFile::open(&path) {
                Ok(opened) => {
                    assert_eq!(opened.cut, torn as u64);
                    opened.file
                }
                Err(error) => {
                    assert!(matches!(error, ResultsFileError::NotBegun(_)), "{error}");
                    create(&path)
                }
            };
            play_on(&mut results);
            assert!(
                fs::read(&path).unwrap() == bytes,
                "torn at {start} + {torn}"
            );
        }
        start += line.len();
    }
}

#[test]
fn a_truncated_tail_is_kept_in_another_file() {
    let (_folder, path, results) = begun();
    drop(results);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"{\"v\":1,\"ti");
    fs::write(&path, bytes).unwrap();
    assert_eq!(ResultsFile::read(&path).unwrap().rounds_paired(), 0);
    assert_eq!(ResultsFile::open(&path).unwrap().cut, 10);
    let torn = fs::read_to_string(path.with_extension("torn")).unwrap();
    assert_eq!(torn, "{\"v\":1,\"ti");
}

#[test]
fn a_result_that_comes_twice_counts_once() {
    let (_folder, path, mut results) = begun();
    results.pair(now()).unwrap();
    let event = over(results.tournament().pending_games().remove(0));
    assert_eq!(results.record(&event, now()).unwrap(), Applied::Done);
    let standings = results.tournament().standings();
    assert_eq!(results.record(&event, now()).unwrap(), Applied::Duplicate);
    assert_eq!(results.tournament().standings(), standings);
    drop(results);

    // The same line twice in the file, as after a copy by hand.
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&path, format!("{text}{last}\n")).unwrap();
    let opened = ResultsFile::open(&path).unwrap();
    assert_eq!(opened.duplicates, [4]);
    assert_eq!(opened.file.tournament().standings(), standings);
}

#[test]
fn a_line_that_is_damaged_or_does_not_fit_is_named() {
    let (_folder, path, mut results) = begun();
    play_on(&mut results);
    drop(results);
    let text = fs::read_to_string(&path).unwrap();
    let message = |line: usize, from: &str, to: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(lines[line - 1].contains(from), "{}", lines[line - 1]);
        lines[line - 1] = lines[line - 1].replacen(from, to, 1);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let error = ResultsFile::open(&path).unwrap_err().to_string();
        let (_, error) = error.split_once("results.jsonl, ").unwrap();
        error.to_owned()
    };
    let messages = [
        message(1, "\"rounds\":3", "\"rounds\":30"),
        message(2, "\"v\":1", "\"v\":2"),
        message(3, "\"game\",", "\"game\""),
        message(3, "\"game\":1", "\"game\":2"),
        message(3, "\"black\":\"p", "\"black\":\"q"),
        message(4, "\"pairing\":2", "\"pairing\":1"),
        message(5, "\"round\":2", "\"round\":3"),
        message(5, "\"event\":\"paired\"", "\"event\":\"mated\""),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_file_is_neither_overwritten_nor_shared() {
    let (folder, path, results) = begun();
    let again = ResultsFile::create(&path, "Go 9x9", swiss(3, 1), &names(5), now()).unwrap_err();
    assert!(matches!(again, ResultsFileError::Locked(_)), "{again}");
    drop(results);
    let again = ResultsFile::create(&path, "Go 9x9", swiss(3, 1), &names(5), now()).unwrap_err();
    assert!(matches!(again, ResultsFileError::Begun(_)), "{again}");
    let nothing = folder.path().join("nothing.jsonl");
    let error = ResultsFile::open(&nothing).unwrap_err();
    assert!(matches!(error, ResultsFileError::NotBegun(_)), "{error}");
    // A reader gets the error that the file does not exist.
    let error = ResultsFile::read(&nothing).unwrap_err();
    assert!(matches!(error, ResultsFileError::Io { .. }), "{error}");
}

#[test]
fn the_rounds_of_a_round_robin_are_all_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let settings = settings(PairingSystem::RoundRobin, Games::Both, 9);
    let mut results = ResultsFile::create(&path, "Go 9x9", settings, &names(6), now()).unwrap();
    assert_eq!(results.pair(now()).unwrap(), 5);
    assert_eq!(results.pair(now()).unwrap(), 0);
    play_on(&mut results);
    let standings = results.tournament().standings();
    assert_eq!(ResultsFile::read(&path).unwrap().standings(), standings);
}
