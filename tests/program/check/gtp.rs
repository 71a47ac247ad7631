//! `gothello check gtp`.

use std::env;
use std::process::{Command, Output, Stdio};

use super::engine::ENGINE;
use super::{Outcomes, assert_found, assert_found_among_all, error, steps_without};
use crate::executable::executable;
use crate::waiting::{OutputInTime, Pipe};

/// Each fault of the stand-in, and the step that finds it.
const FAULTS: [(&str, &str); 75] = [
    ("does-not-answer", "start"),
    ("crashes-at-the-start", "start"),
    ("writes-one-newline", "response"),
    ("writes-no-space", "response"),
    ("writes-no-sign", "nothing-else"),
    ("greets", "nothing-else"),
    ("writes-a-prompt", "nothing-else"),
    ("logs-on-stdout", "nothing-else"),
    ("reads-whole-packets", "order"),
    ("forgets-ids", "id"),
    ("forgets-ids-of-errors", "id"),
    ("always-writes-an-id", "id"),
    ("writes-a-space-before-the-id", "id"),
    ("has-small-ids", "large-id"),
    ("knows-no-comments", "comments"),
    ("answers-empty-lines", "empty-lines"),
    ("keeps-cr", "line-ends"),
    ("keeps-control-characters", "control-characters"),
    ("keeps-tabs", "tabs"),
    ("splits-at-each-space", "spaces"),
    ("reads-whole-packets", "bytewise"),
    ("accepts-unknown-commands", "unknown-command"),
    ("crashes-at-unknown-commands", "unknown-command"),
    ("crashes-at-missing-arguments", "wrong-arguments"),
    ("takes-any-color", "wrong-arguments"),
    ("speaks-version-1", "protocol-version"),
    ("has-no-name", "name"),
    ("has-no-version", "version"),
    ("does-not-list-komi", "list-commands"),
    ("lists-in-one-row", "list-commands"),
    ("knows-everything", "known-command"),
    ("knows-few", "known-command"),
    ("ignores-quit", "quit"),
    ("quits-without-a-response", "quit"),
    ("ignores-the-end-of-input", "end-of-input"),
    ("is-for-19x19", "boardsize"),
    ("accepts-any-size", "other-boardsize"),
    ("crashes-at-a-size", "other-boardsize"),
    ("clears-finished-games-only", "clear-board"),
    ("refuses-negative-komi", "komi"),
    ("reads-lower-case-colors", "colors"),
    ("reads-letters-of-colors", "colors"),
    ("reads-capitals", "vertices"),
    ("fails-at-genmove", "genmove"),
    ("answers-moves-with-colors", "genmove"),
    ("forgets-its-own-move", "genmove-plays"),
    ("changes-turns-at-errors", "refused-move"),
    ("plays-at-reg-genmove", "reg-genmove"),
    ("needs-main-time", "time-settings"),
    ("crashes-at-time-left", "time-left"),
    ("divides-by-time-left", "time-left"),
    ("undoes-nothing", "undo"),
    ("undoes-no-captures", "undo"),
    ("loads-nothing", "loadsgf"),
    ("loads-what-is-missing", "loadsgf"),
    ("scores-for-white", "black-score"),
    ("scores-for-black", "white-score"),
    ("scores-with-komi", "drawn-score"),
    ("plays-black-only", "both-colors"),
    ("hangs-after-the-end", "two-passes"),
    ("crashes-after-many-games", "long-session"),
    ("does-not-hurry", "time-pressure"),
    ("refuses-captures", "captures"),
    ("refuses-c3", "legal-moves"),
    ("passes-when-forced", "passes"),
    ("accepts-occupied", "refuses-occupied"),
    ("accepts-suicide", "refuses-suicide"),
    ("accepts-own-eyes", "refuses-own-eye"),
    ("accepts-captures-as-in-go", "refuses-opponent-eye"),
    ("removes-captured-stones", "captures"),
    ("plays-on-stones", "occupied"),
    ("plays-into-suicide", "suicide"),
    ("fills-its-eye", "own-eye"),
    ("captures-as-in-go", "opponent-eye"),
    ("never-passes", "forced-pass"),
];

/// Faults that show in games.
const FAULTS_IN_GAMES: [(&str, &str); 4] = [
    ("forgets-flips", "opponent-captures"),
    ("never-passes-last", "last-pass"),
    ("hangs-after-a-pass", "opponent-pass"),
    ("crashes-at-move-ten", "long-game"),
];

