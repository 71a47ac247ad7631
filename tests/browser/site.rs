//! The page that needs no server, in a folder and in one file. The tests of `play.rs` are about it, too, if the
//! variable `GOTHELLO_SITE` is set.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::chromium::Browser;
use crate::play::{go_to_view, moves, place, play_against_level_3, wait_for_review};
use crate::play_server::PlayServer;
use crate::positions::RandomPlayer;
use crate::static_site::{files, serve, site, start};
use crate::waiting::{Deadline, OutputInTime as _, PATIENCE};
use crate::wasm_core::{native, values, webassembly};

/// Waits until the page can do without its server.
fn wait_until_kept(browser: &Browser) {
    browser.wait_until("navigator.serviceWorker.controller?.state === 'activated'");
}

/// Plays a whole game, explores from its last moves, and reviews it.
fn play_explore_and_review(browser: &Browser) {
    play_against_level_3(browser);
    go_to_view(browser, "explore");
    browser.click("#back");
    browser.click("#back");
    browser.wait_for_text("#value", "under best play");
    go_to_view(browser, "review");
    wait_for_review(browser);
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
fn a_folder_with_another_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index.html");
    std::fs::write(&index, "my own page").unwrap();
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("wasm/build");
    let refused = Command::new(&build).arg(folder.path()).output_in_time();
    assert_eq!(refused.status.code(), Some(1));
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("name another folder"), "{why}");
    assert_eq!(std::fs::read_to_string(&index).unwrap(), "my own page");
    std::fs::rename(&index, folder.path().join("service-worker.js")).unwrap();
    let refused = Command::new(build).arg(folder.path()).output_in_time();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("service-worker.js"), "{why}");
}

#[test]
#[ignore = "builds the page"]
fn a_build_replaces_the_one_before_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let own = ["files-of-mine", "files-0123456789abcdef"].map(|name| folder.path().join(name));
    for own in &own {
        std::fs::create_dir(own).unwrap();
        std::fs::write(own.join("thesis.txt"), "mine").unwrap();
    }
    let built = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_built = |path: &PathBuf| path.join("play/gothello.wasm").exists();
        paths.filter(is_built).collect::<Vec<_>>()
    };
    build_with(folder.path(), "page += '<!-- 1 -->'");
    let first = built();
    build_with(folder.path(), "page += '<!-- 2 -->'");
    let second = built();
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    // What a browser is told to load and do is a part of the version.
    build_with(folder.path(), "build.POLICY['frame-src'] = \"'none'\"");
    assert_eq!(built().len(), 1);
    assert_ne!(built(), second);
    assert!(own.iter().all(|own| own.join("thesis.txt").exists()));
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
    let first = versions(&browser);
    assert!(
        first.len() == 1 && first[0].starts_with("files-"),
        "{first:?}"
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
    let second = version_opened(&browser, &server.url);
    assert!(second.starts_with("files-"), "{second}");
    assert_ne!(first, [second]);
    assert_eq!(browser.console(), Vec::<String>::new());
}

/// A server with faults.
struct FaultyServer {
    server: PlayServer,
    faults: NamedTempFile,
}

impl FaultyServer {
    fn start(folder: &Path) -> FaultyServer {
        let faults = NamedTempFile::new().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/faulty_server.py");
        let mut server = Command::new("python3");
        server.arg(script).arg(folder).arg(faults.path());
        FaultyServer {
            server: start(server),
            faults,
        }
    }

    /// From now on has these faults: parts of paths, and what is wrong with them.
    fn fail(&self, faults: &[(&str, &str)]) {
        let lines = faults
            .iter()
            .map(|(path, fault)| format!("{path} {fault}\n"));
        // At no moment is the file empty.
        let mut next = NamedTempFile::new().unwrap();
        next.write_all(lines.collect::<String>().as_bytes())
            .unwrap();
        std::fs::rename(next.path(), self.faults.path()).unwrap();
    }
}

