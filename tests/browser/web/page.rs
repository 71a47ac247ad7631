//! The page in a real browser: for spectators, on every screen.

use std::time::{Duration, SystemTime};

use gothello::pages::web::{Feed, Finished, Limits, TableStatus, TableView};
use serde_json::json;

use crate::chromium::{Browser, Key};
use crate::web::follow::pass_a_minute;
use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;

/// A contest, its server, and a browser that shows it.
pub fn scene(organizer: bool) -> (Feed, PageServer, Browser) {
    let feed = feed(20);
    scenes::contest(&feed);
    let server = PageServer::open(&feed);
    let browser = Browser::start();
    browser.resize(1366, 900);
    browser.open(&if organizer {
        server.organizer_url()
    } else {
        server.url()
    });
    browser.wait_for_text("#status", "live");
    browser.wait_for_text("#table-title", "Table 1");
    // Counts the commands whose responses the page has.
    browser.eval(
        "(real => { window.answers = 0; window.fetch = async (...all) => { \
           try { return await real(...all); } finally { if (all[0] === 'act') window.answers += 1; } }; })(fetch)",
    );
    (feed, server, browser)
}

/// Checks that the console is empty, and that the page asked no other server.
pub fn check_console_and_requests(server: &PageServer, browser: &Browser) {
    assert_eq!(browser.console(), Vec::<String>::new());
    let own = server.address.to_string();
    for request in browser.requests() {
        let (_, rest) = request.split_once("://").unwrap();
        let host = rest.split(['/', '?', '#']).next();
        assert_eq!(host, Some(&*own), "{request}");
    }
}

