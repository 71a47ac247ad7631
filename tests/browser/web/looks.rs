//! Legibility: on projectors and phones, in other scripts, and against the background.

use std::collections::BTreeMap;

use gothello::pages::web::{Feed, Grid, Round, RoundStage, TableStatus};
use gothello::{ByColor, Color};
use serde_json::{Value, json};

use crate::chromium::{Browser, Key};
use crate::web::page::{check_console_and_requests, scene};
use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;

/// Names in Arabic: as long as teams' names are, and short.
const ARABIC: [&str; 2] = ["فريق النجوم الساطعة من القاهرة", "محمد علي"];

/// Sets up functions for the colors of a page.
///
/// `contrast(a, b)` is the contrast ratio of two colors (WCAG 2.2), and `ground(node)` the color
/// behind an element.
const COLORS: &str = r"(() => {
  const parts = color => color.match(/[\d.]+/g).map(Number);
  const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = color => {
    const [r, g, b] = parts(color).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  window.contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  window.ground = node => {
    const color = getComputedStyle(node).backgroundColor;
    const clear = parts(color).length === 4 && parts(color)[3] === 0;
    return clear && node.parentElement ? ground(node.parentElement) : color;
  };
  window.seen = selector => [...document.querySelectorAll(selector)].filter(node => node.checkVisibility());
})()";

/// The lowest contrast, with its element.
fn least(browser: &Browser, pairs: &str) -> (f64, String) {
    let found = browser.eval(&format!(
        "{pairs}.map(([name, one, other]) => [contrast(one, other), name]).sort((a, b) => a[0] - b[0])[0]"
    ));
    let name = found[1].as_str().unwrap().to_owned();
    (found[0].as_f64().unwrap(), name)
}

/// The names of the coordinates, their color, and all colors of the board behind them.
const COORDINATES: &str = "seen('#board .label, #board .seeds').flatMap(label => {
  const style = getComputedStyle(label);
  if (Number(style.opacity) !== 1) return [['opacity', 'rgb(0,0,0)', 'rgb(0,0,0)']];
  const felt = document.querySelector('#board .felt');
  const boards = felt ? [getComputedStyle(felt).fill]
    : ['light', 'mid', 'deep'].map(part => getComputedStyle(document.querySelector(`.wood-${part}`)).stopColor);
  return boards.map(board => [label.textContent, style.fill, board]);
})";

/// The controls, each with the color of its edge or of itself, and the color behind it.
const CONTROLS: &str = "seen('button, select, input[type=number]').flatMap(node => {
  const style = getComputedStyle(node);
  const name = node.textContent || node.name || node.className;
  const around = ground(node.parentElement);
  // Elements within a chip or a notice are signs without an edge.
  if (style.borderTopWidth === '0px') return [[name, style.color, around]];
  return style.borderTopColor.endsWith(' 0)') ? [[name, style.backgroundColor, around]]
    : [[name, style.borderTopColor, around], [name, style.borderTopColor, ground(node)]];
})";

#[test]
#[ignore = "starts Chromium"]
fn coordinates_and_edges_stand_out_in_both_themes() {
    let (feed, server, browser) = scene(true);
    for table in [scenes::awari(5), scenes::gothello(6)] {
        feed.set_plies(table.0, 0, table.1);
    }
    browser.wait_for_text("#table-commands", "Pause");
    browser.eval(COLORS);
    for theme in ["light", "dark"] {
        browser.set_system_theme(theme);
        for table in ["1", "5", "6"] {
            browser.press(table);
            browser.wait_for_text("#table-title", &format!("Table {table}"));
            let (ratio, name) = least(&browser, COORDINATES);
            assert!(ratio >= 4.5, "{theme}, table {table}, {name}: {ratio}");
        }
        // With the form for a tournament, and with a running tournament.
        for tournament in [Some(scenes::tournament()), None] {
            let expected = if tournament.is_some() { "End" } else { "Start" };
            feed.set_tournament(tournament);
            browser.wait_for_text("#holding", expected);
            let (ratio, name) = least(&browser, CONTROLS);
            assert!(ratio >= 3.0, "{theme}, {name}: {ratio}");
        }
    }
    check_console_and_requests(&server, &browser);
}

