//! Tables 2 to 5 of the paper: how clients enter, and how a match begins.

use gothello::contests::netref::{
    Awari, Gothello, Lines, Malformed, NetrefGame, Opening, OpeningError, Settings,
};

use super::test_table::{Client, TestTable, settings};

/// Asks a table for a role, and returns the client that has read the answer.
#[track_caller]
fn assert_answer(table: &TestTable, opening: &str, beginning: &str) -> Client {
    let mut client = table.open(opening);
    let line = client.line().unwrap();
    assert!(line.starts_with(beginning), "{opening:?}: {line:?}");
    client
}

/// Reads the bytes of an opening.
fn read<G: NetrefGame>(opening: &str) -> Result<Opening, OpeningError> {
    let mut lines = Lines::default();
    lines.push(format!("{opening}\r").as_bytes());
    let line = lines.next().unwrap();
    line.text()
        .map_err(OpeningError::from)
        .and_then(Opening::parse::<G>)
}

/// Checks that an opening is not understood, and returns the reason.
#[track_caller]
fn assert_malformed(opening: &str) -> String {
    match read::<Gothello>(opening) {
        Err(OpeningError::Malformed(Malformed(why))) => why,
        other => panic!("{opening:?}: {other:?}"),
    }
}

#[test]
pub fn a_match_begins_when_both_sides_have_a_player() {
    let table = TestTable::new();
    let mut white = assert_answer(&table, "0.9.1 player white", "100 ");
    let mut black = assert_answer(&table, "0.9.1 player black", "100 ");
    white.expect("351 ");
    black.expect("352 ");
}

#[test]
fn a_lower_version_will_do() {
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
        let opening = read::<Gothello>(&format!("{version} player black"));
        assert!(opening.is_ok(), "{opening:?}");
    }
}

/// A version is a pair of numbers in the paper, and three in the referee that is deployed: the
/// third is a revision that clients can ignore.
#[test]
fn more_numbers_than_ours_has_make_no_greater_version() {
    for version in ["0.9.2.1", "0.9.2.2.3", "0.9.1.7"] {
        let opening = read::<Gothello>(&format!("{version} player black"));
        assert!(opening.is_ok(), "{opening:?}");
    }
    for version in ["0.9.2.1", "0.9.1.1", "0.9.0.1"] {
        let opening = read::<Awari>(&format!("{version} player south"));
        assert!(opening.is_ok(), "{opening:?}");
    }
    for version in ["0.10", "0.10.0", "1.0"] {
        let opening = read::<Awari>(&format!("{version} player south"));
        assert!(
            matches!(opening, Err(OpeningError::Version(_))),
            "{opening:?}"
        );
    }
}

#[test]
fn a_greater_version_is_refused_whatever_follows_it() {
    let huge = "0.99999999999999999999999";
    for version in [
        "0.9.3", "0.9.3.0", "0.9.3.1", "0.10", "0.9.10", "1.0", "10.0", huge,
    ] {
        for role in ["player white", "observer", "nonsense"] {
            let opening = read::<Gothello>(&format!("{version} {role}"));
            assert!(
                matches!(opening, Err(OpeningError::Version(_))),
                "{opening:?}"
            );
        }
    }
}

#[test]
fn a_malformed_opening_is_not_understood() {
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
        assert_malformed(opening);
    }
}

#[test]
pub fn a_side_that_is_taken_is_free_again_when_its_player_leaves() {
    let table = TestTable::new();
    let black = table.seat("player black");
    assert_answer(&table, "0.9.1 player black", "191 ").expect_last(&[]);
    drop(black);
    assert_answer(&table, "0.9.1 player black", "100 ");
}

#[test]
pub fn a_third_player_finds_the_table_full_while_two_play() {
    let table = TestTable::new();
    let (mut black, mut white) = table.pair();
    for side in ["black", "white", "?"] {
        assert_answer(&table, &format!("0.9.1 player {side}"), "192 ").expect_last(&[]);
    }
    black.ask("resign", "204 ");
    white.expect("322 ");
    white.expect_last(&[]);
    assert_answer(&table, "0.9.1 player black", "100 ");
}

#[test]
pub fn nobody_observes_at_a_private_table() {
    let table = TestTable::with(Settings {
        private: true,
        ..settings()
    });
    assert_answer(&table, "0.9.1 observer", "193 ").expect_last(&[]);
    let (_black, _white) = table.pair();
    assert_answer(&table, "0.9.1 observer \"Ann\"", "193 ").expect_last(&[]);
}

#[test]
pub fn a_player_of_either_side_gets_the_free_one() {
    let table = TestTable::new();
    for (first, second, [first_role, second_role]) in [
        ("?", "black", ["351 ", "352 "]),
        ("?", "white", ["352 ", "351 "]),
        ("black", "?", ["352 ", "351 "]),
        ("white", "?", ["351 ", "352 "]),
    ] {
        let [mut first, mut second] =
            [first, second].map(|side| table.seat(&format!("player {side}")));
        first.expect(first_role);
        second.expect(second_role);
        drop(first);
    }
}

#[test]
fn two_who_ask_for_either_side_have_them_by_the_toss_of_a_coin() {
    let table = TestTable::new();
    for (coin, roles) in [(true, ["351 ", "352 "]), (false, ["352 ", "351 "])] {
        table.set_coin(coin);
        let mut first = table.seat("player ?");
        let mut second = table.seat("player ?");
        first.expect(roles[0]);
        second.expect(roles[1]);
    }
}

