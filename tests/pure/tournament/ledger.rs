//! The results file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gothello::tournament::{
    Applied, Color, Event, Fixture, GameResult, Games, Kind, Ledger, LedgerError, Scores,
};
use tempfile::TempDir;

use crate::tournament::play::{name, names, result_of, settings, swiss};

/// A moment whose text is known.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn create(path: &Path) -> Ledger {
    Ledger::create(path, swiss(3, 1), &names(5), now()).unwrap()
}

/// A new tournament in a folder of its own.
fn begun() -> (TempDir, PathBuf, Ledger) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let ledger = create(&path);
    (folder, path, ledger)
}

/// The event of a game that ended in its own way.
fn over(fixture: Fixture) -> Event {
    let mut result = result_of(&fixture, 4);
    result.scores = Some(Scores {
        black: 190.0,
        white: 177.5,
    });
    result.id = Some(format!("game-{}-{}", fixture.number.round, fixture.number.pairing).into());
    Event::Game { fixture, result }
}

/// Plays a tournament to its end, wherever it stands.
fn play_on(ledger: &mut Ledger) {
    while !ledger.tournament().is_over() {
        ledger.pair(now()).unwrap();
        for fixture in ledger.tournament().due() {
            ledger.record(&over(fixture), now()).unwrap();
        }
    }
}

#[test]
fn the_file_can_be_read_by_people() {
    let (_folder, path, mut ledger) = begun();
    ledger.pair(now()).unwrap();
    let due = ledger.tournament().due();
    for fixture in &due {
        ledger.record(&over(fixture.clone()), now()).unwrap();
    }
    let correction = Event::Correction {
        fixture: due[0].clone(),
        result: GameResult::forfeit(Some(Color::White), "it had help"),
    };
    ledger.record(&correction, now()).unwrap();
    let player = due[0].black.clone();
    let reason = "disqualified".into();
    ledger
        .record(&Event::Withdrawal { player, reason }, now())
        .unwrap();
    let entry = Event::Entry {
        player: name("p6"),
        apart: vec![name("p1")],
    };
    ledger.record(&entry, now()).unwrap();
    ledger.pair(now()).unwrap();
    let reason = "the lights went out".into();
    ledger.record(&Event::Ended { reason }, now()).unwrap();
    insta::assert_snapshot!(fs::read_to_string(path).unwrap());
}

/// Wherever the file is torn, it tells what its whole lines tell.
#[test]
fn a_file_that_is_torn_anywhere_keeps_its_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let mut ledger = Ledger::create(&path, swiss(2, 1), &names(3), now()).unwrap();
    play_on(&mut ledger);
    drop(ledger);
    let bytes = fs::read(&path).unwrap();
    let mut whole = None;
    for length in 0..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let found = Ledger::read(&path).map(|tournament| tournament.view());
        if bytes[..length].ends_with(b"\n") {
            whole = Some(found.unwrap());
        } else if let Ok(view) = found {
            assert_eq!(Some(view), whole);
        } else {
            assert_eq!(whole, None);
        }
    }
}

/// Wherever a crash interrupts a tournament, it goes on to the same end as if
/// there had been none.
#[test]
fn an_interrupted_tournament_goes_on_as_if_it_had_not_been() {
    let (_folder, path, mut ledger) = begun();
    play_on(&mut ledger);
    drop(ledger);
    let bytes = fs::read(&path).unwrap();
    let mut start = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        for torn in [0, line.len() / 2, line.len() - 1] {
            fs::write(&path, &bytes[..start + torn]).unwrap();
            let mut ledger = match Ledger::open(&path) {
                Ok(opened) => {
                    assert_eq!(opened.cut, torn as u64);
                    opened.ledger
                }
                Err(error) => {
                    assert!(matches!(error, LedgerError::NotBegun(_)), "{error}");
                    create(&path)
                }
            };
            play_on(&mut ledger);
            assert!(
                fs::read(&path).unwrap() == bytes,
                "torn at {start} + {torn}"
            );
        }
        start += line.len();
    }
}

#[test]
fn what_is_cut_off_is_kept_beside_it() {
    let (_folder, path, ledger) = begun();
    drop(ledger);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"{\"v\":1,\"ti");
    fs::write(&path, bytes).unwrap();
    assert_eq!(Ledger::read(&path).unwrap().rounds_paired(), 0);
    assert_eq!(Ledger::open(&path).unwrap().cut, 10);
    let torn = fs::read_to_string(path.with_extension("torn")).unwrap();
    assert_eq!(torn, "{\"v\":1,\"ti");
}

#[test]
fn a_result_that_comes_twice_counts_once() {
    let (_folder, path, mut ledger) = begun();
    ledger.pair(now()).unwrap();
    let event = over(ledger.tournament().due().remove(0));
    assert_eq!(ledger.record(&event, now()).unwrap(), Applied::Done);
    let standings = ledger.tournament().standings();
    assert_eq!(ledger.record(&event, now()).unwrap(), Applied::Duplicate);
    assert_eq!(ledger.tournament().standings(), standings);
    drop(ledger);

    // The same line twice in the file, as after a copy by hand.
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&path, format!("{text}{last}\n")).unwrap();
    let opened = Ledger::open(&path).unwrap();
    assert_eq!(opened.duplicates, [4]);
    assert_eq!(opened.ledger.tournament().standings(), standings);
}

#[test]
fn a_line_that_is_damaged_or_does_not_fit_is_named() {
    let (_folder, path, mut ledger) = begun();
    play_on(&mut ledger);
    drop(ledger);
    let text = fs::read_to_string(&path).unwrap();
    let message = |line: usize, from: &str, to: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(lines[line - 1].contains(from), "{}", lines[line - 1]);
        lines[line - 1] = lines[line - 1].replacen(from, to, 1);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let error = Ledger::open(&path).unwrap_err().to_string();
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
    let (folder, path, ledger) = begun();
    let again = Ledger::create(&path, swiss(3, 1), &names(5), now()).unwrap_err();
    assert!(matches!(again, LedgerError::Locked(_)), "{again}");
    drop(ledger);
    let again = Ledger::create(&path, swiss(3, 1), &names(5), now()).unwrap_err();
    assert!(matches!(again, LedgerError::Begun(_)), "{again}");
    let nothing = folder.path().join("nothing.jsonl");
    let error = Ledger::open(&nothing).unwrap_err();
    assert!(matches!(error, LedgerError::NotBegun(_)), "{error}");
    // Whoever only reads hears that there is no such file.
    let error = Ledger::read(&nothing).unwrap_err();
    assert!(matches!(error, LedgerError::Io { .. }), "{error}");
}

#[test]
fn the_rounds_of_a_round_robin_are_all_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let settings = settings(Kind::RoundRobin, Games::Both, 9);
    let mut ledger = Ledger::create(&path, settings, &names(6), now()).unwrap();
    assert_eq!(ledger.pair(now()).unwrap(), 5);
    assert_eq!(ledger.pair(now()).unwrap(), 0);
    play_on(&mut ledger);
    let standings = ledger.tournament().standings();
    assert_eq!(Ledger::read(&path).unwrap().standings(), standings);
}
