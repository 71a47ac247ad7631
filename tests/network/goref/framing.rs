//! Frames and handshakes that do not keep to RFC 6455, byte by byte: each is answered as
//! the RFC wants it. The cases are those of the Autobahn test suite that need no echo, in
//! groups.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;

use crate::goref::server::{Server, request};
use crate::waiting::DeadlineStream;

/// A connection that sends any bytes.
struct Raw(DeadlineStream);

/// A frame of the server.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Pong(Vec<u8>),
    Close(Option<u16>),
}

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CONTINUED: u8 = 0;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
const FIN: u8 = 0x80;

/// A masked frame with this first byte.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        length @ ..126 => bytes.push(0x80 | length as u8),
        length @ ..0x1_0000 => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    let mask = [0x12, 0x34, 0x56, 0x78];
    bytes.extend(mask);
    let masked = payload.iter().zip(mask.iter().cycle());
    bytes.extend(masked.map(|(byte, mask)| byte ^ mask));
    bytes
}

/// A whole frame.
fn whole(opcode: u8, payload: &[u8]) -> Vec<u8> {
    frame(FIN | opcode, payload)
}

impl Raw {
    fn connect(address: SocketAddr) -> Raw {
        let mut stream = DeadlineStream::connect(address);
        let head = format!(
            "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
        // The example of RFC 6455, section 1.3.
        assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
        Raw(stream)
    }

    /// The next frame that is no message and no ping.
    fn next(&mut self) -> Option<Heard> {
        loop {
            let mut head = [0; 2];
            match self.0.read_exact(&mut head) {
                Err(error) if error.kind() == ErrorKind::TimedOut => panic!("no frame: {error}"),
                read => read.ok()?,
            }
            let mut payload = vec![0; usize::from(head[1])];
            self.0.read_exact(&mut payload).unwrap();
            match head[0] & 0x0f {
                TEXT | PING => {}
                PONG => return Some(Heard::Pong(payload)),
                CLOSE => {
                    let code = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
                    return Some(Heard::Close(code));
                }
                other => panic!("opcode {other}"),
            }
        }
    }
}

/// What the server answers to bytes that are sent at once, up to its close frame, after
/// which it ends the connection.
fn answers(server: &Server, bytes: &[u8]) -> Vec<Heard> {
    let mut raw = Raw::connect(server.address);
    raw.0.write_all(bytes).unwrap();
    let heard: Vec<Heard> = std::iter::from_fn(|| raw.next()).collect();
    assert!(
        matches!(heard.last(), Some(Heard::Close(_))),
        "{heard:?} to {:?}",
        &bytes[..bytes.len().min(40)]
    );
    heard
}

/// The code with which the server ends the connection.
#[track_caller]
fn expect_code(server: &Server, bytes: &[u8], code: u16) {
    assert_eq!(
        answers(server, bytes),
        [Heard::Close(Some(code))],
        "{bytes:x?}"
    );
}

/// The connection lives on: a ping is answered, and so is a close frame.
#[track_caller]
fn expect_life(server: &Server, bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    bytes.extend(whole(PING, b"still there?"));
    bytes.extend(whole(CLOSE, &1000_u16.to_be_bytes()));
    assert_eq!(
        answers(server, &bytes),
        [
            Heard::Pong(b"still there?".to_vec()),
            Heard::Close(Some(1000))
        ]
    );
}

#[test]
fn pings_of_any_length_are_answered_and_pongs_are_not() {
    // Autobahn 2.*.
    let server = Server::start(&[]);
    let longest = [0xfe; 125];
    let mut ten = Vec::new();
    for number in 0..10 {
        ten.extend(whole(PING, &[number; 3]));
    }
    ten.extend(whole(CLOSE, &[]));
    for (bytes, pongs) in [
        (whole(PING, b""), vec![vec![]]),
        (whole(PING, &longest), vec![longest.to_vec()]),
        (whole(PONG, b"unasked"), vec![]),
        (ten, (0..10).map(|number| vec![number; 3]).collect()),
    ] {
        let bytes = [bytes, whole(CLOSE, &1000_u16.to_be_bytes())].concat();
        let heard = answers(&server, &bytes);
        let heard = heard.into_iter().filter_map(|heard| match heard {
            Heard::Pong(payload) => Some(payload),
            Heard::Close(_) => None,
        });
        let mut heard: Vec<_> = heard.collect();
        // Of several, the last one may stand for all (RFC 6455, section 5.5.3).
        assert_eq!(heard.pop().as_ref(), pongs.last());
    }
    expect_code(&server, &whole(PING, &[0xfe; 126]), 1002);
}

#[test]
fn violations_of_rfc_6455_are_answered_with_1002() {
    let server = Server::start(&[]);
    let unmasked = vec![FIN | TEXT, 2, b'{', b'}'];
    let mut cases = vec![unmasked];
    // Reserved bits (3.*), and opcodes (4.*).
    for bits in [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70] {
        for opcode in [TEXT, BINARY, PING, CLOSE] {
            cases.push(frame(FIN | bits | opcode, b""));
        }
    }
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
        cases.push(whole(opcode, b"reserved"));
    }
    // Fragments (5.*): of control frames, of nothing, and two beginnings.
    for opcode in [PING, PONG, CLOSE] {
        cases.push(frame(opcode, b"half"));
    }
    cases.push(whole(CONTINUED, b"of nothing"));
    cases.push(frame(CONTINUED, b"of nothing"));
    cases.push([frame(TEXT, b"{"), whole(TEXT, b"}")].concat());
    let over = [
        frame(TEXT, b"{"),
        whole(CONTINUED, b"}"),
        frame(CONTINUED, b"x"),
    ];
    cases.push(over.concat());
    // Close frames (7.3.*, 7.9.*): a code of one byte, too much, and invalid codes.
    cases.push(whole(CLOSE, &[3]));
    cases.push(whole(CLOSE, &[b'x'; 126]));
    for code in [0_u16, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999] {
        cases.push(whole(CLOSE, &code.to_be_bytes()));
    }
    for bytes in cases {
        expect_code(&server, &bytes, 1002);
    }
    server.wait_for_text("left", "why", "Reserved bits are non-zero");
}

