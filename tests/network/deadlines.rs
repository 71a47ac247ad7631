//! The helpers that wait: each fails in time, even if data keeps arriving, and says what it waited
//! for and what it received.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::{Message, WebSocket};

use crate::waiting::{
    Deadline, DeadlineStream, EndsInTime, OutputInTime, PATIENCE, Pipe, read_json,
};

/// How long the helpers wait here.
const SHORT: Duration = Duration::from_millis(300);

/// The message of a failure that comes soon after the deadline.
fn failure<T>(wait: impl FnOnce() -> T) -> String {
    let start = Instant::now();
    let failure = catch_unwind(AssertUnwindSafe(wait));
    let time = start.elapsed();
    assert!((SHORT..PATIENCE).contains(&time), "{time:?}");
    let Err(message) = failure else {
        panic!("it does not fail");
    };
    *message.downcast::<String>().unwrap()
}

/// A connection whose other end keeps sending.
fn chatter<S: 'static>(wrap: fn(TcpStream) -> S, send: fn(&mut S) -> bool) -> DeadlineStream {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = DeadlineStream::connect(listener.local_addr().unwrap());
    let (peer, _) = listener.accept().unwrap();
    thread::spawn(move || {
        let mut peer = wrap(peer);
        while send(&mut peer) {
            thread::sleep(Duration::from_millis(20));
        }
    });
    stream
}

/// A program that keeps writing.
#[cfg(unix)]
fn chattering() -> Child {
    Command::new("sh")
        .args(["-c", "while echo tick; do sleep 0.02; done"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn looking_for_something_fails_in_time() {
    let mut looks = 0;
    let told = failure(|| {
        Deadline::within(SHORT).wait_for::<(), _>(
            "a miracle",
            || "no miracle",
            || {
                looks += 1;
                None
            },
        )
    });
    assert_eq!(told, "waited 300ms for a miracle; so far:\nno miracle");
    assert!(looks > 1);
}

#[test]
fn reading_from_a_connection_fails_in_time() {
    let send = |peer: &mut TcpStream| peer.write_all(b"tick\n").is_ok();
    let mut stream = chatter(|peer| peer, send);
    stream.read_exact(&mut [0; 10]).unwrap();
    stream.renew_for(SHORT);
    let told = failure(|| stream.read_to_end(&mut Vec::new()).unwrap());
    let ticks = "waited 300ms; so far:\\ntick\\ntick\\n";
    assert!(told.contains(ticks), "{told}");
    // Every later read fails, too, until the deadline is restarted.
    let error = stream.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    stream.renew();
    assert_eq!(stream.read(&mut [0]).unwrap(), 1);
}

#[test]
fn reading_messages_fails_in_time() {
    let send = |peer: &mut WebSocket<TcpStream>| {
        let messages = [
            Message::Ping(Default::default()),
            Message::text("[\"tick\"]"),
        ];
        messages
            .into_iter()
            .all(|message| peer.send(message).is_ok())
    };
    let stream = chatter(|peer| tungstenite::accept(peer).unwrap(), send);
    let (mut socket, _) = tungstenite::client("ws://localhost/", stream).unwrap();
    let mut ticks = 0;
    read_json(&mut socket, "two ticks", |_| {
        ticks += 1;
        ticks == 2
    });
    socket.get_mut().renew_for(SHORT);
    let told = failure(|| read_json(&mut socket, "\"tock\"", |message| message == "tock"));
    assert!(
        told.starts_with("\"tock\" does not come: waited 300ms; so far:\n"),
        "{told}"
    );
    assert!(told.matches("[\"tick\"]").count() > 1, "{told}");
}

#[cfg(unix)]
#[test]
fn reading_what_a_program_writes_fails_in_time() {
    let mut program = chattering();
    let mut pipe = Pipe::new(program.stdout.take().unwrap());
    pipe.take_to("tick\ntick\n");
    let told = failure(|| pipe.take_to_before("tock", "a tock", &Deadline::within(SHORT)));
    let beginning = "waited 300ms for a tock; so far:\ntick\ntick\n";
    assert!(told.starts_with(beginning), "{told}");
    // It can still be read.
    assert_eq!(pipe.line("a tick").as_deref(), Some("tick"));
    let told = failure(|| pipe.rest_within(&Deadline::within(SHORT)));
    let beginning = "waited 300ms for the end of the output; so far:\ntick\ntick\n";
    assert!(told.starts_with(beginning), "{told}");
    program.kill().unwrap();
    program.wait_in_time();
    assert!(pipe.rest().ends_with("tick\n"));
    assert_eq!(pipe.line("the end"), None);
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_end_in_time_is_killed() {
    let mut program = chattering();
    let deadline = Deadline::within(SHORT);
    let told = failure(|| program.end_in_time(&deadline, || "tick"));
    assert_eq!(told, "waited 300ms for the end of a program; so far:\ntick");
    let status = program.end_in_time(&Deadline::within(SHORT), || "");
    assert_eq!(status.code(), None);
    // Long enough for the first line on a busy machine.
    let program = chattering();
    let told = failure(|| program.output_within(Duration::from_secs(2)));
    let beginning = "waited 2s for the end of a program; so far:\ntick\n";
    assert!(told.starts_with(beginning), "{told}");
}

/// Calls that wait without a deadline, each with the call to use instead.
const ENDLESS: [(&str, &str); 6] = [
    (".output()", ".output_in_time()"),
    (".wait_with_output()", ".output_in_time()"),
    (".wait().unwrap()", ".wait_in_time()"),
    (".recv()", ".recv_timeout(PATIENCE)"),
    (".accept().unwrap()", "waiting::accept"),
    ("set_read_timeout(", "DeadlineStream"),
];

/// Files that may have such calls: the helpers, and peers of a test, which have threads or
/// processes of their own.
const EXCEPT: [&str; 8] = [
    "browser/contest_page.rs",
    "common/waiting.rs",
    "network/chaos/netref.rs",
    "network/deadlines.rs",
    "network/netref/tournaments.rs",
    "program/check/agent.rs",
    "program/check/awari_client.rs",
    "program/check/client.rs",
];

#[test]
fn no_test_waits_without_a_deadline() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(&root).unwrap();
            if path.extension().is_none_or(|end| end != "rs")
                || EXCEPT.iter().any(|except| file == Path::new(except))
            {
                continue;
            }
            let code = fs::read_to_string(&path).unwrap();
            let code: String = code.split_whitespace().collect();
            let calls = ENDLESS.iter().filter(|(endless, _)| code.contains(endless));
            found.extend(calls.map(|(endless, instead)| {
                format!("{} has {endless}: use {instead}", file.display())
            }));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
