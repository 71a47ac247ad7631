//! `gothello check`: correct programs pass, and each fault is found by the step meant for it.

mod agent;
mod awari_client;
mod client;
mod engine;
#[path = "../../../benches/check/faults.rs"]
mod faults;
mod goref;
mod gtp;
mod netref;
mod stand_in;

use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::executable::executable;
use crate::waiting::OutputInTime;
use stand_in::{Peer, hang, wrong_point};

/// The outcomes of a check with --json: the names of the steps that passed, failed, and were not
/// reached.
struct Outcomes {
    passed: Vec<String>,
    failed: Vec<String>,
    not_reached: Vec<String>,
    /// Those of them without which the check is incomplete.
    required: Vec<String>,
    notices: Vec<String>,
    text: String,
}

impl Outcomes {
    fn of(output: &Output) -> Outcomes {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let mut outcomes = Outcomes {
            passed: Vec::new(),
            failed: Vec::new(),
            not_reached: Vec::new(),
            required: Vec::new(),
            notices: Vec::new(),
            text: text.clone(),
        };
        for line in text.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            if let Some(notice) = event["notice"].as_str() {
                outcomes.notices.push(notice.to_owned());
            }
            let Some(name) = event["step"].as_str() else {
                continue;
            };
            if event["required"] == true {
                outcomes.required.push(name.to_owned());
            }
            let list = match event["outcome"].as_str().unwrap() {
                "passed" => &mut outcomes.passed,
                "failed" => &mut outcomes.failed,
                _ => &mut outcomes.not_reached,
            };
            list.push(name.to_owned());
        }
        let code = match (outcomes.failed.is_empty(), outcomes.required.is_empty()) {
            (false, _) => 1,
            (true, false) => 4,
            (true, true) => 0,
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{text}{errors}");
        outcomes
    }
}

/// The exit code of a check that cannot start, and the first line on its standard error.
fn error(check: &str, arguments: &[&str]) -> String {
    let output = Command::new(executable())
        .args(["check", check])
        .args(arguments)
        .output_in_time();
    let text = String::from_utf8(output.stderr).unwrap();
    let first = text.lines().next().unwrap_or_default();
    format!("{}, {first}", output.status.code().unwrap())
}

/// The steps of a check other than those that find a fault.
fn steps_without(check: &str, options: &[&str], found: &[&str]) -> Vec<String> {
    let output = Command::new(executable())
        .args(["check", check, "--list"])
        .args(options)
        .output_in_time();
    let list = String::from_utf8(output.stdout).unwrap();
    let steps = list.lines().map(|line| line.split(' ').next().unwrap());
    let steps = steps.filter(|step| !found.contains(step));
    steps.map(str::to_owned).collect()
}

/// Checks that each fault is found by its step, sixteen at a time: most of them wait. `check` checks
/// a stand-in with a fault for a step; it may do so twice, because on a busy machine a stand-in may be too
/// late at its first command.
fn assert_found(faults: &[(&str, &str)], check: impl Fn(&str, &str) -> Output + Sync) {
    let left = Mutex::new(faults.to_vec());
    let next = || left.lock().unwrap().pop();
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some((fault, step)) = next() {
                    let is_found =
                        |outcomes: &Outcomes| outcomes.failed.iter().any(|name| name == step);
                    let mut outcomes = Outcomes::of(&check(fault, step));
                    if !is_found(&outcomes) {
                        outcomes = Outcomes::of(&check(fault, step));
                    }
                    assert!(is_found(&outcomes), "{fault}: {}", outcomes.text);
                }
            });
        }
    });
}

/// Runs all steps for each fault, side by side, because most of it is waiting: its step must fail, and no
/// others except those that the fault also affects.
fn assert_found_among_all(faults: &[(&str, &str, &[&str])], check: impl Fn(&str) -> Output + Sync) {
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for &(fault, step, others) in faults {
            let (check, wrong) = (&check, &wrong);
            scope.spawn(move || {
                let failed = Outcomes::of(&check(fault)).failed;
                let is_expected = |name: &String| name == step || others.contains(&&**name);
                if !failed.iter().any(|name| name == step) || !failed.iter().all(is_expected) {
                    wrong.lock().unwrap().push((fault.to_owned(), failed));
                }
            });
        }
    });
    assert_eq!(wrong.into_inner().unwrap(), []);
}
