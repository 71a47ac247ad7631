//! The bots of the guide, each in another language: they play whole matches, pass
//! `gothello check`, and know every end of a match.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use tempfile::TempDir;

use crate::cases::is_quick;
use crate::client::{Done, Program};
use crate::executable::executable;
use crate::netref::referee::Referee;
use crate::netref::server::results;
use crate::waiting::{self, DeadlineStream, OutputInTime};

/// A bot of the guide, ready to run.
struct Bot {
    /// The command that starts it.
    command: Vec<OsString>,
    /// Where it was compiled.
    folder: TempDir,
}

/// The steps of `gothello check` that the quick tests take; the others take all.
const QUICK_STEPS: [&str; 3] = ["own-flag", "interrupted-in-turn", "merged"];

/// The lines of a referee at the end of a match.
const ENDINGS: [&str; 9] = [
    "201 Move pass accepted, You win\r\n321 1 pass and black wins",
    "202 Move pass accepted, You lose\r\n322 1 pass and black loses",
    "203 Move pass accepted, You draw\r\n325 1 pass and black draws",
    "324 1 ... pass and white loses by resignation",
    "327 Black wins by White resigning",
    "361 Black wins by White time expiring",
    "202 You lose\r\n362 White wins by Black time expiring",
    "392 White disconnected",
    "399 Unknown problem",
];

fn source(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/bots");
    let path = folder.join(name);
    assert!(path.exists(), "{}", path.display());
    path
}

impl Bot {
    /// The bot in a language that needs no compiler.
    fn interpreted(interpreter: &str, name: &str) -> Bot {
        Bot {
            command: vec![interpreter.into(), source(name).into()],
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The bot in a language that is compiled first, by a compiler with the option `-o`.
    fn compiled(compiler: &str, name: &str) -> Bot {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bot");
        let mut command = Command::new(compiler);
        compile(command.arg("-o").arg(&program).arg(source(name)));
        Bot {
            command: vec![program.into()],
            folder,
        }
    }

    /// Starts the bot. `arguments` are its side, host, port, and perhaps its name.
    fn start(&self, arguments: &[&str]) -> Program {
        let mut command = Command::new(&self.command[0]);
        Program::spawn(command.args(&self.command[1..]).args(arguments))
    }

    /// Checks everything that a bot must be able to do.
    fn check(&self) {
        thread::scope(|scope| {
            let matches = if is_quick() { 2 } else { 4 };
            scope.spawn(move || self.plays_matches(matches));
            scope.spawn(|| self.passes_the_check());
            scope.spawn(|| self.tries_again());
            scope.spawn(|| self.resumes());
            scope.spawn(|| self.knows_every_ending());
        });
    }

    /// Both sides of matches at a real referee, with names and without.
    fn plays_matches(&self, matches: usize) {
        let records = self.folder.path().join("matches");
        let referee = Referee::start(&["300", "--state", records.to_str().unwrap()]);
        let port = referee.addresses[0].port().to_string();
        for number in 0..matches {
            let names = if number % 2 == 0 {
                ["Ann", "Bob"]
            } else {
                ["", ""]
            };
            let players = [("black", names[0]), ("white", names[1])].map(|(side, name)| {
                let arguments = [side, "127.0.0.1", &port, name];
                let count = if name.is_empty() { 3 } else { 4 };
                self.start(&arguments[..count])
            });
            for player in players {
                let done = player.wait();
                assert_eq!(done.code, Some(0), "{}", done.err);
                assert!(!done.err.contains("< 29"), "{}", done.err);
            }
        }
        let rows = results(&records);
        assert_eq!(rows.len(), matches, "{rows:?}");
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row[5], "play", "{rows:?}");
            assert_eq!(row[2..4] == ["Ann", "Bob"], number % 2 == 0, "{rows:?}");
        }
    }

    /// `gothello check netref` finds no fault in it.
    fn passes_the_check(&self) {
        let mut check = Command::new(executable());
        check.args(["check", "netref", "--quiet", "--seed", "1"]);
        // Beside other tests a machine may take long to end a program.
        check.args(["--timeout", "30", "--end-timeout", "30"]);
        let least = match is_quick() {
            true => {
                check.args(["--games", "1"]);
                check.args(QUICK_STEPS.iter().flat_map(|step| ["--only", step]));
                QUICK_STEPS.len()
            }
            false => 30,
        };
        let output = check
            .arg("--")
            .args(&self.command)
            .args(["{side}", "{host}", "{port}", "Ann"])
            .output_in_time();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        let passed = text.lines().filter(|line| line.starts_with("passed"));
        assert!(passed.count() >= least, "{text}");
    }

    /// When a move is refused, it tries all others and then a pass; then it gives up.
    fn tries_again(&self) {
        let (mut stream, bot) = self.seat();
        let mut tried: Vec<String> = Vec::new();
        while tried.last().is_none_or(|request| request != "1 pass") {
            let request = read_request(&mut stream);
            assert!(!tried.contains(&request), "{request} again: {tried:?}");
            tried.push(request);
            let code = if tried.len().is_multiple_of(2) {
                291
            } else {
                299
            };
            write!(stream.get_mut(), "{code} refused\r\n").unwrap();
        }
        assert_eq!(tried.len(), 26, "{tried:?}");
        assert_eq!(bot.wait().code, Some(1));
    }

