//! The tasks of the page's thread during a visit, measured as on a phone.

use serde_json::Value;

use crate::chromium::Browser;

/// How many times slower than this machine a phone is.
pub const SLOWER: f64 = 4.0;

/// How long a task may take without a visitor noticing it, in milliseconds.
pub const LONG: f64 = 50.0;

/// The parts of a visit, and what follows them.
pub const PARTS: [&str; 5] = ["play", "explore", "review", "dialogs", "end"];

const VISIT: &str = include_str!("visit.js");

/// The events of a trace that run scripts.
const SCRIPTS: [&str; 6] = [
    "EvaluateScript",
    "EventDispatch",
    "FireAnimationFrame",
    "FunctionCall",
    "RunMicrotasks",
    "TimerFire",
];

/// A task of the page's thread. Its times are processor time of a phone in milliseconds, which other programs
/// hardly change.
#[derive(Debug)]
pub struct Task {
    /// The part of the visit.
    pub part: String,
    pub time: f64,
    /// The time in the page's scripts, with the layouts that they ask for.
    pub scripts: f64,
}

/// Visits the page that a browser shows: a game, its exploration and its review. Returns the tasks.
pub fn visit(browser: &Browser) -> Vec<Task> {
    let categories = ["toplevel", "devtools.timeline", "blink.user_timing"];
    let events = browser.trace(&categories, || {
        browser.eval(VISIT);
        for part in PARTS {
            browser.wait_until(&format!(
                "performance.getEntriesByName('part:{part}').length > 0"
            ));
        }
    });
    let name = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
    let number = |event: &Value, key: &str| event[key].as_f64().unwrap_or_default();
    let part = |event: &Value| Some(name(event).strip_prefix("part:")?.to_owned());
    let mut parts: Vec<&Value> = events
        .iter()
        .filter(|event| part(event).is_some())
        .collect();
    parts.sort_by(|a, b| number(a, "ts").total_cmp(&number(b, "ts")));
    let of_page = |event: &&Value| {
        event["ph"] == "X" && ["pid", "tid"].iter().all(|key| event[key] == parts[0][key])
    };
    let mut events: Vec<&Value> = events.iter().filter(of_page).collect();
    // What contains others comes before them.
    let order = |event: &Value| (number(event, "ts"), -number(event, "dur"));
    events.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap());
    let (mut end, mut end_of_script) = (0.0, 0.0);
    let mut tasks: Vec<Task> = Vec::new();
    for event in events {
        let (since, until) = (
            number(event, "ts"),
            number(event, "ts") + number(event, "dur"),
        );
        let time = number(event, "tdur") / 1_000.0 * SLOWER;
        let is_task = name(event) == "ThreadControllerImpl::RunTask";
        if is_task && since >= end {
            end = until;
            let begun = parts.iter().rev().find(|part| number(part, "ts") <= since);
            let part = begun.and_then(|begun| part(begun)).unwrap_or_default();
            tasks.push(Task {
                part,
                time,
                scripts: 0.0,
            });
        } else if SCRIPTS.contains(&name(event).as_str()) && since >= end_of_script {
            end_of_script = until;
            if let Some(task) = tasks.last_mut().filter(|_| since < end) {
                task.scripts += time;
            }
        }
    }
    tasks
}
