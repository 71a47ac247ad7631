//! `gothello goplay` with `wss://`, which the feature `tls` brings.

use std::path::Path;

use serde_json::json;

use super::TRUSTED;
use super::proxy::Nginx;
use super::tls::Certificate;
use crate::client::Program;
use crate::goref::server::Server;

/// `gothello goplay` as a person at a contest behind nginx.
fn goplay(nginx: &Nginx, path: &str, options: &[&str]) -> Program {
    let url = format!("wss://localhost:{}{path}", nginx.port);
    let player = [
        "--name",
        "Bob",
        "--human",
        "--games",
        "1",
        "--reconnect",
        "0",
    ];
    Program::start(&["goplay", &url], &[&player, options].concat())
}

#[test]
#[ignore = "starts nginx, and needs a program with the feature tls"]
fn goplay_plays_a_game_over_tls() {
    let contest = Server::start(&[&TRUSTED[..], &["--auto"]].concat());
    let nginx = Nginx::start("nginx.conf", &[("127.0.0.1:8081", contest.address.port())]);
    let ca = nginx.certificate.certificate.to_str().unwrap();
    let mut ann = contest.client("Ann");
    let mut bob = goplay(&nginx, "/contest/", &["--ca", ca]);
    assert_eq!(ann.expect("START")["color"], "B");
    ann.send(&json!({"type": "MOVE", "move": {"type": "pass"}}));
    bob.types("pass\n");
    ann.expect("VALID");
    ann.expect("MOVE");
    assert_eq!(ann.expect("END")["reason"], "pass");
    bob.wait()
        .is_well("won as White: W+6.5 by pass, B 0, W 6.5, 2 moves\n");
}

#[test]
#[ignore = "starts nginx, and needs a program with the feature tls"]
fn goplay_refuses_what_it_cannot_trust() {
    let contest = Server::start(&TRUSTED);
    let nginx = Nginx::start("nginx.conf", &[("127.0.0.1:8081", contest.address.port())]);
    let (ca, key) = (&nginx.certificate.certificate, &nginx.certificate.key);
    let folder = tempfile::tempdir().unwrap();
    let other = Certificate::create(folder.path());
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let why = |url: String, ca: &Path| {
        let player = ["--name", "Bob", "--human", "--reconnect", "0", "--ca"];
        let done = Program::start(&["goplay", &url], &[&player[..], &[&path(ca)]].concat()).wait();
        let shown = done.failure().replace(&nginx.port.to_string(), "PORT");
        let shown = shown.replace(&contest.address.port().to_string(), "GOREF");
        shown.replace(&path(key), "KEY")
    };
    let url = format!("wss://localhost:{}/contest/", nginx.port);
    insta::assert_snapshot!(why(url.clone(), &other.certificate), @r#"the certificate of wss://localhost:PORT/contest/ is not trusted: nobody who is trusted has signed it; --ca names a file of those who are"#);
    // The certificate names the host, not its address.
    insta::assert_snapshot!(why(url.replace("localhost", "127.0.0.1"), ca), @r#"the certificate of wss://127.0.0.1:PORT/contest/ is not trusted: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost")"#);
    insta::assert_snapshot!(why(url.clone(), key), @r#"--ca: KEY: it has no certificate in PEM form"#);
    let plain = format!("wss://localhost:{}", contest.address.port());
    insta::assert_snapshot!(why(plain, ca), @"wss://localhost:GOREF/ is not a server of Go contests: it does not speak TLS, use ws://; for a match at a referee (gothello netref), use gothello netplay");
    // The system does not know this certificate, if it has any.
    goplay(&nginx, "/contest/", &[]).wait().failure();
}
