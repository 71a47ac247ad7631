//! Spectators: how many, how slow, and for how long.

use std::io::{Read, Write};
use std::thread;

use gothello::pages::web::{Feed, Limits};
use serde_json::Value;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

use crate::chromium::Browser;
use crate::waiting::{DeadlineStream, next_message, read_json, wait_for};
use crate::web::page_server::{PageServer, feed};
use crate::web::scenes;

/// A spectator.
pub struct Spectator(WebSocket<DeadlineStream>);

impl Spectator {
    /// Connects. Returns the status of the response if the connection is refused.
    pub fn join(server: &PageServer) -> Result<Spectator, u16> {
        let url = format!("ws://{}/watch", server.address);
        match tungstenite::client(url, DeadlineStream::connect(server.address)) {
            Ok((socket, _)) => Ok(Spectator(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The next message.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        self.read_until("a message", |_| true)
    }

    /// Reads up to a matching message.
    #[track_caller]
    pub fn read_until(&mut self, awaited: &str, is_it: impl FnMut(&Value) -> bool) -> Value {
        self.0.get_mut().renew();
        read_json(&mut self.0, awaited, is_it)
    }
}

/// The first bytes of an answer.
pub fn first_bytes(server: &PageServer, request: &str) -> String {
    let mut stream = DeadlineStream::connect(server.address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = [0; 64];
    let count = stream.read(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

/// Waits until there are this many spectators.
fn wait_for_spectators(feed: &Feed, spectators: usize) {
    let count = || feed.spectator_count();
    let is_so = || (count() == spectators).then_some(());
    wait_for(&format!("{spectators} spectators"), count, is_so);
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
    let mut spectator = Spectator::join(&server).unwrap();
    let all = spectator.next();
    assert_eq!(all["v"], 2);
    assert_eq!(all["type"], "all");
    assert_eq!(all["server"]["title"], "Go contest");
    assert_eq!(all["log"][0]["text"], "was too early");
    assert_eq!(all["tables"][0]["table"]["seats"][1]["name"], "other");
    assert_eq!(all["tables"][0]["plies"].as_array().unwrap().len(), 4);

    let game = scenes::go_game(9, 4, 1);
    feed.set_plies(
        scenes::go_table(1, 9, ["one", "other"]),
        4,
        game[4..].to_vec(),
    );
    let change = spectator.next();
    assert_eq!(change["type"], "table");
    assert_eq!(change["from"], 4);
    assert_eq!(change["plies"].as_array().unwrap().len(), 1);
    assert!(change["at"].as_u64() <= change["now"].as_u64());
    feed.remove_client(5);
    feed.set_client(scenes::client(5, Some("late"), None));
    let change = spectator.next();
    assert_eq!(change["type"], "client", "nobody went away");
    assert_eq!(change["client"]["name"], "late");
}

#[test]
fn spectators_are_limited() {
    let feed = feed(2);
    let server = PageServer::open(&feed);
    let first = Spectator::join(&server).unwrap();
    let _second = Spectator::join(&server).unwrap();
    let mut third = Spectator::join(&server).unwrap();
    let Ok(Message::Close(Some(frame))) = third.0.read() else {
        panic!("there is room for three");
    };
    let why = "the page has no room for more than 2 spectators at once";
    assert_eq!((frame.code, &*frame.reason), (CloseCode::Again, why));
    drop(first);
    wait_for_spectators(&feed, 1);
    assert!(Spectator::join(&server).is_ok());
}

#[test]
#[ignore = "starts Chromium"]
fn the_page_says_that_there_is_no_room() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let mut first = Spectator::join(&server).unwrap();
    first.next();
    let browser = Browser::start();
    browser.open(&server.url());
    let why = "the page has no room for more than 1 spectator at once – trying again";
    browser.wait_for_text("#status", why);
    drop(first);
    browser.wait_for_text("#status", "live");
}

#[test]
fn a_spectator_that_sends_messages_is_disconnected() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let mut spectator = Spectator::join(&server).unwrap();
    spectator.next();
    spectator
        .0
        .send(Message::text("{\"action\":\"start\"}"))
        .unwrap();
    wait_for_spectators(&feed, 0);
}

/// A spectator that reads nothing for a while misses changes, but has no gap: it gets a new
/// snapshot.
#[test]
fn a_slow_spectator_is_sent_a_snapshot() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let mut spectator = Spectator::join(&server).unwrap();
    assert_eq!(spectator.next()["type"], "all");
    // More than the queue (256 lines) and the system's buffers (4 MiB for sending, and some for
    // receiving) hold, but little enough to be read quickly: the server waits ten seconds.
    let long = "x".repeat(8_000);
    for number in 0..900 {
        feed.log(number.to_string(), long.clone());
    }
    feed.log("last", "");
    let mut was_behind = false;
    spectator.read_until("the last line", |message| {
        was_behind |= message["type"] == "all";
        let lines = message["log"].as_array();
        let line = lines.map_or(&message["line"], |lines| lines.last().unwrap());
        line["client"] == "last"
    });
    assert!(was_behind);
}

#[test]
#[ignore = "takes as long as the server is patient: ten seconds"]
fn a_spectator_that_does_not_read_is_disconnected() {
    let feed = feed(1);
    let server = PageServer::open(&feed);
    let spectator = Spectator::join(&server).unwrap();
    let long = "x".repeat(100_000);
    for _ in 0..400 {
        feed.log("", long.clone());
    }
    wait_for_spectators(&feed, 0);
    drop(spectator);
}

#[test]
fn spectators_are_told_of_the_end_of_the_server() {
    let feed = feed(1);
    let mut server = PageServer::with(&feed, false, Limits::default());
    let mut spectator = Spectator::join(&server).unwrap();
    spectator.next();
    let thread = thread::spawn(move || server.close());
    match next_message(&mut spectator.0, "the end").unwrap() {
        Message::Close(Some(frame)) => assert_eq!(frame.code, CloseCode::Away),
        other => panic!("{other:?}"),
    }
    drop(spectator);
    thread.join().unwrap();
}
