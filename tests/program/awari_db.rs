//! `gothello awari-db`, as the built program.

use std::fs;

use gothello::endgame::Database;

use super::subcommand::Subcommand;
use crate::executable::executable;
use crate::waiting::{EndsInTime, OutputInTime};

const COMMAND: Subcommand = Subcommand("awari-db");

#[test]
fn a_database_is_built_described_verified_and_extended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let built = COMMAND.stdout(folder, &["build", "--stones", "4", "a.adb"]);
    let lines: Vec<&str> = built.lines().collect();
    assert_eq!(lines.len(), 5, "{built}");
    assert!(
        lines[0].starts_with("  1 stone:        12 positions, 100.0 % exact, "),
        "{built}"
    );
    assert!(lines[0].ends_with(" million positions/s"), "{built}");
    assert!(
        lines[4].starts_with("a.adb: 1820 positions with up to 4 stones, "),
        "{built}"
    );

    insta::assert_snapshot!(COMMAND.stdout(folder, &["info", "a.adb"]), @"
    grand slam e, stones claimed on repetition
    1820 positions with up to 4 stones on the board
     0 stones:         1 positions, 100.0 % exact, 0.00 stones open on average
      1 stone:        12 positions, 100.0 % exact, 0.00 stones open on average
     2 stones:        78 positions,  83.3 % exact, 0.17 stones open on average
     3 stones:       364 positions,  82.7 % exact, 0.17 stones open on average
     4 stones:      1365 positions,  72.8 % exact, 0.35 stones open on average
    ");
    insta::assert_snapshot!(COMMAND.stdout(folder, &["verify", "a.adb"]), @"
    the database is whole, with 1820 positions
    1820 positions checked: each agrees with those that its moves lead to
    ");
    insta::assert_snapshot!(COMMAND.stdout(folder, &["verify", "a.adb", "--sample", "100", "--seed", "7"]), @"
    the database is whole, with 1820 positions
    100 positions checked: each agrees with those that its moves lead to
    ");

    let built = COMMAND.stdout(
        folder,
        &["build", "--stones", "5", "--threads", "1", "a.adb"],
    );
    assert!(built.starts_with(" 5 stones:"), "{built}");
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--stones", "3", "a.adb"], 1), @"error: a.adb has up to 5 stones already: give another file for a smaller one");
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--stones", "6", "--grand-slam", "a", "a.adb"], 1), @"error: a.adb is for another variant (grand slam e, stones claimed on repetition, not grand slam a, stones claimed on repetition): give another file");
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--stones", "6", "--repetition", "discard", "a.adb"], 1), @"error: a.adb is for another variant (grand slam e, stones claimed on repetition, not grand slam e, stones discarded on repetition): give another file");
    assert_eq!(
        Database::from_bytes(&fs::read(folder.join("a.adb")).unwrap())
            .unwrap()
            .stones(),
        5
    );
}

#[test]
fn a_database_that_is_extended_is_the_same_as_one_that_is_built_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    COMMAND.stdout(folder, &["build", "--stones", "4", "a.adb"]);
    // An interrupted build leaves such a file.
    COMMAND.stdout(folder, &["build", "--stones", "3", "b.adb"]);
    let built = COMMAND.stdout(folder, &["build", "--stones", "4", "b.adb"]);
    let lines: Vec<&str> = built.lines().collect();
    assert_eq!(lines.len(), 2, "{built}");
    assert!(lines[0].starts_with(" 4 stones:"), "{built}");
    assert_eq!(
        fs::read(folder.join("a.adb")).unwrap(),
        fs::read(folder.join("b.adb")).unwrap()
    );
}

#[test]
fn error_messages() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("diary"), "Dear diary").unwrap();
    insta::assert_snapshot!(COMMAND.error(folder, &["info", "diary"], 1), @r#"error: diary cannot be used: this is not an Awari database: it does not begin with "awari-eg""#);
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--stones", "3", "diary"], 1), @r#"error: diary cannot be used: this is not an Awari database: it does not begin with "awari-eg""#);
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--stones", "22", "a.adb"], 2), @"error: invalid value '22' for '--stones <N>': give a whole number from 1 to 21");
    insta::assert_snapshot!(COMMAND.error(folder, &["build", "--grand-slam", "f", "a.adb"], 2), @"error: invalid value 'f' for '--grand-slam <LETTER>'");
    assert!(
        COMMAND
            .error(folder, &["verify", "none.adb"], 1)
            .starts_with("error: none.adb cannot be read: ")
    );
    assert!(
        COMMAND
            .error(folder, &["build", "no/folder/a.adb"], 1)
            .starts_with("error: no/folder/a.adb cannot be written: ")
    );
    assert_eq!(fs::read(folder.join("diary")).unwrap(), b"Dear diary");
}

#[test]
fn a_contradiction_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    COMMAND.stdout(folder, &["build", "--stones", "2", "a.adb"]);
    let mut bytes = fs::read(folder.join("a.adb")).unwrap();
    // One stone, in the last pit of the player who is not to move: the player to
    // move has none, and the game is over.
    let first = 20 + 5;
    bytes[first] = 2;
    let sum = crc32fast::hash(&bytes[first..first + 12]);
    bytes[first + 12..first + 16].copy_from_slice(&sum.to_le_bytes());
    fs::write(folder.join("a.adb"), bytes).unwrap();
    insta::assert_snapshot!(COMMAND.error(folder, &["verify", "a.adb"], 1), @"error: the board [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] (pits of the player to move first) has the bounds 1 to 1, but the boards after its moves give 0 to 0");
}

/// Like `gothello awari-db build ... | head -n 1`.
#[test]
fn a_build_finishes_even_if_nothing_reads_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["build", "--stones", "7", "a.adb"];
    let mut build = COMMAND.command(folder.path(), &build).spawn().unwrap();
    drop(build.stdout.take());
    assert!(build.wait_in_time().success());
    assert!(folder.path().join("a.adb").exists());
}

#[test]
fn a_database_for_other_rules_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(executable());
        let command = command.args(arguments).current_dir(folder.path());
        let done = command.output_in_time();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let build = [
        "awari-db",
        "build",
        "--stones",
        "3",
        "--grand-slam",
        "a",
        "a.adb",
    ];
    assert_eq!(run(&build).0, Some(0));
    let gtp = ["gtp", "--game", "awari", "--endgames", "a.adb"];
    let (code, error) = run(&gtp);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("the file is for other rules (grand slam a"),
        "{error}"
    );
    let (code, _) = run(&[&gtp[..], &["--grand-slam", "a"]].concat());
    assert_eq!(code, Some(0));
    let (code, error) = run(&["gtp", "--endgames", "a.adb"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("--endgames"), "{error}");
}
