//! `gothello match`: events of built-in players, of engines that fail in every way, and of
//! clients of the network referee.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use gothello::awari;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::executable::executable;
use crate::match_go::makes;
use crate::subcommand::Subcommand;
use crate::waiting::{DeadlineStream, EndsInTime, OutputInTime, wait_until};

pub const MATCH: Subcommand = Subcommand("match");

/// Two players that always make the same moves in the same game.
const PLAYERS: [&str; 4] = [
    "--player",
    "a=builtin:level=1",
    "--player",
    "b=builtin:level=2",
];

/// The built-in player as a GTP engine.
fn engine() -> String {
    format!("{} gtp --level 1 --seed 1", executable())
}

/// Writes an engine as a shell script, and returns its command line. The script sees the number of
/// a command as `$1`, the command as `$2`, and its words after that. These cases precede a default
/// that answers `=`. The engine ends at a `quit` without a number.
pub fn script(folder: &Path, name: &str, cases: &str) -> String {
    let text = format!(
        "while read -r line; do\nset -- $line\ncase $2 in\n{cases}\n\
         '') exit;;\n*) printf '=%s\\n\\n' $1;;\nesac\ndone\n"
    );
    let path = folder.join(format!("{name}.sh"));
    fs::write(&path, text).unwrap();
    format!("{name}=sh {}", path.display())
}

/// Runs a match with these arguments, and expects an exit code.
#[track_caller]
pub fn run(folder: &Path, arguments: &[&str], code: i32) -> Output {
    let output = MATCH.run(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    output
}

/// The lines of a results file.
pub fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The report on a results file.
pub fn report(folder: &Path, file: &str) -> String {
    MATCH.stdout(folder, &["report", file])
}

/// The report without the times of moves, which always differ.
fn timeless(report: &str) -> String {
    let words = |line: &str| {
        let words = line.split_whitespace();
        let words = words.filter(|word| !(word.starts_with("0.") && word.len() == 5));
        words.collect::<Vec<_>>().join(" ")
    };
    report.lines().map(words).collect::<Vec<_>>().join("\n")
}

/// Plays a game of a faulty engine with Black, and returns its verdict and detail, and who won.
#[track_caller]
fn fault(cases: &str, options: &[&str]) -> (String, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let faulty = script(folder.path(), "faulty", cases);
    let good = format!("good={}", engine());
    let mut arguments = vec!["--player", &faulty, "--player", &good, "--games", "1"];
    arguments.extend(["--results", "results.jsonl"]);
    arguments.extend(options);
    let output = MATCH.run(folder.path(), &arguments);
    let lines = lines(&folder.path().join("results.jsonl"));
    let [_, game] = &*lines else {
        panic!("{output:?}")
    };
    let text = |key: &str| game[key].as_str().unwrap_or_default().to_owned();
    let verdict = text("verdict");
    let is_failure = !["time", "resignation"].contains(&&*verdict);
    assert_eq!(output.status.code(), Some(is_failure.into()), "{output:?}");
    (verdict, text("detail"), text("result"))
}

#[test]
fn each_way_to_fail_has_its_verdict() {
    for (cases, verdict, result, detail) in [
        ("genmove) exit 3;;", "crash", "W+F", "exit status: 3"),
        (
            "genmove) printf '=%s c' $1; exit;;",
            "crash",
            "W+F",
            "exit status: 0",
        ),
        (
            "genmove) exec >&-; sleep 5;;",
            "crash",
            "W+F",
            "closed its input or output",
        ),
        // Its child process holds its output open, and floods its standard error.
        (
            "genmove) yes >&2 & sleep 60 & exit 3;;",
            "crash",
            "W+F",
            "exit status: 3",
        ),
        (
            "genmove) exec >&-; yes >&2 & yes >&2 & yes >&2;;",
            "crash",
            "W+F",
            "closed its input or output",
        ),
        (
            "genmove) printf 'thinking...\\n';;",
            "garbage",
            "W+F",
            "thinking...",
        ),
        (
            "genmove) yes | tr -d '\\n' | head -c 100000; sleep 5;;",
            "garbage",
            "W+F",
            "yyyyyy",
        ),
        (
            "genmove) printf '=%s c3\\n\\n' 7$1;;",
            "wrong_id",
            "W+F",
            "with number 7",
        ),
        (
            "genmove) printf '= c3\\n\\n';;",
            "wrong_id",
            "W+F",
            "no number",
        ),
        (
            "genmove) printf '=%s f7\\n\\n' $1;;",
            "illegal_move",
            "W+F",
            "a letter a-e",
        ),
        (
            "genmove) printf '=%s\\n\\n' $1;;",
            "illegal_move",
            "W+F",
            "a letter a-e",
        ),
        (
            "genmove) printf '?%s no\\n\\n' $1;;",
            "refused",
            "W+F",
            "fails at \"genmove b\": no",
        ),
        (
            "genmove) printf '=%s c3\\n\\n' $1;;\nplay) printf '?%s bad\\n\\n' $1;;",
            "refused",
            "W+F",
            "bad",
        ),
        ("clear_board) exit 1;;", "crash", "W+F", "exit status: 1"),
        (
            "boardsize) printf '?%s bad size\\n\\n' $1;;",
            "refused",
            "W+F",
            "bad size",
        ),
        (
            "genmove) printf '=%s resign\\n\\n' $1;;",
            "resignation",
            "W+R",
            "",
        ),
    ] {
        let (found, why, ended) = fault(cases, &[]);
        assert_eq!((&*found, &*ended), (verdict, result), "{cases}: {why}");
        assert!(why.contains(detail), "{cases}: {why}");
    }
}

#[test]
fn a_second_stone_on_a_point_is_illegal() {
    let (verdict, detail, result) = fault("genmove) printf '=%s c3\\n\\n' $1;;", &[]);
    assert_eq!((&*verdict, &*result), ("illegal_move", "W+F"));
    assert_eq!(detail, "c3: c3 is occupied");
}

#[test]
fn silence_is_a_hang_or_a_fallen_flag() {
    let (verdict, detail, result) = fault("genmove) sleep 60;;", &["--hang-timeout", "0.3"]);
    assert_eq!((&*verdict, &*result), ("hang", "W+F"));
    assert!(
        detail.contains("did not respond to \"genmove b\""),
        "{detail}"
    );
    let (verdict, detail, result) = fault("genmove) sleep 60;;", &["--time", "0.3"]);
    assert_eq!((&*verdict, &*result), ("time", "W+T"));
    assert_eq!(detail, "no answer to \"genmove b\" within its 0.300 s");
    // A move that comes too late.
    let slow = "genmove) sleep 0.4; printf '=%s c3\\n\\n' $1;;";
    let (verdict, ..) = fault(slow, &["--time", "0.2", "--time-margin", "0.1"]);
    assert_eq!(verdict, "time");
}

#[test]
fn a_response_without_its_empty_line_is_named() {
    let half = "genmove) printf '=%s c3\\n' $1;;";
    let (verdict, detail, result) = fault(half, &["--hang-timeout", "0.3"]);
    assert_eq!((&*verdict, &*result), ("garbage", "W+F"));
    insta::assert_snapshot!(detail, @r#"the engine responded to "genmove b" with "=4 c3", and within 0.3 s not with the empty line that ends a response"#);
    let (verdict, detail, result) = fault(half, &["--time", "0.3"]);
    assert_eq!((&*verdict, &*result), ("time", "W+T"));
    insta::assert_snapshot!(detail, @r#"the answer "=6 c3" to "genmove b" has no empty line after it within its 0.300 s"#);
    let (verdict, detail, _) = fault("genmove) printf '=%s c' $1;;", &["--hang-timeout", "0.3"]);
    assert_eq!(verdict, "garbage");
    assert!(
        detail.contains("responded to \"genmove b\" with \"=4 c\""),
        "{detail}"
    );
}

#[test]
fn a_long_game_is_scored_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--games", "1", "--move-limit", "3", "--results", "r.jsonl"];
    run(folder.path(), &[&PLAYERS[..], &options].concat(), 0);
    let game = &lines(&folder.path().join("r.jsonl"))[1];
    assert_eq!(game["verdict"], "move_limit");
    assert_eq!(game["moves"].as_array().unwrap().len(), 3, "{game}");
}

#[test]
fn the_last_lines_of_an_engine_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cases = "genmove) echo 'out of luck' >&2; yes 'much more' | head -n 100000 >&2; \
                 echo 'the end' >&2; exit 1;;";
    let faulty = script(folder.path(), "faulty", cases);
    let good = format!("good={}", engine());
    let arguments = [
        "--player",
        &faulty,
        "--player",
        &good,
        "--games",
        "1",
        "--results",
        "r.jsonl",
        "--logs",
        "logs",
    ];
    let output = run(folder.path(), &arguments, 1);
    let game = &lines(&folder.path().join("r.jsonl"))[1];
    let errors = game["last_lines"]["errors"].as_array().unwrap();
    assert_eq!(errors.last().unwrap(), "the end");
    assert_eq!(errors.len(), 10, "{errors:#?}");
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(shown.contains("faulty errors: the end"), "{shown}");
    assert!(
        shown.ends_with("error: failed in a game: faulty\n"),
        "{shown}"
    );
    let log = fs::read_to_string(folder.path().join("logs/000001-black.log")).unwrap();
    assert!(log.ends_with("the end\n") && log.len() <= 256 * 1024);
}

#[test]
fn comments_of_an_engine_are_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let cases = "genmove) echo 'before ]: \\ \x1b[1m' >&2; yes 'much' | head -n 2000 >&2; \
                 echo 'value 0.5' >&2; printf '=%s pass\\n\\n' $1;;\nplay) echo unasked >&2; \
                 printf '=%s\\n\\n' $1;;";
    let talking = script(folder.path(), "talking", cases);
    let silent = script(
        folder.path(),
        "silent",
        "genmove) printf '=%s pass\\n\\n' $1;;",
    );
    let arguments = [
        "--player", &talking, "--player", &silent, "--games", "1", "--sgf", "games",
    ];
    let options = ["--comments", "--results", "r.jsonl", "--logs", "logs"];
    run(folder.path(), &[&arguments[..], &options].concat(), 0);
    let game = &lines(&folder.path().join("r.jsonl"))[1];
    let comment = game["comments"][0].as_str().unwrap();
    assert!(
        comment.starts_with("...") && comment.ends_with("much\nvalue 0.5"),
        "{comment}"
    );
    assert!(comment.chars().count() <= 2_003);
    let text = fs::read_to_string(folder.path().join("games/000001.sgf")).unwrap();
    assert!(text.contains("value 0.5]"), "{text}");
    let read = gothello::sgf::read(&text, usize::MAX).unwrap();
    let moves = gothello::game::Game::moves(&read).count();
    assert_eq!(moves, game["moves"].as_array().unwrap().len());
    // The log has the whole text.
    let log = fs::read_to_string(folder.path().join("logs/000001-black.log")).unwrap();
    assert!(log.starts_with("before ]"), "{log}");
}

