//! The servers behind nginx with TLS, as in `docs/deploy`.

mod goplay;
mod proxy;
mod tls;

use std::io::{Read, Write};
use std::net::SocketAddr;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket, client};

use self::proxy::Nginx;
use crate::goref::server::{Server, request};
use crate::netref::spectator;
use crate::play_server::PlayServer;
use crate::waiting::{DeadlineStream, read_json};

/// The option that trusts nginx.
const TRUSTED: [&str; 2] = ["--trusted-proxy", "127.0.0.1"];

/// The whole answer to a request.
fn get(nginx: &Nginx, path: &str) -> String {
    let mut stream = nginx.connect();
    let port = nginx.port;
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A WebSocket that a page of this host opens.
fn connect(nginx: &Nginx, path: &str) -> WebSocket<DeadlineStream> {
    let host = format!("localhost:{}", nginx.port);
    let mut request = format!("wss://{host}{path}").into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("Origin", format!("https://{host}").parse().unwrap());
    // All addresses of this machine are trusted, so the visitor is taken for one more proxy.
    headers.insert("X-Forwarded-For", "192.0.2.1".parse().unwrap());
    client(request, nginx.connect()).unwrap().0
}

/// The next text message.
fn read(socket: &mut WebSocket<DeadlineStream>) -> Value {
    socket.get_mut().renew();
    read_json(socket, "a message", |_| true)
}

/// Checks a page and the files that it loads.
fn check_page(nginx: &Nginx, path: &str) {
    let page = get(nginx, path);
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    let files: Vec<_> = page
        .split(['"', '\''])
        .filter(|text| text.ends_with(".js"))
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let answer = get(nginx, &format!("{path}{file}"));
        assert!(answer.starts_with("HTTP/1.1 200 "), "{file}: {answer}");
    }
    // Without the slash at the end, relative addresses would lead elsewhere.
    let answer = get(nginx, path.trim_end_matches('/'));
    assert!(answer.starts_with("HTTP/1.1 301 "), "{answer}");
}

#[test]
#[ignore = "starts nginx"]
fn three_pages_are_served_under_paths_of_one_host() {
    let referee = spectator::start(&TRUSTED);
    let contest = Server::start(&TRUSTED);
    let play = PlayServer::start(&TRUSTED);
    let servers = [
        ("127.0.0.1:8080", spectator::page(&referee).port()),
        ("127.0.0.1:8081", contest.address.port()),
        (
            "127.0.0.1:8082",
            play.host().parse::<SocketAddr>().unwrap().port(),
        ),
    ];
    let nginx = Nginx::start("nginx.conf", &servers);
    for path in ["/gothello/", "/contest/", "/play/"] {
        check_page(&nginx, path);
    }
    // Spectators see the moves of a match.
    let mut page = connect(&nginx, "/gothello/watch");
    assert_eq!(read(&mut page)["type"], "all");
    referee.plays_a_match();
    let is_over = |message: &Value| message.to_string().contains("\"phase\":\"over\"");
    read_json(&mut page, "the end of the match", is_over);
    // A client of a contest.
    let mut ann = connect(&nginx, "/contest/");
    assert_eq!(read(&mut ann)["type"], "NAME");
    assert_eq!(
        contest.wait_for("connected", |_| true)["address"],
        "192.0.2.1"
    );
    // A question of the page to play.
    let mut player = connect(&nginx, "/play/ask");
    assert_eq!(read(&mut player)["type"], "welcome");
    let start = json!({"start": "...../...../...../...../..... b", "moves": []});
    let question = json!({"id": 1, "ask": "show", "line": start});
    player.send(Message::text(question.to_string())).unwrap();
    assert_eq!(read(&mut player)["type"], "plies");
}

#[test]
#[ignore = "starts nginx"]
fn requests_without_tls_are_redirected_and_other_origins_refused() {
    let contest = Server::start(&TRUSTED);
    let nginx = Nginx::start("nginx.conf", &[("127.0.0.1:8081", contest.address.port())]);
    let plain = SocketAddr::from(([127, 0, 0, 1], nginx.plain_port));
    let (status, _) = request(plain, "GET /contest/", &["Host: localhost"], "");
    assert_eq!(status, 301);
    for origin in ["https://evil.example", "http://localhost"] {
        let mut stream = nginx.connect();
        let head = format!(
            "GET /contest/me HTTP/1.1\r\nHost: localhost:{}\r\nOrigin: {origin}:{}\r\n\
             Connection: close\r\n\r\n",
            nginx.port, nginx.port
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{origin}: {answer}");
    }
}

#[test]
#[ignore = "starts nginx"]
fn the_page_in_containers_is_served_under_its_path() {
    let referee = spectator::start(&TRUSTED);
    let servers = [("netref:8080", spectator::page(&referee).port())];
    let nginx = Nginx::start("compose-nginx.conf", &servers);
    check_page(&nginx, "/gothello/");
    let mut page = connect(&nginx, "/gothello/watch");
    assert_eq!(read(&mut page)["type"], "all");
}