/// A fault of each kind, the step that finds it, and the other steps that must also fail.
const FAULTS_AMONG_ALL: [(&str, &str, &[&str]); 8] = [
    ("has-small-ids", "large-id", &[]),
    (
        "crashes-at-unknown-commands",
        "unknown-command",
        &[
            "response",
            "nothing-else",
            "id",
            "wrong-arguments",
            "refused-move",
        ],
    ),
    ("ignores-quit", "quit", &[]),
    ("divides-by-time-left", "time-left", &[]),
    ("undoes-no-captures", "undo", &[]),
    ("refuses-c3", "legal-moves", &["undo"]),
    ("accepts-suicide", "refuses-suicide", &["undo"]),
    (
        "captures-as-in-go",
        "opponent-eye",
        &["opponent-captures", "forced-pass", "last-pass"],
    ),
];

/// Checks the stand-in with a fault.
fn check(fault: &str, options: &[&str]) -> Output {
    let script = format!(
        "{ENGINE}={fault} exec \"$0\" --exact check::engine::stand_in_engine 3>&1 >/dev/null"
    );
    let program = env::current_exe().unwrap();
    Command::new(executable())
        .args(["check", "gtp", "--json", "--quiet", "--seed", "1"])
        .args(options)
        .args(["--", "sh", "-c", &script])
        .arg(program)
        .output_in_time()
}

/// Checks the stand-in with a fault for a step.
fn check_step(fault: &str, step: &str) -> Output {
    let options = ["--timeout", "8", "--end-timeout", "3", "--only", step];
    check(fault, &options)
}