#[test]
fn the_error_text_of_an_engine_is_bounded() {
    let cases = "genmove) printf '?%s ' $1; yes no | head -n 9000 | tr -d '\\n'; printf '\\n\\n';;";
    let (verdict, detail, _) = fault(cases, &[]);
    assert_eq!(verdict, "refused");
    assert_eq!(detail.chars().count(), 1_003, "{detail}");
}

#[test]
fn a_player_that_cannot_be_started_ends_the_event() {
    let folder = tempfile::tempdir().unwrap();
    let error = |player: &str| {
        let arguments = [
            "--player",
            player,
            "--player",
            "builtin:level=1",
            "--results",
            "r.jsonl",
            "--start-timeout",
            "1",
            "--quiet",
        ];
        let output = run(folder.path(), &arguments, 1);
        assert_eq!(lines(&folder.path().join("r.jsonl")).len(), 1);
        fs::remove_file(folder.path().join("r.jsonl")).unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    insta::assert_snapshot!(error("x=./missing"), @r#"error: x: cannot start "./missing": there is no such file, or not the interpreter that it names"#);
    for word in ["buitlin", "buitlin:level=3"] {
        assert!(
            error(word).ends_with("; did you mean builtin?\n"),
            "{word}: {}",
            error(word)
        );
    }
    insta::assert_snapshot!(error("x=echo Welcome"), @r#"
    error: x: the engine responded to "list_commands" with "Welcome": a response begins with = or ? and ends with an empty line; some engines need an option to speak GTP, such as --mode gtp
      Welcome
    "#);
    insta::assert_snapshot!(error("x=sleep 60"), @r#"error: x: the engine did not respond to "list_commands" within 1 s; some engines need an option to speak GTP, such as --mode gtp"#);
    insta::assert_snapshot!(error("x=sh -c 'echo sorry >&2; exit 4'"), @r#"
    error: x: the engine ended (exit status: 4) without a response to "list_commands"
      sorry
    "#);
    insta::assert_snapshot!(error("x=true {host} {side} {server}"), @"error: x: the client ended (exit status: 0) without connecting");
}

#[test]
fn a_mistake_in_a_command_does_not_damage_the_results_file() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine();
    let arguments = |program, games| {
        let others = ["builtin:level=1", "--games", games, "--results", "r.jsonl"];
        [&["--player", program, "--player"], &others[..]].concat()
    };
    run(folder.path(), &arguments("mine=./missing", "4"), 1);
    // The command is corrected, and other options change, too.
    let mine = format!("mine={engine}");
    run(folder.path(), &arguments(&mine, "2"), 0);
    let lines = lines(&folder.path().join("r.jsonl"));
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert_eq!(lines[0]["event"]["games"], 2);
    // Recorded games are not dropped.
    run(folder.path(), &arguments("mine=./missing", "2"), 1);
    let text = fs::read_to_string(folder.path().join("r.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
}

/// A word that no other process on this machine has in its command line.
#[cfg(target_os = "linux")]
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    processes.flatten().any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    })
}

/// Waits for the end of a process: one that has been killed is there until the system gets to it.
#[cfg(target_os = "linux")]
#[track_caller]
fn wait_for_the_end(word: &str) {
    wait_until("the end of all processes", || !is_running(word));
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left() {
    let folder = tempfile::tempdir().unwrap();
    // The child process of the engine hangs, too.
    let seconds = format!("59{:07}", std::process::id());
    let cases = format!("genmove) sleep {seconds} & sleep {seconds};;");
    let faulty = script(folder.path(), "faulty", &cases);
    let arguments = [
        "--player",
        &faulty,
        "--player",
        "builtin:level=1",
        "--games",
        "2",
        "--hang-timeout",
        "0.3",
    ];
    run(folder.path(), &arguments, 1);
    wait_for_the_end(&seconds);
    // Nor when the engine has ended and its child process has not.
    let cases = format!("genmove) sleep {seconds} >/dev/null 2>&1 & exit 3;;");
    let ending = script(folder.path(), "ending", &cases);
    let arguments = ["--player", &ending, "--player", "builtin:level=1"];
    run(folder.path(), &arguments, 1);
    wait_for_the_end(&seconds);
    // Nor when the runner is killed.
    let mut runner = MATCH.command(
        folder.path(),
        &[
            "--player",
            &faulty,
            "--player",
            "builtin:level=1",
            "--games",
            "2",
        ],
    );
    let mut runner = runner.spawn().unwrap();
    wait_until("an engine that hangs", || is_running(&seconds));
    runner.kill().unwrap();
    runner.wait_in_time();
    wait_for_the_end(&seconds);
}

/// A daemon has another process group and session, and its parent has ended.
#[cfg(target_os = "linux")]
#[test]
fn no_daemon_is_left() {
    for (case, daemon, ends, code) in [
        ("crash", "setsid sleep", "exit 3", 1),
        ("end", "setsid sleep", "printf '=%s resign\\n\\n' $1", 0),
        ("hang", "setsid sleep", "sleep 60", 1),
        ("no environment", "env -i setsid sleep", "exit 3", 1),
        // It has ended when the daemon is found.
        ("end at once", "setsid true", "exit 3", 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let seconds = format!("58{:07}", std::process::id());
        let cases = format!("genmove) ({daemon} {seconds} >/dev/null 2>&1 &); {ends};;");
        let starting = script(folder.path(), "starting", &cases);
        let arguments = ["--player", &starting, "--player", "builtin:level=1"];
        let options = ["--hang-timeout", "0.5"];
        run(folder.path(), &[&arguments[..], &options].concat(), code);
        // Nor a moment later.
        assert!(!is_running(&seconds), "{case}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_daemon_is_left_when_the_runner_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = format!("57{:07}", std::process::id());
    let cases = format!("genmove) (setsid sleep {seconds} >/dev/null 2>&1 &); sleep 60;;");
    let starting = script(folder.path(), "starting", &cases);
    let arguments = ["--player", &starting, "--player", "builtin:level=1"];
    let mut runner = MATCH.command(folder.path(), &arguments).spawn().unwrap();
    wait_until("a daemon", || is_running(&seconds));
    runner.kill().unwrap();
    runner.wait_in_time();
    wait_for_the_end(&seconds);
}

/// A process ID is reused, over time and in other PID namespaces, and a mark may occur inside a
/// longer word.
#[cfg(target_os = "linux")]
#[test]
fn processes_of_others_go_on_when_the_runner_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = format!("54{:07}", std::process::id());
    let cases = format!(
        "genmove) echo \"$GOTHELLO_ENGINE\" >mark; (setsid sleep {seconds} >/dev/null 2>&1 &); sleep 60;;"
    );
    let starting = script(folder.path(), "starting", &cases);
    let arguments = ["--player", &starting, "--player", "builtin:level=1"];
    let mut runner = MATCH.command(folder.path(), &arguments).spawn().unwrap();
    wait_until("a daemon", || is_running(&seconds));
    let mark = fs::read_to_string(folder.path().join("mark")).unwrap();
    let mark = mark.trim();
    assert!(!mark.is_empty());
    let others = [
        ("OTHER_GOTHELLO_ENGINE", mark.to_owned()),
        ("GOTHELLO_ENGINE", format!("{mark}0")),
        ("GOTHELLO_ENGINE", format!("{}.0.", runner.id())),
        ("GOTHELLO_ENGINE", format!("{}.1.", runner.id())),
    ];
    let mut others = others.map(|(name, value)| {
        let mut other = Command::new("sleep");
        let other = other.arg("60").env(name, &value).spawn().unwrap();
        (name, value, other)
    });
    // The guards are among its children, and are the last to end.
    let children = fs::read_dir(format!("/proc/{}/task", runner.id())).unwrap();
    let children = children.flatten().map(|task| task.path().join("children"));
    let children: String = children
        .map(|list| fs::read_to_string(list).unwrap())
        .collect();
    assert!(!children.is_empty());
    runner.kill().unwrap();
    runner.wait_in_time();
    wait_until("the end of the guards", || {
        children.split_whitespace().all(|child| {
            let line = fs::read(format!("/proc/{child}/cmdline"));
            line.unwrap_or_default().is_empty()
        })
    });
    assert!(!is_running(&seconds));
    for (name, value, other) in &mut others {
        let ended = other.try_wait().unwrap();
        let _ = other.kill();
        let _ = other.wait();
        assert_eq!(ended, None, "{name}={value}");
    }
}

/// The end of one engine affects no process of another engine, and none that the runner's shell
/// has started.
#[cfg(target_os = "linux")]
#[test]
fn daemons_of_other_engines_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = format!("56{:07}", std::process::id());
    let cases = format!(
        "clear_board) [ \"$d\" ] || d=$(setsid sleep {seconds} >/dev/null 2>&1 & echo $!); \
         printf '=%s\\n\\n' $1;;\n\
         genmove) kill -0 $d || exit 7; printf '=%s resign\\n\\n' $1;;"
    );
    let keeping = script(folder.path(), "keeping", &cases);
    let cases = "genmove) (setsid sleep 1 >/dev/null 2>&1 &); exit 3;;";
    let ending = script(folder.path(), "ending", cases);
    let of_shell = format!("55{:07}", std::process::id());
    let before = format!("sleep {of_shell} >/dev/null 2>&1 & echo $! >pid; ");
    let output = Command::new("sh")
        .args(["-c", &(before + "exec \"$0\" match \"$@\"")])
        .arg(executable())
        .args(["--player", &keeping, "--player", &ending, "--games", "8"])
        .args(["--results", "r.jsonl", "--concurrency", "2"])
        .current_dir(folder.path())
        .output_in_time();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for game in &lines(&folder.path().join("r.jsonl"))[1..] {
        let expected = match game["players"]["black"].as_str() {
            Some("keeping") => "resignation",
            _ => "crash",
        };
        assert_eq!(game["verdict"], expected, "{game}");
        assert_eq!(game["winner"], "white", "{game}");
    }
    assert!(!is_running(&seconds));
    assert!(is_running(&of_shell));
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    let killed = Command::new("kill").arg(pid.trim()).status().unwrap();
    assert!(killed.success());
}

#[test]
fn a_failure_ends_the_event_if_requested() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = script(folder.path(), "faulty", "genmove) exit 3;;");
    let arguments = [
        "--player",
        &faulty,
        "--player",
        "builtin:level=1",
        "--games",
        "20",
        "--concurrency",
        "1",
        "--results",
        "r.jsonl",
    ];
    run(
        folder.path(),
        &[&arguments[..], &["--stop-on-failure"]].concat(),
        1,
    );
    assert_eq!(lines(&folder.path().join("r.jsonl")).len(), 2);
    // Without the option, all games are played: the engine is restarted for each.
    run(folder.path(), &arguments, 1);
    assert_eq!(lines(&folder.path().join("r.jsonl")).len(), 21);
}

#[test]
fn openings_are_read_in_the_encoding_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let latin_1 = b"(;SZ[5]PB[J\xF6rg];B[cc];W[dc])".to_vec();
    let utf_16 = "\u{feff}# Er\u{f6}ffnung\nc3 d3\n".encode_utf16();
    let utf_16 = utf_16.flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [("games.sgf", latin_1), ("lines.txt", utf_16)] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let results = format!("{name}.jsonl");
        let options = ["--games", "2", "--openings", name, "--results", &results];
        run(folder.path(), &[&PLAYERS[..], &options].concat(), 0);
        for game in &lines(&folder.path().join(&results))[1..] {
            assert_eq!(game["moves"][0], "c3");
            assert_eq!(game["moves"][1], "d3");
        }
    }
}

#[test]
fn an_event_is_the_same_however_often_it_is_killed() {
    let games = 2 * crate::cases::cases(150);
    let number = games.to_string();
    let options = [
        "--games",
        &number,
        "--openings",
        "balanced:10",
        "--seed",
        "5",
        "--results",
        "r.jsonl",
        "--sgf",
        "games",
    ];
    let arguments = [&PLAYERS[..], &options].concat();
    let undisturbed = tempfile::tempdir().unwrap();
    run(undisturbed.path(), &arguments, 0);
    let folder = tempfile::tempdir().unwrap();
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..crate::cases::cases(50) {
        let mut runner = MATCH.command(folder.path(), &arguments).spawn().unwrap();
        thread::sleep(Duration::from_millis(rng.random_range(0..120)));
        runner.kill().unwrap();
        runner.wait_in_time();
    }
    run(folder.path(), &arguments, 0);
    let moves = |folder: &Path| {
        let mut games: Vec<(u64, Value, Value)> = lines(&folder.join("r.jsonl"))
            .split_off(1)
            .iter()
            .map(|game| {
                (
                    game["number"].as_u64().unwrap(),
                    game["moves"].clone(),
                    game["result"].clone(),
                )
            })
            .collect();
        games.sort_by_key(|game| game.0);
        games
    };
    assert_eq!(moves(folder.path()), moves(undisturbed.path()));
    let reports = [&folder, &undisturbed].map(|folder| timeless(&report(folder.path(), "r.jsonl")));
    assert_eq!(reports[0], reports[1]);
    let records = fs::read_dir(folder.path().join("games")).unwrap();
    assert_eq!(records.count(), games as usize);
}

/// Four players that always make the same moves in the same game.
const FOUR: [&str; 8] = [
    "--player",
    "a=builtin:level=1",
    "--player",
    "b=builtin:level=2",
    "--player",
    "c=builtin:level=3",
    "--player",
    "d=builtin:level=4",
];

/// The lines of a results file without what depends on the clock, the games in the order of the
/// schedule.
fn timeless_lines(path: &Path) -> Vec<Value> {
    let mut lines = lines(path);
    for line in &mut lines {
        for key in ["began", "times", "seconds"] {
            line.as_object_mut().unwrap().remove(key);
        }
    }
    lines.sort_by_key(|line| line["number"].as_u64());
    lines
}

#[test]
fn an_event_is_extended() {
    let played = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), arguments, 0);
        folder
    };
    for (players, format, short, long) in [
        (
            &PLAYERS[..],
            "round-robin",
            ["1", "1", "balanced:9"],
            ["10", "1", "balanced:9"],
        ),
        (
            &PLAYERS,
            "round-robin",
            ["6", "1", "balanced:3"],
            ["12", "1", "balanced:6"],
        ),
        (
            &FOUR,
            "round-robin",
            ["2", "1", "balanced:9"],
            ["4", "1", "balanced:9"],
        ),
        (
            &FOUR,
            "round-robin",
            ["3", "1", "balanced:9"],
            ["3", "2", "balanced:9"],
        ),
        (
            &FOUR,
            "gauntlet",
            ["2", "1", "balanced:9"],
            ["2", "4", "balanced:9"],
        ),
        (
            &FOUR,
            "swiss",
            ["2", "1", "balanced:9"],
            ["2", "3", "balanced:9"],
        ),
    ] {
        let with = |[games, rounds, openings]: [&'static str; 3]| {
            let options = ["--format", format, "--games", games, "--rounds", rounds];
            let more = [
                "--openings",
                openings,
                "--seed",
                "4",
                "--results",
                "r.jsonl",
            ];
            [players, &options, &more, &["--sgf", "games"]].concat()
        };
        let undisturbed = played(&with(long));
        let folder = played(&with(short));
        // Somewhere on the way, or before anything has happened.
        let mut runner = MATCH.command(folder.path(), &with(long)).spawn().unwrap();
        thread::sleep(Duration::from_millis(100));
        runner.kill().unwrap();
        runner.wait_in_time();
        run(folder.path(), &with(long), 0);
        let folders = [&folder, &undisturbed];
        let [found, expected] =
            folders.map(|folder| timeless_lines(&folder.path().join("r.jsonl")));
        assert_eq!(found, expected, "{format} {long:?}");
        let [found, expected] = folders.map(|folder| timeless(&report(folder.path(), "r.jsonl")));
        assert_eq!(found, expected, "{format} {long:?}");
        // The smaller numbers are refused: they are probably a mistake.
        let whole = fs::read(folder.path().join("r.jsonl")).unwrap();
        MATCH.error(folder.path(), &with(short), 1);
        assert_eq!(fs::read(folder.path().join("r.jsonl")).unwrap(), whole);
    }
}