/// Returns the versions of the files that the page has loaded, without repetitions.
fn versions(browser: &Browser) -> Vec<String> {
    let names = "performance.getEntriesByType('resource').map(({ name }) => name) \
                 .filter(name => /[.](js|css|svg)$/.test(name) && !name.endsWith('/service-worker.js')).map(name => new URL(name).pathname.split('/')[1])";
    let versions = browser.eval(&format!("[...new Set({names})]"));
    serde_json::from_value(versions).unwrap()
}

/// Opens the page and waits until it can be used. Returns the version of all its files.
fn version_opened(browser: &Browser, url: &str) -> String {
    browser.open_anew(url);
    browser.wait_for_text("#phase", "Black to move");
    let versions = versions(browser);
    assert_eq!(versions.len(), 1, "{versions:?}");
    versions[0].clone()
}

/// Looks for a new version, and waits until it is there or cannot be had. Returns whether it was `activated` or
/// `refused`, or if there is `none`. The browser may already be looking for one, because it has opened the page:
/// that ends first.
fn update(browser: &Browser) -> Value {
    browser.eval(
        "window.updated = undefined, \
         void navigator.serviceWorker.ready.then(async registration => { \
           const { active } = registration; \
           let isFound = false; \
           registration.addEventListener('updatefound', () => { isFound = true; }); \
           for (let round = 0; round < 2; round++) { \
             await registration.update().catch(() => {}); \
             const worker = registration.installing ?? registration.waiting; \
             while (worker && !['activated', 'redundant'].includes(worker.state)) { \
               await new Promise(resolve => worker.addEventListener('statechange', resolve, { once: true })); \
             } \
             isFound ||= worker !== null; \
           } \
           window.updated = registration.active !== active ? 'activated' : isFound ? 'refused' : 'none'; \
         })",
    );
    browser.wait_until("window.updated !== undefined");
    browser.eval("window.updated")
}

/// Returns the versions of the page that are kept, in order.
fn kept_versions(browser: &Browser) -> Vec<String> {
    browser.eval(
        "window.keys = undefined, \
         void caches.keys().then(keys => { window.keys = keys.filter(key => key.includes('files-')); })",
    );
    browser.wait_until("window.keys !== undefined");
    let versions = browser.eval("window.keys.map(key => key.split(' ').at(-1)).sort()");
    serde_json::from_value(versions).unwrap()
}

#[test]
#[ignore = "starts Chromium"]
fn the_versions_of_open_pages_are_kept_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let build = |version: u32| build_with(folder.path(), &format!("page += '<!-- {version} -->'"));
    build(1);
    let server = serve(folder.path());
    let browser = Browser::start();
    let first = version_opened(&browser, &server.url);
    wait_until_kept(&browser);
    // The second version is withdrawn.
    for version in [2, 1] {
        build(version);
        assert_ne!(update(&browser), json!("refused"));
        let opened = version_opened(&browser, &server.url);
        assert_eq!(opened == first, version == 1, "{version}");
    }
    // The page that is open goes on with the first one.
    let mut newest = first.clone();
    for version in [3, 4] {
        build(version);
        assert_ne!(update(&browser), json!("refused"));
        let kept = kept_versions(&browser);
        assert!(kept.contains(&first) && kept.len() == 2, "{kept:?}");
        let last = newest;
        newest = kept.into_iter().find(|name| *name != first).unwrap();
        assert_ne!(newest, last, "{version}");
    }
    assert_eq!(version_opened(&browser, &server.url), newest);
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn a_new_version_that_does_not_load_completely_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "page += '<!-- 1 -->'");
    let faulty = FaultyServer::start(folder.path());
    let url = &faulty.server.url;
    let browser = Browser::start();
    let first = version_opened(&browser, url);
    wait_until_kept(&browser);
    let mut last = ("icon-192.png", "503");
    faulty.fail(&[last]);
    build_with(folder.path(), "page += '<!-- 2 -->'");
    for fault in ["503", "redirect", "page"] {
        for part in ["play/tree.js", "play/gothello.tablebase", "icon-192.png"] {
            // A worker that the browser is loading by itself must not get each part between its faults.
            faulty.fail(&[last, (part, fault)]);
            assert_eq!(update(&browser), json!("refused"), "{last:?}");
            last = (part, fault);
            faulty.fail(&[last]);
            assert_eq!(update(&browser), json!("refused"), "{fault}, {part}");
            assert_eq!(kept_versions(&browser).len(), 1, "{fault}, {part}");
        }
        assert_eq!(version_opened(&browser, url), first, "{fault}");
    }
    // Nothing at all comes from the server.
    faulty.fail(&[("/", "page")]);
    assert_eq!(version_opened(&browser, url), first);
    // The browser has what the portal sent, but does not use it.
    faulty.fail(&[]);
    // The browser may have found the new version by itself.
    assert_ne!(update(&browser), json!("refused"));
    assert_ne!(version_opened(&browser, url), first);
    assert_eq!(kept_versions(&browser).len(), 2);
}

