//! The files on the disk between one process and the next.

use std::fs;
use std::path::{Path, PathBuf};

use gothello::base::journal::Journal;
use gothello::contests::netref::{Entry, MatchEntry};
use itertools::Itertools;
use serde_json::Value;
use tempfile::TempDir;

use crate::netref::referee::Referee;
use crate::netref::scenes::refusal;

/// The matches in the journal of a folder that are not recorded, and not adjourned.
pub fn unrecorded(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("journal")).unwrap_or_default();
    let mut matches: Vec<String> = Vec::new();
    // The last line may be half written.
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    for line in lines {
        let (_, json) = line.split_once(' ').unwrap();
        let entry: Value = serde_json::from_str(json).unwrap();
        let id = entry["match"].as_str().unwrap();
        match entry["entry"].as_str().unwrap() {
            "start" | "resumed" => matches.push(id.to_owned()),
            "recorded" | "adjourned" => matches.retain(|known| known != id),
            _ => {}
        }
    }
    matches
}

/// A state folder of a referee that is restarted.
pub struct Desk(TempDir);

impl Desk {
    /// An empty one.
    pub fn new() -> Desk {
        Desk(tempfile::tempdir().unwrap())
    }

    /// The folder.
    pub fn state(&self) -> &Path {
        self.0.path()
    }

    /// The matches in the journal that are not recorded, and not adjourned.
    pub fn unrecorded(&self) -> Vec<String> {
        unrecorded(self.state())
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.state().join("journal")
    }

    /// Writes the entries of a match to the journal by hand.
    pub fn write(&self, id: &str, entries: &[Entry]) {
        let path = self.journal();
        let mut journal = match path.exists() {
            true => Journal::open(&path).unwrap().journal,
            false => Journal::create(&path).unwrap(),
        };
        let entries = entries.iter().map(|entry| MatchEntry {
            id: id.to_owned(),
            entry: entry.clone(),
        });
        journal.append(&entries.collect_vec()).unwrap();
    }

    /// All arguments of a referee that continues where the last one stopped.
    pub fn arguments(&self, more: &[&str]) -> Vec<String> {
        let mut arguments: Vec<String> = more.iter().map(|&text| text.to_owned()).collect();
        arguments.extend(["--state".into(), self.state().to_str().unwrap().into()]);
        arguments
    }

    /// Starts a referee of Awari that continues where the last one stopped.
    pub fn start_awari(&self, more: &[&str]) -> Referee {
        self.start(&[&["--game", "awari"], more].concat())
    }

    /// Starts a referee that continues where the last one stopped.
    pub fn start(&self, more: &[&str]) -> Referee {
        let arguments = self.arguments(more);
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
