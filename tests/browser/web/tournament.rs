//! What the page shows about a tournament besides its tables, and its proposals for a new one.

use std::time::{Duration, Instant};

use gothello::pages::web::{Command, PairingKind, TableView, TournamentRequest};
use serde_json::json;

use crate::web::page::{check_console_and_requests, scene};
use crate::web::scenes;

#[test]
#[ignore = "starts Chromium"]
fn the_end_is_told_with_the_winner_and_further_games_are_free() {
    let (feed, server, browser) = scene(false);
    assert_eq!(
        browser.eval("document.querySelector('#outcome').hidden"),
        true
    );
    let of_round = |round| TableView {
        round,
        ..scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"])
    };
    feed.set_table(of_round(Some(2)));
    browser.wait_for_text("#rules", "Round 2 · 19×19");
    let mut tournament = scenes::tournament();
    tournament.is_running = false;
    tournament.title = "Swiss system, over".into();
    tournament.outcome = Some("Hane Heroes wins with 3 points".into());
    feed.set_tournament(Some(tournament));
    browser.wait_for_text(
        "#outcome",
        "The tournament is over: Hane Heroes wins with 3 points. Games that begin now are free",
    );
    browser.press("f");
    browser.wait_for_text("#ranking h2", "Final standings Swiss system, over");
    browser.press("f");
    feed.set_table(of_round(None));
    browser.wait_for_text("#rules", "free game, not of the tournament · 19×19");
    feed.set_tournament(Some(scenes::tournament()));
    browser.wait_until("document.querySelector('#outcome').hidden");
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn seeds_and_ports_are_for_the_organizer() {
    for is_organizer in [true, false] {
        let (feed, server, browser) = scene(is_organizer);
        let table = TableView {
            port: Some(29_068),
            ..scenes::go_table(1, 19, ["Hane Heroes", "Ladder Breakers"])
        };
        feed.set_table(table);
        feed.log("", "the last message");
        browser.wait_for_text("#log", "the last message");
        if is_organizer {
            browser.wait_for_text("#port", "port 29068");
            browser.wait_for_text(
                "#schedule-seed",
                "Seed of the schedule: 18446744073709551557",
            );
        }
        let seen = browser.text("main");
        for text in ["29068", "18446744073709551557"] {
            assert_eq!(seen.contains(text), is_organizer, "{text}");
        }
        check_console_and_requests(&server, &browser);
    }
}

#[test]
#[ignore = "starts Chromium"]
fn the_time_until_a_forfeit_is_counted_down() {
    let (feed, server, browser) = scene(false);
    let mut tournament = scenes::tournament();
    let round = &mut tournament.rounds[1];
    round.games.rows[0][3] = "Ladder Breakers forfeits in".into();
    let limit = Instant::now() + Duration::from_secs(3600);
    round.deadlines = [(0, feed.clock_at(limit))].into();
    feed.set_tournament(Some(tournament.clone()));
    let cell = "#current tbody tr:first-child .result";
    browser.wait_for_text(cell, "at table 1 Ladder Breakers forfeits in 59:");
    let left = "document.querySelector('.countdown').textContent";
    let before = browser.eval(left);
    browser.wait_until(&format!("{left} !== {before}"));
    assert_eq!(browser.count("#tournament [role=timer]"), 1);
    // A projector shows it beside the board.
    browser.press("f");
    let awaited = "document.querySelector('#awaited').checkVisibility()";
    assert_eq!(browser.eval(awaited), true);
    browser.wait_for_text("#awaited", "Ladder Breakers forfeits in 59:");
    assert!(browser.text("#awaited").ends_with(" · Round 2"));
    browser.press("f");
    // The remaining time is never negative.
    tournament.rounds[1].deadlines = [(0, 0)].into();
    feed.set_tournament(Some(tournament));
    browser.wait_for_text(cell, "forfeits in 0.0");
    check_console_and_requests(&server, &browser);
}

#[test]
#[ignore = "starts Chromium"]
fn the_rounds_that_are_proposed_fit_the_players() {
    let (feed, server, browser) = scene(true);
    feed.set_tournament(None);
    browser.wait_for_text("#holding", "Start the tournament");
    let rounds = "document.querySelector('[name=rounds]').value";
    let extent = |text: &str| browser.wait_for_text("#holding", text);
    for (players, proposed, most, text) in [
        (2, "1", "1", "2 players, 1 round, 2 games in all"),
        (3, "2", "3", "3 players, 2 rounds, 4 games in all"),
        (4, "2", "3", "4 players, 2 rounds, 8 games in all"),
        (5, "3", "5", "5 players, 3 rounds, 12 games in all"),
        (8, "3", "7", "8 players, 3 rounds, 24 games in all"),
        (13, "4", "13", "13 players, 4 rounds, 48 games in all"),
        (100, "7", "50", "100 players, 7 rounds, 700 games in all"),
    ] {
        feed.set_entrants((1..=players).map(|player| format!("P{player}")).collect());
        extent(text);
        assert_eq!(browser.eval(rounds), proposed, "{players}");
        let max = "document.querySelector('[name=rounds]').max";
        assert_eq!(browser.eval(max), most, "{players}");
    }
    // A round robin has as many as it takes.
    let choose = |kind: &str| {
        browser.click(&format!("[name=kind] option[value={kind}]"));
    };
    choose("round-robin");
    feed.set_entrants(["Ann", "Bob", "Eve"].map(Into::into).into());
    extent("3 players, 3 rounds, 6 games in all");
    browser.click("fieldset select:nth-of-type(1) option[value=Ann]");
    browser.click("fieldset select:nth-of-type(2) option[value=Bob]");
    browser.click("fieldset button");
    extent("3 players, 3 rounds, 4 games in all");
    browser.click("[data-action=tournament]");
    let avoid = vec![["Ann".into(), "Bob".into()]];
    let kind = PairingKind::RoundRobin;
    let command = Command::Tournament(TournamentRequest {
        system: kind,
        rounds: None,
        games: 2,
        avoid,
    });
    assert_eq!(server.command(), command);
    // The organizer's choices stay.
    choose("swiss");
    extent("3 players, 2 rounds, 4 games in all");
    browser.eval(
        "(input => { input.value = 3; input.dispatchEvent(new Event('input', { bubbles: true })); })(document.querySelector('[name=rounds]'))",
    );
    extent("3 players, 3 rounds, 6 games in all");
    feed.set_entrants((1..=16).map(|player| format!("P{player}")).collect());
    extent("16 players, 3 rounds, 48 games in all");
    assert_eq!(browser.eval(rounds), json!("3"));
    check_console_and_requests(&server, &browser);
}
