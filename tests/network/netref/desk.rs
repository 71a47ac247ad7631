//! The files on the disk between one process and the next.

use std::fs;
use std::path::PathBuf;

use gothello::base::journal::Journal;
use gothello::contests::netref::Entry;
use tempfile::TempDir;

use crate::netref::referee::Referee;
use crate::netref::scenes::refusal;
use crate::netref::server::sole;

/// A folder for the journals and records of a referee that is restarted.
pub struct Desk(TempDir);

impl Desk {
    /// An empty one.
    pub fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("journal")).unwrap();
        Desk(folder)
    }

    /// The folder of records.
    pub fn records(&self) -> PathBuf {
        self.0.path().join("records")
    }

    /// The folder of journals.
    pub fn journal_folder(&self) -> PathBuf {
        self.0.path().join("journal")
    }

    /// The journals.
    pub fn journals(&self) -> Vec<PathBuf> {
        gothello::contests::netref::journals(&self.journal_folder()).unwrap()
    }

    /// The only journal.
    pub fn journal(&self) -> PathBuf {
        sole(self.journals())
    }

    /// Writes a journal by hand.
    pub fn write(&self, name: &str, entries: &[Entry]) {
        let path = self.journal_folder().join(name);
        Journal::create(&path).unwrap().append(entries).unwrap();
    }

    /// All arguments of a referee that continues where the last one stopped.
    pub fn arguments(&self, more: &[&str]) -> Vec<String> {
        let mut arguments: Vec<String> = more.iter().map(|&text| text.to_owned()).collect();
        for (name, folder) in [
            ("--journal", self.journal_folder()),
            ("--records", self.records()),
        ] {
            arguments.extend([name.into(), folder.to_str().unwrap().into()]);
        }
        arguments
    }

    /// Starts a referee of Awari that continues where the last one stopped.
    pub fn start_awari(&self, more: &[&str]) -> Referee {
        self.start(&[&["--game", "awari"], more].concat())
    }

    /// Starts a referee that continues where the last one stopped.
    pub fn start(&self, more: &[&str]) -> Referee {
        let arguments = self.arguments(&[more, &["--resume"]].concat());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Referee::start(&arguments)
    }

    /// The one line with which a referee refuses to start with exit code 2.
    #[track_caller]
    pub fn refusal(&self, more: &[&str]) -> String {
        let arguments = self.arguments(&[&["0", "--port", "0"], more].concat());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, lines) = refusal(&arguments);
        assert_eq!((code, lines.len()), (Some(1), 1), "{lines:?}");
        lines.concat()
    }

    /// Ann and Bob play 1 c3 c4, with 100 seconds each; then it crashes.
    pub fn crash_after_two_moves(&self) {
        let referee = self.start(&["100"]);
        let (mut black, mut white) = referee.named_pair();
        black.ask("1 c3", "207 99 ");
        white.lines_to("313 ");
        white.ask("1 ... c4", "207 99 ");
        black.lines_to("314 ");
        referee.kill();
        black.expect_end();
    }
}
