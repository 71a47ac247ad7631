//! Tables 1 to 5 of the paper: how clients enter, and how a match begins.

use std::time::Duration;

use crate::netref::referee::{Client, Referee};

/// Asks a new table for a role, and returns the answer.
#[track_caller]
fn assert_answer(referee: &Referee, opening: &str, beginning: &str) -> Client {
    let mut client = referee.connect();
    client.expect("000 ");
    client.send(&format!("{opening}\r"));
    let line = client.line().unwrap();
    assert!(line.starts_with(beginning), "{opening:?}: {line:?}");
    client
}

#[test]
pub fn everyone_is_greeted_with_the_version() {
    let referee = Referee::start(&[]);
    let greeting = referee.connect().line().unwrap();
    let words: Vec<&str> = greeting.split(' ').collect();
    assert_eq!(words[..3], ["000", "Gothello", "0.9.2"]);
}

#[test]
pub fn a_match_begins_when_both_sides_have_a_player() {
    let referee = Referee::start(&[]);
    let mut white = assert_answer(&referee, "0.9.1 player white", "100 ");
    let mut black = assert_answer(&referee, "0.9.1 player black", "100 ");
    white.expect("351 ");
    black.expect("352 ");
}

#[test]
pub fn a_lower_version_will_do() {
    for version in [
        "0.9.2",
        "0.9.1",
        "0.9",
        "0.9.0",
        "0.8.77",
        "0.0",
        "00.09.01",
        "0.9.1.0",
        "0.8.7.6.5",
    ] {
        let referee = Referee::start(&[]);
        assert_answer(&referee, &format!("{version} player black"), "100 ");
    }
}

/// A version is a pair of numbers in the paper, and three in the referee that is deployed: the
/// third is a revision that clients can ignore.
#[test]
pub fn more_numbers_than_ours_has_make_no_greater_version() {
    for (game, role, versions) in [
        (
            "gothello",
            "player black",
            &["0.9.2.1", "0.9.2.2.3", "0.9.1.7"][..],
        ),
        ("awari", "player south", &["0.9.2.1", "0.9.1.1", "0.9.0.1"]),
    ] {
        for version in versions {
            let referee = Referee::start(&["--game", game]);
            assert_answer(&referee, &format!("{version} {role}"), "100 ");
        }
    }
    let referee = Referee::start(&["--game", "awari"]);
    for version in ["0.10", "0.10.0", "1.0"] {
        assert_answer(&referee, &format!("{version} player south"), "198 ").expect_end();
    }
}

#[test]
pub fn a_greater_version_is_illegal_and_closes_the_connection() {
    let referee = Referee::start(&[]);
    let huge = "0.99999999999999999999999";
    for version in [
        "0.9.3", "0.9.3.0", "0.9.3.1", "0.10", "0.9.10", "1.0", "10.0", huge,
    ] {
        for role in ["player white", "observer", "nonsense"] {
            assert_answer(&referee, &format!("{version} {role}"), "198 ").expect_end();
        }
    }
}

#[test]
pub fn a_malformed_opening_is_refused_and_may_be_tried_again() {
    let referee = Referee::start(&[]);
    for opening in [
        "hello",
        "player black",
        "1 player black",
        "0,9 player black",
        "0.9. player black",
        ".9 player black",
        "-0.9 player black",
        "0.9.1",
        "0.9.1 player",
        "0.9.1 player red",
        "0.9.1 player Black",
        "0.9.1 PLAYER black",
        "0.9.1 observers",
        " ",
    ] {
        let mut client = assert_answer(&referee, opening, "199 ");
        client.ask("0.9.1 observer", "100 ");
    }
}

/// A browser sends many lines that get the same answer.
#[test]
fn malformed_openings_are_logged_once_for_each_answer_in_a_row() {
    let referee = Referee::start(&["--log-format", "json"]);
    let mut client = assert_answer(&referee, "GET / HTTP/1.1", "199 ");
    client.ask("Host: example.org", "199 ");
    client.ask("0.9.1 player red", "199 ");
    client.ask("0.9.1 player blue", "199 ");
    client.ask("0.9.1 observer", "100 ");
    referee.wait_for_line("\"event\":\"observing\"");
    assert_eq!(referee.count_in_log("\"event\":\"refused\""), 2);
    assert_eq!(referee.count_in_log("a version number is expected"), 1);
    assert_eq!(referee.count_in_log("is expected after player"), 1);
}

