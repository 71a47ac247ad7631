//! The table that is shown to a spectator who has chosen none.

use gothello::pages::web::{Feed, TableStatus, TableView};
use serde_json::json;

use crate::chromium::Browser;
use crate::web::page::{check_console_and_requests, scene};
use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;

/// Publishes a table in a phase.
fn set(feed: &Feed, id: u32, phase: TableStatus) {
    let table = TableView {
        phase,
        result: (phase == TableStatus::Over).then(|| "Black wins by resignation".into()),
        commands: scenes::commands(phase),
        ..scenes::go_table(id, 9, ["Sente", "Tengen"])
    };
    feed.set_plies(table, 0, scenes::go_game(9, 3, u64::from(id)));
}

/// Three tables, the second of which has a game, and a page of them.
fn three_tables() -> (Feed, PageServer, Browser) {
    let feed = feed(5);
    for (id, phase) in [
        (0, TableStatus::Waiting),
        (1, TableStatus::Playing),
        (2, TableStatus::Waiting),
    ] {
        set(&feed, id, phase);
    }
    let server = PageServer::open(&feed);
    let browser = Browser::start();
    browser.resize(1366, 900);
    browser.open(&server.url());
    browser.wait_for_text("#status", "live");
    (feed, server, browser)
}

/// Makes the page believe that a minute has passed, and waits until it has drawn everything again since.
pub fn pass_a_minute(feed: &Feed, browser: &Browser) {
    let passed = browser.eval(
        "(() => { const real = performance.now.bind(performance); performance.now = () => real() + 60000; \
         return String(real()); })()",
    );
    let passed = passed.as_str().unwrap();
    feed.log("", passed);
    browser.wait_for_text("#log", passed);
}

fn is_followed(browser: &Browser) -> bool {
    browser.eval("document.querySelector('#follow-button').ariaPressed") == "true"
}

#[test]
#[ignore = "starts Chromium"]
fn a_spectator_sees_a_table_with_a_game_until_another_is_chosen() {
    let (feed, server, browser) = three_tables();
    browser.wait_for_text("#table-title", "Table 1");
    assert!(is_followed(&browser));
    // The result is shown for a while, then the next table with a game.
    set(&feed, 1, TableStatus::Over);
    set(&feed, 2, TableStatus::Playing);
    browser.wait_for_text("#phase", "Black wins by resignation");
    assert_eq!(browser.text("#table-title"), "Table 1");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#table-title", "Table 2");
    // A spectator who looks back at a game is not disturbed.
    browser.click("#back");
    set(&feed, 2, TableStatus::Over);
    set(&feed, 0, TableStatus::Playing);
    browser.wait_for_text("#phase", "Black wins by resignation");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#ply", "Move 2 of 3");
    assert_eq!(browser.text("#table-title"), "Table 2");
    browser.click("#live");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#table-title", "Table 0");
    // A chosen table stays, even table 0, and even when the page is loaded again.
    browser.click("#tables .card:nth-child(1)");
    assert!(!is_followed(&browser));
    assert_eq!(browser.eval("location.hash"), "#table=0");
    set(&feed, 0, TableStatus::Over);
    set(&feed, 1, TableStatus::Playing);
    browser.wait_for_text("#phase", "Black wins by resignation");
    browser.open_anew(&format!("{}#table=0", server.url()));
    browser.wait_for_text("#table-title", "Table 0");
    assert!(!is_followed(&browser));
    // The button follows again, and so does the key.
    browser.click("#follow-button");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#table-title", "Table 1");
    assert!(is_followed(&browser));
    assert_eq!(browser.eval("location.hash"), "");
    browser.press("w");
    assert!(!is_followed(&browser));
    browser.press("w");
    assert!(is_followed(&browser));
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_organizers_table_changes_only_on_a_projector() {
    let (feed, server, browser) = scene(true);
    browser.wait_for_text("#table-commands", "Pause");
    assert_eq!(
        browser.eval("document.querySelector('#follow-button').hidden"),
        true
    );
    let over = TableView {
        phase: TableStatus::Over,
        commands: scenes::commands(TableStatus::Over),
        ..scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"])
    };
    feed.set_table(over);
    set(&feed, 3, TableStatus::Playing);
    browser.wait_for_text("#phase", "Over");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#tables .card:nth-child(3)", "Black to move");
    assert_eq!(browser.text("#table-title"), "Table 1");
    browser.press("f");
    pass_a_minute(&feed, &browser);
    browser.wait_for_text("#table-title", "Table 3");
    // The commands are those of the table that is shown.
    browser.press("f");
    browser.wait_for_text("#table-commands", "Pause");
    assert_eq!(browser.text("#table-title"), "Table 3");
    check_console_and_requests(&server, &browser);
}

/// The rule by itself, with the time as an input.
#[test]
#[ignore = "starts Chromium"]
fn a_result_stays_for_ten_seconds_and_all_tables_have_their_turn() {
    let (_feed, _server, browser) = three_tables();
    browser.eval(
        "import(new URL('page/follow.js', location.href)).then(({ Follower }) => { \
           window.follower = new Follower(); \
           window.next = (phases, now) => follower.next(phases.map((phase, id) => ({ id, phase })), now)?.id ?? null; \
         }) && null",
    );
    browser.wait_until("window.next !== undefined");
    let (playing, over, waiting, paused) = ("playing", "over", "waiting", "paused");
    for (phases, now, table) in [
        (vec![], 0, None),
        // Without a game it is the first table, until there is one.
        (vec![waiting, waiting, waiting], 0, Some(0)),
        (vec![waiting, playing, playing], 1, Some(1)),
        // Ten seconds, counted from when the page first knew of the end.
        (vec![waiting, over, playing], 60_000, Some(1)),
        (vec![waiting, over, playing], 69_999, Some(1)),
        (vec![playing, over, playing], 70_000, Some(2)),
        // The next game at the same table begins in the meantime.
        (vec![playing, over, over], 70_001, Some(2)),
        (vec![playing, over, playing], 75_000, Some(2)),
        (vec![playing, over, over], 76_000, Some(2)),
        (vec![playing, over, over], 85_999, Some(2)),
        (vec![playing, over, over], 86_000, Some(0)),
        // No game is played, so the last result stays. Then it has been shown for long enough.
        (vec![over, over, over], 90_000, Some(0)),
        (vec![over, over, over], 190_000, Some(0)),
        (vec![over, over, playing], 190_001, Some(2)),
        (vec![playing, over, paused], 190_002, Some(2)),
        (vec![playing, over, paused], 200_002, Some(0)),
        // A table that is gone, or has been emptied, is left at once.
        (vec![waiting, playing], 200_003, Some(1)),
        (vec![playing], 200_004, Some(0)),
    ] {
        let next = browser.eval(&format!("next({}, {now})", json!(phases)));
        assert_eq!(next, json!(table), "{phases:?} at {now}");
    }
}
