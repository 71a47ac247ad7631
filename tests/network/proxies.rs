//! Servers behind a reverse proxy: their pages, the clients of contests, and whose addresses are
//! trusted.

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Error, Message, WebSocket, client};

use crate::goref::server::{Server, TOKEN, request};
use crate::netref::spectator;
use crate::play_server::PlayServer;
use crate::reverse_proxy::{PATH, ReverseProxy};
use crate::waiting::{DeadlineStream, read_json};

/// The option that trusts the proxy.
const TRUSTED: [&str; 2] = ["--trusted-proxy", "127.0.0.1"];

/// A WebSocket through a proxy, opened by a page of its origin.
fn connect(
    proxy: &ReverseProxy,
    path: &str,
    visitor: &str,
) -> Result<WebSocket<DeadlineStream>, u16> {
    let mut request = proxy.url("ws", path).into_client_request().unwrap();
    let headers = request.headers_mut();
    let origin = format!("http://{}", proxy.address);
    headers.insert("Origin", origin.parse().unwrap());
    // As reported by a proxy before this one.
    headers.insert("X-Forwarded-For", visitor.parse().unwrap());
    match client(request, DeadlineStream::connect(proxy.address)) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

/// The next text message.
#[track_caller]
fn read(socket: &mut WebSocket<DeadlineStream>) -> Value {
    socket.get_mut().renew();
    read_json(socket, "a message", |_| true)
}

/// Asks for something through a proxy.
fn ask(proxy: &ReverseProxy, line: &str, head: &[&str], body: &str) -> (u16, String) {
    let (method, path) = line.split_once(" /").unwrap();
    let host = format!("Host: {}", proxy.address);
    let head = [&[&*host], head].concat();
    request(
        proxy.address,
        &format!("{method} {PATH}{path}"),
        &head,
        body,
    )
}

#[test]
fn clients_of_a_contest_are_known_by_the_addresses_that_the_proxy_reports() {
    let server = Server::start(&TRUSTED);
    let proxy = ReverseProxy::start(server.address);
    let mut page = connect(&proxy, "watch", "192.0.2.9").unwrap();
    assert_eq!(read(&mut page)["type"], "all");
    let mut ann = connect(&proxy, "", "192.0.2.1").unwrap();
    assert_eq!(read(&mut ann)["type"], "NAME");
    let news = server.wait_for("connected", |_| true);
    assert_eq!(news["address"], "192.0.2.1");
    // Spectators also see her through the proxy.
    let name = json!({"type": "NAME", "name": "Ann"});
    ann.send(Message::text(name.to_string())).unwrap();
    let is_ann = |message: &Value| message["client"]["name"] == "Ann";
    read_json(&mut page, "Ann", is_ann);
    // A page of another site is refused, and its visitor is logged.
    let evil = ["Origin: http://evil.example", "X-Forwarded-For: 192.0.2.66"];
    assert_eq!(ask(&proxy, "GET /me", &evil, "").0, 403);
    let news = server.wait_for("rejected", |_| true);
    assert_eq!(news["address"], "192.0.2.66");
    let why = news["why"].as_str().unwrap();
    let origins = format!(
        "\"http://evil.example\", and was sent to \"{}\"",
        proxy.address
    );
    assert!(why.ends_with(&origins), "{why}");
}

#[test]
fn the_organizer_behind_a_proxy_needs_the_token() {
    let server = Server::start(&TRUSTED);
    let proxy = ReverseProxy::start(server.address);
    // The link is also shown for this machine, from which the proxy's requests come.
    let news = server.wait_for("token", |_| true);
    assert_eq!(
        news["page"],
        format!("http://{}/#token= and the token of --token", server.address)
    );
    let token = format!("Authorization: Bearer {TOKEN}");
    let is_organizer = |head: &[&str]| {
        let (status, answer) = ask(&proxy, "GET /me", head, "");
        assert_eq!(status, 200);
        serde_json::from_str::<Value>(&answer).unwrap()["organizer"] == true
    };
    assert!(!is_organizer(&[]));
    assert!(is_organizer(&[&token]));
    assert!(!server.get("/me", &[]).1.contains("true"));
    let command = json!({"action": "start", "table": 1}).to_string();
    let json = "Content-Type: application/json";
    assert_eq!(ask(&proxy, "POST /act", &[json], &command).0, 403);
    // It has no players yet: that is all that is wrong.
    assert_eq!(ask(&proxy, "POST /act", &[json, &token], &command).0, 409);
}

#[test]
fn headers_from_any_other_host_are_ignored() {
    let server = Server::start(&["--trusted-proxy", "192.0.2.0/24"]);
    let proxy = ReverseProxy::start(server.address);
    // The proxy has reported the requested host, which is not the one of its own request.
    assert_eq!(connect(&proxy, "", "192.0.2.1").unwrap_err(), 403);
    let news = server.wait_for("rejected", |_| true);
    assert_eq!(news["address"], "127.0.0.1");
    let forged = [
        "X-Forwarded-For: 192.0.2.1",
        "X-Forwarded-Host: evil.example",
        "Origin: http://evil.example",
    ];
    assert_eq!(server.get("/", &forged).0, 403);
}

#[test]
fn visitors_of_the_page_to_play_are_counted_by_the_addresses_that_the_proxy_reports() {
    let server = PlayServer::start(&TRUSTED);
    let proxy = ReverseProxy::start(server.host().parse().unwrap());
    let enter = |visitor: &str| {
        let mut socket = connect(&proxy, "ask", visitor).unwrap();
        let kind = read(&mut socket)["type"].clone();
        (socket, kind)
    };
    let crowd: Vec<_> = (0..50).map(|_| enter("192.0.2.1")).collect();
    assert!(crowd.iter().all(|(_, kind)| kind == "welcome"));
    assert_eq!(enter("192.0.2.1").1, "no-room");
    // The part before the visitor's address was written by the visitor.
    assert_eq!(enter("198.51.100.7, 192.0.2.1").1, "no-room");
    assert_eq!(enter("192.0.2.2").1, "welcome");
}

#[test]
fn the_page_of_a_referee_logs_the_addresses_that_the_proxy_reports() {
    let referee = spectator::start(&TRUSTED);
    let proxy = ReverseProxy::start(spectator::page(&referee));
    let mut page = connect(&proxy, "watch", "192.0.2.9").unwrap();
    assert_eq!(read(&mut page)["type"], "all");
    let (_black, _white) = referee.named_pair();
    while !read(&mut page)
        .to_string()
        .contains("\"phase\":\"playing\"")
    {}
    let evil = ["Origin: http://evil.example", "X-Forwarded-For: 192.0.2.66"];
    assert_eq!(ask(&proxy, "GET /", &evil, "").0, 403);
    referee.wait_for_line("192.0.2.66");
}
