//! The page that needs no server, in a folder and in one file. The tests of `play.rs` are about it, too, if the
//! variable `GOTHELLO_SITE` is set.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::play::{place, play_against_level_3};
use crate::positions::RandomPlayer;
use crate::static_site::{files, serve, site};
use crate::waiting::{Deadline, PATIENCE};
use crate::wasm_core::{native, values, webassembly};

/// Waits until the page can do without its server.
fn wait_until_kept(browser: &Browser) {
    browser.wait_until("navigator.serviceWorker.controller?.state === 'activated'");
}

/// Plays a whole game, explores from its last moves, and reviews it.
fn play_explore_and_review(browser: &Browser) {
    play_against_level_3(browser);
    browser.click("[data-view=explore]");
    browser.click("#back");
    browser.click("#back");
    browser.wait_for_text("#value", "under best play");
    browser.click("[data-view=review]");
    browser.wait_for_text("#review-report", "Black");
    browser.wait_until(
        "document.querySelector('#review-report td') !== null \
         && !document.querySelector('#review-report').textContent.includes('Thinking')",
    );
}

#[test]
#[ignore = "starts Chromium"]
fn after_the_first_visit_the_page_needs_no_server() {
    let server = serve(site());
    let browser = Browser::start();
    browser.resize(1366, 900);
    browser.open(&server.url);
    wait_until_kept(&browser);
    assert_eq!(browser.console(), Vec::<String>::new());
    let url = server.url.clone();
    drop(server);
    browser.open("about:blank");
    // What the address says of a frame makes no difference.
    browser.open(&format!("{url}?embed=board"));
    browser.wait_for_text("#phase", "Black to move");
    browser.open(&url);
    browser.wait_for_text("#phase", "Black to move");
    play_explore_and_review(&browser);
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn chromium_can_install_the_page() {
    let server = serve(site());
    let browser = Browser::start();
    browser.open(&server.url);
    wait_until_kept(&browser);
    let manifest = browser.devtools("Page.getAppManifest", json!({}));
    assert_eq!(manifest["errors"], json!([]));
    assert!(
        manifest["url"]
            .as_str()
            .unwrap()
            .ends_with("/manifest.webmanifest")
    );
    let errors = browser.devtools("Page.getInstallabilityErrors", json!({}));
    let errors = errors["installabilityErrors"].as_array().unwrap().clone();
    // Nothing can be installed in the browser of a test.
    let errors = errors
        .iter()
        .filter(|error| error["errorId"] != "in-incognito");
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&Value>::new());
}

/// Builds the page into this folder after a change that a line of Python makes: it knows `build`, the `page`, and
/// its `files`.
fn build_with(folder: &Path, change: &str) {
    let script = "
import importlib.machinery, pathlib, sys
build = importlib.machinery.SourceFileLoader('build', sys.argv[1]).load_module()
page = build.read_page()
files = build.read_files(next(pathlib.Path(sys.argv[3]).glob('files-*/play/gothello.wasm')))
exec(sys.argv[4])
build.read_page = lambda: page
build.read_files = lambda _: files
build.build(pathlib.Path(sys.argv[2]), None)
";
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("wasm/build");
    let mut python = Command::new("python3");
    python
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-W", "ignore", "-c", script]);
    let status = python.args([&build, folder, site()]).arg(change).status();
    assert!(status.unwrap().success());
}