#[test]
fn text_that_is_no_utf_8_is_answered_with_1007() {
    // 6.*: overlong, surrogates, beyond the last code point, cut off; whole, in fragments,
    // before the last fragment has come, and as the reason of a close frame (7.5.1).
    let server = Server::start(&[]);
    for bad in [
        &b"\xce\xba\xe1\xbd\xb9\xcf\x83\xed\xa0\x80edited"[..],
        b"\x80",
        b"\xbf",
        b"\xc3\x28",
        b"\xc0\xaf",
        b"\xe0\x80\xaf",
        b"\xf0\x80\x80\xaf",
        b"\xf8\x88\x80\x80\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xfe",
        b"\xff",
    ] {
        expect_code(&server, &whole(TEXT, bad), 1007);
        let beginning = frame(TEXT, bad);
        expect_code(&server, &beginning, 1007);
        let (first, rest) = bad.split_at(bad.len() / 2);
        let halves = [frame(TEXT, first), whole(CONTINUED, rest)].concat();
        expect_code(&server, &halves, 1007);
        let reason = [&1000_u16.to_be_bytes(), bad].concat();
        expect_code(&server, &whole(CLOSE, &reason), 1007);
    }
    // A character that is cut off is wrong at the end of a message only.
    expect_code(&server, &whole(TEXT, b"\xe2\x82"), 1007);
    let euro = [frame(TEXT, b"\xe2\x82"), whole(CONTINUED, b"\xac")].concat();
    expect_life(&server, &euro);
}

#[test]
fn a_message_that_is_too_long_is_answered_with_1009() {
    let server = Server::start(&[]);
    let most = 16 * 1024;
    expect_life(&server, &whole(TEXT, &vec![b' '; most]));
    for opcode in [TEXT, BINARY] {
        // The client hears it even while it is still sending.
        for length in [most + 1, 65_535, 65_536, 1 << 20] {
            expect_code(&server, &whole(opcode, &vec![b' '; length]), 1009);
        }
    }
    let half = vec![b' '; most / 2 + 1];
    let halves = [frame(TEXT, &half), frame(CONTINUED, &half)].concat();
    expect_code(&server, &halves, 1009);
    // A length beyond all bounds is not waited for (1.1.8 and more).
    let endless = [
        FIN | TEXT,
        0xff,
        0x7f,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
    ];
    expect_code(&server, &[&endless[..], &[0; 4]].concat(), 1009);
}

#[test]
fn control_frames_may_come_between_fragments() {
    // 5.6 to 5.8, 5.19, 5.20.
    let server = Server::start(&[]);
    let name = br#"{"type":"NAME","name":"Ann"}"#;
    let mut bytes = Vec::new();
    for (number, byte) in name.iter().enumerate() {
        let opcode = if number == 0 { TEXT } else { CONTINUED };
        bytes.extend(frame(opcode, &[*byte]));
        bytes.extend(frame(CONTINUED, b""));
        bytes.extend(whole(PONG, b""));
    }
    bytes.extend(whole(CONTINUED, b""));
    expect_life(&server, &bytes);
    server.wait_for("named", |news| news["name"] == "Ann");
}