#[test]
fn an_event_is_not_extended_if_games_would_change() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    let with = |games, rounds, openings| {
        let options = ["--games", games, "--rounds", rounds, "--openings", openings];
        [
            &FOUR[..],
            &options,
            &["--seed", "4", "--results", "r.jsonl"],
        ]
        .concat()
    };
    run(folder.path(), &with("3", "1", "balanced:1"), 0);
    let whole = fs::read(&file).unwrap();
    let told = |games, rounds, openings, code| {
        let output = run(folder.path(), &with(games, rounds, openings), code);
        String::from_utf8(output.stderr).unwrap()
    };
    insta::assert_snapshot!(told("4", "1", "balanced:1", 1), @r"
    error: r.jsonl: with these settings, games that are in this file would have other players or another opening:
      --games: 3 in the file, 4 now
    give more --rounds, and leave --games and --openings as they are
    ");
    let error = told("3", "2", "balanced:2", 1);
    assert!(
        error.contains("\n  --openings: 1 opening in the file, 2 openings now\n"),
        "{error}"
    );
    let error = told("2", "2", "balanced:1", 1);
    assert!(
        error.contains("\n  --games: 3 in the file, 2 now\n  --rounds: 1 in the file, 2 now\n"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), whole);
    let told = told("3", "2", "balanced:1", 0);
    insta::assert_snapshot!(told.lines().next().unwrap(), @"the event gets longer: --rounds: 1 in the file, 2 now");
}

#[test]
fn torn_files_are_made_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("results.jsonl"), "{\"gothello_ma").unwrap();
    let arguments = [
        "--seed",
        "1",
        "--results",
        "results.jsonl",
        "--sgf",
        "games",
    ];
    let arguments = [&PLAYERS[..], &arguments].concat();
    run(folder.path(), &arguments, 0);
    assert_eq!(lines(&path("results.jsonl")).len(), 3);
    let whole = fs::read(path("games/000001.sgf")).unwrap();
    fs::write(path("games/000001.sgf"), &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(path("games/000002.sgf")).unwrap();
    run(folder.path(), &arguments, 0);
    assert_eq!(fs::read(path("games/000001.sgf")).unwrap(), whole);
    assert!(path("games/000002.sgf").exists());
}

