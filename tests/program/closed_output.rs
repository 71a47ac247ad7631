//! Commands whose output nobody reads: the exit code is the same as with a reader, because it
//! depends on the results.

use std::fs::{self, File};
use std::io::{Write, pipe};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use crate::executable::executable;
use crate::help::COMMANDS;
use crate::result_line::result_line;
use crate::waiting::{Deadline, EndsInTime, accept};
use crate::{review, tablebase};

/// The longest that a run may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Positions, each with an answer at once.
const POSITIONS: &str = "bbbbw/bbbbw/bbbw./bbbww/bw.ww w\nbbbww/bbbww/bbb.w/b.bww/bbbww b\n";

/// The outputs of a run that nobody reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    Nothing,
    Output,
    OutputAndErrors,
}

/// Runs the program in a folder, with this text as its input.
fn run(folder: &Path, arguments: &[&str], input: &str, closed: Closed) -> ExitStatus {
    // A pipe whose reader is gone before the program starts.
    let sink = |is_closed: bool| match is_closed {
        true => Stdio::from(pipe().unwrap().1),
        false => Stdio::null(),
    };
    let stdin = tempfile::NamedTempFile::new_in(folder).unwrap();
    fs::write(&stdin, input).unwrap();
    let child = Command::new(executable())
        .args(arguments)
        .current_dir(folder)
        .stdin(File::open(&stdin).unwrap())
        .stdout(sink(closed != Closed::Nothing))
        .stderr(sink(closed == Closed::OutputAndErrors))
        .spawn()
        .unwrap();
    wait(child, arguments)
}

fn wait(mut child: Child, arguments: &[&str]) -> ExitStatus {
    let command = || format!("gothello {}", arguments.join(" "));
    child.end_in_time(&Deadline::within(TIMEOUT), command)
}

/// Writes a game from a late position, which is reviewed at once.
fn write_game(folder: &Path) {
    review::write(
        &folder.join("game.sgf"),
        ["Ann", "Bob"],
        &review::game(&["pass"]),
    );
}

/// A folder with the files that the commands below work on.
fn folder() -> tempfile::TempDir {
    let folder = tablebase::copy();
    let place = folder.path();
    let write = |name: &str, text: &str| fs::write(place.join(name), text).unwrap();
    write_game(place);
    write("bad.sgf", "no game");
    write("empty", "");
    write(
        "ratings.jsonl",
        &result_line("1", ["Red", "Blue"], "black", None),
    );
    // The engine crashes when it is to move.
    write(
        "crash.sh",
        "while read -r line; do case $line in *genmove*) exit 3;; *) printf '=\\n\\n';; esac; done",
    );
    fs::create_dir_all(place.join("damaged/04")).unwrap();
    fs::write(place.join("damaged/04/000.blocks"), "not blocks").unwrap();
    for arguments in [
        "tablebase pack tb few.tablebase --stones 3",
        "awari-db build --stones 3 few.adb",
        "match --player builtin:level=1 --player b=builtin:level=2 --games 1 --seed 1 --quiet \
         --results results.jsonl",
    ] {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        assert!(
            run(place, &words, "", Closed::Nothing).success(),
            "{arguments}"
        );
    }
    folder
}

