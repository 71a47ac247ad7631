//! The server dies, and the next one goes on with its games.

use std::fs;

use serde_json::{Value, json};

use crate::goref::disconnections::{clocks_of, moves_of};
use crate::goref::server::{Server, pass, place, refusal};

#[test]
fn a_game_goes_on_after_a_crash_with_its_moves_and_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([3, 3]));
    let left = white.plays(&mut black, &place([15, 15]));
    server.kill();
    black.expect_end();
    white.expect_end();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let mut page = server.watch();
    page.wait_for_phase(1, "paused");
    server.wait_for("waiting", |news| {
        news["moves"] == 2 && news["black"] == "Ann" && news["white"] == "Bob"
    });
    let mut white = server.client("Bob");
    let mut black = server.client("Ann");
    let start = black.expect("START");
    white.expect("START");
    assert_eq!(moves_of(&start), [place([3, 3]), place([15, 15])]);
    // What the server could not see is nobody's time.
    assert_eq!(
        json!({"B": clocks_of(&start)[0], "W": clocks_of(&start)[1]}),
        left
    );
    black.plays(&mut white, &pass());
    white.plays(&mut black, &pass());
    black.expect("END");
    white.expect("END");
    let table = || fs::read_to_string(folder.path().join("results.jsonl")).unwrap();
    server.wait_until("it is recorded", |_| table().lines().count() == 1);
    let row: Value = serde_json::from_str(&table()).unwrap();
    assert_eq!(row["moves"], 4);
    let record = folder.path().join("games/0001-Ann-Bob.sgf");
    let sgf = fs::read_to_string(record).unwrap();
    assert!(sgf.contains(";B[dd]") && sgf.contains(";W[pp]"), "{sgf}");
    let archive = fs::read_to_string(folder.path().join("games/0001-Ann-Bob.json")).unwrap();
    let archive: Value = serde_json::from_str(&archive).unwrap();
    assert_eq!(archive["moveLog"].as_array().unwrap().len(), 5, "{archive}");
    assert_eq!(archive["moveLog"][4]["end"]["reason"], "pass");
}

#[test]
fn a_paused_game_is_paused_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let (mut black, mut white) = server.pair();
    std::thread::sleep(std::time::Duration::from_millis(15));
    server.act(json!({"action": "pause", "table": 1}));
    let end = black.expect("END");
    white.expect("END");
    server.kill();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let mut white = server.client("Bob");
    let mut black = server.client("Ann");
    black.expect_silence(std::time::Duration::from_millis(20));
    server.act(json!({"action": "resume", "table": 1}));
    let start = black.expect("START");
    assert_eq!(
        clocks_of(&start),
        crate::goref::disconnections::clocks_at(&end)
    );
    white.expect("START");
}

#[test]
fn an_unfinished_tournament_continues_unless_the_options_are_those_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let swiss = ["--tournament", "swiss", "--rounds", "2"];
    let avoid = ["--avoid", "Ann", "Jo Doe"];
    let options = |players, seed, more: &[&'static str]| {
        [&swiss[..], &["--players", players], &avoid, seed, more].concat()
    };
    let begun = options("3", &["--seed", "7"], &[]);
    let server = Server::keeping(folder.path(), &begun);
    let [_ann, mut bob, mut jo] = ["Ann", "Bob", "Jo Doe"].map(|name| server.client(name));
    // It is on the disk before the players hear of it.
    bob.expect("START");
    jo.expect("START");
    server.kill();
    for options in [&begun, &options("3", &[], &[]), &Vec::new()] {
        let server = Server::keeping(folder.path(), options);
        let news = server.wait_for("tournament", |_| true);
        assert_eq!(
            news["what"],
            "the unfinished tournament of 3 players continues in round 1 of 2: each game begins \
             when both players are there"
        );
    }
    let state = folder.path().to_str().unwrap();
    let others = [
        options("4", &[], &[]),
        options("3", &["--seed", "8"], &[]),
        options("3", &[], &["--single"]),
        vec!["--tournament", "round-robin", "--players", "3"],
    ];
    for options in others {
        let refusal = refusal(&[&options[..], &["--state", state]].concat());
        assert_eq!(
            refusal.replace(state, "FOLDER"),
            "error: --tournament: FOLDER has an unfinished tournament, that of --tournament swiss \
             --rounds 2 --players 3 --seed 7 --avoid Ann 'Jo Doe': continue it with these options \
             or with none; hold the new one in another folder; or end the old one: start with none, \
             and press \"End the tournament\" on the organizer's page\n"
        );
    }
}

