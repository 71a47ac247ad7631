//! Boards in frames of other pages.

use serde_json::json;
use tempfile::TempDir;

use crate::chromium::Browser;
use crate::play::{hash, place};
use crate::play_server::PlayServer;
use crate::static_site::{serve, site};

/// A page of another site with two boards of the page at this address.
struct Host {
    folder: TempDir,
    server: PlayServer,
}

impl Host {
    fn start() -> Host {
        let folder = tempfile::tempdir().unwrap();
        let server = serve(folder.path());
        Host { folder, server }
    }

    /// The origin of the page.
    fn origin(&self) -> &str {
        self.server.url.trim_end_matches('/')
    }

    /// Opens the page with its two boards.
    fn open(&self, browser: &Browser, page: &str, size: (u32, u32)) {
        browser.open(&self.written(page, size, &self.server.url));
    }

    /// Opens the same page from the disk.
    fn open_from_disk(&self, browser: &Browser, page: &str, size: (u32, u32)) {
        let folder = format!("file://{}/", self.folder.path().display());
        browser.open(&self.written(page, size, &folder));
    }

    fn written(&self, page: &str, (width, height): (u32, u32), folder: &str) -> String {
        let frame = |id: &str, query: &str| {
            format!(
                "<iframe id=\"{id}\" src=\"{page}{query}\" width=\"{width}\" height=\"{height}\"></iframe>\n"
            )
        };
        let text = format!(
            "<!doctype html><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\">\n{}{}",
            frame("board", "?embed=board"),
            frame("values", "?embed=values#explore&moves=c3,c4")
        );
        std::fs::write(self.folder.path().join("index.html"), text).unwrap();
        // The browser may keep a file that is written again in the same second.
        format!("{folder}index.html?{page}+{width}x{height}")
    }
}

pub fn is_visible(browser: &Browser, selector: &str) -> bool {
    browser.eval(&format!(
        "document.querySelector('{selector}').checkVisibility()"
    )) == json!(true)
}

/// Checks that all is in the frame.
fn check_room(browser: &Browser, name: &str) {
    let size = browser.eval(
        "[document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight, \
         innerWidth, innerHeight, document.documentElement.scrollHeight]",
    );
    assert_eq!(
        (&size[0], &size[1]),
        (&json!(true), &json!(true)),
        "{name}: {size}"
    );
    let board = browser.eval("document.querySelector('.play-board').offsetWidth");
    assert!(board.as_u64().unwrap() >= 200, "{name}: {board}");
}

/// Plays on both boards of the page that is open.
fn play_on_both(browser: &Browser, name: &str) {
    let entries = browser.eval("history.length");
    browser.switch_to_frame(Some("#board"));
    browser.wait_for_text("#phase", "Black to move");
    // A click makes a move of either player.
    place(browser, "c3");
    place(browser, "d3");
    assert_eq!(hash(browser), "#explore&moves=c3,d3");
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert!(!is_visible(browser, "#value-row"));
    for hidden in [".top", ".seats", "#copy-link", "#moves", "#switches"] {
        assert!(!is_visible(browser, hidden), "{name}: {hidden}");
    }
    browser.click("#back");
    browser.wait_for_text("#phase", "Black c3. White to move");
    let whole = browser.eval("document.querySelector('.whole').href");
    let whole = whole.as_str().unwrap();
    assert!(whole.ends_with("#explore&moves=c3"), "{whole}");
    assert!(!whole.contains("embed"), "{whole}");
    check_room(browser, name);
    browser.switch_to_frame(None);
    browser.switch_to_frame(Some("#values"));
    // The other board has its own position and switches.
    browser.wait_for_text("#phase", "White c4. Black to move");
    browser.wait_for_text("#value", "Black wins by 3 under best play · 2 best moves");
    check_room(browser, name);
    place(browser, "b2");
    browser.wait_for_text("#value", "Black wins by 3 under best play");
    browser.switch_to_frame(None);
    assert_eq!(browser.eval("history.length"), entries, "{name}");
    assert_eq!(browser.console(), Vec::<String>::new(), "{name}");
}

#[test]
#[ignore = "starts Chromium"]
fn other_pages_embed_boards() {
    let host = Host::start();
    let server = PlayServer::start(&["--threads", "1", "--embed-in", host.origin()]);
    let files = serve(site());
    let one_file = format!("{}gothello.html", files.url);
    let browser = Browser::start();
    browser.resize(1366, 900);
    for page in [&server.url, &files.url, &one_file] {
        for size in [(700, 340), (320, 460)] {
            host.open(&browser, page, size);
            play_on_both(&browser, &format!("{page} {size:?}"));
            browser.screenshot(&format!("embed-{}", size.0));
        }
    }
    let on_disk = format!("file://{}", site().join("gothello.html").display());
    host.open_from_disk(&browser, &on_disk, (700, 340));
    play_on_both(&browser, "a file");
}

#[test]
#[ignore = "starts Chromium"]
fn boards_fit_in_frames_of_any_width() {
    let host = Host::start();
    let files = serve(site());
    let browser = Browser::start();
    browser.resize(1366, 900);
    for width in (320..=760).step_by(40) {
        for (height, frame, value) in [(340, "#board", ""), (460, "#values", "under best play")] {
            host.open(&browser, &files.url, (width, height));
            browser.switch_to_frame(Some(frame));
            browser.wait_for_text("#phase", "Black to move");
            browser.wait_for_text("#value", value);
            check_room(&browser, &format!("{frame} {width}"));
            browser.switch_to_frame(None);
        }
    }
}

#[test]
#[ignore = "starts Chromium"]
fn pages_of_other_origins_do_not_embed_the_page_of_a_server() {
    let host = Host::start();
    let server = PlayServer::start(&["--threads", "1"]);
    let browser = Browser::start();
    host.open(&browser, &server.url, (700, 340));
    browser.switch_to_frame(Some("#board"));
    browser.wait_until("document.readyState === 'complete'");
    assert_eq!(browser.count("#board"), 0);
    browser.switch_to_frame(None);
    let told = browser.console().join("\n");
    assert!(told.contains("frame-ancestors 'self'"), "{told}");
}

#[test]
#[ignore = "starts Chromium"]
fn a_frame_leaves_no_trace() {
    let files = serve(site());
    let browser = Browser::start();
    browser.open(&format!("{}?embed=board#explore&moves=c3", files.url));
    browser.wait_for_text("#phase", "White to move");
    place(&browser, "d3");
    browser.press("lvd");
    browser.wait_for_text("#value", "under best play");
    browser.eval(
        "void navigator.serviceWorker.getRegistrations() \
         .then(({ length }) => { window.registered = length; })",
    );
    browser.wait_until("window.registered !== undefined");
    assert_eq!(browser.eval("window.registered"), json!(0));
    assert_eq!(browser.console(), Vec::<String>::new());
    browser.open_anew(&files.url);
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(
        browser.eval("document.querySelector('#undo').hidden"),
        json!(true)
    );
    assert_eq!(browser.eval("localStorage.length"), json!(0));
}
