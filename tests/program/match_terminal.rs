//! The table that `gothello match` shows on a terminal: at a pseudo-terminal.

use std::fs::{self, File};
use std::path::Path;
use std::process::Child;

use rustix::termios::{Winsize, tcsetwinsize};
use unicode_width::UnicodeWidthStr;

use crate::pty::Pty;
use crate::subcommand::Subcommand;
use crate::waiting::{EndsInTime, Pipe};

const MATCH: Subcommand = Subcommand("match");

/// Players with names whose characters take two columns, one, or none.
const PLAYERS: [&str; 8] = [
    "--player",
    "日本棋院の囲碁対局プログラム第二版=builtin:level=1",
    "--player",
    "Zoe\u{308}=builtin:level=2",
    "--player",
    "한국어=builtin:level=1",
    "--player",
    "an-engine-with-a-name-that-is-long=builtin:level=2",
];

/// A match whose standard output and standard error are a terminal.
struct Terminal {
    child: Child,
    controller: File,
    screen: Pipe,
}

impl Terminal {
    fn start(folder: &Path, arguments: &[&str], term: &str, columns: u16) -> Terminal {
        let pty = Pty::open();
        // The size is that of the terminal, which must be open.
        let mut command = MATCH.command(folder, arguments);
        command.env("TERM", term);
        command.stdout(pty.stdio()).stderr(pty.stdio());
        resize(&pty.controller, columns);
        let child = command.spawn().unwrap();
        Terminal {
            child,
            screen: Pipe::new(pty.controller.try_clone().unwrap()),
            controller: pty.controller,
        }
    }

    /// Reads everything, and expects success.
    fn ends(mut self) -> String {
        let seen = self.screen.rest();
        assert!(self.child.wait_in_time().success(), "{seen}");
        seen.replace("\r\n", "\n")
    }
}

fn resize(terminal: &File, columns: u16) {
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).unwrap();
}

/// The text between cursor movements to the beginning of an earlier line, each with the number of
/// lines by which the cursor then moves. Panics if there are other control sequences.
fn frames(text: &str) -> Vec<(String, usize)> {
    let mut parts = text.split("\x1b[");
    let mut frames = vec![(parts.next().unwrap().to_owned(), 0)];
    while let (Some(up), Some(down)) = (parts.next(), parts.next()) {
        let lines = up.strip_suffix('F').and_then(|up| up.parse().ok());
        frames.last_mut().unwrap().1 = lines.unwrap();
        frames.push((down.strip_prefix('J').unwrap().to_owned(), 0));
    }
    assert!(frames.iter().all(|(frame, _)| !frame.contains('\x1b')));
    frames
}

/// The lines on the screen at the end.
fn screen(frames: &[(String, usize)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (text, up) in frames {
        lines.extend(text.lines().map(str::to_owned));
        lines.truncate(lines.len() - up);
    }
    lines
}

#[test]
fn a_table_fits_the_terminal_and_is_gone_at_the_end() {
    for columns in [80, 40] {
        let folder = tempfile::tempdir().unwrap();
        let options = ["--games", "6", "--openings", "balanced:3", "--seed", "4"];
        let arguments = [&PLAYERS[..], &options, &["--results", "r.jsonl"]].concat();
        let text = Terminal::start(folder.path(), &arguments, "xterm", columns).ends();
        let frames = frames(&text);
        let (_, shown) = frames.split_last().unwrap();
        assert!(!shown.is_empty(), "{columns}: {text:?}");
        for (number, (frame, up)) in shown.iter().enumerate() {
            // The first one follows the earlier messages.
            let table = frame
                .split_once("seed 4\n")
                .map_or(&**frame, |(_, table)| table);
            let lines: Vec<&str> = table.lines().collect();
            assert_eq!(lines.len(), *up, "{number}: {frame}");
            assert!(
                lines.iter().all(|line| line.width() < columns.into()),
                "{frame}"
            );
            let head = lines.iter().position(|line| line.contains("Won")).unwrap();
            // The last column ends at the same position for all names.
            let has_last = |line: &&&str| columns == 40 || line.ends_with(['%', 'e']);
            let widths = lines[head..head + 5]
                .iter()
                .filter(has_last)
                .map(|line| line.width());
            let widths: Vec<usize> = widths.collect();
            assert!(widths.iter().all(|width| *width == widths[0]), "{frame}");
            if columns == 40 {
                assert!(frame.contains("日本棋院の…  "), "{frame}");
                assert!(frame.contains("an-engine-w…  "), "{frame}");
            }
        }
        let report = MATCH.stdout(folder.path(), &["report", "r.jsonl"]);
        let expected: Vec<&str> = ["seed 4"].into_iter().chain(report.lines()).collect();
        assert_eq!(screen(&frames), expected);
    }
}

#[test]
fn a_table_follows_the_size_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    // An engine that resigns when it is told to.
    let engine = "while read -r line; do set -- $line; case $2 in '') exit;; genmove) \
                  while [ ! -e go ]; do sleep 0.02; done; printf '=%s resign\\n\\n' $1;; \
                  *) printf '=%s\\n\\n' $1;; esac; done";
    fs::write(folder.path().join("engine.sh"), engine).unwrap();
    let name = "an-engine-with-a-name-that-is-long";
    let player = format!("{name}=sh engine.sh");
    let players = ["--player", &player, "--player", "b=builtin:level=1"];
    let options = ["--concurrency", "1", "--results", "r.jsonl"];
    let arguments = [players, options].concat();
    let mut terminal = Terminal::start(folder.path(), &arguments, "xterm", 80);
    // The first game may begin after the first table is shown.
    let is_whole =
        |seen: &str| seen.contains(name) && seen.contains("being played") && seen.ends_with('\n');
    terminal.screen.wait_until("a table", is_whole);
    resize(&terminal.controller, 30);
    let is_narrow = |seen: &str| seen.contains("an-engi…");
    terminal.screen.wait_until("a narrow table", is_narrow);
    fs::write(folder.path().join("go"), "").unwrap();
    let frames = frames(&terminal.ends());
    // No game has ended yet. On a busy machine none may have begun when the first table is shown.
    let has_begun = |frame: &str| frame.contains("being played");
    let (first, _) = frames.iter().find(|(frame, _)| has_begun(frame)).unwrap();
    assert!(
        first.contains("\n0 of 2 games, 0 a minute, 1 game being played\n"),
        "{first}"
    );
    assert!(
        first.ends_with("\nCtrl-C stops, the same command goes on\n"),
        "{first}"
    );
    let lines = |frame: &str| {
        let lines = frame.lines();
        lines.filter(|line| !line.starts_with("seed")).count()
    };
    let wide = frames
        .iter()
        .rposition(|(frame, _)| !is_narrow(frame) && frame.contains("0 of 2"));
    let (frame, up) = &frames[wide.unwrap()];
    // The terminal has broken lines of the table that no longer fit.
    let broken = frame.lines().filter(|line| line.width() > 30).count();
    assert!(broken >= 2, "{frame}");
    assert_eq!(*up, lines(frame) + broken, "{frame}");
    for (frame, up) in &frames[wide.unwrap() + 1..frames.len() - 1] {
        assert_eq!(*up, lines(frame), "{frame}");
    }
}