#[test]
fn a_file_of_other_records_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let with = |results| {
        [
            &PLAYERS[..],
            &["--sgf", "games.sgf", "--seed", "1"],
            results,
        ]
        .concat()
    };
    let arguments = with(&["--results", "r.jsonl", "--logs", "logs/of/this"]);
    fs::write(path("games.sgf"), "(;GM[1];B[aa])").unwrap();
    insta::assert_snapshot!(MATCH.error(folder.path(), &arguments, 2), @"error: --sgf games.sgf: there is something in this file that is not of this event: give another name, or delete the file");
    assert_eq!(
        fs::read_to_string(path("games.sgf")).unwrap(),
        "(;GM[1];B[aa])"
    );
    // Nothing has been changed, and the same command can be repeated.
    assert!(!path("r.jsonl").exists());
    fs::remove_file(path("games.sgf")).unwrap();
    run(folder.path(), &arguments, 0);
    // Nothing was logged.
    assert!(!path("logs/of/this").exists());
    let whole = fs::read_to_string(path("games.sgf")).unwrap();
    assert_eq!(whole.matches("(;").count(), 2, "{whole}");

    // The event's own file is made whole, wherever it is torn.
    for end in [0, 10, whole.len() / 2, whole.len() - 1] {
        fs::write(path("games.sgf"), &whole[..end]).unwrap();
        run(folder.path(), &arguments, 0);
        assert_eq!(fs::read_to_string(path("games.sgf")).unwrap(), whole);
    }
    for other in [format!("{whole} "), whole.replacen("(;", "(; ", 1)] {
        fs::write(path("games.sgf"), &other).unwrap();
        MATCH.error(folder.path(), &arguments, 2);
        assert_eq!(fs::read_to_string(path("games.sgf")).unwrap(), other);
    }
    fs::write(path("games.sgf"), &whole).unwrap();
    MATCH.error(folder.path(), &with(&["--results", "other.jsonl"]), 2);
    MATCH.error(folder.path(), &with(&[]), 2);
    assert_eq!(fs::read_to_string(path("games.sgf")).unwrap(), whole);
}

#[test]
fn records_of_other_games_in_a_folder_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let with = |more: &[&'static str]| {
        let options = ["--sgf", "games", "--seed", "1", "--games", "4"];
        [&PLAYERS[..], &options, more].concat()
    };
    fs::create_dir(path("games")).unwrap();
    for other in ["notes.txt", "3.sgf", "final.sgf"] {
        fs::write(path("games").join(other), "other").unwrap();
    }
    fs::write(path("games/000009.sgf"), "(;GM[1];B[aa])").unwrap();
    insta::assert_snapshot!(MATCH.error(folder.path(), &with(&["--results", "r.jsonl"]), 2), @"error: --sgf games: 000009.sgf in this folder is not of this event: give another folder, or delete the file");
    assert!(!path("r.jsonl").exists() && !path("games/000001.sgf").exists());
    fs::remove_file(path("games/000009.sgf")).unwrap();

    // Parts of an event share a folder.
    for part in ["2/2", "1/2"] {
        let results = part.replace('/', "-") + ".jsonl";
        let options = ["--shard", part, "--results", &results];
        run(folder.path(), &[&with(&[])[..], &options].concat(), 0);
    }
    assert_eq!(fs::read_dir(path("games")).unwrap().count(), 4 + 3);

    // Text that a user has added to a record is not overwritten, either.
    let whole = fs::read_to_string(path("games/000001.sgf")).unwrap();
    fs::write(
        path("games/000001.sgf"),
        whole.replacen("(;", "(;C[Well played]", 1),
    )
    .unwrap();
    let again = with(&["--shard", "1/2", "--results", "1-2.jsonl"]);
    insta::assert_snapshot!(MATCH.error(folder.path(), &again, 2), @"error: --sgf games: 000001.sgf in this folder is not of this event: give another folder, or delete the file");
    assert!(
        fs::read_to_string(path("games/000001.sgf"))
            .unwrap()
            .contains("Well played")
    );
}

#[test]
fn logs_of_other_games_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let cases = "genmove) echo thinking >&2; printf '=%s resign\\n\\n' $1;;";
    let engine = script(folder.path(), "engine", cases);
    let players = ["--player", &engine, "--player", "builtin:move-time=0"];
    let with = |more: &[&'static str]| {
        let options = ["--logs", "logs", "--seed", "1", "--games", "2"];
        [&players[..], &options, more].concat()
    };
    // The engine plays Black in the first game; files with other names do not matter.
    fs::create_dir(path("logs")).unwrap();
    for other in ["notes.txt", "1-black.log", "000001.log", "000001-south.log"] {
        fs::write(path("logs").join(other), "other").unwrap();
    }
    fs::write(path("logs/000002-white.log"), "other").unwrap();
    let first = with(&["--results", "r.jsonl"]);
    insta::assert_snapshot!(MATCH.error(folder.path(), &first, 2), @"error: --logs logs: 000002-white.log in this folder is not of this event: give another folder, or delete the file");
    assert!(!path("r.jsonl").exists() && !path("logs/000001-black.log").exists());
    let log = || fs::read_to_string(path("logs/000002-white.log")).unwrap();
    assert_eq!(log(), "other");
    fs::remove_file(path("logs/000002-white.log")).unwrap();

    // Parts of an event share a folder, and a continued event has its logs there.
    for part in ["2/2", "1/2", "1/2"] {
        let results = part.replace('/', "-") + ".jsonl";
        let options = ["--shard", part, "--results", &results];
        run(folder.path(), &[&with(&[])[..], &options].concat(), 0);
    }
    assert_eq!(log(), "thinking\n");
    // A game whose log was written before the program was killed, but not its result.
    let results = fs::read_to_string(path("2-2.jsonl")).unwrap();
    let header = results.lines().next().unwrap();
    fs::write(path("2-2.jsonl"), format!("{header}\n")).unwrap();
    let again = with(&["--shard", "2/2", "--results", "2-2.jsonl"]);
    run(folder.path(), &again, 0);
    MATCH.error(folder.path(), &first, 2);
    MATCH.error(folder.path(), &with(&[]), 2);
}

#[test]
fn logs_have_the_names_of_the_sides() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(
        folder.path(),
        "engine",
        "genmove) echo thinking >&2; printf '=%s resign\\n\\n' $1;;",
    );
    let players = ["--player", &engine, "--player", "builtin:move-time=0"];
    let options = ["--game", "awari", "--logs", "logs"];
    run(folder.path(), &[&players[..], &options].concat(), 0);
    for name in ["000001-south.log", "000002-north.log"] {
        let log = fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        assert_eq!(log, "thinking\n");
    }
}

#[test]
fn another_event_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&PLAYERS[..], &["--games", "2", "--results", "r.jsonl"]].concat();
    run(folder.path(), &arguments, 0);
    let other = [
        "--player",
        "a=builtin:level=1",
        "--player",
        "b=builtin:level=3",
        "--games",
        "4",
        "--time",
        "9",
        "--results",
        "r.jsonl",
    ];
    let output = run(folder.path(), &other, 1);
    let text = String::from_utf8(output.stderr).unwrap();
    insta::assert_snapshot!(text, @r#"
    error: r.jsonl: the event in this file has other settings:
      player b: command: builtin:level=2 in the file, builtin:level=3 now
      --time: none in the file, 9 now
    give the settings in the file, or another file; only --games, --rounds and the list of openings may get longer
    "#);
    // The seed need not be repeated.
    run(folder.path(), &arguments, 0);
}

