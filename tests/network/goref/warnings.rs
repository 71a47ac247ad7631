//! The organizer is warned of players whose programs fail.

use std::fs;

use serde_json::json;

use crate::goref::server::{Server, pass};

#[test]
fn a_player_that_dies_before_its_first_move_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let time = json!({"remainingTime": 300});
    let setup = json!({"initialState": {"board": 9, "players": {"B": time, "W": time}}});
    fs::write(&file, setup.to_string()).unwrap();
    let setup = [
        "--auto",
        "--max-breaks",
        "0",
        "--setup",
        file.to_str().unwrap(),
    ];
    let server = Server::start(&setup);
    let mut page = server.watch();
    for _ in 0..3 {
        let (mut bob, mut red) = (server.client("Bob"), server.client("Red"));
        for _ in 0..10 {
            red.send_text("{}");
        }
        if bob.expect("START")["color"] == "B" {
            bob.send_move(&pass());
            bob.expect("VALID");
        }
        red.expect("START");
        drop(red);
        assert_eq!(bob.expect("END")["reason"], "timeout");
    }
    let lost = "Red has lost its last 3 games before its first move (timeout, after the error: ";
    let warning = server.wait_for_text("warning", "what", lost);
    page.wait_until("both warnings", |page| {
        let warnings = page.warnings.as_array();
        warnings.is_some_and(|all| all.len() == 2 && all.contains(&warning["what"]))
    });
    server.wait_for_text(
        "warning",
        "what",
        "Red has made the same error at least 10 times: ",
    );
}
