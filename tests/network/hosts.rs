//! The hosts at which each page answers: a site whose name is pointed at this machine (DNS
//! rebinding) can read nothing.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::client::Program;
use crate::executable::executable;
use crate::goref::server::{Server, TOKEN, request};
use crate::netref::referee::Referee;
use crate::netref::spectator;
use crate::play_server::PlayServer;
use crate::reverse_proxy::ReverseProxy;
use crate::waiting::{DeadlineStream, OutputInTime, Pipe};

/// A server with a page.
enum Page {
    Play(PlayServer),
    Netref(Referee),
    Goref(Server),
    Match(Match),
}

impl Page {
    /// Starts each server that has a page, with these arguments.
    fn all(arguments: &[&str]) -> [Page; 4] {
        [
            Page::Play(PlayServer::start(arguments)),
            Page::Netref(spectator::start(arguments)),
            Page::Goref(Server::start(arguments)),
            Page::Match(Match::start(arguments)),
        ]
    }

    fn address(&self) -> SocketAddr {
        match self {
            Page::Play(server) => server.host().parse().unwrap(),
            Page::Netref(referee) => spectator::page(referee),
            Page::Goref(server) => server.address,
            Page::Match(event) => event.address,
        }
    }

    /// The command, and the path of its WebSocket.
    fn command(&self) -> (&'static str, &'static str) {
        match self {
            Page::Play(_) => ("play", "/ask"),
            Page::Netref(_) => ("netref", "/watch"),
            Page::Goref(_) => ("goref", "/watch"),
            Page::Match(_) => ("match", "/watch"),
        }
    }

    /// The status and the body of the answer to a request for this host, whose port is that of the
    /// page.
    fn ask(&self, line: &str, host: &str, head: &[&str]) -> (u16, String) {
        let address = self.address();
        let host = format!("Host: {host}:{}", address.port());
        request(address, line, &[&[&*host], head].concat(), "")
    }

    /// The status of the answer to a browser that opens a WebSocket for a page of this host.
    fn opens_websocket(&self, host: &str) -> u16 {
        let port = self.address().port();
        let origin = format!("Origin: http://{host}:{port}");
        websocket(
            self.address(),
            self.command().1,
            &format!("{host}:{port}"),
            &[&origin],
        )
    }
}

/// The status of the answer to a WebSocket handshake.
fn websocket(address: SocketAddr, path: &str, host: &str, head: &[&str]) -> u16 {
    let mut stream = DeadlineStream::connect(address);
    let head = head.join("\r\n");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{head}\r\n\r\n"
    );
    let request = request.replace("\r\n\r\n\r\n", "\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    str::from_utf8(&status).unwrap()[9..].parse().unwrap()
}

/// `gothello match` with a page, until this is dropped.
struct Match {
    child: Child,
    address: SocketAddr,
}