/// For each command, a way to end with each exit code that it may have, except that of wrong
/// usage, which is the same for all: the arguments, the input, and the exit code. `~` is a blank
/// inside a word, TAKEN a port that is in use, and CLOSES one that closes all connections.
const RUNS: &[(&str, &str, i32)] = &[
    ("--help", "", 0),
    ("perft 0", "", 2),
    ("", "showboard\n", 0),
    ("gtp", "showboard\ngenmove b\n", 0),
    ("gtp --tablebase empty", "", 1),
    ("play empty", "", 1),
    ("play --terminal --level 1", "c3\nquit\n", 0),
    ("play --terminal empty", "", 1),
    ("solve bbbbw/bbbbw/bbbw./bbbww/bw.ww w", "", 0),
    ("solve --tablebase empty", "", 1),
    ("solve --batch", POSITIONS, 0),
    ("solve --batch --json", "b\n", 1),
    ("solve --batch", "bbbbw/bbbbw/bbbw./bbbww/bw.ww w\nb\n", 1),
    ("dataset --positions 3 --stones 20..24", "", 0),
    ("dataset --positions 184 --stones 2", "", 1),
    ("review game.sgf", "", 0),
    ("review missing.sgf game.sgf", "", 1),
    ("review --json game.sgf game.sgf bad.sgf", "", 1),
    ("review --summary game.sgf bad.sgf", "", 1),
    ("tablebase build tb --stones 4..0", "", 0),
    ("tablebase build empty", "", 1),
    ("tablebase info", "", 0),
    ("tablebase info tb", "", 0),
    ("tablebase info empty", "", 1),
    ("tablebase verify tb --positions 0", "", 0),
    ("tablebase verify damaged --positions 0", "", 1),
    ("tablebase probe few.tablebase --moves c3", "", 0),
    (
        "tablebase probe few.tablebase ...../.w.../wb.../...../..... w",
        "",
        1,
    ),
    ("tablebase survey tb", "", 0),
    ("tablebase survey damaged", "", 1),
    ("tablebase pack tb few.tablebase --stones 3", "", 0),
    ("tablebase pack tb few.tablebase --stones 2", "", 1),
    ("perft 3", "", 0),
    ("netref --port TAKEN", "", 1),
    ("netplay 127.0.0.1:CLOSES black", "", 1),
    ("netplay 127.0.0.1:CLOSES observe", "", 1),
    ("goref --no-state --port TAKEN", "", 1),
    (
        "goplay 127.0.0.1:CLOSES --name A --human --reconnect 0",
        "",
        1,
    ),
    (
        "match --player builtin:level=1 --player b=builtin:level=1 --games 1 --seed 1",
        "",
        0,
    ),
    (
        "match --player CRASHES --player builtin:level=1 --games 2",
        "",
        1,
    ),
    (
        "match --json --player CRASHES --player builtin:level=1 --games 2",
        "",
        1,
    ),
    (
        "match --player builtin:level=1 --player b=builtin:level=1 --games 2 --seed 1 \
         --sprt elo0=0,elo1=10,alpha=0.05,beta=0.05 --exit-status",
        "",
        4,
    ),
    ("match report results.jsonl", "", 0),
    ("match report empty", "", 1),
    ("match stats --wdl 3,2,1", "", 0),
    ("check gtp --list", "", 0),
    ("check gtp --only start --only name -- GOTHELLO", "", 0),
    ("check gtp --only start --timeout 1 -- cat", "", 1),
    ("check gtp --json --only start --timeout 1 -- cat", "", 1),
    (
        "check netref --only connect --timeout 1 -- cat {side} {port}",
        "",
        1,
    ),
    ("check goref --only connect --timeout 1 -- cat {url}", "", 1),
    ("standings ratings.jsonl", "", 0),
    ("standings missing", "", 1),
    ("awari-db build --stones 3 few.adb", "", 0),
    ("awari-db build --stones 2 few.adb", "", 1),
    ("awari-db info few.adb", "", 0),
    ("awari-db info empty", "", 1),
    ("awari-db verify few.adb", "", 0),
    ("awari-db verify empty", "", 1),
    ("completions bash", "", 0),
    ("man pages", "", 0),
    ("man empty", "", 1),
];

