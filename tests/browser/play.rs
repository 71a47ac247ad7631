//! `gothello play` in a real browser: games, values, positions and addresses.
//!
//! If the variable `GOTHELLO_SITE` is set, the tests of the page are about the one without a server.

use std::path::Path;
use std::process::Command;

use gothello::solver::{Control, Objective};
use gothello::{Move, Position, Solver};
use itertools::Itertools;
use serde_json::{Value, json};

use crate::chromium::{Browser, Key};
use crate::color_vision::{self, VISIONS};
use crate::executable::executable;
use crate::play_server::PlayServer;
use crate::static_site::{serve, site};
use crate::waiting::OutputInTime;

/// The sizes of a desktop and of a phone.
const SIZES: [(u32, u32); 2] = [(1366, 900), (390, 844)];

/// A server, and a browser that shows its page at an address.
pub fn page(address: &str) -> (PlayServer, Browser) {
    let server = match std::env::var_os("GOTHELLO_SITE") {
        Some(_) => serve(site()),
        None => PlayServer::start(&["--threads", "1"]),
    };
    let browser = Browser::start();
    browser.resize(1366, 900);
    browser.open(&format!("{}{address}", server.url));
    browser.wait_for_text("#phase", "to move");
    (server, browser)
}

/// Checks that the console is empty, and that the page asked no other server.
pub fn check(server: &PlayServer, browser: &Browser) {
    assert_eq!(browser.console(), Vec::<String>::new());
    for request in browser.requests() {
        assert!(
            request.contains(server.host()) || request.starts_with("blob:"),
            "{request}"
        );
    }
}

/// Starts a game between these players without pauses.
pub fn new_game(browser: &Browser, black: &str, white: &str) {
    browser.click("#new-game");
    let choose = format!(
        "(() => {{ document.querySelector('#player-black').value = '{black}'; \
         document.querySelector('#player-white').value = '{white}'; \
         document.querySelector('#pace').value = '0'; }})()"
    );
    browser.eval(&choose);
    start_game(browser);
}

/// Starts the game that the dialog says, and waits until it is shown. Until the server has answered, the page
/// shows the previous game, which may look the same.
pub fn start_game(browser: &Browser) {
    // The page writes the address of what it shows.
    browser.eval("history.replaceState(null, '', '#starts')");
    browser.click("#new-start");
    browser.wait_until("location.hash !== '#starts'");
}

/// Goes to another view of the position, and waits until it is shown.
pub fn go_to_view(browser: &Browser, view: &str) {
    let link = format!("[data-view={view}]");
    browser.click(&link);
    browser.wait_until(&format!(
        "document.querySelector('{link}').ariaCurrent === 'page'"
    ));
}

/// Waits until the review of the whole game is shown.
pub fn wait_for_review(browser: &Browser) {
    browser.wait_until(
        "document.querySelector('#review-report td') !== null \
         && !document.querySelector('#review-report').textContent.includes('Thinking')",
    );
}

/// Places a stone, or sows from a pit, and waits until the move is shown.
pub fn place(browser: &Browser, point: &str) {
    browser.click(&format!("[data-point={point}]"));
    browser.wait_until(&format!(
        "/ {point}[.,]/.test(document.querySelector('#phase').textContent)"
    ));
}

pub fn phase(browser: &Browser) -> String {
    browser.text("#phase")
}

pub fn hash(browser: &Browser) -> String {
    browser.eval("location.hash").as_str().unwrap().to_owned()
}

/// Plays a whole game against level 3.
pub fn play_against_level_3(browser: &Browser) {
    new_game(browser, "person", "3");
    for _ in 0..60 {
        browser.wait_until(
            "/Black to move|wins|drawn/.test(document.querySelector('#phase').textContent)",
        );
        if !phase(browser).contains("to move") {
            break;
        }
        let engine_passed = phase(browser).contains("White passed");
        let moves = browser.eval("location.hash.split(',').length");
        match engine_passed || browser.count(".point.may-black") == 0 {
            true => browser.click("#pass"),
            false => browser.click(".point.may-black"),
        }
        browser.wait_until(&format!(
            "location.hash.split(',').length > {moves} || location.hash.includes('moves') && {moves} === 1"
        ));
    }
    let end = phase(browser);
    assert!(end.contains("wins by") || end.contains("drawn"), "{end}");
}

