//! The places of spectators, of the organizer, and of players.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::handshake::client::Response;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

use crate::goref::server::{Server, TOKEN, place};
use crate::waiting::{DeadlineStream, next_message};

/// Opens the page's WebSocket, with these subprotocols.
fn watch(address: SocketAddr, protocols: &[&str]) -> (WebSocket<DeadlineStream>, Response) {
    let uri = format!("ws://{address}/watch").parse().unwrap();
    let request = protocols
        .iter()
        .fold(ClientRequestBuilder::new(uri), |request, protocol| {
            request.with_sub_protocol(*protocol)
        });
    tungstenite::client(request, DeadlineStream::connect(address)).unwrap()
}

#[test]
fn spectators_lock_out_neither_players_nor_the_organizer() {
    // Behind a proxy, visitors from this machine are not the organizer.
    let options = [
        "--auto",
        "--max-connections",
        "24",
        "--trusted-proxy",
        "127.0.0.1",
    ];
    let server = Server::start(&options);
    let spectators: Vec<_> = (0..12)
        .map(|_| {
            let (mut socket, response) = watch(server.address, &[]);
            assert!(response.headers().get("sec-websocket-protocol").is_none());
            let first = next_message(&mut socket, "a snapshot").unwrap();
            assert!(matches!(first, Message::Text(_)), "{first}");
            socket
        })
        .collect();
    // A visitor without a token, and one with a wrong one.
    for protocols in [&[][..], &["organizer", "not-the-organizers-token"]] {
        let (mut socket, _) = watch(server.address, protocols);
        let Ok(Message::Close(Some(frame))) = next_message(&mut socket, "a close frame") else {
            panic!("there is room for more");
        };
        let why = "the page has no room for more than 12 spectators at once";
        assert_eq!((frame.code, &*frame.reason), (CloseCode::Again, why));
        server.wait_for_text("rejected", "why", why);
    }
    let (mut organizer, response) = watch(server.address, &["organizer", TOKEN]);
    assert_eq!(response.headers()["sec-websocket-protocol"], "organizer");
    let snapshot = next_message(&mut organizer, "a snapshot").unwrap();
    let snapshot: Value = serde_json::from_str(snapshot.to_text().unwrap()).unwrap();
    assert_eq!(snapshot["type"], "all");
    let (mut black, mut white) = server.pair();
    black.plays(&mut white, &place([3, 3]));
    // When one leaves, there is room for another.
    drop(spectators);
    server.wait_until("there is room", |server| {
        let (mut socket, _) = watch(server.address, &[]);
        matches!(next_message(&mut socket, "a message"), Ok(Message::Text(_)))
    });
}

#[test]
fn a_client_that_sends_too_much_is_read_later_and_is_not_taken_for_dead() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("server.toml");
    std::fs::write(&config, "pingInterval = 1500").unwrap();
    let config = config.to_str().unwrap();
    let server = Server::start(&["--auto", "--address-messages", "20", "--config", config]);
    let mut flooding = server.client("Flood");
    let mut other = server.client("Other");
    flooding.expect("START");
    other.expect("START");
    let before = Instant::now();
    for _ in 0..280 {
        flooding.send(&json!({"type": "HELLO"}));
    }
    // Both answer pings meanwhile.
    let told = thread::spawn(move || {
        other.expect("MOVE");
        other
    });
    flooding.send_move(&place([3, 3]));
    flooding.expect("VALID");
    // The other is still connected when the log is read.
    let _other = told.join().unwrap();
    // The messages of ten seconds are read at once, and those after them at 20 a second.
    assert!(before.elapsed() > Duration::from_secs(2));
    assert_eq!(server.count("left", |_| true), 0, "{:#?}", server.log());
}
