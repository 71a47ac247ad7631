//! What the page tells of who is there, and of what a tournament waits for.

use serde_json::{Value, json};

use crate::goref::server::Server;
use crate::goref::spectator::Spectator;
use crate::waiting::wait_for;

/// Whether each seat of table 1 is taken, and whether its player is connected.
fn seats(page: &Spectator) -> Vec<[bool; 2]> {
    let table = page.tables.get(&1);
    let seats = table.map_or(&[][..], |table| table["seats"].as_array().unwrap());
    let seat = |seat: &Value| [seat["client"].is_u64(), seat["connected"] == true];
    seats.iter().map(seat).collect()
}

const SEATED: [bool; 2] = [true, true];
const ELSEWHERE: [bool; 2] = [false, true];
const GONE: [bool; 2] = [false, false];

#[test]
fn after_a_game_its_players_are_still_connected_until_they_leave() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (mut black, mut white) = server.pair();
    page.wait_until("both sit", |page| seats(page) == [SEATED, SEATED]);
    black.plays(&mut white, &json!({"type": "resign"}));
    page.wait_for_phase(1, "over");
    assert_eq!(seats(&page), [ELSEWHERE, ELSEWHERE]);
    drop(white);
    page.wait_until("one is gone", |page| seats(page) == [ELSEWHERE, GONE]);
    let _back = server.client("Bob");
    page.wait_until("and back", |page| seats(page) == [ELSEWHERE, ELSEWHERE]);
}

#[test]
fn of_two_players_with_one_name_the_opponent_is_not_the_one_who_left() {
    let server = Server::start(&["--auto"]);
    let mut page = server.watch();
    let (_black, white) = server.pair_called("Twin", "Twin");
    drop(white);
    page.wait_for_phase(1, "paused");
    assert_eq!(seats(&page), [SEATED, GONE]);
}

/// A round robin of two, in which both colors are played.
fn begin(server: &Server) {
    let command = json!({"action": "tournament", "system": "round-robin", "games": 2, "avoid": []});
    server.act(command);
}

#[test]
fn the_page_says_what_a_tournament_waits_for() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let _ann = server.client("Ann");
    let bob = server.client("Bob");
    begin(&server);
    let waits = |page: &Spectator, expected: &[&str]| page.tournament["waits"] == json!(expected);
    page.wait_for_phase(1, "playing");
    page.wait_until("it plays", |page| waits(page, &[]));
    server.act(json!({"action": "pause", "table": 1}));
    let names = |page: &Spectator| {
        let name = |seat: usize| page.tables[&1]["seats"][seat]["name"].clone();
        let [black, white] = [name(0), name(1)].map(|name| name.as_str().unwrap().to_owned());
        format!("game 0001 (1.1.1), {black} - {white},")
    };
    let game = names(&page);
    let paused = format!("{game} is paused at table 1");
    page.wait_until(&paused, |page| waits(page, &[&paused]));
    server.act(json!({"action": "adjourn", "table": 1}));
    let away = format!("{game} is adjourned: move it to a table, so that the rounds go on");
    page.wait_until(&away, |page| waits(page, &[&away]));
    page.wait_for_line("", "the tournament waits for game 0001");
    drop(bob);
    let absent = "Bob is not connected";
    page.wait_until(absent, |page| waits(page, &[&away, absent]));
    let _bob = server.client("Bob");
    server.act(json!({"action": "recall", "table": 1, "game": "0001"}));
    page.wait_until(&paused, |page| waits(page, &[&paused]));
    server.act(json!({"action": "resume", "table": 1}));
    page.wait_until("nothing", |page| waits(page, &[]));
}

#[test]
fn nobody_leaves_a_tournament_that_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &[]);
    let mut page = server.watch();
    let (mut ann, mut bob) = (server.client("Ann"), server.client("Bob"));
    begin(&server);
    for _ in 0..2 {
        let is_black = ann.expect("START")["color"] == "B";
        bob.expect("START");
        let (black, white) = match is_black {
            true => (&mut ann, &mut bob),
            false => (&mut bob, &mut ann),
        };
        black.plays(white, &json!({"type": "resign"}));
        for player in [black, white] {
            player.expect("END");
        }
        // The answer to the last move.
        ann.send_move(&json!({"type": "pass"}));
        bob.send_move(&json!({"type": "pass"}));
    }
    page.wait_until("it is over", |page| page.tournament["running"] == false);
    assert_eq!(page.tournament["withdrawable"], json!([]));
    let file = folder.path().join("tournament-0001.jsonl");
    // The page may be told before the disk has done its work.
    let text = || std::fs::read_to_string(&file).unwrap();
    let before = wait_for("the results on the disk", text, || {
        Some(text()).filter(|text| text.matches(r#""event":"game""#).count() == 2)
    });
    for command in [
        json!({"action": "withdraw", "name": "Ann"}),
        json!({"action": "end-tournament"}),
    ] {
        assert_eq!(server.refuses(command), "the tournament is over");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}