impl Match {
    fn start(arguments: &[&str]) -> Match {
        let mut child = Command::new(executable())
            .args(["match", "--player", "a=builtin:level=1"])
            .args(["--player", "b=builtin:level=1", "--games", "1000000"])
            .args(["--concurrency", "1", "--http", "0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The rest is read, so that the match can go on writing.
        let mut lines = Pipe::new(child.stderr.take().unwrap());
        lines.take_to("watch at http://");
        let address = lines.take_to("/");
        let address = address.trim_end_matches('/').parse().unwrap();
        Match { child, address }
    }
}

impl Drop for Match {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The name of this machine.
#[cfg(unix)]
fn machine_name() -> String {
    let output = Command::new("uname").arg("-n").output_in_time();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The address of this machine in its network, if it has one.
fn outgoing_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    // This sends nothing.
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().unwrap().ip();
    (!address.is_loopback()).then_some(address)
}

/// Hosts that a page on the loopback interface does not have.
const FOREIGN: [&str; 6] = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example.",
    "198.51.100.7",
    "[2001:db8::7]",
];

#[test]
fn every_page_answers_only_at_its_own_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.sgf");
    std::fs::write(&game, "(;GM[1]SZ[5];B[cc])").unwrap();
    let [_, netref, goref, event] = Page::all(&[]);
    let play = Page::Play(PlayServer::start(&[game.to_str().unwrap()]));
    for page in [&play, &netref, &goref, &event] {
        answers_at_its_own_hosts(page);
        refuses_every_request_for_another_host(page);
        says_where_it_is_and_which_option_allows_the_host(page);
    }
    // The organizer is told.
    let why = "it was sent to \"evil.example:";
    let (Page::Netref(referee), Page::Goref(contest)) = (netref, goref) else {
        unreachable!("the order of the pages")
    };
    referee.wait_for_line(why);
    contest.wait_for_text("rejected", "why", why);
}

fn answers_at_its_own_hosts(page: &Page) {
    let (command, path) = page.command();
    for host in ["localhost", "LocalHost.", "127.0.0.1", "127.0.0.2", "[::1]"] {
        assert_eq!(page.ask("GET /", host, &[]).0, 200, "{command}, {host}");
        assert_eq!(page.opens_websocket(host), 101, "{command}{path}, {host}");
    }
    #[cfg(unix)]
    assert_eq!(page.ask("GET /", &machine_name(), &[]).0, 200, "{command}");
}

fn refuses_every_request_for_another_host(page: &Page) {
    let (command, websocket_path) = page.command();
    let port = page.address().port();
    let token = format!("Authorization: Bearer {TOKEN}");
    for host in FOREIGN {
        let origin = format!("Origin: http://{host}:{port}");
        for line in [
            "GET /",
            "GET /me",
            "GET /game",
            "GET /page/app.js",
            "GET /records/1.sgf",
            "POST /act",
            "GET /nothing",
        ] {
            for head in [&[][..], &[&*origin], &[&token]] {
                let (status, body) = page.ask(line, host, head);
                assert_eq!(status, 421, "{command} {line}, {host}: {body}");
            }
        }
        let status = page.opens_websocket(host);
        assert_eq!(status, 421, "{command}{websocket_path}, {host}");
    }
    // Headers that a page itself sends do not count as those of a proxy.
    let head = ["X-Forwarded-Host: localhost", "X-Forwarded-For: 127.0.0.1"];
    assert_eq!(
        page.ask("GET /me", "evil.example", &head).0,
        421,
        "{}",
        page.command().0
    );
}

fn says_where_it_is_and_which_option_allows_the_host(page: &Page) {
    let address = page.address();
    let (_, body) = page.ask("GET /", "Course.Example.org", &[]);
    let body: Value = serde_json::from_str(&body).unwrap();
    let why = body["error"].as_str().unwrap();
    let why = why.replace(&address.port().to_string(), "PORT");
    insta::allow_duplicates! {
        insta::assert_snapshot!(why, @r#""Course.Example.org:PORT" is not a host of this server: open http://127.0.0.1:PORT/, or start it with --allowed-host course.example.org"#);
    }
    // A text that is not a host cannot be allowed.
    let (status, body) = request(address, "GET /", &["Host: \"><script>"], "");
    assert_eq!(status, 421, "{}", page.command().0);
    assert!(!body.contains("--allowed-host"), "{body}");
}

#[test]
fn allowed_hosts_are_answered() {
    let arguments = ["--allowed-host", "Course.Example.org"];
    let more = ["--allowed-host", "198.51.100.7"];
    for page in Page::all(&[arguments, more].concat()) {
        let (command, _) = page.command();
        for host in ["course.example.org", "198.51.100.7", "localhost"] {
            assert_eq!(page.ask("GET /", host, &[]).0, 200, "{command}, {host}");
            assert_eq!(page.opens_websocket(host), 101, "{command}, {host}");
        }
        for host in ["www.course.example.org", "example.org", "198.51.100.8"] {
            assert_eq!(page.ask("GET /", host, &[]).0, 421, "{command}, {host}");
        }
        // A proxy on this machine may request it, which makes no visitor the organizer.
        let (_, body) = page.ask("GET /me", "course.example.org", &[]);
        assert!(!body.contains("true"), "{command}: {body}");
    }
}

#[test]
fn the_host_at_which_a_server_listens_is_its_own() {
    let server = PlayServer::start(&["--host", "0.0.0.0"]);
    let port = server.host().split_once(':').unwrap().1;
    let status = |at: IpAddr, host: &str| {
        let address = format!("{at}:{port}").parse().unwrap();
        request(address, "GET /", &[&format!("Host: {host}:{port}")], "").0
    };
    let here = [127, 0, 0, 1].into();
    for (host, expected) in [("0.0.0.0", 200), ("localhost", 200), ("evil.example", 421)] {
        assert_eq!(status(here, host), expected, "{host}");
    }
    // A server that listens at every address answers at each of them, and at no others.
    if let Some(own) = outgoing_address() {
        let host = own.to_string();
        assert_eq!(status(own, &host), 200);
        assert_eq!(status(here, &host), 200);
        assert_eq!(status(own, "198.51.100.7"), 421);
        let local = PlayServer::start(&[]);
        let address = local.host().parse().unwrap();
        assert_eq!(
            request(address, "GET /", &[&format!("Host: {host}")], "").0,
            421
        );
    }
}

#[test]
fn a_trusted_proxy_answers_for_the_hosts_of_its_visitors() {
    let host = "Host: course.example.org";
    let trusted = ["--trusted-proxy", "127.0.0.1"];
    for page in Page::all(&trusted) {
        let (command, path) = page.command();
        let proxy = ReverseProxy::start(page.address());
        let (status, _) = request(proxy.address, "GET /some/course/", &[host], "");
        assert_eq!(status, 200, "{command}");
        let path = format!("/some/course{path}");
        let origin = "Origin: http://course.example.org";
        let status = websocket(proxy.address, &path, "course.example.org", &[origin]);
        assert_eq!(status, 101, "{command}");
        // A browser on the machine of the proxy is not forwarded.
        assert_eq!(
            page.ask("GET /", "course.example.org", &[]).0,
            421,
            "{}",
            page.command().0
        );
        assert_eq!(page.opens_websocket("course.example.org"), 421, "{command}");
    }
}

/// Clients of contests are programs. They send any name that their users type, as these do: `ws`
/// of Node.js, which the client of the course's own server uses, `websockets` of Python and
/// websocketpp without an `Origin`; `websocket-client` of Python with one that is their URL's.
#[test]
fn clients_of_contests_may_use_any_name_for_the_server() {
    let server = Server::start(&[]);
    let port = server.address.port();
    let ws = ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"];
    for host in ["contest.lan", "198.51.100.7", "localhost"] {
        for path in ["/", "/any"] {
            let host = format!("{host}:{port}");
            assert_eq!(websocket(server.address, path, &host, &ws), 101, "{host}");
        }
    }
    let with_origin = |host: &str| {
        let origin = format!("Origin: http://{host}:{port}");
        websocket(server.address, "/", &format!("{host}:{port}"), &[&origin])
    };
    assert_eq!(with_origin("localhost"), 101);
    assert_eq!(with_origin("127.0.0.1"), 101);
    // So would a page whose name is pointed at this machine.
    assert_eq!(with_origin("contest.lan"), 421);
    server.wait_for_text("rejected", "why", "it was sent to \"contest.lan:");
    // The page itself is only for browsers.
    let host = format!("contest.lan:{port}");
    assert_eq!(websocket(server.address, "/watch", &host, &[]), 421);
}

#[test]
fn options_of_a_page_need_a_page() {
    for command in [&["netref", "0"][..], &["match", "--player", "builtin"]] {
        for option in [["--allowed-host", "a.example"], ["--trusted-proxy", "::1"]] {
            let done = Program::start(command, &option).wait();
            assert_eq!(done.code, Some(2), "{}", done.err);
            assert!(done.err.contains("--http"), "{}", done.err);
        }
    }
    let done = Program::start(&["play"], &["--allowed-host", "a.example:80"]).wait();
    assert_eq!(done.code, Some(2));
    insta::assert_snapshot!(done.err.lines().next().unwrap(), @"error: invalid value 'a.example:80' for '--allowed-host <HOST>': give a name or an IP address without a port, such as course.example.org, 192.0.2.7 or [2001:db8::7]");
}
