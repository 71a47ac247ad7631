//! Those who watch: how many, how slow, and for how long.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use gothello::web::{Feed, Limits};
use serde_json::Value;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;

/// Somebody who watches.
pub struct Watcher(WebSocket<TcpStream>);

impl Watcher {
    /// Connects. Returns the status of the response if the connection is refused.
    pub fn join(server: &PageServer) -> Result<Watcher, u16> {
        let stream = TcpStream::connect(server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let url = format!("ws://{}/watch", server.address);
        match tungstenite::client(url, stream) {
            Ok((socket, _)) => Ok(Watcher(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The first bytes of an answer.
pub fn first_bytes(server: &PageServer, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = [0; 64];
    let count = stream.read(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

/// Waits until there are this many watchers.
fn wait_for(feed: &Feed, watchers: usize, timeout: Duration) {
    let end = Instant::now() + timeout;
    while feed.watcher_count() != watchers {
        assert!(Instant::now() < end, "{} watch", feed.watcher_count());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn everything_comes_first_then_each_change() {
    let feed = feed(1);
    feed.log("somebody", "was too early");
    feed.set_plies(
        scenes::go_table(1, 9, ["one", "other"]),
        0,
        scenes::go_game(9, 3, 1),
    );
    let server = PageServer::open(&feed);
    let mut watcher = Watcher::join(&server).unwrap();
    let all = watcher.next();
    assert_eq!(all["v"], 1);
    assert_eq!(all["type"], "all");
    assert_eq!(all["hall"]["title"], "Go contest");
    assert_eq!(all["log"][0]["text"], "was too early");
    assert_eq!(all["tables"][0]["table"]["seats"][1]["name"], "other");
    assert_eq!(all["tables"][0]["plies"].as_array().unwrap().len(), 4);

    let game = scenes::go_game(9, 4, 1);
    feed.set_plies(
        scenes::go_table(1, 9, ["one", "other"]),
        4,
        game[4..].to_vec(),
    );
    let change = watcher.next();
    assert_eq!(change["type"], "table");
    assert_eq!(change["from"], 4);
    assert_eq!(change["plies"].as_array().unwrap().len(), 1);
    assert!(change["at"].as_u64() <= change["now"].as_u64());
    feed.remove_client(5);
    feed.set_client(scenes::client(5, Some("late"), None));
    let change = watcher.next();
    assert_eq!(change["type"], "client", "nobody went away");
    assert_eq!(change["client"]["name"], "late");
}

#[test]
fn so_many_may_watch_and_no_more() {
    let feed = feed(2);
    let server = PageServer::open(&feed);
    let first = Watcher::join(&server).unwrap();
    let _second = Watcher::join(&server).unwrap();
    assert_eq!(Watcher::join(&server).err(), Some(503));
    drop(first);
    wait_for(&feed, 1, Duration::from_secs(20));
    assert!(Watcher::join(&server).is_ok());
}

#[test]
fn a_watcher_that_sends_messages_is_disconnected() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let mut watcher = Watcher::join(&server).unwrap();
    watcher.next();
    watcher
        .0
        .send(Message::text("{\"action\":\"start\"}"))
        .unwrap();
    wait_for(&feed, 0, Duration::from_secs(20));
}

/// A watcher who reads nothing for a while misses changes, but is not left with
/// a gap: it gets a new snapshot.
#[test]
fn who_falls_behind_is_sent_everything() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let mut watcher = Watcher::join(&server).unwrap();
    assert_eq!(watcher.next()["type"], "all");
    // More than the system's buffers hold.
    let long = "x".repeat(30_000);
    for number in 0..1_000 {
        feed.log(number.to_string(), long.clone());
    }
    feed.log("last", "");
    let mut was_behind = false;
    loop {
        let message = watcher.next();
        was_behind |= message["type"] == "all";
        let lines = message["log"].as_array();
        let line = lines.map_or(&message["line"], |lines| lines.last().unwrap());
        if line["client"] == "last" {
            break;
        }
    }
    assert!(was_behind);
}

#[test]
#[ignore = "takes as long as the server is patient: ten seconds"]
fn who_takes_nothing_is_dropped() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let watcher = Watcher::join(&server).unwrap();
    let long = "x".repeat(100_000);
    for _ in 0..400 {
        feed.log("", long.clone());
    }
    wait_for(&feed, 0, Duration::from_secs(30));
    drop(watcher);
}

#[test]
fn the_end_of_the_server_is_told() {
    let feed = feed(1);
    let mut server = PageServer::with(&feed, false, Limits::default());
    let mut watcher = Watcher::join(&server).unwrap();
    watcher.next();
    let thread = thread::spawn(move || server.close());
    match watcher.0.read().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(frame.code, CloseCode::Away),
        other => panic!("{other:?}"),
    }
    drop(watcher);
    thread.join().unwrap();
}