#[test]
#[ignore = "starts Chromium"]
fn a_first_visit_with_faults_is_repaired_by_the_next() {
    for fault in ["503", "redirect"] {
        let faulty = FaultyServer::start(site());
        let url = &faulty.server.url;
        let browser = Browser::start();
        faulty.fail(&[("gothello.wasm", fault)]);
        browser.open(url);
        browser.wait_for_text("#status", "The page cannot start");
        // No command can be used until a position is shown.
        let focus = "(document.querySelector('#new-game').focus(), document.activeElement.id)";
        assert_eq!(browser.eval(focus), json!(""));
        browser.press("nzp");
        assert_eq!(browser.count("dialog[open]"), 0);
        // The page tries again by itself.
        faulty.fail(&[]);
        browser.wait_for_text("#phase", "Black to move");
        assert_eq!(browser.eval(focus), json!("new-game"));
        let browser = Browser::start();
        faulty.fail(&[("play/tree.js", fault)]);
        browser.open(url);
        browser.wait_until("document.readyState === 'complete'");
        faulty.fail(&[]);
        version_opened(&browser, url);
        wait_until_kept(&browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn a_version_that_is_used_stays_when_it_does_not_load_again() {
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "page += '<!-- 1 -->'");
    let faulty = FaultyServer::start(folder.path());
    let url = &faulty.server.url;
    let browser = Browser::start();
    version_opened(&browser, url);
    wait_until_kept(&browser);
    // The same version in another service worker.
    let worker = folder.path().join("service-worker.js");
    let text = std::fs::read_to_string(&worker).unwrap();
    std::fs::write(&worker, format!("{text}\n// Another one.\n")).unwrap();
    faulty.fail(&[("icon-192.png", "503")]);
    assert_eq!(update(&browser), json!("refused"));
    assert_eq!(kept_versions(&browser).len(), 1);
}

#[test]
#[ignore = "starts Chromium"]
fn headers_of_the_server_do_not_keep_the_page_from_use_offline() {
    let faulty = FaultyServer::start(site());
    faulty.fail(&[("/", "vary")]);
    let browser = Browser::start();
    let url = faulty.server.url.clone();
    browser.open(&url);
    wait_until_kept(&browser);
    drop(faulty);
    version_opened(&browser, &format!("{url}?embed=board"));
}

#[test]
#[ignore = "starts Chromium"]
fn what_another_page_keeps_is_its_own() {
    let server = serve(site());
    let browser = Browser::start();
    browser.open(&server.url);
    wait_until_kept(&browser);
    browser.eval(
        "void caches.open('another').then(async cache => { \
           await cache.put('data', new Response('kept')); \
           const responses = await Promise.all(['data', 'data?page=2'].map(path => fetch(path))); \
           window.statuses = responses.map(({ status }) => status).join(); })",
    );
    browser.wait_until("window.statuses === '404,404'");
}

/// Lets the page load without what is kept for use offline.
fn without_service_worker(browser: &Browser) {
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "Object.defineProperty(navigator, 'serviceWorker', { value: undefined });"}),
    );
}

