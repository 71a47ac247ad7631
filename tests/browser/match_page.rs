//! The page of `gothello match --http` in a real browser.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::chromium::Browser;
use crate::executable::executable;
use crate::play::{axe, found_by_axe};
use crate::waiting::Pipe;

/// A match that runs until this is dropped.
struct Match {
    child: Child,
    page: String,
    _folder: TempDir,
}

impl Match {
    /// Starts a match between slow engines.
    fn start() -> Match {
        let folder = tempfile::tempdir().unwrap();
        let program = executable();
        let engine = format!(
            "while read -r line; do case $line in *genmove*) sleep 0.1;; esac; echo \"$line\"; \
             done | {program} gtp --level 1 --seed 1"
        );
        fs::write(folder.path().join("engine.sh"), engine).unwrap();
        let mut command = Command::new(program);
        command.arg("match").current_dir(&folder);
        for name in [
            "an-engine-with-a-name-that-is-long",
            "\u{643}\u{62a}\u{627}\u{628}",
        ] {
            command.args(["--player", &format!("{name}=sh engine.sh")]);
        }
        command.args([
            "--player",
            "c=builtin:level=2",
            "--games",
            "2000",
            "--time",
            "60+1",
        ]);
        command.args([
            "--openings",
            "balanced:5",
            "--seed",
            "1",
            "--concurrency",
            "2",
        ]);
        command.args(["--http", "0"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The rest is read, so that the match can go on writing.
        let mut lines = Pipe::new(child.stderr.take().unwrap());
        lines.take_to("watch at ");
        let page = lines.line("the address of the page");
        Match {
            child,
            page: page.unwrap(),
            _folder: folder,
        }
    }
}

impl Drop for Match {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "starts Chromium, and needs axe-core"]
fn an_event_is_watched() {
    let axe = axe();
    let event = Match::start();
    let browser = Browser::start();
    browser.resize(1440, 900);
    browser.open(&event.page);
    let stones = "document.querySelectorAll('#board [href^=\"#disc-\"]').length";
    // The opening has five stones.
    browser.wait_until(&format!("{stones} > 6"));
    // The moves can be looked at again, while the game goes on.
    browser.click("#first");
    browser.wait_until(&format!("{stones} === 0"));
    browser.click("#live");
    browser.wait_until(&format!("{stones} > 6"));
    browser.wait_for_text("#finished", "Game ");
    browser.wait_for_text("#standings", "an-engine-with-a-name-that-is-long");
    let hidden = "['people-panel', 'log-panel'].every(id => document.getElementById(id).hidden)";
    assert_eq!(browser.eval(hidden), json!(true));
    for theme in ["light", "dark"] {
        browser.set_system_theme(theme);
        for width in [390, 1440, 2560] {
            browser.resize(width, 900);
            let is_wide = format!("document.documentElement.scrollWidth > {width}");
            assert_eq!(browser.eval(&is_wide), json!(false), "{width}");
            let found = found_by_axe(&browser, &axe);
            assert_eq!(found, json!([]), "{theme} {width}");
        }
    }
    assert_eq!(browser.console(), Vec::<String>::new());
}