#[test]
fn the_difference_from_another_event_is_described_by_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let file = |extra: &str, level: u32| {
        let long = "--quiet --threads 1 --seed 7 --name 'the first one'";
        format!(
            "games = 2\nseed = 1\ngame = \"go\"\nsize = 5\n{extra}\n\
             [[player]]\nname = \"one\"\ncommand = \"sh passing.sh {long} --level {level}\"\n\
             [[player]]\nname = \"two\"\ncommand = \"sh passing.sh\"\n"
        )
    };
    script(folder.path(), "passing", &makes(""));
    let write = |text: &str| fs::write(folder.path().join("event.toml"), text).unwrap();
    let arguments = ["--event", "event.toml", "--results", "r.jsonl"];
    write(&file("", 1));
    run(folder.path(), &arguments, 0);
    let told = |text: &str| {
        write(text);
        let output = run(folder.path(), &arguments, 1);
        let text = String::from_utf8(output.stderr).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("  "));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let changed =
        "restart = \"every-game\"\ntime = 9\ninit = [\"a b\"]\nids = false\nfolder = \".\"\n";
    let others = "komi = 5\nno-superko = true\nhang-timeout = 1.5\ntime = \"9+1\"";
    insta::assert_snapshot!(told(&(file(others, 10) + changed)), @r#"
      player one: command: sh passing.sh --quiet --threads 1 --seed 7 --name 'the first one' --level 1 in the file, sh passing.sh --quiet --threads 1 --seed 7 --name 'the first one' --level 10 now
      player two: folder: none in the file, . now
      player two: init: none in the file, "a b" now
      player two: time: that of the event in the file, 9 now
      player two: restart: on-failure in the file, every-game now
      player two: ids: true in the file, false now
      --komi: 7.5 in the file, 5 now
      --no-superko: false in the file, true now
      --hang-timeout: 300 in the file, 1.5 now
      --time: none in the file, 9+1 now
    "#);
    let (event, players) = file("", 1)
        .split_once("[[player]]")
        .map(|(event, players)| (event.to_owned(), players.to_owned()))
        .unwrap();
    let (one, two) = players.split_once("[[player]]").unwrap();
    let swapped = format!("{event}[[player]]{two}[[player]]{one}");
    insta::assert_snapshot!(told(&swapped), @"  order of the players: one, two in the file, two, one now");
    let renamed = file("", 1).replace("\"two\"", "\"three\"");
    insta::assert_snapshot!(told(&renamed), @"
      player two: sh passing.sh in the file, none now
      player three: none in the file, sh passing.sh now
    ");
}

#[test]
fn a_program_is_identified_by_its_name_its_version_and_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let engine = |version: &str| {
        let cases = format!(
            "list_commands) printf '=%s name\\nversion\\n\\n' $1;;\n\
             name) printf '=%s Passing Bot\\n\\n' $1;;\nversion) printf '=%s {version}\\n\\n' $1;;\n"
        );
        script(folder.path(), "named", &(cases + &makes("")))
    };
    let named = engine("1.0");
    let other = script(folder.path(), "other", &makes(""));
    let arguments = |games: &str| {
        let players = ["--player", &named, "--player", &other, "--games", games];
        let event = ["--game", "go", "--size", "3", "--concurrency", "1"];
        let files = ["--results", "r.jsonl", "--sgf", "games.sgf"];
        let words = [&players[..], &event, &files].concat();
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let play = |games: &str| {
        let arguments = arguments(games);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(folder.path(), &arguments, 0);
        let told = String::from_utf8(output.stderr).unwrap();
        told.matches("the program has changed").count()
    };
    let sha256 = |file: &Path| {
        let output = Command::new("sha256sum").arg(file).output_in_time();
        String::from_utf8(output.stdout).unwrap()[..16].to_owned()
    };
    assert_eq!(play("2"), 0);
    let game = lines(&folder.path().join("r.jsonl")).remove(1);
    let script_sha256 = sha256(&folder.path().join("named.sh"));
    let sh = Command::new("sh")
        .args(["-c", "command -v sh"])
        .output_in_time();
    let sh = String::from_utf8(sh.stdout).unwrap();
    let expected = json!({
        "name": "Passing Bot",
        "version": "1.0",
        "sha256": sha256(Path::new(sh.trim())),
        "script_sha256": script_sha256,
    });
    assert_eq!(game["programs"]["black"], expected, "{game}");
    let sgf = fs::read_to_string(folder.path().join("games.sgf")).unwrap();
    let line = format!("\nBlack: Passing Bot 1.0 (script SHA-256 {script_sha256})\n");
    assert!(sgf.contains(&line), "{sgf}");
    // The same programs.
    assert_eq!(play("4"), 0);
    // A changed program, which is reported once, before its first game.
    engine("1.1");
    let output = {
        let arguments = arguments("6");
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run(folder.path(), &arguments, 0)
    };
    let told = String::from_utf8(output.stderr).unwrap();
    let before = format!(
        "player named: the program has changed: it was Passing Bot 1.0 (script SHA-256 {script_sha256}) \
         in earlier games, which count, too, and is script SHA-256 {} now",
        sha256(&folder.path().join("named.sh"))
    );
    let place = told.lines().position(|line| line == before);
    assert!(place.is_some_and(|place| place < 3), "{before}\n{told}");
    assert_eq!(told.matches("has changed").count(), 1, "{told}");
    assert_eq!(play("8"), 0);
}

/// A process that was started before the change plays on beside one that was started after it.
#[test]
fn a_change_of_the_program_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let cases = "genmove) : >$$.started\n\
        while [ $(ls *.started | wc -l) -lt 2 ]; do sleep 0.01; done\n\
        mkdir changed 2>/dev/null && { (cat $0; echo '# new') >new; mv new $0; exit 3; }\n\
        sleep 0.02; printf '=%s resign\\n\\n' $1; continue;;";
    let changing = script(folder.path(), "changing", cases);
    let players = ["--player", &changing, "--player", "builtin:level=1"];
    let event = [
        "--games",
        "20",
        "--concurrency",
        "2",
        "--results",
        "r.jsonl",
    ];
    let output = run(folder.path(), &[&players[..], &event].concat(), 1);
    let file = folder.path().join("r.jsonl");
    let hashes = lines(&file).into_iter().skip(1).map(|game| {
        let color = match game["players"]["black"].as_str() {
            Some("changing") => "black",
            _ => "white",
        };
        game["programs"][color]["script_sha256"].to_string()
    });
    let mut changes: Vec<String> = hashes.collect();
    changes.dedup();
    assert!(changes.len() > 2, "{changes:?}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("has changed").count(), 1, "{told}");
}

#[test]
fn openings_are_used_in_the_chosen_order() {
    let folder = tempfile::tempdir().unwrap();
    let points = ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2"];
    fs::write(folder.path().join("openings.txt"), points.join("\n")).unwrap();
    let passing = script(folder.path(), "passing", &makes(""));
    let other = script(folder.path(), "other", &makes(""));
    let order = |options: &[&str]| {
        let players = ["--player", &passing, "--player", &other, "--games", "16"];
        let event = ["--game", "go", "--size", "5", "--openings", "openings.txt"];
        let files = ["--results", "r.jsonl", "--concurrency", "1"];
        run(
            folder.path(),
            &[&players[..], &event, &files, options].concat(),
            0,
        );
        let file = folder.path().join("r.jsonl");
        let openings = lines(&file)[0]["event"]["openings"].clone();
        fs::remove_file(file).unwrap();
        let openings: Vec<[String; 1]> = serde_json::from_value(openings).unwrap();
        openings
            .concat()
            .iter()
            .map(|word| word.to_lowercase())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&["--openings-order", "sequential"]), points);
    let from_third = [&points[2..], &points[..2]].concat();
    assert_eq!(order(&["--openings-start", "3"]), from_third);
    let random = ["--openings-order", "random", "--seed"];
    let with_seed = |seed: &str| order(&[&random[..], &[seed]].concat());
    let [mut one, two] = ["1", "2"].map(with_seed);
    assert_eq!(one, with_seed("1"));
    assert!(
        one != two && one != points && two != points,
        "{one:?}, {two:?}"
    );
    one.sort();
    let mut sorted = points;
    sorted.sort_unstable();
    assert_eq!(one, sorted);
    let error = |options: &[&str]| {
        let players = ["--player", &passing, "--player", &other];
        MATCH.error(folder.path(), &[&players[..], options].concat(), 2)
    };
    assert_eq!(
        error(&["--openings-order", "random"]),
        "error: --openings-order and --openings-start are for --openings"
    );
    let far = [
        "--game",
        "go",
        "--openings",
        "openings.txt",
        "--openings-start",
        "9",
    ];
    assert_eq!(
        error(&far),
        "error: --openings-start 9: there are only 8 openings"
    );
}

#[test]
fn players_without_names_are_named_after_their_scripts() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ann", "bob"] {
        script(folder.path(), name, &makes(""));
    }
    let players = ["--player", "sh -u ann.sh", "--player", "sh bob.sh"];
    let event = ["--game", "go", "--size", "3", "--games", "1"];
    let files = ["--results", "r.jsonl"];
    run(folder.path(), &[&players[..], &event, &files].concat(), 0);
    let game = &lines(&folder.path().join("r.jsonl"))[1];
    assert_eq!(game["players"], json!({"black": "ann", "white": "bob"}));
}

#[test]
fn shards_merge_into_the_whole_event() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--games", "12", "--openings", "balanced:6", "--seed", "2"];
    let arguments = [&PLAYERS[..], &options].concat();
    run(
        folder.path(),
        &[&arguments[..], &["--results", "all.jsonl"]].concat(),
        0,
    );
    let mut files = Vec::new();
    for number in 1..=4 {
        let shard = format!("{number}/4");
        let file = format!("{number}.jsonl");
        let part = ["--shard", &shard, "--results", &file];
        run(folder.path(), &[&arguments[..], &part].concat(), 0);
        files.push(file);
    }
    let counts = files
        .iter()
        .map(|file| lines(&folder.path().join(file)).len() - 1);
    assert_eq!(counts.collect::<Vec<_>>(), [4, 4, 2, 2]);
    let mut merge = vec!["report"];
    merge.extend(files.iter().map(String::as_str));
    let merged = MATCH.stdout(folder.path(), &merge);
    assert_eq!(
        timeless(&merged),
        timeless(&report(folder.path(), "all.jsonl"))
    );

    // One part has got longer, and the others have not yet.
    let longer = [&PLAYERS[..], &["--games", "20"], &options[2..]].concat();
    let part = ["--shard", "3/4", "--results", "3.jsonl"];
    run(folder.path(), &[&longer[..], &part].concat(), 0);
    assert_eq!(lines(&folder.path().join("3.jsonl")).len() - 1, 4);
    for files in [["1.jsonl", "3.jsonl"], ["3.jsonl", "1.jsonl"]] {
        let merged = MATCH.stdout(folder.path(), &["report", files[0], files[1]]);
        let first = merged.lines().next().unwrap();
        assert_eq!(first, "Gothello: 2 players, 8 of 20 games");
    }
}

#[test]
fn with_limits_of_positions_the_games_are_the_same_at_any_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let games = |concurrency: &str| {
        let results = format!("{concurrency}.jsonl");
        let players = [
            "--player",
            "a=builtin:positions=2000",
            "--player",
            "b=builtin:random-best,positions=1000",
        ];
        let options = ["--games", "4", "--openings", "balanced:1,plies=7"];
        let seed = ["--seed", "1", "--concurrency", concurrency];
        let arguments = [&players[..], &options, &seed, &["--results", &results]].concat();
        run(folder.path(), &arguments, 0);
        timeless_lines(&folder.path().join(results))
    };
    // The players' knowledge of other games changes nothing.
    let one_by_one = games("1");
    assert_eq!(games("2"), one_by_one);
    // Each game has its own random choices.
    let moves = one_by_one
        .iter()
        .filter_map(|game| game["moves"].as_array());
    assert_eq!(moves.collect::<HashSet<_>>().len(), 4);
}

#[test]
#[ignore = "takes a quarter of a minute, unoptimized"]
fn the_test_has_the_same_decision_at_any_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let players = [
        "--player",
        "a=builtin:level=4",
        "--player",
        "b=builtin:level=1",
    ];
    let options = [
        "--games",
        "400",
        "--openings",
        "balanced:200",
        "--seed",
        "3",
        "--exit-status",
        "--sprt",
        "elo0=0,elo1=100,alpha=0.05,beta=0.05",
    ];
    let arguments = [&players[..], &options].concat();
    let decided = |concurrency: &str| {
        let output = run(
            folder.path(),
            &[&arguments[..], &["--concurrency", concurrency, "--json"]].concat(),
            0,
        );
        let text = String::from_utf8(output.stdout).unwrap();
        let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(end["event"], "end");
        let pairing = &end["report"]["pairings"][0];
        assert_eq!(pairing["decision"], "H1");
        pairing["llr"].as_f64().unwrap()
    };
    assert_eq!(decided("1"), decided("4"));
    // With the players exchanged, the answer is H0, which has its own exit code.
    let turned = [
        "--player",
        "b=builtin:level=1",
        "--player",
        "a=builtin:level=4",
    ];
    run(folder.path(), &[&turned[..], &options].concat(), 3);
}