/// The page with teams whose names are Arabic.
fn arabic() -> (Feed, PageServer, Browser) {
    let feed = feed(5);
    for id in 1..=8 {
        feed.set_plies(
            scenes::go_table(id, 9, ARABIC),
            0,
            scenes::go_game(9, 20, u64::from(id)),
        );
    }
    feed.set_client(scenes::client(10, Some(ARABIC[0]), Some("Table 1, Black")));
    feed.log(ARABIC[0], "sent a MOVE out of turn");
    let mut tournament = scenes::tournament();
    tournament.standings.rows[0][1] = ARABIC[0].into();
    feed.set_tournament(Some(tournament));
    let server = PageServer::open(&feed);
    let browser = Browser::start();
    browser.open(&server.url());
    browser.wait_for_text("#status", "live");
    browser.wait_for_text("#people", ARABIC[0]);
    (feed, server, browser)
}

#[test]
#[ignore = "starts Chromium"]
fn names_in_arabic_keep_their_beginning() {
    let (_feed, server, browser) = arabic();
    for width in [390, 1440] {
        browser.resize(width, 900);
        // The first letter of each name is visible, even if its end is not, and is to the right of
        // what follows.
        let seen = "[...document.querySelectorAll('.name')].filter(node => node.checkVisibility()).map(node => {
          const letter = index => {
            const range = document.createRange();
            range.setStart(node.firstChild, index);
            range.setEnd(node.firstChild, index + 1);
            return range.getBoundingClientRect();
          };
          const box = node.getBoundingClientRect();
          return { cut: node.scrollWidth > node.clientWidth, starts: letter(0).right <= box.right + 1 && letter(0).left >= box.left,
            runs: letter(1).right <= letter(0).right };
        })";
        let names = browser.eval(seen);
        let names = names.as_array().unwrap();
        assert!(names.len() >= 2 + 16, "{}", names.len());
        for name in names {
            assert_eq!(
                (&name["starts"], &name["runs"]),
                (&json!(true), &json!(true)),
                "{width}: {name}"
            );
        }
        assert!(names.iter().any(|name| name["cut"] == true), "{width}");
    }
    // Everywhere else, a name also has a direction of its own.
    let own = |selector: &str| {
        let all = format!(
            "[...document.querySelectorAll({})].filter(n => n.textContent.includes({})).map(n => [getComputedStyle(n).direction, getComputedStyle(n).unicodeBidi].join(' '))",
            json!(selector),
            json!(ARABIC[0])
        );
        browser.eval(&all)
    };
    for place in ["#standings th", "#ranking th", "#people .name"] {
        assert_eq!(own(place), json!(["rtl isolate"]), "{place}");
    }
    assert_eq!(own("#log .whom"), json!(["rtl isolate"]));
    check_console_and_requests(&server, &browser);
}

/// Rounds of a round robin of eight: two over, one played, one of which two games have been played
/// before their turn, and three to come.
fn rounds() -> Vec<Round> {
    let round = |number: usize| {
        let (stage, played) = match number {
            1 | 2 => (RoundStage::Over, 4),
            3 => (RoundStage::Current, 0),
            5 => (RoundStage::Current, 2),
            _ => (RoundStage::Coming, 0),
        };
        let row = |game: usize| {
            let (result, how) = match (game <= played, number) {
                (true, _) => ("1-0", ["disconnection", "forfeit (absence)"][game % 2]),
                (false, 3) => ("at table 1", ""),
                (false, _) => ("", ""),
            };
            let players = ["Ladder Breakers", "Othello Overflow"].map(|name| name.to_owned());
            let result = [result, how].map(str::to_owned);
            players.into_iter().chain(result).collect()
        };
        Round {
            title: format!("Round {number}"),
            stage,
            played,
            planned: 4,
            games: Grid {
                head: ["Black", "White", "Result", "By"].map(Into::into).into(),
                rows: (1..=4).map(row).collect(),
            },
            numbers: (1..=4).map(|game| format!("{number}.{game}.1")).collect(),
            deadlines: BTreeMap::new(),
        }
    };
    (1..=7).map(round).collect()
}

