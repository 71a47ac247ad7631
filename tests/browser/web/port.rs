//! What strangers can do to the port.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gothello::web::Limits;

use crate::web::house::{House, feed};

/// A server that waits for a moment only.
fn hurried(connections: u32) -> House {
    let limits = Limits {
        connections,
        timeout: Duration::from_millis(300),
    };
    House::with(&feed(1), false, limits)
}

/// How long a connection lives that has sent this.
fn lives(house: &House, sent: &[u8]) -> Duration {
    let start = Instant::now();
    let mut stream = TcpStream::connect(house.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.write_all(sent).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    start.elapsed()
}

#[test]
fn who_asks_nothing_is_closed() {
    let house = hurried(10);
    let whole = format!("GET /me HTTP/1.1\r\nHost: {}\r\n\r\n", house.address);
    for sent in ["", "GET", "GET / HTTP/1.1\r\nHost: x\r\n", &*whole] {
        let time = lives(&house, sent.as_bytes());
        assert!(time < Duration::from_secs(5), "{sent:?} lived {time:?}");
    }
}

#[test]
fn a_long_head_is_refused() {
    let house = hurried(10);
    let head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    let answer = house.answer(&head);
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

/// There is always a place for who sits at the machine, but not for many.
#[test]
fn connections_are_bounded() {
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    let house = House::with(&feed(1), false, limits);
    let request = format!(
        "GET /me HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        house.address
    );
    let idle = || TcpStream::connect(house.address).unwrap();
    let mut crowd: Vec<_> = (0..3 + 15).map(|_| idle()).collect();
    assert!(house.answer(&request).starts_with("HTTP/1.1 200 "));
    crowd.push(idle());
    let answer = house.answer("");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    drop(crowd);
    let end = Instant::now() + Duration::from_secs(20);
    while !house.answer(&request).starts_with("HTTP/1.1 200 ") {
        assert!(Instant::now() < end);
    }
}