#[test]
fn a_failure_takes_one_line_above_the_table() {
    for (columns, results) in [(80, true), (50, true), (80, false)] {
        let folder = tempfile::tempdir().unwrap();
        let engine = "while read -r line; do set -- $line; case $2 in '') exit;; genmove) \
                      seq 100 130 >&2; exit 3;; *) printf '=%s\\n\\n' $1;; esac; done";
        fs::write(folder.path().join("engine.sh"), engine).unwrap();
        let players = [
            "--player",
            "bad=sh engine.sh",
            "--player",
            "good=builtin:level=1",
        ];
        let options = ["--games", "4", "--concurrency", "1", "--seed", "1"];
        let file: &[&str] = match results {
            true => &["--results", "r.jsonl"],
            false => &[],
        };
        let arguments = [&players[..], &options, file].concat();
        let mut terminal = Terminal::start(folder.path(), &arguments, "xterm", columns);
        let text = terminal.screen.rest().replace("\r\n", "\n");
        assert_eq!(terminal.child.wait_in_time().code(), Some(1), "{text}");
        let screen = screen(&frames(&text));
        let failures = screen.iter().filter(|line| line.contains(" - "));
        let failures: Vec<&String> = failures.take_while(|line| !line.is_empty()).collect();
        let failures: Vec<&&String> = failures.iter().filter(|line| line.contains("+F")).collect();
        assert_eq!(failures.len(), 4, "{columns}: {screen:#?}");
        for line in failures {
            assert!(line.width() < columns.into(), "{columns}: {line}");
            let place = match results {
                true => "… (its last lines: r.jsonl)",
                false => " (--results keeps its last lines)",
            };
            assert!(line.ends_with(place), "{columns}: {line}");
        }
        // The ids of games may have these digits, too.
        let is_last_line = |line: &str| line.trim_end().ends_with("130");
        assert!(!text.lines().any(is_last_line), "{columns}: {text}");
        // The table comes again at once.
        for (frame, _) in frames(&text) {
            let is_told = frame.contains("+F, crash");
            assert!(
                !is_told || frame.contains(" of 4 games"),
                "{columns}: {frame}"
            );
        }
        if results {
            let recorded = fs::read_to_string(folder.path().join("r.jsonl")).unwrap();
            assert!(recorded.contains("\"130\""), "{recorded}");
        }
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_has_a_line_for_each_game() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&PLAYERS[..4], &["--seed", "1"]].concat();
    let text = Terminal::start(folder.path(), &arguments, "dumb", 80).ends();
    assert!(!text.contains('\x1b'), "{text:?}");
    assert!(
        text.contains("\n1: 日本棋院の囲碁対局プログラム第二版 - Zoe\u{308} "),
        "{text}"
    );
}
