//! `gothello check`: programs that are right pass, and each fault is found by the step meant for
//! it.

mod client;
mod netref;

use std::process::Output;

use serde_json::Value;

/// The outcomes of a check with --json: the names of the steps that passed, failed, and were not
/// reached.
struct Outcomes {
    passed: Vec<String>,
    failed: Vec<String>,
    not_reached: Vec<String>,
    text: String,
}

impl Outcomes {
    fn of(output: &Output) -> Outcomes {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let mut outcomes = Outcomes {
            passed: Vec::new(),
            failed: Vec::new(),
            not_reached: Vec::new(),
            text: text.clone(),
        };
        for line in text.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let Some(name) = event["step"].as_str() else {
                continue;
            };
            let list = match event["outcome"].as_str().unwrap() {
                "passed" => &mut outcomes.passed,
                "failed" => &mut outcomes.failed,
                _ => &mut outcomes.not_reached,
            };
            list.push(name.to_owned());
        }
        let code = i32::from(!outcomes.failed.is_empty());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{text}{errors}");
        outcomes
    }
}