#[test]
#[ignore = "starts Chromium"]
fn a_new_version_is_used_at_the_next_load_with_all_its_files() {
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "page += '<!-- 1 -->'");
    let server = serve(folder.path());
    let browser = Browser::start();
    browser.open(&server.url);
    wait_until_kept(&browser);
    let scripts = "performance.getEntriesByType('resource').map(({ name }) => name) \
                   .filter(name => /[.](js|css|svg)$/.test(name)).map(name => new URL(name).pathname.split('/')[1])";
    let version = || {
        let versions = browser.eval(&format!("[...new Set({scripts})].join()"));
        versions.as_str().unwrap().to_owned()
    };
    let first = version();
    assert!(
        first.starts_with("files-") && !first.contains(','),
        "{first}"
    );
    build_with(folder.path(), "page += '<!-- 2 -->'");
    // The page that is open goes on with its own files, even those that are not on the server anymore.
    browser.eval(
        "void navigator.serviceWorker.ready.then(async registration => { \
           const isNew = new Promise(resolve => { \
             navigator.serviceWorker.oncontrollerchange = resolve; }); \
           await registration.update(); await isNew; window.isNew = true; })",
    );
    browser.wait_until("window.isNew === true");
    let restarted = "fetch(document.querySelector('script[src]').src.replace('app.js', 'worker.js')) \
                     .then(({ ok }) => { window.isThere = ok; })";
    browser.eval(&format!("void {restarted}"));
    browser.wait_until("window.isThere === true");
    wait_until_kept(&browser);
    browser.open("about:blank");
    browser.open(&server.url);
    browser.wait_until(
        "document.title === 'Gothello' && document.querySelector('#phase').textContent !== ''",
    );
    let second = version();
    assert!(
        second.starts_with("files-") && !second.contains(','),
        "{second}"
    );
    assert_ne!(first, second);
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn a_tablebase_beside_the_page_is_used_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "files['play/gothello.tablebase'] = b''");
    let server = serve(folder.path());
    let browser = Browser::start();
    let url = format!("{}#explore", server.url);
    // Without it, the person at this machine is told how to get one.
    browser.open(&url);
    browser.wait_until("document.querySelector('#tablebase-hint').checkVisibility()");
    let hint = browser.text("#tablebase-hint");
    assert!(
        hint.contains("beside the page") && hint.contains("gothello tablebase pack"),
        "{hint}"
    );
    assert_eq!(browser.console(), Vec::<String>::new());
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/solving/tablebase");
    let name = "gothello.tablebase";
    std::fs::copy(built_in.join(name), folder.path().join(name)).unwrap();
    // No search finds these values in time.
    let are_known =
        || browser.wait_for_text("#value", "Black wins by 3 under best play · 5 best moves");
    browser.eval("location.reload()");
    are_known();
    wait_until_kept(&browser);
    browser.eval("location.reload()");
    are_known();
    browser.wait_until(
        "(caches.match('gothello.tablebase').then(kept => { window.isKept = kept !== undefined; }), \
         window.isKept === true)",
    );
    drop(server);
    browser.open("about:blank");
    browser.open(&url);
    are_known();
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_asks_no_other_host() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let browser = Browser::start_behind(proxy.local_addr().unwrap());
    browser.resize(1366, 900);
    let server = serve(site());
    for url in [
        server.url.clone(),
        format!("{}gothello.html", server.url),
        format!("file://{}/gothello.html", site().display()),
    ] {
        browser.open(&url);
        browser.wait_for_text("#phase", "Black to move");
        play_explore_and_review(&browser);
        // Not even if a script of the page tries to.
        browser.eval("void fetch('http://example.com').catch(() => { window.isRefused = true; })");
        browser.wait_until("window.isRefused === true");
    }
    if let Ok((mut asked, _)) = proxy.accept() {
        let mut request = [0; 200];
        let length = asked.read(&mut request).unwrap_or_default();
        panic!("{}", String::from_utf8_lossy(&request[..length]));
    }
    // Another page could ask.
    browser.open("about:blank");
    browser.eval("void fetch('http://example.com').catch(() => null)");
    assert!(
        Deadline::within(PATIENCE)
            .find(|| proxy.accept().ok())
            .is_some()
    );
}

#[test]
#[ignore = "starts Chromium"]
fn one_file_explores_and_plays_without_a_server() {
    let file = format!("file://{}/gothello.html", site().display());
    let browser = Browser::start();
    browser.resize(1366, 900);
    browser.open(&format!("{file}#explore"));
    browser.wait_for_text("#value", "Black wins by 3 under best play · 5 best moves");
    place(&browser, "a1");
    browser.wait_for_text("#value", "White wins by 1 under best play");
    browser.open(&format!("{file}#play"));
    browser.eval("location.reload()");
    browser.wait_for_text("#phase", "Black to move");
    place(&browser, "c3");
    // The engine has answered.
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(browser.console(), Vec::<String>::new());
    let is_inside = |request: &String| {
        ["file:", "blob:", "data:"]
            .iter()
            .any(|scheme| request.starts_with(scheme))
    };
    let outside: Vec<String> = browser.requests();
    let outside: Vec<&String> = outside
        .iter()
        .filter(|request| !is_inside(request))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
#[ignore = "builds the page, and needs Node"]
fn the_module_finds_the_same_values_in_as_many_positions_as_the_program() {
    let mut random = RandomPlayer::new(36);
    let questions = (0..1_000).map(|number| {
        let stones = 12 + number as u32 % 8;
        values(number, &random.position(stones).to_string())
    });
    let questions: Vec<String> = questions.collect();
    let (native, module) = (native(&questions), webassembly(files(), &questions));
    assert_eq!(native.len(), module.len());
    for ((question, native), module) in questions.iter().zip(&native).zip(&module) {
        assert_eq!(native.response["done"], json!(true), "{question}");
        assert_eq!(native.response, module.response, "{question}");
        assert_eq!(native.positions, module.positions, "{question}");
    }
    assert!(native.last().unwrap().positions > 1_000_000);
}
