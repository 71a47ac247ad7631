//! The page that needs no server: `cargo bench --bench site`, or only a part of it, such as `-- phone`. It needs Node,
//! Chromium, and what `wasm/build` needs.

use std::process::Command;

use serde_json::json;

use chromium::Browser;
use positions::RandomPlayer;
use static_site::{files, serve, site};
use tasks::{LONG, PARTS, SLOWER, Task, load, visit};
use wasm_core::{Answer, native, values, webassembly};

#[path = "../../tests/browser/chromium.rs"]
#[allow(dead_code)]
mod chromium;
#[path = "../../tests/common/executable.rs"]
#[allow(dead_code)]
mod executable;
#[path = "../../tests/common/play_server.rs"]
#[allow(dead_code)]
mod play_server;
#[path = "../../tests/common/positions.rs"]
#[allow(dead_code)]
mod positions;
#[path = "../../tests/browser/static_site.rs"]
mod static_site;
mod tasks;
#[path = "../../tests/common/waiting.rs"]
mod waiting;
#[path = "../../tests/browser/wasm_core.rs"]
#[allow(dead_code)]
mod wasm_core;

/// The first of these that is installed is measured: one that people use.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// How often the page is loaded in each way.
const LOADS: usize = 7;

/// The positions whose values are found, with so many stones.
const POSITIONS: usize = 30;
const STONES: u32 = 9;

/// Notes when a stone can be placed.
const WATCH: &str = "new MutationObserver(() => { \
    if (!window.playable && document.querySelector('.point.may-black')) window.playable = performance.now(); \
}).observe(document, { subtree: true, childList: true, attributes: true });";

fn main() {
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    let all: [(&str, fn()); 4] = [
        ("sizes", sizes),
        ("speed", speed),
        ("loads", loads),
        ("phone", phone),
    ];
    for (name, measure) in all {
        if names.is_empty() || names.iter().any(|one| one == name) {
            measure();
        }
    }
}

/// Prints how large the files are, and how large with gzip.
fn sizes() {
    let (site, files) = (site(), files());
    let scripts = ["page", "play"].map(|folder| files.join(folder).join("*.[jcs]*"));
    let [page, play] = scripts.map(|path| path.display().to_string());
    for (name, paths) in [
        (
            "the module",
            files.join("play/gothello.wasm").display().to_string(),
        ),
        (
            "the tablebase",
            files.join("play/gothello.tablebase").display().to_string(),
        ),
        (
            "HTML, CSS and JavaScript",
            format!("{}/index.html {page} {play}", site.display()),
        ),
        ("one file", site.join("gothello.html").display().to_string()),
    ] {
        let script =
            format!("cat {paths} | wc -c; for file in {paths}; do gzip -9c $file; done | wc -c");
        let output = Command::new("sh").args(["-c", &script]).output();
        let output = output.expect("a shell").stdout;
        let sizes = String::from_utf8_lossy(&output).replace('\n', " ");
        println!("{name}: {sizes}bytes, raw and with gzip");
    }
}

/// Prints how fast the module searches, and the program.
fn speed() {
    let mut random = RandomPlayer::new(1);
    let questions = (0..POSITIONS).map(|number| {
        let position = random.position(STONES).to_string();
        values(number, &position)
    });
    let questions: Vec<String> = questions.collect();
    let rate = |answers: &[Answer]| {
        let time: f64 = answers.iter().map(|answer| answer.time).sum();
        let positions = answers.last().map_or(0, |answer| answer.positions);
        (positions as f64 / time / 1e3, time)
    };
    let (ours, theirs) = (native(&questions), webassembly(files(), &questions));
    let ((native, native_time), (module, module_time)) = (rate(&ours), rate(&theirs));
    println!(
        "values of {POSITIONS} positions with {STONES} stones, {} positions searched:",
        theirs.last().map_or(0, |it| it.positions)
    );
    println!("  the program: {native:.2} million positions/s, {native_time:.0} ms");
    println!(
        "  the module: {module:.2} million positions/s, {module_time:.0} ms, {:.2} times as long",
        module_time / native_time
    );
    let memory = theirs.iter().map(|answer| answer.memory).max().unwrap_or(0);
    println!("  its memory: {:.1} MB", memory as f64 / 1e6);
}

/// Prints how long the page takes until a stone can be placed.
fn loads() {
    let server = serve(site());
    let one_file = format!("file://{}/gothello.html", site().display());
    for (slower, name) in [(1, ""), (4, ", processor throttled four times")] {
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..LOADS {
            let browser = Browser::start();
            browser.devtools(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": WATCH}),
            );
            browser.devtools("Emulation.setCPUThrottlingRate", json!({"rate": slower}));
            let load = |times: &mut Vec<f64>, url: &str| {
                browser.open("about:blank");
                browser.open(url);
                browser.wait_until("window.playable > 0");
                times.push(browser.eval("window.playable").as_f64().expect("a time"));
            };
            load(&mut times[0], &server.url);
            browser.wait_until("navigator.serviceWorker.controller?.state === 'activated'");
            load(&mut times[1], &server.url);
            load(&mut times[2], &one_file);
        }
        for (kind, mut times) in ["first visit", "next visit, offline files", "one file"]
            .into_iter()
            .zip(times)
        {
            times.sort_by(f64::total_cmp);
            let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
            println!("first move possible, {kind}{name}: {median:.0} ms, at most {worst:.0} ms");
        }
    }
}

/// Prints how long the page's thread of a phone is busy without a break.
fn phone() {
    let server = serve(site());
    let mut tasks = Vec::new();
    for number in 1..=LOADS {
        let browser = Browser::start();
        browser.touch();
        tasks.extend(load(&browser, &server.url));
        if number == LOADS {
            tasks.extend(visit(&browser));
        }
    }
    println!("tasks of more than {LONG} ms of processor time on a phone {SLOWER} times as slow:");
    for part in PARTS {
        let tasks = tasks.iter().filter(|task| task.part == part);
        let times = |of: fn(&Task) -> f64| {
            let times = tasks.clone().map(of);
            let long = times.clone().filter(|&time| time > LONG).count();
            (long, times.fold(0.0, f64::max))
        };
        let (all, scripts) = (times(|task| task.time), times(|task| task.scripts));
        println!(
            "  {part}: {} of {}, the longest {:.0} ms; in scripts {}, the longest {:.0} ms",
            all.0,
            tasks.clone().count(),
            all.1,
            scripts.0,
            scripts.1
        );
        for task in tasks.filter(|task| task.time > LONG) {
            let work = task.work.iter().filter(|(_, time)| **time >= 1.0);
            let work: Vec<String> = work
                .map(|(kind, time)| format!("{kind} {time:.0}"))
                .collect();
            println!("    {:.0} ms: {}", task.time, work.join(", "));
        }
    }
}
