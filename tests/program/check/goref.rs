//! `gothello check goref`.

use std::env;
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

use super::agent::AGENT;
use super::{Outcomes, assert_found, assert_found_among_all, error, steps_without};
use crate::executable::executable;
use crate::waiting::OutputInTime;

/// Each fault of the stand-in, and the step that finds it.
const FAULTS: [(&str, &str); 48] = [
    ("drips-its-handshake", "connect"),
    ("floods-with-pings", "name"),
    ("floods-with-fragments", "name"),
    ("does-not-connect", "connect"),
    ("speaks-no-websocket", "connect"),
    ("says-nothing", "name"),
    ("asks-for-v3", "name"),
    ("calls-its-name-team", "name"),
    ("sends-its-name-twice", "ready"),
    ("thinks-for-long", "pong"),
    ("plays-white-only", "black"),
    ("plays-black-only", "white"),
    ("writes-vertices", "move-format"),
    ("writes-no-json", "move-format"),
    ("moves-twice", "turn-order"),
    ("plays-on-stones", "legal-moves"),
    ("stops-at-invalid", "retry"),
    ("stops-at-a-pass", "opponent-pass"),
    ("thinks-for-long", "time-pressure"),
    ("reads-whole-packets", "bytewise"),
    ("forgets-the-stones-of-the-start", "initial-state"),
    ("forgets-the-stones-of-the-start", "log-even"),
    ("thinks-that-black-begins", "log-odd"),
    ("knows-no-final-states", "final-states"),
    ("leaves-when-the-opponent-resigns", "opponent-resigns"),
    ("leaves-at-timeout", "opponent-flag"),
    ("leaves-when-its-flag-falls", "own-flag"),
    ("leaves-at-mercy", "mercy"),
    ("leaves-at-a-pause", "pause"),
    ("leaves-at-an-error", "error"),
    ("does-not-reconnect", "reconnect"),
    ("does-not-reconnect-in-game", "reconnect-in-game"),
    ("waits-for-the-socket", "merged"),
    ("reads-no-fragments", "fragments"),
    ("forgets-captures", "own-captures"),
    ("forgets-captures", "opponent-captures"),
    ("knows-no-suicide", "suicide"),
    ("knows-no-ko", "ko"),
    ("knows-no-superko", "superko"),
    ("never-passes", "forced-pass"),
    ("reads-no-passes-in-a-log", "log-pass"),
    ("hangs-after-its-last-pass", "win-by-own-pass"),
    ("leaves-after-a-win", "win-by-opponent-pass"),
    ("hangs-after-its-last-pass", "loss-by-own-pass"),
    ("leaves-after-a-loss", "loss-by-opponent-pass"),
    ("hangs-after-its-last-pass", "draw-by-own-pass"),
    ("crashes-at-a-draw", "draw-by-own-pass"),
    ("leaves-after-passes", "draw-by-opponent-pass"),
];

/// A fault of each kind, the step that finds it, and the others at which it must show.
const FAULTS_AMONG_ALL: [(&str, &str, &[&str]); 9] = [
    ("sends-its-name-twice", "ready", &["turn-order"]),
    (
        "stops-at-a-pass",
        "opponent-pass",
        &["win-by-own-pass", "win-by-opponent-pass"],
    ),
    ("forgets-captures", "own-captures", &["opponent-captures"]),
    ("knows-no-suicide", "suicide", &["legal-moves"]),
    ("knows-no-superko", "superko", &["legal-moves"]),
    (
        "forgets-the-stones-of-the-start",
        "initial-state",
        &[
            "legal-moves",
            "log-even",
            "log-odd",
            "log-pass",
            "final-states",
        ],
    ),
    (
        "crashes-at-a-draw",
        "draw-by-own-pass",
        &["draw-by-opponent-pass"],
    ),
    ("leaves-at-mercy", "mercy", &[]),
    ("does-not-reconnect", "reconnect", &["reconnect-in-game"]),
];

/// Checks the stand-in with a fault.
fn check(fault: &str, options: &[&str]) -> Output {
    let script = format!("{AGENT}=\"{fault} $1\" exec \"$0\" --exact check::agent::stand_in_agent");
    let program = env::current_exe().unwrap();
    Command::new(executable())
        .args([
            "check", "goref", "--json", "--quiet", "--seed", "1", "--board", "9",
        ])
        .args(options)
        .args(["--", "sh", "-c", &script])
        .arg(program)
        .arg("{port}")
        .output_in_time()
}

/// Checks the stand-in with a fault for a step.
fn check_step(fault: &str, step: &str) -> Output {
    let options = ["--timeout", "8", "--ping-interval", "2", "--only", step];
    check(fault, &options)
}