#[test]
fn the_same_command_holds_no_second_tournament_but_another_seed_does() {
    let folder = tempfile::tempdir().unwrap();
    let robin = ["--tournament", "round-robin", "--players", "2", "--single"];
    let options = [&robin[..], &["--seed", "7"]].concat();
    let stops = ["--stop-after", "tournament"];
    let mut server = Server::keeping(folder.path(), &[&options[..], &stops].concat());
    let mut ann = server.client("Ann");
    let mut bob = server.client("Bob");
    bob.expect("START");
    if ann.expect("START")["color"] == "W" {
        std::mem::swap(&mut ann, &mut bob);
    }
    ann.plays(&mut bob, &json!({"type": "resign"}));
    assert!(server.wait().success());

    let is_over = "the tournament of these options is over";
    for options in [&options[..], &robin] {
        // The same command finds nothing to do.
        let mut server = Server::keeping(folder.path(), &[options, &stops].concat());
        assert!(server.wait().success(), "{options:?}: {:#?}", server.log());
        let server = Server::keeping(folder.path(), options);
        server.wait_for_text("tournament", "what", is_over);
        let _clients = ["Ann", "Bob"].map(|name| server.client(name));
        let mut page = server.watch();
        page.wait_until("the old one", |page| page.tournament["running"] == false);
        assert_eq!(
            server.count("tournament", |_| true),
            1,
            "{:#?}",
            server.log()
        );
    }
    // This server has not held a tournament that was already over.
    let server = Server::keeping(folder.path(), &stops);
    let _client = server.client("Eve");
    assert_eq!(server.count("stopping", |_| true), 0, "{:#?}", server.log());
    drop(server);

    let server = Server::keeping(folder.path(), &[&robin[..], &["--seed", "8"]].concat());
    let old = "that of --tournament round-robin --players 2 --seed 7 --single, is over";
    server.wait_for_text("tournament", "what", old);
    let _clients = ["Ann", "Bob"].map(|name| server.client(name));
    server.wait_for_text(
        "tournament",
        "what",
        "a tournament of 2 players begins, seed 8",
    );
    server.wait_until("its file", |_| {
        folder.path().join("tournament-0002.jsonl").exists()
    });
}

#[test]
fn each_table_goes_on_with_its_own_game_and_those_without_a_table_are_adjourned() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(folder.path(), &["--auto", "--tables", "2"]);
    let (mut a, mut b) = server.pair_called("A", "B");
    let (mut c, mut d) = server.pair_called("C", "D");
    a.plays(&mut b, &place([0, 0]));
    c.plays(&mut d, &place([1, 1]));
    server.kill();
    let server = Server::keeping(folder.path(), &["--auto"]);
    let mut page = server.watch();
    page.wait_until("one is adjourned", |page| {
        page.adjourned[0]["title"] == "game 0002, C - D, 1 move"
    });
    let mut b = server.client("B");
    let mut a = server.client("A");
    assert_eq!(moves_of(&a.expect("START")), [place([0, 0])]);
    b.expect("START");
    b.plays(&mut a, &json!({"type": "resign"}));
    a.expect("END");
    b.expect("END");
    server.act(json!({"action": "recall", "table": 1, "game": "0002"}));
    let mut d = server.client("D");
    let mut c = server.client("C");
    // An adjourned game goes on when the organizer says so.
    server.act(json!({"action": "resume", "table": 1}));
    assert_eq!(moves_of(&c.expect("START")), [place([1, 1])]);
    d.expect("START");
}