/// A tournament of eight with all possible columns.
fn round_robin(feed: &Feed) {
    let mut tournament = scenes::tournament();
    let head = [
        "Rank",
        "Player",
        "Points",
        "Won",
        "Drawn",
        "Lost",
        "Forfeits",
        "Byes",
        "Buchholz",
        "Sonneborn-Berger",
        "Black-White",
    ];
    let row = |rank: usize| -> Vec<String> {
        let name = ["Hane Heroes of the Faculty of Engineering", "Tengen"][rank % 2];
        let cells = ["12.5", "7", "0", "1", "0", "0", "24.5", "112.25", "7-7"];
        let cells = cells.map(str::to_owned);
        [rank.to_string(), format!("{name} {rank}")]
            .into_iter()
            .chain(cells)
            .collect()
    };
    tournament.standings = Grid {
        head: head.map(Into::into).into(),
        rows: (1..=8).map(row).collect(),
    };
    tournament.rounds = rounds();
    feed.set_tournament(Some(tournament));
}

#[test]
#[ignore = "starts Chromium"]
fn standings_are_seen_whole_and_the_round_that_is_played_comes_first() {
    let (feed, server, browser) = scene(false);
    round_robin(&feed);
    browser.wait_for_text("#standings", "Black-White");
    for width in [320, 400, 640, 1440, 1920, 2560] {
        browser.resize(width, 900);
        assert_eq!(hidden_width(&browser, "#standings"), 0, "{width}");
    }
    // The crosstable is below the standings, and takes no room from the rounds beside them.
    let mut tournament = scenes::tournament();
    tournament.crosstable = Some(scenes::crosstable(5, false));
    feed.set_tournament(Some(tournament));
    browser
        .wait_until("document.querySelector('#overview #cross-part')?.checkVisibility() ?? false");
    for width in [1300, 1920] {
        browser.resize(width, 900);
        let beside = "['#standings', '#current', '#cross'].map(part => document.querySelector(part).getBoundingClientRect())";
        let order = format!(
            "(([standings, current, cross]) => current.top < standings.bottom && current.left >= standings.right && cross.top >= standings.bottom)({beside})"
        );
        assert_eq!(browser.eval(&order), true, "{width}");
    }
    round_robin(&feed);
    browser.wait_for_text("#current", "Round 5 (2 of 4 games played)");
    let titles = "[...document.querySelectorAll('#tournament h3')].filter(n => n.checkVisibility()).map(n => n.textContent)";
    let seen = [
        "Round 3",
        "Round 5 (2 of 4 games played)",
        "Round 2",
        "Round 1",
    ];
    let last = "Decisions of the organizer";
    assert_eq!(browser.eval(titles), json!([&seen[..], &[last]].concat()));
    browser.click("#coming-title");
    assert_eq!(browser.text("#coming-title"), "Rounds 4, 6 and 7, to come");
    let all = [&seen[..], &["Round 4", "Round 6", "Round 7", last]].concat();
    assert_eq!(browser.eval(titles), json!(all));
    check_console_and_requests(&server, &browser);
}

/// How much of an element is hidden until it is scrolled to the right.
fn hidden_width(browser: &Browser, selector: &str) -> Value {
    browser.eval(&format!(
        "(({{ scrollWidth, clientWidth }}) => scrollWidth - clientWidth)(document.querySelector({}))",
        json!(selector)
    ))
}