#[test]
pub fn a_side_that_is_taken_is_free_again_when_its_player_leaves() {
    let referee = Referee::start(&[]);
    let black = referee.seat("player black");
    assert_answer(&referee, "0.9.1 player black", "191 ").expect_end();
    assert_eq!(black.leave(), [""; 0]);
    assert_answer(&referee, "0.9.1 player black", "100 ");
}

#[test]
pub fn a_third_player_finds_the_table_full_while_two_play() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    for side in ["black", "white", "?"] {
        assert_answer(&referee, &format!("0.9.1 player {side}"), "192 ").expect_end();
    }
    black.ask("resign", "204 ");
    white.expect("322 ");
    white.expect_end();
    assert_answer(&referee, "0.9.1 player black", "100 ");
}

#[test]
pub fn nobody_observes_at_a_private_table() {
    let referee = Referee::start(&["--private"]);
    assert_answer(&referee, "0.9.1 observer", "193 ").expect_end();
    let (_black, _white) = referee.pair();
    assert_answer(&referee, "0.9.1 observer \"Ann\"", "193 ").expect_end();
}

#[test]
pub fn a_player_of_either_side_gets_the_free_one() {
    let referee = Referee::start(&[]);
    for (first, second, [first_role, second_role]) in [
        ("?", "black", ["351 ", "352 "]),
        ("?", "white", ["352 ", "351 "]),
        ("black", "?", ["352 ", "351 "]),
        ("white", "?", ["351 ", "352 "]),
    ] {
        let [mut first, mut second] =
            [first, second].map(|side| referee.seat(&format!("player {side}")));
        first.expect(first_role);
        second.expect(second_role);
        first.leave();
    }
}

#[test]
pub fn two_who_ask_for_either_side_have_them_by_chance() {
    let referee = Referee::start(&["--loss-wait", "0"]);
    let mut first_is_black = [0, 0];
    // The probability that one outcome never occurs is 2⁻³⁹.
    for _ in 0..40 {
        let mut first = referee.seat("player ?");
        let mut second = referee.seat("player ?");
        let roles = [first.line().unwrap(), second.line().unwrap()];
        let [white, black] = ["351 ", "352 "].map(|code| {
            let of_code = roles.iter().position(|role| role.starts_with(code));
            of_code.unwrap_or_else(|| panic!("{roles:?}"))
        });
        assert_ne!(white, black);
        first_is_black[white] += 1;
        first.leave();
    }
    assert!(!first_is_black.contains(&0), "{first_is_black:?}");
}

#[test]
pub fn with_time_controls_everyone_is_told_the_seconds() {
    let referee = Referee::start(&["120", "60"]);
    // A player is told its own seconds first, an observer White's.
    assert_answer(&referee, "0.9.1 observer", "101 120 60 ");
    let _white = assert_answer(&referee, "0.9.1 player white", "101 120 60 ");
    let _black = assert_answer(&referee, "0.9.1 player black", "101 60 120 ");
}

/// Its own seconds come first, and before its side is known they are not known. The
/// answer is the first thing that it hears in any case.
#[test]
pub fn a_player_of_either_side_gets_the_times_when_its_side_is_known() {
    let own = |role: &str| match role {
        "351" => "101 120 60 ",
        _ => "101 60 120 ",
    };
    for names in [["", ""], ["\"Ann\"", "\"Bob\""]] {
        for other in ["?", "black", "white"] {
            let referee = Referee::start(&["120", "60"]);
            let mut first = referee.connect();
            first.expect("000 ");
            first.send(&format!("0.9.1 player ? {}\r", names[0]));
            first.expect_silence(Duration::from_millis(100));
            let mut second = referee.seat(&format!("player {other} {}", names[1]));
            second.lines_to("35");
            let told = first.line().unwrap();
            let role = first.lines_to("35").pop().unwrap();
            assert!(told.starts_with(own(&role[..3])), "{told} {role}");
        }
    }
    // Both sides have the same time, so there is nothing to wait for.
    let referee = Referee::start(&["60"]);
    assert_answer(&referee, "0.9.1 player ?", "101 60 60 ");
}

