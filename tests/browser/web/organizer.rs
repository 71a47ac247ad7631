//! The organizer's buttons in a real browser, by mouse and by keyboard.

use gothello::pages::web::{Adjourned, Command, PairingKind, TableStatus, TournamentRequest};
use serde_json::json;

use crate::chromium::{Browser, Key};
use crate::web::page::{check_console_and_requests, scene};
use crate::web::page_server::PageServer;
use crate::web::scenes;

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

#[test]
#[ignore = "starts Chromium"]
fn the_seat_of_an_absent_player_is_freed() {
    let (feed, server, browser) = scene(true);
    browser.wait_for_text("#table-commands", "Pause");
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.seats.white.client = None;
    table.commands.insert("free", None);
    feed.set_table(table);
    let button = "[aria-label='Free the seat of White for any address']";
    browser.wait_until(&format!(
        "document.querySelector({}) !== null",
        json!(button)
    ));
    let black = "[aria-label='Free the seat of Black for any address']";
    browser.wait_until(&format!(
        "document.querySelector({}) === null",
        json!(black)
    ));
    browser.click(button);
    let color = "W".into();
    assert_eq!(
        command(&server, &browser),
        Command::Free { table: 1, color }
    );
}

/// Waits until the page knows what has become of a command. Until then it sends no other of its table.
fn wait_for_answer(browser: &Browser) {
    browser.wait_until("window.answers > 0 && (window.answers -= 1, true)");
}

/// Waits for the next command, and until the page knows that it is done.
fn command(server: &PageServer, browser: &Browser) -> Command {
    let command = server.command();
    wait_for_answer(browser);
    command
}

/// No command comes.
fn assert_no_command(server: &PageServer, browser: &Browser) {
    // The server has received what the page has sent before.
    browser.eval("fetch('me').then(() => null)");
    assert!(server.commands.try_recv().is_err());
}