/// Each word of the results is in one line.
#[test]
#[ignore = "starts Chromium"]
fn how_a_game_ended_is_below_its_result_in_whole_words() {
    let (feed, server, browser) = scene(false);
    round_robin(&feed);
    browser.wait_for_text(".rounds", "forfeit (absence)");
    let broken = "[...document.querySelectorAll('.rounds td')].filter(cell => cell.checkVisibility()).flatMap(cell => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const words = [];
      while (texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\w()]+/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (range.getClientRects().length > 1) words.push(word);
        }
      }
      return words;
    })";
    for width in [320, 400, 700, 1300, 1366, 1920, 2560] {
        browser.resize(width, 900);
        assert_eq!(browser.eval(broken), json!([]), "{width}");
        assert_eq!(
            browser.eval("document.documentElement.scrollWidth"),
            width,
            "{width}"
        );
    }
    check_console_and_requests(&server, &browser);
}

/// Checks that the page is no wider than phones and larger screens are, and that the texts of
/// a part of it stand out in both themes. Keeps pictures of the part. `texts` are the selectors of
/// its texts.
fn check_part(browser: &Browser, part: &str, texts: &str) {
    browser.eval(COLORS);
    let texts = format!(
        "seen({}).map(node => [node.textContent, getComputedStyle(node).color, ground(node)])",
        json!(texts)
    );
    let scroll = format!("document.querySelector({}).scrollIntoView()", json!(part));
    for theme in ["light", "dark"] {
        browser.set_system_theme(theme);
        for width in [320, 390, 1024, 1440] {
            browser.resize(width, 900);
            let wide = browser.eval("document.documentElement.scrollWidth");
            assert_eq!(wide, width, "{theme}");
            browser.eval(&scroll);
            browser.screenshot(&format!("{}-{theme}-{width}", part.trim_start_matches('#')));
            let (ratio, name) = least(browser, &texts);
            assert!(ratio >= 4.5, "{theme}, {width}, {name}: {ratio}");
        }
    }
}

/// A table with headings for screen readers, which scrolls in a box of its own, by keyboard, too.
#[test]
#[ignore = "starts Chromium"]
fn the_ladder_is_a_table_that_fits_a_phone() {
    let (feed, server, browser) = scene(false);
    let is_hidden = "document.querySelector('#ladder-panel').hidden";
    assert_eq!(browser.eval(is_hidden), true);
    feed.set_ladder(scenes::ladder(40));
    browser.wait_for_text("#ladder", "Tengen 40");
    browser.wait_for_text("#ladder-note", "from 1200 matches");
    assert_eq!(browser.count("#ladder thead th[scope=col]"), 9);
    assert_eq!(browser.count("#ladder tbody th[scope=row]"), 40);
    assert_eq!(browser.count("#ladder tbody tr:first-child td.number"), 8);
    check_part(
        &browser,
        "#ladder-panel",
        "#ladder th, #ladder td, #ladder-note",
    );
    // A phone shows the ratings beside the names, and all the rest.
    for width in [320, 400] {
        browser.resize(width, 900);
        assert_eq!(hidden_width(&browser, "#ladder"), 0, "{width}");
        let tops = "['.who-cell', '.main-cell', '.detail'].map(part => document.querySelector(`#ladder tbody ${part}`).getBoundingClientRect().top)";
        let tops: Vec<f64> = serde_json::from_value(browser.eval(tops)).unwrap();
        assert!(tops[0] == tops[1] && tops[1] < tops[2], "{width}: {tops:?}");
        let heading =
            "getComputedStyle(document.querySelector('#ladder tbody .detail'), '::before').content";
        assert_eq!(browser.eval(heading), "\"Matches \"", "{width}");
    }
    // The keys scroll it.
    browser.resize(390, 900);
    browser.eval("document.querySelector('#ladder').focus()");
    browser.press(&char::from(Key::Down).to_string());
    browser.wait_until("document.querySelector('#ladder').scrollTop > 0");
    // A match more.
    feed.set_ladder(scenes::ladder(41));
    browser.wait_until("document.querySelectorAll('#ladder tbody tr').length === 41");
    check_console_and_requests(&server, &browser);
}