#[test]
pub fn names_are_told_to_those_who_gave_one_and_to_observers() {
    let referee = Referee::start(&[]);
    let mut nameless = referee.seat("observer");
    let mut eve = referee.seat(r#"observer "Eve""#);
    let mut black = referee.seat(r#"player black "Ann ""the Ox"" Lee""#);
    let mut white = referee.seat(r#"player white "Bob""#);
    for (client, role) in [
        (&mut black, "352 "),
        (&mut white, "351 "),
        (&mut nameless, "353 "),
        (&mut eve, "353 "),
    ] {
        client.expect(r#"341 "Bob" "#);
        client.expect(r#"342 "Ann ""the Ox"" Lee" "#);
        client.expect(r#"343 2 "Eve" "#);
        client.expect("344 2 ");
        client.expect(role);
    }
}

#[test]
pub fn a_client_without_a_name_gets_no_names_and_is_not_announced() {
    let referee = Referee::start(&[]);
    let mut observer = referee.seat("observer");
    let mut black = referee.seat("player black");
    let mut white = referee.seat(r#"player white """#);
    black.expect("352 ");
    white.expect_all(&["341 \"\" ", "344 1 ", "351 "]);
    observer.expect_all(&["341 \"\" ", "344 1 ", "353 "]);
    black.ask("1 c3", "200 ");
}

#[test]
pub fn at_most_twenty_observers_are_told_by_name() {
    let referee = Referee::start(&[]);
    let observers: Vec<Client> = (1..=22)
        .map(|number| referee.seat(&format!("observer \"Number {number}\"")))
        .collect();
    let _black = referee.seat("player black");
    let mut white = referee.seat("player white \"Ann\"");
    white.expect("341 \"Ann\" ");
    for number in 1..=20 {
        white.expect(&format!("343 {number} \"Number {number}\" "));
    }
    white.expect_all(&["344 22 ", "351 "]);
    drop(observers);
}

#[test]
pub fn a_name_has_31_characters_at_most() {
    let referee = Referee::start(&[]);
    // The last one has 31 when each two quotes are one.
    for name in ["", "x", &"x".repeat(31), &"\"\"".repeat(31)] {
        let mut black = assert_answer(&referee, &format!("0.9.1 player black \"{name}\""), "100 ");
        let _white = referee.seat("player white");
        black.expect(&format!("342 \"{name}\" "));
        black.leave();
    }
    for name in ["x".repeat(32), "\"\"".repeat(32)] {
        assert_answer(&referee, &format!("0.9.1 player black \"{name}\""), "199 ");
    }
}

#[test]
pub fn a_malformed_name_is_not_understood_and_one_may_try_again() {
    let referee = Referee::start(&[]);
    for name in [
        "\"",
        "\"Ann",
        "\"Ann\"\"",
        "\"Ann\"Lee\"",
        "\"Ann\"Lee",
        "\"Ann\tLee\"",
        "\"J\u{f6}rg\"",
    ] {
        let mut client = assert_answer(&referee, &format!("0.9.1 observer {name}"), "199 ");
        client.ask("0.9.1 observer \"Ann\" and more", "100 ");
    }
}

/// A word in the place of a name is meant as a name, and is not silently dropped.
#[test]
pub fn a_name_without_quotes_is_told_how_it_is_written() {
    let referee = Referee::start(&[]);
    for (role, name, right) in [
        ("player black", "Bob", r#"as in "Bob""#),
        ("player ?", "Bob Lee", r#"as in "Bob Lee""#),
        ("observer", "'Eve'", r#"as in "'Eve'""#),
        ("player white", "Ann \"B\"", r#"as in "Ann ""B""""#),
        ("player white", &"x".repeat(32), r#"as in "Ann""#),
    ] {
        let mut client = referee.connect();
        client.expect("000 ");
        let answer = client.ask(&format!("0.9.1 {role} {name}"), "199 ");
        assert!(answer.ends_with(right), "{answer}");
        client.ask(&format!("0.9.1 {role}"), "100 ");
        client.leave();
    }
}

#[test]
pub fn a_late_observer_gets_the_current_state() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair_called("\"Ann\"", "");
    black.ask("1 c3", "200 ");
    white.expect("311 ");
    let mut observer = referee.seat("observer \"Eve\"");
    observer.expect_all(&[
        "342 \"Ann\" ",
        "343 1 \"Eve\" ",
        "344 1 ",
        "353 ",
        "380 1 w ",
        "382 ",
        ".....",
        ".....",
        "..b..",
        ".....",
        ".....",
    ]);
    white.ask("resign", "204 ");
    observer.expect("327 ");
    observer.lines_to("382 ");
    let board = [".....", ".....", "..b..", ".....", "....."];
    assert_eq!(observer.rest(), board);
}

#[test]
pub fn an_observer_between_two_matches_sees_the_next_one() {
    let referee = Referee::start(&[]);
    let (mut black, mut white) = referee.pair();
    black.ask("resign", "204 ");
    black.lines_to("322 ");
    white.expect_last(&["322 "]);
    let mut observer = referee.seat("observer");
    let (_black, _white) = referee.pair();
    observer.expect_all(&["344 1 ", "353 "]);
}