#[test]
pub fn with_time_controls_everyone_is_told_the_seconds() {
    let table = TestTable::timed(120, 60);
    // A player is told its own seconds first, an observer White's.
    assert_answer(&table, "0.9.1 observer", "101 120 60 ");
    let _white = assert_answer(&table, "0.9.1 player white", "101 120 60 ");
    let _black = assert_answer(&table, "0.9.1 player black", "101 60 120 ");
}

/// Its own seconds come first, and before its side is known they are not known. The
/// answer is the first thing that it hears in any case.
#[test]
fn a_player_of_either_side_gets_the_times_when_its_side_is_known() {
    let own = |role: &str| match role {
        "351" => "101 120 60 ",
        _ => "101 60 120 ",
    };
    for names in [["", ""], ["\"Ann\"", "\"Bob\""]] {
        for other in ["?", "black", "white"] {
            let table = TestTable::timed(120, 60);
            let mut first = table.open(&format!("0.9.1 player ? {}", names[0]));
            first.expect_nothing();
            let mut second = table.seat(&format!("player {other} {}", names[1]));
            second.lines_to("35");
            let told = first.line().unwrap();
            let role = first.lines_to("35").pop().unwrap();
            assert!(told.starts_with(own(&role[..3])), "{told} {role}");
        }
    }
    // Both sides have the same time, so there is nothing to wait for.
    let table = TestTable::timed(60, 60);
    assert_answer(&table, "0.9.1 player ?", "101 60 60 ");
}

#[test]
pub fn names_are_told_to_those_who_gave_one_and_to_observers() {
    let table = TestTable::new();
    let mut nameless = table.seat("observer");
    let mut eve = table.seat(r#"observer "Eve""#);
    let mut black = table.seat(r#"player black "Ann ""the Ox"" Lee""#);
    let mut white = table.seat(r#"player white "Bob""#);
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
fn a_client_without_a_name_gets_no_names_and_is_not_announced() {
    let table = TestTable::new();
    let mut observer = table.seat("observer");
    let mut black = table.seat("player black");
    let mut white = table.seat(r#"player white """#);
    black.expect("352 ");
    white.expect_all(&["341 \"\" ", "344 1 ", "351 "]);
    observer.expect_all(&["341 \"\" ", "344 1 ", "353 "]);
    black.ask("1 c3", "200 ");
}

#[test]
fn at_most_twenty_observers_are_told_by_name() {
    let table = TestTable::new();
    let observers: Vec<Client> = (1..=22)
        .map(|number| table.seat(&format!("observer \"Number {number}\"")))
        .collect();
    let _black = table.seat("player black");
    let mut white = table.seat("player white \"Ann\"");
    white.expect("341 \"Ann\" ");
    for number in 1..=20 {
        white.expect(&format!("343 {number} \"Number {number}\" "));
    }
    white.expect_all(&["344 22 ", "351 "]);
    drop(observers);
}

#[test]
fn a_name_has_31_characters_at_most() {
    let table = TestTable::new();
    // The last one has 31 when each two quotes are one.
    for name in ["", "x", &"x".repeat(31), &"\"\"".repeat(31)] {
        let mut black = assert_answer(&table, &format!("0.9.1 player black \"{name}\""), "100 ");
        let _white = table.seat("player white");
        black.expect(&format!("342 \"{name}\" "));
    }
    for name in ["x".repeat(32), "\"\"".repeat(32)] {
        assert_malformed(&format!("0.9.1 player black \"{name}\""));
    }
}

#[test]
fn a_malformed_name_is_not_understood() {
    for name in [
        "\"",
        "\"Ann",
        "\"Ann\"\"",
        "\"Ann\"Lee\"",
        "\"Ann\"Lee",
        "\"Ann\tLee\"",
        "\"J\u{f6}rg\"",
    ] {
        assert_malformed(&format!("0.9.1 observer {name}"));
    }
    assert!(read::<Gothello>("0.9.1 observer \"Ann\" and more").is_ok());
}

/// A word in the place of a name is meant as a name, and is not silently dropped.
#[test]
fn a_name_without_quotes_is_told_how_it_is_written() {
    for (role, name, right) in [
        ("player black", "Bob", r#"as in "Bob""#),
        ("player ?", "Bob Lee", r#"as in "Bob Lee""#),
        ("observer", "'Eve'", r#"as in "'Eve'""#),
        ("player white", "Ann \"B\"", r#"as in "Ann ""B""""#),
        ("player white", &"x".repeat(32), r#"as in "Ann""#),
    ] {
        let why = assert_malformed(&format!("0.9.1 {role} {name}"));
        assert!(why.ends_with(right), "{why}");
    }
}

#[test]
pub fn a_late_observer_gets_the_current_state() {
    let table = TestTable::new();
    let (mut black, mut white) = table.pair_called("\"Ann\"", "");
    black.ask("1 c3", "200 ");
    white.expect("311 ");
    let mut observer = table.seat("observer \"Eve\"");
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
    let table = TestTable::new();
    let (mut black, mut white) = table.pair();
    black.ask("resign", "204 ");
    black.lines_to("322 ");
    white.expect_last(&["322 "]);
    let mut observer = table.seat("observer");
    let (_black, _white) = table.pair();
    observer.expect_all(&["344 1 ", "353 "]);
}