#[test]
#[ignore = "starts Chromium"]
fn spectators_see_everything_and_change_nothing() {
    let (feed, server, browser) = scene(false);
    assert_eq!(browser.text("h1"), "Go contest");
    assert_eq!(browser.text("[data-seat='0'] .name"), "Hane Heroes");
    assert_eq!(browser.text("[data-seat='1'] .name"), "Ladder Breakers");
    assert_eq!(browser.count("#tables .card"), 4);
    assert_eq!(browser.text("#people-count"), "9");
    assert!(browser.text("#log").contains("malformed JSON"));
    assert!(browser.text("#tournament").contains("Buchholz"));

    // Black's clock runs, White's does not.
    let clock = |seat: u8| browser.text(&format!("[data-seat='{seat}'] .clock"));
    let (black, white) = (clock(0), clock(1));
    browser.wait_until(&format!(
        "document.querySelector('[data-seat=\"0\"] .clock').textContent !== {}",
        json!(black)
    ));
    assert_eq!(clock(1), white);

    // A move, a client and a refused message come as they happen.
    let game = scenes::go_game(19, 147, 7);
    let stones = browser.count("#board use");
    let table = TableView {
        turn: Some(gothello::Color::White),
        running_clock: None,
        ..scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"])
    };
    feed.set_plies(table, 147, game[147..].to_vec());
    browser.wait_for_text("#ply", "Move 147 of 147 · Black ");
    assert_eq!(browser.count("#board use"), stones + 1);
    assert_eq!(browser.text("#phase"), "White to move");
    feed.set_client(scenes::client(77, Some("Latecomer"), None));
    browser.wait_for_text("#people", "Latecomer");
    feed.log("Latecomer", "spoke out of turn");
    browser.wait_for_text("#log li:first-child", "spoke out of turn");
    feed.remove_client(77);
    browser.wait_until("!document.querySelector('#people').textContent.includes('Latecomer')");

    // Finished games are listed, the last one first, with the day if it is not today.
    assert_eq!(
        browser.eval("document.querySelector('#finished-panel').hidden"),
        true
    );
    let bob = Finished {
        began: SystemTime::now(),
        ..scenes::finished(2)
    };
    feed.add_finished(bob);
    // A decision about an older game does not make it the last one.
    feed.add_finished(Finished {
        decided: true,
        free: Some("0001-Ann-Bob".into()),
        ..scenes::finished(1)
    });
    browser.wait_for_text("#finished-count", "2");
    let first = browser.text("#finished li:first-child");
    assert!(
        first.ends_with(" Black Ann – White Bob 2: Black wins (B+3) · Table 2"),
        "{first}"
    );
    let last = browser.text("#finished li:last-child");
    assert!(last.contains("2023") && last.contains("decided"), "{last}");

    // The end of a game at another table is announced.
    let over = TableView {
        phase: TableStatus::Over,
        result: Some("Tengen wins by resignation".into()),
        ..scenes::go_table(3, 13, ["Tengen", "Monte & Carlo"])
    };
    feed.set_table(over);
    browser.wait_for_text("#news", "Table 3: Tengen wins by resignation");

    for buttons in [
        "[data-action]",
        "#table-commands *",
        ".row-commands *",
        ".seat-commands *",
        ".decide",
        "form",
    ] {
        assert_eq!(browser.count(buttons), 0, "{buttons}");
    }
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn clocks_never_go_below_zero() {
    let (feed, _server, browser) = scene(false);
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.seats.black.left = Some(Duration::from_millis(900));
    feed.set_table(table);
    browser.wait_for_text("[data-seat='0'] .clock", "0.0");
    pass_a_minute(&feed, &browser);
    assert_eq!(browser.text("[data-seat='0'] .clock"), "0.0");
}

#[test]
#[ignore = "starts Chromium"]
fn history_can_be_stepped_through() {
    let (feed, _server, browser) = scene(false);
    let stones = || browser.count("#board use");
    let now = stones();
    browser.press(&char::from(Key::Left).to_string());
    browser.wait_for_text("#ply", "Move 145 of 146");
    assert!(stones() < now);
    browser.click("#back");
    browser.wait_for_text("#ply", "Move 144 of 146");
    assert_eq!(
        browser.eval("document.querySelector('#live').getAttribute('aria-pressed')"),
        "false"
    );

    // A move that is played meanwhile does not interrupt the reader.
    let game = scenes::go_game(19, 147, 7);
    let table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    feed.set_plies(table, 147, game[147..].to_vec());
    browser.wait_for_text("#ply", "Move 144 of 147");

    browser.press(&char::from(Key::Home).to_string());
    browser.wait_for_text("#ply", "Start of 147 moves");
    assert_eq!(stones(), 0);
    browser.click("#forth");
    browser.wait_for_text("#ply", "Move 1 of 147 · Black");
    assert_eq!(stones(), 1);
    browser.press(&char::from(Key::End).to_string());
    browser.wait_for_text("#ply", "Move 147 of 147");
    assert_eq!(stones(), now + 1);
    assert_eq!(
        browser.eval("document.querySelector('#live').getAttribute('aria-pressed')"),
        "true"
    );

    // The slider is a slider for the keyboard, too.
    browser.eval("document.querySelector('#slider').focus()");
    browser.press(&char::from(Key::Left).to_string());
    browser.wait_for_text("#ply", "Move 146 of 147");
    browser.click("#live");
    browser.wait_for_text("#ply", "Move 147 of 147");

    // Territory is shown on request, at every ply.
    let marks = "#board use[href^='#mark']";
    assert_eq!(browser.count(marks), 0);
    browser.press("t");
    browser.wait_until(&format!(
        "document.querySelectorAll({}).length > 0",
        json!(marks)
    ));
    browser.click("#first");
    browser.click("#forth");
    browser.wait_for_text("#ply", "Move 1 of 147");
    assert_eq!(browser.count(marks), 19 * 19 - 1);

    // A new game takes the place of the old one.
    let table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    feed.set_plies(table, 0, game[..1].to_vec());
    browser.wait_for_text("#ply", "No move yet");
    assert_eq!(stones(), 0);
}

#[test]
#[ignore = "starts Chromium"]
fn it_fits_every_screen_in_both_themes() {
    let (feed, server, browser) = scene(true);
    for table in [scenes::awari(5), scenes::gothello(6)] {
        feed.set_plies(table.0, 0, table.1);
    }
    let ground = "getComputedStyle(document.body).backgroundColor";
    let mut grounds = Vec::new();
    for theme in ["light", "dark"] {
        browser.set_system_theme(theme);
        grounds.push(browser.eval(ground));
        for (name, width, height) in [
            ("phone", 360, 780),
            ("tablet", 820, 1180),
            ("desktop", 1366, 900),
            ("projector", 1920, 1080),
        ] {
            browser.resize(width, height);
            for table in 1..=6 {
                browser.press(&table.to_string());
                browser.wait_for_text("#table-title", &format!("Table {table}"));
                let wide = browser.eval("document.documentElement.scrollWidth");
                assert!(
                    wide.as_u64() <= Some(width.into()),
                    "{name}, table {table}: {wide}"
                );
                let seen = browser
                    .eval("document.querySelector('#board svg').getBoundingClientRect().right");
                assert!(
                    seen.as_f64() <= Some(width.into()),
                    "{name}, table {table}: {seen}"
                );
                if width >= 1366 {
                    let low = browser.eval(
                        "document.querySelector('#board svg').getBoundingClientRect().bottom",
                    );
                    assert!(
                        low.as_f64() <= Some(height.into()),
                        "{name}, table {table}: {low}"
                    );
                }
                if [1, 5, 6].contains(&table) {
                    browser.screenshot(&format!("{name}-{theme}-{table}"));
                }
            }
        }
    }
    assert_ne!(grounds[0], grounds[1]);

    // The visitor's choice is stronger than the system's, and stays.
    assert_eq!(browser.eval(ground), grounds[1]);
    browser.press("dd");
    assert_eq!(browser.eval(ground), grounds[0]);
    browser.open(&server.url());
    browser.wait_for_text("#status", "live");
    assert_eq!(browser.eval(ground), grounds[0]);
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn awari_and_gothello_have_their_own_boards() {
    let (feed, server, browser) = scene(false);
    for table in [scenes::awari(5), scenes::gothello(6)] {
        feed.set_plies(table.0, 0, table.1);
    }
    browser.wait_for_text("#tables", "Table 6");
    browser.press("5");
    browser.wait_for_text("#ply", "Move 2 of 2 · North e");
    let numbers =
        "[...document.querySelectorAll('#board .seeds')].map(n => n.textContent).join(' ')";
    browser.wait_until(&format!("{numbers} === '0 1 13 0 2 6 5 4 1 0 6 2 5 3'"));
    browser.wait_until("document.querySelectorAll('#board .played').length === 1");
    browser.press("6");
    browser.wait_for_text("#ply", "Move 3 of 3 · Black c4");
    browser.wait_until("document.querySelectorAll('#board use').length === 3");
    assert_eq!(
        browser.eval("document.querySelector('#board .label').textContent"),
        "5"
    );
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn markup_in_names_is_only_text() {
    let feed = feed(5);
    let evil = "<img src=/x onerror='window.pwned=1'><script>window.pwned=1</script>";
    let table = TableView {
        title: evil.into(),
        rules: evil.into(),
        result: Some(evil.into()),
        phase: TableStatus::Over,
        ..scenes::go_table(1, 9, [evil, evil])
    };
    feed.set_plies(table.clone(), 0, scenes::go_game(9, 3, 1));
    feed.set_table(TableView { id: 2, ..table });
    feed.set_client(scenes::client(1, Some(evil), Some(evil)));
    feed.log(evil, evil);
    let mut tournament = scenes::tournament();
    tournament.title = evil.into();
    tournament.withdrawable = vec![evil.into()];
    tournament.standings.rows[0][1] = evil.into();
    feed.set_tournament(Some(tournament));
    let server = PageServer::open(&feed);
    let browser = Browser::start();
    browser.open(&server.organizer_url());
    for place in [
        "h2",
        "#rules",
        "#phase",
        ".seat",
        "#people",
        "#log",
        "#tournament",
        "#tables",
    ] {
        browser.wait_for_text(place, evil);
    }
    assert_eq!(browser.eval("window.pwned ?? 'not'"), "not");
    assert_eq!(browser.count("script"), 1);
    assert_eq!(browser.count("main img"), 0);
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_lost_connection_is_shown_and_restored() {
    let (feed, mut server, browser) = scene(false);
    server.close();
    browser.wait_for_text("#status", "connection lost");
    feed.log("nobody", "heard this");
    let server = PageServer::at(server.address, &feed, false, Limits::default());
    browser.wait_for_text("#status", "live");
    browser.wait_for_text("#log", "heard this");
    drop(server);
}