#[test]
#[ignore = "starts Chromium"]
fn a_reload_while_the_page_loads_loses_nothing() {
    let faulty = FaultyServer::start(site());
    let browser = Browser::start();
    without_service_worker(&browser);
    browser.open(&format!("{}#explore", faulty.server.url));
    place(&browser, "c3");
    browser.wait_for_text("#phase", "White to move");
    place(&browser, "d3");
    browser.wait_for_text("#phase", "Black to move");
    browser.click("#back");
    browser.wait_for_text("#phase", "White to move");
    place(&browser, "b2");
    browser.wait_for_text("#moves", "b2");
    for _ in 0..2 {
        faulty.fail(&[("gothello.wasm", "503")]);
        browser.reload();
        browser.wait_for_text("#status", "The page cannot start");
    }
    faulty.fail(&[]);
    browser.reload();
    browser.wait_for_text("#moves", "d3");
    browser.wait_for_text("#moves", "b2");
}

#[test]
#[ignore = "starts Chromium"]
fn what_is_stored_in_another_shape_is_ignored() {
    let server = serve(site());
    let browser = Browser::start();
    browser.open(&format!("{}#explore&moves=c3", server.url));
    browser.wait_for_text("#phase", "White to move");
    // The page stores what it shows when it is left; what a test stores is there when it is loaded again.
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "if (window.name) { \
            sessionStorage.clear(); \
            for (const [key, value] of Object.entries(JSON.parse(window.name))) { \
              sessionStorage.setItem(key, JSON.stringify(value)); } \
            window.name = ''; }"}),
    );
    let reload_with = |stored: Value| {
        browser.eval(&format!(
            "void (window.name = {})",
            json!(stored.to_string())
        ));
        browser.reload();
        browser.wait_until("window.name === ''");
        browser.wait_for_text("#phase", "White to move");
    };
    let entry = |tree: Value| {
        let mut whole = json!({
            "rules": null, "start": "...../...../...../...../..... b", "moves": [[0, "c3"], [1, "b2"]],
            "shown": ["c3"], "headers": null, "resultOf": "c3", "isFromFile": false, "isPlayed": false,
            "last": null, "view": "explore",
        });
        whole
            .as_object_mut()
            .unwrap()
            .extend(tree.as_object().unwrap().clone());
        let players = json!({"black": "person", "white": "1"});
        let game = json!({"players": players, "pace": 600, "end": null, "hadClocks": false});
        json!({"by": "link", "kind": "gothello", "tree": whole, "game": game})
    };
    let undo = "document.querySelector('#undo').checkVisibility()";
    // In this shape it is used.
    reload_with(json!({
        "gothello-tree": entry(json!({})), "gothello-shelf": {"earlier": [entry(json!({}))], "later": []},
    }));
    browser.wait_for_text("#moves", "b2");
    assert_eq!(browser.eval(undo), json!(true));
    let note = |note: Value| json!({"headers": {"notes": {"c3": note}}});
    let trees = [
        json!({"moves": [5]}),
        json!({"moves": [[3, "c3"]]}),
        json!({"moves": [[0, 5]]}),
        json!({"moves": null}),
        json!({"start": null}),
        json!({"shown": "c3"}),
        json!({"last": 1}),
        json!({"view": "chess"}),
        note(json!(null)),
        note(json!({"comment": "without marks"})),
        note(json!({"comment": "", "marks": [null]})),
    ];
    let mut entries: Vec<Value> = trees.into_iter().map(entry).collect();
    for (key, value) in [
        ("kind", json!("chess")),
        ("tree", json!(null)),
        ("game", json!(null)),
        ("game", json!({})),
    ] {
        let mut other = entry(json!({}));
        other[key] = value;
        entries.push(other);
    }
    entries.extend([json!({"kind": "gothello"}), json!(7), json!(null)]);
    let shelves = [
        json!({"earlier": entries, "later": 1}),
        json!([1]),
        json!(null),
    ];
    let shown = entries.iter().map(|tree| json!({"gothello-tree": tree}));
    let game = |key: &str, value: Value| {
        let times = json!({"black": 60_000, "white": 60_000});
        let mut game = json!({
            "players": {"black": "person", "white": "person"}, "seconds": 60, "increment": 0, "pace": 600,
            "line": {"rules": null, "moves": ["c3"]}, "left": times, "leftAfter": [times, times],
            "increased": 0, "ended": null, "running": null, "since": null,
        });
        game[key] = value;
        json!({"gothello-game": game})
    };
    let games = [
        game("players", json!({"black": "person"})),
        game("seconds", json!(null)),
        game("increment", json!("1")),
        game("line", json!({"rules": null, "moves": [5]})),
        game("left", json!(null)),
        game("leftAfter", json!([{}])),
        game("ended", json!({"color": "red", "how": "time", "moves": ""})),
        game("running", json!("red")),
        game("running", json!("black")),
        json!({"gothello-game": 5}),
    ];
    let shelves = shelves.map(|shelf| json!({"gothello-shelf": shelf}));
    for stored in shown.chain(shelves).chain(games) {
        reload_with(stored.clone());
        // Only the moves of the address are there.
        assert_eq!(moves(&browser), "1.c3", "{stored}");
        assert_eq!(browser.eval(undo), json!(false), "{stored}");
        // Links lead to other positions.
        browser.eval("void (location.hash = '#explore&moves=d3')");
        browser.wait_for_text("#phase", "Black d3. White to move");
        browser.click("#undo");
        browser.wait_for_text("#phase", "Black c3. White to move");
        assert_eq!(browser.console(), Vec::<String>::new(), "{stored}");
    }
    // A whole game goes on.
    reload_with(game("pace", json!(600)));
    browser.wait_until("document.querySelector('#timed').checkVisibility()");
}

