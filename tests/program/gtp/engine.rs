//! The built program, asked one command at a time.

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::Duration;

use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, OutputInTime, Pipe};

/// How long a proof may take in a debug build.
const ANSWER: Duration = Duration::from_secs(60);

/// A running engine.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    /// Everything that was sent.
    sent: String,
    output: Pipe,
}

/// The built program with these arguments, and pipes to talk to it.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(executable());
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the output of the program for some input.
pub fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = program(arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.output_in_time();
    // A program that quits does not read the rest.
    let _ = writer.join().unwrap();
    output
}

impl Engine {
    /// An engine without a tablebase, in a position that takes long to solve.
    pub fn without_tablebase(arguments: &[&str]) -> Engine {
        let mut engine = Engine::start(&[&["--no-tablebase"], arguments].concat());
        engine.expect("play b a1");
        engine.expect("play w e5");
        engine
    }

    /// Starts the program.
    pub fn start(arguments: &[&str]) -> Engine {
        let mut child = program(arguments).stderr(Stdio::inherit()).spawn().unwrap();
        Engine {
            input: child.stdin.take(),
            sent: String::new(),
            output: Pipe::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends text unchanged.
    pub fn send(&mut self, text: &str) {
        self.sent.push_str(text);
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Reads one response, without the empty line that ends it.
    #[track_caller]
    pub fn receive(&mut self) -> String {
        let awaited = format!("the response to the last of these commands:\n{}", self.sent);
        let deadline = Deadline::within(ANSWER);
        let mut response = self.output.take_to_before("\n\n", &awaited, &deadline);
        response.truncate(response.len() - 2);
        response
    }

    /// Sends a command and reads the response.
    #[track_caller]
    pub fn ask(&mut self, command: &str) -> String {
        self.send(&format!("{command}\n"));
        self.receive()
    }

    /// Sends a command that must succeed. Returns the text of its response.
    #[track_caller]
    pub fn expect(&mut self, command: &str) -> String {
        let response = self.ask(command);
        match response.strip_prefix("= ") {
            Some(text) => text.to_owned(),
            None => panic!("{command}: {response}"),
        }
    }

    /// Sends commands, one on each line, and returns the dialogue.
    pub fn transcript(&mut self, commands: &str) -> String {
        let mut transcript = String::new();
        for command in commands.lines().map(str::trim) {
            let response = self.ask(command);
            write!(transcript, "> {command}\n{response}\n").unwrap();
        }
        // Trailing spaces are not shown.
        let lines = transcript.lines().map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Ends the input and waits for the program to end. Returns the rest of its output, and
    /// whether it succeeded.
    pub fn finish(mut self) -> (String, bool) {
        self.input = None;
        let rest = self.output.rest();
        (rest, self.child.wait_in_time().success())
    }
}

/// The dialogue of a new engine.
pub fn transcript(commands: &str) -> String {
    Engine::start(&[]).transcript(commands.trim())
}
