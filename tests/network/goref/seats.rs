//! Whose the seat of a player is that has left: its address counts, behind a proxy the one
//! that the proxy tells.

use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::goref::client::Client;
use crate::goref::disconnections::moves_of;
use crate::goref::server::{Server, place};

/// How long a test waits for a message that should not come.
const A_WHILE: Duration = Duration::from_millis(100);

const ANN: &str = "192.0.2.1";
const BOB: &str = "192.0.2.2";
const STRANGER: &str = "2001:db8::7";

/// A client behind the proxy, of which the server knows the name.
fn client(server: &Server, visitor: &str, name: &str) -> Client {
    server.named(Client::forwarded(server.address, visitor), name)
}

/// Ann and Bob in a game, at a server with a proxy.
fn playing(server: &Server) -> (Client, Client) {
    let mut black = client(server, ANN, "Ann");
    let mut white = client(server, BOB, "Bob");
    black.expect("START");
    white.expect("START");
    black.plays(&mut white, &place([3, 3]));
    (black, white)
}

#[test]
fn a_stranger_cannot_take_a_seat_and_resign() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--auto", "--trusted-proxy", "127.0.0.1"];
    let server = Server::keeping(folder.path(), &arguments);
    let mut page = server.watch();
    let (mut black, white) = playing(&server);
    drop(white);
    black.expect("END");
    let mut stranger = client(&server, STRANGER, "Bob");
    let kept = server.wait_for("kept", |news| news["name"] == "Bob");
    assert_eq!(
        (&kept["side"], &kept["address"]),
        (&"W".into(), &BOB.into())
    );
    page.wait_for_line(
        "",
        "the organizer frees the seat, on the page or by typing free 1 W",
    );
    // The page shows the client, and that it is not White.
    page.wait_until("the stranger", |page| {
        page.clients
            .values()
            .any(|client| client["address"] == STRANGER && client["name"] == "Bob")
    });
    assert_eq!(page.tables[&1]["seats"][1]["connected"], false);
    stranger.send_move(&json!({"type": "resign"}));
    stranger.expect_silence(A_WHILE);
    black.expect_silence(A_WHILE);
    // Not even after a restart.
    server.kill();
    let server = Server::keeping(folder.path(), &arguments);
    let mut black = client(&server, ANN, "Ann");
    let mut stranger = client(&server, STRANGER, "Bob");
    stranger.expect_silence(A_WHILE);
    let mut white = client(&server, BOB, "Bob");
    assert_eq!(moves_of(&white.expect("START")), [place([3, 3])]);
    black.expect("START");
    white.plays(&mut black, &place([9, 9]));
    assert_eq!(server.count("ended", |_| true), 0);
}

#[cfg(unix)]
#[test]
fn the_organizer_types_which_seat_is_free() {
    use std::io::Write;
    use std::process::Stdio;

    use crate::goref::server;
    use crate::waiting::Pipe;

    let arguments = ["--auto", "--no-state", "--trusted-proxy", "127.0.0.1"];
    let mut command = server::command(&arguments);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Server::spawn(command);
    let (input, answers) = server.take_pipes();
    let (mut input, mut answers) = (input.unwrap(), Pipe::new(answers.unwrap()));
    let (mut black, white) = playing(&server);
    for (typed, answer) in [
        ("dance", "error: there is no command \"dance\""),
        ("free 1", "error: free needs the number of a table"),
        ("free 9 W", "error: there is no table 9"),
        ("Help", "free TABLE COLOR "),
        ("free 1 W", "error: the player of White at table 1"),
    ] {
        writeln!(input, "{typed}").unwrap();
        let line = answers.line(typed).unwrap();
        assert!(line.starts_with(answer), "{line}");
        while typed == "Help" && !answers.line(typed).unwrap().starts_with("help ") {}
    }
    drop(white);
    black.expect("END");
    let mut white = client(&server, STRANGER, "Bob");
    server.wait_for("kept", |_| true);
    writeln!(input, "free 1 W").unwrap();
    white.expect("START");
    black.expect("START");
    server.wait_for("freed", |news| news["name"] == "Bob");
    assert_eq!(answers.line("the answer").unwrap(), "done");
    // The end of the input ends nothing.
    drop(input);
    white.plays(&mut black, &place([9, 9]));
}