#[test]
fn an_agent_that_is_right_passes() {
    let passes = |fault, not_reached: &[&str]| {
        let outcomes = Outcomes::of(&check(fault, &[]));
        assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
        assert_eq!(outcomes.not_reached, not_reached, "{}", outcomes.text);
    };
    thread::scope(|scope| {
        scope.spawn(|| passes("none", &["retry"]));
        scope.spawn(|| passes("asks-for-v1", &["retry", "final-states"]));
        scope.spawn(|| passes("moves-after-a-resignation", &["retry"]));
        scope.spawn(|| passes("sends-pongs", &["retry"]));
    });
}

#[test]
fn a_client_that_does_not_complete_its_handshake_is_reported() {
    for fault in ["says-no-handshake", "drips-its-handshake"] {
        let options = ["--timeout", "2", "--only", "connect"];
        let outcomes = Outcomes::of(&check(fault, &options));
        assert_eq!(outcomes.failed, ["connect"], "{}", outcomes.text);
        let found = "it connected, but did not complete the WebSocket handshake within 2 s";
        assert!(outcomes.text.contains(found), "{}", outcomes.text);
    }
}

#[test]
fn a_check_with_a_time_limit_ends_within_a_step() {
    let options = ["--time-limit", "2", "--only", "legal-moves"];
    let outcomes = Outcomes::of(&check("thinks-for-long", &options));
    assert_eq!(outcomes.required, ["legal-moves"], "{}", outcomes.text);
}

#[test]
fn a_long_message_is_shown_with_its_end() {
    let outcomes = Outcomes::of(&check_step("plays-white-only", "black"));
    assert_eq!(outcomes.failed, ["black"], "{}", outcomes.text);
    let mut lines = outcomes.text.lines();
    let line = lines.find(|line| line.contains("\"step\":\"black\""));
    let event: Value = serde_json::from_str(line.unwrap()).unwrap();
    let exchange = event["exchange"].as_array().unwrap();
    let start = exchange.iter().rev().find_map(|line| {
        let line = line.as_str().unwrap();
        line.starts_with("> {\"type\":\"START\"").then_some(line)
    });
    let start = start.unwrap();
    assert!(start.ends_with("\"color\":\"B\"}"), "{start}");
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn an_agent_that_leaves_the_rules_to_the_server_can_try_again() {
    let options = ["--only", "retry", "--only", "legal-moves"];
    let outcomes = Outcomes::of(&check("plays-on-stones", &options));
    assert_eq!(outcomes.passed, ["retry"]);
    assert_eq!(outcomes.failed, ["legal-moves"]);
    // The board has letters above, digits below, and nine rows.
    assert!(
        outcomes
            .text
            .contains("\"board\":[\"    A B C D E F G H J\"")
    );
    // The exchange ends with the move.
    let mut lines = outcomes.text.lines();
    let line = lines.find(|line| line.contains("\"step\":\"legal-moves\""));
    let event: Value = serde_json::from_str(line.unwrap()).unwrap();
    let exchange = event["exchange"].as_array().unwrap();
    let last = exchange.last().unwrap().as_str().unwrap();
    assert!(last.starts_with("> {\"type\":\"INVALID\""), "{last}");
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn an_agent_that_tries_points_fails_only_at_its_illegal_moves() {
    let outcomes = Outcomes::of(&check("tries-points", &[]));
    assert_eq!(outcomes.failed, ["legal-moves"], "{}", outcomes.text);
    for step in [
        "retry",
        "initial-state",
        "log-even",
        "log-odd",
        "final-states",
    ] {
        let is_passed = outcomes.passed.iter().any(|name| name == step);
        assert!(is_passed, "{step}: {}", outcomes.text);
    }
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn each_fault_is_found_by_its_step() {
    assert_found(&FAULTS, check_step);
}

#[test]
#[ignore = "takes a minute"]
fn only_the_step_of_a_fault_finds_it() {
    assert_found_among_all(&FAULTS_AMONG_ALL, |fault| {
        check(fault, &["--timeout", "8", "--ping-interval", "2"])
    });
}

#[test]
fn every_step_finds_a_fault() {
    let found: Vec<&str> = FAULTS.iter().map(|&(_, step)| step).collect();
    assert_eq!(steps_without("goref", &[], &found), [""; 0]);
}

#[test]
fn our_own_client_passes() {
    let program = executable();
    // An engine that passes.
    let engine = "while read -r line; do set -- $line; case $1 in genmove) echo '= pass';; \
                  *) echo '=';; esac; echo; done";
    let engine = format!("sh -c \"{engine}\"");
    let output = Command::new(program)
        .args([
            "check", "goref", "--json", "--quiet", "--seed", "1", "--board", "9",
        ])
        .args([
            "--", program, "goplay", "{url}", "--name", "Ann", "--engine", &engine,
        ])
        .output_in_time();
    let outcomes = Outcomes::of(&output);
    assert!(outcomes.failed.is_empty(), "{}", outcomes.text);
    assert!(outcomes.passed.len() >= 20, "{}", outcomes.text);
}

#[test]
fn mistakes_on_the_command_line_are_reported() {
    insta::assert_snapshot!(error("goref", &["--", "./agent"]), @"2, error: the command needs {url} or {port}, which tell the client where to connect, or there must be --port");
}