    /// In a match that was interrupted, it goes on from the moves that come before its role.
    fn resumes(&self) {
        for (side, moves, role, number) in [
            ("black", &["311 1 c3", "312 1 ... c4"][..], "352", "2 "),
            ("white", &["311 1 c3"], "351", "1 ... "),
            ("white", &["311 1 c3", "312 1 ... c4"], "351", ""),
        ] {
            let (mut stream, _bot) = self.connect(side, "0.9.2");
            let mut lines = vec!["100 Request accepted"];
            lines.extend(moves);
            lines.push(role);
            write!(stream.get_mut(), "{}\r\n", lines.join("\r\n")).unwrap();
            if number.is_empty() {
                // The opponent is to move.
                write!(stream.get_mut(), "311 2 d3\r\n").unwrap();
                let answer = read_request(&mut stream);
                assert!(answer.starts_with("2 ... "), "{answer}");
            } else {
                let answer = read_request(&mut stream);
                assert!(answer.starts_with(number), "{answer}");
            }
        }
    }

    /// Exit codes after ends of a match, without a seat, and after a lost connection.
    fn knows_every_ending(&self) {
        let after = |line: &str| -> Done {
            let (mut stream, bot) = self.seat();
            read_request(&mut stream);
            let _ = stream.get_mut().write_all(line.as_bytes());
            drop(stream);
            bot.wait()
        };
        thread::scope(|scope| {
            for ending in ENDINGS {
                scope.spawn(move || {
                    let done = after(&format!("{ending}\r\n"));
                    assert_eq!(done.code, Some(0), "{ending}: {}", done.err);
                });
            }
        });
        for lost in ["", "200 Move accepted, continue playing\r\n", "20"] {
            let done = after(lost);
            assert_eq!(done.code, Some(1), "{lost:?}: {}", done.err);
        }
        let (mut stream, bot) = self.connect("white", "0.9.1");
        stream
            .get_mut()
            .write_all(b"191 White is taken\r\n")
            .unwrap();
        let done = bot.wait();
        assert_eq!(done.code, Some(1), "{}", done.err);
        done.told("191 White is taken");
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        // No referee, or no port: one line, which says where.
        for port in [&port, "x"] {
            let done = self.start(&["black", "127.0.0.1", port]).wait();
            assert_eq!(done.code, Some(1), "{}", done.err);
            let told = format!("127.0.0.1, port {port}: ");
            assert!(done.err.contains(&told), "{told}: {}", done.err);
            assert_eq!(done.err.lines().count(), 1, "{}", done.err);
        }
        assert_eq!(
            self.start(&["grey", "127.0.0.1", &port]).wait().code,
            Some(2)
        );
    }

    /// Starts the bot at a referee of this version. Returns it with its connection after its first
    /// request.
    fn connect(&self, side: &str, version: &str) -> (BufReader<DeadlineStream>, Program) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let bot = self.start(&[side, "127.0.0.1", &port, "Ann \"A\""]);
        let mut stream = BufReader::new(waiting::accept(&listener));
        write!(stream.get_mut(), "000 Gothello {version}\r\n").unwrap();
        let opening = read_request(&mut stream);
        let expected = format!("{version} player {side} \"Ann \"\"A\"\"\"");
        assert_eq!(opening, expected);
        (stream, bot)
    }

    /// The bot as Black at the start of a match.
    fn seat(&self) -> (BufReader<DeadlineStream>, Program) {
        let (mut stream, bot) = self.connect("black", "0.9.1");
        let start = b"100 Request accepted\r\n341 \"Bob\" is the white player\r\n352 You will play black\r\n";
        stream.get_mut().write_all(start).unwrap();
        (stream, bot)
    }
}

/// The code of the Python bot that handles a reported move, and that plays a move on its board.
const SEES: &str = "self.board.play(color, move)";
const FLIPS: &str = "for changed in {point} | captured:";

/// Mistakes about captures in the Python bot: the text to replace, the wrong text, and the steps
/// that may find it.
const WRONG_BOARDS: [(&str, &str, &[&str]); 5] = [
    (
        SEES,
        "self.board.stones.update({move: color}) if color == self.side else self.board.play(color, move)",
        &["own-captures"],
    ),
    (
        SEES,
        "self.board.stones.update({move: color}) if color != self.side else self.board.play(color, move)",
        &["opponent-captures"],
    ),
    (
        FLIPS,
        "for changed in {point}:",
        &["own-captures", "opponent-captures"],
    ),
    // As in Go.
    (
        FLIPS,
        "for changed in captured:\n            del self.stones[changed]\n        for changed in {point}:",
        &["own-captures", "opponent-captures"],
    ),
    // Not the whole group.
    (
        FLIPS,
        "for changed in {point} | (captured & set(NEIGHBORS[point])):",
        &["own-captures", "opponent-captures"],
    ),
];

