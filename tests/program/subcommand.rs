//! A subcommand of the built program that works on files in a folder.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::executable::executable;
use crate::waiting::OutputInTime;

/// A subcommand by its name.
pub struct Subcommand(pub &'static str);

impl Subcommand {
    /// The command line, to be run in a folder, without input.
    pub fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(executable());
        command
            .arg(self.0)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program.
    pub fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        self.command(folder, arguments).output_in_time()
    }

    /// The output of a run that succeeds and prints no message.
    pub fn stdout(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self.run(folder, arguments);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stderr, b"", "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a run that fails with this exit code.
    pub fn error(&self, folder: &Path, arguments: &[&str], code: i32) -> String {
        let output = self.run(folder, arguments);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().next().unwrap().to_owned()
    }
}