#[test]
#[ignore = "starts Chromium"]
fn the_mouse_can_do_everything() {
    let (feed, server, browser) = scene(true);
    // The token is not visible anywhere.
    browser.wait_for_text("#table-commands", "Pause");
    let token = server.token.to_string();
    let seen = browser.eval("location.href + document.documentElement.outerHTML");
    assert!(!seen.as_str().unwrap().contains(&token));

    browser.click("[data-action=pause]");
    assert_eq!(command(&server, &browser), Command::Pause { table: 1 });
    browser.click("[data-action=adjourn]");
    browser.click("#confirm-yes");
    assert_eq!(command(&server, &browser), Command::Adjourn { table: 1 });

    // The finished game, where White is reported as missing.
    browser.click("#tables .card:nth-child(2)");
    browser.wait_for_text("#table-title", "Table 2");
    browser.click("[data-action=start]");
    browser.wait_for_text("#notices", "Table 2 has no player for White.");
    wait_for_answer(&browser);
    browser.click("#notices button");
    browser.click("[data-action=swap]");
    assert_eq!(command(&server, &browser), Command::Swap { table: 2 });
    click_in_row(
        &browser,
        "#adjourned",
        "Atari Safari",
        "[data-action=recall]",
    );
    let game = "2026-11-20-b".into();
    assert_eq!(
        command(&server, &browser),
        Command::Recall { table: 2, game }
    );

    // The one that is interrupted.
    browser.click("#tables .card:nth-child(3)");
    browser.wait_for_text("#table-title", "Table 3");
    browser.click("[data-action=resume]");
    assert_eq!(command(&server, &browser), Command::Resume { table: 3 });
    browser.click("[data-action=void]");
    let question = "Void the game of Tengen and Monte & Carlo at Table 3?";
    browser.wait_for_text("#confirm-text", question);
    browser.click("#confirm-no");
    assert_no_command(&server, &browser);
    browser.click("[data-action=void]");
    browser.click("#confirm-yes");
    assert_eq!(command(&server, &browser), Command::Void { table: 3 });

    // The one that waits for White.
    browser.click("#tables .card:nth-child(4)");
    browser.wait_for_text("#table-title", "Table 4");
    let white = "[aria-label='Seat Atari Safari as White at Table 4']";
    click_in_row(&browser, "#people", "Atari Safari", white);
    assert_eq!(
        command(&server, &browser),
        Command::Assign {
            table: 4,
            color: "W".into(),
            client: Some(51)
        }
    );
    browser.click("[aria-label='Empty the seat of Black']");
    assert_eq!(
        command(&server, &browser),
        Command::Assign {
            table: 4,
            color: "B".into(),
            client: None
        }
    );
    browser.click("[data-action=start]");
    assert_eq!(command(&server, &browser), Command::Start { table: 4 });
    click_in_row(&browser, "#people", "Sente", "[data-action=disconnect]");
    browser.wait_for_text("#confirm-text", "Disconnect Sente?");
    browser.click("#confirm-yes");
    assert_eq!(
        command(&server, &browser),
        Command::Disconnect { client: 20 }
    );

    // The tournament.
    click_in_row(
        &browser,
        "#tournament .chips",
        "Tengen",
        "[data-action=absent]",
    );
    let name = "Tengen".to_owned();
    assert_eq!(command(&server, &browser), Command::Absent { name });
    click_in_row(
        &browser,
        "#tournament .chips",
        "Sente",
        "[data-action=return]",
    );
    let name = "Sente".to_owned();
    assert_eq!(command(&server, &browser), Command::Return { name });
    browser.click("[data-field=enter]");
    browser.press("Late Comers");
    browser.click("[data-action=enter]");
    let name = "Late Comers".to_owned();
    assert_eq!(command(&server, &browser), Command::Enter { name });
    // A decision needs a reason.
    browser.click("[aria-label='Decide the game of Sente and The Ko Threat']");
    browser.wait_for_text("#ruling-game", "Game 2.2.1: Sente (Black)");
    browser.eval("document.getElementById('ruling-result').value = '1/2'");
    browser.click("#ruling-yes");
    assert_eq!(browser.eval("document.getElementById('ruling').open"), true);
    browser.click("#ruling-reason");
    browser.press("the clock was wrong");
    browser.click("#ruling-yes");
    let (game, reason) = ("2.2.1".to_owned(), "the clock was wrong".to_owned());
    let result = "1/2".to_owned();
    let correction = Command::Correct {
        game,
        result,
        reason,
    };
    assert_eq!(command(&server, &browser), correction);
    browser.click("[aria-label='Decide the game of Hane Heroes and Sente']");
    browser.eval("document.getElementById('ruling-result').value = 'replay'");
    browser.click("#ruling-reason");
    browser.press("wrong rules");
    browser.click("#ruling-yes");
    let (game, reason) = ("1.1.1".to_owned(), "wrong rules".to_owned());
    assert_eq!(command(&server, &browser), Command::Replay { game, reason });
    browser.wait_for_text("#rulings", "1/2 in place of 1-0");
    click_in_row(
        &browser,
        "#tournament .chips",
        "Tengen",
        "[data-action=withdraw]",
    );
    browser.click("#confirm-yes");
    let name = "Tengen".into();
    assert_eq!(command(&server, &browser), Command::Withdraw { name });
    browser.click("[data-action=end-tournament]");
    browser.click("#confirm-yes");
    assert_eq!(command(&server, &browser), Command::EndTournament);
    feed.set_tournament(None);
    browser.wait_for_text("#tournament", "Players who may not meet");
    // No players are chosen at first, and a player cannot be kept from meeting themselves.
    let button = "document.querySelector('fieldset button').disabled";
    let choose = |place: u8, name: &str| {
        browser.click(&format!(
            "fieldset select:nth-of-type({place}) option[value={}]",
            json!(name)
        ));
    };
    assert_eq!(browser.eval(button), true);
    choose(1, "Nobi");
    assert_eq!(browser.eval(button), true);
    choose(2, "Nobi");
    assert_eq!(browser.eval(button), true);
    choose(1, "Atari Safari");
    browser.click("fieldset button");
    browser.wait_for_text("#tournament .chips", "Atari Safari – Nobi");
    let chosen = "[...document.querySelectorAll('fieldset select')].map(list => list.value).join()";
    assert_eq!(browser.eval(chosen), ",");
    assert_eq!(browser.eval(button), true);
    browser.click("[data-action=tournament]");
    assert_eq!(
        command(&server, &browser),
        Command::Tournament(TournamentRequest {
            system: PairingKind::Swiss,
            rounds: Some(3),
            games: 2,
            avoid: vec![["Atari Safari".into(), "Nobi".into()]],
        })
    );
    // The browser itself also logs the refused command in the console.
    let console = browser.console();
    assert_eq!(console.len(), 1, "{console:?}");
    assert!(console[0].contains("409"), "{console:?}");
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_keyboard_can_do_everything() {
    let (_feed, server, browser) = scene(true);
    let press = |key: Key| browser.press(&char::from(key).to_string());
    browser.wait_for_text("#table-commands", "Pause");

    // The focus is always visible.
    browser.press_until_focused(Key::Tab, "[data-action=pause]");
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.eval(outline), "solid");
    press(Key::Enter);
    assert_eq!(command(&server, &browser), Command::Pause { table: 1 });

    // The page asks first, and does nothing unless the organizer confirms.
    browser.press_until_focused(Key::Tab, "[data-action=adjourn]");
    press(Key::Enter);
    browser.wait_until("document.querySelector('#confirm').open");
    press(Key::Escape);
    browser.wait_until("!document.querySelector('#confirm').open");
    press(Key::Enter);
    browser.wait_until("document.querySelector('#confirm').open");
    press(Key::Enter);
    browser.wait_until("!document.querySelector('#confirm').open");
    assert_no_command(&server, &browser);
    press(Key::Enter);
    browser.press_until_focused(Key::Tab, "#confirm-yes");
    press(Key::Enter);
    assert_eq!(command(&server, &browser), Command::Adjourn { table: 1 });

    browser.press("4");
    browser.wait_for_text("#table-title", "Table 4");
    browser.press_until_focused(
        Key::Tab,
        "[aria-label='Seat Atari Safari as White at Table 4']",
    );
    browser.press(" ");
    assert_eq!(
        command(&server, &browser),
        Command::Assign {
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
    check_console_and_requests(&server, &browser);
}

/// The text or the label of the element with the focus.
const FOCUS: &str = "document.activeElement.ariaLabel ?? document.activeElement.textContent";

#[test]
#[ignore = "starts Chromium"]
fn the_focus_stays_when_its_element_is_drawn_anew() {
    let (feed, server, browser) = scene(true);
    let press = |key: Key| browser.press(&char::from(key).to_string());
    // Pause becomes Resume.
    browser.press_until_focused(Key::Tab, "[data-action=pause]");
    press(Key::Enter);
    assert_eq!(command(&server, &browser), Command::Pause { table: 1 });
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.phase = TableStatus::Paused;
    table.commands = scenes::commands(TableStatus::Paused);
    feed.set_table(table.clone());
    browser.wait_until("document.activeElement.dataset.action === 'resume'");
    press(Key::Enter);
    assert_eq!(command(&server, &browser), Command::Resume { table: 1 });
    // A seat is emptied: the focus goes to the nearest element that is left.
    browser.press_until_focused(Key::Tab, "[aria-label='Empty the seat of Black']");
    press(Key::Enter);
    command(&server, &browser);
    table.seats.black.client = None;
    feed.set_table(table);
    let gone = "document.querySelector(\"[aria-label='Empty the seat of Black']\") === null";
    browser.wait_until(gone);
    browser.wait_until("document.activeElement.id === 'stage'");
    // A client is disconnected, and another one gets a seat meanwhile, so that the rows change
    // places.
    browser.press_until_focused(Key::Tab, "[aria-label='Disconnect Sente']");
    feed.set_client(scenes::client(
        51,
        Some("Atari Safari"),
        Some("Table 9, Black"),
    ));
    browser.wait_until("document.querySelector('#people li').textContent.includes('Atari')");
    assert_eq!(browser.eval(FOCUS), "Disconnect Sente");
    feed.remove_client(20);
    browser.wait_until("!document.querySelector('#people').textContent.includes('Sente')");
    assert_eq!(browser.eval(FOCUS), "Disconnect Tengen");
    // A player who leaves the tournament.
    let sente = "[aria-label='Withdraw Sente from the tournament']";
    browser.press_until_focused(Key::Tab, sente);
    let mut tournament = scenes::tournament();
    tournament.withdrawable.retain(|name| name != "Sente");
    feed.set_tournament(Some(tournament));
    browser.wait_until(&format!(
        "document.querySelector({}) === null",
        json!(sente)
    ));
    assert_eq!(
        browser.eval(FOCUS),
        "Withdraw The Ko Threat from the tournament"
    );
    // The card of a table, which is hidden when it is chosen.
    browser.press("fa");
    browser.press_until_focused(Key::Tab, "#tables .card:nth-child(2)");
    press(Key::Enter);
    browser.wait_for_text("#table-title", "Table 2");
    assert_eq!(browser.eval("document.activeElement.id"), "stage");
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn only_allowed_commands_are_offered() {
    let (feed, server, browser) = scene(true);
    browser.wait_for_text("#table-commands", "Pause");
    let refused = "[...document.querySelectorAll('#table-commands [aria-disabled]')].map(n => n.textContent).join()";
    assert_eq!(browser.eval(refused), "Swap sides,Void");
    // A press shows the reason, and sends no command.
    browser.click("[data-action=void]");
    browser.wait_for_text("#notices", "A game is played at this table: pause it first");
    let title = "document.querySelector('[data-action=void]').title";
    assert_eq!(
        browser.eval(title),
        "a game is played at this table: pause it first"
    );
    assert_no_command(&server, &browser);
    assert_eq!(browser.count("[data-action=assign]"), 0);
    assert_eq!(browser.count(".seat-commands button"), 0);

    // The adjourned game goes to a free table.
    assert_eq!(browser.text("[data-action=recall]"), "Move to Table 2");
    browser.click("[data-action=recall]");
    let game = "2026-11-20-b".into();
    assert_eq!(
        command(&server, &browser),
        Command::Recall { table: 2, game }
    );

    // An adjourned game that belongs to a table goes nowhere else.
    let belongs_to = |table: u32| Adjourned {
        id: "2026-11-20-c".into(),
        title: "perfect – weakened, 3 moves".into(),
        table: Some(table),
    };
    feed.set_adjourned(vec![belongs_to(3)]);
    browser.wait_for_text("[data-action=recall]", "Resume at Table 3");
    browser.click("[data-action=recall]");
    browser.wait_for_text("#notices", "This table is taken");
    assert_no_command(&server, &browser);
    feed.set_adjourned(vec![belongs_to(9)]);
    browser.wait_until("!document.querySelector('[data-action=recall]')");
    feed.set_adjourned(vec![belongs_to(2)]);
    browser.wait_for_text("[data-action=recall]", "Resume at Table 2");

    // A player at another table gets no seat here.
    browser.press("4");
    browser.wait_for_text("#table-title", "Table 4");
    let seats = |name: &str| browser.count(&format!("[aria-label^='Seat {name} as']"));
    assert_eq!((seats("Atari Safari"), seats("Hane Heroes")), (2, 0));

    // Nor can they be withdrawn from the tournament before the end of their game.
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.round = Some(2);
    feed.set_table(table);
    let leave = "[aria-label='Withdraw Hane Heroes from the tournament']";
    browser.wait_until(&format!(
        "document.querySelector({}).ariaDisabled === 'true'",
        json!(leave)
    ));
    browser.click(leave);
    browser.wait_for_text("#notices", "is playing at Table 1: let the game end");
    assert_no_command(&server, &browser);
    check_console_and_requests(&server, &browser);
}

/// Where clients choose their seats themselves, the server of Gothello and Awari
/// accepts these commands and no others.
#[test]
#[ignore = "starts Chromium"]
fn commands_that_the_feed_does_not_name_are_not_offered() {
    let (feed, _server, browser) = scene(true);
    browser.wait_for_text("#table-commands", "Pause");
    assert_ne!(browser.count("[data-action=disconnect]"), 0);
    for id in 1..=4 {
        let mut table = scenes::go_table(id, 19, ["Hane Heroes", "Ladder Breakers"]);
        table
            .commands
            .retain(|command, _| ["adjourn", "void", "recall"].contains(command));
        feed.set_table(table);
    }
    browser.wait_until("!document.querySelector('[data-action=disconnect]')");
    let shown = "[...document.querySelectorAll('#table-commands button')].map(n => n.dataset.action).join()";
    assert_eq!(browser.eval(shown), "adjourn,void");
    for action in ["assign", "disconnect", "swap", "start"] {
        assert_eq!(browser.count(&format!("[data-action={action}]")), 0);
    }
    // Players do not connect to the page's own port, either.
    for client in 10..60 {
        feed.remove_client(client);
    }
    browser.wait_until("document.querySelector('#people-more').textContent === 'Nobody yet.'");
    feed.set_table(scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]));
    browser.wait_for_text("#people-more", "Clients connect to ws://");
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_shows_beside_the_table_what_the_tournament_waits_for() {
    let (feed, server, browser) = scene(true);
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.round = Some(2);
    feed.set_table(table);
    browser.wait_for_text("#rules", "Round 2");
    // Before a game is adjourned.
    browser.click("[data-action=adjourn]");
    browser.wait_for_text(
        "#confirm-text",
        "the game of Hane Heroes and Ladder Breakers",
    );
    browser.wait_for_text(
        "#confirm-text",
        "It belongs to round 2 of the tournament: until it is resumed",
    );
    browser.click("#confirm-no");
    // Afterwards, beside the table and above the rounds.
    let mut tournament = scenes::tournament();
    let waits = "game 0005, Hane Heroes - Ladder Breakers, is adjourned";
    tournament.waits = vec![waits.into(), "Tengen is not connected".into()];
    tournament.rounds[1].games.rows[0][2] = "adjourned".into();
    feed.set_tournament(Some(tournament));
    browser.wait_for_text("#held-up", "The tournament is waiting: game 0005, ");
    assert!(browser.text("#held-up").ends_with("(and 1 more)"));
    browser.wait_for_text("#waits", "Tengen is not connected");
    browser.wait_for_text("#current", "adjourned");
    // The tournament goes on.
    let mut tournament = scenes::tournament();
    tournament.waits.clear();
    feed.set_tournament(Some(tournament));
    browser.wait_until("document.querySelector('#held-up').hidden");
    assert_eq!(browser.count("#waits li"), 0);
    assert_no_command(&server, &browser);
    check_console_and_requests(&server, &browser);
}

/// A token that is wrong, or no longer valid, gives no buttons.
#[test]
#[ignore = "starts Chromium"]
fn a_wrong_token_gives_no_buttons() {
    let (_feed, server, browser) = scene(false);
    browser.open_anew(&format!("{}#token=0123456789abcdef0123", server.url()));
    browser.wait_for_text("#table-title", "Table 1");
    browser.wait_for_text("#notices", "This link is no longer valid");
    assert_eq!(browser.count("[data-action]"), 0);
}

#[test]
#[ignore = "starts Chromium"]
fn only_the_organizer_sees_warnings() {
    let (feed, server, browser) = scene(true);
    let spectator = Browser::start();
    spectator.open(&server.url());
    spectator.wait_for_text("#status", "live");
    let panel = "document.getElementById('warnings-panel').checkVisibility()";
    assert_eq!(browser.eval(panel), false);
    let red = "Red has lost its last 3 games before its first move (disconnection)";
    feed.set_warnings(vec![red.into(), "Blue waits".into()]);
    browser.wait_for_text("#warnings li:first-child", red);
    browser.wait_for_text("#warnings li:last-child", "Blue waits");
    feed.set_warnings(vec![red.into()]);
    browser.wait_for_text("#warnings li:last-child", red);
    // What comes later has come.
    feed.log("", "Later.");
    spectator.wait_for_text("#log", "Later.");
    assert_eq!(spectator.eval(panel), false);
    assert_eq!(spectator.text("#warnings"), "");
    feed.set_warnings(Vec::new());
    browser.wait_until(&format!("!{panel}"));
    check_console_and_requests(&server, &browser);
}