/// Players by rows, opponents by columns, with words for screen readers.
#[test]
#[ignore = "starts Chromium"]
fn the_crosstable_is_a_table_that_fits_a_phone() {
    let (feed, server, browser) = scene(false);
    let mut tournament = scenes::tournament();
    tournament.crosstable = Some(scenes::crosstable(12, false));
    feed.set_tournament(Some(tournament.clone()));
    browser.wait_for_text("#cross", "B1 W½");
    assert_eq!(browser.count("#cross tbody th[scope=row]"), 12);
    assert_eq!(browser.count("#cross thead th[scope=col]"), 2 + 1 + 12);
    let read = |row: u8, column: u8| {
        let cell = format!(
            "#cross tbody tr:nth-child({row}) td:nth-of-type({}) .hidden-text",
            column + 1
        );
        browser.eval(&format!(
            "document.querySelector({}).textContent",
            json!(cell)
        ))
    };
    assert_eq!(read(1, 2), "no game");
    assert_eq!(read(1, 3), "won with Black, drawn with White");
    assert_eq!(
        read(2, 2),
        "lost by forfeit with White, not yet over with Black"
    );
    check_part(&browser, "#cross-part", "#cross th, #cross td");
    // The keys scroll it, and the names stay.
    browser.resize(390, 900);
    browser.eval("document.querySelector('#cross').focus()");
    browser.press(&char::from(Key::End).to_string());
    browser.press(&char::from(Key::Down).to_string());
    browser.eval("document.querySelector('#cross').scrollLeft = 400");
    let left = "document.querySelector('#cross .who-cell').getBoundingClientRect().left - document.querySelector('#cross').getBoundingClientRect().left";
    assert_eq!(browser.eval(left), 0);
    // A Swiss tournament has a column for each round.
    tournament.crosstable = Some(scenes::crosstable(5, true));
    feed.set_tournament(Some(tournament.clone()));
    browser.wait_for_text("#cross", "2: B1 W½");
    assert_eq!(
        read(1, 2),
        "won with Black, drawn with White against Tengen 2"
    );
    assert!(browser.text("#cross").contains("bye"));
    assert!(
        browser
            .text("#cross-legend")
            .starts_with("B with Black, W with White · 1 won,")
    );
    // Other games have other names for their sides.
    tournament.sides = ByColor::new("South", "North").map(Into::into);
    feed.set_tournament(Some(tournament));
    browser.open(&server.url());
    browser.wait_for_text("#cross", "2: S1 N½");
    assert!(
        browser
            .text("#cross-legend")
            .starts_with("S with South, N with North · 1 won,")
    );
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_projector_shows_all_boards_and_the_standings() {
    let (feed, server, browser) = scene(false);
    round_robin(&feed);
    browser.wait_for_text("#standings", "Black-White");
    let within = |selector: &str| {
        browser.eval(&format!(
            "[...document.querySelectorAll({})].map(n => n.getBoundingClientRect()).filter(({{ left, right, top, bottom, width, height }}) => \
               width > 60 && height > 20 && left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1).length",
            json!(selector)
        ))
    };
    for (width, height) in [(1440, 900), (1920, 1080), (1024, 768)] {
        browser.resize(width, height);
        // One board.
        browser.press("f");
        browser.wait_until("document.querySelector('#ranking').checkVisibility()");
        let leader = "Hane Heroes of the Faculty of Engineering 2";
        assert!(browser.text("#ranking").contains(leader));
        assert_eq!(within("#ranking tbody tr:first-child"), 1, "{width}");
        assert_eq!(within("#board svg"), 1, "{width}");
        // All of them.
        browser.press("a");
        browser.wait_until("!document.querySelector('#board').checkVisibility()");
        assert_eq!(within("#tables .card"), 4, "{width}");
        assert_eq!(within("#tables .card svg"), 4, "{width}");
        assert!(browser.text("#ranking").contains(leader));
        browser.screenshot(&format!("all-{width}"));
        // Twice as many.
        for id in 5..=8 {
            let names = ["Nobi", "Atari Safari"];
            feed.set_plies(
                scenes::go_table(id, 19, names),
                0,
                scenes::go_game(19, 50, 5),
            );
        }
        browser.wait_until("document.querySelectorAll('#tables .card').length === 8");
        browser.wait_until(
            "document.querySelector('#tables').getBoundingClientRect().bottom <= innerHeight",
        );
        assert_eq!(within("#tables .card svg"), 8, "{width}");
        (5..=8).for_each(|id| feed.remove_table(id));
        browser.wait_until("document.querySelectorAll('#tables .card').length === 4");
        browser.press("af");
    }
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_form_with_long_names_is_no_wider_than_a_phone() {
    let (feed, server, browser) = scene(true);
    feed.set_tournament(None);
    for id in 60..64 {
        let name = "The Magnificent Ladder Breakers of the Faculty of Engineering";
        feed.set_client(scenes::client(id, Some(&format!("{name} {id}")), None));
    }
    browser.wait_for_text("#holding fieldset", "Engineering 63");
    for width in [320, 390] {
        browser.resize(width, 844);
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert_eq!(wide, width, "{wide}");
        let outside = format!(
            "[...document.querySelectorAll('#holding *')].filter(n => n.checkVisibility() && n.getBoundingClientRect().right > {width}).length"
        );
        assert_eq!(browser.eval(&outside), 0, "{width}");
    }
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_lead_is_drawn_ply_by_ply() {
    let (feed, server, browser) = scene(false);
    let (table, mut plies) = scenes::awari(5);
    // South has captured two, then North two: 0 to 0, 0 to 0, 2 to 0, 2 to 2.
    plies[2].scores = Some(ByColor::new(2.0, 0.0));
    let mut last = plies[2].clone();
    last.scores = Some(ByColor::new(2.0, 2.0));
    plies.push(last);
    feed.set_plies(table, 0, plies);
    browser.wait_for_text("#tables", "Table 5");
    browser.press("5");
    browser.wait_for_text("#table-title", "Table 5");
    assert_eq!(browser.text(".graph p"), "The score is tied, 2 to 2");
    // How high the line is in the middle of each ply: 50 is level, 0 and 100 are the
    // edges, 10 stones away.
    let heights = "(() => {
      const path = document.querySelector('.lead-edge');
      const all = Array.from({ length: 601 }, (_, n) => path.getPointAtLength(path.getTotalLength() * n / 600));
      return [0, 1, 2, 3].map(ply => all.reduce((one, other) =>
        Math.abs(other.x - ply * 100) < Math.abs(one.x - ply * 100) ? other : one).y);
    })()";
    assert_eq!(browser.eval(heights), json!([50, 50, 40, 50]));
    browser.click("#back");
    assert_eq!(browser.text(".graph p"), "South leads by 2");
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_block_of_the_log_is_read_from_top_to_bottom() {
    let (feed, server, browser) = scene(false);
    let lines = [
        "final standings:",
        "   Name  Points",
        "1  Sente  3",
        "2  Tengen  1",
    ];
    feed.log("", lines.join("\n"));
    browser.wait_for_text("#log li:first-child", "final standings:");
    let block = browser.eval("document.querySelector('#log pre').innerText");
    assert_eq!(block, Value::from(lines[1..].join("\n")));
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn a_player_without_a_seat_may_still_be_connected() {
    let (feed, server, browser) = scene(false);
    let mut table = scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"]);
    table.phase = TableStatus::Over;
    for color in Color::ALL {
        table.seats[color].client = None;
    }
    table.seats.white.connected = false;
    feed.set_table(table);
    browser.wait_for_text("[data-seat='1']", "not connected");
    assert!(!browser.text("[data-seat='0']").contains("not connected"));
    check_console_and_requests(&server, &browser);
}