#[test]
fn a_correct_engine_passes() {
    let outcomes = Outcomes::of(&check("none", &[]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(outcomes.not_reached.is_empty(), "{}", outcomes.text);
}

#[test]
fn an_engine_that_always_passes_is_noticed() {
    let [of_one, of_correct] = ["always-passes", "none"].map(|fault| {
        let outcomes = Outcomes::of(&check(fault, &["--only", "both-colors"]));
        assert_eq!(outcomes.passed, ["both-colors"], "{}", outcomes.text);
        outcomes.notices
    });
    assert!(of_correct.is_empty(), "{of_correct:?}");
    let [notice] = &of_one[..] else {
        panic!("{of_one:?}");
    };
    assert!(
        notice.starts_with("it has passed or resigned in all 2 positions"),
        "{notice}"
    );
}

#[test]
fn an_engine_may_use_most_of_the_time_that_it_is_told() {
    let outcomes = Outcomes::of(&check(
        "uses-most-of-its-time",
        &["--only", "time-pressure"],
    ));
    assert_eq!(outcomes.passed, ["time-pressure"], "{}", outcomes.text);
}

#[test]
#[cfg(unix)]
fn a_program_that_writes_without_end_fails() {
    let found = |text: &str| {
        let output = Command::new(executable())
            .args(["check", "gtp", "--quiet", "--only", "id", "--", "yes", text])
            .output_in_time();
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().nth(1).unwrap().trim().to_owned()
    };
    // Before its first command, or after it.
    assert!(found("").starts_with("it wrote 65536 bytes "));
    assert!(found("hello").starts_with("it wrote \"hello"));
}

#[test]
fn json_tells_why_a_program_was_not_checked() {
    let output = Command::new(executable())
        .args([
            "check",
            "gtp",
            "--json",
            "--quiet",
            "--",
            "./no-such-engine",
        ])
        .output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let [begin, error] = text.lines().collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    assert!(begin.starts_with(r#"{"event":"begin""#), "{begin}");
    assert!(error.starts_with(r#"{"event":"error""#), "{error}");
    assert!(error.contains("no-such-engine"), "{error}");
}

#[test]
#[cfg(unix)]
fn an_engine_that_a_signal_kills_at_the_end_fails() {
    let outcomes = Outcomes::of(&check("aborts-after-games", &["--only", "captures"]));
    assert_eq!(outcomes.failed, ["quit"], "{}", outcomes.text);
}

#[test]
fn a_check_with_a_time_limit_ends_within_a_step() {
    let options = ["--time-limit", "2", "--only", "long-session"];
    let outcomes = Outcomes::of(&check("thinks-about-every-command", &options));
    assert_eq!(outcomes.required, ["long-session"], "{}", outcomes.text);
}

#[test]
fn each_fault_is_found_by_its_step() {
    assert_found(&FAULTS, check_step);
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn faults_that_show_in_games_are_found() {
    assert_found(&FAULTS_IN_GAMES, check_step);
}

#[test]
#[ignore = "takes a minute"]
fn only_the_step_of_a_fault_finds_it() {
    assert_found_among_all(&FAULTS_AMONG_ALL, |fault| {
        check(fault, &["--timeout", "8", "--end-timeout", "3"])
    });
}

#[test]
fn every_step_finds_a_fault() {
    let faults = FAULTS.iter().chain(&FAULTS_IN_GAMES);
    let found: Vec<&str> = faults.map(|&(_, step)| step).collect();
    assert_eq!(steps_without("gtp", &[], &found), [""; 0]);
}

#[test]
fn a_wrong_move_is_shown_with_the_board() {
    for (fault, step) in [
        ("plays-on-stones", "occupied"),
        ("accepts-occupied", "refuses-occupied"),
        ("refuses-captures", "captures"),
    ] {
        let outcomes = Outcomes::of(&check_step(fault, step));
        let board = "\"board\":[\"  a b c d e\"";
        assert!(outcomes.text.contains(board), "{fault}: {}", outcomes.text);
    }
}

#[test]
fn optional_commands_may_be_missing() {
    let outcomes = Outcomes::of(&check("has-nothing-optional", &[]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert_eq!(
        outcomes.not_reached,
        [
            "reg-genmove",
            "time-settings",
            "time-left",
            "undo",
            "loadsgf",
            "black-score",
            "white-score",
            "drawn-score",
            "time-pressure",
        ]
    );
}

#[test]
fn an_engine_may_resign() {
    let outcomes = Outcomes::of(&check("resigns", &["--only", "forced-pass"]));
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(
        outcomes.text.contains("the engine resigned"),
        "{}",
        outcomes.text
    );
}

#[test]
fn our_own_engine_passes() {
    let program = executable();
    let output = Command::new(program)
        .args(["check", "gtp", "--json", "--quiet", "--seed", "1"])
        .args(["--", program, "--move-time", "0.05", "--level", "1"])
        .output_in_time();
    let outcomes = Outcomes::of(&output);
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(outcomes.not_reached.is_empty(), "{}", outcomes.text);
}

#[test]
fn the_steps_are_listed_in_json() {
    let list = |options: &[&str]| {
        let output = Command::new(executable())
            .args(["check", "gtp", "--list"])
            .args(options)
            .output_in_time();
        String::from_utf8(output.stdout).unwrap()
    };
    let json = list(&["--json"]);
    let (first, _) = json.split_once('\n').unwrap();
    insta::assert_snapshot!(first, @r#"{"event":"step","step":"start","title":"answers its first command","rule":"the controller sends commands, to which the engine responds","source":"Specification of the Go Text Protocol, version 2, draft 2, section 1.3, Communication Model"}"#);
    let name = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["step"].as_str().unwrap().to_owned()
    };
    let names: Vec<String> = json.lines().map(name).collect();
    let text = list(&[]);
    let listed = text.lines().map(|line| line.split(' ').next().unwrap());
    assert_eq!(names, listed.collect::<Vec<_>>());
}

#[test]
fn a_failure_shows_what_was_sent_and_received() {
    let script = "while read line; do echo \"= $line\"; echo; done";
    let output = Command::new(executable())
        .args([
            "check",
            "gtp",
            "--quiet",
            "--seed",
            "1",
            "--only",
            "protocol-version",
        ])
        .args(["--", "sh", "-c", script])
        .output_in_time();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, failure) = text.split_once("list-commands").unwrap();
    insta::assert_snapshot!(failure);
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_stopped_check_reports_what_it_knows() {
    // It answers only its first command.
    let script = "while read line; do case $line in p*) printf '= 2\\n\\n';; esac; done";
    let mut check = Command::new(executable())
        .args(["check", "gtp", "--json", "--seed", "1"])
        .args([
            "--only",
            "start",
            "--only",
            "protocol-version",
            "--only",
            "name",
        ])
        .args(["--timeout", "600", "--", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = Pipe::new(check.stderr.take().unwrap());
    errors.take_to("\nname\n");
    let id = check.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let rest = errors.rest();
    assert_eq!(
        rest.lines().last(),
        Some("error: the check is not complete: it was asked to terminate"),
        "{rest}"
    );
    let output = check.output_in_time();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let outcomes: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(r#""outcome":""#)?.1.split('"').next())
        .collect();
    assert_eq!(outcomes, ["passed", "passed", "not_reached"], "{text}");
}

#[test]
fn mistakes_on_the_command_line_are_reported() {
    let error = |arguments: &[&str]| error("gtp", arguments);
    insta::assert_snapshot!(error(&["--only", "x", "--", "./engine"]), @r#"2, error: there is no step "x": --list lists the steps; for several, repeat --only"#);
    insta::assert_snapshot!(error(&["-q", "--", "./missing"]), @r#"1, error: cannot start "./missing": there is no such file, or not the interpreter that it names"#);
    insta::assert_snapshot!(error(&["-q", "--", "./missing --fast"]), @r#"1, error: cannot start "./missing --fast": there is no such file, or not the interpreter that it names; give the program and its arguments as separate words, as in -- ./missing --fast"#);
    insta::assert_snapshot!(error(&["--any-game", "--only", "captures", "--", "./engine"]), @"2, error: captures is a step about Gothello, which --any-game leaves out: give one of them");
}
