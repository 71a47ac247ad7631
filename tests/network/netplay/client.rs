//! The built program as a client of a referee.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::netref::referee::Referee;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running client.
pub struct Netplay(Child);

/// What became of it.
pub struct Done {
    /// The exit code.
    pub code: Option<i32>,
    /// What it wrote on standard output.
    pub out: String,
    /// What it wrote on standard error.
    pub err: String,
}

impl Netplay {
    /// Starts `gothello netplay 127.0.0.1 0 ARGUMENTS` at a referee.
    pub fn start(referee: &Referee, arguments: &[&str]) -> Netplay {
        Netplay::start_at(referee.addresses[0], arguments)
    }

    /// Starts it at an address.
    pub fn start_at(address: SocketAddr, arguments: &[&str]) -> Netplay {
        let port = address.port().to_string();
        let child = Command::new(env!("CARGO_BIN_EXE_gothello"))
            .args(["netplay", "127.0.0.1", "0", "--port", &port])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Netplay(child)
    }

    /// Types text.
    pub fn types(&mut self, text: &str) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Nothing more will be typed.
    pub fn close_input(&mut self) {
        self.0.stdin = None;
    }

    /// Nobody reads its output any more.
    pub fn close_output(&mut self) {
        self.0.stdout = None;
    }

    /// Sends it a signal, as in `-INT`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end, while its input stays open.
    pub fn wait(mut self) -> Done {
        let out = match self.0.stdout.take() {
            Some(out) => read(out),
            None => thread::spawn(String::new),
        };
        let err = read(self.0.stderr.take().unwrap());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                self.0.kill().unwrap();
                self.0.wait().unwrap();
                panic!(
                    "it does not end: {}{}",
                    out.join().unwrap(),
                    err.join().unwrap()
                );
            }
            thread::sleep(Duration::from_millis(2));
        };
        Done {
            code: status.code(),
            out: out.join().unwrap(),
            err: err.join().unwrap(),
        }
    }

    /// Ends its input and waits for its end.
    pub fn finish(mut self) -> Done {
        drop(self.0.stdin.take());
        self.wait()
    }
}

impl Done {
    /// The last line that it wrote on standard output.
    pub fn result(&self) -> &str {
        self.out.lines().next_back().unwrap_or_default()
    }

    /// The error that it ended with.
    pub fn error(&self) -> &str {
        let mut errors = self
            .err
            .lines()
            .filter_map(|line| line.strip_prefix("error: "));
        let error = errors.next().unwrap_or_default();
        assert_eq!(errors.next(), None, "{}", self.err);
        error
    }
}

/// Reads to the end meanwhile.
fn read(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).unwrap();
        text
    })
}