/// Sends a name with a secret, as another client of a server with a proxy.
fn with_secret(server: &Server, visitor: &str, name: &str, secret: Option<&str>) -> Client {
    let mut client = Client::forwarded(server.address, visitor);
    client.expect("NAME");
    client.send(&json!({"type": "NAME", "name": name, "secret": secret}));
    client
}

#[test]
fn a_team_with_a_secret_has_its_name_and_its_seats_alone() {
    let folder = tempfile::tempdir().unwrap();
    let teams = folder.path().join("teams.toml");
    fs::write(&teams, "[[team]]\nname = \"Bob\"\nsecret = \"tu\\\"lip\"\n").unwrap();
    let teams = teams.to_str().unwrap();
    let proxy = ["--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&[&["--auto", "--teams", teams], &proxy[..]].concat());
    let mut black = client(&server, ANN, "Ann");
    // The client is told what is wrong, and the log says who came from where, but no secret.
    for (name, secret, reason, logged) in [
        (
            "bob",
            None,
            "this team has a secret: send it in NAME, as \"secret\" (goplay: --secret)",
            "as team Bob without its secret",
        ),
        (
            "Bob",
            Some("tulip"),
            "the secret is wrong: send that of this team",
            "as team Bob with a wrong secret",
        ),
        (
            "Bop",
            Some("tu\"lip"),
            "no team with a secret has this name: check the name",
            "with a secret, although no team with one has this name",
        ),
    ] {
        let mut stranger = with_secret(&server, STRANGER, name, secret);
        stranger.expect_close(reason);
        let line = format!("a NAME from {STRANGER} {logged}: it is rejected");
        server.wait_for("refused", |news| news["why"] == line);
    }
    let mut white = with_secret(&server, BOB, "bob", Some("tu\"lip"));
    black.expect("START");
    white.expect("START");
    black.plays(&mut white, &place([3, 3]));
    // A second NAME is ignored, whatever it says.
    white.send(&json!({"type": "NAME", "name": "Bob", "secret": "rose"}));
    drop(white);
    black.expect("END");
    // No act of the organizer is needed.
    let mut white = with_secret(&server, STRANGER, "Bob", Some("tu\"lip"));
    assert_eq!(moves_of(&white.expect("START")), [place([3, 3])]);
    black.expect("START");
    // Nobody reads a secret in the log, not even that of a frame that is refused.
    white.send_text(r#"{"name":"Bob","Secret" : "tu\"lip","type":"NAM"}"#);
    white.send_text("{'name': 'Bob', 'secret': 'rose'}");
    white.send_text(r#"{"name":"Bob","s\u0065cret":"rose","type":"NAM"}"#);
    white.plays(&mut black, &place([9, 9]));
    let refused = server.wait_for("refused", |news| {
        let why = news["why"].as_str().unwrap();
        why.starts_with("an unknown")
    });
    assert_eq!(
        refused["why"],
        "an unknown \"type\", in {\"name\":\"Bob\",\"…"
    );
    for secret in ["lip", "rose"] {
        assert_eq!(server.count_with(secret), 0);
    }
}

#[test]
fn goplay_sends_the_secret_and_ends_if_it_is_wrong() {
    use crate::client::Program;

    let folder = tempfile::tempdir().unwrap();
    let teams = folder.path().join("teams.toml");
    fs::write(&teams, "[[team]]\nname = \"Bob\"\nsecret = \"tulip\"\n").unwrap();
    let server = Server::start(&["--auto", "--teams", teams.to_str().unwrap()]);
    let goplay = |more: &[&str]| {
        let address = server.address.to_string();
        let arguments = [&[&*address, "--name", "bob", "--human"], more].concat();
        Program::start(&["goplay"], &arguments)
    };
    for (options, why) in [
        (
            &[][..],
            "this team has a secret: send it in NAME, as \"secret\" (goplay: --secret)",
        ),
        (
            &["--secret", "rose"],
            "the secret is wrong: send that of this team",
        ),
    ] {
        let done = goplay(options).wait();
        let why = format!("the server closed the connection: {why}");
        assert!(done.failure().ends_with(&why), "{}", done.err);
    }
    let _bob = goplay(&["--secret", "tulip"]);
    let mut ann = server.client("Ann");
    ann.expect("START");
}
