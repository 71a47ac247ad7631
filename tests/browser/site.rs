//! The page that needs no server, in a folder and in one file. The tests of `play.rs` are about it, too, if the
//! variable `GOTHELLO_SITE` is set.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::chromium::Browser;
use crate::play::place;
use crate::play_server::PlayServer;
use crate::waiting::Pipe;

/// Returns the folder of the page, which is built as the guide says.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = source.join("target/site");
        let mut build = Command::new(source.join("wasm/build"));
        // What Cargo tells this test is not about the other package.
        for name in ["CARGO", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"] {
            build.env_remove(name);
        }
        assert!(build.arg(&folder).status().unwrap().success());
        folder
    })
}

/// Serves the files of the page, and nothing else.
pub fn serve() -> PlayServer {
    let options = [
        "-u",
        "-m",
        "http.server",
        "0",
        "--bind",
        "127.0.0.1",
        "--directory",
    ];
    let mut child = Command::new("python3")
        .args(options)
        .arg(site())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Serving HTTP on 127.0.0.1 port 40000 (http://127.0.0.1:40000/) ...
    let told = Pipe::new(child.stdout.take().unwrap()).line("the address of the files");
    let told = told.expect("an address");
    let (_, url) = told.split_once('(').unwrap();
    let url = url.split(')').next().unwrap().to_owned();
    PlayServer { child, url }
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
