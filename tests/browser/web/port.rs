//! What strangers can do to the port.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gothello::pages::web::Limits;

use crate::waiting::{DeadlineStream, wait_until};
use crate::web::page_server::{PageServer, feed};

/// A server that waits only for a moment.
fn hurried(connections: u32) -> PageServer {
    let limits = Limits {
        connections,
        timeout: Duration::from_millis(300),
    };
    PageServer::with(&feed(1), false, limits)
}

/// How long a connection lives after it has sent this.
fn lives(server: &PageServer, sent: &[u8]) -> Duration {
    let start = Instant::now();
    let mut stream = DeadlineStream::connect(server.address);
    stream.write_all(sent).unwrap();
    stream.read_to_any_end();
    start.elapsed()
}

#[test]
fn an_idle_connection_is_closed() {
    let server = hurried(10);
    let whole = format!("GET /me HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for sent in ["", "GET", "GET / HTTP/1.1\r\nHost: x\r\n", &*whole] {
        let time = lives(&server, sent.as_bytes());
        assert!(time < Duration::from_secs(5), "{sent:?} lived {time:?}");
    }
}

#[test]
fn a_long_head_is_refused() {
    let server = hurried(10);
    let head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    let answer = server.answer(&head);
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

/// There is always room for visitors on the machine itself, but not for many.
#[test]
fn connections_are_bounded() {
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    let server = PageServer::with(&feed(1), false, limits);
    let request = format!(
        "GET /me HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.address
    );
    let idle = || TcpStream::connect(server.address).unwrap();
    let mut crowd: Vec<_> = (0..3 + 15).map(|_| idle()).collect();
    assert!(server.answer(&request).starts_with("HTTP/1.1 200 "));
    crowd.push(idle());
    let answer = server.answer("");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    drop(crowd);
    wait_until("room for a connection", || {
        server.answer(&request).starts_with("HTTP/1.1 200 ")
    });
}
