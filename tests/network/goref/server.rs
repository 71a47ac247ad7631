//! The built program as a referee of Go contests.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::executable::executable;
use crate::goref::client::Client;
use crate::goref::spectator::Spectator;
use crate::server::ServerProcess;
use crate::waiting::{DeadlineStream, OutputInTime, PATIENCE};

/// The token of an organizer.
pub const TOKEN: &str = "an-organizer-of-contests";

/// A running server; it is killed when the test is done with it.
pub struct Server {
    process: ServerProcess<Value>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts `gothello goref ARGUMENTS`, which keeps nothing, on a free port.
    pub fn start(arguments: &[&str]) -> Server {
        Server::spawn(command(&[arguments, &["--no-state"]].concat()))
    }

    /// Starts `gothello goref ARGUMENTS`, which keeps its games in a folder.
    pub fn keeping(folder: &Path, arguments: &[&str]) -> Server {
        let state = ["--state", folder.to_str().unwrap()];
        Server::spawn(command(&[arguments, &state].concat()))
    }

    /// Runs this, and waits until it listens.
    pub fn spawn(mut command: Command) -> Server {
        let process = ServerProcess::start(&mut command, |line| {
            let news: Value = serde_json::from_str(&line).expect(&line);
            assert!(news["event"].is_string() && news["time"].is_string());
            news
        });
        let mut server = Server {
            process,
            address: ([127, 0, 0, 1], 0).into(),
        };
        let news = server.wait_for("listening", |_| true);
        let clients = news["clients"].as_str().unwrap();
        server.address = clients.strip_prefix("ws://").unwrap().parse().unwrap();
        server
    }

    /// A client that has connected and said nothing.
    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// A client that has told its name, and of which the server knows it.
    pub fn client(&self, name: &str) -> Client {
        self.named(self.connect(), name)
    }

    /// A client that has connected, and now tells its name, which the server then knows.
    pub fn named(&self, mut client: Client, name: &str) -> Client {
        client.expect("NAME");
        let before = self.count("named", |news| news["name"] == name);
        client.send(&json!({"type": "NAME", "name": name}));
        self.wait_until(name, |server| {
            server.count("named", |news| news["name"] == name) > before
        });
        client
    }

    /// Ann and Bob in the order in which a server with `--auto` pairs them, after
    /// their START.
    pub fn pair(&self) -> (Client, Client) {
        self.pair_called("Ann", "Bob")
    }

    /// A pair with other names.
    pub fn pair_called(&self, black: &str, white: &str) -> (Client, Client) {
        let mut black = self.client(black);
        let mut white = self.client(white);
        assert_eq!(black.expect("START")["color"], "B");
        assert_eq!(white.expect("START")["color"], "W");
        (black, white)
    }

    /// Two others are paired and play to the end: the server serves.
    pub fn plays_a_game(&self) {
        let (mut black, mut white) = self.pair_called("Yin", "Yang");
        for at in [[0, 0], [1, 1], [2, 2], [3, 3]] {
            black.plays(&mut white, &place(at));
            std::mem::swap(&mut black, &mut white);
        }
        black.plays(&mut white, &pass());
        white.plays(&mut black, &pass());
        for client in [&mut black, &mut white] {
            assert_eq!(client.expect("END")["reason"], "pass");
        }
    }

    /// One who watches.
    pub fn watch(&self) -> Spectator {
        Spectator::connect(self.address)
    }

    /// The number of the last client that told this name.
    pub fn number_of(&self, name: &str) -> u64 {
        let is_his = |news: &&Value| news["event"] == "named" && news["name"] == name;
        let log = self.log();
        log.iter().rev().find(is_his).unwrap()["connection"]
            .as_u64()
            .unwrap()
    }

    /// Sends a command of the organizer on this machine, which must be done.
    #[track_caller]
    pub fn act(&self, command: Value) {
        let (status, answer) = self.command(&command, &[]);
        assert_eq!((status, &answer), (200, &json!({"ok": true})), "{command}");
    }

    /// Sends a command that cannot be done; the sentence that says why.
    #[track_caller]
    pub fn refuses(&self, command: Value) -> String {
        let (status, answer) = self.command(&command, &[]);
        assert_eq!(status, 409, "{command}: {answer}");
        answer["error"].as_str().unwrap().to_owned()
    }

