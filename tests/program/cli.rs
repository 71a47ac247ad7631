//! The command line: help, wrong usage, exit codes, `perft`.

use std::process::{Command, Output, Stdio};

use crate::executable::executable;
use crate::help::COMMANDS;
use crate::result_line::result_line;
use crate::waiting::OutputInTime;

/// Runs the program without any input.
fn gothello(arguments: &[&str]) -> Output {
    Command::new(executable())
        .args(arguments)
        .stdin(Stdio::null())
        .output_in_time()
}

/// The message on standard error about wrong usage.
fn usage_error(arguments: &[&str]) -> String {
    let output = gothello(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"");
    let text = String::from_utf8(output.stderr).unwrap();
    text.lines().next().unwrap().to_owned()
}

fn stdout(arguments: &[&str]) -> String {
    let output = gothello(arguments);
    assert!(output.status.success(), "{arguments:?}");
    assert_eq!(output.stderr, b"");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_input_the_engine_ends_at_once() {
    assert_eq!(stdout(&[]), "");
    assert_eq!(stdout(&["gtp"]), "");
    assert_eq!(stdout(&["--move-time", "2.5", "--log", "info"]), "");
}

#[test]
fn wrong_usage_is_reported_with_exit_code_2() {
    insta::assert_snapshot!(usage_error(&["gpt"]), @"error: unrecognized subcommand 'gpt'");
    insta::assert_snapshot!(usage_error(&["--move-time", "soon"]), @"error: invalid value 'soon' for '--move-time <SECONDS>': give a number of seconds from 0 to 1000000000, such as 300 or 0.5, or the same time as 5:00 or 5m");
    insta::assert_snapshot!(usage_error(&["--move-time", "-1"]), @"error: invalid value '-1' for '--move-time <SECONDS>': give a number of seconds from 0 to 1000000000, such as 300 or 0.5, or the same time as 5:00 or 5m");
    insta::assert_snapshot!(usage_error(&["--move-positions", "0"]), @"error: invalid value '0' for '--move-positions <N>': give a whole number, 1 or more");
    insta::assert_snapshot!(usage_error(&["--move-positions", "1e6"]), @"error: invalid value '1e6' for '--move-positions <N>': give a whole number, 1 or more");
    insta::assert_snapshot!(usage_error(&["--random-best", "--player", "alpha-beta"]), @"error: --random-best is for --player perfect: alpha-beta does not prove its moves");
    insta::assert_snapshot!(usage_error(&["--random-best", "--game", "awari"]), @"error: --random-best is for --game gothello");
    insta::assert_snapshot!(usage_error(&["--log", "loud"]), @"error: invalid value 'loud' for '--log <LEVEL>'");
    insta::assert_snapshot!(usage_error(&["--level", "10"]), @r#"error: invalid value '10' for '--level <LEVEL>': invalid level "10": use 1 to 9 or perfect"#);
    insta::assert_snapshot!(usage_error(&["--hash", "0"]), @"error: invalid value '0' for '--hash <MiB>': give a whole number from 1 to 1048576");
    insta::assert_snapshot!(usage_error(&["--threads", "x"]), @"error: invalid value 'x' for '--threads <N>': give a whole number from 1 to 256");
    insta::assert_snapshot!(usage_error(&["--player", "me"]), @"error: invalid value 'me' for '--player <PLAYER>'");
    insta::assert_snapshot!(usage_error(&["perft"]), @"error: the following required arguments were not provided:");
    insta::assert_snapshot!(usage_error(&["perft", "0"]), @"error: invalid value '0' for '<DEPTH>': give a whole number from 1 to 50");
    insta::assert_snapshot!(usage_error(&["perft", "deep"]), @"error: invalid value 'deep' for '<DEPTH>': give a whole number from 1 to 50");
    insta::assert_snapshot!(usage_error(&["perft", "1", "--moves", "c3 f3"]), @r#"error: move 2 (f3) in --moves: invalid move "f3": use a letter a-e and a digit 1-5, or pass"#);
    insta::assert_snapshot!(usage_error(&["perft", "1", "--moves", "c3 c3"]), @"error: move 2 (c3) in --moves: c3 is occupied");
    insta::assert_snapshot!(usage_error(&["perft", "1", "--moves", "pass pass"]), @"error: move 2 (pass) in --moves: it ends the game with the result 0");
    insta::assert_snapshot!(usage_error(&["perft", "1", "--position", "..... b"]), @r#"error: position "..... b": the board has 1 row: use rows 5 to 1 with / between them, as in ...../...../..b../...../..... w"#);
    insta::assert_snapshot!(usage_error(&["perft", "1", "--position", "wb.../b..../...../...../..... b"]), @r#"error: position "wb.../b..../...../...../..... b": the group at a5 has no liberty"#);
}

/// One parser, and one sentence, whatever the command.
#[test]
fn times_are_written_in_the_same_ways_in_every_command() {
    let options: [&[&str]; 9] = [
        &["netref", "--move-timeout"],
        &["netref", "--forfeit-after"],
        &["goref", "--max-break-time"],
        &["goref", "--forfeit-after"],
        &["match", "--hang-timeout"],
        &["check", "gtp", "--timeout"],
        &["check", "goref", "--ping-interval"],
        &["netplay", "localhost", "black", "--greeting-timeout"],
        &["goplay", "localhost", "--name", "A", "--reconnect"],
    ];
    for command in options {
        for time in ["90", "0.5", "1:30", "1:30:00", "1m30s", "500ms"] {
            let arguments = [command, &[time, "--no-such-option"]].concat();
            let error = usage_error(&arguments);
            assert!(error.contains("--no-such-option"), "{arguments:?}: {error}");
        }
        let error = usage_error(&[command, &["10x"]].concat());
        let why = "give a number of seconds from 0 to 1000000000, such as 300 or 0.5, or the same \
                   time as 5:00 or 5m";
        assert!(error.ends_with(why), "{command:?}: {error}");
        assert!(error.contains(" <SECONDS>'"), "{command:?}: {error}");
    }
    insta::assert_snapshot!(usage_error(&["netref", "0", "0.5"]), @"error: invalid value '0.5' for '[WHITE_SECS]': give a whole number of seconds from 1 to 1000000000, such as 300, or the same time as 5:00 or 5m");
    assert!(usage_error(&["netref", "0", "5:00", "4m", "--tables", "0"]).contains("--tables"));
}

/// One parser, and one sentence, whatever the command.
#[test]
fn pages_are_told_where_to_listen_in_the_same_way_in_every_command() {
    for command in ["match", "netref"] {
        for address in ["0", "8080", "127.0.0.1:8080", "localhost:0", "[::1]:8080"] {
            let error = usage_error(&[command, "--http", address, "--no-such-option"]);
            assert!(error.contains("--no-such-option"), "{command}: {error}");
        }
        let error = usage_error(&[command, "--http", "localhost"]);
        assert_eq!(
            error,
            "error: invalid value 'localhost' for '--http <[HOST:]PORT>': give a port from 0 to \
             65535, or HOST:PORT, such as 8080, 127.0.0.1:8080 or [::1]:8080; 0 picks a free port"
        );
    }
}

#[test]
fn options_of_teams_need_teams() {
    for option in ["--team-messages", "--team-connections", "--reclaim-time"] {
        let message = usage_message(&["netref", option, "5"]);
        assert!(message.contains("\n  --teams <FILE>\n"), "{message}");
    }
}

#[test]
fn options_of_another_game_are_wrong_usage() {
    insta::assert_snapshot!(usage_error(&["gtp", "--game", "awari", "--level", "3", "--tablebase", "x"]), @"error: --level, --tablebase are for --game gothello");
    insta::assert_snapshot!(usage_error(&["--repetition", "discard"]), @"error: --repetition is for --game awari");
    insta::assert_snapshot!(usage_error(&["gtp", "--game", "awari", "--grand-slam", "f"]), @"error: invalid value 'f' for '--grand-slam <LETTER>'");
    insta::assert_snapshot!(usage_error(&["gtp", "--game", "chess"]), @"error: invalid value 'chess' for '--game <GAME>'");
    assert_eq!(stdout(&["--game", "awari", "--grand-slam", "a"]), "");
}

/// The lines on standard error of wrong usage.
fn usage_message(arguments: &[&str]) -> String {
    let output = gothello(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn usage_is_that_of_the_command_that_was_typed() {
    insta::assert_snapshot!(usage_message(&["--level", "3", "--game", "awari"]), @"
    error: --level is for --game gothello

    Usage: gothello [OPTIONS]
           gothello <COMMAND>

    For more information, try '--help'.
    ");
    let of = |arguments: &[&str]| {
        let message = usage_message(arguments);
        let usage = message.lines().find(|line| line.starts_with("Usage: "));
        usage.unwrap().to_owned()
    };
    insta::assert_snapshot!(of(&["gtp", "--level", "3", "--game", "awari"]), @"Usage: gothello gtp [OPTIONS]");
    insta::assert_snapshot!(of(&["netplay", "localhost", "red"]), @"Usage: gothello netplay [OPTIONS] <SERVER> <ROLE>");
    insta::assert_snapshot!(of(&["perft", "1", "c3"]), @"Usage: gothello perft [OPTIONS] <DEPTH> [POSITION]");
    insta::assert_snapshot!(of(&["awari-db", "build"]), @"Usage: gothello awari-db build <FILE>");
}

#[test]
fn missing_quotes_are_reported() {
    insta::assert_snapshot!(usage_message(&["netplay", "localhost", "black", "--engine", "gnugo", "--mode", "gtp"]), @r#"
    error: unexpected argument '--mode' found

      tip: put a value that has spaces in quotes, as in --engine "gnugo --mode gtp"

    Usage: gothello netplay [OPTIONS] <SERVER> <ROLE>

    For more information, try '--help'.
    "#);
    let tip = "put a value that has spaces in quotes";
    assert!(
        usage_message(&["goplay", "localhost", "--name", "Ann", "Lee", "--human"]).contains(tip)
    );
    assert!(!usage_message(&["goref", "--tabels", "3"]).contains(tip));
    let tip = "tip: the page is at the port for clients, which --port sets";
    assert!(usage_message(&["goref", "--http", "8080"]).contains(tip));
    let tip = "tip: give it to the engine, inside the quotes, as in --engine \"gothello gtp --move-time 2\"";
    let engine = ["netplay", "localhost", "black", "--engine", "gnugo"];
    for option in [["--move-time", "2"], ["--level", "3"]] {
        let message = usage_message(&[&engine[..], &option].concat());
        assert!(message.contains(tip), "{message}");
    }
    assert!(!usage_message(&[&engine[..], &["--human"]].concat()).contains(tip));
    let tip = "tip: give the seconds after the server number, without an option, as in gothello netref 0 300";
    assert!(usage_message(&["netref", "--time", "300"]).contains(tip));
    let check = |arguments: &[&str]| {
        let message = usage_message(&[&["check"], arguments].concat());
        let tip = message
            .lines()
            .find_map(|line| line.strip_prefix("  tip: "));
        tip.unwrap_or_else(|| panic!("{message}")).to_owned()
    };
    insta::assert_snapshot!(check(&["gtp", "gothello", "gtp"]), @"put -- before the command of the program: gothello check gtp -- gothello gtp");
    insta::assert_snapshot!(check(&["netref", "--games", "2", "java", "My Client", "{side}"]), @"put -- before the command of the program: gothello check netref --games 2 -- java 'My Client' '{side}'");
    insta::assert_snapshot!(check(&["goref", "--level", "3"]), @"options of the program stand after -- and its command, as in gothello check goref -- ./program --level");
    insta::assert_snapshot!(check(&["--", "./engine"]), @"say first what the program speaks, gtp, netref, or goref, as in gothello check gtp -- ./engine");
    insta::assert_snapshot!(check(&["gtp", "--sed", "3"]), @"a similar argument exists: '--seed'");
    let tip = "tip: solve knows Gothello only";
    assert!(usage_message(&["solve", "--game", "awari"]).contains(tip));
    let tip = "tip: --moves is an option of solve and perft: give it after the command";
    assert!(usage_message(&["--moves", "c3", "solve"]).contains(tip));
    insta::assert_snapshot!(usage_error(&["solve", "--moves", "c3", "c4", "D4"]), @r#"error: "c4 D4" is not a position; write moves in quotes: --moves "c3 c4 D4""#);
    insta::assert_snapshot!(usage_error(&["perft", "2", "c3", "pass"]), @r#"error: "c3 pass" is not a position; write moves in quotes: --moves "c3 pass""#);
}

#[test]
fn words_and_points_are_read_in_either_case() {
    assert_eq!(stdout(&["--game", "Awari", "--grand-slam", "B"]), "");
    let moves = stdout(&["perft", "1", "--moves", "C3 PASS", "--game", "GOTHELLO"]);
    assert!(moves.starts_with("perft 1 25\n"), "{moves}");
    let position = stdout(&["perft", "1", "...../...../..B../...../.....", "W", "Pass"]);
    assert!(position.starts_with("perft 1 25\n"), "{position}");
    let position = stdout(&[
        "perft",
        "1",
        "--game",
        "awari",
        "4,4,4,4,4,4/4,4,4,4,4,4",
        "0",
        "0",
        "S",
    ]);
    assert!(position.starts_with("perft 1 6\n"), "{position}");
    // The message is about the missing server, not about the role.
    assert_eq!(
        gothello(&["netplay", "127.0.0.1:1", "WHITE"]).status.code(),
        Some(1)
    );
}

#[test]
fn a_wrong_command_is_answered_with_suggestions() {
    let tip = |word: &str| {
        let message = usage_message(&[word]);
        let tips = message.lines().filter(|line| line.starts_with("  tip: "));
        tips.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(tip("gpt"), @"  tip: 'gothello gtp', or 'gothello' alone, is the engine");
    insta::assert_snapshot!(tip("human"), @"  tip: 'gothello play' is a page to play on; 'gothello netplay' plays a match over a network, 'gothello goplay' in a Go contest");
    insta::assert_snapshot!(tip("Referee"), @"  tip: 'gothello netref' referees matches of Gothello and Awari, 'gothello goref' Go contests");
    insta::assert_snapshot!(tip("matches"), @"  tip: 'gothello match' plays matches of GTP engines and other programs; 'gothello netref' referees those over a network");
    assert_eq!(tip("sprt"), tip("matches"));
    insta::assert_snapshot!(tip("observe"), @"  tip: 'gothello netplay' observes a match over a network");
    insta::assert_snapshot!(tip("slove"), @"  tip: a similar subcommand exists: 'solve'");
    let players = usage_message(&["match", "./one", "./other"]);
    let told = "tip: give each player with an option, as in --player \"gnugo=gnugo --mode gtp\"";
    assert!(players.contains(told), "{players}");
}

#[test]
fn standings_name_the_file_that_they_need() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut told = String::new();
    let mut tell = |name: &str, content: &[u8]| {
        std::fs::write(path(name), content).unwrap();
        let run = gothello(&["standings", path(name).to_str().unwrap()]);
        assert_eq!(
            (run.status.code(), run.stdout.as_slice()),
            (Some(1), &b""[..])
        );
        let error = String::from_utf8(run.stderr).unwrap();
        told += &error.replace(folder.path().to_str().unwrap(), "DIR");
    };
    tell(
        "match.jsonl",
        b"{\"gothello_match\":1,\"began\":\"2026-11-23T04:05:06Z\"}\n",
    );
    tell("results.jsonl", b"");
    tell("results.jsonl", b"{\"v\":1,\"id\":\"1\"}\n");
    let row = |players, winner| result_line("1", players, winner, None);
    tell("results.jsonl", row(["", "Blue"], "black").as_bytes());
    let rows = [row(["Red", "Blue"], "draw"), row(["Blue", "Red"], "Red")];
    tell("results.jsonl", rows.concat().as_bytes());
    // A last line without a line feed is a line like any other.
    let half = row(["Red", "Blue"], "black");
    tell("copy.jsonl", half.split_at(90).0.as_bytes());
    tell("game.sgf", b"(;GM[1]SZ[5];B[cc])\n");
    tell("picture.png", b"\x89PNG\r\n\x1a\n");
    tell("tournament-0001.jsonl", b"");
    tell("tournament-0001.jsonl", b"{\"v\":1,\"time\":\n");
    std::fs::create_dir(path("empty")).unwrap();
    for (name, options) in [("empty", &[][..]), ("", &["--tournament", "2"])] {
        let named = path(name);
        let run = gothello(&[&["standings"], options, &[named.to_str().unwrap()]].concat());
        assert_eq!(run.status.code(), Some(1));
        let error = String::from_utf8(run.stderr).unwrap();
        told += &error.replace(folder.path().to_str().unwrap(), "DIR");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn standings_of_results_are_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.jsonl");
    let rows = [
        ("Red", "Blue", "black"),
        ("Blue", "Red", "white"),
        ("Blue", "Gr\"een", "draw"),
        ("Gr\"een", "Blue", "white"),
        // These do not count: no result, no name, the same player.
        ("Blue", "Red", "none"),
        ("", "Red", "black"),
        ("Blue", "Blue", "black"),
        // Players that none of these has met.
        ("Ann", "Bob", "white"),
    ];
    let rows = (1..).zip(rows).map(|(number, (black, white, winner))| {
        result_line(&format!("{number}"), [black, white], winner, None)
    });
    std::fs::write(&results, rows.collect::<String>()).unwrap();
    let run = gothello(&["standings", results.to_str().unwrap()]);
    insta::assert_snapshot!(String::from_utf8(run.stdout).unwrap());
    // A folder without tournaments has only them.
    let of_folder = stdout(&["standings", folder.path().to_str().unwrap()]);
    assert_eq!(of_folder, stdout(&["standings", results.to_str().unwrap()]));
}

#[test]
fn ratings_can_be_limited_to_one_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.jsonl");
    let results = results.to_str().unwrap();
    let text = [
        result_line("1", ["Red", "Blue"], "black", Some(1)),
        result_line("2", ["Blue", "Red"], "black", None),
        result_line("3", ["Green", "Red"], "draw", Some(2)),
        result_line("4", ["Blue", "Red"], "none", Some(3)),
    ];
    std::fs::write(results, text.concat()).unwrap();
    let players = |options: &[&str]| {
        let text = stdout(&[&["standings"], options, &[results]].concat());
        let rows = text.lines().skip(1).map(|row| {
            let words: Vec<&str> = row.split_whitespace().skip(1).take(2).collect();
            words.join(" ")
        });
        rows.collect::<Vec<_>>()
    };
    assert_eq!(players(&[]), ["Blue 2", "Red 3", "Green 1"]);
    assert_eq!(players(&["--tournament", "1"]), ["Red 1", "Blue 1"]);
    let error = |arguments: &[&str]| {
        let run = gothello(&[&["standings"], arguments].concat());
        let error = String::from_utf8(run.stderr).unwrap();
        (run.status.code(), error.replace(results, "results.jsonl"))
    };
    for number in ["3", "4"] {
        let (code, error) = error(&["--tournament", number, results]);
        assert_eq!(code, Some(1), "{number}: {error}");
        let why = format!("error: results.jsonl: no match of tournament {number} counts here");
        assert!(error.starts_with(&why), "{error}");
    }
    let begun = folder.path().join("tournament-0001.jsonl");
    std::fs::write(&begun, "{\"v\":1}\n").unwrap();
    let (code, error) = error(&["--tournament", "1", begun.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(
        error.starts_with("error: --tournament is for a folder"),
        "{error}"
    );
}

/// Results concatenated with `cat`, the last line without a line feed, through a pipe.
#[test]
#[cfg(unix)]
fn standings_are_computed_from_pipes_too() {
    use std::io::Write as _;

    let standings = |content: &str| {
        let mut run = Command::new(executable())
            .args(["standings", "/dev/stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = run.stdin.take().unwrap();
        input.write_all(content.as_bytes()).unwrap();
        drop(input);
        let output = run.output_in_time();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let first = result_line("1", ["Red", "Blue"], "black", None);
    let second = result_line("2", ["Blue", "Green"], "draw", None);
    let last = result_line("3", ["Green", "Red"], "white", None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let path = path.to_str().unwrap();
    std::fs::write(path, [&*first, &second, &last].concat()).unwrap();
    let whole = stdout(&["standings", path]);
    assert_eq!(whole.lines().count(), 4, "{whole}");
    let together = format!("{first}\n{second}{}", last.trim_end());
    assert_eq!(standings(&together), whole);

    let begun = "{\"v\":1,\"time\":\"2027-01-15T08:00:00.000Z\",\"event\":\"tournament\",\
                 \"system\":{\"swiss\":{\"rounds\":1}},\"games\":1,\"seed\":1,\"entrants\":[\"Red\",\"Blue\"]}\n";
    let path = folder.path().join("tournament-0001.jsonl");
    std::fs::write(&path, begun).unwrap();
    let whole = stdout(&["standings", path.to_str().unwrap()]);
    assert!(whole.contains("Red") && whole.contains("Blue"), "{whole}");
    assert_eq!(standings(begun), whole);
}

/// A missing file or a port in use: exit code 1, wherever it is named.
#[test]
fn failures_have_the_same_exit_code_everywhere() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let missing = "/no/such/file";
    for arguments in [
        &["--tablebase", missing][..],
        &["solve", "--tablebase", missing],
        &["gtp", "--game", "awari", "--endgames", missing],
        &["netplay", "127.0.0.1:1", "black", "--tablebase", missing],
        &["netplay", "127.0.0.1:1", "black", "--engine", missing],
        &["goplay", "127.0.0.1:1", "--name", "A", "--engine", missing],
        &["awari-db", "info", missing],
        &["awari-db", "verify", missing],
        &["standings", missing],
        &["goref", "--no-state", "--port", "0", "--setup", missing],
        &["goref", "--no-state", "--port", "0", "--config", missing],
        &["goref", "--no-state", "--port", &port],
        &["netref", "--port", &port],
        &["netref", "--port", "0", "--http", &port],
        &["netplay", "127.0.0.1:1", "observe"],
        &[
            "goplay",
            "127.0.0.1:1",
            "--name",
            "A",
            "--human",
            "--reconnect",
            "0",
        ],
    ] {
        let output = gothello(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("error: "), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    }
}

/// The long options of a help text, each with the name of its value.
fn options(help: &str) -> Vec<(String, String)> {
    let lines = help.lines().filter_map(|line| {
        let option = ["      --", "  -h, --", "  -V, --"]
            .into_iter()
            .find_map(|begin| line.strip_prefix(begin))?;
        // The description may follow on the same line, after two spaces.
        let option = option.split("  ").next()?;
        let (name, value) = option.split_once(' ').unwrap_or((option, ""));
        Some((name.to_owned(), value.to_owned()))
    });
    lines.collect()
}

/// One name means one thing: at least it has values of one kind.
#[test]
fn an_option_has_the_same_kind_of_value_in_every_command() {
    let mut kinds = std::collections::BTreeMap::<String, (String, &[&str])>::new();
    for command in COMMANDS.iter().filter(|command| **command != ["help"]) {
        let page = stdout(&[command, &["--help"][..]].concat());
        for (name, value) in options(&page) {
            // A server of tournaments may also stop after one.
            let value = value.replace("<N|tournament>", "<N>");
            let value = match (name.as_str(), value.as_str()) {
                // A referee holds a tournament of this kind, and its results are those of a number.
                ("tournament", "<N>") => "<KIND>".to_owned(),
                // A match writes records to this path, and a review prints them.
                ("sgf", "") => "<PATH>".to_owned(),
                // A tablebase is built from most stones to fewest, and a database up to a number; a
                // dataset has a range.
                ("stones", "<MOST..FEWEST>" | "<FEWEST..MOST>") => "<N>".to_owned(),
                _ => value,
            };
            let (kind, first) = kinds
                .entry(name.clone())
                .or_insert((value.clone(), command));
            assert_eq!(*kind, value, "--{name} in {first:?} and in {command:?}");
        }
    }
    let kind = |name: &str| kinds[name].0.as_str();
    assert_eq!((kind("game"), kind("setup")), ("<GAME>", "<FILE>"));
    assert_eq!((kind("log"), kind("log-format")), ("<LEVEL>", "<FORMAT>"));
    assert_eq!(
        (kind("tables"), kind("games"), kind("stop-after")),
        ("<N>", "<N>", "<N>")
    );
}

#[test]
fn old_spellings_still_work() {
    insta::assert_snapshot!(usage_error(&["goref", "--games", "0"]), @"error: invalid value '0' for '--tables <N>': give a whole number from 1 to 1000");
    insta::assert_snapshot!(usage_error(&["goref", "--log", "xml"]), @"error: invalid value 'xml' for '--log-format <FORMAT>'");
    insta::assert_snapshot!(usage_error(&["goref", "--game"]), @"error: a value is required for '--setup <FILE>' but none was supplied");
    insta::assert_snapshot!(usage_error(&["netref", "--games", "0"]), @"error: invalid value '0' for '--stop-after <N|tournament>': give a number of games, 1 or more, or the word tournament");
    insta::assert_snapshot!(usage_error(&["netref", "--log", "xml"]), @"error: invalid value 'xml' for '--log-format <FORMAT>'");
    let count = |arguments: &[&str]| stdout(arguments).lines().next().unwrap().to_owned();
    let position = "...../...../..b../...../..... w pass";
    assert_eq!(count(&["perft", "1", "--position", position]), "perft 1 25");
    // Host, number and role; no server is there.
    let output = gothello(&["netplay", "127.0.0.1", "0", "--port", "1", "black"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.starts_with("error: cannot reach a referee at 127.0.0.1 port 1: "),
        "{error}"
    );
}

#[test]
fn exit_codes_are_documented_in_the_help() {
    let help = stdout(&["--help"]);
    assert!(
        help.contains("Exit codes of all commands:\n  0  success\n  1  failure"),
        "{help}"
    );
}

#[test]
fn perft_counts_at_each_depth() {
    let output = stdout(&["perft", "4"]);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "perft 1 26",
            "perft 2 651",
            "perft 3 15650",
            "perft 4 361041"
        ]
    );
    assert!(lines[4].ends_with(" million leaves/s"), "{output}");
    assert_eq!(lines.len(), 5, "{lines:#?}");
}

#[test]
fn perft_knows_awari() {
    let output = stdout(&[
        "perft", "3", "--game", "awari", "--moves", "F f", "--divide",
    ]);
    let lines: Vec<&str> = output.lines().collect();
    insta::assert_snapshot!(lines[..lines.len() - 1].join("\n"), @"
    perft 1 5
    perft 2 25
    A 29
    B 28
    C 27
    D 25
    E 25
    perft 3 134
    ");
    let awari = |rest: &[&str]| usage_error(&[&["perft", "1", "--game", "awari"], rest].concat());
    insta::assert_snapshot!(awari(&["--moves", "F F"]), @"error: move 2 (F) in --moves: F is not North's pit");
    insta::assert_snapshot!(awari(&["--moves", "c3"]), @r#"error: move 1 (c3) in --moves: "c3" is not a pit: use a letter a-f (North's) or A-F (South's)"#);
    insta::assert_snapshot!(awari(&["--position", "4,4,4,4,4,4/4,4,4,4,4 0 0 s"]), @r#"error: position "4,4,4,4,4,4/4,4,4,4,4 0 0 s": South's side ("4,4,4,4,4") has 5 pits: write 6 numbers with commas between them"#);
    insta::assert_snapshot!(awari(&["--position", "0,0,0,0,0,0/0,0,0,0,0,1 23 24 s", "--moves", "F a"]), @"error: move 2 (a) in --moves: it ends the game (no move)");
    insta::assert_snapshot!(usage_error(&["perft", "1", "--game", "go"]), @"error: invalid value 'go' for '--game <GAME>'");
}

#[test]
fn perft_follows_the_rule_for_a_grand_slam() {
    // F would capture all of North's stones.
    let position = "1,0,0,0,0,0/1,0,0,0,0,1 23 22 s";
    let leaves = |rule: &str| {
        let output = stdout(&[
            "perft",
            "1",
            position,
            "--game",
            "awari",
            "--grand-slam",
            rule,
        ]);
        output.lines().next().unwrap().to_owned()
    };
    assert_eq!(leaves("e"), "perft 1 2");
    assert_eq!(leaves("a"), "perft 1 1");
}

#[test]
fn perft_starts_where_it_is_told() {
    let moves = "e1 a4 a1 c1 b5 c2 b2 b1 a5 e3";
    let position = "bb.../w..../....w/.bw../bww.b b";
    let counts = |arguments: &[&str]| {
        let output = stdout(arguments);
        let lines = output.lines().filter(|line| line.starts_with("perft"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = ["perft 1 16", "perft 2 240", "perft 3 3372"];
    assert_eq!(counts(&["perft", "3", "--moves", moves]), expected);
    assert_eq!(counts(&["perft", "3", "--position", position]), expected);
    let black = "...../...../..b../...../..... w pass";
    assert_eq!(counts(&["perft", "1", "--position", black]), ["perft 1 25"]);
}

#[test]
fn divided_leaves_add_up() {
    let output = stdout(&["perft", "3", "--divide", "--moves", "c3 d3"]);
    let parts = output.lines().filter_map(|line| {
        let (mv, leaves) = line.split_once(' ')?;
        let is_move = mv == "pass" || mv.len() == 2;
        is_move.then(|| leaves.parse::<u64>().unwrap())
    });
    let sum: u64 = parts.sum();
    assert!(output.contains(&format!("perft 3 {sum}\n")), "{output}");
}
