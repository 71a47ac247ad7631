//! The organiser's buttons in a real browser, by mouse and by keyboard.

use std::thread;
use std::time::Duration;

use fantoccini::key::Key;
use gothello::web::{Action, System};
use serde_json::json;

use crate::browser::Browser;
use crate::house::House;
use crate::page::{check_manners, scene};

/// Presses a button of the row that has this text.
fn click_in_row(browser: &Browser, list: &str, text: &str, button: &str) {
    let row = format!(
        "[...document.querySelectorAll({})].findIndex(row => row.textContent.includes({}))",
        json!(format!("{list} > li")),
        json!(text)
    );
    let index = browser.eval(&row).as_i64().unwrap();
    assert!(index >= 0, "{text}");
    browser.click(&format!("{list} > li:nth-child({}) {button}", index + 1));
}

/// No order comes.
fn assert_no_order(house: &House) {
    thread::sleep(Duration::from_millis(300));
    assert!(house.orders.try_recv().is_err());
}

#[test]
#[ignore = "starts Chromium"]
fn the_mouse_can_do_everything() {
    let (feed, house, browser) = scene(true);
    // The token is nowhere to be seen.
    browser.wait_for_text("#table-orders", "Pause");
    let token = house.token.to_string();
    let seen = browser.eval("location.href + document.documentElement.outerHTML");
    assert!(!seen.as_str().unwrap().contains(&token));

    browser.click("[data-action=pause]");
    assert_eq!(house.order(), Action::Pause { table: 1 });
    browser.click("[data-action=clear]");
    browser.wait_for_text("#confirm-text", "Give up the game at Table 1?");
    browser.click("#confirm-no");
    assert_no_order(&house);
    browser.click("[data-action=clear]");
    browser.click("#confirm-yes");
    assert_eq!(house.order(), Action::Clear { table: 1 });
    browser.click("[data-action=adjourn]");
    browser.click("#confirm-yes");
    assert_eq!(house.order(), Action::Adjourn { table: 1 });

    // The game that is over, where White is said to be missing.
    browser.click("#tables .card:nth-child(2)");
    browser.wait_for_text("#table-title", "Table 2");
    browser.click("[data-action=start]");
    browser.wait_for_text("#notices", "Table 2 has no player for White.");
    browser.click("[data-action=swap]");
    assert_eq!(house.order(), Action::Swap { table: 2 });
    click_in_row(
        &browser,
        "#adjourned",
        "Atari Safari",
        "[data-action=recall]",
    );
    let game = "2026-11-20-b".into();
    assert_eq!(house.order(), Action::Recall { table: 2, game });

    // The one that is interrupted.
    browser.click("#tables .card:nth-child(3)");
    browser.wait_for_text("#table-title", "Table 3");
    browser.click("[data-action=resume]");
    assert_eq!(house.order(), Action::Resume { table: 3 });

    // The one that waits for White.
    browser.click("#tables .card:nth-child(4)");
    browser.wait_for_text("#table-title", "Table 4");
    let white = "[aria-label='Seat Atari Safari as White at Table 4']";
    click_in_row(&browser, "#people", "Atari Safari", white);
    assert_eq!(
        house.order(),
        Action::Assign {
            table: 4,
            color: "W".into(),
            client: Some(51)
        }
    );
    browser.click("[aria-label='Empty the seat of Black']");
    assert_eq!(
        house.order(),
        Action::Assign {
            table: 4,
            color: "B".into(),
            client: None
        }
    );
    browser.click("[data-action=start]");
    assert_eq!(house.order(), Action::Start { table: 4 });
    click_in_row(&browser, "#people", "Sente", "[data-action=disconnect]");
    browser.wait_for_text("#confirm-text", "Disconnect Sente?");
    browser.click("#confirm-yes");
    assert_eq!(house.order(), Action::Disconnect { client: 20 });

    // The tournament.
    click_in_row(&browser, "#tournament .chips", "Tengen", "button");
    browser.click("#confirm-yes");
    let name = "Tengen".into();
    assert_eq!(house.order(), Action::Withdraw { name });
    browser.click("[data-action=end-tournament]");
    browser.click("#confirm-yes");
    assert_eq!(house.order(), Action::EndTournament);
    feed.tournament(None);
    browser.wait_for_text("#tournament", "Who must not meet");
    browser.eval("document.querySelector('fieldset select:nth-of-type(2)').value = 'Nobi'");
    browser.click("fieldset button");
    browser.wait_for_text("#tournament .chips", "Atari Safari – Nobi");
    browser.click("[data-action=tournament]");
    assert_eq!(
        house.order(),
        Action::Tournament {
            kind: System::Swiss,
            rounds: Some(5),
            games: 2,
            apart: vec![["Atari Safari".into(), "Nobi".into()]],
        }
    );
    // That one order was refused is in the console too, by the browser's own
    // account.
    let console = browser.console();
    assert_eq!(console.len(), 1, "{console:?}");
    assert!(console[0].contains("409"), "{console:?}");
    check_manners(&house, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_keyboard_can_do_everything() {
    let (_feed, house, browser) = scene(true);
    let press = |key: Key| browser.press(&char::from(key).to_string());
    browser.wait_for_text("#table-orders", "Pause");

    // Whatever has the focus can be seen to have it.
    browser.press_until_focused(Key::Tab, "[data-action=pause]");
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.eval(outline), "solid");
    press(Key::Enter);
    assert_eq!(house.order(), Action::Pause { table: 1 });

    // It is asked first, and not meant unless it is said.
    browser.press_until_focused(Key::Tab, "[data-action=clear]");
    press(Key::Enter);
    browser.wait_until("document.querySelector('#confirm').open");
    press(Key::Escape);
    browser.wait_until("!document.querySelector('#confirm').open");
    press(Key::Enter);
    browser.wait_until("document.querySelector('#confirm').open");
    press(Key::Enter);
    browser.wait_until("!document.querySelector('#confirm').open");
    assert_no_order(&house);
    press(Key::Enter);
    browser.press_until_focused(Key::Tab, "#confirm-yes");
    press(Key::Enter);
    assert_eq!(house.order(), Action::Clear { table: 1 });

    browser.press("4");
    browser.wait_for_text("#table-title", "Table 4");
    browser.press_until_focused(
        Key::Tab,
        "[aria-label='Seat Atari Safari as White at Table 4']",
    );
    browser.press(" ");
    assert_eq!(
        house.order(),
        Action::Assign {
            table: 4,
            color: "W".into(),
            client: Some(51)
        }
    );
    browser.press_until_focused(Key::Tab, "[aria-label='Disconnect Sente']");

    browser.press("?");
    browser.wait_for_text("#help[open]", "to the start of the game");
    press(Key::Escape);
    browser.wait_until("!document.querySelector('#help').open");
    browser.press("n");
    browser.wait_for_text("#table-title", "Table 1");
    browser.press("f");
    browser.wait_until("document.querySelector('.panels').checkVisibility() === false");
    browser.press("f");
    browser.press("a");
    browser.wait_until("document.querySelector('#stage').checkVisibility() === false");
    check_manners(&house, &browser);
}

/// A token that is not right, or no longer, gives no buttons.
#[test]
#[ignore = "starts Chromium"]
fn a_wrong_token_gives_no_buttons() {
    let (_feed, house, browser) = scene(false);
    browser.open(&format!("{}#token=0123456789abcdef0123", house.url()));
    browser.eval("location.reload()");
    browser.wait_for_text("#status", "live");
    browser.wait_for_text("#table-title", "Table 1");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(browser.count("[data-action]"), 0);
}