#[test]
#[ignore = "starts Chromium"]
fn a_person_plays_a_whole_game_against_level_3() {
    for (width, height) in SIZES {
        let (server, browser) = page("");
        browser.resize(width, height);
        play_against_level_3(&browser);
        // The counts beside the board are those of the stones on it.
        for (color, letter) in [("black", "B"), ("white", "W")] {
            let told = browser.text(&format!("[data-seat={color}] .points-count"));
            let drawn = browser.count(&format!("#board use[href='#disc-{letter}']"));
            assert_eq!(told, drawn.to_string());
        }
        check(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn two_people_play_a_whole_game_at_one_screen() {
    for (width, height) in SIZES {
        let (server, browser) = page("");
        browser.resize(width, height);
        new_game(&browser, "person", "person");
        place(&browser, "a2");
        place(&browser, "a1");
        // A stone is captured: it changes its color and stays.
        place(&browser, "b1");
        assert_eq!(phase(&browser), "Black b1, 1 flipped. White to move");
        assert_eq!(browser.count("#board use[href='#disc-B']"), 3);
        // A move that was taken back can be played again.
        browser.click("#take-back");
        browser.wait_for_text("#phase", "White a1. Black to move");
        assert_eq!(hash(&browser), "#play&moves=a2,a1");
        place(&browser, "b1");
        place(&browser, "e5");
        // The reasons why a stone cannot be placed: the corner has no liberty, and the other point
        // is occupied.
        browser.click("[data-point=a2]");
        assert_eq!(browser.text("#remark"), "There is a stone at a2.");
        browser.click("#pass");
        browser.wait_for_text("#phase", "a pass ends the game");
        browser.click("#pass");
        browser.wait_for_text("#phase", "Black wins by 2");
        assert_eq!(browser.text("#phase"), "White passed. Black wins by 2");
        // Nothing more can be played.
        browser.click("[data-point=c3]");
        assert_eq!(browser.text("#remark"), "The game is over.");
        // A resignation asks for confirmation.
        new_game(&browser, "person", "person");
        place(&browser, "c3");
        browser.click("#resign");
        assert_eq!(browser.text("#confirm-text"), "Does White resign?");
        browser.click("#confirm-yes");
        browser.wait_for_text("#phase", "Black wins by resignation");
        // It is still so after a reload.
        browser.open_anew(&format!("{}#play&moves=c3", server.url));
        browser.wait_for_text("#phase", "Black wins by resignation");
        check(&server, &browser);
    }
}

/// Plays South's part of a game of Awari to its end: always the first legal pit.
fn play_south(browser: &Browser) {
    let wait = "/South to move|wins|drawn/.test(document.querySelector('#phase').textContent)";
    for _ in 0..500 {
        browser.wait_until(wait);
        if !phase(browser).contains("to move") {
            return;
        }
        let before = hash(browser);
        browser.click(".pit.may-black");
        browser.wait_until(&format!("location.hash !== '{before}'"));
    }
    panic!("the game does not end: {}", hash(browser));
}

#[test]
#[ignore = "starts Chromium"]
fn a_person_plays_a_whole_game_of_awari_against_the_engine() {
    for (width, height) in SIZES {
        let server = PlayServer::start(&["--game", "awari", "--threads", "1"]);
        let browser = Browser::start();
        browser.resize(width, height);
        browser.open(&server.url);
        browser.wait_for_text("#phase", "South to move");
        new_game(&browser, "person", "100");
        play_south(&browser);
        let end = phase(&browser);
        assert!(
            end.contains("wins, ") || end.contains("is drawn, "),
            "{end}"
        );
        // The score is the one of the sentence, and its parts are beside the board.
        for color in ["black", "white"] {
            let told = browser.text(&format!("[data-seat={color}] .points-count"));
            assert!(end.contains(&told), "{end}: {told}");
        }
        assert_eq!(browser.count(".pit.may-black, .pit.may-white"), 0);
        check(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn two_people_play_awari_at_one_screen() {
    let (server, browser) = page("");
    // A switch on the page: the other game, and its rules.
    browser.click("#awari-link");
    browser.wait_for_text("#phase", "South to move");
    assert_eq!(hash(&browser), "#play&game=awari");
    assert_eq!(browser.text("h1"), "Awari");
    new_game(&browser, "person", "person");
    place(&browser, "C");
    assert_eq!(phase(&browser), "South C. North to move");
    let label = |pit| {
        let label = format!("document.querySelector('[data-point={pit}]').ariaLabel");
        browser.eval(&label).as_str().unwrap().to_owned()
    };
    assert_eq!(label("C"), "South C, 0 stones");
    assert_eq!(label("D"), "South D, 5 stones");
    // A pit of the other player says why it cannot be sown.
    browser.click("[data-point=D]");
    assert_eq!(browser.text("#remark"), "Pit D is not North's pit.");
    place(&browser, "a");
    assert_eq!(hash(&browser), "#play&game=awari&moves=C,a");
    browser.click("[data-point=C]");
    assert_eq!(browser.text("#remark"), "Pit C is empty.");
    // By keys: the board, one pit to the left, and Enter; then take it back.
    browser.press("b");
    browser.press_until_focused(Key::Left, "[data-point=B]");
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_for_text("#phase", "South B. North to move");
    browser.press("u");
    browser.wait_for_text("#phase", "North a. South to move");
    // The address shows the same game.
    browser.open_anew(&format!("{}#play&game=awari&moves=C,a", server.url));
    browser.wait_for_text("#phase", "North a. South to move");
    browser.click("#resign");
    assert_eq!(browser.text("#confirm-text"), "Does South resign?");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "North wins by resignation");
    // Other rules, chosen in the dialog.
    browser.click("#new-game");
    browser.eval("document.querySelector('#grand-slam').value = 'b'");
    browser.click("#new-start");
    browser.wait_until("location.hash === '#play&game=awari&rules=b_claim'");
    // Under other rules still, a pit that may not be sown is marked, and says why.
    browser.open(&format!(
        "{}#play&game=awari&rules=a_claim&start=1,1,0,0,0,0/0,0,0,0,1,2_20_23_s",
        server.url
    ));
    browser.wait_for_text("#phase", "South to move");
    browser.click("[data-point=F].illegal");
    assert_eq!(
        browser.text("#remark"),
        "Pit F captures all of the opponent's stones, which is not allowed."
    );
    // The values and the review of Gothello are not offered; going back leads to it.
    for hidden in ["#pass", "#switches", ".views", "#save"] {
        let shown = format!("document.querySelector('{hidden}').checkVisibility()");
        assert_eq!(browser.eval(&shown), json!(false), "{hidden}");
    }
    browser.open(&server.url);
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(
        browser.eval("document.querySelector('#pass').checkVisibility()"),
        json!(true)
    );
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_engine_plays_awari_against_itself() {
    let (server, browser) = page("#play&game=awari");
    new_game(&browser, "100", "100");
    browser.wait_until("location.hash.split(',').length >= 6");
    browser.click("#pause");
    browser.wait_for_text("#pause", "Go on");
    check(&server, &browser);
}

/// The time that a clock shows, in seconds, as an expression.
pub fn left(seat: &str) -> String {
    format!(
        "document.querySelector('[data-seat={seat}] .clock').textContent.split(':')\
         .reduce((sum, part) => 60 * sum + Number(part), 0)"
    )
}

pub fn time_left(browser: &Browser, seat: &str) -> f64 {
    browser.eval(&left(seat)).as_f64().unwrap()
}

/// Waits until a clock has run for a second more.
pub fn wait_for_a_second_less(browser: &Browser, seat: &str) {
    let before = time_left(browser, seat);
    browser.wait_until(&format!("{} <= {before} - 1", left(seat)));
}

#[test]
#[ignore = "starts Chromium"]
fn a_reload_gives_no_time_back() {
    let (server, browser) = page("");
    browser.click("#new-game");
    browser.eval("document.querySelector('#clock').value = '600'");
    browser.eval("document.querySelector('#player-white').value = 'person'");
    start_game(&browser);
    place(&browser, "c3");
    wait_for_a_second_less(&browser, "white");
    let before = time_left(&browser, "white");
    let address = hash(&browser);
    browser.open_anew(&format!("{}{address}", server.url));
    browser.wait_for_text("#phase", "White to move");
    let after = time_left(&browser, "white");
    assert!(after <= before, "{before}, {after}");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_is_played_using_only_the_keyboard() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    browser.eval("document.querySelector('#skip').focus()");
    browser.press_until_focused(Key::Tab, "[data-point=c3]");
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_for_text("#phase", "Black c3. White to move");
    let label = "document.querySelector('[data-point=c3]').getAttribute('aria-label')";
    assert_eq!(browser.eval(label), "c3, black stone");
    // One point to the left.
    browser.press(&char::from(Key::Left).to_string());
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_for_text("#phase", "White b3. Black to move");
    browser.press("p");
    browser.wait_for_text(
        "#phase",
        "Black passed. White to move; a pass ends the game",
    );
    browser.press("u");
    browser.wait_for_text("#phase", "White b3. Black to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn illegal_points_say_why() {
    let (server, browser) = page("#explore&start=...../...../b..../bb.../.b..._w");
    browser.click("[data-point=a1]");
    assert_eq!(
        browser.text("#remark"),
        "A stone at a1 would have no liberty."
    );
    let label = "document.querySelector('[data-point=a1]').getAttribute('aria-label')";
    assert_eq!(
        browser.eval(label),
        "a1, illegal, a stone at a1 would have no liberty"
    );
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn values_on_the_page_agree_with_the_solver() {
    let solver = Solver::builder().memory_mib(16).threads(1).build();
    let (server, browser) = page("#explore");
    for text in [
        "...../...../..b../...../..... w",
        "w.bb./b.bw./.bwww/b..ww/w..ww b",
        "bbbbw/bbbbw/bbbw./bbbww/bw.ww w",
        "..bb./..wb./.wwb./.bwwb/.wb.w b",
    ] {
        let position: Position = text.parse().unwrap();
        browser.open(&format!(
            "{}#explore&start={}",
            server.url,
            text.replace(' ', "_")
        ));
        let turn = if text.ends_with('w') {
            "White"
        } else {
            "Black"
        };
        browser.wait_for_text("#phase", &format!("{turn} to move"));
        // The value of the position is exact before those of all moves are.
        browser.wait_until(
            "/under best play(?!.* (thinking|waiting))/.test(document.querySelector('#value').textContent)",
        );
        for of_move in solver.search_moves(&position, Objective::Value, &Control::default()) {
            let value = of_move.bounds.value().unwrap();
            let told = match value {
                0 => "0".to_owned(),
                1.. => format!("+{value}"),
                _ => format!("−{}", -value),
            };
            match of_move.mv {
                Move::Pass => {
                    let pass = "document.querySelector('#pass').textContent";
                    browser.wait_until(&format!("{pass} === 'Pass {told}'"));
                }
                Move::Place(point) => {
                    let mark = format!("document.querySelector('[data-point={point}] .mark')");
                    browser.wait_until(&format!("{mark}?.textContent === '{told}'"));
                }
            }
        }
    }
    // From Black's view the signs are those of Black's lead, even when White is to move.
    browser.open(&format!(
        "{}#explore&start=bbbbw/bbbbw/bbbw./bbbww/bw.ww_w",
        server.url
    ));
    browser.wait_for_text("#value", "White wins by 24 under best play · best move c1");
    assert_eq!(browser.text("[data-point=c1] .mark"), "+24");
    browser.click("#black-view");
    assert_eq!(browser.text("[data-point=c1] .mark"), "−24");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn every_position_has_an_address_and_back_works() {
    for (width, height) in SIZES {
        let (server, browser) = page("#explore");
        browser.resize(width, height);
        place(&browser, "c3");
        place(&browser, "d3");
        assert_eq!(hash(&browser), "#explore&moves=c3,d3");
        browser.eval("history.back()");
        browser.wait_for_text("#phase", "Black c3. White to move");
        // A variation.
        place(&browser, "b2");
        assert_eq!(hash(&browser), "#explore&moves=c3,b2");
        assert_eq!(browser.count("#moves .move"), 3);
        // Reloaded, the address shows the same.
        browser.open_anew(&format!("{}#explore&moves=c3,b2", server.url));
        browser.wait_for_text("#phase", "White b2. Black to move");
        assert_eq!(browser.count("#moves .move"), 2);
        // Text that is not a position is reported, and the page goes on.
        browser.open(&format!("{}#explore&moves=c3,c3", server.url));
        browser.wait_for_text("#notices", "c3 is occupied");
        assert_eq!(hash(&browser), "#explore&moves=c3");
        browser.open(&format!("{}#explore&moves=%zz", server.url));
        browser.wait_for_text("#notices", "Invalid move \"%zz\"");
        let long = vec!["c3"; 30_000].join(",");
        browser.open(&format!("{}#explore&moves={long}", server.url));
        browser.wait_for_text("#notices", "This is too long for a game");
        // The moves before the first illegal one are kept.
        browser.wait_until("location.hash === '#explore&moves=c3'");
        assert_eq!(phase(&browser), "Black c3. White to move");
        check(&server, &browser);
    }
}

/// Holds back what the page asks, until `release()` is called on it.
fn hold_questions(browser: &Browser) {
    browser.eval(
        "void (() => { \
           const held = []; \
           const ways = [[WebSocket.prototype, 'send'], [Worker.prototype, 'postMessage']]; \
           const restore = ways.map(([sender, name]) => { \
             const send = sender[name]; \
             sender[name] = function (message) { held.push(() => send.call(this, message)); }; \
             return () => { sender[name] = send; }; \
           }); \
           window.release = () => [...restore, ...held].forEach(act => act()); \
         })()",
    );
}

#[test]
#[ignore = "starts Chromium"]
fn the_links_of_the_views_keep_a_position_that_still_loads() {
    let (server, browser) = page("#play&moves=c3&black=person&white=person");
    // The lesson is left before it is shown.
    hold_questions(&browser);
    browser.click("[data-view=learn]");
    browser.click("[data-view=play]");
    browser.wait_until("location.hash === '#play&moves=c3'");
    browser.eval("window.release()");
    assert_eq!(phase(&browser), "Black c3. White to move");
    for (link, views, shown) in [
        ("#explore&moves=d3", &["review"][..], "#review&moves=d3"),
        ("#explore&moves=b2", &["explore"], "#explore&moves=b2"),
        (
            "#review&moves=d4",
            &["learn", "explore"],
            "#explore&moves=d4",
        ),
    ] {
        hold_questions(&browser);
        browser.eval(&format!("void (location.hash = '{link}')"));
        for view in views {
            browser.click(&format!("[data-view={view}]"));
        }
        browser.eval("window.release()");
        browser.wait_until(&format!("location.hash === '{shown}'"));
        let (_, point) = shown.split_once('=').unwrap();
        assert_eq!(phase(&browser), format!("Black {point}. White to move"));
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_page_that_was_opened_at_the_lesson_shows_a_board_at_once() {
    let (server, browser) = page("#learn");
    hold_questions(&browser);
    go_to_view(&browser, "play");
    browser.click("[data-point=c3]");
    browser.click("#forth");
    browser.eval("window.release()");
    browser.wait_for_text("#phase", "c3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn an_address_is_corrected_when_its_error_is_shown() {
    let (server, browser) = page("#explore");
    browser.eval(
        "void new MutationObserver(() => { window.corrected = location.hash; }) \
           .observe(document.querySelector('#notices'), { childList: true })",
    );
    for link in [
        "#explore&moves=c3,c3",
        "#explore&tree=c3,c3(d3)&node=2",
        "#explore&tree=c3(c3,c3)&node=1",
    ] {
        browser.open(&format!("{}{link}", server.url));
        browser.wait_for_text("#notices", "c3 is occupied");
        assert_eq!(
            browser.eval("window.corrected"),
            json!("#explore&moves=c3"),
            "{link}"
        );
        assert_eq!(browser.count("#notices .notice"), 1, "{link}");
        browser.eval("document.querySelector('#notices').replaceChildren()");
        browser.open(&format!("{}#explore", server.url));
        browser.wait_until("location.hash === '#explore'");
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_link_has_all_variations() {
    let (server, browser) = page("#explore&tree=c3,d3(b2,b3(a1)(c4,pass))(e1),c2&node=5");
    let variations = "1.c3 d3 (2.b2 3.b3 (3.a1)(3.c4 pass))(2.e1) 3.c2";
    let is_shown = || {
        browser.wait_for_text("#phase", "Black a1. White to move");
        let moves = moves(&browser).replace([' ', '\u{a0}'], "");
        assert_eq!(moves, variations.replace(' ', ""));
        assert_eq!(hash(&browser), "#explore&moves=c3,b2,a1");
    };
    is_shown();
    let copied = copied_link(&browser);
    let address = "#explore&tree=c3,d3(b2,b3(a1)(c4,pass))(e1),c2&node=5";
    assert_eq!(copied, format!("{}{address}", server.url));
    browser.open_anew(&copied);
    is_shown();
    // A position that was set up, in place of what is shown.
    let start = "...../...../..b../...../.....";
    browser.open(&format!(
        "{}#explore&start={start}_w&tree=c4(d3)&node=2",
        server.url
    ));
    browser.wait_for_text("#phase", "White d3");
    browser.click("#undo");
    is_shown();
    // What cannot be played is told, and the moves before it are kept.
    browser.open(&format!("{}#explore&tree=c3,c3&node=2", server.url));
    browser.wait_for_text("#notices", "c3 is occupied");
    browser.wait_until("location.hash === '#explore&moves=c3'");
    check(&server, &browser);
}

/// Copies the link of the page, and returns it.
fn copied_link(browser: &Browser) -> String {
    for permission in ["clipboard-read", "clipboard-write"] {
        browser.set_permission(permission, "granted");
    }
    browser.click("#copy-link");
    browser.wait_for_text("#remark", "The link is copied");
    clipboard(browser)
}

/// The text in the clipboard.
fn clipboard(browser: &Browser) -> String {
    let text = browser.eval("navigator.clipboard.readText()");
    text.as_str().unwrap().to_owned()
}

#[test]
#[ignore = "starts Chromium"]
fn a_link_says_where_the_game_ends_that_was_explored_further() {
    let (server, browser) = page("");
    open_file(&browser, "(;SZ[5]RE[B+R];B[cc];W[cd])");
    browser.wait_for_text("#moves", "c2");
    browser.click("#last");
    place(&browser, "d2");
    let shown = "1.c3 c2 (3.d2)";
    assert_eq!(moves(&browser), shown);
    let link = copied_link(&browser);
    let address = "#review&tree=c3,c2,d2&node=3&end=2";
    assert_eq!(link, format!("{}{address}", server.url));
    check(&server, &browser);
    let browser = Browser::start();
    browser.open(&link);
    browser.wait_for_text("#phase", "Black d2");
    assert_eq!(moves(&browser), shown);
}

#[test]
#[ignore = "starts Chromium"]
fn a_position_is_set_up_by_clicks() {
    for (width, height) in SIZES {
        let (server, browser) = page("#explore");
        browser.resize(width, height);
        browser.click("#set-up");
        browser.click("[data-point=a1]");
        browser.click("#setup-tool label:nth-of-type(2)");
        browser.click("[data-point=b1]");
        browser.click("[data-point=a2]");
        browser.wait_for_text("#setup-why", "The group at a1 has no liberty");
        assert_eq!(browser.count("[data-point=a1].highlighted"), 1);
        assert_eq!(
            browser.eval("document.querySelector('#setup-done').getAttribute('aria-disabled')"),
            json!("true")
        );
        // The same click again takes the stone away.
        browser.click("[data-point=a2]");
        browser.wait_until("document.querySelector('#setup-why').textContent === ''");
        browser.click("#setup-turn label:nth-of-type(2)");
        browser.wait_until(
            "document.querySelector('#setup-done').getAttribute('aria-disabled') === null",
        );
        browser.click("#setup-done");
        browser.wait_for_text("#phase", "White to move");
        assert_eq!(
            hash(&browser),
            "#explore&start=...../...../...../...../bw..._w"
        );
        // The text of a position does the same.
        browser.click("#paste");
        browser.press("w.bb./b.bw./.bwww/b..ww/w..ww b");
        browser.press(&char::from(Key::Enter).to_string());
        browser.wait_for_text("#phase", "Black to move");
        assert_eq!(
            hash(&browser),
            "#explore&start=w.bb./b.bw./.bwww/b..ww/w..ww_b"
        );
        assert_eq!(
            browser.eval("document.querySelectorAll('#notices .notice').length"),
            Value::from(0)
        );
        check(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn a_visitor_of_a_full_page_reads_why_and_is_let_in_later() {
    let server = PlayServer::start(&["--threads", "1"]);
    let enter = |_| {
        let (mut socket, _) = tungstenite::connect(format!("ws://{}/ask", server.host())).unwrap();
        assert!(
            socket
                .read()
                .unwrap()
                .to_text()
                .unwrap()
                .contains("welcome")
        );
        socket
    };
    let browser = Browser::start();
    // These visitors answer no pings, so they stay for half a minute.
    let visitors: Vec<_> = (0..200).map(enter).collect();
    browser.open(&server.url);
    browser.wait_for_text(
        "#status",
        "The server has no room for more visitors: it has 200. Trying again …",
    );
    drop(visitors);
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(browser.text("#status"), "");
}

#[test]
#[ignore = "starts Chromium"]
fn a_position_is_copied_and_pasted_as_one_line() {
    let (server, browser) = page("#explore&moves=c3,c4,d4");
    for permission in ["clipboard-read", "clipboard-write"] {
        browser.set_permission(permission, "granted");
    }
    browser.click("#copy");
    browser.wait_for_text("#remark", "The position is copied.");
    let copied = clipboard(&browser);
    assert_eq!(copied, "...../..wb./..b../...../..... w");
    let copied: Position = copied.parse().unwrap();
    // After pasting, the board is the same; its moves are not known.
    browser.click("#start-over");
    browser.wait_for_text("#phase", "Black to move");
    browser.click("#paste");
    browser.press(&copied.to_string());
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_for_text("#phase", "White to move");
    let pasted = format!("#explore&start={}", copied.to_string().replace(' ', "_"));
    assert_eq!(hash(&browser), pasted);
    assert_eq!(browser.count("#board use[href='#disc-B']"), 2);
    // Where the browser does not allow this, the line can be copied by hand.
    browser.eval(
        "(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); })()",
    );
    browser.click("#start-over");
    browser.wait_for_text("#phase", "Black to move");
    browser.click("#copy");
    browser
        .wait_until("document.querySelector('#paste').value === '...../...../...../...../..... b'");
    let selected = "(() => { const { value, selectionStart, selectionEnd } = document.querySelector('#paste'); \
                    return value.slice(selectionStart, selectionEnd); })()";
    assert_eq!(browser.eval(selected), "...../...../...../...../..... b");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_help_lists_the_keys_of_the_game_that_is_shown() {
    let (server, browser) = page("");
    let keys = || {
        browser.press("?");
        browser.wait_until("document.querySelector('#help').open");
        let keys = browser.eval(
            "[...document.querySelectorAll('#help-keys dt')].map(key => key.textContent).join(', ')",
        );
        browser.click("#help-close");
        keys.as_str().unwrap().to_owned()
    };
    assert_eq!(keys(), "←, →, Home, End, b, p, u, n, v, l, 1 2 3 4, d, ?");
    // A game begins where games are played.
    browser.open(&format!("{}#explore", server.url));
    browser.wait_for_text("#value", "under best play");
    assert_eq!(keys(), "←, →, Home, End, b, p, v, l, 1 2 3 4, d, ?");
    browser.open(&format!("{}#play&game=awari", server.url));
    browser.wait_for_text("#phase", "South to move");
    assert_eq!(keys(), "←, →, Home, End, b, u, n, d, ?");
    let of_board = browser.eval("document.querySelector('#help-keys').textContent");
    assert!(of_board.as_str().unwrap().contains("arrows choose a pit"));
    // Keys that are not listed do nothing.
    browser.press("2p");
    assert_eq!(hash(&browser), "#play&game=awari");
    check(&server, &browser);
}

/// Opens a file as it is chosen in the dialog of the browser.
pub fn open_file(browser: &Browser, sgf: impl AsRef<[u8]>) {
    let bytes: Vec<u8> = sgf.as_ref().to_vec();
    browser.eval(&format!(
        "(() => {{ const all = new DataTransfer(); \
         all.items.add(new File([new Uint8Array({})], 'game.sgf')); \
         const input = document.querySelector('#open'); input.files = all.files; \
         input.dispatchEvent(new Event('change')); }})()",
        json!(bytes)
    ));
}

/// Clicks a command that saves a file, and returns the bytes of the file.
fn saved_by(browser: &Browser, command: &str) -> Vec<u8> {
    browser.eval(&format!(
        "(() => {{ window.saved = null; const create = URL.createObjectURL; \
         URL.createObjectURL = blob => {{ blob.arrayBuffer().then(bytes => \
         {{ window.saved = [...new Uint8Array(bytes)]; }}); \
         URL.createObjectURL = create; return create.call(URL, blob); }}; \
         document.querySelector('{command}').click(); }})()"
    ));
    browser.wait_until("window.saved !== null");
    serde_json::from_value(browser.eval("window.saved")).unwrap()
}

/// Saves the game, and returns the text of the file.
fn saved(browser: &Browser) -> String {
    String::from_utf8(saved_by(browser, "#save")).unwrap()
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_keeps_variations_names_and_the_result() {
    let (server, browser) = page("#explore");
    let sgf = "(;GM[1]FF[4]SZ[5]PB[Ann]PW[Bob]RE[W+R];B[cc](;W[dc];B[dd](;W[bb])(;W[bc]))(;W[cd]))";
    // Dropped on the page.
    browser.eval(&format!(
        "(() => {{ const all = new DataTransfer(); \
         all.items.add(new File([{}], 'game.sgf')); \
         document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: all, bubbles: true, cancelable: true }})); }})()",
        json!(sgf)
    ));
    browser.wait_for_text("#moves", "c2");
    assert_eq!(browser.count("#moves .move"), 6);
    assert_eq!(browser.text("[data-seat=white] .name"), "Bob");
    browser.wait_for_text("#phase", "White wins by resignation");
    let written = saved(&browser);
    assert_eq!(written, sgf);
    // The file of a resigned game says so.
    go_to_view(&browser, "play");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "Black wins by resignation");
    let written = saved(&browser);
    assert!(written.contains("PB[Person]PW[Person]RE[B+R]"), "{written}");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_position_that_is_set_up_in_a_variation_is_shown() {
    let (server, browser) = page("#explore");
    let sgf = "(;GM[1]SZ[5];B[cc](;W[dc];B[dd])(;AW[aa]PL[B]C[set up];B[ee]))";
    open_file(&browser, sgf);
    browser.wait_for_text("#moves", "set-up");
    assert_eq!(moves(&browser).replace(' ', ""), "1.c3d3(set-up2.e1)3.d2");
    browser.click("#moves .variation .move");
    browser.wait_for_text("#phase", "Set up. Black to move");
    assert_eq!(browser.count("#board use[href='#disc-W']"), 1);
    assert_eq!(
        browser.eval("document.querySelector('#comment').value"),
        "set up"
    );
    let set_up = "w..../...../..b../...../....._b";
    assert_eq!(hash(&browser), format!("#explore&moves=c3,{set_up}"));
    // One step forward, and back again; a move from there is a variation.
    browser.click("#forth");
    browser.wait_for_text("#phase", "Black e1. White to move");
    browser.click("#back");
    browser.wait_for_text("#phase", "Set up. Black to move");
    place(&browser, "b2");
    let address = hash(&browser);
    assert_eq!(address, format!("#explore&moves=c3,{set_up},b2"));
    assert_eq!(
        saved(&browser),
        sgf.replace(";B[ee])", "(;B[ee])(;B[bd]))")
            .replace("C[set up](", "C[set up]\n(")
            .replace("(;B[bd]", "\n(;B[bd]")
    );
    check(&server, &browser);
    // The address leads there, also without the file.
    let browser = Browser::start();
    browser.open(&format!("{}{address}", server.url));
    browser.wait_for_text("#phase", "Black b2. White to move");
    assert_eq!(browser.count("#board use[href='#disc-W']"), 1);
    browser.click("#back");
    browser.wait_for_text("#phase", "Set up. Black to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_legal_moves_of_an_address_are_kept() {
    let (_server, browser) = page("#explore&moves=c3,d3,z9,c4");
    browser.wait_until("location.hash === '#explore&moves=c3,d3'");
    browser.wait_for_text("#phase", "Black to move");
    browser.wait_for_text("#notices", "z9");
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_with_a_line_that_is_too_long_is_refused() {
    let (_server, browser) = page("#explore");
    let steps = ";AB[aa];AE[aa]AW[bb];AE[bb]".repeat(6_000);
    open_file(&browser, format!("(;SZ[5];B[cc]{steps})"));
    browser.wait_for_text(
        "#notices",
        "a line has at most 1000 moves, and this has 18001",
    );
    place(&browser, "c3");
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_of_awari_is_opened_as_awari() {
    let (server, browser) = page("#explore");
    open_file(&browser, "C f\n");
    browser.wait_for_text("#phase", "North f. South to move");
    assert_eq!(hash(&browser), "#play&game=awari&moves=C,f");
    open_file(
        &browser,
        "South: Ann\nNorth: Bob\nRules: b claim\n\n1 C 0.2 s\n1 ... f 1 s\n2 D\n",
    );
    browser.wait_until("location.hash.startsWith('#play&game=awari&rules=b_claim&moves=C,f,D')");
    open_file(&browser, "C D");
    browser.wait_for_text("#notices", "move 2 (D) is illegal: D is not North's pit");
    // And one of Gothello as Gothello.
    open_file(&browser, "(;GM[1]SZ[5];B[cc])");
    browser.wait_for_text("h1", "Gothello");
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(hash(&browser), "#review&moves=c3&ply=0");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_of_a_collection_is_chosen() {
    let (server, browser) = page("#explore");
    let first = "(;SZ[5]PB[Ann (1\\]]C[of ) many]RE[B+3];B[cc];W[dc](;B[dd])(;B[cd]))";
    let games = format!("{first}{}", "(;SZ[5]PW[Zoe];B[ab])\n".repeat(10_000));
    open_file(&browser, &games);
    browser.wait_for_text("dialog.collection h2", "10001 games in “game.sgf”");
    let entry =
        |number: usize| browser.text(&format!("dialog.collection option:nth-child({number})"));
    assert_eq!(entry(1), "1. Ann (1] – White · B+3 · 3 moves");
    assert_eq!(entry(10_001), "10001. Black – Zoe · 1 move");
    // Another one, which is saved in its place.
    browser.eval("document.querySelector('dialog.collection select').value = 10000");
    browser.click("dialog.collection .main");
    browser.wait_for_text("[data-seat=white] .name", "Zoe");
    place(&browser, "e1");
    browser.wait_for_text("#phase", "White e1");
    let written = saved(&browser);
    let expected = games.strip_suffix(")\n").unwrap().to_owned() + ";W[ee])\n";
    assert_eq!(written, expected);
    // None, which changes nothing.
    open_file(&browser, format!("{first} (;SZ[5];B[zz]"));
    browser.wait_for_text("dialog.collection h2", "2 games");
    browser.click("dialog.collection [type=button]");
    browser.wait_until("!document.querySelector('dialog.collection')");
    assert_eq!(browser.text("[data-seat=white] .name"), "Zoe");
    // A single game may be too long.
    open_file(&browser, format!("(;SZ[5]C[{}])", "x".repeat(5 << 20)));
    browser.wait_for_text("#notices", "the game is longer than 4194304 bytes");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_is_saved_with_all_that_was_in_it() {
    let (server, browser) = page("#explore");
    // An illegal variation, an unknown property, a comment of 70 KB, and the name of the encoding.
    let long = "吴".repeat(35_000);
    let sgf = format!(
        "(;GM[1]CA[GBK]SZ[5]XY[1][2]C[{long}]\n;B[cc]LB[cc:1](;W[cd]N[main])(;W[cc]ZZ[no])(;W[dd];B[ee]))\n"
    );
    let (bytes, ..) = encoding_rs::GBK.encode(&sgf);
    open_file(&browser, &bytes);
    browser.wait_for_text(
        "#notices",
        "line 2, column 32: move 2, W[cc], is illegal: c3 is occupied",
    );
    let written = saved_by(&browser, "#save");
    assert_eq!(written, bytes.as_ref());
    check(&server, &browser);
}

/// What `gothello solve --svg` prints.
fn solved_picture(arguments: &[&str]) -> String {
    let output = Command::new(executable())
        .args(["solve", "--svg", "--threads", "1"])
        .args(arguments)
        .output_in_time();
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.strip_suffix('\n').unwrap().to_owned()
}

#[test]
#[ignore = "starts Chromium"]
fn a_picture_is_the_one_that_the_solver_prints() {
    let (server, browser) = page("#explore");
    let start = "bbbbw/bbbbw/bbb../bbbww/bw.ww b";
    browser.open(&format!(
        "{}#explore&start={}&moves=d3",
        server.url,
        start.replace(' ', "_")
    ));
    browser.wait_for_text("#value", "2 best moves");
    browser.click("#picture");
    browser.wait_until("document.querySelector('dialog.picture img')?.naturalWidth > 0");
    let svg = String::from_utf8(saved_by(&browser, "#save-svg")).unwrap();
    assert_eq!(svg, solved_picture(&[start, "--moves", "d3"]));
    let description = browser.eval("document.querySelector('dialog.picture img').alt");
    let title = format!("<title>{}</title>", description.as_str().unwrap());
    assert!(svg.contains(&title), "{svg}");
    assert_eq!(svg.matches("class=\"value").count(), 3);
    let png = saved_by(&browser, "#save-png");
    assert!(png.starts_with(b"\x89PNG"));
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(width, 1_600);
    // Without values, and with a mark.
    browser.click("dialog.picture .choice button");
    browser.wait_until("!document.querySelector('dialog.picture')");
    browser.click("#show-values");
    browser.eval("document.querySelector('#mark-tool').value = 'label'");
    browser.click("[data-point=c1]");
    browser.click("#picture");
    browser.wait_until("document.querySelector('dialog.picture img')?.naturalWidth > 0");
    let svg = String::from_utf8(saved_by(&browser, "#save-svg")).unwrap();
    assert!(!svg.contains("class=\"value"), "{svg}");
    assert!(
        svg.contains(">A</text>") && svg.contains(">White to move</text>"),
        "{svg}"
    );
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn comments_and_marks_are_shown_and_written() {
    let (server, browser) = page("#explore");
    open_file(
        &browser,
        "(;SZ[5]C[the root];B[cc]C[a \\] b]CR[cc]LB[aa:7](;W[cd])(;W[dd];B[ee])(;W[bb]))",
    );
    let comment = || browser.eval("document.querySelector('#comment').value");
    let mark = |point: &str| browser.text(&format!("[data-point={point}] .note"));
    browser.wait_for_text("#moves", "d2");
    browser.click("#first");
    browser.wait_until("document.querySelector('#comment').value === 'the root'");
    browser.click("#forth");
    browser.wait_until("document.querySelector('#comment').value === 'a ] b'");
    assert_eq!(
        (
            mark("c3").as_str(),
            mark("a5").as_str(),
            mark("b2").as_str()
        ),
        ("○", "7", "")
    );
    let label = browser.eval("document.querySelector('[data-point=c3]').ariaLabel");
    assert_eq!(label, "c3, black stone, marked with a circle");
    // They are changed.
    let choose = |tool: &str| {
        browser.eval(&format!(
            "document.querySelector('#mark-tool').value = '{tool}'"
        ));
    };
    choose("triangle");
    browser.click("[data-point=b2]");
    choose("label");
    browser.click("[data-point=a1]");
    choose("circle");
    browser.click("[data-point=c3]");
    choose("");
    assert_eq!(
        (
            mark("c3").as_str(),
            mark("a1").as_str(),
            mark("b2").as_str()
        ),
        ("", "A", "△")
    );
    browser.click("#comment");
    browser.press(" [new]");
    assert_eq!(comment(), "a ] b [new]");
    // They stay when the page is loaded again.
    reload(&browser);
    browser.wait_until("document.querySelector('#comment').value === 'a ] b [new]'");
    // The second variation becomes the main line, and the third is deleted.
    browser.click("#moves .variation .move");
    browser.wait_for_text("#phase", "White d2");
    browser.click("#make-main");
    browser.wait_until("location.hash === '#explore&moves=c3,d2'");
    assert_eq!(
        browser.text("#moves").replace('\n', " "),
        "1.c3 d2 (2.c2) (2.b4) 3.e1"
    );
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_text_that_is_pasted_or_dropped_is_a_game_moves_or_a_position() {
    let (server, browser) = page("#explore");
    let paste = |text: &str| {
        browser.eval(&format!(
            "(() => {{ const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', {}); \
             document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData, bubbles: true }})); }})()",
            json!(text)
        ));
    };
    paste("(;SZ[5]PB[Ann];B[cc]\n;W[dc])");
    browser.wait_for_text("[data-seat=black] .name", "Ann");
    paste("1. b2 c3 2. d4");
    browser.wait_until("location.hash === '#explore&moves=b2,c3,d4'");
    browser.click("#paste");
    browser.press("c3 c3");
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_until("location.hash === '#explore&moves=c3'");
    browser.wait_for_text("#notices", "c3 after node 1 is illegal: c3 is occupied");
    browser.eval(
        "(() => { const all = new DataTransfer(); all.setData('text/plain', '...../...../..w../...../..... b'); \
         document.body.dispatchEvent(new DragEvent('drop', \
         { dataTransfer: all, bubbles: true, cancelable: true })); })()",
    );
    browser.wait_until("location.hash === '#explore&start=...../...../..w../...../....._b'");
    paste("hello");
    browser.wait_for_text(
        "#notices",
        "it is neither a game in SGF, nor a position, nor moves",
    );
    check(&server, &browser);
}

/// Loads the page again, and waits until it shows something.
fn reload(browser: &Browser) {
    browser.reload();
    browser.wait_until("document.querySelector('#phase').textContent !== ''");
}

#[test]
#[ignore = "starts Chromium"]
fn a_reload_keeps_the_game_behind_what_is_explored() {
    for (width, height) in SIZES {
        let (server, browser) = page("");
        browser.resize(width, height);
        let moves = || moves(&browser);
        new_game(&browser, "person", "person");
        place(&browser, "c3");
        place(&browser, "d3");
        go_to_view(&browser, "explore");
        place(&browser, "c2");
        place(&browser, "b3");
        reload(&browser);
        assert_eq!(hash(&browser), "#explore&moves=c3,d3,c2,b3");
        assert_eq!(moves(), "1.c3 d3 (3.c2b3)");
        go_to_view(&browser, "learn");
        reload(&browser);
        go_to_view(&browser, "play");
        browser.wait_for_text("#phase", "White d3. Black to move");
        assert_eq!(hash(&browser), "#play&moves=c3,d3");
        place(&browser, "e1");
        reload(&browser);
        browser.wait_for_text("#phase", "Black e1. White to move");
        assert_eq!(moves(), "1.c3 d3 3.e1 (3.c2b3)");
        let written = saved(&browser);
        assert!(written.contains("PB[Person]PW[Person]"), "{written}");
        assert!(
            written.ends_with(";B[cc];W[dc]\n(;B[ee])\n(;B[cd];W[bc]))\n"),
            "{written}"
        );
        // A file that was opened keeps its names, and its result.
        open_file(&browser, "(;SZ[5]PB[Ann]RE[W+R];B[cc];W[dc])");
        browser.wait_for_text("[data-seat=black] .name", "Ann");
        go_to_view(&browser, "explore");
        browser.press(&char::from(Key::End).to_string());
        place(&browser, "a1");
        reload(&browser);
        assert_eq!(browser.text("[data-seat=black] .name"), "Ann");
        assert_eq!(moves(), "1.c3 d3 (3.a1)");
        browser.press(&char::from(Key::Left).to_string());
        browser.wait_for_text("#phase", "White wins by resignation");
        // An address that is opened again has only its line.
        browser.open_anew(&format!("{}#explore&moves=c3", server.url));
        browser.wait_for_text("#phase", "White to move");
        assert_eq!(moves(), "1.c3");
        check(&server, &browser);
    }
}

/// The list of moves, in one line.
pub fn moves(browser: &Browser) -> String {
    browser.text("#moves").replace('\n', " ")
}

#[test]
#[ignore = "starts Chromium"]
fn what_replaces_the_tree_can_be_undone() {
    let (server, browser) = page("#explore");
    place(&browser, "c3");
    place(&browser, "d3");
    browser.press(&char::from(Key::Left).to_string());
    place(&browser, "b2");
    let explored = "1.c3 d3 (2.b2)";
    assert_eq!(moves(&browser), explored);
    let is_shown = || {
        browser.wait_until(&format!(
            "document.querySelector('#moves').innerText.replaceAll('\\n', ' ') === {}",
            json!(explored)
        ));
        browser.wait_for_text("#phase", "White b2. Black to move");
    };
    let undo = |what: &str| {
        browser.wait_for_text("#undo", what);
        assert_ne!(moves(&browser), explored, "{what}");
        browser.click("#undo");
        is_shown();
    };
    browser.click("#start-over");
    browser.wait_for_text("#remark", "Undo brings back");
    undo("start over");
    // Nothing is left to undo, and an empty board is nothing to go on to.
    assert_eq!(
        browser.eval("document.querySelector('#undo').checkVisibility()"),
        json!(false)
    );
    browser.click("#paste");
    browser.press("..b../...../...../...../..... w");
    browser.press(&char::from(Key::Enter).to_string());
    undo("paste");
    // What was undone is not lost, either.
    browser.click("#redo");
    browser.wait_until("location.hash.includes('start=..b..')");
    undo("paste");
    browser.click("#set-up");
    browser.click("#setup-clear");
    browser.click("[data-point=e1]");
    browser
        .wait_until("document.querySelector('#setup-done').getAttribute('aria-disabled') === null");
    browser.click("#setup-done");
    undo("set-up");
    open_file(&browser, "(;SZ[5]PB[Ann];B[aa];W[bb])");
    undo("open");
    browser.eval("void (location.hash = '#explore&moves=a1,a2')");
    undo("Earlier game");
    // The browser's own way back leads to the same tree.
    browser.click("#start-over");
    browser.wait_until("location.hash === '#explore'");
    browser.eval("history.back()");
    is_shown();
    // All of this is still there when the page is loaded again.
    browser.click("#start-over");
    browser.wait_until("location.hash === '#explore'");
    assert_eq!(browser.text("#undo"), "Undo start over");
    reload(&browser);
    undo("start over");
    // A file of the other game, and a new game.
    open_file(&browser, "C f\n");
    browser.wait_for_text("#phase", "North f. South to move");
    undo("open");
    go_to_view(&browser, "play");
    new_game(&browser, "person", "2");
    undo("new game");
    // The game has its players again.
    assert_eq!(names(&browser), ["Person", "Level 1"]);
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_that_was_replaced_goes_on_with_its_players_and_its_end() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "Black wins by resignation");
    new_game(&browser, "person", "1");
    browser.press("z");
    browser.wait_for_text("#phase", "Black wins by resignation");
    assert_eq!(names(&browser), ["Person", "Person"]);
    // Variations are not lost when the move that they follow is taken back.
    browser.click("#take-back");
    browser.wait_for_text("#phase", "Black to move");
    place(&browser, "c3");
    place(&browser, "c4");
    go_to_view(&browser, "explore");
    place(&browser, "e1");
    go_to_view(&browser, "play");
    browser.wait_for_text("#phase", "White c4. Black to move");
    browser.click("#take-back");
    browser.wait_for_text("#phase", "Black c3. White to move");
    assert_eq!(moves(&browser), "1.c3");
    assert_eq!(browser.text("#undo"), "Undo take back");
    browser.click("#undo");
    browser.wait_for_text("#phase", "White c4. Black to move");
    assert_eq!(moves(&browser), "1.c3 c4 (3.e1)");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn after_a_click_arrow_keys_step_through_the_game() {
    let (server, browser) = page("#explore");
    let left = char::from(Key::Left).to_string();
    let focused = || browser.eval("document.activeElement.dataset.point ?? null");
    place(&browser, "c3");
    place(&browser, "d3");
    browser.press(&left);
    browser.wait_for_text("#phase", "Black c3. White to move");
    browser.press(&char::from(Key::Down).to_string());
    assert_eq!(focused(), "d3");
    // By keys, the board has the focus: arrows choose a point.
    browser.press("b");
    browser.press(&left);
    assert_eq!(focused(), "c3");
    assert_eq!(phase(&browser), "Black c3. White to move");
    browser.press(&char::from(Key::Down).to_string());
    browser.press(&char::from(Key::Enter).to_string());
    browser.wait_for_text("#phase", "White c2. Black to move");
    browser.press(&left);
    assert_eq!(focused(), "b2");
    // Until the next click.
    place(&browser, "a1");
    browser.press(&left);
    browser.wait_for_text("#phase", "White c2. Black to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn files_in_other_encodings_are_opened() {
    let (server, browser) = page("#explore");
    let named = |head: &str, name: &[u8]| {
        let parts = [b"(;SZ[5]", head.as_bytes(), b"PB[", name, b"];B[cc])"];
        parts.concat()
    };
    for (file, name) in [
        (named("CA[GB18030]C[CA[x\\]]", b"\xCE\xE2\x9D\x5D"), "吴漖"),
        (named("CA[Shift_JIS]", b"\x83\x5C"), "ソ"),
        (named("CA[ISO-8859-1]", b"J\xF6rg"), "Jörg"),
        (named("C[CA[GBK\\]]", b"J\xF6rg 2"), "Jörg 2"),
        (named("", b"\x8d\x95\x94\xd4"), "黒番"),
        (named("CA[nonsense]", "Jörg 3".as_bytes()), "Jörg 3"),
        (named("CA[UTF-8]", b"J\xF6rg"), "J\u{fffd}rg"),
        (
            "\u{feff}(;SZ[5]PB[吴清源];B[cc])"
                .encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect(),
            "吴清源",
        ),
    ] {
        open_file(&browser, &file);
        browser.wait_for_text("[data-seat=black] .name", name);
        let told = browser.text("#notices");
        let detected = match name {
            "Jörg 2" => "“game.sgf” does not name its encoding: it is read as windows-1252.",
            "黒番" => "“game.sgf” does not name its encoding: it is read as Shift_JIS.",
            _ => "",
        };
        assert_eq!(told.trim_end_matches(['\n', '×']), detected, "{name}");
    }
    // UTF-16 is not written.
    assert!(saved(&browser).contains("PB[吴清源]"));
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_file_on_the_command_line_is_shown_with_variations_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let sgf = "(;GM[1]FF[4]SZ[5]PB[Ann]PW[Bob]RE[W+R];B[cc](;W[dc];B[dd])(;W[cd];B[ce]))";
    std::fs::write(&path, sgf).unwrap();
    let server = PlayServer::start(&["--threads", "1", path.to_str().unwrap()]);
    let browser = Browser::start();
    let is_whole = || {
        browser.wait_for_text("#moves", "c1");
        assert_eq!(browser.count("#moves .move"), 5);
        assert_eq!(browser.count("#moves .variation .move"), 2);
        assert_eq!(browser.text("[data-seat=white] .name"), "Bob");
    };
    browser.open(&server.url);
    browser.wait_for_text("#phase", "White wins by resignation");
    is_whole();
    // A variation has an address, too, which shows the whole game when it is loaded.
    browser.click("#moves .variation .step:last-child .move");
    browser.wait_for_text("#phase", "Black c1");
    let address = hash(&browser);
    assert_eq!(address, "#review&from=file&moves=c3,c2,c1");
    browser.open_anew(&format!("http://{}/{address}", server.host()));
    browser.wait_for_text("#phase", "Black c1");
    is_whole();
    // A reload keeps what was explored, too.
    place(&browser, "e5");
    reload(&browser);
    browser.wait_for_text("#phase", "White e5");
    assert_eq!(browser.count("#moves .move"), 6);
    // A new game is not from the file.
    go_to_view(&browser, "play");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    assert_eq!(hash(&browser), "#play&moves=c3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_move_after_the_reviewed_game_is_a_variation() {
    let (server, browser) = page("#review&start=bbbbw/bbbbw/bbbw./bbbww/bw.ww_w&moves=e3");
    wait_for_review(&browser);
    browser.press(&char::from(Key::End).to_string());
    // Values are on the board in the review, too.
    browser.wait_for_text("#value", "under best play");
    browser.click("#pass");
    browser.wait_for_text("#phase", "Black passed");
    assert_eq!(browser.text("#moves .variation"), "(2.pass)");
    let figures = browser.text("#review-report tbody tr:first-child");
    assert_eq!(figures, "Perfect moves – 0 %");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn exploring_leaves_a_finished_game_as_it_is() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    place(&browser, "d3");
    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "White wins by resignation");
    // From its end, and from before: the moves are variations.
    go_to_view(&browser, "explore");
    place(&browser, "c2");
    place(&browser, "b3");
    assert_eq!(browser.text("#moves .variation"), "(3.c2b3)");
    browser.press(&char::from(Key::Home).to_string());
    place(&browser, "b2");
    let moves = browser.text("#moves").replace('\n', " ");
    assert_eq!(moves, "1.c3 (1.b2) 2.d3 (3.c2b3)");
    // A game can go on from a variation.
    go_to_view(&browser, "play");
    browser.wait_for_text("#phase", "Black b2. White to move");
    // The game and its result are as they were, even in its file.
    go_to_view(&browser, "explore");
    browser.click("#moves .move");
    go_to_view(&browser, "play");
    browser.press(&char::from(Key::End).to_string());
    browser.wait_for_text("#phase", "White wins by resignation");
    assert_eq!(hash(&browser), "#play&moves=c3,d3");
    let written = saved(&browser);
    assert!(
        written.contains("RE[W+R]") && written.ends_with("\n(;B[cc];W[dc])\n(;B[bd]))\n"),
        "{written}"
    );
    browser.wait_for_text(
        "#notices",
        "Moves after the end of the game are not in the file.",
    );
    // A game that was resigned before its first move.
    new_game(&browser, "person", "person");
    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "White wins by resignation");
    go_to_view(&browser, "explore");
    place(&browser, "c3");
    assert_eq!(browser.text("#moves"), "(1.c3)");
    go_to_view(&browser, "play");
    browser.wait_for_text("#phase", "White wins by resignation");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn exploring_leaves_a_game_that_goes_on_as_it_is() {
    let (server, browser) = page("");
    let moves = || moves(&browser);
    let explore = |points: &[&str]| {
        go_to_view(&browser, "explore");
        points.iter().for_each(|point| place(&browser, point));
        go_to_view(&browser, "play");
        browser.wait_until("location.hash.startsWith('#play&')");
    };
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    place(&browser, "d3");
    explore(&["c2", "b3"]);
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert_eq!(hash(&browser), "#play&moves=c3,d3");
    assert_eq!(moves(), "1.c3 d3 (3.c2b3)");
    // An explored move can be played: the moves after it are still not part of the game.
    place(&browser, "c2");
    browser.wait_for_text("#phase", "White to move");
    assert_eq!(hash(&browser), "#play&moves=c3,d3,c2");
    assert_eq!(moves(), "1.c3 d3 3.c2 (4.b3)");
    let written = saved(&browser);
    assert!(written.ends_with("\n;B[cc];W[dc];B[cd])\n"), "{written}");
    // Moves that were taken back are gone; explored moves are not.
    browser.press(&char::from(Key::Left).to_string());
    explore(&[]);
    browser.press(&char::from(Key::End).to_string());
    browser.click("#take-back");
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert_eq!(moves(), "1.c3 d3");
    explore(&["e1"]);
    place(&browser, "a1");
    browser.click("#take-back");
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert_eq!(moves(), "1.c3 d3 (3.e1)");
    place(&browser, "b1");
    assert_eq!(hash(&browser), "#play&moves=c3,d3,b1");
    // Before its first move, there is no game to preserve.
    new_game(&browser, "person", "person");
    explore(&["c3", "d3"]);
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert_eq!(hash(&browser), "#play&moves=c3,d3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_player_who_runs_out_of_time_loses() {
    let (server, browser) = page("");
    browser.eval("document.querySelector('#clock').append(new Option('1 second', '1'))");
    browser.click("#new-game");
    browser.eval(
        "(() => { for (const id of ['player-black', 'player-white']) \
         document.querySelector(`#${id}`).value = 'person'; \
         document.querySelector('#clock').value = '1'; })()",
    );
    start_game(&browser);
    // A busy machine may show the end before it is seen that the move is shown.
    browser.click("[data-point=c3]");
    browser.wait_for_text("#phase", "Black wins on time");
    browser.click("[data-point=a1]");
    assert_eq!(browser.text("#remark"), "The game is over.");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_move_adds_the_increment_to_its_players_time() {
    let (server, browser) = page("");
    browser.click("#new-game");
    assert_eq!(
        browser.eval("document.querySelector('#increment').disabled"),
        json!(true)
    );
    browser.eval(
        "(() => { const choose = (id, value) => { const select = document.querySelector(id); \
         select.value = value; select.dispatchEvent(new Event('change')); }; \
         document.querySelector('#increment').append(new Option('10 minutes a move', '600')); \
         choose('#player-white', 'person'); choose('#clock', '600'); choose('#increment', '600'); })()",
    );
    start_game(&browser);
    assert_eq!(browser.text("[data-seat=white] .name"), "Person");
    // The clock begins with the second move. The moves gain more time than they take.
    let left = |seat: &str| time_left(&browser, seat);
    // Beside clocks there is still room for the names.
    for width in [1366, 900, 390] {
        browser.resize(width, 844);
        let is_whole = "[...document.querySelectorAll('.seat .name')].every(name => \
            name.textContent === 'Person' && name.scrollWidth <= name.clientWidth)";
        assert_eq!(browser.eval(is_whole), json!(true), "{width}");
    }
    place(&browser, "c3");
    assert_eq!(left("black"), 600.0);
    place(&browser, "d3");
    let white = left("white");
    assert!(white > 600.0, "{white}");
    place(&browser, "c2");
    assert!(left("black") > 600.0);
    // A move that is taken back and made again gains nothing more, even after a reload.
    browser.click("#take-back");
    browser.click("#take-back");
    let address = hash(&browser);
    browser.open_anew(&format!("{}{address}", server.url));
    browser.wait_for_text("#phase", "White to move");
    place(&browser, "e3");
    assert!(left("white") <= white);
    place(&browser, "c2");
    place(&browser, "e2");
    assert!(left("white") > white);
    check(&server, &browser);
}

/// The names beside the board, Black's first.
pub fn names(browser: &Browser) -> [String; 2] {
    ["black", "white"].map(|color| browser.text(&format!("[data-seat={color}] .name")))
}

#[test]
#[ignore = "starts Chromium"]
fn the_players_of_the_command_line_play() {
    let start = |arguments: &[&str]| {
        let server = PlayServer::start(&[&["--threads", "1"], arguments].concat());
        let browser = Browser::start();
        browser.open(&server.url);
        browser.wait_for_text("#phase", "to move");
        (server, browser)
    };
    let (server, browser) = start(&["--level", "1", "--side", "white"]);
    // The engine begins.
    browser.wait_until("/^#play&moves=[^,]+$/.test(location.hash)");
    assert_eq!(names(&browser), ["Level 1", "Person"]);
    reload(&browser);
    assert_eq!(names(&browser), ["Level 1", "Person"]);
    // Another game begins with other players.
    new_game(&browser, "person", "person");
    browser.wait_until("location.hash === '#play'");
    assert_eq!(names(&browser), ["Person", "Person"]);
    check(&server, &browser);

    let (server, browser) = start(&["--side", "both"]);
    assert_eq!(names(&browser), ["Person", "Person"]);
    check(&server, &browser);

    let (server, browser) = start(&["--game", "awari", "--side", "white"]);
    browser.wait_until("/^#play&game=awari&moves=[A-F]$/.test(location.hash)");
    assert_eq!(names(&browser), ["Engine, 1 s", "Person"]);
    check(&server, &browser);

    // A game in a file continues from its end.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    std::fs::write(&file, "(;GM[1]SZ[5]PB[Ann]PW[Bob];B[cc];W[dc];B[cd])").unwrap();
    let (server, browser) = start(&["--level", "1", file.to_str().unwrap()]);
    browser.wait_until("/^#play&from=file&moves=c3,d3,c2,[^,]+$/.test(location.hash)");
    assert_eq!(names(&browser), ["Person", "Level 1"]);
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_engine_plays_against_itself() {
    let (server, browser) = page("");
    new_game(&browser, "1", "2");
    browser.wait_until("/wins by|drawn/.test(document.querySelector('#phase').textContent)");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn values_stay_for_the_next_moves_and_no_animation_delays_a_move() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    browser.click("#show-values");
    browser.wait_for_text("#value", "under best play");
    // They stay for the next moves, and are signs and figures besides colors.
    for point in ["a2", "a1", "b1"] {
        place(&browser, point);
        browser.wait_until(
            "[...document.querySelectorAll('.point.free .mark.value')].some(mark => /^[+−]\\d|^0/.test(mark.textContent))",
        );
    }
    let animation = "document.querySelector('#board .flipped') && \
                     getComputedStyle(document.querySelector('#board .flipped')).animationName";
    assert_eq!(browser.eval(animation), json!("flip"));
    // Firefox would turn a stone with x and y about another place.
    assert_eq!(browser.count("#board .flipped:is([x], [y])"), 0);
    // The next move is possible at once.
    browser.eval("document.querySelector('[data-point=e5]').click()");
    browser.wait_for_text("#phase", "White e5");
    browser.click("#take-back");
    browser.click("#take-back");
    browser.set_media("prefers-reduced-motion", "reduce");
    place(&browser, "b1");
    assert_eq!(browser.eval(animation), json!("none"));
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_game_is_reviewed() {
    for (width, height) in SIZES {
        let (server, browser) = page("#explore");
        browser.resize(width, height);
        // A file, as it is chosen in the dialog of the browser.
        let sgf = "(;FF[4]GM[1]SZ[5]RU[Gothello]AB[aa][ba][ca][da][ab][bb][cb][db][ac][bc][cc][ad][bd][cd][ae]\
               AW[ea][eb][dc][dd][ed][be][de][ee]PL[W];W[ec];B[];W[])";
        browser.eval("document.querySelector('[data-view=review]').click()");
        browser.wait_for_text("#review-report", "There are no moves to review yet");
        assert_eq!(browser.count("#review-report table"), 0);
        open_file(&browser, sgf);
        browser.wait_for_text("#moves", "e3");
        wait_for_review(&browser);
        browser.press(&char::from(Key::Home).to_string());
        browser.wait_for_text("#value", "White wins by 24 under best play");
        assert_eq!(
            browser.text("#graph p"),
            "After move 0: White wins by 24 under best play"
        );
        // The move that lost the game is marked, with what it cost and what was best.
        assert_eq!(browser.text("#moves .blunder"), "e3??");
        browser.click("#moves .blunder");
        browser.wait_for_text("#cost", "Move 1");
        assert_eq!(
            browser.text("#cost"),
            "Move 1: loses 30 stones, and the result; best: c1"
        );
        assert_eq!(
            browser.text("#graph p"),
            "After move 1: Black wins by 6 under best play"
        );
        // Black's only move and one of White's two lost nothing.
        let figures = browser.text("#review-report tbody tr:first-child");
        assert_eq!(figures, "Perfect moves 100 % 50 %");
        check(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn the_lesson_teaches_the_rules_in_five_moves() {
    let (server, browser) = page("");
    browser.click("#learn-hint a");
    let solved = |point: &str, number: u8| {
        browser.wait_for_text("#lesson-title", &format!("{number} of 5"));
        browser.wait_until("document.querySelector('#lesson').dataset.state === 'open'");
        match point {
            "pass" => browser.click("#pass"),
            point => browser.click(&format!("[data-point={point}]")),
        }
        browser.wait_until("document.querySelector('#lesson').dataset.state !== 'open'");
        browser.eval("document.querySelector('#lesson').dataset.state")
    };
    assert_eq!(solved("b4", 1), "solved");
    browser.click("#lesson-next");
    assert_eq!(solved("a1", 2), "failed");
    browser.click("#lesson-again");
    assert_eq!(solved("c2", 2), "solved");
    browser.click("#lesson-next");
    assert_eq!(solved("c1", 3), "failed");
    assert_eq!(browser.text("#lesson-again"), "Take back");
    browser.press("u");
    assert_eq!(solved("b1", 3), "solved");
    browser.click("#lesson-next");
    browser.wait_for_text("#lesson-title", "4 of 5");
    browser.wait_until("document.querySelector('[data-point=a1]').classList.contains('illegal')");
    browser.click("[data-point=a1]");
    assert_eq!(
        browser.text("#remark"),
        "A stone at a1 would have no liberty."
    );
    assert_eq!(solved("e4", 4), "solved");
    browser.click("#lesson-next");
    assert_eq!(solved("d4", 5), "failed");
    browser.click("#lesson-again");
    assert_eq!(solved("pass", 5), "solved");
    assert_eq!(phase(&browser), "Black passed. Black wins by 1");
    // After the lesson there is the game that was there before.
    browser.click("#lesson-next");
    browser.wait_until("location.hash === '#play'");
    assert_eq!(phase(&browser), "Black to move");
    // It stays if the lesson is still loading when it is chosen.
    browser.eval(
        "import(document.querySelector('script[type=module]').src.replace('app.js', 'tree.js')).then(({ Tree }) => { \
         const { load } = Tree; \
         Tree.load = (...line) => new Promise(loaded => { window.answer = () => { \
         window.answered = load(...line); \
         loaded(answered); }; }); })",
    );
    browser.click("[data-view=learn]");
    browser.wait_until("window.answer !== undefined");
    browser.eval("addEventListener('hashchange', () => { window.isBack = true; })");
    browser.click("[data-view=play]");
    browser.wait_until("window.isBack === true");
    browser.eval("(answer(), answered.then(() => {}))");
    assert_eq!(
        browser.eval("document.querySelector('#lesson').checkVisibility()"),
        false
    );
    assert_eq!(phase(&browser), "Black to move");
    check(&server, &browser);
}

/// Returns the script of axe-core.
pub fn axe() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = target.join("axe-core/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        let path = path.display();
        panic!("{path}: {error}: npm install --prefix target/axe-core axe-core@4.14.1")
    })
}

/// Returns what axe-core, whose script this is, finds on a page.
pub fn found_by_axe(browser: &Browser, axe: &str) -> Value {
    browser.eval(&format!("(() => {{ {axe} }})()"));
    // Colors are those after all transitions. axe gathers no descriptions of passing elements, which
    // would take most of the time.
    browser.wait_for_animations();
    let found = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => \
                 violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))";
    browser.eval(found)
}

/// Shows a theme that a visitor can choose.
pub fn set_theme(browser: &Browser, theme: &str) {
    browser.eval(&format!(
        "document.documentElement.dataset.theme = '{theme}'"
    ));
}

/// Returns the widths at which a theme is checked. The themes differ only in colors.
fn widths_of(theme: &str) -> &'static [u32] {
    match theme {
        "light" => &[390, 1440],
        _ => &[390],
    }
}

#[test]
#[ignore = "starts Chromium, and needs axe-core"]
fn axe_finds_nothing_against_wcag() {
    let axe = axe();
    let (server, browser) = page("");
    for view in [
        "play",
        "explore&moves=c3,c4",
        "review&moves=c3,d3,c4",
        "learn",
        "play&game=awari&moves=C,d",
    ] {
        browser.open_anew(&format!("{}#{view}", server.url));
        browser.wait_for_text("#phase", "to move");
        for theme in ["light", "dark", "contrast"] {
            match theme {
                "contrast" => set_theme(&browser, theme),
                system => browser.set_system_theme(system),
            }
            for &width in widths_of(theme) {
                browser.resize(width, 900);
                let found = found_by_axe(&browser, &axe);
                assert_eq!(found, json!([]), "{theme} {width} {view}");
            }
        }
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium, and needs axe-core"]
fn axe_finds_nothing_against_wcag_in_dialogs() {
    let axe = axe();
    let (server, browser) = page("#play&moves=c3,d3");
    let open = |dialog: &str| match dialog {
        "#new-dialog" => browser.click("#new-game"),
        "#confirm" => browser.click("#resign"),
        "#help" => browser.press("?"),
        ".picture" => browser.click("#picture"),
        ".collection" => open_file(&browser, "(;SZ[5]PB[Ann]RE[B+3];B[cc])(;SZ[5];B[ab])"),
        other => panic!("{other}"),
    };
    let close = "(() => { const open = document.querySelector('dialog[open]'); open?.close(); return open?.id; })()";
    for theme in ["light", "dark", "contrast"] {
        browser.eval(&format!("localStorage.setItem('theme', '{theme}')"));
        reload(&browser);
        browser.wait_for_text("#phase", "to move");
        for &width in widths_of(theme) {
            browser.resize(width, 900);
            for dialog in [
                "#new-dialog",
                "#confirm",
                "#help",
                ".picture",
                ".collection",
            ] {
                open(dialog);
                let is_open = format!("document.querySelector('dialog{dialog}')?.open === true");
                browser.wait_until(&is_open);
                let found = found_by_axe(&browser, &axe);
                assert_eq!(found, json!([]), "{theme} {width} {dialog}");
                browser.eval(close);
            }
        }
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn in_high_contrast_black_stones_have_a_light_rim() {
    let (server, browser) = page("#explore&moves=c3");
    browser.eval("localStorage.setItem('theme', 'contrast')");
    reload(&browser);
    let rim = "getComputedStyle(document.querySelector('.rim')).stroke";
    assert_eq!(browser.eval(rim), "rgb(255, 255, 255)");
    let badge = "getComputedStyle(document.querySelector('.badge.black')).boxShadow";
    let shadow = browser.eval(badge);
    assert!(
        shadow.as_str().unwrap().starts_with("rgb(255, 255, 255)"),
        "{shadow}"
    );
    check(&server, &browser);
}

/// Each mark also shows its value as a signed figure.
#[test]
#[ignore = "starts Chromium"]
fn winning_drawn_and_losing_moves_look_different_to_people_without_some_cones() {
    let (server, browser) = page("#explore");
    for theme in ["light", "dark", "contrast"] {
        browser.eval(&format!("localStorage.setItem('theme', '{theme}')"));
        reload(&browser);
        let colors = ["win", "draw", "loss"].map(|kind| {
            let color = browser.eval(&format!(
                "(() => {{ const mark = document.createElement('span'); \
                 mark.className = 'mark value {kind}'; \
                 document.querySelector('.play-board').append(mark); \
                 const color = getComputedStyle(mark).backgroundColor; \
                 mark.remove(); return color; }})()"
            ));
            color_vision::parse(color.as_str().unwrap())
        });
        for (name, vision) in VISIONS {
            for [one, other] in colors.iter().copied().array_combinations() {
                let difference = color_vision::difference(vision, one, other);
                assert!(difference > 40.0, "{theme}, {name}: {colors:?}");
            }
        }
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn nothing_is_wider_than_the_window() {
    let (server, browser) = page("");
    for view in [
        "play",
        "explore&moves=c3,d3",
        "review&moves=c3,d3",
        "learn",
        "play&game=awari",
    ] {
        browser.open_anew(&format!("{}#{view}", server.url));
        browser.wait_for_text("#phase", "to move");
        for width in [320, 390, 768, 980, 1200, 1366, 2560] {
            browser.resize(width, 900);
            let outside = format!(
                "document.documentElement.scrollWidth > {width} || \
                 document.querySelector('.play-board').getBoundingClientRect().right > {width} || \
                 (document.querySelector('.below').offsetLeft > 50 && \
                  document.querySelector('.below').getBoundingClientRect().left < \
                  document.querySelector('.play-board').getBoundingClientRect().right)"
            );
            assert_eq!(browser.eval(&outside), json!(false), "{width} {view}");
        }
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_first_move_does_not_shift_the_buttons() {
    for address in ["", "#play&game=awari"] {
        let (server, browser) = page(address);
        for (width, height) in [(1366, 900), (390, 844), (844, 390)] {
            browser.resize(width, height);
            let places = || {
                browser.eval(
                    "['#board', '#phase', '#back', '#take-back', '#new-game'].map(id => \
                     document.querySelector(id).getBoundingClientRect().top)",
                )
            };
            new_game(&browser, "person", "person");
            let before = places();
            browser.click(".may-black");
            browser.wait_for_text("#phase", if address.is_empty() { "White" } else { "North" });
            assert_eq!(places(), before, "{width} {address}");
        }
        check(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn a_phone_on_its_side_shows_the_board_and_the_buttons_beside_it() {
    let (server, browser) = page("");
    for (address, turn) in [
        ("#play&moves=c3,c4", "Black to move"),
        ("#explore&moves=c3,c4", "Black to move"),
        ("#play&game=awari&moves=C,d", "South to move"),
    ] {
        browser.open_anew(&format!("{}{address}", server.url));
        browser.wait_for_text("#phase", turn);
        for (width, height) in [(844, 390), (667, 375), (932, 430)] {
            browser.resize(width, height);
            let hidden = browser.eval(
                "[...document.querySelectorAll('.play-board, .seat, #phase, .history button, #play-actions button')] \
                 .filter(node => node.checkVisibility()).filter(node => { \
                 const { left, top, bottom, right } = node.getBoundingClientRect(); \
                 const { right: board } = document.querySelector('.play-board').getBoundingClientRect(); \
                 return top < 0 || bottom > innerHeight || right > innerWidth \
                     || left < board && !node.matches('.play-board'); }) \
                 .map(({ id, className }) => id || className)",
            );
            assert_eq!(hidden, json!([]), "{width} {address}");
        }
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn an_upright_tablet_has_the_commands_in_sight_and_large_enough_to_touch() {
    let (server, browser) = page("");
    browser.touch();
    browser.resize(768, 1024);
    browser.open(&format!("{}#play&moves=c3,d3", server.url));
    browser.wait_for_text("#phase", "White d3. Black to move");
    for selector in ["#pass", "#take-back", "#new-game"] {
        let bottom = format!("document.querySelector('{selector}').getBoundingClientRect().bottom");
        browser.wait_until(&format!("{bottom} <= innerHeight"));
    }
    for selector in [".move", "#switches .switch", "#theme-button", ".views a"] {
        let height = format!("document.querySelector('{selector}').getBoundingClientRect().height");
        assert!(
            browser.eval(&height).as_f64().unwrap() >= 34.0,
            "{selector}"
        );
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_ring_of_the_last_stone_is_around_what_is_written_on_it() {
    let (server, browser) = page("#explore&moves=c3");
    let radius = "parseFloat(getComputedStyle(document.querySelector('#board .last')).r)";
    let width = |expected: f64| browser.wait_until(&format!("{radius} === {expected}"));
    width(2.6);
    browser.click("#show-liberties");
    width(6.9);
    browser.click("#show-liberties");
    width(2.6);
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn names_are_whole() {
    let (server, browser) = page("");
    new_game(&browser, "person", "perfect");
    browser.wait_for_text("[data-seat=white] .name", "Perfect player");
    for (width, height) in [(1200, 900), (1366, 900), (920, 700), (844, 390), (390, 844)] {
        browser.resize(width, height);
        let is_whole = "[...document.querySelectorAll('.seat .name')].every(name => \
            name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight)";
        assert_eq!(browser.eval(is_whole), json!(true), "{width}");
    }
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_end_of_a_game_leads_to_its_review_and_to_the_next_game() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    browser.click("#pass");
    browser.wait_for_text("#phase", "a pass ends the game");
    let shown =
        |id: &str| browser.eval(&format!("document.querySelector('{id}').checkVisibility()"));
    assert_eq!(shown("#play-again"), json!(false));
    browser.click("#pass");
    browser.wait_for_text("#phase", "Black wins by 1");
    assert_eq!(shown("#resign"), json!(false));
    browser.click("#review-game");
    browser.wait_for_text("#review-report", "Perfect moves");
    assert_eq!(hash(&browser), "#review&moves=c3,pass,pass");
    go_to_view(&browser, "play");
    browser.click("#play-again");
    browser.wait_until("location.hash === '#play'");
    assert_eq!(names(&browser), ["Person", "Person"]);
    assert_eq!(shown("#play-again"), json!(false));
    // A game of Awari has no review.
    browser.open(&format!("{}#play&game=awari", server.url));
    browser.wait_for_text("#phase", "South to move");
    new_game(&browser, "person", "person");
    browser.click("#resign");
    browser.click("#confirm-yes");
    browser.wait_for_text("#phase", "North wins by resignation");
    assert_eq!(shown("#review-game"), json!(false));
    browser.click("#play-again");
    browser.wait_for_text("#phase", "South to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_says_that_the_engine_thinks() {
    let (server, browser) = page("#play&game=awari");
    new_game(&browser, "person", "10000");
    place(&browser, "C");
    browser.wait_for_text("[data-seat=white]", "thinking …");
    browser.click("#take-back");
    browser.wait_for_text("[data-seat=white]", "North");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn stones_of_awari_are_sown_one_by_one() {
    let start = "0,0,0,0,1,0/0,0,0,2,1,5_19_20_s";
    let (server, browser) = page(&format!(
        "#play&game=awari&start={start}&black=person&white=person"
    ));
    browser.eval(
        "(() => { window.sown = []; new MutationObserver(changes => changes.forEach(({ target }) => { \
         if (target.dataset.sown) window.sown.push(target.dataset.point); })) \
         .observe(document.querySelector('.pits'), { subtree: true, attributeFilter: ['data-sown'] }); })()",
    );
    // The last stone makes two in pit `e`, which captures them.
    browser.click("[data-point=F]");
    browser.wait_for_text("#phase", "South F");
    browser.wait_until("window.sown.length >= 5");
    browser.wait_until("document.querySelector('[data-sown]') === null");
    assert_eq!(browser.eval("window.sown.join('')"), "abcde");
    // Back and forth, it is shown again; but not to people who want less motion.
    browser.set_media("prefers-reduced-motion", "reduce");
    browser.eval("void (window.sown = [])");
    browser.press(&char::from(Key::Left).to_string());
    browser.press(&char::from(Key::Right).to_string());
    browser.wait_for_text("#phase", "South F");
    assert_eq!(browser.eval("window.sown.length"), json!(0));
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_touch_screen_shows_the_best_line_of_the_best_move() {
    let (server, browser) = page("");
    browser.touch();
    browser.open(&format!(
        "{}#explore&start=bbbbw/bbbbw/bbbw./bbbww/bw.ww_w",
        server.url
    ));
    browser.wait_for_text("#best-line", "Best line: c1 pass pass");
    // Another position has another one.
    browser.click("[data-point=e3]");
    browser.wait_for_text("#best-line", "Best line: pass pass");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_larger_tablebase_is_recommended_once() {
    let server = PlayServer::start(&["--threads", "1", "--no-tablebase"]);
    let browser = Browser::start();
    let is_told = || {
        browser.eval("document.querySelector('#tablebase-hint').checkVisibility()") == json!(true)
    };
    // These values are found at once.
    browser.open(&format!(
        "{}#explore&start=bbbbw/bbbbw/bbbw./bbbww/bw.ww_w",
        server.url
    ));
    browser.wait_for_text("#value", "under best play");
    browser.open(&format!("{}#explore", server.url));
    browser.wait_until("document.querySelector('#tablebase-hint').checkVisibility()");
    assert!(
        browser
            .text("#tablebase-hint")
            .contains("gothello tablebase pack")
    );
    reload(&browser);
    browser.wait_for_text("#phase", "to move");
    // It would be told after 3 seconds of searching.
    browser.wait_until("performance.now() > 5_000");
    assert!(!is_told());
    check(&server, &browser);
}
