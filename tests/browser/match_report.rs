//! The page of `gothello match report --html` in a real browser.

use std::process::Command;
use std::time::SystemTime;

use gothello::go::Komi;
use gothello::matches::{EventResultsFile, EventSettings, GameRecord, GameSettings};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::chromium::{Browser, Key};
use crate::event::{five, two, with_failures, write};
use crate::executable::executable;
use crate::play::{axe, found_by_axe};
use crate::waiting::OutputInTime;

/// The reports on two and on five players, in a folder, and a browser.
fn pages() -> (TempDir, Browser) {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("two.jsonl"), &two(), |_| {});
    write(&folder.path().join("five.jsonl"), &five(), with_failures);
    for name in ["two", "five"] {
        report(
            &folder,
            &["--html", &format!("{name}.html"), &format!("{name}.jsonl")],
        );
    }
    let browser = Browser::start();
    browser.resize(1440, 900);
    (folder, browser)
}

fn report(folder: &TempDir, arguments: &[&str]) -> String {
    let output = Command::new(executable())
        .args(["match", "report"])
        .args(arguments)
        .current_dir(folder)
        .output_in_time();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn open(folder: &TempDir, browser: &Browser, name: &str) {
    let path = folder.path().join(name).with_extension("html");
    browser.open(&format!("file://{}", path.display()));
    browser.wait_for_text("#summary", "games");
    // The plots are drawn after the text.
    browser.wait_until(
        "[...document.querySelectorAll('svg[role=img]')] \
         .every(plot => !plot.checkVisibility() || plot.childElementCount > 0)",
    );
}

/// Checks that the console is empty, and that the page asked for nothing but itself.
fn check(browser: &Browser) {
    assert_eq!(browser.console(), Vec::<String>::new());
    for request in browser.requests() {
        assert!(
            request.starts_with("file:") && request.ends_with(".html"),
            "{request}"
        );
    }
}

#[test]
#[ignore = "starts Chromium"]
fn tables_and_plots_show_what_the_text_says() {
    let (folder, browser) = pages();
    open(&folder, &browser, "five");
    let json: Value = serde_json::from_str(&report(&folder, &["--json", "five.jsonl"])).unwrap();
    assert_eq!(
        browser.text("#summary").split(" · ").next(),
        Some("59 of 60 games")
    );
    let rows = |title: &str| {
        let section = format!(
            "[...document.querySelectorAll('section')].find(section => section.querySelector('h2')?.textContent === '{title}')"
        );
        browser.eval(&format!(
            "[...{section}.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
        ))
    };
    let players = rows("Players");
    for (row, player) in players
        .as_array()
        .unwrap()
        .iter()
        .zip(json["players"].as_array().unwrap())
    {
        assert_eq!(row[1], player["name"]);
        let [rating, error] = ["rating", "rating_error"].map(|key| player[key].as_f64().unwrap());
        assert_eq!(row[2], format!("{rating:+.1} ± {error:.1}"));
    }
    assert_eq!(rows("Strength").as_array().unwrap().len(), 10);
    assert_eq!(browser.count(".cross .heat"), 20);
    // All pairs of the first two players ended alike: their Elo is not known.
    assert_eq!(browser.count(".plot .curve"), 0);
    assert!(browser.text(".readout").ends_with(" after 6 games: –"));
    // A failure with the last lines of the program.
    browser.click(".failures summary");
    assert!(
        browser
            .text(".failures pre")
            .contains("segmentation fault </script>")
    );
    // The curve of the chosen players.
    let before = browser.text(".readout");
    let choose = "(() => { const select = document.querySelector('.panel > select'); \
                  select.value = '1'; select.dispatchEvent(new Event('change')); })()";
    browser.eval(choose);
    assert_ne!(browser.text(".readout"), before);
    assert_eq!(browser.count(".plot .curve"), 1);
    open(&folder, &browser, "two");
    assert_eq!(browser.count(".plot .bound"), 2);
    assert_eq!(browser.count(".cross"), 0);
    check(&browser);
}

#[test]
#[ignore = "starts Chromium"]
fn games_are_played_through() {
    let (folder, browser) = pages();
    open(&folder, &browser, "five");
    let stones = || browser.count(".replay-board [href^='#disc-']");
    browser.click("[aria-label='First position']");
    assert_eq!((browser.text(".ply"), stones()), ("Start".into(), 0));
    browser.click("[aria-label='Move forward']");
    assert_eq!(stones(), 1);
    assert!(
        browser.text(".ply").ends_with("Black c3, opening"),
        "{}",
        browser.text(".ply")
    );
    browser.press(&char::from(Key::Left).to_string());
    assert_eq!(stones(), 0);
    browser.click("[aria-label='Last position']");
    assert!(stones() > 10);
    // The game that a crash lost.
    let choose = "(() => { const select = document.querySelector('[aria-label=\"Ended by\"]'); \
                  select.value = 'crash'; select.dispatchEvent(new Event('change')); })()";
    browser.eval(choose);
    assert_eq!(browser.count(".games tbody tr"), 1);
    assert!(browser.text(".game-title").contains("signal 11"));
    check(&browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_of_go_is_shown_as_it_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let settings = EventSettings {
        game: GameSettings::Go {
            size: 3,
            komi: Komi::from_halves(15),
            superko: true,
            scorer: None,
        },
        openings: Vec::new(),
        ..two()
    };
    let game = json!({
        "id": "x-1", "number": 1, "round": 1, "pair": 1, "players": {"black": "Ann", "white": "Bob"},
        "winner": "black", "result": "B+1.5", "verdict": "count",
        "scoring": {"by": "players", "dead": ["A1"]},
        "setup": {"black": ["C3"], "to_move": "white"},
        "moves": ["A1", "A2", "pass", "C1", "pass", "pass"], "times": [1, 1, 1, 1, 1, 1],
        "began": "2026-11-23T04:05:06Z", "seconds": 0.1,
    });
    let game: GameRecord = serde_json::from_value(game).unwrap();
    let path = folder.path().join("go.jsonl");
    let mut opened = EventResultsFile::open(&path, &settings, SystemTime::UNIX_EPOCH).unwrap();
    opened.file.record([&game]).unwrap();
    report(&folder, &["--html", "go.html", "go.jsonl"]);
    let browser = Browser::start();
    browser.resize(1440, 900);
    open(&folder, &browser, "go");
    // The count comes after the last move.
    assert_eq!(
        browser.text(".ply"),
        "The count: A1 is dead, as each player says"
    );
    let count = |shape: &str| browser.count(&format!(".replay-board [href='#{shape}']"));
    assert_eq!(
        [count("stone-B"), count("stone-W"), count("mark-b")],
        [3, 0, 6]
    );
    browser.click("[aria-label='Move back']");
    let text = browser.text(".ply");
    assert!(text.starts_with("Move 6 of 6: Black pass"), "{text}");
    assert_eq!(
        [count("stone-B"), count("stone-W"), count("mark-b")],
        [3, 1, 0]
    );
    browser.click("[aria-label='First position']");
    assert_eq!([count("stone-B"), count("stone-W")], [1, 0]);
    browser.click("[aria-label='Move forward']");
    let text = browser.text(".ply");
    assert!(text.starts_with("Move 1 of 6: White A1"), "{text}");
    // The names of points are those of GTP, on all sides.
    let labels =
        "[...document.querySelectorAll('.replay-board .label')].map(n => n.textContent).join(' ')";
    assert_eq!(browser.eval(labels), "3 3 2 2 1 1 A A B B C C");
    check(&browser);
}

#[test]
#[ignore = "starts Chromium, and needs axe-core"]
fn everybody_can_read_the_report() {
    let axe = axe();
    let (folder, browser) = pages();
    for name in ["two", "five"] {
        open(&folder, &browser, name);
        for theme in ["light", "dark"] {
            browser.set_system_theme(theme);
            for width in [390, 1440, 2560] {
                browser.resize(width, 900);
                let is_wide = format!("document.documentElement.scrollWidth > {width}");
                assert_eq!(browser.eval(&is_wide), json!(false), "{width} {name}");
                let found = found_by_axe(&browser, &axe);
                assert_eq!(found, json!([]), "{theme} {width} {name}");
            }
        }
    }
    check(&browser);
}
