//! The organizer, and nobody else, is warned of teams whose programs fail.

use crate::netref::referee::Referee;
use crate::netref::spectator::{Spectator, page, token, watch_with};
use crate::netref::teams::{Course, enter};

const LOST: &str = "Red has lost its last 3 games before its first move (disconnection)";

/// Red dies before its first move.
fn loses(referee: &Referee) {
    let mut white = enter(referee, "Blue", "player white");
    let mut black = enter(referee, "Red", "player black");
    black.lines_to("352 ");
    drop(black);
    white.lines_to("351 ");
    white.rest();
}

#[test]
fn a_team_that_loses_before_its_first_move_is_a_warning_until_it_wins() {
    let course = Course::new();
    let referee = course.start(&["--http", "0"]);
    let mut spectator = Spectator::open(&referee);
    let socket = watch_with(page(&referee), &["organizer", &token(&referee)]);
    let mut organizer = Spectator::on(socket);
    for _ in 0..3 {
        loses(&referee);
    }
    referee.wait_for_line(LOST);
    organizer.wait("the warning", |seen| seen.warnings == [LOST]);
    loses(&referee);
    let lost = LOST.replace('3', "4");
    organizer.wait("four", |seen| seen.warnings == [&*lost]);
    // A page that is opened now shows the same.
    let socket = watch_with(page(&referee), &["organizer", &token(&referee)]);
    assert_eq!(Spectator::on(socket).warnings, [lost]);
    // Ten connections send what is no request.
    for _ in 0..10 {
        enter(&referee, "Green", "playr black").expect("199 ");
    }
    referee.wait_for_line("Green has made the same error at least 10 times: 199 ");
    let mut red = enter(&referee, "Red", "player black");
    let mut blue = enter(&referee, "Blue", "player white");
    red.lines_to("352 ");
    blue.lines_to("351 ");
    red.ask("1 c3", "200 ");
    blue.lines_to("311 ");
    blue.ask("resign", "204 ");
    organizer.wait("one warning", |seen| {
        seen.warnings.len() == 1 && seen.warnings[0].starts_with("Green ")
    });
    spectator.wait("all games", |seen| seen.finished.len() == 5);
    assert!(!spectator.raw.contains("has lost its last"));
    assert_eq!(referee.count_in_log("has lost its last"), 1);
}