#[test]
fn the_exit_code_is_the_same_whether_or_not_anybody_reads_the_output() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let closes = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port().to_string();
    let meanings = [
        ("TAKEN", port(&taken)),
        ("CLOSES", port(&closes)),
        ("CRASHES", "crash=sh crash.sh".to_owned()),
        ("GOTHELLO", executable().to_owned()),
    ];
    // Ends with the test.
    thread::spawn(move || closes.incoming().for_each(drop));
    let check = |&(line, input, code): &(&str, &str, i32)| {
        let word = |word: &str| {
            let mut word = word.replace('~', " ");
            for (name, meaning) in &meanings {
                word = word.replace(name, meaning);
            }
            word
        };
        let arguments: Vec<String> = line.split_whitespace().map(word).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let all = [Closed::Nothing, Closed::Output, Closed::OutputAndErrors];
        let codes = all.map(|closed| run(folder.path(), &arguments, input, closed).code());
        (codes != [Some(code); 3]).then(|| format!("gothello {line}: {codes:?}, not {code}"))
    };
    // Most runs only wait.
    let wrong: Vec<String> = thread::scope(|scope| {
        let parts = RUNS.chunks(RUNS.len().div_ceil(4));
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(|| part.iter().filter_map(check).collect::<Vec<_>>()))
            .collect();
        threads
            .into_iter()
            .flat_map(|part| part.join().unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_command_is_run() {
    let is_run = |command: &[&str]| {
        let mut runs = RUNS.iter().map(|(line, ..)| line.split_whitespace());
        runs.any(|words| words.take(command.len()).eq(command.iter().copied()))
    };
    for command in COMMANDS.iter().filter(|command| **command != ["help"]) {
        assert!(is_run(command), "{command:?}");
    }
}

/// The tree has more leaves than can be counted.
#[test]
fn progress_that_nobody_reads_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let status = run(folder.path(), &["perft", "50"], "", Closed::Output);
    assert!(status.success(), "{status}");
}

/// In a debug build, the empty board takes an hour.
#[test]
fn positions_whose_answers_nobody_reads_are_read_but_not_solved() {
    let folder = tempfile::tempdir().unwrap();
    let solve = ["solve", "--batch", "--no-tablebase", "--hash", "1"];
    let hard = format!("{POSITIONS}...../...../...../...../..... b\n");
    let status = |input: &str| run(folder.path(), &solve, input, Closed::Output).code();
    assert_eq!(status(&hard), Some(0));
    assert_eq!(status(&format!("{hard}no position\n")), Some(1));
}

#[test]
fn games_whose_reviews_nobody_reads_are_read_but_not_reviewed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write_game(folder.path());
    write("hard.sgf", "(;GM[1]FF[4]SZ[5];B[cc])");
    write("bad.sgf", "no game");
    let review = ["review", "--no-tablebase", "--hash", "1", "--threads", "1"];
    let status = |files: &[&str]| {
        run(
            folder.path(),
            &[&review[..], files].concat(),
            "",
            Closed::Output,
        )
        .code()
    };
    assert_eq!(status(&["game.sgf", "hard.sgf"]), Some(0));
    assert_eq!(status(&["game.sgf", "hard.sgf", "bad.sgf"]), Some(1));
}

/// In a debug build, each search takes an hour. Its reader leaves before anything is written.
#[test]
#[cfg(unix)]
fn a_search_ends_when_its_reader_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "positions",
        "...../...../...../...../..... b\nno position\n",
    );
    write("commands", "values\n");
    write("hard.sgf", "(;GM[1]FF[4]SZ[5];B[cc])");
    let no_table = ["--no-tablebase", "--hash", "1", "--threads", "1"];
    thread::scope(|scope| {
        for (command, input, code) in [
            (["solve", "--json"], "positions", 0),
            (["solve", "--batch"], "positions", 1),
            (["review", "hard.sgf"], "positions", 0),
            (["play", "--terminal"], "commands", 0),
        ] {
            let arguments = [&command[..], &no_table].concat();
            let mut child = Command::new(executable())
                .args(&arguments)
                .current_dir(folder.path())
                .stdin(File::open(folder.path().join(input)).unwrap())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(200));
                assert_eq!(child.try_wait().unwrap(), None, "{arguments:?}");
                drop(child.stdout.take());
                assert_eq!(wait(child, &arguments).code(), Some(code), "{arguments:?}");
            });
        }
    });
}

/// The referee keeps the connection open, and the match goes on.
#[test]
fn an_observer_that_nobody_reads_leaves() {
    let referee = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = referee.local_addr().unwrap().to_string();
    let observed = thread::spawn(move || {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["netplay", &server, "observe"];
        run(folder.path(), &arguments, "", Closed::Output)
    });
    let mut stream = accept(&referee);
    let lines = "000 Gothello 0.9.1|101 120 60|344 1|353|381 3 58 110 w|382|\
                 .....|.....|..b..|.....|....w|";
    stream
        .write_all(lines.replace('|', "\r\n").as_bytes())
        .unwrap();
    let status = observed.join().unwrap();
    assert!(status.success(), "{status}");
}