#[test]
fn a_test_goes_on_until_it_has_decided_or_says_that_it_has_not() {
    let folder = tempfile::tempdir().unwrap();
    let test = [
        "--player",
        "a=builtin:level=4",
        "--player",
        "b=builtin:level=1",
        "--openings",
        "balanced:200",
        "--seed",
        "3",
        "--quiet",
        "--exit-status",
        "--sprt",
        "elo0=0,elo1=100,alpha=0.05,beta=0.05",
        "--results",
        "r.jsonl",
    ];
    let told = |arguments: &[&str], code| {
        let output = run(folder.path(), arguments, code);
        String::from_utf8(output.stdout).unwrap()
    };
    let undecided = told(&[&test[..], &["--games", "2"]].concat(), 4);
    let hint = "\nundecided after 2 games: give more --games, and run the same command again\n";
    assert!(undecided.contains(hint), "{undecided}");
    let decided = told(&test, 0);
    assert!(decided.contains(" of 100000 games\n"), "{decided}");
    assert!(decided.contains(": H1, LLR"), "{decided}");
    assert!(!decided.contains("undecided"), "{decided}");
}

/// Without openings, two players that always make the same moves have two games.
#[test]
fn a_test_of_players_that_repeat_their_games_ends_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["a", "b"].map(|name| {
        let resigns = "genmove) printf '=%s resign\\n\\n' $1;;";
        script(folder.path(), name, resigns)
    });
    let test = [
        "--player",
        &one,
        "--player",
        &other,
        "--quiet",
        "--exit-status",
        "--sprt",
        "elo0=0,elo1=10,alpha=0.05,beta=0.05",
    ];
    let output = run(folder.path(), &test, 4);
    let told = String::from_utf8(output.stderr).unwrap();
    let why = "the test ends undecided: the last 200 games were all repeated; give more --openings";
    assert!(told.contains(why), "{told}");
}

#[test]
fn results_without_spread_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let resigning = |name| {
        script(
            folder.path(),
            name,
            "genmove) printf '=%s resign\\n\\n' $1;;",
        )
    };
    let (one, other) = (resigning("one"), resigning("other"));
    let arguments = ["--player", &one, "--player", &other, "--quiet"];
    let report = MATCH.stdout(folder.path(), &arguments);
    let told = "\nevery pair was split, so there is no spread from which to compute Elo and its error; \
                play more games from other openings\n";
    assert!(report.contains(told), "{report}");
}

#[test]
fn repeated_games_of_engines_are_not_evidence() {
    let folder = tempfile::tempdir().unwrap();
    // A new process makes the same random choices again.
    let player = |level: u8| {
        let program = executable();
        format!(
            "[[player]]\nname = \"level {level}\"\nrestart = \"every-game\"\n\
             command = '{program} gtp --level {level} --seed 1'\n"
        )
    };
    let event = format!("games = 10\n{}{}", player(1), player(2));
    fs::write(folder.path().join("event.toml"), event).unwrap();
    let output = run(folder.path(), &["--event", "event.toml", "--json"], 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(end["report"]["games"], 10);
    assert_eq!(end["report"]["repeated"], 8);
}

#[test]
fn each_format_pairs_the_players_in_its_own_way() {
    let folder = tempfile::tempdir().unwrap();
    let players = [
        "--player",
        "a=builtin:level=1",
        "--player",
        "b=builtin:level=2",
        "--player",
        "c=builtin:level=3",
        "--player",
        "d=builtin:level=4",
        "--seed",
        "1",
        "--openings",
        "balanced:20",
        "--results",
        "r.jsonl",
    ];
    for (options, games) in [
        (&["--format", "round-robin", "--games", "2"][..], 12),
        (
            &["--format", "gauntlet", "--games", "4", "--rounds", "2"],
            24,
        ),
        (&["--format", "swiss", "--games", "2", "--rounds", "3"], 12),
        (&["--format", "swiss", "--games", "1", "--rounds", "2"], 4),
    ] {
        run(folder.path(), &[&players[..], options].concat(), 0);
        let played = lines(&folder.path().join("r.jsonl"));
        assert_eq!(played.len() - 1, games, "{options:?}");
        if options[1] == "gauntlet" {
            let has_first =
                |game: &Value| game["players"]["black"] == "a" || game["players"]["white"] == "a";
            assert!(
                played[1..].iter().all(has_first),
                "{options:?}: {played:#?}"
            );
        }
        fs::remove_file(folder.path().join("r.jsonl")).unwrap();
    }
}

#[test]
fn an_event_is_described_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "game = \"gothello\"\ngames = 4\nopenings = \"lines.txt\"\ntime = \"20+1\"\nseed = 3\n\n\
         [[player]]\nname = \"an engine\"\ncommand = '{}'\ninit = [\"name\"]\ntime = \"30\"\n\
         environment = {{ KEY = \"value\" }}\nrestart = \"every-game\"\n\n\
         [[player]]\ncommand = \"builtin:level=1\"\n",
        engine()
    );
    fs::write(folder.path().join("event.toml"), text).unwrap();
    fs::write(folder.path().join("lines.txt"), "c3 d3\nb2 c2\n").unwrap();
    let arguments = ["--event", "event.toml", "--results", "r.jsonl"];
    run(folder.path(), &arguments, 0);
    let lines = lines(&folder.path().join("r.jsonl"));
    assert_eq!(lines.len(), 5, "{lines:#?}");
    assert_eq!(
        lines[0]["event"]["players"][0]["environment"][0][1],
        "value"
    );
    assert_eq!(lines[1]["moves"][1], "d3");
}

