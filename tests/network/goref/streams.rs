//! Whatever frames come, in whatever state: the server lives, and a game at
//! another table is played to its end undisturbed.

use std::net::SocketAddr;
use std::thread;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tungstenite::Message;

use crate::goref::client::Client;
use crate::goref::server::{Server, pass, place};

/// How many clients send nonsense at the same time.
const CLIENTS: u64 = 4;

/// Messages that clients may send, and some that they may not.
fn valid(rng: &mut StdRng) -> Value {
    let point = [(); 2].map(|()| rng.random_range(0..20_u8));
    match rng.random_range(0..12) {
        0 => json!({"type": "NAME", "name": "Eve"}),
        1 => json!({"type": "NAME", "name": "Eve", "protocol": "v2"}),
        2 => json!({"type": "MOVE", "move": {"type": "pass"}}),
        3 => json!({"type": "MOVE", "move": {"type": "resign"}}),
        4 => json!({"type": "START", "move": place(point)}),
        5 => json!({"type": "MOVE", "move": place(point), "remainingTime": {"B": 1, "W": 2}}),
        _ => json!({"type": "MOVE", "move": place(point)}),
    }
}

/// A value of any shape.
fn any_json(rng: &mut StdRng, depth: u8) -> Value {
    const KEYS: [&str; 8] = [
        "type", "move", "name", "point", "row", "column", "protocol", "x",
    ];
    const TEXTS: [&str; 8] = ["NAME", "MOVE", "pass", "place", "v2", "", "\u{0}", "日本"];
    match rng.random_range(0..if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => rng.random::<bool>().into(),
        2 => rng.random::<i64>().into(),
        3 => (rng.random::<f64>() * 1e18 - 5e17).into(),
        4 => TEXTS[rng.random_range(0..8)].into(),
        5 => (0..rng.random_range(0..4))
            .map(|_| any_json(rng, depth - 1))
            .collect(),
        _ => {
            let count = rng.random_range(0..5);
            let pairs = (0..count).map(|_| {
                let key = KEYS[rng.random_range(0..8)].to_owned();
                (key, any_json(rng, depth - 1))
            });
            Value::Object(pairs.collect())
        }
    }
}

/// A message with some bytes changed, left out or doubled.
fn mutated(rng: &mut StdRng) -> String {
    let mut bytes = valid(rng).to_string().into_bytes();
    for _ in 0..rng.random_range(1..4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] = rng.random(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            _ => bytes.truncate(at),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn bytes(rng: &mut StdRng) -> Vec<u8> {
    let length = match rng.random_range(0..20) {
        0 => rng.random_range(0..20_000),
        _ => rng.random_range(0..60),
    };
    (0..length).map(|_| rng.random()).collect()
}

/// Sends one frame, or something like it; whether there is anybody to take it.
fn send_something(client: &mut Client, rng: &mut StdRng) -> bool {
    let message = match rng.random_range(0..40) {
        0 => return client.send_raw(&bytes(rng)).is_ok(),
        1 => Message::binary(bytes(rng)),
        2 => Message::text(String::from_utf8_lossy(&bytes(rng)).into_owned()),
        3 => Message::Ping(bytes(rng).into_iter().take(125).collect()),
        4 => Message::Pong(bytes(rng).into_iter().take(125).collect()),
        5..10 => Message::text(any_json(rng, 3).to_string()),
        10..20 => Message::text(mutated(rng)),
        _ => Message::text(valid(rng).to_string()),
    };
    client.try_send(message).is_ok()
}

/// Sends so many frames over many connections.
fn attack(address: SocketAddr, seed: u64, frames: u32) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut sent = 0;
    while sent < frames {
        let mut client = Client::connect(address);
        if rng.random_ratio(3, 4) {
            let name = ["Eve", "Mallory", "Ann"][rng.random_range(0..3)];
            let _ = client.try_send(Message::text(
                json!({"type": "NAME", "name": name}).to_string(),
            ));
        }
        for _ in 0..rng.random_range(1..60) {
            sent += 1;
            if !send_something(&mut client, &mut rng) {
                break;
            }
        }
        match rng.random_range(0..3) {
            0 => client.kill(),
            1 => client.finish(),
            _ => {}
        }
    }
}

/// Two play a game of random moves to the end.
fn play(mut black: Client, mut white: Client) {
    let mut rng = StdRng::seed_from_u64(7);
    let mut count = 0;
    while count < 200 {
        let played = place([(); 2].map(|()| rng.random_range(0..19)));
        black.send_move(&played);
        let answer = black.next().unwrap();
        if answer["type"] == "INVALID" {
            continue;
        }
        assert_eq!(answer["type"], "VALID");
        assert_eq!(white.expect("MOVE")["move"], played);
        std::mem::swap(&mut black, &mut white);
        count += 1;
    }
    black.plays(&mut white, &pass());
    white.plays(&mut black, &pass());
    for mut client in [black, white] {
        assert_eq!(client.expect("END")["reason"], "pass");
    }
}

fn endure(frames: u32) {
    let folder = tempfile::tempdir().unwrap();
    let tables = ["--auto", "--tables", "3"];
    let server = Server::keeping(folder.path(), &tables);
    let mut page = server.watch();
    let (black, white) = server.pair_called("Good", "Better");
    let address = server.address;
    let attacks: Vec<_> = (0..CLIENTS)
        .map(|seed| thread::spawn(move || attack(address, seed, frames / CLIENTS as u32)))
        .collect();
    play(black, white);
    for attack in attacks {
        attack.join().unwrap();
    }
    server.wait_until("all are gone", |server| {
        server.count("left", |_| true) == server.count("connected", |_| true)
    });
    assert_eq!(
        server.count("interrupted", |news| news["game"] == 1),
        0,
        "{:#?}",
        server.log()
    );
    page.wait_until("all are gone", |page| page.clients.is_empty());
    for table in 1..=3 {
        // There may be none.
        server.command(&json!({"action": "void", "table": table}), &[]);
    }
    server.plays_a_game();
    server.kill();
    // The contest can continue from what was written in the meantime.
    Server::keeping(folder.path(), &tables).plays_a_game();
}

#[test]
fn random_frames_harm_nobody() {
    endure(2_000);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_random_frames_and_more_harm_nobody() {
    endure(20_000);
}
