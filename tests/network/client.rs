//! The built program as a client: its input, its output and its end.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::executable::executable;
use crate::waiting::{Deadline, EndsInTime, PATIENCE, Pipe};

/// A running client.
pub struct Program {
    child: Child,
    output: Pipe,
    errors: Pipe,
}

/// How it ended.
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
        let mut program = Command::new(executable());
        Program::spawn(program.args(command).args(arguments))
    }

    /// Starts any program.
    pub fn spawn(command: &mut Command) -> Program {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Program {
            output: Pipe::new(child.stdout.take().unwrap()),
            errors: Pipe::new(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Types text.
    pub fn types(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until it has written this on standard error. [`Done::err`] has what follows.
    #[track_caller]
    pub fn tells(&mut self, text: &str) {
        self.errors.take_to(text);
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        self.child.stdin = None;
    }

    /// Closes its output.
    pub fn close_output(&mut self) {
        self.output = Pipe::new(io::empty());
    }

    /// Sends it a signal, as in `-INT`.
    #[cfg(unix)]
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for its end while its input stays open.
    #[track_caller]
    pub fn wait(self) -> Done {
        self.wait_within(PATIENCE)
    }

    /// Waits for its end, at most this long.
    #[track_caller]
    pub fn wait_within(mut self, patience: Duration) -> Done {
        let deadline = Deadline::within(patience);
        let mut pipes = [self.output, self.errors];
        pipes.iter_mut().for_each(Pipe::begin);
        let so_far = || pipes.each_ref().map(Pipe::so_far).concat();
        let status = self.child.end_in_time(&deadline, so_far);
        let [out, err] = pipes.map(|mut pipe| pipe.rest_within(&deadline));
        Done {
            code: status.code(),
            out: String::from_utf8(out).unwrap(),
            err: String::from_utf8(err).unwrap(),
        }
    }

    /// Ends its input and waits for its end.
    #[track_caller]
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

    /// Asserts that it succeeded with these results.
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

    /// Asserts that it wrote this to standard error.
    #[track_caller]
    pub fn told(&self, text: &str) {
        assert!(
            self.err.contains(text),
            "{text:?} is missing in:\n{}",
            self.err
        );
    }
}
