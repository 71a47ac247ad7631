//! Teams that never come back, with real connections and a crash.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use gothello::tournament::ResultsFile;
use serde_json::json;

use crate::goref::server::Server;

#[test]
fn a_team_that_never_comes_back_forfeits_and_the_forfeit_survives_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--tournament", "round-robin", "--players", "2", "--single"];
    let options = [&options[..], &["--forfeit-after", "0.3"]].concat();
    let server = Server::keeping(folder.path(), &options);
    let (mut ann, mut bob) = (server.client("Ann"), server.client("Bob"));
    // It is on the disk before the players hear of it.
    ann.expect("START");
    bob.expect("START");
    server.kill();
    // Nobody is there: nothing is forfeited.
    let server = Server::keeping(folder.path(), &options);
    sleep(Duration::from_millis(600));
    assert_eq!(server.count("voided", |_| true), 0, "{:#?}", server.log());
    let _ann = server.client("Ann");
    let mut page = server.watch();
    let news = server.wait_for("tournament", |news| {
        news["what"]
            .as_str()
            .is_some_and(|what| what.contains("forfeits"))
    });
    assert_eq!(
        news["what"],
        "Bob did not come within 300ms and forfeits round 1, pairing 1, game 1 to Ann"
    );
    page.wait_until("the result", |page| {
        let game = &page.tournament["rounds"][0]["games"]["rows"][0];
        game[3] == "forfeit (absence)"
    });
    let [ann, bob] = match page.tournament["rounds"][0]["games"]["rows"][0][0] == "Ann" {
        true => ["2:b+", "1:w-"],
        false => ["2:w+", "1:b-"],
    };
    let rows = &page.tournament["crosstable"]["rows"];
    assert_eq!(rows[0]["cells"], json!(["x", ann]));
    assert_eq!(rows[1]["cells"], json!([bob, "x"]));
    let file = folder.path().join("tournament-0001.jsonl");
    let forfeits = || {
        let text = fs::read_to_string(&file).unwrap();
        text.lines().filter(|line| line.contains("absence")).count()
    };
    server.wait_until("it is on the disk", |_| forfeits() == 1);
    server.kill();
    let tournament = ResultsFile::read(&file).unwrap();
    let standings = tournament.standings();
    assert!(tournament.is_over());
    assert_eq!(standings[0].player.as_str(), "Ann");
    // It is a point, and no game that was won by playing.
    assert_eq!(standings[0].points.to_string(), "1");
    assert_eq!((standings[0].wins, standings[0].forfeits), (0, 1));
    // The void game no longer waits at its table.
    let server = Server::keeping(folder.path(), &[]);
    let _client = server.client("Eve");
    assert_eq!(server.count("waiting", |_| true), 0, "{:#?}", server.log());
}