/// Reads a file of JavaScript on the page, after something else was done.
fn read(browser: &Browser, before: &str, file: &str) -> String {
    browser.eval(&format!(
        "(window.outcome = undefined, void (async () => {{ \
           const script = document.querySelector('script[src]').src; \
           const {{ read }} = await import(script.replace('app.js', 'files.js')); \
           {before}; \
           window.outcome = await read({file}).then(({{ type }}) => type, ({{ message }}) => message); \
         }})())"
    ));
    browser.wait_until("window.outcome !== undefined");
    browser.eval("window.outcome").as_str().unwrap().to_owned()
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_that_is_too_large_is_refused() {
    let server = serve(site());
    let browser = Browser::start();
    browser.open(&server.url);
    browser.wait_for_text("#phase", "Black to move");
    let large = "new Blob(Array(7).fill('('.repeat(1e7)))";
    assert_eq!(
        read(&browser, "", large),
        "a file has at most 67108864 bytes"
    );
    let nested = "new Blob(Array(6).fill('('.repeat(1e7)))";
    assert_eq!(
        read(&browser, "", nested),
        "the game is longer than 4194304 bytes"
    );
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_is_read_or_refused_when_the_worker_fails() {
    let server = serve(site());
    let browser = Browser::start();
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "const Original = Worker; window.workers = []; \
            window.Worker = class extends Original { \
              constructor(...parts) { super(...parts); window.workers.push(this); } \
              postMessage(message) { \
                super.postMessage(window.fails && message.bytes ? { id: -1, to: null } : message); } };"}),
    );
    browser.open(&server.url);
    browser.wait_for_text("#phase", "Black to move");
    let file = "new Blob(['(;SZ[5];B[cc])'])";
    // It fails with the file: no worker reads a message without a destination.
    let refused = read(&browser, "window.fails = true", file);
    assert_eq!(
        refused,
        "the program that reads and writes files has failed"
    );
    browser.eval("void (window.fails = false)");
    let fail = "window.workers.at(-1).postMessage({ id: -1, to: null })";
    // When the failure is known, the next worker is not there.
    let known = "while (document.querySelector('#status').textContent === '') \
                 await new Promise(resolve => setTimeout(resolve, 5))";
    for (wait, is_known) in [("", false), (known, true)] {
        browser.wait_until("document.querySelector('#status').textContent === ''");
        let outcome = read(&browser, &format!("{fail}; {wait}"), file);
        assert!(
            outcome == "tree" || !is_known && outcome == refused,
            "{outcome}"
        );
    }
}

