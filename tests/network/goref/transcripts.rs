//! What the clients of a team send and are sent.

use std::fs;

use serde_json::json;

use crate::goref::server::{Server, place};
use crate::waiting::wait_for;

#[test]
fn a_teams_transcript_has_all_frames_from_and_to_its_clients() {
    let folder = tempfile::tempdir().unwrap();
    let teams = folder.path().join("teams.toml");
    let text = "[[team]]\nname = \"Équipe 1\"\nsecret = \"tulip\"\n";
    fs::write(&teams, text).unwrap();
    let said = folder.path().join("transcripts");
    let teams = teams.to_str().unwrap();
    let options = ["--auto", "--teams", teams, "--transcripts"];
    let server = Server::keeping(folder.path(), &options);
    // Neither a client without a team nor one with a wrong secret.
    let mut ann = server.client("Ann");
    let mut wrong = server.connect();
    wrong.expect("NAME");
    wrong.send(&json!({"type": "NAME", "name": "Équipe 1", "secret": "rose"}));
    wrong.expect_close("the secret is wrong");
    let mut red = server.connect();
    red.expect("NAME");
    red.send(&json!({"type": "NAME", "name": "Équipe 1", "secret": "tulip"}));
    ann.expect("START");
    red.expect("START");
    ann.plays(&mut red, &place([3, 3]));
    red.send_text("no\nJSON");
    red.plays(&mut ann, &place([3, 4]));
    red.close().unwrap_err();
    let path = said.join("Équipe_1.log");
    let text = || fs::read_to_string(&path).unwrap_or_default();
    let text = wait_for("its end", text, || {
        Some(text()).filter(|text| text.contains(" * closed: "))
    });
    assert_eq!(fs::read_dir(&said).unwrap().count(), 1);
    assert!(!text.contains("tulip") && !text.contains("rose"), "{text}");
    let number = server.number_of("Ann") + 2;
    let begins = [
        "* connected from 127.0.0.1",
        "< {\"type\":\"NAME\"}",
        "> {\"",
        "< {\"type\":\"START\"",
        "< {\"type\":\"MOVE\"",
        "> no\u{fffd}JSON",
        "> {\"move\":{\"point\":{\"column\":4,\"row\":3}",
        "< {\"type\":\"VALID\"",
        "* closed: it closed",
    ];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), begins.len(), "{text}");
    for (line, begin) in lines.iter().zip(begins) {
        let line = line.split_once(' ').unwrap().1;
        let line = line.strip_prefix(&format!("#{number} ")).unwrap();
        assert!(line.starts_with(begin), "{line}");
    }
}