/// Runs a compiler, which must not warn.
fn compile(command: &mut Command) {
    let output = command.output_in_time();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.is_empty(), "{text}");
}

/// Reads a request, which ends with CR.
fn read_request(stream: &mut BufReader<DeadlineStream>) -> String {
    let mut request = Vec::new();
    stream.get_mut().renew();
    stream.read_until(b'\r', &mut request).unwrap();
    assert_eq!(request.pop(), Some(b'\r'), "{request:?}");
    String::from_utf8(request).unwrap()
}

#[test]
#[ignore = "starts Python a hundred times: see .ci/run"]
fn the_bot_in_python() {
    // It is started many times. `python3` may be a script that looks for the interpreter, and the
    // bot needs no packages.
    let output = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output_in_time();
    let interpreter = String::from_utf8(output.stdout).unwrap();
    let mut bot = Bot::interpreted(interpreter.trim(), "bot.py");
    bot.command.insert(1, "-S".into());
    bot.check();
}

#[test]
#[ignore = "takes a minute, unoptimized"]
fn a_bot_that_is_wrong_about_captures_is_found() {
    let bot = fs::read_to_string(source("bot.py")).unwrap();
    thread::scope(|scope| {
        for (right, wrong, steps) in WRONG_BOARDS {
            let bot = &bot;
            scope.spawn(move || {
                assert_eq!(bot.matches(right).count(), 1, "{right}");
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("bot.py");
                let seeded = bot.replace("import random\n", "import random\nrandom.seed(1)\n");
                assert_ne!(seeded, *bot);
                fs::write(&path, seeded.replace(right, wrong)).unwrap();
                let output = Command::new(executable())
                    .args(["check", "netref", "--quiet", "--seed", "1", "--games", "12"])
                    .args(["--only", "own-captures", "--only", "opponent-captures"])
                    .args(["--", "python3"])
                    .arg(&path)
                    .args(["{side}", "{host}", "{port}", "Ann"])
                    .output_in_time();
                let text = String::from_utf8(output.stdout).unwrap();
                assert_eq!(output.status.code(), Some(1), "{wrong}: {text}");
                let failed: Vec<&str> = text
                    .lines()
                    .filter_map(|line| line.strip_prefix("FAILED"))
                    .filter_map(|line| line.split_whitespace().next())
                    .collect();
                let is_found = failed.iter().any(|step| steps.contains(step));
                assert!(is_found, "{wrong}: {text}");
            });
        }
    });
}

#[test]
fn the_bot_in_c() {
    Bot::compiled("cc", "bot.c").check();
}

#[test]
fn the_bot_in_rust() {
    Bot::compiled("rustc", "bot.rs").check();
}

#[test]
#[ignore = "needs Java: see .ci/run"]
fn the_bot_in_java() {
    let folder = tempfile::tempdir().unwrap();
    compile(
        Command::new("javac")
            .arg("-d")
            .args([folder.path(), &source("Bot.java")]),
    );
    // It is started a hundred times, each time for a moment.
    let mut command = vec!["java".into(), "-XX:TieredStopAtLevel=1".into()];
    command.extend(["-cp".into(), folder.path().into(), "Bot".into()]);
    Bot { command, folder }.check();
    // The guide starts it like this, from its source; the same bot has played more matches above.
    Bot::interpreted("java", "Bot.java").plays_matches(2);
}

/// The match in the guide has the lines that Black sends and receives, except for the seconds.
#[test]
fn the_match_of_the_guide_is_real() {
    let page = source("../write-a-bot.md");
    let text = fs::read_to_string(page).unwrap();
    let told: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("< 000"))
        .take_while(|line| *line != "```")
        .collect();
    let referee = Referee::start(&["300"]);
    let mut black = referee.connect();
    let mut white = None;
    for line in told {
        if let Some(request) = line.strip_prefix("> ") {
            black.send(&format!("{request}\r"));
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let white_says = match (words[1], words.get(3)) {
            ("341", _) => {
                white = Some(referee.seat("player white \"Bob\""));
                None
            }
            ("327", _) => Some("resign".to_owned()),
            (_, Some(&"...")) => Some(format!("{} ... {}", words[2], words[4])),
            _ => None,
        };
        if let (Some(request), Some(white)) = (white_says, white.as_mut()) {
            white.send(&format!("{request}\r"));
        }
        let heard = black.line().unwrap();
        assert_eq!(without_seconds(&heard), without_seconds(&line[2..]));
    }
    black.expect_end();
}

/// A line of the referee in which the seconds left are 299.
fn without_seconds(line: &str) -> String {
    let is_number = |word: &str| word.len() == 3 && word.parse().is_ok_and(|n: u32| n >= 290);
    let mut words: Vec<&str> = line.split(' ').collect();
    for word in words.iter_mut().skip(1) {
        if is_number(word) {
            *word = "299";
        }
    }
    words.join(" ")
}
