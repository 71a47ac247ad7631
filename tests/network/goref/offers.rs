//! The commands that the page offers the organizer, and where games of a tournament are.

use serde_json::{Value, json};

use crate::goref::server::{Server, pass};
use crate::goref::spectator::Spectator;

/// The commands that table 1 accepts now. All others are refused, with the sentence that
/// the page is told.
fn offered(server: &Server, page: &Spectator) -> Vec<String> {
    let commands = page.tables[&1]["commands"].as_object().unwrap();
    for (action, why) in commands {
        let command = match action.as_str() {
            // The contest checks which game to resume before it checks the table.
            "recall" => continue,
            "assign" => json!({"action": "assign", "table": 1, "color": "B", "client": null}),
            "free" => json!({"action": "free", "table": 1, "color": "W"}),
            action => json!({"action": action, "table": 1}),
        };
        if let Some(why) = why.as_str() {
            assert_eq!(server.refuses(command), why, "{action}");
        }
    }
    let offered = commands.iter().filter(|(_, why)| why.is_null());
    offered.map(|(action, _)| action.clone()).collect()
}

#[test]
fn the_page_is_told_what_would_be_refused() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let act = |action: &str| server.act(json!({"action": action, "table": 1}));
    page.wait_for_phase(1, "waiting");
    assert_eq!(offered(&server, &page), ["assign", "recall", "swap"]);
    let (mut ann, mut bob) = (server.client("Ann"), server.client("Bob"));
    for (color, name) in [("B", "Ann"), ("W", "Bob")] {
        let client = server.number_of(name);
        server.act(json!({"action": "assign", "table": 1, "color": color, "client": client}));
    }
    page.wait_until("both sit", |page| {
        page.tables[&1]["commands"]["start"].is_null()
    });
    assert_eq!(
        offered(&server, &page),
        ["assign", "recall", "start", "swap"]
    );
    act("start");
    page.wait_for_phase(1, "playing");
    assert_eq!(offered(&server, &page), ["adjourn", "pause"]);
    act("pause");
    page.wait_for_phase(1, "paused");
    let waits = ["adjourn", "assign", "resume", "swap", "void"];
    assert_eq!(offered(&server, &page), waits);
    act("resume");
    for client in [&mut ann, &mut bob] {
        client.expect("START");
        client.expect("END");
        client.expect("START");
    }
    ann.plays(&mut bob, &pass());
    bob.send_move(&pass());
    page.wait_for_phase(1, "over");
    let over = ["assign", "recall", "start", "swap", "void"];
    assert_eq!(offered(&server, &page), over);
}

/// The results of the games, by round, with how far each round is.
fn rounds(page: &Spectator) -> Vec<(String, Vec<String>)> {
    let rounds = page.tournament["rounds"].as_array();
    let round = |round: &Value| {
        let rows = round["games"]["rows"].as_array().unwrap().iter();
        let results = rows.map(|row| row[2].as_str().unwrap().to_owned());
        (
            round["stage"].as_str().unwrap().to_owned(),
            results.collect(),
        )
    };
    rounds
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .map(round)
        .collect()
}

#[test]
fn the_page_is_told_where_a_game_of_a_tournament_is() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let _players = ["Ann", "Bob", "Cyd", "Dan"].map(|name| server.client(name));
    server.act(json!({"action": "tournament", "system": "round-robin", "games": 1, "avoid": []}));
    let expect = |page: &mut Spectator, place: &str| {
        let first = ("current".to_owned(), vec![place.to_owned(), String::new()]);
        page.wait_until(place, |page| rounds(page).first() == Some(&first));
    };
    expect(&mut page, "at table 1");
    assert_eq!(page.tables[&1]["round"], 1);
    let stages: Vec<String> = rounds(&page).into_iter().map(|(stage, _)| stage).collect();
    assert_eq!(stages, ["current", "coming", "coming"]);
    server.act(json!({"action": "pause", "table": 1}));
    expect(&mut page, "paused at table 1");
    server.act(json!({"action": "adjourn", "table": 1}));
    page.wait_until("adjourned", |page| {
        let first = rounds(page).swap_remove(0).1;
        first == ["adjourned", "at table 1"]
    });
    server.act(json!({"action": "end-tournament"}));
    page.wait_until("the end", |page| page.tournament["running"] == false);
    assert!(rounds(&page).iter().all(|(stage, _)| stage == "dropped"));
}
