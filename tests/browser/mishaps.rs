//! What goes wrong around the page of `gothello play` changes no game: wrong links, files that are late, storage that
//! is full.

use serde_json::json;

use crate::chromium::{Browser, Key};
use crate::embed::is_visible;
use crate::play::{check, go_to_view, hash, moves, names, new_game, open_file, page, place};

/// The id of the element that has the focus, or its name.
fn focused(browser: &Browser) -> String {
    let focused = browser.eval("document.activeElement.id || document.activeElement.name || ''");
    focused.as_str().unwrap().to_owned()
}

/// Gives an element the focus, and presses Enter.
fn enter(browser: &Browser, selector: &str) {
    browser.wait_until(&format!(
        "(document.querySelector('{selector}').focus(), document.activeElement.matches('{selector}'))"
    ));
    browser.press(&char::from(Key::Enter).to_string());
}

#[test]
#[ignore = "starts Chromium"]
fn a_wrong_link_leaves_the_game_as_it_is() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    browser.eval("void (location.hash = '#play&start=nonsense&black=engine&white=engine')");
    browser.wait_for_text("#notices", "The board has 1 row");
    browser.wait_until("location.hash === '#play&moves=c3'");
    assert_eq!(names(&browser), ["Person", "Person"]);
    place(&browser, "d3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_later_of_two_links_is_shown() {
    let (server, browser) = page("#explore&moves=a1,b1");
    browser.eval("void (location.hash = '#explore&moves=e5,e4')");
    browser.wait_for_text("#phase", "White e4");
    browser.click("#back");
    browser.wait_for_text("#phase", "Black e5");
    // The tree of the first link is loaded, and that of the second is there.
    browser.eval(
        "void (addEventListener('hashchange', () => { location.hash = '#explore&moves=e5,e4'; }, { once: true }), \
         location.hash = '#explore&moves=a1,b1')",
    );
    browser.wait_for_text("#phase", "White e4");
    // The answer about this move comes after the other one.
    place(&browser, "c3");
    assert_eq!(hash(&browser), "#explore&moves=e5,e4,c3");
    // The tree of the other link is not lost.
    browser.press("z");
    browser.wait_for_text("#phase", "White b1");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_link_has_as_many_moves_as_a_file() {
    let (server, browser) = page("#explore&moves=c3");
    browser.eval("void (location.hash = `#explore&tree=c3${'(d3)'.repeat(200_000)}`)");
    browser.wait_for_text(
        "#notices",
        "A link has at most 20000 moves, and this has 200001",
    );
    // More variations than questions that wait at once.
    browser.eval("void (location.hash = `#explore&tree=c3${'(d3)(c2)'.repeat(40)}&node=80`)");
    browser.wait_until("document.querySelectorAll('#moves button').length === 81");
    browser.wait_for_text("#phase", "Black d3. White to move");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_lesson_keeps_the_game_before_it() {
    let (server, browser) = page("");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    let learn = || {
        go_to_view(&browser, "learn");
        browser.wait_for_text("#lesson-title", "1 of 5");
    };
    learn();
    go_to_view(&browser, "play");
    browser.wait_until("location.hash === '#play&moves=c3'");
    assert!(!is_visible(&browser, "#undo"));
    // A file may be dropped on the lesson.
    learn();
    open_file(&browser, "(;SZ[5];B[aa];W[bb])");
    browser.wait_for_text("#moves", "a5");
    browser.click("#undo");
    browser.wait_until("location.hash === '#play&moves=c3'");
    assert_eq!(moves(&browser), "1.c3");
    check(&server, &browser);
}

/// Opens a file that is too large to be stored, and waits until it is shown.
fn open_large_file(browser: &Browser) {
    browser.eval(
        "void (() => { const all = new DataTransfer(); \
           all.items.add(new File([`(;SZ[5]C[${'x'.repeat(3_500_000)}];B[aa];W[bb])`], 'large.sgf')); \
           dispatchEvent(new DragEvent('drop', { dataTransfer: all, cancelable: true })); })()",
    );
    browser.wait_for_text("#moves", "a5");
}

#[test]
#[ignore = "starts Chromium"]
fn a_tree_that_cannot_be_stored_leaves_the_earlier_ones() {
    let (server, browser) = page("#explore");
    place(&browser, "c3");
    place(&browser, "d3");
    open_large_file(&browser);
    // As at a switch to another tab.
    browser.eval("void dispatchEvent(new Event('pagehide'))");
    assert_eq!(
        browser.eval("sessionStorage.getItem('gothello-tree')"),
        json!(null)
    );
    browser.click("#undo");
    browser.wait_for_text("#phase", "White d3. Black to move");
    open_large_file(&browser);
    browser.reload();
    browser.wait_for_text("#moves", "a5");
    browser.click("#undo");
    browser.wait_for_text("#phase", "White d3. Black to move");
    assert_eq!(moves(&browser), "1.c3 d3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_is_used_with_a_full_storage_or_none() {
    let (server, browser) = page("");
    browser.eval(
        "void (Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); })",
    );
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    browser.click("#show-values");
    browser.wait_for_text("#value", "under best play");
    // Some browsers in apps have no storage.
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "for (const name of ['localStorage', 'sessionStorage']) { \
            Object.defineProperty(window, name, { value: null }); }"}),
    );
    browser.open_anew(&format!("{}#explore", server.url));
    place(&browser, "c3");
    check(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_focus_stays_on_the_page() {
    let (server, browser) = page("#explore");
    for button in ["#setup-cancel", "#setup-done"] {
        enter(&browser, "#set-up");
        assert_eq!(focused(&browser), "tool");
        browser.wait_until(
            "document.querySelector('#setup-done').getAttribute('aria-disabled') === null",
        );
        enter(&browser, button);
        browser.wait_for_text("#phase", "Black to move");
        assert_eq!(focused(&browser), "stage", "{button}");
    }
    go_to_view(&browser, "play");
    new_game(&browser, "person", "person");
    place(&browser, "c3");
    enter(&browser, "#resign");
    enter(&browser, "#confirm-yes");
    browser.wait_for_text("#phase", "Black wins by resignation");
    assert_eq!(focused(&browser), "stage");
    enter(&browser, "#play-again");
    browser.wait_for_text("#phase", "Black to move");
    assert_eq!(focused(&browser), "stage");
    enter(&browser, "#undo");
    browser.wait_for_text("#phase", "Black wins by resignation");
    assert!(!is_visible(&browser, "#undo"));
    assert_eq!(focused(&browser), "stage");
    check(&server, &browser);
}
