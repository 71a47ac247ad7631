//! The tasks of the page's thread during a visit, measured as on a phone.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chromium::Browser;

/// How many times slower than this machine a phone is.
pub const SLOWER: f64 = 4.0;

/// How long a task may take without a visitor noticing it, in milliseconds.
pub const LONG: f64 = 50.0;

/// The parts of a visit. The second load is from the files that are kept.
pub const PARTS: [&str; 7] = [
    "load",
    "load again",
    "play",
    "explore",
    "review",
    "dialogs",
    "resize",
];

/// Marks the beginning of a load in the trace.
const LOAD: &str = "if (location.protocol !== 'about:') \
    performance.mark(navigator.serviceWorker.controller ? 'part:load again' : 'part:load');";

const VISIT: &str = include_str!("visit.js");

/// The sizes of the window, one after the other: those of a phone and of a tablet, which are turned.
const SIZES: [[u32; 2]; 4] = [[844, 390], [390, 844], [800, 1280], [1280, 800]];

/// How often each size follows.
const TURNS: usize = 3;

/// How long the page needs at most to be drawn in a size.
const SETTLED: Duration = Duration::from_millis(300);

/// What the events of a trace do. Another event does what the one that contains it does.
const WORK: [(&str, &[&str]); 6] = [
    ("parsing", &["ParseHTML", "ParseAuthorStyleSheet"]),
    ("compiling", &["v8.compile", "v8.compileModule"]),
    (
        SCRIPTS,
        &[
            "EvaluateScript",
            "EventDispatch",
            "FireAnimationFrame",
            "FunctionCall",
            "HandlePostMessage",
            "RunMicrotasks",
            "TimerFire",
            "v8.evaluateModule",
        ],
    ),
    ("style", &["UpdateLayoutTree"]),
    ("layout", &["Layout"]),
    ("painting", &["Commit", "Layerize", "Paint", "PrePaint"]),
];
const SCRIPTS: &str = "scripts";
const OTHER: &str = "other";

/// A task of the page's thread. Its times are processor time of a phone in milliseconds, which other programs
/// hardly change.
#[derive(Debug)]
pub struct Task {
    /// The part of the visit.
    pub part: String,
    pub time: f64,
    /// The time in the page's scripts, with the layouts that they ask for.
    pub scripts: f64,
    /// The time of each kind of work, without that of others within it.
    pub work: BTreeMap<&'static str, f64>,
}

/// Loads a page twice. Returns the tasks.
pub fn load(browser: &Browser, url: &str) -> Vec<Task> {
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": LOAD}),
    );
    traced(browser, || {
        for _ in 0..2 {
            browser.open("about:blank");
            browser.open(url);
            browser.wait_until("document.querySelector('.point.may-black') !== null");
            browser.wait_until("navigator.serviceWorker.controller?.state === 'activated'");
        }
    })
}

/// Visits the page that a browser shows: a game, its exploration and its review; then changes the size of the
/// window. Returns the tasks.
pub fn visit(browser: &Browser) -> Vec<Task> {
    traced(browser, || {
        browser.eval(VISIT);
        for part in &PARTS[2..] {
            browser.wait_until(&format!(
                "performance.getEntriesByName('part:{part}').length > 0"
            ));
        }
        for [width, height] in [SIZES; TURNS].into_iter().flatten() {
            let metrics = json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": true,
            });
            browser.devtools("Emulation.setDeviceMetricsOverride", metrics);
            browser.wait_until(&format!("innerWidth === {width}"));
            thread::sleep(SETTLED);
        }
    })
}

/// Returns the tasks of the page's thread while something runs.
fn traced(browser: &Browser, run: impl FnOnce()) -> Vec<Task> {
    let categories = ["toplevel", "devtools.timeline", "blink.user_timing", "v8"];
    let events = browser.trace(&categories, run);
    let name = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
    let number = |event: &Value, key: &str| event[key].as_f64().unwrap_or_default();
    let part = |event: &Value| Some(name(event).strip_prefix("part:")?.to_owned());
    let thread = |event: &Value| ["pid", "tid"].map(|key| event[key].clone());
    let mut parts: Vec<&Value> = events
        .iter()
        .filter(|event| part(event).is_some())
        .collect();
    parts.sort_by(|a, b| number(a, "ts").total_cmp(&number(b, "ts")));
    let of_page = |event: &&Value| {
        event["ph"] == "X" && parts.iter().any(|part| thread(part) == thread(event))
    };
    let mut events: Vec<&Value> = events.iter().filter(of_page).collect();
    // What contains others comes before them.
    let order = |event: &Value| (number(event, "ts"), -number(event, "dur"));
    events.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap());
    let mut tasks: Vec<Task> = Vec::new();
    // The end and the kind of each event that contains the next one; the first of them is the task.
    let mut containing: Vec<(f64, &str)> = Vec::new();
    for event in events {
        let since = number(event, "ts");
        let until = since + number(event, "dur");
        let time = number(event, "tdur") / 1_000.0 * SLOWER;
        containing.retain(|&(end, _)| since < end);
        let Some(&(_, around)) = containing.last() else {
            if name(event) != "ThreadControllerImpl::RunTask" {
                continue;
            }
            // A part begins within a task.
            let begun = parts.iter().rev().find(|part| number(part, "ts") <= until);
            let part = begun.and_then(|begun| part(begun)).unwrap_or_default();
            tasks.push(Task {
                part,
                time,
                scripts: 0.0,
                work: BTreeMap::from([(OTHER, time)]),
            });
            containing.push((until, OTHER));
            continue;
        };
        let name = name(event);
        let found = WORK
            .iter()
            .find(|(_, names)| names.contains(&name.as_str()));
        let Some(&(kind, _)) = found else {
            continue;
        };
        let task = tasks.last_mut().unwrap();
        if kind == SCRIPTS && containing.iter().all(|&(_, kind)| kind != SCRIPTS) {
            task.scripts += time;
        }
        *task.work.entry(around).or_default() -= time;
        *task.work.entry(kind).or_default() += time;
        containing.push((until, kind));
    }
    tasks
}
