//! The built program as a client: its input, its output and its end.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running client.
pub struct Program(Child);

/// What became of it.
pub struct Done {
    /// The exit code.
    pub code: Option<i32>,
    /// What it wrote on standard output.
    pub out: String,
    /// What it wrote on standard error.
    pub err: String,
}

impl Program {
    /// Starts `gothello COMMAND ARGUMENTS`.
    pub fn start(command: &[&str], arguments: &[&str]) -> Program {
        let mut program = Command::new(env!("CARGO_BIN_EXE_gothello"));
        Program::spawn(program.args(command).args(arguments))
    }

    /// Starts any program.
    pub fn spawn(command: &mut Command) -> Program {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Program(child)
    }

    /// Types text.
    pub fn types(&mut self, text: &str) {
        let input = self.0.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until it has written this on standard error. [`Done::err`] has what follows.
    pub fn tells(&mut self, text: &str) {
        let from = self.0.stderr.as_mut().unwrap();
        let mut told = Vec::new();
        // No byte more is read than needed.
        let mut byte = [0];
        while !told.ends_with(text.as_bytes()) {
            let read = from.read(&mut byte).unwrap();
            let so_far = String::from_utf8_lossy(&told);
            assert_eq!(read, 1, "it ends without {text:?}: {so_far}");
            told.extend(byte);
        }
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
    pub fn wait(self) -> Done {
        self.wait_within(PATIENCE)
    }

    /// Waits for its end, at most this long.
    pub fn wait_within(mut self, patience: Duration) -> Done {
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
            if start.elapsed() > patience {
                self.0.kill().unwrap();
                self.0.wait().unwrap();
                let [out, err] = [out, err].map(|text| text.join().unwrap());
                panic!("it does not end: {out}{err}");
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
        self.close_input();
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

    /// That it ended well, with these results.
    #[track_caller]
    pub fn is_well(&self, results: &str) {
        assert_eq!(self.code, Some(0), "{}", self.err);
        assert_eq!(self.out, results, "{}", self.err);
    }

    /// The error that it failed with.
    #[track_caller]
    pub fn failure(&self) -> &str {
        assert_eq!(self.code, Some(1), "{}", self.err);
        let error = self
            .err
            .lines()
            .find_map(|line| line.strip_prefix("error: "));
        error.unwrap_or_else(|| panic!("{}", self.err))
    }

    /// That this was told on standard error.
    #[track_caller]
    pub fn told(&self, text: &str) {
        assert!(
            self.err.contains(text),
            "{text:?} is missing in:\n{}",
            self.err
        );
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