#[test]
fn mistakes_are_reported_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let error = |arguments: &[&str], code| MATCH.error(folder.path(), arguments, code);
    let with = |options: &[&str], code| error(&[&PLAYERS[..], options].concat(), code);
    insta::assert_snapshot!(error(&[], 2), @r#"error: give at least two players, such as --player "gnugo=gnugo --mode gtp" --player builtin"#);
    insta::assert_snapshot!(error(&["--player", "builtin"], 2), @"error: an event has 2 to 200 players, and there are 1");
    insta::assert_snapshot!(error(&["--player", "builtin", "--player", "builtin"], 2), @"error: two players are called builtin: name them, as in --player NAME=COMMAND");
    insta::assert_snapshot!(error(&["--player", "x=java X {sid} {host}"], 2), @"error: invalid value 'x=java X {sid} {host}' for '--player <PLAYER>': {sid} is no placeholder: use {side}, {host}, {server}, {port} or {name}");
    insta::assert_snapshot!(error(&["--player", "x=java X {side}"], 2), @"error: invalid value 'x=java X {side}' for '--player <PLAYER>': a client of the network referee needs {host}, {side}, and {server} or {port} in its command, and there is no {host}");
    for name in ["it's", "an engine", "a,b"] {
        let error = error(&["--player", &format!("{name}=builtin:level=1")], 2);
        assert!(
            error.contains(&format!("the name \"{name}\" cannot be given in this way")),
            "{error}"
        );
    }
    assert!(error(&["--player", "it's=./engine"], 2).contains("the name \"it's\""));
    insta::assert_snapshot!(error(&["--player", "builtin:level=12"], 2), @"error: invalid value 'builtin:level=12' for '--player <PLAYER>': \"level=12\" is no option of the built-in player: use level=1 to 9 or level=perfect, move-time=SECONDS, positions=NUMBER, at least 1, or random-best");
    insta::assert_snapshot!(error(&["--player", "builtin:positions=0"], 2), @r#"error: invalid value 'builtin:positions=0' for '--player <PLAYER>': "positions=0" is no option of the built-in player: use level=1 to 9 or level=perfect, move-time=SECONDS, positions=NUMBER, at least 1, or random-best"#);
    insta::assert_snapshot!(with(&["--openings", "balnced:5"], 2), @"error: --openings balnced:5: there is no such file; did you mean balanced:5?");
    insta::assert_snapshot!(with(&["--population"], 2), @"error: two players play 0 openings, too few to be a sample of all: give at least 20, and twice as many --games, or leave out --population");
    insta::assert_snapshot!(with(&["--population", "--openings", "balanced:50", "--games", "38"], 2), @"error: two players play 19 openings, too few to be a sample of all: give at least 20, and twice as many --games, or leave out --population");
    insta::assert_snapshot!(with(&["--population", "--openings", "balanced:50", "--format", "swiss"], 2), @"error: in a Swiss tournament two players meet too seldom for a sample of openings: leave out --population");
    insta::assert_snapshot!(with(&["--game", "awari", "--player", "builtin:random-best"], 2), @"error: builtin:level is only for Gothello");
    insta::assert_snapshot!(error(&["--game", "awari", "--player", "builtin:random-best", "--player", "builtin"], 2), @"error: builtin:random-best is only for Gothello");
    insta::assert_snapshot!(with(&["--time", "5q"], 2), @"error: invalid value '5q' for '--time <CONTROL>': give seconds: 60 for the whole game, 60+0.6 with 0.6 more after each move, 60+30/25 with 30 for every 25 moves after that, or 2/move; 60 is also 1:00 or 1m");
    insta::assert_snapshot!(with(&["--openings", "balanced:5,plies=9"], 2), @"error: invalid value 'balanced:5,plies=9' for '--openings <FILE|balanced:N>': give a file, or balanced:N for N positions of Gothello, at most 100000, whose exact value is near a draw, with ,plies=1 to 7 for the number of stones and ,margin=0 to 25 for the largest value");
    insta::assert_snapshot!(with(&["--openings", "missing"], 1), @"error: --openings missing: No such file or directory (os error 2)");
    insta::assert_snapshot!(with(&["--game", "go"], 2), @"error: a cannot play Go: the built-in player plays Gothello and Awari");
    insta::assert_snapshot!(with(&["--size", "7"], 2), @"error: --size is for --game go");
    insta::assert_snapshot!(with(&["--format", "swiss", "--games", "4"], 2), @"error: in a Swiss tournament two players meet in 1 or 2 games, not in 4: play more rounds");
    insta::assert_snapshot!(with(&["--sprt", "elo0=0,elo1=5,alpha=0.05,beta=0.05", "--games", "3"], 2), @"error: a sequential probability ratio test needs an even number of games of each opening");
    insta::assert_snapshot!(with(&["--shard", "5/4"], 2), @"error: invalid value '5/4' for '--shard <K/N>': give the number of the part and the number of parts, such as 3/8");
    insta::assert_snapshot!(with(&["--shard", "1/4"], 2), @"error: --shard needs --seed, the same number for all parts of the event");
    insta::assert_snapshot!(with(&["--game", "awari"], 2), @"error: builtin:level is only for Gothello");
    insta::assert_snapshot!(with(&["--exit-status"], 2), @"error: --exit-status is for --sprt");
    insta::assert_snapshot!(with(&["--hang-timeout", "0"], 2), @"error: invalid value '0' for '--hang-timeout <SECONDS>': give at least 0.001 s: with 0 every player would have lost at once");
    insta::assert_snapshot!(with(&["--results", "."], 2), @"error: --results .: this is a folder or a device: give a file");
    fs::write(folder.path().join("r.jsonl"), "{\"v\":1}\n").unwrap();
    insta::assert_snapshot!(with(&["--results", "r.jsonl"], 1), @r#"error: r.jsonl, line 1: a results file of `gothello match` begins with {"gothello_match":1}: missing field `gothello_match` at line 1 column 7"#);
}

#[test]
fn mistakes_in_an_event_file_are_reported_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let error = |text: &str| {
        fs::write(folder.path().join("e.toml"), text).unwrap();
        MATCH.error(folder.path(), &["--event", "e.toml"], 2)
    };
    let player = |keys: &str| error(&format!("[[player]]\ncommand = \"./x\"\n{keys}\n"));
    insta::assert_snapshot!(error("seed = 1\ngamez = 3\n"), @r#"error: e.toml, line 2: "gamez" is not an option of an event: did you mean games?"#);
    insta::assert_snapshot!(error("time_margin = 3\n"), @r#"error: e.toml, line 1: "time_margin" is not an option of an event: did you mean time-margin?"#);
    insta::assert_snapshot!(error("weather = 3\n"), @r#"error: e.toml, line 1: "weather" is not an option of an event: use game, format, games, rounds, openings, openings-order, openings-start, seed, sprt, population, adjudicate, move-limit, time, time-margin, hang-timeout, start-timeout, size, komi, no-superko, scorer, grand-slam, repetition, or [[player]]"#);
    insta::assert_snapshot!(error("\ngames = \"many\"\n"), @r#"error: e.toml, line 2: games = "many": give a whole number from 1 to 1000000"#);
    insta::assert_snapshot!(error("games = 0x1_0000_0000_0000_0000\n"), @"error: e.toml, line 1: games = 10000000000000000: give a whole number from 1 to 1000000");
    insta::assert_snapshot!(error("games = [1]\n"), @"error: e.toml, line 1: games: give a number, or a text in quotes");
    insta::assert_snapshot!(error("time = \"5q\"\n"), @r#"error: e.toml, line 1: time = "5q": give seconds: 60 for the whole game, 60+0.6 with 0.6 more after each move, 60+30/25 with 30 for every 25 moves after that, or 2/move; 60 is also 1:00 or 1m"#);
    insta::assert_snapshot!(error("time = 5m\n"), @"error: e.toml, line 1: this is not TOML: string values must be quoted, expected literal string");
    insta::assert_snapshot!(error("hang-timeout = 0\n"), @"error: e.toml, line 1: hang-timeout = 0: give at least 0.001 s: with 0 every player would have lost at once");
    insta::assert_snapshot!(error("format = \"knockout\"\n"), @r#"error: e.toml, line 1: format = "knockout": use round-robin, gauntlet, swiss"#);
    insta::assert_snapshot!(error("no-superko = \"yes\"\n"), @"error: e.toml, line 1: no-superko: give true or false, without quotes");
    insta::assert_snapshot!(error("games = 2\ngames = 3\n"), @"error: e.toml, line 2: this is not TOML: duplicate key");
    insta::assert_snapshot!(error("games = 2\n[player]\ncommand = \"./x\"\n"), @"error: e.toml, line 2: a player is a table of its own: write [[player]], with two brackets, and its keys below, for each player");
    insta::assert_snapshot!(error("player = [\"./x\", \"./y\"]\n"), @"error: e.toml, line 1: a player is a table of its own: write [[player]], with two brackets, and its keys below, for each player");
    insta::assert_snapshot!(error("[[players]]\ncommand = \"./x\"\n"), @r#"error: e.toml, line 1: "players" is not an option of an event: write [[player]] for each player"#);
    insta::assert_snapshot!(error("[[player]]\nname = \"x\"\n\n[[player]]\n"), @r#"error: e.toml, line 1: this player has no command: give one, such as command = "gnugo --mode gtp""#);
    insta::assert_snapshot!(error("[[player]]\ncommand = \"'x\"\n"), @"error: e.toml, line 2: command: a quote is not closed");
    insta::assert_snapshot!(player("games = 2"), @r#"error: e.toml, line 3: "games" is not a key of a player: it is one of the event: write it above the first [[player]]"#);
    insta::assert_snapshot!(player("nane = \"x\""), @r#"error: e.toml, line 3: "nane" is not a key of a player: did you mean name?"#);
    insta::assert_snapshot!(player("name = \" \""), @"error: e.toml, line 3: name: a name has at least one visible character");
    insta::assert_snapshot!(player("name = 3"), @"error: e.toml, line 3: name: give a text in quotes");
    insta::assert_snapshot!(player("time = \"1q\""), @"error: e.toml, line 3: time: give seconds: 60 for the whole game, 60+0.6 with 0.6 more after each move, 60+30/25 with 30 for every 25 moves after that, or 2/move; 60 is also 1:00 or 1m");
    insta::assert_snapshot!(player("restart = \"always\""), @r#"error: e.toml, line 3: restart = "always": use on-failure or every-game"#);
    insta::assert_snapshot!(player("ids = 0"), @"error: e.toml, line 3: ids: give true or false, without quotes");
    insta::assert_snapshot!(player("environment = { THREADS = 1 }"), @"error: e.toml, line 3: THREADS: give a text in quotes");
    insta::assert_snapshot!(player("environment = \"THREADS=1\""), @r#"error: e.toml, line 3: environment: give names and texts, such as { OMP_NUM_THREADS = "1" }"#);
    insta::assert_snapshot!(player("init = \"name\""), @r#"error: e.toml, line 3: init: give a list of GTP commands, such as ["komi 7.5"]"#);
    for init in ["komi 7.5 # points", "clear_board\\nquit", ""] {
        let error = player(&format!("init = [\"name\",\n\"{init}\"]"));
        assert!(
            error.starts_with("error: e.toml, line 4: init: "),
            "{error}"
        );
        assert!(error.contains("is not a GTP command"), "{error}");
    }
    for key in [
        "folder = \".\"",
        "ids = true",
        "restart = \"every-game\"",
        "environment = { A = \"1\" }",
        "init = [\"name\"]",
    ] {
        let error = error(&format!("[[player]]\ncommand = \"builtin\"\n{key}\n"));
        assert!(error.starts_with("error: e.toml, line 3: "), "{error}");
        assert!(
            error.ends_with("is for programs, not for the built-in player"),
            "{error}"
        );
    }
    // A file that cannot be read is a failure, as for all files.
    insta::assert_snapshot!(MATCH.error(folder.path(), &["--event", "missing.toml"], 1), @"error: --event missing.toml: No such file or directory (os error 2)");
}

/// Ten malformed lines are too many.
#[test]
fn the_last_lines_of_a_client_are_the_last_that_it_sent() {
    let folder = tempfile::tempdir().unwrap();
    let client = "printf '0.9.1 player {side}\\r\\n'; \
                  for number in $(seq 9); do printf '%0600d\\r\\n' $number; done; \
                  printf 'the end\\r\\n'; cat <&3 >/dev/null";
    let client = format!("deaf=bash -c \"exec 3<>/dev/tcp/{{host}}/{{port}} >&3; {client}\"");
    let good = format!("good={}", engine());
    let arguments = ["--player", &client, "--player", &good, "--games", "1"];
    let files = ["--results", "r.jsonl", "--hang-timeout", "2"];
    run(folder.path(), &[&arguments[..], &files].concat(), 1);
    let game = &lines(&folder.path().join("r.jsonl"))[1];
    let sent = game["last_lines"]["output"].as_array().unwrap();
    assert_eq!(sent.last().unwrap(), "sent: the end", "{game}");
}

#[test]
fn clients_of_the_network_referee_meet_engines() {
    let folder = tempfile::tempdir().unwrap();
    let program = executable();
    let named = format!(
        "named={program} netplay {{host}} {{server}} {{side}} --level 1 --seed 1 --move-time 0.2"
    );
    let unnamed = format!(
        "unnamed={program} netplay {{host}}:{{port}} {{side}} --no-name --level 1 --seed 2 --move-time 0.2"
    );
    let engine = format!("engine={}", engine());
    let arguments = [
        "--player",
        &named,
        "--player",
        &unnamed,
        "--player",
        &engine,
        "--time",
        "30",
        "--results",
        "r.jsonl",
    ];
    run(folder.path(), &arguments, 0);
    let games = lines(&folder.path().join("r.jsonl")).split_off(1);
    assert_eq!(games.len(), 6, "{games:#?}");
    assert!(
        games.iter().all(|game| game["verdict"] == "count"),
        "{games:?}"
    );
}

/// A client of the network referee whose process does nothing: the test plays for it.
fn absent_client(folder: &Path) -> String {
    let text = "echo $2 >$1.new\nmv $1.new $1.port\nwhile [ -e $1.port ]; do sleep 0.02; done\n";
    fs::write(folder.join("client.sh"), text).unwrap();
    "client=sh client.sh {side} {port} {host}".to_owned()
}

/// The connection of the client that plays a side.
struct Connection {
    lines: BufReader<DeadlineStream>,
    port_file: PathBuf,
}

impl Connection {
    /// Connects, and asks for the side.
    fn open(folder: &Path, side: &str) -> Connection {
        let port_file = folder.join(format!("{side}.port"));
        wait_until("the start of a client", || port_file.exists());
        let port = fs::read_to_string(&port_file).unwrap();
        let address = (Ipv4Addr::LOCALHOST, port.trim().parse().unwrap());
        let lines = BufReader::new(DeadlineStream::connect(address));
        let mut connection = Connection { lines, port_file };
        connection.send(&format!("0.9.1 player {side}"));
        connection
    }

    fn send(&mut self, line: &str) {
        let stream = self.lines.get_mut();
        stream.write_all(format!("{line}\r").as_bytes()).unwrap();
    }

    /// Reads a line.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.get_mut().renew();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    /// Reads until the connection ends.
    fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.lines.get_mut().renew();
        self.lines.read_to_string(&mut rest).unwrap();
        rest.replace('\r', "")
    }
}

/// The connection is closed, and the process ends.
impl Drop for Connection {
    fn drop(&mut self) {
        // A test that fails leaves a process without a folder, which ends, too.
        let _ = fs::remove_file(&self.port_file);
    }
}

#[test]
fn a_client_that_is_gone_does_not_change_how_the_game_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let passes = "clear_board) sleep 0.1; touch ready; printf '=%s\\n\\n' $1;;\n\
                  genmove) printf '=%s pass\\n\\n' $1;;";
    let engine = script(path, "engine", passes);
    let client = absent_client(path);
    let mut arguments = vec!["--player", &client, "--player", &engine];
    arguments.extend(["--time", "30", "--concurrency", "1"]);
    arguments.extend(["--results", "r.jsonl"]);
    let told = thread::scope(|scope| {
        scope.spawn(|| run(path, &arguments, 0));
        let mut black = Connection::open(path, "black");
        assert!(black.line().starts_with("000 ") && black.line().starts_with("101 30 30 "));
        assert!(black.line().starts_with("352 "));
        // The game begins when both are ready.
        assert!(path.join("ready").exists());
        black.send("1 pass");
        // Nothing reads its input.
        drop(black);

        let mut white = Connection::open(path, "white");
        let told: String = (0..4).map(|_| white.line().replace('\r', "")).collect();
        white.send("resign");
        told + &white.rest()
    });
    // The opponent has used some of its time.
    insta::assert_snapshot!(told, @r"
    000 Gothello 0.9.2 server says hello!
    101 30 30 Request accepted with time controls (you / opp)
    351 You will play white
    317 1 pass 29 (secs) is black move, game continues
    204 Resignation accepted, you lose
    324 1 ... pass and white loses by resignation
    ");
    let games = lines(&path.join("r.jsonl")).split_off(1);
    let ends: Vec<_> = games
        .iter()
        .map(|game| format!("{} {}", game["verdict"], game["result"]))
        .collect();
    assert_eq!(ends, ["\"count\" \"0\"", "\"resignation\" \"B+R\""]);
}

#[test]
fn a_client_is_told_that_its_flag_has_fallen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let client = absent_client(path);
    let mut arguments = vec!["--player", &client, "--player", "builtin:level=1"];
    arguments.extend(["--time", "0.3", "--games", "1", "--results", "r.jsonl"]);
    let told = thread::scope(|scope| {
        scope.spawn(|| run(path, &arguments, 0));
        Connection::open(path, "black").rest()
    });
    insta::assert_snapshot!(told, @r"
    000 Gothello 0.9.2 server says hello!
    101 0 0 Request accepted with time controls (you / opp)
    352 You will play black
    202 Your time expires, you lose
    362 White wins by Black time expiring
    ");
    let games = lines(&path.join("r.jsonl")).split_off(1);
    assert_eq!(games[0]["verdict"], "time");
}

/// The lines to a client with Black after its first move, which White's engine answers in this
/// way.
fn told_after_move(genmove: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let engine = script(path, "engine", &format!("genmove) {genmove};;"));
    let client = absent_client(path);
    let mut arguments = vec!["--player", &client, "--player", &engine, "--games", "1"];
    arguments.extend(options);
    let told = thread::scope(|scope| {
        scope.spawn(|| MATCH.run(path, &arguments));
        let mut black = Connection::open(path, "black");
        black.send("1 c3");
        black.rest()
    });
    let (_, after) = told.split_once("is black move, game continues\n").unwrap();
    after.to_owned()
}

#[test]
fn a_client_is_told_how_the_game_ended() {
    let resigns = "printf '=%s resign\\n\\n' $1";
    insta::assert_snapshot!(told_after_move(resigns, &[]), @"324 1 ... pass and white loses by resignation");
    insta::assert_snapshot!(told_after_move("sleep 20", &["--time", "2"]), @r"
    324 1 ... pass and white loses by time expiring
    361 Black wins by White time expiring
    ");
    insta::assert_snapshot!(told_after_move("exit 3", &[]), @"324 1 ... pass and white loses by disconnection");
    let plays = "printf '=%s d3\\n\\n' $1";
    insta::assert_snapshot!(told_after_move(plays, &["--move-limit", "2"]), @r"
    312 1 ... d3 is white move, game continues
    399 0 (move limit)
    ");
}

#[test]
fn clients_of_awari_meet_the_built_in_player() {
    let folder = tempfile::tempdir().unwrap();
    let program = executable();
    let client = format!(
        "client={program} netplay --game awari {{host}} {{server}} {{side}} --move-time 0.01"
    );
    let arguments = [
        "--game",
        "awari",
        "--player",
        &client,
        "--player",
        "builtin:move-time=0.01",
        "--results",
        "r.jsonl",
        "--sgf",
        "games.txt",
    ];
    run(folder.path(), &arguments, 0);
    let games = lines(&folder.path().join("r.jsonl")).split_off(1);
    assert_eq!(games.len(), 2, "{games:#?}");
    let records = fs::read_to_string(folder.path().join("games.txt")).unwrap();
    assert_eq!(records.matches("Rules: e claim\n").count(), 2, "{records}");
    // The first of the records can be read as a game.
    let game = awari::read(&records, awari::Variant::default()).unwrap();
    let moves: Vec<String> = game.moves().map(|pit| pit.to_string()).collect();
    assert!(games.iter().any(|game| game["moves"] == json!(moves)));
}

#[test]
fn events_are_lines_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = MATCH.command(
        folder.path(),
        &[&PLAYERS[..], &["--json", "--quiet"]].concat(),
    );
    let output = command.output_in_time();
    assert!(output.status.success(), "{output:?}");
    let output = String::from_utf8(output.stdout).unwrap();
    let events = output.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["event"].as_str().unwrap().to_owned()
    });
    let mut events: Vec<String> = events.collect();
    assert_eq!((&*events[0], &*events[5]), ("begin", "end"));
    events.sort();
    assert_eq!(events, ["begin", "end", "game", "game", "result", "result"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_players_of_a_game_run_on_one_core() {
    let folder = tempfile::tempdir().unwrap();
    let cases =
        "genmove) grep Cpus_allowed_list: /proc/self/status >&2; printf '=%s resign\\n\\n' $1;;";
    let one = script(folder.path(), "one", cases);
    let other = script(folder.path(), "other", cases);
    let arguments = [
        "--player",
        &one,
        "--player",
        &other,
        "--affinity",
        "--logs",
        "logs",
    ];
    run(folder.path(), &arguments, 0);
    for number in 1..=2 {
        let log = folder.path().join(format!("logs/00000{number}-black.log"));
        let cores = fs::read_to_string(log).unwrap();
        let core = cores.trim().rsplit('\t').next().unwrap();
        assert!(core.parse::<u32>().is_ok(), "{cores}");
    }
}

/// Stops the runner, but not the programs that it has started, for longer than each player's time.
/// The first answer of one player takes this many seconds.
#[cfg(unix)]
fn nobody_loses_by_a_stall(seconds: &str) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = format!("[ -e begun ] || {{ touch begun; sleep {seconds}; }}");
    let cases = format!("genmove) {first}; printf '=%s pass\\n\\n' $1;;");
    let slow = script(folder, "slow", &cases);
    let players = ["--player", &slow, "--player", "x=builtin:level=1"];
    let times = ["--games", "1", "--time", "3", "--time-margin", "0"];
    let results = ["--results", "games.jsonl"];
    let mut runner = MATCH.command(folder, &[&players[..], &times, &results].concat());
    let runner = runner.stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the engine thinks", || folder.join("begun").exists());
    let signal = |signal: &str| {
        let id = runner.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    };
    signal("-STOP");
    thread::sleep(Duration::from_secs(5));
    signal("-CONT");
    let output = runner.output_in_time();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("this program was stalled for "), "{told}");
    let games = lines(&folder.join("games.jsonl"));
    let verdicts = games.iter().filter_map(|game| game["verdict"].as_str());
    assert_eq!(verdicts.collect::<Vec<_>>(), ["count"], "{games:?}");
}

#[cfg(unix)]
#[test]
fn a_stall_of_the_runner_costs_nobody() {
    // The answer comes during the stall, or after it.
    thread::scope(|scope| {
        for seconds in ["1", "6"] {
            scope.spawn(move || nobody_loses_by_a_stall(seconds));
        }
    });
}
