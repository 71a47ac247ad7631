//! Games with clocks on the page of `gothello play`: the clock of a player runs until the move is made,
//! and there are no values meanwhile.

use serde_json::json;

use crate::chromium::{Browser, Key};
use crate::play::{
    axe, check, found_by_axe, go_to_view, hash, left, open_file, page, phase, place, set_theme,
    start_game, time_left, wait_for_a_second_less,
};

/// Starts a game with clocks between these players.
fn timed_game(browser: &Browser, [black, white]: [&str; 2], seconds: u32, pace: u32) {
    browser.click("#new-game");
    browser.eval(&format!(
        "(() => {{ const choose = (id, value) => {{ const select = document.querySelector(id); \
         if (![...select.options].some(option => option.value === value)) select.append(new Option(value, value)); \
         select.value = value; select.dispatchEvent(new Event('change')); }}; \
         choose('#player-black', '{black}'); choose('#player-white', '{white}'); \
         choose('#clock', '{seconds}'); choose('#pace', '{pace}'); }})()"
    ));
    start_game(browser);
}

/// Makes pages that are loaded from now on believe that a minute more has passed.
fn pass_a_minute(browser: &Browser) {
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "(now => { Date.now = () => now() + 60_000; })(Date.now);"}),
    );
}

const REFUSAL: &str = "First finish the timed game, resign, or start a new game.";