#[test]
#[ignore = "starts Chromium"]
fn a_page_that_may_store_nothing_is_played() {
    let server = serve(site());
    let browser = Browser::start();
    // No engine answers the moves.
    let url = format!("{}#explore", server.url);
    let limit = |bytes: Option<u32>| {
        let origin = server.url.trim_end_matches('/');
        let params = match bytes {
            Some(bytes) => json!({"origin": origin, "quotaSize": bytes}),
            None => json!({"origin": origin}),
        };
        browser.devtools("Storage.overrideQuotaForOrigin", params);
    };
    browser.open(&url);
    limit(Some(100_000));
    browser.wait_for_text("#phase", "Black to move");
    browser.eval(
        "void navigator.serviceWorker.register('service-worker.js').then(({ active, installing }) => { \
           window.end = active?.state ?? (installing ? null : 'redundant'); \
           installing?.addEventListener('statechange', () => { window.end = installing.state; }); \
         })",
    );
    browser.wait_until("['activated', 'redundant'].includes(window.end)");
    assert_eq!(browser.eval("window.end"), json!("redundant"));
    place(&browser, "c3");
    assert_eq!(kept_versions(&browser).len(), 0);
    assert_eq!(
        browser.eval("navigator.serviceWorker.controller"),
        json!(null)
    );
    limit(None);
    version_opened(&browser, &url);
    wait_until_kept(&browser);
    // What is kept may be removed by the browser or a person.
    browser.eval("void caches.keys().then(keys => Promise.all(keys.map(key => caches.delete(key)))).then(() => { window.isEmpty = true; })");
    browser.wait_until("window.isEmpty === true");
    version_opened(&browser, &url);
    // The page may not even ask for what it has stored.
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "for (const name of ['localStorage', 'sessionStorage', 'caches']) { \
            Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } }); }"}),
    );
    version_opened(&browser, &url);
    place(&browser, "c3");
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
    browser.reload();
    are_known();
    wait_until_kept(&browser);
    browser.reload();
    are_known();
    browser.wait_until(
        "(caches.match('gothello.tablebase').then(kept => { window.isKept = kept !== undefined; }), \
         window.isKept === true)",
    );
    drop(server);
    browser.open_anew(&url);
    are_known();
    assert_eq!(browser.console(), Vec::<String>::new());
}