    /// Sends a command with more lines in the head of the request: the status and
    /// the answer.
    pub fn command(&self, command: &Value, head: &[&str]) -> (u16, Value) {
        let host = format!("Host: {}", self.address);
        let head = [&[&*host, "Content-Type: application/json"], head].concat();
        let (status, body) = request(self.address, "POST /act", &head, &command.to_string());
        (status, serde_json::from_str(&body).expect(&body))
    }

    /// Asks for a page.
    pub fn get(&self, path: &str, head: &[&str]) -> (u16, String) {
        let host = format!("Host: {}", self.address);
        let head = [&[&*host], head].concat();
        request(self.address, &format!("GET {path}"), &head, "")
    }

    /// Removes and returns its standard input and standard error, if they are pipes.
    #[cfg(unix)]
    pub fn take_pipes(
        &mut self,
    ) -> (
        Option<std::process::ChildStdin>,
        Option<std::process::ChildStderr>,
    ) {
        self.process.take_pipes()
    }

    /// The lines that it has printed so far.
    pub fn log(&self) -> Vec<Value> {
        self.process.log()
    }

    /// How many such news it has printed.
    pub fn count(&self, event: &str, is_meant: impl Fn(&Value) -> bool) -> usize {
        let is_such = |news: &&Value| news["event"] == event && is_meant(news);
        self.process.find(|log| log.iter().filter(is_such).count())
    }

    /// The number of its news that contain this text.
    pub fn count_with(&self, text: &str) -> usize {
        let has_text = |news: &&Value| news.to_string().contains(text);
        self.process.find(|log| log.iter().filter(has_text).count())
    }

    /// Waits until it has printed such news; the first ones.
    #[track_caller]
    pub fn wait_for(&self, event: &str, is_meant: impl Fn(&Value) -> bool) -> Value {
        let is_such = |news: &&Value| news["event"] == event && is_meant(news);
        let first = |log: &[Value]| log.iter().find(is_such).cloned();
        self.process.wait_for(event, |process| process.find(first))
    }

    /// Waits until it has printed such news with this text in a field.
    #[track_caller]
    pub fn wait_for_text(&self, event: &str, field: &str, text: &str) -> Value {
        let has = |news: &Value| {
            news[field]
                .as_str()
                .is_some_and(|field| field.contains(text))
        };
        self.wait_for(event, has)
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&Server) -> bool) {
        self.process.wait_for(what, |_| is_so(self).then_some(()));
    }

    /// The number of its process.
    #[cfg(target_os = "linux")]
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Sends a signal: `-TERM`, `-STOP`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        self.process.signal(signal);
    }

    /// Kills it as a power failure would.
    pub fn kill(self) {
        self.process.kill();
    }

    /// Waits until it ends by itself.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        self.process.wait()
    }
}

/// `gothello goref ARGUMENTS` on a free port with a log of JSON.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(executable());
    command
        .args([
            "goref",
            "--port",
            "0",
            "--log-format",
            "json",
            "--token",
            TOKEN,
        ])
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// A start that is refused with exit code 2 and one line.
#[track_caller]
pub fn refusal(arguments: &[&str]) -> String {
    let output = command(arguments).output_within(PATIENCE);
    let lines = String::from_utf8(output.stderr).unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {lines}");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.starts_with("error: "), "{lines}");
    assert_eq!(out, "");
    lines
}

/// A move at a row and column.
pub fn place([row, column]: [u8; 2]) -> Value {
    json!({"type": "place", "point": {"row": row, "column": column}})
}

/// A pass.
pub fn pass() -> Value {
    json!({"type": "pass"})
}

/// A request over a connection of its own: the status and the body.
pub fn request(address: SocketAddr, line: &str, head: &[&str], body: &str) -> (u16, String) {
    let mut stream = DeadlineStream::connect(address);
    let mut text = format!("{line} HTTP/1.1\r\n");
    for line in head {
        text.push_str(line);
        text.push_str("\r\n");
    }
    let length = body.len();
    text.push_str(&format!(
        "Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ));
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that has answered may close a connection whose body it has not read, which resets it.
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}