#[test]
#[ignore = "starts Chromium"]
fn the_clock_runs_whatever_its_player_looks_at() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    place(&browser, "d3");
    place(&browser, "c2");
    let game = "#play&moves=c3,d3,c2";
    // Earlier positions can be looked at.
    browser.click("#back");
    browser.wait_for_text("#phase", "White d3. Black to move");
    wait_for_a_second_less(&browser, "white");
    browser.press(&char::from(Key::Home).to_string());
    assert_eq!(phase(&browser), "Black to move");
    wait_for_a_second_less(&browser, "white");
    assert_eq!(browser.count("[data-seat=white][data-turn=true]"), 1);
    browser.click("[data-point=a1]");
    let why = "This is an earlier position: go to the end, or take back.";
    assert_eq!(browser.text("#remark"), why);
    browser.press(&char::from(Key::End).to_string());
    // The other views are unavailable, however they are requested.
    for ask in [
        "document.querySelector('[data-view=explore]').click()",
        "document.querySelector('[data-view=review]').click()",
        "document.querySelector('[data-view=learn]').click()",
        "location.hash = '#explore&moves=c3'",
        "location.hash = '#review&moves=c3,d3,c2'",
        "location.hash = '#play&moves=a1'",
        "location.hash = '#play&game=awari'",
    ] {
        browser.eval(&format!("void ({ask})"));
        browser.wait_for_text("#remark", REFUSAL);
        assert_eq!(hash(&browser), game, "{ask}");
        assert_eq!(phase(&browser), "Black c2. White to move");
        browser.click("[data-point=c3]");
        assert_eq!(browser.text("#remark"), "There is a stone at c3.");
    }
    wait_for_a_second_less(&browser, "white");
    // Only the move stops it.
    place(&browser, "e1");
    wait_for_a_second_less(&browser, "black");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_that_arrives_late_does_not_replace_the_game() {
    let (server, browser) = page("");
    // What is read in a file is there when the test says so.
    browser.eval(
        "void (text => { Blob.prototype.text = async function () { \
           const read = await text.call(this); \
           await new Promise(resolve => { window.release = resolve; }); \
           setTimeout(() => { window.isRead = true; }); \
           return read; }; })(Blob.prototype.text)",
    );
    open_file(&browser, "(;GM[1]FF[4]SZ[5];B[aa];W[bb])");
    browser.wait_until("window.release !== undefined");
    timed_game(&browser, ["person", "person"], 600, 0);
    browser.eval("void window.release()");
    browser.wait_until("window.isRead === true");
    place(&browser, "c3");
    place(&browser, "d3");
    assert_eq!(hash(&browser), "#play&moves=c3,d3");
    wait_for_a_second_less(&browser, "black");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_second_click_does_not_replace_a_move() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    // Both clicks come before the server's answer to the first.
    browser.eval(
        "['c3', 'd3'].forEach(point => document.querySelector(`[data-point=${point}]`)\
         .dispatchEvent(new MouseEvent('click', { bubbles: true })))",
    );
    browser.wait_for_text("#phase", "Black c3. White to move");
    assert_eq!(hash(&browser), "#play&moves=c3");
    place(&browser, "d3");
    browser.wait_for_text("#phase", "White d3. Black to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_clock_runs_while_the_page_is_closed() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    for address in ["#play&moves=c3", "", "#explore", "#play&game=awari"] {
        let before = time_left(&browser, "white");
        pass_a_minute(&browser);
        browser.open_anew(&format!("{}{address}", server.url));
        browser.wait_for_text("#phase", "Black c3. White to move");
        let after = time_left(&browser, "white");
        assert!(after <= before - 60.0, "{address}: {before}, {after}");
        assert_eq!(hash(&browser), "#play&moves=c3", "{address}");
    }
    // A player whose clock runs out in the meantime loses.
    timed_game(&browser, ["person", "person"], 60, 0);
    place(&browser, "c3");
    pass_a_minute(&browser);
    browser.open_anew(&server.url);
    browser.wait_for_text("#phase", "Black wins on time");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_page_closed_in_the_engines_turn_costs_the_person_time() {
    let (server, browser) = page("");
    // The engine would have 100 s, and uses a part of its time.
    timed_game(&browser, ["person", "1"], 600, 100_000);
    place(&browser, "c3");
    pass_a_minute(&browser);
    browser.open_anew(&server.url);
    browser.wait_for_text("#phase", "Black c3. White to move");
    let black = time_left(&browser, "black");
    assert!(black <= 540.0, "{black}");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_engine_moves_even_while_an_earlier_position_is_shown() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "1"], 600, 1500);
    // In the page, so that the engine does not move before the start is shown.
    browser.eval("document.querySelector('[data-point=c3]').click()");
    browser.wait_until(
        "document.querySelector('#phase').textContent === 'Black c3. White to move' \
         && (document.querySelector('#first').click(), \
             document.querySelector('#phase').textContent === 'Black to move')",
    );
    // Its move is shown at once: the clock of the person runs.
    browser.wait_until("location.hash.split(',').length === 2");
    let shown = phase(&browser);
    assert!(
        shown.starts_with("White") && shown.ends_with("Black to move"),
        "{shown}"
    );
    wait_for_a_second_less(&browser, "black");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn values_are_there_after_the_game() {
    let (server, browser) = page("");
    // A person who always has values turned on.
    browser.click("#show-values");
    browser.wait_for_text("#value", "Black wins");
    timed_game(&browser, ["person", "person"], 600, 0);
    let explained = "A timed game is on: everything else waits until it is over.";
    let shows_none = |moment: &str| {
        assert_eq!(browser.count(".mark.value"), 0, "{moment}");
        for (selector, shown) in [("#value-row", false), ("#timed", true)] {
            let visible = format!("document.querySelector('{selector}').checkVisibility()");
            assert_eq!(browser.eval(&visible), json!(shown), "{moment}, {selector}");
        }
        assert_eq!(browser.text("#timed"), explained);
        assert_eq!(browser.text("#pass"), "Pass", "{moment}");
    };
    shows_none("before the first move");
    place(&browser, "c3");
    browser.press("v");
    browser.eval("document.querySelector('#show-values').click()");
    browser.eval("document.querySelector('[data-point=c2]').focus()");
    shows_none("asked for");
    browser.press("2");
    assert_eq!(hash(&browser), "#play&moves=c3");
    // A file is not opened, even if it is dropped on the page.
    let sgf = "(;GM[1]FF[4]SZ[5];B[aa];W[bb])";
    open_file(&browser, sgf);
    browser.wait_for_text("#remark", REFUSAL);
    browser.eval(&format!(
        "(() => {{ const all = new DataTransfer(); all.items.add(new File(['{sgf}'], 'game.sgf')); \
         dispatchEvent(new DragEvent('drop', {{ dataTransfer: all, cancelable: true }})); }})()"
    ));
    browser.wait_for_text("#remark", REFUSAL);
    assert_eq!(hash(&browser), "#play&moves=c3");
    // The help lists no keys that do nothing.
    browser.click("#help-button");
    assert!(!browser.text("#help-keys").contains("values"));
    browser.click("#help-close");

    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "Black wins by resignation");
    assert_eq!(
        browser.eval("document.querySelector('#timed').hidden"),
        json!(true)
    );
    browser.wait_for_text("#value", "under best play");
    go_to_view(&browser, "explore");
    browser.wait_for_text("#value", "under best play");
    go_to_view(&browser, "play");
    // A game that is continued has no clocks.
    browser.click("#take-back");
    browser.wait_for_text("#remark", "The game goes on without clocks.");
    let clock = "document.querySelector('[data-seat=black] .clock').hidden";
    assert_eq!(browser.eval(clock), json!(true));
    place(&browser, "c2");
    assert_eq!(browser.eval(clock), json!(true));
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn taking_back_costs_the_time_of_the_opponent() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    wait_for_a_second_less(&browser, "white");
    wait_for_a_second_less(&browser, "white");
    browser.click("#take-back");
    // Back at the start, Black's clock runs, and has lost the time that White has got back.
    browser.wait_for_text("#phase", "Black to move");
    browser.wait_until(&format!("{} === 600", left("white")));
    browser.wait_until(&format!("{} <= 598", left("black")));
    wait_for_a_second_less(&browser, "black");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_finished_game_has_no_clocks_when_it_is_continued() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    browser.click("#pass");
    browser.wait_for_text("#phase", "a pass ends the game");
    browser.click("#pass");
    browser.wait_for_text("#phase", "Black wins by 1");
    // The times of both are still shown.
    assert_eq!(browser.count(".clock:not([hidden])"), 2);
    go_to_view(&browser, "explore");
    browser.press(&char::from(Key::Left).to_string());
    place(&browser, "c2");
    go_to_view(&browser, "play");
    browser.click("#take-back");
    browser.wait_for_text("#remark", "The game goes on without clocks.");
    assert_eq!(browser.count(".clock:not([hidden])"), 0);
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_that_is_shown_again_says_that_it_has_no_clocks() {
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    browser.click("#new-game");
    browser.eval("document.querySelector('#clock').value = '0'");
    start_game(&browser);
    assert_eq!(hash(&browser), "#play");
    place(&browser, "b2");
    browser.press("z");
    browser.wait_for_text("#phase", "Black c3. White to move");
    assert_eq!(browser.text("#remark"), "The game goes on without clocks.");
    // The other one had none.
    browser.click("#redo");
    browser.wait_for_text("#phase", "Black b2. White to move");
    assert_eq!(browser.text("#remark"), "");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_pause_of_two_engines_stops_their_clocks() {
    let (server, browser) = page("");
    // At this pace no game ends before the click.
    timed_game(&browser, ["1", "1"], 600, 1500);
    browser.wait_until("location.hash.split(',').length >= 2");
    browser.click("#pause");
    browser.wait_for_text("#pause", "Go on");
    let times = || ["black", "white"].map(|seat| time_left(&browser, seat));
    let before = times();
    // A clock that ran would show a second less.
    browser.eval("window.pausedAt = performance.now()");
    browser.wait_until("performance.now() > window.pausedAt + 1200");
    assert_eq!(times(), before);
    // No person is playing, so there is nothing to hide.
    go_to_view(&browser, "explore");
    assert!(hash(&browser).starts_with("#explore"));
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_timed_game_of_awari_waits_for_no_other_game() {
    let (server, browser) = page("#play&game=awari");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "C");
    browser.click(".of-awari a");
    browser.wait_for_text("#remark", REFUSAL);
    wait_for_a_second_less(&browser, "white");
    // A new game of Gothello takes its place.
    browser.click("#new-game");
    browser.eval(
        "(() => { const kind = document.querySelector('#new-kind'); kind.value = 'gothello'; \
         kind.dispatchEvent(new Event('change')); })()",
    );
    start_game(&browser);
    assert_eq!(hash(&browser), "#play");
    browser.open_anew(&server.url);
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(browser.text("h1"), "Gothello");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium, and needs axe-core"]
fn axe_finds_nothing_while_a_timed_game_is_on() {
    let axe = axe();
    let (server, browser) = page("");
    timed_game(&browser, ["person", "person"], 600, 0);
    place(&browser, "c3");
    browser.press("2");
    browser.eval("void (location.hash = '#explore')");
    browser.wait_for_text("#remark", REFUSAL);
    for theme in ["light", "dark", "contrast"] {
        set_theme(&browser, theme);
        for width in [320, 390, 1440] {
            browser.resize(width, 900);
            assert_eq!(found_by_axe(&browser, &axe), json!([]), "{theme} {width}");
            let is_wider = format!("document.documentElement.scrollWidth > {width}");
            assert_eq!(browser.eval(&is_wider), json!(false), "{theme} {width}");
        }
    }
    check(&server, &browser);
}
