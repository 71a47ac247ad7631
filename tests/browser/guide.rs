//! The site of the guide and the page to play, built with one command from an empty folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::chromium::Browser;
use crate::play::place;
use crate::static_site::{serve, site};
use crate::waiting::OutputInTime;

/// The pages of the guide with boards.
const PAGES: [&str; 4] = ["index.html", "rules.html", "solving.html", "results.html"];

#[test]
fn a_folder_with_something_else_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("print.html");
    fs::write(&notes, "<title>Notes</title>").unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut build = Command::new(source.join("docs/build"));
    let output = build.arg(folder.path()).output_in_time();
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("that no build has written") && told.lines().count() == 1,
        "{told}"
    );
    assert!(notes.exists());
}

#[test]
#[ignore = "starts Chromium, and needs mdBook"]
fn readers_play_on_the_boards_of_the_guide() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The module is compiled once.
    site();
    let parent = tempfile::tempdir().unwrap();
    let installed = source.join("target/mdbook/bin");
    let path = format!("{}:{}", installed.display(), std::env::var("PATH").unwrap());
    // A part of a site.
    let folder = parent.path().join("gothello");
    let build = || {
        let mut build = Command::new(source.join("docs/build"));
        for name in ["CARGO", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"] {
            build.env_remove(name);
        }
        let status = build.env("PATH", &path).arg(&folder).status().unwrap();
        assert!(status.success());
    };
    build();
    // When it is built again, a larger tablebase stays.
    let tablebase = folder.join("board/gothello.tablebase");
    fs::write(&tablebase, "larger").unwrap();
    build();
    assert_eq!(fs::read_to_string(&tablebase).unwrap(), "larger");
    fs::remove_file(&tablebase).unwrap();
    let server = serve(parent.path());
    let browser = Browser::start();
    browser.resize(1366, 900);
    let mut boards = Vec::new();
    for page in PAGES {
        browser.open(&format!("{}gothello/{page}", server.url));
        let frames =
            browser.eval("[...document.querySelectorAll('iframe.gothello')].map(it => it.src)");
        let frames = frames.as_array().unwrap().clone();
        assert!(!frames.is_empty(), "{page}");
        boards.extend(frames);
        // Other boards wait until they are asked for.
        browser.eval("void document.querySelector('iframe.gothello').scrollIntoView()");
        browser.switch_to_frame(Some("iframe.gothello"));
        browser.wait_for_text("#phase", "to move");
        match page {
            "rules.html" => {
                browser.click("[data-point=b3]");
                browser.wait_for_text("#phase", "Black b3, 2 flipped");
            }
            "results.html" => browser.wait_for_text("#value", "Black wins by 3"),
            "solving.html" => browser.wait_for_text("#value", "best move c2"),
            _ => place(&browser, "c3"),
        }
        browser.switch_to_frame(None);
    }
    browser.click("details summary");
    browser.switch_to_frame(Some("details iframe"));
    browser.wait_for_text("#value", "Black wins by 24");
    browser.switch_to_frame(None);
    assert_eq!(browser.console(), Vec::<String>::new());
    // Every address is one of a position.
    for board in boards {
        let board = board.as_str().unwrap();
        browser.open_anew(board);
        browser.wait_for_text("#phase", "to move");
        let shown = browser.eval("location.href");
        assert_eq!(shown, json!(board));
        assert_eq!(browser.count("#notices > *"), 0, "{board}");
    }
}
