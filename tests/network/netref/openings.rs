//! The answers of the built referee before a client has a role, in the order of the paper: greeting,
//! `seat_illegal` and `seat_garbled`. The others are in `tests/pure/netref/tables.rs`.

use crate::netref::referee::Referee;

/// A browser sends many lines that get the same answer: of these in a row, one is logged.
#[test]
fn a_malformed_opening_is_refused_logged_once_and_may_be_tried_again() {
    let referee = Referee::start(&["--log-format", "json"]);
    let mut client = referee.connect();
    client.expect("000 Gothello 0.9.2");
    client.ask("GET / HTTP/1.1", "199 ");
    client.ask("Host: example.org", "199 ");
    client.ask("0.9.1 player red", "199 ");
    client.ask("0.9.1 player blue", "199 ");
    let answer = client.ask("0.9.1 observer Eve", "199 ");
    assert!(answer.ends_with(r#"as in "Eve""#), "{answer}");
    client.ask("0.9.1 observer", "100 ");
    referee.wait_for_line("\"event\":\"observing\"");
    assert_eq!(referee.count_in_log("\"event\":\"refused\""), 3);
    assert_eq!(referee.count_in_log("a version number is expected"), 1);
    assert_eq!(referee.count_in_log("is expected after player"), 1);
}

#[test]
fn a_greater_version_is_illegal_and_closes_the_connection() {
    let referee = Referee::start(&[]);
    for role in ["player white", "observer", "nonsense"] {
        let mut client = referee.connect();
        client.expect("000 ");
        client.ask(&format!("0.10 {role}"), "198 ");
        client.expect_end();
    }
}