#[test]
#[ignore = "starts Chromium"]
fn a_tablebase_that_is_none_is_refused_with_a_reason() {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/solving/tablebase");
    let whole = std::fs::read(built_in.join("gothello.tablebase")).unwrap();
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "files['play/gothello.tablebase'] = b''");
    let faulty = FaultyServer::start(folder.path());
    let url = format!("{}#explore", faulty.server.url);
    for (bytes, reason) in [
        (&whole[..whole.len() / 2], "the file is damaged, or"),
        (&changed, "its checksum is wrong"),
        (b"something else", "it does not begin with"),
        (b"", "it does not begin with"),
    ] {
        std::fs::write(folder.path().join("gothello.tablebase"), bytes).unwrap();
        let browser = Browser::start();
        browser.open(&url);
        browser.wait_for_text(
            "#notices",
            "The file gothello.tablebase beside the page is not used",
        );
        browser.wait_for_text("#notices", reason);
        place(&browser, "c3");
    }
    let known = "Black wins by 3 under best play";
    std::fs::write(folder.path().join("gothello.tablebase"), &whole).unwrap();
    let browser = Browser::start();
    browser.open(&url);
    browser.wait_for_text("#value", known);
    wait_until_kept(&browser);
    version_opened(&browser, &url);
    browser.wait_for_text("#value", known);
    browser.wait_until(
        "(caches.match('gothello.tablebase').then(kept => { window.isKept = kept !== undefined; }), \
         window.isKept === true)",
    );
    // It is loaded only once.
    let statuses = || {
        browser.eval(
            "(window.log = undefined, \
              void fetch('/log').then(response => response.text()).then(log => { window.log = log; }))",
        );
        browser.wait_until("window.log !== undefined");
        let log = browser.eval("window.log");
        let log = log.as_str().unwrap().to_owned();
        let lines = log
            .lines()
            .filter_map(|line| line.strip_prefix("/gothello.tablebase "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = statuses().len();
    for visit in 1..=2 {
        version_opened(&browser, &url);
        browser.wait_for_text("#value", known);
        let is_asked = || (statuses().len() >= before + visit).then_some(());
        assert!(Deadline::within(PATIENCE).find(is_asked).is_some());
    }
    assert_eq!(statuses()[before..], ["304", "304"]);
    // A network that does not answer is not waited for.
    faulty.fail(&[("/gothello.tablebase", "hang")]);
    version_opened(&browser, &url);
    browser.wait_for_text("#value", known);
    // What a portal sends does not take its place, and is not spoken of.
    for fault in ["503", "redirect", "page"] {
        faulty.fail(&[("/gothello.tablebase", fault)]);
        version_opened(&browser, &url);
        browser.wait_for_text("#value", known);
        assert_eq!(browser.text("#notices"), "", "{fault}");
        let browser = Browser::start();
        version_opened(&browser, &url);
        place(&browser, "c3");
        assert_eq!(browser.text("#notices"), "", "{fault}");
    }
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
    browser.reload();
    browser.wait_for_text("#phase", "Black to move");
    browser.click("[data-point=c3]");
    // The engine has answered.
    browser
        .wait_until("/^White .* Black to move/.test(document.querySelector('#phase').textContent)");
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

#[test]
#[ignore = "starts Chromium"]
fn a_page_that_is_taken_down_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    build_with(folder.path(), "");
    let server = serve(folder.path());
    let browser = Browser::start();
    browser.open(&server.url);
    wait_until_kept(&browser);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => std::fs::remove_dir_all(path).unwrap(),
            false => std::fs::remove_file(path).unwrap(),
        }
    }
    std::fs::write(folder.path().join("index.html"), "The course is over").unwrap();
    browser.open_anew(&server.url);
    browser.wait_until("document.body.textContent.includes('The course is over')");
    browser.eval(
        "setInterval(async () => { \
           const [names, registrations] = await Promise.all([caches.keys(), navigator.serviceWorker.getRegistrations()]); \
           window.kept = names.length + registrations.length; }, 50)",
    );
    browser.wait_until("window.kept === 0");
}

#[test]
#[ignore = "starts Chromium"]
fn a_page_that_cannot_start_says_what_to_do() {
    let browser = Browser::start();
    browser.open(&format!("file://{}", site().join("index.html").display()));
    browser.wait_until(
        "document.querySelector('#not-started').checkVisibility({ visibilityProperty: true })",
    );
    let server = serve(site());
    browser.open(&server.url);
    browser.wait_for_text("#phase", "to move");
    assert_eq!(browser.count("#not-started"), 0);
    let refused =
        "window.Worker = class { constructor() { throw new Error('it may not compute'); } };";
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": refused}),
    );
    browser.open_anew(&server.url);
    browser.wait_for_text("#status", "The page cannot start: it may not compute.");
}

#[test]
#[ignore = "starts Chromium"]
fn a_tablebase_that_does_not_arrive_holds_up_no_search() {
    let faulty = FaultyServer::start(site());
    faulty.fail(&[("play/gothello.tablebase", "hang")]);
    let browser = Browser::start();
    let start = "#explore&start=bbbbw/bbbbw/bbbw./bbbww/bw.ww_w";
    browser.open(&format!("{}{start}", faulty.server.url));
    browser.wait_for_text("#value", "under best play");
}