#[test]
fn a_close_frame_is_answered_and_what_follows_is_not_read() {
    // 7.1.*, 7.7.*.
    let server = Server::start(&[]);
    for code in [
        1000_u16, 1001, 1002, 1003, 1007, 1011, 3000, 3999, 4000, 4999,
    ] {
        let bytes = [
            whole(CLOSE, &code.to_be_bytes()),
            whole(PING, b"too late"),
            whole(TEXT, br#"{"type":"NAME","name":"Late"}"#),
        ];
        expect_code(&server, &bytes.concat(), code);
    }
    let twice = [whole(CLOSE, b""), whole(CLOSE, b"")].concat();
    assert_eq!(answers(&server, &twice), [Heard::Close(None)]);
    assert_eq!(server.count("named", |_| true), 0, "{:#?}", server.log());
}

/// Asks for a WebSocket with these lines of the head: the status and the whole answer.
fn handshake(server: &Server, lines: &[&str]) -> (u16, String) {
    let mut stream = DeadlineStream::connect(server.address);
    let mut head = "GET / HTTP/1.1\r\n".to_owned();
    for line in lines {
        head.push_str(line);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 4096];
    let length = stream.read(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.to_ascii_lowercase())
}

#[test]
fn an_invalid_handshake_is_refused_with_a_reason() {
    let server = Server::start(&[]);
    let mut page = server.watch();
    let host = format!("Host: {}", server.address);
    let [connection, upgrade, version, key] = [
        "Connection: keep-alive, Upgrade",
        "Upgrade: WebSocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    let good = [&*host, connection, upgrade, version, key];
    assert_eq!(handshake(&server, &good).0, 101);
    let without =
        |line: &str| -> Vec<&str> { good.into_iter().filter(|&other| other != line).collect() };
    let with = |line: &str, other: &'static str| -> Vec<&str> {
        let replaced = |found| if found == line { other } else { found };
        good.into_iter().map(replaced).collect()
    };
    for (lines, status, why) in [
        (without(version), 426, "not \"\""),
        (with(version, "Sec-WebSocket-Version: 8"), 426, "not \"8\""),
        (
            with(version, "Sec-WebSocket-Version: 14"),
            426,
            "not \"14\"",
        ),
        (without(key), 400, "Sec-WebSocket-Key is not 16 bytes"),
        (
            with(key, "Sec-WebSocket-Key: x"),
            400,
            "Sec-WebSocket-Key is not 16 bytes",
        ),
        (
            [&good[..], &[key]].concat(),
            400,
            "Sec-WebSocket-Key is not 16 bytes",
        ),
        (without(&host), 400, "it has no Host"),
        (without(connection), 400, "Connection: Upgrade"),
        (
            [&good[..], &["Origin: http://evil.example"]].concat(),
            403,
            "another origin, \"http://evil.example\"",
        ),
        ([&good[..], &["Origin: \u{1b}[31mred"]].concat(), 400, ""),
    ] {
        let (found, answer) = handshake(&server, &lines);
        assert_eq!(found, status, "{lines:?}: {answer}");
        if why.is_empty() {
            // It is no HTTP at all.
            continue;
        }
        let tells = answer.contains("sec-websocket-version: 13");
        assert_eq!(tells, status == 426, "{answer}");
        server.wait_for_text("rejected", "why", why);
        page.wait_for_line("", why);
    }
    // For the page, too.
    let (status, _) = request(server.address, "GET /", &[], "");
    assert_eq!(status, 400);
    let (status, _) = server.get("/watch", &[connection, upgrade, key]);
    assert_eq!(status, 426);
    let (status, _) = server.get("/watch", &[]);
    assert_eq!(status, 426);
}

#[test]
fn a_flood_of_foreign_requests_does_not_fill_the_log() {
    let server = Server::start(&[]);
    for _ in 0..100 {
        assert_eq!(server.get("/", &["Origin: http://evil.example"]).0, 403);
    }
    // Twenty, the 32nd and the 64th.
    server.wait_until("22", |server| server.count("rejected", |_| true) == 22);
}

#[test]
fn only_where_browsers_trust_the_page_it_wants_a_window_of_its_own() {
    let not_secure = ["192.168.1.7", "referee.example", "127.0.0.1.example", "::2"];
    let allowed = not_secure.iter().flat_map(|host| ["--allowed-host", host]);
    let server = Server::start(&allowed.collect::<Vec<_>>());
    let opener = |host: &str| {
        let (status, answer) = handshake(&server, &[host]);
        assert_eq!(status, 200, "{answer}");
        answer.contains("cross-origin-opener-policy: same-origin")
    };
    for host in [
        "localhost",
        "localhost:80",
        "127.0.0.1:8080",
        "127.1.2.3",
        "[::1]:8080",
    ] {
        assert!(opener(&format!("Host: {host}")), "{host}");
    }
    for host in [
        "192.168.1.7:8080",
        "referee.example",
        "127.0.0.1.example",
        "[::2]",
    ] {
        assert!(!opener(&format!("Host: {host}")), "{host}");
    }
}

#[test]
fn the_link_with_the_token_is_for_machines_that_can_open_it() {
    for (arguments, elsewhere) in [
        (&["--always-token"][..], &[false][..]),
        (&["--host", "127.0.0.2"], &[]),
        (&["--host", "127.0.0.2", "--always-token"], &[false]),
    ] {
        let server = Server::start(arguments);
        // What is told of a client comes after it.
        let _client = server.client("Ann");
        let told: Vec<_> = server
            .log()
            .into_iter()
            .filter(|news| news["event"] == "token")
            .collect();
        let found: Vec<_> = told.iter().map(|news| news["elsewhere"] == true).collect();
        assert_eq!(found, elsewhere, "{told:?}");
        for news in told {
            let page = format!("http://{}/#token= and the token of --token", server.address);
            assert_eq!(news["page"], page);
        }
    }
}
