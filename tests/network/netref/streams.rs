//! Whatever bytes arrive, the server survives, and no seat stays taken.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::netref::referee::Referee;
use crate::waiting::DeadlineStream;

/// The bytes that one connection sends, and how it leaves.
#[derive(Clone, Debug)]
struct Stream {
    pieces: Vec<Vec<u8>>,
    leave: Leave,
}

#[derive(Clone, Copy, Debug)]
enum Leave {
    /// It ends its sending side, and reads to the end.
    Politely,
    /// It closes with everything unread.
    Abruptly,
}

fn opening() -> impl Strategy<Value = Vec<u8>> {
    const LINES: &[&str] = &[
        "0.9.1 player black\r",
        "0.9.1 player white\r",
        "0.9.1 player ?\r\n",
        "0.9.1 observer\n",
        "0.9 player black \"Ann\"\r",
        "0.9.0 player white \"\"\"Bob\"\"\"\r\r",
        "0.9.1 observer \"Eve\"\r",
        "0.9.2 player black\r",
        "\r\n0.9.1 player red\r",
    ];
    prop::sample::select(LINES).prop_map(|line| line.as_bytes().to_vec())
}

fn request() -> impl Strategy<Value = Vec<u8>> {
    const LINES: &[&str] = &[
        "1 c3\r",
        "1 ... c4\r",
        "1 ... pass\r",
        "2 pass\r",
        "2 ... pass\r\n",
        "pass\r",
        "resign\n",
        "1 pass\r",
        "4294967296 e5\r",
        "1 ... e6\r",
        "hello\r",
    ];
    prop::sample::select(LINES).prop_map(|line| line.as_bytes().to_vec())
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    (
        prop_oneof![opening(), request()],
        any::<prop::sample::Index>(),
    )
        .prop_map(|(mut line, at)| {
            line.truncate(at.index(line.len()));
            line
        })
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => request(),
        2 => opening(),
        2 => fragment(),
        2 => vec(any::<u8>(), 0..40),
        1 => Just(b"x\r".repeat(12)),
        1 => (0_usize..3_000).prop_map(|length| vec![b'9'; length]),
    ]
}

fn stream() -> impl Strategy<Value = Stream> {
    let start = prop_oneof![6 => opening(), 1 => piece()];
    let leave = prop_oneof![Just(Leave::Politely), Just(Leave::Abruptly)];
    (start, vec(piece(), 0..12), leave).prop_map(|(start, mut pieces, leave)| {
        pieces.insert(0, start);
        Stream { pieces, leave }
    })
}

/// Sends all streams in turn, one piece at a time; then all clients leave.
fn send(address: SocketAddr, streams: &[Stream]) {
    let mut connections: Vec<DeadlineStream> = streams
        .iter()
        .map(|_| {
            let connection = DeadlineStream::connect(address);
            connection.set_nodelay(true).unwrap();
            connection
        })
        .collect();
    let longest = streams.iter().map(|stream| stream.pieces.len()).max();
    for turn in 0..longest.unwrap_or(0) {
        for (connection, stream) in connections.iter_mut().zip(streams) {
            if let Some(piece) = stream.pieces.get(turn) {
                // The connection may have been closed in the meantime.
                let _ = connection.write_all(piece);
            }
        }
    }
    for (mut connection, stream) in connections.into_iter().zip(streams) {
        if let Leave::Politely = stream.leave {
            let _ = connection.shutdown(Shutdown::Write);
            let mut heard = Vec::new();
            connection.renew();
            match connection.read_to_end(&mut heard) {
                Ok(_) => {
                    let text = String::from_utf8(heard).unwrap();
                    assert!(text.is_ascii() && text.ends_with("\r\n"), "{text:?}");
                    assert!(text.starts_with("000 "), "{text:?}");
                }
                // The connection may have been closed with bytes unread.
                Err(error) => assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}"),
            }
        }
    }
}

fn endure(batches: u32) {
    let referee = Referee::start(&[]);
    let address = referee.addresses[0];
    let config = Config {
        cases: batches,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&vec(stream(), 1..=3), |streams| {
        send(address, &streams);
        referee.plays_a_match();
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn after_random_streams_a_new_pair_plays() {
    endure(100);
}

/// Some 10,000 streams.
#[test]
#[ignore = "takes minutes"]
fn after_many_random_streams_a_new_pair_plays() {
    endure(5_000);
}
